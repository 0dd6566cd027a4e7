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
 * equant_mpi_cause() - what has failed where several requests were looked at
 * @code: what MPI returned; MPI_ERR_IN_STATUS says only that one of them did
 * @n: how many statuses MPI wrote
 * @statuses: they
 *
 * Return: @code, or that of the first request that failed.
 */
int equant_mpi_cause(int code, int n, const MPI_Status *statuses);

/**
 * equant_mpi_test() - are requests done whose statuses nobody needs?
 * @n: how many
 * @requests: some of them may be done already, or MPI_REQUEST_NULL
 * @done: set if all are
 *
 * One after the other, up to the first that is not: of several at once MPI without statuses does not say
 * what failed.
 *
 * Return: MPI's code.
 */
int equant_mpi_test(int n, MPI_Request *requests, int *done);

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
