// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The messages of a pipeline (Siegell 1995, sections 3.2 and 3.3): strips of the unit at the
 * upper end of a rank's block to the rank after it, old values of the unit at the lower
 * end to the rank before it.  A message carries the values of all pipelined arrays, from
 * and to the application's memory.  Strips for a rank of the same node go through a channel (channel.c).
 *
 * Strips go to the next rank in ascending order, and each exactly once, so that none needs
 * a header: both sides know from the table of units which one comes next.  Before the
 * table changes everything under way is completed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "control/node.h"
#include "control/send.h"
#include "core/clock.h"
#include "core/message.h"
#include "core/mpi_error.h"
#include "loop/loop_internal.h"

#define NSEC_LOOK ((uint64_t)(1e9 * EQUANT_LOOK))
#define SENDS 64 /* before the first look at which are complete */

/* ---- waiting ------------------------------------------------------------------- */

/* Has another rank given up on the loop? */
static int look(struct equant_loop *loop)
{
	int rank, error = equant_aborted(loop->comm, &rank);

	if (error == -ECANCELED)
		equant_message("loop %s, rank %d: rank %d has failed in a sweep", loop->name,
			       loop->rank, rank);
	return error;
}

static void say_missing(const struct equant_waited_on *on, double seconds)
{
	const struct equant_loop *loop = on->of;

	equant_message(
		"loop %s, rank %d: rank %d, or one that it waits for, has not gone on with a sweep within %g s; does every rank call equant_loop_sweep() equally often?",
		loop->name, loop->rank, on->rank, seconds);
}

/* ... before a sweep; on->rank is found when it is asked for */
struct gathering {
	struct equant_waited_on on;
	const struct equant_exchange *x;
};

static void say_absent(const struct equant_waited_on *on, double seconds)
{
	const struct gathering *g = (const struct gathering *)on;
	const struct equant_loop *loop = on->of;
	int itself, rank = equant_exchange_awaited(g->x, &itself);

	equant_message(
		"loop %s, rank %d: rank %d%s has not come to sweep %ld within %g s; does every rank call equant_loop_sweep() equally often?",
		loop->name, loop->rank, rank, itself ? "" : ", or a rank that it waits for,",
		loop->pipeline->sweeps, seconds);
}

/* A wait has lasted for EQUANT_LOOK seconds more. */
static int go_on_waiting(struct equant_loop *loop, uint64_t since_ns)
{
	double timeout = loop->eq->waiter.limit;
	int error = look(loop);

	if (error || !timeout || 1e-9 * (double)(loop->pipeline->waited_ns - since_ns) <= timeout)
		return error;
	equant_waited_on_give_up(&loop->eq->waiter);
	return -ETIMEDOUT;
}

int equant_pipeline_wait(struct equant_loop *loop, int peer, MPI_Request *requests, int n)
{
	struct equant_waited_on on = { .say = say_missing, .of = loop, .rank = peer };
	struct equant_pipeline *p = loop->pipeline;
	uint64_t since_ns = p->waited_ns;
	int error, over = 0;

	equant_waited_on_begin(&loop->eq->waiter, &on);
	do {
		error = equant_wait_requests(&loop->eq->waiter, requests, n, MPI_STATUSES_IGNORE,
					     EQUANT_LOOK, &p->waited_ns);
		over = error != -ETIMEDOUT;
		if (!over)
			error = go_on_waiting(loop, since_ns);
	} while (!over && !error);
	equant_waited_on_end(&loop->eq->waiter);
	return error;
}

int equant_pipeline_wait_exchange(struct equant_loop *loop, struct equant_exchange *x)
{
	struct gathering g = { .on = { .say = say_absent, .of = loop }, .x = x };
	struct equant_pipeline *p = loop->pipeline;
	uint64_t since_ns = p->waited_ns;
	int error, over = 0;

	equant_waited_on_begin(&loop->eq->waiter, &g.on);
	do {
		error = equant_exchange_finish(x, EQUANT_LOOK, &p->waited_ns);
		over = error != -ETIMEDOUT;
		if (!over)
			error = go_on_waiting(loop, since_ns);
	} while (!over && !error);
	equant_waited_on_end(&loop->eq->waiter);
	return error;
}

