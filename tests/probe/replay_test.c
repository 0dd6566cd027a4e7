// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* A recorded trace plays back as it was recorded, or is refused. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include <equant/probe.h>
#include <equant/trace.h>

#include "kselftest_harness.h"
#include "libload.h"

#define STEP (20 * MSEC)
#define T0 5000000000ull

/* A rank that has the CPU to itself for a step, then shares it. */
static struct equant_event status_event(int step, uint64_t run, uint64_t wait, double share)
{
	return (struct equant_event){
		.t_ns = T0 + (uint64_t)step * STEP,
		.type = EQUANT_EVENT_STATUS,
		.u.status = {
			.run_ns = run,
			.wait_ns = wait,
			.quantum_ns = 4 * MSEC,
			.share = share,
			.settled = share,
			.epoch = (uint32_t)step,
			.runnable = share < 1.0 ? 2 : 1,
			.cpu = 3,
			.features = EQUANT_PROBE_RUN | EQUANT_PROBE_WAIT | EQUANT_PROBE_PREDICTS,
		},
	};
}

struct file {
	struct equant_trace_header header;
	struct equant_event events[5];
};

FIXTURE(replay)
{
	char path[64];
	char name[80];
	char why[512];
	struct file file;
};

static void store(const char *path, const void *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		_exit(KSFT_FAIL);
	close(fd);
}

FIXTURE_SETUP(replay)
{
	int fd;

	strcpy(self->path, "/tmp/equant-replay-XXXXXX");
	fd = mkstemp(self->path);
	ASSERT_LE(0, fd);
	close(fd);
	snprintf(self->name, sizeof(self->name), "replay:%s", self->path);
	self->file = (struct file){
		.header = {
			.magic = EQUANT_TRACE_MAGIC,
			.version = EQUANT_TRACE_VERSION,
			.event_size = sizeof(struct equant_event),
			.ranks = 1,
			.t0_ns = T0,
		},
		.events = {
			status_event(1, STEP, 0, 1.0),
			status_event(2, 2 * STEP, 0, 0.5),
			status_event(3, 2 * STEP + STEP / 2, STEP / 2, 0.5),
			{ .t_ns = T0 + 3 * STEP, .type = EQUANT_EVENT_DECISION },
			{ .t_ns = T0 + 3 * STEP,
			  .type = EQUANT_EVENT_END,
			  .u.end = { .events = 4 } },
		},
	};
	store(self->path, &self->file, sizeof(self->file));
}

FIXTURE_TEARDOWN(replay)
{
	unlink(self->path);
}

/* Read whenever @until after the start has come; the time since the start. */
static uint64_t status_at(struct equant_probe *probe, uint64_t start, uint64_t until,
			  struct equant_status *status)
{
	while (now_ns() - start < until)
		usleep(200);
	equant_probe_status(probe, status);
	return status->now.t_ns - start;
}

static int within(uint64_t a, uint64_t b, uint64_t slack)
{
	return (a > b ? a - b : b - a) < MSEC / 2 + slack;
}

static int near(uint64_t a, uint64_t b)
{
	return within(a, b, 0);
}

TEST_F(replay, counters_and_shares_follow_the_recording)
{
	struct equant_probe *probe;
	struct equant_status status;
	uint64_t start, t, opening = now_ns();

	probe = equant_probe_open(self->name, self->why, sizeof(self->why));
	ASSERT_NE(NULL, probe)
	{
		TH_LOG("%s", self->why);
	}
	/* It began some time between the two. */
	start = now_ns();
	opening = start - opening;
	EXPECT_STREQ("replay", equant_probe_name(probe));

	t = status_at(probe, start, STEP * 3 / 2, &status);
	if (t + opening < 2 * STEP) { /* else this machine was too busy to be there in time */
		EXPECT_TRUE(within(status.now.run_ns, t, opening));
		EXPECT_EQ(0, status.now.wait_ns);
		EXPECT_EQ(1, status.share);
		EXPECT_EQ(1, status.epoch);
	}
	t = status_at(probe, start, STEP * 5 / 2, &status);
	if (t + opening < 3 * STEP) {
		EXPECT_TRUE(within(status.now.run_ns, 2 * STEP + (t - 2 * STEP) / 2, opening));
		EXPECT_TRUE(within(status.now.wait_ns, (t - 2 * STEP) / 2, opening));
		EXPECT_EQ(2, status.runnable);
		EXPECT_TRUE(status.share == 0.5);
	}
	EXPECT_EQ(4 * MSEC, status.quantum_ns);
	EXPECT_EQ(3, status.cpu);
	EXPECT_TRUE(equant_probe_features(probe) & EQUANT_PROBE_PREDICTS);
	equant_probe_close(probe);
}

