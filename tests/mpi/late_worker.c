// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A rank that comes late is named by those who wait for it, and waited for.  It comes when it reads
 * its name in what they say, which goes to a file for the time being.
 */
#include <equant/dag_run.h>
#include <equant/equant.h>
#include <equant/self.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libworker.h"

#define UNITS 60
#define ODD 1

static double mesh[UNITS + 2][UNITS + 2];

/* ---- what is said ------------------------------------------------------------------- */

static int said, terminal;

static void listen_to_others(void)
{
	said = open(getenv("SAID"), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	demand(said >= 0);
	terminal = dup(STDERR_FILENO);
	demand(terminal >= 0);
	demand(dup2(said, STDERR_FILENO) >= 0);
	MPI_Barrier(MPI_COMM_WORLD);
}

/* The number in the context of the one that is late. */
static int late = ODD;

/* Until it is said. */
static void await_words(const char *words)
{
	char text[4096];
	ssize_t n;

	do {
		compute(0.01);
		n = pread(said, text, sizeof(text) - 1, 0);
		demand(n >= 0);
		text[n] = 0;
	} while (!strstr(text, words));
}

#define ITSELF "rank %d has not "
#define PERHAPS "rank %d, or a rank that it waits for, has not "

static void repeat_what_was_said(void)
{
	char text[4096];
	ssize_t n;

	MPI_Barrier(MPI_COMM_WORLD);
	demand(dup2(terminal, STDERR_FILENO) >= 0);
	n = rank ? 0 : pread(said, text, sizeof(text), 0);
	demand(n >= 0 && write(STDERR_FILENO, text, (size_t)n) == n);
	MPI_Barrier(MPI_COMM_WORLD);
	demand_equal(0, rank ? 0 : unlink(getenv("SAID")));
	MPI_Barrier(MPI_COMM_WORLD);
	close(said);
	close(terminal);
}

/* ---- waits ---------------------------------------------------------------------------- */

static int hook(struct equant_loop *loop)
{
	equant_begin(loop);
	compute(0.001);
	equant_end(loop);
	return equant_hook(loop);
}

static int pass(struct equant_loop *loop)
{
	int error = equant_pass_begin(loop);

	demand_equal(0, error);
	demand_equal(0, equant_pass_join(loop));
	equant_for_each_next(loop, u)
		mesh[u + 1][0]++;
	return equant_pass_end(loop);
}

static void relax(void *ctx, long first, long units, long from, long to)
{
	(void)ctx;
	for (long u = first; u < first + units; u++)
		for (long i = from + 1; i <= to; i++)
			mesh[u + 1][i] = (mesh[u][i] + mesh[u + 2][i]) / 2;
}

static int sweep(struct equant_loop *loop)
{
	return equant_loop_sweep(loop, UNITS, relax, NULL);
}

static int ghosts(struct equant_loop *loop)
{
	int error = equant_loop_ghosts_start(loop, 1, 1);

	return error ? error : equant_loop_ghosts_finish(loop);
}

static int broadcast(struct equant_loop *loop)
{
	return equant_loop_broadcast(loop, UNITS / ranks);
}

static int exchange(struct equant_loop *loop)
{
	return equant_loop_exchange(loop, 0, UNITS / ranks);
}

static int copy(struct equant_loop *loop)
{
	return equant_loop_copy(loop, UNITS / ranks, 0);
}

static int reduction(struct equant_loop *loop)
{
	double sum;

	return equant_allreduce_units(loop, mesh[0], EQUANT_SUM, &sum, NULL);
}

static const struct wait {
	const char *name;
	int (*call)(struct equant_loop *loop);
	int sweeps; /* it is a loop of sweeps */
	int mode; /* enum equant_mode */
} waits[] = {
	{ "hook", hook, 0, 0 },
	{ "pass", pass, 0, 0 },
	{ "asynchronous pass", pass, 0, EQUANT_MODE_ASYNCHRONOUS },
	{ "sweep", sweep, 1, 0 },
	{ "ghosts", ghosts, 0, 0 },
	{ "broadcast", broadcast, 0, 0 },
	{ "exchange", exchange, 0, 0 },
	{ "copy", copy, 0, 0 },
	{ "reduction", reduction, 0, 0 },
};

static struct equant_loop *make(struct equant *eq, const struct wait *w)
{
	struct equant_loop *loop = must_loop(eq, w->name, UNITS);

	if (w->sweeps)
		demand_equal(0, equant_loop_distribute(loop, EQUANT_BLOCK_ORDER));
	demand_equal(0, equant_loop_array(loop, mesh[1], sizeof(mesh[1])));
	if (w->sweeps)
		demand_equal(0,
			     equant_loop_pipelined(loop, mesh[1], sizeof(double), sizeof(double)));
	return loop;
}

/* To what comes next, and until another has named it so. */
static void let_one_be_late(const char *so)
{
	char name[64];

	listen_to_others();
	snprintf(name, sizeof(name), so, late);
	if (rank == ODD)
		await_words(name);
}

/* The first time all ranks come, and the balancing begins; then one of them does not. */
static void wait_for_one(const struct wait *w)
{
	struct equant_options o = eager_options();
	struct equant_loop *loop;
	struct equant *eq;

	o.period = 1e-9;
	o.timeout = 0.05;
	o.mode = (enum equant_mode)w->mode;
	eq = must_open(MPI_COMM_WORLD, &o);
	loop = make(eq, w);
	demand_equal(0, w->call(loop));
	let_one_be_late(ITSELF);
	for (int i = 0; i < 3; i++)
		demand_equal(0, w->call(loop));
	repeat_what_was_said();
	must_free(loop);
	must_close(eq);
}

static void one_is_late(void)
{
	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++)
		wait_for_one(&waits[i]);
}

