// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Routes by way of other ranks, carried out byte by byte. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <equant/redist.h>

#include "random.h"

#include "kselftest_harness.h"

#define ROUNDS 300
#define LARGEST 17 /* ranks */
#define BYTES 40 /* of a message */
#define LINE 200
#define ROUNDING 1e-9

FIXTURE(route)
{
	struct random random;
	struct equant_redist_network *network;
	struct equant_redist_volume volumes[LARGEST * LARGEST];
	int64_t count;
	/* Of each byte of each message where it is, and since when. */
	int place[LARGEST * LARGEST][BYTES];
	double since[LARGEST * LARGEST][BYTES];
	char why[LINE];
};

FIXTURE_SETUP(route)
{
	self->random = random_seeded();
	self->network = NULL;
}

FIXTURE_TEARDOWN(route)
{
	equant_redist_network_free(self->network);
}

static bool make(FIXTURE_DATA(route) * self, int ranks)
{
	struct random *random = &self->random;
	int density = (int)random_below(random, 101);

	equant_redist_network_free(self->network);
	self->network = equant_redist_network_random(ranks, random_unit(random), 1, 20,
						     random_next(random), NULL, 0);
	self->count = 0;
	for (int i = 0; i < ranks; i++)
		for (int j = 0; j < ranks; j++)
			if (random_below(random, 100) < density)
				self->volumes[self->count++] = (struct equant_redist_volume){
					i, j, random_below(random, BYTES + 1)
				};
	return self->network;
}

static struct equant_redist_route *routed(FIXTURE_DATA(route) * self, const char *router)
{
	return equant_redist_route_new(router, self->network, self->count, self->volumes, self->why,
				       LINE);
}

/* A leg takes what it carries from where it is, and what has arrived stays; -1: otherwise. */
static int carry(FIXTURE_DATA(route) * self, const struct equant_redist_route *route,
		 const struct equant_redist_leg *leg)
{
	int64_t bytes = 0;

	for (int64_t i = leg->first; i < leg->first + leg->count; i++) {
		const struct equant_redist_parcel *parcel = &route->parcels[i];
		const struct equant_redist_volume *volume = &self->volumes[parcel->volume];

		if (volume->to == leg->from || volume->from == leg->to)
			return -1;
		for (int64_t b = parcel->begin; b < parcel->begin + parcel->bytes; b++) {
			int *place = &self->place[parcel->volume][b];
			double *since = &self->since[parcel->volume][b];

			if (*place != leg->from || *since > leg->begin + ROUNDING * leg->end)
				return -1;
			*place = leg->to;
			*since = leg->end;
		}
		bytes += parcel->bytes;
	}
	return bytes == leg->bytes ? 0 : -1;
}

static int carry_all(FIXTURE_DATA(route) * self, const struct equant_redist_route *route)
{
	for (int64_t k = 0; k < self->count; k++) {
		for (int b = 0; b < BYTES; b++) {
			self->place[k][b] = self->volumes[k].from;
			self->since[k][b] = 0;
		}
	}
	for (int64_t l = 0; l < route->count; l++)
		if (carry(self, route, &route->legs[l]))
			return -1;
	for (int64_t k = 0; k < self->count; k++)
		for (int b = 0; b < self->volumes[k].bytes; b++)
			if (self->place[k][b] != self->volumes[k].to)
				return -1;
	return 0;
}

/* Does each leg take its time, and is no rank in two of them on the same side? */
static bool is_timed(const FIXTURE_DATA(route) * self, const struct equant_redist_route *route)
{
	double last = 0, slack = ROUNDING * route->makespan;

	for (int64_t l = 0; l < route->count; l++) {
		const struct equant_redist_leg *leg = &route->legs[l];
		struct equant_redist_link link =
			equant_redist_network_link(self->network, leg->from, leg->to);
		double takes = link.startup + (double)leg->bytes / link.bandwidth;

		if (fabs(leg->end - leg->begin - takes) > slack)
			return false;
		last = fmax(last, leg->end);
		for (int64_t m = 0; m < l; m++) {
			const struct equant_redist_leg *other = &route->legs[m];

			if ((other->from == leg->from || other->to == leg->to) &&
			    other->begin < leg->end - slack && leg->begin < other->end - slack)
				return false;
			if (other->step > leg->step ||
			    (other->step == leg->step && other->from == leg->from &&
			     other->to == leg->to))
				return false;
		}
	}
	return last == route->makespan;
}

