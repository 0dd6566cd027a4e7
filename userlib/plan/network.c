// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Processors with unequal start-up costs.
 *
 * Those whose messages start sooner get extra iterations first, as many as they end
 * until the processor with the largest start-up, alpha_j, has begun:
 *
 *	e_i = floor((alpha_j - alpha_i) / g_i)				(8.1)
 *
 * or if iterations are affine the cheapest that remain, from the front where gamma_i a +
 * beta_i c > 0 and from the back otherwise (8.2); so processors for which different
 * ends are cheap take from both.  If there are more extra iterations than iterations, the
 * processor with the largest start-up is left out, and so on.  Fewer processors never have
 * more extra iterations, so how many take part is found by bisection.
 *
 * What remains is shared by speed: equal iterations by section 6.2, affine ones as
 * network_rest.c says.
 *
 * Deviation: processors that differ in beta_i / gamma_i differ in which iterations are good for
 * them, if these differ in y / x.  Then pairs of equal cost do not exist that are the same
 * for all, and the schedule above may be many iterations from the best.  Blocks in the
 * order of comparative advantage (compare.c) are made too, and the better of both is taken.
 *
 * Reference: Cierniak, Zaki, Li 1997, sections 8.1 and 8.2.
 */
#include <errno.h>
#include <stdlib.h>

#include "plan/deal.h"
#include "plan/network.h"

/* ---- who takes part, and what it gets first ------------------------------------------ */

static bool equal_iterations(const struct equant_plan_program *program)
{
	return program->work.slope == 0 && program->bytes.slope == 0;
}

/*
 * Extra iterations of processor @i until @until; false if there were more than remain.  Whoever begins then has
 * none, also where iterations cost it nothing.
 */
static bool take_extra(struct equant_plan_network *network, int i, double until, long *front,
		       long *back)
{
	const struct equant_plan_program *program = network->forward.program;
	const struct equant_plan_processor *processor = &network->forward.machine->processors[i];
	struct equant_plan_share_of *of = &network->of[i];
	const struct equant_plan_chain *chain;
	bool last = of->load >= until;
	long most, end, *from;

	of->back = !equal_iterations(program) && !equant_plan_rises(program, processor);
	chain = of->back ? &network->backward : &network->forward;
	from = of->back ? back : front;
	most = program->iterations - (of->back ? *front : *back);
	end = last ? *from :
		     equant_plan_chain_reach(chain, processor, 0, until - of->load, *from, most);
	of->extra = end - *from;
	of->first = of->back ? program->iterations - end : *from;
	of->load += equant_plan_chain_time(chain, processor, *from, end);
	*from = end;
	return last || end < most ||
	       of->load + equant_plan_chain_time(chain, processor, end, end + 1) > until;
}

