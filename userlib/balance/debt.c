// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What the present distribution has cost so far (see benefit() in decide.c).
 *
 * Time without an imbalance counts against it: had the imbalance been answered, there would be one then.  So
 * the debt of a distribution that is wrong only now and then is paid back, and that of one that is
 * wrong for most of the time grows, though each imbalance be short.
 */
#include <stdlib.h>

#include "balance/balance_internal.h"

/* The rank whose units are furthest from what they should be. */
static int furthest(const long *units, const long *target, int n)
{
	int rank = 0;

	for (int i = 1; i < n; i++)
		if (labs(units[i] - target[i]) > labs(units[rank] - target[rank]))
			rank = i;
	return rank;
}

/*
 * Is it still the imbalance that the debt is for?  The rank that it was about has too
 * many units, or too few, as it had, and is not far from being the first in that: of ranks that
 * are alike any may be.
 */
static bool is_same(const struct equant_debt *debt, const long *units, const long *target,
		    int first)
{
	long most = units[first] - target[first];
	long its = units[debt->about] - target[debt->about];

	return debt->lasted > 0 && (its > 0) == debt->too_many && labs(its) >= labs(most) / 2;
}

void equant_debt_grow(struct equant_debt *debt, const long *units, const long *target, int n,
		      double reduction, double elapsed)
{
	int first = furthest(units, target, n);
	bool same = is_same(debt, units, target, first);

	/* One that has become twice what it was on average is another one, too: it has cost nothing yet. */
	if (!same || reduction * debt->lasted > 2 * debt->paid)
		debt->stood = debt->lasted = debt->paid = 0;
	if (!same) {
		debt->about = first;
		debt->too_many = units[first] > target[first];
	}
	debt->lost += reduction;
	debt->stood += elapsed;
	debt->lasted += elapsed;
	debt->paid += reduction * elapsed;
}

void equant_debt_shrink(struct equant_debt *debt, double elapsed)
{
	double keep = debt->lasted > elapsed ? 1 - elapsed / debt->lasted : 0;

	debt->lost = debt->stood = 0;
	debt->lasted *= keep;
	debt->paid *= keep;
}
