// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Described nests as programs for static planners. */
#include <errno.h>
#include <string.h>

#include <equant/plan.h>

#include "kselftest_harness.h"
#include "libadvise.h"

/* C += A B, the loops and what they refer to in the order of the paper's section 7.1. */
#define PRODUCT(i, j, k)                                                             \
	"page 512\nloop i 128 parallel" i "\nloop j 128 parallel" j "\nloop k 128" k \
	"\nstatement s 2\nreference a 8 i 128 k 1\nreference b 8 j 1 k 128\n"        \
	"reference c 8 i 128 j 1\nend\nend\nend\n"

static struct equant_plan_program *
program_from(const char *text, enum equant_plan_replacement replacement, char *why, size_t why_size)
{
	struct equant_nest *nest = nest_from(text, why, why_size);
	struct equant_plan_program *program;
	int error;

	if (!nest)
		return NULL;
	program = equant_nest_program(nest, replacement, why, why_size);
	error = errno;
	equant_nest_free(nest);
	errno = error;
	return program;
}

/* The same by calls. */
static struct equant_plan_program *by_calls(int distributed,
					    enum equant_plan_replacement replacement)
{
	static const double trips[] = { 128, 128, 128 }, a[] = { 128, 0, 1 }, b[] = { 0, 1, 128 },
			    c[] = { 128, 1, 0 };
	static const struct equant_plan_reference all[] = { { 8, a }, { 8, b }, { 8, c } };
	const struct equant_plan_nest nest = { 3, trips, 3, all, 512 };
	struct equant_plan_program *program = equant_plan_program_new(128);

	if (program &&
	    equant_plan_program_nest(program, &nest, distributed, replacement, NULL, 0)) {
		equant_plan_program_free(program);
		program = NULL;
	}
	return program;
}

TEST(memory_is_that_of_the_strides_whichever_loop_is_distributed)
{
	static const char *const texts[] = { PRODUCT(" distributed", "", ""),
					     PRODUCT("", " distributed", "") };
	static const enum equant_plan_replacement policies[] = { EQUANT_PLAN_IDEAL,
								 EQUANT_PLAN_LRU };

	for (int k = 0; k < 4; k++) {
		struct equant_plan_program *program =
			program_from(texts[k / 2], policies[k % 2], NULL, 0);
		struct equant_plan_program *expected = by_calls(k / 2, policies[k % 2]);

		ASSERT_NE(NULL, program);
		ASSERT_NE(NULL, expected);
		EXPECT_EQ(128, program->iterations);
		EXPECT_EQ(expected->resident, program->resident);
		EXPECT_EQ(expected->resident_each, program->resident_each);
		EXPECT_LT(0, program->resident);
		/* Of one i or j: all of the two others. */
		EXPECT_EQ(128.0 * 128 * 2, program->work.constant);
		EXPECT_EQ(0, program->work.slope);
		equant_plan_program_free(program);
		equant_plan_program_free(expected);
	}
}

TEST(work_is_all_that_an_iteration_does)
{
	struct equant_plan_program *program = program_from(
		"ranks 4\nloop t ?\nloop a 3\nloop b 50 distributed parallel cost 1\nstatement s 4\n"
		"loop c 10 cost 2\nstatement s 3\nend\nend\nend\nend\n",
		EQUANT_PLAN_LRU, NULL, 0);

	ASSERT_NE(NULL, program);
	EXPECT_EQ(50, program->iterations);
	EXPECT_EQ(3.0 * (1 + 4 + 10 * (2 + 3)), program->work.constant);
	EXPECT_EQ(0, program->resident);
	EXPECT_EQ(0, program->resident_each);
	equant_plan_program_free(program);
}

