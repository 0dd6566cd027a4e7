// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * DLS and DTS against their definitions, computed anew at every step without contention, and the
 * readings of DTS, its conditions, and contention on examples done by hand.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kselftest_harness.h"
#include "libdag.h"

#define MOST 200

/* Mean costs where DTS wants them, median costs where DLS does. */
struct naive {
	const struct equant_dag *dag;
	const struct equant_dag_machine *machine;
	int p;
	int ready[MOST], count;
	int on[MOST]; /* -1 where a task has not been placed */
	double start[MOST], finish[MOST], level[MOST], typical[MOST];
	double free_at[8];
	double startup, rate;
};

static double cost(const struct naive *naive, int i, int k)
{
	return naive->machine->cost ? naive->machine->cost[i * naive->p + k] :
				      naive->dag->task[i].work * naive->machine->rate[k];
}

static double est(const struct naive *naive, int i, int k, double from)
{
	for (int e = 0; e < naive->dag->edges; e++) {
		const struct equant_dag_edge *edge = &naive->dag->edge[e];
		int l = naive->on[edge->from] * naive->p + k;

		if (edge->to != i)
			continue;
		if (naive->on[edge->from] == k)
			from = fmax(from, naive->finish[edge->from]);
		else
			from = fmax(from, naive->finish[edge->from] +
						  (naive->machine->startup[l] +
						   edge->data * naive->machine->data_rate[l]));
	}
	return from;
}

static double ect(const struct naive *naive, int i, int k)
{
	return est(naive, i, k, naive->free_at[k]) + cost(naive, i, k);
}

static bool can_be_ready(const struct naive *naive, int i)
{
	for (int e = 0; e < naive->dag->edges; e++)
		if (naive->dag->edge[e].to == i && naive->on[naive->dag->edge[e].from] < 0)
			return false;
	return true;
}

static void place(struct naive *naive, int i, int k, double from)
{
	int at = 0;

	naive->on[i] = k;
	naive->start[i] = est(naive, i, k, from);
	naive->finish[i] = naive->start[i] + cost(naive, i, k);
	naive->free_at[k] = fmax(naive->free_at[k], naive->finish[i]);
	for (int r = 0; r < naive->count; r++)
		if (naive->ready[r] != i)
			naive->ready[at++] = naive->ready[r];
	naive->count = at;
	for (int e = 0; e < naive->dag->edges; e++)
		if (naive->dag->edge[e].from == i && can_be_ready(naive, naive->dag->edge[e].to))
			naive->ready[naive->count++] = naive->dag->edge[e].to;
}

/* The processor that is best by a measure, the first of several. */
static int least(const struct naive *naive, int i, double (*of)(const struct naive *, int, int))
{
	int best = 0;

	for (int k = 1; k < naive->p; k++)
		if (of(naive, i, k) < of(naive, i, best))
			best = k;
	return best;
}

static double start_of(const struct naive *naive, int i, int k)
{
	return est(naive, i, k, naive->free_at[k]);
}

static double minus_ect(const struct naive *naive, int i, int k)
{
	return -ect(naive, i, k);
}

static double dynamic_level(const struct naive *naive, int i, int k, bool delta)
{
	double level = naive->level[i] - est(naive, i, k, naive->free_at[k]);

	return delta ? level + (naive->typical[i] - cost(naive, i, k)) : level;
}

static void dls_step(struct naive *naive, bool delta)
{
	double highest = -INFINITY;
	int task = -1, on = -1;

	for (int r = 0; r < naive->count; r++) {
		for (int k = 0; k < naive->p; k++) {
			double level = dynamic_level(naive, naive->ready[r], k, delta);

			if (level > highest) {
				highest = level;
				task = naive->ready[r];
				on = k;
			}
		}
	}
	place(naive, task, on, naive->free_at[on]);
}

