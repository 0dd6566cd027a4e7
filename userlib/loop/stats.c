// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* One rank's account of a loop. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "core/message.h"
#include "loop/loop_internal.h"

static double seconds(uint64_t ns)
{
	return 1e-9 * (double)ns;
}

/*
 * Run time that the kernel's CPU clock does not know: interrupts and steal.  The
 * clock is read here and not at the hooks: reading it ends a time slice that has
 * lasted longer than configured, though the tick has not come yet.
 */
static double stolen(const struct equant_loop *loop)
{
	struct equant_counters now;
	uint64_t cpu;

	if (!loop->first.t_ns)
		return 0;
	equant_probe_read(loop->eq->probe, &now);
	cpu = equant_clock_ns(CLOCK_THREAD_CPUTIME_ID) - loop->first_cpu_ns;
	return seconds(now.run_ns - loop->first.run_ns) - seconds(cpu);
}

long equant_loop_hooks(const struct equant_loop *loop)
{
	return loop->hooks + loop->window.hooks + loop->step - loop->countdown;
}

static long messages_sent(const struct equant_loop *loop)
{
	if (loop->control)
		return loop->control->messages;
	return loop->pass && loop->pass->async ? loop->pass->async->outbox.sent : 0;
}

int equant_loop_stats(const struct equant_loop *loop, struct equant_stats *stats)
{
	const struct equant_window *w = &loop->window;

	if (!stats || stats->sz != sizeof(*stats)) {
		equant_message("loop %s, rank %d: equant_loop_stats: %s", loop->name, loop->rank,
			       stats ? "sz must be sizeof(struct equant_stats)" : "no statistics");
		return -EINVAL;
	}
	equant_loop_note_read(loop);
	*stats = (struct equant_stats){
		.sz = sizeof(*stats),
		.rank = loop->rank,
		.ranks = loop->ranks,
		.elapsed = seconds(loop->last_ns - loop->first.t_ns),
		.wall = seconds(loop->wall_ns + w->wall_ns),
		.run = seconds(loop->run_ns + w->run_ns),
		.wait = seconds(loop->wait_ns + w->wait_ns),
		.balancing = seconds(loop->balancing_ns),
		.waiting = seconds(loop->waiting_ns),
		.moving = seconds(loop->moving_ns),
		.total_run = seconds(loop->last.run_ns - loop->first.run_ns),
		.total_wait = seconds(loop->last.wait_ns - loop->first.wait_ns),
		.total_cpu = seconds(loop->last.run_ns - loop->first.run_ns) - stolen(loop),
		.speed = loop->speed,
		.share = loop->share,
		.quantum = loop->quantum,
		.first_ns = (double)loop->first.t_ns,
		.units = loop->units.counts[loop->rank],
		.computed = lround(loop->computed + w->units),
		.hooks = equant_loop_hooks(loop),
		.phases = loop->phases,
		.moves = loop->mover.moves,
		.sent = loop->mover.sent,
		.received = loop->mover.received,
		.fallbacks = loop->fallbacks,
		.dropped = loop->dropped,
		.bytes_sent = loop->mover.bytes_sent,
		.uneven = loop->uneven,
		.sweeps = loop->pipeline ? loop->pipeline->sweeps : 0,
		.block = loop->pipeline ? loop->pipeline->block : 0,
		.messages = messages_sent(loop),
		.chain = loop->control ? loop->control->chain : 0,
	};
	if (stats->run > 0 && !loop->speed)
		stats->speed = (double)stats->computed / stats->run;
	if (stats->run > 0 && !loop->share)
		stats->share = stats->run / (stats->run + stats->wait);
	snprintf(stats->probe, sizeof(stats->probe), "%s", equant_probe_name(loop->eq->probe));
	return 0;
}
