// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Arrays that change hands between ranks. */
#include <equant/transfer.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "libworker.h"

#define ROUNDS 40
#define RUNS 2 /* of each transfer */
#define MOST 16 /* ranks */
#define UNTOUCHED 0xee

/**
 * struct setup - a redistribution, the same on all ranks, and this rank's arrays
 * @senders: ranks of the senders, in the order of their numbers
 * @receivers: likewise
 * @from_strides: of every sender; @to_strides of every receiver
 * @from_size: elements of each local array
 * @sender: this rank's number, or -1
 */
struct setup {
	struct equant_redist_array array;
	size_t element;
	int senders[MOST];
	int receivers[MOST];
	int64_t from_strides[MOST][EQUANT_REDIST_DIMENSIONS];
	int64_t to_strides[MOST][EQUANT_REDIST_DIMENSIONS];
	int64_t from_size[MOST];
	int64_t to_size[MOST];
	int sender;
	int receiver;
	unsigned char *from;
	unsigned char *to;
	unsigned char *expected;
};

static void shuffle(struct random *random, int *list)
{
	for (int i = 0; i < ranks; i++) {
		int j = (int)random_below(random, i + 1);

		list[i] = list[j];
		list[j] = i;
	}
}

static int position(const int *list, int count)
{
	for (int i = 0; i < count; i++)
		if (list[i] == rank)
			return i;
	return -1;
}

static unsigned char *filled(size_t bytes, int value)
{
	unsigned char *memory = malloc(bytes);

	demand(memory);
	memset(memory, value, bytes);
	return memory;
}

/* False if the arrays would be too large to look at. */
static bool set_up(struct setup *s, struct random *random)
{
	int64_t all = 0;

	s->element = 1 + (size_t)random_below(random, 40);
	for (int p = 0; p < equant_redist_senders(&s->array); p++)
		all += s->from_size[p] = lay_out(random, &s->array, true, p, s->from_strides[p]);
	for (int q = 0; q < equant_redist_receivers(&s->array); q++)
		all += s->to_size[q] = lay_out(random, &s->array, false, q, s->to_strides[q]);
	if (all > 60000)
		return false;
	s->sender = position(s->senders, equant_redist_senders(&s->array));
	s->receiver = position(s->receivers, equant_redist_receivers(&s->array));
	s->from = s->to = s->expected = NULL;
	if (s->sender >= 0)
		s->from = filled((size_t)s->from_size[s->sender] * s->element, 0x55);
	if (s->receiver >= 0) {
		s->to = filled((size_t)s->to_size[s->receiver] * s->element, UNTOUCHED);
		s->expected = filled((size_t)s->to_size[s->receiver] * s->element, UNTOUCHED);
	}
	return true;
}

static void tear_down(struct setup *s)
{
	free(s->from);
	free(s->to);
	free(s->expected);
}

/* Bytes that tell elements, and runs, from each other. */
static void fill_element(unsigned char *at, size_t size, int64_t number, uint64_t run)
{
	struct random random = random_from((uint64_t)number << 8 | run);

	for (size_t i = 0; i < size; i++)
		at[i] = (unsigned char)random_next(&random);
}

/* Element by element, from the definition of the distributions. */
static void fill_arrays(struct setup *s, uint64_t run)
{
	int64_t index[EQUANT_REDIST_DIMENSIONS] = { 0 }, number = 0;

	for (int d = 0; d < s->array.dimensions; d++)
		if (!s->array.extent[d])
			return;
	do {
		int64_t a, b;

		if (owner(&s->array, true, index, s->from_strides, &a) == s->sender)
			fill_element(s->from + (size_t)a * s->element, s->element, number, run);
		if (owner(&s->array, false, index, s->to_strides, &b) == s->receiver)
			fill_element(s->expected + (size_t)b * s->element, s->element, number, run);
		number++;
	} while (next_index(&s->array, index));
}

static int run(struct equant_transfer *transfer, struct setup *s)
{
	return equant_transfer_run(transfer, s->sender < 0 ? NULL : s->from_strides[s->sender],
				   s->from, s->receiver < 0 ? NULL : s->to_strides[s->receiver],
				   s->to);
}

