// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* apps/mm multiplies right, whatever happens beside it. */
#include <equant/equant.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "libjob.h"

FIXTURE(apps)
{
	struct job job;
	pid_t load;
};

FIXTURE_SETUP(apps)
{
	self->job = (struct job){
		.ranks = 2,
		.program = "libexec/equant/mm",
		.argv = { "-n", "200", "-p", "150" },
		.environment = { "EQUANT_CHECK=on" },
	};
}

FIXTURE_TEARDOWN(apps)
{
	if (self->load <= 0)
		return;
	kill(self->load, SIGKILL);
	waitpid(self->load, NULL, 0);
}

/* A competitor for a second, from half a second after now on. */
static pid_t start_load(void)
{
	char path[600];
	pid_t pid;

	build_path(path, sizeof(path), "libexec/equant/load");
	pid = fork();
	if (pid)
		return pid;
	usleep(500000);
	execl(path, "load", "constant", "cpu=0", "seconds=1", (char *)NULL);
	_exit(127);
}

#define EXPECT_VERIFIED(job)                             \
	do {                                             \
		EXPECT_EQ(0, job_run(job));              \
		EXPECT_EQ(0, (job)->status);             \
		EXPECT_EQ(1, job_count(job, "verified")) \
		{                                        \
			TH_LOG("%s", (job)->output);     \
		}                                        \
	} while (0)

TEST_F(apps, the_product_is_right_while_a_load_comes_and_goes)
{
	int status = -1;

	self->load = start_load();
	ASSERT_LT(0, self->load);
	self->job.argv[3] = "400";
	EXPECT_VERIFIED(&self->job);
	ASSERT_EQ(self->load, waitpid(self->load, &status, 0));
	self->load = 0;
	EXPECT_EQ(0, status);
}

TEST_F(apps, the_product_is_right_without_balancing_and_without_equant)
{
	self->job.argv[3] = "20";
	self->job.environment[1] = "EQUANT_BALANCE=off";
	EXPECT_VERIFIED(&self->job);
	self->job.argv[4] = "--plain";
	EXPECT_VERIFIED(&self->job);
}

TEST_F(apps, matrices_of_any_size_are_multiplied)
{
	static const char *const sizes[] = { "0", "1", "67" };

	self->job.ranks = 3;
	self->job.argv[3] = "30";
	for (int i = 0; i < 3; i++) {
		self->job.argv[1] = sizes[i];
		EXPECT_VERIFIED(&self->job);
	}
	self->job.argv[1] = "2";
	self->job.argv[4] = "--plain";
	EXPECT_VERIFIED(&self->job);
}

TEST_F(apps, wrong_arguments_are_named)
{
	self->job.ranks = 1;
	self->job.argv[1] = "many";
	EXPECT_EQ(0, job_run(&self->job));
	EXPECT_NE(0, self->job.status);
	EXPECT_SAID(&self->job, "-n many: not a number");
	self->job.argv[1] = "10";
	self->job.argv[4] = "--fast";
	EXPECT_EQ(0, job_run(&self->job));
	EXPECT_NE(0, self->job.status);
	EXPECT_SAID(&self->job, "usage: mm");
}

TEST_F(apps, a_bad_environment_variable_ends_the_program)
{
	self->job.environment[1] = "EQUANT_DEPTH=7";
	EXPECT_EQ(0, job_run(&self->job));
	EXPECT_EQ(NULL, job_not_failed(&self->job, 10))
	{
		TH_LOG("%s", self->job.output);
	}
	EXPECT_SAID(&self->job, "EQUANT_DEPTH=7");
}

TEST_HARNESS_MAIN
