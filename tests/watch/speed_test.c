// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* What a rank tells of its speed, to watchers that somebody else's files must not hold up. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include <equant/watch.h>

#include "kselftest_harness.h"
#include "watch/speed.h"

/* A file of that name which makes whoever opens it wait until its holder agrees. */
static int open_leased(void)
{
	int fd = memfd_create("equant-speed", MFD_CLOEXEC), leased;
	char path[64];

	if (fd < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	leased = open(path, O_RDONLY | O_CLOEXEC);
	close(fd);
	return leased >= 0 && !fcntl(leased, F_SETLEASE, F_WRLCK) ? leased : -1;
}

TEST(a_file_that_makes_who_opens_it_wait_is_passed_over)
{
	struct equant_told told = { 0 };
	double speed = 0;
	int leased;

	signal(SIGIO, SIG_IGN); /* told that somebody wants to open it */
	leased = open_leased();
	ASSERT_LE(0, leased);
	EXPECT_EQ(-ENODATA, equant_watch_speed(getpid(), (uint32_t)gettid(), &speed));
	equant_speed_tell(&told, 5);
	EXPECT_EQ(0, equant_watch_speed(getpid(), (uint32_t)gettid(), &speed));
	EXPECT_EQ(5, speed);
	equant_speed_end(&told);
	close(leased);
}

TEST_HARNESS_MAIN
