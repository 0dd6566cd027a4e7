// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Events of the kernel module, of which a pipe is given for the device. */
#include "watch/kmod.c"

#include <fcntl.h>

#include "kselftest_harness.h"

FIXTURE(events)
{
	struct source source;
	struct equant_watch watch;
	struct equant_watch_event event;
	int device; /* where the module writes */
};

FIXTURE_SETUP(events)
{
	int ends[2];

	ASSERT_EQ(0, pipe2(ends, O_NONBLOCK | O_CLOEXEC));
	self->source.fd = ends[0];
	self->source.wants_events = true;
	self->watch.data = &self->source;
	self->device = ends[1];
}

FIXTURE_TEARDOWN(events)
{
	close(self->source.fd);
	close(self->device);
}

#define write_event(kind)                                                          \
	ASSERT_EQ(sizeof(struct equant_kmod_event),                                \
		  write(self->device, &(struct equant_kmod_event){ .type = kind }, \
			sizeof(struct equant_kmod_event)))

TEST_F(events, are_told_one_by_one_until_there_are_none)
{
	write_event(EQUANT_EVENT_ARRIVED);
	write_event(EQUANT_EVENT_LEFT);
	EXPECT_EQ(1, next(&self->watch, &self->event));
	EXPECT_EQ(EQUANT_WATCH_ARRIVED, self->event.type);
	EXPECT_EQ(1, next(&self->watch, &self->event));
	EXPECT_EQ(EQUANT_WATCH_LEFT, self->event.type);
	EXPECT_EQ(0, next(&self->watch, &self->event));
}

TEST_F(events, a_device_that_is_at_its_end_has_vanished)
{
	write_event(EQUANT_EVENT_EXITED);
	close(self->device);
	self->device = -1;
	EXPECT_EQ(1, next(&self->watch, &self->event));
	EXPECT_EQ(-ENODEV, next(&self->watch, &self->event));
	EXPECT_EQ(-ENODEV, next(&self->watch, &self->event));
}

TEST(tasks_are_in_the_order_of_their_records_whenever_they_were_attached)
{
	static const uint32_t indices[] = { 5, 9, 2, 7, 9, 1 }, tids[] = { 70, 71, 72, 73, 74, 75 };
	static const uint32_t sorted[] = { 1, 2, 5, 7, 9 }, theirs[] = { 75, 72, 70, 73, 74 };
	static struct source source;

	for (int i = 0; i < 6; i++)
		remember(&source, tids[i], indices[i]);
	ASSERT_EQ(5, source.nr);
	for (int i = 0; i < 5; i++) {
		EXPECT_EQ(sorted[i], source.indices[i]);
		EXPECT_EQ(theirs[i], source.tids[i]);
	}
}

TEST_HARNESS_MAIN
