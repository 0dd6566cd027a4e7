/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Where tasks may run: where they are pinned to, and where their memory fits. */
#ifndef EQUANT_DAG_PLACES_H
#define EQUANT_DAG_PLACES_H

#include <equant/dag.h>

/*
 * A schedule is made task by task, and memory that one takes must not be what another cannot do
 * without.  So all that have not been placed keep room on some processor, and move it when they must.
 * All of it is NULL where memory limits nothing.
 */
struct dag_places {
	const struct equant_dag *dag;
	int processors;
	uint64_t *left; /* by processor: neither taken nor kept; or EQUANT_DAG_UNLIMITED */
	uint64_t *trial; /* the same, to try out */
	int *home; /* by task: where its memory is taken or kept */
	int *first; /* by processor: of the tasks that keep room there and may move it, -1: none */
	int *next; /* by task: the next one there */
	int *before; /* by task: the one before it */
};

/*
 * Some processor for each task, so that all memory fits; *@home is NULL where memory limits nothing.
 * 0, -EINVAL for pinned tasks that are not there, -ENOSPC, -ENOMEM.
 */
int equant_dag_home(const struct equant_dag *dag, const struct equant_dag_machine *machine,
		    int **home, char *why, size_t why_size);

/* @home may be NULL.  0 or -ENOMEM. */
int equant_dag_places_init(struct dag_places *places, const struct equant_dag *dag,
			   const struct equant_dag_machine *machine, const int *home);
void equant_dag_places_free(struct dag_places *places);

/* Is there memory for @task on @k, so that there is for all others somewhere, too? */
bool equant_dag_places_fit(const struct dag_places *places, int task, int k);
/* @task, for which there is, takes it. */
void equant_dag_places_take(struct dag_places *places, int task, int k);

/* The processor that @task is pinned to, or -1. */
static inline int dag_pin(const struct equant_dag_machine *machine, int task)
{
	return task < machine->pins ? machine->pin[task] : -1;
}

/* Does @memory fit into what is @left? */
static inline bool dag_fits(uint64_t left, uint64_t memory)
{
	return !memory || memory <= left;
}

static inline void dag_take(uint64_t *left, uint64_t memory)
{
	if (*left != EQUANT_DAG_UNLIMITED)
		*left -= memory;
}

static inline void dag_give(uint64_t *left, uint64_t memory)
{
	if (*left != EQUANT_DAG_UNLIMITED)
		*left += memory;
}

#endif /* EQUANT_DAG_PLACES_H */
