// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Where the hook goes: Siegell 1995, section 4.2. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kselftest_harness.h"
#include "libadvise.h"

/* What a nest becomes, and why. */
struct answer {
	char nest[NEST_LINE];
	char reasons[NEST_LINE];
	double period;
};

static struct answer place(const char *text)
{
	struct answer answer = { .period = -1 };
	struct equant_placement *placement = NULL;
	struct equant_nest *nest;

	nest = nest_from(text, answer.nest, sizeof(answer.nest));
	if (nest)
		placement = equant_place_hook(nest, answer.nest, sizeof(answer.nest));
	if (placement) {
		nest_line(placement->nest, answer.nest);
		reasons_line(placement, answer.reasons);
		answer.period = placement->period;
	}
	equant_placement_free(placement);
	equant_nest_free(nest);
	return answer;
}

/* A hook needs 20 / 1 % = 2000 operations; 10 % of the target are 4e6 of them. */
#define MACHINE "ranks 4\nrate 1e9\nhook 20\ntarget 0.04\n"

#define MM(n)                                  \
	"loop i " #n " parallel\n"             \
	"loop j " #n " distributed parallel\n" \
	"loop k " #n "\nstatement s 2\nend\nend\nend\n"

#define SOR(n)                                                       \
	"loop t 10 carries\nloop i " #n " carries\nreceive left 8\n" \
	"loop j " #n " distributed carries\nstatement s 9\nend\n"    \
	"send right 8\nend\nend\n"

TEST(what_the_loop_itself_takes_counts_between_two_hooks)
{
	struct answer answer = place("ranks 1\nrate 1e9\nhook 20\ntarget 0.04\n"
				     "loop t 3 cost 1e6\nloop j 4 distributed parallel\n"
				     "statement s 100\nend\nend\n");

	EXPECT_STREQ("t 3 { j 4 { s } ^ }", answer.nest);
	EXPECT_TRUE(near(answer.period, 1e6 + 400));
}

/* ---- the examples of the thesis ------------------------------------------------- */

TEST(mm_has_its_hook_after_the_distributed_loop)
{
	struct answer answer = place(MACHINE MM(500));

	EXPECT_STREQ("i 500 { j 500 { k 500 { s } } ^ }", answer.nest);
	EXPECT_STREQ("rare enough 1, after the loop 1", answer.reasons);
	EXPECT_TRUE(near(answer.period, 125 * 1000));
}

/* Fig. 4.4b, lbhook0a: max(2000, 0.1 x 4e7) / 20000 iterations in a block. */
TEST(a_large_mm_is_strip_mined_where_hooks_between_units_are_allowed)
{
	struct answer answer = place(MACHINE "between yes\n" MM(10000));

	EXPECT_STREQ("i 10000 { j' 52 { j 200 { k 10000 { s } } ^ } }", answer.nest);
	EXPECT_STREQ("rare enough 1, coarse 1, strip-mined 1, after the loop 1", answer.reasons);
	EXPECT_TRUE(near(answer.period, 200 * 20000));
}

/* "In our implementation of MM, we placed the hook at lbhook1, in spite of ..." */
TEST(a_large_mm_keeps_its_hook_after_the_distributed_loop_where_they_are_not)
{
	struct answer answer = place(MACHINE MM(10000));

	EXPECT_STREQ("i 10000 { j 10000 { k 10000 { s } } ^ }", answer.nest);
	EXPECT_STREQ("rare enough 1, coarse 1, between units 1, after the loop 1", answer.reasons);
}

/* Fig. 4.3: lbhook1 for reasonably large problems. */
TEST(sor_is_strip_mined_for_its_grain_and_has_its_hook_after_the_distributed_loop)
{
	struct answer answer = place(MACHINE "shift 20e-6\nbyte 1e-9\n" SOR(2000));

	EXPECT_STREQ("t 10 { i' 40 { <left i 50 { j 2000 { s } ^ } >right } }", answer.nest);
	EXPECT_STREQ("grain 1, rare enough 1, after the loop 1", answer.reasons);
}

