// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Work in proportion to rates:
 *
 *	R = sum r_i,  W = sum w_i,  w_i^opt = r_i / R x W	(eqs. 5.1-5.3)
 *
 * made whole so that the sum stays W (eq. 5.4).  The thesis leaves open how;
 * here by largest remainder, ties to the lower rank, which puts every rank
 * within one unit of its exact part.
 *
 * Deviation: every rank can be granted a minimum, so that a rank's speed stays
 * known.  A rank whose part is smaller gets the minimum and the others share
 * the rest in proportion.  Taken by falling rate, the ranks above the minimum
 * are the longest beginning r_1 >= ... >= r_m of the order for which
 *
 *	r_m x (W - (n - m) minimum) >= minimum x (r_1 + ... + r_m).
 *
 * Reference: Siegell 1995, section 5.2.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "balance/balance_internal.h"

/*
 * Rates are scaled by the largest, so that no sum of finite rates overflows.
 * Returns the scale, 0 when every rate is zero, -1 when one is none.
 */
static double largest_rate(const double *rates, int n)
{
	double largest = 0;

	for (int i = 0; i < n; i++) {
		if (!isfinite(rates[i]) || rates[i] < 0)
			return -1;
		if (rates[i] > largest)
			largest = rates[i];
	}
	return largest;
}

/* Sorts all ranks by falling rate into the front of @room. */
static void sort_by_rate(const double *rates, int n, double scale, struct equant_heap_entry *room)
{
	struct equant_heap heap = { .entries = room, .count = n };

	for (int i = 0; i < n; i++)
		room[i] = (struct equant_heap_entry){
			.rank = i,
			.key = scale > 0 ? rates[i] / scale : 1,
		};
	equant_heap_make(&heap);
	/* Each removal frees the last place of the heap. */
	while (heap.count) {
		struct equant_heap_entry top = equant_heap_pop(&heap);

		room[heap.count] = top;
	}
	for (int i = 0, j = n - 1; i < j; i++, j--) {
		struct equant_heap_entry swap = room[i];

		room[i] = room[j];
		room[j] = swap;
	}
}

/*
 * The number of ranks above the minimum, those without a rate never; *sum
 * receives the sum of their scaled rates.
 */
static int above_minimum(const struct equant_heap_entry *sorted, int n, long total, long minimum,
			 double *sum)
{
	int m = 1;

	*sum = sorted[0].key;
	for (; m < n; m++) {
		double rest = (double)(total - (n - m - 1) * minimum);

		if (sorted[m].key <= 0 ||
		    sorted[m].key * rest < (double)minimum * (*sum + sorted[m].key))
			break;
		*sum += sorted[m].key;
	}
	return m;
}

/* Whole parts into @out, fractions into the keys; returns the units left over. */
static long whole_parts(struct equant_heap_entry *sorted, int m, long total, long minimum,
			double sum, long *out)
{
	long left = total;

	for (int i = 0; i < m; i++) {
		double part = (double)total * sorted[i].key / sum;
		long whole = part >= (double)total ? total : (long)part;

		sorted[i].key = part - (double)whole;
		if (whole < minimum)
			whole = minimum;
		out[sorted[i].rank] = whole;
		left -= whole;
	}
	return left;
}

/*
 * Where units no longer fit a double exactly the whole parts may miss the
 * total by more than a unit per rank, or exceed it; set that right evenly.
 */
static long settle_rounding(const struct equant_heap_entry *sorted, int m, long minimum, long left,
			    long *out)
{
	for (int i = 0; i < m && left < 0; i++) {
		long spare = out[sorted[i].rank] - minimum;
		long take = spare < -left ? spare : -left;

		out[sorted[i].rank] -= take;
		left += take;
	}
	if (left >= m) {
		for (int i = 0; i < m; i++)
			out[sorted[i].rank] += left / m;
		left %= m;
	}
	return left;
}

int equant_distribute_in(const double *rates, int n, long total, long minimum, long *out,
			 struct equant_heap_entry *room)
{
	struct equant_heap heap = { .entries = room };
	double scale = largest_rate(rates, n);
	double sum;
	long left;

	if (scale < 0)
		return -EINVAL;
	if (minimum > total / n)
		minimum = total / n;
	sort_by_rate(rates, n, scale, room);
	heap.count = above_minimum(room, n, total, minimum, &sum);
	for (int i = heap.count; i < n; i++) {
		out[room[i].rank] = minimum;
		total -= minimum;
	}
	left = whole_parts(room, heap.count, total, minimum, sum, out);
	left = settle_rounding(room, heap.count, minimum, left, out);
	for (equant_heap_make(&heap); left > 0; left--)
		out[equant_heap_pop(&heap).rank]++;
	return 0;
}

int equant_distribute(const double *rates, int n, long total, long minimum, long *out)
{
	struct equant_heap_entry *room;
	int error;

	if (n < 1 || total < 0 || minimum < 0)
		return -EINVAL;
	room = calloc(n, sizeof(*room));
	if (!room)
		return -ENOMEM;
	error = equant_distribute_in(rates, n, total, minimum, out, room);
	free(room);
	return error;
}
