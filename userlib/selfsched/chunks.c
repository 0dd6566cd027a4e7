// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A loop that is handed out: who asks gets the next steps of its line (line.c).  In one
 * dimension a step is a chunk of iterations, in more it is a rectangle (grid.c).
 *
 * Reference: Chronopoulos, Ni, Penmatsa, the masters' parts of the algorithms in sections III to V.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "selfsched/options.h"
#include "selfsched/selfsched_internal.h"

/* V for those who cut for it; rectangles of schemes that learn are small enough for weights. */
static int64_t cut_for(const struct equant_chunks *chunks)
{
	int64_t power = 0;

	if (chunks->scheme->flags & EQUANT_SCHEME_LEARNS && chunks->dimensions > 1)
		return (int64_t)EQUANT_GRID_WEIGHT * chunks->workers;
	if (!(chunks->scheme->flags & EQUANT_SCHEME_WEIGHTED))
		return chunks->workers;
	for (int j = 0; j < chunks->workers; j++)
		power += chunks->powers[j];
	return power;
}

static int set_powers(struct equant_chunks *chunks, const int *powers)
{
	size_t workers = (size_t)chunks->workers;

	chunks->powers = malloc(workers * sizeof(*chunks->powers));
	if (!chunks->powers)
		return -ENOMEM;
	for (size_t j = 0; j < workers; j++)
		chunks->powers[j] = powers ? powers[j] : 1;
	if (!(chunks->scheme->flags & EQUANT_SCHEME_LEARNS))
		return 0;
	chunks->learned = calloc(workers, sizeof(*chunks->learned));
	return chunks->learned ? 0 : -ENOMEM;
}

/* Whoever adds up the iterations of rectangles gets no more than that. */
static int check_iterations(const struct equant_chunks_options *options, char *why, size_t why_size)
{
	int64_t all = 1;

	for (int i = 0; i < options->dimensions; i++) {
		if (!__builtin_mul_overflow(all, options->extents[i], &all))
			continue;
		equant_say(why, why_size, "more than 2^63 - 1 iterations in %d dimensions",
			   options->dimensions);
		return -EOVERFLOW;
	}
	return 0;
}

static int set_line(struct equant_chunks *chunks, const struct equant_chunks_options *options,
		    char *why, size_t why_size)
{
	int64_t total = options->extents[0], workers = cut_for(chunks);
	int error;

	if (chunks->dimensions > 1) {
		chunks->grid = equant_grid_new(chunks->scheme, options, workers, why, why_size);
		if (!chunks->grid)
			return -errno;
		total = equant_grid_count(chunks->grid);
		error = total ? check_iterations(options, why, why_size) : 0;
		if (error)
			return error;
	}
	equant_line_init(&chunks->line, chunks->scheme, options, total, workers);
	if (!(chunks->scheme->flags & EQUANT_SCHEME_TREES))
		return 0;
	chunks->trees = equant_trees_new(chunks->powers, chunks->workers, total,
					 chunks->grid ? 1 : chunks->line.chunk);
	return chunks->trees ? 0 : -ENOMEM;
}

struct equant_chunks *equant_chunks_new(const struct equant_chunks_options *from, char *why,
					size_t why_size)
{
	struct equant_chunks_options options;
	struct equant_chunks *chunks;
	int error;

	error = equant_chunks_options_copy(&options, from, why, why_size);
	if (error) {
		errno = -error;
		return NULL;
	}
	equant_say(why, why_size, "no memory for the chunks");
	chunks = calloc(1, sizeof(*chunks));
	if (!chunks)
		return NULL;
	chunks->scheme = equant_find_scheme(options.scheme);
	chunks->workers = options.workers;
	chunks->dimensions = options.dimensions;
	error = set_powers(chunks, options.powers);
	if (!error)
		error = set_line(chunks, &options, why, why_size);
	if (error) {
		equant_chunks_free(chunks);
		errno = -error;
		return NULL;
	}
	equant_say(why, why_size, "%s", "");
	return chunks;
}

void equant_chunks_free(struct equant_chunks *chunks)
{
	if (!chunks)
		return;
	equant_grid_free(chunks->grid);
	equant_trees_free(chunks->trees);
	free(chunks->learned);
	free(chunks->powers);
	free(chunks);
}

/* A round hands out half of what is left.  Without rounds each chunk is one. */
static void begin_round(struct equant_chunks *chunks)
{
	bool rounds = chunks->scheme->flags & EQUANT_SCHEME_ROUNDS;

	if (rounds && chunks->round_left > 0)
		return;
	if (rounds && chunks->round < EQUANT_ROUNDS)
		chunks->begins[chunks->round] = chunks->line.total - chunks->line.left;
	chunks->round++;
	chunks->round_size = equant_divide_up(chunks->line.left, 2);
	chunks->round_left = chunks->round_size;
	chunks->scheme->weigh(chunks);
}