static void dts_step(struct naive *naive, bool printed)
{
	double longest = -INFINITY, highest = -INFINITY, p_time, first = INFINITY;
	int a = -1, b = -1, pa, k, other = -1;

	for (int r = 0; r < naive->count; r++) {
		int i = naive->ready[r];
		int there = least(naive, i, printed ? minus_ect : ect);
		double first_end = ect(naive, i, least(naive, i, ect));

		if (ect(naive, i, there) + naive->level[i] > longest) {
			longest = ect(naive, i, there) + naive->level[i];
			a = i;
		}
		if (naive->level[i] - first_end > highest) {
			highest = naive->level[i] - first_end;
			b = i;
		}
	}
	pa = least(naive, a, printed ? minus_ect : ect);
	if (a == b || least(naive, b, ect) != pa ||
	    start_of(naive, b, pa) <= start_of(naive, a, pa))
		a = b;
	k = least(naive, a, printed ? start_of : ect);
	p_time = naive->free_at[k];
	place(naive, a, k, p_time);
	for (int r = 0; r < naive->count; r++) {
		double begin = est(naive, naive->ready[r], k, p_time);

		if (begin < first && begin + cost(naive, naive->ready[r], k) <= naive->start[a]) {
			first = begin;
			other = naive->ready[r];
		}
	}
	if (other >= 0)
		place(naive, other, k, p_time);
}

static int by_size(const void *a, const void *b)
{
	return *(const double *)a < *(const double *)b ? -1 :
							 *(const double *)a > *(const double *)b;
}

static double typical_cost(const struct naive *naive, int i, bool median)
{
	double costs[8], sum = 0;

	for (int k = 0; k < naive->p; k++)
		sum += costs[k] = cost(naive, i, k);
	qsort(costs, (size_t)naive->p, sizeof(*costs), by_size);
	return median ? (costs[(naive->p - 1) / 2] + costs[naive->p / 2]) / 2 : sum / naive->p;
}

static double level_of(struct naive *naive, int i, const char *scheduler)
{
	bool dls = scheduler[1] == 'l';
	double longest = 0;

	for (int e = 0; e < naive->dag->edges; e++) {
		const struct equant_dag_edge *edge = &naive->dag->edge[e];
		double message = naive->startup + edge->data * naive->rate;

		if (edge->from != i)
			continue;
		if (naive->level[edge->to] < 0)
			naive->level[edge->to] = level_of(naive, edge->to, scheduler);
		if (dls)
			longest = fmax(longest, naive->level[edge->to]);
		else
			longest = fmax(
				longest,
				message +
					naive->typical[strstr(scheduler, "printed") ? i : edge->to] +
					naive->level[edge->to]);
	}
	return dls ? naive->typical[i] + longest : longest;
}

static void begin(struct naive *naive, const char *scheduler)
{
	int p = naive->p;

	for (int k = 0; k < p; k++) {
		for (int l = 0; l < p; l++) {
			naive->startup += k != l ? naive->machine->startup[k * p + l] : 0;
			naive->rate += k != l ? naive->machine->data_rate[k * p + l] : 0;
		}
	}
	if (p > 1) {
		naive->startup /= p * (p - 1);
		naive->rate /= p * (p - 1);
	}
	for (int i = 0; i < naive->dag->tasks; i++) {
		naive->on[i] = -1;
		naive->level[i] = -1;
		naive->typical[i] = typical_cost(naive, i, scheduler[1] == 'l');
	}
	for (int i = 0; i < naive->dag->tasks; i++) {
		if (naive->level[i] < 0)
			naive->level[i] = level_of(naive, i, scheduler);
		if (can_be_ready(naive, i))
			naive->ready[naive->count++] = i;
	}
}

static bool is_as_defined(const struct equant_dag *dag, const struct equant_dag_machine *machine,
			  const char *scheduler)
{
	struct naive naive = { .dag = dag, .machine = machine, .p = machine->processors };
	struct equant_dag_schedule *schedule =
		equant_dag_schedule(scheduler, dag, machine, NULL, NULL, 0);
	bool same = schedule;

	begin(&naive, scheduler);
	while (naive.count) {
		if (scheduler[1] == 'l')
			dls_step(&naive, !strstr(scheduler, "plain"));
		else
			dts_step(&naive, strstr(scheduler, "printed"));
	}
	for (int i = 0; same && i < dag->tasks; i++) {
		const struct equant_dag_slot *slot = &schedule->slot[i];

		same = naive.on[slot->task] == slot->processor &&
		       naive.start[slot->task] == slot->start;
	}
	equant_dag_schedule_free(schedule);
	return same;
}

