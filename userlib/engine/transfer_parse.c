// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* What a plan's file holds, if it is as it was written and for these ranks. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/message.h"
#include "engine/transfer_file.h"

#define ROUNDING 1e-9 /* of shares: as equant_redist_schedule_check() has it */

int equant_plan_fault(const struct equant_plan_file *file, const char *what)
{
	if (file->says)
		equant_message("%s: %s", file->path, what);
	return -EINVAL;
}

/* Can the file have so many of something? */
static bool counts(const struct equant_plan_file *file, int64_t count)
{
	return count >= 0 && (uint64_t)count <= file->count;
}

/* Has it the parts of one kind of plan only? */
static bool is_one_kind(const struct equant_plan_header *header)
{
	if (header->routed)
		return header->routed == 1 && !header->pieces;
	return !header->legs && !header->parcels;
}

/* Is it as it was written? */
static int check_whole(const struct equant_plan_file *file)
{
	const struct equant_plan_header *header = (const struct equant_plan_header *)file->bytes;

	if (file->count < sizeof(header->magic) ||
	    memcmp(header->magic, EQUANT_PLAN_MAGIC, sizeof(header->magic)))
		return equant_plan_fault(file, "this is no plan of a transfer");
	if (file->count < sizeof(*header))
		return equant_plan_fault(file, "the end is missing");
	if (header->order != EQUANT_PLAN_ORDER)
		return equant_plan_fault(file, "written by a machine with another byte order");
	if (header->version != EQUANT_PLAN_VERSION)
		return equant_plan_fault(file, "of another version");
	if (header->bytes != file->count)
		return equant_plan_fault(file, header->bytes > file->count ?
						       "the end is missing" :
						       "something follows its end");
	if (header->sum != equant_plan_sum(file->bytes, file->count))
		return equant_plan_fault(file, "damaged: its bytes do not add up");
	if (header->sides[0] < 0 || header->sides[1] < 0 || !counts(file, header->pieces) ||
	    !counts(file, header->legs) || !counts(file, header->parcels) || !is_one_kind(header) ||
	    equant_plan_size(header) != file->count)
		return equant_plan_fault(file, "damaged: it has not what it should");
	return 0;
}

static struct equant_redist_cyclic get_cyclic(const int64_t from[4])
{
	return (struct equant_redist_cyclic){ from[0], (int)from[1], (int)from[2], from[3] };
}

static int get_array(struct equant_transfer *transfer, const struct equant_plan_file *file)
{
	const struct equant_plan_header *header = (const struct equant_plan_header *)file->bytes;
	struct equant_redist_array *array = &transfer->array;
	char why[200] = "elements of no size, or pieces";

	array->dimensions = header->dimensions;
	array->from_order = (enum equant_redist_order)header->orders[0];
	array->to_order = (enum equant_redist_order)header->orders[1];
	for (int d = 0; d < EQUANT_REDIST_DIMENSIONS; d++) {
		array->extent[d] = header->extent[d];
		array->from[d] = get_cyclic(header->cyclic[0][d]);
		array->to[d] = get_cyclic(header->cyclic[1][d]);
	}
	transfer->element = header->element;
	transfer->largest = header->largest;
	transfer->window = header->window;
	if (!header->element || !header->largest || header->largest > INT32_MAX ||
	    header->window < 1 || equant_redist_array_check(array, why, sizeof(why)))
		return equant_plan_fault(file, why);
	if (header->sides[0] != equant_redist_senders(array) ||
	    header->sides[1] != equant_redist_receivers(array))
		return equant_plan_fault(file, "its ranks are not those of its array");
	if (header->ranks[0] == transfer->groups[0].count &&
	    header->ranks[1] == transfer->groups[1].count)
		return 0;
	return equant_plan_fault(file, "for another number of ranks");
}

/* The ranks of one side, no two the same. */
static int get_list(struct equant_transfer *transfer, const struct equant_plan_file *file, int side,
		    const char *from)
{
	int count = ((const struct equant_plan_header *)file->bytes)->sides[side];
	const struct equant_group *group = &transfer->groups[side];
	bool *seen = calloc((size_t)group->count, sizeof(*seen));
	int *list = reallocarray(NULL, (size_t)count, sizeof(*list));
	int error = seen && list ? 0 : -ENOMEM;

	transfer->lists[side] = list;
	for (int i = 0; i < count && !error; i++) {
		int32_t rank;

		memcpy(&rank, from + sizeof(rank) * (size_t)i, sizeof(rank));
		if (rank < 0 || rank >= group->count || seen[rank]) {
			error = equant_plan_fault(file,
						  "it has ranks that there are not, or twice");
			break;
		}
		seen[rank] = true;
		list[i] = group->first + rank;
	}
	free(seen);
	return error;
}

