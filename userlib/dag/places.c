// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Memory while a schedule is being made: what tasks have taken, and what the others keep.
 *
 * A task may go where memory is left over, where it keeps room itself, and where those that keep room
 * can go elsewhere.  For these only the obvious is tried: one after the other, each to the processor
 * that has most.  So now and then a task may not go where another sharing out would let it; but the
 * last one always finds its room.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dag_internal.h"

#define NOT_LINKED (-2)

static uint64_t memory_of(const struct dag_places *places, int task)
{
	return places->dag->task[task].memory;
}

static void link_in(struct dag_places *places, int task, int k)
{
	int next = places->first[k];

	places->home[task] = k;
	places->next[task] = next;
	places->before[task] = -1;
	if (next >= 0)
		places->before[next] = task;
	places->first[k] = task;
}

static void unlink_from(struct dag_places *places, int task)
{
	int next = places->next[task], before = places->before[task];

	places->before[task] = NOT_LINKED;
	if (before == NOT_LINKED)
		return;
	if (next >= 0)
		places->before[next] = before;
	if (before >= 0)
		places->next[before] = next;
	else
		places->first[places->home[task]] = next;
}

int equant_dag_places_init(struct dag_places *places, const struct equant_dag *dag,
			   const struct equant_dag_machine *machine, const int *home)
{
	size_t n = (size_t)dag->tasks, p = (size_t)machine->processors;

	*places = (struct dag_places){ .dag = dag, .processors = machine->processors };
	if (!home)
		return 0;
	places->left = malloc(2 * p * sizeof(*places->left));
	places->home = malloc((3 * n + p) * sizeof(*places->home));
	if (!places->left || !places->home) {
		equant_dag_places_free(places);
		return -ENOMEM;
	}
	places->trial = places->left + p;
	places->next = places->home + n;
	places->before = places->next + n;
	places->first = places->before + n;
	memcpy(places->left, machine->memory, p * sizeof(*places->left));
	memset(places->first, -1, p * sizeof(*places->first));
	for (int i = 0; i < dag->tasks; i++) {
		dag_take(&places->left[home[i]], memory_of(places, i));
		link_in(places, i, home[i]);
		if (dag_pin(machine, i) >= 0 || !memory_of(places, i))
			unlink_from(places, i);
	}
	return 0;
}

void equant_dag_places_free(struct dag_places *places)
{
	free(places->left);
	free(places->home);
	places->left = NULL;
	places->home = NULL;
}

/* The processor other than @k with most left. */
static int most(const struct dag_places *places, const uint64_t *left, int k)
{
	int best = -1;

	for (int l = 0; l < places->processors; l++)
		if (l != k && (best < 0 || left[l] > left[best]))
			best = l;
	return best;
}

/*
 * Tasks that keep room on @k go elsewhere until @memory is @left there; for good, or only to see
 * whether they can.
 */
static bool make_room(struct dag_places *places, uint64_t *left, int k, uint64_t memory,
		      bool for_good)
{
	int task, next;

	for (task = places->first[k]; task >= 0 && left[k] < memory; task = next) {
		int l = most(places, left, k);

		next = places->next[task];
		if (l < 0 || left[l] < memory_of(places, task))
			continue;
		dag_take(&left[l], memory_of(places, task));
		dag_give(&left[k], memory_of(places, task));
		if (!for_good)
			continue;
		unlink_from(places, task);
		link_in(places, task, l);
	}
	return left[k] >= memory;
}

bool equant_dag_places_fit(const struct dag_places *places, int task, int k)
{
	struct dag_places trial = *places;
	uint64_t memory;

	if (!places->left)
		return true;
	memory = memory_of(places, task);
	if (dag_fits(places->left[k], memory) || places->home[task] == k)
		return true;
	memcpy(trial.trial, places->left, (size_t)places->processors * sizeof(*places->left));
	dag_give(&trial.trial[places->home[task]], memory);
	return make_room(&trial, trial.trial, k, memory, false);
}

void equant_dag_places_take(struct dag_places *places, int task, int k)
{
	uint64_t memory;

	if (!places->left)
		return;
	memory = memory_of(places, task);
	unlink_from(places, task);
	dag_give(&places->left[places->home[task]], memory);
	places->home[task] = k;
	make_room(places, places->left, k, memory, true);
	dag_take(&places->left[k], memory);
}
