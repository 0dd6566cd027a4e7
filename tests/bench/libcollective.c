// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libcollective.h"

void die(const char *what)
{
	fprintf(stderr, "gemr2d: %s\n", what);
	MPI_Abort(MPI_COMM_WORLD, 1);
	exit(1);
}

void *memory(size_t bytes)
{
	void *p = malloc(bytes + 1);

	if (!p)
		die("no memory");
	return p;
}

static int *zeros(int n)
{
	return memset(memory((size_t)n * sizeof(int)), 0, (size_t)n * sizeof(int));
}

/* Call @each with the rank that has it on the other side for each run of this rank's elements. */
static __always_inline void walk(const struct change *change, const struct side *mine,
				 int64_t other,
				 void (*each)(void *to, int peer, int64_t at, int64_t n),
				 void *with)
{
	int64_t elements = change->elements, at = 0, others = change->ranks - 1;

	for (int64_t g = change->rank * mine->block; g < elements; g += others * mine->block) {
		int64_t end = g + mine->block < elements ? g + mine->block : elements;

		while (g < end) {
			int64_t stop = (g / other + 1) * other;

			stop = stop < end ? stop : end;
			each(with, (int)(g / other % change->ranks), at, stop - g);
			at += stop - g;
			g = stop;
		}
	}
}

/**
 * struct exchange - one side of a collective
 * @counts: of each rank: elements, or runs
 * @starts: of each rank
 * @next: likewise
 * @buffer: packed elements
 * @local: the array
 * @lengths: of runs
 * @places: of runs
 */
struct exchange {
	int *counts;
	int *starts;
	int *next;
	double *buffer;
	double *local;
	int *lengths;
	int *places;
};

static void count_elements(void *with, int peer, int64_t at, int64_t n)
{
	(void)at;
	((struct exchange *)with)->counts[peer] += (int)n;
}

static void count_runs(void *with, int peer, int64_t at, int64_t n)
{
	(void)at;
	(void)n;
	((struct exchange *)with)->counts[peer]++;
}

static void pack(void *with, int peer, int64_t at, int64_t n)
{
	struct exchange *x = with;

	memcpy(x->buffer + x->next[peer], x->local + at, (size_t)n * sizeof(double));
	x->next[peer] += (int)n;
}

static void unpack(void *with, int peer, int64_t at, int64_t n)
{
	struct exchange *x = with;

	memcpy(x->local + at, x->buffer + x->next[peer], (size_t)n * sizeof(double));
	x->next[peer] += (int)n;
}

static void note_run(void *with, int peer, int64_t at, int64_t n)
{
	struct exchange *x = with;

	x->lengths[x->next[peer]] = (int)n;
	x->places[x->next[peer]++] = (int)at;
}

/* After counting: where each rank's begin.  Return: all of them. */
static int begin(struct exchange *x, int ranks)
{
	int all = 0;

	for (int r = 0; r < ranks; r++) {
		x->starts[r] = x->next[r] = all;
		all += x->counts[r];
	}
	return all;
}

static struct exchange exchange_new(const struct side *side, int ranks)
{
	return (struct exchange){
		.counts = zeros(ranks),
		.starts = memory((size_t)ranks * sizeof(int)),
		.next = memory((size_t)ranks * sizeof(int)),
		.local = side->local,
	};
}

static void exchange_free(struct exchange *x)
{
	free(x->counts);
	free(x->starts);
	free(x->next);
	free(x->lengths);
	free(x->places);
}

void by_alltoallv(const struct change *change)
{
	const struct side *from = &change->from, *to = &change->to;
	int ranks = change->ranks;
	struct exchange out = exchange_new(from, ranks), in = exchange_new(to, ranks);

	walk(change, from, to->block, count_elements, &out);
	walk(change, to, from->block, count_elements, &in);
	begin(&out, ranks);
	begin(&in, ranks);
	out.buffer = change->out;
	in.buffer = change->in;
	walk(change, from, to->block, pack, &out);
	MPI_Alltoallv(out.buffer, out.counts, out.starts, MPI_DOUBLE, in.buffer, in.counts,
		      in.starts, MPI_DOUBLE, MPI_COMM_WORLD);
	walk(change, to, from->block, unpack, &in);
	exchange_free(&out);
	exchange_free(&in);
}

/* @types and @counts of the elements for each rank, or from it, where they are. */
static void index_types(const struct change *change, const struct side *mine, int64_t other,
			MPI_Datatype *types, int *counts)
{
	int ranks = change->ranks;
	struct exchange x = exchange_new(mine, ranks);
	size_t runs;

	walk(change, mine, other, count_runs, &x);
	runs = (size_t)begin(&x, ranks);
	x.lengths = memory(runs * sizeof(int));
	x.places = memory(runs * sizeof(int));
	walk(change, mine, other, note_run, &x);
	for (int r = 0; r < ranks; r++) {
		MPI_Type_indexed(x.counts[r], x.lengths + x.starts[r], x.places + x.starts[r],
				 MPI_DOUBLE, &types[r]);
		MPI_Type_commit(&types[r]);
		counts[r] = x.counts[r] > 0;
	}
	exchange_free(&x);
}

void by_alltoallw(const struct change *change)
{
	const struct side *from = &change->from, *to = &change->to;
	int ranks = change->ranks;
	MPI_Datatype *types = memory(2 * (size_t)ranks * sizeof(*types));
	int *counts = memory(2 * (size_t)ranks * sizeof(*counts));
	int *starts = zeros(ranks);

	index_types(change, from, to->block, types, counts);
	index_types(change, to, from->block, types + ranks, counts + ranks);
	MPI_Alltoallw(from->local, counts, starts, types, to->local, counts + ranks, starts,
		      types + ranks, MPI_COMM_WORLD);
	for (int i = 0; i < 2 * ranks; i++)
		MPI_Type_free(&types[i]);
	free(types);
	free(counts);
	free(starts);
}
