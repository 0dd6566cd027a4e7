// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Plans of transfers in files, some of which somebody has spoilt. */
#include <equant/transfer.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/transfer_file.h"
#include "libsetup.h"
#include "libworker.h"

#define SCHEDULERS 10

static char path[256];

/* Rank 0 does with the file what it likes; all go on when it has. */
static void write_plan(const char *bytes, size_t count)
{
	if (!rank) {
		FILE *file = fopen(path, "wb");

		demand(file);
		demand_equal(count, fwrite(bytes, 1, count, file));
		demand_equal(0, fclose(file));
	}
	MPI_Barrier(MPI_COMM_WORLD);
}

static size_t read_plan(char *bytes, size_t room)
{
	FILE *file = fopen(path, "rb");
	size_t count;

	demand(file);
	count = fread(bytes, 1, room, file);
	demand(count < room);
	fclose(file);
	MPI_Barrier(MPI_COMM_WORLD);
	return count;
}

static void save(const struct equant_transfer *transfer)
{
	if (!rank)
		demand_equal(0, equant_transfer_save(transfer, path));
	MPI_Barrier(MPI_COMM_WORLD);
}

static void demand_same_schedule(const struct equant_redist_schedule *a,
				 const struct equant_redist_schedule *b)
{
	demand(!strcmp(a->scheduler, b->scheduler));
	demand_equal(a->count, b->count);
	demand(a->makespan == b->makespan);
	demand(!memcmp(a->pieces, b->pieces, (size_t)a->count * sizeof(*a->pieces)));
}

static void saved_and_loaded(struct setup *s, const struct equant_transfer_options *options)
{
	struct equant_transfer *transfer = must_transfer(s, options), *loaded;
	const struct equant_redist_array *array;
	size_t element = 0;

	save(transfer);
	loaded = equant_transfer_load(MPI_COMM_WORLD, path, NULL);
	demand(loaded);
	array = equant_transfer_array(loaded, &element);
	demand_equal(s->element, element);
	demand_equal(s->array.dimensions, array->dimensions);
	for (int d = 0; d < array->dimensions; d++)
		demand_equal(s->array.extent[d], array->extent[d]);
	demand_same_schedule(equant_transfer_schedule(transfer), equant_transfer_schedule(loaded));
	demand_equal(equant_transfer_memory(transfer), equant_transfer_memory(loaded));
	demand_equal(0, equant_transfer_free(transfer));
	must_run(loaded, s);
	demand_equal(0, equant_transfer_free(loaded));
}

/* Straight, or by way of other ranks. */
static void saved_random(struct random *random, int round)
{
	struct equant_redist_network *network =
		equant_redist_network_random(ranks, 1e-5, 1e3, 1e5, (uint64_t)round, NULL, 0);
	struct setup s;
	struct equant_transfer_options options = { .sz = sizeof(options),
						   .senders = s.senders,
						   .receivers = s.receivers,
						   .largest = 100 };

	demand(network);
	for (int r = 0; r < ranks; r++) {
		s.senders[r] = (r + round) % ranks;
		s.receivers[r] = ranks - 1 - r;
	}
	setup_random(&s, random);
	options.scheduler = equant_redist_scheduler_name(round % SCHEDULERS);
	demand(options.scheduler && !equant_redist_scheduler_name(SCHEDULERS));
	saved_and_loaded(&s, &options);
	options.scheduler = NULL;
	options.network = network;
	options.router = equant_redist_router_name(round % 4);
	saved_and_loaded(&s, &options);
	/* Where links are alike all goes straight. */
	network->count = 0;
	options.router = equant_redist_router_name(1 + round % 3);
	saved_and_loaded(&s, &options);
	setup_free(&s);
	equant_redist_network_free(network);
}

static void refused_plan(MPI_Comm comm, const struct equant_transfer_options *options, int error)
{
	errno = 0;
	demand(!equant_transfer_load(comm, path, options));
	demand_equal(error, errno);
}

/* Any byte that is not as it was, and a plan of any other length. */
static void damaged_plans(struct random *random)
{
	static char good[20000], bad[20000];
	size_t count = read_plan(good, sizeof(good));

	for (int round = 0; round < 30; round++) {
		size_t at = (size_t)random_below(random, (long)count);

		memcpy(bad, good, count);
		bad[at] ^= (char)(1 + random_below(random, 255));
		write_plan(bad, round % 3 ? count : at);
		refused_plan(MPI_COMM_WORLD, NULL, EINVAL);
	}
	memcpy(bad, good, count);
	write_plan(bad, count + 1);
	refused_plan(MPI_COMM_WORLD, NULL, EINVAL);
	errno = 0;
	demand(!equant_transfer_load(MPI_COMM_WORLD, NULL, NULL));
	demand_equal(rank ? ECANCELED : EINVAL, errno);
	write_plan(good, sizeof(struct equant_plan_header) / 2);
	refused_plan(MPI_COMM_WORLD, NULL, EINVAL);
	write_plan(good, count);
}

