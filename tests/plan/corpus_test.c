// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Whatever a file holds, reading it gives a program, a machine, both or a reason, and what has been
 * read can be planned.  tests/plan/corpus holds files that a fuzzer found to take different
 * ways through the reader; to look for more:
 *
 *	clang -g -O1 -fsanitize=fuzzer,address,undefined -DFUZZER -D_GNU_SOURCE= -Iuserlib/include \
 *		-Iuserlib -Itests -Itests/plan -o fuzz tests/plan/{corpus_test,libplan}.c \
 *		userlib/{plan,text}/(all).c -lm
 *	./fuzz -max_total_time=600 NEW tests/plan/corpus
 *	./fuzz -merge=1 tests/plan/corpus NEW
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libplan.h"

/* What is planned at all; more of it would be no other way through the code. */
#define FEW_ITERATIONS 1000
#define FEW_PROCESSORS 100

static bool planned(const struct equant_plan_program *program,
		    const struct equant_plan_machine *machine)
{
	char why[256] = "";

	if (program->iterations > FEW_ITERATIONS || machine->count > FEW_PROCESSORS)
		return true;
	for (int i = 0; equant_planner_name(i); i++) {
		struct equant_plan *plan;
		bool good;

		plan = equant_plan_new(equant_planner_name(i), program, machine, why, sizeof(why));
		good = plan ? plan_is_whole(plan) : why[0] != '\0';
		equant_plan_free(plan);
		if (!good) {
			fprintf(stderr, "# %s: %s\n", equant_planner_name(i), why);
			return false;
		}
	}
	return true;
}

/* Is @data read and planned, or refused with a reason? */
static bool handled(const char *data, size_t size)
{
	struct equant_plan_program *program;
	struct equant_plan_machine *machine;
	char why[256] = "";
	int error = plan_text(data, size, &program, &machine, why, sizeof(why));
	bool good = error ? !program && !machine && why[0] : program || machine;

	if (program && machine)
		good = good && planned(program, machine);
	equant_plan_program_free(program);
	equant_plan_machine_free(machine);
	return good;
}

#ifdef FUZZER

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!handled((const char *)data, size))
		abort();
	return 0;
}

#else

#include "corpus.h"
#include "kselftest_harness.h"

TEST(whatever_a_file_holds_is_read_or_refused_with_a_reason)
{
	int many;

	EXPECT_EQ(0, corpus_faults("tests/plan/corpus", handled, &many));
	EXPECT_LT(50, many);
}

TEST_HARNESS_MAIN

#endif
