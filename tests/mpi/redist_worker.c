// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Arrays that change hands between ranks. */
#include <equant/transfer.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libsetup.h"
#include "libworker.h"

#define RUNS 2 /* of each transfer */

static int finish_by_tests(struct equant_transfer *transfer)
{
	int done = 0, error = 0;

	while (!done)
		error = equant_transfer_test(transfer, &done);
	return error;
}

/* In one of three ways, which need not be the same on all ranks. */
static int run_somehow(struct equant_transfer *transfer, struct setup *s, long way)
{
	if (way % 3 == 0)
		return setup_run(transfer, s);
	demand_equal(0, setup_start(transfer, s));
	return way % 3 == 1 ? finish_by_tests(transfer) : equant_transfer_wait(transfer);
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
		.scheduler = equant_redist_scheduler_name((int)random_below(random, 10)),
		.window = (int)random_below(random, 5),
		.largest = random_below(random, 2) ? 0 : 1 + (size_t)random_below(random, 300),
		.node = (enum equant_transfer_node)random_below(random, 2),
	};

	for (int r = 0; r < ranks; r++)
		s->senders[r] = s->receivers[r] = r;
	if (random_below(random, 3)) {
		random_order(random, s->senders, ranks);
		random_order(random, s->receivers, ranks);
		options.senders = s->senders;
		options.receivers = s->receivers;
	}
	if (random_below(random, 2))
		options.network = random_network(random);
	if (options.network && random_below(random, 2)) {
		options.scheduler = NULL;
		options.router = equant_redist_router_name((int)random_below(random, 4));
	}
	return options;
}

static void random_arrays(void)
{
	const char *rounds = getenv("ROUNDS");
	struct random random = common_random();
	struct setup s;

	demand(rounds);
	for (int round = 0; round < atoi(rounds); round++) {
		struct equant_transfer_options options = random_options(&random, &s);
		struct equant_transfer *transfer;

		setup_random(&s, &random);
		transfer = must_transfer(&s, &options);
		for (uint64_t r = 0; r < RUNS; r++) {
			setup_fill(&s, r);
			demand_equal(0, run_somehow(transfer, &s, rank + round + (long)r));
			setup_check(&s);
		}
		demand_equal(0, equant_transfer_free(transfer));
		setup_free(&s);
		equant_redist_network_free((struct equant_redist_network *)options.network);
	}
}

static void memory(void)
{
	struct random random = random_from(1);
	struct equant_transfer_options options = { .sz = sizeof(options), .window = 2 * MOST };
	struct equant_transfer *transfer;
	size_t all, least;
	struct setup s;

	setup_small(&s, &random);
	transfer = must_transfer(&s, &options);
	all = equant_transfer_memory(transfer);
	demand_equal(0, equant_transfer_free(transfer));
	options.window = 1;
	transfer = must_transfer(&s, &options);
	least = equant_transfer_memory(transfer);
	demand(ranks < 4 ? least == all : least < all);
	demand_equal(0, equant_transfer_free(transfer));

	options.window = 2 * MOST;
	options.memory = least + (all - least) / 2;
	transfer = must_transfer(&s, &options);
	demand(equant_transfer_memory(transfer) <= options.memory);
	setup_fill(&s, 0);
	demand_equal(0, setup_run(transfer, &s));
	setup_check(&s);
	demand_equal(0, equant_transfer_free(transfer));

	/* The last rank's memory is too small: nobody has a transfer. */
	options.memory = rank == ranks - 1 ? 1 : 0;
	if (ranks > 1) {
		errno = 0;
		demand(!equant_transfer_new(MPI_COMM_WORLD, &s.array, s.element, &options));
		demand_equal(rank == ranks - 1 ? ENOBUFS : ECANCELED, errno);
	}
	setup_free(&s);
}

static void refused(const struct equant_redist_array *array, size_t element,
		    const struct equant_transfer_options *options, int error)
{
	errno = 0;
	demand(!equant_transfer_new(MPI_COMM_WORLD, array, element, options));
	demand_equal(error, errno);
}