/* ---- of the context, and the beginning of a loop -------------------------------------------- */

static void one_is_late_at_first(void)
{
	struct equant_options o = eager_options();
	struct equant_loop *loop;
	struct equant *eq;

	o.timeout = 0.05;
	eq = must_open(MPI_COMM_WORLD, &o);
	let_one_be_late(ITSELF);
	loop = must_loop(eq, "made", UNITS);
	repeat_what_was_said();
	let_one_be_late(ITSELF);
	demand_equal(0, equant_hook(loop));
	repeat_what_was_said();
	let_one_be_late(ITSELF);
	demand_equal(0, equant_barrier(eq));
	repeat_what_was_said();
	let_one_be_late(ITSELF);
	must_free(loop);
	repeat_what_was_said();
	must_close(eq);
}

/* ---- of a loop whose iterations are handed out ---------------------------------------------- */

static struct equant_self *must_self(struct equant *eq)
{
	const char *engine = getenv("ENGINE");
	const struct equant_chunks_options loop = {
		.sz = sizeof(loop),
		.scheme = engine && !strcmp(engine, "tree") ? "trees" : "ss",
		.dimensions = 1,
		.extents = { UNITS },
	};
	const struct equant_self_options options = { .sz = sizeof(options),
						     .loop = &loop,
						     .engine = engine };
	struct equant_self *self = equant_self_new(eq, &options);

	demand(self != NULL);
	return self;
}

static void take_all(struct equant_self *self)
{
	struct equant_self_chunk chunk = { 0 };
	int got;

	while ((got = equant_self_next(self, &chunk)) == 1)
		;
	demand_equal(0, got);
}

static struct equant *open_impatient(MPI_Comm comm)
{
	struct equant_options o = eager_options();

	o.timeout = 0.05;
	return must_open(comm, &o);
}

