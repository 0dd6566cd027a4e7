// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What the list of ready tasks keeps is what computing all of it again gives.
 */
#include <math.h>
#include <stdlib.h>

#include "dag/ready.h"
#include "kselftest_harness.h"
#include "libdag.h"

static bool is_first(const struct dag_ready *ready, const struct dag_ready_task *one)
{
	int first = -1, ends = -1, last = -1;

	for (int k = 0; k < ready->state->model->machine->processors; k++) {
		if (!dag_may(ready->state, one->task, k))
			continue;
		if (first < 0 || one->start[k] < one->start[first])
			first = k;
		if (ends < 0 || one->end[k] < one->end[ends])
			ends = k;
		if (last < 0 || one->end[k] > one->end[last])
			last = k;
	}
	return one->starts_first == first && one->ends_first == ends && one->ends_last == last;
}

static double start(const struct dag_ready *ready, int task, int k, double arrival)
{
	if (!dag_may(ready->state, task, k))
		return INFINITY;
	return equant_dag_start(ready->state, task, k, arrival, dag_ready_floor(ready, k));
}

static bool is_kept(const struct dag_ready *ready)
{
	const struct dag_model *model = ready->state->model;

	for (int i = 0; i < ready->count; i++) {
		const struct dag_ready_task *one = &ready->list[i];

		for (int k = 0; k < model->machine->processors; k++) {
			double arrival = equant_dag_arrival(ready->state, one->task, k);

			if (one->arrival[k] != arrival ||
			    one->start[k] != start(ready, one->task, k, arrival) ||
			    one->end[k] != one->start[k] + dag_cost(model->dag, model->machine,
								    one->task, k))
				return false;
		}
		if (!is_first(ready, one))
			return false;
	}
	return true;
}

/* Places tasks anywhere.  How many were placed while all was as it must be. */
static int play(struct random *random, struct dag_model *model)
{
	struct dag_state state;
	struct dag_ready ready;
	int placed = 0;

	if (equant_dag_state_init(&state, model) ||
	    equant_dag_ready_init(&ready, &state, random_below(random, 2)))
		abort();
	while (is_kept(&ready) && ready.count) {
		int i = (int)random_below(random, ready.count);
		int k = (int)random_below(random, model->machine->processors);

		while (!dag_may(&state, ready.list[i].task, k))
			k = (k + 1) % model->machine->processors;
		if (equant_dag_ready_place(&ready, i, k, dag_ready_floor(&ready, k)))
			abort();
		placed++;
	}
	equant_dag_ready_free(&ready);
	equant_dag_state_free(&state);
	return placed;
}

TEST(start_times_are_what_computing_them_again_gives)
{
	struct random random = random_seeded();

	for (int i = 0; i < 300; i++) {
		struct equant_dag *dag = random_graph(&random);
		struct equant_dag_machine *machine = random_machine(&random, dag);
		struct dag_model model;

		ASSERT_EQ(0, equant_dag_model_init(&model, dag, machine, NULL, 0));
		EXPECT_EQ(dag->tasks, play(&random, &model));
		equant_dag_model_free(&model);
		equant_dag_machine_free(machine);
		equant_dag_free(dag);
	}
}

TEST_HARNESS_MAIN
