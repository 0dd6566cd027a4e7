// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Ranks that wait for each other through the library. */
#include <equant/equant.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "libworker.h"

#define MOST 5000 /* elements */
#define MODULUS 1000003
#define RANKS_MOST 16

static struct equant *eq;

static void start(void)
{
	struct equant_options o;

	equant_options_init(&o);
	o.probe = getenv("PROBE") ? getenv("PROBE") : "schedstat";
	eq = must_open(MPI_COMM_WORLD, &o);
}

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The same numbers on every rank, so that each knows what the others have. */
static long element(int of_rank, int i)
{
	unsigned long x = (unsigned long)of_rank * 2654435761u + (unsigned long)i * 40503u + 12345u;

	x ^= x >> 13;
	return (long)((x * 0x5bd1e995u >> 7) % 1000);
}

/* ---- reductions -------------------------------------------------------------- */

/* One operation on one type, against MPI's own; @send: @count elements of @size bytes. */
static void compare(const void *send, int count, size_t size, MPI_Datatype type, MPI_Op op)
{
	size_t bytes = (size_t)count * size;
	char *mine = malloc(bytes), *expected = malloc(bytes);

	demand(mine);
	demand(expected);
	MPI_Allreduce(send, expected, count, type, op, MPI_COMM_WORLD);
	memcpy(mine, send, bytes);
	demand_equal(0, equant_allreduce(eq, MPI_IN_PLACE, mine, count, type, op));
	demand(!memcmp(mine, expected, bytes));
	memset(mine, 0, bytes);
	demand_equal(0, equant_allreduce(eq, send, mine, count, type, op));
	demand(!memcmp(mine, expected, bytes));
	free(mine);
	free(expected);
}

#define COMPARE(type, mpi_type, op, count)                         \
	do {                                                       \
		static type send_[MOST];                           \
		for (int i_ = 0; i_ < (count); i_++)               \
			send_[i_] = (type)element(rank, i_);       \
		compare(send_, count, sizeof(type), mpi_type, op); \
	} while (0)

static void compare_types(int count)
{
	COMPARE(int, MPI_INT, MPI_SUM, count);
	COMPARE(long, MPI_LONG, MPI_MAX, count);
	COMPARE(double, MPI_DOUBLE, MPI_SUM, count); /* of integers: exact in any order */
	COMPARE(float, MPI_FLOAT, MPI_MIN, count);
	COMPARE(unsigned char, MPI_UNSIGNED_CHAR, MPI_BXOR, count);
	COMPARE(short, MPI_SHORT, MPI_LAND, count);
}

