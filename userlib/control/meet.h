/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * All ranks of a communicator come to the same call.  Which of them is missing nobody can say before they have met,
 * but that some are, and where: one that has another communicator may never come.
 */
#ifndef EQUANT_CONTROL_MEET_H
#define EQUANT_CONTROL_MEET_H

#include <mpi.h>

/**
 * equant_meet_in() - complete a collective operation that has been started
 * @request: it
 * @comm: over which
 * @call: of the program
 *
 * After EQUANT_TIMEOUT a line on standard error says that ranks are missing.  In checked mode that is an
 * error, and the operation goes on: what it reads and writes must stay, and the communicator.
 *
 * Return: 0, -ETIMEDOUT, MPI's error.
 */
int equant_meet_in(MPI_Request *request, MPI_Comm comm, const char *call);

/** equant_meet() - the same by an operation of its own, before one that waits within MPI */
int equant_meet(MPI_Comm comm, const char *call);

#endif /* EQUANT_CONTROL_MEET_H */
