// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* How often ranks met, as far as a change at any time is concerned. */
#include "kselftest_harness.h"
#include "loop/meetings.h"

#define US 1000ull

FIXTURE(meetings)
{
	struct equant_meetings m;
	uint64_t now;
	uint32_t all;
};

FIXTURE_SETUP(meetings)
{
	self->now = 1;
	equant_meetings_note(&self->m, 0, self->now);
}

FIXTURE_TEARDOWN(meetings)
{
}

/* Ranks meet @times times after @us of work, with a section in between. */
static void meet(struct _test_data_meetings *self, int times, uint64_t us)
{
	for (int i = 0; i < times; i++) {
		equant_meetings_note(&self->m, self->all, self->now + us * US / 2);
		self->now += us * US;
		self->all++;
		equant_meetings_note(&self->m, self->all, self->now);
	}
}

TEST_F(meetings, regular_ones_count_one_each)
{
	EXPECT_EQ(0, equant_meetings_count(&self->m, 0));
	meet(self, 100, 50);
	EXPECT_EQ(100, equant_meetings_count(&self->m, self->all));
	EXPECT_EQ(0, equant_meetings_count(&self->m, self->all));
}

/* 190 times 50 us and 100 ms: a moment is in the latter with a chance of 0.91. */
TEST_F(meetings, many_in_a_row_are_hardly_more_than_one)
{
	meet(self, 190, 50);
	meet(self, 1, 100000);
	EXPECT_EQ(1, equant_meetings_count(&self->m, self->all));
}

TEST_F(meetings, what_began_before_the_last_count_is_not_lost)
{
	for (int i = 0; i < 10; i++) {
		meet(self, 190, 50);
		EXPECT_EQ(i ? 1 : 190, equant_meetings_count(&self->m, self->all));
		equant_meetings_note(&self->m, self->all, self->now + 30000 * US);
		EXPECT_EQ(0, equant_meetings_count(&self->m, self->all));
		self->now += 100000 * US;
	}
}

TEST_F(meetings, without_sections_all_count)
{
	EXPECT_EQ(7, equant_meetings_count(&self->m, 7));
	EXPECT_EQ(65535, equant_meetings_count(&self->m, 100000));
}

TEST_HARNESS_MAIN
