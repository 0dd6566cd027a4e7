// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Do shorter or longer strips compute faster?
 *
 * The model of section 3.3 takes the time of an iteration for the same whatever the block.
 * It is not: the rows of a short strip presumably overlap with those of the next column in the processor
 * and are still in its cache, those of a long one may be computed as vectors.  No model knows, so it is
 * tried: sweeps with the block size of the model and with half of it take turns, and the CPU time of an
 * iteration in both goes into the model (eq. 3.10).  If half is better by GAIN, and the sweeps really
 * take less time, it is kept, and half of that is next; else a quarter is, then twice and four times as
 * much, all as powers of two, and at last three quarters and one and a half.  A quarter may be fast
 * where a half is slow, as strips of 4 rows were where those of 8 were not.  What is found is kept as a
 * length while the model's block changes, unless the model finds it dear: a little shorter or longer may
 * be much slower.
 *
 * Sweeps in turn meet the same weather, CPU time knows no competitors, and the least of several
 * sweeps was disturbed least: that takes a few sweeps.  Elapsed time takes more of them, but
 * it alone knows that beside a competitor a message may cost a rank its CPU.
 *
 * What a trial costs is known beforehand, but for what it is to find out: a block that takes a
 * quarter longer by the model is not tried, and one that is no good in the first sweep not once more.
 */
#include <equant/advise.h>
#include <math.h>
#include <stdlib.h>

#include "loop/pipeline.h"

#define GAIN 0.02
#define HOPELESS 1.08
#define SURE 2 /* standard errors */
#define PRICE 1.25
#define PAIRS_LEAST 3 /* of sweeps */
#define PAIRS_MOST 8
#define LONG_ENOUGH 0.05 /* seconds of either kind */
#define PAIRS_DOUBTFUL 128
#define LONG_DOUBTFUL 1.0
#define REST 64 /* sweeps, until it is tried again */
#define REST_MOST 4096
#define STEPS 6

/* In halves of a power of two.  The next power may be no faster where the one after is. */
static const int steps[STEPS] = { -2, -4, 2, 4, -1, 1 };

/* Vectors are of 2, 4, 8... numbers: what does not fill one may take as long. */
static long nearest_power(double block)
{
	double power = 1;

	while (2 * power * power < block * block)
		power *= 2;
	return (long)power;
}

/* The block that is the fastest so far, or @step away from it. */
static long length(const struct equant_trials *t, int step)
{
	long base = t->found ? t->found : t->modelled;

	if (!step)
		return base;
	if (step % 2)
		return 3 * base / (step < 0 ? 4 : 2);
	return nearest_power(ldexp((double)base, step / 2));
}

/* What a trial began with may be more than this sweep has. */
static long fitting(const struct equant_trials *t, const struct equant_strips *strips, int step)
{
	long block = length(t, step), most = strips->iterations;

	return block < most ? block : most;
}

static int is_no_dearer(const struct equant_strips *strips, long block, long base)
{
	return equant_strips_time(strips, block) <= PRICE * equant_strips_time(strips, base);
}

static int is_affordable(const struct equant_trials *t, const struct equant_strips *strips,
			 int step)
{
	long base = fitting(t, strips, 0), other = fitting(t, strips, step);

	/* A strip of one has no loop in it. */
	if (other == base || (step < 0 && other < 2))
		return 0;
	return is_no_dearer(strips, other, base);
}

static void rest(struct equant_trials *t)
{
	long sweeps = t->moved ? REST : 4 * t->rest;

	t->step = 0;
	t->moved = 0;
	t->rest = sweeps < REST ? REST : sweeps < REST_MOST ? sweeps : REST_MOST;
	t->pause = t->rest;
}

/* It leads back to where the last step that was better came from. */
static int is_back(const struct equant_trials *t, int step)
{
	return t->moved * step < 0 && abs(step) >= abs(t->moved);
}

