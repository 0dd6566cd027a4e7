/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Block-cyclic redistribution: which elements of an array go from which process to
 * which, and where they are in the memory of either.  Pure functions: they know neither
 * MPI nor the kernel, keep no state, may be called from any thread on different
 * objects, and give the same answer for the same arguments everywhere.
 *
 * Reference: P. B. Bhat, V. K. Prasanna, C. S. Raghavendra, Block-Cyclic Redistribution over
 * Heterogeneous Networks; section numbers below are the paper's.
 *
 * Elements, processes and dimensions are counted from 0.
 *
 * Errors: 0 or -errno; NULL and errno from what returns a pointer.  @why, where it is not NULL,
 * gets one line about what is wrong, and @why_size is its size.
 */
#ifndef EQUANT_REDIST_H
#define EQUANT_REDIST_H

#include <stddef.h>
#include <stdint.h>

#include <equant/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- one dimension ------------------------------------------------------------ */

#define EQUANT_REDIST_ELEMENTS ((int64_t)1 << 42) /* of an array in one dimension, at most */
#define EQUANT_REDIST_PROCESSES (1 << 20)

/**
 * struct equant_redist_cyclic - cyclic(x) on P processes (section 2)
 * @block: x, elements; at least 1, and may be more than there are
 * @processes: P, at least 1
 * @first: the process that has the array's first block
 * @offset: where in this array the redistributed elements begin: element k of them is element
 *	@offset + k of the array
 *
 * Element g of an array is in block g / x, on process (@first + g / x) mod P, and there
 * element g / (x P) x + g mod x of the local array.
 */
struct equant_redist_cyclic {
	int64_t block;
	int processes;
	int first;
	int64_t offset;
};

/**
 * struct equant_redist_run - elements at regular distances in the memory of both sides
 * @from: the first element in the sender's local array
 * @to: the first element in the receiver's local array
 * @length: consecutive elements on both sides
 * @count: of such pieces
 * @from_step: from one piece to the next in the sender's local array, elements
 * @to_step: the same in the receiver's
 * @repeats: how often all of this is repeated
 * @from_period: from one repetition to the next in the sender's local array, elements
 * @to_period: the same in the receiver's
 *
 * A step is 0 if there is no next piece, and a period if there is no next repetition.
 */
struct equant_redist_run {
	int64_t from;
	int64_t to;
	int64_t length;
	int64_t count;
	int64_t from_step;
	int64_t to_step;
	int64_t repeats;
	int64_t from_period;
	int64_t to_period;
};

/**
 * struct equant_redist_runs - all elements that one process has for another
 * @elements: how many
 * @count: of @run
 * @run: in the order of @from
 */
struct equant_redist_runs {
	int64_t elements;
	int64_t count;
	struct equant_redist_run *run;
};

/**
 * equant_redist_check() - can @elements be redistributed so?
 * @elements: n, not negative
 * @from: what the senders have
 * @to: what the receivers get
 *
 * Return: 0, -EINVAL for a block, a number of processes, a first process or an offset that is
 * none, -EOVERFLOW for @elements and an offset above EQUANT_REDIST_ELEMENTS together, and
 * for more than EQUANT_REDIST_PROCESSES processes.
 */
EQUANT_API int equant_redist_check(int64_t elements, const struct equant_redist_cyclic *from,
				   const struct equant_redist_cyclic *to, char *why,
				   size_t why_size);

/**
 * equant_redist_local() - elements that the local array of @process must have room for
 * @elements: n
 * @cyclic: one that equant_redist_check() accepts
 * @process: 0 to P - 1
 *
 * Return: those of the whole array from its element 0 up to the last one redistributed.
 */
EQUANT_API int64_t equant_redist_local(int64_t elements, const struct equant_redist_cyclic *cyclic,
				       int process);

/**
 * equant_redist_runs_new() - which elements process @p of @from has for process @q of @to
 * @elements: n
 * @from: what the senders have
 * @to: what the receivers get
 * @p: a sender
 * @q: a receiver
 *
 * There are at most 3 ((x + y) / gcd(x P, y Q) + 3) runs, however large n is, and time grows with
 * their number: the pattern is periodic (R. Thakur, A. Choudhary, J. Ramanujam, Efficient
 * Algorithms for Array Redistribution, IEEE Transactions on Parallel and Distributed Systems
 * 7(6), 1996).
 *
 * Return: the runs, without any if there are no such elements; or NULL and errno: what
 * equant_redist_check() gave, EINVAL for processes that do not exist, ENOMEM.
 */
EQUANT_API struct equant_redist_runs *
equant_redist_runs_new(int64_t elements, const struct equant_redist_cyclic *from,
		       const struct equant_redist_cyclic *to, int p, int q);
EQUANT_API void equant_redist_runs_free(struct equant_redist_runs *runs);

/**
 * equant_redist_count() - how many elements process @p of @from has for process @q of @to
 *
 * As equant_redist_runs_new(), without memory.
 *
 * Return: the number, or what equant_redist_runs_new() sets errno to, negative.
 */
EQUANT_API int64_t equant_redist_count(int64_t elements, const struct equant_redist_cyclic *from,
				       const struct equant_redist_cyclic *to, int p, int q);

#ifdef __cplusplus
}
#endif

#endif /* EQUANT_REDIST_H */
