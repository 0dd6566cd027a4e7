// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Combine and forward, where start-ups decide: few steps, each with one message out of and into
 * every rank, which carries whatever goes that way.
 *
 * Every receiver d gets a collector c, no two the same, such that all who send to d are at most W
 * - 1 ranks behind c on the circle of ranks.  In step k everything that has still to go a
 * distance with bit k goes 2^k ranks back, from all ranks at once (J. Bruck and others, Efficient
 * Algorithms for All-to-All Communications in Multiport Message-Passing Systems, IEEE
 * Transactions on Parallel and Distributed Systems 8(11), 1997).  After ceil(log2 W) steps each
 * collector has all for its receiver and sends it.
 *
 * In cyclic(x) to cyclic(K x) on P ranks those who send to d are K ranks that follow each other,
 * from d K on, the same for the g = gcd(K, P) receivers that are P / g apart.  So W is at most K
 * + g - 1, which is below 2 K: ceil(log2 K) + 2 steps at most, as section 3 has it without saying
 * how.  In cyclic(K x) to cyclic(x) it is the receivers that follow each other, and all of it is
 * done from the end to the beginning.  Any other messages have the W that they have, P at most.
 *
 * Source: Bhat, Prasanna, Raghavendra, section 3, and its reference 7.
 */
#include <errno.h>
#include <stdlib.h>

#include "redist/route.h"

/**
 * struct circle - collectors of receivers; or, if everything is done backwards, of senders
 * @journey: the messages
 * @ranks: P
 * @backwards: who sends receives
 * @collectors: of each receiver
 * @begins: the first of those who send to each receiver
 * @looking: how many begin at each rank
 * @used: is a rank a collector?
 * @senders: to a receiver: is a rank one?
 * @lists: messages of each receiver, receiver by receiver
 * @starts: where they begin
 * @width: W
 * @same: is every collector its receiver?
 */
struct circle {
	const struct equant_redist_journey *journey;
	int ranks;
	bool backwards;
	int *collectors;
	int *begins;
	int *looking;
	bool *used;
	bool *senders;
	int64_t *lists;
	int64_t *starts;
	int width;
	bool same;
};

static int sender(const struct circle *circle, int64_t message)
{
	const struct equant_redist_volume *volume = &circle->journey->volumes[message];

	return circle->backwards ? volume->to : volume->from;
}

static int receiver(const struct circle *circle, int64_t message)
{
	const struct equant_redist_volume *volume = &circle->journey->volumes[message];

	return circle->backwards ? volume->from : volume->to;
}

static void list_messages(struct circle *circle)
{
	int64_t count = circle->journey->count;

	for (int r = 0; r <= circle->ranks; r++)
		circle->starts[r] = 0;
	for (int64_t k = 0; k < count; k++)
		circle->starts[receiver(circle, k) + 1]++;
	for (int r = 0; r < circle->ranks; r++)
		circle->starts[r + 1] += circle->starts[r];
	for (int64_t k = count - 1; k >= 0; k--)
		circle->lists[--circle->starts[receiver(circle, k) + 1]] = k;
	for (int r = 0; r < circle->ranks; r++)
		circle->starts[r] = circle->starts[r + 1];
	circle->starts[circle->ranks] = count;
}

/* Behind the longest stretch of ranks that do not send to @to. */
static int find_begin(struct circle *circle, int to)
{
	int gap = 0, longest = 0, begin = 0, ranks = circle->ranks;

	for (int r = 0; r < ranks; r++)
		circle->senders[r] = false;
	for (int64_t k = circle->starts[to]; k < circle->starts[to + 1]; k++)
		circle->senders[sender(circle, circle->lists[k])] = true;
	for (int i = 0; i < 2 * ranks; i++) {
		if (!circle->senders[i % ranks]) {
			gap++;
			continue;
		}
		if (gap > longest) {
			longest = gap;
			begin = i % ranks;
		}
		gap = 0;
	}
	return begin;
}

static int distance(const struct circle *circle, int from, int to)
{
	int behind = from - circle->collectors[to];

	return behind < 0 ? behind + circle->ranks : behind;
}

/*
 * The last rank of a walk back around the circle at whose end nobody is left without a rank: where
 * those that have begun least exceed the ranks that were passed, whatever rank is counted from.
 */
static int find_last(struct circle *circle)
{
	int excess = 0, least = 0, last = 0;

	for (int r = 0; r < circle->ranks; r++)
		circle->looking[r] = 0;
	for (int r = 0; r < circle->ranks; r++)
		if (circle->begins[r] >= 0)
			circle->looking[circle->begins[r]]++;
	for (int begin = circle->ranks - 1; begin >= 0; begin--) {
		excess += circle->looking[begin] - 1;
		if (excess < least) {
			least = excess;
			last = begin;
		}
	}
	return last;
}

