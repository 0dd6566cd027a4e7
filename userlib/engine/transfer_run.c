// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Redistributions carried out: first all ranks say whether they can, then everything moves, and what
 * this rank has for itself is copied meanwhile, all of it from within the caller's calls.
 *
 * A rank that waits within MPI for the messages of one transfer would let those of another lie, and
 * the other's ranks would wait for ever if they wait for this one later.  So what goes on together has
 * turns.
 */
#include <errno.h>

#include "control/meet.h"
#include "core/message.h"
#include "core/mpi_error.h"
#include "engine/transfer_internal.h"

/* A piece of what this rank has for itself; false if there is none left. */
static bool copy_own(struct equant_transfer *transfer)
{
	size_t bytes, length;

	if (!transfer->own)
		return false;
	bytes = (size_t)transfer->own->elements * transfer->element;
	length = bytes - transfer->own_at;
	if (!length)
		return false;
	length = length < transfer->largest ? length : transfer->largest;
	equant_redist_copy_piece(transfer->own, transfer->element,
				 equant_transfer_local(transfer, 0),
				 equant_transfer_local(transfer, 1), (int64_t)transfer->own_at,
				 (int64_t)length);
	transfer->own_at += length;
	return true;
}

/* ---- runs ---------------------------------------------------------------------------------- */

static int begin_moving(struct equant_transfer *transfer)
{
	equant_streams_reset(transfer);
	transfer->own_at = 0;
	transfer->failure = 0;
	transfer->state = EQUANT_TRANSFER_MOVING;
	equant_refresh_begin(transfer);
	return equant_near_begin(transfer);
}

static int move(struct equant_transfer *transfer, bool block)
{
	bool busy;
	int count = 0, error = equant_streams_begin(transfer, &busy);

	if (error)
		return error;
	busy |= copy_own(transfer);
	error = equant_streams_finish(transfer, block && !busy, &count);
	if (error || busy || count != MPI_UNDEFINED)
		return error;
	if (equant_streams_are_through(transfer))
		transfer->state = EQUANT_TRANSFER_IDLE;
	return 0;
}

/*
 * A rank that has started a run may compute before it goes on, and others wait for that, which is no
 * error.
 */
static int meet(struct equant_transfer *transfer)
{
	struct equant_limits limits = transfer->limits;

	limits.check &= !transfer->started;
	return equant_meet_in(&transfer->agreement, transfer->comm, transfer->call, &limits);
}

/* Has everybody said whether it can?  @ends: somebody cannot. */
static int agree(struct equant_transfer *transfer, bool block, bool *ends)
{
	int there = 1, error;

	*ends = false;
	if (block)
		error = meet(transfer);
	else
		error = equant_mpi_error(MPI_Test(&transfer->agreement, &there, MPI_STATUS_IGNORE),
					 "agreeing on a redistribution");
	if (error || !there)
		return error;
	if (!transfer->any)
		return begin_moving(transfer);
	*ends = true;
	transfer->state = EQUANT_TRANSFER_IDLE;
	return transfer->refused[0] ? transfer->refused[0] : -ECANCELED;
}

/* One step of a run that has been started.  0 or -errno, with which it ends. */
static int step(struct equant_transfer *transfer, bool block)
{
	bool refused = false;
	int error;

	if (transfer->state == EQUANT_TRANSFER_AGREEING)
		error = agree(transfer, block, &refused);
	else
		error = move(transfer, block);
	if (error && !refused)
		transfer->broken = true;
	if (error)
		transfer->state = EQUANT_TRANSFER_IDLE;
	else if (transfer->state == EQUANT_TRANSFER_IDLE)
		error = transfer->failure;
	return error;
}

static bool is_running(const struct equant_transfer *transfer)
{
	return transfer->state == EQUANT_TRANSFER_AGREEING ||
	       transfer->state == EQUANT_TRANSFER_MOVING;
}

/* One step of each that it is beside.  Is one of them still on its way? */
static bool go_on_beside(struct equant_transfer *transfer)
{
	struct equant_transfer *other = transfer->beside;
	bool running = false;

	for (; other && other != transfer; other = other->beside) {
		int error;

		if (!is_running(other))
			continue;
		error = step(other, false);
		running |= is_running(other);
		if (is_running(other))
			continue;
		other->state = EQUANT_TRANSFER_ENDED;
		other->result = error;
	}
	return running;
}

/* How a run has gone that ended while another was waited for. */
static int tell(struct equant_transfer *transfer)
{
	transfer->state = EQUANT_TRANSFER_IDLE;
	return transfer->result;
}

static int start(struct equant_transfer *transfer, const char *call, const int64_t *from_strides,
		 const void *from, const int64_t *to_strides, void *to)
{
	int error;

	if (!transfer->lent)
		transfer->call = call;
	if (transfer->broken || equant_mpi_is_over())
		return -EPIPE;
	if (transfer->state != EQUANT_TRANSFER_IDLE) {
		equant_message("rank %d: %s: it is running", transfer->rank, call);
		return -EBUSY;
	}
	transfer->refused[0] =
		equant_transfer_set_view(transfer, (const int64_t *[]){ from_strides, to_strides },
					 (char *[]){ (char *)from, to });
	transfer->refused[1] = transfer->refused[0] != 0;
	error = equant_mpi_error(MPI_Iallreduce(&transfer->refused[1], &transfer->any, 1, MPI_INT,
						MPI_MAX, transfer->comm, &transfer->agreement),
				 "agreeing on a redistribution");
	transfer->broken = error != 0;
	if (!error)
		transfer->state = EQUANT_TRANSFER_AGREEING;
	return error;
}

int equant_transfer_start(struct equant_transfer *transfer, const int64_t *from_strides,
			  const void *from, const int64_t *to_strides, void *to)
{
	int error = start(transfer, "equant_transfer_start", from_strides, from, to_strides, to);

	if (!error)
		transfer->started = true;
	return error;
}

int equant_transfer_test(struct equant_transfer *transfer, int *done)
{
	int error = 0;

	*done = 1;
	if (equant_mpi_is_over())
		return -EPIPE;
	go_on_beside(transfer);
	if (transfer->state == EQUANT_TRANSFER_ENDED)
		return tell(transfer);
	if (transfer->broken)
		return -EPIPE;
	if (transfer->state != EQUANT_TRANSFER_IDLE)
		error = step(transfer, false);
	*done = transfer->state == EQUANT_TRANSFER_IDLE;
	return error;
}

int equant_transfer_wait(struct equant_transfer *transfer)
{
	int error = 0;

	if (equant_mpi_is_over())
		return -EPIPE;
	if (transfer->state == EQUANT_TRANSFER_ENDED)
		return tell(transfer);
	if (transfer->broken)
		return -EPIPE;
	/* Others need this rank, too, which may not wait within MPI for its own then. */
	while (transfer->state != EQUANT_TRANSFER_IDLE && !error)
		error = step(transfer, !go_on_beside(transfer));
	return error;
}

int equant_transfer_settle(struct equant_transfer *transfer)
{
	if (is_running(transfer)) {
		transfer->result = equant_transfer_wait(transfer);
		transfer->state = EQUANT_TRANSFER_ENDED;
	}
	return transfer->broken ? -EPIPE : 0;
}

int equant_transfer_run(struct equant_transfer *transfer, const int64_t *from_strides,
			const void *from, const int64_t *to_strides, void *to)
{
	int error = start(transfer, "equant_transfer_run", from_strides, from, to_strides, to);

	if (error)
		return error;
	transfer->started = false;
	return equant_transfer_wait(transfer);
}
