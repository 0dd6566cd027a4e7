// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The programs of the planners' paper compute what their sequential forms do, whoever does what. */
#include <equant/plan.h>
#include <equant/selfsched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kselftest_harness.h"
#include "libjob.h"

#define EXPECT_REFUSED(job, text)                         \
	do {                                              \
		EXPECT_EQ(0, job_run(job));               \
		EXPECT_EQ(NULL, job_not_failed(job, 20)); \
		EXPECT_EQ(0, job_count(job, "verified")); \
		EXPECT_SAID(job, text);                   \
	} while (0)

/* Sizes that no number of ranks divides, but for the power of two that a transform needs. */
static const struct {
	const char *path, *size;
	int affine;
} programs[] = {
	{ "libexec/equant/triang", "41", 1 },	{ "libexec/equant/lfk10", "103", 0 },
	{ "libexec/equant/eco", "23", 0 },	{ "libexec/equant/fft2d", "32", 0 },
	{ "libexec/equant/cholesky", "61", 1 },
};

#define PROGRAMS 5

FIXTURE(programs)
{
	struct job job;
	char folder[64];
};

FIXTURE_SETUP(programs)
{
	ASSERT_EQ(0, folder_make(self->folder, sizeof(self->folder)));
	self->job = (struct job){ .ranks = 2, .argv = { "-n" } };
}

FIXTURE_TEARDOWN(programs)
{
	folder_remove(self->folder);
}

/* The rest of its arguments is as it was. */
static struct job *program(struct job *job, int which)
{
	job->program = programs[which].path;
	job->argv[1] = programs[which].size;
	return job;
}

TEST_F(programs, balanced_ones_are_right_on_any_number_of_ranks)
{
	static const int ranks[PROGRAMS] = { 1, 2, 4, 2, 4 };

	for (int k = 0; k < PROGRAMS; k++) {
		self->job.ranks = ranks[k];
		EXPECT_VERIFIED(program(&self->job, k));
		EXPECT_SAID(&self->job, " balanced ");
	}
}

static void write_machine(const char *folder, char *option, size_t size)
{
	char path[128];
	FILE *out;

	snprintf(path, sizeof(path), "%s/machine", folder);
	out = fopen(path, "w");
	if (!out)
		return;
	/* Limited memory, a medium, speeds apart: something for every planner. */
	fputs("processor slow operation 3e-9 startup 1e-6 byte 1e-9 memory 1e6 times 2\n"
	      "processor fast operation 1e-9 startup 1e-6 byte 1e-9 memory 2e6 times 2\n",
	      out);
	fclose(out);
	snprintf(option, size, "--machine=%s", path);
}

TEST_F(programs, static_schedules_are_right_whoever_makes_them)
{
	static const char *const equal[PROGRAMS] = { "bitonic", "contention-free", "block",
						     "optimum-blocks", "cyclic" };
	static const char *const unequal[PROGRAMS] = { "network", "optimum", "memory-share",
						       "memory", "longest-first" };
	char machine[160] = "", option[64];

	write_machine(self->folder, machine, sizeof(machine));
	self->job.ranks = 4;
	for (int k = 0; k < PROGRAMS; k++) {
		self->job.argv[2] = "--plan";
		self->job.argv[3] = equal[k];
		self->job.argv[4] = self->job.argv[5] = NULL;
		EXPECT_VERIFIED(program(&self->job, k));
		self->job.argv[3] = unequal[k];
		self->job.argv[4] = machine;
		self->job.argv[5] = k % 2 ? "--balance" : NULL;
		EXPECT_VERIFIED(program(&self->job, k));
		snprintf(option, sizeof(option), "plan=%s", unequal[k]);
		EXPECT_SAID(&self->job, option);
	}
}

TEST_F(programs, what_is_handed_out_is_right)
{
	static const char *const schemes[] = { "dtss", "css", "awf-c", "trees", "fss", "ss" };
	static const int ranks[] = { 4, 2, 4, 4, 2, 1 };

	for (int i = 0; i < 6; i++) {
		self->job.ranks = ranks[i];
		self->job.argv[2] = "--scheme";
		self->job.argv[3] = schemes[i];
		self->job.argv[4] = "--chunk=3";
		EXPECT_VERIFIED(program(&self->job, i % PROGRAMS));
	}
}

TEST_F(programs, loops_may_be_smaller_than_the_job_or_empty)
{
	static const char *const sizes[PROGRAMS] = { "0", "1", "2", "1", "0" };
	static const char *const ways[] = { "--plan=bitonic", "--scheme=fss", NULL };

	self->job.ranks = 4;
	for (int k = 0; k < PROGRAMS; k++) {
		program(&self->job, k);
		self->job.argv[1] = sizes[k];
		self->job.argv[2] = ways[k % 3];
		EXPECT_VERIFIED(&self->job);
	}
}

TEST_F(programs, prices_come_to_equilibrium)
{
	const char *at;

	program(&self->job, 2);
	self->job.argv[2] = "-s5000";
	self->job.argv[3] = "--plan=cyclic";
	EXPECT_VERIFIED(&self->job);
	at = strstr(self->job.output, "distance=");
	ASSERT_NE(NULL, at);
	EXPECT_LT(atof(at + strlen("distance=")), 1e-6);
}

TEST_F(programs, steps_and_panels_do_not_change_the_result)
{
	program(&self->job, 1);
	self->job.argv[2] = "-s300";
	EXPECT_VERIFIED(&self->job);
	program(&self->job, 4);
	self->job.argv[2] = "--scheme=gss";
	self->job.argv[3] = "-b7";
	EXPECT_VERIFIED(&self->job);
}

TEST_F(programs, bad_arguments_are_refused_and_named)
{
	static const struct {
		const char *argv[3], *said;
	} bad[] = {
		{ { "--plan=best" }, "--plan best: none of block cyclic bitonic" },
		{ { "--scheme=guided" }, "--scheme guided: none of ss fs css" },
		{ { "--plan=block", "--scheme=ss" }, "not both --plan and --scheme" },
		{ { "--scheme=css" }, "css needs a chunk of at least 1" },
		{ { "--plan=block", "--machine=/nonexistent/m" }, "/nonexistent/m" },
		{ { "-n-1", "--plan=block" }, "-n -1: not a number from" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		program(&self->job, (int)(i % PROGRAMS));
		for (int k = 0; k < 3; k++)
			self->job.argv[2 + k] = bad[i].argv[k];
		EXPECT_REFUSED(&self->job, bad[i].said);
	}
	program(&self->job, 3);
	self->job.argv[1] = "24";
	self->job.argv[2] = NULL;
	EXPECT_REFUSED(&self->job, "-n 24: not a power of 2");
	program(&self->job, 4);
	self->job.argv[2] = "-b7";
	EXPECT_REFUSED(&self->job, "-b is for --scheme");
}

TEST_F(programs, plans_that_cannot_be_are_refused_and_named)
{
	char machine[160] = "";

	write_machine(self->folder, machine, sizeof(machine));
	program(&self->job, 0);
	self->job.argv[2] = "--plan=optimum";
	EXPECT_REFUSED(&self->job, "triang: --plan optimum: ");
	self->job.argv[2] = "--plan=block";
	self->job.argv[3] = machine;
	EXPECT_REFUSED(&self->job, "4 processors for 2 ranks");
}

TEST_HARNESS_MAIN
