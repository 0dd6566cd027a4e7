// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A processor for each task, so that memory suffices: bin packing with bins of different sizes.
 *
 * In the order of falling memory each task goes to the processor with most left, which leaves
 * schedulers most freedom; if that fails, to the one with least left that it fits into; and if that
 * fails, too, all ways are tried, up to a number of steps.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dag_internal.h"

#define STEPS 20000000L /* looks at a processor */

struct packing {
	const struct equant_dag *dag;
	const struct equant_dag_machine *machine;
	int *task; /* those that need memory and are not pinned, by falling memory */
	int tasks;
	uint64_t *left; /* by processor */
	int *home; /* by task */
	char *why;
	size_t why_size;
};

static uint64_t memory_of(const struct packing *packing, int task)
{
	return packing->dag->task[task].memory;
}

#define fault(packing, ...) \
	equant_dag_say((packing)->why, (packing)->why_size, -ENOSPC, __VA_ARGS__)

/* ---- what cannot be however tasks are shared out ------------------------------------------------ */

static int pin(struct packing *packing, int task, int k)
{
	uint64_t memory = memory_of(packing, task);
	char name[EQUANT_DAG_NAME];

	if (!dag_fits(packing->left[k], memory))
		return fault(packing,
			     "task %s: pinned to processor %d, which has %" PRIu64
			     " too little memory for it and those pinned there before",
			     equant_dag_task_name(packing->dag, task, name), k,
			     memory - packing->left[k]);
	dag_take(&packing->left[k], memory);
	packing->home[task] = k;
	return 0;
}

static int check_largest(const struct packing *packing)
{
	const struct equant_dag_machine *machine = packing->machine;
	uint64_t largest = 0, memory;
	char name[EQUANT_DAG_NAME];

	for (int k = 0; k < machine->processors; k++)
		if (packing->left[k] > largest)
			largest = packing->left[k];
	memory = packing->tasks ? memory_of(packing, packing->task[0]) : 0;
	if (dag_fits(largest, memory))
		return 0;
	return fault(packing,
		     "task %s: needs %" PRIu64 " of memory, %" PRIu64
		     " more than any processor has",
		     equant_dag_task_name(packing->dag, packing->task[0], name), memory,
		     memory - largest);
}

/* Memory of a task or processor is at most 2^48, so that sums up to the first excess are exact. */
static int check_sum(const struct packing *packing)
{
	uint64_t room = 0, need = 0;

	for (int k = 0; k < packing->machine->processors; k++) {
		if (packing->left[k] == EQUANT_DAG_UNLIMITED)
			return 0;
		room += packing->left[k];
	}
	for (int i = 0; i < packing->tasks && need >> 62 == 0; i++)
		need += memory_of(packing, packing->task[i]);
	if (need <= room)
		return 0;
	return fault(packing,
		     "tasks that are not pinned need %" PRIu64 " of memory, %" PRIu64
		     " more than all processors have for them",
		     need, need - room);
}

/* ---- one task after the other ------------------------------------------------------------------- */

/* The processor with most left, or with least left that @memory fits into; -1: into none. */
static int choose(const struct packing *packing, uint64_t memory, bool most)
{
	int best = -1;

	for (int k = 0; k < packing->machine->processors; k++) {
		uint64_t left = packing->left[k];

		if (left < memory)
			continue;
		if (best < 0 || (most ? left > packing->left[best] : left < packing->left[best]))
			best = k;
	}
	return best;
}

static bool pack(struct packing *packing, bool most)
{
	int packed = 0;

	for (; packed < packing->tasks; packed++) {
		int task = packing->task[packed];
		int k = choose(packing, memory_of(packing, task), most);

		if (k < 0)
			break;
		dag_take(&packing->left[k], memory_of(packing, task));
		packing->home[task] = k;
	}
	if (packed == packing->tasks)
		return true;
	while (packed-- > 0) {
		int task = packing->task[packed];

		dag_give(&packing->left[packing->home[task]], memory_of(packing, task));
	}
	return false;
}

/* ---- all ways ----------------------------------------------------------------------------------- */

/*
 * The next processor from @k on for number @i, -1 for none.  Of processors with the same left one is
 * as good as another.
 */
static int next_way(const struct packing *packing, int i, int from, int k, long *steps)
{
	uint64_t memory = memory_of(packing, packing->task[i]);

	for (; k < packing->machine->processors; k++) {
		bool same = false;

		*steps -= 1 + k - from;
		for (int l = from; l < k && !same; l++)
			same = packing->left[l] == packing->left[k];
		if (!same && packing->left[k] >= memory)
			return k;
	}
	return -1;
}

