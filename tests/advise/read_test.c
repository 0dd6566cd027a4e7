// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Descriptions of nests, good and bad. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kselftest_harness.h"
#include "libadvise.h"

#define EIGHT "a b c d e f g h "
#define WORDS "loop a 1 " EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT /* 67 */
#define GOOD "loop a 10\nloop b 5 distributed parallel\nstatement s 1\nend\nend\n"

TEST(a_description_is_read_as_it_is_written)
{
	struct equant_nest *nest =
		nest_from("# a comment\n\nnest \"a b\" # another\nranks 8\nrate 2e9\n"
			  "hook 30\noverhead 0.02\nresponse 0.2\ntarget 1\n"
			  "shift 1e-3\nbyte 1e-6\nbetween yes\n"
			  "loop a -3..6 carries cost 2\n\tbarrier x cost 7\n"
			  "loop b 5 parallel distributed\nstatement \"c # d\" 1.5\n"
			  "end\nsend m 80 cost 4\nreceive n 8\nend",
			  NULL, 0);
	char line[NEST_LINE];

	ASSERT_NE(NULL, nest);
	EXPECT_STREQ("a b", nest->name);
	EXPECT_STREQ("a 10 { |x b 5 { c # d } >m <n }", nest_line(nest, line));
	EXPECT_EQ(8, nest->ranks);
	EXPECT_TRUE(nest->rate == 2e9 && nest->hook == 30 && nest->overhead == 0.02);
	EXPECT_TRUE(nest->response == 0.2 && nest->target == 1 && nest->between);
	EXPECT_TRUE(nest->shift_fixed == 1e-3 && nest->byte_time == 1e-6);
	EXPECT_EQ(EQUANT_LOOP_CARRIES, nest->nodes[1].flags);
	EXPECT_TRUE(nest->nodes[1].cost == 2 && nest->nodes[2].cost == 7);
	EXPECT_EQ(EQUANT_LOOP_DISTRIBUTED | EQUANT_LOOP_PARALLEL, nest->nodes[3].flags);
	EXPECT_TRUE(nest->nodes[4].cost == 1.5);
	EXPECT_TRUE(nest->nodes[5].bytes == 80 && nest->nodes[5].cost == 4);
	EXPECT_EQ(14, nest->nodes[2].line);
	equant_nest_free(nest);
}

TEST(references_have_a_stride_for_each_loop_around_them)
{
	struct equant_nest *nest =
		nest_from("page 512\nloop a 10\nloop b 5 distributed parallel\n"
			  "reference x 8 b -1 a 2.5e3\nloop a 7\nreference \"y z\" 4 a 3\nend\n"
			  "reference w 1\nend\nend\n",
			  NULL, 0);
	const struct equant_reference *all;

	ASSERT_NE(NULL, nest);
	EXPECT_TRUE(nest->page == 512);
	ASSERT_EQ(3, nest->reference_count);
	all = nest->references;
	EXPECT_STREQ("x", all[0].name);
	EXPECT_TRUE(all[0].bytes == 8 && all[0].strides[0] == 2500 && all[0].strides[1] == -1);
	EXPECT_EQ(2, all[0].loop);
	EXPECT_EQ(4, all[0].line);
	/* The innermost of that name. */
	EXPECT_STREQ("y z", all[1].name);
	EXPECT_TRUE(all[1].strides[0] == 0 && all[1].strides[1] == 0 && all[1].strides[2] == 3);
	EXPECT_EQ(3, all[1].loop);
	EXPECT_TRUE(all[2].bytes == 1 && all[2].strides[0] == 0);
	EXPECT_EQ(2, all[2].loop);
	equant_nest_free(nest);
}

TEST(what_is_not_said_has_its_default)
{
	struct equant_nest *nest = nest_from(GOOD, NULL, 0), *fresh = equant_nest_new();

	ASSERT_NE(NULL, nest);
	ASSERT_NE(NULL, fresh);
	EXPECT_EQ(1, nest->ranks);
	EXPECT_TRUE(nest->overhead == 0.01 && nest->response == 0.1);
	EXPECT_TRUE(nest->rate == fresh->rate && nest->target == fresh->target);
	EXPECT_FALSE(nest->between);
	EXPECT_TRUE(nest->page == 4096);
	equant_nest_free(nest);
	equant_nest_free(fresh);
}

/**
 * struct fault - a description that is refused
 * @text: the description
 * @why: what the message holds: line, word and what is wrong with it
 */
struct fault {
	const char *text;
	const char *why;
};

