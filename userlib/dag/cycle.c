// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What makes a graph one that cannot be scheduled.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "dag_internal.h"

static int no_duplicates(const struct equant_dag *dag, const struct dag_paths *paths, int *seen,
			 char *why, size_t why_size)
{
	char a[EQUANT_DAG_NAME], b[EQUANT_DAG_NAME];

	for (int i = 0; i < dag->tasks; i++)
		seen[i] = -1;
	for (int i = 0; i < dag->tasks; i++) {
		for_each_edge(e, &paths->out, i) {
			int to = dag->edge[*e].to;

			if (seen[to] == i)
				return equant_dag_say(why, why_size, -EEXIST,
						      "two edges from task %s to task %s",
						      equant_dag_task_name(dag, i, a),
						      equant_dag_task_name(dag, to, b));
			seen[to] = i;
		}
	}
	return 0;
}

/*
 * Breadth first from @root back to it: the length of a shortest cycle through it, 0 if that
 * is not below @limit.  @via[i] is the task before i.
 */
static int cycle_through(const struct equant_dag *dag, const struct dag_paths *paths, int root,
			 int limit, int *via, int *queue, int *depth)
{
	int tail = 0;

	for (int i = 0; i < dag->tasks; i++)
		via[i] = -1;
	queue[tail++] = root;
	depth[root] = 0;
	for (int head = 0; head < tail && depth[queue[head]] + 1 < limit; head++) {
		int from = queue[head];

		for_each_edge(e, &paths->out, from) {
			int to = dag->edge[*e].to;

			if (via[to] >= 0)
				continue;
			via[to] = from;
			if (to == root)
				return depth[from] + 1;
			depth[to] = depth[from] + 1;
			queue[tail++] = to;
		}
	}
	return 0;
}

/* "a -> b -> a", cut short with dots where @why is too small. */
static void print_cycle(const struct equant_dag *dag, const int *via, int root, int length,
			int *stack, char *why, size_t why_size)
{
	char text[EQUANT_DAG_NAME];
	size_t at;
	int i = root;

	if (!why || !why_size)
		return;
	for (int k = length; k >= 0; k--, i = via[i])
		stack[k] = i;
	at = (size_t)snprintf(why, why_size, "cycle of %d task%s: ", length,
			      length == 1 ? "" : "s");
	for (int k = 0; k <= length && at < why_size; k++) {
		const char *name = equant_dag_task_name(dag, stack[k], text);

		if (k < length && at + 2 * EQUANT_DAG_NAME > why_size) {
			snprintf(why + at, why_size - at, "...");
			return;
		}
		at += (size_t)snprintf(why + at, why_size - at, "%s%s", k ? " -> " : "", name);
	}
}

/* A shortest one.  Tasks that the order has are on none, and not looked at. */
static int name_cycle(const struct equant_dag *dag, const struct dag_paths *paths, int *memory,
		      char *why, size_t why_size)
{
	int *via = memory, *queue = via + dag->tasks, *depth = queue + dag->tasks + 1;
	int best = dag->tasks + 1, root = -1;

	for (int i = 0; i < dag->tasks; i++)
		depth[i] = 0;
	for (int i = 0; i < paths->ordered; i++)
		depth[paths->order[i]] = -1;
	for (int i = 0; i < dag->tasks && best > 1; i++) {
		int length = 0;

		if (depth[i] >= 0)
			length = cycle_through(dag, paths, i, best, via, queue, depth);
		if (length) {
			best = length;
			root = i;
		}
	}
	cycle_through(dag, paths, root, best + 1, via, queue, depth);
	print_cycle(dag, via, root, best, queue, why, why_size);
	return -ELOOP;
}

int equant_dag_check(const struct equant_dag *dag, char *why, size_t why_size)
{
	struct dag_paths paths;
	int *memory, err;

	if (!dag->tasks)
		return equant_dag_say(why, why_size, -EINVAL, "a graph without tasks");
	err = equant_dag_paths_init(&paths, dag);
	if (err)
		return err;
	memory = calloc(3 * (size_t)dag->tasks + 2, sizeof(*memory));
	err = memory ? no_duplicates(dag, &paths, memory, why, why_size) : -ENOMEM;
	if (!err && paths.ordered < dag->tasks)
		err = name_cycle(dag, &paths, memory, why, why_size);
	free(memory);
	equant_dag_paths_free(&paths);
	return err;
}
