// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Transfers that go on while something else does, of any length, and between two groups. */
#include <equant/transfer.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/transfer_internal.h"
#include "libsetup.h"
#include "libworker.h"

#define THREADS 3
#define TAG 7

/* ---- in between ------------------------------------------------------------------------- */

static void others_are_waited_for_without_waiting(void)
{
	struct random random = common_random();
	struct equant_transfer *transfer;
	int done = 0, token = 0;
	struct setup s;

	setup_large(&s, &random, 1);
	transfer = must_transfer(&s, NULL);
	demand_equal(0, equant_transfer_test(transfer, &done));
	demand_equal(1, done);
	setup_fill(&s, 1);
	/* The last rank begins when all others have tested in vain. */
	if (rank == ranks - 1)
		for (int r = 0; r < ranks - 1; r++)
			MPI_Recv(&token, 1, MPI_INT, r, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	demand_equal(0, setup_start(transfer, &s));
	demand_equal(-EBUSY, setup_start(transfer, &s));
	if (rank < ranks - 1) {
		for (int i = 0; i < 100; i++) {
			demand_equal(0, equant_transfer_test(transfer, &done));
			demand_equal(0, done);
		}
		MPI_Send(&token, 1, MPI_INT, ranks - 1, TAG, MPI_COMM_WORLD);
	}
	for (done = 0; !done;)
		demand_equal(0, equant_transfer_test(transfer, &done));
	setup_check(&s);
	demand_equal(0, equant_transfer_wait(transfer));

	/* Freed before it is through. */
	setup_fill(&s, 2);
	demand_equal(0, setup_start(transfer, &s));
	demand_equal(0, equant_transfer_free(transfer));
	setup_check(&s);
	setup_free(&s);
}

/* Two at once, and what one rank refuses comes out of both calls that go on. */
static void two_at_once(void)
{
	struct random random = common_random();
	struct equant_transfer *transfer[2];
	struct setup s[2];
	int done[2] = { 0, 0 }, odd = rank == ranks - 1;

	for (int i = 0; i < 2; i++) {
		setup_large(&s[i], &random, 1 + 99 * i);
		transfer[i] = must_transfer(&s[i], NULL);
		setup_fill(&s[i], 1);
		demand_equal(0, setup_start(transfer[i], &s[i]));
	}
	while (!done[0] || !done[1])
		for (int i = 0; i < 2; i++)
			demand_equal(0, equant_transfer_test(transfer[i], &done[i]));
	for (int i = 0; i < 2; i++) {
		setup_check(&s[i]);
		demand_equal(0,
			     equant_transfer_start(transfer[i], s[i].from_strides[rank], s[i].from,
						   s[i].to_strides[rank], odd ? NULL : s[i].to));
		demand_equal(odd ? -EINVAL : -ECANCELED, equant_transfer_wait(transfer[i]));
		demand_equal(0, setup_run(transfer[i], &s[i]));
		setup_check(&s[i]);
		demand_equal(0, equant_transfer_free(transfer[i]));
		setup_free(&s[i]);
	}
}

/* ---- beside each other -------------------------------------------------------------------- */

#define BESIDE 3

/*
 * Of all of them each message has more pieces than there are slots, so none comes to its end before its
 * receiver has taken something.
 */
static void make_beside(struct setup s[BESIDE], struct equant_transfer *transfer[BESIDE])
{
	struct random random = common_random();

	for (int i = 0; i < BESIDE; i++) {
		struct equant_transfer_options options = {
			.sz = sizeof(options),
			.largest = 1000,
			.node = i == 1 ? EQUANT_TRANSFER_NODE_MESSAGES : EQUANT_TRANSFER_NODE_BEST,
			.beside = i ? transfer[i - 1] : NULL,
		};

		setup_large(&s[i], &random, 1 + i);
		transfer[i] = must_transfer(&s[i], &options);
	}
}

static void start_all(struct setup s[BESIDE], struct equant_transfer *transfer[BESIDE],
		      uint64_t run)
{
	for (int i = 0; i < BESIDE; i++) {
		setup_fill(&s[i], run);
		demand_equal(0, setup_start(transfer[i], &s[i]));
	}
}

/* Each rank begins with another one of them, in one direction or the other. */
static void waited_for_in_any_order(void)
{
	struct equant_transfer *transfer[BESIDE];
	struct setup s[BESIDE];

	make_beside(s, transfer);
	for (int run = 0; run < 4; run++) {
		start_all(s, transfer, (uint64_t)run);
		for (int k = 0; k < BESIDE; k++) {
			int i = (rank + run + (rank / 2 % 2 ? k : BESIDE - k)) % BESIDE;

			demand_equal(0, equant_transfer_wait(transfer[i]));
			setup_check(&s[i]);
		}
	}
	/* The one in the middle goes first; the others are still beside each other. */
	demand_equal(0, equant_transfer_free(transfer[1]));
	setup_free(&s[1]);
	transfer[1] = transfer[2];
	s[1] = s[2];
	for (int i = 0; i < 2; i++) {
		setup_fill(&s[i], 7);
		demand_equal(0, setup_start(transfer[i], &s[i]));
	}
	demand_equal(0, equant_transfer_wait(transfer[rank % 2]));
	demand_equal(0, equant_transfer_wait(transfer[!(rank % 2)]));
	for (int i = 0; i < 2; i++) {
		setup_check(&s[i]);
		demand_equal(0, equant_transfer_free(transfer[i]));
		setup_free(&s[i]);
	}
}

/* What one rank refuses it is told of when it asks for that one, which is running until then. */
static void ends_while_another_is_tested(void)
{
	struct equant_transfer *transfer[BESIDE];
	struct setup s[BESIDE];
	int done, odd = rank == ranks - 1, changed;

	make_beside(s, transfer);
	demand_equal(0, equant_transfer_start(transfer[0], s[0].from_strides[rank], s[0].from,
					      s[0].to_strides[rank], odd ? NULL : s[0].to));
	while (transfer[0]->state != EQUANT_TRANSFER_ENDED) {
		demand_equal(0, equant_transfer_test(transfer[1], &done));
		demand_equal(1, done);
	}
	demand_equal(-EBUSY, setup_start(transfer[0], &s[0]));
	demand_equal(odd ? -EINVAL : -ECANCELED, equant_transfer_wait(transfer[0]));
	demand_equal(0, equant_transfer_wait(transfer[0]));
	start_all(s, transfer, 3);
	demand_equal(0, equant_transfer_wait(transfer[2]));
	while (transfer[1]->state != EQUANT_TRANSFER_ENDED)
		demand_equal(0, equant_transfer_test(transfer[2], &done));
	demand_equal(0, equant_transfer_test(transfer[1], &done));
	demand_equal(1, done);
	demand_equal(-EINVAL, equant_transfer_refresh(transfer[2], &changed));
	for (int i = 0; i < BESIDE; i++) {
		demand_equal(0, equant_transfer_free(transfer[i]));
		setup_check(&s[i]);
		setup_free(&s[i]);
	}
}

/* All ranks have the same ones beside. */
static void not_beside_on_one(void)
{
	struct equant_transfer_options options = { .sz = sizeof(options) };
	struct random random = common_random();
	struct equant_transfer *transfer;
	struct setup s;

	setup_small(&s, &random);
	transfer = must_transfer(&s, &options);
	options.beside = rank == ranks - 1 ? NULL : transfer;
	errno = 0;
	demand(!equant_transfer_new(MPI_COMM_WORLD, &s.array, s.element, &options));
	demand_equal(EINVAL, errno);
	must_run(transfer, &s);
	demand_equal(0, equant_transfer_free(transfer));
	setup_free(&s);
}

/* ---- memory ------------------------------------------------------------------------------ */

static size_t memory_of(const struct setup *s, const struct equant_redist_network *network,
			int window)
{
	struct equant_transfer_options options = {
		.sz = sizeof(options), .network = network, .window = window, .largest = 16
	};
	struct equant_transfer *transfer = must_transfer(s, &options);
	size_t memory = equant_transfer_memory(transfer);

	demand_equal(0, equant_transfer_free(transfer));
	return memory;
}

/* Links of 100 bytes per second: for a port of 100 one message and one more, for 200 two and one. */
static void the_port_makes_the_window(void)
{
	const int asked = EQUANT_TRANSFER_WINDOW_NETWORK;
	struct random random = common_random();
	struct setup s;

	setup_large(&s, &random, 1);
	for (int carries = 1; carries < ranks; carries++) {
		struct equant_redist_host port = { 100.0 * carries, 1e3 };
		struct equant_redist_network *network =
			equant_redist_network_new(ranks, 0, 100, NULL, 0);

		demand(network);
		demand(memory_of(&s, network, asked) == memory_of(&s, NULL, 16));
		port.receive = port.send;
		for (int r = 0; r < ranks; r++) {
			int host = equant_redist_network_host(network, &port, NULL, 0);

			demand_equal(0, equant_redist_network_place(network, r, host, NULL, 0));
		}
		demand(memory_of(&s, network, asked) == memory_of(&s, NULL, carries + 1));
		demand(carries == ranks - 1 ||
		       memory_of(&s, network, carries) < memory_of(&s, network, asked));
		equant_redist_network_free(network);
	}
	demand(memory_of(&s, NULL, 0) == memory_of(&s, NULL, 1));
	setup_free(&s);
}

/* 5 GiB and something, of which nothing is there: no piece is longer than MPI counts. */
static void long_messages(void)
{
	const size_t largest[] = { INT_MAX, 1ul << 18, (1ul << 30) + 1 };
	const size_t bytes = (5ul << 30) + 12345, half = bytes / 2 + 1;

	for (int i = 0; i < 3; i++) {
		struct equant_letter letter = { .bytes = bytes };
		struct equant_lane lane = { .letters = &letter, .letter_count = 1 };
		size_t at = 0;

		demand_equal(0, equant_lane_add(&lane, 0, half, largest[i]));
		demand_equal(0, equant_lane_add(&lane, 0, bytes, largest[i]));
		for (int64_t k = 0; k < lane.chunk_count; k++) {
			demand(lane.chunks[k].at == at);
			demand(lane.chunks[k].length > 0);
			demand((size_t)lane.chunks[k].length <= largest[i]);
			at += (size_t)lane.chunks[k].length;
		}
		demand(at == bytes);
		demand_equal(2 * ((half + largest[i] - 1) / largest[i]), lane.chunk_count);
		equant_lane_resize(&lane, 1, INT_MAX);
		demand(equant_lane_size(&lane) == 2 * largest[i]);
		free(lane.chunks);
	}
}

/* ---- threads ------------------------------------------------------------------------------ */

struct thread {
	pthread_t thread;
	MPI_Comm comm;
	struct setup setup;
};

static void *run_many(void *argument)
{
	struct thread *t = argument;
	struct equant_transfer *transfer =
		equant_transfer_new(t->comm, &t->setup.array, t->setup.element, NULL);

	demand(transfer);
	for (uint64_t r = 0; r < 20; r++) {
		setup_fill(&t->setup, r);
		demand_equal(0, setup_run(transfer, &t->setup));
		setup_check(&t->setup);
	}
	demand_equal(0, equant_transfer_free(transfer));
	return NULL;
}

static void each_thread_has_one(void)
{
	struct random random = common_random();
	struct thread threads[THREADS];

	for (int i = 0; i < THREADS; i++) {
		MPI_Comm_dup(MPI_COMM_WORLD, &threads[i].comm);
		setup_large(&threads[i].setup, &random, 1 + 77 * i);
	}
	for (int i = 0; i < THREADS; i++)
		demand_equal(0, pthread_create(&threads[i].thread, NULL, run_many, &threads[i]));
	for (int i = 0; i < THREADS; i++) {
		demand_equal(0, pthread_join(threads[i].thread, NULL));
		setup_free(&threads[i].setup);
		MPI_Comm_free(&threads[i].comm);
	}
}

/* ---- two groups --------------------------------------------------------------------------- */

/*
 * The first ranks and the others, which are one more at least; the leaders are the highest of
 * each.
 */
static MPI_Comm two_groups(int first)
{
	MPI_Comm group, inter;

	MPI_Comm_split(MPI_COMM_WORLD, rank < first, ranks - rank, &group);
	MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, rank < first ? ranks - 1 : first - 1, TAG,
			     &inter);
	MPI_Comm_free(&group);
	return inter;
}

