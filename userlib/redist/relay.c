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
 * Ports that ranks of a host share are busy with the bytes of all of them.  No detour is to make one
 * as busy as the rank that it relieves, and a port that is the busiest nobody can relieve: what
 * leaves a host leaves by it, whatever way it goes.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "redist/route.h"

#define PORTS 6 /* that a detour goes through, or that goes straight no more */
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
 * @ports: seconds that each host's port to send is busy, and, after it, that to receive
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
	double *ports;
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

/* What a byte changes for a port: seconds. */
struct use {
	int port;
	double change;
};

/* A byte that goes from @from to @to takes @sign times its time from the ports; how many uses. */
static int use_ports(const struct balance *balance, int from, int to, double sign, struct use *uses,
		     int count)
{
	const struct equant_redist_network *network = balance->journey->network;
	int place[2] = { network->places[from], network->places[to] };

	for (int side = 0; side < 2 && place[0] != place[1]; side++) {
		const struct equant_redist_host *host = &network->host[place[side]];
		int port = 2 * place[side] + side, i = 0;

		if (place[side] < 0)
			continue;
		while (i < count && uses[i].port != port)
			i++;
		if (i == count)
			uses[count++] = (struct use){ port, 0 };
		uses[i].change += sign / (side ? host->receive : host->send);
	}
	return count;
}

/* Of a byte that goes by way of @over instead of straight. */
static int use_detour(const struct balance *balance, int from, int over, int to,
		      struct use uses[PORTS])
{
	int count = use_ports(balance, from, to, -1, uses, 0);

	count = use_ports(balance, from, over, 1, uses, count);
	return use_ports(balance, over, to, 1, uses, count);
}

/* Bytes by @over after which no port is busier than the busiest, who has @relief less @gain each. */
static double spare(const struct balance *balance, int from, int over, int to, double relief,
		    double gain)
{
	struct use uses[PORTS];
	int count = balance->journey->network->hosts ? use_detour(balance, from, over, to, uses) :
						       0;
	double bytes = INFINITY;

	for (int i = 0; i < count; i++)
		if (uses[i].change > 0)
			bytes = fmin(bytes, (relief - balance->ports[uses[i].port]) /
						    (uses[i].change + gain));
	return bytes;
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
	double peer = sender ? *receives(balance, to) + leave : *sends(balance, from) + enter;

	if (!(gain > 0) || over == from || over == to)
		return (struct detour){ 0 };
	/* At so many bytes somebody else is as busy as the busiest. */
	bytes = fmin(bytes, (relief - *receives(balance, over) - enter) / (out + gain));
	bytes = fmin(bytes, (relief - *sends(balance, over) - leave) / (in + gain));
	if (gain > other)
		bytes = fmin(bytes, (relief - peer) / (gain - other));
	if (bytes >= 1)
		bytes = fmin(bytes, spare(balance, from, over, to, relief, gain));
	bytes = floor(bytes);
	/* What the other end does at the start of a part may be more than it saves. */
	if (peer - other * bytes > most)
		return (struct detour){ 0 };
	return (struct detour){ k, over, bytes, bytes > 0 ? bytes * gain - cost : 0 };
}

/* Is any port busier than all ranks? */
static bool port_decides(const struct balance *balance, double most)
{
	for (int p = 0; p < 2 * balance->journey->network->hosts; p++)
		if (balance->ports[p] > most)
			return true;
	return false;
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
	/* A double may be more than a message that it was made of. */
	int64_t left = balance->left[detour->message];
	int64_t bytes = detour->bytes < (double)left ? (int64_t)detour->bytes : left;
	struct equant_redist_parcel parcel;
	struct use uses[PORTS];
	int ports;
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
	ports = use_detour(balance, from, over, to, uses);
	for (int i = 0; i < ports; i++)
		balance->ports[uses[i].port] += detour->bytes * uses[i].change;
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

	for (double part = 0; part < parts && looks < balance->journey->looks && looks < LOOKS;
	     part++) {
		int most = busiest(balance);
		struct detour detour;

		if (port_decides(balance, balance->busy[most]))
			break;
		detour = find(balance, most);
		looks += ranks * ranks + (double)balance->journey->count;
		if (!(detour.saved > WORTH * balance->busy[most]))
			break;
		error = take(balance, &detour);
		if (error)
			break;
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
		struct use uses[PORTS];
		int ports;

		/* What a rank has for itself keeps it from nothing. */
		if (volume->from == volume->to)
			continue;
		balance->left[k] = volume->bytes;
		balance->met[at] = true;
		*sends(balance, volume->from) += time;
		*receives(balance, volume->to) += time;
		ports = use_ports(balance, volume->from, volume->to, 1, uses, 0);
		for (int i = 0; i < ports; i++)
			balance->ports[uses[i].port] += (double)volume->bytes * uses[i].change;
	}
}

/* What is left of the messages; what has no bytes is sent, too. */
static int send_left(const struct balance *balance)
{
	struct equant_redist_journey *journey = balance->journey;
	int error = 0;

	for (int64_t k = 0; k < journey->count && !error; k++) {
		const struct equant_redist_volume *volume = &journey->volumes[k];

		if (volume->from != volume->to && (balance->left[k] || !volume->bytes))
			error = equant_redist_add_hop(
				journey, 0, volume->from, volume->to,
				(struct equant_redist_parcel){ k, 0, balance->left[k] });
	}
	return error;
}

static int relay(struct balance *balance)
{
	int error;

	weigh(balance);
	error = relieve(balance);
	return error || !balance->journey->hop_count ? error : send_left(balance);
}

int equant_redist_relay_parts(struct equant_redist_journey *journey)
{
	size_t ranks = (size_t)journey->network->ranks, hosts = (size_t)journey->network->hosts;
	struct balance balance = {
		.journey = journey,
		.ranks = journey->network->ranks,
		.busy = calloc(2 * ranks, sizeof(double)),
		.left = calloc((size_t)journey->count + 1, sizeof(int64_t)),
		.price = calloc(ranks * ranks, sizeof(double)),
		.startup = calloc(ranks * ranks, sizeof(double)),
		.ports = calloc(2 * hosts + 1, sizeof(double)),
		.met = calloc(2 * ranks * ranks, sizeof(bool)),
	};
	int error = -ENOMEM;

	if (balance.busy && balance.left && balance.price && balance.startup && balance.ports &&
	    balance.met)
		error = relay(&balance);
	free(balance.busy);
	free(balance.left);
	free(balance.price);
	free(balance.startup);
	free(balance.ports);
	free(balance.met);
	return error;
}

/* With parts over third ranks, if that takes less time than without. */
int equant_redist_relay(struct equant_redist_journey *journey)
{
	struct equant_redist_journey relayed = *journey;
	int error = equant_redist_relay_parts(&relayed);

	if (!error)
		error = equant_redist_straight(journey);
	if (!error && relayed.hop_count)
		return equant_redist_take_shorter(journey, &relayed);
	free(relayed.hops);
	return error;
}