const char *equant_plan_find_name(const struct equant_plan_header *header,
				  const char *(*name_of)(int i))
{
	const char *name;

	for (int i = 0; (name = name_of(i)); i++)
		if (!strncmp(header->scheduler, name, sizeof(header->scheduler)))
			break;
	return name;
}

/* Routers make schedules, too, where all goes straight. */
static const char *find_planner(const struct equant_plan_header *header)
{
	const char *name = equant_plan_find_name(header, equant_redist_scheduler_name);

	return name ? name : equant_plan_find_name(header, equant_redist_router_name);
}

static int get_schedule(struct equant_transfer *transfer, const struct equant_plan_file *file,
			const char *from)
{
	const struct equant_plan_header *header = (const struct equant_plan_header *)file->bytes;
	struct equant_redist_schedule *schedule = calloc(1, sizeof(*schedule));

	if (!schedule)
		return -ENOMEM;
	transfer->schedule = schedule;
	*schedule = (struct equant_redist_schedule){
		.scheduler = find_planner(header),
		.ranks = transfer->ranks,
		.count = header->pieces,
		.makespan = header->makespan,
		.bound = header->bound,
		.pieces = calloc((size_t)header->pieces + 1, sizeof(*schedule->pieces)),
	};
	if (!schedule->scheduler)
		return equant_plan_fault(file, "its scheduler is not known");
	if (!schedule->pieces)
		return -ENOMEM;
	for (int64_t i = 0; i < schedule->count; i++) {
		struct equant_plan_piece piece;

		memcpy(&piece, from + sizeof(piece) * (size_t)i, sizeof(piece));
		schedule->pieces[i] = (struct equant_redist_piece){ piece.from, piece.to,
								    piece.begin, piece.end,
								    piece.share };
	}
	return 0;
}

static int by_ranks(const void *a, const void *b)
{
	const struct equant_redist_volume *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

/* Do the pieces make up all messages, in the order of ranks, and nothing else?  @sent is all 0. */
static bool carry_all(const struct equant_redist_schedule *schedule,
		      const struct equant_redist_volume *volumes, int64_t count, double *sent)
{
	for (int64_t i = 0; i < schedule->count; i++) {
		const struct equant_redist_piece *piece = &schedule->pieces[i];
		const struct equant_redist_volume key = { .from = piece->from, .to = piece->to };
		const struct equant_redist_volume *volume =
			bsearch(&key, volumes, (size_t)count, sizeof(*volumes), by_ranks);

		if (!volume || !(piece->share > 0))
			return false;
		sent[volume - volumes] += piece->share;
	}
	for (int64_t k = 0; k < count; k++)
		if (!(fabs(sent[k] - 1) <= ROUNDING))
			return false;
	return true;
}

static int check_schedule(const struct equant_transfer *transfer,
			  const struct equant_plan_file *file, struct equant_redist_volume *volumes,
			  int64_t count)
{
	double *sent = calloc((size_t)count + 1, sizeof(*sent));
	int error = sent ? 0 : -ENOMEM;

	if (!error) {
		qsort(volumes, (size_t)count, sizeof(*volumes), by_ranks);
		if (!carry_all(transfer->schedule, volumes, count, sent))
			error = equant_plan_fault(file,
						  "its schedule is not of its array's messages");
	}
	free(sent);
	return error;
}

static int get_messages(struct equant_transfer *transfer, const struct equant_plan_file *file,
			const char *from)
{
	const struct equant_plan_header *header = (const struct equant_plan_header *)file->bytes;
	int64_t count;
	struct equant_redist_volume *volumes =
		equant_redist_volumes(&transfer->array, transfer->element, transfer->lists[0],
				      transfer->lists[1], &count);
	int error;

	if (!volumes)
		return -errno;
	if (header->routed) {
		transfer->volumes = volumes;
		return equant_plan_parse_route(file, transfer, from, count);
	}
	error = get_schedule(transfer, file, from);
	if (!error)
		error = check_schedule(transfer, file, volumes, count);
	free(volumes);
	return error;
}

int equant_plan_parse(const struct equant_plan_file *file, struct equant_transfer *transfer)
{
	const struct equant_plan_header *header = (const struct equant_plan_header *)file->bytes;
	const char *at = file->bytes + sizeof(*header);
	int error = check_whole(file);

	if (!error)
		error = get_array(transfer, file);
	for (int side = 0; side < 2 && !error; side++) {
		error = get_list(transfer, file, side, at);
		at += sizeof(int32_t) * (size_t)header->sides[side];
	}
	return error ? error : get_messages(transfer, file, at);
}