/* Tasks of the same size go to processors of rising numbers: other orders are the same. */
static int first_way(const struct packing *packing, int i)
{
	if (i > 0 &&
	    memory_of(packing, packing->task[i]) == memory_of(packing, packing->task[i - 1]))
		return packing->home[packing->task[i - 1]];
	return 0;
}

static int try_all(struct packing *packing)
{
	char name[EQUANT_DAG_NAME];
	long steps = STEPS;
	int i = 0, furthest = 0, k = 0;

	while (i >= 0 && i < packing->tasks && steps > 0) {
		int task = packing->task[i];

		k = next_way(packing, i, first_way(packing, i), k, &steps);
		if (k >= 0) {
			dag_take(&packing->left[k], memory_of(packing, task));
			packing->home[task] = k;
			furthest = ++i > furthest && i < packing->tasks ? i : furthest;
			k = i < packing->tasks ? first_way(packing, i) : 0;
		} else if (--i >= 0) {
			task = packing->task[i];
			dag_give(&packing->left[packing->home[task]], memory_of(packing, task));
			k = packing->home[task] + 1;
		}
	}
	if (i == packing->tasks)
		return 0;
	return fault(packing,
		     "task %s: no room for its memory of %" PRIu64 " beside that of others%s",
		     equant_dag_task_name(packing->dag, packing->task[furthest], name),
		     memory_of(packing, packing->task[furthest]),
		     i < 0 ? ", however they are shared out" : " was found");
}

/* ---- all of it ---------------------------------------------------------------------------------- */

struct sized {
	uint64_t memory;
	int task;
};

static int by_falling_memory(const void *a, const void *b)
{
	const struct sized *x = a, *y = b;

	if (x->memory != y->memory)
		return x->memory < y->memory ? 1 : -1;
	return (x->task > y->task) - (x->task < y->task);
}

static int sort(struct packing *packing)
{
	struct sized *sized = malloc((size_t)packing->tasks * sizeof(*sized) + 1);

	if (!sized)
		return -ENOMEM;
	for (int i = 0; i < packing->tasks; i++)
		sized[i] = (struct sized){ memory_of(packing, packing->task[i]), packing->task[i] };
	qsort(sized, (size_t)packing->tasks, sizeof(*sized), by_falling_memory);
	for (int i = 0; i < packing->tasks; i++)
		packing->task[i] = sized[i].task;
	free(sized);
	return 0;
}

static int find(struct packing *packing)
{
	int err = 0;

	for (int i = 0; i < packing->dag->tasks && !err; i++) {
		packing->home[i] = 0;
		if (dag_pin(packing->machine, i) >= 0)
			err = pin(packing, i, dag_pin(packing->machine, i));
		else if (memory_of(packing, i))
			packing->task[packing->tasks++] = i;
	}
	err = err ? err : sort(packing);
	err = err ? err : check_largest(packing);
	err = err ? err : check_sum(packing);
	if (err || pack(packing, true) || pack(packing, false))
		return err;
	return try_all(packing);
}

static bool is_limited(const struct equant_dag *dag, const struct equant_dag_machine *machine)
{
	bool limited = false;

	for (int k = 0; k < machine->processors && !limited; k++)
		limited = machine->memory[k] != EQUANT_DAG_UNLIMITED;
	for (int i = 0; i < dag->tasks && limited; i++)
		if (dag->task[i].memory)
			return true;
	return false;
}

int equant_dag_home(const struct equant_dag *dag, const struct equant_dag_machine *machine,
		    int **home, char *why, size_t why_size)
{
	struct packing packing = { dag, machine, .why = why, .why_size = why_size };
	size_t p = (size_t)machine->processors;
	int err = -ENOMEM;

	*home = NULL;
	for (int i = dag->tasks; i < machine->pins; i++)
		if (machine->pin[i] >= 0)
			return equant_dag_say(why, why_size, -EINVAL,
					      "task %d is pinned, but there are %d tasks", i,
					      dag->tasks);
	if (!is_limited(dag, machine))
		return 0;
	packing.task = malloc((size_t)dag->tasks * sizeof(*packing.task));
	packing.left = malloc(p * sizeof(*packing.left));
	packing.home = malloc((size_t)dag->tasks * sizeof(*packing.home));
	if (packing.task && packing.left && packing.home) {
		memcpy(packing.left, machine->memory, p * sizeof(*packing.left));
		err = find(&packing);
	}
	free(packing.task);
	free(packing.left);
	if (err)
		free(packing.home);
	else
		*home = packing.home;
	return err;
}
