// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Plans in files: a header, then the ranks of senders and receivers, then the schedule's pieces.
 * All ranks have the same plan, so one file is enough; one rank reads it and all look at what it
 * holds.
 *
 * Numbers are as the machine has them.  The header says how it has them, how long the file must be
 * and what its bytes add up to, so that what was cut off, damaged or written elsewhere is found
 * out.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/message.h"
#include "core/mpi_error.h"
#include "engine/transfer_internal.h"
#include "loop/units.h"

#define MAGIC "equantTR"
#define ORDER 0x01020304u
#define VERSION 1u
#define ROUNDING 1e-9 /* of shares: as equant_redist_schedule_check() has it */

/**
 * struct header - what a file begins with
 * @magic: MAGIC
 * @order: ORDER
 * @version: VERSION
 * @bytes: of the file
 * @sum: of all that follows
 * @element: bytes
 * @largest: as in the options, but never 0
 * @makespan: of the schedule
 * @bound: likewise
 * @pieces: how many it has
 * @ranks: of the groups of senders and of receivers
 * @sides: senders, and receivers
 * @window: messages under way at once
 * @dimensions: of the array
 * @orders: of its grids
 * @cyclic: block, processes, first and offset of senders and receivers in each dimension
 * @extent: elements in each dimension
 * @scheduler: who made the schedule
 */
struct header {
	char magic[8];
	uint32_t order;
	uint32_t version;
	uint64_t bytes;
	uint64_t sum;
	uint64_t element;
	uint64_t largest;
	double makespan;
	double bound;
	int64_t pieces;
	int32_t ranks[2];
	int32_t sides[2];
	int32_t window;
	int32_t dimensions;
	int32_t orders[2];
	int64_t cyclic[2][EQUANT_REDIST_DIMENSIONS][4];
	int64_t extent[EQUANT_REDIST_DIMENSIONS];
	char scheduler[32];
};

struct piece {
	int32_t from;
	int32_t to;
	double begin;
	double end;
	double share;
};

#define SUMMED offsetof(struct header, element) /* here what @sum is of begins */

static uint64_t sum_of(const char *bytes, size_t count)
{
	uint64_t sum = count, word = 0;

	for (size_t i = 0; i < count; i += sizeof(word)) {
		size_t rest = count - i < sizeof(word) ? count - i : sizeof(word);

		word = 0;
		memcpy(&word, bytes + i, rest);
		sum = equant_mix(sum ^ word);
	}
	return sum;
}

static uint64_t size_of(const struct header *header)
{
	return sizeof(*header) + sizeof(int32_t) * (uint64_t)(header->sides[0] + header->sides[1]) +
	       sizeof(struct piece) * (uint64_t)header->pieces;
}

/* ---- to a file ---------------------------------------------------------------------------- */

static void put_cyclic(int64_t to[4], const struct equant_redist_cyclic *cyclic)
{
	to[0] = cyclic->block;
	to[1] = cyclic->processes;
	to[2] = cyclic->first;
	to[3] = cyclic->offset;
}

static void put_header(const struct equant_transfer *transfer, struct header *header)
{
	const struct equant_redist_schedule *schedule = transfer->schedule;
	const struct equant_redist_array *array = &transfer->array;

	*header = (struct header){
		.magic = MAGIC,
		.order = ORDER,
		.version = VERSION,
		.element = transfer->element,
		.largest = transfer->largest,
		.makespan = schedule->makespan,
		.bound = schedule->bound,
		.pieces = schedule->count,
		.ranks = { transfer->groups[0].count, transfer->groups[1].count },
		.sides = { equant_redist_senders(array), equant_redist_receivers(array) },
		.window = transfer->window,
		.dimensions = array->dimensions,
		.orders = { (int32_t)array->from_order, (int32_t)array->to_order },
	};
	for (int d = 0; d < array->dimensions; d++) {
		header->extent[d] = array->extent[d];
		put_cyclic(header->cyclic[0][d], &array->from[d]);
		put_cyclic(header->cyclic[1][d], &array->to[d]);
	}
	snprintf(header->scheduler, sizeof(header->scheduler), "%s", schedule->scheduler);
	header->bytes = size_of(header);
}

