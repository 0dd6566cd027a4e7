// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Plans for networks in which ranks of a host share its port. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include <equant/redist.h>

#include "random.h"

#include "kselftest_harness.h"

#define ROUNDS 300
#define LARGEST 12 /* ranks */
#define BYTES 100 /* of a message */
#define LINE 200
#define ROUNDING 1e-9

/* Where a byte is, and since when. */
struct place {
	int rank;
	double since;
};

FIXTURE(ports)
{
	struct random random;
	struct equant_redist_network *network;
	struct equant_redist_volume volumes[LARGEST * LARGEST];
	int64_t count;
	struct equant_redist_costs *costs;
	/* Of each byte of each message. */
	struct place places[LARGEST * LARGEST][BYTES];
	char why[LINE];
};

/* Seeds of its own: choices depend on what planning is taken to take. */
FIXTURE_SETUP(ports)
{
	self->random = random_from(11);
	self->network = NULL;
	self->costs = NULL;
}

FIXTURE_TEARDOWN(ports)
{
	equant_redist_costs_free(self->costs);
	equant_redist_network_free(self->network);
}

/* Ranks 0 to @ranks - 1, so many on each host, whose ports have @send and @receive bytes/s. */
static bool place(FIXTURE_DATA(ports) * self, int each, double send, double receive)
{
	for (int r = 0; r < self->network->ranks; r++) {
		int host = r / each;

		if (r % each == 0 &&
		    equant_redist_network_host(self->network,
					       &(struct equant_redist_host){ send, receive }, NULL,
					       0) != host)
			return false;
		if (equant_redist_network_place(self->network, r, host, NULL, 0))
			return false;
	}
	return true;
}

static bool make_costs(FIXTURE_DATA(ports) * self)
{
	equant_redist_costs_free(self->costs);
	self->costs = equant_redist_network_costs(self->network, self->count, self->volumes,
						  self->why, LINE);
	return self->costs;
}

/* Any links, and ports that are full when two or three ranks use them. */
static bool make(FIXTURE_DATA(ports) * self)
{
	struct random *random = &self->random;
	int ranks = 2 + (int)random_below(random, LARGEST - 1), hosts = 1 + ranks / 3;
	int density = 20 + (int)random_below(random, 81);

	equant_redist_network_free(self->network);
	self->network = equant_redist_network_random(ranks, random_unit(random) / 4, 1, 10,
						     random_next(random), NULL, 0);
	for (int h = 0; h < hosts; h++)
		if (equant_redist_network_host(
			    self->network,
			    &(struct equant_redist_host){ 2 + 10 * random_unit(random),
							  2 + 10 * random_unit(random) },
			    NULL, 0) != h)
			return false;
	for (int r = 0; r < ranks; r++)
		if (random_below(random, 8) &&
		    equant_redist_network_place(self->network, r, (int)random_below(random, hosts),
						NULL, 0))
			return false;
	self->count = 0;
	for (int i = 0; i < ranks; i++)
		for (int j = 0; j < ranks; j++)
			if (i != j && random_below(random, 100) < density)
				self->volumes[self->count++] =
					(struct equant_redist_volume){ i, j,
								       random_below(random, 100) };
	return make_costs(self);
}

static struct equant_redist_schedule *planned(FIXTURE_DATA(ports) * self, const char *scheduler)
{
	return equant_redist_schedule_new(scheduler, self->costs, self->why, LINE);
}

static struct equant_redist_schedule *simulated(FIXTURE_DATA(ports) * self, const char *scheduler)
{
	struct equant_redist_schedule *schedule = planned(self, scheduler), *done = NULL;

	if (schedule)
		done = equant_redist_replay(schedule, self->network, self->count, self->volumes, 1,
					    false, self->why, LINE);
	equant_redist_schedule_free(schedule);
	return done;
}

static double time_of(FIXTURE_DATA(ports) * self, const char *scheduler)
{
	struct equant_redist_schedule *done = simulated(self, scheduler);
	double time = done ? done->makespan : NAN;

	equant_redist_schedule_free(done);
	return time;
}

TEST_F(ports, a_schedule_that_is_chosen_takes_no_longer_than_the_direct_one)
{
	static const char *const chosen[] = { "improved", "best", "shortest" };
	int faster = 0, crowded = 0;

	for (int round = 0; round < random_cases(ROUNDS); round++) {
		double direct;

		ASSERT_TRUE(make(self));
		crowded += self->costs->network != NULL;
		direct = time_of(self, "direct") * (1 + ROUNDING);
		for (int i = 0; i < 3; i++) {
			double time = time_of(self, chosen[i]);

			ASSERT_LE(time, direct)
			{
				TH_LOG("round %d, %s", round, chosen[i]);
			}
			faster += time < 0.99 * direct;
		}
	}
	EXPECT_LT(random_cases(ROUNDS / 2), crowded);
	EXPECT_LT(random_cases(ROUNDS), faster);
}

