// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Every schedule of random graphs on random machines is one, and none is shorter than a bound.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kselftest_harness.h"
#include "libdag.h"

static bool is_sound(struct random *random, const struct equant_dag *dag,
		     const struct equant_dag_machine *machine, const char *scheduler)
{
	struct equant_dag_options options = { .sz = sizeof(options) };
	struct equant_dag_schedule *schedule, *again;
	struct equant_dag_bounds bounds;
	char why[200] = "no schedule";
	bool ok;

	if (equant_dag_bounds(dag, machine, &bounds, why, sizeof(why)))
		abort();
	if (bounds.processor < 0 && !strcmp(scheduler, "single"))
		return !equant_dag_schedule(scheduler, dag, machine, NULL, NULL, 0) &&
		       errno == ENOSPC;

	options.without_a = random_below(random, 3) == 0;
	options.without_b = random_below(random, 3) == 0;
	options.insertion = random_below(random, 3) == 0;
	schedule = equant_dag_schedule(scheduler, dag, machine, &options, why, sizeof(why));
	again = equant_dag_schedule(scheduler, dag, machine, &options, why, sizeof(why));
	if (!schedule || !again)
		abort();
	ok = !equant_dag_verify(dag, machine, schedule, why, sizeof(why)) &&
	     schedule->makespan >= bounds.lower &&
	     !memcmp(schedule->slot, again->slot, (size_t)dag->tasks * sizeof(*again->slot));
	if (!strcmp(scheduler, "single"))
		ok = ok && schedule->makespan >= bounds.single * (1 - 1e-12) &&
		     schedule->makespan <= bounds.single * (1 + 1e-12);
	if (!ok)
		fprintf(stderr, "# %s: %d tasks: %s\n", scheduler, dag->tasks, why);
	equant_dag_schedule_free(schedule);
	equant_dag_schedule_free(again);
	return ok;
}

TEST(every_schedule_passes_the_checker_and_no_bound_is_beaten)
{
	struct random random = random_seeded();

	for (int i = 0; i < random_cases(400); i++) {
		struct equant_dag *dag = random_graph(&random);
		struct equant_dag_machine *machine = random_machine(&random, dag);

		for (int s = 0; equant_dag_scheduler(s); s++)
			EXPECT_TRUE(is_sound(&random, dag, machine, equant_dag_scheduler(s)));
		equant_dag_machine_free(machine);
		equant_dag_free(dag);
	}
}

TEST_HARNESS_MAIN
