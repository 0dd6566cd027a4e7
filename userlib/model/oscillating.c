// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What dynamic balancing earns when a competing load comes and goes on one CPU.
 * The oscillation period falls into six segments: after the load went away
 * the work is still divided as before (c), it is moved (d), the load is balanced
 * (e); the same after the load came back (f, g, h):
 *
 *	efficiency = sum over x = c..h of u_x t_x / (period_osc c_available)
 *	period_osc = sum over x of t_x
 *	period_osc / 2 = t_c + t_d + t_e = t_f + t_g + t_h
 *
 * These are eqs. 7.2 to 7.4, whose text is lost, derived again from eq. 1.3 and
 * from what eqs. 7.17 and 7.18 say of them; c_available is eq. 7.1.
 *
 * Deviation: the part of the work that moves, eq. 7.9, is written for a load of
 * one task; here it is 1 / P - rmin / (rmin + P - 1), the same for rmin = 1/2.
 *
 * Two things that eqs. 7.5 to 7.8 leave out, for those who ask for them:
 *
 * A balancing period is a number of steps.  Eq. 7.5 takes it to shrink by rmin
 * when the load goes, but until the answer the other ranks have as much to do
 * as before, and all wait for them: eq. 7.7 says so itself, u_c is the u_h of
 * before.  The period stays: t_c = (depth + 0.5) period_target.
 *
 * A measured rate is the mean over a balancing period.  Where a part v of its
 * steps came after the change, the loaded rank's rate is
 *
 *	r = rmin / (1 - v (1 - rmin))		the load has gone
 *	r = rmin / (rmin + v (1 - rmin))	the load has come
 *
 * and the first answer divides the work by r; the rest follows a period later.
 * In that period the ranks compute W per step at a rate of u = r + P - 1 (gone)
 * or rmin (r + P - 1) / r (come) where balanced ones would reach u_e or u_h: what
 * is lost is N W (u_balanced / u - 1).  N steps are a period by the smoothed time
 * of a step, eqs. 4.1 and 4.12; any v from 0 to 1 is as likely as another.
 *
 * With y = 1 - v (1 - rmin) and y = rmin + v (1 - rmin), both r = rmin / y, and y is as likely
 * anywhere from rmin to 1.  What is lost changes as y does by a factor, so the mean over y is that of
 * pieces over each of which y doubles.  Logarithms would do, but are not the same everywhere.
 *
 * Reference: Siegell 1995, section 7.5.
 */
#include <errno.h>
#include <math.h>

#include "model/model_internal.h"

#define INTERVALS 64 /* of a piece */

static bool valid(const struct equant_oscillation *o)
{
	return o->n >= 2 && o->rmin > 0 && o->rmin <= 1 && o->period > 0 && isfinite(o->period) &&
	       o->target >= 0 && isfinite(o->target) && o->delay >= 0 && isfinite(o->delay) &&
	       o->move_all >= 0 && isfinite(o->move_all) && o->dedicated > 0 && o->dedicated <= 1 &&
	       (unsigned int)o->answer <= EQUANT_ANSWER_AVERAGED;
}

/* Table 7.4. */
static void model_static(const struct equant_oscillation *o, double available,
			 struct equant_oscillation_result *r)
{
	r->equal = o->dedicated * 0.5 * o->n * (o->rmin + 1) / available;
	r->avoid_changes = o->dedicated * (o->rmin + o->n - 1) / available;
	r->avoid_rank = o->dedicated * (o->n - 1) / available;
}

/* Eqs. 7.10 to 7.16. */
static void model_movement(const struct equant_oscillation *o, struct equant_oscillation_result *r)
{
	double n = o->n, unrestricted, step, all, productive;

	r->fraction = 1 / n - o->rmin / (o->rmin + n - 1);
	unrestricted = r->fraction * o->move_all;
	r->d = r->g = unrestricted;
	if (!o->restricted)
		return;
	r->g = n / 2 * unrestricted;
	step = unrestricted / (n - 1);
	all = n * r->g;
	productive = step * (n - 2) * (n - 1) * n / 6;
	r->d = all > 0 ? r->g * (all - productive) / all : 0;
}

/* The load has gone: the others, who have too much, set the pace; steps took as long as before. */
static double lost_after_going(const struct equant_oscillation *o, double y)
{
	double others = o->n - 1, r = o->rmin / y;
	double steps = o->target * (o->rmin + others);

	return steps * (o->n / (r + others) - 1);
}

/* The load has come: its rank, which has too much, sets the pace; steps took 1 / rmin as long. */
static double lost_after_coming(const struct equant_oscillation *o, double y)
{
	double others = o->n - 1, r = o->rmin / y;
	double step = 0.5 + 0.5 * (y / o->rmin);
	double steps = o->target * o->n / step;

	return steps * ((o->rmin + others) / (y * (r + others)) - 1);
}

typedef double (*lost_after)(const struct equant_oscillation *o, double y);

/* The mean from @low to @high, by Simpson's rule. */
static double mean_of_piece(const struct equant_oscillation *o, lost_after lost, double low,
			    double high)
{
	double sum = 0;

	for (int i = 0; i <= INTERVALS; i++) {
		double weight = i == 0 || i == INTERVALS ? 1 : i % 2 ? 4 : 2;

		sum += weight * lost(o, low + (high - low) * ((double)i / INTERVALS));
	}
	return sum / (3 * INTERVALS);
}

/* The mean from rmin to 1: nothing is lost where nothing comes and goes. */
static double mean_of(const struct equant_oscillation *o, lost_after lost)
{
	double mean = 0, low;

	if (o->answer != EQUANT_ANSWER_AVERAGED)
		return 0;
	for (double high = 1; high > o->rmin; high = low) {
		low = high / 2 > o->rmin ? high / 2 : o->rmin;
		mean += (high - low) / (1 - o->rmin) * mean_of_piece(o, lost, low, high);
	}
	return mean;
}

int equant_model_oscillation(const struct equant_oscillation *o,
			     struct equant_oscillation_result *r)
{
	double available, balanced, least, coming;

	if (!valid(o))
		return -EINVAL;
	*r = (struct equant_oscillation_result){ .efficiency = NAN };
	available = 0.5 * o->rmin + o->n - 0.5; /* eq. 7.1 */
	balanced = o->rmin + o->n - 1;
	model_static(o, available, r);
	model_movement(o, r);
	coming = mean_of(o, lost_after_coming);
	r->averaging = mean_of(o, lost_after_going) + coming;
	r->c = o->delay * o->target; /* eq. 7.5 */
	if (o->answer == EQUANT_ANSWER_PRINTED)
		r->c *= o->rmin;
	r->f = o->delay / o->rmin * o->target; /* eq. 7.6 */
	r->e = 0.5 * o->period - r->c - r->d; /* eq. 7.17 */
	r->h = 0.5 * o->period - r->f - r->g; /* eq. 7.18 */
	least = o->answer == EQUANT_ANSWER_AVERAGED ? o->target : 0;
	/* Going, no more than @target is lost; NaN is less than nothing, too. */
	if (!(r->e >= least && r->h >= least) || coming > balanced * r->h)
		return -ERANGE;
	/* u_c, u_e, u_f, u_h: eqs. 7.7, 7.19, 7.8, 7.20; u_d = u_g = 0 */
	r->efficiency = o->dedicated *
			(balanced * r->c + o->n * r->e + o->rmin * o->n * r->f + balanced * r->h -
			 r->averaging) /
			(o->period * available);
	return 0;
}