TEST_F(ports, no_scheduler_is_faster_than_the_shortest_and_the_best_is_as_fast_as_greedy)
{
	const char *name;

	for (int round = 0; round < random_cases(ROUNDS / 3); round++) {
		double shortest;

		ASSERT_TRUE(make(self));
		shortest = time_of(self, "shortest");
		for (int i = 0; (name = equant_redist_scheduler_name(i)); i++) {
			ASSERT_LE(shortest, time_of(self, name) * (1 + ROUNDING))
			{
				TH_LOG("round %d, scheduler %d", round, i);
			}
		}
		ASSERT_LE(time_of(self, "best"), time_of(self, "greedy") * (1 + ROUNDING));
	}
}

/* Simulating takes time, too: of messages of nanoseconds nobody finds out what ports do to them. */
TEST_F(ports, the_best_simulates_only_what_that_can_save)
{
	for (int round = 0; round < random_cases(ROUNDS / 10); round++) {
		ASSERT_TRUE(make(self));
		self->network->usual.startup *= 1e-9;
		for (int64_t l = 0; l < self->network->count; l++) {
			self->network->links[l].startup *= 1e-9;
			self->network->links[l].bandwidth *= 1e9;
		}
		for (int h = 0; h < self->network->hosts; h++) {
			self->network->host[h].send *= 1e9;
			self->network->host[h].receive *= 1e9;
		}
		ASSERT_TRUE(make_costs(self));
		ASSERT_EQ(time_of(self, "greedy"), time_of(self, "best"));
	}
}

/* Does this go through a port of @host: out of it, or, with @side 1, into it? */
static bool uses(const struct equant_redist_network *network,
		 const struct equant_redist_piece *piece, int host, int side)
{
	int a = network->places[piece->from], b = network->places[piece->to];

	return a != b && (side ? b : a) == host;
}

/* What begins and ends between two moments a port carries between them; bytes by message. */
static bool is_carried(const FIXTURE_DATA(ports) * self, const struct equant_redist_schedule *done,
		       double bytes[LARGEST][LARGEST], int host, int side, double begin, double end)
{
	const struct equant_redist_host *port = &self->network->host[host];
	double carried = 0;

	for (int64_t i = 0; i < done->count; i++) {
		const struct equant_redist_piece *piece = &done->pieces[i];

		if (uses(self->network, piece, host, side) && piece->begin >= begin &&
		    piece->end <= end)
			carried += piece->share * bytes[piece->from][piece->to];
	}
	return carried <=
	       (end - begin) * (side ? port->receive : port->send) + ROUNDING * (1 + carried);
}

TEST_F(ports, nothing_is_lost_no_port_carries_more_than_it_has_and_no_bound_is_broken)
{
	const char *name;

	for (int round = 0; round < random_cases(ROUNDS / 10); round++) {
		double bytes[LARGEST][LARGEST];

		ASSERT_TRUE(make(self));
		for (int64_t k = 0; k < self->count; k++)
			bytes[self->volumes[k].from][self->volumes[k].to] =
				(double)self->volumes[k].bytes;
		for (int s = 0; (name = equant_redist_scheduler_name(s)); s++) {
			struct equant_redist_schedule *schedule = planned(self, name);
			struct equant_redist_schedule *done = simulated(self, name);

			ASSERT_NE(NULL, schedule);
			ASSERT_NE(NULL, done);
			ASSERT_EQ(0, equant_redist_schedule_check(schedule, self->costs, self->why,
								  LINE));
			ASSERT_GE(done->makespan * (1 + ROUNDING), done->bound);
			ASSERT_GE(done->makespan * (1 + ROUNDING),
				  equant_redist_bound(self->costs));
			for (int p = 0; p < 2 * self->network->hosts; p++)
				for (int64_t i = 0; i < done->count; i++)
					for (int64_t k = 0; k < done->count; k++)
						ASSERT_TRUE(is_carried(self, done, bytes, p / 2,
								       p % 2, done->pieces[i].begin,
								       done->pieces[k].end) ||
							    done->pieces[k].end <
								    done->pieces[i].begin);
			equant_redist_schedule_free(schedule);
			equant_redist_schedule_free(done);
		}
	}
}

