/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Self-scheduling in an MPI program: ranks take chunks of a loop until none is left.
 *
 *	struct equant_self_chunk chunk = { 0 };
 *	struct equant_self *self = equant_self_new(eq, &options);
 *
 *	while ((got = equant_self_next(self, &chunk)) == 1)
 *		for (i = chunk.first; i < chunk.first + chunk.count; i++)
 *			compute(i);
 *	error = equant_self_free(self);
 *
 * On a node there is no master: the ranks share a counter in its memory, and who adds to it has
 * the chunk.  Across nodes rank 0 hands chunks out by messages, and computes too; or neighbours give
 * each other of what they have.  Errors are as
 * in equant.h.
 */
#ifndef EQUANT_SELF_H
#define EQUANT_SELF_H

#include <stddef.h>
#include <stdint.h>

#include <equant/equant.h>
#include <equant/selfsched.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct equant_self_options - a loop and how it is handed out; the same on all ranks but for @power
 * @sz: sizeof(struct equant_self_options); bytes unknown to the library must be 0
 * @loop: the loop and the scheme; its workers are the ranks, so that @workers must be 0, and
 *	@powers NULL; borrowed
 * @power: of this rank's CPU; 0 for 1
 * @fixed: 1: the virtual power of a rank of a weighted scheme is @power; 0: @power times the share
 *	of its CPU that the rank has according to the probe, now
 * @record: folder for a file per rank, "self.RANK", with a line "FIRST COUNT" per chunk; NULL: none
 * @replay: folder of such files: each rank gets the chunks that it had then, in that order; NULL
 * @engine: "node": no master, all ranks are on one node; "master": rank 0 answers each request of
 *	each rank (Chronopoulos et al., sections III and IV); "two-level": the ranks of the first
 *	rank's node as under node, on others any rank that finds too few asks rank 0 for chunks of the
 *	whole node; "tree": for the scheme trees (section IV.A), no master, each rank has its part and
 *	gives half of what is left of it to its neighbour; "auto" or NULL: node if all are on one, else
 *	two-level
 */
struct equant_self_options {
	size_t sz;
	const struct equant_chunks_options *loop;
	int power;
	int fixed;
	const char *record;
	const char *replay;
	const char *engine;
};

/**
 * struct equant_self_chunk - what is to be computed
 * @first: iteration; in more than one dimension rectangle, see equant_self_box()
 * @count: how many
 * @begun_ns: for the library, as is @iterations
 *
 * All zero before the first chunk.  A thread has its own, and asks for the next with the one that it
 * has computed: the time in between is what it took.
 */
struct equant_self_chunk {
	int64_t first;
	int64_t count;
	uint64_t begun_ns;
	int64_t iterations;
};

struct equant_self;

/**
 * equant_self_new() - collective; a loop of which nothing is handed out yet
 * @eq: stays open until the loop is freed
 * @options: copied
 *
 * Return: NULL and errno: EINVAL for no context, options that cannot be or that differ between ranks, or
 * recorded chunks that do not make up the loop (the message names file and line), what the system says of
 * a file, EOPNOTSUPP for engine node and ranks on several nodes, ECANCELED when another rank failed, what
 * equant_chunks_new() says, ENOMEM, EIO, what a call ended with before in which ranks did not meet; in
 * checked mode EPROTO ranks at different places, ETIMEDOUT.
 */
EQUANT_API struct equant_self *equant_self_new(struct equant *eq,
					       const struct equant_self_options *options);

/**
 * equant_self_next() - the next chunk; may be called by any number of threads
 * @self: the loop
 * @chunk: the one that is done, or zero; receives the next
 *
 * Only calls by the thread of the context look at the probe.  Where there are messages only they call
 * MPI: that thread of each rank must go on asking until it gets 0, and the rank's other threads wait
 * for it when no chunk is left on the node.  The master answers in these calls and in
 * equant_self_progress().  So that it comes back soon, the context's thread on rank 0 gets its
 * chunks in pieces of about 1 ms, of one iteration or rectangle at least.
 *
 * Return: 1; 0 when nothing is left or a rank has cancelled the loop; what a rank gave to
 * equant_self_fail(); -EIO when a rank died while it held the lock of a node; where there are messages
 * -ECANCELED ranks of the context have lost each other, and in checked mode -ETIMEDOUT.
 */
