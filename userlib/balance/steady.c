// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Work that stays where it is while shares come and go.
 *
 * Where ranks meet several times before a share changes, all of them work at the pace of the one that is
 * slowest just then.  A rank whose share swings between l and h can be given work for the share that it has
 * at the moment, and each answer is late and has its price; or for l for ever ("avoid tracking"), which
 * is never wrong, but leaves a part of h unused; or for h.  What lies between is worse than the better one of
 * these: with too little work it has nothing to do while the others are waited for, and with too much it
 * is waited for.  S(x) being what all ranks do together where those that swing have x, this is done:
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
 * Source: Siegell 1995, figures 7.14b, 7.14c and 7.15, table 7.4: "not generally applicable because they require
 * prior knowledge of the loads", which a view of the scheduler gives; when to do so is an addition.
 */
#include <math.h>

#include "balance/balance_internal.h"

#define WINDOW 2.0 /* seconds, or */
#define CHANGES 4 /* so many times as long as shares hold */
#define SWING 0.1 /* of a share; less is none */
#define LATE 2 /* periods, and a quantum */
#define BETTER 1.05 /* times what is done now, or that goes on */

static void note(struct equant_swing *swing, const struct equant_sample *sample)
{
	double share = fmax(sample->settled, EQUANT_SHARE_MIN);

	if (!(sample->flags & EQUANT_SAMPLE_PREDICTED) || sample->hold <= 0 ||
	    swing->lows[0] <= 0) {
		*swing = (struct equant_swing){
			.lows = { share, share },
			.highs = { share, share },
		};
		return;
	}
	swing->age += sample->interval;
	if (swing->age > fmax(WINDOW, CHANGES * sample->hold)) {
		swing->lows[1] = swing->lows[0];
		swing->highs[1] = swing->highs[0];
		swing->lows[0] = swing->highs[0] = share;
		swing->age = 0;
	}
	swing->lows[0] = fmin(swing->lows[0], share);
	swing->highs[0] = fmax(swing->highs[0], share);
}

/* Does it?  And do ranks wait for each other while it holds? */
static void measure(struct equant_swing *swing, const struct equant_sample *sample,
		    const struct equant_rate *rate, double used, double meeting)
{
	double wanted = rate->mean_run + rate->mean_wait;

	note(swing, sample);
	swing->low = fmin(swing->lows[0], swing->lows[1]);
	swing->high = fmax(swing->highs[0], swing->highs[1]);
	swing->swings = sample->flags & EQUANT_SAMPLE_RUN && rate->speed > 0 &&
			wanted >= EQUANT_TIME_MIN && meeting > 0 && sample->hold >= meeting &&
			swing->high - swing->low >= SWING * swing->high;
	if (swing->swings)
		swing->mean = fmin(fmax(rate->mean_run / wanted, swing->low), swing->high);
	else
		swing->low = swing->mean = swing->high = used;
}

/* What is done where work is divided by the highest shares, or the mean ones. */
static double stood(const struct equant_steady *steady, const struct equant_rate *rates, int n,
		    bool by_mean)
{
	double sum = 0, all = 1, least = 1;

	for (int i = 0; i < n; i++) {
		const struct equant_swing *swing = &steady->swings[i];
		double share = by_mean ? swing->mean : swing->high;

		sum += swing->swings ? rates[i].speed * share : share;
		if (!swing->swings)
			continue;
		all *= (swing->mean - swing->low) / (swing->high - swing->low);
		least = fmin(least, swing->low / share);
	}
	return sum * (all + (1 - all) * least);
}

static double sum_of(const struct equant_steady *steady, const struct equant_rate *rates, int n,
		     bool low)
{
	double sum = 0;

	for (int i = 0; i < n; i++) {
		const struct equant_swing *swing = &steady->swings[i];
		double share = low ? swing->low : swing->high;

		sum += swing->swings ? rates[i].speed * share : share;
	}
	return sum;
}

/* Seconds in which units move when rank @i's share changes. */
static double moving(const struct equant_steady *steady, const struct equant_rate *rates, int n,
		     int i, const struct equant_prospect *prospect)
{
	const struct equant_swing *swing = &steady->swings[i];
	double most = rates[i].speed * swing->high / sum_of(steady, rates, n, false);
	double least = rates[i].speed * swing->low / sum_of(steady, rates, n, true);
	double units = prospect->units * (most - least);

	return prospect->costs->scale *
	       (prospect->costs->fixed + prospect->costs->per_unit * fmax(units, 0));
}

/* The part of the time that it takes to move work after shares. */
static double spent(const struct equant_steady *steady, const struct equant_sample *samples,
		    const struct equant_rate *rates, int n, const struct equant_prospect *prospect)
{
	double sum = 0;

	for (int i = 0; i < n; i++)
		if (steady->swings[i].swings)
			sum += moving(steady, rates, n, i, prospect) / samples[i].hold;
	return sum;
}

/* What is done where work follows shares, or their averages where one does not hold for long enough. */
static double followed(const struct equant_steady *steady, const struct equant_sample *samples,
		       const struct equant_rate *rates, int n,
		       const struct equant_prospect *prospect)
{
	double late = LATE * prospect->period + prospect->how->quantum, sum = 0;
	double lost = spent(steady, samples, rates, n, prospect);

	for (int i = 0; i < n; i++) {
		const struct equant_swing *swing = &steady->swings[i];

		sum += swing->swings ? rates[i].speed * swing->mean : swing->mean;
		if (!swing->swings)
			continue;
		if (!equant_rate_follows(&samples[i], prospect->how))
			return stood(steady, rates, n, true);
		lost += late / 2 * (1 - swing->low / swing->high) / samples[i].hold;
	}
	return sum - lost * sum_of(steady, rates, n, false);
}

void equant_steady_choose(struct equant_steady *steady, const struct equant_sample *samples,
			  const struct equant_rate *rates, const double *used, int n,
			  const struct equant_prospect *prospect)
{
	double worth[3];
	bool any = false;

	for (int i = 0; i < n; i++) {
		measure(&steady->swings[i], &samples[i], &rates[i], used[i],
			prospect->how->meeting);
		any |= steady->swings[i].swings;
	}
	if (!any) {
		steady->stand = EQUANT_STAND_FOLLOW;
		return;
	}
	worth[EQUANT_STAND_FOLLOW] = followed(steady, samples, rates, n, prospect);
	worth[EQUANT_STAND_LOW] = sum_of(steady, rates, n, true);
	worth[EQUANT_STAND_HIGH] = stood(steady, rates, n, false);
	/* Another one needs a move, which several changes have to pay for. */
	worth[steady->stand] =
		BETTER * worth[steady->stand] + spent(steady, samples, rates, n, prospect) /
							CHANGES * sum_of(steady, rates, n, false);
	for (int stand = 0; stand < 3; stand++)
		if (worth[stand] > worth[steady->stand])
			steady->stand = (enum equant_stand)stand;
}

double equant_steady_share(const struct equant_steady *steady, int rank)
{
	const struct equant_swing *swing = &steady->swings[rank];

	if (!swing->swings || steady->stand == EQUANT_STAND_FOLLOW)
		return 0;
	return steady->stand == EQUANT_STAND_LOW ? swing->low : swing->high;
}
