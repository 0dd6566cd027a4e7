// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What a rank of an asynchronously balanced loop is told: units to give, units that come, the end.
 * Reports of the ranks below it come here, too.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "core/message.h"
#include "core/mpi_error.h"
#include "loop/loop_internal.h"

/* The ranges as a set. */
static int read_units(const struct equant_notice *notice, struct equant_runs *units)
{
	for (int i = 0; i < notice->nr_ranges; i++)
		if (equant_runs_add(units, notice->ranges[i]))
			return -ENOMEM;
	return 0;
}

static int transfer(struct equant_loop *loop, const struct equant_instruction *move,
		    const struct equant_runs *units, const struct equant_notice *notice)
{
	uint64_t start = equant_now_ns(), waited = loop->mover.waited_ns;
	int error;

	equant_record_transfer(loop, notice);
	error = equant_loop_move(loop, move, 1, units, notice->number);

	waited = loop->mover.waited_ns - waited;
	loop->moved_units += units->total;
	loop->moved_ns += equant_now_ns() - start - waited;
	loop->moving_ns += equant_now_ns() - start - waited;
	loop->waiting_ns += waited;
	equant_record_moves(loop, equant_now_ns() - start);
	loop->pass->at = 0;
	loop->pass->skip = 0;
	return error;
}

static int give(struct equant_loop *loop, const struct equant_notice *notice,
		const struct equant_runs *units)
{
	const struct equant_instruction move = { loop->rank, notice->peer, units->total };
	size_t size = sizeof(*notice) + (size_t)notice->nr_ranges * sizeof(notice->ranges[0]);
	struct equant_notice *announcement = malloc(size);
	int error;

	if (!announcement)
		return -ENOMEM;
	memcpy(announcement, notice, size);
	announcement->kind = EQUANT_NOTICE_TAKE;
	announcement->to = notice->peer;
	announcement->peer = loop->rank;
	error = equant_outbox_send(&loop->pass->async->outbox, notice->peer, EQUANT_TAG_NOTICE,
				   announcement, size);
	free(announcement);
	return error ? error : transfer(loop, &move, units, notice);
}

static int take(struct equant_loop *loop, const struct equant_notice *notice,
		const struct equant_runs *units)
{
	const struct equant_instruction move = { notice->peer, loop->rank, units->total };
	enum equant_async_state state = loop->pass->async->state;
	int error = equant_units_claim(&loop->units, notice->peer, units);

	if (!error) {
		error = transfer(loop, &move, units, notice);
		if (!loop->mover.broken && error != -ECANCELED && error != -ETIMEDOUT)
			loop->pass->async->refused = error;
	}
	if (error)
		return error;
	if (state == EQUANT_ASYNC_IDLE && equant_async_left(loop))
		state = EQUANT_ASYNC_COMPUTING;
	/* What is repeated rank 0 does not know of. */
	return equant_async_report(loop, state, loop->replay ? 0 : notice->number);
}

/* Of a rank that has not closed the loop it is the end, too, but for the last messages. */
static int fail(struct equant_loop *loop, const struct equant_notice *notice)
{
	loop->pass->async->failure = -notice->error;
	if (notice->error != ECANCELED)
		equant_message(
			"loop %s: rank %d has closed it, or has made or joined other passes than others",
			loop->name, notice->peer);
	else if (notice->peer != loop->rank)
		equant_message("loop %s: rank %d has failed", loop->name, notice->peer);
	return -notice->error;
}

int equant_async_transfer(struct equant_loop *loop, const struct equant_notice *notice)
{
	struct equant_runs units = { 0 };
	int error = read_units(notice, &units);

	if (!error && notice->kind == EQUANT_NOTICE_GIVE)
		error = give(loop, notice, &units);
	else if (!error)
		error = take(loop, notice, &units);
	equant_runs_release(&units);
	return error;
}

