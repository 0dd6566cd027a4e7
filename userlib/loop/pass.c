// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Passes: equant_next() hands out the units of the distributed loop, and is the hook between its
 * iterations (Siegell 1995, section 4.2.1, lbhook0 in figure 4.3).
 *
 * Units are handed out in strips.  Within a strip equant_next() is a decrement and a
 * branch; at its end clocks are read and messages looked for when that is due.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/message.h"
#include "loop/loop_internal.h"

void equant_pass_free(struct equant_pass *pass)
{
	if (!pass)
		return;
	for (int i = 0; pass->named && i < pass->progress.ranks; i++)
		equant_runs_release(&pass->named[i]);
	free(pass->named);
	free(pass->paces);
	equant_progress_release(&pass->progress);
	equant_async_free(pass->async);
	free(pass);
}

/* Says what is wrong and ends the loop. */
int equant_pass_misused(struct equant_loop *loop, const char *what)
{
	if (!loop->error)
		equant_message("loop %s, rank %d: %s", loop->name, loop->rank, what);
	return equant_loop_fail(loop, -EINVAL);
}

static const char *fault_of_first(const struct equant_loop *loop)
{
	if (loop->window.hooks || loop->hooks || loop->phases)
		return "a loop is balanced by equant_hook() or in passes, not by both";
	if (loop->first.t_ns)
		return "equant_begin() before the first pass, which times itself";
	if (loop->restricted && loop->eq->options.movement == EQUANT_MOVE_IN_ORDER)
		return "passes have no order, but EQUANT_MOVEMENT=restricted";
	if (loop->restricted)
		return "passes are for loops without dependences (DOALL)";
	if ((loop->leader || loop->follower) && loop->eq->options.balance && loop->eq->options.mode)
		return "asynchronous mode on loops that share arrays: a unit that has missed passes of both would need them in turn";
	return NULL;
}

/* The others may be in no such trouble, and have to know. */
static int first_pass(struct equant_loop *loop)
{
	const char *fault = fault_of_first(loop);

	if (!fault)
		return equant_pass_start(loop);
	if (!loop->leader && !loop->started && loop->eq->options.balance)
		equant_check_place(loop, EQUANT_AT_PASS, 0, -EINVAL);
	return equant_pass_misused(loop, fault);
}

/* Loops that share arrays take turns. */
static int is_its_turn(const struct equant_loop *loop)
{
	const struct equant_loop *l = loop->leader ? loop->leader : loop;

	for (; l; l = l->follower)
		if (l != loop && l->pass && l->pass->under_way)
			return 0;
	return 1;
}

void equant_pass_rewind(struct equant_loop *loop)
{
	struct equant_pass *pass = loop->pass;

	pass->todo = &loop->units.owned[loop->rank];
	if (pass->left_of == pass->number)
		pass->todo = &pass->progress.left[loop->rank];
	pass->at = 0;
	pass->skip = 0;
	if (!loop->eq->options.balance && !loop->leader)
		return;
	pass->until = LONG_MAX;
	if (loop->leader)
		pass->look = equant_share_look(loop);
	if (pass->due == pass->number)
		pass->until = pass->progress.quota[loop->rank];
}

int equant_pass_begin(struct equant_loop *loop)
{
	struct equant_pass *pass;

	if (!loop->error && !loop->pass && first_pass(loop))
		return loop->error;
	if (loop->error)
		return loop->error;
	pass = loop->pass;
	if (pass->under_way)
		return equant_pass_misused(loop, "equant_pass_begin() within a pass");
	if (!is_its_turn(loop))
		return equant_pass_misused(
			loop,
			"equant_pass_begin() within a pass over a loop that shares its arrays");
	if (!loop->leader && !loop->started && equant_pass_lead(loop))
		return loop->error;
	if (!loop->leader && loop->follower)
		equant_share_weigh(loop);
	pass->number++;
	pass->under_way = 1;
	pass->joined = pass->over = 0;
	if (pass->async && equant_async_begin(loop))
		return equant_loop_fail(loop, -ENOMEM);
	if (!pass->async)
		equant_pass_rewind(loop);
	return 0;
}

