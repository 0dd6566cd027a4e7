// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The set is the same, whoever computes which part of it. */
#include <equant/selfsched.h>
#include <equant/equant.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "libjob.h"

/* The checksum is that of one rank alone. */
FIXTURE(mandelbrot)
{
	struct job job;
	char checksum[32];
};

static int checksum_of(const struct job *job, char *checksum)
{
	const char *at = strstr(job->output, "checksum=");

	return at && sscanf(at, "checksum=%31s", checksum) == 1;
}

FIXTURE_SETUP(mandelbrot)
{
	self->job = (struct job){
		.ranks = 1,
		.program = "libexec/equant/mandelbrot",
		.argv = { "-n", "100", "-m", "200", "--scheme", "static" },
	};
	EXPECT_VERIFIED(&self->job);
	ASSERT_TRUE(checksum_of(&self->job, self->checksum));
	self->job.ranks = 3;
}

FIXTURE_TEARDOWN(mandelbrot)
{
}

TEST_F(mandelbrot, the_image_is_the_same_for_every_scheme)
{
	char checksum[32] = "";

	for (int i = 0; equant_scheme_name(i); i++) {
		self->job.argv[5] = equant_scheme_name(i);
		self->job.argv[6] = "--chunk=3";
		self->job.argv[7] = i % 2 ? "--rectangles" : NULL;
		EXPECT_VERIFIED(&self->job);
		ASSERT_TRUE(checksum_of(&self->job, checksum));
		EXPECT_STREQ(self->checksum, checksum);
	}
}

TEST_F(mandelbrot, the_image_is_the_same_whoever_hands_out)
{
	static const char *const engines[] = { "node", "master", "two-level", "auto" };
	char option[32], checksum[32] = "";

	self->job.argv[5] = "dtss";
	self->job.argv[6] = option;
	for (int i = 0; i < 4; i++) {
		snprintf(option, sizeof(option), "--engine=%s", engines[i]);
		EXPECT_VERIFIED(&self->job);
		ASSERT_TRUE(checksum_of(&self->job, checksum));
		EXPECT_STREQ(self->checksum, checksum);
	}
	self->job.argv[5] = "trees";
	snprintf(option, sizeof(option), "--engine=tree");
	EXPECT_VERIFIED(&self->job);
	ASSERT_TRUE(checksum_of(&self->job, checksum));
	EXPECT_STREQ(self->checksum, checksum);
	snprintf(option, sizeof(option), "--engine=central");
	ASSERT_EQ(0, job_run(&self->job));
	EXPECT_EQ(NULL, job_not_failed(&self->job, 20));
	EXPECT_SAID(&self->job, "unknown engine 'central'");
}

TEST_F(mandelbrot, blocks_of_columns_make_the_same_image)
{
	char checksum[32] = "";

	EXPECT_VERIFIED(&self->job);
	ASSERT_TRUE(checksum_of(&self->job, checksum));
	EXPECT_STREQ(self->checksum, checksum);
}

TEST_F(mandelbrot, images_of_any_size_are_computed)
{
	static const char *const sizes[] = { "0", "1", "2", "17" };

	self->job.argv[5] = "dtss";
	for (int i = 0; i < 4; i++) {
		self->job.argv[1] = sizes[i];
		self->job.argv[6] = i % 2 ? "--rectangles" : NULL;
		EXPECT_VERIFIED(&self->job);
	}
}

TEST_F(mandelbrot, the_image_is_written_as_png)
{
	unsigned char head[8] = { 0 };
	char folder[64], file[128], option[140];
	struct job *job = &self->job;
	FILE *in;

	ASSERT_EQ(0, folder_make(folder, sizeof(folder)));
	snprintf(file, sizeof(file), "%s/set.png", folder);
	snprintf(option, sizeof(option), "--png=%s", file);
	job->argv[6] = option;
	ASSERT_EQ(0, job_run(job));
	in = fopen(file, "rb");
	if (in) {
		EXPECT_EQ(8, fread(head, 1, 8, in));
		fclose(in);
	}
	folder_remove(folder);
	if (job_count(job, "built without libpng"))
		SKIP(return, "built without libpng");
	ASSERT_EQ(0, job->status);
	EXPECT_EQ(0, memcmp(head, "\211PNG\r\n\032\n", 8));
	snprintf(option, sizeof(option), "--png=/nonexistent/folder/set.png");
	ASSERT_EQ(0, job_run(job));
	EXPECT_EQ(NULL, job_not_failed(job, 20));
	EXPECT_SAID(job, "/nonexistent/folder/set.png");
	job->argv[1] = "0";
	ASSERT_EQ(0, job_run(job));
	EXPECT_EQ(NULL, job_not_failed(job, 20));
	EXPECT_SAID(job, "--png: there is no image of -n 0");
}

TEST_F(mandelbrot, what_an_image_cannot_be_written_to_stays)
{
	char folder[64], file[128], option[140];
	struct job *job = &self->job;
	struct stat st;

	ASSERT_EQ(0, folder_make(folder, sizeof(folder)));
	snprintf(file, sizeof(file), "%s/full.png", folder);
	snprintf(option, sizeof(option), "--png=%s", file);
	ASSERT_EQ(0, symlink("/dev/full", file));
	job->argv[6] = option;
	EXPECT_EQ(0, job_run(job));
	EXPECT_EQ(0, lstat(file, &st));
	folder_remove(folder);
	if (job_count(job, "built without libpng"))
		SKIP(return, "built without libpng");
	EXPECT_EQ(NULL, job_not_failed(job, 20));
	EXPECT_SAID(job, "/full.png: ");
}

TEST_F(mandelbrot, a_scheme_that_is_none_is_refused_with_the_names_of_all)
{
	self->job.argv[5] = "guided";
	ASSERT_EQ(0, job_run(&self->job));
	EXPECT_EQ(NULL, job_not_failed(&self->job, 20));
	EXPECT_SAID(&self->job, "--scheme guided: none of static ss fs css gss");
	self->job.argv[5] = "css";
	ASSERT_EQ(0, job_run(&self->job));
	EXPECT_EQ(NULL, job_not_failed(&self->job, 20));
	EXPECT_SAID(&self->job, "css needs a chunk of at least 1");
	self->job.argv[5] = "static";
	self->job.argv[6] = "--rectangles";
	ASSERT_EQ(0, job_run(&self->job));
	EXPECT_EQ(NULL, job_not_failed(&self->job, 20));
	EXPECT_SAID(&self->job, "--rectangles: nothing is handed out by --scheme static");
}

TEST_HARNESS_MAIN
