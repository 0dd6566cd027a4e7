// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The applications compute what their sequential versions do on any number of ranks, beside a load that stays. */
#include <equant/equant.h>
#include <signal.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "libjob.h"

FIXTURE(results)
{
	struct job job;
	pid_t load;
};

FIXTURE_VARIANT(results)
{
	const char *program;
	const char *argv[6];
	const char *environment[3];
	int first, step; /* numbers of ranks */
};

/* clang-format off */
FIXTURE_VARIANT_ADD(results, mm) {
	"libexec/equant/mm", { "-n", "60", "-p", "20" }, { "EQUANT_CONTROL=tree", "EQUANT_DEPTH=2" }, 1, 1
};
FIXTURE_VARIANT_ADD(results, mm_asynchronous) {
	"libexec/equant/mm", { "-n", "60", "-p", "20", "--hooks", "inside" },
	{ "EQUANT_MODE=asynchronous", "EQUANT_CONTROL=tree" }, 2, 3
};
FIXTURE_VARIANT_ADD(results, lu) {
	"libexec/equant/lu", { "-n", "60" }, { "EQUANT_CONTROL=central" }, 1, 1
};
FIXTURE_VARIANT_ADD(results, sor) {
	"libexec/equant/sor", { "-n", "80", "-s", "5" }, { "EQUANT_CONTROL=exchange" }, 1, 1
};
FIXTURE_VARIANT_ADD(results, sor_f) {
	"libexec/equant/sor_f", { "-n", "80", "-s", "5" },
	{ "EQUANT_CONTROL=tree", "EQUANT_DEPTH=0" }, 2, 3
};
/* clang-format on */

FIXTURE_SETUP(results)
{
	self->job = (struct job){
		.limit = 60,
		.program = variant->program,
		.environment = { "EQUANT_CHECK=on", "EQUANT_PERIOD=0.002" },
	};
	for (int i = 0; i < 6; i++)
		self->job.argv[i] = variant->argv[i];
	for (int i = 0; i < 3; i++)
		self->job.environment[2 + i] = variant->environment[i];
	self->load = job_load(0, 60);
	ASSERT_LT(0, self->load);
}

FIXTURE_TEARDOWN(results)
{
	kill(self->load, SIGKILL);
	waitpid(self->load, NULL, 0);
}

TEST_F(results, they_are_the_same_on_any_number_of_ranks_beside_a_load)
{
	for (int ranks = variant->first; ranks <= 8; ranks += variant->step) {
		self->job.ranks = ranks;
		EXPECT_VERIFIED(&self->job);
	}
	EXPECT_EQ(0, waitpid(self->load, NULL, WNOHANG));
}

TEST_HARNESS_MAIN
