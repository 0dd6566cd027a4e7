// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The next phase of a loop with hooks between its iterations (Siegell 1995, section 4.2.1):
 *
 *	nexthook(r) = period x pace(r)
 *
 * so that ranks of different speed meet in it at the same time.  The pace is a rank's rate with the speed of
 * the last four quanta (balance/rate.c): a core is faster or slower for as long as a period, and by its
 * average speed over many of them one rank would come early and wait for the other.  All ranks know all quotas.
 *
 * Deviations: the next phase may be in a later pass, because a pass can be shorter than the period;
 * it is then before that pass's first unit.
 * Towards the end of a joined pass that is longer, the period is half of what the slowest rank
 * still needs, until a phase costs too much: what a rank falls behind after the last phase is
 * waited for, as in guided self-scheduling (Polychronopoulos and Kuck 1987).  Where nobody waits at
 * the end, each of those phases would be waited in for a rank that does not have its CPU just then.  Quotas
 * begin with one unit and grow: the first units may not be like the others.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "loop/progress.h"

#define GROWTH 8 /* of the longest quota with each new pace */
#define LIMIT_MOST 1e15
#define PASSES_MOST 1e9

int equant_progress_init(struct equant_progress *p, int ranks)
{
	memset(p, 0, sizeof(*p));
	p->ranks = ranks;
	p->limit = 1;
	p->left = calloc((size_t)ranks, sizeof(*p->left));
	p->counts = calloc((size_t)ranks, sizeof(*p->counts));
	p->quota = calloc((size_t)ranks, sizeof(*p->quota));
	if (p->left && p->counts && p->quota)
		return 0;
	equant_progress_release(p);
	return -ENOMEM;
}

void equant_progress_release(struct equant_progress *p)
{
	for (int r = 0; p->left && r < p->ranks; r++)
		equant_runs_release(&p->left[r]);
	free(p->left);
	free(p->counts);
	free(p->quota);
	memset(p, 0, sizeof(*p));
}

static void count(struct equant_progress *p)
{
	for (int r = 0; r < p->ranks; r++)
		p->counts[r] = p->left[r].total;
}

int equant_progress_begin(struct equant_progress *p, const struct equant_units *units)
{
	for (int r = 0; r < p->ranks; r++) {
		const struct equant_runs *own = &units->owned[r];

		p->left[r].n = 0;
		p->left[r].total = 0;
		for (int i = 0; i < own->n; i++)
			if (equant_runs_add(&p->left[r], own->ranges[i]))
				return -ENOMEM;
	}
	count(p);
	return 0;
}

int equant_progress_advance(struct equant_progress *p)
{
	struct equant_runs computed = { 0 };
	int error = 0;

	for (int r = 0; r < p->ranks && !error; r++) {
		long n = p->quota[r] < p->counts[r] ? p->quota[r] : p->counts[r];

		error = equant_runs_take(&p->left[r], n, 0, &computed);
		p->quota[r] = 0;
	}
	equant_runs_release(&computed);
	count(p);
	return error;
}

int equant_progress_pick(struct equant_progress *p, const struct equant_instruction *move,
			 struct equant_runs *picked)
{
	int from = move->from, to = move->to, error;

	if (from < 0 || from >= p->ranks || to < 0 || to >= p->ranks || from == to ||
	    move->units < 1 || move->units > p->counts[from])
		return -EPROTO;
	error = equant_runs_take(&p->left[from], move->units, 1, picked);
	for (int i = 0; i < picked->n && !error; i++)
		error = equant_runs_add(&p->left[to], picked->ranges[i]);
	count(p);
	return error;
}

/* Seconds that the slowest rank needs for these units. */
static double longest(const double *paces, const long *units, int ranks)
{
	double longest = 0;

	for (int r = 0; r < ranks; r++) {
		double seconds = units[r] ? (double)units[r] / paces[r] : 0;

		longest = seconds > longest ? seconds : longest;
	}
	return longest;
}

static double fastest(const double *paces, int ranks)
{
	double fastest = 0;

	for (int r = 0; r < ranks; r++)
		fastest = paces[r] > fastest ? paces[r] : fastest;
	return fastest;
}

static void plan_units(struct equant_progress *p, const double *paces, double seconds)
{
	for (int r = 0; r < p->ranks; r++) {
		double units = seconds * paces[r] + 0.5;

		p->quota[r] = units < LIMIT_MOST ? (long)units : (long)LIMIT_MOST;
	}
}

/* Nobody has computed a unit yet: one each. */
static long plan_first(struct equant_progress *p)
{
	long left = 0;

	for (int r = 0; r < p->ranks; r++) {
		p->quota[r] = 1;
		left += p->counts[r];
	}
	return left ? 0 : 1;
}

void equant_progress_learn(struct equant_progress *p)
{
	if (p->limit < LIMIT_MOST)
		p->limit *= GROWTH;
}

long equant_progress_plan(struct equant_progress *p, const struct equant_pace_of_pass *pace)
{
	double most = fastest(pace->paces, p->ranks), period = pace->period;
	double rest, pass, passes;

	if (most <= 0)
		return plan_first(p);
	p->trial = period * most > p->limit;
	if (p->trial)
		period = p->limit / most;
	rest = longest(pace->paces, p->counts, p->ranks);
	pass = longest(pace->paces, pace->owned, p->ranks);
	if (rest <= period && (pass <= period || rest <= pace->least || !pace->joined)) {
		passes = pass > 0 ? (period - rest) / pass : PASSES_MOST;
		passes = passes < PASSES_MOST ? floor(passes) : PASSES_MOST;
		/* Whole passes are balanced best before they begin. */
		plan_units(p, pace->paces, pass <= period ? 0 : period - rest);
		return 1 + (long)passes;
	}
	if (rest / 2 < period)
		period = rest / 2 > pace->least ? rest / 2 : pace->least;
	plan_units(p, pace->paces, period);
	/* The pass must come to its end. */
	for (int r = 0; r < p->ranks; r++)
		p->quota[r] += !p->quota[r];
	return 0;
}
