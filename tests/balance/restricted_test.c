// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Restricted work movement: Siegell 1995, algorithm 5.2 and table 5.2. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <equant/balance.h>

#include "kselftest_harness.h"
#include "libbalance.h"

#define RANKS_MOST 64
#define UNITS_MOST 400

#define COUNTS(...) ((const long[]){ __VA_ARGS__ })
#define NR(counts) ((int)(sizeof(counts) / sizeof(long)))

/* ---- algorithm 5.2 ------------------------------------------------------------ */

static const char *pairs(struct text *text, const long *current, const long *target, int n)
{
	struct equant_instruction out[RANKS_MOST];
	int count = equant_instruct_restricted(current, target, n, out);

	if (count >= 0)
		return text_instructions(text, out, count);
	text_add(text, "error %d", count);
	return text->line;
}

#define PAIRS(current, target) pairs(&(struct text){ .used = 0 }, current, target, NR(current))

TEST(balanced_ranks_get_no_instructions)
{
	EXPECT_STREQ("", PAIRS(COUNTS(5, 5, 5), COUNTS(5, 5, 5)));
	EXPECT_STREQ("", PAIRS(COUNTS(7), COUNTS(7)));
	EXPECT_STREQ("", PAIRS(COUNTS(0, 0), COUNTS(0, 0)));
}

TEST(work_for_a_rank_far_away_passes_through_all_between)
{
	EXPECT_STREQ("0>1:6 1>2:4 2>3:2", PAIRS(COUNTS(8, 0, 0, 0), COUNTS(2, 2, 2, 2)));
	EXPECT_STREQ("1>0:2 2>1:4 3>2:6", PAIRS(COUNTS(0, 0, 0, 8), COUNTS(2, 2, 2, 2)));
	EXPECT_STREQ("0>1:3 1>2:3 2>3:3", PAIRS(COUNTS(8, 5, 5, 2), COUNTS(5, 5, 5, 5)));
	EXPECT_STREQ("1>0:3 1>2:3", PAIRS(COUNTS(2, 11, 2), COUNTS(5, 5, 5)));
	EXPECT_STREQ("0>1:3 3>2:2", PAIRS(COUNTS(5, 0, 0, 5), COUNTS(2, 3, 2, 3)));
}

TEST(bad_counts_are_refused)
{
	EXPECT_STREQ("error -22", PAIRS(COUNTS(5, 5), COUNTS(5, 6)));
	EXPECT_STREQ("error -22", PAIRS(COUNTS(-1, 5), COUNTS(2, 2)));
	EXPECT_STREQ("error -22", PAIRS(COUNTS(2, 2), COUNTS(5, -1)));
	EXPECT_STREQ("error -22", PAIRS(COUNTS(LONG_MAX, 1), COUNTS(1, LONG_MAX)));
	EXPECT_EQ(-EINVAL, equant_instruct_restricted(COUNTS(1), COUNTS(1), 0, NULL));
}

TEST(the_largest_counts_do_not_overflow)
{
	EXPECT_STREQ("0>1:9223372036854775807 1>2:9223372036854775807",
		     PAIRS(COUNTS(LONG_MAX, 0, 0), COUNTS(0, 0, LONG_MAX)));
	EXPECT_STREQ("1>0:9223372036854775807 2>1:9223372036854775807",
		     PAIRS(COUNTS(0, 0, LONG_MAX), COUNTS(LONG_MAX, 0, 0)));
}

/* ---- table 5.2 ------------------------------------------------------------------ */

static const char *const kind_names[] = {
	[EQUANT_MOVE_SEND_LEFT] = "send left",
	[EQUANT_MOVE_RECEIVE_RIGHT] = "receive right",
	[EQUANT_MOVE_SEND_RIGHT] = "send right",
	[EQUANT_MOVE_RECEIVE_LEFT] = "receive left",
};

static int order(const long *current, const long *target, int n, struct equant_moves *lists)
{
	struct equant_instruction out[RANKS_MOST];
	int count = equant_instruct_restricted(current, target, n, out);

	if (count < 0)
		return count;
	return equant_order_restricted(out, count, current, n, lists);
}