static void put_all(const struct equant_transfer *transfer, char *file)
{
	struct header *header = (struct header *)file;
	char *at = file + sizeof(*header);

	put_header(transfer, header);
	for (int side = 0; side < 2; side++) {
		for (int i = 0; i < header->sides[side]; i++) {
			int32_t rank = transfer->lists[side][i] - transfer->groups[side].first;

			memcpy(at, &rank, sizeof(rank));
			at += sizeof(rank);
		}
	}
	for (int64_t i = 0; i < header->pieces; i++) {
		const struct equant_redist_piece *from = &transfer->schedule->pieces[i];
		struct piece piece = { from->from, from->to, from->begin, from->end, from->share };

		memcpy(at, &piece, sizeof(piece));
		at += sizeof(piece);
	}
	header->sum = sum_of(file + SUMMED, header->bytes - SUMMED);
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
	struct header header;
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

/* ---- from a file ---------------------------------------------------------------------------- */

/**
 * struct file - a file's bytes
 * @path: its name
 * @says: does this rank say what is wrong with it?
 * @bytes: all of them, or NULL
 * @count: of them
 */
struct file {
	const char *path;
	bool says;
	char *bytes;
	uint64_t count;
};

static int fault(const struct file *file, const char *what)
{
	if (file->says)
		equant_message("%s: %s", file->path, what);
	return -EINVAL;
}

static int read_bytes(struct file *file, FILE *from)
{
	size_t room = 0, got;

	do {
		char *more = realloc(file->bytes, 2 * room + 4096);

		if (!more)
			return -ENOMEM;
		file->bytes = more;
		room = 2 * room + 4096;
		got = fread(file->bytes + file->count, 1, room - file->count, from);
		file->count += got;
	} while (file->count == room);
	return ferror(from) ? -errno : 0;
}

static int read_file(struct file *file)
{
	FILE *from = fopen(file->path, "rb");
	int error = from ? read_bytes(file, from) : -errno;

	if (from)
		fclose(from);
	if (error)
		equant_message("%s: %s", file->path, strerror(-error));
	return error;
}

/* Rank 0's on all. */
static int share_file(const struct equant_transfer *transfer, struct file *file)
{
	int error = transfer->rank ? 0 : read_file(file);

	error = equant_mpi_agree(transfer->comm, error);
	if (!error)
		error = equant_mpi_error(MPI_Bcast(&file->count, 1, MPI_UINT64_T, 0,
						   transfer->comm),
					 "sharing a plan");
	if (error)
		return error;
	if (transfer->rank)
		file->bytes = malloc(file->count + 1);
	error = equant_mpi_agree(transfer->comm, file->bytes ? 0 : -ENOMEM);
	for (uint64_t at = 0; at < file->count && !error; at += EQUANT_TRANSFER_LARGEST) {
		uint64_t rest = file->count - at;

		rest = rest < EQUANT_TRANSFER_LARGEST ? rest : EQUANT_TRANSFER_LARGEST;
		error = equant_mpi_error(MPI_Bcast(file->bytes + at, (int)rest, MPI_BYTE, 0,
						   transfer->comm),
					 "sharing a plan");
	}
	return error;
}

/* Is it as it was written? */
static int check_whole(const struct file *file)
{
	const struct header *header = (const struct header *)file->bytes;

	if (file->count < sizeof(*header) || memcmp(header->magic, MAGIC, sizeof(header->magic)))
		return fault(file, "this is no plan of a transfer");
	if (header->order != ORDER)
		return fault(file, "written by a machine with another byte order");
	if (header->version != VERSION)
		return fault(file, "of another version");
	if (header->bytes != file->count)
		return fault(file, header->bytes > file->count ? "the end is missing" :
								 "something follows its end");
	if (header->sum != sum_of(file->bytes + SUMMED, file->count - SUMMED))
		return fault(file, "damaged: its bytes do not add up");
	if (header->sides[0] < 0 || header->sides[1] < 0 || header->pieces < 0 ||
	    (uint64_t)header->pieces > file->count || size_of(header) != file->count)
		return fault(file, "damaged: it has not what it should");
	return 0;
}

static struct equant_redist_cyclic get_cyclic(const int64_t from[4])
{
	return (struct equant_redist_cyclic){ from[0], (int)from[1], (int)from[2], from[3] };
}

static int get_array(struct equant_transfer *transfer, const struct file *file)
{
	const struct header *header = (const struct header *)file->bytes;
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
		return fault(file, why);
	if (header->sides[0] != equant_redist_senders(array) ||
	    header->sides[1] != equant_redist_receivers(array))
		return fault(file, "its ranks are not those of its array");
	if (header->ranks[0] == transfer->groups[0].count &&
	    header->ranks[1] == transfer->groups[1].count)
		return 0;
	return fault(file, "for another number of ranks");
}

/* The ranks of one side, no two the same. */
static int get_list(struct equant_transfer *transfer, const struct file *file, int side,
		    const char *from)
{
	int count = ((const struct header *)file->bytes)->sides[side];
	const struct equant_group *group = &transfer->groups[side];
	bool *seen = calloc((size_t)group->count, sizeof(*seen));
	int *list = reallocarray(NULL, (size_t)count, sizeof(*list));
	int error = seen && list ? 0 : -ENOMEM;

	transfer->lists[side] = list;
	for (int i = 0; i < count && !error; i++) {
		int32_t rank;

		memcpy(&rank, from + sizeof(rank) * (size_t)i, sizeof(rank));
		if (rank < 0 || rank >= group->count || seen[rank]) {
			error = fault(file, "it has ranks that there are not, or twice");
			break;
		}
		seen[rank] = true;
		list[i] = group->first + rank;
	}
	free(seen);
	return error;
}

static const char *find_scheduler(const struct header *header)
{
	for (int i = 0; equant_redist_scheduler_name(i); i++)
		if (!strncmp(header->scheduler, equant_redist_scheduler_name(i),
			     sizeof(header->scheduler)))
			return equant_redist_scheduler_name(i);
	return NULL;
}

static int get_schedule(struct equant_transfer *transfer, const struct file *file, const char *from)
{
	const struct header *header = (const struct header *)file->bytes;
	struct equant_redist_schedule *schedule = calloc(1, sizeof(*schedule));

	if (!schedule)
		return -ENOMEM;
	transfer->schedule = schedule;
	*schedule = (struct equant_redist_schedule){
		.scheduler = find_scheduler(header),
		.ranks = transfer->ranks,
		.count = header->pieces,
		.makespan = header->makespan,
		.bound = header->bound,
		.pieces = calloc((size_t)header->pieces + 1, sizeof(*schedule->pieces)),
	};
	if (!schedule->scheduler)
		return fault(file, "its scheduler is not known");
	if (!schedule->pieces)
		return -ENOMEM;
	for (int64_t i = 0; i < schedule->count; i++) {
		struct piece piece;

		memcpy(&piece, from + sizeof(piece) * (size_t)i, sizeof(piece));
		schedule->pieces[i] = (struct equant_redist_piece){ piece.from, piece.to,
								    piece.begin, piece.end,
								    piece.share };
	}
	return 0;
}

static int by_ranks(const void *a, const void *b)
{
	const struct equant_redist_piece *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

static int volume_by_ranks(const void *a, const void *b)
{
	const struct equant_redist_volume *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

/* Do the pieces, in the order of ranks, make up all messages and nothing else? */
static bool carry_all(const struct equant_redist_piece *pieces, int64_t count,
		      const struct equant_redist_volume *volumes, int64_t volume_count)
{
	int64_t k = 0;

	for (int64_t i = 0; i < volume_count; i++) {
		double share = 0;

		for (; k < count && pieces[k].from == volumes[i].from &&
		       pieces[k].to == volumes[i].to && pieces[k].share > 0;
		     k++)
			share += pieces[k].share;
		if (!(fabs(share - 1) <= ROUNDING))
			return false;
	}
	return k == count;
}

static int check_schedule(const struct equant_transfer *transfer, const struct file *file)
{
	const struct equant_redist_schedule *schedule = transfer->schedule;
	size_t bytes = (size_t)schedule->count * sizeof(*schedule->pieces);
	struct equant_redist_piece *pieces = malloc(bytes + 1);
	int64_t count;
	struct equant_redist_volume *volumes =
		equant_redist_volumes(&transfer->array, transfer->element, transfer->lists[0],
				      transfer->lists[1], &count);
	int error = pieces && volumes ? 0 : -ENOMEM;

	if (!error) {
		memcpy(pieces, schedule->pieces, bytes);
		qsort(pieces, (size_t)schedule->count, sizeof(*pieces), by_ranks);
		qsort(volumes, (size_t)count, sizeof(*volumes), volume_by_ranks);
		if (!carry_all(pieces, schedule->count, volumes, count))
			error = fault(file, "its schedule is not of its array's messages");
	}
	free(pieces);
	free(volumes);
	return error;
}

static int get_all(struct equant_transfer *transfer, const struct file *file)
{
	const struct header *header = (const struct header *)file->bytes;
	const char *at = file->bytes + sizeof(*header);
	int error = check_whole(file);

	if (!error)
		error = get_array(transfer, file);
	for (int side = 0; side < 2 && !error; side++) {
		error = get_list(transfer, file, side, at);
		at += sizeof(int32_t) * (size_t)header->sides[side];
	}
	if (!error)
		error = get_schedule(transfer, file, at);
	return error ? error : check_schedule(transfer, file);
}

/* What is in the file cannot be asked for. */
static int check_options(const struct equant_transfer_options *options)
{
	if (options->window >= 0 && !options->senders && !options->receivers && !options->network &&
	    !options->scheduler && !options->largest)
		return 0;
	equant_message(
		"equant_transfer_load: senders, receivers, network, scheduler and largest are the plan's");
	return -EINVAL;
}

struct equant_transfer *equant_transfer_load(MPI_Comm comm, const char *path,
					     const struct equant_transfer_options *given)
{
	struct equant_transfer_options options;
	struct file file = { .path = path };
	int error = equant_transfer_copy_options("equant_transfer_load", given, &options);
	struct equant_transfer *transfer =
		equant_transfer_open(comm, options.group, "equant_transfer_load");

	if (!transfer)
		return NULL;
	if (!error)
		error = check_options(&options);
	error = equant_mpi_agree(transfer->comm, error);
	file.says = !transfer->rank;
	if (!error)
		error = share_file(transfer, &file);
	if (!error) {
		error = get_all(transfer, &file);
		if (options.window)
			transfer->window = options.window;
		error = equant_transfer_prepare(transfer, &options, error);
	}
	free(file.bytes);
	return error ? equant_transfer_give_up(transfer, error) : transfer;
}
