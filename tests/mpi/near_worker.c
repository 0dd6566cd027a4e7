// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Transfers between ranks of a node, which read each other's memory where they may. */
#include <equant/gemr2d.h>
#include <equant/transfer.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libsetup.h"
#include "libworker.h"

#define LONG (2 * BLOCK)

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

/* Every system call of this number fails. */
static void forbid_with(int number, unsigned int error)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

	demand_equal(0, prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	demand_equal(0, prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
}

static void forbid(int number)
{
	forbid_with(number, EPERM);
}

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

/* A router finds no better way than straight where links are alike: then memory is read, too. */
static void reads_what_is_routed_straight(struct setup *s, size_t largest)
{
	struct equant_redist_network *network = equant_redist_network_new(ranks, 0, 1e9, NULL, 0);
	struct equant_transfer_options options = {
		.sz = sizeof(options), .largest = largest, .network = network, .router = "relay"
	};
	struct equant_transfer *transfer;

	demand(network);
	transfer = must_transfer(s, &options);
	demand(!strcmp("relay", equant_transfer_schedule(transfer)->scheduler));
	demand(ranks == 1 || equant_transfer_near(transfer) > 0);
	must_run(transfer, s);
	demand_equal(0, equant_transfer_free(transfer));
	equant_redist_network_free(network);
}

static void reads_or_messages(struct setup *s, size_t largest)
{
	struct equant_transfer_options options = { .sz = sizeof(options), .largest = largest };
	struct equant_transfer *transfer = must_transfer(s, &options);

	demand(ranks == 1 || equant_transfer_near(transfer) > 0);
	must_run(transfer, s);
	demand_equal(0, equant_transfer_free(transfer));

	reads_what_is_routed_straight(s, largest);
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
		setup_large(&s, &random, blocks[i]);
		reads_or_messages(&s, i == 1 ? 0 : 3001);
		transposed_setup(&s, &random);
		reads_or_messages(&s, i ? 1000 : 0);
	}
}

/* This rank gets at others, or not.  Pieces are so short that MPI has no need to read them, either. */
static void run_near(int64_t block, bool near)
{
	struct equant_transfer_options options = { .sz = sizeof(options), .largest = 3000 };
	struct random random = common_random();
	struct equant_transfer *transfer;
	struct setup s;

	setup_large(&s, &random, block);
	transfer = must_transfer(&s, &options);
	/* Of long blocks it gets only some others'. */
	if (!near || block == 1)
		demand_equal(near ? others() : 0, equant_transfer_near(transfer));
	else
		demand(equant_transfer_near(transfer) > 0);
	must_run(transfer, &s);
	must_run(transfer, &s);
	demand_equal(0, equant_transfer_free(transfer));
	setup_free(&s);
}

/* Without slots that others see, long blocks are read and short ones are sent. */
static void none_shares(void)
{
	let_read();
	forbid(SYS_memfd_create);
	run_near(1, true);
	run_near(LONG, true);
}

/* Rank 0 may not read, and unpacks out of slots whatever it is. */
static void one_may_not_read(void)
{
	let_read();
	if (!rank)
		forbid(SYS_process_vm_readv);
	run_near(1, true);
	run_near(LONG, true);
}

/* Nor that: what it gets comes in messages, and others still read. */
static void one_gets_messages(void)
{
	let_read();
	forbid(SYS_memfd_create);
	if (!rank)
		forbid(SYS_process_vm_readv);
	run_near(1, rank != 0);
	run_near(LONG, rank != 0);
}

/*
 * Rank 0 could read when the transfer was made: it knows, those whose memory it was know, and nobody
 * waits.  Reading fails with @error then, and the run with @expected.
 */
static void reading_fails(unsigned int error, int expected)
{
	struct random random = common_random();
	struct equant_transfer *transfer;
	struct setup s;

	let_read();
	setup_large(&s, &random, LONG);
	transfer = must_transfer(&s, NULL);
	must_run(transfer, &s);
	if (!rank)
		forbid_with(SYS_process_vm_readv, error);
	demand_equal(expected, setup_run(transfer, &s));
	demand_equal(0, equant_transfer_free(transfer));
	setup_free(&s);
}

static void one_may_no_longer_read(void)
{
	reading_fails(EPERM, -EPERM);
}

/* An error that looks like one that all ranks have. */
static void one_has_no_memory_to_read(void)
{
	reading_fails(ENOMEM, -EIO);
}

/* Down one column of all ranks, the first block on rank @first. */
static struct equant_gemr2d_matrix column(int block, int first)
{
	return (struct equant_gemr2d_matrix){ .rows = (int64_t)block * ranks,
					      .columns = 1,
					      .row_block = block,
					      .column_block = 1,
					      .grid_rows = ranks,
					      .grid_columns = 1,
					      .first_row = first,
					      .my_row = rank,
					      .leading = block };
}

/* What every rank has in @from goes to the next one. */
static int shift_from(struct equant_gemr2d_plans *plans, int block, double (*from)[2])
{
	static double to[2 * BLOCK][2];
	struct equant_gemr2d_matrix a = column(block, 0), b = column(block, 1 % ranks);
	int error;

	for (int i = 0; i < block; i++)
		from[i][0] = rank;
	error = equant_gemr2d(plans, a.rows, 1, MPI_C_DOUBLE_COMPLEX, &a, from, &b, to);
	for (int i = 0; i < block && !error; i++)
		demand_equal((rank + ranks - 1) % ranks, to[i][0]);
	return error;
}

static int shift(struct equant_gemr2d_plans *plans, int block)
{
	static double from[2 * BLOCK][2];

	return shift_from(plans, block, from);
}

/* Memory of which the kernel reads nothing for another process, though programs may. */
static void hidden_memory_is_packed(void)
{
	struct equant_gemr2d_plans *plans = equant_gemr2d_plans_new(MPI_COMM_WORLD, 8, 0);
	const size_t size = 2 * BLOCK * sizeof(double[2]);
	int file = (int)syscall(SYS_memfd_secret, 0);
	void *secret;

	let_read();
	demand(plans && file >= 0 && !ftruncate(file, (off_t)size));
	secret = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	demand(secret != MAP_FAILED);
	for (int i = 0; i < 2; i++) {
		demand_equal(0, shift_from(plans, 2 * BLOCK, secret));
		demand_equal(0, shift(plans, 2 * BLOCK));
	}
	demand_equal(0, equant_gemr2d_plans_free(plans));
	munmap(secret, size);
	close(file);
}

/* The last rank's memory is not read any more, by rank 0.  The others have no error. */
static void plans_outlive_reading_that_fails(void)
{
	struct equant_gemr2d_plans *plans = equant_gemr2d_plans_new(MPI_COMM_WORLD, 8, 0);
	int error = rank && rank < ranks - 1 ? 0 : -EPERM;

	let_read();
	demand(plans);
	demand_equal(0, shift(plans, 2 * BLOCK));
	if (!rank)
		forbid(SYS_process_vm_readv);
	for (int i = 0; i < 2; i++)
		demand_equal(error, shift(plans, 2 * BLOCK));
	/* Short blocks are packed. */
	demand_equal(0, shift(plans, 100));
	demand_equal(0, equant_gemr2d_plans_free(plans));
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = {
		CASE(memory_is_read),
		CASE(none_shares),
		CASE(one_may_not_read),
		CASE(one_gets_messages),
		CASE(one_may_no_longer_read),
		CASE(one_has_no_memory_to_read),
		CASE(plans_outlive_reading_that_fails),
		CASE(hidden_memory_is_packed),
	};

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