static void compare_locations(void)
{
	struct {
		double value;
		int rank;
	} mine = { (double)element(rank, 3), rank }, all, expected;

	MPI_Allreduce(&mine, &expected, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
	demand_equal(0, equant_allreduce(eq, &mine, &all, 1, MPI_DOUBLE_INT, MPI_MAXLOC));
	demand(all.value == expected.value);
	demand_equal(expected.rank, all.rank);
}

/* 2 x 2 matrices: their product depends on the order. */
struct matrix {
	long a[4];
	long gap;
};

static void multiply(const struct matrix *left, const struct matrix *right, struct matrix *out)
{
	long product[4];

	for (int i = 0; i < 4; i++)
		product[i] = (left->a[i & 2] * right->a[i & 1] +
			      left->a[(i & 2) + 1] * right->a[(i & 1) + 2]) %
			     MODULUS;
	memcpy(out->a, product, sizeof(product));
}

static void multiply_all(void *in, void *inout, int *count, MPI_Datatype *type)
{
	struct matrix *left = in, *right = inout;

	(void)type;
	for (int i = 0; i < *count; i++)
		multiply(&left[i], &right[i], &right[i]);
}

static struct matrix matrix_of(int of_rank, int i)
{
	struct matrix m = { .gap = -1 };

	for (int j = 0; j < 4; j++)
		m.a[j] = element(of_rank, 4 * i + j) + 1;
	return m;
}

static void order_is_kept(int count)
{
	static struct matrix mine[MOST];
	struct matrix expected;
	MPI_Datatype numbers, type;
	MPI_Op product;

	MPI_Type_contiguous(4, MPI_LONG, &numbers);
	MPI_Type_create_resized(numbers, 0, sizeof(struct matrix), &type);
	MPI_Type_commit(&type);
	MPI_Op_create(multiply_all, 0, &product);
	for (int i = 0; i < count; i++)
		mine[i] = matrix_of(rank, i);
	demand_equal(0, equant_allreduce(eq, MPI_IN_PLACE, mine, count, type, product));
	for (int i = 0; i < count; i++) {
		expected = matrix_of(0, i);
		for (int r = 1; r < ranks; r++) {
			struct matrix next = matrix_of(r, i);

			multiply(&expected, &next, &expected);
		}
		demand(!memcmp(&mine[i], &expected, sizeof(expected)));
	}
	MPI_Op_free(&product);
	MPI_Type_free(&type);
	MPI_Type_free(&numbers);
}

/* Sums that round: the same bits every time and everywhere. */
static void rounding_is_the_same(void)
{
	double mine = 1.0 / (3 + rank), first = 0, sum;
	long bits;

	for (int i = 0; i < 10; i++) {
		demand_equal(0, equant_allreduce(eq, &mine, &sum, 1, MPI_DOUBLE, MPI_SUM));
		first = i ? first : sum;
		demand(!memcmp(&sum, &first, sizeof(sum)));
	}
	memcpy(&bits, &sum, sizeof(bits));
	demand_same(bits);
}

static void nonsense_is_refused(void)
{
	MPI_Request request = MPI_REQUEST_NULL;
	int x = 1, y = 5;

	demand_equal(-EINVAL, equant_allreduce(eq, &x, &y, -1, MPI_INT, MPI_SUM));
	demand_equal(-EINVAL, equant_allreduce(eq, &x, &y, 1, MPI_INT, MPI_OP_NULL));
	demand_equal(-EINVAL, equant_allreduce(eq, &x, &y, 1, MPI_DATATYPE_NULL, MPI_SUM));
	demand_equal(-EINVAL, equant_allreduce(eq, NULL, &y, 1, MPI_INT, MPI_SUM));
	demand_equal(-EINVAL, equant_allreduce(eq, &x, NULL, 1, MPI_INT, MPI_SUM));
	demand_equal(-EINVAL, equant_allreduce(NULL, &x, &y, 1, MPI_INT, MPI_SUM));
	demand_equal(-EINVAL, equant_barrier(NULL));
	demand_equal(-EINVAL, equant_wait(eq, NULL, MPI_STATUS_IGNORE));
	demand_equal(-EINVAL, equant_wait(NULL, &request, MPI_STATUS_IGNORE));
	demand_equal(-EINVAL, equant_waitall(eq, 1, NULL, MPI_STATUSES_IGNORE));
	demand_equal(-EINVAL, equant_waitall(NULL, 1, &request, MPI_STATUSES_IGNORE));
	demand_equal(-EINVAL, equant_waitall(eq, -1, NULL, MPI_STATUSES_IGNORE));
	demand_equal(0, equant_allreduce(eq, &x, &y, 0, MPI_INT, MPI_SUM));
	demand_equal(5, y);
}

static void take_none(void *in, void *inout, int *count, MPI_Datatype *type)
{
	(void)in;
	(void)inout;
	(void)count;
	(void)type;
}

/* Elements without bytes are as good as others. */
static void nothing_is_reduced(void)
{
	MPI_Datatype type;
	MPI_Op op;
	char none = 0;

	MPI_Type_contiguous(0, MPI_CHAR, &type);
	MPI_Type_commit(&type);
	MPI_Op_create(take_none, 1, &op);
	demand_equal(0, equant_allreduce(eq, MPI_IN_PLACE, &none, 3, type, op));
	MPI_Op_free(&op);
	MPI_Type_free(&type);
}

static void reductions(void)
{
	static const int counts[] = { 1, 2, 100, MOST };

	start();
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		compare_types(counts[i]);
		order_is_kept(counts[i]);
	}
	compare_locations();
	nothing_is_reduced();
	rounding_is_the_same();
	nonsense_is_refused();
	must_close(eq);
}

