// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What a hook costs in calls: MPI functions, allocations and system calls are
 * counted or forbidden while hooks are made.  The MPI functions that the library
 * uses are wrapped by MPI's profiling interface, malloc() and its kin by definitions of our own.
 */
#include <equant/equant.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libcmalloc.h"
#include "libworker.h"

/* ---- interception ------------------------------------------------------------ */

static struct {
	long mpi_calls;
	long allocations;
} intercepted;
static int counting;

static void intercept_begin(void)
{
	intercepted.mpi_calls = 0;
	intercepted.allocations = 0;
	counting = 1;
}

static void intercept_end(void)
{
	counting = 0;
}

#define EXPORTED __attribute__((visibility("default")))

EXPORTED void *malloc(size_t size)
{
	intercepted.allocations += counting;
	return __libc_malloc(size);
}

EXPORTED void *calloc(size_t n, size_t size)
{
	intercepted.allocations += counting;
	return __libc_calloc(n, size);
}

EXPORTED void *realloc(void *memory, size_t size)
{
	intercepted.allocations += counting;
	return __libc_realloc(memory, size);
}

EXPORTED void free(void *memory)
{
	__libc_free(memory);
}

EXPORTED int MPI_Isend(const void *b, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
		       MPI_Request *r)
{
	intercepted.mpi_calls += counting;
	return PMPI_Isend(b, n, type, to, tag, comm, r);
}

EXPORTED int MPI_Irecv(void *b, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
		       MPI_Request *r)
{
	intercepted.mpi_calls += counting;
	return PMPI_Irecv(b, n, type, from, tag, comm, r);
}

EXPORTED int MPI_Send(const void *b, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
	intercepted.mpi_calls += counting;
	return PMPI_Send(b, n, type, to, tag, comm);
}

EXPORTED int MPI_Recv(void *b, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
		      MPI_Status *s)
{
	intercepted.mpi_calls += counting;
	return PMPI_Recv(b, n, type, from, tag, comm, s);
}

EXPORTED int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *flag, MPI_Status *s)
{
	intercepted.mpi_calls += counting;
	return PMPI_Iprobe(from, tag, comm, flag, s);
}

EXPORTED int MPI_Test(MPI_Request *r, int *flag, MPI_Status *s)
{
	intercepted.mpi_calls += counting;
	return PMPI_Test(r, flag, s);
}

EXPORTED int MPI_Testall(int n, MPI_Request r[], int *flag, MPI_Status s[])
{
	intercepted.mpi_calls += counting;
	return PMPI_Testall(n, r, flag, s);
}

EXPORTED int MPI_Wait(MPI_Request *r, MPI_Status *s)
{
	intercepted.mpi_calls += counting;
	return PMPI_Wait(r, s);
}

EXPORTED int MPI_Waitall(int n, MPI_Request r[], MPI_Status s[])
{
	intercepted.mpi_calls += counting;
	return PMPI_Waitall(n, r, s);
}

EXPORTED int MPI_Allreduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op,
			   MPI_Comm comm)
{
	intercepted.mpi_calls += counting;
	return PMPI_Allreduce(in, out, n, type, op, comm);
}

EXPORTED int MPI_Bcast(void *b, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
	intercepted.mpi_calls += counting;
	return PMPI_Bcast(b, n, type, root, comm);
}

EXPORTED int MPI_Gather(const void *in, int n, MPI_Datatype type, void *out, int m, MPI_Datatype to,
			int root, MPI_Comm comm)
{
	intercepted.mpi_calls += counting;
	return PMPI_Gather(in, n, type, out, m, to, root, comm);
}

EXPORTED int MPI_Barrier(MPI_Comm comm)
{
	intercepted.mpi_calls += counting;
	return PMPI_Barrier(comm);
}

EXPORTED int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *out)
{
	intercepted.mpi_calls += counting;
	return PMPI_Comm_dup(comm, out);
}

EXPORTED int MPI_Comm_free(MPI_Comm *comm)
{
	intercepted.mpi_calls += counting;
	return PMPI_Comm_free(comm);
}

/* ---- cases ------------------------------------------------------------------- */

#define HOOKS 1000000l

static void steps(struct equant_loop *loop, int n)
{
	for (int i = 0; i < n; i++) {
		equant_begin(loop);
		compute(0.001 * (1 + rank));
		equant_end(loop);
		demand_equal(0, equant_hook(loop));
	}
}

static void balance_off_sends_nothing(void)
{
	struct equant_options o = eager_options();
	struct equant_stats stats = { .sz = sizeof(stats) };
	struct equant_loop *loop;
	struct equant *eq;
	long array[100] = { 0 };

	o.balance = 0;
	eq = must_open(MPI_COMM_WORLD, &o);
	loop = must_loop(eq, "off", 100);
	demand_equal(0, equant_loop_array(loop, array, sizeof(array[0])));
	intercept_begin();
	steps(loop, 100);
	intercept_end();
	demand_equal(0, intercepted.mpi_calls);
	demand_equal(0, equant_loop_stats(loop, &stats));
	demand(stats.phases > 1);
	demand_equal(100, stats.hooks);
	demand_equal(0, stats.moves);
	demand_equal(100 / ranks + (rank < 100 % ranks), equant_loop_count(loop));
	must_free(loop);
	must_close(eq);
}

