// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* What is told of a thread from few readings, against what it did. */
#include "kselftest_harness.h"
#include "profile/split.h"
#include "random.h"

#define US 1000
#define MS 1000000
#define WORTH (MS / 2)

/* A thread that does what the test says, and what is told of it. */
struct thread {
	struct equant_split split;
	struct equant_profile_time told[EQUANT_PLACES];
	struct equant_profile_time did[EQUANT_PLACES];
	uint64_t run; /* since the last reading */
	uint64_t wait;
	long readings;
};

static void start(struct thread *thread, uint64_t worth)
{
	*thread = (struct thread){ .split = { .worth_ns = worth } };
	for (int place = 0; place < EQUANT_PLACES; place++)
		thread->split.times[place] = &thread->told[place];
}

static void read_now(struct thread *thread)
{
	equant_split_read(&thread->split, thread->run, thread->wait);
	thread->run = thread->wait = 0;
	thread->readings++;
}

/* It runs, waits for a CPU, and sleeps. */
static void stay(struct thread *thread, int place, uint64_t run, uint64_t wait, uint64_t sleep)
{
	struct equant_profile_time *did = &thread->did[place];

	did->wall_ns += run + wait + sleep;
	did->run_ns += run;
	did->wait_ns += wait;
	thread->run += run;
	thread->wait += wait;
	if (equant_split_pass(&thread->split, place, run + wait + sleep))
		read_now(thread);
}

/* Is that told to this part of the place's time? */
static bool near(const struct thread *thread, int place, double part)
{
	const struct equant_profile_time *told = &thread->told[place], *did = &thread->did[place];
	double most = part * (double)did->wall_ns, run = (double)told->run_ns - (double)did->run_ns;
	double wait = (double)told->wait_ns - (double)did->wait_ns;

	if (told->wall_ns == did->wall_ns && run <= most && run >= -most && wait <= most &&
	    wait >= -most)
		return true;
	printf("# %s: ran %.3f of %.3f ms, waited %.3f of %.3f, of %.3f\n",
	       place == EQUANT_OUTSIDE ? "outside" : "inside", told->run_ns / 1e6,
	       did->run_ns / 1e6, told->wait_ns / 1e6, did->wait_ns / 1e6, did->wall_ns / 1e6);
	return false;
}

/* Nothing is lost, and nothing more than the whole. */
static bool adds_up(const struct thread *thread)
{
	const struct equant_profile_time *told = thread->told, *did = thread->did;

	for (int i = 0; i < EQUANT_PLACES; i++)
		if (told[i].run_ns + told[i].wait_ns > told[i].wall_ns ||
		    told[i].wall_ns != did[i].wall_ns)
			return false;
	return told[0].run_ns + told[1].run_ns == did[0].run_ns + did[1].run_ns &&
	       told[0].wait_ns + told[1].wait_ns == did[0].wait_ns + did[1].wait_ns;
}

FIXTURE(split)
{
	struct thread thread;
};

FIXTURE_SETUP(split)
{
	start(&self->thread, WORTH);
}

FIXTURE_TEARDOWN(split)
{
}

TEST_F(split, long_times_are_exact)
{
	for (int i = 0; i < 100; i++) {
		stay(&self->thread, EQUANT_OUTSIDE, 2 * MS, i * MS, i % 3 * MS);
		stay(&self->thread, EQUANT_INSIDE, i * US, MS, 3 * MS);
	}
	EXPECT_TRUE(near(&self->thread, EQUANT_OUTSIDE, 0));
	EXPECT_TRUE(near(&self->thread, EQUANT_INSIDE, 0));
	EXPECT_EQ(200, self->thread.readings);
}

TEST_F(split, readings_that_cost_nothing_are_exact)
{
	start(&self->thread, 0);
	for (int i = 0; i < 100; i++) {
		stay(&self->thread, EQUANT_OUTSIDE, i, 2 * i, 100 - i);
		stay(&self->thread, EQUANT_INSIDE, 100 - i, i, 3);
	}
	EXPECT_TRUE(near(&self->thread, EQUANT_OUTSIDE, 0));
	EXPECT_TRUE(near(&self->thread, EQUANT_INSIDE, 0));
}

