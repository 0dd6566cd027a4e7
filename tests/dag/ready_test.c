// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What the list of ready tasks keeps is what computing all of it again gives.
 */
#include <math.h>
#include <stdlib.h>

#include "dag/ready.h"
#include "kselftest_harness.h"
#include "libdag.h"

/* Where a task starts or ends first, and where it ends last, of all places where it may run. */
struct extremes {
	int first;
	int last;
	double least;
	double most;
};

static double start(const struct dag_ready *ready, int task, int k)
{
	return equant_dag_start(ready->state, task, k, equant_dag_arrival(ready->state, task, k),
				dag_ready_floor(ready, k));
}

static struct extremes extremes_of(const struct dag_ready *ready, int task)
{
	const struct dag_model *model = ready->state->model;
	struct extremes it = { -1, -1, INFINITY, -INFINITY };

	for (int k = 0; k < model->machine->processors; k++) {
		double time, end;

		if (!dag_may(ready->state, task, k))
			continue;
		time = start(ready, task, k);
		end = time + dag_cost(model->dag, model->machine, task, k);
		time = ready->asks & DAG_READY_BY_START ? time : end;
		if (time < it.least)
			it = (struct extremes){ k, it.last, time, it.most };
		if (end > it.most)
			it = (struct extremes){ it.first, k, it.least, end };
	}
	return it;
}

static bool is_kept_one(const struct dag_ready *ready, struct dag_ready_task *one)
{
	struct extremes now = extremes_of(ready, one->task);

	for (int k = 0; k < ready->state->model->machine->processors; k++) {
		double then = dag_may(ready->state, one->task, k) ? start(ready, one->task, k) :
								    INFINITY;

		if (one->arrival[k] != equant_dag_arrival(ready->state, one->task, k) ||
		    dag_ready_start(ready, one, k) != then)
			return false;
	}
	if (one->least > now.least)
		return false;
	if (ready->asks & DAG_READY_LAST && (one->last != now.last || one->most != now.most))
		return false;
	return true;
}

/* Now and then somebody wants to know where a task is first. */
static bool is_kept(struct random *random, const struct dag_ready *ready)
{
	for (int i = 0; i < ready->count; i++) {
		struct dag_ready_task *one = &ready->list[i];
		struct extremes now = extremes_of(ready, one->task);

		if (!is_kept_one(ready, one))
			return false;
		if (random_below(random, 3))
			continue;
		equant_dag_ready_settle(ready, one);
		if (one->first != now.first || one->least != now.least)
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
	    equant_dag_ready_init(&ready, &state, (unsigned int)random_below(random, 8)))
		abort();
	while (is_kept(random, &ready) && ready.count) {
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