/* Fig. 4.3b: lbhook1a, before the send; the block size stays that of the grain. */
TEST(a_small_sor_has_its_hook_before_the_send_of_a_block)
{
	struct answer answer = place(MACHINE "shift 20e-6\nbyte 1e-9\n" SOR(400));

	EXPECT_STREQ("t 10 { i' 8 { <left i 50 { j 400 { s } } ^ >right } }", answer.nest);
	EXPECT_STREQ("grain 1, too often 1, rare enough 2, before communication 2", answer.reasons);
}

static double efficiency_of(const char *text)
{
	struct equant_nest *nest = nest_from(text, NULL, 0);
	struct equant_placement *placement = nest ? equant_place_hook(nest, NULL, 0) : NULL;
	double efficiency = -1;

	for (int i = 0; placement && i < placement->count; i++)
		if (placement->reasons[i].kind == EQUANT_REASON_GRAIN)
			efficiency = placement->reasons[i].value;
	equant_placement_free(placement);
	equant_nest_free(nest);
	return efficiency;
}

/* Section 3.3.1: t_iteration is that of the rank that takes longest. */
TEST(a_pipeline_is_as_slow_as_the_rank_that_has_most_units)
{
	const char *uneven = "ranks 4\nloop i 400 carries\nreceive left 8\n"
			     "loop j 5 distributed carries\nstatement s 9000\nend\n"
			     "send right 8\nend\n";
	const char *as_slow = "ranks 4\nloop i 400 carries\nreceive left 8\n"
			      "loop j 8 distributed carries\nstatement s 9000\nend\n"
			      "send right 8\nend\n";

	/* 5 units are 2 for one rank, and take as long as 8. */
	EXPECT_TRUE(near(efficiency_of(uneven), efficiency_of(as_slow) * 5 / 8));
	EXPECT_LT(0.5, efficiency_of(uneven));
	EXPECT_NE(NULL, strstr(place(as_slow).nest, "<left i 13 {"));
	EXPECT_NE(NULL, strstr(place(uneven).nest, "<left i 13 {"));
}

TEST(the_block_of_the_grain_is_not_changed_for_the_hook)
{
	struct answer answer =
		place("ranks 4\nrate 1e6\nhook 20\ntarget 0.04\nshift 20e-3\n" SOR(400));

	EXPECT_STREQ("t 10 { i' 8 { <left i 50 { j 400 { s } } ^ >right } }", answer.nest);
	EXPECT_STREQ(
		"grain 1, too often 1, rare enough 2, coarse 2, grain first 2, before communication 2",
		answer.reasons);
}

TEST(lu_has_its_hook_before_the_barrier_that_begins_the_next_step)
{
	struct answer answer = place(MACHINE "loop k 1..999 carries\nbarrier pivot\n"
					     "loop j 500 distributed parallel\nloop i 500\n"
					     "statement s 2\nend\nend\nend\n");

	EXPECT_STREQ("k 999 { ^ |pivot j 500 { i 500 { s } } }", answer.nest);
	EXPECT_STREQ("rare enough 1, before communication 1", answer.reasons);
}

/* ---- algorithm 4.1 ---------------------------------------------------------------- */

TEST(the_hook_goes_outwards_until_it_is_cheap_enough)
{
	struct answer answer = place(MACHINE "loop a 1000 carries\nloop b 100 carries\n"
					     "loop c 40 distributed parallel\nstatement s 5\n"
					     "end\nend\nend\n");

	/* 50, then 5000 operations */
	EXPECT_STREQ("a 1000 { b 100 { c 40 { s } } ^ }", answer.nest);
	EXPECT_STREQ("too often 1, rare enough 2, after the loop 2", answer.reasons);
	EXPECT_TRUE(near(answer.period, 5000));
}

TEST(a_loop_between_a_hook_too_often_and_one_too_seldom_is_strip_mined)
{
	struct answer answer = place(MACHINE "loop a 10 carries\nloop b 1000000 carries\n"
					     "loop c 40 distributed parallel\nstatement s 5\n"
					     "end\nend\nend\n");

	/* 50 operations are too few, 5e7 more than 4e6: 80,000 times 50 */
	EXPECT_STREQ("a 10 { b' 13 { b 80000 { c 40 { s } } ^ } }", answer.nest);
	EXPECT_STREQ("too often 1, rare enough 2, coarse 2, strip-mined 2, after the loop 2",
		     answer.reasons);
	EXPECT_TRUE(near(answer.period, 4e6));
}

