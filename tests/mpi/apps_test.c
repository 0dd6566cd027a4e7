// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The applications compute what their sequential versions do, whatever happens beside them. */
#include <equant/equant.h>
#include <signal.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "libjob.h"
#include "libshares.h"

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

TEST_F(apps, the_product_is_right_while_a_load_comes_and_goes)
{
	int status = -1;

	self->load = job_load(0, 0.5, 1);
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

TEST_F(apps, the_product_is_right_with_hooks_between_the_rows)
{
	static const char *const sizes[] = { "0", "1", "67", "300" };

	self->job.ranks = 3;
	self->job.argv[3] = "20";
	self->job.argv[4] = "--hooks";
	self->job.argv[5] = "inside";
	self->job.environment[1] = "EQUANT_PERIOD=0.005";
	for (int i = 0; i < 4; i++) {
		self->job.argv[1] = sizes[i];
		EXPECT_VERIFIED(&self->job);
	}
	self->job.environment[2] = "EQUANT_DEPTH=0";
	EXPECT_VERIFIED(&self->job);
	self->job.environment[2] = "EQUANT_MODE=asynchronous";
	for (int i = 0; i < 4; i++) {
		self->job.argv[1] = sizes[i];
		EXPECT_VERIFIED(&self->job);
	}
	self->job.environment[2] = "EQUANT_BALANCE=off";
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

#define EXPECT_REFUSED_ONCE(job, why)                \
	do {                                         \
		EXPECT_EQ(0, job_run(job));          \
		EXPECT_NE(0, (job)->status);         \
		EXPECT_EQ(1, job_count(job, (why))); \
	} while (0)

TEST_F(apps, wrong_arguments_are_named_once)
{
	self->job.argv[1] = "many";
	EXPECT_REFUSED_ONCE(&self->job, "-n many: not a number");
	self->job.argv[1] = "10";
	self->job.argv[3] = "0";
	EXPECT_REFUSED_ONCE(&self->job, "-p 0: not a number from 1");
	self->job.argv[3] = "1";
	self->job.argv[4] = "--fast";
	EXPECT_REFUSED_ONCE(&self->job, "usage: mm");
	self->job.argv[4] = "--hooks=outside";
	EXPECT_REFUSED_ONCE(&self->job, "--hooks outside: not after or inside");
	self->job.argv[4] = "--hooks=after";
	self->job.argv[5] = "--plain";
	EXPECT_REFUSED_ONCE(&self->job, "--hooks: there are none with --plain");
}

TEST_F(apps, help_is_said_once_and_no_error)
{
	self->job.argv[0] = "--help";
	EXPECT_EQ(0, job_run(&self->job));
	EXPECT_EQ(0, self->job.status);
	EXPECT_EQ(1, job_count(&self->job, "usage: mm"));
}

TEST_F(apps, what_cannot_be_printed_is_an_error)
{
	static const char *const full[] = { "sh", "-c", "exec \"$@\" > /dev/full", "sh", NULL };
	static const char *const programs[] = { "libexec/equant/mm", "libexec/equant/triang" };

	self->job.ranks = 1;
	self->job.wrapper = full;
	self->job.argv[1] = "4";
	self->job.argv[2] = NULL;
	for (int i = 0; i < 2; i++) {
		self->job.program = programs[i];
		EXPECT_EQ(0, job_run(&self->job));
		EXPECT_EQ(NULL, job_not_failed(&self->job, 20));
		EXPECT_SAID(&self->job, ": standard output: No space left on device");
	}
}

TEST_F(apps, a_bad_environment_variable_ends_the_program)
{
	self->job.environment[1] = "EQUANT_DEPTH=1025";
	EXPECT_EQ(0, job_run(&self->job));
	EXPECT_EQ(NULL, job_not_failed(&self->job, 10))
	{
		TH_LOG("%s", self->job.output);
	}
	EXPECT_SAID(&self->job, "EQUANT_DEPTH=1025");
}

FIXTURE(lu)
{
	struct job job;
};

FIXTURE_VARIANT(lu)
{
	int ranks;
	const char *size;
	const char *start; /* an option, or NULL */
};

/* clang-format off */
FIXTURE_VARIANT_ADD(lu, one) { .ranks = 1, .size = "150" };
FIXTURE_VARIANT_ADD(lu, two) { .ranks = 2, .size = "400" };
FIXTURE_VARIANT_ADD(lu, two_cyclic) { .ranks = 2, .size = "401", .start = "--cyclic" };
FIXTURE_VARIANT_ADD(lu, three_cyclic) { .ranks = 3, .size = "101", .start = "--cyclic" };
FIXTURE_VARIANT_ADD(lu, eight) { .ranks = 8, .size = "60" };
FIXTURE_VARIANT_ADD(lu, fewer_rows_than_ranks) { .ranks = 4, .size = "3" };
FIXTURE_VARIANT_ADD(lu, nothing) { .ranks = 2, .size = "0" };
/* clang-format on */

FIXTURE_SETUP(lu)
{
	self->job = (struct job){
		.ranks = variant->ranks,
		.limit = 60,
		.program = "libexec/equant/lu",
		.argv = { "-n", variant->size, variant->start },
		.environment = { "EQUANT_CHECK=on", "EQUANT_PERIOD=0.002" },
	};
}

FIXTURE_TEARDOWN(lu)
{
}

TEST_F(lu, the_factors_are_those_of_the_sequential_program_to_the_last_bit)
{
	EXPECT_VERIFIED(&self->job);
}

TEST_F(lu, they_are_with_synchronous_phases)
{
	self->job.environment[2] = "EQUANT_DEPTH=0";
	EXPECT_VERIFIED(&self->job);
}

TEST_F(lu, they_are_with_panels_of_any_width_and_a_second_time)
{
	static const char *const panels[] = { "7", "1000" };
	int at = variant->start ? 3 : 2;

	self->job.argv[at] = "-b";
	self->job.argv[at + 2] = "-r";
	self->job.argv[at + 3] = "2";
	for (int i = 0; i < 2; i++) {
		self->job.argv[at + 1] = panels[i];
		EXPECT_VERIFIED(&self->job);
	}
}

FIXTURE(sor)
{
	struct job job;
};

FIXTURE_VARIANT(sor)
{
	int ranks;
	const char *size;
};

/* clang-format off */
FIXTURE_VARIANT_ADD(sor, one) { .ranks = 1, .size = "100" };
FIXTURE_VARIANT_ADD(sor, two) { .ranks = 2, .size = "500" };
FIXTURE_VARIANT_ADD(sor, three) { .ranks = 3, .size = "101" };
FIXTURE_VARIANT_ADD(sor, eight) { .ranks = 8, .size = "60" };
FIXTURE_VARIANT_ADD(sor, fewer_columns_than_ranks) { .ranks = 4, .size = "3" };
FIXTURE_VARIANT_ADD(sor, one_column) { .ranks = 3, .size = "1" };
FIXTURE_VARIANT_ADD(sor, nothing) { .ranks = 2, .size = "0" };
/* clang-format on */

FIXTURE_SETUP(sor)
{
	self->job = (struct job){
		.ranks = variant->ranks,
		.limit = 60,
		.program = "libexec/equant/sor",
		.argv = { "--size", variant->size, "--sweeps", "12" },
		.environment = { "EQUANT_CHECK=on", "EQUANT_PERIOD=0.001" },
	};
}

FIXTURE_TEARDOWN(sor)
{
}

TEST_F(sor, the_mesh_is_that_of_the_sequential_program_to_the_last_bit)
{
	EXPECT_VERIFIED(&self->job);
}

TEST_F(sor, it_is_with_synchronous_phases_and_strips_of_one_row)
{
	self->job.environment[2] = "EQUANT_DEPTH=0";
	if (variant->size[0] != '0')
		self->job.environment[3] = "EQUANT_BLOCK=1";
	EXPECT_VERIFIED(&self->job);
}

TEST_F(sor, it_is_where_columns_stay_where_they_are)
{
	self->job.argv[4] = "--no-balance";
	EXPECT_VERIFIED(&self->job);
}

TEST_F(sor, it_is_when_the_solution_is_good_enough_before)
{
	self->job.argv[3] = "1000";
	self->job.argv[4] = "--tolerance";
	self->job.argv[5] = "0.0001";
	EXPECT_VERIFIED(&self->job);
	EXPECT_EQ(0, job_count(&self->job, "sweeps=1000"));
	/* It is not after the first one. */
	EXPECT_EQ(variant->size[0] == '0', job_count(&self->job, "sweeps=1 "));
}

/* Rank 0 has half a CPU, by replayed shares, so that work must move from the start. */
FIXTURE(control)
{
	struct job job;
	char folder[64];
	char probe[128];
};

FIXTURE_VARIANT(control)
{
	const char *program;
	const char *argv[6];
};

/* clang-format off */
FIXTURE_VARIANT_ADD(control, mm) { "libexec/equant/mm", { "-n", "100", "-p", "30" } };
FIXTURE_VARIANT_ADD(control, mm_inside) {
	"libexec/equant/mm", { "-n", "100", "-p", "30", "--hooks", "inside" }
};
FIXTURE_VARIANT_ADD(control, lu) { "libexec/equant/lu", { "-n", "150", "--cyclic" } };
FIXTURE_VARIANT_ADD(control, sor) { "libexec/equant/sor", { "-n", "200", "-s", "15" } };
FIXTURE_VARIANT_ADD(control, sor_f) { "libexec/equant/sor_f", { "-n", "200", "-s", "15" } };
/* clang-format on */

FIXTURE_SETUP(control)
{
	char path[96];

	ASSERT_EQ(0, folder_make(self->folder, sizeof(self->folder)));
	for (int r = 0; r < 3; r++) {
		snprintf(path, sizeof(path), "%s/shares.%d.trace", self->folder, r);
		ASSERT_EQ(0, shares_write(path, r, 3, 0, r ? 1.0 : 0.5, SHARES_QUANTUM,
					  SHARES_QUANTUM));
	}
	snprintf(self->probe, sizeof(self->probe), "EQUANT_PROBE=replay:%s/shares.%%r.trace",
		 self->folder);
	self->job = (struct job){
		.ranks = 3,
		.limit = 60,
		.program = variant->program,
		/* Open MPI starts a third faster when it need not look for networks. */
		.environment = { "EQUANT_CHECK=on", "EQUANT_PERIOD=0.002", "EQUANT_VERBOSE=on",
				 "OMPI_MCA_pml=ob1", self->probe },
	};
	for (int i = 0; i < 6; i++)
		self->job.argv[i] = variant->argv[i];
}

FIXTURE_TEARDOWN(control)
{
	folder_remove(self->folder);
}

TEST_F(control, results_are_the_same_whoever_decides_and_however_far_ahead)
{
	static const char *const controls[] = { "EQUANT_CONTROL=exchange", "EQUANT_CONTROL=tree",
						"EQUANT_CONTROL=central" };
	static const char *const depths[] = { "EQUANT_DEPTH=0", "EQUANT_DEPTH=1",
					      "EQUANT_DEPTH=3" };

	for (int i = 0; i < 9; i++) {
		self->job.environment[5] = controls[i / 3];
		self->job.environment[6] = depths[i % 3];
		EXPECT_VERIFIED(&self->job);
		EXPECT_SAID(&self->job, " units from rank ");
	}
}

TEST_HARNESS_MAIN
