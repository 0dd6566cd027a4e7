/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Plans in files: a header, then the ranks of senders and receivers, then the schedule's pieces, or
 * a route's legs and its parcels.
 *
 * Numbers are as the machine has them.  The header says how it has them, how long the file must be
 * and what its bytes add up to, so that what was cut off, damaged or written elsewhere is found
 * out.
 */
#ifndef EQUANT_ENGINE_TRANSFER_FILE_H
#define EQUANT_ENGINE_TRANSFER_FILE_H

#include <stddef.h>

#include "engine/transfer_internal.h"

#define EQUANT_PLAN_MAGIC "equantTR"
#define EQUANT_PLAN_ORDER 0x01020304u
#define EQUANT_PLAN_VERSION 3u

/**
 * struct equant_plan_header - what a file begins with
 * @magic: EQUANT_PLAN_MAGIC
 * @order: EQUANT_PLAN_ORDER
 * @version: EQUANT_PLAN_VERSION
 * @bytes: of the file
 * @sum: of all that follows
 * @element: bytes
 * @largest: as in the options, but never 0
 * @makespan: of the schedule
 * @bound: likewise
 * @pieces: how many it has; none of a route
 * @legs: of a route
 * @parcels: that they carry
 * @ranks: of the groups of senders and of receivers
 * @sides: senders, and receivers
 * @window: messages under way at once
 * @dimensions: of the array
 * @orders: of its grids
 * @cyclic: block, processes, first and offset of senders and receivers in each dimension
 * @extent: elements in each dimension
 * @routed: 1: a route, 0: a schedule; routers and schedulers may have the same name
 * @unused: 0
 * @scheduler: who made the schedule, or the route
 */
struct equant_plan_header {
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
	int64_t legs;
	int64_t parcels;
	int32_t ranks[2];
	int32_t sides[2];
	int32_t window;
	int32_t dimensions;
	int32_t orders[2];
	int64_t cyclic[2][EQUANT_REDIST_DIMENSIONS][4];
	int64_t extent[EQUANT_REDIST_DIMENSIONS];
	int32_t routed;
	int32_t unused;
	char scheduler[32];
};

struct equant_plan_piece {
	int32_t from;
	int32_t to;
	double begin;
	double end;
	double share;
};

/* A leg's parcels are those after the ones of the legs before it. */
struct equant_plan_leg {
	int32_t step;
	int32_t from;
	int32_t to;
	int32_t unused;
	int64_t count;
	double begin;
	double end;
};

struct equant_plan_parcel {
	int64_t volume;
	int64_t begin;
	int64_t bytes;
};

/**
 * struct equant_plan_file - a file's bytes
 * @path: its name
 * @says: does this rank say what is wrong with it?
 * @bytes: all of them, or NULL
 * @count: of them
 */
struct equant_plan_file {
	const char *path;
	bool says;
	char *bytes;
	uint64_t count;
};

/* What the header's @sum is of a file of @count bytes. */
uint64_t equant_plan_sum(const char *file, uint64_t count);

/* How long the file has to be by its header. */
uint64_t equant_plan_size(const struct equant_plan_header *header);

/* ---- transfer_parse.c ------------------------------------------------------------------- */

/* Says @what is wrong with the file.  -EINVAL. */
int equant_plan_fault(const struct equant_plan_file *file, const char *what);

/* The header's one of the names that @name_of has, or NULL. */
const char *equant_plan_find_name(const struct equant_plan_header *header,
				  const char *(*name_of)(int i));

/* Array, lists, window and schedule of a transfer that has its groups.  0 or -errno. */
int equant_plan_parse(const struct equant_plan_file *file, struct equant_transfer *transfer);

/* ---- transfer_parse_route.c ------------------------------------------------------------- */

/* The route that is at @from in the file, of the transfer's @count volumes.  0 or -errno. */
int equant_plan_parse_route(const struct equant_plan_file *file, struct equant_transfer *transfer,
			    const char *from, int64_t count);

#endif /* EQUANT_ENGINE_TRANSFER_FILE_H */
