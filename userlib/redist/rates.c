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
		.wanted = calloc(ports, sizeof(*rates->wanted)),
		.users = calloc(ports, sizeof(*rates->users)),
	};
	return rates->left && rates->wanted && rates->users ? 0 : -ENOMEM;
}

void equant_redist_rates_release(struct equant_redist_rates *rates)
{
	free(rates->left);
	free(rates->wanted);
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

/* A port that has as much as all could have that use it holds nobody up. */
static void open_ports(struct equant_redist_rates *rates, struct equant_redist_flow **flows,
		       int count)
{
	int hosts = rates->network->hosts;

	for (int p = 0; p < 2 * hosts; p++) {
		rates->users[p] = 0;
		rates->wanted[p] = 0;
	}
	for (int i = 0; i < count; i++) {
		int port[2];

		ports(rates, flows[i], port);
		for (int k = 0; k < 2; k++) {
			if (port[k] < 0)
				continue;
			rates->users[port[k]]++;
			rates->wanted[port[k]] += flows[i]->most;
		}
	}
	for (int p = 0; p < 2 * hosts; p++) {
		const struct equant_redist_host *host = &rates->network->host[p % hosts];
		double has = p < hosts ? host->send : host->receive;

		rates->left[p] = has < rates->wanted[p] ? has : INFINITY;
	}
}

static bool is_free(const struct equant_redist_rates *rates, const struct equant_redist_flow *flow)
{
	int port[2];

	ports(rates, flow, port);
	for (int i = 0; i < 2; i++)
		if (port[i] >= 0 && isfinite(rates->left[port[i]]))
			return false;
	return true;
}

/* Those that get @rate have it now.  Return: how many have none, the first of @flows. */
static int settle_all(struct equant_redist_rates *rates, struct equant_redist_flow **flows,
		      int count, double rate)
{
	int left = 0;

	for (int i = 0; i < count; i++) {
		if (limit(rates, flows[i]) > rate * (1 + ROUNDING))
			flows[left++] = flows[i];
		else
			settle(rates, flows[i], rate);
	}
	return left;
}

void equant_redist_rates_share(struct equant_redist_rates *rates, struct equant_redist_flow **flows,
			       int count)
{
	int left = 0;

	open_ports(rates, flows, count);
	for (int i = 0; i < count; i++) {
		if (is_free(rates, flows[i]))
			flows[i]->rate = flows[i]->most;
		else
			flows[left++] = flows[i];
	}
	while (left) {
		double least = INFINITY;

		for (int i = 0; i < left; i++)
			least = fmin(least, limit(rates, flows[i]));
		left = settle_all(rates, flows, left, least);
	}
}