/* One number is more by one on the last rank, and all could as well be done with that. */
static void one_number_differs(void)
{
	int64_t v[] = { 1, 100, 1, ranks - 1, 0, 0, 7, ranks - 1, 0, 0, 0, 0, 8, 10, 0, 1 };

	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++) {
		struct equant_transfer_options options;
		struct equant_redist_array array;

		v[i] += rank == ranks - 1;
		array = (struct equant_redist_array){
			.dimensions = (int)v[0],
			.extent = { v[1], 1 },
			.from = { { v[2], (int)v[3], (int)v[4], v[5] }, { 1, 1, 0, 0 } },
			.to = { { v[6], (int)v[7], (int)v[8], v[9] }, { 1, 1, 0, 0 } },
			.from_order = (enum equant_redist_order)v[10],
			.to_order = (enum equant_redist_order)v[11],
		};
		options = (struct equant_transfer_options){
			.sz = sizeof(options),
			.largest = (size_t)v[13],
			.node = (enum equant_transfer_node)v[14],
			.window = (int)v[15],
		};
		refused(&array, (size_t)v[12], &options, EINVAL);
		v[i] -= rank == ranks - 1;
	}
}

/* The same of what is given by address. */
static void one_list_differs(const struct setup *s)
{
	struct equant_redist_network *network = equant_redist_network_new(ranks, 0, 1, NULL, 0);
	struct equant_redist_link link = { 0, 1, 0, rank == ranks - 1 ? 2 : 3 };
	struct equant_transfer_options good = { .sz = sizeof(good) }, options = good;
	int list[MOST];

	for (int r = 0; r < ranks; r++)
		list[r] = rank == ranks - 1 ? r : ranks - 1 - r;
	options.senders = list;
	refused(&s->array, s->element, &options, EINVAL);
	options = good;
	options.receivers = list;
	refused(&s->array, s->element, &options, EINVAL);
	options = good;
	options.scheduler = rank == ranks - 1 ? "direct" : "longest";
	refused(&s->array, s->element, &options, EINVAL);
	options = good;
	demand_equal(0, equant_redist_network_set(network, &link, NULL, 0));
	options.network = network;
	refused(&s->array, s->element, &options, EINVAL);
	options.router = rank == ranks - 1 ? "relay" : "combine";
	demand_equal(0, equant_redist_network_set(
				network, &(struct equant_redist_link){ 0, 1, 0, 1 }, NULL, 0));
	refused(&s->array, s->element, &options, EINVAL);
	options.router = NULL;
	options.network = rank == ranks - 1 ? NULL : network;
	refused(&s->array, s->element, &options, EINVAL);
	equant_redist_network_free(network);
}

/* What only the last rank does, and is no transfer. */
static void misuse_by_one(struct setup *s, const struct equant_transfer_options *good)
{
	int odd = rank == ranks - 1, one = odd ? EINVAL : ECANCELED;
	struct equant_redist_network *network = equant_redist_network_new(ranks, 0, 1, NULL, 0);
	struct equant_transfer_options options = *good;
	struct equant_redist_array array = s->array;

	options.scheduler = odd ? "direkt" : "direct";
	refused(&s->array, s->element, &options, one);
	options = *good;
	options.router = odd ? "relais" : "relay";
	options.network = network;
	refused(&s->array, s->element, &options, one);
	options.router = "relay";
	options.scheduler = odd ? "greedy" : NULL;
	refused(&s->array, s->element, &options, one);
	options.scheduler = NULL;
	options.network = odd ? NULL : network;
	refused(&s->array, s->element, &options, one);
	equant_redist_network_free(network);
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

	setup_small(&s, &random);
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
		one_list_differs(&s);
		one_number_differs();
	}
	setup_free(&s);
}

