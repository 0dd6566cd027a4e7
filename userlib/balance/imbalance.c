// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * How much faster another distribution would be:
 *
 *	t = max over ranks of w_i / r_i				(eq. 5.6)
 *	rfract = (t_curr - t_opt) / t_curr			(eqs. 5.7, 5.15)
 *
 * Deviation: the thesis takes W / R for t_opt; here it is the time of the whole
 * units that eq. 5.4 gives, so that what no move of whole units can mend is
 * not called an imbalance.
 *
 * Reference: Siegell 1995, section 5.3.
 */
#include <math.h>

#include "balance/balance_internal.h"

double equant_time(const double *rates, const long *units, int n)
{
	double longest = 0;

	for (int i = 0; i < n; i++) {
		double time;

		if (units[i] <= 0)
			continue;
		time = rates[i] > 0 ? (double)units[i] / rates[i] : HUGE_VAL;
		if (time > longest)
			longest = time;
	}
	return longest;
}

double equant_reduction(const double *rates, const long *from, const long *to, int n)
{
	double before = equant_time(rates, from, n);
	double after = equant_time(rates, to, n);

	if (before == 0)
		return 0;
	if (isinf(before))
		return isinf(after) ? 0 : 1;
	return (before - after) / before;
}
