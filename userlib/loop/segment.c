// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Compute sections: counters are read around the computation only, because
 * an MPI library that waits looks like a program that computes (polling) or
 * like one that is crowded out (yielding).
 */
#include <equant/abi.h>
#include <string.h>

#include "core/affinity.h"
#include "core/clock.h"
#include "core/message.h"
#include "loop/loop_internal.h"

#define HELD_MOST 8 /* phases */

/* Within a sweep ranks are strips apart, but none begins the next one before all are in this one. */
static uint32_t meetings(const struct equant_loop *loop)
{
	return equant_is_pipelined(loop) ? (uint32_t)loop->pipeline->sweeps : loop->eq->meetings;
}

void equant_account_start(struct equant_loop *loop)
{
	equant_probe_read(loop->eq->probe, &loop->first);
	loop->first_cpu_ns = equant_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	loop->last = loop->first;
	loop->last_ns = loop->first.t_ns;
}

/* A hook says so, where all ranks hear of it. */
static void note_fault(struct equant_loop *loop, bool wrong, const char *fault)
{
	if (wrong && !loop->misused)
		loop->misused = fault;
}

void equant_begin(struct equant_loop *loop)
{
	struct equant_loop *leader = loop->leader ? loop->leader : loop;

	note_fault(loop, loop->in_section, "equant_begin() twice without equant_end() between");
	loop->in_section = 1;
	if (!loop->first.t_ns)
		equant_account_start(loop);
	equant_team_read(loop->eq, &loop->begin);
	if (!leader->window.start_ns)
		leader->window.start_ns = loop->begin.t_ns;
	equant_meetings_note(&leader->meetings, meetings(leader), loop->begin.t_ns);
}

/*
 * Units have been computed since some moved, but the program has not asked which.  It may know without:
 * by its own callbacks, by a table, by a pass or a sweep, or by another loop that has the same units.
 */
static bool is_out_of_date(const struct equant_loop *loop)
{
	return loop->eq->options.check && loop->moved_when_read != equant_loop_moved(loop) &&
	       !loop->slices.nr_data && !equant_slices_tables(&loop->slices) && !loop->pass &&
	       !equant_is_pipelined(loop) && !loop->leader && !loop->follower;
}

/* Part of a unit is computed where its iterations are cut into strips. */
void equant_end_work(struct equant_loop *loop, double units)
{
	struct equant_counters end;
	uint64_t run, wait;

	equant_team_read(loop->eq, &end);
	note_fault(loop, !loop->in_section, "equant_end() without equant_begin()");
	note_fault(loop, units < 0, "equant_end_units() of fewer than 0 units");
	loop->in_section = 0;
	/* A section may come before the program asks: the last one counts. */
	if (units > 0)
		loop->out_of_date = is_out_of_date(loop);
	run = equant_since(end.run_ns, loop->begin.run_ns);
	wait = equant_since(end.wait_ns, loop->begin.wait_ns);
	equant_team_scale(loop->eq, end.t_ns - loop->begin.t_ns, &run, &wait);
	loop->window.wall_ns += end.t_ns - loop->begin.t_ns;
	loop->window.run_ns += run;
	loop->window.wait_ns += wait;
	loop->window.units += units > 0 ? units : 0;
	loop->window.sections++;
	loop->last_ns = end.t_ns;
}

void equant_end_units(struct equant_loop *loop, long units)
{
	equant_end_work(loop, (double)units);
}

void equant_end(struct equant_loop *loop)
{
	/* All units of this rank, also where that is none. */
	loop->out_of_date = is_out_of_date(loop);
	equant_end_units(loop, loop->units.counts[loop->rank]);
}

static void check_probe(struct equant_loop *loop, struct equant_sample *sample)
{
	char why[256];

	if (!equant_team_check(loop->eq, why, sizeof(why)))
		return;
	loop->fallbacks++;
	sample->flags |= EQUANT_SAMPLE_FELL_BACK;
	equant_message("rank %d: %s", loop->rank, why);
	equant_record_fallback(loop, why);
}

static void account(struct equant_loop *loop, const struct equant_status *status)
{
	loop->wall_ns += loop->window.wall_ns;
	loop->run_ns += loop->window.run_ns;
	loop->wait_ns += loop->window.wait_ns;
	loop->computed += loop->window.units;
	loop->last = status->now;
	loop->hooks += loop->window.hooks;
}

static void gather(struct equant_window *sum, const struct equant_window *w)
{
	sum->units += w->units;
	sum->wall_ns += w->wall_ns;
	sum->run_ns += w->run_ns;
	sum->wait_ns += w->wait_ns;
	sum->tried |= w->tried;
}

