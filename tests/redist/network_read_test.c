// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Networks as text. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <equant/redist.h>

#include "random.h"

#include "kselftest_harness.h"

#define LINE 256
#define SPOILT 1000

FIXTURE(text)
{
	char path[64];
	struct equant_redist_network *network;
	char why[LINE];
};

FIXTURE_SETUP(text)
{
	int file;

	strcpy(self->path, "/tmp/equant-network-XXXXXX");
	file = mkstemp(self->path);
	ASSERT_LE(0, file);
	close(file);
	self->network = NULL;
	self->why[0] = '\0';
}

FIXTURE_TEARDOWN(text)
{
	equant_redist_network_free(self->network);
	unlink(self->path);
}

static bool read_text(FIXTURE_DATA(text) * self, const char *text, size_t length)
{
	FILE *file = fopen(self->path, "w");
	bool written = file && fwrite(text, 1, length, file) == length;

	if (!file || fclose(file) || !written)
		return false;
	equant_redist_network_free(self->network);
	errno = 0;
	self->network = equant_redist_network_read(self->path, self->why, sizeof(self->why));
	return self->network;
}

static const char whole[] = "# two hosts\n"
			    "ranks 4\n"
			    "usual startup 3e-5 bandwidth 1e8\n"
			    "link 0 1 bandwidth 1e7 # thin\n"
			    "link 3 0 startup 0.5\n"
			    "\n"
			    "host send 125e6 receive 120e6 ranks 0 1\n"
			    "host ranks 3\r\n"
			    "link 0 2 startup 2e-3 bandwidth 2e7";

TEST_F(text, everything_that_can_be_said_is_read)
{
	struct equant_redist_link link;

	ASSERT_TRUE(read_text(self, whole, strlen(whole)));
	EXPECT_EQ(4, self->network->ranks);
	link = equant_redist_network_link(self->network, 1, 3);
	EXPECT_TRUE(link.startup == 3e-5 && link.bandwidth == 1e8);
	link = equant_redist_network_link(self->network, 0, 1);
	EXPECT_TRUE(link.startup == 3e-5 && link.bandwidth == 1e7);
	link = equant_redist_network_link(self->network, 0, 2);
	EXPECT_TRUE(link.startup == 2e-3 && link.bandwidth == 2e7);
	link = equant_redist_network_link(self->network, 3, 0);
	EXPECT_TRUE(link.startup == 0.5 && link.bandwidth == 1e8);
	ASSERT_EQ(2, self->network->hosts);
	EXPECT_TRUE(self->network->host[0].send == 125e6);
	EXPECT_TRUE(self->network->host[0].receive == 120e6);
	EXPECT_TRUE(isinf(self->network->host[1].send) && isinf(self->network->host[1].receive));
	EXPECT_EQ(0, self->network->places[0]);
	EXPECT_EQ(0, self->network->places[1]);
	EXPECT_EQ(-1, self->network->places[2]);
	EXPECT_EQ(1, self->network->places[3]);
}

#define BEGIN "ranks 4\nusual bandwidth 1\n"

