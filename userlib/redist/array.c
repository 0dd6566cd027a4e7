// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Arrays of several dimensions on grids of processes.  What a sender has for a receiver is
 * the product of what their coordinates have for each other in each dimension.
 */
#include <errno.h>
#include <stdlib.h>

#include "redist/redist_internal.h"

#define ELEMENTS ((int64_t)1 << 56)

static bool is_order(enum equant_redist_order order)
{
	return order == EQUANT_REDIST_ROW_MAJOR || order == EQUANT_REDIST_COLUMN_MAJOR;
}

/* Dimension @d, and what it adds to the numbers of elements and processes. */
static int check_dimension(const struct equant_redist_array *array, int d, int64_t *elements,
			   int64_t processes[2], char *why, size_t why_size)
{
	char reason[120] = "";
	int error = equant_redist_check(array->extent[d], &array->from[d], &array->to[d], reason,
					sizeof(reason));

	if (error)
		return equant_redist_refuse(error, why, why_size, "dimension %d: %s", d, reason);
	if (array->extent[d] && *elements > ELEMENTS / array->extent[d])
		return equant_redist_refuse(-EOVERFLOW, why, why_size,
					    "more than %lld elements up to dimension %d",
					    (long long)ELEMENTS, d);
	*elements *= equant_redist_max(array->extent[d], 1);
	processes[0] *= array->from[d].processes;
	processes[1] *= array->to[d].processes;
	if (equant_redist_max(processes[0], processes[1]) > EQUANT_REDIST_PROCESSES)
		return equant_redist_refuse(-EOVERFLOW, why, why_size,
					    "more than %d processes up to dimension %d",
					    EQUANT_REDIST_PROCESSES, d);
	return 0;
}

int equant_redist_array_check(const struct equant_redist_array *array, char *why, size_t why_size)
{
	int64_t elements = 1, processes[2] = { 1, 1 };
	int error = 0;

	if (array->dimensions < 1 || array->dimensions > EQUANT_REDIST_DIMENSIONS)
		return equant_redist_refuse(-EINVAL, why, why_size, "%d dimensions, 1 to %d can be",
					    array->dimensions, EQUANT_REDIST_DIMENSIONS);
	if (!is_order(array->from_order) || !is_order(array->to_order))
		return equant_redist_refuse(-EINVAL, why, why_size,
					    "a grid is neither row- nor column-major");
	for (int d = 0; d < array->dimensions && !error; d++)
		error = check_dimension(array, d, &elements, processes, why, why_size);
	return error;
}

/* ---- grids -------------------------------------------------------------------------- */

static int grid_size(const struct equant_redist_cyclic *grid, int dimensions)
{
	int size = 1;

	for (int d = 0; d < dimensions; d++)
		size *= grid[d].processes;
	return size;
}

static int grid_at(const struct equant_redist_cyclic *grid, int dimensions,
		   enum equant_redist_order order, int process, int dimension)
{
	if (order == EQUANT_REDIST_COLUMN_MAJOR)
		process /= grid_size(grid, dimension);
	else
		process /= grid_size(grid + dimension + 1, dimensions - dimension - 1);
	return process % grid[dimension].processes;
}

int equant_redist_senders(const struct equant_redist_array *array)
{
	return grid_size(array->from, array->dimensions);
}

int equant_redist_receivers(const struct equant_redist_array *array)
{
	return grid_size(array->to, array->dimensions);
}

int equant_redist_sender_at(const struct equant_redist_array *array, int sender, int dimension)
{
	return grid_at(array->from, array->dimensions, array->from_order, sender, dimension);
}

int equant_redist_receiver_at(const struct equant_redist_array *array, int receiver, int dimension)
{
	return grid_at(array->to, array->dimensions, array->to_order, receiver, dimension);
}

/* ---- parts -------------------------------------------------------------------------- */

static int check_pair(const struct equant_redist_array *array, int sender, int receiver)
{
	int error = equant_redist_array_check(array, NULL, 0);

	if (error)
		return error;
	if (sender < 0 || sender >= equant_redist_senders(array))
		return -EINVAL;
	return receiver < 0 || receiver >= equant_redist_receivers(array) ? -EINVAL : 0;
}

struct equant_redist_part *equant_redist_part_new(const struct equant_redist_array *array,
						  int sender, int receiver)
{
	struct equant_redist_part *part;
	int error = check_pair(array, sender, receiver);

	if (error) {
		errno = -error;
		return NULL;
	}
	part = calloc(1, sizeof(*part));
	if (!part)
		return NULL;
	part->dimensions = array->dimensions;
	part->elements = 1;
	for (int d = 0; d < array->dimensions; d++) {
		part->runs[d] =
			equant_redist_runs_new(array->extent[d], &array->from[d], &array->to[d],
					       equant_redist_sender_at(array, sender, d),
					       equant_redist_receiver_at(array, receiver, d));
		if (!part->runs[d]) {
			equant_redist_part_free(part);
			errno = ENOMEM;
			return NULL;
		}
		part->elements *= part->runs[d]->elements;
	}
	return part;
}

void equant_redist_part_free(struct equant_redist_part *part)
{
	for (int d = 0; part && d < part->dimensions; d++)
		equant_redist_runs_free(part->runs[d]);
	free(part);
}

int64_t equant_redist_part_elements(const struct equant_redist_array *array, int sender,
				    int receiver)
{
	int64_t elements = check_pair(array, sender, receiver);

	if (elements)
		return elements;
	elements = 1;
	for (int d = 0; d < array->dimensions && elements; d++)
		elements *= equant_redist_count(array->extent[d], &array->from[d], &array->to[d],
						equant_redist_sender_at(array, sender, d),
						equant_redist_receiver_at(array, receiver, d));
	return elements;
}