static const char *middle(struct text *text, const long *current, const long *target)
{
	struct equant_moves lists[3];
	int error = order(current, target, 3, lists);
	long change = target[1] - current[1];

	if (error) {
		text_add(text, "error %d", error);
		return text->line;
	}
	text_add(text, "%d", lists[1].count);
	for (int i = 0; i < lists[1].count; i++)
		text_add(text, ", %s %ld", kind_names[lists[1].move[i].kind],
			 lists[1].move[i].units);
	text_add(text, ": %s", change > 0 ? "gain" : change < 0 ? "loss" : "none");
	return text->line;
}

#define MIDDLE(current, target) middle(&(struct text){ .used = 0 }, current, target)

TEST(every_row_of_table_5_2_holds)
{
	EXPECT_STREQ("0: none", MIDDLE(COUNTS(5, 5, 5), COUNTS(5, 5, 5)));
	EXPECT_STREQ("1, send left 2: loss", MIDDLE(COUNTS(0, 5, 5), COUNTS(2, 3, 5)));
	EXPECT_STREQ("1, receive right 2: gain", MIDDLE(COUNTS(5, 0, 5), COUNTS(5, 2, 3)));
	EXPECT_STREQ("1, send right 2: loss", MIDDLE(COUNTS(5, 5, 0), COUNTS(5, 3, 2)));
	EXPECT_STREQ("1, receive left 2: gain", MIDDLE(COUNTS(5, 0, 5), COUNTS(3, 2, 5)));
	EXPECT_STREQ("2, send left 2, receive right 3: gain",
		     MIDDLE(COUNTS(0, 5, 9), COUNTS(2, 6, 6)));
	EXPECT_STREQ("2, send left 2, receive right 2: none",
		     MIDDLE(COUNTS(0, 5, 9), COUNTS(2, 5, 7)));
	EXPECT_STREQ("2, send left 2, receive right 1: loss",
		     MIDDLE(COUNTS(0, 5, 9), COUNTS(2, 4, 8)));
	EXPECT_STREQ("2, send left 2, send right 3: loss",
		     MIDDLE(COUNTS(0, 9, 0), COUNTS(2, 4, 3)));
	EXPECT_STREQ("2, receive right 2, receive left 1: gain",
		     MIDDLE(COUNTS(5, 0, 5), COUNTS(4, 3, 3)));
	EXPECT_STREQ("2, send right 2, receive left 3: gain",
		     MIDDLE(COUNTS(9, 5, 0), COUNTS(6, 6, 2)));
	EXPECT_STREQ("2, send right 2, receive left 2: none",
		     MIDDLE(COUNTS(9, 5, 0), COUNTS(7, 5, 2)));
	EXPECT_STREQ("2, send right 2, receive left 1: loss",
		     MIDDLE(COUNTS(9, 5, 0), COUNTS(8, 4, 2)));
}

TEST(a_rank_that_must_send_more_than_it_has_receives_first)
{
	EXPECT_STREQ("2, receive left 6, send right 4: gain",
		     MIDDLE(COUNTS(9, 3, 0), COUNTS(3, 5, 4)));
	EXPECT_STREQ("2, receive right 6, send left 4: gain",
		     MIDDLE(COUNTS(0, 3, 9), COUNTS(4, 5, 3)));
	EXPECT_STREQ("2, receive left 4, send right 6: loss",
		     MIDDLE(COUNTS(4, 3, 0), COUNTS(0, 1, 6)));
	EXPECT_STREQ("2, receive left 3, send right 3: none",
		     MIDDLE(COUNTS(3, 0, 0), COUNTS(0, 0, 3)));
	/* all that it has is not more than it has */
	EXPECT_STREQ("2, send right 3, receive left 5: gain",
		     MIDDLE(COUNTS(9, 3, 0), COUNTS(4, 5, 3)));
}

TEST(two_sends_need_no_delay)
{
	EXPECT_STREQ("2, send left 4, send right 5: loss",
		     MIDDLE(COUNTS(0, 9, 0), COUNTS(4, 0, 5)));
}

static int order_of(const struct equant_instruction *instructions, int count, const long *current,
		    int n)
{
	struct equant_moves lists[RANKS_MOST];

	return equant_order_restricted(instructions, count, current, n, lists);
}

#define ORDER(current, ...)                                                   \
	order_of((const struct equant_instruction[]){ __VA_ARGS__ },          \
		 sizeof((const struct equant_instruction[]){ __VA_ARGS__ }) / \
			 sizeof(struct equant_instruction),                   \
		 current, NR(current))

