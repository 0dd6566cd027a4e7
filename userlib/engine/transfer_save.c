// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Plans to files: all ranks have the same one, so that one file, of any of them, is enough. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/message.h"
#include "engine/transfer_file.h"
#include "loop/units.h"

#define SUMMED offsetof(struct equant_plan_header, element) /* here what @sum is of begins */

uint64_t equant_plan_sum(const char *file, uint64_t count)
{
	uint64_t sum = count - SUMMED;

	for (uint64_t i = SUMMED; i < count; i += sizeof(uint64_t)) {
		uint64_t word = 0;

		memcpy(&word, file + i, count - i < sizeof(word) ? count - i : sizeof(word));
		sum = equant_mix(sum ^ word);
	}
	return sum;
}

uint64_t equant_plan_size(const struct equant_plan_header *header)
{
	return sizeof(*header) +
	       sizeof(int32_t) * ((uint64_t)header->sides[0] + (uint64_t)header->sides[1]) +
	       sizeof(struct equant_plan_piece) * (uint64_t)header->pieces +
	       sizeof(struct equant_plan_leg) * (uint64_t)header->legs +
	       sizeof(struct equant_plan_parcel) * (uint64_t)header->parcels;
}

/* ---- to a file ---------------------------------------------------------------------------- */

static void put_cyclic(int64_t to[4], const struct equant_redist_cyclic *cyclic)
{
	to[0] = cyclic->block;
	to[1] = cyclic->processes;
	to[2] = cyclic->first;
	to[3] = cyclic->offset;
}

static int64_t parcels_of(const struct equant_redist_route *route)
{
	int64_t count = 0;

	for (int64_t i = 0; i < route->count; i++)
		count += route->legs[i].count;
	return count;
}

static void put_header(const struct equant_transfer *transfer, struct equant_plan_header *header)
{
	const struct equant_redist_schedule *schedule = transfer->schedule;
	const struct equant_redist_array *array = &transfer->array;

	*header = (struct equant_plan_header){
		.magic = EQUANT_PLAN_MAGIC,
		.order = EQUANT_PLAN_ORDER,
		.version = EQUANT_PLAN_VERSION,
		.element = transfer->element,
		.largest = transfer->largest,
		.makespan = schedule->makespan,
		.bound = schedule->bound,
		.pieces = transfer->route ? 0 : schedule->count,
		.legs = transfer->route ? transfer->route->count : 0,
		.parcels = transfer->route ? parcels_of(transfer->route) : 0,
		.ranks = { transfer->groups[0].count, transfer->groups[1].count },
		.sides = { equant_redist_senders(array), equant_redist_receivers(array) },
		.window = transfer->window,
		.dimensions = array->dimensions,
		.orders = { (int32_t)array->from_order, (int32_t)array->to_order },
		.routed = transfer->route != NULL,
	};
	for (int d = 0; d < array->dimensions; d++) {
		header->extent[d] = array->extent[d];
		put_cyclic(header->cyclic[0][d], &array->from[d]);
		put_cyclic(header->cyclic[1][d], &array->to[d]);
	}
	snprintf(header->scheduler, sizeof(header->scheduler), "%s", schedule->scheduler);
	header->bytes = equant_plan_size(header);
}

static void put(char **at, const void *bytes, size_t count)
{
	memcpy(*at, bytes, count);
	*at += count;
}

static void put_lists(const struct equant_transfer *transfer, const int32_t sides[2], char **at)
{
	for (int side = 0; side < 2; side++) {
		for (int i = 0; i < sides[side]; i++) {
			int32_t rank = transfer->lists[side][i] - transfer->groups[side].first;

			put(at, &rank, sizeof(rank));
		}
	}
}

static void put_pieces(const struct equant_redist_schedule *schedule, char **at)
{
	for (int64_t i = 0; i < schedule->count; i++) {
		const struct equant_redist_piece *from = &schedule->pieces[i];
		struct equant_plan_piece piece = { from->from, from->to, from->begin, from->end,
						   from->share };

		put(at, &piece, sizeof(piece));
	}
}

/* Parcels are in the order of their legs only within each leg. */
static void put_route(const struct equant_redist_route *route, char **at)
{
	for (int64_t i = 0; i < route->count; i++) {
		const struct equant_redist_leg *from = &route->legs[i];
		struct equant_plan_leg leg = { from->step,  from->from,	 from->to, 0,
					       from->count, from->begin, from->end };

		put(at, &leg, sizeof(leg));
	}
	for (int64_t i = 0; i < route->count; i++) {
		for (int64_t k = 0; k < route->legs[i].count; k++) {
			const struct equant_redist_parcel *from =
				&route->parcels[route->legs[i].first + k];
			struct equant_plan_parcel parcel = { from->volume, from->begin,
							     from->bytes };

			put(at, &parcel, sizeof(parcel));
		}
	}
}

static void put_all(const struct equant_transfer *transfer, char *file)
{
	struct equant_plan_header *header = (struct equant_plan_header *)file;
	char *at = file + sizeof(*header);

	put_header(transfer, header);
	put_lists(transfer, header->sides, &at);
	if (transfer->route)
		put_route(transfer->route, &at);
	else
		put_pieces(transfer->schedule, &at);
	header->sum = equant_plan_sum(file, header->bytes);
}

static int write_file(const char *path, const char *bytes, size_t count)
{
	FILE *file = fopen(path, "wb");
	int error = file ? 0 : -errno;

	if (file) {
		if (fwrite(bytes, 1, count, file) != count)
			error = -errno;
		if (fclose(file) && !error)
			error = -errno;
	}
	if (error)
		equant_message("%s: %s", path, strerror(-error));
	return error;
}

int equant_transfer_save(const struct equant_transfer *transfer, const char *path)
{
	struct equant_plan_header header;
	char *file;
	int error;

	put_header(transfer, &header);
	file = calloc(1, header.bytes);
	if (!file)
		return -ENOMEM;
	put_all(transfer, file);
	error = write_file(path, file, header.bytes);
	free(file);
	return error;
}