static void expect_fault(struct __test_metadata *_metadata, const struct fault *fault)
{
	char why[256] = "";

	errno = 0;
	EXPECT_EQ(NULL, nest_from(fault->text, why, sizeof(why)));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_NE(NULL, strstr(why, fault->why))
	{
		TH_LOG("'%s' does not hold '%s'", why, fault->why);
	}
}

static void expect_faults(struct __test_metadata *_metadata, const struct fault *faults,
			  size_t count)
{
	for (size_t i = 0; i < count; i++)
		expect_fault(_metadata, &faults[i]);
}

#define EXPECT_FAULTS(faults) expect_faults(_metadata, faults, sizeof(faults) / sizeof((faults)[0]))

TEST(a_word_that_is_none_is_named)
{
	static const struct fault faults[] = {
		{ "lop a 10\n", ":1: 'lop': no such word" },
		{ "\nnest\n", ":2: 'nest': expected a name" },
		{ "nest a b\n", ":1: 'b': unexpected" },
		{ "nest \"\"\n", ":1: '': a name has" },
		{ "nest \"a\n", ":1: 'a': the quote is not closed" },
		{ "nest \"a\"b\n", ":1: 'b': expected a blank" },
		{ "nest a\001b\n", "a control character" },
		{ WORDS "g\n", ":1: 'g': too many words" },
		{ "loop a\t1\r\nend\r\nx", ":3: 'x': no such word" },
	};

	EXPECT_FAULTS(faults);
}

TEST(a_setting_out_of_its_range_is_named)
{
	static const struct fault faults[] = {
		{ "ranks\n", ":1: 'ranks': expected a number" },
		{ "ranks 0\n", ":1: '0': expected a whole number" },
		{ "ranks 1.5\n", ":1: '1.5': expected a whole number" },
		{ "ranks 1 2\n", ":1: '2': unexpected" },
		{ "rate 0\n", ":1: '0': rate is not above 0" },
		{ "rate 1e19\n", ":1: '1e19': rate is not" },
		{ "rate 1e999\n", ":1: '1e999': expected a number" },
		{ "rate nan\n", ":1: 'nan': expected a number" },
		{ "rate 0x10\n", ":1: '0x10': expected a number" },
		{ "rate -1\n", ":1: '-1': expected a number, not negative" },
		{ "overhead 1.1\n", ":1: '1.1': overhead is not" },
		{ "response 0\n", ":1: '0': response is not" },
		{ "target 0\n", ":1: '0': target is not" },
		{ "between maybe\n", ":1: 'maybe': expected yes or no" },
		{ "between\n", ":1: 'between': expected yes or no" },
		{ "page 0\n", ":1: '0': page is not above 0" },
		{ "ranks 2\nranks 8\n", ":2: 'ranks': a second time" },
		{ "rate 1\npage 1\nrate 1\n", ":3: 'rate': a second time" },
		{ "page 1\npage 1\n", ":2: 'page': a second time" },
		{ "between no\nbetween yes\n", ":2: 'between': a second time" },
		{ "nest a\nnest b\n", ":2: 'nest': a second time" },
	};

	EXPECT_FAULTS(faults);
}

TEST(a_loop_that_cannot_be_is_named)
{
	static const struct fault faults[] = {
		{ "loop\n", ":1: 'loop': expected a name" },
		{ "loop a\n", ":1: 'a': expected a number" },
		{ "loop a ten\n", ":1: 'ten': expected a number" },
		{ "loop a 1..x\n", ":1: '1..x': expected FIRST..LAST" },
		{ "loop a x..1\n", ":1: 'x..1': expected FIRST..LAST" },
		{ "loop a ..\n", ":1: '..': expected FIRST..LAST" },
		{ "loop a 5..4\n", ":1: '5..4': the loop never runs" },
		{ "loop a 1 quickly\n", ":1: 'quickly': unexpected" },
		{ "loop a 1 cost\n", ":1: 'cost': expected a number" },
		{ "loop a 1\n", ":1: 'a': the loop has no end" },
		{ "end\n", ":1: 'end': no loop is open" },
		{ GOOD "end\n", ":6: 'end': no loop is open" },
		{ "loop a 1\nend x\n", ":2: 'x': unexpected" },
		{ "loop a ?x\n", ":1: '?x': expected a number" },
	};

	EXPECT_FAULTS(faults);
}

TEST(a_statement_that_cannot_be_is_named)
{
	static const struct fault faults[] = {
		{ "statement s\n", ":1: 's': expected a number" },
		{ "statement s 1 2\n", ":1: '2': unexpected" },
		{ "send s 1 parallel\n", ":1: 'parallel': unexpected" },
		{ "barrier b 7\n", ":1: '7': unexpected" },
		{ "loop a 2\nstatement s 1e19\nend\n", ":2: 's' has a cost" },
	};

	EXPECT_FAULTS(faults);
}