TEST(instructions_that_are_not_between_neighbours_are_refused)
{
	EXPECT_EQ(0, ORDER(COUNTS(5, 5, 5), { 0, 1, 5 }));
	EXPECT_EQ(-EINVAL, ORDER(COUNTS(5, 5, 5), { 0, 2, 5 }));
	EXPECT_EQ(-EINVAL, ORDER(COUNTS(5, 5, 5), { 1, 1, 5 }));
	EXPECT_EQ(-EINVAL, ORDER(COUNTS(5, 5, 5), { 0, -1, 5 }));
	EXPECT_EQ(-EINVAL, ORDER(COUNTS(5, 5, 5), { 2, 3, 5 }));
	EXPECT_EQ(-EINVAL, ORDER(COUNTS(5, 5, 5), { INT_MIN, INT_MAX, 5 }));
	EXPECT_EQ(-EINVAL, ORDER(COUNTS(5, 5, 5), { 0, 1, 0 }));
	EXPECT_EQ(-EINVAL, ORDER(COUNTS(5, 5, 5), { 0, 1, -1 }));
	EXPECT_EQ(-EINVAL, order_of(NULL, 0, COUNTS(5), 0));
	EXPECT_EQ(-EINVAL, order_of(NULL, -1, COUNTS(5), 1));
}

TEST(a_second_instruction_across_a_boundary_is_refused)
{
	EXPECT_EQ(-EINVAL, ORDER(COUNTS(5, 5, 5), { 0, 1, 2 }, { 0, 1, 2 }));
	EXPECT_EQ(-EINVAL, ORDER(COUNTS(5, 5, 5), { 0, 1, 2 }, { 1, 0, 2 }));
	EXPECT_EQ(-EINVAL, ORDER(COUNTS(5, 5, 5), { 0, 1, 1 }, { 1, 2, 1 }, { 2, 1, 1 }));
	EXPECT_EQ(-EINVAL, ORDER(COUNTS(5, 5, 5), { 0, 1, 1 }, { 1, 2, 1 }, { 1, 0, 1 }));
}

TEST(nobody_is_told_to_send_what_it_will_never_own)
{
	EXPECT_EQ(-EINVAL, ORDER(COUNTS(5, 5, 5), { 0, 1, 6 }));
	EXPECT_EQ(0, ORDER(COUNTS(5, 5, 5), { 0, 1, 5 }, { 1, 2, 10 }));
	EXPECT_EQ(-EINVAL, ORDER(COUNTS(5, 5, 5), { 0, 1, 5 }, { 1, 2, 11 }));
	EXPECT_EQ(-EINVAL, ORDER(COUNTS(5, 5, 5), { 1, 0, 3 }, { 1, 2, 3 }));
	EXPECT_EQ(-EINVAL, ORDER(COUNTS(-1, 5), { 1, 0, 3 }));
	EXPECT_EQ(-EINVAL, ORDER(COUNTS(1, LONG_MAX), { 0, 1, 1 }));
}

/* ---- every unit by its number: an executor that takes ranks in any order ------- */

struct block {
	int units[UNITS_MOST];
	int count;
	int next;
};

struct message {
	int units[UNITS_MOST];
	int count;
	int full;
};

/* Messages by sender and side: 0 to the left, 1 to the right. */
struct world {
	struct block blocks[RANKS_MOST];
	struct message messages[RANKS_MOST][2];
	struct equant_moves lists[RANKS_MOST];
	int n;
	int rendezvous;
	int sent;
	int error;
};

static void world_start(struct world *world, const long *current, int n, int rendezvous)
{
	int unit = 0;

	world->n = n;
	world->rendezvous = rendezvous;
	world->sent = 0;
	world->error = 0;
	for (int i = 0; i < n; i++) {
		world->blocks[i].count = 0;
		world->blocks[i].next = 0;
		for (long k = 0; k < current[i]; k++)
			world->blocks[i].units[world->blocks[i].count++] = unit++;
		world->messages[i][0].full = 0;
		world->messages[i][1].full = 0;
	}
}

static const struct equant_move *world_move(const struct world *world, int rank)
{
	int next = world->blocks[rank].next;

	if (rank < 0 || rank >= world->n || next >= world->lists[rank].count)
		return NULL;
	return &world->lists[rank].move[next];
}

