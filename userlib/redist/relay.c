// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Relaying: where a thin link decides the time, a part of its message goes by way of a third rank
 * to which and from which links are faster.
 *
 * The busiest rank is relieved, sender or receiver, again and again: of all its messages and all
 * third ranks that pair is taken which can take the most time from it without becoming as busy.
 * A part that goes from i over r to j costs r time on both its sides, and i and j less than
 * before if both links are faster; what it takes is the part at which r, or j, is as busy as i.
 * The sums of section 4.2 never grow for the busiest, so what comes out has a smaller bound, and
 * it is kept if it takes less time than the improved schedule of the whole messages.
 *
 * Ports that several ranks share are counted as those of one message.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "redist/route.h"

#define WORTH 1e-3 /* of the largest sum: less is not worth another part */
#define PARTS 8 /* of a message and a rank, at most, on average */
#define LOOKS 2e8 /* at a message and a third rank, at most */

/**
 * struct balance - sums of what ranks are busy with
 * @journey: the messages
 * @ranks: P
 * @busy: seconds of each sender, and after those of each receiver
 * @left: bytes of each message that go straight
 * @price: seconds per byte from one rank to another, row by row
 * @startup: seconds, the same
 * @met: is anything sent from one rank to another in the first step, and, after that, in the
 *	second?
 */
struct balance {
	struct equant_redist_journey *journey;
	int ranks;
	double *busy;
	int64_t *left;
	double *price;
	double *startup;
	bool *met;
};

/* A part of a message over a third rank. */
struct detour {
	int64_t message;
	int over;
	double bytes;
	double saved;
};

static size_t pair(const struct balance *balance, int from, int to)
{
	return (size_t)from * (size_t)balance->ranks + (size_t)to;
}

static double *sends(const struct balance *balance, int rank)
{
	return &balance->busy[rank];
}

static double *receives(const struct balance *balance, int rank)
{
	return &balance->busy[balance->ranks + rank];
}

/* Seconds that a first part between two ranks costs more than its bytes. */
static double entry(const struct balance *balance, int step, int from, int to)
{
	size_t all = (size_t)balance->ranks * (size_t)balance->ranks;
	size_t at = pair(balance, from, to);

	return balance->met[(size_t)step * all + at] ? 0 : balance->startup[at];
}

/* What a part of message @k over @over saves the busiest, who has @most: @sender or receiver. */
static struct detour look(const struct balance *balance, int64_t k, int over, bool sender,
			  double most)
{
	const struct equant_redist_volume *volume = &balance->journey->volumes[k];
	int from = volume->from, to = volume->to;
	double straight = balance->price[pair(balance, from, to)];
	double out = balance->price[pair(balance, from, over)];
	double in = balance->price[pair(balance, over, to)];
	double enter = entry(balance, 0, from, over), leave = entry(balance, 1, over, to);
	double gain = straight - (sender ? out : in), other = straight - (sender ? in : out);
	double bytes = (double)balance->left[k], cost = sender ? enter : leave;
	double relief = most + cost; /* less what the part takes from it */

	if (!(gain > 0) || over == from || over == to)
		return (struct detour){ 0 };
	/* At so many bytes somebody else is as busy as the busiest. */
	bytes = fmin(bytes, (relief - *receives(balance, over) - enter) / (out + gain));
	bytes = fmin(bytes, (relief - *sends(balance, over) - leave) / (in + gain));
	if (gain > other) {
		double peer = sender ? *receives(balance, to) + leave :
				       *sends(balance, from) + enter;

		bytes = fmin(bytes, (relief - peer) / (gain - other));
	}
	bytes = floor(bytes);
	return (struct detour){ k, over, bytes, bytes > 0 ? bytes * gain - cost : 0 };
}

static int busiest(const struct balance *balance)
{
	int most = 0;

	for (int i = 1; i < 2 * balance->ranks; i++)
		if (balance->busy[i] > balance->busy[most])
			most = i;
	return most;
}

/* The best one for @side, a place in the sums. */
static struct detour find(const struct balance *balance, int side)
{
	bool sender = side < balance->ranks;
	int rank = sender ? side : side - balance->ranks;
	struct detour best = { 0 };

	for (int64_t k = 0; k < balance->journey->count; k++) {
		const struct equant_redist_volume *volume = &balance->journey->volumes[k];

		if ((sender ? volume->from : volume->to) != rank || !balance->left[k])
			continue;
		for (int over = 0; over < balance->ranks; over++) {
			struct detour detour = look(balance, k, over, sender, balance->busy[side]);

			if (detour.saved > best.saved)
				best = detour;
		}
	}
	return best;
}

