/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * What a program without a library for redistributions would do: pack by hand and MPI_Alltoallv(), or a
 * type for each rank and MPI_Alltoallw().
 */
#ifndef LIBCOLLECTIVE_H
#define LIBCOLLECTIVE_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct side - cyclic(@block) on all ranks
 * @length: of @local
 */
struct side {
	int64_t block;
	int64_t length;
	double *local;
};

/**
 * struct change - from one distribution to another
 * @rank: in MPI_COMM_WORLD
 * @ranks: of it, at least two
 * @elements: of the array, doubles
 * @from: what this rank has
 * @to: what it gets
 * @out: as large as what it has, for what is packed: a program keeps that, as libraries do
 * @in: as large as what it gets
 */
struct change {
	int rank;
	int ranks;
	int64_t elements;
	struct side from;
	struct side to;
	double *out;
	double *in;
};

/* A line, and the end of all ranks. */
void die(const char *what) __attribute__((noreturn));

/* None is the end, too. */
void *memory(size_t bytes);

void by_alltoallv(const struct change *change);
void by_alltoallw(const struct change *change);

#endif /* LIBCOLLECTIVE_H */