/* ---- barriers ------------------------------------------------------------------ */

/* Memory that all ranks see, also those that take themselves for another node. */
static long *shared_memory(void)
{
	int where[2] = { getpid(), rank ? -1 : memfd_create("rounds", MFD_CLOEXEC) };
	size_t size = RANKS_MOST * sizeof(long);
	char path[64];
	long *all;
	int fd = where[1];

	if (!rank)
		demand_equal(0, ftruncate(fd, (off_t)size));
	MPI_Bcast(where, 2, MPI_INT, 0, MPI_COMM_WORLD);
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", where[0], where[1]);
	if (rank)
		fd = open(path, O_RDWR | O_CLOEXEC);
	demand(fd >= 0);
	all = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	demand(all != MAP_FAILED);
	MPI_Barrier(MPI_COMM_WORLD);
	close(fd);
	return all;
}

/* Every rank writes down the round before the barrier; behind it all have. */
static void barriers(void)
{
	long *all = shared_memory();

	start();
	all[rank] = 0;
	demand_equal(0, equant_barrier(eq));
	for (int i = 1; i <= 30; i++) {
		if (i % ranks == rank)
			compute(1e-3 * (double)(element(0, i) % 8));
		__atomic_store_n(&all[rank], i, __ATOMIC_RELEASE);
		demand_equal(0, equant_barrier(eq));
		for (int r = 0; r < ranks; r++)
			demand(__atomic_load_n(&all[r], __ATOMIC_ACQUIRE) >= i);
	}
	demand_equal(0, equant_barrier(eq));
	munmap(all, RANKS_MOST * sizeof(long));
	must_close(eq);
}

/* ---- requests -------------------------------------------------------------------- */

static void requests(void)
{
	int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks, in[3];
	MPI_Request r[4] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL,
			     MPI_REQUEST_NULL };
	MPI_Status statuses[4];

	start();
	for (int i = 0; i < 20; i++) {
		int out = 100 * i + rank;

		MPI_Irecv(&in[0], 3, MPI_INT, last, 7, MPI_COMM_WORLD, &r[0]);
		MPI_Isend(&out, 1, MPI_INT, next, 7, MPI_COMM_WORLD, &r[1]);
		demand_equal(0, equant_wait(eq, &r[1], MPI_STATUS_IGNORE));
		demand_equal(0, equant_wait(eq, &r[0], &statuses[0]));
		demand(r[0] == MPI_REQUEST_NULL && r[1] == MPI_REQUEST_NULL);
		demand_equal(100 * i + last, in[0]);
		demand_equal(last, statuses[0].MPI_SOURCE);
		demand_equal(7, statuses[0].MPI_TAG);
		MPI_Get_count(&statuses[0], MPI_INT, &in[1]);
		demand_equal(1, in[1]);
		demand_equal(0, equant_wait(eq, &r[0], MPI_STATUS_IGNORE));
		MPI_Irecv(&in[0], 1, MPI_INT, last, 8, MPI_COMM_WORLD, &r[0]);
		MPI_Irecv(&in[1], 1, MPI_INT, last, 9, MPI_COMM_WORLD, &r[2]);
		MPI_Isend(&out, 1, MPI_INT, next, 9, MPI_COMM_WORLD, &r[3]);
		MPI_Isend(&out, 1, MPI_INT, next, 8, MPI_COMM_WORLD, &r[1]);
		demand_equal(0, equant_waitall(eq, 4, r, statuses));
		demand_equal(100 * i + last, in[1]);
		demand_equal(9, statuses[2].MPI_TAG);
		demand_equal(8, statuses[0].MPI_TAG);
	}
	demand_equal(0, equant_waitall(eq, 0, NULL, MPI_STATUSES_IGNORE));
	must_close(eq);
}