static void world_send(struct world *world, int rank, int right, int units)
{
	struct message *message = &world->messages[rank][right];
	struct block *block = &world->blocks[rank];
	int *from = block->units + (right ? block->count - units : 0);

	if (units > block->count || message->full) {
		world->error = 1;
		return;
	}
	memcpy(message->units, from, units * sizeof(int));
	message->count = units;
	message->full = 1;
	block->count -= units;
	if (!right)
		memmove(block->units, block->units + units, block->count * sizeof(int));
	block->next++;
	world->sent++;
}

static void world_receive(struct world *world, int rank, int right, int units)
{
	struct message *message = &world->messages[right ? rank + 1 : rank - 1][!right];
	struct block *block = &world->blocks[rank];

	if (message->count != units) {
		world->error = 1;
		return;
	}
	if (!right)
		memmove(block->units + units, block->units, block->count * sizeof(int));
	memcpy(block->units + (right ? block->count : 0), message->units, units * sizeof(int));
	message->full = 0;
	block->count += units;
	block->next++;
}

static int world_step(struct world *world, int rank)
{
	const struct equant_move *move = world_move(world, rank), *other;
	int right, neighbour;

	if (!move)
		return 0;
	right = move->kind == EQUANT_MOVE_SEND_RIGHT || move->kind == EQUANT_MOVE_RECEIVE_RIGHT;
	neighbour = right ? rank + 1 : rank - 1;
	if (move->kind == EQUANT_MOVE_SEND_LEFT || move->kind == EQUANT_MOVE_SEND_RIGHT) {
		other = world_move(world, neighbour);
		if (world->rendezvous &&
		    (!other ||
		     other->kind != (right ? EQUANT_MOVE_RECEIVE_LEFT : EQUANT_MOVE_RECEIVE_RIGHT)))
			return 0;
		world_send(world, rank, right, (int)move->units);
		if (world->rendezvous && !world->error)
			world_receive(world, neighbour, !right, (int)other->units);
		return 1;
	}
	if (!world->messages[neighbour][!right].full)
		return 0;
	world_receive(world, rank, right, (int)move->units);
	return 1;
}

/* Until nobody can go on; who goes first is left to chance. */
static void world_run(struct world *world, struct random *random)
{
	int moved = 1;

	while (moved && !world->error) {
		int start = (int)random_below(random, world->n);
		int stride = random_below(random, 2) ? 1 : world->n - 1;

		moved = 0;
		for (int i = 0, rank = start; i < world->n && !world->error; i++) {
			moved |= world_step(world, rank);
			rank = (rank + stride) % world->n;
		}
	}
}

static int world_done(const struct world *world)
{
	for (int i = 0; i < world->n; i++)
		if (world_move(world, i) || world->messages[i][0].full ||
		    world->messages[i][1].full)
			return 0;
	return !world->error;
}

static int world_ordered(const struct world *world)
{
	int unit = 0;

	for (int i = 0; i < world->n; i++)
		for (int k = 0; k < world->blocks[i].count; k++)
			if (world->blocks[i].units[k] != unit++)
				return 0;
	return 1;
}

struct problem {
	long current[RANKS_MOST];
	long target[RANKS_MOST];
	int n;
};

static void one_rank_has_all(struct random *random, long *counts, int n, long total)
{
	memset(counts, 0, n * sizeof(long));
	counts[random_below(random, n)] = total;
}

static struct problem random_problem(struct random *random)
{
	struct problem p = { .n = 1 + (int)random_below(random, RANKS_MOST) };
	long total = random_below(random, UNITS_MOST);

	if (random_below(random, 2))
		p.n = 1 + p.n % 6;
	if (random_below(random, 4))
		scatter(random, p.current, p.n, total);
	else
		one_rank_has_all(random, p.current, p.n, total);
	if (random_below(random, 4))
		scatter(random, p.target, p.n, total);
	else
		one_rank_has_all(random, p.target, p.n, total);
	return p;
}

/* Units that have to cross the boundary right of @rank, counted one by one. */
static int crossing(const struct problem *p, int rank)
{
	long had = 0, shall = 0, total = 0;
	int count = 0;

	for (int i = 0; i < p->n; i++) {
		had += i <= rank ? p->current[i] : 0;
		shall += i <= rank ? p->target[i] : 0;
		total += p->current[i];
	}
	for (long unit = 0; unit < total; unit++)
		count += (unit < had) != (unit < shall);
	return count;
}

