// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Graphs: what is refused, and the families.
 */
#include <errno.h>
#include <math.h>

#include "kselftest_harness.h"
#include "libdag.h"

FIXTURE(graph)
{
	struct equant_dag *dag;
	struct equant_dag_machine *machine;
	char why[200];
};

FIXTURE_SETUP(graph)
{
	self->dag = equant_dag_new();
	self->machine = equant_dag_machine_new(2);
}

FIXTURE_TEARDOWN(graph)
{
	equant_dag_machine_free(self->machine);
	equant_dag_free(self->dag);
}

#define check(self) equant_dag_check((self)->dag, (self)->why, sizeof((self)->why))

static void add_tasks(struct equant_dag *dag, int count)
{
	for (int i = 0; i < count; i++)
		if (equant_dag_add_task(dag, NULL, 1) < 0)
			abort();
}

static void add_edge(struct equant_dag *dag, int from, int to)
{
	if (equant_dag_add_edge(dag, from, to, 1))
		abort();
}

TEST_F(graph, without_tasks_is_refused)
{
	EXPECT_EQ(-EINVAL, check(self));
	EXPECT_STREQ("a graph without tasks", self->why);
	EXPECT_EQ(NULL, equant_dag_schedule("heft", self->dag, self->machine, NULL, NULL, 0));
	EXPECT_EQ(EINVAL, errno);
}

TEST_F(graph, weights_that_are_none_are_refused)
{
	add_tasks(self->dag, 2);
	EXPECT_EQ(-EINVAL, equant_dag_add_task(self->dag, NULL, -1));
	EXPECT_EQ(-EINVAL, equant_dag_add_task(self->dag, NULL, NAN));
	EXPECT_EQ(-EINVAL, equant_dag_add_task(self->dag, NULL, INFINITY));
	EXPECT_EQ(-EINVAL, equant_dag_add_task(self->dag, "a\nb", 1));
	EXPECT_EQ(-ENAMETOOLONG,
		  equant_dag_add_task(self->dag, "a name of more than 31 characters", 1));
	EXPECT_EQ(-EINVAL, equant_dag_add_edge(self->dag, 0, 1, -1));
	EXPECT_EQ(-EINVAL, equant_dag_add_edge(self->dag, 0, 1, NAN));
	EXPECT_EQ(-ENOENT, equant_dag_add_edge(self->dag, 0, 2, 1));
	EXPECT_EQ(-ENOENT, equant_dag_add_edge(self->dag, -1, 0, 1));
	EXPECT_EQ(2, self->dag->tasks);
	EXPECT_EQ(0, self->dag->edges);
}

TEST_F(graph, a_second_edge_between_the_same_tasks_is_named)
{
	add_tasks(self->dag, 1);
	ASSERT_EQ(1, equant_dag_add_task(self->dag, "sink", 1));
	add_edge(self->dag, 0, 1);
	EXPECT_EQ(0, check(self));
	add_edge(self->dag, 0, 1);
	EXPECT_EQ(-EEXIST, check(self));
	EXPECT_STREQ("two edges from task 0 to task sink", self->why);
}

TEST_F(graph, a_shortest_cycle_is_named)
{
	add_tasks(self->dag, 8);
	for (int i = 0; i < 7; i++)
		add_edge(self->dag, i, i + 1);
	EXPECT_EQ(0, check(self));
	add_edge(self->dag, 7, 1);
	EXPECT_EQ(-ELOOP, check(self));
	EXPECT_STREQ("cycle of 7 tasks: 1 -> 2 -> 3 -> 4 -> 5 -> 6 -> 7 -> 1", self->why);
	add_edge(self->dag, 6, 4);
	EXPECT_EQ(-ELOOP, check(self));
	EXPECT_STREQ("cycle of 3 tasks: 4 -> 5 -> 6 -> 4", self->why);
	add_edge(self->dag, 5, 5);
	EXPECT_EQ(-ELOOP, check(self));
	EXPECT_STREQ("cycle of 1 task: 5 -> 5", self->why);
}

TEST_F(graph, a_long_cycle_is_cut_short)
{
	add_tasks(self->dag, 1000);
	for (int i = 0; i < 1000; i++)
		add_edge(self->dag, i, (i + 1) % 1000);
	EXPECT_EQ(-ELOOP, check(self));
	EXPECT_EQ(0, strncmp("cycle of 1000 tasks: 0 -> 1 -> ", self->why, 31));
	EXPECT_STREQ("...", self->why + strlen(self->why) - 3);
	EXPECT_EQ(-ELOOP, equant_dag_check(self->dag, NULL, 0));
}

/* Here a search from each task would look at 10^11 edges. */
TEST_F(graph, a_cycle_of_many_tasks_is_named_at_once)
{
	enum { MANY = 400000 };

	add_tasks(self->dag, MANY);
	for (int i = 0; i < MANY; i++)
		add_edge(self->dag, i, (i + 1) % MANY);
	EXPECT_EQ(-ELOOP, check(self));
	EXPECT_EQ(0, strncmp("cycle of 400000 tasks: 0 -> 1 -> 2", self->why, 34));
}