TEST_F(route, every_byte_arrives_and_no_rank_does_two_things_at_once)
{
	for (int round = 0; round < random_cases(ROUNDS); round++) {
		const char *name;

		ASSERT_TRUE(make(self, 1 + (int)random_below(&self->random, LARGEST)));
		for (int i = 0; (name = equant_redist_router_name(i)); i++) {
			struct equant_redist_route *route = routed(self, name);

			ASSERT_NE(NULL, route);
			ASSERT_EQ(0, carry_all(self, route))
			{
				TH_LOG("round %d, %s", round, name);
			}
			ASSERT_TRUE(is_timed(self, route))
			{
				TH_LOG("round %d, %s", round, name);
			}
			equant_redist_route_free(route);
		}
	}
}

static int logarithm(int n)
{
	int bits = 0;

	while (1 << bits < n)
		bits++;
	return bits;
}

static bool one_message_in_a_step(const struct equant_redist_route *route)
{
	for (int64_t l = 0; l < route->count; l++)
		for (int64_t m = 0; m < l; m++)
			if (route->legs[m].step == route->legs[l].step &&
			    (route->legs[m].from == route->legs[l].from ||
			     route->legs[m].to == route->legs[l].to))
				return false;
	return true;
}

/* Both cyclic(x) to cyclic(K x) and the contrary. */
TEST_F(route, combining_takes_log_k_and_two_steps)
{
	for (int p = 2; p <= LARGEST; p++) {
		self->network = equant_redist_network_new(p, 1, 1e9, NULL, 0);
		for (int k = 2; k < 2 * p; k++) {
			int from = (int)random_below(&self->random, p);
			int to = (int)random_below(&self->random, p);
			struct equant_redist_array array = {
				.dimensions = 1,
				.extent = { (int64_t)p * p * k },
				.from = { { k % 3 ? 1 : k, p, from, 0 } },
				.to = { { k % 3 ? k : 1, p, to, 0 } },
			};
			struct equant_redist_volume *volumes =
				equant_redist_volumes(&array, 1, NULL, NULL, &self->count);
			struct equant_redist_route *route;
			int most = logarithm(k < p ? k : p) + 2;

			ASSERT_NE(NULL, volumes);
			route = equant_redist_route_new("combine", self->network, self->count,
							volumes, NULL, 0);
			ASSERT_NE(NULL, route);
			ASSERT_LE(route->steps, most)
			{
				TH_LOG("P = %d, K = %d, from %d on, to %d on", p, k, from, to);
			}
			ASSERT_TRUE(one_message_in_a_step(route));
			ASSERT_LE(route->makespan, (most + 1) * 1.);
			equant_redist_route_free(route);
			free(volumes);
		}
		equant_redist_network_free(self->network);
	}
	self->network = NULL;
}