static void demand_expected(const struct setup *s)
{
	size_t size = s->receiver < 0 ? 0 : (size_t)s->to_size[s->receiver] * s->element;

	for (size_t i = 0; i < size; i++)
		if (s->to[i] != s->expected[i])
			worker_fail_text(__FILE__, __LINE__,
					 "receiver %d: byte %zu of element %zu is %d, not %d",
					 s->receiver, i % s->element, i / s->element, s->to[i],
					 s->expected[i]);
}

static struct equant_redist_network *random_network(struct random *random)
{
	struct equant_redist_network *network = equant_redist_network_new(
		ranks, random_below(random, 2) ? random_unit(random) : 0, 1e3, NULL, 0);

	demand(network);
	for (int i = 0; i < ranks * ranks; i++) {
		struct equant_redist_link link = { i / ranks, i % ranks, random_unit(random),
						   1e3 * (1 - random_unit(random)) };

		demand_equal(0, equant_redist_network_set(network, &link, NULL, 0));
	}
	return network;
}

static struct equant_transfer_options random_options(struct random *random, struct setup *s)
{
	struct equant_transfer_options options = {
		.sz = sizeof(options),
		.scheduler = equant_redist_scheduler_name((int)random_below(random, 8)),
		.window = (int)random_below(random, 5),
		.largest = random_below(random, 2) ? 0 : 1 + (size_t)random_below(random, 300),
	};

	for (int r = 0; r < ranks; r++)
		s->senders[r] = s->receivers[r] = r;
	if (random_below(random, 3)) {
		shuffle(random, s->senders);
		shuffle(random, s->receivers);
		options.senders = s->senders;
		options.receivers = s->receivers;
	}
	if (random_below(random, 2))
		options.network = random_network(random);
	return options;
}

static void random_arrays(void)
{
	struct random random = common_random();
	struct setup s;

	for (int round = 0; round < ROUNDS; round++) {
		struct equant_transfer_options options = random_options(&random, &s);
		struct equant_transfer *transfer;

		random_array(&random, &s.array, ranks);
		if (set_up(&s, &random)) {
			transfer =
				equant_transfer_new(MPI_COMM_WORLD, &s.array, s.element, &options);
			demand(transfer);
			for (uint64_t r = 0; r < RUNS; r++) {
				fill_arrays(&s, r);
				demand_equal(0, run(transfer, &s));
				demand_expected(&s);
			}
			demand_equal(0, equant_transfer_free(transfer));
			tear_down(&s);
		}
		equant_redist_network_free((struct equant_redist_network *)options.network);
	}
}

/* cyclic(1) to cyclic(7) on all ranks: each has something for each. */
static void small_setup(struct setup *s, struct random *random)
{
	s->array = (struct equant_redist_array){
		.dimensions = 1,
		.extent = { 7 * ranks * ranks + 3 },
		.from = { { 1, ranks, 0, 0 } },
		.to = { { 7, ranks, ranks / 2, 0 } },
	};
	for (int r = 0; r < ranks; r++)
		s->senders[r] = s->receivers[r] = r;
	demand(set_up(s, random));
}

static void memory(void)
{
	struct random random = random_from(1);
	struct equant_transfer_options options = { .sz = sizeof(options), .window = 2 * MOST };
	struct equant_transfer *transfer;
	size_t all, least;
	struct setup s;

	small_setup(&s, &random);
	transfer = equant_transfer_new(MPI_COMM_WORLD, &s.array, s.element, &options);
	demand(transfer);
	all = equant_transfer_memory(transfer);
	demand_equal(0, equant_transfer_free(transfer));
	options.window = 1;
	transfer = equant_transfer_new(MPI_COMM_WORLD, &s.array, s.element, &options);
	demand(transfer);
	least = equant_transfer_memory(transfer);
	demand(ranks < 3 ? least == all : least < all);
	demand_equal(0, equant_transfer_free(transfer));

	options.window = 2 * MOST;
	options.memory = least + (all - least) / 2;
	transfer = equant_transfer_new(MPI_COMM_WORLD, &s.array, s.element, &options);
	demand(transfer);
	demand(equant_transfer_memory(transfer) <= options.memory);
	fill_arrays(&s, 0);
	demand_equal(0, run(transfer, &s));
	demand_expected(&s);
	demand_equal(0, equant_transfer_free(transfer));

	/* The last rank's memory is too small: nobody has a transfer. */
	options.memory = rank == ranks - 1 ? least - 1 : 0;
	if (ranks > 1) {
		errno = 0;
		demand(!equant_transfer_new(MPI_COMM_WORLD, &s.array, s.element, &options));
		demand_equal(rank == ranks - 1 ? ENOBUFS : ECANCELED, errno);
	}
	tear_down(&s);
}