TEST(in_whatever_order_ranks_run_the_blocks_stay_in_order_and_the_target_is_reached)
{
	struct world *world = calloc(1, sizeof(*world));
	struct random random = random_seeded();

	ASSERT_NE(NULL, world);
	for (int round = 0; round < random_cases(20000); round++) {
		struct problem p = random_problem(&random);

		ASSERT_EQ(0, order(p.current, p.target, p.n, world->lists));
		world_start(world, p.current, p.n, round % 2);
		world_run(world, &random);
		ASSERT_TRUE(world_done(world));
		ASSERT_TRUE(world_ordered(world));
		for (int i = 0; i < p.n; i++)
			ASSERT_EQ(p.target[i], world->blocks[i].count);
	}
	free(world);
}

TEST(a_boundary_is_crossed_once_and_only_by_units_that_must)
{
	struct random random = random_seeded();
	struct equant_instruction out[RANKS_MOST];

	for (int round = 0; round < random_cases(5000); round++) {
		struct problem p = random_problem(&random);
		int count = equant_instruct_restricted(p.current, p.target, p.n, out);
		int at = 0;

		ASSERT_LE(0, count);
		for (int b = 0; b < p.n - 1; b++) {
			int units = crossing(&p, b);

			if (!units)
				continue;
			ASSERT_LT(at, count);
			ASSERT_EQ(units, out[at].units);
			ASSERT_EQ(2 * b + 1, out[at].from + out[at].to);
			at++;
		}
		ASSERT_EQ(count, at);
		equant_apply(out, count, p.current);
		ASSERT_EQ(0, memcmp(p.current, p.target, p.n * sizeof(long)));
	}
}

/* Is the list in the order of the table, or the other way round for want of units? */
static int order_legal(const struct equant_moves *list, long units)
{
	enum equant_move_kind first = list->move[0].kind, second = list->move[1].kind;

	if (list->count < 2 || first < second)
		return 1;
	return (second == EQUANT_MOVE_SEND_LEFT || second == EQUANT_MOVE_SEND_RIGHT) &&
	       list->move[1].units > units;
}

TEST(only_a_lack_of_units_changes_the_order_of_the_table)
{
	struct random random = random_seeded();
	struct equant_moves lists[RANKS_MOST];
	int delayed = 0, both = 0;

	for (int round = 0; round < random_cases(20000); round++) {
		struct problem p = random_problem(&random);

		ASSERT_EQ(0, order(p.current, p.target, p.n, lists));
		for (int i = 0; i < p.n; i++) {
			ASSERT_TRUE(order_legal(&lists[i], p.current[i]));
			both += lists[i].count == 2;
			delayed += lists[i].count == 2 &&
				   lists[i].move[0].kind > lists[i].move[1].kind;
		}
	}
	EXPECT_LT(0, delayed);
	EXPECT_LT(delayed, both);
}

/* ---- carried out on counts, with what it costs ----------------------------------- */

#define RENDEZVOUS EQUANT_HANDSHAKE_RENDEZVOUS
#define BUFFERED EQUANT_HANDSHAKE_BUFFERED

static double cost_of(const long *current, const long *target, int n,
		      enum equant_handshake handshake, double fixed, double per_unit)
{
	struct equant_instruction out[RANKS_MOST];
	int count = equant_instruct_restricted(current, target, n, out);

	return equant_move_cost_restricted(out, count, current, n, handshake, fixed, per_unit);
}

#define COST(handshake, current, target) cost_of(current, target, NR(current), handshake, 10, 1)

TEST(with_buffers_a_chain_takes_two_transfers_however_long_it_is)
{
	long current[RANKS_MOST], target[RANKS_MOST];

	for (int n = 3; n <= RANKS_MOST; n++) {
		for (int i = 0; i < n; i++)
			current[i] = target[i] = 5;
		current[0] = target[n - 1] = 8;
		EXPECT_TRUE(cost_of(current, target, n, BUFFERED, 10, 1) == 2 * 13);
		EXPECT_TRUE(cost_of(target, current, n, BUFFERED, 10, 1) == 2 * 13);
		EXPECT_TRUE(cost_of(current, target, n, RENDEZVOUS, 10, 1) == (n - 1) * 13);
		EXPECT_TRUE(cost_of(target, current, n, RENDEZVOUS, 10, 1) == (n - 1) * 13);
	}
}