/* Searches from tasks behind the cycle, which are on none, take all the steps there are. */
TEST_F(graph, a_cycle_that_takes_long_to_find_is_named_too)
{
	enum { BEHIND = 10000, CYCLE = 5000 };

	add_tasks(self->dag, BEHIND + CYCLE);
	for (int i = 1; i < BEHIND; i++)
		add_edge(self->dag, i - 1, i);
	for (int i = 0; i < CYCLE; i++)
		add_edge(self->dag, BEHIND + i, BEHIND + (i + 1) % CYCLE);
	add_edge(self->dag, BEHIND, 0);
	EXPECT_EQ(-ELOOP, check(self));
	EXPECT_EQ(0, strncmp("cycle of 5000 tasks: 10000 -> 10001 -> ", self->why, 39));
}

/* One task, then a second one that has nothing to do with it. */
TEST_F(graph, one_task_and_two_parts_are_scheduled)
{
	struct equant_dag_schedule *schedule;

	for (int tasks = 1; tasks <= 2; tasks++) {
		add_tasks(self->dag, 1);
		for (int s = 0; equant_dag_scheduler(s); s++) {
			schedule = equant_dag_schedule(equant_dag_scheduler(s), self->dag,
						       self->machine, NULL, NULL, 0);
			ASSERT_NE(NULL, schedule);
			EXPECT_EQ(0,
				  equant_dag_verify(self->dag, self->machine, schedule, NULL, 0));
			if (strcmp(schedule->scheduler, "single"))
				EXPECT_EQ(1, schedule->makespan);
			equant_dag_schedule_free(schedule);
		}
	}
}

TEST_F(graph, machines_that_are_none_are_refused)
{
	const double costs[4] = { 1, 2, 3, -1 };

	EXPECT_EQ(NULL, equant_dag_machine_new(0));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(NULL, equant_dag_machine_new(EQUANT_DAG_PROCESSORS + 1));
	EXPECT_EQ(E2BIG, errno);
	EXPECT_EQ(NULL, equant_dag_machine_random(2, 0, 1, 0, 1));
	EXPECT_EQ(NULL, equant_dag_machine_random(2, 1, 1, 1, 1));
	EXPECT_EQ(-EINVAL, equant_dag_machine_rate(self->machine, 0, 0));
	EXPECT_EQ(-EINVAL, equant_dag_machine_rate(self->machine, 0, NAN));
	EXPECT_EQ(-ENOENT, equant_dag_machine_rate(self->machine, 2, 1));
	EXPECT_EQ(-EINVAL, equant_dag_machine_link(self->machine, 0, 1, 0, 0));
	EXPECT_EQ(-EINVAL, equant_dag_machine_link(self->machine, 0, 1, -1, 1));
	EXPECT_EQ(-EINVAL, equant_dag_machine_link(self->machine, 1, 1, 0, 1));
	EXPECT_EQ(-ENOENT, equant_dag_machine_link(self->machine, 0, 2, 0, 1));
	EXPECT_EQ(-EINVAL, equant_dag_machine_costs(self->machine, 2, costs));
	EXPECT_EQ(-EINVAL, equant_dag_machine_channels(self->machine, (enum equant_dag_channels)3));
}

TEST_F(graph, a_scheduler_or_table_that_does_not_fit_is_named)
{
	const double costs[4] = { 1, 2, 3, 4 };

	add_tasks(self->dag, 3);
	EXPECT_EQ(NULL, equant_dag_schedule("best", self->dag, self->machine, NULL, self->why,
					    sizeof(self->why)));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_STREQ(
		"no scheduler \"best\"; there are heft cpop dls dls-plain dts-printed dts-repaired single",
		self->why);
	ASSERT_EQ(0, equant_dag_machine_costs(self->machine, 2, costs));
	EXPECT_EQ(NULL, equant_dag_schedule("heft", self->dag, self->machine, NULL, self->why,
					    sizeof(self->why)));
	EXPECT_STREQ("costs of 2 tasks for a graph of 3 tasks", self->why);
}

TEST_F(graph, times_that_no_number_holds_are_refused)
{
	/* Of links that nothing goes by no less. */
	ASSERT_EQ(0, equant_dag_machine_link(self->machine, 0, 1, 0, 1e308));
	ASSERT_EQ(0, equant_dag_machine_link(self->machine, 1, 0, 0, 1e308));
	ASSERT_LE(0, equant_dag_add_task(self->dag, NULL, 1));
	EXPECT_EQ(NULL, equant_dag_schedule("heft", self->dag, self->machine, NULL, NULL, 0));
	EXPECT_EQ(EOVERFLOW, errno);
	ASSERT_EQ(0, equant_dag_machine_link(self->machine, 0, 1, 0, 1));
	ASSERT_EQ(0, equant_dag_machine_link(self->machine, 1, 0, 0, 1));
	ASSERT_LE(0, equant_dag_add_task(self->dag, NULL, 1e308));
	EXPECT_EQ(NULL, equant_dag_schedule("heft", self->dag, self->machine, NULL, NULL, 0));
	EXPECT_EQ(EOVERFLOW, errno);
}

