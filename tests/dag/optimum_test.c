// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The optimum against all schedules of very small graphs, and what improving and replaying promise.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kselftest_harness.h"
#include "libdag.h"

/* Up to @most tasks with edges at random. */
static struct equant_dag *small_graph(struct random *random, int most)
{
	int n = 1 + (int)random_below(random, most);
	struct equant_dag *dag = equant_dag_new();

	for (int i = 0; i < n; i++)
		if (equant_dag_add_task(dag, NULL, (double)random_below(random, 9)) != i ||
		    equant_dag_task_memory(dag, i, (uint64_t)random_below(random, 4)))
			abort();
	for (int i = 0; i < n; i++)
		for (int j = i + 1; j < n; j++)
			if (random_below(random, 3) == 0 &&
			    equant_dag_add_edge(dag, i, j, (double)random_below(random, 9)))
				abort();
	return dag;
}

/* Now and then a pinned task, and memory that is enough for one way to share all tasks out. */
static void small_places(struct random *random, const struct equant_dag *dag,
			 struct equant_dag_machine *machine)
{
	uint64_t memory[3] = { 0 };

	for (int i = 0; i < dag->tasks; i++) {
		int k = (int)random_below(random, machine->processors);

		memory[k] += dag->task[i].memory;
		if (random_below(random, 4) == 0 && equant_dag_machine_pin(machine, i, k))
			abort();
	}
	for (int k = 0; k < machine->processors; k++)
		if (random_below(random, 2) &&
		    equant_dag_machine_memory(machine, k,
					      memory[k] + (uint64_t)random_below(random, 3)))
			abort();
}

/* 1 to 3 processors */
static struct equant_dag_machine *small_machine(struct random *random, const struct equant_dag *dag)
{
	int processors = 1 + (int)random_below(random, 3);
	struct equant_dag_machine *machine = equant_dag_machine_new(processors);

	for (int k = 0; k < processors; k++)
		if (equant_dag_machine_rate(machine, k, 1 + (double)random_below(random, 3)))
			abort();
	if (equant_dag_machine_channels(machine, (enum equant_dag_channels)random_below(random, 3)))
		abort();
	if (equant_dag_machine_overlap(machine, (enum equant_dag_overlap)random_below(random, 3)))
		abort();
	if (random_below(random, 2))
		small_places(random, dag, machine);
	return machine;
}

/* ---- another way to find the optimum --------------------------------------------------------- */

#define EVENTS 32

/*
 * Every processor for every task, and every order of all events: tasks and messages, each as early
 * as what came before it allows.  No bounds, and no order of time.
 */
struct all {
	const struct equant_dag *dag;
	const struct equant_dag_machine *machine;
	int on[EVENTS];
	int events; /* tasks, then edges between processors */
	int edge[EVENTS];
	double finish[EVENTS]; /* below 0: not yet */
	double busy[3 + 9];
	double best;
};

static double after(const struct all *all, int event)
{
	double from = 0;

	if (event >= all->dag->tasks)
		return all->finish[all->dag->edge[all->edge[event]].from];
	for (int e = 0; e < all->dag->edges && from >= 0; e++) {
		const struct equant_dag_edge *edge = &all->dag->edge[e];
		double there = all->finish[edge->from];

		for (int i = all->dag->tasks; i < all->events; i++)
			if (all->edge[i] == e)
				there = all->finish[i];
		if (edge->to == event)
			from = there < 0 ? -1 : there > from ? there : from;
	}
	return from;
}

static int busy_with(const struct all *all, int event, int line[3], double *length)
{
	int p = all->machine->processors, k, l, count = 0;

	if (event < all->dag->tasks) {
		line[0] = all->on[event];
		*length = all->dag->task[event].work * all->machine->rate[line[0]];
		return 1;
	}
	k = all->on[all->dag->edge[all->edge[event]].from];
	l = all->on[all->dag->edge[all->edge[event]].to];
	*length = all->dag->edge[all->edge[event]].data;
	if (all->machine->channels == EQUANT_DAG_DUPLEX || (k < l && all->machine->channels))
		line[count++] = p + k * p + l;
	else if (all->machine->channels == EQUANT_DAG_SHARED)
		line[count++] = p + l * p + k;
	if (all->machine->overlap != EQUANT_DAG_OVERLAP) {
		line[count++] = k;
		line[count++] = l;
	}
	return *length > 0 ? count : 0;
}

/* A message that goes on while the processor computes. */
static bool only_begins(const struct all *all, int event, int line)
{
	return event >= all->dag->tasks && line < all->machine->processors &&
	       all->machine->overlap == EQUANT_DAG_PROGRESS;
}