TEST(a_hook_in_an_outermost_loop_is_made_by_strip_mining_it)
{
	struct answer answer = place(MACHINE "loop b 1000000 carries\n"
					     "loop c 40 distributed parallel\nstatement s 5\n"
					     "end\nend\n");

	EXPECT_STREQ("b' 13 { b 80000 { c 40 { s } } ^ }", answer.nest);
}

TEST(blocks_are_not_smaller_than_the_overhead_allows)
{
	/* 0.1 x 4e3 operations control the period, but a hook needs 2000 */
	struct answer answer = place("ranks 4\nrate 1e5\nhook 20\ntarget 0.0401\n"
				     "loop b 1000000 carries\n"
				     "loop c 40 distributed parallel\nstatement s 5\nend\nend\n");

	EXPECT_STREQ("b' 25000 { b 40 { c 40 { s } } ^ }", answer.nest);
}

TEST(nothing_is_strip_mined_where_half_a_period_is_too_short_for_a_hook)
{
	/* half a period is 2000 operations, and not more than is needed */
	struct answer answer =
		place("ranks 4\nrate 1e5\nhook 20\ntarget 0.04\n"
		      "loop a 9 carries\nloop b 1000000 carries\n"
		      "loop c 40 distributed parallel\nstatement s 5\nend\nend\nend\n");

	EXPECT_STREQ("a 9 { b 1000000 { c 40 { s } } ^ }", answer.nest);
	EXPECT_STREQ("too often 1, rare enough 2, coarse 2, target too short 2, after the loop 2",
		     answer.reasons);
}

/* One rank: a hook needs 2000 operations, and 4e6 of them control the period. */
#define ONE(operations)                                                           \
	"rate 1e9\nhook 20\ntarget 0.04\nloop a 10 carries\nloop b 100 carries\n" \
	"loop c 1 distributed parallel\nstatement s " #operations "\nend\nend\nend\n"

TEST(the_limits_themselves_are_too_often_and_fine_enough)
{
	EXPECT_STREQ("a 10 { b 100 { c 1 { s } } ^ }", place(ONE(2000)).nest);
	EXPECT_STREQ("a 10 { b 100 { c 1 { s } ^ } }", place(ONE(2001)).nest);
	EXPECT_STREQ("rare enough 1, after the loop 1", place(ONE(4000000)).reasons);
	EXPECT_STREQ("rare enough 1, coarse 1, between units 1, after the loop 1",
		     place(ONE(4000001)).reasons);
}

TEST(a_problem_that_is_too_small_gets_no_hook)
{
	struct answer answer = place(MACHINE "loop b 10 carries\nloop c 40 distributed parallel\n"
					     "statement s 5\nend\nend\n");

	EXPECT_STREQ("b 10 { c 40 { s } }", answer.nest);
	EXPECT_STREQ("too often 1, too often 2, too small 2", answer.reasons);
	EXPECT_TRUE(answer.period == 0);
}

TEST(a_hook_that_would_run_once_after_all_work_is_left_out)
{
	struct answer answer = place(MACHINE "loop b 100 carries\nloop c 40 distributed parallel\n"
					     "statement s 5\nend\nend\n");

	EXPECT_STREQ("b 100 { c 40 { s } }", answer.nest);
	EXPECT_STREQ("too often 1, rare enough 2, once 2", answer.reasons);
}

TEST(more_ranks_have_less_work_between_hooks)
{
	const char *nest = "loop a 1000 carries\nloop b 100 carries\n"
			   "loop c 4000 distributed parallel\nstatement s 5\nend\nend\nend\n";
	char few[512], many[512];

	snprintf(few, sizeof(few), "ranks 2\n%s", nest);
	snprintf(many, sizeof(many), "ranks 100\n%s", nest);
	EXPECT_STREQ("a 1000 { b 100 { c 4000 { s } ^ } }", place(few).nest);
	EXPECT_STREQ("a 1000 { b 100 { c 4000 { s } } ^ }", place(many).nest);
}

