// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * An open shop: messages in pieces, in no more time than the bound.
 *
 * Let T be the time that is left until the bound.  A rank whose messages take all of T is
 * tight, on the side on which they do.  There is always a matching of senders and receivers that
 * covers every tight one, and it may be kept up until a message of it is through or another rank
 * becomes tight.  Either happens once per message or rank and side, so there are at most
 * count + 2 ranks phases.  What of a matching is still possible is kept from phase to phase, so
 * that messages are split no more often than necessary.
 *
 * Matchings are made larger by paths on which its messages and others alternate, from a tight
 * rank that it leaves out to one on the other side that it leaves out too, or to one on the
 * same side that is not tight and takes its place.
 *
 * Times are counted in whole ticks, 2^-50 of the bound, so that tight is exact.
 *
 * A matching that covers the tight ranks is filled up with what others can send at the same time,
 * the longest first: that delays the moment at which they become tight, too.
 *
 * Reference: T. Gonzalez, S. Sahni, Open Shop Scheduling to Minimize Finish Time, Journal of the
 * ACM 23(4), 1976, section 3.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "redist/schedule.h"

#define TICKS 0x1p50 /* of the bound */

/**
 * struct side - senders, or receivers
 * @list: indices of messages, rank by rank
 * @starts: where each rank's are
 * @busy: ticks of each rank's messages
 * @mate: the message of each in the matching, or -1
 * @through: the message by which the search came here, or -1
 */
struct side {
	int64_t *list;
	int64_t *starts;
	int64_t *busy;
	int64_t *mate;
	int64_t *through;
};

/**
 * struct shop - what is left
 * @costs: of the messages
 * @sides: senders and receivers
 * @all: ticks of each message
 * @left: of them
 * @time: T, ticks
 * @end: the first T
 * @open: the message that each sender is in the middle of, or -1
 * @since: how much of @end was over when that began
 * @queue: of the search
 */
struct shop {
	const struct equant_redist_costs *costs;
	struct side sides[2];
	int64_t *all;
	int64_t *left;
	int64_t time;
	int64_t end;
	int64_t *open;
	int64_t *since;
	int *queue;
};

static int rank_of(const struct shop *shop, int64_t message, int side)
{
	return side ? shop->costs->messages[message].to : shop->costs->messages[message].from;
}

static bool tight(const struct shop *shop, int side, int rank)
{
	return shop->sides[side].busy[rank] == shop->time;
}

/* ---- matchings ------------------------------------------------------------------------- */

/* Take the path that leads from the root on @side to @rank on the other one. */
static void flip(struct shop *shop, int side, int rank)
{
	struct side *near = &shop->sides[side], *far = &shop->sides[!side];
	int64_t message, before;

	do {
		int at;

		message = far->through[rank];
		at = rank_of(shop, message, side);
		before = near->mate[at];
		near->mate[at] = message;
		far->mate[rank] = message;
		rank = before < 0 ? 0 : rank_of(shop, before, !side);
	} while (before >= 0);
}

/* At @rank opposite of @side.  Return: is the path complete?  If not, where to go on is queued. */
static bool arrive(struct shop *shop, int side, int rank, int *queued)
{
	int64_t mate = shop->sides[!side].mate[rank];
	int next;

	if (mate >= 0) {
		next = rank_of(shop, mate, side);
		if (tight(shop, side, next)) {
			shop->queue[(*queued)++] = next;
			return false;
		}
		shop->sides[side].mate[next] = -1;
	}
	flip(shop, side, rank);
	return true;
}

/* Have @root, which is tight, in the matching. */
static bool cover(struct shop *shop, int side, int root)
{
	struct side *near = &shop->sides[side], *far = &shop->sides[!side];
	int queued = 0;

	for (int i = 0; i < shop->costs->ranks; i++)
		far->through[i] = -1;
	shop->queue[queued++] = root;
	for (int i = 0; i < queued; i++) {
		int at = shop->queue[i];

		for (int64_t k = near->starts[at]; k < near->starts[at + 1]; k++) {
			int64_t message = near->list[k];
			int rank = rank_of(shop, message, !side);

			if (!shop->left[message] || far->through[rank] >= 0)
				continue;
			far->through[rank] = message;
			if (arrive(shop, side, rank, &queued))
				return true;
		}
	}
	return false;
}

static bool cover_all(struct shop *shop)
{
	for (int side = 0; side < 2; side++)
		for (int i = 0; i < shop->costs->ranks; i++)
			if (shop->sides[side].mate[i] < 0 && tight(shop, side, i) &&
			    !cover(shop, side, i))
				return false;
	return true;
}

/* Who is not needed for the tight ones sends what he can. */
static void fill_up(struct shop *shop)
{
	struct side *senders = &shop->sides[0], *receivers = &shop->sides[1];

	for (int i = 0; i < shop->costs->ranks; i++) {
		int64_t longest = -1;

		if (senders->mate[i] >= 0 || !senders->busy[i])
			continue;
		for (int64_t k = senders->starts[i]; k < senders->starts[i + 1]; k++)
			if (shop->left[k] && receivers->mate[rank_of(shop, k, 1)] < 0 &&
			    (longest < 0 || shop->left[k] > shop->left[longest]))
				longest = k;
		if (longest >= 0)
			senders->mate[i] = receivers->mate[rank_of(shop, longest, 1)] = longest;
	}
}

/* ---- phases ---------------------------------------------------------------------------- */

/* Until a message of the matching is through, or a rank outside becomes tight. */
static int64_t phase_length(const struct shop *shop)
{
	int64_t length = shop->time;

	for (int side = 0; side < 2; side++) {
		const struct side *of = &shop->sides[side];

		for (int i = 0; i < shop->costs->ranks; i++)
			length = equant_redist_min(length, of->mate[i] < 0 ?
								   shop->time - of->busy[i] :
								   shop->left[of->mate[i]]);
	}
	return length;
}

