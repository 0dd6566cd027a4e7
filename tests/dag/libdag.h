/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Shared by the tests of userlib/dag. */
#ifndef LIBDAG_H
#define LIBDAG_H

#include <equant/dag.h>

#include "random.h"

/* The 10 tasks and 3 processors of Topcuoglu, Hariri and Wu 2002, figure 2. */
struct equant_dag *topcuoglu_graph(void);
struct equant_dag_machine *topcuoglu_machine(void);

/* "1: 2@27-40 8@57-62": a line for each processor, numbers from 1.  The text lives in @line. */
#define DAG_LINE 4096
const char *dag_line(const struct equant_dag_schedule *schedule, int processors,
		     char line[DAG_LINE]);

/* @count numbers after one another, with @digits behind the point. */
const char *numbers_line(const double *number, int count, int digits, char line[DAG_LINE]);

/* A graph of a random family with random size and weights. */
struct equant_dag *random_graph(struct random *random);
/*
 * Up to 8 processors, any channels, any overlap, rates or costs of @dag's tasks; half of them with
 * pinned tasks and memory that is just enough.
 */
struct equant_dag_machine *random_machine(struct random *random, const struct equant_dag *dag);

#endif /* LIBDAG_H */