/* ---- algorithm 4.2 ------------------------------------------------------------------ */

#define AROUND(before, after)        \
	"loop a 10 carries\n" before \
	"loop b 40000 distributed parallel\nstatement s 5\nend\n" after "end\n"

TEST(a_send_that_follows_has_the_hook_before_it)
{
	EXPECT_STREQ("a 10 { b 40000 { s } x ^ >m }",
		     place(MACHINE AROUND("", "statement x 1\nsend m 8\n")).nest);
}

TEST(a_receive_that_follows_has_the_hook_after_it)
{
	EXPECT_STREQ("a 10 { b 40000 { s } <m ^ x }",
		     place(MACHINE AROUND("", "receive m 8\nstatement x 1\n")).nest);
}

TEST(the_first_send_after_a_receive_ends_the_search)
{
	EXPECT_STREQ(
		"a 10 { b 40000 { s } <m x ^ >n >o }",
		place(MACHINE AROUND("", "receive m 8\nstatement x 1\nsend n 8\nsend o 8\n")).nest);
}

TEST(communication_before_the_distributed_loop_counts_where_none_follows)
{
	EXPECT_STREQ("a 10 { x ^ |m b 40000 { s } y }",
		     place(MACHINE AROUND("statement x 1\nbarrier m\n", "statement y 1\n")).nest);
	EXPECT_STREQ("a 10 { <m ^ x b 40000 { s } }",
		     place(MACHINE AROUND("receive m 8\nstatement x 1\n", "")).nest);
	EXPECT_STREQ("a 10 { ^ >m b 40000 { s } }", place(MACHINE AROUND("send m 8\n", "")).nest);
}

TEST(a_loop_that_sends_and_receives_is_a_barrier)
{
	EXPECT_STREQ(
		"a 10 { b 40000 { s } x ^ l 3 { <m >n } }",
		place(MACHINE AROUND("", "statement x 1\nloop l 3\nreceive m 8\nsend n 8\nend\n"))
			.nest);
	EXPECT_STREQ("a 10 { b 40000 { s } x l 3 { <m } ^ }",
		     place(MACHINE AROUND("", "statement x 1\nloop l 3\nreceive m 8\nend\n")).nest);
}

/* ---- restructuring -------------------------------------------------------------------- */

TEST(a_distributed_loop_without_a_loop_around_it_is_interchanged_with_a_parallel_one_in_it)
{
	struct answer answer = place(MACHINE "loop j 1000 distributed parallel\n"
					     "loop i 1000 parallel\nloop k 1000\nstatement s 2\n"
					     "end\nend\nend\n");

	EXPECT_STREQ("i 1000 { j 1000 { k 1000 { s } } ^ }", answer.nest);
	EXPECT_STREQ("interchanged 1, rare enough 1, after the loop 1", answer.reasons);
}

TEST(nothing_is_interchanged_over_a_dependence_or_a_statement)
{
	EXPECT_STREQ("j 1000 { i 1000 { s } }",
		     place(MACHINE "loop j 1000 distributed parallel\nloop i 1000 carries\n"
				   "statement s 20\nend\nend\n")
			     .nest);
	EXPECT_STREQ("j 1000 { x i 1000 { s } }",
		     place(MACHINE "loop j 1000 distributed parallel\nstatement x 1\n"
				   "loop i 1000 parallel\nstatement s 20\nend\nend\n")
			     .nest);
}

TEST(the_messages_of_a_block_are_gathered)
{
	struct equant_nest *nest = nest_from(MACHINE "shift 20e-6\nbyte 1e-9\n" SOR(400), NULL, 0);
	struct equant_placement *placement;
	int messages = 0;

	ASSERT_NE(NULL, nest);
	placement = equant_place_hook(nest, NULL, 0);
	ASSERT_NE(NULL, placement);
	for (int i = 0; i < placement->nest->count; i++) {
		if (placement->nest->nodes[i].bytes > 0) {
			EXPECT_TRUE(placement->nest->nodes[i].bytes == 50 * 8);
			messages++;
		}
	}
	EXPECT_EQ(2, messages);
	equant_placement_free(placement);
	equant_nest_free(nest);
}

