// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Tree scheduling: each worker begins with a part in proportion to its power.  One that has
 * nothing left asks its neighbour on the left, the same one always, and gets the half of what
 * that one has not yet begun.  A neighbour with nothing asks its own first, so work travels
 * from neighbour to neighbour until an idle worker has some.
 *
 * The paper's fig. 2 is not described further.  Here the neighbours form a ring, in which
 * slow and fast workers alternate: the fast one takes over what the slow one to its left cannot do.
 *
 * Reference: Chronopoulos, Ni, Penmatsa, section IV.A, after S. P. Dandamudi, T. K. Thyagaraj, A
 * Hierarchical Processor Scheduling Policy for Distributed-Memory Multicomputer Systems,
 * 1997, and T. H. Kim, J. M. Purtilo, Load Balancing for Parallel Loops in Workstation
 * Clusters, 1996.
 */
#include <stdlib.h>

#include "selfsched/selfsched_internal.h"

struct branch {
	int64_t begin;
	int64_t end;
	int left;
	int right;
};

struct equant_trees {
	int workers;
	int64_t chunk;
	struct branch branches[];
};

struct ranked {
	int worker;
	int power;
};

static int by_power(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->power != y->power)
		return x->power < y->power ? -1 : 1;
	return x->worker < y->worker ? -1 : 1;
}

/* The n-th of the ring: slowest, fastest, second slowest, second fastest, ... */
static int ring(const struct ranked *sorted, int workers, int n)
{
	return sorted[n % 2 ? workers - 1 - n / 2 : n / 2].worker;
}

static void connect(struct equant_trees *trees, const struct ranked *sorted)
{
	int n = trees->workers;

	for (int i = 0; i < n; i++) {
		int worker = ring(sorted, n, i), next = ring(sorted, n, (i + 1) % n);

		trees->branches[worker].right = next;
		trees->branches[next].left = worker;
	}
}

static void hand_out(struct equant_trees *trees, const int *powers, int64_t total)
{
	int64_t all = 0, sum = 0;

	for (int j = 0; j < trees->workers; j++)
		all += powers[j];
	for (int j = 0; j < trees->workers; j++) {
		trees->branches[j].begin = (int64_t)((__int128)total * sum / all);
		sum += powers[j];
		trees->branches[j].end = (int64_t)((__int128)total * sum / all);
	}
}

struct equant_trees *equant_trees_new(const int *powers, int workers, int64_t total, int64_t chunk)
{
	struct ranked *sorted = malloc((size_t)workers * sizeof(*sorted));
	struct equant_trees *trees;

	trees = malloc(sizeof(*trees) + (size_t)workers * sizeof(trees->branches[0]));
	if (sorted && trees) {
		for (int j = 0; j < workers; j++)
			sorted[j] = (struct ranked){ j, powers[j] };
		qsort(sorted, (size_t)workers, sizeof(*sorted), by_power);
		trees->workers = workers;
		trees->chunk = chunk;
		connect(trees, sorted);
		hand_out(trees, powers, total);
	} else {
		free(trees);
		trees = NULL;
	}
	free(sorted);
	return trees;
}

void equant_trees_free(struct equant_trees *trees)
{
	free(trees);
}

void *equant_trees_state(struct equant_trees *trees)
{
	return trees->branches;
}

size_t equant_trees_state_size(const struct equant_trees *trees)
{
	return (size_t)trees->workers * sizeof(trees->branches[0]);
}

int equant_trees_left(const struct equant_trees *trees, int worker)
{
	return trees->branches[worker].left;
}

int equant_trees_right(const struct equant_trees *trees, int worker)
{
	return trees->branches[worker].right;
}

int equant_trees_split(struct equant_trees *trees, int worker, int all, struct equant_chunk *part)
{
	struct branch *own = &trees->branches[worker];
	int64_t kept = all ? 0 : (own->end - own->begin) / 2;

	*part = (struct equant_chunk){ own->begin + kept, own->end - own->begin - kept };
	own->end -= part->count;
	return part->count > 0;
}

void equant_trees_join(struct equant_trees *trees, int worker, const struct equant_chunk *part)
{
	trees->branches[worker].begin = part->first;
	trees->branches[worker].end = part->first + part->count;
}

int equant_trees_hops(const struct equant_trees *trees, int worker)
{
	int hops = 0;

	while (trees->branches[worker].begin == trees->branches[worker].end &&
	       hops < trees->workers) {
		worker = trees->branches[worker].left;
		hops++;
	}
	return hops;
}

/* Is there work at this worker, or can it be brought there?  Goes left until there is some, then back. */
static bool fetch(struct equant_trees *trees, int worker)
{
	int hops = equant_trees_hops(trees, worker), from = worker, to;
	struct equant_chunk part;

	if (hops == trees->workers)
		return false;
	for (int i = 0; i < hops; i++)
		from = trees->branches[from].left;
	for (; from != worker; from = to) {
		to = trees->branches[from].right;
		equant_trees_split(trees, from, 0, &part);
		equant_trees_join(trees, to, &part);
	}
	return true;
}

int equant_trees_take(struct equant_trees *trees, int worker, struct equant_chunk *chunk)
{
	struct branch *own = &trees->branches[worker];
	int64_t size = own->end - own->begin;

	if (size > trees->chunk)
		size = trees->chunk;
	*chunk = (struct equant_chunk){ own->begin, size };
	own->begin += size;
	return size > 0;
}

int equant_trees_next(struct equant_trees *trees, int worker, struct equant_chunk *chunk)
{
	return fetch(trees, worker) ? equant_trees_take(trees, worker, chunk) : 0;
}