TEST_F(text, each_fault_is_named_with_where_it_is)
{
	static const struct {
		const char *text, *why;
	} wrong[] = {
		{ "", " ranks or usual is missing" },
		{ "ranks 4\n", " ranks or usual is missing" },
		{ "ranks 0\n", "1: '0': expected 1 or more" },
		{ "ranks 1048577\n", "1: '1048577': more than 1048576" },
		{ "ranks 2 3\n", "1: '3': unexpected" },
		{ "ranks 2\nranks 2\n", "2: 'ranks': a second time" },
		{ "usual bandwidth 1\n", "1: 'usual': ranks must come before this" },
		{ "ranks 2\nusual startup 1\n", "2: 'usual': there is no bandwidth" },
		{ "ranks 2\nusual bandwidth 0\n", "2: '0': expected a number above 0" },
		{ "ranks 2\nusual bandwidth -1\n", "2: '-1': expected a number, not negative" },
		{ "ranks 2\nusual bandwidth nan\n", "2: 'nan': expected a number, not negative" },
		{ "ranks 2\nusual bandwidth\n", "2: 'bandwidth': expected a number after this" },
		{ "ranks 2\nlink 0 1\n", "2: 'link': ranks and usual must come before this" },
		{ BEGIN "usual bandwidth 1\n", "3: 'usual': a second time" },
		{ BEGIN "link 0 4\n", "3: '4': more than 3" },
		{ BEGIN "link -1 0\n", "3: '-1': expected a whole number" },
		{ BEGIN "link 0\n", "3: '0': expected a number after this" },
		{ BEGIN "link 0 1 startup 1 startup 1\n", "3: 'startup': a second time" },
		{ BEGIN "link 0 1 speed 1\n", "3: 'speed': unexpected" },
		{ BEGIN "link 1 0\nlink 0 1\nlink 1 0 startup 1\n",
		  " the link from rank 1 to rank 0 a second time" },
		{ BEGIN "host send 1\n", "3: 'host': there are no ranks on it" },
		{ BEGIN "host send 0 ranks 1\n", "3: '0': expected a number above 0" },
		{ BEGIN "host ranks 1\nhost ranks 2 1\n", "4: '1': is on another host" },
		{ BEGIN "lnik 0 1\n", "3: 'lnik': no such word begins a line" },
	};
	char expected[LINE];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		snprintf(expected, sizeof(expected), "%s:%s", self->path, wrong[i].why);
		EXPECT_FALSE(read_text(self, wrong[i].text, strlen(wrong[i].text)));
		EXPECT_EQ(EINVAL, errno);
		EXPECT_STREQ(expected, self->why);
	}
	EXPECT_FALSE(read_text(self, "ranks 4\0", 8));
	EXPECT_EQ(EINVAL, errno);
	unlink(self->path);
	errno = 0;
	EXPECT_EQ(NULL, equant_redist_network_read(self->path, self->why, LINE));
	EXPECT_EQ(ENOENT, errno);
	snprintf(expected, sizeof(expected), "%s: No such file or directory", self->path);
	EXPECT_STREQ(expected, self->why);
}

/* Bytes overwritten, left out, or the rest of the file cut off. */
static size_t spoil(struct random *random, char *text, size_t length)
{
	static const char bytes[] = "0123456789-.e #\n\r\t\"abknrsx\x7f";
	long times = 1 + random_below(random, 4);

	for (long i = 0; i < times && length; i++) {
		size_t at = (size_t)random_below(random, (long)length);

		if (random_below(random, 8) == 0)
			length = at;
		else if (random_below(random, 2))
			text[at] = bytes[random_below(random, sizeof(bytes))];
		else
			memmove(text + at, text + at + 1, --length - at);
	}
	return length;
}

TEST_F(text, a_spoilt_file_is_read_as_what_it_is_or_refused_with_a_reason)
{
	struct random random = random_seeded();
	int refused = 0;

	for (int i = 0; i < SPOILT; i++) {
		char text[sizeof(whole)];
		size_t length;

		memcpy(text, whole, sizeof(whole));
		length = spoil(&random, text, strlen(whole));
		self->why[0] = '\0';
		if (read_text(self, text, length)) {
			ASSERT_LE(1, self->network->ranks);
			for (int64_t k = 0; k < self->network->count; k++)
				ASSERT_LT(0, self->network->links[k].bandwidth);
			continue;
		}
		ASSERT_EQ(EINVAL, errno);
		ASSERT_EQ(0, strncmp(self->why, self->path, strlen(self->path)));
		refused++;
	}
	EXPECT_LT(SPOILT / 4, refused);
}