TEST(the_block_size_is_that_of_the_pipeline)
{
	struct equant_strips pipeline = {
		.ranks = 4,
		.iterations = 2000,
		.units = 500,
		.unit_time = 9e-9,
		.shift_fixed = 20e-6,
		.byte_time = 1e-9,
		.bytes = 8,
	};
	struct equant_block block;

	ASSERT_EQ(0, equant_block_size(&pipeline, &block, NULL, 0));
	EXPECT_EQ(50, block.size);
	EXPECT_EQ(40, block.blocks);
}

TEST(dear_bytes_make_smaller_blocks)
{
	struct answer answer = place(MACHINE "shift 20e-6\nbyte 1e-6\n" SOR(400));

	EXPECT_STREQ("t 10 { i' 20 { <left i 20 { j 400 { s } } ^ >right } }", answer.nest);
}

TEST(a_dependence_with_a_barrier_in_the_loop_around_it_keeps_its_grain)
{
	struct answer answer = place(MACHINE "loop t 10\nloop i 2000\nreceive left 8\n"
					     "loop j 2000 distributed carries\nstatement s 9\nend\n"
					     "barrier b\nsend right 8\nend\nend\n");

	EXPECT_STREQ("t 10 { i 2000 { <left j 2000 { s } ^ |b >right } }", answer.nest);
	EXPECT_STREQ("no grain 1, rare enough 1, before communication 1", answer.reasons);
}

/* ---- loops of unknown length ----------------------------------------------------------- */

TEST(a_loop_of_unknown_length_is_strip_mined)
{
	struct answer answer = place(MACHINE "loop a ? carries\nloop b ? carries\n"
					     "loop c 40 distributed parallel\nstatement s 5\n"
					     "end\nend\nend\n");

	EXPECT_STREQ("a ? { b' ? { b 80000 { c 40 { s } } ^ } }", answer.nest);
	EXPECT_STREQ("too often 1, rare enough 2, coarse 2, strip-mined 2, after the loop 2",
		     answer.reasons);
	EXPECT_TRUE(near(answer.period, 4e6));
}

TEST(where_it_cannot_be_strip_mined_the_time_between_hooks_is_infinite)
{
	struct answer answer =
		place("ranks 4\nrate 1e5\nhook 20\ntarget 0.04\n"
		      "loop a 9\nloop b ? carries\n"
		      "loop c 40 distributed parallel\nstatement s 5\nend\nend\nend\n");

	EXPECT_STREQ("a 9 { b ? { c 40 { s } } ^ }", answer.nest);
	EXPECT_TRUE(isinf(answer.period));
}

/* 1e20 and 1e36 iterations are more than any integer counts. */
TEST(a_loop_of_unknown_length_is_left_alone_where_a_block_would_have_no_end)
{
	struct answer answer =
		place("target 1e12\nloop outer ?\nloop i 4 distributed parallel\nstatement s 1\n"
		      "end\nend\n");

	EXPECT_STREQ("outer ? { i 4 { s } }", answer.nest);
	EXPECT_STREQ("too often 1, rare enough 2, coarse 2, one block 2, once 2", answer.reasons);
	answer = place("rate 1e18\ntarget 1e18\nloop a ? parallel\nloop b ? parallel\n"
		       "loop i 4 distributed parallel\nstatement s 1\nend\nend\nend\n");
	EXPECT_STREQ("a ? { b ? { i 4 { s } } ^ }", answer.nest);
	EXPECT_STREQ("too often 1, rare enough 2, coarse 2, one block 2, after the loop 2",
		     answer.reasons);
}

TEST(it_is_left_alone_where_the_hook_is_inside_it)
{
	EXPECT_STREQ("a ? { b 1000 { c 4000 { s } ^ } }",
		     place(MACHINE "loop a ? carries\nloop b 1000\n"
				   "loop c 4000 distributed parallel\nstatement s 5\n"
				   "end\nend\nend\n")
			     .nest);
}