/* The next step that is affordable, from @at on. */
static void begin(struct equant_trials *t, const struct equant_strips *strips, int at)
{
	for (; at < STEPS; at++) {
		if (is_back(t, steps[at]) || !is_affordable(t, strips, steps[at]))
			continue;
		t->at = at;
		t->step = steps[at];
		t->turn = 0;
		t->time[0] = t->time[1] = 0;
		t->length = 0;
		t->sum = t->squares = 0;
		return;
	}
	rest(t);
}

/* Tried over plain.  The last sweep was a tried one: the model's unit time is that of those already. */
static double time_ratio(const struct equant_trials *t, const struct equant_strips *strips)
{
	struct equant_strips before = *strips;

	before.unit_time *= t->time[0] / t->time[1];
	return equant_strips_time(strips, fitting(t, strips, t->step)) /
	       equant_strips_time(&before, fitting(t, strips, 0));
}

/*
 * Is what computes faster over sooner, too?  Beside a competitor each message more may cost a slice of its.
 * Return: 1 yes; 0 no; -1 not sure yet.
 */
static int saves_time(const struct equant_trials *t)
{
	double n = t->turn / 2, mean = t->sum / n;
	double variance = t->squares / n - mean * mean;

	if (mean * mean * (n - 1) > SURE * SURE * variance)
		return mean < 0;
	if (n < PAIRS_DOUBTFUL && t->length < LONG_DOUBTFUL)
		return -1;
	return mean < -GAIN;
}

static int is_enough(const struct equant_trials *t)
{
	if (t->turn < 2 * PAIRS_LEAST)
		return 0;
	return t->turn >= 2 * PAIRS_MOST || t->length >= LONG_ENOUGH;
}

static void judge(struct equant_trials *t, const struct equant_strips *strips)
{
	double ratio = time_ratio(t, strips);
	int better;

	if (ratio <= HOPELESS && !is_enough(t))
		return;
	better = ratio < 1 - GAIN ? saves_time(t) : 0;
	if (better < 0)
		return;
	if (!better) {
		begin(t, strips, t->at + 1);
		return;
	}
	t->found = length(t, t->step);
	t->moved = t->step;
	begin(t, strips, 0);
}

/* A sweep of a trial is over. */
static void take(struct equant_trials *t, const struct equant_swept *last)
{
	double *time = &t->time[(t->turn - 1) & 1], difference;

	*time = *time > 0 && *time < last->pace ? *time : last->pace;
	t->length += last->seconds / 2;
	if (t->turn % 2) {
		t->plain = last->seconds;
		return;
	}
	difference = (last->seconds - t->plain) / (last->seconds + t->plain);
	t->sum += difference;
	t->squares += difference * difference;
}

/* Another loop, as far as its costs go. */
static int has_changed(const struct equant_trials *t, long modelled)
{
	return modelled / 2 > t->modelled || t->modelled / 2 > modelled;
}

/* The model has quite another block.  What was found stays if it may be tried there, and others soon are. */
static void follow(struct equant_trials *t, const struct equant_strips *strips, long modelled)
{
	if (t->found && !is_no_dearer(strips, fitting(t, strips, 0), modelled))
		t->found = 0;
	t->modelled = modelled;
	t->pause = t->pause < REST ? t->pause : REST;
	if (t->step)
		begin(t, strips, t->at);
}

long equant_trials_block(struct equant_trials *t, const struct equant_strips *strips, long modelled,
			 const struct equant_swept *last)
{
	if (!t->step && !t->found)
		t->modelled = modelled;
	if (!(last->pace > 0) || !(last->seconds > 0) || strips->ranks < 2)
		return fitting(t, strips, 0);
	if (has_changed(t, modelled)) {
		follow(t, strips, modelled);
	} else if (t->step) {
		take(t, last);
		if (t->turn % 2 == 0)
			judge(t, strips);
	} else if (t->pause-- <= 0) {
		begin(t, strips, 0);
	}
	return fitting(t, strips, t->step && t->turn++ % 2 ? t->step : 0);
}