EQUANT_API int equant_self_next(struct equant_self *self, struct equant_self_chunk *chunk);

/**
 * equant_self_progress() - answers requests of others; to be called in iterations that take long
 * @self: the loop
 *
 * Does something in the context's thread only, and only where there are messages.
 *
 * Return: 0; -ECANCELED when a rank has cancelled the loop; what a rank gave to equant_self_fail();
 * -EIO.
 */
EQUANT_API int equant_self_progress(struct equant_self *self);

/** equant_self_box() - as equant_chunks_box() */
EQUANT_API int equant_self_box(const struct equant_self *self, int64_t n, int64_t *first,
			       int64_t *extents);

/* How many reductions a loop may have at once. */
#define EQUANT_SELF_REDUCTIONS 8

/**
 * equant_self_add() - values of iterations that this rank has computed; any number of threads
 * @self: the loop
 * @which: of its reductions, 0 to EQUANT_SELF_REDUCTIONS - 1
 * @first: number of the iteration that values[0] belongs to, as the program counts; >= 0
 * @values: one for each of @n iterations in a row; not kept
 * @n: >= 0
 *
 * A chunk's values are best added together: each call also settles a number of 68 digits.
 *
 * Return: 0; -EINVAL; -ENOMEM.
 */
EQUANT_API int equant_self_add(struct equant_self *self, int which, int64_t first,
			       const double *values, int64_t n);

/**
 * equant_self_allreduce() - collective; reduce what all ranks have added, the same everywhere
 * @self: the loop; nothing is left of it, and no thread adds any more
 * @which: reduction, the same on all ranks
 * @operation: EQUANT_SUM, EQUANT_MIN or EQUANT_MAX, the same on all ranks
 * @result: receives the result
 * @iteration: receives the lowest iteration that has the extreme; may be NULL; not used for sums
 *
 * The result depends on the values alone, to the last bit, as that of equant_allreduce_units():
 * not on who computed which chunk, on the scheme or on the number of ranks.  It may be called again,
 * for another operation too.  Of a loop that was cancelled it is that of what was computed.
 *
 * Return: 0; -EINVAL no such reduction or operation, ranks that differ, an extreme of no values;
 * -ECANCELED another rank's call was refused; what a rank gave to equant_self_fail(); -ENOMEM; -EIO; and as
 * equant_allreduce() where ranks do not meet.
 */
EQUANT_API int equant_self_allreduce(struct equant_self *self, int which,
				     enum equant_reduction operation, double *result,
				     int64_t *iteration);

/**
 * equant_self_cancel() - no rank gets a further chunk, and all is well; any thread
 *
 * Where there is a master other nodes know it when the context's threads, of this rank, of the
 * master and of the other one, have been in calls of this header.
 */
EQUANT_API void equant_self_cancel(struct equant_self *self);

/**
 * equant_self_fail() - no rank gets a further chunk, because the loop's body failed; any thread
 * @self: the loop
 * @error: -errno, which equant_self_next() and equant_self_free() return on all ranks; the
 *	first one counts.  Other nodes know of it as of equant_self_cancel()
 */
EQUANT_API void equant_self_fail(struct equant_self *self, int error);

/** equant_self_power() - the virtual power of this rank at its last request, 1 = as given */
EQUANT_API double equant_self_power(const struct equant_self *self);

/**
 * equant_self_free() - collective; waits until every rank has come
 * @self: may be NULL; before equant_close()
 *
 * Return: 0; what a rank gave to equant_self_fail(); -EIO; -EPIPE after MPI_Finalize(); as equant_barrier()
 * where ranks do not meet, and then nobody waits for them: what ranks have in common, memory and
 * communicators, is left to MPI_Finalize().  Where nothing else was wrong, a rank that could not write its
 * recorded chunks to the end gets that error, -ENOSPC, say, and it alone.
 */
EQUANT_API int equant_self_free(struct equant_self *self);

#ifdef __cplusplus
}
#endif
#endif /* EQUANT_SELF_H */
