// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Siegell's table 6.2 in nanoseconds: what each kind of slice table costs for one access to a
 * certain slice, one step of a loop over all, and one slice that goes to another rank or comes
 * from one.  The transfer itself is left out, as there: it is the same for all.
 *
 * Usage: tables
 *
 * Eight ranks' tables are in one process, of 16384 units dealt out in turn, so that one in
 * eight is here; the restricted kind has blocks, which it is made for.  Slices have
 * one cache line, the first word of which is read.  A time is the median of batches, which the
 * kinds take in turn.
 */
#include <equant/equant.h>
#include <equant/table.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "loop/table.h"
#include "random.h"

#define UNITS 16384
#define RANKS 8
#define HERE (UNITS / RANKS)
#define SLICE 64
#define BATCHES 101
#define MOVED 16 /* units per move */
#define MOVES 64 /* moves to and fro per batch */
#define KINDS 5

struct kind {
	const char *name;
	enum equant_table_kind kind;
	struct equant_units units;
	struct equant_table *tables[RANKS];
	long asked[HERE]; /* units that rank 0 owns, in random order */
	double particular[BATCHES], each[BATCHES], send[BATCHES], receive[BATCHES];
};

static struct kind kinds[KINDS] = {
	{ .name = "scattered", .kind = EQUANT_TABLE_SCATTERED },
	{ .name = "indexed", .kind = EQUANT_TABLE_INDEXED },
	{ .name = "packed", .kind = EQUANT_TABLE_PACKED },
	{ .name = "reverse", .kind = EQUANT_TABLE_REVERSE },
	{ .name = "restricted", .kind = EQUANT_TABLE_RESTRICTED },
};

static volatile long sink;

static void check(int error, const char *what)
{
	if (!error)
		return;
	fprintf(stderr, "tables: %s: %d\n", what, error);
	exit(1);
}

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static void set_up(struct kind *k, struct random *random)
{
	check(equant_units_init(&k->units, UNITS, RANKS,
				k->kind == EQUANT_TABLE_RESTRICTED ? EQUANT_BLOCK_ORDER :
								     EQUANT_CYCLIC),
	      "ownership");
	for (int r = 0; r < RANKS; r++) {
		k->tables[r] = equant_table_new(SLICE, k->kind, UNITS, &k->units.owned[r],
						&k->units.resting[r]);
		check(k->tables[r] ? 0 : 1, k->name);
	}
	for (long u = 0, n = 0; u < UNITS; u++)
		if (k->units.owners[u] == 0)
			k->asked[n++] = u;
	for (long n = HERE - 1; n > 0; n--) {
		long other = random_below(random, n + 1), unit = k->asked[n];

		k->asked[n] = k->asked[other];
		k->asked[other] = unit;
	}
}

static double time_particular(const struct kind *k)
{
	double start = now_ns();
	long sum = 0;

	for (long n = 0; n < HERE; n++)
		sum += *(const long *)equant_table_slice(k->tables[0], k->asked[n]);
	sink = sum;
	return (now_ns() - start) / HERE;
}

static double time_each(const struct kind *k)
{
	double start = now_ns();
	const long *slice;
	long sum = 0;

	equant_for_each_slice(k->tables[0], unit, slice)
		sum += *slice + unit;
	sink = sum;
	return (now_ns() - start) / HERE;
}

/* What a phase does to the tables of a sender and a receiver; adds to both times. */
static void move(struct kind *k, int from, int to, double *send, double *receive)
{
	const struct equant_instruction instruction = { .from = from, .to = to, .units = MOVED };
	struct equant_runs moved = { 0 };
	double start, between;

	check(equant_units_move(&k->units, &instruction, &moved), "move");
	start = now_ns();
	check(equant_table_leave(k->tables[from], &moved), "leave");
	equant_table_settle(k->tables[from]);
	between = now_ns();
	check(equant_table_arrive(k->tables[to], &moved), "arrive");
	*receive += now_ns() - between;
	*send += between - start;
	equant_runs_release(&moved);
}

static void time_moves(struct kind *k, int batch)
{
	double send = 0, receive = 0;

	for (int i = 0; i < MOVES; i++) {
		move(k, 1, 2, &send, &receive);
		move(k, 2, 1, &send, &receive);
	}
	k->send[batch] = send / (2 * MOVES * MOVED);
	k->receive[batch] = receive / (2 * MOVES * MOVED);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values)
{
	qsort(values, BATCHES, sizeof(*values), compare);
	return values[BATCHES / 2];
}

int main(void)
{
	struct random random = random_seeded();

	for (int i = 0; i < KINDS; i++)
		set_up(&kinds[i], &random);
	for (int batch = 0; batch < BATCHES; batch++)
		for (int i = 0; i < KINDS; i++) {
			kinds[i].particular[batch] = time_particular(&kinds[i]);
			kinds[i].each[batch] = time_each(&kinds[i]);
			time_moves(&kinds[i], batch);
		}
	for (int i = 0; i < KINDS; i++)
		printf("%s particular=%.2f each=%.2f send=%.2f receive=%.2f\n", kinds[i].name,
		       median(kinds[i].particular), median(kinds[i].each), median(kinds[i].send),
		       median(kinds[i].receive));
	return 0;
}
