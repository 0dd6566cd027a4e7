// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Messages that are measured while MPI fails: what becomes of their memory. */
#include <equant/dag_run.h>
#include <errno.h>

#include "libworker.h"

/* So much that the receiver fetches it, if it can, when it wants it. */
#define MOST (1 << 24)
#define LEAST (MOST / 16)

/* The first message that is measured. */
static struct {
	const unsigned char *memory;
	MPI_Request request;
} message;

static void note(const void *memory, int size, MPI_Request request)
{
	if (message.memory || size < LEAST)
		return;
	message.memory = memory;
	message.request = request;
}

/* These are found before those of the library that MPI is. */
int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
	      MPI_Request *request)
{
	int code = PMPI_Isend(buffer, count, type, to, tag, comm, request);

	note(buffer, count, *request);
	return code;
}

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
	      MPI_Request *request)
{
	int code = PMPI_Irecv(buffer, count, type, from, tag, comm, request);

	note(buffer, count, *request);
	return code;
}

/* Fails while that message is under way. */
int MPI_Test(MPI_Request *request, int *done, MPI_Status *status)
{
	return message.memory ? MPI_ERR_OTHER : PMPI_Test(request, done, status);
}

static void mpi_fails(void)
{
	struct equant *eq = must_open(MPI_COMM_WORLD, NULL);
	struct equant_dag_machine *machine = equant_dag_machine_new(ranks);
	long wrong = 0;

	demand(machine);
	demand_equal(-EIO, equant_dag_calibrate(eq, machine, MOST));
	demand(message.memory);
	demand_equal(MPI_SUCCESS, MPI_Wait(&message.request, MPI_STATUS_IGNORE));
	for (int i = 0; i < LEAST; i++)
		wrong += message.memory[i] != 1;
	demand_equal(0, wrong);
	message.memory = NULL;
	equant_dag_machine_free(machine);
	must_close(eq);
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = {
		CASE(mpi_fails),
	};

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