static int drop_complete(struct equant_pipeline *p)
{
	int kept = 0, done, error, failed = 0;

	for (int i = 0; i < p->nr_sends; i++) {
		error = equant_mpi_error(MPI_Test(&p->sends[i], &done, MPI_STATUS_IGNORE),
					 "sending a strip");
		if (error)
			failed = error;
		if (p->sends[i] != MPI_REQUEST_NULL)
			p->sends[kept++] = p->sends[i];
	}
	p->nr_sends = kept;
	return failed;
}

static long iteration_of(const struct equant_pipeline *p, long strip)
{
	return strip < p->strips ? strip * p->block : p->length;
}

/* ---- on this node -------------------------------------------------------------- */

/* Until the channel has bytes, or room for them.  MPI meanwhile goes on with messages of ours. */
static int await_channel(struct equant_loop *loop, int peer,
			 int (*is_so)(const struct equant_channel *channel, size_t bytes),
			 size_t bytes)
{
	struct equant_pipeline *p = loop->pipeline;
	struct equant_waiter *waiter = &loop->eq->waiter;
	struct equant_waited_on on = { .say = say_missing, .of = loop, .rank = peer };
	struct equant_patience patience = { 0 };
	uint64_t since_ns = p->waited_ns, waited = 0, next = NSEC_LOOK;
	int error = 0;

	equant_waited_on_begin(waiter, &on);
	while (!error) {
		equant_patience_listen(waiter, &patience);
		if (is_so(&p->channel, bytes))
			break;
		error = look(loop);
		waited = equant_patience_pause(waiter, &patience);
		p->waited_ns = since_ns + waited;
		if (error || waited < next)
			continue;
		next = waited + NSEC_LOOK;
		error = go_on_waiting(loop, since_ns);
		if (!error)
			error = equant_node_check(waiter->node);
	}
	equant_patience_end(waiter, &patience);
	equant_waited_on_end(waiter);
	return error;
}

static size_t bytes_of(const struct equant_carried *c, long iterations)
{
	return (size_t)iterations * c->step;
}

static size_t bytes_of_all(const struct equant_pipeline *p, long iterations)
{
	size_t bytes = 0;

	for (int i = 0; i < p->nr_carried; i++)
		bytes += bytes_of(&p->carried[i], iterations);
	return bytes;
}

static char *piece_of(const struct equant_carried *c, char *slice, long iteration)
{
	return slice + c->offset + bytes_of(c, iteration);
}

static int write_strips(struct equant_loop *loop, int rank, long unit, long from, long to)
{
	struct equant_pipeline *p = loop->pipeline;
	long first = iteration_of(p, from), count = iteration_of(p, to) - first;
	size_t bytes = bytes_of_all(p, count);
	int error = 0;

	/* MPI has to be called for what it could not send at once. */
	if (p->nr_sends)
		error = drop_complete(p);
	if (!error && !equant_channel_room(&p->channel, bytes))
		error = await_channel(loop, rank, equant_channel_room, bytes);
	if (error)
		return error;
	for (int i = 0; i < p->nr_carried; i++) {
		const struct equant_carried *c = &p->carried[i];
		char *slice = equant_array_slice(&loop->slices.arrays[c->array], unit);

		equant_channel_put(&p->channel, piece_of(c, slice, first), bytes_of(c, count));
	}
	equant_channel_ring(loop, rank);
	return 0;
}