/* With those that begin by @until.  Return: do their extra iterations exist? */
static bool take_all_extra(struct equant_plan_network *network, double until)
{
	long front = 0, back = 0;
	bool good = true;

	for (int i = 0; i < network->forward.machine->count; i++) {
		double startup = network->forward.limits->startup[i];

		network->of[i] = (struct equant_plan_share_of){
			.takes_part = startup <= until,
			.load = startup,
			.single = -1,
		};
		if (startup <= until)
			good = take_extra(network, i, until, &front, &back) && good;
	}
	network->low = front;
	network->high = network->forward.program->iterations - back;
	return good;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/*
 * Processors of the same start-up as the largest take part together: without extra
 * iterations of their own they change nothing in those of others.
 */
static int select_processors(struct equant_plan_network *network)
{
	int p = network->forward.machine->count, good = 0, bad = p;
	double *startups = reallocarray(NULL, (size_t)p, sizeof(*startups));

	if (!startups)
		return -ENOMEM;
	for (int i = 0; i < p; i++)
		startups[i] = network->forward.limits->startup[i];
	qsort(startups, (size_t)p, sizeof(*startups), ascending);
	while (bad - good > 1) {
		int middle = good + (bad - good) / 2;

		if (take_all_extra(network, startups[middle]))
			good = middle;
		else
			bad = middle;
	}
	take_all_extra(network, startups[good]);
	free(startups);
	return 0;
}

/* ---- equal iterations: section 8.1 ---------------------------------------------------- */

static int share_equal(struct equant_plan_network *network)
{
	const struct equant_plan_chain *chain = &network->forward;
	int p = chain->machine->count, k = 0, error = -ENOMEM;
	double *time = reallocarray(NULL, (size_t)p, sizeof(*time));
	long *counts = reallocarray(NULL, (size_t)p, sizeof(*counts));

	if (time && counts) {
		for (int i = 0; i < p; i++)
			if (network->of[i].takes_part)
				time[k++] = fmax(
					equant_plan_iteration(chain->program,
							      &chain->machine->processors[i], 0),
					DBL_MIN);
		equant_plan_share(time, k, network->high - network->low, counts);
		k = 0;
		for (int i = 0; i < p; i++)
			if (network->of[i].takes_part)
				network->of[i].rest = counts[k++];
		error = 0;
	}
	free(time);
	free(counts);
	return error;
}

static int give_equal(const struct equant_plan_network *network, struct equant_plan_draft *draft)
{
	long first = 0;
	int error = 0;

	for (int i = 0; i < draft->plan->processors && !error; i++) {
		const struct equant_plan_share_of *of = &network->of[i];

		error = equant_plan_give(draft, i, first, of->extra + of->rest, 1);
		first += of->extra + of->rest;
	}
	return error;
}

/* ---- affine iterations: section 8.2 ----------------------------------------------------- */

static int give_affine(const struct equant_plan_network *network, struct equant_plan_draft *draft)
{
	long pairs = (network->high - network->low) / 2, from = 0;
	int error = 0;

	for (int i = 0; i < draft->plan->processors && !error; i++) {
		const struct equant_plan_share_of *of = &network->of[i];

		error = equant_plan_give(draft, i, of->first, of->extra, 1);
		if (!error)
			error = equant_plan_give_pairs(draft, i, network->first, pairs, from,
						       of->rest);
		for (int s = of->single; s >= 0 && !error; s = network->next[s])
			error = equant_plan_give(draft, i, network->singles[s], 1, 1);
		from += of->rest;
	}
	return error;
}

static double makespan(const struct equant_plan_network *network)
{
	double longest = 0;

	for (int i = 0; i < network->forward.machine->count; i++)
		if (network->of[i].extra || network->of[i].rest || network->of[i].single >= 0)
			longest = fmax(longest, network->of[i].load);
	return longest;
}

static int solve(struct equant_plan_network *network, struct equant_plan_draft *draft)
{
	int error = select_processors(network), compared;

	if (error)
		return error;
	if (equal_iterations(network->forward.program)) {
		error = share_equal(network);
		return error ? error : give_equal(network, draft);
	}
	error = equant_plan_network_rest(network);
	if (error)
		return error;
	compared = equant_plan_give_compared(&network->forward, makespan(network), draft);
	if (compared)
		return compared < 0 ? compared : 0;
	return give_affine(network, draft);
}

/* The program from its last iteration to its first. */
static struct equant_plan_cost backward(const struct equant_plan_cost *cost, long n)
{
	return (struct equant_plan_cost){
		.slope = -cost->slope,
		.constant = cost->constant + cost->slope * ((double)n + 1),
	};
}

static int plan_network(const struct equant_plan_program *program,
			const struct equant_plan_machine *machine, struct equant_plan_draft *draft,
			char *why, size_t why_size)
{
	struct equant_plan_program mirror = {
		.iterations = program->iterations,
		.work = backward(&program->work, program->iterations),
		.bytes = backward(&program->bytes, program->iterations),
	};
	struct equant_plan_limits limits = { 0 };
	struct equant_plan_network network = {
		.forward = { .program = program, .machine = machine, .limits = &limits },
		.backward = { .program = &mirror, .machine = machine, .limits = &limits },
	};
	int error = equant_plan_affine(program, why, why_size);

	if (!error)
		error = equant_plan_limits_startups(&limits, program, machine, why, why_size);
	if (!error) {
		network.of = calloc((size_t)machine->count, sizeof(*network.of));
		error = network.of ? solve(&network, draft) : -ENOMEM;
	}
	equant_plan_limits_release(&limits);
	free(network.of);
	free(network.singles);
	free(network.next);
	return error;
}

const struct equant_planner equant_planner_network = {
	.name = "network",
	.summary = "equal or affine iterations, processors with unequal start-ups and links",
	.plan = plan_network,
};
