// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The messages of a pipeline (Siegell 1995, sections 3.2 and 3.3): strips of the unit at the
 * upper end of a rank's block to the rank after it, old values of the unit at the lower
 * end to the rank before it.  A message carries the values of all pipelined arrays, from
 * and to the application's memory.
 *
 * Strips go to the next rank in ascending order, and each exactly once, so that none needs
 * a header: both sides know from the table of units which one comes next.  Before the
 * table changes everything under way is completed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "control/send.h"
#include "core/message.h"
#include "core/mpi_error.h"
#include "loop/loop_internal.h"

#define LOOK 0.1 /* seconds of waiting between two looks at whether a rank has given up */
#define SENDS 64 /* before the first look at which are complete */

/* ---- waiting ------------------------------------------------------------------- */

/* Has another rank given up on the loop? */
static int look(struct equant_loop *loop)
{
	MPI_Status status;
	int there, error;

	error = equant_mpi_error(MPI_Iprobe(MPI_ANY_SOURCE, EQUANT_TAG_ABORT, loop->comm, &there,
					    &status),
				 "looking for failed ranks");
	if (error || !there)
		return error;
	equant_message("loop %s, rank %d: rank %d has failed in a sweep", loop->name, loop->rank,
		       status.MPI_SOURCE);
	return -ECANCELED;
}

/* A wait has lasted for LOOK seconds more. */
static int go_on_waiting(struct equant_loop *loop, uint64_t since_ns)
{
	double timeout = loop->eq->options.check ? loop->eq->options.timeout : 0;
	int error = look(loop);

	if (error || !timeout || 1e-9 * (double)(loop->pipeline->waited_ns - since_ns) <= timeout)
		return error;
	equant_message(
		"loop %s, rank %d: nothing has come from the other ranks of a sweep within %g s; does every rank call equant_loop_sweep() equally often?",
		loop->name, loop->rank, timeout);
	return -ETIMEDOUT;
}

int equant_pipeline_wait(struct equant_loop *loop, MPI_Request *requests, int n)
{
	struct equant_pipeline *p = loop->pipeline;
	uint64_t since_ns = p->waited_ns;
	int error;

	do {
		error = equant_wait_requests(&loop->eq->waiter, requests, n, MPI_STATUSES_IGNORE,
					     LOOK, &p->waited_ns);
		if (error != -ETIMEDOUT)
			return error;
		error = go_on_waiting(loop, since_ns);
	} while (!error);
	return error;
}

int equant_pipeline_wait_exchange(struct equant_loop *loop, struct equant_exchange *x)
{
	struct equant_pipeline *p = loop->pipeline;
	uint64_t since_ns = p->waited_ns;
	int error;

	do {
		error = equant_exchange_finish(x, LOOK, &p->waited_ns);
		if (error != -ETIMEDOUT)
			return error;
		error = go_on_waiting(loop, since_ns);
	} while (!error);
	return error;
}

/* ---- messages ------------------------------------------------------------------ */

static long iteration_of(const struct equant_pipeline *p, long strip)
{
	return strip < p->strips ? strip * p->block : p->length;
}

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

static int drop_complete(struct equant_pipeline *p)
{
	int kept = 0, done, error = 0;

	for (int i = 0; i < p->nr_sends && !error; i++) {
		error = equant_mpi_error(MPI_Test(&p->sends[i], &done, MPI_STATUS_IGNORE),
					 "sending a strip");
		if (!error && !done)
			p->sends[kept++] = p->sends[i];
	}
	if (!error)
		p->nr_sends = kept;
	return error;
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
	int error = letter_of_strips(loop, unit, 0, from, to, &letter);

	return error ? error : send(loop, rank, EQUANT_TAG_STRIP, &letter);
}

int equant_strips_post(struct equant_loop *loop, int rank, long unit, long from, long to,
		       MPI_Request *request)
{
	struct letter letter;
	int error = letter_of_strips(loop, unit, 1, from, to, &letter);

	return error ? error : post(loop, rank, EQUANT_TAG_STRIP, &letter, request);
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

	if (p->left < 0)
		return 0;
	while (!error && p->posted < sent_by_left(loop) &&
	       p->posted < p->arrived + EQUANT_STRIPS_AHEAD) {
		error = equant_strips_post(loop, p->left, first_unit(loop) - 1, p->posted,
					   p->posted + 1,
					   &p->receives[p->posted % EQUANT_STRIPS_AHEAD]);
		p->posted += !error;
	}
	return error;
}

int equant_strips_await(struct equant_loop *loop, long strip)
{
	struct equant_pipeline *p = loop->pipeline;
	int error = 0;

	if (p->left < 0)
		return 0;
	if (p->earlier != MPI_REQUEST_NULL)
		error = equant_pipeline_wait(loop, &p->earlier, 1);
	while (!error && p->arrived <= strip) {
		error = equant_strips_expect(loop);
		if (!error)
			error = equant_pipeline_wait(
				loop, &p->receives[p->arrived % EQUANT_STRIPS_AHEAD], 1);
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

	return p->above == MPI_REQUEST_NULL ? 0 : equant_pipeline_wait(loop, &p->above, 1);
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
		error = equant_pipeline_wait(loop, p->sends, p->nr_sends);
	if (!error)
		p->nr_sends = 0;
	return error;
}

static void let_go(MPI_Request *request)
{
	if (*request == MPI_REQUEST_NULL)
		return;
	MPI_Cancel(request);
	MPI_Request_free(request);
}

void equant_strips_abandon(struct equant_loop *loop)
{
	struct equant_pipeline *p = loop->pipeline;

	/* Short messages are gone by now; what is not may still be read from the copy. */
	if (equant_wait_requests(&loop->eq->waiter, p->sends, p->nr_sends, MPI_STATUSES_IGNORE,
				 LOOK, &p->waited_ns))
		p->copy = NULL;
	for (int i = 0; i < p->nr_sends; i++)
		let_go(&p->sends[i]);
	p->nr_sends = 0;
	for (int i = 0; i < EQUANT_STRIPS_AHEAD; i++)
		let_go(&p->receives[i]);
	let_go(&p->earlier);
	let_go(&p->above);
}
