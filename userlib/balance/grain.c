// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * How to split work between barriers that come more often than the scheduler's
 * turns.
 *
 * Where the work between two barriers is a quantum or more on every CPU, a split
 * in proportion to the shares is right.  Where it is less and ranks poll, it
 * is not: while a rank's CPU is with another task everybody waits, and while it is
 * not there are many steps in one turn, in which all CPUs are alike.  In
 * the limit an equal split is best: with shares of 1/2 and 1, in a turn of the
 * first rank, equal halves get 2 CPUs' work done, a third and two thirds 1.5.
 *
 * In between it depends on how the work fits the turns.  So a few splits
 *
 *	w_i = ((1 - e) share_i / mean share + e) x grain,  e = 0, 1/4, 1/2, 3/4, 1
 *
 * are simulated, barriers on CPUs that take turns, and the best is kept until
 * another is better by GAIN.  A single grain may be a peak of
 * figure 3.14, as narrow as a tick; the sum over three grains near it is none.
 *
 * The loads are rounded to half tasks.  CPUs of the same load are simulated as one,
 * or as two half a round apart: when turns begin is not known.
 *
 * Reference: Siegell 1995, section 3.4.2: "a grain size as large as possible, but
 * at least one time quantum (on the loaded processors after balancing), should be
 * selected".  What to do where that cannot be had the thesis leaves open.
 */
#include <string.h>

#include "balance/balance_internal.h"
#include "balance/round.h"

#define QUANTUM (1 << 20) /* ticks */
#define SPLITS 4 /* steps from proportional to equal */
#define GAIN 0.03 /* another split must be better by this */
#define CHANGE 1.125 /* of the grain, to look again */
#define FINEST (1.0 / 32) /* of a quantum; finer ones have the same answer */
#define ROUNDS 4 /* of the longest, that are simulated */
#define HALVES_MOST 64
#define ACTORS (2 * EQUANT_GRAIN_LOADS)

/* CPU time from hook to hook, mean over the ranks; 0 when nobody came to a hook. */
static double work_per_hook(const struct equant_sample *samples, int n)
{
	double sum = 0;
	int ranks = 0;

	for (int i = 0; i < n; i++) {
		if (!samples[i].hooks)
			continue;
		sum += samples[i].run / samples[i].hooks;
		ranks++;
	}
	return ranks ? sum / ranks : 0;
}

/* False where there are more different loads than there is room for. */
static bool add_load(struct equant_split *split, int halves)
{
	int at = 0;

	while (at < split->count && split->loads[at].halves < halves)
		at++;
	if (at == split->count || split->loads[at].halves != halves) {
		if (split->count == EQUANT_GRAIN_LOADS)
			return false;
		memmove(&split->loads[at + 1], &split->loads[at],
			(split->count - at) * sizeof(split->loads[0]));
		split->loads[at] = (struct equant_split_load){ .halves = halves };
		split->count++;
	}
	split->loads[at].ranks++;
	return true;
}

static bool are_predicted(const struct equant_sample *samples, int n)
{
	const uint32_t needed = EQUANT_SAMPLE_RUN | EQUANT_SAMPLE_PREDICTED;

	for (int i = 0; i < n; i++)
		if ((samples[i].flags & needed) != needed)
			return false;
	return true;
}

/* A rank that is not alone has no less than 1 / 32. */
static bool take_loads(struct equant_split *split, const struct equant_rate *rates, int n)
{
	for (int i = 0; i < n; i++) {
		double halves = 2 / rates[i].share + 0.5;

		if (rates[i].speed <= 0 || halves > HALVES_MOST || !add_load(split, (int)halves))
			return false;
	}
	return true;
}

static double mean_share(const struct equant_split *split)
{
	double sum = 0;
	int ranks = 0;

	for (int i = 0; i < split->count; i++) {
		sum += split->loads[i].ranks * 2.0 / split->loads[i].halves;
		ranks += split->loads[i].ranks;
	}
	return sum / ranks;
}

/* Of the rank with the smallest share, once the work is split in proportion. */
static double smallest_work(const struct equant_split *split)
{
	return split->grain * 2.0 / split->loads[split->count - 1].halves / mean_share(split);
}

static double time_of(const struct equant_split *split, double even, double grain)
{
	struct equant_round rounds[ACTORS];
	double mean = mean_share(split), steps;
	int64_t work[ACTORS], longest = 0;
	int actors = 0;

	for (int i = 0; i < split->count; i++) {
		double share = 2.0 / split->loads[i].halves;
		double part = (1 - even) * share / mean + even;

		longest = (int64_t)QUANTUM * split->loads[i].halves / 2;
		for (int twin = 0; twin < 2 && twin < split->loads[i].ranks; twin++) {
			work[actors] = (int64_t)(grain * part * QUANTUM);
			rounds[actors++] = (struct equant_round){
				.quantum = QUANTUM,
				.length = longest,
				.phase = twin ? longest / 2 : 0,
			};
		}
	}
	steps = ROUNDS * (double)longest / QUANTUM / grain + 1;
	return (double)equant_barrier_time(rounds, work, actors, (long)steps) / (double)(long)steps;
}

static double time_near(const struct equant_split *split, double even)
{
	static const double near[] = { 7.0 / 8, 1, 9.0 / 8 };
	double grain = split->grain > FINEST ? split->grain : FINEST, sum = 0;

	for (int i = 0; i < 3; i++)
		sum += time_of(split, even, near[i] * grain);
	return sum;
}

static void judge(struct equant_split *split)
{
	double best = (1 - GAIN) * time_near(split, split->even), even = split->even;

	for (int i = 0; i <= SPLITS; i++) {
		double candidate = (double)i / SPLITS, time = time_near(split, candidate);

		if (time < best) {
			best = time;
			even = candidate;
		}
	}
	split->even = even;
	split->judged = split->grain;
}

static void make_proportional(struct equant_split *split)
{
	split->even = split->judged = 0;
	split->count = 0;
}

static bool same_loads(const struct equant_split *a, const struct equant_split *b)
{
	return a->count == b->count && !memcmp(a->loads, b->loads, a->count * sizeof(a->loads[0]));
}

void equant_split_choose(struct equant_split *split, const struct equant_sample *samples,
			 const struct equant_rate *rates, int n, double quantum)
{
	double work = work_per_hook(samples, n);
	struct equant_split now = { .even = split->even, .judged = split->judged };

	if (quantum < EQUANT_TIME_MIN || !are_predicted(samples, n)) {
		make_proportional(split);
		return;
	}
	/* Nobody has come to a hook: all is as it was. */
	if (work < EQUANT_TIME_MIN)
		return;
	now.grain = work / quantum;
	if (split->grain > 0)
		now.grain = 0.5 * now.grain + 0.5 * split->grain;
	if (!take_loads(&now, rates, n) || now.count < 2 || smallest_work(&now) >= 1)
		make_proportional(&now);
	else if (!same_loads(split, &now) || now.grain > CHANGE * now.judged ||
		 now.grain * CHANGE < now.judged)
		judge(&now);
	*split = now;
}

void equant_split_lean(const struct equant_split *split, const struct equant_rate *rates, int n,
		       double *values)
{
	double all = 0, speeds = 0;

	if (split->even == 0)
		return;
	for (int i = 0; i < n; i++) {
		all += values[i];
		speeds += rates[i].speed;
	}
	for (int i = 0; i < n; i++)
		values[i] = (1 - split->even) * values[i] +
			    split->even * all * (rates[i].speed / speeds);
}
