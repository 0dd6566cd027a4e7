/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_CORE_COMPARE_H
#define EQUANT_CORE_COMPARE_H

#include <mpi.h>
#include <stdint.h>

#define EQUANT_COMPARED 11 /* things, at most */

/**
 * struct equant_alike - what all ranks must give alike
 * @name: "the graph", for the message
 * @sum: its value, or a checksum
 */
struct equant_alike {
	const char *name;
	uint64_t sum;
};

/**
 * equant_compare() - collective; if one rank cannot, or has anything else, none does
 * @comm: all of them
 * @function: for messages
 * @error: 0 or what happened here, and then @things are not looked at
 * @things: as many on all ranks
 * @count: of them
 *
 * Return: as equant_mpi_agree(); -EINVAL on all ranks after a message of rank 0 that names the first
 * thing that differs, and the lowest rank that has another one than itself.
 */
int equant_compare(MPI_Comm comm, const char *function, int error,
		   const struct equant_alike *things, int count);

#endif /* EQUANT_CORE_COMPARE_H */
