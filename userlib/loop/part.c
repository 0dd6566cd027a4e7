// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Parting from a loop that has failed.  A rank that learns of a failure may have begun interactions,
 * strips or transfers which others never join, and others may have sent what it will not
 * receive.  MPI may give the number of a communicator to the next one made, and what arrives for
 * it then to whoever receives there.
 *
 * So ranks first agree whether any has failed.  If so each tells all others that it sends nothing more, takes
 * in whatever else has come once all have told it the same, and tells them that it has.  Messages between
 * two ranks keep their order; when the second word is here, nothing is read or written by MPI any more.
 *
 * A rank that does not come is waited for only so long.  Then the communicator stays, so that nobody
 * gets its number, and so does the memory that MPI may still use.
 */
#include <errno.h>
#include <stdlib.h>

#include "core/message.h"
#include "core/mpi_error.h"
#include "loop/loop_internal.h"

#define PATIENCE_LEAST 1.0 /* seconds, without checked mode */
#define PATIENCE_MOST 10.0

void equant_say_unfreed(const struct equant_loop *loop, int rank, double seconds)
{
	if (rank >= 0)
		equant_message("loop %s: rank %d has not come to free it within %g s", loop->name,
			       rank, seconds);
}

/* Who stops in the middle tells all others at once: it may wait for some of them before it returns to the program. */
int equant_loop_move(struct equant_loop *loop, const struct equant_instruction *instructions,
		     int count, const struct equant_runs *named, uint64_t number)
{
	int error =
		equant_mover_run(&loop->mover, &loop->units, instructions, count, named, number);

	if (loop->mover.broken)
		equant_loop_abort(loop);
	return error;
}

double equant_loop_patience(const struct equant_loop *loop)
{
	double timeout = loop->eq->options.timeout;

	if (loop->eq->options.check)
		return timeout;
	if (!(timeout > 0) || timeout > PATIENCE_MOST)
		return PATIENCE_MOST;
	return timeout < PATIENCE_LEAST ? PATIENCE_LEAST : timeout;
}

/* Where balancing is off ranks have not met before, and one without an error is late, and no more. */
static double patience(const struct equant_loop *loop, int failed)
{
	if (failed || loop->eq->options.check)
		return equant_loop_patience(loop);
	return loop->eq->options.balance ? PATIENCE_MOST : 0;
}

/* One that has failed, too, or told so, may not wait for as long as one that is only late. */
static int await_agreement(struct equant_loop *loop, struct equant_exchange *x, int *failed)
{
	uint64_t since_ns = loop->waiting_ns;
	int error, itself, rank;
	double limit;

	do {
		error = equant_exchange_finish(x, EQUANT_LOOK, &loop->waiting_ns);
		if (error != -ETIMEDOUT)
			return error;
		if (!*failed && equant_aborted(loop->comm, &rank)) {
			*failed = 1;
			since_ns = loop->waiting_ns;
		}
		limit = patience(loop, *failed);
	} while (!limit || 1e-9 * (double)(loop->waiting_ns - since_ns) < limit);
	equant_say_unfreed(loop, equant_exchange_awaited(x, &itself), limit);
	return error;
}

static int agree(struct equant_loop *loop, int *failed)
{
	struct equant_exchange *x;
	const int *all;
	int error;

	x = equant_exchange_new(&loop->eq->waiter, loop->comm, EQUANT_TAG_AGREE, sizeof(*failed));
	if (!x)
		return -errno;
	error = equant_exchange_start(x, failed);
	if (!error)
		error = await_agreement(loop, x, failed);
	all = equant_exchange_items(x);
	for (int r = 0; r < loop->ranks && !error; r++)
		*failed |= all[r];
	if (error)
		equant_exchange_cancel(x);
	equant_exchange_free(x);
	return error;
}

/* What nobody waits for; received, because its sender may wait. */
static int take_in(struct equant_loop *loop, MPI_Status *status)
{
	MPI_Request request;
	int size = 0, error;
	char *bytes;

	MPI_Get_count(status, MPI_BYTE, &size);
	if (size < 0)
		return -EIO;
	bytes = malloc((size_t)size + 1);
	if (!bytes)
		return -ENOMEM;
	error = equant_mpi_error(MPI_Irecv(bytes, size, MPI_BYTE, status->MPI_SOURCE,
					   status->MPI_TAG, loop->comm, &request),
				 "taking in what is left of a loop");
	if (!error)
		error = equant_wait_requests(&loop->eq->waiter, &request, 1, MPI_STATUSES_IGNORE,
					     patience(loop, 1), &loop->waiting_ns);
	/* After a timeout MPI may still write there. */
	if (error != -ETIMEDOUT)
		free(bytes);
	return error;
}