/* ---- families ------------------------------------------------------------------------ */

static struct equant_dag *family(const char *name, int size)
{
	struct equant_dag_shape shape = { .sz = sizeof(shape),
					  .size = size,
					  .work = 10,
					  .spread = 0.5,
					  .comp_comm = 0.1,
					  .seed = 7 };

	return equant_dag_generate(name, &shape, NULL, 0);
}

static int edges_of(const char *name, int size, int *tasks)
{
	struct equant_dag *dag = family(name, size);
	int edges = dag->edges;

	if (equant_dag_check(dag, NULL, 0))
		abort();
	*tasks = dag->tasks;
	equant_dag_free(dag);
	return edges;
}

TEST(families_have_as_many_tasks_and_edges_as_they_must)
{
	int tasks;

	EXPECT_EQ(5, edges_of("fork", 5, &tasks));
	EXPECT_EQ(6, tasks);
	EXPECT_EQ(5, edges_of("join", 5, &tasks));
	EXPECT_EQ(6, tasks);
	EXPECT_EQ(10, edges_of("fork-join", 5, &tasks));
	EXPECT_EQ(7, tasks);
	EXPECT_EQ(2 * 8 * 3, edges_of("fft", 8, &tasks));
	EXPECT_EQ(8 * 4, tasks);
	/* 4 + 3 + 2 columns right of or at a pivot; each has its pivot and the step after. */
	EXPECT_EQ(3 + 2 + 1 + 3 + 2, edges_of("gauss", 4, &tasks));
	EXPECT_EQ(9, tasks);
	/* 9 + 4 + 1 blocks; 4 + 2 x 4 and 2 + 2 x 1 in a step, 4 + 1 to the next. */
	EXPECT_EQ(12 + 4 + 5, edges_of("lu", 3, &tasks));
	EXPECT_EQ(14, tasks);
	edges_of("layered", 50, &tasks);
	EXPECT_EQ(50, tasks);
}

TEST(the_ratio_of_work_and_data_is_met)
{
	for (int i = 0; equant_dag_family(i); i++) {
		struct equant_dag *dag = family(equant_dag_family(i), 16);
		double work = 0, data = 0;

		for (int k = 0; k < dag->tasks; k++)
			work += dag->task[k].work / dag->tasks;
		for (int k = 0; k < dag->edges; k++)
			data += dag->edge[k].data / dag->edges;
		EXPECT_LT(fabs(work / data - 0.1), 1e-12);
		equant_dag_free(dag);
	}
}

TEST(weights_that_no_number_holds_are_refused)
{
	struct equant_dag_shape shape = {
		.sz = sizeof(shape), .size = 4, .work = 1e308, .comp_comm = 1
	};
	char why[100];

	EXPECT_EQ(NULL, equant_dag_generate("fork", &shape, why, sizeof(why)));
	EXPECT_EQ(EOVERFLOW, errno);
	EXPECT_STREQ("work 1e+308: weights would be too large for a number", why);
	shape.work = 1e300;
	shape.comp_comm = 1e-300;
	EXPECT_EQ(NULL, equant_dag_generate("lu", &shape, why, sizeof(why)));
	EXPECT_EQ(EOVERFLOW, errno);
}

TEST(shapes_that_are_none_are_refused)
{
	struct equant_dag_shape shape = { .sz = sizeof(shape), .size = 6, .work = 10 };
	char why[100];

	EXPECT_EQ(NULL, equant_dag_generate("fork", &shape, why, sizeof(why)));
	EXPECT_STREQ("comp_comm 0, comm_comp 0: one above 0, the other 0", why);
	shape.comm_comp = 1;
	EXPECT_EQ(NULL, equant_dag_generate("fft", &shape, why, sizeof(why)));
	EXPECT_STREQ("no fft of size 6: a power of 2", why);
	EXPECT_EQ(NULL, equant_dag_generate("tree", &shape, why, sizeof(why)));
	EXPECT_STREQ("no family \"tree\"; there are fork join fork-join fft gauss lu layered", why);
	shape.spread = 2;
	EXPECT_EQ(NULL, equant_dag_generate("fork", &shape, why, sizeof(why)));
	EXPECT_STREQ("spread 2: 0 to 1", why);
	shape.size = 0;
	EXPECT_EQ(NULL, equant_dag_generate("fork", &shape, why, sizeof(why)));
	EXPECT_STREQ("size 0: at least 1", why);
}

TEST_HARNESS_MAIN
