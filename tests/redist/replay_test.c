// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* What becomes of schedules in networks. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include <equant/redist.h>

#include "random.h"

#include "kselftest_harness.h"

#define ROUNDS 500
#define LARGEST 9 /* ranks */
#define LINE 200
#define ROUNDING 1e-9

FIXTURE(replay)
{
	struct random random;
	struct equant_redist_network *network;
	struct equant_redist_volume volumes[LARGEST * LARGEST];
	int64_t count;
	char why[LINE];
};

FIXTURE_SETUP(replay)
{
	self->random = random_seeded();
	self->network = NULL;
}

FIXTURE_TEARDOWN(replay)
{
	equant_redist_network_free(self->network);
}

static double rate(struct random *random)
{
	return random_below(random, 10) ? 1 + 9 * random_unit(random) : INFINITY;
}

/* Any links; @hosts of them with ports. */
static bool make_network(FIXTURE_DATA(replay) * self, int ranks, int hosts)
{
	struct random *random = &self->random;

	equant_redist_network_free(self->network);
	self->network = equant_redist_network_new(ranks, 0, rate(random), NULL, 0);
	if (!self->network)
		return false;
	for (int i = 0; i < ranks; i++)
		for (int j = 0; j < ranks; j++)
			if (equant_redist_network_set(
				    self->network,
				    &(struct equant_redist_link){ i, j, random_unit(random),
								  rate(random) },
				    NULL, 0))
				return false;
	for (int h = 0; h < hosts; h++)
		if (equant_redist_network_host(self->network,
					       &(struct equant_redist_host){ rate(random),
									     rate(random) },
					       NULL, 0) != h)
			return false;
	for (int i = 0; i < ranks && hosts; i++)
		if (random_below(random, 3) &&
		    equant_redist_network_place(self->network, i, (int)random_below(random, hosts),
						NULL, 0))
			return false;
	return true;
}

static void make_volumes(FIXTURE_DATA(replay) * self)
{
	int ranks = self->network->ranks;

	self->count = 0;
	for (int i = 0; i < ranks; i++)
		for (int j = 0; j < ranks; j++)
			if (random_below(&self->random, 3))
				self->volumes[self->count++] = (struct equant_redist_volume){
					i, j, random_below(&self->random, 100)
				};
}

static struct equant_redist_schedule *planned(FIXTURE_DATA(replay) * self, const char *scheduler)
{
	struct equant_redist_costs *costs =
		equant_redist_network_costs(self->network, self->count, self->volumes, NULL, 0);
	struct equant_redist_schedule *schedule =
		costs ? equant_redist_schedule_new(scheduler, costs, NULL, 0) : NULL;

	equant_redist_costs_free(costs);
	return schedule;
}

static struct equant_redist_schedule *replayed(FIXTURE_DATA(replay) * self, const char *scheduler,
					       int window, bool barrier)
{
	struct equant_redist_schedule *schedule = planned(self, scheduler), *result = NULL;

	if (schedule)
		result = equant_redist_replay(schedule, self->network, self->count, self->volumes,
					      window, barrier, self->why, LINE);
	equant_redist_schedule_free(schedule);
	return result;
}

static double time_of(FIXTURE_DATA(replay) * self, const char *scheduler, int window, bool barrier)
{
	struct equant_redist_schedule *result = replayed(self, scheduler, window, barrier);
	double time = result ? result->makespan : NAN;

	equant_redist_schedule_free(result);
	return time;
}

TEST_F(replay, in_its_own_network_a_schedule_takes_what_was_planned)
{
	static const char *const schedulers[] = { "caterpillar", "direct", "greedy", "longest" };

	for (int round = 0; round < ROUNDS; round++) {
		ASSERT_TRUE(make_network(self, 1 + (int)random_below(&self->random, LARGEST), 0));
		make_volumes(self);
		for (int i = 0; i < 4; i++) {
			struct equant_redist_schedule *schedule = planned(self, schedulers[i]);
			double took = time_of(self, schedulers[i], 1, false);

			ASSERT_NE(NULL, schedule);
			ASSERT_LE(fabs(took - schedule->makespan), ROUNDING * took);
			equant_redist_schedule_free(schedule);
		}
	}
}

/* One message at a time out of each port, as the model has it: the checker believes it. */
TEST_F(replay, times_that_come_out_are_a_schedule)
{
	for (int round = 0; round < ROUNDS; round++) {
		struct equant_redist_schedule *result;
		struct equant_redist_costs *costs;
		const char *name;

		ASSERT_TRUE(make_network(self, 1 + (int)random_below(&self->random, LARGEST), 0));
		make_volumes(self);
		costs = equant_redist_network_costs(self->network, self->count, self->volumes, NULL,
						    0);
		for (int i = 0; (name = equant_redist_scheduler_name(i)); i++) {
			result = replayed(self, name, 1, round % 2);
			ASSERT_NE(NULL, result);
			ASSERT_EQ(0, equant_redist_schedule_check(result, costs, self->why, LINE))
			{
				TH_LOG("%s: %s", name, self->why);
			}
			equant_redist_schedule_free(result);
		}
		equant_redist_costs_free(costs);
	}
}