/* All of one group to all of the other, which are in the order from the highest to the lowest. */
static void group_setup(struct setup *s, struct random *random, int first, bool forth)
{
	int low = forth ? first : ranks - first, high = ranks - low;

	s->array = (struct equant_redist_array){
		.dimensions = 1,
		.extent = { BLOCK * ranks + 1 },
		.from = { { BLOCK, low, 0, 0 } },
		.to = { { 7, high, 1 % high, 0 } },
	};
	for (int i = 0; i < low; i++)
		s->senders[i] = forth ? first - 1 - i : ranks - 1 - i;
	for (int i = 0; i < high; i++)
		s->receivers[i] = forth ? ranks - 1 - i : first - 1 - i;
	demand(setup_make(s, random));
}

static void refused_groups(MPI_Comm inter, const struct setup *s, int group)
{
	struct equant_transfer_options options = { .sz = sizeof(options), .group = group };

	errno = 0;
	demand(!equant_transfer_new(inter, &s->array, s->element, &options));
	demand_equal(EINVAL, errno);
}

static void from_one_group_to_the_other(void)
{
	struct random random = common_random();
	int first = ranks / 2;
	MPI_Comm inter = two_groups(first);
	struct setup s;

	for (int forth = 0; forth < 2; forth++) {
		struct equant_transfer_options options = { .sz = sizeof(options) };
		int list[MOST];
		struct equant_transfer *transfer;

		group_setup(&s, &random, first, forth);
		options.group = s.sender >= 0 ? EQUANT_TRANSFER_SENDS : EQUANT_TRANSFER_RECEIVES;
		transfer = equant_transfer_new(inter, &s.array, s.element, &options);
		demand(transfer);
		must_run(transfer, &s);
		demand_equal(0, equant_transfer_free(transfer));

		/* Ranks of a list are those within the group. */
		for (int i = 0; i < MOST; i++)
			list[i] = i;
		options.senders = options.receivers = list;
		transfer = equant_transfer_new(inter, &s.array, s.element, &options);
		demand(transfer);
		must_run(transfer, &s);
		demand_equal(0, equant_transfer_free(transfer));
		list[0] = ranks;
		errno = 0;
		demand(!equant_transfer_new(inter, &s.array, s.element, &options));
		demand_equal(EINVAL, errno);
		refused_groups(inter, &s, 0);
		refused_groups(inter, &s, EQUANT_TRANSFER_SENDS);
		refused_groups(inter, &s, 1 + rank);
		refused_groups(MPI_COMM_WORLD, &s, EQUANT_TRANSFER_SENDS);
		setup_free(&s);
	}
	MPI_Comm_free(&inter);
}