static int take(struct balance *balance, const struct detour *detour)
{
	const struct equant_redist_volume *volume = &balance->journey->volumes[detour->message];
	int from = volume->from, to = volume->to, over = detour->over, error;
	size_t all = (size_t)balance->ranks * (size_t)balance->ranks;
	double enter = entry(balance, 0, from, over), leave = entry(balance, 1, over, to);
	int64_t bytes = (int64_t)detour->bytes;
	struct equant_redist_parcel parcel;
	double back = detour->bytes * balance->price[pair(balance, from, to)];

	balance->left[detour->message] -= bytes;
	if (!balance->left[detour->message])
		back += balance->startup[pair(balance, from, to)];
	parcel = (struct equant_redist_parcel){ detour->message, balance->left[detour->message],
						bytes };
	enter += detour->bytes * balance->price[pair(balance, from, over)];
	leave += detour->bytes * balance->price[pair(balance, over, to)];
	*sends(balance, from) += enter - back;
	*receives(balance, over) += enter;
	*sends(balance, over) += leave;
	*receives(balance, to) += leave - back;
	balance->met[pair(balance, from, over)] = true;
	balance->met[all + pair(balance, over, to)] = true;
	error = equant_redist_add_hop(balance->journey, 0, from, over, parcel);
	return error ? error : equant_redist_add_hop(balance->journey, 1, over, to, parcel);
}

static int relieve(struct balance *balance)
{
	double looks = 0, ranks = balance->ranks;
	double parts = PARTS * ((double)balance->journey->count + ranks);
	int error = 0;

	for (double part = 0; part < parts && looks < LOOKS && !error; part++) {
		int most = busiest(balance);
		struct detour detour = find(balance, most);

		looks += ranks * ranks + (double)balance->journey->count;
		if (!(detour.saved > WORTH * balance->busy[most]))
			break;
		error = take(balance, &detour);
	}
	return error;
}

static void weigh(struct balance *balance)
{
	const struct equant_redist_journey *journey = balance->journey;

	for (int i = 0; i < balance->ranks; i++) {
		for (int j = 0; j < balance->ranks; j++) {
			double startup = equant_redist_leg_time(journey->network, i, j, 0);

			balance->startup[pair(balance, i, j)] = startup;
			balance->price[pair(balance, i, j)] =
				(equant_redist_leg_time(journey->network, i, j, 0x1p40) - startup) /
				0x1p40;
		}
	}
	for (int64_t k = 0; k < journey->count; k++) {
		const struct equant_redist_volume *volume = &journey->volumes[k];
		size_t at = pair(balance, volume->from, volume->to);
		double time = balance->startup[at] + balance->price[at] * (double)volume->bytes;

		balance->left[k] = volume->from == volume->to ? 0 : volume->bytes;
		balance->met[at] = true;
		*sends(balance, volume->from) += time;
		*receives(balance, volume->to) += time;
	}
}

/* What is left of the messages, or all of them; what has no bytes is sent, too. */
static int send_straight(struct balance *balance, bool all)
{
	struct equant_redist_journey *journey = balance->journey;
	int error = 0;

	for (int64_t k = 0; k < journey->count && !error; k++) {
		const struct equant_redist_volume *volume = &journey->volumes[k];
		int64_t bytes = all ? volume->bytes : balance->left[k];

		if (volume->from != volume->to && (bytes || !volume->bytes))
			error = equant_redist_add_hop(journey, 0, volume->from, volume->to,
						      (struct equant_redist_parcel){ k, 0, bytes });
	}
	return error;
}

/* Parts over third ranks and what is left of their messages; no hops if nothing is worth that. */
static int relay(struct balance *balance)
{
	int error;

	weigh(balance);
	error = relieve(balance);
	return error || !balance->journey->hop_count ? error : send_straight(balance, false);
}

/* With parts over third ranks, if that takes less time than without. */
static int plan(struct balance *balance)
{
	struct equant_redist_journey *journey = balance->journey, relayed = *journey;
	int error;

	balance->journey = &relayed;
	error = relay(balance);
	balance->journey = journey;
	if (!error)
		error = send_straight(balance, true);
	if (!error && relayed.hop_count)
		return equant_redist_take_shorter(journey, &relayed);
	free(relayed.hops);
	return error;
}

int equant_redist_relay(struct equant_redist_journey *journey)
{
	size_t ranks = (size_t)journey->network->ranks;
	struct balance balance = {
		.journey = journey,
		.ranks = journey->network->ranks,
		.busy = calloc(2 * ranks, sizeof(double)),
		.left = calloc((size_t)journey->count + 1, sizeof(int64_t)),
		.price = calloc(ranks * ranks, sizeof(double)),
		.startup = calloc(ranks * ranks, sizeof(double)),
		.met = calloc(2 * ranks * ranks, sizeof(bool)),
	};
	int error = -ENOMEM;

	if (balance.busy && balance.left && balance.price && balance.startup && balance.met)
		error = plan(&balance);
	free(balance.busy);
	free(balance.left);
	free(balance.price);
	free(balance.startup);
	free(balance.met);
	return error;
}
