// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Every rank makes the whole schedule, which is the same everywhere, and takes out of it what it
 * sends and what it receives.
 *
 * Nobody waits in a circle: of all chunks that are not through take the first in the schedule's
 * order.  What its sender has before it is through, and what its receiver has too, so both have a
 * stream for it and it is the next one there.  That holds for any windows, so those that memory has
 * made smaller need not be the same on all ranks.
 */
#include <errno.h>
#include <stdlib.h>

#include "core/message.h"
#include "engine/transfer_internal.h"

#define ROUNDING 1e-9 /* of shares: as equant_redist_schedule_check() has it */

/**
 * struct plan - what is needed while planning only
 * @letters: of each rank in either lane, or -1
 * @shares: how much of each rank's message has been put into the lane
 */
struct plan {
	int64_t *letters[2];
	double *shares[2];
};

static int number_of(const int *ranks, int count, int rank)
{
	for (int i = 0; i < count; i++)
		if (ranks[i] == rank)
			return i;
	return -1;
}

/* ---- lanes ------------------------------------------------------------------------------ */

struct equant_redist_part *equant_transfer_part(struct equant_transfer *transfer, int side,
						int peer)
{
	struct equant_redist_part **part = &transfer->lanes[side].parts[peer];
	int count = side ? equant_redist_senders(&transfer->array) :
			   equant_redist_receivers(&transfer->array);

	if (!*part) {
		int number = number_of(transfer->lists[!side], count, peer);

		*part = equant_redist_part_new(&transfer->array,
					       side ? number : transfer->number[0],
					       side ? transfer->number[1] : number);
	}
	return *part;
}

/* The letter of @peer in a lane, a new one at the first time; its index or -errno. */
static int64_t letter_of(struct equant_transfer *transfer, struct plan *plan, int side, int peer)
{
	struct equant_lane *lane = &transfer->lanes[side];
	struct equant_redist_part *part;

	if (plan->letters[side][peer] >= 0)
		return plan->letters[side][peer];
	part = equant_transfer_part(transfer, side, peer);
	if (!part)
		return -errno;
	lane->letters[lane->letter_count] = (struct equant_letter){
		.peer = peer,
		.tag = EQUANT_TRANSFER_DATA,
		.part = part,
		.bytes = (size_t)part->elements * transfer->element,
	};
	return plan->letters[side][peer] = lane->letter_count++;
}

/* Byte up to which @share of a message goes: the same at the sender and the receiver. */
static size_t end_of(size_t bytes, double share)
{
	size_t end = (size_t)((double)bytes * share);

	/* Twice: a sum that is just within it may be just outside of it when the other is subtracted. */
	return share > 1 - 2 * ROUNDING || end > bytes ? bytes : end;
}

static int add_piece(struct equant_transfer *transfer, struct plan *plan, size_t largest, int side,
		     const struct equant_redist_piece *piece)
{
	int peer = side ? piece->from : piece->to;
	struct equant_lane *lane = &transfer->lanes[side];
	int64_t letter = letter_of(transfer, plan, side, peer);

	if (letter < 0)
		return (int)letter;
	plan->shares[side][peer] += piece->share;
	return equant_lane_add(lane, letter,
			       end_of(lane->letters[letter].bytes, plan->shares[side][peer]),
			       largest);
}

static int fill_lanes(struct equant_transfer *transfer, struct plan *plan, size_t largest)
{
	const struct equant_redist_schedule *schedule = transfer->schedule;
	int error = 0;

	for (int64_t i = 0; i < schedule->count && !error; i++) {
		const struct equant_redist_piece *piece = &schedule->pieces[i];

		if (piece->from == transfer->rank)
			error = add_piece(transfer, plan, largest, 0, piece);
		if (piece->to == transfer->rank && !error)
			error = add_piece(transfer, plan, largest, 1, piece);
	}
	return error;
}

static int make_plan(struct equant_transfer *transfer, struct plan *plan)
{
	size_t ranks = (size_t)transfer->ranks;

	for (int side = 0; side < 2; side++) {
		plan->letters[side] = calloc(ranks, sizeof(int64_t));
		plan->shares[side] = calloc(ranks, sizeof(double));
		transfer->lanes[side].letters =
			calloc(ranks, sizeof(*transfer->lanes[side].letters));
		if (!plan->letters[side] || !plan->shares[side] || !transfer->lanes[side].letters)
			return -ENOMEM;
		for (int r = 0; r < transfer->ranks; r++)
			plan->letters[side][r] = -1;
	}
	return 0;
}

static int make_straight_lanes(struct equant_transfer *transfer)
{
	struct plan plan = { 0 };
	int error = make_plan(transfer, &plan);

	if (!error)
		error = fill_lanes(transfer, &plan, transfer->largest);
	for (int side = 0; side < 2; side++) {
		free(plan.letters[side]);
		free(plan.shares[side]);
	}
	return error;
}

static int make_lanes(struct equant_transfer *transfer)
{
	for (int side = 0; side < 2; side++) {
		struct equant_lane *lane = &transfer->lanes[side];

		lane->parts = calloc((size_t)transfer->ranks, sizeof(struct equant_redist_part *));
		if (!lane->parts)
			return -ENOMEM;
		lane->part_count = transfer->ranks;
	}
	return transfer->route ? equant_transfer_route_lanes(transfer) :
				 make_straight_lanes(transfer);
}

/* ---- memory ----------------------------------------------------------------------------- */

