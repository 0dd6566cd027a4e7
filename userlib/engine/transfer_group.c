// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The communicator of a transfer.  That of an intercommunicator is both groups in one, the ranks
 * that send before those that receive, so that everything else knows one communicator only.
 */
#include <errno.h>
#include <stdlib.h>

#include "control/meet.h"
#include "core/message.h"
#include "core/mpi_error.h"
#include "engine/transfer_internal.h"

void equant_transfer_set_comm(struct equant_transfer *transfer, MPI_Comm comm)
{
	transfer->comm = comm;
	MPI_Comm_rank(comm, &transfer->rank);
	MPI_Comm_size(comm, &transfer->ranks);
	for (int side = 0; side < 2; side++)
		transfer->groups[side] = (struct equant_group){ 0, transfer->ranks };
}

static int join_one(struct equant_transfer *transfer, MPI_Comm comm, int group)
{
	int error = equant_mpi_error(MPI_Comm_dup(comm, &transfer->comm), "MPI_Comm_dup");

	if (error)
		return error;
	MPI_Comm_set_errhandler(transfer->comm, MPI_ERRORS_RETURN);
	equant_transfer_set_comm(transfer, transfer->comm);
	if (group)
		equant_message("rank %d: %s: a group of an intracommunicator", transfer->rank,
			       transfer->call);
	return equant_mpi_agree(transfer->comm, group ? -EINVAL : 0);
}

/* Does one group send and the other receive?  @all has the groups, one after the other. */
static int check_groups(const char *call, MPI_Comm all, int group, int first, int count)
{
	int ranks, *groups, error;
	bool wrong = false;

	MPI_Comm_size(all, &ranks);
	groups = reallocarray(NULL, (size_t)ranks, sizeof(*groups));
	error = equant_mpi_agree(all, groups ? 0 : -ENOMEM);
	if (!error)
		error = equant_mpi_error(MPI_Allgather(&group, 1, MPI_INT, groups, 1, MPI_INT, all),
					 "comparing groups");
	for (int i = 0; i < ranks && !error; i++) {
		bool mine = i >= first && i < first + count;

		wrong |= groups[i] !=
			 (mine ? group : EQUANT_TRANSFER_SENDS + EQUANT_TRANSFER_RECEIVES - group);
		wrong |= groups[i] != EQUANT_TRANSFER_SENDS &&
			 groups[i] != EQUANT_TRANSFER_RECEIVES;
	}
	free(groups);
	if (!wrong || error)
		return error;
	if (!first)
		equant_message(
			"%s: one group of an intercommunicator has to send, and the other to receive",
			call);
	return -EINVAL;
}

static int join_both(struct equant_transfer *transfer, MPI_Comm comm, int group)
{
	int rank, in_all, counts[2], sends = group == EQUANT_TRANSFER_SENDS, error;
	MPI_Comm all;

	error = equant_mpi_error(MPI_Intercomm_merge(comm, 0, &all), "MPI_Intercomm_merge");
	if (error)
		return error;
	MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN);
	MPI_Comm_rank(comm, &rank);
	MPI_Comm_rank(all, &in_all);
	MPI_Comm_size(comm, &counts[!sends]);
	MPI_Comm_remote_size(comm, &counts[sends]);
	error = check_groups(transfer->call, all, group, in_all - rank, counts[!sends]);
	if (!error)
		error = equant_mpi_error(MPI_Comm_split(all, 0, sends ? rank : counts[0] + rank,
							&transfer->comm),
					 "MPI_Comm_split");
	MPI_Comm_free(&all);
	if (error)
		return error;
	MPI_Comm_set_errhandler(transfer->comm, MPI_ERRORS_RETURN);
	equant_transfer_set_comm(transfer, transfer->comm);
	transfer->groups[0] = (struct equant_group){ 0, counts[0] };
	transfer->groups[1] = (struct equant_group){ counts[0], counts[1] };
	return 0;
}

int equant_transfer_join(struct equant_transfer *transfer, MPI_Comm comm, int group)
{
	int inter = 0, error;

	transfer->comm = MPI_COMM_NULL;
	equant_limits_read(&transfer->limits, false);
	error = equant_meet(comm, transfer->call, &transfer->limits);
	if (error)
		return error;
	MPI_Comm_test_inter(comm, &inter);
	return inter ? join_both(transfer, comm, group) : join_one(transfer, comm, group);
}
