// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The slice that a task asked for is the one that the record shows.
 */
#include <linux/sched/types.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "libdevice.h"

#define SKIPPED 255

FIXTURE(slice)
{
	int fd;
	const struct equant_table *table;
	uint32_t index;
	struct equant_info info;
};

/* Settable since Linux 6.12. */
static bool is_settable(void)
{
	unsigned int major, minor;
	struct utsname name;

	uname(&name);
	return sscanf(name.release, "%u.%u", &major, &minor) == 2 &&
	       (major > 6 || (major == 6 && minor >= 12));
}

FIXTURE_SETUP(slice)
{
	const char *reason = why_no_device();

	if (!reason && !is_settable())
		reason = "a task's slice cannot be set before Linux 6.12";
	if (reason)
		SKIP(_exit(SKIPPED), "%s", reason);
	self->fd = open_device();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, control(self->fd, EQUANT_IOC_INFO, &self->info));
	self->index = (uint32_t)attach(self->fd, 0, 0);
	ASSERT_LT(0, (int)self->index);
	self->table = map_table(self->fd);
	ASSERT_NE(NULL, self->table);
}

FIXTURE_TEARDOWN(slice)
{
	unmap_table(self->table);
	close(self->fd);
}

static long set_slice(uint64_t ns)
{
	struct sched_attr attr = { .size = sizeof(attr), .sched_runtime = ns };

	return syscall(SYS_sched_setattr, 0, &attr, 0);
}

/* In force from the next switch on. */
static uint64_t slice_after(FIXTURE_DATA(slice) * self, uint64_t ns)
{
	if (set_slice(ns))
		return 0;
	for (int i = 0; i < 5; i++)
		sleep_ms(10);
	return record_copy(self->table, self->index).slice_ns;
}

TEST_F(slice, a_task_that_asks_for_a_slice_has_it_in_its_record)
{
	const uint64_t wanted[] = { 3 * MSEC, 20 * MSEC, 100 * MSEC };

	EXPECT_NE(0, self->info.table_features & EQUANT_TABLE_CONFIGURED_SLICE);
	for (int i = 0; i < 3; i++) {
		uint64_t shown = slice_after(self, wanted[i]);

		EXPECT_LE(llabs((long long)(shown - wanted[i])), self->info.tick_ns)
		{
			TH_LOG("set %llu, shown %llu", (unsigned long long)wanted[i],
			       (unsigned long long)shown);
		}
	}
}

TEST_HARNESS_MAIN
