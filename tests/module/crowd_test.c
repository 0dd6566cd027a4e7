// SPDX-License-Identifier: GPL-2.0-only
/* The module's sets of runnable tasks, on this machine. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef uint64_t u64;
typedef uint32_t u32;
typedef uint16_t u16;

#include "../../kmod/crowd.h"

#include "kselftest_harness.h"
#include "random.h"

#define TASKS (2 * CROWD_TASKS)
#define TASK_BYTES 7744 /* of some kernel's struct task_struct */

FIXTURE(crowd)
{
	struct equant_crowd crowd;
	bool member[TASKS];
};

FIXTURE_SETUP(crowd)
{
	crowd_clear(&self->crowd);
}

FIXTURE_TEARDOWN(crowd)
{
}

/* Only their addresses count. */
static struct task_struct *task(long i)
{
	return (struct task_struct *)(0xffff888000000000ul + (unsigned long)i * TASK_BYTES);
}

/* How many there are; none if the set says otherwise of one. */
static unsigned int members_found(struct _test_data_crowd *self)
{
	unsigned int found = 0;

	for (long i = 0; i < TASKS; i++) {
		if (self->member[i] != crowd_has(&self->crowd, task(i)))
			return 0;
		found += self->member[i];
	}
	return found;
}

TEST_F(crowd, a_task_is_a_member_from_when_it_is_added_to_when_it_is_removed)
{
	EXPECT_FALSE(crowd_has(&self->crowd, task(1)));
	EXPECT_TRUE(crowd_add(&self->crowd, task(1)));
	EXPECT_TRUE(crowd_add(&self->crowd, task(1)));
	EXPECT_EQ(1, self->crowd.nr);
	EXPECT_TRUE(crowd_has(&self->crowd, task(1)));
	EXPECT_TRUE(crowd_remove(&self->crowd, task(1)));
	EXPECT_FALSE(crowd_remove(&self->crowd, task(1)));
	EXPECT_EQ(0, self->crowd.nr);
}

TEST_F(crowd, who_does_not_fit_is_not_counted_and_gets_in_when_there_is_room)
{
	for (long i = 0; i < CROWD_TASKS; i++)
		ASSERT_TRUE(crowd_add(&self->crowd, task(i)));
	for (int again = 0; again < 3; again++)
		EXPECT_FALSE(crowd_add(&self->crowd, task(CROWD_TASKS)));
	EXPECT_EQ(CROWD_TASKS, self->crowd.nr);
	EXPECT_FALSE(crowd_remove(&self->crowd, task(CROWD_TASKS)));
	EXPECT_EQ(CROWD_TASKS, self->crowd.nr);
	EXPECT_TRUE(crowd_add(&self->crowd, task(0)));
	EXPECT_TRUE(crowd_remove(&self->crowd, task(0)));
	EXPECT_TRUE(crowd_add(&self->crowd, task(CROWD_TASKS)));
	EXPECT_EQ(CROWD_TASKS, self->crowd.nr);
}

TEST_F(crowd, members_are_those_that_were_added_and_not_removed)
{
	struct random random = random_seeded();
	unsigned int nr = 0;

	for (int i = 0; i < 200000; i++) {
		long who = random_below(&random, i % 40000 < 20000 ? TASKS : 100);
		bool room = self->member[who] || nr < CROWD_TASKS;

		if (random_below(&random, 2)) {
			ASSERT_EQ(room, crowd_add(&self->crowd, task(who)));
			nr += room && !self->member[who];
			self->member[who] = room;
		} else {
			ASSERT_EQ(self->member[who], crowd_remove(&self->crowd, task(who)));
			nr -= self->member[who];
			self->member[who] = false;
		}
		ASSERT_EQ(nr, self->crowd.nr);
		if (i % 10000 == 9999)
			ASSERT_EQ(nr, members_found(self));
	}
	EXPECT_EQ(nr, members_found(self));
	crowd_clear(&self->crowd);
	for (long i = 0; i < TASKS; i++)
		EXPECT_FALSE(crowd_has(&self->crowd, task(i)));
}

TEST_F(crowd, members_stand_at_the_start_each_once)
{
	for (long i = 0; i < 100; i++)
		crowd_add(&self->crowd, task(i));
	for (long i = 0; i < 100; i += 2)
		crowd_remove(&self->crowd, task(i));
	ASSERT_EQ(50, self->crowd.nr);
	for (unsigned int i = 0; i < self->crowd.nr; i++) {
		long who = ((long)self->crowd.task[i] - (long)task(0)) / TASK_BYTES;

		ASSERT_EQ(1, who % 2);
		ASSERT_FALSE(self->member[who]);
		self->member[who] = true;
	}
}

TEST_HARNESS_MAIN