/* In a network the ranks of the group that sends come first. */
static void demand_from_group_to_group(const struct equant_transfer *transfer, int senders)
{
	const struct equant_redist_schedule *schedule = equant_transfer_schedule(transfer);

	demand_equal(ranks, schedule->ranks);
	demand(schedule->count > 0);
	for (int64_t i = 0; i < schedule->count; i++)
		demand(schedule->pieces[i].from < senders && schedule->pieces[i].to >= senders);
}

/* Links to the first rank that receives are slow ones. */
static struct equant_redist_network *group_network(int senders)
{
	struct equant_redist_network *network =
		equant_redist_network_new(ranks, 1e-5, 1e5, NULL, 0);

	demand(network);
	for (int i = 0; i < senders; i++)
		demand_equal(0, equant_redist_network_set(network,
							  &(struct equant_redist_link){ i, senders,
											1e-5, 1e3 },
							  NULL, 0));
	return network;
}

static void saved_and_loaded(MPI_Comm inter, struct equant_transfer *transfer, struct setup *s,
			     int group)
{
	struct equant_transfer_options options = { .sz = sizeof(options), .group = group };
	struct equant_transfer *loaded;
	char path[256];

	snprintf(path, sizeof(path), "%s/plan", getenv("FOLDER"));
	if (!rank)
		demand_equal(0, equant_transfer_save(transfer, path));
	MPI_Barrier(MPI_COMM_WORLD);
	loaded = equant_transfer_load(inter, path, &options);
	demand(loaded);
	demand_equal(equant_transfer_memory(transfer), equant_transfer_memory(loaded));
	demand(equant_transfer_schedule(transfer)->makespan ==
	       equant_transfer_schedule(loaded)->makespan);
	must_run(loaded, s);
	demand_equal(0, equant_transfer_free(loaded));
	/* A plan for as many ranks the other way is none for these groups. */
	options.group = EQUANT_TRANSFER_SENDS + EQUANT_TRANSFER_RECEIVES - group;
	errno = 0;
	demand(!equant_transfer_load(inter, path, &options));
	demand_equal(EINVAL, errno);
}

