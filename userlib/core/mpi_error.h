/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_CORE_MPI_ERROR_H
#define EQUANT_CORE_MPI_ERROR_H

#include <mpi.h>

/**
 * equant_mpi_error() - the one place where MPI errors become errno
 * @code: what an MPI function returned
 * @what: the operation, for the message
 *
 * Return: 0 for MPI_SUCCESS, else -EPROTO or -EIO after a message.
 */
int equant_mpi_error(int code, const char *what);

/**
 * equant_mpi_agree() - collective; if one rank cannot, none does
 * @comm: all of them
 * @error: 0 or what happened here
 *
 * Return: 0 when every rank gave 0, else @error, or -ECANCELED where @error is 0.
 */
int equant_mpi_agree(MPI_Comm comm, int error);

/* equant_mpi_is_over() - has MPI been finalised? */
int equant_mpi_is_over(void);

/**
 * equant_mpi_check() - can @function work with @comm?
 * @comm: what a program gave
 * @function: for the message
 *
 * Return: 0; -EINVAL after a message: MPI is not running, no communicator, or an
 * intercommunicator.
 */
int equant_mpi_check(MPI_Comm comm, const char *function);

/* The same with intercommunicators, too. */
int equant_mpi_check_any(MPI_Comm comm, const char *function);

#endif /* EQUANT_CORE_MPI_ERROR_H */
