/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * All ranks of a communicator come to the same call.  Which of them is missing nobody can say before they have met,
 * but that some are, and where: one that has another communicator may never come.
 */
#ifndef EQUANT_CONTROL_MEET_H
#define EQUANT_CONTROL_MEET_H

#include <mpi.h>
#include <stdbool.h>

/**
 * struct equant_limits - of waits for ranks that have not come
 * @timeout: seconds, after which that is said
 * @check: ... and is an error
 */
struct equant_limits {
	double timeout;
	bool check;
};

/** equant_limits_read() - the environment's, for calls without a context; @again as equant_options_limits() */
void equant_limits_read(struct equant_limits *limits, bool again);

/**
 * equant_meet_in() - complete a collective operation that has been started
 * @request: it
 * @comm: over which
 * @call: of the program
 * @limits: for this rank's wait
 *
 * After an error the operation may go on: what it reads and writes must stay, and the communicator.
 *
 * Return: 0, -ETIMEDOUT, MPI's error.
 */
int equant_meet_in(MPI_Request *request, MPI_Comm comm, const char *call,
		   const struct equant_limits *limits);

/**
 * equant_meet() - the same by an operation of its own, before one that waits within MPI
 *
 * By two: who comes when another has given up misses that one in the second.
 */
int equant_meet(MPI_Comm comm, const char *call, const struct equant_limits *limits);

#endif /* EQUANT_CONTROL_MEET_H */
