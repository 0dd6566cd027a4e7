// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Which probe is taken, what is said about it, and what it leaves behind. */
#include <errno.h>
#include <string.h>

#include <equant/probe.h>

#include "kselftest_harness.h"
#include "libload.h"

struct surveyed {
	int count;
	int clock_works;
	int all_have_text;
};

static void note(void *ctx, const char *name, int error, const char *text)
{
	struct surveyed *surveyed = ctx;

	surveyed->count++;
	surveyed->all_have_text &= *text != '\0';
	if (!strcmp(name, "clock"))
		surveyed->clock_works = !error;
}

TEST(auto_takes_a_probe_and_says_which_and_why)
{
	struct equant_probe *probe;
	char why[1024], used[64];

	probe = equant_probe_open("auto", why, sizeof(why));
	ASSERT_NE(NULL, probe);
	snprintf(used, sizeof(used), "%s: used: ", equant_probe_name(probe));
	EXPECT_NE(NULL, strstr(why, used))
	{
		TH_LOG("\"%s\" not in \"%s\"", used, why);
	}
	if (strcmp(equant_probe_name(probe), "bpf")) {
		EXPECT_EQ(&why[0], strstr(why, "bpf: not available: "));
	}
	equant_probe_close(probe);
}

TEST(auto_is_the_first_that_opens_by_name)
{
	static const char *const order[] = { "bpf", "kmod", "schedstat", "clock" };
	struct equant_probe *best, *named = NULL;

	best = equant_probe_open("auto", NULL, 0);
	ASSERT_NE(NULL, best);
	for (int i = 0; i < 4 && !named; i++) {
		named = equant_probe_open(order[i], NULL, 0);
		if (named) {
			EXPECT_STREQ(order[i], equant_probe_name(best));
		}
	}
	ASSERT_NE(NULL, named);
	equant_probe_close(named);
	equant_probe_close(best);
}

TEST(an_unknown_name_is_refused_and_named)
{
	static const char *const bad[] = { "",	     "sched",  "schedstat ", "BPF",
					   "clock2", "replay", "auto:" };
	char why[256];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		errno = 0;
		EXPECT_EQ(NULL, equant_probe_open(bad[i], why, sizeof(why)));
		EXPECT_EQ(EINVAL, errno);
		EXPECT_NE(NULL, strstr(why, bad[i]))
		{
			TH_LOG("\"%s\" not named in \"%s\"", bad[i], why);
		}
	}
	EXPECT_EQ(NULL, equant_probe_open(NULL, NULL, 0));
	EXPECT_EQ(EINVAL, errno);
}

TEST(a_short_reason_buffer_is_not_overrun)
{
	struct equant_probe *probe;
	char why[9];

	memset(why, 'x', sizeof(why));
	probe = equant_probe_open("clock", why, 8);
	ASSERT_NE(NULL, probe);
	EXPECT_EQ('\0', why[7]);
	EXPECT_EQ('x', why[8]);
	equant_probe_close(probe);
	equant_probe_close(NULL);
}

TEST(the_survey_tries_every_probe_and_explains_it)
{
	struct surveyed surveyed = { .all_have_text = 1 };

	equant_probe_survey(note, &surveyed);
	EXPECT_EQ(4, surveyed.count);
	EXPECT_EQ(1, surveyed.clock_works);
	EXPECT_EQ(1, surveyed.all_have_text);
}

TEST(the_clock_probe_knows_wall_time_and_no_wait)
{
	struct equant_counters first, second;
	struct equant_status status;
	struct equant_probe *probe;

	probe = equant_probe_open("clock", NULL, 0);
	ASSERT_NE(NULL, probe);
	EXPECT_EQ(0, equant_probe_features(probe));
	equant_probe_read(probe, &first);
	usleep(5000);
	equant_probe_read(probe, &second);
	EXPECT_EQ(second.t_ns - first.t_ns, second.run_ns - first.run_ns);
	EXPECT_LE(5 * MSEC, second.run_ns - first.run_ns);
	EXPECT_EQ(0, second.wait_ns);
	equant_probe_status(probe, &status);
	EXPECT_EQ(0, status.quantum_ns);
	EXPECT_EQ(-1, status.cpu);
	EXPECT_EQ(0, equant_probe_check(probe, NULL, 0));
	equant_probe_close(probe);
}

TEST(two_hundred_open_and_close_leak_no_descriptor)
{
	struct equant_counters now;
	struct equant_probe *probe;
	int before = -1;

	for (int i = 0; i < 200; i++) {
		probe = equant_probe_open(i % 2 ? "auto" : "schedstat", NULL, 0);
		ASSERT_NE(NULL, probe);
		equant_probe_read(probe, &now);
		equant_probe_close(probe);
		if (i == 1)
			before = count_descriptors();
	}
	EXPECT_EQ(before, count_descriptors());
}

TEST_HARNESS_MAIN
