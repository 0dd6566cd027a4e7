// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A graph's edges by task, and its tasks in an order to work through.
 */
#include <errno.h>
#include <stdlib.h>

#include "dag_internal.h"

static int end_of(const struct equant_dag_edge *edge, bool to)
{
	return to ? edge->to : edge->from;
}

static void rows(struct dag_rows *rows, const struct equant_dag *dag, bool to)
{
	for (int e = 0; e < dag->edges; e++)
		rows->first[end_of(&dag->edge[e], to) + 1]++;
	for (int i = 0; i < dag->tasks; i++)
		rows->first[i + 1] += rows->first[i];
	/* Each row's beginning moves to its end, which is the next one's beginning. */
	for (int e = 0; e < dag->edges; e++)
		rows->edge[rows->first[end_of(&dag->edge[e], to)]++] = e;
	for (int i = dag->tasks; i > 0; i--)
		rows->first[i] = rows->first[i - 1];
	rows->first[0] = 0;
}

/* Kahn 1962: first come, first served. */
static void order(struct dag_paths *paths, const struct equant_dag *dag, int *missing)
{
	for (int i = 0; i < dag->tasks; i++) {
		missing[i] = paths->in.first[i + 1] - paths->in.first[i];
		if (!missing[i])
			paths->order[paths->ordered++] = i;
	}
	for (int i = 0; i < paths->ordered; i++) {
		for_each_edge(e, &paths->out, paths->order[i]) {
			int to = dag->edge[*e].to;

			if (!--missing[to])
				paths->order[paths->ordered++] = to;
		}
	}
}

int equant_dag_paths_init(struct dag_paths *paths, const struct equant_dag *dag)
{
	size_t n = (size_t)dag->tasks, e = (size_t)dag->edges;
	int *at = calloc(2 * (n + 1) + 2 * e + 2 * n, sizeof(*at));

	*paths = (struct dag_paths){ .memory = at };
	if (!at)
		return -ENOMEM;
	paths->in.first = at;
	paths->out.first = at + n + 1;
	paths->in.edge = at + 2 * (n + 1);
	paths->out.edge = paths->in.edge + e;
	paths->order = paths->out.edge + e;
	rows(&paths->in, dag, true);
	rows(&paths->out, dag, false);
	order(paths, dag, paths->order + n);
	return 0;
}

void equant_dag_paths_free(struct dag_paths *paths)
{
	free(paths->memory);
}
