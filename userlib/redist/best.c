// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Which schedule to make: planning takes time, too, and all ranks wait for it.  What a better
 * plan can gain at most is known, the difference to the bound; so a better scheduler is asked
 * only if it takes less than that, improving stops when it has taken as long, and the fastest
 * schedule that was found is kept.
 *
 * How long schedulers take is computed and not measured, so that all ranks choose the same.
 *
 * Where ranks share a port that is full (ports.c) schedules have to be simulated to be weighed,
 * which takes time, too.  As long as that has not been done greedy's is taken to be as slow as it
 * can be.
 */
#include <math.h>
#include <stdlib.h>

#include "redist/planning.h"

/**
 * struct choice - what is known while choosing
 * @draft: of the schedule that is made
 * @kept: the fastest so far
 * @bound: no schedule is faster
 * @weighing: seconds that it takes to find out what a schedule takes
 */
struct choice {
	struct equant_redist_draft *draft;
	struct equant_redist_kept kept;
	double bound;
	double weighing;
};

/* Is there more to be gained than @planning takes, and finding out what its plan takes? */
static bool pays(const struct choice *choice, double planning)
{
	return choice->kept.time - choice->bound > planning + choice->weighing;
}

static int try(struct choice *choice, int (*fill)(struct equant_redist_draft *draft))
{
	int error = fill(choice->draft);

	return error ? error : equant_redist_keep_faster(choice->draft, &choice->kept, NAN);
}

/* Greedy's, and with full ports the direct one, which may be faster there. */
static int begin(struct choice *choice)
{
	struct equant_redist_draft *draft = choice->draft;
	const struct equant_redist_costs *costs = draft->costs;
	int error = equant_redist_greedy(draft);

	choice->bound = draft->schedule->bound;
	if (error || !costs->network)
		return error ? error : equant_redist_keep_faster(draft, &choice->kept, NAN);
	choice->bound =
		equant_redist_network_bound(costs->network, costs->count, costs->volumes, true);
	choice->weighing = equant_redist_planning_replay(costs->ranks, costs->count);
	error = equant_redist_order(draft->schedule);
	if (!error)
		error = equant_redist_longest_time(costs, draft->schedule, &choice->kept.time);
	if (error)
		return error;
	if (!pays(choice,
		  choice->weighing + equant_redist_planning_direct(costs->ranks, costs->count)))
		return equant_redist_keep_faster(draft, &choice->kept, choice->kept.time);
	error = equant_redist_keep_faster(draft, &choice->kept, NAN);
	return error ? error : try(choice, equant_redist_direct);
}

/* As many turns as pay at most; the shortest is made once more in the end. */
static int improve(struct choice *choice)
{
	const struct equant_redist_costs *costs = choice->draft->costs;
	double turn = equant_redist_planning_pass(costs->count), once = turn;
	int error;

	if (costs->network) {
		turn += choice->weighing;
		once += equant_redist_planning_direct(costs->ranks, costs->count) +
			2 * choice->weighing;
	}
	if (!pays(choice, once + turn))
		return 0;
	error = equant_redist_improve(choice->draft,
				      (choice->kept.time - choice->bound - once) / turn);
	return error ? error : equant_redist_keep_faster(choice->draft, &choice->kept, NAN);
}

int equant_redist_best(struct equant_redist_draft *draft)
{
	struct choice choice = { .draft = draft };
	int error = begin(&choice);

	if (!error)
		error = improve(&choice);
	if (!error && pays(&choice, equant_redist_planning_preemptive(draft->costs)))
		error = try(&choice, equant_redist_preemptive);
	equant_redist_take_back(draft, &choice.kept);
	return error;
}
