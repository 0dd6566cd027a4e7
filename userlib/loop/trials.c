// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Do shorter or longer strips compute faster?
 *
 * The model of section 3.3 takes the time of an iteration for the same whatever the block.
 * It is not: the rows of a short strip overlap with those of the next column in the processor and are
 * still in its cache, those of a long one may be computed as vectors.  No model knows, so it is tried:
 * sweeps with the block size of the model and with half of it take turns, and the CPU time of an
 * iteration in both goes into the model (eq. 3.10).  If half is better by GAIN, and the sweeps
 * really take less time, it is kept, and half of that is next; if it is no worse, a quarter is,
 * then twice and four times as much.  What is found is a factor of 2^shift, rounded to a power of two, and
 * holds until the model's block is quite another: a little shorter may be much slower.
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

#include "loop/pipeline.h"

#define GAIN 0.02
#define NO_LOSS 1.02
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
#define SHIFT_MOST 16
#define STEPS 4

/* The next block may be no faster where the one after is. */
static const int steps[STEPS] = { -1, -2, 1, 2 };

/* Vectors are of 2, 4, 8... numbers: what does not fill one takes as long, or longer. */
static long nearest_power(double block)
{
	double power = 1;

	while (2 * power * power < block * block)
		power *= 2;
	return (long)power;
}

static long scaled(const struct equant_strips *strips, long block, int shift)
{
	long most = strips->iterations;

	/* What a trial began with may be more than this sweep has. */
	block = block < most ? block : most;
	if (shift)
		block = nearest_power(ldexp((double)block, shift));
	return block < most ? block : most;
}

static int is_affordable(const struct equant_trials *t, const struct equant_strips *strips,
			 long modelled, int step)
{
	int shift = t->shift + step;
	long base = scaled(strips, modelled, t->shift), other = scaled(strips, modelled, shift);

	/* A strip of one has no loop in it. */
	if (other == base || (step < 0 && other < 2))
		return 0;
	return shift >= -SHIFT_MOST && shift <= SHIFT_MOST &&
	       equant_strips_time(strips, other) <= PRICE * equant_strips_time(strips, base);
}

static void rest(struct equant_trials *t)
{
	long sweeps = t->moved ? REST : 4 * t->rest;

	t->step = 0;
	t->moved = 0;
	t->rest = sweeps < REST ? REST : sweeps < REST_MOST ? sweeps : REST_MOST;
	t->pause = t->rest;
}

/* The next step that is affordable, from @at on; once shorter ones were better, longer ones are out. */
static void begin(struct equant_trials *t, const struct equant_strips *strips, long modelled,
		  int at)
{
	for (; at < STEPS; at++) {
		if (t->moved * steps[at] < 0 || !is_affordable(t, strips, modelled, steps[at]))
			continue;
		t->at = at;
		t->modelled = modelled;
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
	return equant_strips_time(strips, scaled(strips, t->modelled, t->shift + t->step)) /
	       equant_strips_time(&before, scaled(strips, t->modelled, t->shift));
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

/* Twice as far is tried where nothing speaks against it. */
static int next_place(const struct equant_trials *t, double ratio)
{
	return t->at % 2 || ratio <= NO_LOSS ? t->at + 1 : t->at + 2;
}

static int is_enough(const struct equant_trials *t)
{
	if (t->turn < 2 * PAIRS_LEAST)
		return 0;
	return t->turn >= 2 * PAIRS_MOST || t->length >= LONG_ENOUGH;
}

static void judge(struct equant_trials *t, const struct equant_strips *strips, long modelled)
{
	double ratio = time_ratio(t, strips);
	int better;

	if (ratio <= HOPELESS && !is_enough(t))
		return;
	better = ratio < 1 - GAIN ? saves_time(t) : 0;
	if (better < 0)
		return;
	if (!better) {
		begin(t, strips, modelled, next_place(t, ratio));
		return;
	}
	t->shift += t->step;
	t->moved = t->step;
	begin(t, strips, modelled, 0);
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

/* The model's block as far as it matters; another one is soon tried. */
static long held(struct equant_trials *t, long modelled)
{
	if (!t->shift)
		return modelled;
	if (has_changed(t, modelled)) {
		t->modelled = modelled;
		t->pause = t->pause < REST ? t->pause : REST;
	}
	return t->modelled;
}

long equant_trials_block(struct equant_trials *t, const struct equant_strips *strips, long modelled,
			 const struct equant_swept *last)
{
	int tried;

	if (!(last->pace > 0) || !(last->seconds > 0) || strips->ranks < 2)
		return scaled(strips, modelled, t->shift);
	if (!t->step)
		modelled = held(t, modelled);
	if (t->step && has_changed(t, modelled)) {
		begin(t, strips, modelled, t->at);
	} else if (t->step) {
		take(t, last);
		if (t->turn % 2 == 0)
			judge(t, strips, modelled);
	} else if (t->pause-- <= 0) {
		begin(t, strips, modelled, 0);
	}
	if (!t->step)
		return scaled(strips, modelled, t->shift);
	tried = t->turn++ % 2 ? t->step : 0;
	return scaled(strips, t->modelled, t->shift + tried);
}
