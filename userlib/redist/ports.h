/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_REDIST_PORTS_H
#define EQUANT_REDIST_PORTS_H

#include "redist/schedule.h"

#define EQUANT_REDIST_REPLAY_MOST 1e7 /* pieces times ranks that are simulated while planning */

/**
 * struct equant_redist_crowd - who uses which ports
 * @network: the network
 * @users: ranks that send by the port of each host, and receive by it, host by host
 * @full: has any port less than all of these could have at once?
 */
struct equant_redist_crowd {
	const struct equant_redist_network *network;
	int *users;
	bool full;
};

/* 0 or -ENOMEM; to be released either way. */
int equant_redist_crowd_init(struct equant_redist_crowd *crowd,
			     const struct equant_redist_network *network, int64_t count,
			     const struct equant_redist_volume *volumes);
void equant_redist_crowd_release(struct equant_redist_crowd *crowd);

/* Seconds of bytes that get no more of their ports than each user of them; 0 without ports. */
double equant_redist_crowd_time(const struct equant_redist_crowd *crowd, int from, int to,
				double bytes);

/* Seconds that a schedule takes at most in the network of its costs, which have one; 0 or -ENOMEM. */
int equant_redist_longest_time(const struct equant_redist_costs *costs,
			       const struct equant_redist_schedule *schedule, double *time);

/* Pieces times ranks: what a simulation takes grows with that. */
double equant_redist_replay_work(const struct equant_redist_costs *costs);

/*
 * Seconds that a schedule, whose pieces are in order, takes in the network of its costs: as
 * simulated, or at most, if that is too much work; its makespan if no port is full.  0 or -errno.
 */
int equant_redist_takes(const struct equant_redist_costs *costs,
			const struct equant_redist_schedule *schedule, double *time);

#endif /* EQUANT_REDIST_PORTS_H */