int equant_pass_join(struct equant_loop *loop)
{
	struct equant_pass *pass = loop->pass;

	if (loop->error)
		return loop->error;
	if (!pass || !pass->under_way || pass->over || pass->strip)
		return equant_pass_misused(loop,
					   "equant_pass_join() belongs after equant_pass_begin()");
	pass->joined = 1;
	return 0;
}

/* The strip is computed. */
static void count_strip(struct equant_loop *loop)
{
	struct equant_pass *pass = loop->pass;

	pass->computed += pass->strip;
	pass->skip += pass->strip;
	if (pass->until != LONG_MAX)
		pass->until -= pass->strip;
	pass->strip = 0;
}

/* The next piece of one range that may be computed without a look; 0 = nothing is left. */
static long next_strip(struct equant_loop *loop)
{
	struct equant_pass *pass = loop->pass;
	const struct equant_range *range;
	long strip;

	while (pass->at < pass->todo->n && pass->skip == pass->todo->ranges[pass->at].count) {
		pass->at++;
		pass->skip = 0;
	}
	if (pass->at == pass->todo->n)
		return 0;
	range = &pass->todo->ranges[pass->at];
	strip = range->count - pass->skip;
	strip = strip < pass->until ? strip : pass->until;
	strip = strip < pass->look ? strip : pass->look;
	loop->unit = range->first + pass->skip;
	return strip;
}

void equant_pass_leave(struct equant_loop *loop)
{
	struct equant_pass *pass = loop->pass;

	if (pass->timed)
		equant_end_units(loop, pass->computed);
	loop->window.hooks += pass->computed;
	pass->timed = 0;
	pass->computed = 0;
}

static void enter_section(struct equant_loop *loop)
{
	if (!loop->pass->timed)
		equant_begin(loop);
	loop->pass->timed = 1;
}

static int balance(struct equant_loop *loop, int last)
{
	equant_pass_leave(loop);
	if (loop->leader)
		return equant_share_join(loop);
	/* Its leader was freed in this pass: it leads from the next one on. */
	if (!loop->started && loop->eq->options.balance)
		return equant_barrier_in(loop->eq, "equant_pass_end()");
	return equant_pass_phase(loop, last);
}

/* All ranks have computed their units of a joined pass. */
static int join(struct equant_loop *loop)
{
	loop->pass->over = 1;
	return balance(loop, 1);
}

/* Returns 1 and a strip, 0 when the pass is over, -errno. */
static int advance(struct equant_loop *loop)
{
	struct equant_pass *pass = loop->pass;
	int error = equant_pass_progress(loop);

	while (!error) {
		if (!pass->until) {
			error = balance(loop, 0);
			continue;
		}
		pass->strip = next_strip(loop);
		if (pass->strip)
			return 1;
		if (pass->due != pass->number)
			return pass->joined ? join(loop) : 0;
		error = balance(loop, 0);
	}
	return error;
}

int equant_next_strip(struct equant_loop *loop, long *unit)
{
	struct equant_pass *pass = loop->pass;
	int more;

	loop->strip = 0;
	if (loop->error)
		return 0;
	if (!pass || !pass->under_way) {
		equant_pass_misused(loop, "equant_next() outside of a pass");
		return 0;
	}
	if (pass->over)
		return 0;
	if (pass->async) {
		equant_async_count(loop);
		more = equant_async_advance(loop);
	} else {
		count_strip(loop);
		more = advance(loop);
	}
	if (more > 0) {
		enter_section(loop);
		loop->strip = pass->strip - 1;
		*unit = loop->unit++;
		return 1;
	}
	pass->over = 1;
	equant_pass_leave(loop);
	if (more < 0)
		equant_loop_fail(loop, more);
	return 0;
}

int equant_pass_end(struct equant_loop *loop)
{
	struct equant_pass *pass = loop->pass;

	if (loop->error)
		return loop->error;
	if (!pass || !pass->under_way)
		return equant_pass_misused(loop, "equant_pass_end() without equant_pass_begin()");
	if (!pass->over)
		return equant_pass_misused(loop,
					   "equant_pass_end() before equant_next() has returned 0");
	pass->under_way = 0;
	return 0;
}

long equant_pass(const struct equant_loop *loop)
{
	if (!loop->pass)
		return -1;
	return loop->pass->async ? loop->pass->async->pass : loop->pass->number - 1;
}
