// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libbalance.h"

void text_add(struct text *text, const char *format, ...)
{
	size_t room = sizeof(text->line) - text->used;
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(text->line + text->used, room, format, args);
	va_end(args);
	text->used += (size_t)length < room ? (size_t)length : room - 1;
}

const char *text_counts(struct text *text, const long *counts, int n)
{
	*text = (struct text){ .used = 0 };
	for (int i = 0; i < n; i++)
		text_add(text, i ? " %ld" : "%ld", counts[i]);
	return text->line;
}

const char *text_instructions(struct text *text, const struct equant_instruction *instructions,
			      int count)
{
	*text = (struct text){ .used = 0 };
	for (int i = 0; i < count; i++)
		text_add(text, i ? " %d>%d:%ld" : "%d>%d:%ld", instructions[i].from,
			 instructions[i].to, instructions[i].units);
	return text->line;
}

int near(double a, double b)
{
	return fabs(a - b) <= 1e-12 * (fabs(a) + fabs(b));
}

long sum_of(const long *counts, int n)
{
	long sum = 0;

	for (int i = 0; i < n; i++)
		sum += counts[i];
	return sum;
}

void scatter(struct random *random, long *counts, int n, long total)
{
	for (int i = 0; i < n; i++)
		counts[i] = 0;
	/* A few large heaps and what is left over, so that zeros and extremes occur. */
	for (int i = 0; i < n && total > 0; i++) {
		long divisor = 1 + random_below(random, 4);
		long part = random_below(random, total + 1) / divisor;

		counts[random_below(random, n)] += part;
		total -= part;
	}
	counts[random_below(random, n)] += total;
}

struct equant_balance_options default_options(enum equant_rate_mode mode)
{
	return (struct equant_balance_options){
		.sz = sizeof(struct equant_balance_options),
		.mode = mode,
		.threshold = 0.05,
		.profit = 5,
		.window = 10,
		.interact_fraction = 0.05,
		.amplitude = 0.1,
		.default_quantum = 0.004,
		.move_fixed = 20e-6,
		.move_per_unit = 1e-6,
		.interact = 20e-6,
		.moves_allowed = 1,
		.filter = 1,
	};
}

void job_start(struct job *job, int n, long units, const struct equant_balance_options *options)
{
	*job = (struct job){
		.n = n,
		.quantum = 0.004,
		.age = 1e9,
		.flags = EQUANT_SAMPLE_RUN | EQUANT_SAMPLE_PREDICTED,
		.random = random_from(1),
		.balancer = equant_balancer_new(n, options),
	};
	for (int i = 0; i < n; i++) {
		job->units[i] = units;
		job->speed[i] = 1000;
		job->share[i] = 1;
		job->predicted[i] = 1;
	}
}

void job_stop(struct job *job)
{
	equant_balancer_free(job->balancer);
}

static double compute(struct job *job)
{
	double longest = 0;

	for (int i = 0; i < job->n; i++) {
		double odd = 1 + job->noise * (2 * random_unit(&job->random) - 1);
		double run = (double)job->units[i] / (job->speed[i] * odd);
		double wall = run / job->share[i];

		job->samples[i] = (struct equant_sample){
			.units = (double)job->units[i],
			.wall = wall,
			.run = run,
			.wait = wall - run,
			.share = job->predicted[i],
			.settled = job->predicted[i],
			.quantum = job->quantum,
			.hold = job->hold,
			.age = job->age,
			.hooks = 1,
			.flags = (uint16_t)job->flags,
			.meetings = (uint16_t)job->meetings[i],
		};
		if (wall > longest)
			longest = wall;
	}
	return longest;
}

int job_phase(struct job *job)
{
	double longest = compute(job);
	int error;

	for (int i = 0; i < job->n; i++)
		job->samples[i].interval = longest;
	error = equant_balancer_decide(job->balancer, job->samples, job->units, &job->decision);
	if (error)
		return error;
	equant_apply(job->decision.instructions, job->decision.count, job->units);
	return job->decision.count;
}

int job_phases(struct job *job, int phases)
{
	int moved = 0;

	for (int i = 0; i < phases; i++)
		moved += job_phase(job) != 0;
	return moved;
}