static void resize(struct equant_transfer *transfer, int slots)
{
	for (int side = 0; side < 2; side++)
		equant_lane_resize(&transfer->lanes[side], transfer->window, slots);
}

static int fit_memory(struct equant_transfer *transfer, size_t memory)
{
	int slots;

	resize(transfer, EQUANT_TRANSFER_TAGS);
	slots = transfer->lanes[0].slot_count;
	if (transfer->lanes[1].slot_count > slots)
		slots = transfer->lanes[1].slot_count;
	while (memory && equant_transfer_memory(transfer) > memory) {
		if (slots == 1) {
			equant_message(
				"rank %d: %s: memory of %zu bytes, %zu are needed for pieces of %zu",
				transfer->rank, transfer->call, memory,
				equant_transfer_memory(transfer), transfer->largest);
			return -ENOBUFS;
		}
		slots -= (slots + 7) / 8;
		resize(transfer, slots);
	}
	return 0;
}

/* The next @count requests of all. */
static MPI_Request *take(struct equant_transfer *transfer, int count)
{
	MPI_Request *first = transfer->requests + transfer->request_count;

	transfer->request_count += count;
	return first;
}

int equant_transfer_allocate(struct equant_transfer *transfer)
{
	struct equant_lane *lanes = transfer->lanes;
	int slots = lanes[0].slot_count + lanes[1].slot_count;
	int notes = 2 * (lanes[0].near_count + lanes[1].near_count);
	size_t count = 2 * (size_t)slots + (size_t)notes;

	transfer->requests = reallocarray(NULL, count, sizeof(*transfer->requests));
	transfer->done = reallocarray(NULL, count, sizeof(*transfer->done));
	transfer->statuses = reallocarray(NULL, count, sizeof(*transfer->statuses));
	if (!transfer->requests || !transfer->done || !transfer->statuses)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		transfer->requests[i] = MPI_REQUEST_NULL;
	transfer->request_count = 0;
	for (int side = 0; side < 2; side++)
		lanes[side].requests = take(transfer, lanes[side].slot_count);
	for (int side = 0; side < 2; side++)
		lanes[side].answers = take(transfer, lanes[side].slot_count);
	for (int side = 0; side < 2; side++)
		lanes[side].notes = take(transfer, 2 * lanes[side].near_count);
	if (transfer->transit_size)
		transfer->transit = malloc(transfer->transit_size);
	if (transfer->transit_size && !transfer->transit)
		return -ENOMEM;
	return equant_lane_fill(&lanes[1]);
}

/* ---- what is here ------------------------------------------------------------------------ */

static void reach(struct equant_reach *reach, const struct equant_redist_part *part, int side)
{
	reach->elements += part->elements;
	for (int d = 0; d < part->dimensions; d++) {
		const struct equant_redist_runs *runs = part->runs[d];

		for (int64_t i = 0; i < runs->count; i++) {
			const struct equant_redist_run *run = &runs->run[i];
			int64_t low = side ? run->to : run->from;
			int64_t step = side ? run->to_step : run->from_step;
			int64_t period = side ? run->to_period : run->from_period;
			int64_t high = low + run->length - 1 + (run->count - 1) * step +
				       (run->repeats - 1) * period;

			reach->low[d] = low < reach->low[d] ? low : reach->low[d];
			reach->high[d] = high > reach->high[d] ? high : reach->high[d];
		}
	}
}

static void reach_all(struct equant_transfer *transfer)
{
	for (int side = 0; side < 2; side++) {
		const struct equant_lane *lane = &transfer->lanes[side];

		transfer->reach[side].elements = 0;
		for (int d = 0; d < EQUANT_REDIST_DIMENSIONS; d++) {
			transfer->reach[side].low[d] = INT64_MAX;
			transfer->reach[side].high[d] = -1;
		}
		for (int i = 0; i < lane->part_count; i++)
			if (lane->parts[i])
				reach(&transfer->reach[side], lane->parts[i], side);
		if (transfer->own)
			reach(&transfer->reach[side], transfer->own, side);
	}
}

static int make_own(struct equant_transfer *transfer)
{
	if (transfer->number[0] < 0 || transfer->number[1] < 0)
		return 0;
	transfer->own =
		equant_redist_part_new(&transfer->array, transfer->number[0], transfer->number[1]);
	if (!transfer->own)
		return -errno;
	if (transfer->own->elements > INT64_MAX / 2 / (int64_t)transfer->element) {
		equant_message("rank %d: %s: 2^62 bytes stay on this rank", transfer->rank,
			       transfer->call);
		return -EOVERFLOW;
	}
	if (!transfer->own->elements) {
		equant_redist_part_free(transfer->own);
		transfer->own = NULL;
	}
	return 0;
}

int equant_transfer_plan(struct equant_transfer *transfer, size_t memory)
{
	int error;

	transfer->number[0] = number_of(transfer->lists[0], equant_redist_senders(&transfer->array),
					transfer->rank);
	transfer->number[1] = number_of(transfer->lists[1],
					equant_redist_receivers(&transfer->array), transfer->rank);
	error = make_own(transfer);
	if (!error)
		error = make_lanes(transfer);
	if (error)
		return error;
	reach_all(transfer);
	error = fit_memory(transfer, memory);
	for (int side = 0; side < 2 && !error; side++)
		error = equant_lane_allocate(&transfer->lanes[side]);
	return error;
}
