/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_CORE_EXACT_H
#define EQUANT_CORE_EXACT_H

#include <stdint.h>

#define EQUANT_EXACT_DIGITS 68 /* of 32 bits: every double, and carries of 2^63 of them */

/**
 * struct equant_exact - a sum of doubles without any rounding
 * @digits: the sum in units of 2^-1074, lowest digit first, each with a sign of its own
 * @positive_infinities: how many of them were added
 * @negative_infinities: the same
 * @nans: the same
 *
 * All members are integers that may simply be added, member by member: so sums of
 * parts become the sum of all in whatever order, as by MPI_SUM on int64_t.
 */
struct equant_exact {
	int64_t digits[EQUANT_EXACT_DIGITS];
	int64_t positive_infinities;
	int64_t negative_infinities;
	int64_t nans;
};

#define EQUANT_EXACT_WORDS ((int)(sizeof(struct equant_exact) / sizeof(int64_t)))

/** equant_exact_add() - add @n numbers to @sum */
void equant_exact_add(struct equant_exact *sum, const double *values, long n);

/**
 * equant_exact_settle() - bring the digits into range
 *
 * Needed before sums are added to each other: up to 2^30 settled ones may be.
 */
void equant_exact_settle(struct equant_exact *sum);

/** equant_exact_value() - the double nearest to the sum, ties to even; never -0 */
double equant_exact_value(const struct equant_exact *sum);

#endif /* EQUANT_CORE_EXACT_H */