/* To the copies of the unit that this rank has. */
static int read_strips(struct equant_loop *loop, long unit, long from, long to)
{
	struct equant_pipeline *p = loop->pipeline;
	long first = iteration_of(p, from), count = iteration_of(p, to) - first;
	size_t bytes = bytes_of_all(p, count);
	int error = p->nr_sends ? drop_complete(p) : 0;

	if (!error && !equant_channel_has(&p->channel, bytes))
		error = await_channel(loop, p->left, equant_channel_has, bytes);
	for (int i = 0; i < p->nr_carried && !error; i++) {
		const struct equant_carried *c = &p->carried[i];
		char *place = equant_array_place(&loop->slices.arrays[c->array], unit);

		if (place)
			equant_channel_get(&p->channel, piece_of(c, place, first),
					   bytes_of(c, count));
		else
			error = -ENOMEM;
	}
	return error;
}

int equant_strips_swap(struct equant_loop *loop, int rank, double *seconds)
{
	struct equant_channel *channel = &loop->pipeline->channel;
	uint64_t start_ns = equant_now_ns(), word = 0;
	int error = 0;

	equant_channel_address(channel);
	equant_channel_put(channel, &word, sizeof(word));
	equant_channel_ring(loop, rank);
	if (!equant_channel_has(channel, sizeof(word)))
		error = await_channel(loop, rank, equant_channel_has, sizeof(word));
	if (error)
		return error;
	equant_channel_get(channel, &word, sizeof(word));
	*seconds = 1e-9 * (double)(equant_now_ns() - start_ns);
	return 0;
}

/* ---- messages ------------------------------------------------------------------ */

/**
 * struct letter - the memory of a message
 * @type: MPI_BYTE, or a datatype of the letter's own
 */
struct letter {
	void *at;
	int count;
	MPI_Datatype type;
};

/* Piece @i of a letter, the first one first. */
static void letter_add(struct equant_pipeline *p, struct letter *letter, int i, char *at,
		       size_t bytes)
{
	if (!i)
		*letter = (struct letter){ at, (int)bytes, MPI_BYTE };
	p->lengths[i] = (int)bytes;
	MPI_Get_address(at, &p->places[i]);
}

/* All pieces are there.  To make a datatype costs as much as a message: for one piece there is none. */
static int letter_close(struct equant_pipeline *p, struct letter *letter)
{
	int code;

	if (p->nr_carried == 1)
		return 0;
	letter->at = MPI_BOTTOM;
	letter->count = 1;
	code = MPI_Type_create_hindexed(p->nr_carried, p->lengths, p->places, MPI_BYTE,
					&letter->type);
	if (code == MPI_SUCCESS)
		code = MPI_Type_commit(&letter->type);
	return equant_mpi_error(code, "describing a strip");
}

static void letter_free(struct letter *letter)
{
	if (letter->type != MPI_BYTE)
		MPI_Type_free(&letter->type);
}

/* The strips' pieces in the slices of a unit, which is this rank's own or is to be copied. */
static int letter_of_strips(struct equant_loop *loop, long unit, int copied, long from, long to,
			    struct letter *letter)
{
	struct equant_pipeline *p = loop->pipeline;
	long first = iteration_of(p, from), count = iteration_of(p, to) - first;

	for (int i = 0; i < p->nr_carried; i++) {
		const struct equant_carried *c = &p->carried[i];
		const struct equant_array *array = &loop->slices.arrays[c->array];
		char *slice = copied ? equant_array_place(array, unit) :
				       equant_array_slice(array, unit);

		if (!slice)
			return -ENOMEM;
		letter_add(p, letter, i, slice + c->offset + (size_t)first * c->step,
			   (size_t)count * c->step);
	}
	return letter_close(p, letter);
}

