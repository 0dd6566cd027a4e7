// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Says that it is linked with another MPI, in as many words as that one does. */
#include <string.h>

#include <mpi.h>

#define BYTES 8192

int PMPI_Get_library_version(char *version, int *length)
{
	memset(version, 'x', BYTES - 1);
	memcpy(version, "Another Version: 1\n", 19);
	version[BYTES - 1] = '\0';
	*length = BYTES - 1;
	return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
