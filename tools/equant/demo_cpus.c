// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Two CPUs for the demonstration, of different cores where there are such.
 */
#include <errno.h>
#include <sched.h>

#include "demo.h"

static int topology(int cpu, const char *what)
{
	char path[128];
	int value = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/%s", cpu, what);
	file = fopen(path, "re");
	if (!file)
		return -1;
	if (fscanf(file, "%d", &value) != 1)
		value = -1;
	fclose(file);
	return value;
}

static bool same_core(int a, int b)
{
	return topology(a, "core_id") == topology(b, "core_id") &&
	       topology(a, "physical_package_id") == topology(b, "physical_package_id") &&
	       topology(a, "core_id") >= 0;
}

int demo_choose_cpus(struct demo *demo)
{
	int first = -1, sibling = -1;
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return -errno;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &set))
			continue;
		if (first < 0) {
			first = cpu;
		} else if (!same_core(first, cpu)) {
			demo->cpus[0] = first;
			demo->cpus[1] = cpu;
			return 0;
		} else if (sibling < 0) {
			sibling = cpu;
		}
	}
	demo->cpus[0] = first;
	demo->cpus[1] = sibling;
	demo->siblings = true;
	return sibling < 0 ? -ENODEV : 0;
}
