// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Strips in the memory of a node: two ranks of one, in this process. */
#include <fcntl.h>
#include <mpi.h>
#include <stdlib.h>

#include "kselftest_harness.h"
#include "loop/loop_internal.h"

#define SHORT 64
#define LONG 1000

FIXTURE(channel)
{
	struct equant eq;
	struct equant_node node;
	struct equant_node_memory *memory;
	int local[2];
	struct equant_loop loop[2];
	struct equant_channel *writer, *reader;
};

FIXTURE_SETUP(channel)
{
	self->memory = calloc(1, sizeof(*self->memory) + 2 * sizeof(self->memory->ranks[0]));
	ASSERT_NE(NULL, self->memory);
	self->local[1] = 1;
	self->node =
		(struct equant_node){ .ranks = 2, .local = self->local, .memory = self->memory };
	self->eq.waiter.node = &self->node;
	for (int r = 0; r < 2; r++) {
		self->loop[r].eq = &self->eq;
		self->loop[r].rank = r;
		self->loop[r].ranks = 2;
		ASSERT_NE(NULL, equant_pipeline_of(&self->loop[r]));
	}
	self->writer = &self->loop[0].pipeline->channel;
	self->reader = &self->loop[1].pipeline->channel;
	equant_channel_prepare(&self->loop[0], SHORT);
	ASSERT_NE(-1, self->writer->own.fd);
}

FIXTURE_TEARDOWN(channel)
{
	equant_pipeline_free(self->loop[0].pipeline, 2);
	equant_pipeline_free(self->loop[1].pipeline, 2);
	free(self->memory);
}

static void draw(struct equant_channel *channel)
{
	channel->draws++;
	if (channel->out)
		equant_channel_address(channel);
}

static void write_word(struct _test_data_channel *self, uint64_t word)
{
	equant_channel_put(self->writer, &word, sizeof(word));
	equant_channel_ring(&self->loop[0], 1);
}

static int open_own(struct _test_data_channel *self, const struct equant_invitation *own)
{
	return equant_channel_open(&self->loop[1], 0, own);
}

static uint64_t read_word(struct _test_data_channel *self)
{
	uint64_t word = 0;

	if (equant_channel_has(self->reader, sizeof(word)))
		equant_channel_get(self->reader, &word, sizeof(word));
	return word;
}

TEST_F(channel, strips_are_read_in_the_order_in_which_they_were_written)
{
	ASSERT_EQ(0, open_own(self, &self->writer->own));
	draw(self->writer);
	draw(self->reader);
	for (uint64_t i = 1; i < 100; i += 2) {
		write_word(self, i);
		write_word(self, i + 1);
		EXPECT_EQ(i, read_word(self));
		EXPECT_EQ(i + 1, read_word(self));
		EXPECT_EQ(0, read_word(self));
	}
}

TEST_F(channel, no_more_is_written_than_there_is_room_for)
{
	ASSERT_EQ(0, open_own(self, &self->writer->own));
	draw(self->writer);
	draw(self->reader);
	for (uint64_t i = 1; i <= SHORT / 8; i++)
		write_word(self, i);
	EXPECT_FALSE(equant_channel_room(self->writer, 8));
	EXPECT_EQ(1, read_word(self));
	EXPECT_TRUE(equant_channel_room(self->writer, 8));
	EXPECT_FALSE(equant_channel_room(self->writer, SHORT));
}

/* It was the reader before, and will be again: what is there meanwhile is for another. */
TEST_F(channel, a_rank_that_has_moved_on_takes_nothing_before_the_writer_has)
{
	ASSERT_EQ(0, open_own(self, &self->writer->own));
	draw(self->writer);
	draw(self->reader);
	draw(self->reader);
	write_word(self, 7);
	EXPECT_EQ(0, read_word(self));
	draw(self->writer);
	EXPECT_EQ(7, read_word(self));
}

/* The writer is in the agreement before the next, longer sweep. */
TEST_F(channel, a_late_rank_still_finds_what_was_written_to_memory_that_was_too_short)
{
	const struct equant_invitation own = self->writer->own;

	draw(self->writer);
	draw(self->reader);
	write_word(self, 7);
	equant_channel_prepare(&self->loop[0], LONG);
	EXPECT_NE(own.cookie, self->writer->own.cookie);
	EXPECT_EQ(0, open_own(self, &own));
	EXPECT_EQ(7, read_word(self));

	equant_channel_settle(self->writer);
	draw(self->writer);
	draw(self->reader);
	EXPECT_EQ(0, open_own(self, &self->writer->own));
	write_word(self, 8);
	EXPECT_EQ(8, read_word(self));
}

/* As many descriptors as before are open when there is no sweep any more. */
TEST_F(channel, memory_that_was_outgrown_is_given_back)
{
	int fd = (int)self->writer->own.fd;

	equant_channel_prepare(&self->loop[0], LONG);
	EXPECT_NE(-1, fcntl(fd, F_GETFD));
	equant_channel_settle(self->writer);
	EXPECT_EQ(-1, fcntl(fd, F_GETFD));
	EXPECT_EQ(-1, self->writer->former_own.fd);
}

TEST_HARNESS_MAIN
