// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Single slices and reductions, while units move from rank to rank. */
#include <equant/equant.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libworker.h"

#define UNITS 97
#define WIDTH 1001
#define STEPS 40

struct setting {
	struct equant *eq;
	struct equant_loop *loop;
	long (*rows)[WIDTH];
	long content[UNITS]; /* what each row must hold: rows are exchanged */
};

static void fill(long *row, long content)
{
	for (int i = 0; i < WIDTH; i++)
		row[i] = content * WIDTH + i;
}

static void demand_row(const long *row, long content)
{
	for (int i = 0; i < WIDTH; i++)
		demand_equal(content * WIDTH + i, row[i]);
}

static void set_up(struct setting *s)
{
	struct equant_options o = eager_options();

	o.check = 1;
	s->eq = must_open(MPI_COMM_WORLD, &o);
	s->loop = must_loop(s->eq, "rows", UNITS);
	s->rows = calloc(UNITS, sizeof(*s->rows));
	demand(s->rows);
	demand_equal(0, equant_loop_array(s->loop, s->rows, sizeof(*s->rows)));
	for (long u = 0; u < UNITS; u++)
		s->content[u] = u;
	equant_for_each_unit(s->loop, u)
		fill(s->rows[u], u);
}

static void tear_down(struct setting *s)
{
	struct equant_stats stats = { .sz = sizeof(stats) };
	long moves;

	demand_equal(0, equant_loop_stats(s->loop, &stats));
	MPI_Allreduce(&stats.moves, &moves, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	demand(ranks == 1 || moves > 0);
	must_free(s->loop);
	must_close(s->eq);
	free(s->rows);
}

/* Ranks are unequal, and not the same ones for long: work moves. */
static void step(struct setting *s, long number)
{
	double slowness = 1 + (double)((rank * 2 + number / 10 * 3) % 5);

	equant_begin(s->loop);
	compute(20e-6 * slowness * (double)equant_loop_count(s->loop));
	equant_end(s->loop);
	demand_equal(0, equant_hook(s->loop));
	equant_for_each_unit(s->loop, u)
		demand_row(s->rows[u], s->content[u]);
}

static void broadcast(void)
{
	struct setting s;

	set_up(&s);
	for (long n = 0; n < STEPS; n++) {
		long unit = n * 31 % UNITS;

		step(&s, n);
		demand_equal(0, equant_loop_broadcast(s.loop, unit));
		demand_row(s.rows[unit], s.content[unit]);
	}
	tear_down(&s);
}

/* An owner does not wait for those who read late, one of whom is slow, and overwrites nothing that they have not read. */
static void ahead(void)
{
	struct equant_options o = eager_options();
	struct equant *eq = must_open(MPI_COMM_WORLD, &o);
	struct equant_loop *loop = must_loop(eq, "rows", UNITS);
	long(*rows)[WIDTH] = calloc(UNITS, sizeof(*rows));

	demand(rows);
	demand_equal(0, equant_loop_array(loop, rows, sizeof(*rows)));
	for (long n = 0; n < 20 * STEPS; n++) {
		long unit = n / 20 % UNITS;

		if (equant_loop_owner(loop, unit) == rank)
			fill(rows[unit], n);
		else if (n / 20 % ranks == rank)
			compute(20e-6);
		demand_equal(0, equant_loop_broadcast(loop, unit));
		demand_row(rows[unit], n);
	}
	must_free(loop);
	must_close(eq);
	free(rows);
}

static void copy(void)
{
	struct setting s;

	set_up(&s);
	for (long n = 0; n < STEPS; n++) {
		long unit = n * 17 % UNITS;
		int to = (int)(n % ranks);

		step(&s, n);
		demand_equal(0, equant_loop_copy(s.loop, unit, to));
		if (rank == to)
			demand_row(s.rows[unit], s.content[unit]);
	}
	tear_down(&s);
}

static void exchange(void)
{
	struct setting s;

	set_up(&s);
	for (long n = 0; n < STEPS; n++) {
		long a = n * 13 % UNITS, b = n * n % UNITS, content = s.content[a];

		step(&s, n);
		demand_equal(0, equant_loop_exchange(s.loop, a, b));
		s.content[a] = s.content[b];
		s.content[b] = content;
	}
	tear_down(&s);
}

/* Slices stay where they are: the owners change places. */
static void rename_units(void)
{
	struct setting s;

	set_up(&s);
	for (long n = 0; n < STEPS; n++) {
		long a = n * 13 % UNITS, b = n * n % UNITS, content = s.content[a];
		int of_a, of_b;

		step(&s, n);
		of_a = equant_loop_owner(s.loop, a);
		of_b = equant_loop_owner(s.loop, b);
		demand_equal(0, equant_loop_rename(s.loop, a, b));
		demand_equal(of_b, equant_loop_owner(s.loop, a));
		demand_equal(of_a, equant_loop_owner(s.loop, b));
		s.content[a] = s.content[b];
		s.content[b] = content;
		/* With nobody waiting in between, and the next hook may move either of them. */
		demand_equal(0, equant_loop_broadcast(s.loop, b));
		demand_row(s.rows[b], s.content[b]);
	}
	tear_down(&s);
}

/* One that is handed over at once, one in parts, one that is a message. */
static const size_t sizes[] = { 24, 20000, 70000 };

#define SIZES (sizeof(sizes) / sizeof(sizes[0]))

static void demand_filled(const char *slice, size_t bytes, int with)
{
	for (size_t i = 0; i < bytes; i++)
		demand_equal(with, slice[i]);
}

static void long_slices(void)
{
	struct equant *eq = must_open(MPI_COMM_WORLD, NULL);
	struct equant_loop *loop = must_loop(eq, "slices", UNITS);
	char *arrays[SIZES];
	int content[UNITS];

	for (size_t i = 0; i < SIZES; i++) {
		arrays[i] = calloc(UNITS, sizes[i]);
		demand(arrays[i]);
		demand_equal(0, equant_loop_array(loop, arrays[i], sizes[i]));
		for (int u = 0; u < UNITS; u++)
			memset(arrays[i] + (size_t)u * sizes[i], u, sizes[i]);
	}
	for (int u = 0; u < UNITS; u++)
		content[u] = u;
	for (long n = 0; n < STEPS; n++) {
		long a = n * 13 % UNITS, b = (n * n + UNITS / 2) % UNITS;
		int kept = content[a];

		demand_equal(0, equant_loop_exchange(loop, a, b));
		content[a] = content[b];
		content[b] = kept;
	}
	equant_for_each_unit(loop, u) {
		for (size_t i = 0; i < SIZES; i++)
			demand_filled(arrays[i] + (size_t)u * sizes[i], sizes[i], content[u]);
	}
	must_free(loop);
	must_close(eq);
	for (size_t i = 0; i < SIZES; i++)
		free(arrays[i]);
}

/* One piece that is full, one more byte, and several of them, where they go to another node. */
static const size_t lengths[] = { 24, 60000, 60001, 150000 };

#define LENGTHS (sizeof(lengths) / sizeof(lengths[0]))
#define WIDE 12

static char byte_of(long unit, long step, size_t i)
{
	return (char)(31 * unit + 7 * step + (long)(i % 251));
}

static void demand_copies(const struct equant_loop *loop, char *const arrays[], long unit,
			  long step)
{
	if (unit < 0 || unit >= WIDE || equant_loop_owner(loop, unit) == rank)
		return;
	for (size_t a = 0; a < LENGTHS; a++)
		for (size_t i = 0; i < lengths[a]; i++)
			demand_equal(byte_of(unit, step, i),
				     arrays[a][(size_t)unit * lengths[a] + i]);
}

static void long_ghosts(void)
{
	struct equant *eq = must_open(MPI_COMM_WORLD, NULL);
	struct equant_loop *loop = must_loop(eq, "ghosts", WIDE);
	char *arrays[LENGTHS];

	for (size_t a = 0; a < LENGTHS; a++) {
		arrays[a] = calloc(WIDE, lengths[a]);
		demand(arrays[a]);
		demand_equal(0, equant_loop_array(loop, arrays[a], lengths[a]));
	}
	for (long step = 0; step < 3; step++) {
		equant_for_each_unit(loop, u) {
			for (size_t a = 0; a < LENGTHS; a++)
				for (size_t i = 0; i < lengths[a]; i++)
					arrays[a][(size_t)u * lengths[a] + i] = byte_of(u, step, i);
		}
		demand_equal(0, equant_loop_ghosts_start(loop, 1, 2));
		demand_equal(0, equant_loop_ghosts_finish(loop));
		equant_for_each_unit(loop, u) {
			for (long around = u - 1; around <= u + 2; around++)
				demand_copies(loop, arrays, around, step);
		}
	}
	must_free(loop);
	must_close(eq);
	for (size_t a = 0; a < LENGTHS; a++)
		free(arrays[a]);
}

/* Ranks of a node see what is meant, and nothing is written over by something else. */
static void different(void)
{
	struct equant *eq = must_open(MPI_COMM_WORLD, NULL);
	struct equant_loop *loop = must_loop(eq, "slices", 2);
	long values[2] = { 100, 200 };

	demand_equal(0, equant_loop_array(loop, values, sizeof(*values)));
	demand_equal(0, equant_loop_exchange(loop, 0, 1));
	demand_equal(rank ? 100 : 200, values[rank]);
	must_free(loop);
	loop = must_loop(eq, "others", 4);
	demand_equal(0, equant_loop_array(loop, (long[]){ 1, 2, 3, 4 }, sizeof(long)));
	demand_equal(-EPROTO, equant_loop_exchange(loop, rank, 3));
	demand_equal(0, equant_loop_exchange(loop, 0, 2));
	must_free(loop);
	must_close(eq);
}

/* In checked mode long slices are not swapped either, whose message could be any. */
static void different_long_ones(void)
{
	static long slices[4][10000];
	struct equant_options o = eager_options();
	struct equant_loop *loop;
	struct equant *eq;

	o.check = 1;
	eq = must_open(MPI_COMM_WORLD, &o);
	loop = must_loop(eq, "long", 4);
	for (int u = 0; u < 4; u++)
		slices[u][9999] = u;
	demand_equal(0, equant_loop_array(loop, slices, sizeof(slices[0])));
	demand_equal(-EPROTO, equant_loop_exchange(loop, rank, 3 - rank % 2));
	demand_equal(2 * rank, slices[2 * rank][9999]);
	demand_equal(0, equant_loop_exchange(loop, 0, 3));
	demand_equal(rank ? 0 : 3, slices[3 * rank][9999]);
	must_free(loop);
	must_close(eq);
}

/* Inactive units stay with their owners, and so do their slices: all can be done with them. */
static void inactive(void)
{
	struct setting s;

	set_up(&s);
	demand_equal(0, equant_loop_deactivate(s.loop, 0, UNITS / 2));
	for (long n = 0; n < STEPS; n++) {
		long a = n * 13 % (UNITS / 2), b = UNITS / 2 + n * 7 % (UNITS / 2);
		long content = s.content[a];
		int to = (int)(n % ranks);

		step(&s, n);
		demand_equal(0, equant_loop_broadcast(s.loop, a));
		demand_row(s.rows[a], s.content[a]);
		demand_equal(0, equant_loop_exchange(s.loop, a, b));
		s.content[a] = s.content[b];
		s.content[b] = content;
		demand_equal(0, equant_loop_copy(s.loop, a, to));
		if (rank == to)
			demand_row(s.rows[a], s.content[a]);
	}
	demand_equal(0, equant_loop_activate(s.loop, 0, UNITS / 2));
	step(&s, STEPS);
	tear_down(&s);
}

/* Terms from the largest to the smallest: any two orders round differently. */
static double term(long unit, long number)
{
	return ldexp(sin((double)(unit * 7919 + number) + 0.5), (int)(unit * 37 % 400) - 200);
}

/* What a job of one rank gets, which owns every unit. */
static double alone(const double *values, enum equant_reduction operation, long *unit)
{
	struct equant *eq = must_open(MPI_COMM_SELF, NULL);
	struct equant_loop *loop = must_loop(eq, "alone", UNITS);
	double result;

	demand_equal(0, equant_allreduce_units(loop, values, operation, &result, unit));
	must_free(loop);
	must_close(eq);
	return result;
}

static void demand_reduced(struct equant_loop *loop, const double *all,
			   enum equant_reduction operation)
{
	double own[UNITS], expected, result;
	long unit = -1, expected_unit = -1;

	for (long u = 0; u < UNITS; u++)
		own[u] = NAN; /* what is not ours is not read */
	equant_for_each_unit(loop, u)
		own[u] = all[u];
	expected = alone(all, operation, &expected_unit);
	demand_equal(0, equant_allreduce_units(loop, own, operation, &result, &unit));
	demand(!memcmp(&expected, &result, sizeof(result)));
	demand_equal(expected_unit, unit);
}

static void reductions(void)
{
	double values[UNITS];
	struct setting s;

	set_up(&s);
	for (long n = 0; n < STEPS; n++) {
		for (long u = 0; u < UNITS; u++)
			values[u] = term(u, n);
		step(&s, n);
		demand_reduced(s.loop, values, EQUANT_SUM);
		demand_reduced(s.loop, values, EQUANT_MIN);
		demand_reduced(s.loop, values, EQUANT_MAX);
	}
	tear_down(&s);
}

static void ties(void)
{
	double values[UNITS] = { 0 }, result;
	struct setting s;
	long unit;

	set_up(&s);
	for (long n = 0; n < STEPS; n++)
		step(&s, n);
	values[90] = values[40] = values[41] = 5;
	values[3] = values[80] = -5;
	demand_equal(0, equant_allreduce_units(s.loop, values, EQUANT_MAX, &result, &unit));
	demand(result == 5);
	demand_equal(40, unit);
	demand_equal(0, equant_allreduce_units(s.loop, values, EQUANT_MIN, &result, &unit));
	demand(result == -5);
	demand_equal(3, unit);
	values[60] = NAN;
	demand_equal(0, equant_allreduce_units(s.loop, values, EQUANT_MAX, &result, &unit));
	demand(isnan(result));
	demand_equal(60, unit);
	tear_down(&s);
}

/* What is around a unit of another number, or is being fetched, would be another slice, or elsewhere. */
static void no_other_names(struct equant *eq)
{
	struct equant_loop *loop = must_loop(eq, "in order", UNITS);
	static long values[UNITS];

	demand_equal(0, equant_loop_distribute(loop, EQUANT_BLOCK_ORDER));
	demand_equal(-EINVAL, equant_loop_rename(loop, 0, 1));
	must_free(loop);
	loop = must_loop(eq, "around", UNITS);
	demand_equal(0, equant_loop_array(loop, values, sizeof(*values)));
	demand_equal(0, equant_loop_deactivate(loop, 3, 1));
	demand_equal(0, equant_loop_ghosts_start(loop, 1, 1));
	demand_equal(-EBUSY, equant_loop_rename(loop, 0, 1));
	demand_equal(-EBUSY, equant_loop_deactivate(loop, 2, 1));
	demand_equal(-EBUSY, equant_loop_activate(loop, 3, 1));
	demand_equal(0, equant_loop_ghosts_finish(loop));
	demand_equal(0, equant_loop_activate(loop, 3, 1));
	demand_equal(0, equant_loop_rename(loop, 0, 1));
	demand_equal(0, equant_loop_neighbours(loop, 1, 0));
	demand_equal(-EINVAL, equant_loop_rename(loop, 0, 1));
	demand_equal(0, equant_loop_neighbours(loop, 0, 0));
	equant_pass_begin(loop);
	demand_equal(-EBUSY, equant_loop_rename(loop, 0, 1));
	equant_for_each_next(loop, u)
		values[u] = u;
	demand_equal(0, equant_pass_end(loop));
	must_free(loop);
}

static void misuse(void)
{
	struct equant *eq = must_open(MPI_COMM_WORLD, NULL);
	struct equant_loop *loop = must_loop(eq, "some", UNITS), *none = must_loop(eq, "none", 0);
	double values[UNITS] = { 0 }, result;
	long unit;

	demand_equal(-EINVAL, equant_loop_broadcast(loop, UNITS));
	demand_equal(-EINVAL, equant_loop_copy(loop, -1, 0));
	demand_equal(-EINVAL, equant_loop_copy(loop, 0, ranks));
	demand_equal(-EINVAL, equant_loop_exchange(loop, 0, UNITS));
	demand_equal(-EINVAL, equant_loop_rename(loop, UNITS, 0));
	demand_equal(0, equant_loop_deactivate(loop, 1, 1));
	demand_equal(-EINVAL, equant_loop_rename(loop, 0, 1));
	demand_equal(0, equant_loop_rename(loop, 0, 2));
	demand_equal(-EINVAL, equant_allreduce_units(loop, values, EQUANT_SUM, NULL, NULL));
	demand_equal(-EINVAL, equant_allreduce_units(loop, NULL, EQUANT_SUM, &result, NULL));
	demand_equal(-EINVAL,
		     equant_allreduce_units(loop, values, (enum equant_reduction)9, &result, NULL));
	demand_equal(-EINVAL, equant_allreduce_units(none, NULL, EQUANT_MAX, &result, &unit));
	demand_equal(0, equant_allreduce_units(none, NULL, EQUANT_SUM, &result, NULL));
	demand(result == 0);
	no_other_names(eq);
	must_free(none);
	must_free(loop);
	must_close(eq);
}

#define LARGE ((size_t)4 << 20)
#define LARGE_UNITS 24

/* May the memory at @at have large pages? */
static int may_be_large(const char *at)
{
	FILE *in = fopen("/proc/self/smaps", "re");
	unsigned long first, end;
	char line[1024];
	int here = 0, may = 0;

	demand(in);
	while (fgets(line, sizeof(line), in)) {
		if (sscanf(line, "%lx-%lx ", &first, &end) == 2)
			here = first <= (unsigned long)at && (unsigned long)at < end;
		else if (here && !strncmp(line, "VmFlags:", 8))
			may = strstr(line, " hg") != NULL;
	}
	fclose(in);
	return may;
}

/* Units that have come to this rank, from wherever they were first. */
static long note_arrivals(struct equant_loop *loop, char *mine, char *came)
{
	char now[LARGE_UNITS] = { 0 };
	long arrived = 0;

	equant_for_each_unit(loop, u) {
		now[u] = 1;
		came[u] |= !mine[u];
		arrived += !mine[u];
	}
	memcpy(mine, now, sizeof(now));
	return arrived;
}

/* The slow rank is another one after half of the time: units come back to where they were, too. */
static void large(void)
{
	int system = access("/sys/kernel/mm/transparent_hugepage/enabled", F_OK) == 0;
	struct equant_options o = eager_options();
	struct equant *eq = must_open(MPI_COMM_WORLD, &o);
	struct equant_loop *loop = must_loop(eq, "slices", LARGE_UNITS);
	char *slices = mmap(NULL, LARGE_UNITS * LARGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	char mine[LARGE_UNITS] = { 0 }, came[LARGE_UNITS] = { 0 };
	long arrived = 0, all;

	demand(slices != MAP_FAILED);
	demand_equal(0, equant_loop_array(loop, slices, LARGE));
	equant_for_each_unit(loop, u) {
		memset(slices + (size_t)u * LARGE, (int)u + 1, LARGE);
		mine[u] = 1;
	}
	for (long n = 0; n < 20; n++) {
		equant_begin(loop);
		compute(1e-3 * (rank == n / 10 ? 5 : 1) * (double)equant_loop_count(loop));
		equant_end(loop);
		demand_equal(0, equant_hook(loop));
		arrived += note_arrivals(loop, mine, came);
	}
	equant_for_each_unit(loop, u) {
		char *slice = slices + (size_t)u * LARGE;

		for (size_t i = 0; i < LARGE; i += 4095)
			demand_equal((int)u + 1, slice[i]);
		demand_equal(system && came[u], may_be_large(slice + LARGE / 2));
	}
	MPI_Allreduce(&arrived, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	demand(ranks == 1 || all > 0);
	must_free(loop);
	must_close(eq);
	munmap(slices, LARGE_UNITS * LARGE);
}

/* ---- slices that callbacks give a meaning to ------------------------------------------- */

/* What a slice points to is a rank's own memory. */
struct cell {
	long unit;
	long *content;
};

static size_t cell_size(void *ctx, long unit)
{
	(void)ctx;
	(void)unit;
	return sizeof(long);
}

static void cell_pack(void *ctx, long unit, void *buffer)
{
	struct cell *cells = ctx;

	*(long *)buffer = *cells[unit].content;
	free(cells[unit].content);
	cells[unit].content = NULL;
}

static int cell_unpack(void *ctx, long unit, const void *buffer, size_t size)
{
	struct cell *cells = ctx;

	demand_equal(sizeof(long), size);
	demand_equal(unit, cells[unit].unit);
	cells[unit].content = malloc(sizeof(long));
	demand(cells[unit].content);
	*cells[unit].content = *(const long *)buffer;
	return 0;
}

static void cells_of_pointers(void)
{
	static struct cell cells[UNITS];
	const struct equant_data_ops ops = {
		.sz = sizeof(ops), .size = cell_size, .pack = cell_pack, .unpack = cell_unpack
	};

	for (int checked = 0; checked < 2; checked++) {
		struct equant_stats stats = { .sz = sizeof(stats) };
		struct equant_options o = eager_options();
		struct equant_loop *loop;
		struct equant *eq;
		long moved;

		o.period = 0.001;
		o.check = checked;
		eq = must_open(MPI_COMM_WORLD, &o);
		loop = must_loop(eq, "cells", UNITS);
		demand_equal(0, equant_loop_array(loop, cells, sizeof(*cells)));
		demand_equal(0, equant_loop_data(loop, &ops, cells));
		equant_for_each_unit(loop, u) {
			cells[u] = (struct cell){ u, malloc(sizeof(long)) };
			demand(cells[u].content);
			*cells[u].content = 7 * u;
		}
		for (int n = 0; n < 40; n++) {
			equant_begin(loop);
			compute(1e-4 * (1 + (rank + n / 8) % 3));
			equant_end(loop);
			demand_equal(0, equant_hook(loop));
		}
		demand_equal(0, equant_loop_stats(loop, &stats));
		MPI_Allreduce(&stats.received, &moved, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
		demand(ranks == 1 || moved > 0);
		equant_for_each_unit(loop, u) {
			demand_equal(7 * u, *cells[u].content);
			free(cells[u].content);
		}
		must_free(loop);
		must_close(eq);
	}
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = {
		CASE(broadcast),
		CASE(ahead),
		CASE(copy),
		CASE(exchange),
		CASE(inactive, .alone = 1),
		CASE(long_slices),
		CASE(long_ghosts),
		CASE(different, .alone = 1),
		CASE(different_long_ones, .alone = 1),
		CASE(reductions),
		CASE(ties),
		CASE(misuse),
		CASE(large),
		CASE(rename_units),
		CASE(cells_of_pointers),
	};

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
