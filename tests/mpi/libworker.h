/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* The ranks' side of the tests: named cases, and demands that end the job when they are not met. */
#ifndef LIBWORKER_H
#define LIBWORKER_H

#include <equant/equant.h>
#include <stddef.h>
#include <stdint.h>

#include "random.h"

struct worker_case {
	const char *name;
	void (*run)(void);
	int threads; /* MPI thread level asked for, 0 = single */
	int bare; /* the case itself calls MPI_Init() and MPI_Finalize() */
	int alone; /* not one of "all" */
	int least; /* ranks of "all" for it */
};

#define CASE(function, ...)                                       \
	{                                                         \
		.name = #function, .run = function, ##__VA_ARGS__ \
	}

/* Where the process stands in MPI_COMM_WORLD; set before a case runs. */
extern int rank, ranks;

/*
 * Runs the case that argv[1] names, or "all" one after the other; after each of them every rank says "passed
 * CASE on rank N".
 */
int worker_main(int argc, char **argv, const struct worker_case *cases, int count);

/* Says what was demanded and ends the job. */
void worker_fail(const char *file, int line, const char *text, long expected, long seen)
	__attribute__((noreturn));
void worker_fail_text(const char *file, int line, const char *format, ...)
	__attribute__((noreturn, format(printf, 3, 4)));

#define demand(condition)                                                                     \
	do {                                                                                  \
		if (!(condition))                                                             \
			worker_fail_text(__FILE__, __LINE__, "%s does not hold", #condition); \
	} while (0)

#define demand_equal(expected, value)                                              \
	do {                                                                       \
		long expected_ = (long)(expected), seen_ = (long)(value);          \
		if (expected_ != seen_)                                            \
			worker_fail(__FILE__, __LINE__, #value, expected_, seen_); \
	} while (0)

/* Options that balance often and move at any prospect of gain. */
struct equant_options eager_options(void);

/* Does nothing for a while: under the clock probe that is computing. */
void compute(double seconds);

/* A collective without waiting on an error: ends the job unless all ranks have the same value. */
void demand_same(long value);

/* Of who owns which unit now, and of @hash. */
uint64_t hash_of_owners(const struct equant_loop *loop, uint64_t hash);

/* The same on all ranks; collective. */
struct random common_random(void);

/* All ranks that call it on one CPU: each is the others' competitor. */
void share_a_cpu(void);

struct equant *must_open(MPI_Comm comm, const struct equant_options *options);
struct equant_loop *must_loop(struct equant *eq, const char *name, long units);
void must_free(struct equant_loop *loop);
void must_close(struct equant *eq);

#endif /* LIBWORKER_H */