/* What sender @i was sending ends here. */
static int close_piece(struct shop *shop, struct equant_redist_draft *draft, int i)
{
	double tick = draft->schedule->bound / TICKS;
	int64_t over = shop->end - shop->time, message = shop->open[i];
	const struct equant_redist_message *of;
	double share;

	if (message < 0)
		return 0;
	of = &shop->costs->messages[message];
	share = (double)(over - shop->since[i]) / (double)shop->all[message];
	return equant_redist_place(draft, of, share, (double)shop->since[i] * tick,
				   (double)over * tick);
}

/* Pieces that are not gone on with end; others begin. */
static int change_pieces(struct shop *shop, struct equant_redist_draft *draft)
{
	int error = 0;

	for (int i = 0; i < shop->costs->ranks && !error; i++) {
		int64_t mate = shop->sides[0].mate[i];

		if (mate == shop->open[i])
			continue;
		error = close_piece(shop, draft, i);
		shop->open[i] = mate;
		shop->since[i] = shop->end - shop->time;
	}
	return error;
}

static void pass(struct shop *shop, int64_t length)
{
	for (int i = 0; i < shop->costs->ranks; i++) {
		int64_t message = shop->sides[0].mate[i];
		int to;

		if (message < 0)
			continue;
		to = rank_of(shop, message, 1);
		shop->left[message] -= length;
		shop->sides[0].busy[i] -= length;
		shop->sides[1].busy[to] -= length;
		if (!shop->left[message])
			shop->sides[0].mate[i] = shop->sides[1].mate[to] = -1;
	}
	shop->time -= length;
}

static int run(struct shop *shop, struct equant_redist_draft *draft)
{
	int error = 0;

	while (shop->time && !error) {
		/* Sums of rows and columns are no more than T, so there is a matching. */
		if (!cover_all(shop))
			return -EDOM;
		fill_up(shop);
		error = change_pieces(shop, draft);
		pass(shop, phase_length(shop));
	}
	for (int i = 0; i < shop->costs->ranks; i++)
		shop->sides[0].mate[i] = -1;
	return error ? error : change_pieces(shop, draft);
}

/* ---- the whole ------------------------------------------------------------------------- */

static int64_t *numbers(int64_t count)
{
	return calloc((size_t)count + 1, sizeof(int64_t));
}

static bool make_side(struct side *side, const struct equant_redist_costs *costs)
{
	*side = (struct side){ numbers(costs->count), numbers(costs->ranks), numbers(costs->ranks),
			       numbers(costs->ranks), numbers(costs->ranks) };
	return side->list && side->starts && side->busy && side->mate && side->through;
}

static void free_shop(struct shop *shop)
{
	for (int s = 0; s < 2; s++) {
		free(shop->sides[s].list);
		free(shop->sides[s].starts);
		free(shop->sides[s].busy);
		free(shop->sides[s].mate);
		free(shop->sides[s].through);
	}
	free(shop->all);
	free(shop->left);
	free(shop->open);
	free(shop->since);
	free(shop->queue);
}

static bool make_shop(struct shop *shop, const struct equant_redist_costs *costs)
{
	bool made;

	*shop = (struct shop){ .costs = costs };
	made = make_side(&shop->sides[0], costs);
	made = make_side(&shop->sides[1], costs) && made;
	shop->all = numbers(costs->count);
	shop->left = numbers(costs->count);
	shop->open = numbers(costs->ranks);
	shop->since = numbers(costs->ranks);
	shop->queue = calloc((size_t)costs->ranks, sizeof(*shop->queue));
	return made && shop->all && shop->left && shop->open && shop->since && shop->queue;
}

/* Times in ticks; messages that take no time are sent at once.  T is longer by @slack of itself. */
static int fill_shop(struct shop *shop, struct equant_redist_draft *draft, double slack)
{
	const struct equant_redist_costs *costs = shop->costs;
	double bound = draft->schedule->bound;

	for (int64_t k = 0; k < costs->count; k++) {
		double time = equant_redist_time(&costs->messages[k]);
		int64_t ticks = time > 0 ? llround(time / bound * TICKS) : 0;

		shop->sides[0].list[k] = k;
		shop->all[k] = shop->left[k] = ticks;
		shop->sides[0].busy[costs->messages[k].from] += ticks;
		shop->sides[1].busy[costs->messages[k].to] += ticks;
		if (!ticks && equant_redist_place(draft, &costs->messages[k], 1, 0, time))
			return -ENOMEM;
	}
	memcpy(shop->sides[0].starts, costs->starts,
	       ((size_t)costs->ranks + 1) * sizeof(*costs->starts));
	equant_redist_by_receiver(costs, shop->sides[1].list, shop->sides[1].starts);
	for (int i = 0; i < costs->ranks; i++) {
		shop->open[i] = shop->sides[0].mate[i] = shop->sides[1].mate[i] = -1;
		for (int s = 0; s < 2; s++)
			shop->end = equant_redist_max(shop->end, shop->sides[s].busy[i]);
	}
	shop->end += llround(slack * (double)shop->end);
	shop->time = shop->end;
	return 0;
}

int equant_redist_split(struct equant_redist_draft *draft, double slack)
{
	struct shop shop;
	int error = -ENOMEM;

	if (make_shop(&shop, draft->costs)) {
		error = fill_shop(&shop, draft, slack);
		if (!error)
			error = run(&shop, draft);
	}
	free_shop(&shop);
	return error;
}