static int drain(struct equant_loop *loop)
{
	MPI_Status status;
	int here = 1, error = 0;

	while (here && !error) {
		error = equant_mpi_error(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, loop->comm, &here,
						    &status),
					 "looking for what is left of a loop");
		if (here && !error)
			error = take_in(loop, &status);
	}
	return error;
}

/* The words of all others are expected before anything is looked for. */
static int listen(struct equant_loop *loop, enum equant_tag tag, MPI_Request *requests)
{
	int error = 0, n = 0;

	for (int r = 0; r < loop->ranks && !error; r++)
		if (r != loop->rank)
			error = equant_mpi_error(MPI_Irecv(NULL, 0, MPI_BYTE, r, tag, loop->comm,
							   &requests[n++]),
						 "parting from a loop");
	return error;
}

static int tell(struct equant_loop *loop, enum equant_tag tag)
{
	MPI_Request request;
	int error = 0;

	for (int r = 0; r < loop->ranks && !error; r++) {
		if (r == loop->rank)
			continue;
		error = equant_mpi_error(MPI_Isend(NULL, 0, MPI_BYTE, r, tag, loop->comm, &request),
					 "parting from a loop");
		if (error)
			continue;
		MPI_Request_free(&request);
		equant_node_ring(loop->eq->waiter.node, r);
	}
	return error;
}

static int await_all(struct equant_loop *loop, MPI_Request *requests)
{
	return equant_wait_requests(&loop->eq->waiter, requests, loop->ranks - 1,
				    MPI_STATUSES_IGNORE, patience(loop, 1), &loop->waiting_ns);
}

static int part(struct equant_loop *loop, MPI_Request *first, MPI_Request *second)
{
	int error = listen(loop, EQUANT_TAG_PART, first);

	if (!error)
		error = listen(loop, EQUANT_TAG_PARTED, second);
	if (!error)
		error = tell(loop, EQUANT_TAG_PART);
	if (!error)
		error = await_all(loop, first);
	if (!error)
		error = drain(loop);
	if (!error)
		error = tell(loop, EQUANT_TAG_PARTED);
	return error ? error : await_all(loop, second);
}

static int part_with_all(struct equant_loop *loop)
{
	int n = 2 * (loop->ranks - 1), error;
	MPI_Request *requests = malloc(((size_t)n + 1) * sizeof(*requests));

	if (!requests)
		return -ENOMEM;
	for (int i = 0; i < n; i++)
		requests[i] = MPI_REQUEST_NULL;
	error = part(loop, requests, requests + n / 2);
	if (error)
		equant_requests_drop(requests, n);
	free(requests);
	return error;
}

/*
 * Without balancing, ranks wait for each other in sweeps only, and may yet look for each other's memory, or tell each
 * other that they do not sweep.  In checked mode no rank goes on to the report without having met the others, who
 * may have given up elsewhere.
 */
static int meets(const struct equant_loop *loop)
{
	return loop->ranks > 1 &&
	       (loop->eq->options.balance || loop->pipeline || loop->eq->options.check);
}

int equant_loop_part(struct equant_loop *loop)
{
	int failed = loop->error != 0, error = 0;

	/* Also of copies and exchanges that were given up, where ranks meet nowhere else. */
	loop->abandoned |= loop->error == -ETIMEDOUT || loop->eq->lost;
	/* ... also of what was told to ranks that may have freed the loop. */
	if (!loop->abandoned && !meets(loop)) {
		loop->abandoned = loop->aborted;
		return 0;
	}
	if (!loop->abandoned)
		error = agree(loop, &failed);
	/* Without checked mode whoever does not come is late, and no more. */
	if (error && loop->eq->options.check)
		failed = equant_loop_fail(loop, error) != 0;
	loop->abandoned |= error != 0;
	if (!loop->abandoned && failed)
		loop->abandoned = part_with_all(loop) != 0;
	return loop->abandoned && failed;
}
