// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <mpi.h>

#include "core/message.h"
#include "core/mpi_error.h"

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
	if (class == MPI_ERR_NO_MEM)
		return -ENOMEM;
	if (class == MPI_ERR_TRUNCATE || class == MPI_ERR_COUNT || class == MPI_ERR_TYPE)
		return -EPROTO;
	return -EIO;
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
