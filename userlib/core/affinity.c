// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Which CPUs.  Virtual machines that were copied while they ran have one boot, but other names; so have containers of
 * one machine, whose ranks are taken to be apart.
 */
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "core/affinity.h"
#include "core/mix.h"

#define WORDS 256 /* of CPUs; where there are more the kernel refuses */

uint64_t equant_machine(void)
{
	char text[40] = "", host[256] = "";
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");

	if (!file)
		return 0;
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	gethostname(host, sizeof(host) - 1);
	return text[0] ? equant_mix_text(equant_mix_text(1, text), host) : 0;
}

struct equant_affinity equant_affinity(uint64_t machine)
{
	unsigned long words[WORDS] = { 0 };
	struct equant_affinity affinity = { .cpus = machine };

	if (!machine || sched_getaffinity(0, sizeof(words), (cpu_set_t *)words))
		return (struct equant_affinity){ 0 };
	for (int i = 0; i < WORDS; i++) {
		if (!words[i])
			continue;
		affinity.cpus = equant_mix_word(affinity.cpus + (uint64_t)i, words[i]);
		affinity.count += __builtin_popcountl(words[i]);
	}
	return affinity;
}
