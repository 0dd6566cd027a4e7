// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * How long an order takes from where the ranks are now, when each thing begins as soon as what it
 * needs is there and free.
 */
#include <math.h>
#include <string.h>

#include "engine/dag_replan.h"
#include "loop/loop_internal.h"

/**
 * struct estimate - an order, as far as it has been worked through
 * @arrives: by edge: when its data is where it is needed
 * @line: when each rank and channel is free
 */
struct estimate {
	const struct equant_dag_run *run;
	const struct equant_dag_news *news;
	const int *home;
	double *arrives;
	double *line;
};

static double do_task(const struct estimate *estimate, int task)
{
	const struct equant_dag_run *run = estimate->run;
	int k = estimate->news->place[task];
	double start = estimate->line[k];

	for_each_edge(e, &run->paths.in, task)
		start = fmax(start, estimate->arrives[*e]);
	start += dag_cost(run->dag, run->machine, task, k) / estimate->news->stand[k].share;
	for_each_edge(e, &run->paths.out, task)
		estimate->arrives[*e] = start;
	estimate->line[k] = start;
	return start;
}

static void do_message(const struct estimate *estimate, int edge)
{
	const struct equant_dag_run *run = estimate->run;
	const struct equant_dag_edge *ends = &run->dag->edge[edge];
	int l = estimate->news->place[ends->to], k = estimate->home[edge], needs;
	double start = estimate->arrives[edge], length;
	struct dag_need need[DAG_NEEDS];

	k = k < 0 ? estimate->news->place[ends->from] : k;
	length = dag_message(run->dag, run->machine, edge, k, l);
	needs = length > 0 ? equant_dag_needs(run->machine, k, l, need) : 0;
	for (int i = 0; i < needs; i++)
		start = fmax(start, estimate->line[need[i].line]);
	for (int i = 0; i < needs; i++)
		estimate->line[need[i].line] = need[i].throughout ? start + length : start;
	estimate->arrives[edge] = start + length;
}

double equant_dag_estimate(const struct equant_dag_run *run, const struct equant_dag_news *news,
			   const int *home)
{
	struct equant_dag_replan *replan = run->replan;
	const struct estimate estimate = { run, news, home, replan->arrives, replan->line };
	size_t p = (size_t)(unsigned int)run->eq->ranks;
	double end = 0;

	memset(replan->line, 0, replan->lines * sizeof(*replan->line));
	for (size_t k = 0; k < p; k++) {
		replan->line[k] = news->stand[k].left;
		end = fmax(end, replan->line[k]);
	}
	for (int e = 0; e < run->dag->edges; e++)
		replan->arrives[e] = home[e] < 0 ? 0 : replan->line[home[e]];
	for (int s = 0; s < *news->steps; s++) {
		if (news->step[s] >= 0)
			end = fmax(end, do_task(&estimate, news->step[s]));
		else
			do_message(&estimate, -1 - news->step[s]);
	}
	return end;
}
