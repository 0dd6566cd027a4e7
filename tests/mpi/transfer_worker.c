// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Transfers that go on while something else does, that read memory, and between two groups. */
#include <equant/transfer.h>
#include <errno.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "engine/transfer_file.h"
#include "libsetup.h"
#include "libworker.h"

#define BLOCK 500 /* elements of up to 40 bytes */
#define THREADS 3
#define TAG 7

/* Blocks that are long enough to be read, from all ranks to all; the last one is short. */
static void large_setup(struct setup *s, struct random *random, int64_t to_block)
{
	s->array = (struct equant_redist_array){
		.dimensions = 1,
		.extent = { 2 * BLOCK * ranks + 3 },
		.from = { { BLOCK, ranks, 0, 0 } },
		.to = { { to_block, ranks, ranks / 2, 0 } },
	};
	for (int r = 0; r < ranks; r++)
		s->senders[r] = s->receivers[r] = r;
	demand(setup_make(s, random));
	while (s->element < 16) {
		setup_free(s);
		demand(setup_make(s, random));
	}
}

/* Rows that are read in one block and written element by element, since they become columns. */
static void transposed_setup(struct setup *s, struct random *random)
{
	const int rows = 16, columns = 60;

	s->array = (struct equant_redist_array){
		.dimensions = 2,
		.extent = { rows * ranks, columns },
		.from = { { rows, ranks, 0, 0 }, { columns, 1, 0, 0 } },
		.to = { { rows, ranks, 1 % ranks, 0 }, { columns, 1, 0, 0 } },
	};
	for (int r = 0; r < ranks; r++)
		s->senders[r] = s->receivers[r] = r;
	demand(setup_make(s, random));
	for (int r = 0; r < ranks; r++) {
		s->from_strides[r][0] = columns;
		s->to_strides[r][1] = rows;
		s->from_strides[r][1] = s->to_strides[r][0] = 1;
	}
}

static struct equant_transfer *must_transfer(const struct setup *s,
					     const struct equant_transfer_options *options)
{
	struct equant_transfer *transfer =
		equant_transfer_new(MPI_COMM_WORLD, &s->array, s->element, options);

	demand(transfer);
	return transfer;
}

static void must_run(struct equant_transfer *transfer, struct setup *s)
{
	for (uint64_t r = 0; r < 2; r++) {
		setup_fill(s, r);
		demand_equal(0, setup_run(transfer, s));
		setup_check(s);
	}
}

