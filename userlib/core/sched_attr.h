/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_CORE_SCHED_ATTR_H
#define EQUANT_CORE_SCHED_ATTR_H

#include <stdint.h>

/* The first version of the kernel's struct sched_attr; C libraries disagree on who declares it. */
struct equant_sched_attr {
	uint32_t size;
	uint32_t policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime_ns;
	uint64_t deadline_ns;
	uint64_t period_ns;
};

#endif /* EQUANT_CORE_SCHED_ATTR_H */
