// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Files are the same in programs whose locale has a comma in numbers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commas.h"
#include "dag/scan.h"
#include "kselftest_harness.h"
#include "text/text.h"

#define SKIPPED 255 /* how the harness knows a test that was skipped in its set-up */

FIXTURE(commas)
{
	struct equant_dag *dag;
	struct equant_dag_machine *machine;
};

FIXTURE_SETUP(commas)
{
	static const char graph[] = "digraph { a [weight=2.5]; b [weight=.125] a -> b }";

	if (!commas_begin())
		SKIP(_exit(SKIPPED), COMMAS_NEED);
	self->dag = equant_dag_parse("dot", "f", graph, strlen(graph), NULL, 0);
	self->machine = equant_dag_machine_new(1);
	ASSERT_NE(NULL, self->dag);
	ASSERT_NE(NULL, self->machine);
}

FIXTURE_TEARDOWN(commas)
{
	equant_dag_free(self->dag);
	equant_dag_machine_free(self->machine);
}

TEST_F(commas, the_program_keeps_them)
{
	char text[16];

	snprintf(text, sizeof(text), "%g", 2.5);
	EXPECT_STREQ("2,5", text);
}

TEST_F(commas, graphs_are_read_with_points)
{
	EXPECT_TRUE(self->dag->task[0].work == 2.5 && self->dag->task[1].work == 0.125);
}

TEST_F(commas, schedules_are_written_and_read_with_points)
{
	char path[] = "/tmp/equant-commas-XXXXXX", why[200] = "", text[1000] = "";
	struct equant_dag_schedule *made, *read;
	int fd = mkstemp(path);

	ASSERT_LE(0, fd);
	made = equant_dag_schedule("heft", self->dag, self->machine, NULL, NULL, 0);
	ASSERT_NE(NULL, made);
	EXPECT_EQ(0, equant_dag_schedule_write(made, path, NULL, 0));
	EXPECT_LT(0, pread(fd, text, sizeof(text) - 1, 0));
	EXPECT_NE(NULL, strstr(text, "\"start\": 2.5, \"finish\": 2.625 }"));
	read = equant_dag_schedule_read(path, self->dag, why, sizeof(why));
	EXPECT_STREQ("", why);
	EXPECT_TRUE(read && read->makespan == 2.625);
	equant_dag_schedule_free(read);
	equant_dag_schedule_free(made);
	close(fd);
	unlink(path);
}

TEST_F(commas, texts_are_written_and_read_with_points)
{
	const struct equant_text text = { .path = "f" };
	char *written = NULL;
	size_t size;
	FILE *out = open_memstream(&written, &size);
	double value = 0;

	ASSERT_NE(NULL, out);
	equant_text_put_number(out, 2.5);
	equant_text_put_number(out, 0.1 + 0.2);
	fclose(out);
	EXPECT_STREQ(" 2.5 0.30000000000000004", written);
	EXPECT_EQ(0, equant_text_to_number(&text, "-2.5", true, &value));
	EXPECT_TRUE(value == -2.5);
	EXPECT_NE(0, equant_text_to_number(&text, "2,5", false, &value));
	free(written);
}

TEST_HARNESS_MAIN
