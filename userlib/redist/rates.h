/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_REDIST_RATES_H
#define EQUANT_REDIST_RATES_H

#include "redist/redist_internal.h"

/**
 * struct equant_redist_flow - a message whose data is under way
 * @from: who sends
 * @to: who receives
 * @most: what its link has, bytes per second
 * @rate: what it gets
 */
struct equant_redist_flow {
	int from;
	int to;
	double most;
	double rate;
};

/**
 * struct equant_redist_rates - who shares the ports
 * @network: the network
 * @left: of each host's port to send what nobody has got, and, after those, to receive
 * @wanted: of each port, by all that use it
 * @users: flows that use it and have not got a rate
 */
struct equant_redist_rates {
	const struct equant_redist_network *network;
	double *left;
	double *wanted;
	int *users;
};

/* 0 or -ENOMEM; to be released either way. */
int equant_redist_rates_init(struct equant_redist_rates *rates,
			     const struct equant_redist_network *network);
void equant_redist_rates_release(struct equant_redist_rates *rates);

/* Fill in the rates of @count flows at once, which come into another order. */
void equant_redist_rates_share(struct equant_redist_rates *rates, struct equant_redist_flow **flows,
			       int count);

#endif /* EQUANT_REDIST_RATES_H */