int equant_async_obey(struct equant_loop *loop, const struct equant_notice *notice)
{
	struct equant_async *async = loop->pass->async;

	if (notice->to >= 0 && notice->to != loop->rank)
		return 0;
	if (notice->kind == EQUANT_NOTICE_OVER)
		async->over = notice->number ? EQUANT_ASYNC_PASS_OVER : EQUANT_ASYNC_LOOP_OVER;
	if (notice->error)
		return fail(loop, notice);
	if (notice->kind == EQUANT_NOTICE_PERIOD)
		async->period = notice->period;
	if (notice->kind == EQUANT_NOTICE_TAKE && loop->replay)
		return equant_replay_announce(loop, notice);
	if (notice->kind == EQUANT_NOTICE_GIVE || notice->kind == EQUANT_NOTICE_TAKE)
		return equant_async_transfer(loop, notice);
	return 0;
}

/* ---- messages --------------------------------------------------------------- */

/* A message that has come, into @buffer. */
static int receive(struct equant_loop *loop, void *buffer, int size, const MPI_Status *status)
{
	MPI_Request request;
	int error = MPI_Irecv(buffer, size, MPI_BYTE, status->MPI_SOURCE, status->MPI_TAG,
			      loop->comm, &request);

	if (error != MPI_SUCCESS)
		return equant_mpi_error(error, "receiving a notice");
	return equant_wait_requests(&loop->eq->waiter, &request, 1, MPI_STATUSES_IGNORE, 0,
				    &loop->waiting_ns);
}

static int make_room(struct equant_async *async, size_t size)
{
	struct equant_notice *grown;

	if (size <= async->room)
		return 0;
	grown = realloc(async->notice, size);
	if (!grown)
		return -ENOMEM;
	async->notice = grown;
	async->room = size;
	return 0;
}

/* It is one, and to this rank, all ranks, or one below this one. */
static int is_sound(const struct equant_loop *loop, const struct equant_notice *notice, size_t size)
{
	int below = notice->to - loop->rank;

	return size >= sizeof(*notice) && notice->nr_ranges >= 0 &&
	       (size - sizeof(*notice)) / sizeof(notice->ranges[0]) == (size_t)notice->nr_ranges &&
	       (size - sizeof(*notice)) % sizeof(notice->ranges[0]) == 0 &&
	       (notice->to < 0 || (below >= 0 && below < loop->pass->async->relay.branch.size));
}

/* Nobody below hears of it later than it must, and where it could not be sent on, it is kept. */
static int pass_on(struct equant_loop *loop)
{
	struct equant_async *async = loop->pass->async;
	int error = equant_relay_down(loop, async->notice, async->kept);

	if (error)
		return error;
	async->kept = 0;
	return equant_async_obey(loop, async->notice);
}

static int take_notice(struct equant_loop *loop, const MPI_Status *status)
{
	struct equant_async *async = loop->pass->async;
	int size = 0, error;

	MPI_Get_count(status, MPI_BYTE, &size);
	error = make_room(async, (size_t)size);
	if (!error)
		error = receive(loop, async->notice, size, status);
	if (error)
		return error;
	if (!is_sound(loop, async->notice, (size_t)size)) {
		equant_message("loop %s, rank %d: a notice of %d bytes from rank %d is malformed",
			       loop->name, loop->rank, size, status->MPI_SOURCE);
		return -EBADMSG;
	}
	async->heard_ns = equant_now_ns();
	async->kept = (size_t)size;
	return pass_on(loop);
}

static int take_reports(struct equant_loop *loop, const MPI_Status *status)
{
	struct equant_relay *relay = &loop->pass->async->relay;
	const int each = (int)sizeof(relay->held[0]);
	int size = 0, error;

	MPI_Get_count(status, MPI_BYTE, &size);
	if (size % each) {
		equant_message("loop %s, rank %d: reports of %d bytes from rank %d are malformed",
			       loop->name, loop->rank, size, status->MPI_SOURCE);
		return -EBADMSG;
	}
	error = equant_relay_reserve(relay, size / each);
	if (!error)
		error = receive(loop, relay->held + relay->n, size, status);
	if (!error)
		error = equant_relay_take(loop, size / each);
	return error ? error : equant_relay_up(loop);
}

