// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Machines for static schedules, measured on the ranks of this job. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <equant/plan.h>

#include "libworker.h"

#define UNITS 400
#define STEP 20e-6 /* seconds of the CPU per iteration of rank 0; rank r takes r + 1 times that */

static double cpu_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void spin(void *ctx, long first, long count)
{
	double end = cpu_now() + STEP * (rank + 1) * (double)count;

	demand_equal(0, first);
	demand(count >= 1 && count <= UNITS);
	++*(long *)ctx;
	while (cpu_now() < end)
		;
}

static struct equant *open_quiet(void)
{
	struct equant_options o = eager_options();

	return must_open(MPI_COMM_WORLD, &o);
}

/* Speeds are those of the body, messages have a price where there are pairs. */
static void demand_measured(const struct equant_plan_machine *machine)
{
	demand_equal(ranks, machine->count);
	for (int r = 0; r < ranks; r++) {
		const struct equant_plan_processor *one = &machine->processors[r];
		double expected = STEP * (r + 1);

		/* No call ends early, and the clock's own time is far below the step. */
		if (!(fabs(one->operation / expected - 1) < 0.1))
			worker_fail_text(__FILE__, __LINE__, "rank %d: %g, not %g", r,
					 one->operation, expected);
		demand(one->startup >= 0 && one->startup < 1);
		demand(one->byte >= 0 && one->byte < 1e-3);
		demand(isinf(one->memory));
		demand(strchr(one->name, ':') != NULL);
	}
	demand(ranks > 1 ||
	       (machine->processors[0].startup == 0 && machine->processors[0].byte == 0));
}

/* The same bits on every rank: plans made of it are the same. */
static void demand_same_machine(const struct equant_plan_machine *machine)
{
	for (int r = 0; r < ranks; r++) {
		const double values[] = { machine->processors[r].operation,
					  machine->processors[r].startup,
					  machine->processors[r].byte };

		for (int k = 0; k < 3; k++) {
			long bits;

			memcpy(&bits, &values[k], sizeof(bits));
			demand_same(bits);
		}
	}
}

/* As a file, and back to the last bit. */
static struct equant_plan_machine *by_file(struct equant_plan_machine *machine)
{
	char path[] = "/tmp/equant-calibrate-XXXXXX";
	struct equant_plan_machine *read = NULL;
	int file = mkstemp(path);

	demand(file >= 0);
	close(file);
	demand_equal(0, equant_plan_write(path, NULL, machine));
	demand_equal(0, equant_plan_read(path, NULL, &read, NULL, 0));
	unlink(path);
	demand_equal(machine->count, read->count);
	for (int r = 0; r < ranks; r++) {
		const struct equant_plan_processor *a = &machine->processors[r];
		const struct equant_plan_processor *b = &read->processors[r];

		demand(!strcmp(a->name, b->name));
		demand(a->operation == b->operation && a->startup == b->startup &&
		       a->byte == b->byte && a->memory == b->memory);
	}
	equant_plan_machine_free(machine);
	return read;
}

/* Calibrate, look, save, plan, start: the rank that takes longest has least. */
static void a_loop_starts_from_what_is_measured(void)
{
	struct equant *eq = open_quiet();
	struct equant_loop *loop = must_loop(eq, "measured", UNITS);
	struct equant_plan_program *program = equant_plan_program_new(UNITS);
	struct equant_plan_machine *machine;
	struct equant_plan *plan;
	long runs = 0;

	demand_equal(0, equant_calibrate(eq, spin, &runs, UNITS, &machine));
	demand(runs > 2);
	demand_measured(machine);
	demand_same_machine(machine);
	machine = by_file(machine);
	plan = equant_plan_new("optimum", program, machine, NULL, 0);
	demand(plan != NULL);
	demand_equal(0, equant_loop_distribute_plan(loop, plan));
	demand_equal(plan->counts[rank], equant_loop_count(loop));
	for (int r = 1; r < ranks; r++)
		demand(plan->counts[r] <= plan->counts[r - 1]);
	demand(ranks == 1 || plan->counts[ranks - 1] < plan->counts[0]);
	equant_plan_free(plan);
	equant_plan_program_free(program);
	equant_plan_machine_free(machine);
	must_free(loop);
	must_close(eq);
}

static void bad_arguments_are_refused_on_all_ranks(void)
{
	struct equant *eq = open_quiet();
	struct equant_plan_machine *machine;
	long runs = 0;
	int last = rank == ranks - 1;

	demand_equal(last ? -EINVAL : -ECANCELED,
		     equant_calibrate(eq, spin, &runs, last ? 0 : UNITS, &machine));
	demand_equal(last ? -EINVAL : -ECANCELED,
		     equant_calibrate(eq, last ? NULL : spin, &runs, UNITS, &machine));
	demand_equal(0, runs);
	demand_equal(-EINVAL, equant_calibrate(NULL, spin, &runs, UNITS, &machine));
	must_close(eq);
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = {
		CASE(a_loop_starts_from_what_is_measured),
		CASE(bad_arguments_are_refused_on_all_ranks),
	};

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
