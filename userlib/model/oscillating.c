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
 * Reference: Siegell 1995, section 7.5.
 */
#include <errno.h>
#include <math.h>

#include "model/model_internal.h"

static bool valid(const struct equant_oscillation *o)
{
	return o->n >= 2 && o->rmin > 0 && o->rmin <= 1 && o->period > 0 && isfinite(o->period) &&
	       o->target >= 0 && isfinite(o->target) && o->delay >= 0 && isfinite(o->delay) &&
	       o->move_all >= 0 && isfinite(o->move_all) && o->dedicated > 0 && o->dedicated <= 1;
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

int equant_model_oscillation(const struct equant_oscillation *o,
			     struct equant_oscillation_result *r)
{
	double available, balanced;

	if (!valid(o))
		return -EINVAL;
	*r = (struct equant_oscillation_result){ .efficiency = NAN };
	available = 0.5 * o->rmin + o->n - 0.5; /* eq. 7.1 */
	balanced = o->rmin + o->n - 1;
	model_static(o, available, r);
	model_movement(o, r);
	r->c = o->delay * o->rmin * o->target; /* eq. 7.5 */
	r->f = o->delay / o->rmin * o->target; /* eq. 7.6 */
	r->e = 0.5 * o->period - r->c - r->d; /* eq. 7.17 */
	r->h = 0.5 * o->period - r->f - r->g; /* eq. 7.18 */
	if (r->e < 0 || r->h < 0)
		return -ERANGE;
	/* u_c, u_e, u_f, u_h: eqs. 7.7, 7.19, 7.8, 7.20; u_d = u_g = 0 */
	r->efficiency = o->dedicated *
			(balanced * r->c + o->n * r->e + o->rmin * o->n * r->f + balanced * r->h) /
			(o->period * available);
	return 0;
}