/* Fig. 4.5c; 283 x 283 is the smallest tile of 80,000 that is nearly square. */
TEST(two_parallel_loops_of_unknown_length_become_tiles)
{
	struct answer answer = place(MACHINE "loop a ? parallel\nloop b ? parallel\n"
					     "loop c 40 distributed parallel\nstatement s 5\n"
					     "end\nend\nend\n");

	EXPECT_STREQ("a' ? { b' ? { a 283 { b 283 { c 40 { s } } } ^ } }", answer.nest);
	EXPECT_STREQ(
		"too often 1, rare enough 2, coarse 2, strip-mined 2, strip-mined 3, tiled 3, after the loop 3",
		answer.reasons);
	EXPECT_TRUE(near(answer.period, 283 * 283 * 50));
}

TEST(a_statement_between_them_keeps_them_from_becoming_tiles)
{
	EXPECT_STREQ("a ? { x b' ? { b 80000 { c 40 { s } } ^ } }",
		     place(MACHINE "loop a ? parallel\nstatement x 1\nloop b ? parallel\n"
				   "loop c 40 distributed parallel\nstatement s 5\n"
				   "end\nend\nend\n")
			     .nest);
}

TEST(a_relaxation_until_convergence_is_placed_like_one_of_known_length)
{
	struct answer answer = place(MACHINE "shift 20e-6\nbyte 1e-9\nloop t ? carries\n"
					     "loop i 400 carries\nreceive left 8\n"
					     "loop j 400 distributed carries\nstatement s 9\nend\n"
					     "send right 8\nend\nend\n");

	EXPECT_STREQ("t ? { i' 8 { <left i 50 { j 400 { s } } ^ >right } }", answer.nest);
}

/* ---- any nest ---------------------------------------------------------------------------- */

static struct equant_node any_statement(struct random *random)
{
	struct equant_node node = {
		.kind = EQUANT_NODE_STATEMENT + (int)random_below(random, 4),
		.cost = (double)random_below(random, 30),
		.bytes = 8,
	};

	snprintf(node.name, sizeof(node.name), "s%ld", random_below(random, 1000));
	return node;
}

static void any_statements(struct random *random, struct equant_nest *nest, int parent)
{
	while (random_below(random, 2)) {
		struct equant_node node = any_statement(random);

		equant_nest_add(nest, parent, &node);
	}
}

static struct equant_nest *any_nest(struct random *random)
{
	struct equant_nest *nest = equant_nest_new();
	int depth = 1 + (int)random_below(random, 4), parent = 0;
	int distributed = (int)random_below(random, depth);

	nest->ranks = 1 + (int)random_below(random, 8);
	nest->rate = exp(20 * random_unit(random));
	nest->hook = (double)random_below(random, 100);
	for (int i = 0; i < depth; i++) {
		struct equant_node loop = {
			.kind = EQUANT_NODE_LOOP,
			.flags = i > 0 && random_below(random, 2) ? EQUANT_LOOP_CARRIES :
								    EQUANT_LOOP_PARALLEL,
			.trips = floor(exp(12 * random_unit(random))),
			.cost = (double)random_below(random, 3),
		};
		int next;

		if (i == distributed)
			loop.flags |= EQUANT_LOOP_DISTRIBUTED;
		snprintf(loop.name, sizeof(loop.name), "l%d", i);
		any_statements(random, nest, parent);
		next = equant_nest_add(nest, parent, &loop);
		any_statements(random, nest, parent);
		parent = next;
	}
	return nest;
}

/* What one rank executes, counted by walking the tree: not by the library. */
struct count {
	double operations, statements, hooks;
};

static void walk(const struct equant_nest *nest, int parent, double times, struct count *count)
{
	for (int i = nest->nodes[parent].first; i >= 0; i = nest->nodes[i].next) {
		const struct equant_node *node = &nest->nodes[i];
		double trips = node->trips;

		if (node->kind == EQUANT_NODE_HOOK)
			count->hooks += times;
		if (node->kind == EQUANT_NODE_STATEMENT)
			count->statements += times * node->cost;
		if (node->kind != EQUANT_NODE_LOOP) {
			count->operations += times * node->cost;
			continue;
		}
		if (node->flags & EQUANT_LOOP_DISTRIBUTED && !(node->flags & EQUANT_LOOP_BLOCK))
			trips /= nest->ranks;
		count->operations += times * trips * node->cost;
		walk(nest, i, times * trips, count);
	}
}

