// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A worker: takes what there is in its node's store, and asks the master when that runs out.
 *
 * Only the context's thread sends and receives; the rank's other threads wait for what comes into
 * the store.  A rank has one request at most under way, also while it computes: what comes then is put
 * into the store when it asks for its next chunk.
 *
 * Reference: Chronopoulos, Ni, Penmatsa, sections III and IV, the workers' parts of the algorithms.
 */
#include <errno.h>
#include <stdlib.h>

#include "core/clock.h"
#include "core/message.h"
#include "core/mpi_error.h"
#include "engine/self_store.h"
#include "loop/loop_internal.h"

enum { REQUEST, ANSWER, NOTICE, WORD, LEAVING, NR_MESSAGES };

/**
 * struct equant_self_worker - the worker's side
 * @messages: under way, or MPI_REQUEST_NULL
 * @asked: chunks, of the request that is not answered yet
 * @counted: where the store counts them: 1 = this rank waits, 0 = it computes
 * @answers: received
 * @over: nothing more will come from the master
 * @done: this rank has been told that nothing is left; what another one puts into the store after that
 *	is that one's
 */
struct equant_self_worker {
	MPI_Request messages[NR_MESSAGES];
	struct equant_self_request request;
	struct equant_self_answer answer;
	struct equant_self_notice notice;
	struct equant_self_word word;
	struct equant_self_word leaving;
	int asked;
	int counted;
	int64_t answers;
	int over;
	int done;
};

static int await_notice(struct equant_self *self)
{
	struct equant_self_worker *worker = self->worker;

	return equant_mpi_error(MPI_Irecv(&worker->notice, sizeof(worker->notice), MPI_BYTE, 0,
					  EQUANT_SELF_TAG_NOTICE, self->comm,
					  &worker->messages[NOTICE]),
				"waiting for the end");
}

/* Collective, on all ranks; the last thing that can fail. */
int equant_self_worker_open(struct equant_self *self)
{
	int error = 0;

	if (self->role == EQUANT_SELF_WORKER) {
		self->worker = calloc(1, sizeof(*self->worker));
		error = self->worker ? 0 : -ENOMEM;
	}
	error = equant_mpi_agree(self->comm, error);
	if (error || !self->worker)
		return error;
	for (int i = 0; i < NR_MESSAGES; i++)
		self->worker->messages[i] = MPI_REQUEST_NULL;
	return await_notice(self);
}

static int is_quiet(const struct equant_self_worker *worker)
{
	for (int i = 0; i < NR_MESSAGES; i++)
		if (worker->messages[i] != MPI_REQUEST_NULL)
			return 0;
	return 1;
}

/* After an error messages may be under way for ever: MPI still reads and writes there. */
void equant_self_worker_free(struct equant_self *self)
{
	if (self->worker && is_quiet(self->worker))
		free(self->worker);
}

/* Tells the master once, unless it was the master who told, or knows this rank to have left. */
static int pass_on(struct equant_self *self)
{
	struct equant_self_worker *worker = self->worker;
	int32_t state = equant_self_state(self);

	if (!state || worker->word.state || worker->leaving.leaves ||
	    worker->messages[NOTICE] == MPI_REQUEST_NULL)
		return 0;
	worker->word.state = state;
	return equant_mpi_error(MPI_Isend(&worker->word, sizeof(worker->word), MPI_BYTE, 0,
					  EQUANT_SELF_TAG_WORD, self->comm,
					  &worker->messages[WORD]),
				"telling the master the end");
}

static int get_answer(struct equant_self *self)
{
	struct equant_self_worker *worker = self->worker;
	int error = equant_self_lock(self);

	if (error)
		return error;
	equant_self_store_coming(self, worker->counted, -worker->asked);
	worker->asked = 0;
	worker->answers++;
	equant_self_store_put(self, &worker->answer);
	equant_self_unlock(self);
	return 0;
}

static int get_notice(struct equant_self *self)
{
	const struct equant_self_notice *notice = &self->worker->notice;

	if (notice->state == EQUANT_SELF_OVER)
		return await_notice(self);
	if (notice->state != EQUANT_SELF_GONE)
		equant_self_stop(self, (int32_t)notice->state);
	return 0;
}

/* An answer with chunks may still be under way when the notice comes: it was sent before. */
static void see_end(struct equant_self *self)
{
	struct equant_self_worker *worker = self->worker;

	if (worker->notice.state && worker->answers >= worker->notice.answers)
		__atomic_store_n(&worker->over, 1, __ATOMIC_RELEASE);
}

int equant_self_worker_progress(struct equant_self *self)
{
	struct equant_self_worker *worker = self->worker;
	int done[NR_MESSAGES], n = 0, error = pass_on(self);
	MPI_Status statuses[NR_MESSAGES];

	if (!error) {
		error = MPI_Testsome(NR_MESSAGES, worker->messages, &n, done, statuses);
		error = equant_mpi_error(equant_mpi_cause(error, n, statuses),
					 "messages of the master");
	}
	for (int i = 0; !error && n != MPI_UNDEFINED && i < n; i++) {
		if (done[i] == ANSWER)
			error = get_answer(self);
		if (done[i] == NOTICE)
			error = get_notice(self);
	}
	see_end(self);
	return error;
}

