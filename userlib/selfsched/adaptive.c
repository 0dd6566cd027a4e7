// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Adaptive weighted factoring: factoring whose weights are measured while the loop runs.
 * The time of an iteration on worker j is an average in which later chunks count more,
 *
 *	pi_j = sum(k t_k) / sum(k n_k)
 *
 * for chunks of n_k iterations that took t_k; the weight of j is its part of the sum of
 * 1 / pi, times p, and its chunk that weight times a p-th of the round.
 *
 *	awf-b	k is the round that the chunk is of, weights change from round to round
 *	awf-c	k is the worker's chunk, each chunk is a round of its own
 *	awf-d	as awf-b, t_k with the time for asking
 *	awf-e	as awf-c, likewise
 *
 * A worker that has reported nothing yet stands where its virtual power puts it among those
 * that have.
 *
 * Reference: I. Banicescu, V. Velusamy, J. Devaprasad, On the Scalability of Dynamic Scheduling
 * Scientific Applications with Adaptive Weighted Factoring, Cluster Computing 6, 2003; R. L. Carino,
 * I. Banicescu, Dynamic load balancing with adaptive factoring methods in scientific
 * applications, Journal of Supercomputing 44, 2008.
 */
#include <math.h>

#include "selfsched/selfsched_internal.h"

void equant_weigh_by(struct equant_chunks *chunks,
		     double (*seconds)(const struct equant_learned *learned))
{
	double known = 0, power = 0, sum = 0, rate;

	for (int j = 0; j < chunks->workers; j++) {
		double time = seconds(&chunks->learned[j]);

		known += time > 0 ? 1 / time : 0;
		power += time > 0 ? chunks->powers[j] : 0;
	}
	for (int j = 0; j < chunks->workers; j++) {
		double time = seconds(&chunks->learned[j]);

		rate = time > 0	 ? 1 / time :
		       power > 0 ? chunks->powers[j] * known / power :
				   chunks->powers[j];
		chunks->learned[j].weight = rate;
		sum += rate;
	}
	for (int j = 0; j < chunks->workers; j++)
		chunks->learned[j].weight *= chunks->workers / sum;
}

static double seconds_per_iteration(const struct equant_learned *learned)
{
	return learned->chunks ? learned->weighted_time / learned->weighted_iterations : 0;
}

void equant_adaptive_weigh(struct equant_chunks *chunks)
{
	equant_weigh_by(chunks, seconds_per_iteration);
}

int64_t equant_adaptive_size(struct equant_chunks *chunks, int worker)
{
	double part = chunks->learned[worker].weight / chunks->workers;
	double size = ceil(part * (double)chunks->round_size);

	return size < (double)chunks->round_left ? (int64_t)size : chunks->round_left;
}
