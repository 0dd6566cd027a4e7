// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Asynchronous balancing (Siegell 1995, sections 2.6.2, 6.4.2 and 6.5).
 *
 * Ranks report to rank 0 (relay.c) without waiting; rank 0 tells a rank only what it has to do.  A
 * giver announces its units to their receiver and sends them; the receiver takes them
 * in when it looks the next time, and waits for nothing else.  So ranks may be any number of passes
 * apart, and each unit carries the number of passes in which it was computed: a unit that is behind
 * is handed out until it has caught up, one that is ahead is set aside until the rank is there.
 *
 * Deviation: in the thesis a receiver blocks from the moment at which it is instructed.  Here it
 * learns of a transfer from the giver only, when that has sent everything: a rank that waits for
 * others outside of this library can not be waited for in turn.  Nor does a giver wait for its receivers:
 * what one has not taken is put aside (move.c), as many transfers as rank 0 orders at once at most.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "core/message.h"
#include "core/mpi_error.h"
#include "loop/loop_internal.h"

#define CHUNK (1L << 30) /* MPI counts are int */
#define UNSENT 16 /* reports under way; more would tell rank 0 nothing */
#define PATIENCE 0.2 /* seconds for messages to a rank that is gone */
#define SEND_PATIENCE 0.001 /* seconds; the receiver looks when it likes */

static int is_asynchronous(const struct equant_loop *loop)
{
	return loop->pass && loop->pass->async;
}

/* All that the end of a pass needs: a rank that fails only there keeps others waiting. */
static int reserve(struct equant_async *async, size_t units)
{
	async->done = calloc(units + 1, sizeof(*async->done));
	async->owner = calloc(units + 1, sizeof(*async->owner));
	async->notice = malloc(sizeof(*async->notice));
	async->room = sizeof(*async->notice);
	return async->done && async->owner && async->notice ? 0 : -ENOMEM;
}

int equant_async_start(struct equant_loop *loop)
{
	struct equant_async *async = calloc(1, sizeof(*async));
	long units = loop->units.units;

	if (!async)
		return -ENOMEM;
	loop->pass->async = async;
	equant_outbox_init(&async->outbox, &loop->eq->waiter, loop->comm);
	async->period = loop->eq->options.period > 0 ? loop->eq->options.period :
						       EQUANT_REPORT_PERIOD;
	if (reserve(async, (size_t)units) || equant_relay_init(&async->relay, loop))
		return -ENOMEM;
	async->met = 1;
	loop->pass->until = 1;
	loop->pass->look = 1;
	loop->mover.patience = SEND_PATIENCE;
	if (equant_mover_queue(&loop->mover, loop->ranks))
		return -ENOMEM;
	if (!loop->rank) {
		async->master = equant_master_new(loop);
		if (!async->master)
			return -ENOMEM;
	}
	return equant_slices_add_array(&loop->slices, units, async->done, sizeof(*async->done));
}

void equant_async_free(struct equant_async *async)
{
	if (!async)
		return;
	/* Of a loop that was not ended in the usual way. */
	if (!equant_mpi_is_over())
		equant_outbox_release(&async->outbox, PATIENCE);
	equant_master_free(async->master);
	equant_relay_release(&async->relay);
	free(async->done);
	free(async->owner);
	free(async->notice);
	free(async);
}

int equant_async_forbids(const struct equant_loop *loop, const char *function)
{
	if (!is_asynchronous(loop) || loop->pass->async->met)
		return 0;
	equant_message("loop %s, rank %d: %s: in asynchronous mode only after a joined pass",
		       loop->name, loop->rank, function);
	return -EINVAL;
}

/* Units that were inactive for some passes have missed nothing. */
int equant_async_begin(struct equant_loop *loop)
{
	struct equant_async *async = loop->pass->async;

	if (async->met) {
		equant_for_each_unit(loop, u)
			async->done[u] = loop->pass->number - 1;
		equant_relay_renew(&async->relay);
		if (async->master && equant_master_meet(loop))
			return -ENOMEM;
	}
	async->met = 0;
	async->state = EQUANT_ASYNC_COMPUTING;
	async->heard_ns = equant_now_ns();
	loop->pass->at = 0;
	loop->pass->skip = 0;
	return 0;
}

