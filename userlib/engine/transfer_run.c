// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Redistributions carried out: both lanes at once, each in the schedule's order, as section 4.2's
 * ranks do that send one message and receive one at the same time.  While the chunks of a message
 * are under way the next one is packed, the last one is unpacked, and what this rank has for itself
 * is copied, all of it from within the caller's calls.
 *
 * Source: Bhat, Prasanna, Raghavendra, sections 3 and 4.
 */
#include <errno.h>
#include <string.h>

#include "core/message.h"
#include "core/mpi_error.h"
#include "engine/transfer_internal.h"
#include "redist/pack.h"

/* ---- local arrays ------------------------------------------------------------------------ */

static bool uses(const struct equant_transfer *transfer, int side)
{
	return transfer->own || transfer->lanes[side].letter_count;
}

/* The memory from the first element to behind the last one; strides of any sign. */
static void span(const struct equant_transfer *transfer, int side, __int128 ends[2])
{
	const struct equant_reach *reach = &transfer->reach[side];
	__int128 element = (__int128)transfer->element;

	ends[0] = ends[1] = (__int128)(uintptr_t)transfer->view.base[side];
	for (int d = 0; d < transfer->array.dimensions; d++) {
		__int128 step = element * transfer->view.strides[side][d];
		__int128 low = step * reach->low[d], high = step * reach->high[d];

		ends[0] += low < high ? low : high;
		ends[1] += low < high ? high : low;
	}
	ends[1] += element;
}

static int check_view(const struct equant_transfer *transfer, const bool given[2])
{
	static const char *const names[2] = { "sends", "receives" };
	__int128 from[2], to[2];

	for (int side = 0; side < 2; side++) {
		if (!uses(transfer, side) || given[side])
			continue;
		equant_message("rank %d: equant_transfer_run: it %s and has no array or no strides",
			       transfer->rank, names[side]);
		return -EINVAL;
	}
	if (!uses(transfer, 0) || !uses(transfer, 1))
		return 0;
	span(transfer, 0, from);
	span(transfer, 1, to);
	if (from[0] < to[1] && to[0] < from[1]) {
		equant_message(
			"rank %d: equant_transfer_run: what is read and what is written overlap",
			transfer->rank);
		return -EINVAL;
	}
	return 0;
}

/* Return: 0 or why not. */
static int set_view(struct equant_transfer *transfer, const int64_t *const strides[2],
		    char *const base[2])
{
	size_t size = (size_t)transfer->array.dimensions * sizeof(**strides);
	bool given[2];

	memset(&transfer->view, 0, sizeof(transfer->view));
	for (int side = 0; side < 2; side++) {
		given[side] = strides[side] && base[side];
		if (given[side])
			memcpy(transfer->view.strides[side], strides[side], size);
		transfer->view.base[side] = base[side];
	}
	return check_view(transfer, given);
}

/* ---- messages ---------------------------------------------------------------------------- */

static struct equant_slot *next_slot(struct equant_lane *lane)
{
	return &lane->slots[lane->begun % lane->slot_count];
}

static bool is_slot_free(const struct equant_lane *lane)
{
	return lane->requests[lane->begun % lane->slot_count] == MPI_REQUEST_NULL;
}

