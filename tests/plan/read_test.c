// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Programs and machines as text.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "libplan.h"

FIXTURE(text)
{
	struct equant_plan_program *program;
	struct equant_plan_machine *machine;
	char why[256];
};

FIXTURE_SETUP(text)
{
	memset(self, 0, sizeof(*self));
}

FIXTURE_TEARDOWN(text)
{
	equant_plan_program_free(self->program);
	equant_plan_machine_free(self->machine);
}

#define READ(text) \
	plan_text(text, strlen(text), &self->program, &self->machine, self->why, sizeof(self->why))

TEST_F(text, everything_that_can_be_said_is_read)
{
	const struct equant_plan_processor *all;

	ASSERT_EQ(0, READ("# both\niterations 10\nwork affine -2 30 # falls\nbytes 8\n"
			  "resident 4096 128\n\n"
			  "processor lx operation 1.5e-8 startup 2e-3 byte 1e-6 memory 2.45e7\n"
			  "processor \"sparc # 10\" times 2 operation 1e-8\r\n"
			  "medium byte 1e-6 startup 2e-3"));
	EXPECT_EQ(10, self->program->iterations);
	EXPECT_TRUE(self->program->work.slope == -2 && self->program->work.constant == 30);
	EXPECT_TRUE(self->program->bytes.slope == 0 && self->program->bytes.constant == 8);
	EXPECT_TRUE(self->program->resident == 4096 && self->program->resident_each == 128);
	ASSERT_EQ(3, self->machine->count);
	all = self->machine->processors;
	EXPECT_STREQ("lx", all[0].name);
	EXPECT_TRUE(all[0].operation == 1.5e-8 && all[0].startup == 2e-3);
	EXPECT_TRUE(all[0].byte == 1e-6 && all[0].memory == 2.45e7);
	EXPECT_STREQ("sparc # 10", all[2].name);
	EXPECT_TRUE(all[2].operation == 1e-8 && all[2].startup == 0 && all[2].byte == 0);
	EXPECT_TRUE(isinf(all[2].memory));
	EXPECT_TRUE(self->machine->medium_startup == 2e-3);
	EXPECT_TRUE(self->machine->medium_byte == 1e-6);
}

TEST_F(text, costs_can_be_given_one_by_one)
{
	ASSERT_EQ(0, READ("iterations 5\nwork each\n 1 2 # two\n\n3\t4 5\nend\nbytes each\n"
			  "0 0 0 0 1e3\nend # of bytes\n"));
	EXPECT_EQ(NULL, self->machine);
	for (int i = 0; i < 5; i++)
		EXPECT_TRUE(self->program->work.each[i] == i + 1);
	EXPECT_TRUE(self->program->bytes.each[4] == 1000);
}

TEST_F(text, what_is_not_said_has_its_default)
{
	ASSERT_EQ(0, READ("iterations 3\n"));
	EXPECT_TRUE(self->program->work.slope == 0 && self->program->work.constant == 1);
	EXPECT_TRUE(self->program->bytes.slope == 0 && self->program->bytes.constant == 0);
	EXPECT_TRUE(self->program->resident == 0 && self->program->resident_each == 0);
}

struct wrong {
	const char *text;
	const char *fault;
};

/* @wrong: up to one without text. */
static void expect_faults(struct __test_metadata *_metadata, FIXTURE_DATA(text) * self,
			  const struct wrong *wrong)
{
	for (; wrong->text; wrong++) {
		memset(self->why, 0, sizeof(self->why));
		EXPECT_EQ(-EINVAL, READ(wrong->text));
		EXPECT_EQ(NULL, self->program);
		EXPECT_EQ(NULL, self->machine);
		EXPECT_NE(NULL, strstr(self->why, wrong->fault))
		{
			TH_LOG("'%s' does not hold '%s'", self->why, wrong->fault);
		}
	}
}