void equant_async_count(struct equant_loop *loop)
{
	struct equant_pass *pass = loop->pass;
	long unit = loop->unit - pass->strip;

	for (long i = 0; i < pass->strip; i++)
		pass->async->done[unit + i]++;
	pass->async->computed += pass->strip;
	pass->computed += pass->strip;
	pass->until -= pass->strip;
	pass->strip = 0;
}

/* Units in a row that have been computed as often. */
static long strip_at(const struct equant_loop *loop, long unit, long most)
{
	const int64_t *done = loop->pass->async->done;
	long n = 1;

	/* One that is more than a pass behind is handed out again at once. */
	if (done[unit] < loop->pass->number - 1)
		return 1;
	while (n < most && done[unit + n] == done[unit])
		n++;
	return n;
}

static long next_strip(struct equant_loop *loop)
{
	const struct equant_runs *own = &loop->units.owned[loop->rank];
	struct equant_pass *pass = loop->pass;
	long until = equant_replay_until(loop);

	until = until < pass->look ? until : pass->look;
	for (; pass->at < own->n; pass->at++, pass->skip = 0) {
		const struct equant_range *range = &own->ranges[pass->at];

		for (; pass->skip < range->count; pass->skip++) {
			long unit = range->first + pass->skip, most = range->count - pass->skip;

			if (pass->async->done[unit] >= pass->number)
				continue;
			most = most < until ? most : until;
			loop->unit = unit;
			pass->async->pass = pass->async->done[unit];
			return strip_at(loop, unit, most);
		}
	}
	return 0;
}

/* Computations until every unit of this rank has been computed in this pass. */
long equant_async_left(const struct equant_loop *loop)
{
	const struct equant_pass *pass = loop->pass;
	long left = 0;

	equant_for_each_unit(loop, u)
		if (pass->async->done[u] < pass->number)
			left += pass->number - pass->async->done[u];
	return left;
}

int equant_async_report(struct equant_loop *loop, enum equant_async_state state, uint64_t taken)
{
	struct equant_report_up up = { .pass = loop->pass->number,
				       .left = equant_async_left(loop),
				       .taken = taken,
				       .state = state,
				       .rank = loop->rank };
	struct equant_relay *relay = &loop->pass->async->relay;
	struct equant_phase_begun begun;
	int error = equant_relay_reserve(relay, 1);

	if (error)
		return error;
	begun = equant_phase_begin(loop);

	equant_sample_take(loop, &up.sample, begun.t_ns);
	if (loop->error || equant_loop_misused(loop))
		up.sample.flags |= EQUANT_SAMPLE_ERROR;
	loop->pass->async->state = state;
	loop->phases++;
	equant_record_sample(loop, &up.sample);
	equant_phase_end(loop, &begun, loop->phases > 1);
	relay->held[relay->n] = up;
	error = equant_relay_take(loop, 1);
	return error ? error : equant_relay_up(loop);
}

/* Told from time to time.  How many units until then follows from those since the last time. */
static int report_due(struct equant_loop *loop)
{
	struct equant_pass *pass = loop->pass;

	if (equant_loop_misused(loop))
		return -EINVAL;
	pass->until = equant_report_after(pass->async->period, loop->window.units,
					  1e-9 * (double)loop->window.wall_ns);
	pass->look = pass->until < EQUANT_REPORT_LOOKS ? 1 : pass->until / EQUANT_REPORT_LOOKS;
	if (pass->async->outbox.n > UNSENT)
		return 0;
	return equant_async_report(loop, EQUANT_ASYNC_COMPUTING, 0);
}

/* ---- passes ----------------------------------------------------------------- */