/* Which of the near ones a letter is. */
static int64_t near_of(const struct equant_lane *lane, int64_t letter)
{
	int64_t low = 0, high = lane->near_count;

	while (low < high - 1) {
		int64_t middle = low + (high - low) / 2;

		if (lane->near[middle] <= letter)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static int send_chunk(struct equant_transfer *transfer, const struct equant_chunk *chunk)
{
	struct equant_lane *lane = &transfer->lanes[0];
	struct equant_letter *letter = &lane->letters[chunk->letter];
	struct equant_slot *slot = next_slot(lane);
	MPI_Request *request = &lane->requests[lane->begun % lane->slot_count];

	equant_redist_pack_piece(letter->part, transfer->element, transfer->view.strides[0],
				 transfer->view.base[0], (int64_t)chunk->at, chunk->length,
				 slot->memory);
	slot->chunk = lane->begun++;
	lane->flying += !letter->flying++;
	return equant_mpi_error(MPI_Isend(slot->memory, chunk->length, MPI_BYTE, letter->peer,
					  EQUANT_TRANSFER_DATA, transfer->comm, request),
				"sending of a redistribution");
}

/* Begin one more chunk to send if that is possible; @began says so.  0 or -errno. */
static int begin_send(struct equant_transfer *transfer, bool *began)
{
	struct equant_lane *lane = &transfer->lanes[0];
	const struct equant_chunk *chunk = &lane->chunks[lane->begun];
	const struct equant_letter *letter;

	*began = false;
	if (lane->begun == lane->chunk_count)
		return 0;
	letter = &lane->letters[chunk->letter];
	*began = true;
	if (letter->near && letter->offer.direct) {
		lane->begun++;
		return 0;
	}
	*began = is_slot_free(lane) && (letter->flying || lane->flying < lane->window);
	return *began ? send_chunk(transfer, chunk) : 0;
}

static int receive_chunk(struct equant_transfer *transfer, const struct equant_chunk *chunk)
{
	struct equant_lane *lane = &transfer->lanes[1];
	struct equant_slot *slot = next_slot(lane);
	MPI_Request *request = &lane->requests[lane->begun % lane->slot_count];

	slot->chunk = lane->begun++;
	return equant_mpi_error(MPI_Irecv(slot->memory, chunk->length, MPI_BYTE,
					  lane->letters[chunk->letter].peer, EQUANT_TRANSFER_DATA,
					  transfer->comm, request),
				"receiving of a redistribution");
}

/* Likewise one to receive; @read: it was read, which takes its time. */
static int begin_receive(struct equant_transfer *transfer, bool *began, bool *read)
{
	struct equant_lane *lane = &transfer->lanes[1];
	const struct equant_chunk *chunk = &lane->chunks[lane->begun];
	const struct equant_letter *letter;
	int error;

	*began = *read = false;
	if (lane->begun == lane->chunk_count || !is_slot_free(lane))
		return 0;
	letter = &lane->letters[chunk->letter];
	if (letter->near && !letter->offered)
		return 0;
	*began = true;
	*read = letter->near && letter->offer.direct;
	if (!*read)
		return receive_chunk(transfer, chunk);
	error = equant_near_read(transfer, near_of(lane, chunk->letter), chunk,
				 next_slot(lane)->memory);
	lane->begun++;
	return error;
}

/* Begin all that can begin, but read one chunk at most. */
static int begin_all(struct equant_transfer *transfer, bool *read)
{
	bool began = true;
	int error = 0;

	/* Receive first: what comes then has a place to go to. */
	for (*read = false; began && !*read && !error;)
		error = begin_receive(transfer, &began, read);
	for (began = true; began && !error;)
		error = begin_send(transfer, &began);
	return error;
}

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
	equant_redist_copy_piece(transfer->own, transfer->element, transfer->view.strides[0],
				 transfer->view.base[0], transfer->view.strides[1],
				 transfer->view.base[1], (int64_t)transfer->own_at,
				 (int64_t)length);
	transfer->own_at += length;
	return true;
}

/* ---- what is through ----------------------------------------------------------------------- */

static void sent(struct equant_transfer *transfer, int slot)
{
	struct equant_lane *lane = &transfer->lanes[0];
	const struct equant_chunk *chunk = &lane->chunks[lane->slots[slot].chunk];

	lane->flying -= !--lane->letters[chunk->letter].flying;
}

static void received(struct equant_transfer *transfer, int slot)
{
	struct equant_lane *lane = &transfer->lanes[1];
	const struct equant_chunk *chunk = &lane->chunks[lane->slots[slot].chunk];

	equant_refresh_arrived(transfer, lane->letters[chunk->letter].peer, chunk->length);
	equant_redist_unpack_piece(lane->letters[chunk->letter].part, transfer->element,
				   transfer->view.strides[1], lane->slots[slot].memory,
				   (int64_t)chunk->at, chunk->length, transfer->view.base[1]);
}

/* Of a lane's notes the even ones are offers, the odd ones what has been taken. */
static void noted(struct equant_transfer *transfer, int side, int note)
{
	struct equant_lane *lane = &transfer->lanes[side];
	struct equant_letter *letter = &lane->letters[lane->near[note / 2]];

	if (side && note % 2 == 0)
		letter->offered = true;
	if (!side && note % 2 && letter->taken && !transfer->failure) {
		equant_message("rank %d: rank %d could not read its array: %s", transfer->rank,
			       letter->peer, strerror(letter->taken));
		transfer->failure = -letter->taken;
	}
}

static void finish(struct equant_transfer *transfer, int i)
{
	const struct equant_lane *lanes = transfer->lanes;
	int out = lanes[0].slot_count, slots = out + lanes[1].slot_count;

	if (i < out)
		sent(transfer, i);
	else if (i < slots)
		received(transfer, i - out);
	else if (i < slots + 2 * lanes[0].near_count)
		noted(transfer, 0, i - slots);
	else
		noted(transfer, 1, i - slots - 2 * lanes[0].near_count);
}

/* @count is MPI_UNDEFINED if nothing is under way. */
static int finish_some(struct equant_transfer *transfer, bool block, int *count)
{
	int all = transfer->request_count, error;

	if (block)
		error = MPI_Waitsome(all, transfer->requests, count, transfer->done,
				     MPI_STATUSES_IGNORE);
	else
		error = MPI_Testsome(all, transfer->requests, count, transfer->done,
				     MPI_STATUSES_IGNORE);
	error = equant_mpi_error(error, "waiting for messages of a redistribution");
	for (int i = 0; !error && *count != MPI_UNDEFINED && i < *count; i++)
		finish(transfer, transfer->done[i]);
	return error;
}

/* ---- runs ---------------------------------------------------------------------------------- */

static int begin_moving(struct equant_transfer *transfer)
{
	for (int side = 0; side < 2; side++) {
		transfer->lanes[side].begun = 0;
		transfer->lanes[side].flying = 0;
	}
	transfer->own_at = 0;
	transfer->failure = 0;
	transfer->state = EQUANT_TRANSFER_MOVING;
	equant_refresh_begin(transfer);
	return equant_near_begin(transfer);
}

static int move(struct equant_transfer *transfer, bool block)
{
	bool busy;
	int count, error = begin_all(transfer, &busy);

	if (error)
		return error;
	busy |= copy_own(transfer);
	error = finish_some(transfer, block && !busy, &count);
	if (error || busy || count != MPI_UNDEFINED)
		return error;
	if (transfer->lanes[0].begun == transfer->lanes[0].chunk_count &&
	    transfer->lanes[1].begun == transfer->lanes[1].chunk_count)
		transfer->state = EQUANT_TRANSFER_IDLE;
	return 0;
}

/* Has everybody said whether it can?  @ends: somebody cannot. */
static int agree(struct equant_transfer *transfer, bool block, bool *ends)
{
	int there = 1, error;

	*ends = false;
	if (block)
		error = MPI_Wait(&transfer->agreement, MPI_STATUS_IGNORE);
	else
		error = MPI_Test(&transfer->agreement, &there, MPI_STATUS_IGNORE);
	error = equant_mpi_error(error, "agreeing on a redistribution");
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

int equant_transfer_start(struct equant_transfer *transfer, const int64_t *from_strides,
			  const void *from, const int64_t *to_strides, void *to)
{
	int error;

	if (transfer->broken || equant_mpi_is_over())
		return -EPIPE;
	if (transfer->state != EQUANT_TRANSFER_IDLE) {
		equant_message("rank %d: equant_transfer_start: it is running", transfer->rank);
		return -EBUSY;
	}
	transfer->refused[0] = set_view(transfer, (const int64_t *[]){ from_strides, to_strides },
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

int equant_transfer_test(struct equant_transfer *transfer, int *done)
{
	int error = 0;

	*done = 1;
	if (transfer->broken || equant_mpi_is_over())
		return -EPIPE;
	if (transfer->state != EQUANT_TRANSFER_IDLE)
		error = step(transfer, false);
	*done = transfer->state == EQUANT_TRANSFER_IDLE;
	return error;
}

int equant_transfer_wait(struct equant_transfer *transfer)
{
	int error = 0;

	if (transfer->broken || equant_mpi_is_over())
		return -EPIPE;
	while (transfer->state != EQUANT_TRANSFER_IDLE && !error)
		error = step(transfer, true);
	return error;
}

int equant_transfer_run(struct equant_transfer *transfer, const int64_t *from_strides,
			const void *from, const int64_t *to_strides, void *to)
{
	int error = equant_transfer_start(transfer, from_strides, from, to_strides, to);

	return error ? error : equant_transfer_wait(transfer);
}
