// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The reports that a job's loops left in a directory, and the time the
 * machine itself took.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run.h"

bool run_ends_with(const char *name, const char *ending)
{
	const char *dot = strrchr(name, '.');

	return dot && dot != name && !strcmp(dot, ending);
}

static int is_report(const struct dirent *entry)
{
	return run_ends_with(entry->d_name, ".equant");
}

static int is_to_be_moved(const struct dirent *entry)
{
	return is_report(entry) || run_ends_with(entry->d_name, ".profile");
}

static int load_report(struct run_result *result, const char *path)
{
	struct run_loop *loops, *loop;
	char why[PATH_MAX + NAME_MAX + 256];
	int ret;

	loops = reallocarray(result->loops, result->nr_loops + 1, sizeof(*loops));
	if (!loops) {
		fprintf(stderr, "equant: %s: %s\n", path, strerror(ENOMEM));
		return -ENOMEM;
	}
	result->loops = loops;
	loop = &loops[result->nr_loops];
	ret = equant_report_load(path, &loop->header, &loop->stats, why, sizeof(why));
	if (ret)
		fprintf(stderr, "equant: %s\n", why);
	else
		result->nr_loops++;
	return ret;
}

int run_collect(struct run_result *result)
{
	struct dirent **entries;
	int count = scandir(result->directory, &entries, is_report, versionsort), ret = 0;

	if (count < 0) {
		fprintf(stderr, "equant: %s: %s\n", result->directory, strerror(errno));
		return -errno;
	}
	for (int i = 0; i < count; i++) {
		char path[PATH_MAX + NAME_MAX + 2];
		int error;

		snprintf(path, sizeof(path), "%s/%s", result->directory, entries[i]->d_name);
		error = load_report(result, path);
		ret = ret ? ret : error;
		free(entries[i]);
	}
	free(entries);
	return ret;
}

/*
 * LOOP.N.equant, or RANK.N.profile, takes the place of a new empty file with the first free N, as
 * another job may look for one, too.  Not all file systems that hosts share can rename what must
 * not be there yet.
 */
static int move_report(int from, int to, const char *name)
{
	const char *ending = strrchr(name, '.');
	char target[NAME_MAX + 16];
	int length = (int)(ending - name), fd = -1, error;
	const char *number = memrchr(name, '.', length);

	if (number)
		length = (int)(number - name);
	for (int n = 0; fd < 0; n++) {
		snprintf(target, sizeof(target), "%.*s.%d%s", length, name, n, ending);
		fd = openat(to, target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd < 0 && errno != EEXIST)
			return -errno;
	}
	close(fd);
	if (!renameat(from, name, to, target))
		return 0;
	error = errno;
	unlinkat(to, target, 0);
	return -error;
}

int run_move_reports(char *directory)
{
	struct dirent **entries;
	int count, from, to, ret = 0;

	if (!rmdir(directory)) {
		*strrchr(directory, '/') = '\0';
		return 0;
	}
	count = scandir(directory, &entries, is_to_be_moved, versionsort);
	from = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	to = from < 0 ? -1 : openat(from, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (count < 0 || from < 0 || to < 0)
		ret = -errno;
	for (int i = 0; i < count; i++) {
		if (!ret)
			ret = move_report(from, to, entries[i]->d_name);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	if (ret) {
		fprintf(stderr, "equant: moving reports from %s: %s\n", directory, strerror(-ret));
		return ret;
	}
	if (rmdir(directory))
		fprintf(stderr, "equant: what else the job has left is in %s\n", directory);
	*strrchr(directory, '/') = '\0';
	return 0;
}

int machine_time_read(struct machine_time *time)
{
	double user, nice, system, idle, iowait, irq, softirq, steal, tick;
	FILE *file = fopen("/proc/stat", "re");
	int got;

	if (!file)
		return -errno;
	got = fscanf(file, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &user, &nice, &system, &idle,
		     &iowait, &irq, &softirq, &steal);
	fclose(file);
	if (got != 8)
		return -EPROTO;
	tick = 1.0 / sysconf(_SC_CLK_TCK);
	time->total = (user + nice + system + idle + iowait + irq + softirq + steal) * tick;
	time->busy = (user + nice + system) * tick;
	time->irq = (irq + softirq) * tick;
	time->steal = steal * tick;
	return 0;
}
