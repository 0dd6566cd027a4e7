// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Loops that are open when MPI ends: nothing can write their reports any more, and a program that has
 * forgotten to free them would not hear of it.
 *
 * MPI_Finalize() first deletes the attributes of MPI_COMM_SELF (MPI 3.1, section 8.7.1).  One is set for all
 * contexts of the process, which know of each other only for this: a context that is closed then, by the program's
 * own attribute, may not delete any.
 */
#include <pthread.h>
#include <stdbool.h>

#include "core/at_finalize.h"
#include "core/message.h"
#include "core/mpi_error.h"
#include "loop/loop_internal.h"

static struct equant *contexts;
static bool is_set;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int say_open(MPI_Comm self, int key, void *attribute, void *extra)
{
	(void)self, (void)key, (void)attribute, (void)extra;
	pthread_mutex_lock(&lock);
	for (const struct equant *eq = contexts; eq; eq = eq->next)
		for (const struct equant_loop *loop = eq->loops; loop && !eq->rank;
		     loop = loop->next)
			equant_message(
				"loop %s: not freed before MPI_Finalize(), after which there is no report",
				loop->name);
	pthread_mutex_unlock(&lock);
	return MPI_SUCCESS;
}

static int set(void)
{
	int key, error = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, say_open, &key, NULL);

	if (error != MPI_SUCCESS)
		return error;
	error = MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
	is_set = error == MPI_SUCCESS;
	/* It goes with its attribute. */
	MPI_Comm_free_keyval(&key);
	return error;
}

int equant_at_finalize_begin(struct equant *eq)
{
	int error = MPI_SUCCESS;

	pthread_mutex_lock(&lock);
	if (!is_set)
		error = set();
	eq->next = contexts;
	contexts = eq;
	pthread_mutex_unlock(&lock);
	return equant_mpi_error(error, "MPI_Comm_set_attr");
}

void equant_at_finalize_end(struct equant *eq)
{
	struct equant **link = &contexts;

	pthread_mutex_lock(&lock);
	while (*link && *link != eq)
		link = &(*link)->next;
	if (*link)
		*link = eq->next;
	pthread_mutex_unlock(&lock);
}