/* Whole costs, so that two ways to add them up give the same number, and ties. */
static void whole(struct random *random, struct equant_dag *dag, struct equant_dag_machine *machine)
{
	int p = machine->processors;
	double costs[MOST * 8];

	for (int i = 0; i < dag->tasks * p; i++)
		costs[i] = (double)random_below(random, 40);
	for (int e = 0; e < dag->edges; e++)
		dag->edge[e].data = (double)random_below(random, 30);
	for (int k = 0; k < p; k++)
		for (int l = 0; l < p; l++)
			if (k != l && equant_dag_machine_link(machine, k, l, 0, 1))
				abort();
	if (equant_dag_machine_costs(machine, dag->tasks, costs))
		abort();
	equant_dag_machine_channels(machine, EQUANT_DAG_FREE);
	equant_dag_machine_overlap(machine, true);
}

TEST(dls_and_dts_are_what_their_definitions_give)
{
	static const char *const names[] = { "dls", "dls-plain", "dts-printed", "dts-repaired" };
	struct random random = random_seeded();

	for (int i = 0; i < random_cases(300); i++) {
		struct equant_dag *dag = random_graph(&random);
		int p = 1 << random_below(&random, 4);
		struct equant_dag_machine *machine = equant_dag_machine_new(p);

		ASSERT_LE(dag->tasks, MOST);
		whole(&random, dag, machine);
		for (int s = 0; s < 4; s++) {
			EXPECT_TRUE(is_as_defined(dag, machine, names[s]))
			TH_LOG("%s, %d tasks, %d processors", names[s], dag->tasks, p);
		}
		equant_dag_machine_free(machine);
		equant_dag_free(dag);
	}
}

/* ---- by hand --------------------------------------------------------------------------- */

static const char *line_of(const char *scheduler, const struct equant_dag *dag,
			   const struct equant_dag_machine *machine,
			   const struct equant_dag_options *options, char line[DAG_LINE])
{
	struct equant_dag_schedule *schedule =
		equant_dag_schedule(scheduler, dag, machine, options, NULL, 0);

	if (!schedule || equant_dag_verify(dag, machine, schedule, NULL, 0))
		return "not a schedule";
	dag_line(schedule, machine->processors, line);
	equant_dag_schedule_free(schedule);
	return line;
}

/* Both processors are idle: line 7 takes the first one as printed, the fast one repaired. */
TEST(as_printed_the_processor_of_least_est_is_taken)
{
	struct equant_dag *dag = equant_dag_new();
	struct equant_dag_machine *machine = equant_dag_machine_new(2);
	char line[DAG_LINE];

	ASSERT_EQ(0, equant_dag_add_task(dag, NULL, 2));
	ASSERT_EQ(0, equant_dag_machine_rate(machine, 0, 3));
	EXPECT_STREQ("1: 1@0-6\n2:", line_of("dts-printed", dag, machine, NULL, line));
	EXPECT_STREQ("1:\n2: 1@0-2", line_of("dts-repaired", dag, machine, NULL, line));
	EXPECT_STREQ("1: 1@0-6\n2:", line_of("dls-plain", dag, machine, NULL, line));
	EXPECT_STREQ("1:\n2: 1@0-2", line_of("dls", dag, machine, NULL, line));
	equant_dag_machine_free(machine);
	equant_dag_free(dag);
}