/* The interception itself: with balancing on it must see something. */
static void balance_on_sends(void)
{
	struct equant_options o = eager_options();
	struct equant *eq = must_open(MPI_COMM_WORLD, &o);
	struct equant_loop *loop = must_loop(eq, "on", 100);

	intercept_begin();
	steps(loop, 50);
	intercept_end();
	demand(ranks == 1 || intercepted.mpi_calls > 10);
	demand(intercepted.allocations > 0);
	must_free(loop);
	must_close(eq);
}

/* A loop whose next phase is more than HOOKS hooks away, found by the hook's own countdown. */
static struct equant_loop *idle_loop(struct equant *eq)
{
	struct equant_loop *loop = must_loop(eq, "idle", 100);
	const long *countdown = (const long *)loop;
	int i;

	for (i = 0; i < 50 && *countdown < 4 * HOOKS; i++)
		steps(loop, 1);
	demand(*countdown > 3 * HOOKS);
	return loop;
}

/* As long as 4 million hooks of about a millisecond. */
static struct equant_options patient_options(void)
{
	struct equant_options o = eager_options();

	o.period = 100000;
	return o;
}

static void idle_hooks_call_nothing(void)
{
	struct equant_options o = patient_options();
	struct equant *eq = must_open(MPI_COMM_WORLD, &o);
	struct equant_loop *loop = idle_loop(eq);
	long i;

	intercept_begin();
	for (i = 0; i < HOOKS; i++)
		equant_hook(loop);
	intercept_end();
	demand_equal(0, intercepted.mpi_calls);
	demand_equal(0, intercepted.allocations);
	must_free(loop);
	must_close(eq);
}

/* From here on every system call but exit_group() kills the process. */
static void forbid_system_calls(void)
{
	static struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	static struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(2);
}

static void hook_under_seccomp(struct equant_loop *loop, long hooks, int call)
{
	forbid_system_calls();
	for (long i = 0; i < hooks; i++)
		equant_hook(loop);
	if (call)
		getppid();
	_exit(0);
}

/* In a child, whose end does not end the job. */
static int status_under_seccomp(struct equant_loop *loop, long hooks, int call)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid)
		hook_under_seccomp(loop, hooks, call);
	demand(pid > 0);
	demand(waitpid(pid, &status, 0) == pid);
	return status;
}

static void idle_hooks_make_no_system_call(void)
{
	struct equant_options o = patient_options();
	struct equant *eq = must_open(MPI_COMM_WORLD, &o);
	struct equant_loop *loop = idle_loop(eq);

	/* The trap itself works. */
	demand(WIFSIGNALED(status_under_seccomp(loop, 0, 1)));
	demand_equal(0, status_under_seccomp(loop, HOOKS, 0));
	must_free(loop);
	must_close(eq);
}

static void finish_pass(struct equant_loop *loop)
{
	long unit;

	while (equant_next(loop, &unit))
		;
	demand_equal(0, equant_pass_end(loop));
}

/* A pass with more than HOOKS units in one range to hand out before anything else is to be done. */
static struct equant_loop *idle_pass(struct equant *eq)
{
	struct equant_loop *loop = must_loop(eq, "idle pass", 4 * HOOKS * ranks);
	const long *strip = (const long *)loop + 2;
	long unit;

	for (int i = 0; i < 4; i++) {
		demand_equal(0, equant_pass_begin(loop));
		finish_pass(loop);
	}
	demand_equal(0, equant_pass_begin(loop));
	demand_equal(1, equant_next(loop, &unit));
	demand(*strip >= HOOKS);
	return loop;
}

static void idle_next_calls_nothing(void)
{
	struct equant_options o = patient_options();
	struct equant_loop *loop;
	struct equant *eq;
	long unit;

	o.omit = 1000000000000; /* nothing moves */
	eq = must_open(MPI_COMM_WORLD, &o);
	loop = idle_pass(eq);
	intercept_begin();
	for (long i = 0; i < HOOKS; i++)
		demand_equal(1, equant_next(loop, &unit));
	intercept_end();
	demand_equal(0, intercepted.mpi_calls);
	demand_equal(0, intercepted.allocations);
	finish_pass(loop);
	must_free(loop);
	must_close(eq);
}

static void idle_next_makes_no_system_call(void)
{
	struct equant_options o = patient_options();
	struct equant_loop *loop;
	struct equant *eq;
	int status = -1;
	long unit;
	pid_t pid;

	o.omit = 1000000000000;
	eq = must_open(MPI_COMM_WORLD, &o);
	loop = idle_pass(eq);
	pid = fork();
	if (!pid) {
		forbid_system_calls();
		for (long i = 0; i < HOOKS; i++)
			equant_next(loop, &unit);
		_exit(0);
	}
	demand(pid > 0);
	demand(waitpid(pid, &status, 0) == pid);
	demand_equal(0, status);
	finish_pass(loop);
	must_free(loop);
	must_close(eq);
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = {
		CASE(balance_off_sends_nothing), CASE(balance_on_sends),
		CASE(idle_hooks_call_nothing),	 CASE(idle_hooks_make_no_system_call),
		CASE(idle_next_calls_nothing),	 CASE(idle_next_makes_no_system_call),
	};

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
