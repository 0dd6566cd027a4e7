/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_REDIST_INTERNAL_H
#define EQUANT_REDIST_INTERNAL_H

#include <stdbool.h>

#include "core/say.h"
#include <equant/redist.h>

static inline int64_t equant_redist_min(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static inline int64_t equant_redist_max(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Say in @why what is wrong; the value is @error. */
#define equant_redist_refuse(error, why, why_size, ...) \
	(equant_say(why, why_size, __VA_ARGS__), (error))

/* ---- costs.c ------------------------------------------------------------------- */

/* 0, -EINVAL for less than 1 rank, -EOVERFLOW for more than there can be. */
int equant_redist_check_ranks(int ranks, char *why, size_t why_size);

/* ---- cyclic.c ------------------------------------------------------------------ */

/* Where element @g of an array is in the local array of the process that has it. */
static inline int64_t equant_redist_local_index(const struct equant_redist_cyclic *cyclic,
						int64_t g)
{
	return g / (cyclic->block * cyclic->processes) * cyclic->block + g % cyclic->block;
}

/* Blocks longer than the array are as long as it: so that x P does not overflow. */
struct equant_redist_cyclic equant_redist_clamp(int64_t elements,
						const struct equant_redist_cyclic *cyclic);

/* ---- pattern.c ------------------------------------------------------------------- */

/**
 * struct equant_redist_pattern - what all pairs of processes have in common
 * @elements: n
 * @fine: the side with the smaller blocks
 * @coarse: the other
 * @swapped: is the receiver's side the fine one?
 * @gcd: of x P and y Q
 * @period: coarse blocks of one process after which everything is repeated
 * @inverse: of y Q / gcd, modulo @period
 */
struct equant_redist_pattern {
	int64_t elements;
	struct equant_redist_cyclic fine;
	struct equant_redist_cyclic coarse;
	bool swapped;
	int64_t gcd;
	int64_t period;
	int64_t inverse;
};

/* @from and @to have been checked. */
void equant_redist_pattern_init(struct equant_redist_pattern *pattern, int64_t elements,
				const struct equant_redist_cyclic *from,
				const struct equant_redist_cyclic *to);

/* Where the blocks of @process begin, seen from the first element that is redistributed. */
int64_t equant_redist_begin(const struct equant_redist_cyclic *cyclic, int process);

/* Call @emit for each run of sender @p and receiver @q, in no particular order. */
void equant_redist_pattern_runs(const struct equant_redist_pattern *pattern, int p, int q,
				void (*emit)(void *to, const struct equant_redist_run *run),
				void *to);

/* The elements of all runs of sender @p and receiver @q. */
int64_t equant_redist_pattern_count(const struct equant_redist_pattern *pattern, int p, int q);

/* ---- pairs.c ------------------------------------------------------------------------ */

/**
 * struct equant_redist_pairs - which processes have elements for each other in one dimension
 * @starts: sender p has those from starts[p] to below starts[p + 1]
 * @to: the receiver of each, rising for each sender
 * @elements: how many, more than 0
 */
struct equant_redist_pairs {
	int64_t *starts;
	int *to;
	int64_t *elements;
};

/* @from and @to have been checked.  0 or -ENOMEM; to be released either way. */
int equant_redist_pairs_init(struct equant_redist_pairs *pairs, int64_t elements,
			     const struct equant_redist_cyclic *from,
			     const struct equant_redist_cyclic *to);
void equant_redist_pairs_release(struct equant_redist_pairs *pairs);

/* ---- network.c -------------------------------------------------------------------- */

/* Another one that is the same, or NULL. */
struct equant_redist_network *
equant_redist_network_copy(const struct equant_redist_network *network);

/*
 * Another link, whatever the order, which has been checked; equant_redist_network_sort() must follow
 * before the network is used.  0 or -ENOMEM.
 */
int equant_redist_network_add(struct equant_redist_network *network,
			      const struct equant_redist_link *link);

/* Links into their order, for what looks for one, and one that was added twice, or NULL, after that. */
void equant_redist_network_sort(struct equant_redist_network *network);
const struct equant_redist_link *
equant_redist_network_twice(const struct equant_redist_network *network);

/* ---- network_costs.c -------------------------------------------------------------- */

/* As equant_redist_network_costs(), but of messages that all have their ports to themselves. */
struct equant_redist_costs *equant_redist_network_price(const struct equant_redist_network *network,
							int64_t count,
							const struct equant_redist_volume *volumes,
							char *why, size_t why_size);

/* @volumes in the order of the messages of costs, to be freed; NULL: out of memory. */
struct equant_redist_volume *equant_redist_in_order(int64_t count,
						    const struct equant_redist_volume *volumes);

/* What of @bandwidth the ports between @from and @to leave. */
double equant_redist_network_through(const struct equant_redist_network *network, int from, int to,
				     double bandwidth);

#endif /* EQUANT_REDIST_INTERNAL_H */
