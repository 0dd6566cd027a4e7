// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Everything that can be wrong with a trace file is found, and placed. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <equant/trace.h>

#include "kselftest_harness.h"

struct file {
	struct equant_trace_header header;
	struct equant_event events[6];
};

FIXTURE(load)
{
	char path[64];
	char why[512];
	struct file file;
	struct equant_trace_header header;
	struct equant_event *events;
	size_t count;
};

static const struct file good = {
	.header = {
		.magic = EQUANT_TRACE_MAGIC,
		.version = EQUANT_TRACE_VERSION,
		.event_size = sizeof(struct equant_event),
		.rank = 0,
		.ranks = 2,
		.units = 100,
		.loop = "rows",
		.probe = "clock",
	},
	.events = {
		{ .type = EQUANT_EVENT_STATUS, .u.status = { .share = 1.0, .settled = 0.5 } },
		{ .type = EQUANT_EVENT_SAMPLE, .u.sample = { .units = 3, .wall = 0.1 } },
		{ .type = EQUANT_EVENT_DECISION, .u.decision = { .units = 100 } },
		{ .type = EQUANT_EVENT_MOVE, .u.move = { .from = 0, .to = 1, .units = 5 } },
		{ .type = EQUANT_EVENT_FALLBACK, .u.fallback = { .text = "lost" } },
		{ .type = EQUANT_EVENT_END, .u.end = { .events = 5, .dropped = 2 } },
	},
};

FIXTURE_SETUP(load)
{
	int fd;

	strcpy(self->path, "/tmp/equant-load-XXXXXX");
	fd = mkstemp(self->path);
	ASSERT_LE(0, fd);
	close(fd);
	self->file = good;
}

FIXTURE_TEARDOWN(load)
{
	unlink(self->path);
	free(self->events);
}

