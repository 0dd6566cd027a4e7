// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Iterations in proportion to speeds:
 *
 *	w_i = (1 / g_i) / sum 1 / g_k,  z_i = w_i n
 *
 * and processor i works on those from floor(z_1 + ... + z_i-1) + 1 through
 * floor(z_1 + ... + z_i).  So it has less than one iteration more than its exact
 * part, and no processor is a whole iteration behind the exact balance; optimal, as
 * the paper has it, this is not: g = (1, 10), n = 5 gives (4, 1) and 10, where (5, 0)
 * takes 5.
 *
 * Reference: Cierniak, Zaki, Li 1997, sections 6.1 and 6.2.
 */
#include "plan/plan_internal.h"

/* A sum whose error does not grow with the number of terms (Kahan, Neumaier). */
struct sum {
	double value;
	double lost;
};

static void add(struct sum *sum, double term)
{
	double value = sum->value + term;

	/* Terms are not negative. */
	if (sum->value >= term)
		sum->lost += (sum->value - value) + term;
	else
		sum->lost += (term - value) + sum->value;
	sum->value = value;
}

/* Floor, but a whole number that was missed by rounding only is that number. */
static double whole(double value)
{
	double nearest = round(value);

	return fabs(value - nearest) <= value * 0x1p-49 ? nearest : floor(value);
}

static double fastest(const double *time, int p)
{
	double least = time[0];

	for (int i = 1; i < p; i++)
		if (time[i] < least)
			least = time[i];
	return least;
}

void equant_plan_share(const double *time, int p, long n, long *counts)
{
	/* Speeds from 0 to 1, so that none overflows. */
	double least = fastest(time, p), total, end;
	struct sum sum = { 0 };
	long given = 0;

	for (int i = 0; i < p; i++)
		add(&sum, least / time[i]);
	total = sum.value + sum.lost;
	sum = (struct sum){ 0 };
	for (int i = 0; i < p; i++) {
		add(&sum, least / time[i]);
		end = i < p - 1 ? whole((double)n * ((sum.value + sum.lost) / total)) : (double)n;
		counts[i] = end > (double)given ? (long)end - given : 0;
		if (counts[i] > n - given)
			counts[i] = n - given;
		given += counts[i];
	}
}