/* Ports with enough for all of their ranks at once, and ports of one rank each, hold nobody up. */
TEST_F(ports, costs_know_of_those_that_can_be_full)
{
	static const struct equant_redist_volume volumes[] = {
		{ 0, 2, 10 }, { 0, 3, 10 }, { 1, 2, 10 }, { 2, 3, 100 }
	};

	self->count = 4;
	memcpy(self->volumes, volumes, sizeof(volumes));
	self->network = equant_redist_network_new(4, 0, 4, NULL, 0);
	ASSERT_TRUE(place(self, 2, 8, 8) && make_costs(self));
	EXPECT_EQ(NULL, self->costs->network);
	self->network->host[0].send = 7;
	ASSERT_TRUE(make_costs(self));
	EXPECT_NE(NULL, self->costs->network);
	self->network->host[0].send = 8;
	self->network->host[0].receive = 1;
	ASSERT_TRUE(make_costs(self));
	EXPECT_EQ(NULL, self->costs->network);
	self->network->host[1].receive = 3;
	ASSERT_TRUE(make_costs(self));
	EXPECT_NE(NULL, self->costs->network);
	self->network->places[1] = -1;
	self->network->places[2] = -1;
	ASSERT_TRUE(make_costs(self));
	EXPECT_EQ(NULL, self->costs->network);
}

/* ---- routes ------------------------------------------------------------------------------- */

static struct equant_redist_route *routed(FIXTURE_DATA(ports) * self, const char *router)
{
	return equant_redist_route_new(router, self->network, self->count, self->volumes, self->why,
				       LINE);
}

/* A leg takes what it carries from where it is, when it is there. */
static bool carry(FIXTURE_DATA(ports) * self, const struct equant_redist_route *route,
		  const struct equant_redist_leg *leg)
{
	int64_t bytes = 0;

	for (int64_t i = leg->first; i < leg->first + leg->count; i++) {
		const struct equant_redist_parcel *parcel = &route->parcels[i];

		for (int64_t b = parcel->begin; b < parcel->begin + parcel->bytes; b++) {
			struct place *place = &self->places[parcel->volume][b];

			if (place->rank != leg->from || place->since > leg->begin + ROUNDING)
				return false;
			*place = (struct place){ leg->to, leg->end };
		}
		bytes += parcel->bytes;
	}
	return bytes == leg->bytes;
}

static bool carry_all(FIXTURE_DATA(ports) * self, const struct equant_redist_route *route)
{
	for (int64_t k = 0; k < self->count; k++)
		for (int b = 0; b < BYTES; b++)
			self->places[k][b] = (struct place){ self->volumes[k].from, 0 };
	for (int64_t l = 0; l < route->count; l++)
		if (!carry(self, route, &route->legs[l]))
			return false;
	for (int64_t k = 0; k < self->count; k++)
		for (int b = 0; b < self->volumes[k].bytes; b++)
			if (self->places[k][b].rank != self->volumes[k].to)
				return false;
	return true;
}

/* Legs as pieces, one after the other between the same two ranks. */
static bool are_carried(FIXTURE_DATA(ports) * self, const struct equant_redist_route *route,
			int host, int side, double begin, double end)
{
	const struct equant_redist_host *port = &self->network->host[host];
	double carried = 0;

	for (int64_t l = 0; l < route->count; l++) {
		const struct equant_redist_leg *leg = &route->legs[l];
		struct equant_redist_piece piece = { .from = leg->from, .to = leg->to };

		if (uses(self->network, &piece, host, side) && leg->begin >= begin &&
		    leg->end <= end)
			carried += (double)leg->bytes;
	}
	return carried <=
	       (end - begin) * (side ? port->receive : port->send) + ROUNDING * (1 + carried);
}

static bool ports_bear(FIXTURE_DATA(ports) * self, const struct equant_redist_route *route)
{
	for (int p = 0; p < 2 * self->network->hosts; p++)
		for (int64_t i = 0; i < route->count; i++)
			for (int64_t k = i % 3; k < route->count; k += 3)
				if (route->legs[k].end > route->legs[i].begin &&
				    !are_carried(self, route, p / 2, p % 2, route->legs[i].begin,
						 route->legs[k].end))
					return false;
	return true;
}

/* What the ports have to carry, whatever the ways are. */
static double port_bound(const FIXTURE_DATA(ports) * self)
{
	double most = 0;

	for (int p = 0; p < 2 * self->network->hosts; p++) {
		const struct equant_redist_host *port = &self->network->host[p / 2];
		double bytes = 0;

		for (int64_t k = 0; k < self->count; k++) {
			struct equant_redist_piece piece = { .from = self->volumes[k].from,
							     .to = self->volumes[k].to };

			if (uses(self->network, &piece, p / 2, p % 2))
				bytes += (double)self->volumes[k].bytes;
		}
		most = fmax(most, bytes / (p % 2 ? port->receive : port->send));
	}
	return most;
}