TEST(a_reference_that_cannot_be_is_named)
{
	static const struct fault faults[] = {
		{ "reference\n", ":1: 'reference': expected a name" },
		{ "reference r 8\n", ":1: 'r': a reference is in a loop" },
		{ "loop a 1\nreference r\n", ":2: 'r': expected a number" },
		{ "loop a 1\nreference r 0\n", ":2: '0': an element has" },
		{ "loop a 1\nreference r 1e19\n", ":2: '1e19': an element has" },
		{ "loop a 1\nreference r 8 b 1\n", ":2: 'b': no loop of this name" },
		{ "loop a 1\nend\nloop b 1\nreference r 8 a 1\n", ":4: 'a': no loop of this name" },
		{ "loop a 1\nreference r 8 a\n", ":2: 'a': expected a number" },
		{ "loop a 1\nreference r 8 a x\n", ":2: 'x': expected a number" },
		{ "loop a 1\nreference r 8 a -1e19\n", ":2: '-1e19': expected a stride" },
		{ "loop a 1\nreference r 8 a 1 a 1\n", ":2: 'a': a second time" },
		{ "loop a 1 cost 5 cost 500\n", ":1: 'cost': a second time" },
	};

	EXPECT_FAULTS(faults);
}

TEST(what_cannot_be_distributed_is_named)
{
	static const struct fault faults[] = {
		{ "", "no loop is distributed" },
		{ "loop a 10\nend\n", "no loop is distributed" },
		{ "loop a 0 distributed parallel\nend\n", ":1: 'a' does not run" },
		{ "loop a 1.5 distributed parallel\nend\n", ":1: 'a' does not run" },
		{ "loop a ? distributed parallel\nend\n", ":1: 'a' is distributed, and it must" },
		{ "loop a ?\nloop b 2 distributed carries\nend\nend\n", ":1: 'a' is a pipeline" },
		{ "loop a 2 distributed parallel\nloop b ?\nend\nend\n", ":2: 'b' is not around" },
		{ "loop a 2 distributed\nend\n", ":1: 'a' is distributed, and must be" },
		{ "loop a 2 distributed parallel carries\nend\n", ":1: 'a' cannot be parallel" },
		{ "loop a 2 distributed carries\nend\n",
		  ":1: 'a' carries a dependence and has no" },
		{ "loop a 2 distributed parallel\nloop b 2 distributed parallel\nend\nend\n",
		  ":2: 'b' is distributed, and so is" },
	};

	EXPECT_FAULTS(faults);
}

TEST(a_file_that_is_not_there_is_named)
{
	char why[256] = "";

	EXPECT_EQ(NULL, equant_nest_read("/nonexistent", why, sizeof(why)));
	EXPECT_EQ(ENOENT, errno);
	EXPECT_STREQ("/nonexistent: No such file or directory", why);
	EXPECT_EQ(NULL, equant_nest_read("/", why, sizeof(why)));
	EXPECT_EQ(EISDIR, errno);
}

/* MANY times "loop a 2 ..." or a statement, then the ends. */
static struct equant_nest *repeated(const char *line, int many, int ends, char *why, size_t size)
{
	size_t room = (size_t)(many + ends + 2) * 64;
	char *text = calloc(1, room);
	struct equant_nest *nest;
	size_t used = 0;

	used += (size_t)snprintf(text, room, "loop d 2 distributed parallel\n");
	for (int i = 0; i < many; i++)
		used += (size_t)snprintf(text + used, room - used, "%s\n", line);
	for (int i = 0; i < ends; i++)
		used += (size_t)snprintf(text + used, room - used, "end\n");
	nest = nest_from(text, why, size);
	free(text);
	return nest;
}