static void refused_run(void)
{
	struct random random = random_from(1);
	int odd = rank == ranks - 1;
	struct equant_transfer *transfer;
	struct setup s;

	setup_small(&s, &random);
	transfer = must_transfer(&s, NULL);
	setup_fill(&s, 0);
	demand_equal(odd ? -EINVAL : -ECANCELED,
		     equant_transfer_run(transfer, s.from_strides[rank], odd ? NULL : s.from,
					 s.to_strides[rank], s.to));
	demand_equal(odd ? -EINVAL : -ECANCELED,
		     equant_transfer_run(transfer, s.from_strides[rank], s.from, s.to_strides[rank],
					 odd ? s.from + s.element : s.to));
	for (size_t i = 0; i < (size_t)s.to_size[rank] * s.element; i++)
		demand_equal(UNTOUCHED, s.to[i]);
	demand_equal(0, setup_run(transfer, &s));
	setup_check(&s);
	demand_equal(0, equant_transfer_free(transfer));
	setup_free(&s);
}

/* Bytes of an array without that much memory: all folds but the last are the same one. */
#define FOLD (513L * 4096) /* no part of 2^31 or 2^32 */
#define FOLDS 1023L /* 2^31 + 2.1 million bytes */
#define MANY (FOLDS * FOLD - 12345)

static unsigned char *map_folds(void)
{
	int fd = memfd_create("folds", 0);
	unsigned char *base =
		mmap(NULL, FOLDS * FOLD, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	demand(fd >= 0 && base != MAP_FAILED);
	demand_equal(0, ftruncate(fd, 2 * FOLD));
	for (long i = 0; i < FOLDS; i++)
		demand(mmap(base + i * FOLD, FOLD, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
			    fd, i == FOLDS - 1 ? FOLD : 0) != MAP_FAILED);
	close(fd);
	return base;
}

/* The sender's bytes, or whether the receiver has them: of the first fold and of the last. */
static void each_byte(unsigned char *bytes, void (*look)(unsigned char *at, unsigned char byte))
{
	struct random random = random_from(1);

	for (long i = 0; i < FOLD; i++)
		look(bytes + i, (unsigned char)random_next(&random));
	for (long i = (FOLDS - 1) * FOLD; i < MANY; i++)
		look(bytes + i, (unsigned char)random_next(&random));
}

static void put(unsigned char *at, unsigned char byte)
{
	*at = byte;
}

static void expect(unsigned char *at, unsigned char byte)
{
	demand_equal(byte, *at);
}

static void more_than_31_bits(void)
{
	const int from = 0, to = 1;
	const struct equant_redist_array array = {
		.dimensions = 1,
		.extent = { MANY },
		.from = { { MANY, 1, 0, 0 } },
		.to = { { MANY, 1, 0, 0 } },
	};
	unsigned char *bytes = map_folds();

	for (int node = 0; node < 2; node++) {
		const struct equant_transfer_options options = {
			.sz = sizeof(options),
			.senders = &from,
			.receivers = &to,
			.largest = 1 << 24, /* fewer turns between the ranks: it takes 2 s */
			.node = (enum equant_transfer_node)node,
		};
		struct equant_transfer *transfer =
			equant_transfer_new(MPI_COMM_WORLD, &array, 1, &options);

		demand(transfer);
		memset(bytes, UNTOUCHED, FOLD);
		memset(bytes + (FOLDS - 1) * FOLD, UNTOUCHED, FOLD);
		if (rank == from)
			each_byte(bytes, put);
		demand_equal(0, equant_transfer_run(transfer, (int64_t[]){ 1 }, bytes,
						    (int64_t[]){ 1 }, bytes));
		each_byte(bytes, expect);
		demand_equal(UNTOUCHED, bytes[MANY]);
		demand_equal(0, equant_transfer_free(transfer));
	}
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = {
		CASE(random_arrays),	 CASE(memory), CASE(misuse), CASE(refused_run),
		CASE(more_than_31_bits),
	};

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