TEST(ranks_that_have_nothing_pass_work_on_one_after_the_other)
{
	EXPECT_TRUE(COST(BUFFERED, COUNTS(4, 0, 0, 0), COUNTS(0, 0, 0, 4)) == 3 * 14);
	EXPECT_TRUE(COST(RENDEZVOUS, COUNTS(4, 0, 0, 0), COUNTS(0, 0, 0, 4)) == 3 * 14);
	/* one of the two has what it must send: the chain is one shorter */
	EXPECT_TRUE(COST(BUFFERED, COUNTS(4, 0, 4, 0), COUNTS(0, 0, 4, 4)) == 2 * 14);
	EXPECT_TRUE(COST(BUFFERED, COUNTS(4, 4, 0, 0), COUNTS(0, 4, 0, 4)) == 2 * 14);
}

TEST(movements_that_share_no_rank_go_on_at_the_same_time)
{
	EXPECT_TRUE(COST(BUFFERED, COUNTS(8, 2, 9, 1), COUNTS(5, 5, 5, 5)) == 14);
	EXPECT_TRUE(COST(RENDEZVOUS, COUNTS(8, 2, 9, 1), COUNTS(5, 5, 5, 5)) == 14);
	/* one sender, two receivers */
	EXPECT_TRUE(COST(BUFFERED, COUNTS(2, 12, 1), COUNTS(5, 5, 5)) == 13 + 14);
}

TEST(no_instructions_cost_nothing_and_impossible_ones_everything)
{
	const struct equant_instruction far[] = { { 0, 2, 1 } }, much[] = { { 0, 1, 6 } };

	EXPECT_TRUE(COST(BUFFERED, COUNTS(5, 5), COUNTS(5, 5)) == 0);
	EXPECT_TRUE(equant_move_cost_restricted(far, 1, COUNTS(5, 5, 5), 3, BUFFERED, 1, 1) ==
		    HUGE_VAL);
	EXPECT_TRUE(equant_move_cost_restricted(much, 1, COUNTS(5, 5), 2, BUFFERED, 1, 1) ==
		    HUGE_VAL);
	EXPECT_TRUE(equant_move_cost_restricted(NULL, 0, NULL, 0, BUFFERED, 1, 1) == HUGE_VAL);
}

/* When each half of the transfer across a boundary ends: time flows until nothing changes. */
struct halves {
	double sent[RANKS_MOST];
	double received[RANKS_MOST];
};

static double naive_begin(const struct halves *done, const struct equant_moves *list, int rank,
			  const struct equant_move *move)
{
	const struct equant_move *before = &list->move[0];
	int right;

	if (move == before)
		return 0;
	right = before->kind == EQUANT_MOVE_SEND_RIGHT || before->kind == EQUANT_MOVE_RECEIVE_RIGHT;
	if (before->kind == EQUANT_MOVE_SEND_LEFT || before->kind == EQUANT_MOVE_SEND_RIGHT)
		return done->sent[right ? rank : rank - 1];
	return done->received[right ? rank : rank - 1];
}

/* @begin: of either half, by boundary. */
static void naive_begins(const struct halves *done, const struct equant_moves *lists, int n,
			 struct halves *begin)
{
	for (int i = 0; i < n; i++) {
		for (int k = 0; k < lists[i].count; k++) {
			const struct equant_move *move = &lists[i].move[k];
			double at = naive_begin(done, &lists[i], i, move);

			if (move->kind == EQUANT_MOVE_SEND_LEFT)
				begin->sent[i - 1] = at;
			else if (move->kind == EQUANT_MOVE_SEND_RIGHT)
				begin->sent[i] = at;
			else if (move->kind == EQUANT_MOVE_RECEIVE_LEFT)
				begin->received[i - 1] = at;
			else
				begin->received[i] = at;
		}
	}
}

static double naive_cost(const struct problem *p, const struct equant_moves *lists, int rendezvous,
			 double fixed, double per_unit)
{
	struct halves done = { .sent = { 0 } }, begin = { .sent = { 0 } };
	double last = 0;

	for (int round = 0; round < 2 * p->n; round++) {
		naive_begins(&done, lists, p->n, &begin);
		for (int b = 0; b < p->n - 1; b++) {
			int units = crossing(p, b);
			double cost = units ? fixed + units * per_unit : 0;
			double both = fmax(begin.sent[b], begin.received[b]);

			done.sent[b] = (rendezvous ? both : begin.sent[b]) + cost;
			done.received[b] = both + cost;
		}
	}
	for (int b = 0; b < p->n - 1; b++)
		last = fmax(last, fmax(done.sent[b], done.received[b]));
	return last;
}