static int load_bytes(struct _test_data_load *self, const void *data, size_t size)
{
	int fd = open(self->path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		_exit(KSFT_FAIL);
	close(fd);
	free(self->events);
	self->events = NULL;
	return equant_trace_load(self->path, &self->header, &self->events, &self->count, self->why,
				 sizeof(self->why));
}

#define LOAD() load_bytes(self, &self->file, sizeof(self->file))

/* The present content of self->file must be refused with this text; then start afresh. */
#define EXPECT_REFUSED(text)                                             \
	do {                                                             \
		EXPECT_EQ(-EINVAL, LOAD());                              \
		EXPECT_NE(NULL, strstr(self->why, text))                 \
		{                                                        \
			TH_LOG("\"%s\" not in \"%s\"", text, self->why); \
		}                                                        \
		self->file = good;                                       \
	} while (0)

TEST_F(load, a_good_file_is_accepted)
{
	EXPECT_EQ(0, LOAD())
	{
		TH_LOG("%s", self->why);
	}
	EXPECT_EQ(6, self->count);
	EXPECT_EQ(2, self->events[5].u.end.dropped);
	EXPECT_STREQ("", self->why);
}

TEST_F(load, every_length_is_either_a_whole_trace_or_refused_with_its_byte)
{
	char place[40];
	int ret;

	for (size_t size = 0; size < sizeof(good); size++) {
		ret = load_bytes(self, &self->file, size);
		if (size >= 128 && size % 128 == 0) {
			EXPECT_EQ(1, ret);
			EXPECT_EQ(size / 128 - 1, self->count);
			continue;
		}
		EXPECT_EQ(-EINVAL, ret);
		snprintf(place, sizeof(place), "byte %zu: ", size < 128 ? size : size / 128 * 128);
		EXPECT_NE(NULL, strstr(self->why, place))
		{
			TH_LOG("size %zu: %s", size, self->why);
		}
	}
}

TEST_F(load, a_bad_header_is_refused)
{
	self->file.header.magic ^= 1;
	EXPECT_REFUSED("byte 0: not an equant trace");
	self->file.header.version++;
	EXPECT_REFUSED("byte 8: a trace of another version");
	self->file.header.event_size = 64;
	EXPECT_REFUSED("byte 12: events of another size");
	self->file.header.rank = 2;
	EXPECT_REFUSED("the rank is not one of the ranks");
	self->file.header.rank = -1;
	EXPECT_REFUSED("the rank is not one of the ranks");
	self->file.header.ranks = 0;
	EXPECT_REFUSED("the number of ranks is less than 1");
	self->file.header.units = -1;
	EXPECT_REFUSED("the number of units is negative");
	memset(self->file.header.loop, 'x', sizeof(self->file.header.loop));
	EXPECT_REFUSED("the loop's name is not terminated");
	memset(self->file.header.probe, 'x', sizeof(self->file.header.probe));
	EXPECT_REFUSED("the probe's name is not terminated");
	self->file.header.world = -1;
	EXPECT_REFUSED("the rank in MPI_COMM_WORLD is negative");
	self->file.header.reserved[sizeof(self->file.header.reserved) - 1] = 1;
	EXPECT_REFUSED("reserved bytes are not zero");
}

static struct equant_event instructions(uint32_t count)
{
	return (struct equant_event){
		.type = EQUANT_EVENT_INSTRUCTIONS,
		.u.instructions = { .count = count, .list = { { 0, 1, 5 }, { 1, 0, 1 } } },
	};
}

static struct equant_event transfer(uint32_t count)
{
	return (struct equant_event){
		.type = EQUANT_EVENT_TRANSFER,
		.u.transfer = { .number = 1,
				.pass = 1,
				.peer = 1,
				.count = count,
				.list = { { 0, 5 }, { 99, 1 } } },
	};
}

TEST_F(load, plans_and_transfers_that_cannot_be_are_refused)
{
	self->file.events[3] = transfer(2);
	EXPECT_EQ(0, LOAD());
	self->file.events[3] = transfer(EQUANT_EVENT_RANGES + 1);
	EXPECT_REFUSED("byte 512: an event holds more ranges");
	self->file.events[3] = transfer(2);
	self->file.events[3].u.transfer.peer = 0;
	EXPECT_REFUSED("byte 512: a transfer names ranks");
	self->file.events[3] = transfer(2);
	self->file.events[3].u.transfer.number = 0;
	EXPECT_REFUSED("byte 512: a transfer's number");
	self->file.events[3] = transfer(2);
	self->file.events[3].u.transfer.number = (uint64_t)INT64_MAX + 1;
	EXPECT_REFUSED("byte 512: a transfer's number");
	self->file.events[3] = transfer(2);
	self->file.events[3].u.transfer.list[1].count = 2;
	EXPECT_REFUSED("byte 512: a transfer is of units that do not exist");
	self->file.events[3] = transfer(2);
	self->file.events[3].u.transfer.list[0].first = INT64_MAX;
	EXPECT_REFUSED("byte 512: a transfer is of units that do not exist");
	self->file.events[3] = (struct equant_event){ .type = EQUANT_EVENT_PLAN };
	EXPECT_REFUSED("byte 512: a phase is planned");
	self->file.events[3] = (struct equant_event){ .type = EQUANT_EVENT_SWEEP };
	EXPECT_REFUSED("byte 512: a sweep's number or strips");
	self->file.events[3] = (struct equant_event){ .type = EQUANT_EVENT_TILES };
	EXPECT_EQ(0, LOAD());
	self->file.events[3].u.tiles.iterations = -1;
	EXPECT_REFUSED("byte 512: a part's number or tiles");
	self->file.events[3] = (struct equant_event){ .type = EQUANT_EVENT_UNITS };
	self->file.events[3].u.units.owned = 100;
	EXPECT_EQ(0, LOAD());
	self->file.events[3].u.units.owned = 101;
	EXPECT_REFUSED("byte 512: the rank owns more units");
}

TEST_F(load, a_bad_event_is_refused_with_its_byte)
{
	self->file.events[0].type = 0;
	EXPECT_REFUSED("byte 128: unknown event type");
	self->file.events[2].type = EQUANT_EVENT_TILES + 1;
	EXPECT_REFUSED("byte 384: unknown event type");
	self->file.events[0].u.status.share = 1.5;
	EXPECT_REFUSED("byte 128: a share");
	self->file.events[0].u.status.settled = NAN;
	EXPECT_REFUSED("byte 128: a share");
	self->file.events[1].u.sample.wall = -1;
	EXPECT_REFUSED("byte 256: a sample");
	self->file.events[1].u.sample.run = INFINITY;
	EXPECT_REFUSED("byte 256: a sample");
	self->file.events[1].u.sample.interval = NAN;
	EXPECT_REFUSED("byte 256: a sample");
	self->file.events[1].u.sample.interact = -1;
	EXPECT_REFUSED("byte 256: a sample");
	self->file.events[1].u.sample.move = INFINITY;
	EXPECT_REFUSED("byte 256: a sample");
	self->file.events[1].u.sample.moved = -INFINITY;
	EXPECT_REFUSED("byte 256: a sample");
	self->file.events[2].u.decision.units = 101;
	EXPECT_REFUSED("byte 384: a decision");
	self->file.events[3].u.move.to = 2;
	EXPECT_REFUSED("byte 512: a move names a rank");
	self->file.events[3].u.move.units = -1;
	EXPECT_REFUSED("byte 512: a move is of more units");
	self->file.events[3] = instructions(0);
	EXPECT_REFUSED("byte 512: an event holds more instructions");
	self->file.events[3] = instructions(EQUANT_EVENT_LIST + 1);
	EXPECT_REFUSED("byte 512: an event holds more instructions");
	self->file.events[3] = instructions(2);
	self->file.events[3].u.instructions.list[1].from = 2;
	EXPECT_REFUSED("byte 512: a move names a rank");
	self->file.events[3] = instructions(2);
	self->file.events[3].u.instructions.list[1].to = 1;
	EXPECT_REFUSED("byte 512: an instruction moves nothing");
	self->file.events[3] = instructions(2);
	self->file.events[3].u.instructions.list[1].units = 101;
	EXPECT_REFUSED("byte 512: a move is of more units");
	memset(self->file.events[4].u.pad, 'x', 112);
	EXPECT_REFUSED("byte 640: a text is not terminated");
}

TEST_F(load, times_that_run_backwards_are_refused)
{
	self->file.header.t0_ns = 1;
	EXPECT_REFUSED("byte 128: an event is from before the trace began");
	self->file.events[2].t_ns = 1;
	EXPECT_REFUSED("byte 512: an event is from before the one that it follows");
	self->file.header.t0_ns = 1;
	for (int i = 0; i < 5; i++)
		self->file.events[i].t_ns = 2;
	EXPECT_REFUSED("byte 768: an event is from before the trace began");
}

TEST_F(load, a_misplaced_or_miscounting_end_is_refused)
{
	self->file.events[2].type = EQUANT_EVENT_END;
	EXPECT_REFUSED("byte 384: events follow the END event");
	self->file.events[5].u.end.events = 6;
	EXPECT_REFUSED("byte 768: the END event counts another number of events");
	self->file.events[5].u.end.dropped = 1ull << 63;
	EXPECT_REFUSED("byte 768: the END event counts more dropped events");
}

/* Nothing but a hole, larger than any memory, is looked at from its start. */
TEST_F(load, a_large_file_of_nothing_is_refused_at_once)
{
	off_t size = 128 + (1l << 36);

	ASSERT_EQ(-EINVAL, load_bytes(self, &self->file, 200));
	ASSERT_EQ(0, truncate(self->path, 128));
	if (truncate(self->path, size))
		SKIP(return, "the file system has no files of that size");
	EXPECT_EQ(-EINVAL, equant_trace_load(self->path, &self->header, &self->events, &self->count,
					     self->why, sizeof(self->why)));
	EXPECT_NE(NULL, strstr(self->why, "byte 128: unknown event type"))
	{
		TH_LOG("%s", self->why);
	}
	EXPECT_NE(NULL, strstr(self->why, self->path));
}

TEST_F(load, random_damage_never_crashes)
{
	const char *seed_text = getenv("EQUANT_SEED");
	unsigned int seed = seed_text ? (unsigned int)strtoul(seed_text, NULL, 0) :
					(unsigned int)time(NULL);
	unsigned char *bytes = (unsigned char *)&self->file;
	int ret;

	TH_LOG("EQUANT_SEED=%u", seed);
	srandom(seed);
	for (int i = 0; i < 2000; i++) {
		self->file = good;
		for (int j = 0; j < 4; j++)
			bytes[(size_t)random() % sizeof(self->file)] = (unsigned char)random();
		ret = load_bytes(self, bytes, (size_t)random() % (sizeof(self->file) + 1));
		EXPECT_TRUE(ret == 0 || ret == 1 || ret == -EINVAL);
		EXPECT_EQ(ret < 0, self->why[0] != '\0');
	}
}

TEST_F(load, what_is_no_regular_file_is_refused_without_waiting)
{
	unlink(self->path);
	ASSERT_EQ(0, mkfifo(self->path, 0600));
	EXPECT_EQ(-EINVAL, equant_trace_load(self->path, &self->header, &self->events, &self->count,
					     self->why, sizeof(self->why)));
	EXPECT_NE(NULL, strstr(self->why, "not a regular file"));
	EXPECT_EQ(-EINVAL,
		  equant_trace_load("/tmp", &self->header, &self->events, &self->count, NULL, 0));
	EXPECT_EQ(-ENOENT, equant_trace_load("/nonexistent", &self->header, &self->events,
					     &self->count, self->why, sizeof(self->why)));
	EXPECT_NE(NULL, strstr(self->why, "/nonexistent"));
}

TEST_HARNESS_MAIN
