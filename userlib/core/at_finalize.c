// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Loops that are open when MPI ends: nothing can write their reports any more, and a program that has
 * forgotten to free them would not hear of it.
 *
 * MPI_Finalize() first deletes the attributes of MPI_COMM_SELF (MPI 3.1, section 8.7.1).  Deleted where the
 * context is closed, an attribute finds no loops.
 */
#include "core/at_finalize.h"
#include "core/message.h"
#include "core/mpi_error.h"
#include "loop/loop_internal.h"

static int say_open(MPI_Comm self, int key, void *attribute, void *extra)
{
	const struct equant *eq = attribute;

	(void)self, (void)key, (void)extra;
	for (const struct equant_loop *loop = eq->loops; loop && !eq->rank; loop = loop->next)
		equant_message("loop %s: not freed before MPI_Finalize(), its report is lost",
			       loop->name);
	return MPI_SUCCESS;
}

int equant_at_finalize_begin(struct equant *eq)
{
	int error = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, say_open, &eq->key, NULL);

	if (error == MPI_SUCCESS)
		error = MPI_Comm_set_attr(MPI_COMM_SELF, eq->key, eq);
	return equant_mpi_error(error, "MPI_Comm_set_attr");
}

void equant_at_finalize_end(struct equant *eq)
{
	if (eq->key == MPI_KEYVAL_INVALID)
		return;
	MPI_Comm_delete_attr(MPI_COMM_SELF, eq->key);
	MPI_Comm_free_keyval(&eq->key);
}
