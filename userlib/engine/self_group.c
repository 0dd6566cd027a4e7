// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The engines, and who has memory in common under each: all ranks, those of a node, or none with
 * another.  Where there is more than one such group, rank 0 hands chunks out to the others by
 * messages.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/message.h"
#include "core/mpi_error.h"
#include "engine/self_internal.h"
#include "loop/loop_internal.h"

enum engine {
	AUTO,
	NODE,
	MASTER,
	TWO_LEVEL,
	TREE,
};

static int find_engine(const char *name)
{
	static const char names[][12] = { "auto", "node", "master", "two-level", "tree" };

	for (int i = AUTO; i <= TREE; i++)
		if (!strcmp(name ? name : names[AUTO], names[i]))
			return i;
	equant_message(
		"equant_self_new: unknown engine '%.40s'; there are auto node master two-level tree",
		name);
	return -EINVAL;
}

static int split(struct equant_self *self, enum engine engine)
{
	int code;

	if (engine == MASTER || engine == TREE)
		code = MPI_Comm_split(self->comm, self->eq->rank, 0, &self->group);
	else
		code = MPI_Comm_split_type(self->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
					   &self->group);
	if (code == MPI_SUCCESS)
		MPI_Comm_size(self->group, &self->size);
	return equant_mpi_error(code, "equant_self_new");
}

static int check_node(const struct equant_self *self)
{
	if (self->size == self->eq->ranks)
		return 0;
	if (!self->eq->rank)
		equant_message("equant_self_new: engine node: %d of %d ranks are on another node",
			       self->eq->ranks - self->size, self->eq->ranks);
	return -EOPNOTSUPP;
}

static void find_role(struct equant_self *self, enum engine engine)
{
	if (engine == TREE)
		self->role = EQUANT_SELF_NEIGHBOUR;
	else if (!self->eq->rank)
		self->role = EQUANT_SELF_MASTER;
	else if (!self->members[0])
		self->role = EQUANT_SELF_PEER;
	else
		self->role = EQUANT_SELF_WORKER;
	if (self->size == self->eq->ranks)
		self->role = EQUANT_SELF_ALL;
}

int equant_self_group(struct equant_self *self, const char *name)
{
	int engine = find_engine(name), error;

	error = equant_mpi_agree(self->comm, engine < 0 ? engine : 0);
	if (!error)
		error = split(self, (enum engine)engine);
	if (!error && engine == NODE)
		error = check_node(self);
	error = equant_mpi_agree(self->comm, error);
	if (error)
		return error;
	self->members = calloc((size_t)(unsigned int)self->size, sizeof(*self->members));
	error = equant_mpi_agree(self->comm, self->members ? 0 : -ENOMEM);
	if (!error)
		error = equant_mpi_error(MPI_Allgather(&self->eq->rank, 1, MPI_INT, self->members,
						       1, MPI_INT, self->group),
					 "equant_self_new");
	if (error)
		return error;
	find_role(self, (enum engine)engine);
	self->ahead = engine != MASTER;
	return 0;
}
