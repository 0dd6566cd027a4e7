/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_SELFSCHED_INTERNAL_H
#define EQUANT_SELFSCHED_INTERNAL_H

#include <float.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/say.h"
#include <equant/selfsched.h>

/* The same chunks everywhere: IEEE doubles in source order, no more precision. */
#ifdef __FAST_MATH__
#error "userlib/selfsched must not be compiled with -ffast-math"
#endif
#if FLT_EVAL_METHOD != 0
#error "userlib/selfsched needs arithmetic in the precision of double (on x86: -mfpmath=sse)"
#endif

/**
 * struct equant_line - one loop that is cut by a scheme without weights
 * @total: I
 * @left: R
 * @step: chunks handed out
 * @workers: p, V or the part of p that is this dimension's
 * @minimum: L
 * @chunk: k of css
 * @first: F of tss
 * @decrement: D of tss
 * @falling: chunks of tss that are not below L
 * @round: fss: the chunk of this round
 * @rounding: of fss
 */
struct equant_line {
	int64_t total;
	int64_t left;
	int64_t step;
	int64_t workers;
	int64_t minimum;
	int64_t chunk;
	int64_t first;
	int64_t decrement;
	int64_t falling;
	int64_t round;
	enum equant_rounding rounding;
};

/**
 * struct equant_learned - what a worker's reports say; the sums of adaptive.c
 * @chunks: reports
 * @iterations: of all of them
 * @time: of all of them
 * @squares: sum of time^2 / iterations over the chunks
 * @weighted_time: sum of k x time, k counting chunks or rounds
 * @weighted_iterations: sum of k x iterations
 * @weight: of the worker; the mean of all is 1
 * @first: of its last chunk
 */
struct equant_learned {
	int64_t chunks;
	double iterations;
	double time;
	double squares;
	double weighted_time;
	double weighted_iterations;
	double weight;
	int64_t first;
};

/* A round hands out half of what is left, and there are 2^62 rectangles at most. */
#define EQUANT_ROUNDS 64

struct equant_grid;
struct equant_trees;

/**
 * struct equant_chunks - a loop and how it is handed out
 * @scheme: by which rules
 * @workers: p
 * @dimensions: of the loop
 * @powers: V_j
 * @line: in one dimension the iterations, in more the rectangles, of which a step takes one
 * @grid: the rectangles, NULL in one dimension
 * @learned: of each worker, NULL for schemes that do not learn
 * @round: rounds begun; for schemes that learn
 * @round_size: what this round hands out
 * @round_left: what it still has
 * @begins: what was handed out before each round, where a chunk is no round of its own
 * @trees: NULL for all others
 */
struct equant_chunks {
	const struct equant_scheme *scheme;
	int workers;
	int dimensions;
	int *powers;
	struct equant_line line;
	struct equant_grid *grid;
	struct equant_learned *learned;
	int64_t round;
	int64_t round_size;
	int64_t round_left;
	int64_t begins[EQUANT_ROUNDS];
	struct equant_trees *trees;
};

#define EQUANT_SCHEME_WEIGHTED (1u << 0) /* cuts for V; worker j takes V_j steps at once */
#define EQUANT_SCHEME_LEARNS (1u << 1) /* reports count */
#define EQUANT_SCHEME_ROUNDS (1u << 2) /* weights change between rounds, not between chunks */
#define EQUANT_SCHEME_OVERHEAD (1u << 3) /* the time for asking counts */
#define EQUANT_SCHEME_TREES (1u << 4) /* workers own what they have not done yet */
#define EQUANT_SCHEME_CHUNK (1u << 5) /* k must be given */

/**
 * struct equant_scheme - one scheme
 * @name: to find it by
 * @summary: for the reader
 * @flags: EQUANT_SCHEME_*
 * @start: constants of a line, or NULL
 * @before: iterations in the first @step chunks, at least; or NULL
 * @size: else the next chunk, for what is left and the step; framework clamps it to [L, R]
 * @learned: the next chunk of a worker in one dimension, for schemes that learn
 * @weigh: the weights of all workers by what is learned
 *
 * A line is cut by @before or @size.  The schemes that learn have @learned for one dimension;
 * in more, their lines are cut by @size and @weigh says how many rectangles a worker takes.
 */
