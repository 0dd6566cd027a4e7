// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The slices around a rank's blocks of units: copies of what its neighbours own
 * (Siegell 1995, sections 3.3 and 6.4.1).  Everybody knows what everybody owns, so both
 * sides of each message follow from the table, in the same order.
 */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>

#include "control/node.h"
#include "control/send.h"
#include "control/wait.h"
#include "core/message.h"
#include "core/mpi_error.h"
#include "loop/loop_internal.h"

#define OUTGOING -1
#define GIVE_UP 0.1 /* seconds */
#define LONGEST ((size_t)4 << 20) /* more than sockets hold, which MPI would copy first */

static int make_room(struct equant_ghosts *g)
{
	int room = g->room ? 2 * g->room : 16;
	MPI_Request *requests;
	MPI_Status *statuses;
	int *bytes, *peers;

	if (g->n < g->room)
		return 0;
	requests = realloc(g->requests, (size_t)room * sizeof(*requests));
	g->requests = requests ? requests : g->requests;
	statuses = realloc(g->statuses, (size_t)room * sizeof(*statuses));
	g->statuses = statuses ? statuses : g->statuses;
	bytes = realloc(g->bytes, (size_t)room * sizeof(*bytes));
	g->bytes = bytes ? bytes : g->bytes;
	peers = realloc(g->peers, (size_t)room * sizeof(*peers));
	g->peers = peers ? peers : g->peers;
	if (!requests || !statuses || !bytes || !peers)
		return -ENOMEM;
	g->room = room;
	return 0;
}

void equant_ghosts_release(struct equant_ghosts *g)
{
	free(g->requests);
	free(g->statuses);
	free(g->bytes);
	free(g->peers);
}

static int post_piece(struct equant_loop *loop, char *piece, int bytes, int peer, int incoming)
{
	struct equant_ghosts *g = &loop->ghosts;
	MPI_Request *request;
	int code;

	if (make_room(g))
		return -ENOMEM;
	g->bytes[g->n] = incoming ? bytes : OUTGOING;
	g->peers[g->n] = peer;
	request = &g->requests[g->n++];
	*request = MPI_REQUEST_NULL;
	if (incoming)
		code = MPI_Irecv(piece, bytes, MPI_BYTE, peer, EQUANT_TAG_GHOST, loop->comm,
				 request);
	else
		code = equant_send(&loop->eq->waiter, piece, bytes, MPI_BYTE, peer,
				   EQUANT_TAG_GHOST, loop->comm, request);
	return equant_mpi_error(code, "exchanging boundaries");
}

void equant_ghosts_agreed(struct equant_loop *loop)
{
	loop->ghosts.agreed = 1;
	loop->ghosts.layout = equant_slices_layout(&loop->slices);
}

/* What has been registered since, not all ranks need have. */
static bool are_agreed(const struct equant_loop *loop)
{
	return loop->ghosts.agreed && loop->ghosts.layout == equant_slices_layout(&loop->slices);
}

/* What is on its way to another node should get there while both ends compute. */
static size_t piece_of(const struct equant_loop *loop, size_t slice, int peer)
{
	bool whole = equant_node_has(loop->eq->node, peer) || slice > LONGEST || !are_agreed(loop);

	return whole ? slice : EQUANT_SEND_PROMPT;
}

static int post(struct equant_loop *loop, const struct equant_array *array, long unit, int peer,
		int incoming)
{
	char *slice = incoming ? equant_array_place(array, unit) : equant_array_slice(array, unit);
	size_t piece = piece_of(loop, array->slice, peer);
	int error = slice ? 0 : -ENOMEM;

	for (size_t at = 0; at < array->slice && !error; at += piece) {
		size_t left = array->slice - at;

		error = post_piece(loop, slice + at, (int)(left < piece ? left : piece), peer,
				   incoming);
	}
	return error;
}

/* @rank wants a copy of the unit. */
static int copy(struct equant_loop *loop, long unit, int rank)
{
	int owner = equant_units_owner(&loop->units, unit), error = 0;

	if (owner == rank || (loop->rank != owner && loop->rank != rank))
		return 0;
	for (int i = 0; i < loop->slices.nr_arrays && !error; i++)
		error = post(loop, &loop->slices.arrays[i], unit,
			     loop->rank == owner ? rank : owner, loop->rank == rank);
	return error;
}

static long most(long a, long b)
{
	return a > b ? a : b;
}

