// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The applications compute what their sequential versions do on any number of ranks, beside a load that stays, and
 * whatever else is drawn.
 */
#include <equant/equant.h>
#include <signal.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "libjob.h"
#include "random.h"

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
	self->load = job_load(0, 0, 60);
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

#define DRAWN 10

FIXTURE(drawn)
{
	struct random random;
	struct job job;
	char control[32], depth[32], period[40];
	pid_t competitor;
};

FIXTURE_SETUP(drawn)
{
	self->random = random_seeded();
}

FIXTURE_TEARDOWN(drawn)
{
	if (self->competitor <= 0)
		return;
	kill(self->competitor, SIGKILL);
	waitpid(self->competitor, NULL, 0);
}

#define LONGEST 8 /* arguments */

static const struct {
	const char *program;
	const char *argv[LONGEST];
} programs[] = {
	{ "libexec/equant/mm", { "-n", "90", "-p", "30" } },
	{ "libexec/equant/mm", { "-n", "90", "-p", "30", "--hooks", "inside" } },
	{ "libexec/equant/lu", { "-n", "90" } },
	{ "libexec/equant/lu", { "-n", "150", "-b", "7", "-r", "2" } },
	{ "libexec/equant/lu", { "-n", "150", "-b", "16", "--cyclic" } },
	{ "libexec/equant/sor", { "-n", "120", "-s", "8" } },
	{ "libexec/equant/sor_f", { "-n", "120", "-s", "8" } },
};

#define PROGRAMS (long)(sizeof(programs) / sizeof(programs[0]))

/* A program, ranks, who decides and how far ahead, how often. */
static void draw(FIXTURE_DATA(drawn) * self, long which)
{
	static const char *const controls[] = { "exchange", "tree", "central" };
	struct random *random = &self->random;

	self->job = (struct job){ .limit = 60,
				  .program = programs[which].program,
				  .ranks = 1 + (int)random_below(random, 8),
				  .environment = { "EQUANT_CHECK=on", self->control, self->depth,
						   self->period } };
	for (int i = 0; i < LONGEST; i++)
		self->job.argv[i] = programs[which].argv[i];
	snprintf(self->control, sizeof(self->control), "EQUANT_CONTROL=%s",
		 controls[random_below(random, 3)]);
	snprintf(self->depth, sizeof(self->depth), "EQUANT_DEPTH=%ld", random_below(random, 5));
	snprintf(self->period, sizeof(self->period), "EQUANT_PERIOD=%g",
		 0.0005 * (double)(1 + random_below(random, 20)));
}

/* Some compute always, some are gone before the program ends. */
static void compete(struct __test_metadata *_metadata, FIXTURE_DATA(drawn) * self)
{
	double period = 0.02 * (double)random_below(&self->random, 20);
	double after = 0.01 * (double)random_below(&self->random, 30);
	int seconds = random_below(&self->random, 2) ? 1 : 60, status = -1;

	self->competitor = job_load(random_below(&self->random, 3) ? period : 0, after, seconds);
	ASSERT_LT(0, self->competitor);
	EXPECT_VERIFIED(&self->job);
	if (self->job.status)
		TH_LOG("%d ranks, %s %s %s, a load of period %g from %g s on, %d s",
		       self->job.ranks, self->control, self->depth, self->period, period, after,
		       seconds);
	kill(self->competitor, SIGKILL);
	ASSERT_EQ(self->competitor, waitpid(self->competitor, &status, 0));
	self->competitor = 0;
	/* It has computed to its end, or to ours. */
	EXPECT_TRUE(WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL : !WEXITSTATUS(status));
}

TEST_F(drawn, results_are_right_for_any_control_and_number_of_ranks_beside_any_load)
{
	long first = random_below(&self->random, PROGRAMS);

	for (int i = 0; i < DRAWN; i++) {
		draw(self, (first + i) % PROGRAMS);
		compete(_metadata, self);
	}
}

TEST_HARNESS_MAIN