static void refused(const struct equant_redist_array *array, size_t element,
		    const struct equant_transfer_options *options, int error)
{
	errno = 0;
	demand(!equant_transfer_new(MPI_COMM_WORLD, array, element, options));
	demand_equal(error, errno);
}

/* What only the last rank does differently. */
static void misuse_by_one(struct setup *s, const struct equant_transfer_options *good)
{
	int odd = rank == ranks - 1, one = odd ? EINVAL : ECANCELED;
	struct equant_transfer_options options = *good;
	struct equant_redist_array array = s->array;

	array.from[0].block += odd;
	refused(&array, s->element, good, EINVAL);
	refused(&s->array, s->element + (size_t)odd, good, EINVAL);
	options.largest = odd ? 5 : 6;
	refused(&s->array, s->element, &options, EINVAL);
	options = *good;
	options.scheduler = odd ? "direct" : "longest";
	refused(&s->array, s->element, &options, EINVAL);
	options.scheduler = odd ? "direkt" : "direct";
	refused(&s->array, s->element, &options, one);
	array.from[0].block = odd ? 0 : 1;
	refused(&array, s->element, good, one);
	refused(odd ? NULL : &s->array, s->element, good, one);
}

static void misuse(void)
{
	struct equant_transfer_options options = { .sz = sizeof(options) }, good = options;
	struct random random = random_from(1);
	struct equant_redist_network *network;
	int list[MOST];
	struct setup s;

	small_setup(&s, &random);
	errno = 0;
	demand(!equant_transfer_new(MPI_COMM_NULL, &s.array, s.element, NULL));
	demand_equal(EINVAL, errno);
	refused(&s.array, 0, NULL, EINVAL);
	for (int r = 0; r < ranks; r++)
		list[r] = r;
	list[0] = ranks;
	options.receivers = list;
	refused(&s.array, s.element, &options, EINVAL);
	options.receivers = NULL;
	network = equant_redist_network_new(ranks + 1, 0, 1, NULL, 0);
	options.network = network;
	refused(&s.array, s.element, &options, EINVAL);
	equant_redist_network_free(network);
	options = good;
	options.window = -1;
	refused(&s.array, s.element, &options, EINVAL);
	options = good;
	s.array.to[0].processes = ranks + 1;
	refused(&s.array, s.element, &good, EINVAL);
	s.array.to[0].processes = ranks;
	if (ranks > 1) {
		list[0] = 1;
		options.senders = list;
		refused(&s.array, s.element, &options, EINVAL);
		misuse_by_one(&s, &good);
	}
	tear_down(&s);
}

static void refused_run(void)
{
	struct random random = random_from(1);
	int odd = rank == ranks - 1;
	struct equant_transfer *transfer;
	struct setup s;

	small_setup(&s, &random);
	transfer = equant_transfer_new(MPI_COMM_WORLD, &s.array, s.element, NULL);
	demand(transfer);
	fill_arrays(&s, 0);
	demand_equal(odd ? -EINVAL : -ECANCELED,
		     equant_transfer_run(transfer, s.from_strides[rank], odd ? NULL : s.from,
					 s.to_strides[rank], s.to));
	demand_equal(odd ? -EINVAL : -ECANCELED,
		     equant_transfer_run(transfer, s.from_strides[rank], s.from, s.to_strides[rank],
					 odd ? s.from + s.element : s.to));
	for (size_t i = 0; i < (size_t)s.to_size[rank] * s.element; i++)
		demand_equal(UNTOUCHED, s.to[i]);
	demand_equal(0, run(transfer, &s));
	demand_expected(&s);
	demand_equal(0, equant_transfer_free(transfer));
	tear_down(&s);
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = {
		CASE(random_arrays),
		CASE(memory),
		CASE(misuse),
		CASE(refused_run),
	};

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
