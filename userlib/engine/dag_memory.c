// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Memory of edges: the program's, or some that is there from the beginning of the task that writes
 * to it, or from when the message may come, to the end of the task that reads it, or of sending.
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

int equant_dag_memory_open(struct equant_dag_run *run, int edge)
{
	const struct equant_dag_data *data = &run->data[edge];
	MPI_Aint low;
	size_t size;
	char *memory;

	if (data->memory || run->memory[edge] || !data->count)
		return 0;
	if (span(data, &size, &low))
		return -ENOMEM;
	memory = calloc(1, size ? size : 1);
	if (!memory)
		return -ENOMEM;
	run->memory[edge] = memory - low;
	return 0;
}

void equant_dag_memory_close(struct equant_dag_run *run, int edge)
{
	const struct equant_dag_data *data = &run->data[edge];
	MPI_Aint low;
	size_t size;

	run->here[edge] = 0;
	if (data->memory || !run->memory[edge] || span(data, &size, &low))
		return;
	free((char *)run->memory[edge] + low);
	run->memory[edge] = NULL;
}

void equant_dag_memory_close_all(struct equant_dag_run *run)
{
	for (int e = 0; e < run->dag->edges; e++)
		equant_dag_memory_close(run, e);
}
