// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Adaptive factoring: chunks by which all workers probably finish together.  With mu_j and
 * sigma_j^2, mean and variance of an iteration's time on worker j,
 *
 *	D = sum(sigma_j^2 / mu_j),  T = 1 / sum(1 / mu_j)
 *	C_j = (D + 2 T R - sqrt(D^2 + 4 D T R)) / (2 mu_j)
 *
 * Only the time of whole chunks is known here.  The variance follows from how their means
 * scatter: a chunk of n iterations scatters by sigma^2 / n, so that
 *
 *	sigma^2 = (sum(t_k^2 / n_k) - (sum t_k)^2 / sum n_k) / (K - 1)
 *
 * which needs two chunks.  Until a worker has reported those it takes what awf-c would give it.
 *
 * Reference: I. Banicescu, Z. Liu, Adaptive Factoring: A Dynamic Scheduling Method Tuned to
 * the Rate of Weight Changes, Proc. High Performance Computing Symposium, 2000.
 */
#include <math.h>

#include "selfsched/selfsched_internal.h"

#define CHUNKS_NEEDED 2

static double mean(const struct equant_learned *learned)
{
	return learned->chunks ? learned->time / learned->iterations : 0;
}

static double variance(const struct equant_learned *learned)
{
	double spread;

	if (learned->chunks < CHUNKS_NEEDED)
		return 0;
	spread = learned->squares - learned->time * learned->time / learned->iterations;
	return spread > 0 ? spread / (double)(learned->chunks - 1) : 0;
}

void equant_adaptive_factoring_weigh(struct equant_chunks *chunks)
{
	equant_weigh_by(chunks, mean);
}

int64_t equant_adaptive_factoring_size(struct equant_chunks *chunks, int worker)
{
	const struct equant_learned *own = &chunks->learned[worker];
	double left = (double)chunks->line.left, d = 0, rates = 0, tr, size;

	if (own->chunks < CHUNKS_NEEDED)
		return equant_adaptive_size(chunks, worker);
	for (int j = 0; j < chunks->workers; j++) {
		const struct equant_learned *other = &chunks->learned[j];
		double mu = other->chunks ? mean(other) : mean(own) * own->weight / other->weight;

		d += variance(other) / mu;
		rates += 1 / mu;
	}
	tr = left / rates;
	size = (d + 2 * tr - sqrt(d * d + 4 * d * tr)) / (2 * mean(own));
	return size < left ? (int64_t)size : chunks->line.left;
}
