// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Graphs of a family: the six of Sung and Lai, section 4, and random ones in layers.
 *
 * A family adds tasks of work 1 and edges of data 1; the weights are drawn afterwards.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dag_internal.h"
#include "core/draw.h"
#include "core/names.h"

typedef int dag_family(struct equant_dag *dag, const struct equant_dag_shape *shape,
		       uint64_t *seed);

/* The number of the first of @count more tasks, or -errno. */
static int tasks(struct equant_dag *dag, int count)
{
	int first = dag->tasks;

	for (int i = 0; i < count; i++) {
		int task = equant_dag_add_task(dag, NULL, 1);

		if (task < 0)
			return task;
	}
	return first;
}

static int edge(struct equant_dag *dag, int from, int to)
{
	return equant_dag_add_edge(dag, from, to, 1);
}

/* Tasks 1 to size, task 0 before them or task size + 1 after them. */
static int between(struct equant_dag *dag, int size, bool before, bool after)
{
	int first = before, err = tasks(dag, size + before + after);

	for (int i = 0; i < size && err >= 0; i++) {
		if (before)
			err = edge(dag, 0, first + i);
		if (after && err >= 0)
			err = edge(dag, first + i, first + size);
	}
	return err;
}

static int fork_tasks(struct equant_dag *dag, const struct equant_dag_shape *shape, uint64_t *seed)
{
	(void)seed;
	return between(dag, shape->size, true, false);
}

static int join_tasks(struct equant_dag *dag, const struct equant_dag_shape *shape, uint64_t *seed)
{
	(void)seed;
	return between(dag, shape->size, false, true);
}

static int fork_join(struct equant_dag *dag, const struct equant_dag_shape *shape, uint64_t *seed)
{
	(void)seed;
	return between(dag, shape->size, true, true);
}

static int fft(struct equant_dag *dag, const struct equant_dag_shape *shape, uint64_t *seed)
{
	int m = shape->size, err = m & (m - 1) ? -EINVAL : tasks(dag, m);

	(void)seed;
	for (int half = 1; half < m && err >= 0; half *= 2) {
		int row = tasks(dag, m);

		err = row;
		for (int i = 0; i < m && err >= 0; i++) {
			err = edge(dag, row - m + i, row + i);
			if (!err)
				err = edge(dag, row - m + (i ^ half), row + i);
		}
	}
	return err;
}

/* A column's step: the pivot task @pivot, then those of the @right columns. */
static int gauss_step(struct equant_dag *dag, int pivot, int right)
{
	int err = 0;

	for (int j = 1; j <= right && err >= 0; j++) {
		err = edge(dag, pivot, pivot + j);
		/* The next step's pivot is the first of these columns. */
		if (err >= 0 && right > 1)
			err = edge(dag, pivot + j, pivot + right + j);
	}
	return err;
}

static int gauss(struct equant_dag *dag, const struct equant_dag_shape *shape, uint64_t *seed)
{
	int n = shape->size, at = 0, err;

	(void)seed;
	if (n < 2)
		return -EINVAL;
	if (n > 5000)
		return -E2BIG;
	err = tasks(dag, (n * n + n - 2) / 2);
	for (int right = n - 1; right >= 1 && err >= 0; right--) {
		err = gauss_step(dag, at, right);
		at += right + 1;
	}
	return err;
}

/* Step k of LU has (n - k)^2 tasks, by rows; task (i, j) of the step before is below them. */
static int lu_step(struct equant_dag *dag, int m, int before)
{
	int at = tasks(dag, m * m), err = at;

	for (int i = 0; i < m && err >= 0; i++) {
		for (int j = 0; j < m && err >= 0; j++) {
			int task = at + i * m + j;

			if (before >= 0)
				err = edge(dag, before + (i + 1) * (m + 1) + j + 1, task);
			if (err >= 0 && (i || j))
				err = edge(dag, i && j ? at + i * m : at, task);
			if (err >= 0 && i && j)
				err = edge(dag, at + j, task);
		}
	}
	return err < 0 ? err : at;
}

static int lu(struct equant_dag *dag, const struct equant_dag_shape *shape, uint64_t *seed)
{
	int at = -1;

	(void)seed;
	if (shape->size > 300)
		return -E2BIG;
	for (int m = shape->size; m > 0; m--) {
		at = lu_step(dag, m, at);
		if (at < 0)
			return at;
	}
	return 0;
}

/*
 * @degree different ones of the @width tasks from @first on: Floyd's sample, 1987.  @drawn has the task that
 * each of them was last drawn for.
 */
static int edges_from(struct equant_dag *dag, int first, int width, int degree, int task,
		      int *drawn, uint64_t *seed)
{
	int err = 0;

	for (int i = width - (degree < width ? degree : width); i < width && !err; i++) {
		int from = first + equant_draw_below(seed, i + 1);

		if (drawn[from] == task)
			from = first + i;
		drawn[from] = task;
		err = edge(dag, from, task);
	}
	return err;
}