/* Ranks try tiles at different times, which says nothing about the ranks. */
static void fill_in(struct equant_loop *loop, struct equant_sample *sample,
		    const struct equant_window *w)
{
	if (w->tried) {
		gather(&loop->untold, w);
		return;
	}
	sample->units = w->units;
	sample->wall = 1e-9 * (double)w->wall_ns;
	sample->run = 1e-9 * (double)w->run_ns;
	sample->wait = 1e-9 * (double)w->wait_ns;
}

/* A follower's hooks count from the last time on. */
static void account_follower(struct equant_loop *loop, const struct equant_status *status)
{
	loop->window.hooks += loop->step - loop->countdown;
	loop->step = loop->countdown;
	account(loop, status);
}

/*
 * Of loops that take turns over the same units: a unit is done when each of them has done it, and
 * what one of them alone has taken says nothing about that.  So nothing is known
 * before each has had its turn; but one that comes to rest is waited for only so long.
 */
static void measure_together(struct equant_loop *loop, struct equant_sample *sample,
			     const struct equant_status *status)
{
	int loops = 0, all = 1;

	for (struct equant_loop *l = loop; l; l = l->follower, loops++) {
		if (l != loop)
			account_follower(l, status);
		gather(&loop->together, &l->window);
		l->turns += l->window.sections;
		all &= l->turns > 0;
		if (l != loop)
			memset(&l->window, 0, sizeof(l->window));
	}
	if (!all && ++loop->held < HELD_MOST)
		return;
	loop->together.units /= loops;
	fill_in(loop, sample, &loop->together);
	memset(&loop->together, 0, sizeof(loop->together));
	loop->held = 0;
	for (struct equant_loop *l = loop; l; l = l->follower)
		l->turns = 0;
}

/*
 * Phases in the middle of a leader's pass know what the leader takes now.  What its followers take
 * beside that is known from their last turns.
 */
static void measure_weighed(struct equant_loop *loop, struct equant_sample *sample,
			    const struct equant_status *status)
{
	double weight = loop->weight > 0 ? loop->weight : 1;

	for (struct equant_loop *l = loop->follower; l; l = l->follower) {
		account_follower(l, status);
		memset(&l->window, 0, sizeof(l->window));
	}
	fill_in(loop, sample, &loop->window);
	sample->wall *= weight;
	sample->run *= weight;
	sample->wait *= weight;
}

void equant_sample_take(struct equant_loop *loop, struct equant_sample *sample, uint64_t now)
{
	struct equant_window *w = &loop->window;
	struct equant_status status;
	unsigned int features;

	memset(sample, 0, sizeof(*sample));
	check_probe(loop, sample);
	features = equant_team_status(loop->eq, &status);
	account(loop, &status);

	if (loop->follower && loop->pass)
		measure_weighed(loop, sample, &status);
	else if (loop->follower)
		measure_together(loop, sample, &status);
	else
		fill_in(loop, sample, w);
	sample->share = status.share;
	sample->settled = status.settled;
	sample->quantum = 1e-9 * (double)status.quantum_ns;
	equant_held_note(&loop->held_share, &status);
	sample->hold = equant_held_mean(&loop->held_share);
	sample->age = equant_held_age(&loop->held_share);
	sample->interval = w->start_ns ? 1e-9 * (double)(now - w->start_ns) : 0;
	sample->interact = 1e-9 * (double)loop->interact_ns;
	sample->move = 1e-9 * (double)loop->moved_ns;
	sample->moved = (double)loop->moved_units;
	sample->hooks = (uint32_t)w->hooks;
	sample->meetings = equant_meetings_count(&loop->meetings, meetings(loop));
	if (features & EQUANT_PROBE_RUN && !(sample->flags & EQUANT_SAMPLE_FELL_BACK))
		sample->flags |= EQUANT_SAMPLE_RUN;
	if (features & EQUANT_PROBE_PREDICTS && !(status.flags & EQUANT_F_NO_PREDICTION) &&
	    !(sample->flags & EQUANT_SAMPLE_FELL_BACK))
		sample->flags |= EQUANT_SAMPLE_PREDICTED;
	if (loop->grown)
		sample->flags |= EQUANT_SAMPLE_GROWN;
	if (loop->machine && equant_affinity(loop->machine).cpus != loop->cpus)
		sample->flags |= EQUANT_SAMPLE_MOVED;
	loop->grown = 0;
	loop->sampled = equant_units_active(&loop->units);
	loop->quantum = sample->quantum;

	equant_record_status(loop, &status);
	memset(w, 0, sizeof(*w));
	/* A hook before the first section begins no interval: the section does. */
	if (sample->interval > 0 || loop->phases)
		w->start_ns = now;
	loop->moved_ns = 0;
	loop->moved_units = 0;
}
