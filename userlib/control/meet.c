// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>

#include "control/meet.h"
#include "control/wait.h"
#include "core/message.h"
#include "core/mpi_error.h"
#include "core/options.h"

#define SOON 0.01 /* seconds; nearly all waits are shorter */

void equant_limits_read(struct equant_limits *limits, bool again)
{
	int check;

	equant_options_limits(&limits->timeout, &check, again);
	limits->check = check;
}

static void say_missing(const struct equant_waited_on *on, double seconds)
{
	const MPI_Comm *comm = on->of;
	int rank, ranks, inter;

	MPI_Comm_rank(*comm, &rank);
	MPI_Comm_size(*comm, &ranks);
	MPI_Comm_test_inter(*comm, &inter);
	equant_message(
		"rank %d of %d%s: %s: not all ranks have come within %g s; each has to call it, over the same communicator",
		rank, ranks, inter ? " of its group" : "", on->what, seconds);
}

/* Who has not come soon may come much later: the CPU is for others until then. */
static int wait_long(MPI_Request *request, MPI_Comm comm, const char *call,
		     const struct equant_limits *limits)
{
	struct equant_waited_on on = { .say = say_missing, .of = &comm, .what = call };
	struct equant_waiter waiter;
	uint64_t waited = 0;
	int error;

	equant_waiter_init(&waiter, EQUANT_WAIT_AUTO, NULL, NULL);
	/* In checked mode it is said where it is given up: who comes in between would make both wrong. */
	waiter.timeout = limits->check ? 0 : limits->timeout;
	equant_waited_on_begin(&waiter, &on);
	error = equant_wait_requests(&waiter, request, 1, MPI_STATUSES_IGNORE,
				     limits->check ? limits->timeout : 0, &waited);
	if (error == -ETIMEDOUT) {
		waiter.timeout = limits->timeout;
		equant_waited_on_give_up(&waiter);
	}
	return error;
}

int equant_meet_in(MPI_Request *request, MPI_Comm comm, const char *call,
		   const struct equant_limits *limits)
{
	struct equant_waiter waiter;
	uint64_t waited = 0;
	int error;

	equant_waiter_init(&waiter, EQUANT_WAIT_YIELD, NULL, NULL);
	error = equant_wait_requests(&waiter, request, 1, MPI_STATUSES_IGNORE, SOON, &waited);
	return error == -ETIMEDOUT ? wait_long(request, comm, call, limits) : error;
}

static int meet_once(MPI_Comm comm, const char *call, const struct equant_limits *limits)
{
	MPI_Request request;
	int error = equant_mpi_error(MPI_Ibarrier(comm, &request), call);

	return error ? error : equant_meet_in(&request, comm, call, limits);
}

int equant_meet(MPI_Comm comm, const char *call, const struct equant_limits *limits)
{
	int error = meet_once(comm, call, limits);

	/* Also where nobody gives up: others may have other limits, and have not said so yet. */
	return error ? error : meet_once(comm, call, limits);
}