/* Where the next send's request goes. */
static int room_for_send(struct equant_pipeline *p)
{
	MPI_Request *grown;
	int room, error;

	if (p->nr_sends < p->sends_room)
		return 0;
	error = drop_complete(p);
	if (error || p->nr_sends < p->sends_room / 2)
		return error;
	room = p->sends_room ? 2 * p->sends_room : SENDS;
	grown = realloc(p->sends, (size_t)room * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	p->sends = grown;
	p->sends_room = room;
	return 0;
}

/*
 * What finds no room on its way waits in MPI, which hands it on when it is called next.  A rank that has all it
 * needs calls nothing else in a sweep, and the ranks after it would stand still until it is through.
 */
static int hand_on(struct equant_pipeline *p)
{
	int done = 0, error;

	error = equant_mpi_error(MPI_Test(&p->sends[p->nr_sends], &done, MPI_STATUS_IGNORE),
				 "sending a strip");
	if (!error && !done)
		p->nr_sends++;
	return error;
}

static int send(struct equant_loop *loop, int rank, int tag, struct letter *letter)
{
	struct equant_pipeline *p = loop->pipeline;
	int error = room_for_send(p);

	if (!error)
		error = equant_mpi_error(equant_send(&loop->eq->waiter, letter->at, letter->count,
						     letter->type, rank, tag, loop->comm,
						     &p->sends[p->nr_sends]),
					 "sending a strip");
	letter_free(letter);
	return error ? error : hand_on(p);
}

static int post(struct equant_loop *loop, int rank, int tag, struct letter *letter,
		MPI_Request *request)
{
	int error = equant_mpi_error(MPI_Irecv(letter->at, letter->count, letter->type, rank, tag,
					       loop->comm, request),
				     "receiving a strip");

	letter_free(letter);
	return error;
}

int equant_strips_send(struct equant_loop *loop, int rank, long unit, long from, long to)
{
	struct letter letter;
	int error;

	if (equant_channel_reaches(loop, rank))
		return write_strips(loop, rank, unit, from, to);
	error = letter_of_strips(loop, unit, 0, from, to, &letter);
	return error ? error : send(loop, rank, EQUANT_TAG_STRIP, &letter);
}

static int post_strips(struct equant_loop *loop, long unit, long from, long to,
		       MPI_Request *request)
{
	struct letter letter;
	int error = letter_of_strips(loop, unit, 1, from, to, &letter);

	return error ? error : post(loop, loop->pipeline->left, EQUANT_TAG_STRIP, &letter, request);
}

/* ---- from the rank before -------------------------------------------------------- */

static long first_unit(const struct equant_loop *loop)
{
	return loop->pipeline->blocks[loop->rank].first;
}

/* Strips of the unit before this rank's that its owner has sent by the end of this phase. */
static long sent_by_left(const struct equant_loop *loop)
{
	const struct equant_pipeline *p = loop->pipeline;
	long due = equant_strips_due(p, p->left), done = p->done[first_unit(loop) - 1];

	return due > done ? due : done;
}

int equant_strips_expect(struct equant_loop *loop)
{
	struct equant_pipeline *p = loop->pipeline;
	int error = 0;

	if (p->left < 0 || p->channel.in)
		return 0;
	while (!error && p->posted < sent_by_left(loop) &&
	       p->posted < p->arrived + EQUANT_STRIPS_AHEAD) {
		error = post_strips(loop, first_unit(loop) - 1, p->posted, p->posted + 1,
				    &p->receives[p->posted % EQUANT_STRIPS_AHEAD]);
		p->posted += !error;
	}
	return error;
}

int equant_strips_owe(struct equant_loop *loop, long strips)
{
	struct equant_pipeline *p = loop->pipeline;

	if (!p->channel.in)
		return post_strips(loop, first_unit(loop) - 1, 0, strips, &p->earlier);
	p->owed = strips;
	return 0;
}

static int take_strips(struct equant_loop *loop, long strip)
{
	struct equant_pipeline *p = loop->pipeline;
	long unit = first_unit(loop) - 1;
	int error = p->owed ? read_strips(loop, unit, 0, p->owed) : 0;

	p->owed = 0;
	while (!error && p->arrived <= strip) {
		error = read_strips(loop, unit, p->arrived, p->arrived + 1);
		p->arrived += !error;
	}
	return error;
}

int equant_strips_await(struct equant_loop *loop, long strip)
{
	struct equant_pipeline *p = loop->pipeline;
	int error = 0;

	if (p->left < 0)
		return 0;
	if (p->channel.in)
		return take_strips(loop, strip);
	if (p->earlier != MPI_REQUEST_NULL)
		error = equant_pipeline_wait(loop, p->left, &p->earlier, 1);
	while (!error && p->arrived <= strip) {
		error = equant_strips_expect(loop);
		if (!error)
			error = equant_pipeline_wait(
				loop, p->left, &p->receives[p->arrived % EQUANT_STRIPS_AHEAD], 1);
		p->arrived += !error;
	}
	return error;
}

/* ---- from the rank after ---------------------------------------------------------- */

/* A copy, because this rank is about to compute new values. */
static int letter_of_copy(struct equant_loop *loop, long unit, long from, struct letter *letter)
{
	struct equant_pipeline *p = loop->pipeline;
	long first = iteration_of(p, from);
	char *at = p->copy;

	for (int i = 0; i < p->nr_carried; i++) {
		const struct equant_carried *c = &p->carried[i];
		size_t bytes = (size_t)(p->length - first) * c->step;

		memcpy(at,
		       equant_array_slice(&loop->slices.arrays[c->array], unit) + c->offset +
			       (size_t)first * c->step,
		       bytes);
		letter_add(p, letter, i, at, bytes);
		at += bytes;
	}
	return letter_close(p, letter);
}

int equant_above_send(struct equant_loop *loop, long unit, long from)
{
	struct equant_pipeline *p = loop->pipeline;
	struct letter letter;
	int error = letter_of_copy(loop, unit, from, &letter);

	return error ? error : send(loop, p->left, EQUANT_TAG_ABOVE, &letter);
}

int equant_above_post(struct equant_loop *loop, long unit, long from)
{
	struct equant_pipeline *p = loop->pipeline;
	struct letter letter;
	int error = letter_of_strips(loop, unit, 1, from, p->strips, &letter);

	return error ? error : post(loop, p->right, EQUANT_TAG_ABOVE, &letter, &p->above);
}

int equant_above_await(struct equant_loop *loop)
{
	struct equant_pipeline *p = loop->pipeline;

	return p->above == MPI_REQUEST_NULL ? 0 :
					      equant_pipeline_wait(loop, p->right, &p->above, 1);
}

/* ---- all together ------------------------------------------------------------------ */

/*
 * Everybody has come to the end of the same phase, or will without this rank's help: what is
 * waited for has been sent.
 */
int equant_strips_settle(struct equant_loop *loop)
{
	struct equant_pipeline *p = loop->pipeline;
	int error = 0;

	if (p->left >= 0)
		error = equant_strips_await(loop, sent_by_left(loop) - 1);
	if (!error)
		error = equant_above_await(loop);
	if (!error && p->nr_sends)
		error = equant_pipeline_wait(loop, p->right >= 0 ? p->right : p->left, p->sends,
					     p->nr_sends);
	if (!error)
		p->nr_sends = 0;
	return error;
}

int equant_strips_drain(struct equant_loop *loop)
{
	struct equant_channel *channel = &loop->pipeline->channel;

	return equant_channel_room(channel, channel->room) ?
		       0 :
		       await_channel(loop, loop->pipeline->right, equant_channel_room,
				     channel->room);
}

void equant_strips_abandon(struct equant_loop *loop)
{
	struct equant_pipeline *p = loop->pipeline;

	/* Short messages are gone by now; what is not may still be read from the copy. */
	if (equant_wait_requests(&loop->eq->waiter, p->sends, p->nr_sends, MPI_STATUSES_IGNORE,
				 EQUANT_LOOK, &p->waited_ns))
		p->copy = NULL;
	for (int i = 0; i < p->nr_sends; i++)
		equant_requests_drop(&p->sends[i], 1);
	p->nr_sends = 0;
	for (int i = 0; i < EQUANT_STRIPS_AHEAD; i++)
		equant_requests_drop(&p->receives[i], 1);
	equant_requests_drop(&p->earlier, 1);
	equant_requests_drop(&p->above, 1);
}
