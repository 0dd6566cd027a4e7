// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Task graphs: tasks and edges, added one by one.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dag_internal.h"

struct equant_dag *equant_dag_new(void)
{
	return calloc(1, sizeof(struct equant_dag));
}

void equant_dag_free(struct equant_dag *dag)
{
	if (!dag)
		return;
	free(dag->task);
	free(dag->edge);
	free(dag);
}

/* Room for one more: doubled whenever @count is a power of 2. */
static int one_more(void **array, int count, size_t each)
{
	void *larger;

	if (count & (count - 1))
		return 0;
	larger = realloc(*array, (count ? 2 * (size_t)count : 1) * each);
	if (!larger)
		return -ENOMEM;
	*array = larger;
	return 0;
}

static bool fit_for_a_name(const char *name)
{
	for (; *name; name++)
		if (iscntrl((unsigned char)*name) || *name == '"')
			return false;
	return true;
}

int equant_dag_add_task(struct equant_dag *dag, const char *name, double work)
{
	if (!(work >= 0) || isinf(work) || (name && !fit_for_a_name(name)))
		return -EINVAL;
	if (name && strlen(name) >= EQUANT_DAG_NAME)
		return -ENAMETOOLONG;
	if (dag->tasks == EQUANT_DAG_TASKS)
		return -E2BIG;
	if (one_more((void **)&dag->task, dag->tasks, sizeof(*dag->task)))
		return -ENOMEM;
	memset(&dag->task[dag->tasks], 0, sizeof(*dag->task));
	if (name)
		strcpy(dag->task[dag->tasks].name, name);
	dag->task[dag->tasks].work = work;
	return dag->tasks++;
}

int equant_dag_add_edge(struct equant_dag *dag, int from, int to, double data)
{
	if (from < 0 || from >= dag->tasks || to < 0 || to >= dag->tasks)
		return -ENOENT;
	if (!(data >= 0) || isinf(data))
		return -EINVAL;
	if (dag->edges == EQUANT_DAG_EDGES)
		return -E2BIG;
	if (one_more((void **)&dag->edge, dag->edges, sizeof(*dag->edge)))
		return -ENOMEM;
	dag->edge[dag->edges++] = (struct equant_dag_edge){ from, to, data };
	return 0;
}

int equant_dag_task_memory(struct equant_dag *dag, int task, uint64_t memory)
{
	if (task < 0 || task >= dag->tasks)
		return -ENOENT;
	if (memory > EQUANT_DAG_MEMORY)
		return -EINVAL;
	dag->task[task].memory = memory;
	return 0;
}

const char *equant_dag_task_name(const struct equant_dag *dag, int task, char text[EQUANT_DAG_NAME])
{
	if (dag->task[task].name[0])
		return dag->task[task].name;
	snprintf(text, EQUANT_DAG_NAME, "%d", task);
	return text;
}