TEST_F(ports, a_route_that_is_chosen_takes_no_longer_than_going_straight)
{
	static const char *const chosen[] = { "relay", "best", "shortest" };
	int relayed = 0;

	for (int round = 0; round < random_cases(ROUNDS / 3); round++) {
		double direct, improved;

		ASSERT_TRUE(make(self));
		direct = time_of(self, "direct") * (1 + ROUNDING);
		improved = time_of(self, "improved") * (1 + ROUNDING);
		for (int i = 0; i < 3; i++) {
			struct equant_redist_route *route = routed(self, chosen[i]), *done;

			ASSERT_NE(NULL, route);
			done = equant_redist_route_replay(route, self->network, 1, false, self->why,
							  LINE);
			ASSERT_NE(NULL, done);
			EXPECT_LE(done->makespan, direct);
			EXPECT_LE(done->makespan, improved);
			relayed += done->steps > 1 && done->makespan < 0.99 * improved;
			equant_redist_route_free(done);
			equant_redist_route_free(route);
		}
	}
	EXPECT_LT(random_cases(ROUNDS / 6), relayed);
}

TEST_F(ports, on_routes_all_arrives_and_no_port_carries_more_than_it_has)
{
	const char *name;

	for (int round = 0; round < random_cases(ROUNDS / 10); round++) {
		ASSERT_TRUE(make(self));
		for (int i = 0; (name = equant_redist_router_name(i)); i++) {
			struct equant_redist_route *route = routed(self, name), *again;

			ASSERT_NE(NULL, route);
			ASSERT_TRUE(carry_all(self, route));
			ASSERT_TRUE(ports_bear(self, route));
			ASSERT_GE(route->makespan * (1 + ROUNDING), port_bound(self));
			again = equant_redist_route_replay(route, self->network, 1, false,
							   self->why, LINE);
			ASSERT_NE(NULL, again);
			ASSERT_TRUE(carry_all(self, again));
			ASSERT_LE(again->makespan, route->makespan * (1 + ROUNDING));
			if (self->costs->network && !strcmp(name, "shortest"))
				ASSERT_EQ(again->makespan, route->makespan);
			equant_redist_route_free(again);
			for (int window = 2; window < 4; window++) {
				again = equant_redist_route_replay(route, self->network, window,
								   window == 3, self->why, LINE);
				ASSERT_NE(NULL, again);
				ASSERT_TRUE(carry_all(self, again));
				ASSERT_TRUE(ports_bear(self, again));
				equant_redist_route_free(again);
			}
			equant_redist_route_free(route);
		}
	}
}

/*
 * 0 and 1 on one host have 100 bytes for each of 2 and 3, whose links to 3 are thin.  Relaying by
 * way of 4 would be faster, were it not behind a port that is thinner still.
 */
TEST_F(ports, nothing_goes_by_way_of_a_rank_behind_a_thin_port)
{
	static const struct equant_redist_volume volumes[] = { { 0, 3, 100 }, { 1, 2, 100 } };
	struct equant_redist_route *route;

	self->count = 2;
	memcpy(self->volumes, volumes, sizeof(volumes));
	self->network = equant_redist_network_new(5, 0, 10, NULL, 0);
	for (int i = 0; i < 3; i++)
		equant_redist_network_set(self->network, &(struct equant_redist_link){ i, 3, 0, 1 },
					  NULL, 0);
	ASSERT_EQ(0, equant_redist_network_host(self->network,
						&(struct equant_redist_host){ INFINITY, 0.5 }, NULL,
						0));
	ASSERT_EQ(0, equant_redist_network_place(self->network, 4, 0, NULL, 0));
	route = routed(self, "relay");
	ASSERT_NE(NULL, route);
	EXPECT_EQ(100, route->makespan);
	EXPECT_EQ(1, route->steps);
	equant_redist_route_free(route);
	self->network->host[0].receive = 10;
	route = routed(self, "relay");
	ASSERT_NE(NULL, route);
	EXPECT_GT(50, route->makespan);
	equant_redist_route_free(route);
}

TEST_F(ports, a_route_of_other_ranks_is_not_simulated)
{
	struct equant_redist_network *larger = equant_redist_network_new(3, 0, 1, NULL, 0);
	struct equant_redist_route *route;

	self->count = 0;
	self->network = equant_redist_network_new(2, 0, 1, NULL, 0);
	route = routed(self, "relay");
	ASSERT_NE(NULL, route);
	EXPECT_EQ(NULL, equant_redist_route_replay(route, larger, 1, false, self->why, LINE));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_STREQ("a route of 2 ranks in a network of 3", self->why);
	EXPECT_EQ(NULL,
		  equant_redist_route_replay(route, self->network, 0, false, self->why, LINE));
	EXPECT_STREQ("a window of 0 messages", self->why);
	equant_redist_route_free(route);
	equant_redist_network_free(larger);
}

TEST_HARNESS_MAIN
