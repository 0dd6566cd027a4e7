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
	self->load = job_load("constant", 0, 60);
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
	char control[32], depth[32], period[40], load[32];
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

/* A program, ranks, who decides and how far ahead, how often, beside what. */
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
	snprintf(self->load, sizeof(self->load), "constant");
	if (random_below(random, 3))
		snprintf(self->load, sizeof(self->load), "period=%g",
			 0.02 * (double)(1 + random_below(random, 20)));
}

TEST_F(drawn, results_are_right_for_any_control_and_number_of_ranks_beside_any_load)
{
	long first = random_below(&self->random, PROGRAMS);

	for (int i = 0; i < DRAWN; i++) {
		draw(self, (first + i) % PROGRAMS);
		/* Some are gone before the program ends. */
		self->competitor = job_load(self->load,
					    0.01 * (double)random_below(&self->random, 30),
					    random_below(&self->random, 2) ? 1 : 60);
		ASSERT_LT(0, self->competitor);
		EXPECT_VERIFIED(&self->job);
		if (self->job.status)
			TH_LOG("%d ranks, %s %s %s, load %s", self->job.ranks, self->control,
			       self->depth, self->period, self->load);
		kill(self->competitor, SIGKILL);
		waitpid(self->competitor, NULL, 0);
		self->competitor = 0;
	}
}

TEST_HARNESS_MAIN
