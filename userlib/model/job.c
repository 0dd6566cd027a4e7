// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A job in simulated time.  Each rank has a clock of its own; a step advances it
 * by what the rank's units take on its CPU (job_step.c), and ranks wait for each
 * other where the program or the balancing phase (job_phase.c) makes them.
 *
 * Reference: Siegell 1995, section 7.5.3, which asks for this simulation.
 */
#include <errno.h>
#include <stdlib.h>

#include "model/job_internal.h"

/* Sums of a few simulated times stay below 2^63. */
#define TIME_MOST 1e18

static bool cpu_valid(const struct equant_job *job, const struct equant_job_cpu *cpu)
{
	if (cpu->unit < 1 || cpu->tasks < 0 || cpu->tasks >= 1 << 20 || cpu->period < 0)
		return false;
	return !cpu->period || (cpu->on >= job->quantum && cpu->on <= cpu->period &&
				cpu->period - cpu->on >= job->quantum && cpu->start >= 0 &&
				cpu->start < cpu->period && (double)cpu->period < TIME_MOST);
}

static bool program_valid(const struct equant_job *job)
{
	if (job->n < 1 || job->quantum < 1 || job->units < job->n || job->steps < 1 ||
	    job->message < 0)
		return false;
	if (job->program != EQUANT_JOB_DOALL && job->program != EQUANT_JOB_DOACROSS &&
	    job->program != EQUANT_JOB_SHRINKING)
		return false;
	if (job->asynchronous && job->program != EQUANT_JOB_DOALL)
		return false;
	if (job->program == EQUANT_JOB_DOACROSS)
		return job->blocks >= 1;
	return job->program == EQUANT_JOB_DOALL || job->steps <= job->units - job->n;
}

/* No rank's clock, and no sum of all of them, can reach TIME_MOST. */
static int time_fits(const struct equant_job *job)
{
	double longest = 0, move;
	int tasks = 1;

	for (int i = 0; i < job->n; i++) {
		const struct equant_job_cpu *cpu = &job->cpus[i];
		double step;

		if (!cpu_valid(job, cpu))
			return -EINVAL;
		/* All units on this CPU, twice for what is lost at changes of the load. */
		step = (double)job->units * (double)cpu->unit + (double)job->interact +
		       (double)job->message;
		step = 2 * (cpu->tasks + 1) * (step + 2 * (double)job->quantum);
		longest = step > longest ? step : longest;
		tasks = cpu->tasks >= tasks ? cpu->tasks + 1 : tasks;
	}
	/* In a pipeline a step goes through all ranks. */
	if (job->program == EQUANT_JOB_DOACROSS)
		longest *= job->n;
	move = (double)job->move_fixed + (double)job->units * (double)job->move_per_unit;
	/* Asynchronous ranks report, and then units may move, after each unit at most. */
	if (job->asynchronous)
		move = (double)job->units * (move + 2 * tasks * (double)job->interact);
	longest += job->n * move;
	return longest * (double)job->steps > TIME_MOST / job->n ? -EOVERFLOW : 0;
}

static int check(const struct equant_job *job)
{
	if (!program_valid(job) || job->depth < 0 || job->depth > EQUANT_JOB_DEPTH ||
	    job->interact < 0 || job->move_fixed < 0 || job->move_per_unit < 0 ||
	    (double)job->quantum > TIME_MOST / (1 << 20))
		return -EINVAL;
	if (job->scheduler != EQUANT_JOB_SHARED && job->scheduler != EQUANT_JOB_TURNS)
		return -EINVAL;
	if (job->probe != EQUANT_JOB_CLOCK && job->probe != EQUANT_JOB_MEASURED &&
	    job->probe != EQUANT_JOB_PREDICTED)
		return -EINVAL;
	return time_fits(job);
}

