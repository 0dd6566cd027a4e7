// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <mpi.h>

#include "core/message.h"
#include "core/mpi_error.h"

/*
 * That MPI has no memory is a failure of MPI like others: the other ranks need not have it, and what is
 * under way may stay so for ever.  -ENOMEM is the library's own, after which all is as it was.
 */
int equant_mpi_error(int code, const char *what)
{
	char text[MPI_MAX_ERROR_STRING];
	int class, length;

	if (code == MPI_SUCCESS)
		return 0;
	if (MPI_Error_string(code, text, &length) != MPI_SUCCESS)
		text[0] = '\0';
	equant_message("%s: %s", what, text);
	if (MPI_Error_class(code, &class) != MPI_SUCCESS)
		return -EIO;
	if (class == MPI_ERR_TRUNCATE || class == MPI_ERR_COUNT || class == MPI_ERR_TYPE)
		return -EPROTO;
	return -EIO;
}

int equant_mpi_cause(int code, int n, const MPI_Status *statuses)
{
	int class;

	if (code == MPI_SUCCESS || MPI_Error_class(code, &class) != MPI_SUCCESS)
		return code;
	for (int i = 0; class == MPI_ERR_IN_STATUS && i < n; i++)
		if (statuses[i].MPI_ERROR != MPI_SUCCESS &&
		    statuses[i].MPI_ERROR != MPI_ERR_PENDING)
			return statuses[i].MPI_ERROR;
	return code;
}

int equant_mpi_test(int n, MPI_Request *requests, int *done)
{
	int code = MPI_SUCCESS;

	*done = 1;
	for (int i = 0; i < n && *done && code == MPI_SUCCESS; i++)
		code = MPI_Test(&requests[i], done, MPI_STATUS_IGNORE);
	return code;
}

int equant_mpi_agree(MPI_Comm comm, int error)
{
	int mine = error != 0, any = 0;
	int failed = equant_mpi_error(MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, comm),
				      "agreeing with other ranks");

	if (error || failed)
		return error ? error : failed;
	return any ? -ECANCELED : 0;
}

int equant_mpi_is_over(void)
{
	int over = 0;

	return MPI_Finalized(&over) != MPI_SUCCESS || over;
}

int equant_mpi_check_any(MPI_Comm comm, const char *function)
{
	int running = 0;

	MPI_Initialized(&running);
	if (!running || equant_mpi_is_over()) {
		equant_message("%s: MPI is not initialised", function);
		return -EINVAL;
	}
	if (comm == MPI_COMM_NULL) {
		equant_message("%s: MPI_COMM_NULL is no communicator", function);
		return -EINVAL;
	}
	return 0;
}

int equant_mpi_check(MPI_Comm comm, const char *function)
{
	int error = equant_mpi_check_any(comm, function), inter = 0;

	if (error)
		return error;
	if (MPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter) {
		equant_message("%s: an intracommunicator is needed", function);
		return -EINVAL;
	}
	return 0;
}
