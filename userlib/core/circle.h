/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The circle method: rounds in which everybody meets somebody else, so that every two meet once.
 */
#ifndef EQUANT_CORE_CIRCLE_H
#define EQUANT_CORE_CIRCLE_H

static inline int equant_circle_rounds(int count)
{
	return count > 1 ? count + count % 2 - 1 : 0;
}

/* Who of @count meets @one in @round; itself: nobody. */
static inline int equant_circle_partner(int one, int round, int count)
{
	int last = equant_circle_rounds(count), other;

	if (one == last)
		other = round;
	else if (one == round)
		other = last;
	else
		other = (2 * round - one + 2 * last) % last;
	return other < count ? other : one;
}

#endif /* EQUANT_CORE_CIRCLE_H */