static void one_is_late_to_share_iterations(void)
{
	struct equant *eq = open_impatient(MPI_COMM_WORLD);
	struct equant_self *self;
	double sum;

	let_one_be_late(ITSELF);
	self = must_self(eq);
	repeat_what_was_said();
	let_one_be_late(ITSELF);
	demand_equal(0, equant_self_allreduce(self, 0, EQUANT_SUM, &sum, NULL));
	repeat_what_was_said();
	let_one_be_late(ITSELF);
	demand_equal(0, equant_self_free(self));
	repeat_what_was_said();
	must_close(eq);
}

/* The others ask it for iterations, and hear from it that all have freed the loop. */
static void one_is_late_to_give_iterations(void)
{
	bool tree = !strcmp(getenv("ENGINE"), "tree");
	struct equant_self *self;
	struct equant *eq;
	MPI_Comm comm;

	/* As the first rank it is the master, if there is one. */
	MPI_Comm_split(MPI_COMM_WORLD, 0, (rank - ODD + ranks) % ranks, &comm);
	late = 0;
	eq = open_impatient(comm);
	self = must_self(eq);
	let_one_be_late(tree ? PERHAPS : ITSELF);
	take_all(self);
	repeat_what_was_said();
	let_one_be_late(tree ? ITSELF : PERHAPS);
	demand_equal(0, equant_self_free(self));
	repeat_what_was_said();
	must_close(eq);
	MPI_Comm_free(&comm);
	late = ODD;
}

/* ---- of a task graph ----------------------------------------------------------------------- */

static bool in_time; /* task 0 */

/* Task 0, of the late rank, ends when all others have said what they miss. */
static int first_is_late(const struct equant_dag_handle *handle, void *user)
{
	char waits[32];
	int *tasks = user;

	for (int r = 0; handle->task == 0 && !in_time && r < ranks; r++) {
		snprintf(waits, sizeof(waits), "rank %d waits", r);
		if (r != ODD)
			await_words(waits);
	}
	++*tasks;
	return 0;
}

static void carry_out(void (*before)(void))
{
	struct equant *eq = open_impatient(MPI_COMM_WORLD);
	struct equant_dag *dag = equant_dag_new();
	struct equant_dag_machine *machine = equant_dag_machine_new(ranks);
	struct equant_dag_options how = { .sz = sizeof(how) };
	struct equant_dag_run_options options = {
		.sz = sizeof(options), .dag = dag, .machine = machine, .body = first_is_late
	};
	struct equant_dag_run *run;
	int tasks = 0;

	demand(dag && machine);
	demand_equal(0, equant_dag_add_task(dag, "late", 1));
	demand_equal(1, equant_dag_add_task(dag, "next", 1));
	demand_equal(0, equant_dag_add_edge(dag, 0, 1, 8));
	demand_equal(0, equant_dag_machine_pin(machine, 0, ODD));
	demand_equal(0, equant_dag_machine_pin(machine, 1, 0));
	options.schedule = equant_dag_schedule("heft", dag, machine, &how, NULL, 0);
	options.user = &tasks;
	run = equant_dag_run_new(eq, &options);
	demand(run);
	before();
	demand_equal(0, equant_dag_carry_out(run));
	repeat_what_was_said();
	demand_equal(rank <= ODD, tasks);
	demand_equal(0, equant_dag_run_free(run));
	equant_dag_schedule_free((struct equant_dag_schedule *)options.schedule);
	equant_dag_machine_free(machine);
	equant_dag_free(dag);
	must_close(eq);
}

static void one_is_late_with_its_task(void)
{
	carry_out(listen_to_others);
}

static void one_comes_late(void)
{
	let_one_be_late(ITSELF);
}

static void one_is_late_to_carry_out(void)
{
	in_time = true;
	carry_out(one_comes_late);
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = {
		CASE(one_is_late),
		CASE(one_is_late_at_first),
		CASE(one_is_late_to_share_iterations),
		CASE(one_is_late_to_give_iterations),
		CASE(one_is_late_with_its_task),
		CASE(one_is_late_to_carry_out),
	};

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
