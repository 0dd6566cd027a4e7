// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libgroups.h"
#include "libtable.h"

#define VERSION_1 "/sys/fs/cgroup/cpu"
#define VERSION_2 "/sys/fs/cgroup"
#define PATH_SIZE 256

static int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

static int is_version_1(void)
{
	return !access(VERSION_1 "/cpu.shares", F_OK) || !access(VERSION_1 "/tasks", F_OK);
}

static int has_cpu_controller(void)
{
	char text[256] = "";
	FILE *file = fopen(VERSION_2 "/cgroup.subtree_control", "r");

	if (!file)
		return 0;
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	return strstr(text, "cpu ") || strstr(text, "cpu\n");
}

const char *why_no_groups(int limited)
{
	if (is_version_1())
		return limited ? "control groups are of version 1" : NULL;
	return has_cpu_controller() ? NULL : "control groups have no cpu controller";
}

static void file_of(char *path, const char *group, const char *file)
{
	snprintf(path, PATH_SIZE, "%s/equant-test-%s%s", is_version_1() ? VERSION_1 : VERSION_2,
		 group, file);
}

/* Version 2 counts in hundredths of the default. */
static int set_weight(const struct group *group)
{
	char path[PATH_SIZE], text[32];

	file_of(path, group->path, is_version_1() ? "/cpu.shares" : "/cpu.weight");
	snprintf(text, sizeof(text), "%u",
		 is_version_1() ? group->shares : group->shares * 100 / 1024);
	return write_text(path, text);
}

/* What is inside another one has a weight only if that one says so. */
static int let_children_have_weights(const struct group *group)
{
	char path[PATH_SIZE], parent[PATH_SIZE];
	const char *end = strrchr(group->path, '/');

	if (!end || is_version_1())
		return 0;
	snprintf(parent, sizeof(parent), "%.*s", (int)(end - group->path), group->path);
	file_of(path, parent, "/cgroup.subtree_control");
	return write_text(path, "+cpu");
}

static int make_group(const struct group *group)
{
	char path[PATH_SIZE];
	int ret = let_children_have_weights(group);

	if (ret)
		return ret;
	file_of(path, group->path, "");
	if (mkdir(path, 0755) && errno != EEXIST)
		return -errno;
	ret = set_weight(group);
	if (ret || !group->limit)
		return ret;
	file_of(path, group->path, "/cpu.max");
	return write_text(path, group->limit);
}

int make_groups(const struct group *groups)
{
	int ret = 0;

	for (int i = 0; i < MAX_GROUPS && groups[i].path && !ret; i++)
		ret = make_group(&groups[i]);
	return ret;
}

void remove_groups(const struct group *groups)
{
	char path[PATH_SIZE];

	for (int i = MAX_GROUPS - 1; i >= 0; i--) {
		if (!groups[i].path)
			continue;
		file_of(path, groups[i].path, "");
		for (int t = 0; t < 100 && rmdir(path) && errno == EBUSY; t++)
			sleep_ms(5);
	}
}

int enter_group(const char *path)
{
	char file[PATH_SIZE], text[32];

	file_of(file, path, is_version_1() ? "/tasks" : "/cgroup.procs");
	snprintf(text, sizeof(text), "%d", getpid());
	return write_text(file, text);
}
