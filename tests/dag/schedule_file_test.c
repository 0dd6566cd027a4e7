// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Schedules that are written and read again. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dag/scan.h"
#include "kselftest_harness.h"
#include "random.h"
#include "text/text.h"

FIXTURE(file)
{
	char path[64];
	char why[200];
	struct equant_dag *dag;
};

FIXTURE_SETUP(file)
{
	int fd;

	strcpy(self->path, "/tmp/equant-schedule-XXXXXX");
	fd = mkstemp(self->path);
	ASSERT_LE(0, fd);
	close(fd);
	self->dag = equant_dag_new();
	ASSERT_NE(NULL, self->dag);
	EXPECT_EQ(0, equant_dag_add_task(self->dag, "a", 1));
	EXPECT_EQ(1, equant_dag_add_task(self->dag, "b", 1));
	EXPECT_EQ(0, equant_dag_add_edge(self->dag, 0, 1, 1));
}

FIXTURE_TEARDOWN(file)
{
	equant_dag_free(self->dag);
	unlink(self->path);
}

static bool is_same(const struct equant_dag_schedule *a, const struct equant_dag_schedule *b)
{
	if (a->slots != b->slots || a->messages != b->messages || a->makespan != b->makespan)
		return false;
	for (int s = 0; s < a->slots; s++)
		if (a->slot[s].task != b->slot[s].task ||
		    a->slot[s].processor != b->slot[s].processor ||
		    a->slot[s].start != b->slot[s].start || a->slot[s].finish != b->slot[s].finish)
			return false;
	for (int m = 0; m < a->messages; m++) {
		const struct equant_dag_message *x = &a->message[m], *y = &b->message[m];

		if (x->edge != y->edge || x->from != y->from || x->to != y->to ||
		    x->start != y->start || x->finish != y->finish)
			return false;
	}
	return true;
}

/* As much as the C library writes at once leaves nothing to fail when the file is closed. */
TEST(a_full_disk_is_told_whatever_is_left_to_write)
{
	for (int size = 4000; size < 4200; size++) {
		FILE *out = fopen("/dev/full", "we");

		ASSERT_NE(NULL, out);
		setvbuf(out, NULL, _IOFBF, 4096);
		for (int i = 0; i < size; i++)
			fputc('x', out);
		equant_text_put_number(out, 4.9406564584124654e-324);
		ASSERT_EQ(-ENOSPC, equant_text_close(out))
		{
			TH_LOG("after %d bytes", size);
		}
	}
}

TEST_F(file, what_is_written_is_read_to_the_last_bit)
{
	struct random random = random_seeded();

	for (int round = 0; round < 20; round++) {
		struct equant_dag_shape shape = { .sz = sizeof(shape),
						  .size = 3 + (int)random_below(&random, 20),
						  .work = 1,
						  .spread = 0.9,
						  .comp_comm = 1,
						  .seed = random_next(&random) };
		struct equant_dag *dag = equant_dag_generate("layered", &shape, NULL, 0);
		struct equant_dag_machine *machine =
			equant_dag_machine_random(3, 1, 1, 0.9, random_next(&random));
		struct equant_dag_schedule *read, *schedule;

		schedule = equant_dag_schedule("dls", dag, machine, NULL, NULL, 0);
		ASSERT_NE(NULL, schedule);
		ASSERT_EQ(0, equant_dag_schedule_write(schedule, self->path, NULL, 0));
		read = equant_dag_schedule_read(self->path, dag, self->why, sizeof(self->why));
		ASSERT_NE(NULL, read)
		{
			TH_LOG("%s", self->why);
		}
		EXPECT_TRUE(is_same(schedule, read));
		EXPECT_EQ(0, equant_dag_verify(dag, machine, read, NULL, 0));
		EXPECT_EQ(-ENOSPC, equant_dag_schedule_write(schedule, "/dev/full", self->why,
							     sizeof(self->why)));
		EXPECT_STREQ("/dev/full: No space left on device", self->why);
		equant_dag_schedule_free(read);
		equant_dag_schedule_free(schedule);
		equant_dag_machine_free(machine);
		equant_dag_free(dag);
	}
}

#define A "{\"task\":0,\"processor\":0,\"start\":0,\"finish\":1}"
#define B "{\"task\":1,\"processor\":1,\"start\":2,\"finish\":3}"
#define M "{\"edge\":0,\"from\":0,\"to\":1,\"start\":1,\"finish\":2}"

static const char *said(struct equant_dag *dag, const char *text, char why[200])
{
	struct equant_dag_schedule *schedule;
	struct dag_scan scan = { "f", text, strlen(text), 0, 1, why, 200 };
	int err = equant_dag_read_schedule(&scan, dag, &schedule);

	equant_dag_schedule_free(schedule);
	return err ? why : "nothing";
}

#define EXPECT_REFUSED(expected, text) EXPECT_STREQ(expected, said(self->dag, text, self->why))

TEST_F(file, what_is_wrong_is_named)
{
	EXPECT_REFUSED("nothing", "{\"tasks\":[" A "," B "],\"messages\":[" M "]}");
	EXPECT_REFUSED("f:1: task 1 is missing", "{\"tasks\":[" A "]}");
	EXPECT_REFUSED("f:1: '0': a second time", "{\"tasks\":[" A "," A "]}");
	EXPECT_REFUSED("f:2: '2': the graph has none of this number",
		       "{\"tasks\":[\n{\"task\":2}]}");
	EXPECT_REFUSED("f:1: '0': a second time",
		       "{\"tasks\":[" A "," B "],\"messages\":[" M "," M "]}");
	EXPECT_REFUSED("f:1: '1': the graph has none of this number",
		       "{\"tasks\":[" A "," B "],\"messages\":[{\"edge\":1}]}");
	EXPECT_EQ(NULL, equant_dag_schedule_read("/nonexistent/f", self->dag, self->why,
						 sizeof(self->why)));
	EXPECT_STREQ("/nonexistent/f: No such file or directory", self->why);
	EXPECT_NE(0,
		  equant_dag_schedule_write(NULL, "/nonexistent/f", self->why, sizeof(self->why)));
	EXPECT_STREQ("/nonexistent/f: No such file or directory", self->why);
	EXPECT_STREQ("f:1: ']': the processor comes after a higher one",
		     said(self->dag, "{\"tasks\":[" B "," A "]}", self->why));
	EXPECT_STREQ("f:1: ']': the task ends before it starts",
		     said(self->dag,
			  "{\"tasks\":[{\"task\":0,\"processor\":0,\"start\":1,\"finish\":0}]}",
			  self->why));
}

TEST_HARNESS_MAIN