TEST_F(replay, nothing_is_faster_than_the_bound_of_links_and_ports)
{
	for (int round = 0; round < ROUNDS; round++) {
		int ranks = 1 + (int)random_below(&self->random, LARGEST);

		ASSERT_TRUE(make_network(self, ranks, 1 + (int)random_below(&self->random, ranks)));
		make_volumes(self);
		for (int window = 1; window < 4; window++) {
			struct equant_redist_schedule *result =
				replayed(self, "greedy", window, false);

			ASSERT_NE(NULL, result);
			ASSERT_GE(result->makespan * (1 + ROUNDING), result->bound);
			for (int64_t i = 0; i < result->count; i++)
				ASSERT_LE(result->pieces[i].begin, result->pieces[i].end);
			equant_redist_schedule_free(result);
		}
	}
}

/* Steps of the same kind of messages: what the scheduler of that name makes of them. */
TEST_F(replay, a_barrier_after_every_step_is_that_of_the_barrier_scheduler)
{
	struct equant_redist_array array = {
		.dimensions = 1,
		.extent = { 10000 },
		.from = { { 1, 4, 0, 0 } },
		.to = { { 3, 4, 0, 0 } },
	};
	static const int receivers[] = { 4, 5, 6, 7 };

	for (int round = 0; round < 20; round++) {
		struct equant_redist_schedule *barrier;
		struct equant_redist_volume *volumes =
			equant_redist_volumes(&array, 8, NULL, receivers, &self->count);
		double took;

		ASSERT_TRUE(make_network(self, 8, 0));
		memcpy(self->volumes, volumes, (size_t)self->count * sizeof(*volumes));
		free(volumes);
		barrier = planned(self, "barrier");
		took = time_of(self, "barrier", 1, true);
		EXPECT_LE(fabs(took - barrier->makespan), ROUNDING * took);
		EXPECT_LE(time_of(self, "barrier", 1, false), took * (1 + ROUNDING));
		equant_redist_schedule_free(barrier);
	}
}

/*
 * 12 bytes each from ranks 0 and 1 on one host to 2 and 3 on another, through ports of 4 bytes/s.
 */
TEST_F(replay, ranks_of_a_host_share_its_port)
{
	static const struct equant_redist_volume volumes[] = { { 0, 2, 12 }, { 1, 3, 12 } };

	self->network = equant_redist_network_new(4, 0.5, 4, NULL, 0);
	ASSERT_EQ(0, equant_redist_network_host(self->network, &(struct equant_redist_host){ 4, 4 },
						NULL, 0));
	ASSERT_EQ(0, equant_redist_network_place(self->network, 0, 0, NULL, 0));
	ASSERT_EQ(0, equant_redist_network_place(self->network, 1, 0, NULL, 0));
	self->count = 2;
	memcpy(self->volumes, volumes, sizeof(volumes));
	EXPECT_EQ(6.5, time_of(self, "greedy", 1, false));
	/* A link of 1 leaves 3 to the other. */
	equant_redist_network_set(self->network, &(struct equant_redist_link){ 1, 3, 0.5, 1 }, NULL,
				  0);
	EXPECT_EQ(12.5, time_of(self, "greedy", 1, false));
	self->volumes[1].bytes = 2;
	EXPECT_EQ(0.5 + 2 + 6. / 4, time_of(self, "greedy", 1, false));
}

/* 0 sends to 1 and 2, which links of 1 and 3 bytes/s; both at once with a window of 2. */
TEST_F(replay, a_window_has_several_messages_under_way)
{
	static const struct equant_redist_volume volumes[] = { { 0, 1, 6 }, { 0, 2, 6 } };

	self->network = equant_redist_network_new(3, 0, 1, NULL, 0);
	equant_redist_network_set(self->network, &(struct equant_redist_link){ 0, 2, 0, 3 }, NULL,
				  0);
	self->count = 2;
	memcpy(self->volumes, volumes, sizeof(volumes));
	EXPECT_EQ(8, time_of(self, "greedy", 1, false));
	EXPECT_EQ(6, time_of(self, "greedy", 2, false));
}

TEST_F(replay, of_other_messages_is_refused)
{
	static const struct equant_redist_volume volumes[] = { { 0, 1, 6 }, { 1, 2, 6 } };
	struct equant_redist_network *larger = equant_redist_network_new(4, 0, 1, NULL, 0);
	struct equant_redist_schedule *schedule;

	self->network = equant_redist_network_new(3, 0, 1, NULL, 0);
	self->count = 2;
	memcpy(self->volumes, volumes, sizeof(volumes));
	schedule = planned(self, "greedy");
	EXPECT_EQ(NULL, equant_redist_replay(schedule, self->network, 1, volumes, 1, false,
					     self->why, LINE));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_STREQ("no message is from 1 to 2", self->why);
	schedule->count = 1;
	EXPECT_EQ(NULL, equant_redist_replay(schedule, self->network, 2, volumes, 1, false,
					     self->why, LINE));
	EXPECT_STREQ("nothing of the message from 1 to 2 is sent", self->why);
	EXPECT_EQ(NULL, equant_redist_replay(schedule, self->network, 1, volumes, 0, false,
					     self->why, LINE));
	EXPECT_STREQ("a window of 0 messages", self->why);
	EXPECT_EQ(NULL,
		  equant_redist_replay(schedule, larger, 1, volumes, 1, false, self->why, LINE));
	EXPECT_STREQ("a schedule of 3 ranks in a network of 4", self->why);
	equant_redist_schedule_free(schedule);
	equant_redist_network_free(larger);
}

TEST_HARNESS_MAIN
