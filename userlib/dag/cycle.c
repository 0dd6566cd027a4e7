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
 * To find a shortest cycle takes O(n (n + e)).  After so many steps the shortest that has been found by
 * then has to do.
 */
#define STEPS (1 << 24)

/**
 * struct search - for a short cycle
 * @dag: the graph
 * @paths: its edges; tasks that the order has are on no cycle, and not looked at
 * @via: by task: the task before it; -1: not been there
 * @depth: by task: how far from the root; -1 if the order has it
 * @queue: n + 1 tasks
 * @cycle: the one that was found, from a task back to it: n + 1 tasks at most
 * @length: how many it has, without the last one
 * @steps: that are left
 */
struct search {
	const struct equant_dag *dag;
	const struct dag_paths *paths;
	int *via;
	int *depth;
	int *queue;
	int *cycle;
	int length;
	int steps;
};

#define SEARCH_MEMORY(n) (4 * (n) + 2)

static void search_init(struct search *search, const struct equant_dag *dag,
			const struct dag_paths *paths, int *memory)
{
	size_t n = (size_t)dag->tasks;

	*search = (struct search){ .dag = dag,
				   .paths = paths,
				   .via = memory,
				   .depth = memory + n,
				   .queue = memory + 2 * n,
				   .cycle = memory + 3 * n + 1,
				   .steps = STEPS };
	for (int i = 0; i < dag->tasks; i++) {
		search->via[i] = -1;
		search->depth[i] = 0;
	}
	for (int i = 0; i < paths->ordered; i++)
		search->depth[paths->order[i]] = -1;
}

static void keep(struct search *search, int root, int length)
{
	int i = root;

	search->length = length;
	for (int k = length; k >= 0; k--, i = search->via[i])
		search->cycle[k] = i;
}

/* A task before @task that the order has not either; there is one, or it would have @task. */
static int before(const struct search *search, int task)
{
	for_each_edge(e, &search->paths->in, task) {
		int from = search->dag->edge[*e].from;

		if (search->depth[from] >= 0)
			return from;
	}
	return -1;
}

/* Some cycle, in O(n + e): back from task to task, until at one for the second time. */
static void find_any(struct search *search)
{
	int root = 0, i, length = 0;

	while (search->depth[root] < 0)
		root++;
	for (; search->via[root] < 0; root = search->via[root])
		search->via[root] = before(search, root);
	i = root;
	do {
		i = search->via[i];
		length++;
	} while (i != root);
	keep(search, root, length);
	for (i = 0; i < search->dag->tasks; i++)
		search->via[i] = -1;
}

/* Look at the tasks behind one in the queue.  Is @root among them? */
static bool look_behind(struct search *search, int from, int root, int *tail)
{
	for_each_edge(e, &search->paths->out, from) {
		int to = search->dag->edge[*e].to;

		if (search->via[to] >= 0)
			continue;
		search->via[to] = from;
		if (to == root)
			return true;
		search->depth[to] = search->depth[from] + 1;
		search->queue[(*tail)++] = to;
	}
	return false;
}

/* Breadth first from @root back to it: a shortest cycle through it, if it is below @limit. */
static bool find_through(struct search *search, int root, int limit)
{
	const int *first = search->paths->out.first;
	int tail = 0;
	bool found = false;

	search->queue[tail++] = root;
	search->depth[root] = 0;
	for (int head = 0; head < tail && !found; head++) {
		int from = search->queue[head], depth = search->depth[from];

		search->steps -= 1 + first[from + 1] - first[from];
		if (depth + 1 >= limit || search->steps < 0)
			break;
		found = look_behind(search, from, root, &tail);
		if (found)
			keep(search, root, depth + 1);
	}
	search->via[root] = -1;
	while (tail)
		search->via[search->queue[--tail]] = -1;
	return found;
}

/* "a -> b -> a", cut short with dots where @why is too small. */
static void print_cycle(const struct search *search, char *why, size_t why_size)
{
	int length = search->length;
	char text[EQUANT_DAG_NAME];
	size_t at;

	if (!why || !why_size)
		return;
	at = (size_t)snprintf(why, why_size, "cycle of %d task%s: ", length,
			      length == 1 ? "" : "s");
	for (int k = 0; k <= length && at < why_size; k++) {
		const char *name = equant_dag_task_name(search->dag, search->cycle[k], text);

		if (k < length && at + 2 * EQUANT_DAG_NAME > why_size) {
			snprintf(why + at, why_size - at, "...");
			return;
		}
		at += (size_t)snprintf(why + at, why_size - at, "%s%s", k ? " -> " : "", name);
	}
}

/* A shortest one, through the first task that is on such, if that can be found soon enough. */
static int name_cycle(const struct equant_dag *dag, const struct dag_paths *paths, int *memory,
		      char *why, size_t why_size)
{
	struct search search;
	int limit;

	search_init(&search, dag, paths, memory);
	find_any(&search);
	limit = search.length + 1;
	for (int i = 0; i < dag->tasks && limit > 1 && search.steps >= 0; i++)
		if (search.depth[i] >= 0 && find_through(&search, i, limit))
			limit = search.length;
	print_cycle(&search, why, why_size);
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
	memory = calloc(SEARCH_MEMORY((size_t)dag->tasks), sizeof(*memory));
	err = memory ? no_duplicates(dag, &paths, memory, why, why_size) : -ENOMEM;
	if (!err && paths.ordered < dag->tasks)
		err = name_cycle(dag, &paths, memory, why, why_size);
	free(memory);
	equant_dag_paths_free(&paths);
	return err;
}
