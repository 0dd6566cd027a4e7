/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The scheduler's quantum without an observer in the kernel: what the system
 * calls admit, and what a thread's own counters give away.
 */
#ifndef EQUANT_PROBE_SLICE_H
#define EQUANT_PROBE_SLICE_H

#include <stdint.h>

/**
 * struct equant_slice - estimate of the quantum from a thread's own counters
 * @configured_ns: until there is an estimate; 0 = the system does not tell
 * @tick_ns: length of the scheduler's tick
 * @quantum_ns: smoothed estimate, 0 = none yet
 * @run_ns: counters at the start of the window that is being collected
 * @wait_ns: likewise
 * @preemptions: likewise
 * @started: the three above are valid
 */
struct equant_slice {
	uint64_t configured_ns;
	uint64_t tick_ns;
	uint64_t quantum_ns;
	uint64_t run_ns;
	uint64_t wait_ns;
	uint64_t preemptions;
	int started;
};

/* Ask the system about the calling thread. */
void equant_slice_init(struct equant_slice *slice);

/* Feed the counters, get the quantum; 0 = not known. */
uint64_t equant_slice_update(struct equant_slice *slice, uint64_t run_ns, uint64_t wait_ns,
			     uint64_t preemptions);

#endif /* EQUANT_PROBE_SLICE_H */
