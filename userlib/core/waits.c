// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The application's own waits, done as the library's.  Whoever begins to wait has sent what it
 * had to send: ranks of the node that sleep look for it.
 */
#include <errno.h>

#include "control/collective.h"
#include "control/futex.h"
#include "control/node.h"
#include "control/shared.h"
#include "core/message.h"
#include "core/mpi_error.h"
#include "loop/loop_internal.h"

static int refuse(const char *function, const char *fault)
{
	equant_message("%s: %s", function, fault);
	return -EINVAL;
}

int equant_wait(struct equant *eq, MPI_Request *request, MPI_Status *status)
{
	uint64_t waited = 0;

	if (!eq || !request)
		return refuse("equant_wait", eq ? "no request" : "no context");
	eq->meetings++;
	equant_node_ring(eq->node, -1);
	return equant_wait_requests(&eq->waiter, request, 1,
				    status == MPI_STATUS_IGNORE ? MPI_STATUSES_IGNORE : status, 0,
				    &waited);
}

int equant_waitall(struct equant *eq, int n, MPI_Request *requests, MPI_Status *statuses)
{
	uint64_t waited = 0;

	if (n < 0) {
		equant_message("equant_waitall: %d requests", n);
		return -EINVAL;
	}
	if (!eq || (n && !requests))
		return refuse("equant_waitall", eq ? "no requests" : "no context");
	eq->meetings++;
	equant_node_ring(eq->node, -1);
	return equant_wait_requests(&eq->waiter, requests, n, statuses, 0, &waited);
}

int equant_barrier(struct equant *eq)
{
	int error;

	if (!eq)
		return refuse("equant_barrier", "no context");
	error = eq->lost;
	if (!error && eq->options.check)
		error = equant_check_context(eq, EQUANT_AT_BARRIER, NULL, 0, 0);
	if (error)
		return error;
	eq->meetings++;
	equant_node_ring(eq->node, -1);
	eq->waiter.call = eq->behalf ? eq->behalf : "equant_barrier()";
	if (eq->node)
		error = equant_shared_barrier(&eq->waiter);
	else
		error = equant_collective_barrier(&eq->waiter, eq->collectives);
	return equant_lose(eq, equant_met(eq, error));
}

int equant_barrier_in(struct equant *eq, const char *call)
{
	int error;

	eq->behalf = call;
	error = equant_barrier(eq);
	eq->behalf = NULL;
	return error;
}

/* Who comes late finds all that others have done who have given up on it, and their word that they have. */
int equant_met(struct equant *eq, int error)
{
	if (!error && eq->node && equant_word_read(&eq->node->memory->lost)) {
		equant_message("%s: ranks of this node have given up on another one",
			       eq->waiter.call);
		error = -ECANCELED;
	}
	if (!error && (!eq->node || eq->node->nodes > 1))
		error = equant_hears(&eq->waiter, 0);
	return error == -ETIMEDOUT || error == -ECANCELED ? equant_lose(eq, error) : error;
}

/* Where MPI_BOTTOM is NULL elements of a datatype may lie behind it, but at no byte of it. */
static bool is_nowhere(const void *buffer, MPI_Datatype datatype)
{
	MPI_Aint lower = 0, extent = 0;

	return !buffer && MPI_Type_get_true_extent(datatype, &lower, &extent) == MPI_SUCCESS &&
	       extent > 0 && lower <= 0;
}

static int check(const void *send, const void *recv, int count, MPI_Datatype datatype, MPI_Op op)
{
	const char *fault = count < 0			  ? "negative count" :
			    datatype == MPI_DATATYPE_NULL ? "MPI_DATATYPE_NULL is no datatype" :
			    op == MPI_OP_NULL		  ? "MPI_OP_NULL is no operation" :
							    NULL;

	if (!fault && count && (is_nowhere(send, datatype) || is_nowhere(recv, datatype)))
		fault = "no memory for elements";
	return fault ? refuse("equant_allreduce", fault) : 0;
}

/* In checked mode: is everybody here, with as many bytes? */
static int compare(struct equant *eq, int count, MPI_Datatype datatype, int error)
{
	int size = 0;

	if (!error)
		error = equant_mpi_error(MPI_Type_size(datatype, &size), "equant_allreduce");
	return equant_check_context(eq, EQUANT_AT_ALLREDUCE, NULL, (uint64_t)count * (uint64_t)size,
				    error);
}

int equant_allreduce(struct equant *eq, const void *send, void *recv, int count,
		     MPI_Datatype datatype, MPI_Op op)
{
	int error;

	if (!eq)
		return refuse("equant_allreduce", "no context");
	error = eq->lost;
	if (!error)
		error = check(send, recv, count, datatype, op);
	if (eq->options.check)
		error = compare(eq, count, datatype, error);
	if (error)
		return error;
	eq->meetings++;
	equant_node_ring(eq->node, -1);
	eq->waiter.call = eq->behalf ? eq->behalf : "equant_allreduce()";
	if (count && equant_shared_takes(&eq->waiter, count, datatype, op))
		return equant_met(eq, equant_shared_allreduce(&eq->waiter, send, recv, count,
							      datatype, op));
	return equant_met(eq, equant_collective_allreduce(&eq->waiter, eq->collectives, send, recv,
							  count, datatype, op, 0, 0));
}

int equant_allreduce_in(struct equant *eq, const char *call, void *elements, int count,
			MPI_Datatype datatype, MPI_Op op)
{
	int error;

	eq->behalf = call;
	error = equant_allreduce(eq, MPI_IN_PLACE, elements, count, datatype, op);
	eq->behalf = NULL;
	return error;
}

int equant_agree_in(struct equant *eq, const char *call, int error)
{
	int any = error != 0, failed = equant_allreduce_in(eq, call, &any, 1, MPI_INT, MPI_MAX);

	if (error || failed)
		return error ? error : failed;
	return any ? -ECANCELED : 0;
}
