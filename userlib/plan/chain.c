// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The exact optimum of a contiguous assignment in a given order of processors, and
 * the same with iterations that can be split.
 *
 * In time T each processor in turn takes as many iterations as it can end; who cannot
 * end one is left out and pays no start-up.  To be further never hurts those
 * that come later, so T is enough if and only if all iterations are taken, and
 * the least such T is the optimum.  O(p log(n / p)) per question: the end of a block is
 * looked for outwards from its beginning.
 *
 * Reference: the problem of Cierniak, Zaki, Li 1997, sections 5 to 8, restricted to
 * contiguous blocks; chains-on-chains partitioning with start-ups and rooms.
 */
#include <errno.h>
#include <stdlib.h>

#include "plan/search.h"

static long item_at(const struct equant_plan_chain *chain, long at)
{
	return chain->items ? chain->items[at] : at;
}

/*
 * Sums from 0 to k, each as near to the exact one as a double can be and none below the one
 * before (Neumaier's compensated sum).
 */
static double *sums_of(const struct equant_plan_chain *chain, const struct equant_plan_cost *cost)
{
	long n = chain->program->iterations;
	double *sums = reallocarray(NULL, (size_t)n + 1, sizeof(*sums));
	double sum = 0, lost = 0;

	if (!sums)
		return NULL;
	sums[0] = 0;
	for (long k = 0; k < n; k++) {
		double value = equant_plan_cost_at(cost, item_at(chain, k)), next = sum + value;

		lost += sum >= value ? (sum - next) + value : (value - next) + sum;
		sum = next;
		sums[k + 1] = fmax(sums[k], sum + lost);
	}
	return sums;
}

int equant_plan_chain_init(struct equant_plan_chain *chain)
{
	const struct equant_plan_program *program = chain->program;

	chain->work = chain->bytes = NULL;
	if (program->work.each || chain->items) {
		chain->work = sums_of(chain, &program->work);
		if (!chain->work)
			return -ENOMEM;
	}
	if (program->bytes.each || chain->items) {
		chain->bytes = sums_of(chain, &program->bytes);
		if (!chain->bytes)
			return -ENOMEM;
	}
	return 0;
}

void equant_plan_chain_release(struct equant_plan_chain *chain)
{
	free(chain->work);
	free(chain->bytes);
	chain->work = chain->bytes = NULL;
}

/* Sum over the items from @from to below @to. */
static double sum(const struct equant_plan_cost *cost, const double *sums, long from, long to)
{
	double count = (double)(to - from);

	if (sums)
		return sums[to] - sums[from];
	return cost->slope * (count * ((double)from + 1 + (double)to) / 2) + cost->constant * count;
}

double equant_plan_chain_time(const struct equant_plan_chain *chain,
			      const struct equant_plan_processor *processor, long from, long to)
{
	const struct equant_plan_program *program = chain->program;

	return processor->operation * sum(&program->work, chain->work, from, to) +
	       processor->byte * sum(&program->bytes, chain->bytes, from, to);
}

long equant_plan_chain_reach(const struct equant_plan_chain *chain,
			     const struct equant_plan_processor *processor, double startup,
			     double time, long from, long most)
{
	long good = from, bad = most + 1, step = 1;

	/* good is within reach, bad is not; bad is looked for first. */
	while (good + step < bad &&
	       startup + equant_plan_chain_time(chain, processor, from, good + step) <= time) {
		good += step;
		step *= 2;
	}
	if (good + step < bad)
		bad = good + step;
	while (bad - good > 1) {
		long middle = good + (bad - good) / 2;

		if (startup + equant_plan_chain_time(chain, processor, from, middle) <= time)
			good = middle;
		else
			bad = middle;
	}
	return good;
}

/* What is known of one processor in the chain. */
struct link {
	const struct equant_plan_processor *processor;
	double startup;
	long room;
};

static struct link link_at(const struct equant_plan_chain *chain, int at)
{
	int i = chain->order ? chain->order[at] : at;

	return (struct link){ &chain->machine->processors[i], chain->limits->startup[i],
			      chain->limits->room[i] };
}