/* 1000 bytes from 0 to 1 at 1 byte/s, and everything else at 10: over 2 and 3 it is faster. */
/* Few messages between ranks far apart: most of the steps are empty. */
TEST_F(route, of_more_steps_than_legs_takes_as_long_as_planned)
{
	const struct equant_redist_array array = {
		.dimensions = 3,
		.extent = { 2, 2, 1 },
		.from = { { 2, 1, 0, 0 }, { 1, 4, 0, 0 }, { 1, 512, 0, 0 } },
		.to = { { 1, 4, 0, 0 }, { 2, 1, 0, 0 }, { 1, 512, 10, 0 } },
	};
	struct equant_redist_route *route, *replayed;
	struct equant_redist_volume *volumes =
		equant_redist_volumes(&array, 8, NULL, NULL, &self->count);

	ASSERT_NE(NULL, volumes);
	self->network = equant_redist_network_new(2048, 1e-4, 1e8, self->why, LINE);
	route = equant_redist_route_new("combine", self->network, self->count, volumes, self->why,
					LINE);
	ASSERT_NE(NULL, route);
	EXPECT_GT(route->steps, route->count + 1);
	for (int barrier = 0; barrier < 2; barrier++) {
		replayed = equant_redist_route_replay(route, self->network, 1, barrier, self->why,
						      LINE);
		ASSERT_NE(NULL, replayed);
		EXPECT_LE(fabs(replayed->makespan - route->makespan), 1e-9 * route->makespan);
		equant_redist_route_free(replayed);
	}
	equant_redist_route_free(route);
	free(volumes);
}

TEST_F(route, a_thin_link_is_relieved_over_faster_ones)
{
	struct equant_redist_route *route;
	int64_t straight = 0;

	self->network = equant_redist_network_new(4, 0.1, 10, NULL, 0);
	equant_redist_network_set(self->network, &(struct equant_redist_link){ 0, 1, 0.1, 1 }, NULL,
				  0);
	self->volumes[0] = (struct equant_redist_volume){ 0, 1, 1000 };
	self->count = 1;
	route = routed(self, "relay");
	ASSERT_NE(NULL, route);
	EXPECT_GT(1000.1, route->makespan);
	EXPECT_GT(300, route->makespan);
	for (int64_t l = 0; l < route->count; l++)
		straight += route->legs[l].from == 0 && route->legs[l].to == 1 ?
				    route->legs[l].bytes :
				    0;
	EXPECT_GT(500, straight);
	EXPECT_EQ(2, route->steps);
	equant_redist_route_free(route);
	/* Where start-ups take longer than that saves, nothing is relayed. */
	equant_redist_network_free(self->network);
	self->network = equant_redist_network_new(4, 1000, 10, NULL, 0);
	equant_redist_network_set(self->network, &(struct equant_redist_link){ 0, 1, 1000, 1 },
				  NULL, 0);
	route = routed(self, "relay");
	ASSERT_NE(NULL, route);
	EXPECT_EQ(1, route->count);
	EXPECT_EQ(1, route->steps);
	EXPECT_EQ(2000, route->makespan);
	equant_redist_route_free(route);
}

TEST_F(route, what_a_rank_has_for_itself_keeps_nothing_from_being_relayed)
{
	struct equant_redist_route *route;

	self->network = equant_redist_network_new(3, 0, 10, NULL, 0);
	equant_redist_network_set(self->network, &(struct equant_redist_link){ 0, 1, 0, 1 }, NULL,
				  0);
	self->volumes[0] = (struct equant_redist_volume){ 0, 1, 60 };
	self->volumes[1] = (struct equant_redist_volume){ 2, 2, 1000 };
	self->count = 2;
	route = routed(self, "relay");
	ASSERT_NE(NULL, route);
	EXPECT_GT(20, route->makespan);
	equant_redist_route_free(route);
}

/* The way by rank 2 saves its sender more, but its last start-up would keep the receiver busy for longer. */
TEST_F(route, a_way_that_makes_the_receiver_busier_is_not_taken)
{
	static const struct equant_redist_link links[] = {
		{ 0, 1, 0, 1 },	   { 0, 4, 0, 1 }, { 5, 1, 0, 1 }, { 0, 2, 0, 50 },
		{ 2, 1, 60, 100 }, { 0, 3, 0, 4 }, { 3, 1, 0, 5 },
	};
	struct equant_redist_route *route;

	self->network = equant_redist_network_new(6, 0, 0.01, NULL, 0);
	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++)
		equant_redist_network_set(self->network, &links[i], NULL, 0);
	self->volumes[0] = (struct equant_redist_volume){ 0, 1, 20 };
	self->volumes[1] = (struct equant_redist_volume){ 0, 4, 80 };
	self->volumes[2] = (struct equant_redist_volume){ 5, 1, 80 };
	self->count = 3;
	route = routed(self, "relay");
	ASSERT_NE(NULL, route);
	EXPECT_GT(100, route->makespan);
	for (int64_t l = 0; l < route->count; l++)
		EXPECT_NE(2, route->legs[l].to);
	equant_redist_route_free(route);
}

