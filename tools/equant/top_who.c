// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Whose an attached task is, and what program: from /proc.
 *
 * A record has the ids that the task itself sees.  A task of another pid namespace is
 * looked for among all processes, which takes the right to see their namespaces.
 */
#include <ctype.h>
#include <dirent.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "top.h"

struct status {
	unsigned long uid;
	unsigned long inner_pid; /* in the innermost namespace */
	char name[TOP_NAME_SIZE];
};

static unsigned long last_number(const char *text)
{
	const char *last = strrchr(text, '\t');

	return strtoul(last ? last : text, NULL, 10);
}

static bool read_status(const char *path, struct status *status)
{
	FILE *file = fopen(path, "re");
	char line[256];

	if (!file)
		return false;
	*status = (struct status){ 0 };
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, "Name:\t", 6))
			snprintf(status->name, sizeof(status->name), "%.32s", line + 6);
		else if (!strncmp(line, "Uid:\t", 5))
			status->uid = strtoul(line + 5, NULL, 10);
		else if (!strncmp(line, "NSpid:", 6))
			status->inner_pid = last_number(line + 6);
	}
	fclose(file);
	return true;
}

static uint32_t namespace_of(const char *pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%.20s/ns/pid", pid);
	return stat(path, &st) ? 0 : (uint32_t)st.st_ino;
}

static void keep(struct top_who *who, const struct status *status, pid_t pid)
{
	const struct passwd *user = getpwuid((uid_t)status->uid);

	who->pid = pid;
	who->uid = (uid_t)status->uid;
	if (user)
		snprintf(who->user, sizeof(who->user), "%.32s", user->pw_name);
	else
		snprintf(who->user, sizeof(who->user), "%lu", status->uid);
	snprintf(who->command, sizeof(who->command), "%s", status->name);
}

static void find_among_all(struct top_who *who, const struct equant_watch_task *task)
{
	struct dirent *entry;
	struct status status;
	char path[64];
	DIR *proc;

	proc = opendir("/proc");
	if (!proc)
		return;
	while (!who->pid && (entry = readdir(proc))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%.20s/status", entry->d_name);
		if (read_status(path, &status) && status.inner_pid == task->tgid &&
		    namespace_of(entry->d_name) == task->ns_inode)
			keep(who, &status, atoi(entry->d_name));
	}
	closedir(proc);
}

void top_find_out(struct top_who *who, const struct equant_watch_task *task)
{
	struct status status;
	char path[64];

	if (who->t_attach_ns == task->t_attach_ns)
		return;
	*who = (struct top_who){ .t_attach_ns = task->t_attach_ns, .user = "?", .command = "?" };
	if (namespace_of("self") != task->ns_inode) {
		find_among_all(who, task);
		return;
	}
	snprintf(path, sizeof(path), "/proc/%u/status", task->tgid);
	if (read_status(path, &status))
		keep(who, &status, (pid_t)task->tgid);
}