TEST_F(replay, after_the_last_event_its_rates_hold)
{
	struct equant_counters a, b;
	struct equant_status status;
	struct equant_probe *probe;

	probe = equant_probe_open(self->name, NULL, 0);
	ASSERT_NE(NULL, probe);
	/* From when it is open, however long that has taken: the replay began before. */
	status_at(probe, now_ns(), 5 * STEP, &status);
	EXPECT_EQ(3, status.epoch);
	equant_probe_read(probe, &a);
	usleep(10000);
	equant_probe_read(probe, &b);
	EXPECT_TRUE(near(b.run_ns - a.run_ns, (b.t_ns - a.t_ns) / 2));
	EXPECT_TRUE(near(b.wait_ns - a.wait_ns, (b.t_ns - a.t_ns) / 2));
	EXPECT_EQ(0, equant_probe_check(probe, NULL, 0));
	equant_probe_close(probe);
}

TEST_F(replay, two_replays_agree)
{
	struct equant_probe *probes[2];
	struct equant_counters a, b;
	uint64_t later = now_ns();

	for (int i = 0; i < 2; i++) {
		probes[i] = equant_probe_open(self->name, NULL, 0);
		ASSERT_NE(NULL, probes[i]);
	}
	/* The second began at most so much after the first. */
	later = now_ns() - later;
	for (int i = 0; i < 50; i++) {
		equant_probe_read(probes[0], &a);
		equant_probe_read(probes[1], &b);
		EXPECT_LE(b.run_ns, a.run_ns + (b.t_ns - a.t_ns) + MSEC);
		EXPECT_LE(a.run_ns, b.run_ns + later + MSEC);
		usleep(1000);
	}
	equant_probe_close(probes[0]);
	equant_probe_close(probes[1]);
}

#define EXPECT_REFUSED(text)                                                                  \
	do {                                                                                  \
		errno = 0;                                                                    \
		EXPECT_EQ(NULL, equant_probe_open(self->name, self->why, sizeof(self->why))); \
		EXPECT_EQ(EINVAL, errno);                                                     \
		EXPECT_NE(NULL, strstr(self->why, text))                                      \
		{                                                                             \
			TH_LOG("\"%s\" not in \"%s\"", text, self->why);                      \
		}                                                                             \
	} while (0)

TEST_F(replay, a_truncated_trace_is_refused_with_its_offset)
{
	store(self->path, &self->file, 100);
	EXPECT_REFUSED("byte 100: the file ends within the header");
	store(self->path, &self->file, 128 + 128 + 17);
	EXPECT_REFUSED("byte 256: the file ends within this event");
}

TEST_F(replay, a_trace_of_a_killed_rank_is_played)
{
	struct equant_probe *probe;

	store(self->path, &self->file, 128 + 3 * 128);
	probe = equant_probe_open(self->name, self->why, sizeof(self->why));
	ASSERT_NE(NULL, probe);
	EXPECT_NE(NULL, strstr(self->why, "no END event"));
	equant_probe_close(probe);
}

TEST_F(replay, too_few_readings_are_refused)
{
	store(self->path, &self->file, 128 + 128);
	EXPECT_REFUSED("1 STATUS events, at least 2 are needed");
}

TEST_F(replay, time_or_counters_that_run_backwards_are_refused)
{
	struct file bad = self->file;

	bad.events[1].t_ns = bad.events[0].t_ns;
	store(self->path, &bad, sizeof(bad));
	EXPECT_REFUSED("STATUS event 1");
	bad = self->file;
	bad.events[2].u.status.run_ns = 1;
	store(self->path, &bad, sizeof(bad));
	EXPECT_REFUSED("STATUS event 2");
}

TEST_F(replay, a_missing_file_says_so)
{
	errno = 0;
	EXPECT_EQ(NULL, equant_probe_open("replay:/nonexistent/x", self->why, sizeof(self->why)));
	EXPECT_EQ(ENOENT, errno);
	EXPECT_NE(NULL, strstr(self->why, "/nonexistent/x"));
	EXPECT_EQ(NULL, equant_probe_open("replay:", self->why, sizeof(self->why)));
	EXPECT_EQ(EINVAL, errno);
}

TEST_HARNESS_MAIN
