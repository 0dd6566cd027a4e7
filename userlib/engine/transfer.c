// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Redistributions carried out with messages: both lanes at once, each in the schedule's order,
 * as section 4.2's ranks do that send one message and receive one at the same time.
 *
 * Source: Bhat, Prasanna, Raghavendra, sections 3 and 4.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/message.h"
#include "core/mpi_error.h"
#include "core/struct.h"
#include "engine/transfer_internal.h"

/* ---- new and free ------------------------------------------------------------------------ */

static int copy_options(const struct equant_transfer_options *from,
			struct equant_transfer_options *to)
{
	size_t unknown;

	memset(to, 0, sizeof(*to));
	to->sz = sizeof(*to);
	if (!from)
		return 0;
	if (from->sz < sizeof(from->sz)) {
		equant_message("equant_transfer_new: options of %zu bytes", from->sz);
		return -EINVAL;
	}
	unknown = equant_struct_unknown(from, sizeof(*to), from->sz);
	if (unknown) {
		equant_message("equant_transfer_new: byte %zu of the options is not known here",
			       unknown);
		return -EINVAL;
	}
	memcpy(to, from, from->sz < sizeof(*to) ? from->sz : sizeof(*to));
	return 0;
}

static int plan(struct equant_transfer *transfer, const struct equant_redist_array *array,
		size_t element, const struct equant_transfer_options *given)
{
	struct equant_transfer_options options;
	int error = copy_options(given, &options);

	if (!error)
		error = equant_transfer_check(transfer, array, element, &options);
	if (!error) {
		transfer->array = *array;
		transfer->element = element;
	}
	error = equant_transfer_agree(transfer, &options, error);
	if (error)
		return error;
	return equant_mpi_agree(transfer->comm, equant_transfer_plan(transfer, &options));
}

struct equant_transfer *equant_transfer_new(MPI_Comm comm, const struct equant_redist_array *array,
					    size_t element,
					    const struct equant_transfer_options *options)
{
	struct equant_transfer *transfer;
	int error = equant_mpi_check(comm, "equant_transfer_new");

	transfer = error ? NULL : calloc(1, sizeof(*transfer));
	if (!transfer) {
		errno = error ? -error : ENOMEM;
		return NULL;
	}
	error = equant_mpi_error(MPI_Comm_dup(comm, &transfer->comm), "MPI_Comm_dup");
	if (error) {
		free(transfer);
		errno = -error;
		return NULL;
	}
	MPI_Comm_set_errhandler(transfer->comm, MPI_ERRORS_RETURN);
	MPI_Comm_rank(transfer->comm, &transfer->rank);
	MPI_Comm_size(transfer->comm, &transfer->ranks);
	error = plan(transfer, array, element, options);
	if (error) {
		equant_transfer_free(transfer);
		errno = -error;
		return NULL;
	}
	return transfer;
}

int equant_transfer_free(struct equant_transfer *transfer)
{
	int error = 0;

	if (!transfer)
		return 0;
	for (int side = 0; side < 2; side++)
		equant_lane_release(&transfer->lanes[side], transfer->broken);
	if (!transfer->broken)
		free(transfer->requests);
	free(transfer->done);
	equant_redist_part_free(transfer->own);
	equant_redist_schedule_free(transfer->schedule);
	if (equant_mpi_is_over())
		error = -EPIPE;
	else
		error = equant_mpi_error(MPI_Comm_free(&transfer->comm), "MPI_Comm_free");
	free(transfer);
	return error;
}

const struct equant_redist_schedule *
equant_transfer_schedule(const struct equant_transfer *transfer)
{
	return transfer->schedule;
}

size_t equant_transfer_memory(const struct equant_transfer *transfer)
{
	size_t out = equant_lane_size(&transfer->lanes[0]), in, all;

	in = equant_lane_size(&transfer->lanes[1]);
	return __builtin_add_overflow(out, in, &all) ? SIZE_MAX : all;
}

/* ---- local arrays ------------------------------------------------------------------------ */

/**
 * struct view - the local arrays of a run
 * @strides: elements, of the sender's and of the receiver's
 * @base: their elements 0
 */
struct view {
	const int64_t *strides[2];
	char *base[2];
};

static int uses(const struct equant_transfer *transfer, int side)
{
	return transfer->own || transfer->lanes[side].letter_count;
}

/* The memory from the first element to behind the last one; strides of any sign. */
static void span(const struct equant_transfer *transfer, const struct view *view, int side,
		 __int128 ends[2])
{
	const struct equant_reach *reach = &transfer->reach[side];
	__int128 element = (__int128)transfer->element;

	ends[0] = ends[1] = (__int128)(uintptr_t)view->base[side];
	for (int d = 0; d < transfer->array.dimensions; d++) {
		__int128 low = element * view->strides[side][d] * reach->low[d];
		__int128 high = element * view->strides[side][d] * reach->high[d];

		ends[0] += low < high ? low : high;
		ends[1] += low < high ? high : low;
	}
	ends[1] += element;
}

