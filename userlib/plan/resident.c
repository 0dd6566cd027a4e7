// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Resident memory size: how many pages a loop nest needs so that it misses none but those it has
 * not yet touched.
 *
 * A loop carries reuse of a reference if its next iteration touches the same element
 * (stride 0) or the same page (a stride below the page).
 *
 * - Ideal replacement: each reference keeps what the loops inside the outermost one with
 *   reuse touch, one page at least.
 * - LRU: between two uses all references touch what the loops inside the outermost loop
 *   with reuse of any of them touch, and those that have moved on, one page more: it
 *   comes while the last of the old pages is still needed.
 *
 * For C += A B with rows of n elements, p to a page, that is (n^2 + n) / p + 1 and
 * (n^2 + 2 n) / p + 2.  The paper gives the rule for the ideal policy, and for LRU the
 * result only.  A run of the nest needs exactly the former; under LRU it needs n / p - 1 pages
 * more than the paper says, because all of A's new row is touched before a page of B is used again.
 *
 * Reference: Cierniak, Zaki, Li 1997, section 7.1.
 */
#include <errno.h>
#include <string.h>

#include "plan/plan_internal.h"

static double stride_of(const struct equant_plan_reference *reference, int loop)
{
	return fabs(reference->strides[loop]) * reference->element;
}

static bool reuses(const struct equant_plan_nest *nest,
		   const struct equant_plan_reference *reference, int loop)
{
	return nest->trips[loop] > 1 && stride_of(reference, loop) < nest->page;
}

/* The loop of the next larger stride than @above, or -1; loops that go nowhere have none. */
static int next_stride(const struct equant_plan_nest *nest,
		       const struct equant_plan_reference *reference, int outermost, double above,
		       int after)
{
	int next = -1;

	for (int loop = outermost; loop < nest->loops; loop++) {
		double stride = stride_of(reference, loop);

		if (stride == 0 || nest->trips[loop] <= 1 || stride < above ||
		    (stride == above && loop <= after))
			continue;
		if (next < 0 || stride < stride_of(reference, next))
			next = loop;
	}
	return next;
}

/*
 * Pages that the loops from @outermost on touch, boundaries ignored: strides from the
 * smallest to the largest make one piece longer, or leave gaps and make it many pieces.
 */
static double touched(const struct equant_plan_nest *nest,
		      const struct equant_plan_reference *reference, int outermost)
{
	double length = reference->element, pieces = 1, stride = 0;
	int loop = -1;

	for (;;) {
		loop = next_stride(nest, reference, outermost, stride, loop);
		if (loop < 0)
			break;
		stride = stride_of(reference, loop);
		if (stride <= fmax(length, nest->page))
			length = stride * (nest->trips[loop] - 1) + fmax(length, stride);
		else
			pieces *= nest->trips[loop];
	}
	return pieces * fmax(length / nest->page, 1);
}

static double ideal(const struct equant_plan_nest *nest)
{
	double pages = 0;

	for (int r = 0; r < nest->references; r++) {
		int loop = 0;

		while (loop < nest->loops && !reuses(nest, &nest->reference[r], loop))
			loop++;
		pages += loop < nest->loops ? touched(nest, &nest->reference[r], loop + 1) : 1;
	}
	return pages;
}

static bool anybody_reuses(const struct equant_plan_nest *nest, int loop)
{
	for (int r = 0; r < nest->references; r++)
		if (reuses(nest, &nest->reference[r], loop))
			return true;
	return false;
}

static double least_recently_used(const struct equant_plan_nest *nest)
{
	double pages = 0;
	int loop = 0;

	while (loop < nest->loops && !anybody_reuses(nest, loop))
		loop++;
	if (loop == nest->loops)
		return nest->references;
	for (int r = 0; r < nest->references; r++)
		pages += touched(nest, &nest->reference[r], loop + 1) +
			 (stride_of(&nest->reference[r], loop) > 0);
	return pages;
}

static const char *fault_of(const struct equant_plan_nest *nest)
{
	if (nest->loops < 1 || nest->loops > EQUANT_PLAN_LOOPS)
		return "a nest has 1 to 32 loops";
	if (nest->references < 1)
		return "a nest without references";
	if (!(nest->page > 0) || !isfinite(nest->page))
		return "a page has a size above 0";
	for (int loop = 0; loop < nest->loops; loop++)
		if (!(nest->trips[loop] >= 1) || !isfinite(nest->trips[loop]))
			return "a loop has at least one iteration";
	for (int r = 0; r < nest->references; r++) {
		const struct equant_plan_reference *one = &nest->reference[r];

		if (!(one->element > 0) || !isfinite(one->element))
			return "an element has a size above 0";
		for (int loop = 0; loop < nest->loops; loop++)
			if (!isfinite(one->strides[loop]))
				return "a stride is not a number";
	}
	return NULL;
}

double equant_plan_resident_pages(const struct equant_plan_nest *nest,
				  enum equant_plan_replacement replacement)
{
	if (fault_of(nest))
		return NAN;
	return replacement == EQUANT_PLAN_LRU ? least_recently_used(nest) : ideal(nest);
}

double equant_plan_touched_pages(const struct equant_plan_nest *nest)
{
	double pages = 0;

	if (fault_of(nest))
		return NAN;
	for (int r = 0; r < nest->references; r++)
		pages += touched(nest, &nest->reference[r], 0);
	return pages;
}

/* Bytes with @trips iterations of loop @distributed. */
static double resident(struct equant_plan_nest nest, int distributed, double trips,
		       enum equant_plan_replacement replacement)
{
	double all[EQUANT_PLAN_LOOPS];

	memcpy(all, nest.trips, (size_t)nest.loops * sizeof(*all));
	all[distributed] = trips;
	nest.trips = all;
	return ceil(equant_plan_resident_pages(&nest, replacement)) * nest.page;
}

int equant_plan_program_nest(struct equant_plan_program *program,
			     const struct equant_plan_nest *nest, int distributed,
			     enum equant_plan_replacement replacement, char *why, size_t why_size)
{
	const char *fault = fault_of(nest);
	double n = (double)program->iterations, two, all, each;

	if (!fault && (distributed < 0 || distributed >= nest->loops))
		fault = "no such loop can be distributed";
	if (!fault && replacement != EQUANT_PLAN_IDEAL && replacement != EQUANT_PLAN_LRU)
		fault = "no such replacement policy";
	if (fault) {
		equant_say(why, why_size, "%s", fault);
		return -EINVAL;
	}
	/* One iteration alone reuses nothing of another: the line begins with two. */
	all = resident(*nest, distributed, n, replacement);
	two = n > 2 ? resident(*nest, distributed, 2, replacement) : all;
	each = n > 2 ? fmax(all - two, 0) / (n - 2) : 0;
	return equant_plan_program_resident(program, fmax(two - 2 * each, 0), each);
}