TEST_F(split, readings_are_so_far_apart_by_twos)
{
	for (int i = 0; i < 10000; i++) {
		stay(&self->thread, EQUANT_OUTSIDE, 7 * US, 0, 0);
		stay(&self->thread, EQUANT_INSIDE, 3 * US, 0, 0);
	}
	/* 100 ms */
	EXPECT_GE(2 * 100 * MS / WORTH, self->thread.readings);
	EXPECT_LE(100 * MS / WORTH, self->thread.readings);
}

/* Work of less time than readings are apart, between sleeps that are long, or short. */
TEST_F(split, short_work_between_sleeps_is_outside)
{
	for (int i = 0; i < 1000; i++) {
		stay(&self->thread, EQUANT_OUTSIDE, 290 * US, 0, 0);
		stay(&self->thread, EQUANT_INSIDE, 10 * US, 0, i < 500 ? 100 * MS : 300 * US);
	}
	read_now(&self->thread);
	EXPECT_TRUE(near(&self->thread, EQUANT_OUTSIDE, 0.02));
	EXPECT_TRUE(near(&self->thread, EQUANT_INSIDE, 0.02));
	EXPECT_TRUE(adds_up(&self->thread));
}

/* The other way round: it sleeps outside, and polls inside. */
TEST_F(split, short_sleeps_between_polls_are_outside)
{
	for (int i = 0; i < 5000; i++) {
		stay(&self->thread, EQUANT_OUTSIDE, 20 * US, 0, 100 * US);
		stay(&self->thread, EQUANT_INSIDE, 130 * US, 0, 0);
	}
	read_now(&self->thread);
	EXPECT_TRUE(near(&self->thread, EQUANT_OUTSIDE, 0.02));
	EXPECT_TRUE(near(&self->thread, EQUANT_INSIDE, 0.02));
	EXPECT_TRUE(adds_up(&self->thread));
}

/* A competitor that takes a quantum now and then, beside short work. */
TEST_F(split, lost_quanta_are_where_they_were_lost)
{
	for (int i = 0; i < 20000; i++) {
		stay(&self->thread, EQUANT_OUTSIDE, 100 * US, i % 40 == 7 ? 4 * MS : 0, 0);
		stay(&self->thread, EQUANT_INSIDE, 20 * US, 0, 10 * US);
	}
	read_now(&self->thread);
	EXPECT_TRUE(near(&self->thread, EQUANT_OUTSIDE, 0.02));
	EXPECT_TRUE(near(&self->thread, EQUANT_INSIDE, 0.02));
	EXPECT_TRUE(adds_up(&self->thread));
}

TEST_F(split, whatever_it_does_nothing_is_lost)
{
	struct random random = random_seeded();

	for (int round = 0; round < 200; round++) {
		long longest = 1 + random_below(&random, 1 + random_below(&random, 3 * MS));

		start(&self->thread, (uint64_t)random_below(&random, MS));
		for (int i = 0; i < 2000; i++)
			stay(&self->thread, i % 2, (uint64_t)random_below(&random, longest),
			     (uint64_t)random_below(&random, longest),
			     (uint64_t)random_below(&random, longest));
		read_now(&self->thread);
		ASSERT_TRUE(adds_up(&self->thread));
	}
}

/* A probe may count a little more than there was. */
TEST_F(split, more_than_there_was_is_not_told)
{
	equant_split_pass(&self->thread.split, EQUANT_OUTSIDE, MS);
	equant_split_read(&self->thread.split, MS + 5, 7);
	EXPECT_EQ(MS, self->thread.told[EQUANT_OUTSIDE].run_ns);
	EXPECT_EQ(0, self->thread.told[EQUANT_OUTSIDE].wait_ns);
	EXPECT_EQ(0, self->thread.told[EQUANT_INSIDE].wall_ns);
}

TEST_HARNESS_MAIN