TEST_F(text, each_fault_of_iterations_and_memory_is_named_with_its_line_and_word)
{
	static const struct wrong wrong[] = {
		{ "", "text: neither iterations nor a processor" },
		{ "# nothing\n", "text: neither iterations nor a processor" },
		{ "iteration 5\n", "text:1: 'iteration': no such word begins a line" },
		{ "\niterations\n", "text:2: 'iterations': expected a number after this" },
		{ "iterations 0\n", "text:1: '0': expected 1 or more" },
		{ "iterations -5\n", "text:1: '-5': expected a whole number" },
		{ "iterations 1.5\n", "text:1: '1.5': expected a whole number" },
		{ "iterations 1e6\n", "text:1: '1e6': expected a whole number" },
		{ "iterations 9007199254740993\n",
		  "text:1: '9007199254740993': more than 9007199254740992" },
		{ "iterations 99999999999999999999\n",
		  "text:1: '99999999999999999999': more than 9007199254740992" },
		{ "iterations 5 6\n", "text:1: '6': unexpected" },
		{ "iterations 5\niterations 5\n", "text:2: 'iterations': a second time" },
		{ "work 5\n", "text:1: 'work': iterations must come before this" },
		{ "bytes 5\n", "text:1: 'bytes': iterations must come before this" },
		{ "resident 5\n", "text:1: 'resident': iterations must come before this" },
		{ "iterations 5\nresident\n", "text:2: 'resident': expected a number after this" },
		{ "iterations 5\nresident 1 2 3\n", "text:2: '3': unexpected" },
		{ "iterations 5\nresident 1\nresident 1\n", "text:3: 'resident': a second time" },
		{ 0 },
	};

	expect_faults(_metadata, self, wrong);
}

TEST_F(text, each_fault_of_a_cost_is_named_with_its_line_and_word)
{
	static const struct wrong wrong[] = {
		{ "iterations 5\nwork\n",
		  "text:2: 'work': expected a number, affine or each after this" },
		{ "iterations 5\nwork -1\n", "text:2: '-1': expected a number, not negative" },
		{ "iterations 5\nwork nan\n", "text:2: 'nan': expected a number, not negative" },
		{ "iterations 5\nwork inf\n", "text:2: 'inf': expected a number, not negative" },
		{ "iterations 5\nwork 1e999\n",
		  "text:2: '1e999': expected a number, not negative" },
		{ "iterations 5\nwork 5x\n", "text:2: '5x': expected a number, not negative" },
		{ "iterations 5\nbytes constant 8\n",
		  "text:2: 'constant': expected a number, not negative, affine or each" },
		{ "iterations 5\nwork 5 6\n", "text:2: '6': unexpected" },
		{ "iterations 5\nwork 5\nwork 5\n", "text:3: 'work': a second time" },
		{ "iterations 5\nwork affine\n", "text:2: 'affine': expected a number after this" },
		{ "iterations 5\nwork affine 1\n", "text:2: '1': expected a number after this" },
		{ "iterations 5\nwork affine x 1\n", "text:2: 'x': expected a number" },
		{ "iterations 5\nwork affine -1 4\n",
		  "text:2: '4': below 0, or too large, at the first or last iteration" },
		{ "iterations 5\nbytes affine 1 -2\n",
		  "text:2: '-2': below 0, or too large, at the first or last iteration" },
		{ "iterations 5\nwork affine 1e308 0\n", "text:2: '0': below 0, or too large" },
		{ "iterations 5\nwork affine 1 2 3\n", "text:2: '3': unexpected" },
		{ 0 },
	};

	expect_faults(_metadata, self, wrong);
}

TEST_F(text, each_fault_of_a_list_of_costs_is_named_with_its_line_and_word)
{
	static const struct wrong wrong[] = {
		{ "iterations 2\nwork each\n1\nend\n",
		  "text:4: 'end': there are fewer numbers than iterations" },
		{ "iterations 2\nwork each\n1 2 3\nend\n",
		  "text:3: '3': there are more numbers than iterations" },
		{ "iterations 2\nwork each\n1 -2\nend\n",
		  "text:3: '-2': expected a number, not negative" },
		{ "iterations 2\nwork each\n1 2 end\n",
		  "text:3: 'end': expected a number, not negative" },
		{ "iterations 2\nwork each\n1 2\n", "text:2: 'each': the numbers have no end" },
		{ "iterations 2\nwork each 1 2\nend\n", "text:2: '1': unexpected" },
		{ "iterations 2\nwork each\n1 2\nend 5\n", "text:4: '5': unexpected" },
		{ 0 },
	};

	expect_faults(_metadata, self, wrong);
}

