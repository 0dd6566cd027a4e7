// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The master: hands chunks out to workers who ask by messages, and computes some itself.
 *
 * There is no thread that answers.  It looks at the requests whenever it asks for something
 * to compute, and gets its own chunks in pieces that take about a millisecond, so that it asks often.
 *
 * Reference: Chronopoulos, Ni, Penmatsa, sections III and IV, the masters' parts of the algorithms.
 */
#include <errno.h>
#include <stdlib.h>

#include "core/clock.h"
#include "core/message.h"
#include "core/mpi_error.h"
#include "engine/self_messages.h"
#include "loop/loop_internal.h"
#include "selfsched/state.h"

#define PIECE_NS 1000000

enum { NONE, WORKS, HAS_LEFT };

/**
 * struct equant_self_master - the master's side
 * @answers: sent to each rank
 * @workers: is a rank one, and has it freed the loop?
 * @left: workers that have freed the loop
 * @all: workers
 * @over: all know that nothing is left
 * @ended: all know how the loop has ended
 * @rest: of the master's own chunk
 * @piece: handed out last, when, and its size
 */
struct equant_self_master {
	int64_t *answers;
	int *workers;
	int left;
	int all;
	int over;
	int ended;
	struct equant_self_chunk rest;
	int64_t piece;
	uint64_t piece_ns;
};

/* Collective, on all ranks. */
int equant_self_master_open(struct equant_self *self)
{
	struct equant_self_master *master = calloc(1, sizeof(*master));
	size_t ranks = (size_t)(unsigned int)self->eq->ranks;
	int worker = self->role == EQUANT_SELF_WORKER ? WORKS : NONE, error = master ? 0 : -ENOMEM;

	if (master) {
		master->answers = calloc(ranks, sizeof(*master->answers));
		master->workers = calloc(ranks, sizeof(*master->workers));
		if (!master->answers || !master->workers)
			error = -ENOMEM;
	}
	self->master = master;
	error = equant_mpi_agree(self->comm, error);
	if (error)
		return error;
	error = equant_mpi_error(MPI_Gather(&worker, 1, MPI_INT, master->workers, 1, MPI_INT, 0,
					    self->comm),
				 "equant_self_new");
	for (int r = 0; r < self->eq->ranks; r++)
		master->all += master->workers[r] == WORKS;
	return error;
}

void equant_self_master_free(struct equant_self *self)
{
	if (!self->master)
		return;
	free(self->master->answers);
	free(self->master->workers);
	free(self->master);
}

static int notify(struct equant_self *self, int64_t state)
{
	struct equant_self_master *master = self->master;
	int error = 0;

	for (int r = 0; !error && r < self->eq->ranks; r++) {
		struct equant_self_notice notice = { state, master->answers[r] };

		if (master->workers[r] != NONE)
			error = equant_mpi_error(MPI_Send(&notice, sizeof(notice), MPI_BYTE, r,
							  EQUANT_SELF_TAG_NOTICE, self->comm),
						 "telling a worker the end");
	}
	return error;
}

static int say_over(struct equant_self *self)
{
	struct equant_self_master *master = self->master;

	if (master->over || master->ended)
		return 0;
	master->over = 1;
	return notify(self, EQUANT_SELF_OVER);
}

static int say_ended(struct equant_self *self, int64_t state)
{
	struct equant_self_master *master = self->master;

	if (master->ended || !state)
		return 0;
	master->ended = 1;
	return notify(self, state);
}

static void learn(struct equant_self *self, const struct equant_self_request *request)
{
	for (int i = 0; i < request->n && i < EQUANT_SELF_REPORTS; i++) {
		const struct equant_self_report *report = &request->reports[i];

		equant_chunks_power(self->chunks, report->worker, report->power);
		if (report->iterations > 0)
			equant_chunks_report_of(self->chunks, report->worker, report->first,
						report->iterations, report->compute,
						report->overhead);
	}
}

static int fill(struct equant_self *self, const struct equant_self_request *request,
		struct equant_self_answer *answer)
{
	struct equant_chunk chunk;
	int error, got = 1;

	answer->n = 0;
	error = equant_self_lock(self);
	if (error)
		return error;
	equant_chunks_load(self->chunks, self->memory->calculator);
	learn(self, request);
	while (answer->n < request->wanted && answer->n < EQUANT_SELF_ANSWER) {
		int worker = request->workers[answer->n];

		got = equant_chunks_next(self->chunks, worker, &chunk);
		if (got != 1)
			break;
		answer->lots[answer->n++] =
			(struct equant_self_lot){ chunk.first, chunk.count, worker };
	}
	equant_chunks_save(self->chunks, self->memory->calculator);
	equant_self_unlock(self);
	return got < 0 ? got : 0;
}

