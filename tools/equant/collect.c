// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The reports that a job's loops left in a directory, and the time the
 * machine itself took.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run.h"
#include "traces.h"

static int is_report(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && !strcmp(dot, ".equant");
}

static int load_report(struct run_result *result, const char *path)
{
	struct run_loop *loops, *loop;
	char why[PATH_MAX + NAME_MAX + 256];
	int ret;

	loops = reallocarray(result->loops, result->nr_loops + 1, sizeof(*loops));
	if (!loops)
		return -ENOMEM;
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
		int error = 0;

		snprintf(path, sizeof(path), "%s/%s", result->directory, entries[i]->d_name);
		/* Older ones, in a directory the user has chosen, are of other jobs. */
		if (file_is_since(path, result->since))
			error = load_report(result, path);
		ret = ret ? ret : error;
		free(entries[i]);
	}
	free(entries);
	return ret;
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