TEST(the_cost_is_the_longest_chain)
{
	struct random random = random_seeded();
	struct equant_moves lists[RANKS_MOST];

	for (int round = 0; round < 300; round++) {
		struct problem p = random_problem(&random);

		ASSERT_EQ(0, order(p.current, p.target, p.n, lists));
		for (int rendezvous = 0; rendezvous < 2; rendezvous++) {
			long units[RANKS_MOST];
			double seconds = -1;

			memcpy(units, p.current, sizeof(units));
			ASSERT_EQ(0, equant_play_restricted(lists, p.n,
							    rendezvous ? RENDEZVOUS : BUFFERED, 16,
							    2, units, &seconds));
			ASSERT_EQ(0, memcmp(units, p.target, p.n * sizeof(long)));
			ASSERT_EQ(naive_cost(&p, lists, rendezvous, 16, 2), seconds);
		}
	}
}

TEST(the_cost_lies_between_that_of_the_busiest_rank_and_that_of_all_in_turn)
{
	struct random random = random_seeded();
	struct equant_instruction out[RANKS_MOST];

	for (int round = 0; round < random_cases(20000); round++) {
		struct problem p = random_problem(&random);
		int count = equant_instruct_restricted(p.current, p.target, p.n, out);
		double buffered =
			equant_move_cost_restricted(out, count, p.current, p.n, BUFFERED, 16, 2);
		double rendezvous =
			equant_move_cost_restricted(out, count, p.current, p.n, RENDEZVOUS, 16, 2);
		double all = 0;

		for (int i = 0; i < count; i++)
			all += 16 + 2 * (double)out[i].units;
		ASSERT_LE(equant_move_cost(out, count, p.n, 16, 2), buffered);
		ASSERT_LE(buffered, rendezvous);
		ASSERT_LE(rendezvous, all);
	}
}

/* ---- lists that nobody should have made -------------------------------------------- */

struct script {
	struct equant_moves lists[3];
	long units[3];
};

static int play(const struct script *script, enum equant_handshake handshake)
{
	long units[3];
	int error;

	memcpy(units, script->units, sizeof(units));
	error = equant_play_restricted(script->lists, 3, handshake, 1, 1, units, NULL);
	if (error && memcmp(units, script->units, sizeof(units)))
		return -ENOTRECOVERABLE;
	return error;
}

#define SEND_LEFT(units)                     \
	{                                    \
		EQUANT_MOVE_SEND_LEFT, units \
	}
#define SEND_RIGHT(units)                     \
	{                                     \
		EQUANT_MOVE_SEND_RIGHT, units \
	}
#define RECEIVE_LEFT(units)                     \
	{                                       \
		EQUANT_MOVE_RECEIVE_LEFT, units \
	}
#define RECEIVE_RIGHT(units)                     \
	{                                        \
		EQUANT_MOVE_RECEIVE_RIGHT, units \
	}

TEST(a_send_of_more_than_a_rank_owns_at_that_moment_is_refused)
{
	/* rank 1 would own enough if it received first */
	const struct script early = {
		{ { 1, { SEND_RIGHT(4) } },
		  { 2, { SEND_RIGHT(3), RECEIVE_LEFT(4) } },
		  { 1, { RECEIVE_LEFT(3) } } },
		{ 4, 2, 0 },
	};
	const struct script late = {
		{ { 1, { SEND_RIGHT(4) } },
		  { 2, { RECEIVE_LEFT(4), SEND_RIGHT(3) } },
		  { 1, { RECEIVE_LEFT(3) } } },
		{ 4, 2, 0 },
	};

	EXPECT_EQ(-EINVAL, play(&early, BUFFERED));
	EXPECT_EQ(-EINVAL, play(&early, RENDEZVOUS));
	EXPECT_EQ(0, play(&late, BUFFERED));
	EXPECT_EQ(0, play(&late, RENDEZVOUS));
}

