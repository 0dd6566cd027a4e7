// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Over a window with p preemptions in which a thread ran for R and waited for
 * W, one turn of the thread lasted R / p and one turn of its competitors W / p.
 * While it is contended all the time by n equal competitors R / p = q and
 * W / p = n q.  When the competitors were there for a part of the window only,
 * R / p is too long, but W / p of a single competitor is still q.  So
 *
 *	q = min(R / p, W / p)
 *
 * which for several competitors that come and go is an upper bound.
 *
 * Kernel threads that take the CPU for microseconds and sched_yield() count as
 * preemptions too; both make the quotient far smaller than the tick on which
 * the scheduler preempts, and such windows are ignored.
 */
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/sched_attr.h"
#include "probe/probe_internal.h"
#include "probe/slice.h"

#define PREEMPTIONS_PER_WINDOW 4
#define SMOOTHING 4 /* a new window counts 1 / SMOOTHING */

static uint64_t timespec_ns(const struct timespec *ts)
{
	return (uint64_t)ts->tv_sec * EQUANT_NSEC_PER_SEC + (uint64_t)ts->tv_nsec;
}

/* The coarse clock advances on the tick, so its resolution is the tick's length. */
static uint64_t tick_length(void)
{
	struct timespec ts;

	return clock_getres(CLOCK_MONOTONIC_COARSE, &ts) ? 0 : timespec_ns(&ts);
}

/*
 * CFS answers sched_rr_get_interval() with the slice at the present load, and
 * with 0 when the thread is alone.  EEVDF always answers 0, but newer kernels
 * report the configured slice as sched_runtime; preemption happens on the
 * tick, so what the thread gets is that slice rounded up to the tick.
 */
static uint64_t configured_slice(uint64_t tick_ns)
{
	struct equant_sched_attr attr = { .size = sizeof(attr) };
	struct timespec ts;
	uint64_t ns = 0;

	if (!sched_rr_get_interval(0, &ts))
		ns = timespec_ns(&ts);
	if (ns)
		return ns;
	if (syscall(SYS_sched_getattr, 0, &attr, sizeof(attr), 0) || !tick_ns)
		return 0;
	return (attr.runtime_ns + tick_ns - 1) / tick_ns * tick_ns;
}

void equant_slice_init(struct equant_slice *slice)
{
	*slice = (struct equant_slice){ .tick_ns = tick_length() };
	slice->configured_ns = configured_slice(slice->tick_ns);
}

static void start_window(struct equant_slice *slice, uint64_t run_ns, uint64_t wait_ns,
			 uint64_t preemptions)
{
	slice->run_ns = run_ns;
	slice->wait_ns = wait_ns;
	slice->preemptions = preemptions;
	slice->started = 1;
}

static void smooth(struct equant_slice *slice, uint64_t quantum)
{
	if (!slice->quantum_ns)
		slice->quantum_ns = quantum;
	else
		slice->quantum_ns += ((int64_t)quantum - (int64_t)slice->quantum_ns) / SMOOTHING;
}

uint64_t equant_slice_update(struct equant_slice *slice, uint64_t run_ns, uint64_t wait_ns,
			     uint64_t preemptions)
{
	uint64_t turns = preemptions - slice->preemptions;
	uint64_t run = run_ns - slice->run_ns;
	uint64_t wait = wait_ns - slice->wait_ns;
	uint64_t quantum;

	if (slice->started && turns < PREEMPTIONS_PER_WINDOW)
		goto out;
	if (slice->started) {
		quantum = (run < wait ? run : wait) / turns;
		if (quantum > slice->tick_ns / 4)
			smooth(slice, quantum);
	}
	start_window(slice, run_ns, wait_ns, preemptions);
out:
	return slice->quantum_ns ? slice->quantum_ns : slice->configured_ns;
}
