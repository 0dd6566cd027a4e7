/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_CORE_MPI_ERROR_H
#define EQUANT_CORE_MPI_ERROR_H

/**
 * equant_mpi_error() - the one place where MPI errors become errno
 * @code: what an MPI function returned
 * @what: the operation, for the message
 *
 * Return: 0 for MPI_SUCCESS, else -ENOMEM, -EPROTO or -EIO after a message.
 */
int equant_mpi_error(int code, const char *what);

#endif /* EQUANT_CORE_MPI_ERROR_H */