/* A test that starts several nodes wants to see them. */
static void count_nodes(void)
{
	const char *nodes = getenv("NODES");
	MPI_Comm node;
	int here, first, firsts;

	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
	MPI_Comm_rank(node, &here);
	first = !here;
	MPI_Allreduce(&first, &firsts, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	demand_equal(nodes ? atoi(nodes) : 1, firsts);
	MPI_Comm_free(&node);
}

/* Everything that must be right, however ranks wait. */
static void right(void)
{
	count_nodes();
	reductions();
	barriers();
	requests();
}

/* What was wrong with one of several requests is told, with statuses and without. */
static void too_long_for(MPI_Status *statuses)
{
	int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
	int in[2] = { -1, -1 }, out[2] = { rank, rank };
	MPI_Request r[4];

	MPI_Irecv(&in[0], 1, MPI_INT, last, 8, MPI_COMM_WORLD, &r[0]);
	MPI_Irecv(&in[1], 1, MPI_INT, last, 7, MPI_COMM_WORLD, &r[1]);
	MPI_Isend(out, 1, MPI_INT, next, 8, MPI_COMM_WORLD, &r[2]);
	MPI_Isend(out, 2, MPI_INT, next, 7, MPI_COMM_WORLD, &r[3]);
	demand_equal(-EPROTO, equant_waitall(eq, 4, r, statuses));
	if (r[1] != MPI_REQUEST_NULL)
		MPI_Request_free(&r[1]);
	demand_equal(0, equant_waitall(eq, 4, r, MPI_STATUSES_IGNORE));
	demand_equal(last, in[0]);
}

/* Bits of a floating point number are no operands: MPI refuses to combine them. */
static void impossible(void)
{
	double one = 1, all;
	MPI_Status statuses[4];

	count_nodes();
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	start();
	for (int i = 0; i < 3; i++) {
		demand_equal(-EIO, equant_allreduce(eq, &one, &all, 1, MPI_DOUBLE, MPI_BAND));
		demand_equal(0, equant_allreduce(eq, &one, &all, 1, MPI_DOUBLE, MPI_SUM));
		demand(all == ranks);
		demand_equal(0, equant_barrier(eq));
		too_long_for(statuses);
		too_long_for(MPI_STATUSES_IGNORE);
	}
	must_close(eq);
}

/* One rank has more or fewer elements: an error everywhere, and the next reduction is right. */
static void one_differs(MPI_Datatype type, MPI_Op op, int count)
{
	static struct matrix mine[MOST];
	long one = 1, all;

	for (int more = -1; more <= 1; more += 2) {
		demand_equal(ranks > 1 ? -EPROTO : 0,
			     equant_allreduce(eq, MPI_IN_PLACE, mine,
					      count + (rank == ranks - 1 ? more : 0), type, op));
		demand_equal(0, equant_barrier(eq));
		demand_equal(0, equant_allreduce(eq, &one, &all, 1, MPI_LONG, MPI_SUM));
		demand_equal(ranks, all);
	}
}

/* In the memory of a node, and in messages, as elements with gaps are sent. */
static void counts_differ(void)
{
	MPI_Datatype numbers, gaps;
	MPI_Op product;

	MPI_Type_contiguous(4, MPI_LONG, &numbers);
	MPI_Type_create_resized(numbers, 0, sizeof(struct matrix), &gaps);
	MPI_Type_commit(&gaps);
	MPI_Op_create(multiply_all, 0, &product);
	count_nodes();
	start();
	one_differs(MPI_LONG, MPI_SUM, 2);
	one_differs(MPI_LONG, MPI_SUM, 1025);
	one_differs(gaps, product, 3);
	must_close(eq);
	MPI_Op_free(&product);
	MPI_Type_free(&gaps);
	MPI_Type_free(&numbers);
}

/* ---- the memory of a node --------------------------------------------------------- */

static int maps_memory(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];
	int found = 0;

	demand(maps);
	while (fgets(line, sizeof(line), maps))
		found += strstr(line, "/memfd:equant") != NULL;
	fclose(maps);
	return found;
}

static void memory_is_shared(void)
{
	struct equant *another;

	start();
	another = eq;
	start();
	demand_equal(2, maps_memory());
	must_close(another);
	demand_equal(1, maps_memory());
	demand_equal(0, equant_barrier(eq));
	must_close(eq);
	demand_equal(0, maps_memory());
}

/* ---- a rank that stands still, or is gone ------------------------------------------ */

static pid_t pid_of(int other)
{
	int pids[RANKS_MOST], mine = getpid();

	MPI_Allgather(&mine, 1, MPI_INT, pids, 1, MPI_INT, MPI_COMM_WORLD);
	return pids[other];
}

