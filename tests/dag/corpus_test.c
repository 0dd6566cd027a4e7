// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Whatever a file holds, reading it gives a graph, a machine, a schedule or a reason; what has been read
 * can be scheduled, or checked and, if it is sound, carried out again.  tests/dag/corpus holds files that a fuzzer found to take different ways
 * through the readers; the first byte says which one.  To look for more:
 *
 *	clang -g -O1 -fsanitize=fuzzer,address,undefined -DFUZZER -D_GNU_SOURCE= -Iuserlib/include \
 *		-Iuserlib -Itests -o fuzz tests/dag/(this).c userlib/dag/(all).c -lm
 *	./fuzz -max_total_time=600 NEW tests/dag/corpus
 *	./fuzz -merge=1 tests/dag/corpus NEW
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dag/scan.h"

/* Of each processor for tasks of a graph. */
#define MEMORY 1000

/* What is scheduled at all; more of it would be no other way through the code. */
#define FEW 200

static bool scheduled(const struct equant_dag *dag, const struct equant_dag_machine *machine)
{
	char why[200] = "";
	bool good = true;

	for (int s = 0; equant_dag_scheduler(s) && good; s++) {
		struct equant_dag_schedule *schedule = equant_dag_schedule(
			equant_dag_scheduler(s), dag, machine, NULL, why, sizeof(why));

		good = schedule ? !equant_dag_verify(dag, machine, schedule, why, sizeof(why)) :
				  why[0] != '\0';
		equant_dag_schedule_free(schedule);
	}
	if (!good)
		fprintf(stderr, "# %s\n", why);
	return good;
}

static bool graph_is_handled(const char *format, const char *data, size_t size)
{
	char why[200] = "";
	struct equant_dag *dag = equant_dag_parse(format, "x", data, size, why, sizeof(why));
	bool good = dag || (errno != 0 && why[0] != '\0');
	struct equant_dag_machine *machine = equant_dag_machine_new(2);

	for (int k = 0; k < 2; k++)
		if (equant_dag_machine_memory(machine, k, MEMORY))
			abort();
	if (dag && dag->tasks <= FEW)
		good = scheduled(dag, machine);
	equant_dag_machine_free(machine);
	equant_dag_free(dag);
	return good;
}

static bool machine_is_handled(const char *data, size_t size)
{
	char why[200] = "";
	struct equant_dag_machine *machine =
		equant_dag_machine_parse("x", data, size, why, sizeof(why));
	struct equant_dag *dag = equant_dag_new();
	bool good = machine || (errno != 0 && why[0] != '\0');

	for (int i = 0; i < (machine && machine->cost ? machine->tasks : 2) && i <= FEW; i++)
		if (equant_dag_add_task(dag, NULL, 1) != i ||
		    equant_dag_task_memory(dag, i, (uint64_t)i) ||
		    (i && equant_dag_add_edge(dag, i - 1, i, 1)))
			abort();
	if (machine && dag->tasks <= FEW && machine->processors <= FEW)
		good = scheduled(dag, machine);
	equant_dag_machine_free(machine);
	equant_dag_free(dag);
	return good;
}

/* Four tasks: one after two after one. */
static struct equant_dag *diamond(void)
{
	static const int edges[4][2] = { { 0, 1 }, { 0, 2 }, { 1, 3 }, { 2, 3 } };
	struct equant_dag *dag = equant_dag_new();

	for (int i = 0; i < 4; i++)
		if (equant_dag_add_task(dag, NULL, 1) != i)
			abort();
	for (int e = 0; e < 4; e++)
		if (equant_dag_add_edge(dag, edges[e][0], edges[e][1], 1))
			abort();
	return dag;
}

/* A sound schedule can be carried out again, with itself as the result. */
static bool is_replayed(const struct equant_dag *dag, const struct equant_dag_machine *machine,
			const struct equant_dag_schedule *schedule)
{
	char why[200] = "";
	struct equant_dag_schedule *again =
		equant_dag_replay(dag, machine, schedule, machine, why, sizeof(why));
	bool good = again && !equant_dag_verify(dag, machine, again, why, sizeof(why)) &&
		    again->makespan <= schedule->makespan;

	if (!good)
		fprintf(stderr, "# %s\n", why);
	equant_dag_schedule_free(again);
	return good;
}

static bool schedule_is_handled(const char *data, size_t size)
{
	char why[200] = "";
	struct dag_scan scan = { "x", data, size, 0, 1, why, sizeof(why) };
	struct equant_dag_machine *machine = equant_dag_machine_new(2);
	struct equant_dag *dag = diamond();
	struct equant_dag_schedule *schedule;
	bool good = true;

	if (equant_dag_read_schedule(&scan, dag, &schedule))
		good = why[0] != '\0';
	else if (equant_dag_verify(dag, machine, schedule, why, sizeof(why)))
		good = why[0] != '\0';
	else
		good = is_replayed(dag, machine, schedule);
	equant_dag_schedule_free(schedule);
	equant_dag_machine_free(machine);
	equant_dag_free(dag);
	return good;
}

/* Is @data read and scheduled, or refused with a reason?  Ends with a 0, as any text does. */
static bool handled(const char *data, size_t size)
{
	switch (size ? data[0] : 0) {
	case 'd':
		return graph_is_handled("dot", data + 1, size - 1);
	case 's':
		return graph_is_handled("stg", data + 1, size - 1);
	case 'j':
		return graph_is_handled("json", data + 1, size - 1);
	case 'm':
		return machine_is_handled(data + 1, size - 1);
	case 'e':
		return schedule_is_handled(data + 1, size - 1);
	}
	return true;
}

#ifdef FUZZER

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	memcpy(text, data, size);
	text[size] = '\0';
	if (!handled(text, size))
		abort();
	free(text);
	return 0;
}

#else

#include "corpus.h"
#include "kselftest_harness.h"

TEST(whatever_a_file_holds_is_read_or_refused_with_a_reason)
{
	int many;

	EXPECT_EQ(0, corpus_faults("tests/dag/corpus", handled, &many));
	EXPECT_LT(50, many);
}

TEST_HARNESS_MAIN

#endif