/* Where two ranges are close what lies between is wanted by both, and comes once. */
static int surround(struct equant_loop *loop, int rank, long below, long above)
{
	const struct equant_runs *own = &loop->units.owned[rank];
	long next = 0, units = loop->units.units;
	int error = 0;

	for (int i = 0; i < own->n; i++) {
		const struct equant_range *r = &own->ranges[i];
		long end = r->first + r->count;
		long last = above < units - end ? end + above : units;

		for (next = most(next, r->first - below); next < r->first && !error; next++)
			error = copy(loop, next, rank);
		for (next = most(next, end); next < last && !error; next++)
			error = copy(loop, next, rank);
	}
	return error;
}

static int post_all(struct equant_loop *loop, long below, long above)
{
	int error = 0;

	for (int r = 0; r < loop->ranks && !error; r++)
		error = surround(loop, r, below, above);
	return error;
}

static int refuse(const struct equant_loop *loop, const char *function, const char *fault)
{
	equant_message("loop %s, rank %d: equant_loop_%s: %s", loop->name, loop->rank, function,
		       fault);
	return -EINVAL;
}

static int check(const struct equant_loop *loop, long below, long above)
{
	if (below < 0 || above < 0)
		return refuse(loop, "ghosts_start", "a negative width");
	if (loop->ghosts.under_way)
		return refuse(loop, "ghosts_start", "the last exchange is not finished");
	if (equant_async_forbids(loop, "equant_loop_ghosts_start"))
		return -EINVAL;
	for (int i = 0; i < loop->slices.nr_arrays; i++)
		if (loop->slices.arrays[i].slice > INT_MAX)
			return refuse(loop, "ghosts_start", "slices of more than 2 GiB");
	return 0;
}

static uint64_t widths(long below, long above)
{
	return equant_mix((uint64_t)below) + (uint64_t)above;
}

/* Others wait for what a rank that stops in the middle has not sent. */
static int start(struct equant_loop *loop, long below, long above)
{
	int error;

	loop->ghosts.under_way = 1;
	loop->ghosts.hooks = equant_loop_hooks(loop);
	equant_slices_forget(&loop->slices, &(struct equant_range){ 0, loop->units.units });
	error = post_all(loop, below, above);
	return error ? equant_loop_stop(loop, error) : 0;
}

int equant_loop_ghosts_start(struct equant_loop *loop, long below, long above)
{
	uint64_t waiting = loop->waiting_ns;
	int error = check(loop, below, above);

	/* Nobody is to wait for pieces of slices that are shorter elsewhere. */
	if (are_agreed(loop))
		error = equant_check_call(loop, EQUANT_AT_GHOSTS, widths(below, above), error);
	else
		error = equant_check_always(loop, EQUANT_AT_GHOSTS, widths(below, above), error);
	/* Who comes late keeps the program waiting, not its balancing. */
	loop->waiting_ns = waiting;
	if (error)
		return error;
	equant_ghosts_agreed(loop);
	/* All copies in tables are renewed, also those that are there for good. */
	if (equant_slices_tables(&loop->slices)) {
		below = most(below, loop->below);
		above = most(above, loop->above);
	}
	return start(loop, below, above);
}

/* Neighbours that follow units may come before anybody has compared what was registered since. */
static int check_sizes(const struct equant_loop *loop)
{
	const struct equant_ghosts *g = &loop->ghosts;
	int got = 0;

	for (int i = 0; i < g->n; i++) {
		if (g->bytes[i] == OUTGOING)
			continue;
		MPI_Get_count(&g->statuses[i], MPI_BYTE, &got);
		if (got == g->bytes[i])
			continue;
		equant_message(
			"loop %s, rank %d: rank %d has sent %d bytes of a boundary slice, not %d: were the same arrays registered?",
			loop->name, loop->rank, g->statuses[i].MPI_SOURCE, got, g->bytes[i]);
		return -EPROTO;
	}
	return 0;
}

static void say_missing(const struct equant_waited_on *on, double seconds)
{
	const struct equant_loop *loop = on->of;
	const struct equant_ghosts *g = &loop->ghosts;
	int rank = equant_first_missing(g->requests, g->peers, g->n);

	/* The last may just have come. */
	if (rank >= 0)
		equant_message(
			"loop %s, rank %d: rank %d has not come to exchange boundaries within %g s",
			loop->name, loop->rank, rank, seconds);
}