/* The ranks have met: each tells what it owns, and all know who owns what. */
static int meet(struct equant_loop *loop)
{
	long units = loop->units.units, active = equant_units_active(&loop->units);
	long all = loop->units.counts[loop->rank];
	int *owner = loop->pass->async->owner;
	int error = 0;

	loop->pass->async->over = EQUANT_ASYNC_GOES_ON;
	memset(owner, 0, (size_t)units * sizeof(*owner));
	equant_for_each_unit(loop, u)
		owner[u] = loop->rank + 1;
	for (long first = 0; first < units && !error; first += CHUNK)
		error = equant_allreduce_in(loop->eq, "equant_pass_end()", owner + first,
					    (int)(units - first < CHUNK ? units - first : CHUNK),
					    MPI_INT, MPI_MAX);
	if (!error)
		error = equant_allreduce_in(loop->eq, "equant_pass_end()", &all, 1, MPI_LONG,
					    MPI_SUM);
	if (!error && all != active) {
		equant_message("loop %s: %ld units are owned, %ld are active", loop->name, all,
			       active);
		error = -EBADMSG;
	}
	if (!error)
		error = equant_units_assign(&loop->units, owner);
	if (!error && loop->pass->async->master)
		error = equant_master_meet(loop);
	loop->pass->async->met = !error;
	return error;
}

/* Nothing is left in a joined pass: until work comes, or nobody has any. */
static int idle(struct equant_loop *loop)
{
	struct equant_async *async = loop->pass->async;
	int error = 0;

	equant_pass_leave(loop);
	if (async->state != EQUANT_ASYNC_IDLE)
		error = equant_async_report(loop, EQUANT_ASYNC_IDLE, 0);
	if (!error)
		error = equant_async_await(loop);
	return error;
}

int equant_async_advance(struct equant_loop *loop)
{
	struct equant_pass *pass = loop->pass;
	int error = equant_async_look(loop);

	while (error >= 0) {
		error = equant_replay_transfers(loop);
		if (error)
			break;
		if (pass->until <= 0) {
			equant_pass_leave(loop);
			error = report_due(loop);
			if (error)
				break;
		}
		pass->strip = next_strip(loop);
		if (pass->strip)
			return 1;
		error = equant_replay_pass_over(loop);
		if (error)
			break;
		if (!pass->joined)
			return 0;
		error = idle(loop);
		if (!error && pass->async->over)
			return meet(loop);
	}
	return error;
}

/* After a wait that has failed messages may never be received. */
static void part(struct equant_loop *loop, int gone)
{
	if (gone)
		equant_mover_give_up(&loop->mover, PATIENCE);
	equant_outbox_release(&loop->pass->async->outbox, gone ? PATIENCE : 0);
}

/* The others meet at the end of a joined pass, even if this rank has failed since it had nothing left. */
static int await_end(struct equant_loop *loop)
{
	struct equant_async *async = loop->pass->async;

	if (async->over == EQUANT_ASYNC_PASS_OVER)
		return meet(loop);
	if (async->state != EQUANT_ASYNC_CLOSED)
		return equant_async_report(loop, EQUANT_ASYNC_CLOSED, 0);
	return equant_async_await(loop);
}

/*
 * Also of a loop that has failed: a rank leaves when rank 0 has heard that all have closed it and
 * nothing is under way.  A message that nobody received would come to the next loop.
 */
int equant_async_end(struct equant_loop *loop)
{
	struct equant_async *async = loop->pass->async;
	int error = 0, failed = loop->error;

	if (!async->done || loop->ended)
		return 0;
	loop->ended = 1;
	async->heard_ns = equant_now_ns();
	/* Others may wait for this rank where all meet. */
	if (loop->error)
		equant_loop_abort(loop);
	/* Without memory something is still to be told to others; they wait for it. */
	while (async->over != EQUANT_ASYNC_LOOP_OVER && !loop->eq->lost &&
	       (!error || error == async->failure || error == async->refused || error == -ENOMEM)) {
		failed = failed ? failed : error;
		async->refused = 0;
		error = await_end(loop);
	}
	failed = failed ? failed : error;
	part(loop, async->over != EQUANT_ASYNC_LOOP_OVER);
	if (!failed && !async->met && equant_async_left(loop)) {
		equant_message(
			"loop %s, rank %d: units are behind: the last pass must be joined (equant_pass_join())",
			loop->name, loop->rank);
		return -EPROTO;
	}
	return failed;
}
