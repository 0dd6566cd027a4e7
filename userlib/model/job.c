// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A job in simulated time.  Each rank has a clock of its own; a step advances it
 * by what the rank's units take on its CPU, and ranks wait for each other where
 * the program (barrier) or the balancing phase makes them:
 *
 *	depth 0: a phase waits for the samples of all ranks;
 *	depth 1: for those that they sent in the phase before.
 *
 * As in userlib/loop, phases are of depth 0 until speeds are known, the first is
 * before the first step, and the decisions are made by the same functions.
 *
 * Deviations: every rank is given the decision's hooks at once, and a transfer
 * takes both ranks as long, the receiver from when the sender began it.
 *
 * Reference: Siegell 1995, section 7.5.3, which asks for this simulation.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/model_internal.h"

/* Sums of a few simulated times stay below 2^63. */
#define TIME_MOST 1e18

/**
 * struct rank - one rank's clock and what it has counted since its last sample
 * @now: nanoseconds
 * @sampled: when it took its last sample
 * @sent: when that sample was on its way
 * @interact: cost of the last phase, @move: of its moves, @moved: units of them
 */
struct rank {
	int64_t now;
	int64_t sampled;
	int64_t sent;
	int64_t run;
	int64_t wall;
	int64_t interact;
	int64_t move;
	long computed;
	long moved;
};

struct simulation {
	const struct equant_job *job;
	struct equant_balancer *balancer;
	struct rank *ranks;
	struct equant_sample *samples; /* last taken */
	struct equant_sample *sending; /* on their way, depth 1 */
	long *units;
	long hooks; /* since the last phase */
	long countdown;
	bool known;
	bool pending;
	struct equant_job_result *result;
};

static bool cpu_valid(const struct equant_job *job, const struct equant_job_cpu *cpu)
{
	if (cpu->unit < 1 || cpu->tasks < 0 || cpu->tasks >= 1 << 20 || cpu->period < 0)
		return false;
	return !cpu->period || (cpu->on >= job->quantum && cpu->on <= cpu->period &&
				cpu->period - cpu->on >= job->quantum && cpu->start >= 0 &&
				cpu->start < cpu->period && (double)cpu->period < TIME_MOST);
}

static int check(const struct equant_job *job)
{
	double longest = 0;

	if (job->n < 1 || job->quantum < 1 || job->units < job->n || job->steps < 1 ||
	    job->depth < 0 || job->depth > 1 || job->interact < 0 || job->move_fixed < 0 ||
	    job->move_per_unit < 0 || (double)job->quantum > TIME_MOST / (1 << 20))
		return -EINVAL;
	if (job->scheduler != EQUANT_JOB_SHARED && job->scheduler != EQUANT_JOB_TURNS)
		return -EINVAL;
	if (job->probe != EQUANT_JOB_CLOCK && job->probe != EQUANT_JOB_MEASURED &&
	    job->probe != EQUANT_JOB_PREDICTED)
		return -EINVAL;
	for (int i = 0; i < job->n; i++) {
		const struct equant_job_cpu *cpu = &job->cpus[i];
		double step;

		if (!cpu_valid(job, cpu))
			return -EINVAL;
		/* All units on this CPU, twice for what is lost at changes of the load. */
		step = (double)job->units * (double)cpu->unit + (double)job->interact;
		step = 2 * (cpu->tasks + 1) * (step + 2 * (double)job->quantum);
		longest = step > longest ? step : longest;
	}
	longest += job->n *
		   ((double)job->move_fixed + (double)job->units * (double)job->move_per_unit);
	return longest * (double)job->steps > TIME_MOST / job->n ? -EOVERFLOW : 0;
}

static int64_t latest(const struct simulation *s)
{
	int64_t time = 0;

	for (int i = 0; i < s->job->n; i++)
		if (s->ranks[i].now > time)
			time = s->ranks[i].now;
	return time;
}

static void wait_until(struct simulation *s, int64_t time)
{
	for (int i = 0; i < s->job->n; i++)
		if (s->ranks[i].now < time)
			s->ranks[i].now = time;
}

static void take_samples(struct simulation *s)
{
	const struct equant_job *job = s->job;

	for (int i = 0; i < job->n; i++) {
		struct rank *r = &s->ranks[i];
		struct equant_sample *sample = &s->samples[i];

		*sample = (struct equant_sample){
			.units = (double)r->computed,
			.wall = (double)r->wall * 1e-9,
			.run = (double)r->run * 1e-9,
			.wait = (double)(r->wall - r->run) * 1e-9,
			.quantum = (double)job->quantum * 1e-9,
			.interval = (double)(r->now - r->sampled) * 1e-9,
			.interact = (double)r->interact * 1e-9,
			.move = (double)r->move * 1e-9,
			.moved = (double)r->moved,
			.hooks = (uint32_t)s->hooks,
		};
		if (job->probe != EQUANT_JOB_CLOCK)
			sample->flags |= EQUANT_SAMPLE_RUN;
		if (job->probe == EQUANT_JOB_PREDICTED) {
			sample->flags |= EQUANT_SAMPLE_PREDICTED;
			equant_cpu_predict(job, i, r->now, sample);
		}
		*r = (struct rank){ .now = r->now, .sampled = r->now, .sent = r->sent };
	}
	s->hooks = 0;
}

