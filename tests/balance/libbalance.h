/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Shared by the tests of userlib/balance: plans as text and a model of a job to decide about.
 */
#ifndef LIBBALANCE_H
#define LIBBALANCE_H

#include <stddef.h>
#include <stdint.h>

#include <equant/balance.h>

#include "random.h"

/* ---- plans as text ---------------------------------------------------------- */

struct text {
	char line[1024];
	size_t used;
};

void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "25 25 50" and "0>2:10 1>2:5"; the text returned lives in @text. */
const char *text_counts(struct text *text, const long *counts, int n);
const char *text_instructions(struct text *text, const struct equant_instruction *instructions,
			      int count);

/* ---- small things ----------------------------------------------------------- */

/* Equal but for the rounding of a few operations. */
int near(double a, double b);
long sum_of(const long *counts, int n);
/* Hands out @total units at random. */
void scatter(struct random *random, long *counts, int n, long total);
struct equant_balance_options default_options(enum equant_rate_mode mode);

/* ---- a job ------------------------------------------------------------------- */

#define JOB_MOST 8

/**
 * struct job - ranks that compute all their units once per balancing phase
 * @speed: units per on-CPU second
 * @share: the share of the CPU that a rank really gets
 * @predicted: what its sample says of it
 * @noise: fraction by which speed varies at random
 * @age: of a predicted share
 * @meetings: per phase
 */
struct job {
	int n;
	long units[JOB_MOST];
	double speed[JOB_MOST];
	double share[JOB_MOST];
	double predicted[JOB_MOST];
	double noise;
	double hold;
	double age;
	double quantum;
	uint32_t flags;
	uint32_t meetings[JOB_MOST];
	struct random random;
	struct equant_balancer *balancer;
	struct equant_decision decision;
	struct equant_sample samples[JOB_MOST];
};

/* Ranks of equal speed (1000 units/s) alone on their CPUs, @units each. */
void job_start(struct job *job, int n, long units, const struct equant_balance_options *options);
void job_stop(struct job *job);
/* One phase: compute, decide, move.  Returns the number of instructions, or -errno. */
int job_phase(struct job *job);
/* Runs @phases; returns in how many of them work was moved. */
int job_phases(struct job *job, int phases);

#endif /* LIBBALANCE_H */