static int check_view(const struct equant_transfer *transfer, const struct view *view)
{
	static const char *const names[2] = { "sends", "receives" };
	__int128 from[2], to[2];

	for (int side = 0; side < 2; side++) {
		if (!uses(transfer, side) || (view->base[side] && view->strides[side]))
			continue;
		equant_message("rank %d: equant_transfer_run: it %s and has no array or no strides",
			       transfer->rank, names[side]);
		return -EINVAL;
	}
	if (!uses(transfer, 0) || !uses(transfer, 1))
		return 0;
	span(transfer, view, 0, from);
	span(transfer, view, 1, to);
	if (from[0] < to[1] && to[0] < from[1]) {
		equant_message(
			"rank %d: equant_transfer_run: what is read and what is written overlap",
			transfer->rank);
		return -EINVAL;
	}
	return 0;
}

/* ---- messages ---------------------------------------------------------------------------- */

static char *box_of(const struct equant_lane *lane, const struct equant_letter *letter)
{
	return lane->boxes[letter->box].memory;
}

/* Begin the next chunk of a lane; a letter is packed with its first one. */
static int begin(struct equant_transfer *transfer, const struct view *view, int side)
{
	struct equant_lane *lane = &transfer->lanes[side];
	const struct equant_chunk *chunk = &lane->chunks[lane->begun];
	struct equant_letter *letter = &lane->letters[chunk->letter];
	MPI_Request *request = &lane->requests[lane->begun % lane->window];
	char *at = box_of(lane, letter) + chunk->at;

	if (!side && letter->first == lane->begun)
		equant_redist_pack(letter->part, transfer->element, view->strides[0], view->base[0],
				   box_of(lane, letter));
	lane->begun++;
	if (side)
		return equant_mpi_error(MPI_Irecv(at, chunk->length, MPI_BYTE, letter->peer, 0,
						  transfer->comm, request),
					"receiving of a redistribution");
	return equant_mpi_error(MPI_Isend(at, chunk->length, MPI_BYTE, letter->peer, 0,
					  transfer->comm, request),
				"sending of a redistribution");
}

static int begin_all(struct equant_transfer *transfer, const struct view *view)
{
	int error = 0;

	/* Receive first: what comes then has a place to go to. */
	for (int side = 1; side >= 0; side--) {
		struct equant_lane *lane = &transfer->lanes[side];

		while (!error && lane->begun < lane->chunk_count &&
		       lane->requests[lane->begun % lane->window] == MPI_REQUEST_NULL)
			error = begin(transfer, view, side);
	}
	return error;
}

/* The chunk that request @slot of the receiving lane was of is there. */
static void arrive(struct equant_transfer *transfer, const struct view *view, int64_t slot)
{
	struct equant_lane *lane = &transfer->lanes[1];
	int64_t behind = (lane->begun - 1 - slot) % lane->window, k = lane->begun - 1 - behind;
	struct equant_letter *letter = &lane->letters[lane->chunks[k].letter];

	if (!--letter->left)
		equant_redist_unpack(letter->part, transfer->element, view->strides[1],
				     box_of(lane, letter), view->base[1]);
}

static int finish_some(struct equant_transfer *transfer, const struct view *view, int *count)
{
	int sends = transfer->lanes[0].window;
	int error =
		equant_mpi_error(MPI_Waitsome(sends + transfer->lanes[1].window, transfer->requests,
					      count, transfer->done, MPI_STATUSES_IGNORE),
				 "waiting for messages of a redistribution");

	for (int i = 0; !error && *count != MPI_UNDEFINED && i < *count; i++)
		if (transfer->done[i] >= sends)
			arrive(transfer, view, transfer->done[i] - sends);
	return error;
}

static int carry_out(struct equant_transfer *transfer, const struct view *view)
{
	int error, count = 0;

	for (int side = 0; side < 2; side++) {
		struct equant_lane *lane = &transfer->lanes[side];

		lane->begun = 0;
		for (int64_t i = 0; i < lane->letter_count; i++)
			lane->letters[i].left = 0;
		for (int64_t k = 0; k < lane->chunk_count; k++)
			lane->letters[lane->chunks[k].letter].left++;
	}
	error = begin_all(transfer, view);
	if (!error && transfer->own)
		equant_redist_copy(transfer->own, transfer->element, view->strides[0],
				   view->base[0], view->strides[1], view->base[1]);
	while (!error) {
		error = finish_some(transfer, view, &count);
		if (error || count == MPI_UNDEFINED)
			break;
		error = begin_all(transfer, view);
	}
	return error;
}

int equant_transfer_run(struct equant_transfer *transfer, const int64_t *from_strides,
			const void *from, const int64_t *to_strides, void *to)
{
	struct view view = { { from_strides, to_strides }, { (char *)from, to } };
	int error;

	if (transfer->broken || equant_mpi_is_over())
		return -EPIPE;
	error = equant_mpi_agree(transfer->comm, check_view(transfer, &view));
	if (error)
		return error;
	error = carry_out(transfer, &view);
	transfer->broken = error != 0;
	return error;
}