TEST(a_nest_has_limits_and_reaches_them)
{
	const struct equant_node statement = { .kind = EQUANT_NODE_STATEMENT, .cost = 1 };
	const struct equant_node loop = { .kind = EQUANT_NODE_LOOP, .trips = 2 };
	struct equant_nest *nest;
	char why[256];

	nest = repeated("loop a 2", EQUANT_NEST_DEPTH - 1, EQUANT_NEST_DEPTH, NULL, 0);
	ASSERT_NE(NULL, nest);
	/* The innermost loop, node 32, can hold all but a loop. */
	EXPECT_EQ(EQUANT_NEST_DEPTH + 1, equant_nest_add(nest, EQUANT_NEST_DEPTH, &statement));
	EXPECT_EQ(-EINVAL, equant_nest_add(nest, EQUANT_NEST_DEPTH, &loop));
	equant_nest_free(nest);
	EXPECT_EQ(NULL,
		  repeated("loop a 2", EQUANT_NEST_DEPTH, EQUANT_NEST_DEPTH + 1, why, sizeof(why)));
	EXPECT_NE(NULL, strstr(why, ":33: 'a': more than 32 loops"));
	nest = repeated("statement s 1", EQUANT_NEST_NODES - 2, 1, NULL, 0);
	EXPECT_NE(NULL, nest);
	equant_nest_free(nest);
	EXPECT_EQ(NULL, repeated("statement s 1", EQUANT_NEST_NODES - 1, 1, why, sizeof(why)));
	EXPECT_NE(NULL, strstr(why, ":1000: 's': more than 1000"));
}

TEST(more_operations_than_a_double_can_hold_are_refused)
{
	struct equant_nest *nest = repeated("loop a 1e18 cost 1", 17, 18, NULL, 0);
	char why[256];

	EXPECT_NE(NULL, nest);
	equant_nest_free(nest);
	EXPECT_EQ(NULL, repeated("loop a 1e18 cost 1", 18, 19, why, sizeof(why)));
	EXPECT_NE(NULL, strstr(why, "more operations than a double"));
}

TEST(only_loops_hold_anything)
{
	const struct equant_node statement = { .kind = EQUANT_NODE_STATEMENT };
	struct equant_nest *nest = equant_nest_new();

	ASSERT_NE(NULL, nest);
	EXPECT_EQ(1, equant_nest_add(nest, 0, &statement));
	EXPECT_EQ(-EINVAL, equant_nest_add(nest, 1, &statement));
	EXPECT_EQ(-EINVAL, equant_nest_add(nest, -1, &statement));
	EXPECT_EQ(-EINVAL, equant_nest_add(nest, 2, &statement));
	equant_nest_free(nest);
}

TEST(only_loops_have_flags)
{
	static const struct equant_node nodes[] = {
		{ .kind = EQUANT_NODE_LOOP,
		  .flags = EQUANT_LOOP_DISTRIBUTED | EQUANT_LOOP_PARALLEL,
		  .name = "i",
		  .trips = 4 },
		{ .kind = EQUANT_NODE_SEND, .flags = EQUANT_LOOP_PARALLEL, .name = "m" },
	};
	struct equant_nest *nest = equant_nest_new();
	char why[256];

	ASSERT_NE(NULL, nest);
	EXPECT_EQ(1, equant_nest_add(nest, 0, &nodes[0]));
	EXPECT_EQ(0, equant_nest_check(nest, why, sizeof(why)));
	EXPECT_EQ(2, equant_nest_add(nest, 0, &nodes[1]));
	EXPECT_EQ(-EINVAL, equant_nest_check(nest, why, sizeof(why)));
	EXPECT_STREQ("'m' has flags and is no loop", why);
	/* A statement is not the distributed loop. */
	nest->nodes[1].flags = EQUANT_LOOP_PARALLEL;
	nest->nodes[2].flags = EQUANT_LOOP_DISTRIBUTED;
	EXPECT_EQ(-EINVAL, equant_nest_check(nest, why, sizeof(why)));
	equant_nest_free(nest);
}

TEST(no_text_makes_the_reader_stumble)
{
	static const char *const pieces[] = {
		"loop",	 "end",	 "\n",	 "\n", "a",    "?",	      " ",	     " ",
		"\"",	 "#",	 "1..3", "..", "-5",   "distributed", "parallel",    "carries",
		"ranks", "send", "nest", "\t", "cost", "statement",   "barrier x\n", "loop b 5 ",
	};
	struct random random = random_seeded();
	int read = 0;

	for (int i = 0; i < 20000; i++) {
		char text[400] = "", why[100] = "";
		struct equant_nest *nest;

		if (random_below(&random, 2))
			strcpy(text, "loop b 5 distributed parallel\n");
		for (long n = random_below(&random, 24); n > 0; n--)
			strcat(text, pieces[random_below(&random, 24)]);
		nest = nest_from(text, why, sizeof(why));
		if (nest) {
			EXPECT_EQ(0, equant_nest_check(nest, NULL, 0));
			read++;
		} else {
			EXPECT_NE('\0', why[0]);
		}
		equant_nest_free(nest);
	}
	EXPECT_LT(0, read);
}

TEST_HARNESS_MAIN
