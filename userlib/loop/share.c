// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Loops that have one distribution, because they run over the same data: whose units have
 * moved in one of them have moved in the others ("cross relations" link data that are to be kept
 * together; Siegell 1995, section 6.4.1).
 *
 * One of them leads.  Its hooks decide, from the time that all have taken for their units since
 * the last phase: of loops that take turns it is the sum of their times per unit that a
 * distribution should make equal.  Each follows the same moves in an ownership of its own, which so
 * stays the same, and moves its own slices.
 *
 * Passes over the leader are balanced between its iterations.  Its followers have had as many turns on
 * all ranks then, so that a unit which the leader has still to compute is as far in all of them
 * wherever it goes.  The other way round this is not so, and passes over a follower have no phases.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "core/clock.h"
#include "core/message.h"
#include "loop/loop_internal.h"

#define FAR (1L << 30) /* hooks of a follower between two looks at whether it is the last */
#define LOOKS 16 /* in a follower's pass, at what is under way */
#define TURNS 4 /* over which weights are averaged */

static struct equant_loop *leader_of(struct equant_loop *loop)
{
	return loop->leader ? loop->leader : loop;
}

int equant_share_has(const struct equant_loop *loop, const void *base)
{
	for (loop = loop->leader ? loop->leader : loop; loop; loop = loop->follower)
		if (equant_slices_have(&loop->slices, base))
			return 1;
	return 0;
}

static int have_one_array(const struct equant_loop *second, const struct equant_loop *first)
{
	for (int i = 0; i < second->slices.nr_arrays && second->units.units; i++)
		if (equant_share_has(first, second->slices.arrays[i].base))
			return 1;
	return 0;
}

static int has_begun(const struct equant_loop *loop)
{
	return loop->started || loop->first.t_ns;
}

static int check(const struct equant_loop *second, const struct equant_loop *first)
{
	const char *fault = NULL;
	int error = -EINVAL;

	if (!second || !first) {
		fault = "no loop";
	} else if (second == first) {
		fault = "a loop with itself";
	} else if (second->eq != first->eq) {
		fault = "loops of two contexts";
	} else if (second->units.units != first->units.units) {
		fault = "loops of different numbers of units";
	} else {
		error = -EBUSY;
		if (has_begun(second) || has_begun(first))
			fault = "after the first section or hook";
		else if (second->leader || second->follower)
			fault = "a loop that shares already";
		else if (equant_slices_tables(&second->slices))
			fault = "a second loop that has slice tables already";
		else if (second->below || second->above || second->ghosts.under_way)
			fault = "a second loop that has neighbours already";
	}
	if (!fault && have_one_array(second, first)) {
		fault = "an array that both have registered";
		error = -EEXIST;
	}
	if (!fault)
		return 0;
	equant_message("loops %s and %s: equant_loop_share: %s", first ? first->name : "(none)",
		       second ? second->name : "(none)", fault);
	return error;
}

int equant_loop_share(struct equant_loop *second, struct equant_loop *first)
{
	struct equant_units units;
	struct equant_loop *last;
	int error = check(second, first);

	if (error)
		return error;
	error = equant_units_copy(&units, &first->units);
	if (error) {
		equant_message("loops %s and %s: equant_loop_share: %s", first->name, second->name,
			       strerror(-error));
		return error;
	}
	equant_units_release(&second->units);
	second->units = units;
	second->restricted = first->restricted;
	second->leader = leader_of(first);
	for (last = first; last->follower; last = last->follower)
		;
	last->follower = second;
	return 0;
}

/* Hooks since the countdown began belong to the window. */
static void arm(struct equant_loop *loop, long hooks)
{
	loop->window.hooks += loop->step - loop->countdown;
	loop->step = hooks;
	loop->countdown = hooks;
	loop->remaining = 0;
}

int equant_share_hook(struct equant_loop *loop)
{
	if (!loop->first.t_ns)
		equant_account_start(loop);
	loop->last_ns = equant_now_ns();
	arm(loop, FAR);
	return 0;
}

void equant_share_fail(struct equant_loop *leader)
{
	for (struct equant_loop *l = leader->follower; l; l = l->follower) {
		if (!l->error)
			l->error = leader->error;
		arm(l, 1);
	}
}