/* Blocks that all end by @time. */
static void fill(const struct equant_plan_chain *chain, double time, long *ends)
{
	long at = 0, n = chain->program->iterations;

	for (int k = 0; k < chain->machine->count; k++) {
		struct link link = link_at(chain, k);
		long most = link.room < n - at ? at + link.room : n;

		if (link.startup <= time)
			at = equant_plan_chain_reach(chain, link.processor, link.startup, time, at,
						     most);
		ends[k] = at;
	}
}

/* @next: when the last of these blocks ends, or the first that could take one more. */
static bool enough(void *ctx, double time, double *next)
{
	const struct equant_plan_chain *chain = ctx;
	long at = 0, end, n = chain->program->iterations;
	double last = 0, first = INFINITY;

	for (int k = 0; k < chain->machine->count && at < n; k++) {
		struct link link = link_at(chain, k);
		long most = link.room < n - at ? at + link.room : n;

		end = at;
		if (link.startup <= time)
			end = equant_plan_chain_reach(chain, link.processor, link.startup, time, at,
						      most);
		if (end > at)
			last = fmax(last, link.startup + equant_plan_chain_time(
								 chain, link.processor, at, end));
		if (end < most)
			first = fmin(first,
				     link.startup + equant_plan_chain_time(chain, link.processor,
									   at, end + 1));
		at = end;
	}
	*next = at < n ? first : last;
	return at == n;
}

/* Whatever block a processor gets, it ends by then. */
static double long_enough(const struct equant_plan_chain *chain)
{
	double high = 0;

	for (int k = 0; k < chain->machine->count; k++) {
		struct link link = link_at(chain, k);
		double all = equant_plan_chain_time(chain, link.processor, 0,
						    chain->program->iterations);

		high = fmax(high, link.startup + all);
	}
	/* Blocks are summed in other ways than the whole, and rounded. */
	return fmin(high * (1 + 1e-9), DBL_MAX);
}

double equant_plan_chain_optimum(const struct equant_plan_chain *chain, long *ends)
{
	double time = equant_plan_least(long_enough(chain), enough, (void *)chain);

	fill(chain, time, ends);
	return time;
}

/* ---- iterations that can be split ---------------------------------------------------- */

/* @whole iterations and part of the next are done. */
struct front {
	long whole;
	double part;
};

/* Return: what is left of the processor's time when all is done. */
static double advance(const struct equant_plan_chain *chain, struct link link, double time,
		      struct front *front)
{
	long n = chain->program->iterations, next;
	double left = fmax(time - link.startup, 0), first;

	if (left == 0 || front->whole == n)
		return left;
	first = equant_plan_chain_time(chain, link.processor, front->whole, front->whole + 1);
	if (first * (1 - front->part) > left) {
		front->part += left / first;
		return 0;
	}
	left -= first * (1 - front->part);
	front->part = 0;
	next = equant_plan_chain_reach(chain, link.processor, 0, left, front->whole + 1, n);
	left -= equant_plan_chain_time(chain, link.processor, front->whole + 1, next);
	left = fmax(left, 0);
	front->whole = next;
	if (next == n)
		return left;
	if (left > 0)
		front->part = fmin(
			left / equant_plan_chain_time(chain, link.processor, next, next + 1), 1);
	return 0;
}

/*
 * Iterations that are left at @time; below 0 as many as could still have been done, all of
 * them together taken for the measure.
 */
static double flows(void *ctx, double time)
{
	const struct equant_plan_chain *chain = ctx;
	long n = chain->program->iterations;
	struct front front = { 0 };
	double spare = 0;

	for (int k = 0; k < chain->machine->count; k++) {
		struct link link = link_at(chain, k);
		double left = advance(chain, link, time, &front);

		if (left > 0)
			spare += left / equant_plan_chain_time(chain, link.processor, 0, n);
	}
	if (front.whole == n)
		return -spare * (double)n;
	return (double)(n - front.whole) - front.part;
}

double equant_plan_chain_fluid(const struct equant_plan_chain *chain)
{
	return equant_plan_crossing(long_enough(chain), flows, (void *)chain);
}