int64_t equant_job_latest(const struct equant_simulation *s)
{
	int64_t time = 0;

	for (int i = 0; i < s->job->n; i++)
		if (s->ranks[i].now > time)
			time = s->ranks[i].now;
	return time;
}

void equant_job_wait(struct equant_simulation *s, int64_t time)
{
	for (int i = 0; i < s->job->n; i++)
		if (s->ranks[i].now < time)
			s->ranks[i].now = time;
}

static int run(struct equant_simulation *s)
{
	int error = 0;

	if (s->job->asynchronous && s->balancer)
		return equant_job_asynchronous(s);
	if (s->job->program == EQUANT_JOB_DOACROSS)
		return equant_job_pipeline(s);
	for (long i = 0; i < s->job->steps && !error; i++) {
		error = equant_job_hook(s);
		if (!error)
			equant_job_step(s);
	}
	return error;
}

static void account(struct equant_simulation *s)
{
	struct equant_efficiency *e = &s->result->efficiency;

	e->elapsed = equant_job_latest(s);
	for (int i = 0; i < s->job->n; i++)
		e->available += equant_cpu_run(s->job, i, e->elapsed);
	e->efficiency = (double)e->productive / (double)e->available;
	e->conservative = (double)e->productive / ((double)s->job->n * (double)e->elapsed);
}

static int make_room(struct equant_simulation *s)
{
	const struct equant_job *job = s->job;

	s->ranks = calloc(job->n, sizeof(*s->ranks));
	s->samples = calloc(job->n, sizeof(*s->samples));
	s->units = calloc(job->n, sizeof(*s->units));
	s->lists = calloc(job->n, sizeof(*s->lists));
	s->sent = calloc((size_t)job->depth + 1, sizeof(*s->sent));
	if (!s->ranks || !s->samples || !s->units || !s->lists || !s->sent)
		return -ENOMEM;
	for (int i = 0; i < job->depth; i++) {
		s->sent[i].samples = calloc(job->n, sizeof(*s->sent[i].samples));
		if (!s->sent[i].samples)
			return -ENOMEM;
	}
	if (job->program == EQUANT_JOB_SHRINKING) {
		s->owner = calloc(job->units, sizeof(*s->owner));
		return s->owner ? 0 : -ENOMEM;
	}
	if (job->program == EQUANT_JOB_DOACROSS) {
		s->done = calloc(job->units, sizeof(*s->done));
		return s->done ? 0 : -ENOMEM;
	}
	return 0;
}

static int prepare(struct equant_simulation *s)
{
	const struct equant_job *job = s->job;
	int error = make_room(s);

	if (error)
		return error;
	for (int i = 0; i < job->n; i++)
		s->units[i] = job->units / job->n + (i < job->units % job->n);
	for (long unit = 0; s->owner && unit < job->units; unit++)
		s->owner[unit] = (int)(unit % job->n);
	if (!job->balance)
		return 0;
	s->balancer = equant_balancer_new(job->n, job->balance);
	if (!s->balancer)
		return -errno;
	/* A rank may have to pass on what it has not received yet, and waits for no phase. */
	return job->asynchronous && job->balance->movement == EQUANT_MOVEMENT_RESTRICTED ? -EINVAL :
											   0;
}

static void release(struct equant_simulation *s)
{
	equant_balancer_free(s->balancer);
	free(s->ranks);
	free(s->samples);
	free(s->units);
	free(s->owner);
	free(s->done);
	free(s->lists);
	for (int i = 0; s->sent && i < s->job->depth; i++)
		free(s->sent[i].samples);
	free(s->sent);
}

int equant_simulate_job(const struct equant_job *job, struct equant_job_result *result)
{
	struct equant_simulation s = { .job = job, .countdown = 1, .result = result };
	int error = check(job);

	if (error)
		return error;
	*result = (struct equant_job_result){ .phases = 0 };
	error = prepare(&s);
	if (!error)
		error = run(&s);
	if (!error)
		account(&s);
	release(&s);
	return error;
}
