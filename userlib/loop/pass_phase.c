// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Phases within passes.  They are those of phase.c, with these differences: only units that
 * the pass has still to compute count and move; a rank enters a phase after a quota of
 * its own (see progress.c) or when it has nothing left, and so goes on taking part
 * until nobody has; and instructions name units, the last that their owner would have computed.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "core/message.h"
#include "core/mpi_error.h"
#include "loop/loop_internal.h"

#define LOCAL_PERIOD 0.02 /* seconds between samples when nothing is balanced */
#define LOOKS 8 /* times a period that something under way is looked after */

/* What phases need to know about passes beyond other loops. */
static int set_up(struct equant_loop *loop, struct equant_pass *pass)
{
	if (equant_progress_init(&pass->progress, loop->ranks))
		return -ENOMEM;
	pass->paces = calloc((size_t)loop->ranks, sizeof(*pass->paces));
	pass->named = calloc((size_t)loop->ranks, sizeof(*pass->named));
	pass->look = LONG_MAX;
	return pass->paces && pass->named ? 0 : -ENOMEM;
}

/* @error: of this rank, of which the others have to hear. */
static int lead(struct equant_loop *loop, int error)
{
	struct equant_pass *pass = loop->pass;

	if (loop->eq->options.balance)
		error = equant_check_place(loop, EQUANT_AT_PASS, 0, error);
	if (!error)
		error = equant_loop_start(loop);
	if (error)
		return equant_loop_fail(loop, error);
	if (!loop->control || pass->async)
		return 0;
	loop->control->counts = pass->progress.counts;
	pass->due = pass->number + 1;
	return 0;
}

int equant_pass_start(struct equant_loop *loop)
{
	struct equant_pass *pass = calloc(1, sizeof(*pass));
	int error;

	loop->pass = pass;
	error = pass ? set_up(loop, pass) : -ENOMEM;
	if (!error && loop->eq->options.balance && loop->eq->options.mode)
		error = equant_async_start(loop);
	if (!loop->leader)
		return lead(loop, error);
	return error ? equant_loop_fail(loop, error) : 0;
}

int equant_pass_lead(struct equant_loop *loop)
{
	return lead(loop, 0);
}

int equant_pass_progress(struct equant_loop *loop)
{
	return loop->pass->look == LONG_MAX ? 0 : equant_share_progress(loop);
}

/* What a move earns in the middle of a pass ends with the pass. */
static void limit_benefit(struct equant_loop *loop)
{
	struct equant_pass *pass = loop->pass;
	double rest = 0;

	if (!loop->balancer)
		return;
	if (pass->left_of && pass->paces[loop->rank] > 0)
		rest = equant_time(pass->paces, pass->progress.counts, loop->ranks);
	equant_balancer_horizon(loop->balancer, rest);
}

/* What all ranks have left now.  After a joined pass that is the next one. */
static int update_progress(struct equant_loop *loop, int last)
{
	struct equant_pass *pass = loop->pass;
	int error = 0;

	if (last || pass->left_of != pass->number)
		error = equant_progress_begin(&pass->progress, &loop->units);
	/* Units may yet be activated before the next pass. */
	pass->left_of = last ? 0 : pass->number;
	if (!error && !last)
		error = equant_progress_advance(&pass->progress);
	/* This rank no longer knows which units others will send it, or wait for. */
	loop->mover.broken |= error != 0;
	limit_benefit(loop);
	return error;
}

/*
 * The order's units are the last that their owners would compute, by now perhaps fewer.  Rates of
 * some units that are much shorter than a period are no reason to move anything.
 */
static int move(struct equant_loop *loop, struct equant_order *order)
{
	struct equant_decision *d = &order->decision;
	struct equant_pass *pass = loop->pass;
	long *units = loop->control->planned;
	int error = 0, followers;

	if (pass->progress.trial && !loop->replay)
		d->count = 0;
	memcpy(units, pass->progress.counts, (size_t)loop->ranks * sizeof(*units));
	d->count = equant_order_fit(order->instructions, d->count, units);
	for (int i = 0; i < d->count && !error; i++)
		error = equant_progress_pick(&pass->progress, &order->instructions[i],
					     &pass->named[i]);
	loop->mover.broken |= error != 0;
	if (error)
		return error;
	equant_say_moves(loop, d);
	error = equant_loop_move(loop, order->instructions, d->count, pass->named,
				 (uint64_t)loop->phases);
	followers = equant_share_move(loop, order->instructions, d->count, pass->named);
	return error ? error : followers;
}

