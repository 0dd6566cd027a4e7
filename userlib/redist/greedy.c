// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The greedy schedule: whenever a sender becomes free it takes, of the receivers it still has
 * a message for, the one that is free first.  Senders that become free at once are served in the
 * order of their ranks, and of receivers that are free at once the lowest rank is taken: the
 * paper leaves both open.
 *
 * O(P K^2) at most: each of P K messages is the result of a look at no more than K receivers, and
 * of far fewer where K is near P.
 *
 * Source: Bhat, Prasanna, Raghavendra, section 4.3.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "redist/unsent.h"

/* A sender and the time of all that it has. */
struct load {
	double time;
	int sender;
};

/* One that plays for being served next; its time is in bits, which are in the order of the numbers. */
struct player {
	uint64_t time;
	uint32_t place;
};

#define DONE INT64_MAX /* a time later than any: nothing is left */

/**
 * struct waiting - senders with messages left
 *
 * They play in a tree (Knuth, The Art of Computer Programming 3, section 5.4.1, tree of losers): after a
 * sender's time has changed, it plays against the losers on its way up, whose places are known
 * from the start, and nothing else is looked at.
 *
 * @loads: all senders: of those that become free at once the first here is served first
 * @times, @places: of the loser at each node; the root is 1, below node n are 2n and 2n + 1
 * @leaves: of the tree, a power of 2
 */
struct waiting {
	struct load *loads;
	uint64_t *times;
	uint32_t *places;
	uint32_t leaves;
};

static int busiest_first(const void *a, const void *b)
{
	const struct load *x = a, *y = b;

	if (x->time != y->time)
		return x->time > y->time ? -1 : 1;
	return x->sender - y->sender;
}

static void order_senders(struct waiting *waiting, const struct equant_redist_costs *costs,
			  bool by_load)
{
	for (int i = 0; i < costs->ranks; i++) {
		waiting->loads[i] = (struct load){ 0, i };
		for (int64_t k = costs->starts[i]; k < costs->starts[i + 1] && by_load; k++)
			waiting->loads[i].time += equant_redist_time(&costs->messages[k]);
	}
	if (by_load)
		qsort(waiting->loads, (size_t)costs->ranks, sizeof(*waiting->loads), busiest_first);
}

/*
 * @player plays on its way up; -> who has won.  Of equals wins who comes from the left.  Without branches, which
 * nobody could predict.
 */
static struct player play(const struct waiting *waiting, struct player player)
{
	uint32_t leaf = waiting->leaves + player.place;

	for (uint32_t node = leaf / 2; node; leaf = node, node /= 2) {
		uint64_t time = waiting->times[node];
		uint32_t place = waiting->places[node];
		uint64_t wins = -(uint64_t)(player.time + (leaf & 1) <= time);
		uint64_t swap = (player.time ^ time) & ~wins;
		uint32_t change = (player.place ^ place) & (uint32_t)~wins;

		waiting->times[node] = time ^ swap;
		waiting->places[node] = place ^ change;
		player.time ^= swap;
		player.place ^= change;
	}
	return player;
}

/* All games at and below @node; -> who has won them. */
static struct player play_all(const struct waiting *waiting,
			      const struct equant_redist_unsent *unsent, uint32_t node)
{
	struct player left, right, loser;

	if (node >= waiting->leaves) {
		uint32_t place = node - waiting->leaves;
		bool plays = place < (uint32_t)unsent->ranks &&
			     unsent->left[waiting->loads[place].sender];

		return (struct player){ plays ? 0 : DONE, place };
	}
	left = play_all(waiting, unsent, 2 * node);
	right = play_all(waiting, unsent, 2 * node + 1);
	loser = left.time <= right.time ? right : left;
	waiting->times[node] = loser.time;
	waiting->places[node] = loser.place;
	return left.time <= right.time ? left : right;
}

static int serve(struct equant_redist_draft *draft, struct equant_redist_unsent *unsent,
		 struct waiting *waiting)
{
	struct player player = play_all(waiting, unsent, 1);
	int error = 0;

	while (player.time != DONE && !error) {
		int sender = waiting->loads[player.place].sender;

		error = equant_redist_unsent_send(unsent, draft, sender);
		player.time = DONE;
		if (unsent->left[sender])
			memcpy(&player.time, &draft->send[sender], sizeof(player.time));
		player = play(waiting, player);
	}
	return error;
}

int equant_redist_list(struct equant_redist_draft *draft, const double *keys)
{
	struct waiting waiting = {
		.loads = calloc((size_t)draft->costs->ranks, sizeof(*waiting.loads)),
		.leaves = 1,
	};
	struct equant_redist_unsent unsent;
	int error = equant_redist_unsent_init(&unsent, draft->costs, keys);

	while (waiting.leaves < (uint32_t)draft->costs->ranks)
		waiting.leaves *= 2;
	waiting.times = calloc(waiting.leaves, sizeof(*waiting.times));
	waiting.places = calloc(waiting.leaves, sizeof(*waiting.places));
	if (!error && !(waiting.loads && waiting.times && waiting.places))
		error = -ENOMEM;
	if (!error) {
		order_senders(&waiting, draft->costs, keys);
		error = serve(draft, &unsent, &waiting);
	}
	equant_redist_unsent_release(&unsent);
	free(waiting.loads);
	free(waiting.times);
	free(waiting.places);
	return error;
}

int equant_redist_greedy(struct equant_redist_draft *draft)
{
	return equant_redist_list(draft, NULL);
}