/* Rank 0 does not wait for its run before, which others need for theirs. */
static void refreshed_while_running(struct equant_transfer *transfer, struct setup *s)
{
	int changed;

	setup_fill(s, 3);
	demand_equal(0, setup_start(transfer, s));
	if (rank)
		demand_equal(0, equant_transfer_wait(transfer));
	demand_equal(rank ? -ECANCELED : -EBUSY, equant_transfer_refresh(transfer, &changed));
	demand_equal(0, equant_transfer_wait(transfer));
	setup_check(s);
}

/* Planned for a network, and again when it has been seen. */
static void groups_in_network(MPI_Comm inter, struct setup *s,
			      struct equant_transfer_options options)
{
	int senders = equant_redist_senders(&s->array), changed;
	struct equant_redist_network *network = group_network(senders);
	struct equant_transfer *transfer;

	options.network = network;
	options.largest = 3000;
	options.group = s->sender >= 0 ? EQUANT_TRANSFER_SENDS : EQUANT_TRANSFER_RECEIVES;
	transfer = equant_transfer_new(inter, &s->array, s->element, &options);
	demand(transfer);
	if (!options.router)
		demand_from_group_to_group(transfer, senders);
	must_run(transfer, s);
	saved_and_loaded(inter, transfer, s, options.group);
	refreshed_while_running(transfer, s);
	demand_equal(0, equant_transfer_refresh(transfer, &changed));
	must_run(transfer, s);
	demand_equal(0, equant_transfer_free(transfer));
	equant_redist_network_free(network);
}

