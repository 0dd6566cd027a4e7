// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A machine for static schedules, measured on the running job: how fast each rank runs the
 * program's own loop body, and what messages between them cost.
 *
 * Speeds are per time on the CPU, as everywhere in equant: a competitor that is here today
 * is not in the plan.  All ranks run the same iterations, first few and then more, until
 * that has taken long enough; the time per iteration is fitted to all runs.
 *
 * Messages go to and fro between the ranks of a pair, pairs of a round at once and
 * rounds so that every pair comes once (the circle method).  Start-up and time per byte are
 * fitted for each pair, and to all pairs those of each rank.
 *
 * Reference: Cierniak, Zaki, Li 1997, sections 4.1 (normalised processor speed) and 4.3.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <equant/plan.h>

#include "core/circle.h"
#include "core/message.h"
#include "core/mpi_error.h"
#include "loop/loop_internal.h"

#define ENOUGH 0.05 /* seconds of trial runs */
#define REPEATS 8
#define LARGEST 131072 /* bytes of a message */
#define SIZES 5
#define TAG 1

struct calibration {
	MPI_Comm comm;
	int rank;
	int ranks;
	struct equant_plan_sample samples[EQUANT_PLAN_SAMPLES];
	int count;
	char *message;
	double *startups; /* by pair: ranks x ranks, 0 where it is another rank's to know */
	double *bytes;
};

static double cpu_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- the loop body -------------------------------------------------------------------- */

static void sample(struct calibration *c, double amount, double time)
{
	if (time > 0 && c->count < EQUANT_PLAN_SAMPLES)
		c->samples[c->count++] = (struct equant_plan_sample){ amount, time };
}

/* Seconds per iteration; a body that takes no time that can be measured is an error. */
static int run_body(struct calibration *c, void (*body)(void *ctx, long first, long count),
		    void *ctx, long iterations, double *each)
{
	double start = cpu_now(), before = start, now = start;
	struct equant_plan_line line;
	long count = 1;
	int error;

	c->count = 0;
	while (now - start < ENOUGH && c->count < EQUANT_PLAN_SAMPLES) {
		before = cpu_now();
		body(ctx, 0, count);
		now = cpu_now();
		sample(c, (double)count, now - before);
		/* Runs of a hundredth of the whole time at least, to see past the clock. */
		if (now - before < ENOUGH / 100 && count < iterations)
			count = count < iterations / 2 ? 2 * count : iterations;
		else if (count > 1 && c->count % 2)
			count = count / 2;
	}
	error = equant_plan_fit(c->samples, c->count, &line);
	*each = error ? 0 : line.each > 0 ? line.each : line.fixed / (double)count;
	if (!error && *each > 0)
		return 0;
	equant_message("equant_calibrate: the loop body took no time on rank %d", c->rank);
	return -EINVAL;
}

/* ---- messages --------------------------------------------------------------------------- */

/* To and fro once; the lower rank begins.  Half of the time. */
static int ping(struct calibration *c, int other, int size, double *time)
{
	double start = MPI_Wtime(), end;
	int error = MPI_SUCCESS;

	if (c->rank < other)
		error = MPI_Send(c->message, size, MPI_BYTE, other, TAG, c->comm);
	if (error == MPI_SUCCESS)
		error = MPI_Recv(c->message, size, MPI_BYTE, other, TAG, c->comm,
				 MPI_STATUS_IGNORE);
	if (error == MPI_SUCCESS && c->rank > other)
		error = MPI_Send(c->message, size, MPI_BYTE, other, TAG, c->comm);
	end = MPI_Wtime();
	*time = (end - start) / 2;
	return equant_mpi_error(error, "equant_calibrate: messages to and fro");
}

/* -> an error of MPI; *@failed: another one, with which the other ranks are not left alone. */
static int ping_pong(struct calibration *c, int other, int *failed)
{
	static const int sizes[SIZES] = { 0, 512, 4096, 32768, LARGEST };
	size_t pair = (size_t)c->rank * (size_t)c->ranks + (size_t)other;
	struct equant_plan_line line;
	double time;
	int error = 0;

	c->count = 0;
	for (int k = 0; k < SIZES; k++)
		for (int repeat = 0; repeat <= REPEATS && !error; repeat++) {
			error = ping(c, other, sizes[k], &time);
			/* The first opens connections and makes room. */
			if (repeat)
				sample(c, sizes[k], time);
		}
	if (error || c->rank > other)
		return error;
	error = equant_plan_fit(c->samples, c->count, &line);
	if (error) {
		*failed = error;
	} else {
		c->startups[pair] = line.fixed;
		c->bytes[pair] = line.each;
	}
	return 0;
}