/* Its bytes add up, but not all that they say can be.  How many of them are loaded. */
static int forged_plans(struct random *random)
{
	const size_t numbers = offsetof(struct equant_plan_header, pieces);
	const size_t arrays = offsetof(struct equant_plan_header, cyclic);
	static char good[20000], bad[20000];
	struct equant_plan_header *header = (struct equant_plan_header *)bad;
	size_t count = read_plan(good, sizeof(good)), lists = sizeof(*header);
	size_t pieces = lists + 2 * (size_t)ranks * sizeof(int32_t);
	int loads = 0;

	for (int round = 0; round < 60; round++) {
		const size_t from[] = { numbers, lists, pieces }, to[] = { arrays, pieces, count };
		long room = (long)(to[round % 3] - from[round % 3]);
		struct equant_transfer *loaded;

		memcpy(bad, good, count);
		bad[from[round % 3] + (size_t)random_below(random, room)] ^=
			(char)(1 + random_below(random, 255));
		header->sum = equant_plan_sum(bad, count);
		write_plan(bad, count);
		errno = 0;
		loaded = equant_transfer_load(MPI_COMM_WORLD, path, NULL);
		demand(loaded ? round % 3 != 1 : errno == EINVAL);
		loads += !!loaded;
		demand_equal(0, equant_transfer_free(loaded));
	}
	write_plan(good, count);
	return loads;
}

/* There are not so many tags to tell steps by. */
static void forged_step(int32_t step)
{
	static char good[20000], bad[20000];
	struct equant_plan_header *header = (struct equant_plan_header *)bad;
	size_t count = read_plan(good, sizeof(good));
	char *parcels = bad + count;

	memcpy(bad, good, count);
	demand(header->legs > 0);
	parcels -= (size_t)header->parcels * sizeof(struct equant_plan_parcel);
	((struct equant_plan_leg *)parcels)[-1].step = step;
	header->sum = equant_plan_sum(bad, count);
	write_plan(bad, count);
	refused_plan(MPI_COMM_WORLD, NULL, EINVAL);
	write_plan(good, count);
}

/* Only times and what is not used may be others.  Without start-ups no router goes straight. */
static void forged_routes(const struct setup *s, struct random *random)
{
	struct equant_redist_network *network =
		equant_redist_network_random(ranks, 0, 1e3, 1e6, 1, NULL, 0);
	struct equant_transfer_options options = { .sz = sizeof(options), .network = network };
	struct equant_transfer *transfer;

	demand(network);
	for (int i = 0; (options.router = equant_redist_router_name(i)); i++) {
		transfer = must_transfer(s, &options);
		save(transfer);
		demand_equal(0, equant_transfer_free(transfer));
		demand(forged_plans(random) < 40);
		forged_step(EQUANT_TRANSFER_TAGS);
		forged_step(INT32_MAX);
	}
	equant_redist_network_free(network);
}

static void refused_plans(void)
{
	struct equant_transfer_options options = { .sz = sizeof(options), .largest = 5 };
	MPI_Comm all_but_one;

	refused_plan(MPI_COMM_WORLD, &options, EINVAL);
	options = (struct equant_transfer_options){ .sz = sizeof(options), .window = -1 };
	refused_plan(MPI_COMM_WORLD, &options, EINVAL);
	options = (struct equant_transfer_options){ .sz = sizeof(options), .node = 2 };
	refused_plan(MPI_COMM_WORLD, &options, EINVAL);
	options.node = rank ? EQUANT_TRANSFER_NODE_BEST : EQUANT_TRANSFER_NODE_MESSAGES;
	refused_plan(MPI_COMM_WORLD, &options, EINVAL);
	options = (struct equant_transfer_options){ .sz = sizeof(options), .window = 1 + !rank };
	refused_plan(MPI_COMM_WORLD, &options, EINVAL);
	options = (struct equant_transfer_options){ .sz = sizeof(options), .memory = 1 };
	refused_plan(MPI_COMM_WORLD, &options, ENOBUFS);
	MPI_Comm_split(MPI_COMM_WORLD, !rank, 0, &all_but_one);
	refused_plan(all_but_one, NULL, EINVAL);
	MPI_Comm_free(&all_but_one);
	MPI_Barrier(MPI_COMM_WORLD);
	if (!rank)
		demand_equal(0, remove(path));
	MPI_Barrier(MPI_COMM_WORLD);
	refused_plan(MPI_COMM_WORLD, NULL, rank ? ECANCELED : ENOENT);
}

static void saved_plans(void)
{
	struct random random = common_random();
	struct equant_transfer *transfer;
	struct setup s;

	snprintf(path, sizeof(path), "%s/plan", getenv("FOLDER"));
	for (int round = 0; round < 12; round++)
		saved_random(&random, round);
	setup_large(&s, &random, 1);
	forged_routes(&s, &random);
	transfer = must_transfer(&s, NULL);
	save(transfer);
	damaged_plans(&random);
	forged_plans(&random);
	refused_plans();
	if (!rank)
		demand_equal(-ENOENT, equant_transfer_save(transfer, "/nonexistent/plan"));
	demand_equal(0, equant_transfer_free(transfer));
	setup_free(&s);
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = {
		CASE(saved_plans),
	};

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