TEST(a_transfer_without_its_other_half_is_a_deadlock)
{
	const struct script no_receive = { { { 1, { SEND_RIGHT(1) } } }, { 4, 4, 4 } };
	const struct script no_send = { { { 0 }, { 1, { RECEIVE_RIGHT(1) } } }, { 4, 4, 4 } };
	const struct script both_send = {
		{ { 1, { SEND_RIGHT(1) } }, { 1, { SEND_LEFT(1) } } },
		{ 4, 4, 4 },
	};

	EXPECT_EQ(-EDEADLK, play(&no_receive, BUFFERED));
	EXPECT_EQ(-EDEADLK, play(&no_receive, RENDEZVOUS));
	EXPECT_EQ(-EDEADLK, play(&no_send, BUFFERED));
	EXPECT_EQ(-EDEADLK, play(&no_send, RENDEZVOUS));
	EXPECT_EQ(-EDEADLK, play(&both_send, BUFFERED));
	EXPECT_EQ(-EDEADLK, play(&both_send, RENDEZVOUS));
}

TEST(malformed_lists_are_refused)
{
	const struct script differ = {
		{ { 1, { SEND_RIGHT(1) } }, { 1, { RECEIVE_LEFT(2) } } },
		{ 4, 4, 4 },
	};
	const struct script same_side = {
		{ { 0 }, { 2, { SEND_LEFT(1), RECEIVE_LEFT(1) } } },
		{ 4, 4, 4 },
	};
	const struct script three = { { { 3, { SEND_RIGHT(1) } } }, { 4, 4, 4 } };
	const struct script negative = { { { -1, { SEND_RIGHT(1) } } }, { 4, 4, 4 } };
	const struct script nothing = { { { 1, { SEND_RIGHT(0) } } }, { 4, 4, 4 } };
	const struct script unknown = { { { 1, { { 4, 1 } } } }, { 4, 4, 4 } };
	const struct script over_the_left_end = { { { 1, { SEND_LEFT(1) } } }, { 4, 4, 4 } };
	const struct script over_the_right_end = {
		{ { 0 }, { 0 }, { 1, { SEND_RIGHT(1) } } },
		{ 4, 4, 4 },
	};
	const struct script owes = { { { 0 } }, { 4, -1, 4 } };

	for (int h = BUFFERED; h <= RENDEZVOUS; h++) {
		EXPECT_EQ(-EINVAL, play(&differ, h));
		EXPECT_EQ(-EINVAL, play(&same_side, h));
		EXPECT_EQ(-EINVAL, play(&three, h));
		EXPECT_EQ(-EINVAL, play(&negative, h));
		EXPECT_EQ(-EINVAL, play(&nothing, h));
		EXPECT_EQ(-EINVAL, play(&unknown, h));
		EXPECT_EQ(-EINVAL, play(&over_the_left_end, h));
		EXPECT_EQ(-EINVAL, play(&over_the_right_end, h));
		EXPECT_EQ(-EINVAL, play(&owes, h));
	}
	EXPECT_EQ(-EINVAL, equant_play_restricted(NULL, 0, BUFFERED, 1, 1, NULL, NULL));
}

/* One step of the executor for each transfer and rank: a chain of this length ends at once. */
TEST(a_million_ranks_are_served)
{
	enum { N = 1000000 };
	struct equant_instruction *out = calloc(N, sizeof(*out));
	long *current = calloc(N, sizeof(*current));
	long *target = calloc(N, sizeof(*target));
	int count;

	ASSERT_TRUE(out && current && target);
	for (int i = 0; i < N; i++)
		current[i] = target[i] = 1;
	current[0] = target[N - 1] = 2;
	count = equant_instruct_restricted(current, target, N, out);
	EXPECT_EQ(N - 1, count);
	EXPECT_TRUE(equant_move_cost_restricted(out, count, current, N, BUFFERED, 1, 1) == 4);
	EXPECT_TRUE(equant_move_cost_restricted(out, count, current, N, RENDEZVOUS, 1, 1) ==
		    2.0 * (N - 1));
	/* the other way, from the far end: nobody can begin before its right neighbour */
	for (int i = 0; i < N; i++)
		current[i] = target[i] = 0;
	current[N - 1] = target[0] = 2;
	count = equant_instruct_restricted(current, target, N, out);
	EXPECT_TRUE(equant_move_cost_restricted(out, count, current, N, BUFFERED, 1, 1) ==
		    3.0 * (N - 1));
	free(out);
	free(current);
	free(target);
}

TEST_HARNESS_MAIN