/*
 * Rank 0 stops the last for a second.  The others wait all that time, on the CPU
 * or off it.
 */
/* How often the thread that others nudge has run; 0 = there is none. */
static long nudged(void)
{
	DIR *tasks = opendir("/proc/self/task");
	char path[300], line[80];
	struct dirent *task;
	long switches = 0;

	demand(tasks);
	while ((task = readdir(tasks))) {
		int found = 0;
		FILE *status;

		snprintf(path, sizeof(path), "/proc/self/task/%s/status", task->d_name);
		status = fopen(path, "r");
		while (status && fgets(line, sizeof(line), status)) {
			found |= !strcmp(line, "Name:\tequant nudge\n");
			if (found)
				sscanf(line, "voluntary_ctxt_switches: %ld", &switches);
		}
		if (status)
			fclose(status);
	}
	closedir(tasks);
	return switches;
}

static void burn(double length)
{
	double end = seconds(CLOCK_MONOTONIC) + length;

	while (seconds(CLOCK_MONOTONIC) < end)
		;
}

/* To the CPU of those there are that has the rank's number. */
static void pin(void)
{
	cpu_set_t there, own;
	int cpu = 0;

	demand_equal(0, sched_getaffinity(0, sizeof(there), &there));
	for (int left = rank % CPU_COUNT(&there);; cpu++)
		if (CPU_ISSET(cpu, &there) && !left--)
			break;
	CPU_ZERO(&own);
	CPU_SET(cpu, &own);
	demand_equal(0, sched_setaffinity(0, sizeof(own), &own));
}

/* Rank 0 waits now and then, beside others, and is waited for; then the others are gone. */
static void one_shares_its_cpu(void)
{
	pid_t other;

	pin();
	start();
	other = rank ? 0 : fork();
	if (!rank && !other) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			;
	}
	for (int i = 0; i < 400; i++) {
		burn(rank == i % 2 ? 2e-3 : 1e-3);
		demand_equal(0, equant_barrier(eq));
	}
	demand(rank || nudged() > 10);
	if (!rank)
		kill(other, SIGKILL);
	must_close(eq);
	demand_equal(0, nudged());
}

static void one_stands_still(void)
{
	double wall, cpu;
	pid_t last = pid_of(ranks - 1);
	long sum, one = 1;

	start();
	demand_equal(0, equant_barrier(eq));
	wall = seconds(CLOCK_MONOTONIC);
	cpu = seconds(CLOCK_THREAD_CPUTIME_ID);
	if (!rank) {
		kill(last, SIGSTOP);
		compute(1);
		kill(last, SIGCONT);
	} else if (rank == ranks - 1) {
		compute(0.2); /* stopped in here */
	}
	demand_equal(0, equant_barrier(eq));
	wall = seconds(CLOCK_MONOTONIC) - wall;
	cpu = seconds(CLOCK_THREAD_CPUTIME_ID) - cpu;
	demand_equal(0, equant_allreduce(eq, &one, &sum, 1, MPI_LONG, MPI_SUM));
	demand_equal(ranks, sum);
	if (rank && rank < ranks - 1) {
		demand(wall > 0.9);
		dprintf(STDOUT_FILENO, "cpu %.3f of %.3f\n", cpu, wall);
		if (getenv("SLEEPS"))
			demand(cpu < 0.2 * wall);
	}
	must_close(eq);
}

static void one_is_killed(void)
{
	int error = 0;

	start();
	for (long i = 0; !error; i++) {
		error = equant_barrier(eq);
		if (rank == 1 && i == 20)
			raise(SIGKILL);
	}
	demand_equal(-EIO, error);
	dprintf(STDOUT_FILENO, "the barrier failed\n");
	compute(0.5); /* for the others to notice too */
	MPI_Abort(MPI_COMM_WORLD, 3);
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = {
		CASE(right),
		CASE(impossible),
		CASE(counts_differ),
		CASE(memory_is_shared),
		CASE(one_shares_its_cpu),
		CASE(one_stands_still),
		CASE(one_is_killed),
	};

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