/* What a rank keeps is no message: a list of fewer may well be scheduled worse, by chance. */
static struct equant_redist_schedule *scheduled(FIXTURE_DATA(route) * self)
{
	struct equant_redist_volume volumes[LARGEST * LARGEST];
	struct equant_redist_schedule *schedule;
	struct equant_redist_costs *costs;
	int64_t count = 0;

	for (int64_t k = 0; k < self->count; k++)
		if (self->volumes[k].from != self->volumes[k].to)
			volumes[count++] = self->volumes[k];
	costs = equant_redist_network_costs(self->network, count, volumes, NULL, 0);
	schedule = equant_redist_schedule_new("improved", costs, NULL, 0);
	equant_redist_costs_free(costs);
	return schedule;
}

TEST_F(route, relaying_is_never_slower_than_the_improved_schedule)
{
	int faster = 0;

	for (int round = 0; round < random_cases(ROUNDS / 3); round++) {
		struct equant_redist_schedule *schedule;
		struct equant_redist_route *route;

		ASSERT_TRUE(make(self, 2 + (int)random_below(&self->random, LARGEST - 1)));
		for (int64_t k = 0; k < self->count; k++)
			self->volumes[k].bytes += self->volumes[k].from == self->volumes[k].to ?
							  -self->volumes[k].bytes :
							  1000;
		schedule = scheduled(self);
		ASSERT_NE(NULL, schedule);
		route = routed(self, "relay");
		ASSERT_NE(NULL, route);
		ASSERT_LE(route->makespan, schedule->makespan * (1 + ROUNDING));
		faster += route->makespan < 0.99 * schedule->makespan;
		equant_redist_route_free(route);
		equant_redist_schedule_free(schedule);
	}
	EXPECT_LT(random_cases(ROUNDS / 12), faster);
}

/* What is expected of the best route: what @router takes, which the others do not beat. */
static void expect_best(struct __test_metadata *const _metadata, FIXTURE_DATA(route) * self,
			const char *router, int steps)
{
	struct equant_redist_route *best = routed(self, "best"), *expected = routed(self, router);

	ASSERT_NE(NULL, best);
	ASSERT_NE(NULL, expected);
	EXPECT_STREQ("best", best->router);
	EXPECT_EQ(expected->makespan, best->makespan);
	EXPECT_EQ(steps, best->steps);
	equant_redist_route_free(best);
	equant_redist_route_free(expected);
}

/* cyclic(1) to cyclic(8) on 16 ranks: 8 messages of each, 4 steps if they are combined. */
static bool make_uniform(FIXTURE_DATA(route) * self, double startup)
{
	const struct equant_redist_array array = {
		.dimensions = 1,
		.extent = { 2048 },
		.from = { { 1, 16, 0, 0 } },
		.to = { { 8, 16, 0, 0 } },
	};
	struct equant_redist_volume *volumes =
		equant_redist_volumes(&array, 1, NULL, NULL, &self->count);

	if (!volumes)
		return false;
	memcpy(self->volumes, volumes, (size_t)self->count * sizeof(*volumes));
	free(volumes);
	self->network = equant_redist_network_new(16, startup, 1e6, NULL, 0);
	return self->network;
}