/* Every system call of this number fails. */
static void forbid(int number)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

	demand_equal(0, prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	demand_equal(0, prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
}

/* ---- reading -------------------------------------------------------------------------- */

/* Yama may let nobody but a parent. */
static void let_read(void)
{
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	MPI_Barrier(MPI_COMM_WORLD);
}

static int others(void)
{
	return ranks - 1;
}

static void reads_or_messages(struct setup *s, size_t largest)
{
	struct equant_transfer_options options = { .sz = sizeof(options), .largest = largest };
	struct equant_transfer *transfer = must_transfer(s, &options);

	demand(ranks == 1 || equant_transfer_near(transfer) > 0);
	must_run(transfer, s);
	demand_equal(0, equant_transfer_free(transfer));

	options.node = EQUANT_TRANSFER_NODE_MESSAGES;
	transfer = must_transfer(s, &options);
	demand_equal(0, equant_transfer_near(transfer));
	must_run(transfer, s);
	demand_equal(0, equant_transfer_free(transfer));
	setup_free(s);
}

static void memory_is_read(void)
{
	const int64_t blocks[] = { 3 * BLOCK / 2, 1, 2 * BLOCK };
	struct random random = common_random();
	struct setup s;

	let_read();
	for (int i = 0; i < 3; i++) {
		large_setup(&s, &random, blocks[i]);
		reads_or_messages(&s, i == 1 ? 0 : 3001);
		transposed_setup(&s, &random);
		reads_or_messages(&s, i ? 1000 : 0);
	}
}

/* Rank 0 may not: what it gets comes in messages, and others still read. */
static void one_may_not_read(void)
{
	struct random random = common_random();
	struct equant_transfer *transfer;
	struct setup s;

	let_read();
	if (!rank)
		forbid(SYS_process_vm_readv);
	large_setup(&s, &random, 1);
	transfer = must_transfer(&s, NULL);
	demand_equal(rank ? others() : 0, equant_transfer_near(transfer));
	must_run(transfer, &s);
	demand_equal(0, equant_transfer_free(transfer));
	setup_free(&s);
}

/*
 * It could when the transfer was made: it knows, those whose memory it was know, and nobody
 * waits.
 */
static void one_may_no_longer_read(void)
{
	struct random random = common_random();
	struct equant_transfer *transfer;
	struct setup s;

	let_read();
	large_setup(&s, &random, 3 * BLOCK / 2);
	transfer = must_transfer(&s, NULL);
	must_run(transfer, &s);
	if (!rank)
		forbid(SYS_process_vm_readv);
	demand_equal(-EPERM, setup_run(transfer, &s));
	demand_equal(0, equant_transfer_free(transfer));
	setup_free(&s);
}

/* ---- in between ------------------------------------------------------------------------- */

static void others_are_waited_for_without_waiting(void)
{
	struct random random = common_random();
	struct equant_transfer *transfer;
	int done = 0, token = 0;
	struct setup s;

	large_setup(&s, &random, 1);
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
		large_setup(&s[i], &random, 1 + 99 * i);
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

	large_setup(&s, &random, 1);
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
		equant_lane_resize(&lane, INT_MAX);
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
		large_setup(&threads[i].setup, &random, 1 + 77 * i);
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

/* ---- saved plans --------------------------------------------------------------------------- */

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

static void saved_and_loaded(struct setup *s, const char *scheduler)
{
	struct equant_transfer_options options = { .sz = sizeof(options),
						   .senders = s->senders,
						   .receivers = s->receivers,
						   .scheduler = scheduler,
						   .largest = 100 };
	struct equant_transfer *transfer = must_transfer(s, &options), *loaded;

	save(transfer);
	loaded = equant_transfer_load(MPI_COMM_WORLD, path, NULL);
	demand(loaded);
	demand_same_schedule(equant_transfer_schedule(transfer), equant_transfer_schedule(loaded));
	demand_equal(equant_transfer_memory(transfer), equant_transfer_memory(loaded));
	demand_equal(0, equant_transfer_free(transfer));
	must_run(loaded, s);
	demand_equal(0, equant_transfer_free(loaded));
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
	write_plan(good, count);
}

/* Its bytes add up, but not all that they say can be. */
static void forged_plans(struct random *random)
{
	const size_t numbers = offsetof(struct equant_plan_header, pieces);
	const size_t arrays = offsetof(struct equant_plan_header, cyclic);
	static char good[20000], bad[20000];
	struct equant_plan_header *header = (struct equant_plan_header *)bad;
	size_t count = read_plan(good, sizeof(good)), lists = sizeof(*header);
	size_t pieces = lists + 2 * (size_t)ranks * sizeof(int32_t);

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
		demand_equal(0, equant_transfer_free(loaded));
	}
	write_plan(good, count);
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
	for (int round = 0; round < 12; round++) {
		for (int r = 0; r < ranks; r++) {
			s.senders[r] = (r + round) % ranks;
			s.receivers[r] = ranks - 1 - r;
		}
		setup_random(&s, &random);
		saved_and_loaded(&s, equant_redist_scheduler_name(round % 6));
		setup_free(&s);
	}
	large_setup(&s, &random, 1);
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
		CASE(memory_is_read),
		CASE(one_may_not_read),
		CASE(one_may_no_longer_read),
		CASE(others_are_waited_for_without_waiting),
		CASE(two_at_once),
		CASE(the_port_makes_the_window),
		CASE(long_messages),
		CASE(each_thread_has_one, .threads = MPI_THREAD_MULTIPLE),
		CASE(from_one_group_to_the_other),
		CASE(saved_plans),
	};

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