void equant_share_ended(struct equant_loop *loop)
{
	for (struct equant_loop *l = leader_of(loop); l; l = l->follower) {
		l->ended = 1;
		if (l->control)
			equant_control_cancel(l->control);
	}
}

/*
 * A rank whose data were bad goes on to the end: the others wait for what it sends.  One that has stopped in the middle
 * has told them that it does not, and moves no more.
 */
int equant_share_move(struct equant_loop *leader, const struct equant_instruction *instructions,
		      int count, const struct equant_runs *named)
{
	int first = 0, broken = leader->mover.broken;

	for (struct equant_loop *l = leader->follower; l; l = l->follower) {
		uint64_t start = equant_now_ns(), waited = l->mover.waited_ns;
		int settled = broken ? 0 : equant_pipeline_settle(l);
		int error = broken ? 0 :
				     equant_loop_move(l, instructions, count, named,
						      (uint64_t)leader->phases);
		int follows = equant_neighbours_follow(l);

		leader->mover.waited_ns += l->mover.waited_ns - waited;
		equant_record_moves(l, equant_now_ns() - start);
		if (!first)
			first = settled ? settled : error ? error : follows;
		broken |= l->mover.broken;
	}
	return first;
}

int equant_share_busy(const struct equant_loop *loop)
{
	const struct equant_loop *l = loop->leader ? loop->leader : loop;
	int busy = l->control && equant_control_needs_looks(l->control);

	for (; l; l = l->follower)
		busy |= l->mover.nr_requests > 0;
	return busy;
}

int equant_share_progress(struct equant_loop *loop)
{
	struct equant_loop *leader = leader_of(loop);
	int error = 0;

	for (struct equant_loop *l = leader; l && !error; l = l->follower)
		error = equant_mover_progress(&l->mover, 1e-9);
	if (!error && leader->control)
		error = equant_control_progress(leader->control);
	return error;
}

/* ---- passes ------------------------------------------------------------------- */

long equant_share_look(const struct equant_loop *loop)
{
	long look = loop->units.counts[loop->rank] / LOOKS;

	if (!equant_share_busy(loop))
		return LONG_MAX;
	return look < 1 ? 1 : look;
}

/* Nobody computes anything here, so that it is a phase as good as any of the leader's own. */
int equant_share_join(struct equant_loop *loop)
{
	struct equant_loop *leader = loop->leader;

	if (!leader->started || !loop->eq->options.balance)
		return equant_barrier_in(loop->eq, "equant_pass_end()");
	if (leader->pass)
		return equant_pass_phase(leader, 1);
	leader->window.hooks += leader->step - leader->countdown;
	return equant_loop_phase(leader);
}

/*
 * Units that have moved in the middle of a pass were computed by the same rank in the passes of the
 * followers after it, so that these times are for the same units.
 */
void equant_share_weigh(struct equant_loop *leader)
{
	uint64_t own = 0, all = 0;
	double weight;

	for (struct equant_loop *l = leader; l; l = l->follower) {
		uint64_t now = l->wall_ns + l->window.wall_ns;

		all += now - l->turn_ns;
		if (l == leader)
			own = now - l->turn_ns;
		l->turn_ns = now;
	}
	if (!own)
		return;
	weight = (double)all / (double)own;
	leader->weight += leader->weight > 0 ? (weight - leader->weight) / TURNS : weight;
}

/* ---- the end of one of them ------------------------------------------------------ */

/* The next one has measured nothing alone so far: it begins as a new loop would. */
static void promote(struct equant_loop *loop, uint64_t window_start)
{
	loop->leader = NULL;
	loop->started = 0;
	loop->window.start_ns = window_start;
	arm(loop, 1);
	for (struct equant_loop *l = loop->follower; l; l = l->follower)
		l->leader = loop;
}

void equant_share_release(struct equant_loop *loop)
{
	struct equant_loop *before = loop->leader;

	if (!before && loop->follower)
		promote(loop->follower, loop->window.start_ns);
	if (!before)
		return;
	while (before->follower != loop)
		before = before->follower;
	before->follower = loop->follower;
}
