// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Work that stays where it is while shares come and go.
 *
 * Where ranks meet before a share changes, all of them work at the pace of the one that is slowest just
 * then.  A rank whose share swings between l and h can be given work for the share that it has
 * at the moment, and each answer is late and has its price; or for l for ever ("avoid tracking"), which
 * is never wrong, but leaves a part of h unused; or for h.  Where ranks meet often what lies between is worse
 * than the better one of these: with too little work it has nothing to do while the others are waited for, and
 * with too much it is waited for.  S(x) being what all ranks do together where those that swing have x, this is done:
 *
 *	followed	S(mean) - S(h) sum of (late / 2 (1 - l / h) + cost of moving) / hold
 *	averaged	S(mean) (p + (1 - p) min of l / mean)
 *	for l		S(l)
 *	for h		S(h) (p + (1 - p) min of l / h),  p: part of the time in which all have h
 *
 * Of n ranks that are alike one that swings between 1 / 2 and 1 leaves n - 1 / 2 of n - 1 / 4 if it is given work for
 * l, so that following it pays where shares hold for more than n times as long as answers are late: two
 * ranks lose much by standing still, eight next to nothing.
 *
 * Source: Siegell 1995, figures 7.14a, 7.14b and 7.15, table 7.4: "not generally applicable because they require
 * prior knowledge of the loads", which a view of the scheduler gives; when to do so is an addition.
 */
#include <math.h>

#include "balance/balance_internal.h"

#define WINDOW 2.0 /* seconds, or */
#define CHANGES 4 /* times as long as shares hold, or */
#define SAMPLES 16 /* times as long as from one sample to the next */
#define SWING 0.1 /* of a share; less is none */
#define LATE 2 /* periods, or one where ranks wait for decisions, and a quantum */
#define BETTER 1.05 /* times what is done now, or that goes on */

/**
 * struct together - what all ranks do, units per second
 * @low: with the least shares of those that swing
 * @mean: with the mean ones; @high: likewise
 * @all: part of the time in which no share is below the highest
 * @below_mean: least part of the mean share that one has; @below_high: likewise
 */
struct together {
	double low;
	double mean;
	double high;
	double all;
	double below_mean;
	double below_high;
};

static void begin(struct equant_seen *seen, double share)
{
	*seen = (struct equant_seen){ .low = share, .high = share };
}

/* Shares that swing do so in either of two windows, whatever is known of how long they hold just now. */
static void note(struct equant_swing *swing, const struct equant_sample *sample)
{
	double share = fmax(sample->settled, EQUANT_SHARE_MIN);

	if (!(sample->flags & EQUANT_SAMPLE_PREDICTED) || swing->now.low <= 0) {
		begin(&swing->now, share);
		begin(&swing->before, share);
		swing->hold = 0;
	}
	if (sample->hold > 0)
		swing->hold = sample->hold;
	if (swing->now.time >
	    fmax(fmax(WINDOW, CHANGES * swing->hold), SAMPLES * sample->interval)) {
		swing->before = swing->now;
		begin(&swing->now, share);
	}
	swing->now.low = fmin(swing->now.low, share);
	swing->now.high = fmax(swing->now.high, share);
	swing->now.sum += share * sample->interval;
	swing->now.time += sample->interval;
}

/* Does it?  And do ranks wait for each other while it holds? */
static void measure(struct equant_swing *swing, const struct equant_sample *sample,
		    const struct equant_rate *rate, double used, double meeting)
{
	double time;

	note(swing, sample);
	time = swing->now.time + swing->before.time;
	swing->low = fmin(swing->now.low, swing->before.low);
	swing->high = fmax(swing->now.high, swing->before.high);
	swing->swings = sample->flags & EQUANT_SAMPLE_RUN && rate->speed > 0 && meeting > 0 &&
			swing->hold >= meeting && time >= EQUANT_TIME_MIN &&
			swing->high - swing->low >= SWING * swing->high;
	if (swing->swings)
		swing->mean = (swing->now.sum + swing->before.sum) / time;
	else
		swing->low = swing->mean = swing->high = used;
}

