// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Ports that ranks of a host share, when schedules are weighed against each other.
 *
 * C has what messages take that have their ports to themselves.  Where a port has less than all
 * that use it at once could have, what a schedule takes in C is not what it takes in the network,
 * and of two the one that is shorter in C may be the slower one.  So it is simulated (replay.c).
 *
 * That takes time for each piece and rank.  Of too many of both a limit stands for it: with one
 * message of each rank at a time a port never has more users than ranks, so nobody gets less than
 * a part for each of them; and a schedule whose pieces take longer takes longer.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "redist/ports.h"

/* Which ports a message between two ranks goes through, -1 for none. */
static void find_ports(const struct equant_redist_network *network, int from, int to, int port[2])
{
	int a = network->places[from], b = network->places[to];

	port[0] = a == b || a < 0 ? -1 : 2 * a;
	port[1] = a == b || b < 0 ? -1 : 2 * b + 1;
}

static double capacity(const struct equant_redist_network *network, int port)
{
	const struct equant_redist_host *host = &network->host[port / 2];

	return port % 2 ? host->receive : host->send;
}

/* Of each rank the fastest link that it uses by its port to send, and by that to receive. */
static double *find_fastest(const struct equant_redist_network *network, int64_t count,
			    const struct equant_redist_volume *volumes)
{
	double *fastest = calloc(2 * (size_t)network->ranks, sizeof(*fastest));

	for (int64_t k = 0; k < count && fastest; k++) {
		int from = volumes[k].from, to = volumes[k].to, port[2];
		double bandwidth = equant_redist_network_link(network, from, to).bandwidth;

		find_ports(network, from, to, port);
		if (port[0] >= 0)
			fastest[2 * from] = fmax(fastest[2 * from], bandwidth);
		if (port[1] >= 0)
			fastest[2 * to + 1] = fmax(fastest[2 * to + 1], bandwidth);
	}
	return fastest;
}

int equant_redist_crowd_init(struct equant_redist_crowd *crowd,
			     const struct equant_redist_network *network, int64_t count,
			     const struct equant_redist_volume *volumes)
{
	double *fastest = find_fastest(network, count, volumes);
	double *wanted = calloc(2 * (size_t)network->hosts + 1, sizeof(*wanted));
	int error = fastest && wanted ? 0 : -ENOMEM;

	*crowd = (struct equant_redist_crowd){ .network = network };
	crowd->users = calloc(2 * (size_t)network->hosts + 1, sizeof(*crowd->users));
	if (!crowd->users)
		error = -ENOMEM;
	for (int i = 0; i < 2 * network->ranks && !error; i++) {
		int host = network->places[i / 2];

		if (host < 0 || !(fastest[i] > 0))
			continue;
		crowd->users[2 * host + i % 2]++;
		wanted[2 * host + i % 2] += fastest[i];
	}
	for (int port = 0; port < 2 * network->hosts && !error; port++)
		crowd->full |= crowd->users[port] > 1 && capacity(network, port) < wanted[port];
	free(fastest);
	free(wanted);
	return error;
}

void equant_redist_crowd_release(struct equant_redist_crowd *crowd)
{
	free(crowd->users);
}

double equant_redist_crowd_time(const struct equant_redist_crowd *crowd, int from, int to,
				double bytes)
{
	double time = 0;
	int port[2];

	find_ports(crowd->network, from, to, port);
	for (int i = 0; i < 2; i++)
		if (port[i] >= 0)
			time = fmax(time, bytes * crowd->users[port[i]] /
						  capacity(crowd->network, port[i]));
	return time;
}

/* ---- what a schedule takes ----------------------------------------------------------------- */

static void add_up(const struct equant_redist_costs *costs,
		   const struct equant_redist_schedule *schedule,
		   const struct equant_redist_crowd *crowd, double *send, double *receive,
		   double *time)
{
	*time = 0;
	for (int64_t i = 0; i < schedule->count; i++) {
		const struct equant_redist_piece *piece = &schedule->pieces[i];
		int64_t k = equant_redist_message_of(costs, piece);
		const struct equant_redist_message *message = &costs->messages[k];
		double shared = equant_redist_crowd_time(crowd, piece->from, piece->to,
							 (double)costs->volumes[k].bytes);
		double end = equant_redist_later(send[piece->from], receive[piece->to]) +
			     message->startup +
			     piece->share * equant_redist_later(message->data, shared);

		send[piece->from] = receive[piece->to] = end;
		*time = equant_redist_later(*time, end);
	}
}

int equant_redist_longest_time(const struct equant_redist_costs *costs,
			       const struct equant_redist_schedule *schedule, double *time)
{
	struct equant_redist_crowd crowd;
	double *busy = calloc(2 * (size_t)costs->ranks, sizeof(*busy));
	int error = equant_redist_crowd_init(&crowd, costs->network, costs->count, costs->volumes);

	if (!busy)
		error = -ENOMEM;
	if (!error)
		add_up(costs, schedule, &crowd, busy, busy + costs->ranks, time);
	equant_redist_crowd_release(&crowd);
	free(busy);
	return error;
}

double equant_redist_replay_work(const struct equant_redist_costs *costs)
{
	return (double)costs->count * costs->ranks;
}

int equant_redist_takes(const struct equant_redist_costs *costs,
			const struct equant_redist_schedule *schedule, double *time)
{
	struct equant_redist_schedule *done;

	*time = schedule->makespan;
	if (!costs->network)
		return 0;
	if (equant_redist_replay_work(costs) > EQUANT_REDIST_REPLAY_MOST)
		return equant_redist_longest_time(costs, schedule, time);
	done = equant_redist_replay(schedule, costs->network, costs->count, costs->volumes, 1,
				    false, NULL, 0);
	if (!done)
		return -errno;
	*time = done->makespan;
	equant_redist_schedule_free(done);
	return 0;
}