struct equant_scheme {
	const char *name;
	const char *summary;
	unsigned int flags;
	void (*start)(struct equant_line *line);
	int64_t (*before)(const struct equant_line *line, int64_t step);
	int64_t (*size)(struct equant_line *line);
	int64_t (*learned)(struct equant_chunks *chunks, int worker);
	void (*weigh)(struct equant_chunks *chunks);
};

/* ---- schemes.c -------------------------------------------------------------- */

const struct equant_scheme *equant_find_scheme(const char *name);

/* ---- line.c ----------------------------------------------------------------- */

void equant_line_init(struct equant_line *line, const struct equant_scheme *scheme,
		      const struct equant_chunks_options *options, int64_t total, int64_t workers);

/* The next @steps chunks in one; 0 when nothing is left. */
int64_t equant_line_take(struct equant_line *line, const struct equant_scheme *scheme,
			 int64_t steps);

static inline int64_t equant_divide_up(int64_t a, int64_t b)
{
	return a / b + (a % b > 0);
}

/* ---- one file per family ------------------------------------------------------ */

int64_t equant_single_before(const struct equant_line *line, int64_t step);
int64_t equant_chunk_before(const struct equant_line *line, int64_t step);
int64_t equant_fixed_before(const struct equant_line *line, int64_t step);
int64_t equant_guided_size(struct equant_line *line);
int64_t equant_factoring_size(struct equant_line *line);
void equant_trapezoid_start(struct equant_line *line);
int64_t equant_trapezoid_before(const struct equant_line *line, int64_t step);

/* adaptive.c */
int64_t equant_adaptive_size(struct equant_chunks *chunks, int worker);
void equant_adaptive_weigh(struct equant_chunks *chunks);

/* adaptive_factoring.c */
int64_t equant_adaptive_factoring_size(struct equant_chunks *chunks, int worker);
void equant_adaptive_factoring_weigh(struct equant_chunks *chunks);

/* Weights from what an iteration takes, 0 where it is not known; their mean becomes 1. */
void equant_weigh_by(struct equant_chunks *chunks,
		     double (*seconds)(const struct equant_learned *learned));

/* As equant_chunks_report(), of the chunk in which @first is. */
int equant_chunks_report_of(struct equant_chunks *chunks, int worker, int64_t first,
			    int64_t iterations, double compute, double overhead);

/* ---- grid.c ------------------------------------------------------------------- */

/* A worker of weight 1 takes this many rectangles where weights are not whole numbers. */
#define EQUANT_GRID_WEIGHT 4

/**
 * equant_grid_new() - the rectangles of a loop
 * @workers: p or V
 *
 * Return: NULL and errno.
 */
struct equant_grid *equant_grid_new(const struct equant_scheme *scheme,
				    const struct equant_chunks_options *options, int64_t workers,
				    char *why, size_t why_size);
void equant_grid_free(struct equant_grid *grid);
int64_t equant_grid_count(const struct equant_grid *grid);
void equant_grid_box(const struct equant_grid *grid, int64_t n, int64_t *first, int64_t *extents);

/* ---- trees.c ------------------------------------------------------------------- */

struct equant_trees *equant_trees_new(const int *powers, int workers, int64_t total, int64_t chunk);
void equant_trees_free(struct equant_trees *trees);

/* What changes in it: bytes without pointers. */
void *equant_trees_state(struct equant_trees *trees);
size_t equant_trees_state_size(const struct equant_trees *trees);

/* Neighbours that are asked before the worker's next chunk; 0 if it has work. */
int equant_trees_hops(const struct equant_trees *trees, int worker);
int equant_trees_next(struct equant_trees *trees, int worker, struct equant_chunk *chunk);

/* Step by step, for workers each of whom has a copy of its own in which only its own part counts. */
int equant_trees_left(const struct equant_trees *trees, int worker);
int equant_trees_right(const struct equant_trees *trees, int worker);

/* The next chunk of the own part; its later half, rounded up, or @all of it.  0 if there is nothing. */
int equant_trees_take(struct equant_trees *trees, int worker, struct equant_chunk *chunk);
int equant_trees_split(struct equant_trees *trees, int worker, int all, struct equant_chunk *part);

/* A worker that has nothing is given @part. */
void equant_trees_join(struct equant_trees *trees, int worker, const struct equant_chunk *part);

#endif /* EQUANT_SELFSCHED_INTERNAL_H */
