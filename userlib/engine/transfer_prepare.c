// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Everything that a transfer needs before it can run, once array and schedule are there.
 *
 * What a rank sends to neighbours is packed where they see it.  That memory is shared before the
 * first transfer of those that have the same neighbours, and again for one that needs more of it;
 * where the system does not allow that slots are private, and packed for messages.
 */
#include <errno.h>

#include "core/mpi_error.h"
#include "engine/transfer_internal.h"

/* What all ranks must know of each. */
enum word {
	FAILED,
	LACKS,
	MEMORY,
	WORDS,
};

static int plan(struct equant_transfer *transfer, size_t memory)
{
	int error = equant_transfer_plan(transfer, memory);

	if (!error)
		error = equant_near_find(transfer);
	return error ? error : equant_transfer_allocate(transfer);
}

/* Slots of what is sent are where neighbours see them, or else private. */
static int find_slots(struct equant_lane *lane, const struct equant_neighbours *neighbours)
{
	size_t room = equant_lane_room(lane);

	return !room || equant_neighbours_memory(neighbours, room) ? 0 : equant_lane_fill(lane);
}

static int share(struct equant_transfer *transfer)
{
	struct equant_lane *lane = &transfer->lanes[0];
	int error = equant_neighbours_share(transfer->neighbours, equant_lane_room(lane));

	if (!error && !lane->private)
		error = find_slots(lane, transfer->neighbours);
	return equant_mpi_agree(transfer->comm, error);
}

int equant_transfer_prepare(struct equant_transfer *transfer,
			    const struct equant_transfer_options *options, int error,
			    int64_t *memory)
{
	struct equant_lane *lane = &transfer->lanes[0];
	int64_t mine[WORDS] = { 0 }, most[WORDS];
	int failed;

	if (!transfer->neighbours && options->node != EQUANT_TRANSFER_NODE_MESSAGES)
		error = equant_neighbours_new(transfer->comm, error, &transfer->neighbours);
	if (!error)
		error = plan(transfer, options->memory);
	if (!error) {
		size_t bytes = equant_transfer_memory(transfer);

		mine[LACKS] = equant_neighbours_lack(transfer->neighbours, equant_lane_room(lane));
		mine[MEMORY] = bytes < INT64_MAX ? (int64_t)bytes : INT64_MAX;
		if (!mine[LACKS])
			error = find_slots(lane, transfer->neighbours);
	}
	mine[FAILED] = error != 0;
	failed = equant_mpi_error(MPI_Allreduce(mine, most, WORDS, MPI_INT64_T, MPI_MAX,
						transfer->comm),
				  "preparing a redistribution");
	if (error || failed)
		return error ? error : failed;
	if (memory)
		*memory = most[MEMORY];
	if (most[FAILED])
		return -ECANCELED;
	return most[LACKS] ? share(transfer) : 0;
}