static int64_t take_learned(struct equant_chunks *chunks, int worker)
{
	struct equant_line *line = &chunks->line;
	int64_t size;

	begin_round(chunks);
	if (chunks->grid)
		size = llround(EQUANT_GRID_WEIGHT * chunks->learned[worker].weight);
	else
		size = chunks->scheme->learned(chunks, worker);
	if (!chunks->grid && size < line->minimum)
		size = line->minimum;
	if (size < 1)
		size = 1;
	if (size > line->left)
		size = line->left;
	chunks->learned[worker].first = line->total - line->left;
	line->left -= size;
	chunks->round_left -= size;
	return size;
}

static int64_t take_steps(struct equant_chunks *chunks, int worker)
{
	struct equant_line *line = &chunks->line;
	int64_t steps = 1;

	if (chunks->scheme->flags & EQUANT_SCHEME_WEIGHTED)
		steps = chunks->powers[worker];
	if (!chunks->grid)
		return equant_line_take(line, chunks->scheme, steps);
	if (steps > line->left)
		steps = line->left;
	line->left -= steps;
	return steps;
}

static bool is_worker(const struct equant_chunks *chunks, int worker)
{
	return worker >= 0 && worker < chunks->workers;
}

int equant_chunks_next(struct equant_chunks *chunks, int worker, struct equant_chunk *chunk)
{
	struct equant_line *line = &chunks->line;
	int64_t first = line->total - line->left, count;

	if (!is_worker(chunks, worker))
		return -EINVAL;
	if (chunks->trees)
		return equant_trees_next(chunks->trees, worker, chunk);
	if (!line->left)
		return 0;
	if (chunks->learned)
		count = take_learned(chunks, worker);
	else
		count = take_steps(chunks, worker);
	*chunk = (struct equant_chunk){ first, count };
	return 1;
}

/* Who is slow reports a chunk when others are in a later round: it counts as what it was. */
static int64_t round_of(const struct equant_chunks *chunks, int64_t first)
{
	int64_t round = chunks->round < EQUANT_ROUNDS ? chunks->round : EQUANT_ROUNDS;

	while (round > 1 && chunks->begins[round - 1] > first)
		round--;
	return round > 1 ? round : 1;
}

int equant_chunks_report_of(struct equant_chunks *chunks, int worker, int64_t first,
			    int64_t iterations, double compute, double overhead)
{
	bool rounds = chunks->scheme->flags & EQUANT_SCHEME_ROUNDS;
	struct equant_learned *learned;
	double time, k;

	if (!is_worker(chunks, worker) || iterations < 1 || !(compute >= 0 && compute < HUGE_VAL) ||
	    !(overhead >= 0 && overhead < HUGE_VAL))
		return -EINVAL;
	if (!chunks->learned)
		return 0;
	learned = &chunks->learned[worker];
	time = compute;
	if (chunks->scheme->flags & EQUANT_SCHEME_OVERHEAD)
		time += overhead;
	/* A clock may be too coarse for a chunk; nothing takes no time. */
	if (time < 1e-9)
		time = 1e-9;
	learned->chunks++;
	k = (double)(rounds ? round_of(chunks, first) : learned->chunks);
	learned->iterations += (double)iterations;
	learned->time += time;
	learned->squares += time * time / (double)iterations;
	learned->weighted_time += k * time;
	learned->weighted_iterations += k * (double)iterations;
	return 0;
}

int equant_chunks_report(struct equant_chunks *chunks, int worker, int64_t iterations,
			 double compute, double overhead)
{
	int64_t first =
		chunks->learned && is_worker(chunks, worker) ? chunks->learned[worker].first : 0;

	return equant_chunks_report_of(chunks, worker, first, iterations, compute, overhead);
}

int equant_chunks_power(struct equant_chunks *chunks, int worker, int power)
{
	if (!is_worker(chunks, worker) || power < 1 || power > EQUANT_CHUNKS_POWER)
		return -EINVAL;
	chunks->powers[worker] = power;
	return 0;
}

int64_t equant_chunks_total(const struct equant_chunks *chunks)
{
	return chunks->line.total;
}

int equant_chunks_box(const struct equant_chunks *chunks, int64_t n, int64_t *first,
		      int64_t *extents)
{
	if (n < 0 || n >= chunks->line.total)
		return -ERANGE;
	if (chunks->grid) {
		equant_grid_box(chunks->grid, n, first, extents);
	} else {
		first[0] = n;
		extents[0] = 1;
	}
	return 0;
}