static int await(struct equant_loop *loop, double timeout)
{
	struct equant_ghosts *g = &loop->ghosts;
	struct equant_waited_on on = { .say = say_missing, .of = loop };
	uint64_t waited = 0;
	int error;

	if (!g->n)
		return 0;
	equant_waited_on_begin(&loop->eq->waiter, &on);
	error = equant_wait_requests(&loop->eq->waiter, g->requests, g->n, g->statuses, timeout,
				     &waited);
	equant_waited_on_end(&loop->eq->waiter);
	/* Long messages end for their senders when they have been taken. */
	equant_node_ring(loop->eq->node, -1);
	return error;
}

/* After a move, in which another rank may have stopped. */
static int await_with_moves(struct equant_loop *loop)
{
	struct equant_ghosts *g = &loop->ghosts;
	struct equant_waited_on on = { .say = say_missing, .of = loop };
	int error;

	if (!g->n)
		return 0;
	error = equant_mover_await(&loop->mover, &on, g->requests, g->n, g->statuses);
	equant_node_ring(loop->eq->node, -1);
	return error;
}

/* A rank that has failed, or in checked mode does not come, sends nothing more. */
static int await_all(struct equant_loop *loop)
{
	struct equant_ghosts *g = &loop->ghosts;
	struct equant_waited_on on = { .say = say_missing, .of = loop };
	int error = g->n ? equant_loop_await(loop, &on, g->requests, g->n, g->statuses) : 0;

	/* Long messages end for their senders when they have been taken. */
	equant_node_ring(loop->eq->node, -1);
	if (error != -ETIMEDOUT && error != -ECANCELED)
		return error;
	equant_requests_drop(g->requests, g->n);
	return equant_loop_fail(loop, error);
}

static void end(struct equant_ghosts *g)
{
	g->n = 0;
	g->under_way = 0;
}

int equant_loop_ghosts_finish(struct equant_loop *loop)
{
	struct equant_ghosts *g = &loop->ghosts;
	int error;

	if (!g->under_way)
		return refuse(loop, "ghosts_finish", "no exchange is under way");
	loop->eq->meetings++;
	error = await_all(loop);
	/* Are they what they should be?  Requests that are complete tell so once only. */
	if (!error)
		error = check_sizes(loop);
	end(g);
	if (!error && g->hooks != equant_loop_hooks(loop))
		return refuse(loop, "ghosts_finish", "equant_hook() was called since the start");
	return error;
}

/* What is on its way is taken if it comes within that time, seconds; a peer may be gone. */
static void give_up(struct equant_loop *loop, double patience)
{
	struct equant_ghosts *g = &loop->ghosts;

	if (await(loop, patience) == -ETIMEDOUT)
		equant_requests_drop(g->requests, g->n);
	end(g);
}

/* Everybody has begun it. */
void equant_ghosts_give_up(struct equant_loop *loop)
{
	give_up(loop, loop->eq->options.timeout);
}

/*
 * Also after an error of the moves that others do not know of: they wait for these slices.  They have been
 * told of one that broke off the moves.
 */
int equant_neighbours_follow(struct equant_loop *loop)
{
	int error;

	if (!loop->below && !loop->above)
		return 0;
	if (loop->mover.broken)
		equant_loop_abort(loop);
	error = loop->aborted ? -ECANCELED : check(loop, loop->below, loop->above);
	error = equant_check_call(loop, EQUANT_AT_GHOSTS, widths(loop->below, loop->above), error);
	if (!error)
		error = start(loop, loop->below, loop->above);
	if (!error)
		error = await_with_moves(loop);
	if (!error)
		error = check_sizes(loop);
	give_up(loop, GIVE_UP);
	return error;
}

int equant_loop_neighbours(struct equant_loop *loop, long below, long above)
{
	const struct equant_options *o = &loop->eq->options;
	int error;

	/* Whoever gets units then does not know who has those around them. */
	if (o->balance && o->mode && (below || above))
		return refuse(loop, "neighbours",
			      "in asynchronous mode they cannot follow units that move");
	/* Seldom, and no rank can go on without the others: all hear of one that refuses. */
	error = equant_check_always(loop, EQUANT_AT_NEIGHBOURS, widths(below, above),
				    check(loop, below, above));
	if (!error) {
		equant_ghosts_agreed(loop);
		error = start(loop, below, above);
	}
	if (!error)
		error = equant_loop_ghosts_finish(loop);
	if (!error) {
		loop->below = below;
		loop->above = above;
	}
	return error;
}
