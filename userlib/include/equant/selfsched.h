/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Self-scheduling: how many iterations of a DOALL loop a worker gets each time it asks.
 * Pure functions: they know neither MPI nor the kernel, keep no state but in the objects they
 * are given, and give the same answer for the same arguments everywhere (integers and
 * ordered doubles).  One thread at a time may use an object, unless a function says otherwise.
 *
 * Reference: A. T. Chronopoulos, L. M. Ni, S. Penmatsa, Multi-Dimensional Dynamic Loop
 * Scheduling Algorithms; sections, equations and tables below are that paper's.
 *
 * I is the number of iterations, p that of workers, R what is left, V_j the virtual power
 * of worker j and V their sum; L is the least chunk, F the first one.
 */
#ifndef EQUANT_SELFSCHED_H
#define EQUANT_SELFSCHED_H

#include <stddef.h>
#include <stdint.h>

#include <equant/export.h>

#ifdef __cplusplus
extern "C" {
#endif

#define EQUANT_CHUNKS_DIMENSIONS 8 /* at most */
#define EQUANT_CHUNKS_WORKERS (1 << 20) /* at most */
#define EQUANT_CHUNKS_POWER (1 << 20) /* at most */
#define EQUANT_CHUNKS_EXTENT (INT64_C(1) << 60) /* at most */

enum equant_rounding {
	EQUANT_ROUNDING_UP, /* section III: R / 2p is rounded up */
	EQUANT_ROUNDING_EVEN, /* to the nearest, a half to even: table I */
};

/**
 * struct equant_chunks_options - a loop, the workers, and how it is handed out
 * @sz: sizeof(struct equant_chunks_options); bytes unknown to the library must be 0
 * @scheme: a name that equant_scheme_name() lists, case counts
 * @workers: p, 1 to EQUANT_CHUNKS_WORKERS
 * @dimensions: 1 to EQUANT_CHUNKS_DIMENSIONS
 * @extents: iterations of each loop of the nest, the outermost first; 0 to EQUANT_CHUNKS_EXTENT
 * @chunk: k of css, to be given and at least 1; of trees, what a worker takes of its own at once,
 *	0 for 1; of no use to the others
 * @minimum: L, the least chunk in each dimension; 0 for 1
 * @first: F of tss and dtss, at least L; 0 for max(1, L, floor(I / 2p)), V in place of p for dtss
 * @rounding: of fss and what is made of it
 * @powers: V_j of each worker, 1 to EQUANT_CHUNKS_POWER, borrowed by the constructor only; NULL:
 *	all 1.  Schemes without weights do not look at it.
 */
struct equant_chunks_options {
	size_t sz;
	const char *scheme;
	int workers;
	int dimensions;
	int64_t extents[EQUANT_CHUNKS_DIMENSIONS];
	int64_t chunk;
	int64_t minimum;
	int64_t first;
	enum equant_rounding rounding;
	const int *powers;
};

/**
 * struct equant_chunk - the answer to a request
 * @first: of the chunk
 * @count: how many, at least 1
 *
 * In one dimension these are iterations.  In more they are rectangles, numbered in wavefront
 * order: see equant_chunks_box().
 */
struct equant_chunk {
	int64_t first;
	int64_t count;
};

struct equant_chunks;

/**
 * equant_scheme_name() - the schemes there are
 * @n: from 0
 *
 * Return: the name of the n-th, or NULL when there are no more.
 */
EQUANT_API const char *equant_scheme_name(int n);

/** equant_scheme_summary() - a scheme in some words, or NULL if there is none of that name */
EQUANT_API const char *equant_scheme_summary(const char *name);

/**
 * equant_chunks_new() - a loop whose iterations are all still to be handed out
 * @options: copied
 * @why: if not NULL, gets one line that names what is wrong
 * @why_size: size of @why
 *
 * In more than one dimension (section V) each loop is cut as the scheme cuts it on its own; the
 * chunks are the products.  If an extent is below four times the workers
 * that it is cut for, that number is factorised among the dimensions.
 * The weighted schemes cut as tss or fss do for V workers, and worker j gets V_j rectangles
 * at once.  trees cuts into equal pieces of @chunk in each dimension.
 *
 * Return: to be freed by the caller, or NULL and errno: EINVAL for options outside their
 * ranges, EOVERFLOW when there would be more than 2^62 rectangles or 2^63 - 1 iterations, E2BIG for
 * more than 2^24 chunks in one dimension of several, ENOMEM.
 */
EQUANT_API struct equant_chunks *equant_chunks_new(const struct equant_chunks_options *options,
						   char *why, size_t why_size);

/** equant_chunks_free() - free it; NULL is nothing */
EQUANT_API void equant_chunks_free(struct equant_chunks *chunks);

/**
 * equant_chunks_next() - a worker asks for work
 * @chunks: the loop
 * @worker: from 0
 * @chunk: the answer
 *
 * Return: 1; 0 when nothing is left; -EINVAL for a worker that is none.
 */
EQUANT_API int equant_chunks_next(struct equant_chunks *chunks, int worker,
				  struct equant_chunk *chunk);

/**
 * equant_chunks_report() - what a chunk took: awf-b, awf-c, awf-d, awf-e and af learn from it
 * @chunks: the loop
 * @worker: who computed it
 * @iterations: how many there were, at least 1; in more dimensions those in the rectangles
 * @compute: seconds for them
 * @overhead: further seconds, for asking and waiting; awf-d and awf-e count them
 *
 * It is of the chunk that @worker got last.  Under awf-b and awf-d it counts as much as the round which
 * that chunk was of, also when others have begun a later one.  The other schemes need no reports and
 * ignore them.
 *
 * Return: 0, or -EINVAL for a worker that is none or for numbers that cannot be.
 */
EQUANT_API int equant_chunks_report(struct equant_chunks *chunks, int worker, int64_t iterations,
				    double compute, double overhead);

/**
 * equant_chunks_power() - the virtual power of a worker is another one from now on
 * @chunks: the loop
 * @worker: from 0
 * @power: 1 to EQUANT_CHUNKS_POWER
 *
 * What is not yet handed out stays cut as it was; the worker gets as many pieces at once.
 *
 * Return: 0, or -EINVAL.
 */
EQUANT_API int equant_chunks_power(struct equant_chunks *chunks, int worker, int power);

/** equant_chunks_total() - iterations in one dimension, rectangles in more; any thread */
EQUANT_API int64_t equant_chunks_total(const struct equant_chunks *chunks);

/**
 * equant_chunks_box() - the iterations of a rectangle, or of an iteration in one dimension
 * @chunks: the loop
 * @n: from 0, below equant_chunks_total()
 * @first: of each dimension
 * @extents: likewise
 *
 * Rectangles are numbered along the diagonals of fig. 3, from the one with the first chunk
 * of all dimensions to that with the last; in the order of table II within a diagonal.
 * Nothing is changed: any number of threads may ask.
 *
 * Return: 0, or -ERANGE if there is no such.
 */
EQUANT_API int equant_chunks_box(const struct equant_chunks *chunks, int64_t n, int64_t *first,
				 int64_t *extents);

/* ---- simulation ------------------------------------------------------------ */

/**
 * struct equant_chunks_machine - the workers, the master, and what the iterations cost
 * @sz: sizeof(struct equant_chunks_machine); bytes unknown to the library must be 0
 * @cost: seconds that a rectangle takes on a worker of speed 1: its first iteration and how many there
 *	are, in each dimension; finite and not negative; the same each time
 * @arg: for @cost
 * @speeds: of each worker, above 0; NULL: all 1
 * @arrivals: when each worker first asks, seconds, at least 0; NULL: all at 0.  Of those who ask
 *	at the same time the one of the lower number is first.
 * @message: seconds that a message takes, of a request or an answer
 * @service: seconds that the master is busy with a request; the others wait
 */
struct equant_chunks_machine {
	size_t sz;
	double (*cost)(void *arg, const int64_t *first, const int64_t *extents);
	void *arg;
	const double *speeds;
	const double *arrivals;
	double message;
	double service;
};

/**
 * struct equant_chunks_worker - what a worker did
 * @compute: seconds of computing: T_comp
 * @overhead: seconds from requests to answers, the last included: T_comm
 * @end: when it learned that nothing is left
 * @requests: answered with work
 * @iterations: computed
 */
struct equant_chunks_worker {
	double compute;
	double overhead;
	double end;
	int64_t requests;
	int64_t iterations;
};

/**
 * equant_chunks_simulate() - a loop from the first request to the last answer
 * @options: the loop; its powers need not be the speeds
 * @machine: what runs it
 * @workers: room for all workers
 * @time: T_p: when the last worker learned that nothing is left
 * @why: if not NULL, gets one line that names what is wrong
 * @why_size: size of @why
 *
 * The master does not compute, and answers in the order in which workers ask.  A worker of trees
 * takes what it has for nothing; each neighbour asked costs a request and an answer.  Schemes
 * that learn are told what each chunk took.
 *
 * Return: 0, -EINVAL, or what equant_chunks_new() sets errno to.
 */
EQUANT_API int equant_chunks_simulate(const struct equant_chunks_options *options,
				      const struct equant_chunks_machine *machine,
				      struct equant_chunks_worker *workers, double *time, char *why,
				      size_t why_size);

#ifdef __cplusplus
}
#endif
#endif /* EQUANT_SELFSCHED_H */