/* Who is met first on the way back is served first, and takes the first free rank from there on. */
static void place_collectors(struct circle *circle)
{
	int last;

	for (int r = 0; r < circle->ranks; r++) {
		circle->used[r] = false;
		circle->begins[r] =
			circle->starts[r] < circle->starts[r + 1] ? find_begin(circle, r) : -1;
	}
	last = find_last(circle);
	for (int i = 1; i <= circle->ranks; i++) {
		int begin = (last - i + circle->ranks) % circle->ranks;

		for (int r = 0; r < circle->ranks; r++) {
			int at = begin;

			if (circle->begins[r] != begin)
				continue;
			while (circle->used[at])
				at = at ? at - 1 : circle->ranks - 1;
			circle->used[at] = true;
			circle->collectors[r] = at;
		}
	}
}

/* Everybody collects for himself: W may be as much as P, but nothing is left to be sent. */
static void place_at_home(struct circle *circle)
{
	for (int r = 0; r < circle->ranks; r++)
		circle->collectors[r] = r;
}

static void measure(struct circle *circle)
{
	circle->width = 1;
	circle->same = true;
	for (int64_t k = 0; k < circle->journey->count; k++) {
		int to = receiver(circle, k), behind = distance(circle, sender(circle, k), to);

		circle->width = behind >= circle->width ? behind + 1 : circle->width;
		circle->same = circle->same && circle->collectors[to] == to;
	}
}

static int bits(const struct circle *circle)
{
	int bits = 0;

	while (1 << bits < circle->width)
		bits++;
	return bits;
}

static int steps(const struct circle *circle)
{
	return bits(circle) + !circle->same;
}

/* One of four: collectors on the circle or at home, forwards or backwards. */
static void set_up(struct circle *circle, int kind)
{
	circle->backwards = kind & 1;
	list_messages(circle);
	if (kind & 2)
		place_at_home(circle);
	else
		place_collectors(circle);
	measure(circle);
}

static int hop(const struct circle *circle, struct equant_redist_journey *journey, int step,
	       int from, int to, int64_t message)
{
	struct equant_redist_parcel all = { message, 0, journey->volumes[message].bytes };

	if (circle->backwards)
		return equant_redist_add_hop(journey, steps(circle) - 1 - step, to, from, all);
	return equant_redist_add_hop(journey, step, from, to, all);
}

static int send(const struct circle *circle, struct equant_redist_journey *journey, int64_t message)
{
	int at = sender(circle, message), to = receiver(circle, message), error = 0;
	int left = distance(circle, at, to);

	if (at == to)
		return 0;
	/* What passes its receiver on the way stays there. */
	for (int k = 0; k < bits(circle) && at != to && !error; k++) {
		int next = at - (1 << k);

		if (!(left & (1 << k)))
			continue;
		next += next < 0 ? circle->ranks : 0;
		error = hop(circle, journey, k, at, next, message);
		at = next;
	}
	if (!error && at != to)
		error = hop(circle, journey, bits(circle), at, to, message);
	return error;
}

static int send_all(struct circle *circle, struct equant_redist_journey *journey)
{
	int best = 0, fewest = 0, error = 0;

	for (int kind = 0; kind < 4; kind++) {
		set_up(circle, kind);
		if (kind && steps(circle) >= fewest)
			continue;
		fewest = steps(circle);
		best = kind;
	}
	set_up(circle, best);
	for (int64_t k = 0; k < journey->count && !error; k++)
		error = send(circle, journey, k);
	return error;
}

int equant_redist_combine(struct equant_redist_journey *journey)
{
	size_t ranks = (size_t)journey->network->ranks;
	struct circle circle = {
		.journey = journey,
		.ranks = journey->network->ranks,
		.collectors = calloc(ranks, sizeof(int)),
		.begins = calloc(ranks, sizeof(int)),
		.looking = calloc(ranks, sizeof(int)),
		.used = calloc(ranks, sizeof(bool)),
		.senders = calloc(ranks, sizeof(bool)),
		.lists = calloc((size_t)journey->count + 1, sizeof(int64_t)),
		.starts = calloc(ranks + 1, sizeof(int64_t)),
	};
	int error = -ENOMEM;

	if (circle.collectors && circle.begins && circle.looking && circle.used && circle.senders &&
	    circle.lists && circle.starts)
		error = send_all(&circle, journey);
	free(circle.collectors);
	free(circle.begins);
	free(circle.looking);
	free(circle.used);
	free(circle.senders);
	free(circle.lists);
	free(circle.starts);
	return error;
}
