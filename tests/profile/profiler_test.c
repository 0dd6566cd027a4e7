// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The time of a thread, told apart by where it is. */
#include <errno.h>
#include <setjmp.h>
#include <time.h>

#include "core/clock.h"
#include "kselftest_harness.h"
#include "profile/profiler.h"

#define MS 1000000u

/* Until the thread had a CPU for so long, which is returned. */
static uint64_t burn(uint64_t ns)
{
	uint64_t start = equant_clock_ns(CLOCK_THREAD_CPUTIME_ID), now;

	do {
		now = equant_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	} while (now - start < ns);
	return now - start;
}

static void rest(uint64_t ns)
{
	struct timespec left = { .tv_nsec = (long)ns };

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

FIXTURE(profiler)
{
	struct equant_profiler *profiler;
	struct equant_profile profile;
};

FIXTURE_VARIANT(profiler)
{
	const char *probe;
};

/* clang-format off */
FIXTURE_VARIANT_ADD(profiler, schedstat) { .probe = "schedstat" };
FIXTURE_VARIANT_ADD(profiler, best) { .probe = "auto" };
/* clang-format on */

FIXTURE_SETUP(profiler)
{
	char why[512];

	self->profile = (struct equant_profile){ .rank = 3, .ranks = 7, .host = "here" };
	self->profiler = equant_profiler_new(variant->probe, &self->profile, why, sizeof(why));
	if (!self->profiler)
		SKIP(return, "%s", why);
}

FIXTURE_TEARDOWN(profiler)
{
	equant_profiler_free(self->profiler);
}

TEST_F(profiler, every_nanosecond_is_in_one_place)
{
	struct equant_profile *p = &self->profile;

	for (int i = 0; i < 1000; i++) {
		equant_profiler_enter(self->profiler);
		burn(i % 7 * 1000);
		equant_profiler_leave(self->profiler);
		burn(i % 11 * 1000);
	}
	equant_profiler_update(self->profiler);
	EXPECT_EQ(p->elapsed_ns, p->outside.wall_ns + p->inside.wall_ns);
	EXPECT_LE(p->outside.run_ns + p->outside.wait_ns, p->outside.wall_ns);
	EXPECT_LE(p->inside.run_ns + p->inside.wait_ns, p->inside.wall_ns);
	EXPECT_EQ(1000, p->calls);
	/* what is not the profiler's */
	EXPECT_EQ(3, p->rank);
	EXPECT_EQ(7, p->ranks);
	EXPECT_STREQ("here", p->host);
	EXPECT_EQ(0, p->finished);
}

TEST_F(profiler, work_is_told_from_sleep_and_outside_from_inside)
{
	struct equant_profile *p = &self->profile;
	uint64_t outside, inside;

	outside = burn(60 * MS);
	rest(20 * MS);
	equant_profiler_enter(self->profiler);
	inside = burn(30 * MS);
	rest(50 * MS);
	equant_profiler_leave(self->profiler);
	equant_profiler_update(self->profiler);
	EXPECT_LE(outside - MS, p->outside.run_ns);
	EXPECT_LE(inside - MS, p->inside.run_ns);
	/* Whoever sleeps does not run. */
	EXPECT_LE(19 * MS, p->outside.wall_ns - p->outside.run_ns);
	EXPECT_LE(49 * MS, p->inside.wall_ns - p->inside.run_ns);
	EXPECT_LE(outside + inside, p->cpu_ns);
}

/* As MPI's functions call each other, below their callers' frames. */
static __attribute__((noinline)) void call_within(struct equant_profiler *profiler)
{
	equant_profiler_enter(profiler);
	equant_profiler_leave(profiler);
}

TEST_F(profiler, a_call_within_a_call_is_part_of_it)
{
	struct equant_profile *p = &self->profile;

	equant_profiler_enter(self->profiler);
	call_within(self->profiler);
	EXPECT_EQ(1, p->is_inside);
	burn(5 * MS);
	equant_profiler_leave(self->profiler);
	EXPECT_EQ(0, p->is_inside);
	equant_profiler_update(self->profiler);
	EXPECT_EQ(1, p->calls);
	EXPECT_LE(5 * MS, p->inside.wall_ns);
}

static __attribute__((noinline)) void jump_out(struct equant_profiler *profiler, jmp_buf back)
{
	char room[512];

	memset(room, 0, sizeof(room));
	__asm__ volatile("" : : "r"(room) : "memory");
	equant_profiler_enter(profiler);
	longjmp(back, 1);
}

TEST_F(profiler, a_call_that_was_left_by_a_jump_is_over_when_the_next_one_begins)
{
	struct equant_profile *p = &self->profile;
	jmp_buf back;

	if (!setjmp(back))
		jump_out(self->profiler, back);
	equant_profiler_enter(self->profiler);
	equant_profiler_leave(self->profiler);
	burn(20 * MS);
	equant_profiler_enter(self->profiler);
	equant_profiler_leave(self->profiler);
	equant_profiler_update(self->profiler);
	EXPECT_EQ(3, p->calls);
	EXPECT_LE(20 * MS, p->outside.wall_ns);
	EXPECT_EQ(0, p->is_inside);
}

TEST_F(profiler, it_can_be_read_in_a_call)
{
	struct equant_profile *p = &self->profile;

	equant_profiler_enter(self->profiler);
	burn(5 * MS);
	equant_profiler_update(self->profiler);
	EXPECT_LE(5 * MS, p->inside.wall_ns);
	burn(5 * MS);
	equant_profiler_leave(self->profiler);
	equant_profiler_update(self->profiler);
	EXPECT_LE(10 * MS, p->inside.wall_ns);
	EXPECT_EQ(p->elapsed_ns, p->outside.wall_ns + p->inside.wall_ns);
}

TEST(what_the_probe_does_not_know_is_said_to_be_unknown)
{
	struct equant_profile profile = { 0 };
	struct equant_profiler *profiler = equant_profiler_new("clock", &profile, NULL, 0);

	ASSERT_NE(NULL, profiler);
	burn(5 * MS);
	equant_profiler_enter(profiler);
	burn(5 * MS);
	equant_profiler_leave(profiler);
	equant_profiler_update(profiler);
	EXPECT_STREQ("clock", profile.probe);
	EXPECT_EQ(0, profile.features);
	EXPECT_EQ(0, profile.outside.run_ns);
	EXPECT_EQ(0, profile.outside.wait_ns);
	EXPECT_LE(5 * MS, profile.outside.wall_ns);
	EXPECT_LE(5 * MS, profile.inside.wall_ns);
	equant_profiler_free(profiler);
}

TEST(an_unknown_probe_is_named)
{
	struct equant_profile profile = { 0 };
	char why[128] = "";

	errno = 0;
	EXPECT_EQ(NULL, equant_profiler_new("sonar", &profile, why, sizeof(why)));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_NE(NULL, strstr(why, "sonar"));
}

TEST_HARNESS_MAIN