TEST_F(text, each_fault_of_a_processor_is_named_with_its_line_and_word)
{
	static const struct wrong wrong[] = {
		{ "processor\n", "text:1: 'processor': expected a name after this" },
		{ "processor a\n", "text:1: 'a': the processor has no operation" },
		{ "processor a operation\n", "text:1: 'operation': expected a number after this" },
		{ "processor a operation 0\n",
		  "text:1: '0': the time of an operation must be above 0" },
		{ "processor a operation -1\n", "text:1: '-1': expected a number, not negative" },
		{ "processor a operation 1 operation 2\n", "text:1: 'operation': a second time" },
		{ "processor a operation 1 speed 2\n", "text:1: 'speed': unexpected" },
		{ "processor a operation 1 startup -1\n",
		  "text:1: '-1': expected a number, not negative" },
		{ "processor a operation 1 times 0\n", "text:1: '0': expected 1 or more" },
		{ "processor a operation 1 times 1 times 1\n", "text:1: 'times': a second time" },
		{ "processor a operation 1 times 1048577\n",
		  "text:1: '1048577': more than 1048576" },
		{ "processor a operation 1\nprocessor b operation 1 times 1048576\n",
		  "text:2: '1048576': more than 1048576 processors" },
		{ 0 },
	};

	expect_faults(_metadata, self, wrong);
}

TEST_F(text, each_fault_of_a_name_is_named_with_its_line_and_word)
{
	static const struct wrong wrong[] = {
		{ "processor \"a operation 1\n", "text:1: 'a operation 1': the quote is not" },
		{ "processor \"a\"b operation 1\n",
		  "text:1: 'b operation 1': expected a blank after the quote" },
		{ "processor a\001 operation 1\n", "a quote or control character in a name" },
		{ "processor a\" operation 1\n", "a quote or control character in a name" },
		{ "processor aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n",
		  "a name has up to 63 characters" },
		{ 0 },
	};

	expect_faults(_metadata, self, wrong);
}

TEST_F(text, each_fault_of_the_medium_is_named_with_its_line_and_word)
{
	static const struct wrong wrong[] = {
		{ "medium startup 1\n", "text: a medium and no processor" },
		{ "medium\n", "text:1: 'medium': expected startup or byte after this" },
		{ "medium startup\n", "text:1: 'startup': expected a number after this" },
		{ "medium memory 1\n", "text:1: 'memory': unexpected" },
		{ "medium startup 1\nmedium startup 1\n", "text:2: 'medium': a second time" },
		{ 0 },
	};

	expect_faults(_metadata, self, wrong);
}

TEST_F(text, a_zero_byte_is_refused)
{
	EXPECT_EQ(-EINVAL, plan_text("iterations 5\0 6\n", 16, &self->program, &self->machine,
				     self->why, sizeof(self->why)));
	EXPECT_STREQ("text:1: 'iterations 5': a zero byte follows this", self->why);
}

TEST_F(text, what_a_terminal_takes_for_a_command_is_not_shown)
{
	EXPECT_EQ(-EINVAL, plan_text("\n\033[31mred\n", 10, &self->program, &self->machine,
				     self->why, sizeof(self->why)));
	EXPECT_EQ(0, strncmp("text:2: '?[31mred': ", self->why, 20));
}

TEST_F(text, what_is_not_wanted_is_refused)
{
	EXPECT_EQ(-EINVAL, plan_text("iterations 5\n", 13, NULL, &self->machine, self->why, 256));
	EXPECT_STREQ("text: a program, where only a machine is expected", self->why);
	EXPECT_EQ(-EINVAL,
		  plan_text("processor a operation 1\n", 24, &self->program, NULL, self->why, 256));
	EXPECT_STREQ("text: a machine, where only a program is expected", self->why);
}

TEST_F(text, a_file_that_is_not_there_is_named)
{
	EXPECT_EQ(-ENOENT,
		  equant_plan_read("/nonexistent", &self->program, &self->machine, self->why, 256));
	EXPECT_STREQ("/nonexistent: No such file or directory", self->why);
	EXPECT_EQ(-EISDIR, equant_plan_read("/", &self->program, &self->machine, self->why, 256));
	EXPECT_EQ(-EISDIR, equant_plan_write("/", NULL, NULL));
	self->program = affine_program(5, 0, 1);
	EXPECT_EQ(-ENOSPC, equant_plan_write("/dev/full", self->program, NULL));
}