static int layered(struct equant_dag *dag, const struct equant_dag_shape *shape, uint64_t *seed)
{
	int layers = shape->layers ? shape->layers : (int)(sqrt(shape->size) + 0.5);
	int degree = shape->degree ? shape->degree : 3;
	int above = 0, width = 0, err = tasks(dag, shape->size);
	int *size, *drawn;

	if (layers < 1 || layers > shape->size || degree < 1)
		return -EINVAL;
	size = calloc((size_t)layers + (size_t)shape->size, sizeof(*size));
	if (!size || err < 0) {
		free(size);
		return size ? err : -ENOMEM;
	}
	drawn = size + layers; /* task 0 has nobody before it */
	for (int i = 0; i < shape->size; i++)
		size[i < layers ? i : equant_draw_below(seed, layers)]++;
	for (int layer = 0; layer < layers; layer++) {
		for (int i = 0; i < size[layer] && !err; i++)
			err = edges_from(dag, above, width, degree, above + width + i, drawn, seed);
		above += width;
		width = size[layer];
	}
	free(size);
	return err;
}

static const struct {
	const char *name;
	dag_family *make;
	const char *needs;
} families[] = {
	{ "fork", fork_tasks, "" },
	{ "join", join_tasks, "" },
	{ "fork-join", fork_join, "" },
	{ "fft", fft, ": a power of 2" },
	{ "gauss", gauss, ": 2 to 5000" },
	{ "lu", lu, ": at most 300" },
	{ "layered", layered, ": layers from 1 to size, and a degree of at least 1" },
};

#define FAMILIES ((int)(sizeof(families) / sizeof(families[0])))

const char *equant_dag_family(int index)
{
	return index < 0 || index >= FAMILIES ? NULL : families[index].name;
}

/*
 * Draw the weights, and meet the ratio of their means exactly, but for rounding.  0, or -EOVERFLOW where
 * a double does not hold them.
 */
static int weigh(struct equant_dag *dag, const struct equant_dag_shape *shape, uint64_t *seed)
{
	double ratio = shape->comp_comm > 0 ? shape->comp_comm : 1 / shape->comm_comp;
	double work = 0, data = 0, scale;

	for (int i = 0; i < dag->tasks; i++) {
		dag->task[i].work = equant_draw(seed, shape->work, shape->spread);
		work += dag->task[i].work;
	}
	for (int e = 0; e < dag->edges; e++) {
		dag->edge[e].data = equant_draw(seed, 1, shape->spread);
		data += dag->edge[e].data;
	}
	if (!(data > 0))
		return isinf(work) ? -EOVERFLOW : 0;
	scale = work / dag->tasks / ratio / (data / dag->edges);
	for (int e = 0; e < dag->edges; e++) {
		dag->edge[e].data *= scale;
		if (!isfinite(dag->edge[e].data))
			return -EOVERFLOW;
	}
	return 0;
}

static bool is_amount(double amount)
{
	return amount > 0 && !isinf(amount);
}

static int look_at(const struct equant_dag_shape *shape, char *why, size_t why_size)
{
	if (shape->sz != sizeof(*shape))
		return equant_dag_say(why, why_size, -EINVAL,
				      "sz must be sizeof(struct equant_dag_shape)");
	if (shape->size < 1)
		return equant_dag_say(why, why_size, -EINVAL, "size %d: at least 1", shape->size);
	if (shape->size > EQUANT_DAG_TASKS / 32)
		return equant_dag_say(why, why_size, -E2BIG, "size %d: too large", shape->size);
	if (!is_amount(shape->work))
		return equant_dag_say(why, why_size, -EINVAL, "work %g: above 0", shape->work);
	if (!(shape->spread >= 0 && shape->spread <= 1))
		return equant_dag_say(why, why_size, -EINVAL, "spread %g: 0 to 1", shape->spread);
	if (!((is_amount(shape->comp_comm) && shape->comm_comp == 0) ||
	      (is_amount(shape->comm_comp) && shape->comp_comm == 0)))
		return equant_dag_say(why, why_size, -EINVAL,
				      "comp_comm %g, comm_comp %g: one above 0, the other 0",
				      shape->comp_comm, shape->comm_comp);
	return 0;
}

static int make(struct equant_dag *dag, const char *family, const struct equant_dag_shape *shape,
		char *why, size_t why_size)
{
	uint64_t seed = shape->seed;
	char names[EQUANT_NAMES];
	int err;

	for (int i = 0; i < FAMILIES; i++) {
		if (strcmp(family, families[i].name))
			continue;
		err = families[i].make(dag, shape, &seed);
		if (err < 0)
			return equant_dag_say(
				why, why_size, err, "no %s of size %d%s", family, shape->size,
				err == -ENOMEM ? ": out of memory" : families[i].needs);
		err = weigh(dag, shape, &seed);
		if (err)
			return equant_dag_say(why, why_size, err,
					      "work %g: weights would be too large for a number",
					      shape->work);
		return 0;
	}
	return equant_dag_say(why, why_size, -EINVAL, "no family \"%.40s\"; there are%s", family,
			      equant_names(names, equant_dag_family));
}

struct equant_dag *equant_dag_generate(const char *family, const struct equant_dag_shape *shape,
				       char *why, size_t why_size)
{
	int err = look_at(shape, why, why_size);
	struct equant_dag *dag = err ? NULL : equant_dag_new();

	if (!err)
		err = dag ? make(dag, family, shape, why, why_size) : -ENOMEM;
	if (!err)
		return dag;
	equant_dag_free(dag);
	errno = -err;
	return NULL;
}