static void every_order(struct all *all, int left, double makespan)
{
	if (!left && makespan < all->best)
		all->best = makespan;
	for (int event = 0; event < all->events; event++) {
		double start = after(all, event), length, before[3];
		int line[3], lines;

		if (all->finish[event] >= 0 || start < 0)
			continue;
		lines = busy_with(all, event, line, &length);
		for (int i = 0; i < lines; i++) {
			before[i] = all->busy[line[i]];
			start = before[i] > start ? before[i] : start;
		}
		for (int i = 0; i < lines; i++)
			all->busy[line[i]] = only_begins(all, event, line[i]) ? start :
										start + length;
		all->finish[event] = start + length;
		every_order(all, left - 1,
			    event < all->dag->tasks && start + length > makespan ? start + length :
										   makespan);
		all->finish[event] = -1;
		for (int i = 0; i < lines; i++)
			all->busy[line[i]] = before[i];
	}
}

static bool may_be_there(const struct all *all)
{
	uint64_t needed[3] = { 0 };

	for (int i = 0; i < all->dag->tasks; i++) {
		if (i < all->machine->pins && all->machine->pin[i] >= 0 &&
		    all->machine->pin[i] != all->on[i])
			return false;
		needed[all->on[i]] += all->dag->task[i].memory;
	}
	for (int k = 0; k < all->machine->processors; k++)
		if (needed[k] > all->machine->memory[k])
			return false;
	return true;
}

static double by_trying_all(const struct equant_dag *dag, const struct equant_dag_machine *machine)
{
	struct all all = { .dag = dag, .machine = machine, .best = 1e300 };
	int ways = 1;

	for (int i = 0; i < dag->tasks; i++)
		ways *= machine->processors;
	for (int way = 0; way < ways; way++) {
		for (int i = 0, rest = way; i < dag->tasks; i++, rest /= machine->processors)
			all.on[i] = rest % machine->processors;
		if (!may_be_there(&all))
			continue;
		all.events = dag->tasks;
		for (int e = 0; e < dag->edges; e++)
			if (all.on[dag->edge[e].from] != all.on[dag->edge[e].to])
				all.edge[all.events++] = e;
		for (int i = 0; i < all.events; i++)
			all.finish[i] = -1;
		every_order(&all, all.events, 0);
	}
	return all.best;
}

TEST(the_optimum_is_the_best_of_all_schedules)
{
	struct random random = random_seeded();

	for (int i = 0; i < random_cases(150); i++) {
		struct equant_dag *dag = small_graph(&random, 4);
		struct equant_dag_machine *machine = small_machine(&random, dag);
		struct equant_dag_schedule *best = equant_dag_optimum(dag, machine, NULL, 0);
		char why[200] = "";

		ASSERT_NE(NULL, best);
		EXPECT_EQ(by_trying_all(dag, machine), best->makespan);
		EXPECT_EQ(0, equant_dag_verify(dag, machine, best, why, sizeof(why)))
		{
			TH_LOG("%s", why);
		}
		EXPECT_STREQ("optimum", best->scheduler);
		equant_dag_schedule_free(best);
		equant_dag_machine_free(machine);
		equant_dag_free(dag);
	}
}

/* ---- schedulers against it ------------------------------------------------------------------ */

static bool is_improved(const struct equant_dag *dag, const struct equant_dag_machine *machine,
			const struct equant_dag_schedule *schedule, double least)
{
	struct equant_dag_schedule *better = equant_dag_improve(dag, machine, schedule, NULL, 0);
	struct equant_dag_bounds bounds;
	bool good;

	if (!better || equant_dag_bounds(dag, machine, &bounds, NULL, 0))
		abort();
	good = !equant_dag_verify(dag, machine, better, NULL, 0) &&
	       better->makespan <= schedule->makespan && better->makespan >= least * (1 - 1e-12) &&
	       (bounds.processor < 0 || better->makespan <= bounds.single * (1 + 1e-12));
	equant_dag_schedule_free(better);
	return good;
}

