// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Everything that can be wrong with a profile is found. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>

#include <equant/profile.h>

#include "kselftest_harness.h"

static const struct equant_profile good = {
	.magic = EQUANT_PROFILE_MAGIC,
	.size = sizeof(good),
	.rank = 1,
	.ranks = 2,
	.elapsed_ns = 100,
	.outside = { .wall_ns = 60, .run_ns = 40, .wait_ns = 20 },
	.inside = { .wall_ns = 40, .run_ns = 10 },
	.probe = "schedstat",
	.host = "node",
};

FIXTURE(load)
{
	char path[64];
	char why[256];
	struct equant_profile file;
	struct equant_profile read;
};

FIXTURE_SETUP(load)
{
	int fd;

	strcpy(self->path, "/tmp/equant-profile-XXXXXX");
	fd = mkstemp(self->path);
	ASSERT_LE(0, fd);
	close(fd);
	self->file = good;
}

FIXTURE_TEARDOWN(load)
{
	unlink(self->path);
	rmdir(self->path);
}

#define read_back(self) \
	equant_profile_load((self)->path, &(self)->read, (self)->why, sizeof((self)->why))

static bool write_bytes(const char *path, const struct equant_profile *profile, size_t size)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	bool written = fd >= 0 && write(fd, profile, size) == (ssize_t)size;

	if (fd >= 0)
		close(fd);
	return written;
}

#define REFUSED(self, text)                                                                  \
	do {                                                                                 \
		ASSERT_TRUE(write_bytes((self)->path, &(self)->file, sizeof((self)->file))); \
		EXPECT_EQ(-EPROTO, read_back(self));                                         \
		EXPECT_NE(NULL, strstr((self)->why, text));                                  \
		EXPECT_EQ(0, strncmp((self)->why, (self)->path, strlen((self)->path)));      \
		(self)->file = good;                                                         \
	} while (0)

TEST_F(load, what_was_written_is_read)
{
	ASSERT_TRUE(write_bytes(self->path, &good, sizeof(good)));
	ASSERT_EQ(0, read_back(self));
	EXPECT_EQ(0, memcmp(&good, &self->read, sizeof(good)));
	EXPECT_EQ(0, equant_profile_load(self->path, &self->read, NULL, 0));
}

TEST_F(load, each_fault_is_named)
{
	self->file.magic++;
	REFUSED(self, "not a profile");
	self->file.size--;
	REFUSED(self, "another version");
	self->file.ranks = 0;
	REFUSED(self, "ranks is less than 1");
	self->file.rank = 2;
	REFUSED(self, "not one of the ranks");
	self->file.rank = -1;
	REFUSED(self, "not one of the ranks");
	memset(self->file.probe, 'x', sizeof(self->file.probe));
	REFUSED(self, "probe's name");
	memset(self->file.host, 'x', sizeof(self->file.host));
	REFUSED(self, "host's name");
	memset(self->file.job, 'x', sizeof(self->file.job));
	REFUSED(self, "job's name");
	memset(self->file.call, 'x', sizeof(self->file.call));
	REFUSED(self, "call's name");
	self->file.call_ns = NAN;
	REFUSED(self, "no time");
	self->file.call_ns = -1;
	REFUSED(self, "no time");
	self->file.outside.run_ns = 61;
	REFUSED(self, "more than all");
	self->file.outside.wait_ns = 21;
	REFUSED(self, "more than all");
	self->file.inside.wait_ns = UINT64_MAX;
	REFUSED(self, "more than all");
}

TEST_F(load, its_length_must_be_right)
{
	struct equant_profile two[2] = { good, good };

	for (size_t size = 0; size < sizeof(good); size += 8) {
		ASSERT_TRUE(write_bytes(self->path, &good, size));
		EXPECT_EQ(-EPROTO, read_back(self));
	}
	EXPECT_NE(NULL, strstr(self->why, "shorter"));
	ASSERT_TRUE(write_bytes(self->path, two, sizeof(good) + 1));
	EXPECT_EQ(-EPROTO, read_back(self));
	EXPECT_NE(NULL, strstr(self->why, "longer"));
}

TEST_F(load, what_is_no_file_is_refused_at_once)
{
	unlink(self->path);
	EXPECT_EQ(-ENOENT, read_back(self));
	EXPECT_NE(NULL, strstr(self->why, "No such file"));
	ASSERT_EQ(0, mkdir(self->path, 0700));
	EXPECT_EQ(-EISDIR, read_back(self));
	ASSERT_EQ(0, rmdir(self->path));
	ASSERT_EQ(0, mkfifo(self->path, 0600));
	EXPECT_EQ(-EPROTO, read_back(self));
	EXPECT_NE(NULL, strstr(self->why, "shorter"));
}

TEST_HARNESS_MAIN