static int serve_request(struct equant_self *self, int source)
{
	struct equant_self_master *master = self->master;
	struct equant_self_request request;
	struct equant_self_answer answer = { 0 };
	size_t size;
	int error;

	error = equant_mpi_error(MPI_Recv(&request, sizeof(request), MPI_BYTE, source,
					  EQUANT_SELF_TAG_REQUEST, self->comm, MPI_STATUS_IGNORE),
				 "a worker's request");
	if (!error && !equant_self_state(self))
		error = fill(self, &request, &answer);
	if (error)
		return error;
	master->answers[source]++;
	size = sizeof(answer.n) + (size_t)answer.n * sizeof(answer.lots[0]);
	error = equant_mpi_error(MPI_Send(&answer, (int)size, MPI_BYTE, source,
					  EQUANT_SELF_TAG_ANSWER, self->comm),
				 "answering a worker");
	return error || answer.n == request.wanted ? error : say_over(self);
}

static int serve_word(struct equant_self *self, int source)
{
	struct equant_self_word word;
	int error = equant_mpi_error(MPI_Recv(&word, sizeof(word), MPI_BYTE, source,
					      EQUANT_SELF_TAG_WORD, self->comm, MPI_STATUS_IGNORE),
				     "a worker's word");

	if (error)
		return error;
	if (word.state)
		equant_self_stop(self, word.state);
	if (word.leaves) {
		self->master->workers[source] = HAS_LEFT;
		self->master->left++;
	}
	return 0;
}

int equant_self_master_serve(struct equant_self *self)
{
	for (;;) {
		int error = say_ended(self, equant_self_state(self)), there;
		MPI_Status status;

		if (!error)
			error = equant_mpi_error(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, self->comm,
							    &there, &status),
						 "looking for requests");
		if (error || !there)
			return error;
		if (status.MPI_TAG == EQUANT_SELF_TAG_REQUEST)
			error = serve_request(self, status.MPI_SOURCE);
		else
			error = serve_word(self, status.MPI_SOURCE);
		if (error)
			return error;
	}
}

/* From what the last piece took: at most twice as large as that one. */
static int64_t piece_of(const struct equant_self_master *master, uint64_t now)
{
	uint64_t took = equant_since(now, master->piece_ns);
	double size = 2 * (double)master->piece;

	if (!master->piece)
		return 1;
	if (took > PIECE_NS / 2)
		size = (double)master->piece * PIECE_NS / (double)took;
	return size < 1 ? 1 : (int64_t)size;
}

static void cut(struct equant_self_master *master, struct equant_self_chunk *chunk)
{
	uint64_t now = equant_now_ns();
	int64_t piece = piece_of(master, now);

	*chunk = master->rest;
	if (chunk->count > piece)
		chunk->count = piece;
	master->rest.first += chunk->count;
	master->rest.count -= chunk->count;
	master->piece = chunk->count;
	master->piece_ns = now;
}

int equant_self_master_next(struct equant_self *self, struct equant_self_chunk *chunk)
{
	struct equant_self_master *master = self->master;
	int got = 1;

	if (!equant_self_is_owner(self))
		return equant_self_take(self, chunk);
	if (!master->rest.count) {
		got = equant_self_take(self, chunk);
		if (got == 1)
			master->rest = *chunk;
	}
	if (got == 1)
		cut(master, chunk);
	return got ? got : say_over(self);
}

static void say_missing(const struct equant_waited_on *on, double seconds)
{
	const struct equant_self *self = on->of;

	for (int r = 0; r < self->eq->ranks; r++)
		if (self->master->workers[r] == WORKS)
			equant_message("%s: rank %d has not come within %g s", on->what, r,
				       seconds);
}

static int look_for_leavers(struct equant_self *self, struct equant_self_chunk *chunk, int *got)
{
	(void)chunk;
	*got = self->master->left < self->master->all ? equant_self_master_serve(self) : 0;
	return *got || self->master->left == self->master->all;
}

/* Every request is answered, so that nothing is under way when the loop is gone. */
int equant_self_master_close(struct equant_self *self)
{
	struct equant_waited_on on = { .say = say_missing,
				       .of = self,
				       .what = "equant_self_free()" };
	int error = equant_self_await(self, &on, look_for_leavers, NULL);

	return error ? error : say_ended(self, EQUANT_SELF_GONE);
}
