// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * pack X K PROCESSES ROUNDS [ELEMENTS]: doubles from cyclic(X) to cyclic(K X), what one process packs for all
 * receivers and unpacks from all senders, and a memcpy of as many bytes.  Prints "ROUND NAME MILLISECONDS".
 *
 * A piece of each message in turns, into the same memory again and again, as a transfer does that has all of
 * them in its window.
 */
#include <equant/redist.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "redist/pack.h"

#define PIECE ((int64_t)256 << 10) /* bytes, a transfer's largest */

/**
 * struct side - all messages of a process in one direction
 * @parts: what they consist of
 * @count: number of @parts
 * @elements: in the local array
 * @local: it
 * @copy: as large
 * @pieces: of each message one
 */
struct side {
	struct equant_redist_part *parts[64];
	int count;
	int64_t elements;
	double *local;
	double *copy;
	char *pieces;
};

static void check(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "pack: %s\n", what);
	exit(1);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static void *memory(int64_t bytes)
{
	void *got = malloc((size_t)bytes);

	check(got != NULL, "out of memory");
	memset(got, 0, (size_t)bytes);
	return got;
}

static void side_init(struct side *side, const struct equant_redist_array *array, bool sends)
{
	const struct equant_redist_cyclic *mine = sends ? array->from : array->to;

	side->count = mine->processes;
	side->elements = equant_redist_local(array->extent[0], mine, 0);
	side->local = memory(side->elements * (int64_t)sizeof(double));
	side->copy = memory(side->elements * (int64_t)sizeof(double));
	side->pieces = memory(side->count * PIECE);
	for (int i = 0; i < side->count; i++) {
		side->parts[i] = equant_redist_part_new(array, sends ? 0 : i, sends ? i : 0);
		check(side->parts[i] != NULL, "no memory for a part");
	}
}

static void side_end(struct side *side)
{
	for (int i = 0; i < side->count; i++)
		equant_redist_part_free(side->parts[i]);
	free(side->local);
	free(side->copy);
	free(side->pieces);
}

static void move(const struct side *side, bool sends)
{
	static const int64_t stride[] = { 1 };
	int64_t bytes = side->elements * (int64_t)sizeof(double);
	struct equant_redist_local local = { stride, (char *)side->local,
					     bytes >= EQUANT_REDIST_LARGE };
	bool more = true;

	for (int64_t at = 0; more; at += PIECE) {
		more = false;
		for (int i = 0; i < side->count; i++) {
			const struct equant_redist_part *part = side->parts[i];
			int64_t left = part->elements * (int64_t)sizeof(double) - at;
			int64_t length = left < PIECE ? left : PIECE;
			char *piece = side->pieces + i * PIECE;

			if (left > 0 && sends)
				equant_redist_pack_piece(part, sizeof(double), local, at, length,
							 piece);
			else if (left > 0)
				equant_redist_unpack_piece(part, sizeof(double), local, at, length,
							   piece);
			more |= left > PIECE;
		}
	}
}

static void tell(int round, const char *name, double start)
{
	printf("%d %s %.4f\n", round, name, 1e3 * (now() - start));
}

static void measure(const struct side *side, int round, bool sends)
{
	double start = now();

	move(side, sends);
	tell(round, sends ? "packing" : "unpacking", start);
	start = now();
	memcpy(side->copy, side->local, (size_t)side->elements * sizeof(double));
	tell(round, sends ? "memcpy" : "memcpy_again", start);
}

int main(int argc, char **argv)
{
	struct equant_redist_array array = { .dimensions = 1, .extent = { 10000000 } };
	struct side out = { .count = 0 }, in = { .count = 0 };
	int rounds, processes;

	check(argc == 5 || argc == 6, "expected X K PROCESSES ROUNDS [ELEMENTS]");
	processes = atoi(argv[3]);
	rounds = atoi(argv[4]);
	check(processes > 0 && processes <= 64, "1 to 64 processes");
	if (argc == 6)
		array.extent[0] = atol(argv[5]);
	array.from[0] = (struct equant_redist_cyclic){ atol(argv[1]), processes, 0, 0 };
	array.to[0] =
		(struct equant_redist_cyclic){ atol(argv[1]) * atol(argv[2]), processes, 0, 0 };
	side_init(&out, &array, true);
	side_init(&in, &array, false);
	for (int round = 1; round <= rounds; round++) {
		measure(&out, round, true);
		measure(&in, round, false);
	}
	side_end(&out);
	side_end(&in);
	return 0;
}
