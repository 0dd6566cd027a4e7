/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_REDIST_ROUTE_H
#define EQUANT_REDIST_ROUTE_H

#include "redist/schedule.h"

/**
 * struct equant_redist_hop - a part of a message on one leg, while routes are made
 * @step: of the leg
 * @from: who sends
 * @to: who receives
 * @parcel: what
 */
struct equant_redist_hop {
	int step;
	int from;
	int to;
	struct equant_redist_parcel parcel;
};

/**
 * struct equant_redist_journey - a route under construction
 * @network: what is between the ranks
 * @count: of @volumes
 * @volumes: the messages
 * @hops: in any order
 * @hop_count: how many
 * @room: for so many there is memory
 * @time: that they take, NaN if that is not known
 * @turns: of improving the order of the first step, at most; 0: it is eager's, and nothing is
 *	simulated
 * @looks: at messages and third ranks to relay them, at most
 */
struct equant_redist_journey {
	const struct equant_redist_network *network;
	int64_t count;
	const struct equant_redist_volume *volumes;
	struct equant_redist_hop *hops;
	int64_t hop_count;
	int64_t room;
	double time;
	double turns;
	double looks;
};

/* 0 or -ENOMEM. */
int equant_redist_add_hop(struct equant_redist_journey *journey, int step, int from, int to,
			  struct equant_redist_parcel parcel);

/* Hops of one step between the same ranks become a leg; legs are timed.  0 or -errno. */
int equant_redist_make_legs(struct equant_redist_journey *journey,
			    struct equant_redist_route *route);

/* Legs, in the order of steps and ranks, in the order in which they are sent.  0 or -errno. */
int equant_redist_time_legs(struct equant_redist_journey *journey,
			    struct equant_redist_route *route);

/* What a route of these hops takes, if that is not known.  0 or -errno. */
int equant_redist_time_journey(struct equant_redist_journey *journey);

/* The hops of @other instead of those of @journey, if they take less time; the rest is freed. */
int equant_redist_take_shorter(struct equant_redist_journey *journey,
			       struct equant_redist_journey *other);

/* Seconds that a leg takes if it has its ports to itself. */
double equant_redist_leg_time(const struct equant_redist_network *network, int from, int to,
			      double bytes);

/* All messages straight.  0 or -ENOMEM. */
int equant_redist_straight(struct equant_redist_journey *journey);

/* Seconds that no route can be faster than: what ranks and ports have to carry; NaN: no memory. */
double equant_redist_route_bound(const struct equant_redist_journey *journey);

/* What is left and parts over third ranks, or no hops if relays are not worth it.  0 or -ENOMEM. */
int equant_redist_relay_parts(struct equant_redist_journey *journey);

/* Routers: hops of all messages; 0 or -errno. */
int equant_redist_combine(struct equant_redist_journey *journey);
int equant_redist_relay(struct equant_redist_journey *journey);
int equant_redist_shortest_route(struct equant_redist_journey *journey);
int equant_redist_best_route(struct equant_redist_journey *journey);

#endif /* EQUANT_REDIST_ROUTE_H */