static bool in_distributed(const struct equant_nest *nest, int node)
{
	for (; node > 0; node = nest->nodes[node].parent)
		if (nest->nodes[node].flags & EQUANT_LOOP_DISTRIBUTED)
			return true;
	return false;
}

static const struct equant_reason *reason_of(const struct equant_placement *placement,
					     enum equant_reason_kind kind)
{
	for (int i = 0; i < placement->count; i++)
		if (placement->reasons[i].kind == kind)
			return &placement->reasons[i];
	return NULL;
}

FIXTURE(any)
{
	struct random random;
	struct equant_nest *nest;
	struct equant_placement *placement;
	struct count before, after;
};

FIXTURE_SETUP(any)
{
	self->random = random_seeded();
}

FIXTURE_TEARDOWN(any)
{
}

static bool next(struct _test_data_any *self)
{
	self->nest = any_nest(&self->random);
	self->placement = equant_place_hook(self->nest, NULL, 0);
	self->before = (struct count){ 0 };
	self->after = (struct count){ 0 };
	walk(self->nest, 0, 1, &self->before);
	if (self->placement)
		walk(self->placement->nest, 0, 1, &self->after);
	return self->placement;
}

static void done(struct _test_data_any *self)
{
	equant_placement_free(self->placement);
	equant_nest_free(self->nest);
}

TEST_F(any, nest_that_is_consistent_gets_an_answer_unless_a_pipeline_has_no_loop)
{
	for (int i = 0; i < 2000; i++, done(self))
		EXPECT_EQ(!equant_nest_check(self->nest = any_nest(&self->random), NULL, 0),
			  !!(self->placement = equant_place_hook(self->nest, NULL, 0)));
}

TEST_F(any, hook_costs_no_more_than_the_fraction_allowed)
{
	int hooks = 0;

	for (int i = 0; i < 2000; i++, done(self)) {
		if (!next(self) || self->placement->hook < 0)
			continue;
		hooks++;
		EXPECT_LE(self->after.hooks * self->nest->hook,
			  self->nest->overhead * self->after.operations * (1 + 1e-9));
		EXPECT_LT(0, self->after.hooks);
	}
	EXPECT_LT(200, hooks);
}

TEST_F(any, hook_is_outside_the_distributed_loop_and_inside_another)
{
	for (int i = 0; i < 2000; i++, done(self)) {
		if (!next(self) || self->placement->hook < 0)
			continue;
		EXPECT_FALSE(in_distributed(self->placement->nest, self->placement->hook));
		EXPECT_LT(0, self->placement->nest->nodes[self->placement->hook].parent);
	}
}

TEST_F(any, work_is_neither_lost_nor_added_but_for_what_fills_the_last_blocks)
{
	for (int i = 0; i < 2000; i++, done(self)) {
		double most;

		if (!next(self))
			continue;
		/* a last block is as long as the others here, and never the only one */
		most = self->before.statements;
		if (reason_of(self->placement, EQUANT_REASON_GRAIN))
			most *= 2;
		if (reason_of(self->placement, EQUANT_REASON_STRIPPED))
			most *= 2;
		EXPECT_LE(self->before.statements, self->after.statements * (1 + 1e-9));
		EXPECT_LE(self->after.statements, most * (1 + 1e-9));
	}
}

TEST_F(any, block_is_as_long_as_it_must_be_and_no_longer)
{
	int blocks = 0;

	for (int i = 0; i < 5000; i++, done(self)) {
		const struct equant_reason *reason;
		double least, iteration;

		if (!next(self))
			continue;
		reason = reason_of(self->placement, EQUANT_REASON_STRIPPED);
		if (!reason)
			continue;
		blocks++;
		least = fmax(self->nest->hook / self->nest->overhead,
			     self->nest->response * self->nest->target * self->nest->rate);
		iteration = self->placement->period / (double)reason->block;
		EXPECT_LE(least, self->placement->period * (1 + 1e-9));
		if (reason->block > 1)
			EXPECT_LE(self->placement->period, (least + iteration) * (1 + 1e-9));
	}
	EXPECT_LT(50, blocks);
}

TEST_HARNESS_MAIN