static bool same_link(const struct equant_redist_network *a, const struct equant_redist_network *b,
		      int from, int to)
{
	struct equant_redist_link x = equant_redist_network_link(a, from, to);
	struct equant_redist_link y = equant_redist_network_link(b, from, to);

	return x.startup == y.startup && x.bandwidth == y.bandwidth;
}

static bool same_port(const struct equant_redist_network *a, const struct equant_redist_network *b,
		      int rank)
{
	int i = a->places[rank], j = b->places[rank];

	if (i < 0 || j < 0)
		return i == j;
	return a->host[i].send == b->host[j].send && a->host[i].receive == b->host[j].receive;
}

static struct equant_redist_network *random_network(struct random *random)
{
	int ranks = 1 + (int)random_below(random, 9);
	struct equant_redist_network *network = equant_redist_network_new(
		ranks, random_unit(random) / 3, 1e9 * (1 - random_unit(random)), NULL, 0);

	for (int i = 0; network && i < ranks * ranks; i++) {
		struct equant_redist_link link = { i / ranks, i % ranks, random_unit(random),
						   1e8 / (1 - random_unit(random)) };

		if (random_below(random, 2))
			equant_redist_network_set(network, &link, NULL, 0);
	}
	for (int h = 0; network && h < 3; h++) {
		struct equant_redist_host host = { random_below(random, 2) ? INFINITY : 1e9 / 3,
						   random_unit(random) + 1 };

		equant_redist_network_host(network, &host, NULL, 0);
	}
	for (int r = 0; network && r < ranks; r++)
		if (random_below(random, 3))
			equant_redist_network_place(network, r, (int)random_below(random, 3), NULL,
						    0);
	return network;
}

TEST_F(text, what_is_written_is_read_back_to_the_last_bit)
{
	struct random random = random_seeded();

	for (int round = 0; round < 100; round++) {
		struct equant_redist_network *network = random_network(&random);

		ASSERT_NE(NULL, network);
		equant_redist_network_free(self->network);
		ASSERT_EQ(0, equant_redist_network_write(self->path, network, self->why, LINE));
		self->network = equant_redist_network_read(self->path, self->why, LINE);
		ASSERT_NE(NULL, self->network)
		{
			TH_LOG("%s", self->why);
		}
		ASSERT_EQ(network->ranks, self->network->ranks);
		for (int i = 0; i < network->ranks; i++) {
			ASSERT_TRUE(same_port(network, self->network, i));
			for (int j = 0; j < network->ranks; j++)
				ASSERT_TRUE(same_link(network, self->network, i, j));
		}
		equant_redist_network_free(network);
	}
}

TEST_F(text, a_zero_below_zero_is_read_back_as_zero)
{
	struct equant_redist_network *network = equant_redist_network_new(2, -0.0, 1, NULL, 0);

	ASSERT_NE(NULL, network);
	ASSERT_EQ(0, equant_redist_network_write(self->path, network, self->why, LINE));
	self->network = equant_redist_network_read(self->path, self->why, LINE);
	EXPECT_NE(NULL, self->network);
	equant_redist_network_free(network);
}

TEST_F(text, what_cannot_be_written_is_said)
{
	struct equant_redist_network *network = equant_redist_network_new(2, 0, 1, NULL, 0);
	struct equant_redist_link link = { 0, 1, 0, INFINITY };

	ASSERT_NE(NULL, network);
	EXPECT_EQ(-ENOENT,
		  equant_redist_network_write("/nonexistent/net", network, self->why, LINE));
	EXPECT_NE(NULL, strstr(self->why, "/nonexistent/net"));
	EXPECT_EQ(-ENOSPC, equant_redist_network_write("/dev/full", network, self->why, LINE));
	ASSERT_EQ(0, equant_redist_network_set(network, &link, NULL, 0));
	EXPECT_EQ(-EINVAL, equant_redist_network_write(self->path, network, self->why, LINE));
	EXPECT_NE(NULL, strstr(self->why, "infinite"));
	equant_redist_network_free(network);
}

TEST_HARNESS_MAIN