static void add_up(const struct equant_steady *steady, const struct equant_rate *rates, int n,
		   struct together *together)
{
	*together = (struct together){ .all = 1, .below_mean = 1, .below_high = 1 };
	for (int i = 0; i < n; i++) {
		const struct equant_swing *swing = &steady->swings[i];
		double speed = swing->swings ? rates[i].speed : 1;

		together->low += speed * swing->low;
		together->mean += speed * swing->mean;
		together->high += speed * swing->high;
		if (!swing->swings)
			continue;
		together->all *= (swing->mean - swing->low) / (swing->high - swing->low);
		together->below_mean = fmin(together->below_mean, swing->low / swing->mean);
		together->below_high = fmin(together->below_high, swing->low / swing->high);
	}
}

/* Seconds that it takes to move work after a change of this rank's share. */
static double moving(const struct equant_swing *swing, double speed,
		     const struct together *together, const struct equant_prospect *prospect)
{
	const struct equant_costs *costs = prospect->costs;
	double units = prospect->units *
		       (speed * swing->high / together->high - speed * swing->low / together->low);

	return costs->scale * (costs->fixed + costs->per_unit * fmax(units, 0));
}

/* Where work follows shares: the part of the time that answers are late, and that moves take. */
static void follow(const struct equant_steady *steady, const struct equant_sample *samples,
		   const struct equant_rate *rates, int n, const struct together *together,
		   const struct equant_prospect *prospect, double *late, double *moves)
{
	*late = *moves = 0;
	for (int i = 0; i < n; i++) {
		const struct equant_swing *swing = &steady->swings[i];
		int periods = equant_rate_promptly(&samples[i], prospect->how) ? 1 : LATE;
		double time = periods * prospect->period + prospect->how->quantum;

		if (!swing->swings)
			continue;
		*late += time / 2 * (1 - swing->low / swing->high) / swing->hold;
		*moves += moving(swing, rates[i].speed, together, prospect) / swing->hold;
	}
}

static bool any_swings(const struct equant_steady *steady, int n)
{
	int i = 0;

	while (i < n && !steady->swings[i].swings)
		i++;
	return i < n;
}

/* Are all shares followed that swing?  If not they are averaged. */
static bool all_follow(const struct equant_steady *steady, const struct equant_sample *samples,
		       int n, const struct equant_prospect *prospect)
{
	for (int i = 0; i < n; i++)
		if (steady->swings[i].swings && !equant_rate_follows(&samples[i], prospect->how))
			return false;
	return true;
}

static void weigh(struct equant_steady *steady, const struct equant_sample *samples,
		  const struct equant_rate *rates, int n, const struct equant_prospect *prospect)
{
	struct together s;
	double worth[3], late, moves;

	add_up(steady, rates, n, &s);
	follow(steady, samples, rates, n, &s, prospect, &late, &moves);
	if (all_follow(steady, samples, n, prospect))
		worth[EQUANT_STAND_FOLLOW] = s.mean - s.high * (late + moves);
	else
		worth[EQUANT_STAND_FOLLOW] = s.mean * (s.all + (1 - s.all) * s.below_mean);
	worth[EQUANT_STAND_LOW] = s.low;
	worth[EQUANT_STAND_HIGH] = s.high * (s.all + (1 - s.all) * s.below_high);
	/* Another one needs a move, which several changes have to pay for. */
	worth[steady->stand] = BETTER * worth[steady->stand] + s.high * moves / CHANGES;
	for (int stand = 0; stand < 3; stand++)
		if (worth[stand] > worth[steady->stand])
			steady->stand = (enum equant_stand)stand;
}

void equant_steady_choose(struct equant_steady *steady, const struct equant_sample *samples,
			  const struct equant_rate *rates, const double *used, int n,
			  const struct equant_prospect *prospect)
{
	for (int i = 0; i < n; i++)
		measure(&steady->swings[i], &samples[i], &rates[i], used[i],
			prospect->how->meeting);
	if (any_swings(steady, n))
		weigh(steady, samples, rates, n, prospect);
	else
		steady->stand = EQUANT_STAND_FOLLOW;
}

double equant_steady_share(const struct equant_steady *steady, int rank)
{
	const struct equant_swing *swing = &steady->swings[rank];

	if (!swing->swings || steady->stand == EQUANT_STAND_FOLLOW)
		return 0;
	return steady->stand == EQUANT_STAND_LOW ? swing->low : swing->high;
}