TEST_F(route, the_best_combines_where_startups_decide)
{
	ASSERT_TRUE(make_uniform(self, 1));
	expect_best(_metadata, self, "combine", 4);
}

TEST_F(route, the_best_goes_straight_where_links_are_alike_and_fast_enough)
{
	struct equant_redist_schedule *schedule;
	struct equant_redist_route *route;

	ASSERT_TRUE(make_uniform(self, 0));
	schedule = scheduled(self);
	route = routed(self, "best");
	ASSERT_NE(NULL, schedule);
	ASSERT_NE(NULL, route);
	EXPECT_EQ(1, route->steps);
	EXPECT_GE(schedule->makespan * (1 + ROUNDING), route->makespan);
	equant_redist_route_free(route);
	equant_redist_schedule_free(schedule);
}

TEST_F(route, the_best_relays_where_a_thin_link_decides)
{
	self->network = equant_redist_network_new(4, 0.1, 10, NULL, 0);
	equant_redist_network_set(self->network, &(struct equant_redist_link){ 0, 1, 0.1, 1 }, NULL,
				  0);
	self->volumes[0] = (struct equant_redist_volume){ 0, 1, 1000 };
	self->count = 1;
	expect_best(_metadata, self, "relay", 2);
}

TEST_F(route, no_router_is_faster_than_the_best)
{
	for (int round = 0; round < random_cases(ROUNDS / 3); round++) {
		struct equant_redist_route *best, *other;
		const char *name;

		ASSERT_TRUE(make(self, 1 + (int)random_below(&self->random, LARGEST)));
		best = routed(self, "best");
		ASSERT_NE(NULL, best);
		for (int i = 0; (name = equant_redist_router_name(i)); i++) {
			other = routed(self, name);
			ASSERT_NE(NULL, other);
			ASSERT_LE(best->makespan, other->makespan * (1 + ROUNDING))
			{
				TH_LOG("round %d, %s", round, name);
			}
			equant_redist_route_free(other);
		}
		equant_redist_route_free(best);
	}
}

/* What is through before another way is planned goes straight; the shortest is planned all the same. */
TEST_F(route, the_best_does_not_plan_longer_than_that_can_save)
{
	static const double seconds[] = { 1, 1e-9 };

	for (int combines = 0; combines < 2; combines++) {
		for (int i = 0; i < 2; i++) {
			struct equant_redist_route *best, *shortest;

			if (combines) {
				ASSERT_TRUE(make_uniform(self, seconds[i]));
				self->network->usual.bandwidth = 1e6 / seconds[i];
			} else {
				const struct equant_redist_link thin = { 0, 1, 0, 1 / seconds[i] };

				self->network =
					equant_redist_network_new(4, 0, 10 / seconds[i], NULL, 0);
				equant_redist_network_set(self->network, &thin, NULL, 0);
				self->volumes[0] = (struct equant_redist_volume){ 0, 1, 100 };
				self->count = 1;
			}
			best = routed(self, "best");
			shortest = routed(self, "shortest");
			ASSERT_NE(NULL, best);
			ASSERT_NE(NULL, shortest);
			EXPECT_EQ(i, best->steps == 1);
			EXPECT_LT(1, shortest->steps);
			equant_redist_route_free(best);
			equant_redist_route_free(shortest);
			equant_redist_network_free(self->network);
			self->network = NULL;
		}
	}
}

TEST_F(route, by_an_unknown_router_is_refused)
{
	self->network = equant_redist_network_new(2, 0, 1, NULL, 0);
	self->volumes[0] = (struct equant_redist_volume){ 0, 2, 1 };
	self->count = 1;
	errno = 0;
	EXPECT_EQ(NULL, routed(self, "relais"));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_STREQ("no router is called 'relais'; there are combine relay shortest best",
		     self->why);
	EXPECT_EQ(NULL, routed(self, "relay"));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_STREQ("a message from rank 0 to rank 2 of 2", self->why);
}

TEST_HARNESS_MAIN