static void groups_of_a_network(void)
{
	const struct equant_transfer_options options[] = {
		{ .sz = sizeof(options[0]), .scheduler = "preemptive", .window = 3 },
		{ .sz = sizeof(options[0]),
		  .scheduler = "shortest",
		  .window = EQUANT_TRANSFER_WINDOW_NETWORK,
		  .node = EQUANT_TRANSFER_NODE_MESSAGES },
		{ .sz = sizeof(options[0]), .router = "relay", .window = 2 },
	};
	struct random random = common_random();
	int first = ranks / 2;
	MPI_Comm inter = two_groups(first);
	struct setup s;

	for (int i = 0; i < 6; i++) {
		group_setup(&s, &random, first, i % 2);
		groups_in_network(inter, &s, options[i / 2]);
		setup_free(&s);
	}
	MPI_Comm_free(&inter);
}

/* ---- options ------------------------------------------------------------------------------ */

static void refused_options(const struct setup *s, const struct equant_transfer_options *options,
			    int error)
{
	errno = 0;
	demand(!equant_transfer_new(MPI_COMM_WORLD, &s->array, s->element, options));
	demand_equal(error, errno);
}

/* Those of a program that was made with another header. */
static void other_options(void)
{
	struct {
		struct equant_transfer_options known;
		char unknown[8];
	} options = { .known.sz = sizeof(options) };
	struct random random = common_random();
	struct equant_transfer *transfer;
	int last = rank == ranks - 1;
	struct setup s;

	setup_small(&s, &random);
	transfer = must_transfer(&s, &options.known);
	must_run(transfer, &s);
	demand_equal(0, equant_transfer_free(transfer));
	for (size_t i = 0; i < sizeof(options.unknown); i++) {
		memset(options.unknown, 0, sizeof(options.unknown));
		options.unknown[i] = (char)last;
		refused_options(&s, &options.known, last ? EINVAL : ECANCELED);
	}
	for (size_t sz = 0; sz < sizeof(sz); sz++) {
		options.known.sz = last ? sz : sizeof(options.known);
		refused_options(&s, &options.known, last ? EINVAL : ECANCELED);
	}
	/* What is after its end it does not have. */
	options.known.sz = offsetof(struct equant_transfer_options, window);
	options.known.window = -77;
	transfer = must_transfer(&s, &options.known);
	must_run(transfer, &s);
	demand_equal(0, equant_transfer_free(transfer));
	setup_free(&s);
}

/* More bytes than a number of them may say: as much is refused of a message. */
static void too_much_stays(void)
{
	const struct equant_redist_array array = {
		.dimensions = 1,
		.extent = { 4 },
		.from = { { 1, 1, 0, 0 } },
		.to = { { 1, 1, 0, 0 } },
	};

	errno = 0;
	demand(!equant_transfer_new(MPI_COMM_SELF, &array, (size_t)1 << 62, NULL));
	demand_equal(EOVERFLOW, errno);
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = {
		CASE(others_are_waited_for_without_waiting),
		CASE(two_at_once),
		CASE(waited_for_in_any_order),
		CASE(ends_while_another_is_tested),
		CASE(not_beside_on_one),
		CASE(the_port_makes_the_window),
		CASE(long_messages),
		CASE(too_much_stays),
		CASE(each_thread_has_one, .threads = MPI_THREAD_MULTIPLE),
		CASE(from_one_group_to_the_other),
		CASE(groups_of_a_network),
		CASE(other_options),
	};

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