static void move(struct simulation *s, const struct equant_instruction *instruction)
{
	struct rank *from = &s->ranks[instruction->from], *to = &s->ranks[instruction->to];
	int64_t cost = s->job->move_fixed + s->job->move_per_unit * instruction->units;
	int64_t begun = from->now;

	from->now += cost;
	to->now = (to->now > begun ? to->now : begun) + cost;
	from->move += cost;
	to->move += cost;
	from->moved += instruction->units;
	to->moved += instruction->units;
	s->result->moved += instruction->units;
}

static int decide(struct simulation *s, const struct equant_sample *samples)
{
	const struct equant_rate *rates = equant_balancer_rates(s->balancer);
	struct equant_decision decision;
	int error = equant_balancer_decide(s->balancer, samples, s->units, &decision);

	if (error)
		return error;
	for (int i = 0; i < s->job->n; i++)
		s->known |= rates[i].speed > 0;
	for (int i = 0; i < decision.count; i++)
		move(s, &decision.instructions[i]);
	equant_apply(decision.instructions, decision.count, s->units);
	s->result->moves += decision.count > 0;
	s->countdown = decision.next_hook;
	return 0;
}

static void interact(struct simulation *s)
{
	for (int i = 0; i < s->job->n; i++) {
		struct rank *r = &s->ranks[i];

		r->now = equant_cpu_finish(s->job, i, r->now, s->job->interact);
		r->interact = s->job->interact;
	}
}

static int64_t last_sent(const struct simulation *s)
{
	int64_t time = 0;

	for (int i = 0; i < s->job->n; i++)
		if (s->ranks[i].sent > time)
			time = s->ranks[i].sent;
	return time;
}

static int phase(struct simulation *s)
{
	bool pipelined = s->job->depth && s->known;
	int error = 0;

	s->result->phases++;
	s->countdown = 1;
	take_samples(s);
	interact(s);
	if (!pipelined) {
		wait_until(s, latest(s));
		return decide(s, s->samples);
	}
	if (s->pending) {
		wait_until(s, last_sent(s));
		error = decide(s, s->sending);
	}
	memcpy(s->sending, s->samples, s->job->n * sizeof(*s->samples));
	for (int i = 0; i < s->job->n; i++)
		s->ranks[i].sent = s->ranks[i].now;
	s->pending = true;
	return error;
}

static void step(struct simulation *s)
{
	for (int i = 0; i < s->job->n; i++) {
		struct rank *r = &s->ranks[i];
		int64_t work = s->units[i] * s->job->cpus[i].unit, begun = r->now;

		r->now = equant_cpu_finish(s->job, i, begun, work);
		r->run += work;
		r->wall += r->now - begun;
		r->computed += s->units[i];
		s->result->efficiency.productive += work;
	}
	if (s->job->barrier)
		wait_until(s, latest(s));
	s->hooks++;
}

static int run(struct simulation *s)
{
	for (long i = 0; i < s->job->steps; i++) {
		if (s->balancer && !--s->countdown) {
			int error = phase(s);

			if (error)
				return error;
		}
		step(s);
	}
	return 0;
}

static void account(struct simulation *s)
{
	struct equant_efficiency *e = &s->result->efficiency;

	e->elapsed = latest(s);
	for (int i = 0; i < s->job->n; i++)
		e->available += equant_cpu_run(s->job, i, e->elapsed);
	e->efficiency = (double)e->productive / (double)e->available;
	e->conservative = (double)e->productive / ((double)s->job->n * (double)e->elapsed);
}

static int prepare(struct simulation *s)
{
	const struct equant_job *job = s->job;

	s->ranks = calloc(job->n, sizeof(*s->ranks));
	s->samples = calloc(job->n, sizeof(*s->samples));
	s->sending = calloc(job->n, sizeof(*s->sending));
	s->units = calloc(job->n, sizeof(*s->units));
	if (!s->ranks || !s->samples || !s->sending || !s->units)
		return -ENOMEM;
	for (int i = 0; i < job->n; i++)
		s->units[i] = job->units / job->n + (i < job->units % job->n);
	if (!job->balance)
		return 0;
	s->balancer = equant_balancer_new(job->n, job->balance);
	return s->balancer ? 0 : -errno;
}

int equant_simulate_job(const struct equant_job *job, struct equant_job_result *result)
{
	struct simulation s = { .job = job, .countdown = 1, .result = result };
	int error = check(job);

	if (error)
		return error;
	*result = (struct equant_job_result){ .phases = 0 };
	error = prepare(&s);
	if (!error)
		error = run(&s);
	if (!error)
		account(&s);
	equant_balancer_free(s.balancer);
	free(s.ranks);
	free(s.samples);
	free(s.sending);
	free(s.units);
	return error;
}
