// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Memory of edges: the program's, or some that is there from the beginning of the task that writes
 * to it, or from when the message may come, to the end of the task that reads it, or of sending.
 * After an error what was begun still comes: for that some has been reserved, as the error may be that
 * there is no more.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "engine/dag_run_internal.h"

/*
 * A datatype's bytes may begin below or above where MPI is pointed to: the address for it, or NULL.
 * What is allocated begins at the lowest byte.
 */
static int span(const struct equant_dag_data *data, size_t *size, MPI_Aint *low)
{
	MPI_Aint extent, bottom, true_extent, length;

	MPI_Type_get_extent(data->type, &bottom, &extent);
	MPI_Type_get_true_extent(data->type, low, &true_extent);
	if (extent < 0 || __builtin_mul_overflow(extent, data->count - 1, &length) ||
	    __builtin_add_overflow(length, true_extent, &length))
		return -ENOMEM;
	*size = (size_t)length;
	return 0;
}

/* The library's, not the program's. */
static bool is_ours(const struct equant_dag_data *data)
{
	return !data->memory && data->count;
}

int equant_dag_memory_init(struct equant_dag_run *run)
{
	size_t largest = 1, size;
	MPI_Aint low;

	for (int e = 0; e < run->dag->edges; e++) {
		if (!is_ours(&run->data[e]))
			continue;
		if (span(&run->data[e], &size, &low))
			return -ENOMEM;
		largest = size > largest ? size : largest;
	}
	run->lent = -1;
	run->reserve = malloc(largest);
	return run->reserve ? 0 : -ENOMEM;
}

void equant_dag_memory_free(struct equant_dag_run *run)
{
	/* Where MPI has failed it may still write there. */
	if (!run->broken)
		free(run->reserve);
	free(run->memory);
}

int equant_dag_memory_open(struct equant_dag_run *run, int edge)
{
	const struct equant_dag_data *data = &run->data[edge];
	MPI_Aint low;
	size_t size;
	char *memory;

	if (!is_ours(data) || run->memory[edge])
		return 0;
	if (span(data, &size, &low))
		return -ENOMEM;
	memory = calloc(1, size ? size : 1);
	if (!memory)
		return -ENOMEM;
	run->memory[edge] = memory - low;
	return 0;
}

bool equant_dag_memory_lend(struct equant_dag_run *run, int edge)
{
	MPI_Aint low;
	size_t size;

	if (!is_ours(&run->data[edge]) || run->memory[edge])
		return true;
	if (run->lent >= 0 && !run->here[run->lent])
		return false;
	if (run->lent >= 0)
		equant_dag_memory_close(run, run->lent);
	if (span(&run->data[edge], &size, &low))
		return false;
	run->memory[edge] = (char *)run->reserve - low;
	run->lent = edge;
	return true;
}

void equant_dag_memory_close(struct equant_dag_run *run, int edge)
{
	const struct equant_dag_data *data = &run->data[edge];
	MPI_Aint low;
	size_t size;

	run->here[edge] = 0;
	if (!is_ours(data) || !run->memory[edge] || span(data, &size, &low))
		return;
	if (run->lent == edge)
		run->lent = -1;
	else
		free((char *)run->memory[edge] + low);
	run->memory[edge] = NULL;
}

void equant_dag_memory_close_all(struct equant_dag_run *run)
{
	for (int e = 0; e < run->dag->edges; e++)
		equant_dag_memory_close(run, e);
}