/* ---- written and read again ----------------------------------------------------------------- */

static void random_costs(struct random *random, struct equant_plan_program *program, double *each)
{
	for (long i = 0; i < program->iterations; i++)
		each[i] = ldexp(random_unit(random), (int)random_below(random, 100) - 50);
	if (random_below(random, 2))
		equant_plan_program_work_each(program, each);
	else
		equant_plan_program_work(program, -random_unit(random),
					 (double)program->iterations + random_unit(random));
	if (random_below(random, 2))
		equant_plan_program_bytes(program, random_unit(random), random_unit(random));
	else if (random_below(random, 2))
		equant_plan_program_bytes_each(program, each);
	if (random_below(random, 2))
		equant_plan_program_resident(program, 1e9 * random_unit(random),
					     random_unit(random));
}

static void random_processors(struct random *random, struct equant_plan_machine *machine)
{
	static const char *const names[] = { "", "a", "two words", "# \\ '" };
	struct equant_plan_processor one = {
		.operation = ldexp(1 + random_unit(random), -30),
		.startup = random_below(random, 2) * random_unit(random),
		.byte = random_below(random, 2) * random_unit(random),
		.memory = random_below(random, 2) ? INFINITY : 1e9 * random_unit(random),
	};

	strcpy(one.name, names[random_below(random, 4)]);
	if (equant_plan_machine_add(machine, &one, 1 + (int)random_below(random, 3)))
		abort();
}

static bool same_cost(const struct equant_plan_cost *a, const struct equant_plan_cost *b, long n)
{
	if (!a->each != !b->each)
		return false;
	if (a->each)
		return !memcmp(a->each, b->each, (size_t)n * sizeof(*a->each));
	return a->slope == b->slope && a->constant == b->constant;
}

static bool same_program(const struct equant_plan_program *a, const struct equant_plan_program *b)
{
	return a->iterations == b->iterations && same_cost(&a->work, &b->work, a->iterations) &&
	       same_cost(&a->bytes, &b->bytes, a->iterations) && a->resident == b->resident &&
	       a->resident_each == b->resident_each;
}

static bool same_processor(const struct equant_plan_processor *a,
			   const struct equant_plan_processor *b)
{
	return !strcmp(a->name, b->name) && a->operation == b->operation &&
	       a->startup == b->startup && a->byte == b->byte && a->memory == b->memory;
}

static bool same_machine(const struct equant_plan_machine *a, const struct equant_plan_machine *b)
{
	if (a->count != b->count || a->medium_startup != b->medium_startup ||
	    a->medium_byte != b->medium_byte)
		return false;
	for (int i = 0; i < a->count; i++)
		if (!same_processor(&a->processors[i], &b->processors[i]))
			return false;
	return true;
}

TEST_F(text, what_is_written_is_read_to_the_last_bit)
{
	struct random random = random_seeded();
	char path[] = "/tmp/equant-plan-XXXXXX";
	double each[20];

	ASSERT_LE(0, mkstemp(path));
	for (int round = 0; round < 300; round++) {
		struct equant_plan_program *program =
			affine_program(1 + random_below(&random, 20), 0, 1);
		struct equant_plan_machine *machine = equant_plan_machine_new();

		ASSERT_NE(NULL, machine);
		random_costs(&random, program, each);
		for (long i = 1 + random_below(&random, 4); i > 0; i--)
			random_processors(&random, machine);
		if (random_below(&random, 2))
			equant_plan_machine_medium(machine, random_unit(&random),
						   random_unit(&random));
		ASSERT_EQ(0, equant_plan_write(path, program, machine));
		ASSERT_EQ(0, equant_plan_read(path, &self->program, &self->machine, self->why,
					      sizeof(self->why)));
		EXPECT_TRUE(same_program(program, self->program));
		EXPECT_TRUE(same_machine(machine, self->machine));
		equant_plan_program_free(program);
		equant_plan_machine_free(machine);
		equant_plan_program_free(self->program);
		equant_plan_machine_free(self->machine);
		self->program = NULL;
		self->machine = NULL;
	}
	unlink(path);
}

TEST_HARNESS_MAIN