/* Task 3 (from 1) needs both others, which run where they take least, and so does it. */
TEST(messages_wait_for_a_channel)
{
	struct equant_dag *dag = equant_dag_new();
	struct equant_dag_machine *machine = equant_dag_machine_new(4);
	static const double costs[] = { 4, 9, 9, 9, 4, 9, 9, 9, 99, 4, 99, 99 };
	char line[DAG_LINE];

	for (int i = 0; i < 3; i++)
		ASSERT_EQ(i, equant_dag_add_task(dag, NULL, 4));
	ASSERT_EQ(0, equant_dag_machine_costs(machine, 3, costs));
	ASSERT_EQ(0, equant_dag_add_edge(dag, 0, 2, 3));
	ASSERT_EQ(0, equant_dag_add_edge(dag, 1, 2, 6));
	EXPECT_STREQ("1: 2@0-4 1@4-8\n2: 3@11-15\n3:\n4:",
		     line_of("heft", dag, machine, NULL, line));
	equant_dag_machine_channels(machine, EQUANT_DAG_SHARED);
	/* The second message, ready at 8, has to wait for the first one, on its way until 10. */
	EXPECT_STREQ("1: 2@0-4 1@4-8\n2: 3@13-17\n3:\n4:",
		     line_of("heft", dag, machine, NULL, line));
	equant_dag_machine_free(machine);
	equant_dag_free(dag);
}

FIXTURE(by_hand)
{
	struct equant_dag_options options;
	struct equant_dag *dag;
	struct equant_dag_machine *machine;
	char line[DAG_LINE];
};

FIXTURE_SETUP(by_hand)
{
	self->options = (struct equant_dag_options){ .sz = sizeof(self->options) };
	self->dag = equant_dag_new();
	self->machine = equant_dag_machine_new(2);
}

FIXTURE_TEARDOWN(by_hand)
{
	equant_dag_machine_free(self->machine);
	equant_dag_free(self->dag);
}

static void add_tasks(struct equant_dag *dag, struct equant_dag_machine *machine, int count,
		      const double *costs)
{
	for (int i = 0; i < count; i++)
		if (equant_dag_add_task(dag, NULL, 1) != i)
			abort();
	if (equant_dag_machine_costs(machine, count, costs))
		abort();
}

/*
 * Numbers are from 1.  Task 2 needs 1's data on processor 2 at 7, and 4 needs 2; 2 comes first
 * because of 4, and leaves a hole until 7.  Task 3 fits into it.
 */
TEST_F(by_hand, condition_b_fills_a_hole)
{
	static const double costs[] = { 2, 50, 50, 2, 50, 3, 50, 20 };

	add_tasks(self->dag, self->machine, 4, costs);
	ASSERT_EQ(0, equant_dag_add_edge(self->dag, 0, 1, 5));
	ASSERT_EQ(0, equant_dag_add_edge(self->dag, 1, 3, 0));
	EXPECT_STREQ("1: 1@0-2\n2: 3@0-3 2@7-9 4@9-29",
		     line_of("dts-repaired", self->dag, self->machine, &self->options, self->line));
	self->options.without_b = true;
	EXPECT_STREQ("1: 1@0-2\n2: 2@7-9 3@9-12 4@12-32",
		     line_of("dts-repaired", self->dag, self->machine, &self->options, self->line));
	self->options.insertion = true;
	EXPECT_STREQ("1: 1@0-2\n2: 3@0-3 2@7-9 4@9-29",
		     line_of("dts-repaired", self->dag, self->machine, &self->options, self->line));
}

/*
 * Task 2 is dominant once 1 is placed (it ends at 10, and 4 takes 10 more), 3 has priority (it
 * ends at 6 and 5 takes 8 more), but would start at 5 on the processor that 2 could have at 0.
 */
TEST_F(by_hand, condition_a_lets_the_dominant_task_go_first)
{
	static const double costs[] = { 2, 50, 50, 10, 50, 1, 10, 10, 8, 8 };

	add_tasks(self->dag, self->machine, 5, costs);
	ASSERT_EQ(0, equant_dag_add_edge(self->dag, 0, 2, 3));
	ASSERT_EQ(0, equant_dag_add_edge(self->dag, 1, 3, 0));
	ASSERT_EQ(0, equant_dag_add_edge(self->dag, 2, 4, 0));
	EXPECT_STREQ("1: 1@0-2 4@10-20\n2: 2@0-10 3@10-11 5@11-19",
		     line_of("dts-repaired", self->dag, self->machine, &self->options, self->line));
	self->options.without_a = true;
	EXPECT_STREQ("1: 1@0-2 5@6-14 4@16-26\n2: 3@5-6 2@6-16",
		     line_of("dts-repaired", self->dag, self->machine, &self->options, self->line));
}

TEST_HARNESS_MAIN
