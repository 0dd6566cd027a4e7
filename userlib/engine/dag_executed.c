// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What has happened, as a schedule: each rank knows its part of it.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "core/message.h"
#include "core/mpi_error.h"
#include "engine/dag_run_internal.h"
#include "loop/loop_internal.h"

#define CALL "equant_dag_executed()"

/* One value of each task and two of each edge, in the order of struct equant_dag_times. */
struct parts {
	const double *start;
	const double *finish;
	const double *turn;
	const double *sent;
	const double *came;
};

static bool is_message(const struct equant_dag_run *run, int edge)
{
	const int *place = run->order.place;

	return place[run->dag->edge[edge].from] != place[run->dag->edge[edge].to];
}

/* Of what happened on another rank there is nothing here. */
static void forget_others(const struct equant_dag_run *run, double *all)
{
	int n = run->dag->tasks, edges = run->dag->edges;

	for (int i = 0; i < n; i++)
		if (run->order.place[i] != run->eq->rank)
			all[i] = all[n + i] = all[2 * n + i] = 0;
	for (int e = 0; e < edges; e++) {
		const struct equant_dag_edge *edge = &run->dag->edge[e];
		bool message = is_message(run, e);

		if (!message || run->order.place[edge->from] != run->eq->rank)
			all[3 * n + e] = 0;
		if (!message || run->order.place[edge->to] != run->eq->rank)
			all[3 * n + edges + e] = 0;
	}
}

static int by_start(const void *a, const void *b)
{
	const struct equant_dag_message *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->edge > y->edge) - (x->edge < y->edge);
}

/* A task's place among the slots: those of lower ranks and those before it on its own are first. */
static void fill_slots(const struct equant_dag_run *run, const struct parts *parts, int *first,
		       struct equant_dag_schedule *schedule)
{
	int n = run->dag->tasks;

	for (int i = 0; i < n; i++)
		first[run->order.place[i] + 1]++;
	for (int k = 0; k < run->eq->ranks; k++)
		first[k + 1] += first[k];
	for (int i = 0; i < n; i++) {
		int at = first[run->order.place[i]] + (int)parts->turn[i];

		schedule->slot[at] = (struct equant_dag_slot){ i, run->order.place[i],
							       parts->start[i], parts->finish[i] };
		schedule->makespan = fmax(schedule->makespan, parts->finish[i]);
	}
	schedule->slots = n;
}

/* Clocks of two ranks may be apart by more than a message takes. */
static void fill_messages(const struct equant_dag_run *run, const struct parts *parts,
			  struct equant_dag_schedule *schedule)
{
	for (int e = 0; e < run->dag->edges; e++) {
		const struct equant_dag_edge *edge = &run->dag->edge[e];

		if (!is_message(run, e))
			continue;
		schedule->message[schedule->messages++] =
			(struct equant_dag_message){ e, run->order.place[edge->from],
						     run->order.place[edge->to], parts->sent[e],
						     fmax(parts->sent[e], parts->came[e]) };
	}
	qsort(schedule->message, (size_t)schedule->messages, sizeof(*schedule->message), by_start);
}

struct equant_dag_schedule *equant_dag_executed(struct equant_dag_run *run)
{
	size_t n = (size_t)run->dag->tasks, e = (size_t)run->dag->edges, count = 3 * n + 2 * e;
	struct equant_dag_schedule *schedule;
	double *all;
	int *first, error;

	if (!run->carried) {
		equant_message("rank %d: equant_dag_executed: nothing was carried out to its end",
			       run->eq->rank);
		errno = EINVAL;
		return NULL;
	}
	schedule = calloc(1, sizeof(*schedule));
	all = calloc(count, sizeof(*all));
	first = calloc((size_t)run->eq->ranks + 1, sizeof(*first));
	if (schedule) {
		schedule->scheduler = "executed";
		schedule->slot = calloc(n, sizeof(*schedule->slot));
		schedule->message = calloc(e + 1, sizeof(*schedule->message));
	}
	error = schedule && all && first && schedule->slot && schedule->message ? 0 : -ENOMEM;
	error = equant_agree_in(run->eq, CALL, error);
	if (!error) {
		for (size_t i = 0; i < count; i++)
			all[i] = run->times.start[i];
		forget_others(run, all);
		error = equant_allreduce_in(run->eq, CALL, all, (int)count, MPI_DOUBLE, MPI_SUM);
	}
	if (!error) {
		const struct parts parts = { all, all + n, all + 2 * n, all + 3 * n,
					     all + 3 * n + e };

		fill_slots(run, &parts, first, schedule);
		fill_messages(run, &parts, schedule);
	}
	free(all);
	free(first);
	if (error) {
		equant_dag_schedule_free(schedule);
		schedule = NULL;
	}
	errno = -error;
	return schedule;
}