/* Takes in one message with this tag: 1, 0 if there is none, -errno. */
static int take_one(struct equant_loop *loop, int tag,
		    int (*take)(struct equant_loop *loop, const MPI_Status *status))
{
	MPI_Status status;
	int here = 0;
	int error = equant_mpi_error(MPI_Iprobe(MPI_ANY_SOURCE, tag, loop->comm, &here, &status),
				     "looking for notices");

	if (error || !here)
		return error;
	equant_pass_leave(loop);
	error = take(loop, &status);
	return error ? error : 1;
}

/* Everything that has come; 1 if that was something, 0, -errno. */
int equant_async_look(struct equant_loop *loop)
{
	struct equant_async *async = loop->pass->async;
	int hears = async->relay.branch.nr_children;
	int some = 0, one, error;

	error = equant_outbox_progress(&async->outbox);
	if (!error)
		error = equant_mover_progress(&loop->mover, 1e-9);
	if (!error)
		error = equant_relay_up(loop);
	if (!error && async->kept)
		error = pass_on(loop);
	if (error)
		return error;
	while ((one = take_one(loop, EQUANT_TAG_NOTICE, take_notice)) > 0)
		some = 1;
	while (hears && one >= 0 && (one = take_one(loop, EQUANT_TAG_UP, take_reports)) > 0)
		some = 1;
	if (one >= 0 && async->master && !async->over)
		one = equant_master_act(loop);
	return one < 0 ? one : some;
}

static int check_silence(struct equant_loop *loop)
{
	double silent = 1e-9 * (double)(equant_now_ns() - loop->pass->async->heard_ns);

	if (!loop->eq->options.check || loop->pass->async->master ||
	    silent < 2 * loop->eq->options.timeout)
		return 0;
	equant_message("loop %s, rank %d: nothing was heard of rank %d for %g s", loop->name,
		       loop->rank, loop->pass->async->relay.branch.parent, silent);
	return -ETIMEDOUT;
}

/* Rank 0 knows who is missing, the others only of whom they hear that it is over. */
static void say_missing(const struct equant_waited_on *on, double seconds)
{
	const struct equant_loop *loop = on->of;
	const struct equant_async *async = loop->pass->async;
	int rank = async->master ? equant_master_awaits(loop) : async->relay.branch.parent;

	if (rank >= 0)
		equant_message(
			"loop %s, rank %d: rank %d%s has not come to the end of pass %ld within %g s",
			loop->name, loop->rank, rank,
			async->master ? "" : ", or a rank that it waits for,", loop->pass->number,
			seconds);
}

/* A rank of which all have heard that it has given up on another one says no more. */
static int check_lost(struct equant_loop *loop, uint64_t waited, uint64_t *next)
{
	struct equant *eq = loop->eq;

	if (waited < *next)
		return 0;
	*next = waited + (uint64_t)(1e9 * EQUANT_LOOK);
	return equant_lose(eq, equant_hears(&eq->waiter, 0));
}

/* Until something comes or the pass is over; gives up the CPU. */
static int await_notice(struct equant_loop *loop)
{
	struct equant_waiter *waiter = &loop->eq->waiter;
	struct equant_patience p = { 0 };
	uint64_t look = 0;
	int some = 0;

	while (!some && !loop->pass->async->over) {
		equant_patience_listen(waiter, &p);
		some = equant_async_look(loop);
		if (some || loop->pass->async->over)
			break;
		some = check_lost(loop, equant_patience_pause(waiter, &p), &look);
		if (!some)
			some = check_silence(loop);
	}
	equant_patience_end(waiter, &p);
	if (p.start_ns)
		loop->waiting_ns += equant_now_ns() - p.start_ns;
	return some < 0 ? some : 0;
}

int equant_async_await(struct equant_loop *loop)
{
	struct equant_waited_on on = { .say = say_missing, .of = loop };
	int error;

	loop->eq->waiter.call = loop->ended ? "equant_loop_free()" : "equant_pass_end()";
	equant_waited_on_begin(&loop->eq->waiter, &on);
	error = await_notice(loop);
	equant_waited_on_end(&loop->eq->waiter);
	return error;
}