static int exchange(struct calibration *c)
{
	int rounds = equant_circle_rounds(c->ranks), error = 0, failed = 0;
	size_t all = (size_t)c->ranks * (size_t)c->ranks;

	for (int round = 0; round < rounds && !error; round++) {
		int other = equant_circle_partner(c->rank, round, c->ranks);

		if (other != c->rank)
			error = ping_pong(c, other, &failed);
	}
	error = equant_mpi_agree(c->comm, error ? error : failed);
	if (!error)
		error = equant_mpi_error(MPI_Allreduce(MPI_IN_PLACE, c->startups, (int)all,
						       MPI_DOUBLE, MPI_SUM, c->comm),
					 "equant_calibrate");
	if (!error)
		error = equant_mpi_error(MPI_Allreduce(MPI_IN_PLACE, c->bytes, (int)all, MPI_DOUBLE,
						       MPI_SUM, c->comm),
					 "equant_calibrate");
	/* Each pair's is in one half only. */
	for (int i = 0; i < c->ranks && !error; i++)
		for (int j = 0; j < i; j++) {
			size_t here = (size_t)i * (size_t)c->ranks + (size_t)j;
			size_t there = (size_t)j * (size_t)c->ranks + (size_t)i;

			c->startups[here] = c->startups[there];
			c->bytes[here] = c->bytes[there];
		}
	return error;
}

/* ---- the machine ---------------------------------------------------------------------------- */

static int gather_names(const struct calibration *c, char *names)
{
	char mine[EQUANT_PLAN_NAME], host[40] = "";

	gethostname(host, sizeof(host) - 1);
	snprintf(mine, sizeof(mine), "%s:%d", host, c->rank);
	return equant_mpi_error(MPI_Allgather(mine, sizeof(mine), MPI_CHAR, names, sizeof(mine),
					      MPI_CHAR, c->comm),
				"equant_calibrate");
}

static int assemble(struct calibration *c, double each, struct equant_plan_machine *machine)
{
	size_t p = (size_t)c->ranks;
	double *values = calloc(3 * p, sizeof(*values));
	char *names = calloc(p, EQUANT_PLAN_NAME);
	int error = values && names ? 0 : -ENOMEM;

	error = equant_mpi_agree(c->comm, error);
	if (!error)
		error = gather_names(c, names);
	if (!error)
		error = equant_mpi_error(MPI_Allgather(&each, 1, MPI_DOUBLE, values, 1, MPI_DOUBLE,
						       c->comm),
					 "equant_calibrate");
	if (!error)
		error = equant_plan_fit_pairs(c->startups, c->ranks, values + p);
	if (!error)
		error = equant_plan_fit_pairs(c->bytes, c->ranks, values + 2 * p);
	for (size_t i = 0; i < p && !error; i++) {
		struct equant_plan_processor one = { .operation = values[i],
						     .startup = values[p + i],
						     .byte = values[2 * p + i],
						     .memory = INFINITY };

		snprintf(one.name, sizeof(one.name), "%s", names + i * EQUANT_PLAN_NAME);
		error = equant_plan_machine_add(machine, &one, 1);
	}
	free(values);
	free(names);
	return error;
}

static int calibrate(struct calibration *c, void (*body)(void *ctx, long first, long count),
		     void *ctx, long iterations, struct equant_plan_machine **machine)
{
	size_t all = (size_t)c->ranks * (size_t)c->ranks;
	double each = 0;
	int error = 0;

	c->message = calloc(1, LARGEST);
	c->startups = calloc(all, sizeof(*c->startups));
	c->bytes = calloc(all, sizeof(*c->bytes));
	*machine = equant_plan_machine_new();
	if (!c->message || !c->startups || !c->bytes || !*machine)
		error = -ENOMEM;
	error = equant_mpi_agree(c->comm, error);
	if (!error)
		error = equant_mpi_agree(c->comm, run_body(c, body, ctx, iterations, &each));
	if (!error)
		error = exchange(c);
	if (!error)
		error = equant_mpi_agree(c->comm, assemble(c, each, *machine));
	return error;
}

int equant_calibrate(struct equant *eq, void (*body)(void *ctx, long first, long count), void *ctx,
		     long iterations, struct equant_plan_machine **machine)
{
	struct calibration *c;
	int error = body && machine && iterations > 0 ? 0 : -EINVAL;

	if (!eq) {
		equant_message("equant_calibrate: no context");
		return -EINVAL;
	}
	if (error)
		equant_message(
			"equant_calibrate: no body, no iterations or no place for the machine on rank %d",
			eq->rank);
	else
		*machine = NULL;
	c = calloc(1, sizeof(*c));
	if (!error && !c)
		error = -ENOMEM;
	error = equant_check_context(eq, EQUANT_AT_CALIBRATION, NULL, 0, error);
	if (!error) {
		c->rank = eq->rank;
		c->ranks = eq->ranks;
		error = equant_mpi_error(MPI_Comm_dup(eq->comm, &c->comm), "MPI_Comm_dup");
	}
	if (!error) {
		MPI_Comm_set_errhandler(c->comm, MPI_ERRORS_RETURN);
		error = calibrate(c, body, ctx, iterations, machine);
		MPI_Comm_free(&c->comm);
		if (error) {
			equant_plan_machine_free(*machine);
			*machine = NULL;
		}
	}
	if (c) {
		free(c->message);
		free(c->startups);
		free(c->bytes);
	}
	free(c);
	return error;
}