/* With the lock. */
static int ask(struct equant_self *self, int wanted, int waits)
{
	struct equant_self_worker *worker = self->worker;
	int error;

	if (wanted < 1 || worker->asked || worker->notice.state ||
	    worker->messages[REQUEST] != MPI_REQUEST_NULL || !equant_self_is_owner(self))
		return 0;
	equant_self_store_request(self, &worker->request, wanted);
	error = equant_mpi_error(MPI_Irecv(&worker->answer, sizeof(worker->answer), MPI_BYTE, 0,
					   EQUANT_SELF_TAG_ANSWER, self->comm,
					   &worker->messages[ANSWER]),
				 "asking the master");
	if (!error)
		error = equant_mpi_error(MPI_Isend(&worker->request, sizeof(worker->request),
						   MPI_BYTE, 0, EQUANT_SELF_TAG_REQUEST, self->comm,
						   &worker->messages[REQUEST]),
					 "asking the master");
	worker->asked = wanted;
	worker->counted = waits;
	equant_self_store_coming(self, waits, wanted);
	return error;
}

/* With the lock: what is on its way comes to a rank that waits, or to one that computes. */
static void count_as(struct equant_self *self, int waits)
{
	struct equant_self_worker *worker = self->worker;

	if (!worker->asked || !equant_self_is_owner(self))
		return;
	equant_self_store_coming(self, worker->counted, -worker->asked);
	equant_self_store_coming(self, waits, worker->asked);
	worker->counted = waits;
}

/* 1 = a chunk, 0 = the end, -EAGAIN = not yet. */
static int try_take(struct equant_self *self, struct equant_self_chunk *chunk)
{
	int over = __atomic_load_n(&self->worker->over, __ATOMIC_ACQUIRE);
	int error = equant_self_lock(self), got;

	if (error)
		return error;
	got = self->worker->done ? 0 : equant_self_store_take(self, chunk);
	if (!got && over) {
		self->worker->done = 1;
	} else if (!got) {
		error = ask(self, equant_self_store_lacks(self), 1);
		got = error ? error : -EAGAIN;
	}
	equant_self_unlock(self);
	return got;
}

static int look_for_chunk(struct equant_self *self, struct equant_self_chunk *chunk, int *got)
{
	int error = equant_self_talk(self);
	int32_t state = equant_self_state(self);

	if (error || state) {
		*got = error ? error : state < 0 ? state : 0;
		return 1;
	}
	*got = try_take(self, chunk);
	return *got != -EAGAIN;
}

static int enter(struct equant_self *self, const struct equant_self_chunk *chunk, uint64_t asked_ns)
{
	int error = equant_self_lock(self);

	if (error)
		return error;
	equant_self_store_enter(self, chunk, asked_ns);
	count_as(self, 1);
	equant_self_unlock(self);
	return 0;
}

/* Whoever has got a chunk asks for the next ones before it computes. */
static int leave(struct equant_self *self, uint64_t asked_ns, int got)
{
	int error = equant_self_lock(self);

	if (error)
		return error;
	equant_self_store_leave(self, 1e-9 * (double)equant_since(equant_now_ns(), asked_ns));
	count_as(self, 0);
	if (got == 1)
		error = ask(self, equant_self_store_runs_low(self), 0);
	equant_self_unlock(self);
	return error;
}

int equant_self_worker_next(struct equant_self *self, struct equant_self_chunk *chunk)
{
	struct equant_waited_on on = { .say = equant_say_rank, .what = "equant_self_next()" };
	uint64_t asked_ns = equant_now_ns();
	int error = enter(self, chunk, asked_ns), got;

	if (error)
		return error;
	got = equant_self_await(self, &on, look_for_chunk, chunk);
	error = leave(self, asked_ns, got);
	if (error || got != 1)
		return error ? error : got;
	if (self->chunks->learned)
		chunk->iterations = equant_self_iterations(self, chunk->first, chunk->count);
	chunk->begun_ns = equant_now_ns();
	return 1;
}

static int look_for_end(struct equant_self *self, struct equant_self_chunk *chunk, int *got)
{
	(void)chunk;
	*got = equant_self_worker_progress(self);
	return *got || is_quiet(self->worker);
}

int equant_self_worker_close(struct equant_self *self)
{
	struct equant_waited_on on = { .say = equant_self_say_rank, .what = "equant_self_free()" };
	struct equant_self_worker *worker = self->worker;
	int error;

	worker->leaving = (struct equant_self_word){ equant_self_state(self), 1 };
	error = equant_mpi_error(MPI_Isend(&worker->leaving, sizeof(worker->leaving), MPI_BYTE, 0,
					   EQUANT_SELF_TAG_WORD, self->comm,
					   &worker->messages[LEAVING]),
				 "telling the master that it is over");
	return error ? error : equant_self_await(self, &on, look_for_end, NULL);
}
