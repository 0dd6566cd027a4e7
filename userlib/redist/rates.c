// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Messages that share ports: nobody can get more without taking it from one that has no more than
 * himself (max-min fairness).  All rates grow alike until a link or a port has no more; who needs
 * that one stays at the rate, the others go on.
 *
 * Reference: D. Bertsekas, R. Gallager, Data Networks, 1987, section 6.5.2.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "redist/rates.h"

#define ROUNDING 1e-12

int equant_redist_rates_init(struct equant_redist_rates *rates,
			     const struct equant_redist_network *network)
{
	size_t ports = 2 * (size_t)network->hosts + 1;

	*rates = (struct equant_redist_rates){
		.network = network,
		.left = calloc(ports, sizeof(*rates->left)),
		.users = calloc(ports, sizeof(*rates->users)),
	};
	return rates->left && rates->users ? 0 : -ENOMEM;
}

void equant_redist_rates_release(struct equant_redist_rates *rates)
{
	free(rates->left);
	free(rates->users);
}

/* The ports that a flow goes through, -1 for none. */
static void ports(const struct equant_redist_rates *rates, const struct equant_redist_flow *flow,
		  int port[2])
{
	int from = rates->network->places[flow->from], to = rates->network->places[flow->to];

	port[0] = from != to ? from : -1;
	port[1] = from != to && to >= 0 ? rates->network->hosts + to : -1;
}

/* What a flow can have at most now. */
static double limit(const struct equant_redist_rates *rates, const struct equant_redist_flow *flow)
{
	double most = flow->most;
	int port[2];

	ports(rates, flow, port);
	for (int i = 0; i < 2; i++)
		if (port[i] >= 0)
			most = fmin(most, rates->left[port[i]] / rates->users[port[i]]);
	return most;
}

static void settle(struct equant_redist_rates *rates, struct equant_redist_flow *flow, double rate)
{
	int port[2];

	flow->rate = rate;
	ports(rates, flow, port);
	for (int i = 0; i < 2; i++) {
		if (port[i] < 0)
			continue;
		rates->users[port[i]]--;
		if (isfinite(rates->left[port[i]]))
			rates->left[port[i]] = fmax(rates->left[port[i]] - rate, 0);
	}
}

static void open_ports(struct equant_redist_rates *rates, struct equant_redist_flow **flows,
		       int count)
{
	int hosts = rates->network->hosts;

	for (int h = 0; h < hosts; h++) {
		rates->left[h] = rates->network->host[h].send;
		rates->left[hosts + h] = rates->network->host[h].receive;
		rates->users[h] = rates->users[hosts + h] = 0;
	}
	for (int i = 0; i < count; i++) {
		int port[2];

		flows[i]->rate = -1;
		ports(rates, flows[i], port);
		for (int k = 0; k < 2; k++)
			if (port[k] >= 0)
				rates->users[port[k]]++;
	}
}

void equant_redist_rates_share(struct equant_redist_rates *rates, struct equant_redist_flow **flows,
			       int count)
{
	int left = count;

	open_ports(rates, flows, count);
	while (left) {
		double least = INFINITY;

		for (int i = 0; i < count; i++)
			if (flows[i]->rate < 0)
				least = fmin(least, limit(rates, flows[i]));
		for (int i = 0; i < count; i++) {
			if (flows[i]->rate >= 0 || limit(rates, flows[i]) > least * (1 + ROUNDING))
				continue;
			settle(rates, flows[i], least);
			left--;
		}
	}
}