/* The oldest interaction; afterwards it is no longer there. */
static int obey(struct equant_loop *loop)
{
	const struct equant_order *order = equant_control_peers(loop->control, 0);
	int error = equant_loop_obey(loop, move);

	if (error)
		return error;
	equant_order_paces(order, loop->ranks, loop->pass->paces);
	if (order->speeds_known)
		equant_progress_learn(&loop->pass->progress);
	loop->pass->period = order->decision.period;
	return 0;
}

/* When the next phase is, and how often to look after what is under way until then. */
static void plan(struct equant_loop *loop, int last)
{
	double least = loop->interact / loop->eq->options.interact;
	struct equant_pass *pass = loop->pass;
	const struct equant_pace_of_pass pace = {
		.paces = pass->paces,
		.owned = loop->units.counts,
		.period = pass->period,
		.least = least < pass->period ? least : pass->period,
		.joined = pass->joined,
	};
	double look = pass->period * pass->paces[loop->rank] / LOOKS;

	if (!equant_replay_plan(loop, &pass->due, pass->progress.quota))
		pass->due = pass->number + last + equant_progress_plan(&pass->progress, &pace);
	equant_record_plan(loop);
	pass->look = LONG_MAX;
	if (equant_share_busy(loop))
		pass->look = look < 1 ? 1 : look < 1e9 ? (long)look : 1000000000;
	equant_pass_rewind(loop);
	/* Every equant_hook() is one too many. */
	loop->countdown = loop->step = 1;
	loop->remaining = 0;
}

/* Between two passes; rates are known, and count in the phase. */
void equant_pass_hasten(struct equant_loop *loop)
{
	struct equant_pass *pass = loop->pass;

	if (pass->async)
		return;
	pass->due = pass->number + 1;
	for (int r = 0; r < loop->ranks; r++)
		pass->progress.quota[r] = 0;
}

/* Balancing is off: a sample for the account and the trace. */
static int local_phase(struct equant_loop *loop, const struct equant_sample *sample, int last)
{
	double units = sample->wall > 0 ? LOCAL_PERIOD * sample->units / sample->wall : 1;

	equant_record_sample(loop, sample);
	if (last)
		return equant_barrier_in(loop->eq, "equant_pass_end()");
	loop->pass->until = units < 1 ? 1 : units < 1e9 ? (long)units : 1000000000;
	return 0;
}

static int interact(struct equant_loop *loop, const struct equant_sample *sample, int last)
{
	int depth = loop->speeds_known && !loop->replay ? loop->eq->options.depth : 0;
	int error = 0;

	if (!depth)
		error = equant_loop_send(loop, sample);
	if (!error && equant_control_pending(loop->control) == (depth ? depth : 1))
		error = obey(loop);
	if (!error && depth)
		error = equant_loop_send(loop, sample);
	/* That everybody's samples are here joins the pass; what follows from them comes in its turn. */
	return error || !last ? error : equant_join_all(loop);
}

/*
 * A rank whose sections are wrong, or that has failed, still does its part of the phase, in
 * which others may send work to it, and tells them with its sample.
 */
static int phase(struct equant_loop *loop, uint64_t now, int last, int wrong)
{
	struct equant_sample sample;
	int error;

	equant_sample_take(loop, &sample, now);
	if (wrong)
		sample.flags |= EQUANT_SAMPLE_ERROR;
	if (!loop->eq->options.balance) {
		error = local_phase(loop, &sample, last);
		return wrong ? wrong : error;
	}
	error = equant_loop_check(loop, 0, wrong);
	if (!error)
		error = update_progress(loop, last);
	if (!error)
		error = interact(loop, &sample, last);
	if (!error)
		plan(loop, last);
	return wrong ? wrong : error;
}

int equant_pass_phase(struct equant_loop *loop, int last)
{
	struct equant_phase_begun begun = equant_phase_begin(loop);
	int error, wrong = equant_loop_misused(loop);

	if (!loop->first.t_ns)
		equant_account_start(loop);
	error = phase(loop, begun.t_ns, last, wrong);
	equant_phase_end(loop, &begun, loop->phases > 0);
	loop->phases++;
	return error;
}
