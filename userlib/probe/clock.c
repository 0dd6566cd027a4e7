// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The source of last resort: wall time.  The thread is taken to run always,
 * so a rate computed from it is the measured rate of the literature.
 */
#include "probe/probe_internal.h"

static int clock_open(struct equant_probe *probe, const char *arg, char *why, size_t why_size)
{
	(void)probe;
	(void)arg;
	(void)why;
	(void)why_size;
	return 0;
}

static void clock_read(struct equant_probe *probe, struct equant_counters *now)
{
	(void)probe;
	now->t_ns = equant_clock_ns(CLOCK_MONOTONIC);
	now->run_ns = now->t_ns;
	now->wait_ns = 0;
}

static void clock_status(struct equant_probe *probe, struct equant_status *status)
{
	clock_read(probe, &status->now);
}

const struct equant_probe_ops equant_probe_clock = {
	.name = "clock",
	.summary = "wall time only",
	.open = clock_open,
	.read = clock_read,
	.status = clock_status,
};
