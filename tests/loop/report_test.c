// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Reports that cannot be loaded: the reason is told, whatever it is, and names the file. */
#include <equant/equant.h>
#include <equant/report.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kselftest_harness.h"

FIXTURE(report)
{
	char path[64];
	struct equant_report_header header;
	struct equant_stats *stats;
	char why[256];
};

FIXTURE_SETUP(report)
{
	int fd;

	strcpy(self->path, "/tmp/equant-report-XXXXXX");
	fd = mkstemp(self->path);
	ASSERT_LE(0, fd);
	close(fd);
	memset(self->why, 'x', sizeof(self->why));
}

FIXTURE_TEARDOWN(report)
{
	unlink(self->path);
}

static int load(struct _test_data_report *self, int ranks)
{
	const struct equant_report_header header = {
		.magic = EQUANT_REPORT_MAGIC,
		.header_size = sizeof(header),
		.stats_size = sizeof(struct equant_stats),
		.ranks = ranks,
		.loop = "rows",
	};
	FILE *file = fopen(self->path, "w");

	if (!file)
		return -errno;
	fwrite(&header, sizeof(header), 1, file);
	fclose(file);
	return equant_report_load(self->path, &self->header, &self->stats, self->why,
				  sizeof(self->why));
}

/* "PATH: what it is", and the path once. */
static int says(const struct _test_data_report *self, const char *what)
{
	size_t length = strlen(self->path);

	return memchr(self->why, 0, sizeof(self->why)) && !strncmp(self->why, self->path, length) &&
	       !strncmp(self->why + length, ": ", 2) && !strcmp(self->why + length + 2, what);
}

TEST_F(report, one_that_is_cut_short_is_refused)
{
	EXPECT_EQ(-EINVAL, load(self, 3));
	EXPECT_TRUE(says(self, "shorter than its ranks"));
	EXPECT_EQ(NULL, self->stats);
}

TEST_F(report, a_name_without_an_end_is_refused)
{
	struct equant_stats stats = { .rank = 0 };
	FILE *file;

	EXPECT_EQ(-EINVAL, load(self, 1));
	memset(stats.probe, 'x', sizeof(stats.probe));
	file = fopen(self->path, "a");
	ASSERT_NE(NULL, file);
	fwrite(&stats, sizeof(stats), 1, file);
	fclose(file);
	EXPECT_EQ(-EINVAL, equant_report_load(self->path, &self->header, &self->stats, self->why,
					      sizeof(self->why)));
	EXPECT_TRUE(says(self, "the name of a probe is not terminated"));
	EXPECT_EQ(NULL, self->stats);
}

TEST_F(report, what_is_no_regular_file_is_refused_without_waiting)
{
	unlink(self->path);
	ASSERT_EQ(0, mkfifo(self->path, 0600));
	EXPECT_EQ(-EINVAL, equant_report_load(self->path, &self->header, &self->stats, self->why,
					      sizeof(self->why)));
	EXPECT_TRUE(says(self, "not a regular file"));
}

TEST_F(report, one_for_which_there_is_no_memory_says_so)
{
	const struct rlimit little = { 1 << 30, 1 << 30 };

	ASSERT_EQ(0, setrlimit(RLIMIT_AS, &little));
	EXPECT_EQ(-ENOMEM, load(self, 1 << 24));
	EXPECT_TRUE(says(self, strerror(ENOMEM)));
	EXPECT_EQ(NULL, self->stats);
}

TEST_HARNESS_MAIN
