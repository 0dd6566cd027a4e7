// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The affine iterations that remain in section 8.2: pairs of equal cost, the dearest
 * with the cheapest, shared among processors that have loads already.
 *
 * Let T be the time in which all would end if pairs could be split.  Each processor gets
 * floor((T - load) / G_i) pairs, so none is above T.  The few pairs that are left are the
 * innermost; they and the odd one are dealt singly, the longest first, each
 * to the processor on which it ends first.  Some processor is not above T yet, so none ends
 * more than one iteration after T.
 *
 * Deviation: the paper shares pairs by the floors of section 6.1, which may give two
 * iterations too many to a processor whose extra iterations end late already.
 *
 * Reference: Cierniak, Zaki, Li 1997, sections 5.1, 6.3 and 8.2.
 */
#include <errno.h>
#include <stdlib.h>

#include "plan/deal.h"
#include "plan/lines.h"
#include "plan/network.h"

/**
 * struct rest - pairs and processors
 * @pairs: how many; with half of an odd iteration
 * @time: of a pair, by processor
 */
struct rest {
	const struct equant_plan_network *network;
	double pairs;
	double *time;
};

static bool enough(void *ctx, double time, double *next)
{
	const struct rest *rest = ctx;
	double pairs = 0;

	for (int i = 0; i < rest->network->forward.machine->count; i++) {
		const struct equant_plan_share_of *of = &rest->network->of[i];

		if (of->takes_part && time > of->load)
			pairs += (time - of->load) / rest->time[i];
	}
	(void)next;
	return pairs >= rest->pairs;
}

/* Time of the whole loop on the slowest processor, after all of its start-up. */
static double long_enough(const struct rest *rest)
{
	double high = 0;

	for (int i = 0; i < rest->network->forward.machine->count; i++)
		high = fmax(high, rest->network->of[i].load + rest->time[i] * (rest->pairs + 1));
	return fmin(high * 2, DBL_MAX);
}

/* Whole pairs until @time; how many remain. */
static long share_pairs(struct equant_plan_network *network, const struct rest *rest, double time,
			long pairs)
{
	for (int i = 0; i < network->forward.machine->count; i++) {
		struct equant_plan_share_of *of = &network->of[i];
		double most = (time - of->load) / rest->time[i];

		if (!of->takes_part || !(most >= 1))
			continue;
		of->rest = most < (double)pairs ? (long)most : pairs;
		of->load += rest->time[i] * (double)of->rest;
		pairs -= of->rest;
	}
	return pairs;
}

static int heavier_first(const void *a, const void *b)
{
	const struct equant_plan_weighed *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->at < y->at ? -1 : 1;
}

/*
 * The odd one, which is the cheapest, and @left pairs from the middle on: singles 0 and others.
 * In the order in which they are dealt in @weighed.
 */
static int list_singles(struct equant_plan_network *network, long left,
			const struct equant_plan_processor *mean,
			struct equant_plan_weighed **weighed)
{
	const struct equant_plan_program *program = network->forward.program;
	long count = network->high - network->low, odd = count & 1;
	long first = network->first + count / 2 - left;

	network->many = 2 * left + odd;
	network->singles = reallocarray(NULL, (size_t)network->many + 1, sizeof(long));
	network->next = reallocarray(NULL, (size_t)network->many + 1, sizeof(int));
	*weighed = reallocarray(NULL, (size_t)network->many + 1, sizeof(**weighed));
	if (!network->singles || !network->next || !*weighed)
		return -ENOMEM;
	if (odd)
		network->singles[0] = network->first > network->low ? network->low :
								      network->high - 1;
	for (long k = 0; k < 2 * left; k++)
		network->singles[odd + k] = first + k;
	for (long k = 0; k < network->many; k++)
		(*weighed)[k] = (struct equant_plan_weighed){
			equant_plan_iteration(program, mean, network->singles[k]), k
		};
	qsort(*weighed, (size_t)network->many, sizeof(**weighed), heavier_first);
	return 0;
}

static void give_single(struct equant_plan_network *network, int i, int single)
{
	const struct equant_plan_chain *chain = &network->forward;
	struct equant_plan_share_of *of = &network->of[i];

	network->next[single] = of->single;
	of->single = single;
	of->load += equant_plan_iteration(chain->program, &chain->machine->processors[i],
					  network->singles[single]);
}

/* @pair: time of a pair on the mean processor. */
static int deal_singles(struct equant_plan_network *network, const struct rest *rest, double pair,
			const struct equant_plan_weighed *weighed)
{
	int p = network->forward.machine->count, error = -ENOMEM;
	double *at = reallocarray(NULL, (size_t)p, sizeof(*at));
	struct equant_lines lines = { 0 };

	if (at) {
		for (int i = 0; i < p; i++)
			at[i] = network->of[i].takes_part ? network->of[i].load : INFINITY;
		error = equant_lines_init(&lines, at, rest->time, p, weighed[0].weight / pair);
	}
	for (long k = 0; k < network->many && !error; k++) {
		int i = equant_lines_lowest(&lines, weighed[k].weight / pair);

		give_single(network, i, (int)weighed[k].at);
		equant_lines_put(&lines, i, network->of[i].load);
	}
	equant_lines_release(&lines);
	free(at);
	return error;
}

static void measure(const struct equant_plan_network *network, long first, long last,
		    struct rest *rest)
{
	const struct equant_plan_chain *chain = &network->forward;

	for (int i = 0; i < chain->machine->count; i++) {
		const struct equant_plan_processor *one = &chain->machine->processors[i];

		rest->time[i] = fmax(equant_plan_iteration(chain->program, one, first) +
					     equant_plan_iteration(chain->program, one, last),
				     DBL_MIN);
	}
}

int equant_plan_network_rest(struct equant_plan_network *network)
{
	const struct equant_plan_chain *chain = &network->forward;
	struct equant_plan_processor mean = equant_plan_mean(chain->machine);
	long count = network->high - network->low, odd = count & 1, last, left;
	struct rest rest = { network, (double)count / 2, NULL };
	struct equant_plan_weighed *weighed = NULL;
	double pair;
	int error;

	if (!count)
		return 0;
	network->first = network->low + (odd && equant_plan_rises(chain->program, &mean));
	last = count > 1 ? network->first + count - odd - 1 : network->low;
	network->first = count > 1 ? network->first : network->low;
	rest.time = reallocarray(NULL, (size_t)chain->machine->count, sizeof(*rest.time));
	if (!rest.time)
		return -ENOMEM;
	measure(network, network->first, last, &rest);
	pair = equant_plan_iteration(chain->program, &mean, network->first) +
	       equant_plan_iteration(chain->program, &mean, last);
	left = share_pairs(network, &rest, equant_plan_least(long_enough(&rest), enough, &rest),
			   count / 2);
	error = list_singles(network, left, &mean, &weighed);
	if (!error && network->many)
		error = deal_singles(network, &rest, fmax(pair, DBL_MIN), weighed);
	free(weighed);
	free(rest.time);
	return error;
}