/* What schedulers make is never shorter than the optimum. */
TEST(no_scheduler_and_no_improvement_beats_the_optimum)
{
	struct random random = random_seeded();

	for (int i = 0; i < random_cases(60); i++) {
		struct equant_dag *dag = small_graph(&random, 7);
		struct equant_dag_machine *machine = small_machine(&random, dag);
		struct equant_dag_schedule *best = equant_dag_optimum(dag, machine, NULL, 0);
		struct equant_dag_bounds bounds;

		ASSERT_NE(NULL, best);
		ASSERT_EQ(0, equant_dag_bounds(dag, machine, &bounds, NULL, 0));
		EXPECT_GE(best->makespan, bounds.lower);
		for (int s = 0; equant_dag_scheduler(s); s++) {
			struct equant_dag_schedule *schedule = equant_dag_schedule(
				equant_dag_scheduler(s), dag, machine, NULL, NULL, 0);

			if (!schedule && errno == ENOSPC)
				continue;
			ASSERT_NE(NULL, schedule);
			EXPECT_GE(schedule->makespan, best->makespan);
			EXPECT_TRUE(is_improved(dag, machine, schedule, best->makespan));
			equant_dag_schedule_free(schedule);
		}
		equant_dag_schedule_free(best);
		equant_dag_machine_free(machine);
		equant_dag_free(dag);
	}
}

TEST(improving_larger_schedules_keeps_its_promise)
{
	struct random random = random_seeded();

	for (int i = 0; i < random_cases(30); i++) {
		struct equant_dag *dag = random_graph(&random);
		struct equant_dag_machine *machine = random_machine(&random, dag);

		for (int s = 0; equant_dag_scheduler(s); s++) {
			struct equant_dag_schedule *schedule = equant_dag_schedule(
				equant_dag_scheduler(s), dag, machine, NULL, NULL, 0);

			if (!schedule && errno == ENOSPC)
				continue;
			ASSERT_NE(NULL, schedule);
			EXPECT_TRUE(is_improved(dag, machine, schedule, 0));
			equant_dag_schedule_free(schedule);
		}
		equant_dag_machine_free(machine);
		equant_dag_free(dag);
	}
}

/* HEFT's 80 of the worked example is not the best there is. */
TEST(the_published_example)
{
	struct equant_dag *dag = topcuoglu_graph();
	struct equant_dag_machine *machine = topcuoglu_machine();
	struct equant_dag_schedule *best = equant_dag_optimum(dag, machine, NULL, 0);

	ASSERT_NE(NULL, best);
	EXPECT_EQ(0, equant_dag_verify(dag, machine, best, NULL, 0));
	EXPECT_EQ(73, best->makespan);
	equant_dag_schedule_free(best);
	equant_dag_machine_free(machine);
	equant_dag_free(dag);
}

TEST(more_tasks_than_can_be_searched_are_refused)
{
	struct equant_dag *dag = topcuoglu_graph();
	struct equant_dag_machine *machine = equant_dag_machine_new(2);
	char why[100];

	ASSERT_EQ(10, equant_dag_add_task(dag, NULL, 1));
	EXPECT_EQ(NULL, equant_dag_optimum(dag, machine, why, sizeof(why)));
	EXPECT_EQ(E2BIG, errno);
	EXPECT_STREQ("11 tasks: at most 10 for the optimum", why);
	equant_dag_machine_free(machine);
	equant_dag_free(dag);
}

/* ---- on another machine ---------------------------------------------------------------------- */

TEST(replaying_keeps_places_and_order_on_any_machine)
{
	struct random random = random_seeded();

	for (int i = 0; i < random_cases(100); i++) {
		struct equant_dag *dag = random_graph(&random);
		struct equant_dag_machine *machine = random_machine(&random, dag);
		struct equant_dag_machine *actual = equant_dag_machine_random(
			machine->processors, 3, 2, 0.9, random_next(&random));
		struct equant_dag_schedule *plan =
			equant_dag_schedule("dts-repaired", dag, machine, NULL, NULL, 0);
		struct equant_dag_schedule *same, *done;
		char why[200] = "";

		ASSERT_NE(NULL, plan);
		ASSERT_EQ(0, equant_dag_machine_overlap(
				     actual, (enum equant_dag_overlap)random_below(&random, 3)));
		same = equant_dag_replay(dag, machine, plan, machine, why, sizeof(why));
		done = equant_dag_replay(dag, machine, plan, actual, why, sizeof(why));
		ASSERT_NE(NULL, same);
		ASSERT_NE(NULL, done);
		EXPECT_LE(same->makespan, plan->makespan);
		EXPECT_EQ(0, equant_dag_verify(dag, machine, same, why, sizeof(why)));
		EXPECT_EQ(0, equant_dag_verify(dag, actual, done, why, sizeof(why)));
		for (int s = 0; s < dag->tasks; s++) {
			EXPECT_EQ(plan->slot[s].task, done->slot[s].task);
			EXPECT_EQ(plan->slot[s].processor, done->slot[s].processor);
		}
		equant_dag_schedule_free(done);
		equant_dag_schedule_free(same);
		equant_dag_schedule_free(plan);
		equant_dag_machine_free(actual);
		equant_dag_machine_free(machine);
		equant_dag_free(dag);
	}
}

TEST_HARNESS_MAIN