/* Sweeps over the same vector until it has converged: all of it is used again. */
TEST(an_unknown_loop_carries_reuse)
{
	struct equant_plan_program *once =
		program_from("loop a 51200 distributed parallel\nreference x 8 a 1\nend\n",
			     EQUANT_PLAN_LRU, NULL, 0);
	struct equant_plan_program *often = program_from(
		"loop t ?\nloop a 51200 distributed parallel\nreference x 8 a 1\nend\nend\n",
		EQUANT_PLAN_LRU, NULL, 0);

	ASSERT_NE(NULL, once);
	ASSERT_NE(NULL, often);
	EXPECT_GE(2 * 4096, once->resident + 51200 * once->resident_each);
	EXPECT_LE(100 * 4096, often->resident + 51200 * often->resident_each + 1);
	equant_plan_program_free(once);
	equant_plan_program_free(often);
}

/* What is outside of the innermost loop stays while that runs. */
TEST(a_reference_may_be_in_an_outer_loop)
{
	struct equant_plan_program *program =
		program_from("loop a 8 distributed parallel\nreference x 8 a 512\nloop b 4096\n"
			     "reference y 8 b 1\nend\nend\n",
			     EQUANT_PLAN_IDEAL, NULL, 0);

	ASSERT_NE(NULL, program);
	/* All of y, 8 pages, and a page of x. */
	EXPECT_EQ(9 * 4096, program->resident + 8 * program->resident_each);
	equant_plan_program_free(program);
}

TEST(nests_that_are_no_program_are_refused_with_their_line)
{
	static const struct {
		const char *text;
		const char *fault;
	} wrong[] = {
		{ "loop a 2\nloop b 2 distributed carries\nend\nend\n",
		  "2: 'b' carries a dependence" },
		{ "loop a 1e17 distributed parallel\nend\n", "1: 'a' has more iterations" },
		{ "loop a 2 distributed parallel\nend\nloop b 2\nreference x 8 b 1\nend\n",
		  "4: 'x' is beside" },
		{ "loop a 2 distributed parallel\nloop b 2\nreference x 8\nend\nloop c 2\n"
		  "reference y 8\nend\nend\n",
		  "6: 'y' is beside" },
		{ "loop a ?\nloop b 2 distributed parallel\nreference x 8 a 1\nend\nend\n",
		  "3: 'x' moves on with a loop of which it is not known" },
	};
	char why[256];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		memset(why, 0, sizeof(why));
		errno = 0;
		EXPECT_EQ(NULL, program_from(wrong[i].text, EQUANT_PLAN_LRU, why, sizeof(why)));
		EXPECT_EQ(EINVAL, errno);
		EXPECT_EQ(0, strncmp(why, wrong[i].fault, strlen(wrong[i].fault)))
		{
			TH_LOG("'%s' does not begin with '%s'", why, wrong[i].fault);
		}
	}
}

TEST(references_by_calls_are_checked)
{
	struct equant_reference good = { .name = "x", .bytes = 8 }, wrong;
	struct equant_nest *nest =
		nest_from("loop a 2 distributed parallel\nstatement s 1\nend\n", NULL, 0);

	ASSERT_NE(NULL, nest);
	EXPECT_EQ(-EINVAL, equant_nest_refer(nest, 0, &good));
	EXPECT_EQ(-EINVAL, equant_nest_refer(nest, 2, &good));
	EXPECT_EQ(-EINVAL, equant_nest_refer(nest, 3, &good));
	wrong = good;
	wrong.bytes = 0;
	EXPECT_EQ(-EINVAL, equant_nest_refer(nest, 1, &wrong));
	wrong = good;
	wrong.strides[31] = 1e30;
	EXPECT_EQ(-EINVAL, equant_nest_refer(nest, 1, &wrong));
	memset(wrong.name, 'x', sizeof(wrong.name));
	EXPECT_EQ(-EINVAL, equant_nest_refer(nest, 1, &wrong));
	for (int k = 0; k < EQUANT_NEST_NODES; k++)
		EXPECT_EQ(0, equant_nest_refer(nest, 1, &good));
	EXPECT_EQ(-E2BIG, equant_nest_refer(nest, 1, &good));
	equant_nest_free(nest);
}

TEST_HARNESS_MAIN
