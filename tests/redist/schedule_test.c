// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Schedules of messages: Bhat, Prasanna, Raghavendra, sections 4 and 5. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include <equant/redist.h>

#include "random.h"

#include "kselftest_harness.h"

#define RANDOM_MATRICES 10000
#define LARGEST 12 /* ranks */
#define SEEDS 20
#define LINE 200

FIXTURE(schedule)
{
	struct random random;
	char why[LINE];
};

FIXTURE_SETUP(schedule)
{
	self->random = random_seeded();
}

FIXTURE_TEARDOWN(schedule)
{
}

/* cyclic(x) to cyclic(K x) on @p ranks, @n elements of 8 bytes; links of 10 MB/s to @fastest. */
static struct equant_redist_costs *section5(struct random *random, int p, int k, int64_t n,
					    double fastest)
{
	struct equant_redist_cyclic from = { 1, p, 0, 0 }, to = { k, p, 0, 0 };
	struct equant_redist_message *messages = calloc((size_t)(p * p), sizeof(*messages));
	struct equant_redist_costs *costs;
	int64_t count = 0;

	for (int i = 0; i < p; i++) {
		for (int j = 0; j < p; j++) {
			double bandwidth = 1e7 + (fastest - 1e7) * random_unit(random);
			int64_t elements = equant_redist_count(n, &from, &to, i, j);

			if (i != j && elements)
				messages[count++] = (struct equant_redist_message){
					i, j, 0, (double)(8 * elements) / bandwidth
				};
		}
	}
	costs = equant_redist_costs_new(p, count, messages, NULL, 0);
	free(messages);
	return costs;
}

/* Any messages between up to LARGEST ranks; some take no time. */
static struct equant_redist_costs *random_costs(struct random *random, bool startups)
{
	int ranks = 1 + (int)random_below(random, LARGEST),
	    density = (int)random_below(random, 101);
	struct equant_redist_message messages[LARGEST * LARGEST];
	int64_t count = 0;

	for (int i = 0; i < ranks; i++)
		for (int j = 0; j < ranks; j++)
			if (random_below(random, 100) < density)
				messages[count++] = (struct equant_redist_message){
					i,
					j,
					startups ? random_unit(random) / 4 : 0,
					random_below(random, 20) ? random_unit(random) :
								   (double)random_below(random, 3),
				};
	return equant_redist_costs_new(ranks, count, messages, NULL, 0);
}

static double makespan(const char *scheduler, const struct equant_redist_costs *costs)
{
	struct equant_redist_schedule *schedule =
		equant_redist_schedule_new(scheduler, costs, NULL, 0);
	double time = schedule ? schedule->makespan : NAN;

	equant_redist_schedule_free(schedule);
	return time;
}

TEST_F(schedule, of_every_kind_carries_every_message_once)
{
	for (int round = 0; round < random_cases(RANDOM_MATRICES / 10); round++) {
		struct equant_redist_costs *costs = random_costs(&self->random, round % 2);
		const char *name;

		ASSERT_NE(NULL, costs);
		for (int i = 0; (name = equant_redist_scheduler_name(i)); i++) {
			struct equant_redist_schedule *schedule =
				equant_redist_schedule_new(name, costs, NULL, 0);

			ASSERT_NE(NULL, schedule);
			ASSERT_EQ(0, equant_redist_schedule_check(schedule, costs, self->why,
								  sizeof(self->why)))
			{
				TH_LOG("round %d, %s: %s", round, name, self->why);
			}
			ASSERT_LE(schedule->bound, schedule->makespan * (1 + 1e-12));
			equant_redist_schedule_free(schedule);
		}
		equant_redist_costs_free(costs);
	}
}

/* Does a sender that is free at @now take @a rather than @b?  Section 4.3's words, and eager's. */
static bool rather(const struct equant_redist_message *a, const struct equant_redist_message *b,
		   const double *receive, double now, bool eager)
{
	double x = receive[a->to], y = receive[b->to];
	double first = a->startup + a->data, second = b->startup + b->data;

	if (eager && x <= now && y <= now && first != second)
		return first > second;
	return x < y;
}

/* Of senders that are free at once section 4.3 may take any, and eager takes the busiest. */
static bool serve_first(const struct equant_redist_costs *costs, int a, int b, const double *send,
			bool eager)
{
	double all[2] = { 0 };

	for (int64_t k = 0; k < costs->count; k++)
		for (int i = 0; i < 2; i++)
			if (costs->messages[k].from == (i ? b : a))
				all[i] += costs->messages[k].startup + costs->messages[k].data;
	if (send[a] != send[b])
		return send[a] < send[b];
	return eager && all[0] != all[1] ? all[0] > all[1] : a < b;
}

/* Section 4.3 as it is written, without its data structures. */
static double plain(const struct equant_redist_costs *costs, struct equant_redist_piece *pieces,
		    bool eager)
{
	double send[LARGEST] = { 0 }, receive[LARGEST] = { 0 }, last = 0;
	bool sent[LARGEST * LARGEST] = { false };

	for (int64_t done = 0; done < costs->count; done++) {
		const struct equant_redist_message *best = NULL;

		for (int64_t k = 0; k < costs->count; k++) {
			const struct equant_redist_message *m = &costs->messages[k];

			if (sent[k])
				continue;
			if (!best || (m->from == best->from ?
					      rather(m, best, receive, send[m->from], eager) :
					      serve_first(costs, m->from, best->from, send, eager)))
				best = m;
		}
		sent[best - costs->messages] = true;
		pieces[done].from = best->from;
		pieces[done].to = best->to;
		pieces[done].begin = fmax(send[best->from], receive[best->to]);
		pieces[done].end = pieces[done].begin + (best->startup + best->data);
		send[best->from] = receive[best->to] = pieces[done].end;
		last = fmax(last, pieces[done].end);
	}
	return last;
}

static bool has_piece(const struct equant_redist_schedule *schedule,
		      const struct equant_redist_piece *piece)
{
	for (int64_t i = 0; i < schedule->count; i++)
		if (schedule->pieces[i].from == piece->from && schedule->pieces[i].to == piece->to)
			return schedule->pieces[i].begin == piece->begin &&
			       schedule->pieces[i].end == piece->end;
	return false;
}

/* Dense and sparse matrices take different ways. */
TEST_F(schedule, greedy_is_that_of_section_4_3_and_eager_takes_the_longest)
{
	struct equant_redist_piece pieces[LARGEST * LARGEST];

	for (int round = 0; round < random_cases(RANDOM_MATRICES / 10); round++) {
		struct equant_redist_costs *costs = random_costs(&self->random, round % 2);
		bool eager = round % 4 > 1;
		struct equant_redist_schedule *schedule =
			equant_redist_schedule_new(eager ? "eager" : "greedy", costs, NULL, 0);

		ASSERT_NE(NULL, schedule);
		ASSERT_EQ(plain(costs, pieces, eager), schedule->makespan);
		ASSERT_EQ(costs->count, schedule->count);
		for (int64_t i = 0; i < costs->count; i++)
			ASSERT_TRUE(has_piece(schedule, &pieces[i]));
		equant_redist_schedule_free(schedule);
		equant_redist_costs_free(costs);
	}
}

/* The largest sum of a row and a column: the lemma of section 4.3. */
static double row_and_column(const struct equant_redist_costs *costs)
{
	double row[64] = { 0 }, column[64] = { 0 }, most = 0;

	for (int64_t k = 0; k < costs->count; k++) {
		const struct equant_redist_message *m = &costs->messages[k];

		column[m->from] += m->startup + m->data;
		row[m->to] += m->startup + m->data;
	}
	for (int64_t k = 0; k < costs->count; k++)
		most = fmax(most, column[costs->messages[k].from] + row[costs->messages[k].to]);
	return most;
}

TEST_F(schedule, greedy_longest_and_eager_take_at_most_a_row_and_a_column)
{
	for (int round = 0; round < random_cases(RANDOM_MATRICES / 2); round++) {
		struct equant_redist_costs *costs = random_costs(&self->random, round % 2);
		double most = row_and_column(costs) * (1 + 1e-12);

		ASSERT_GE(most, makespan("greedy", costs));
		ASSERT_GE(most, makespan("longest", costs));
		ASSERT_GE(most, makespan("eager", costs));
		equant_redist_costs_free(costs);
	}
}

TEST_F(schedule, improving_makes_none_longer_and_the_best_is_not_longer_than_greedy)
{
	int shorter = 0;

	for (int round = 0; round < random_cases(RANDOM_MATRICES / 10); round++) {
		struct equant_redist_costs *costs = random_costs(&self->random, round % 2);
		double eager = makespan("eager", costs), improved = makespan("improved", costs);

		ASSERT_LE(improved, eager);
		ASSERT_LE(makespan("best", costs), makespan("greedy", costs));
		shorter += improved < eager;
		equant_redist_costs_free(costs);
	}
	EXPECT_LT(random_cases(RANDOM_MATRICES / 100), shorter);
}

/* Messages that are through before a better plan is made: greedy will do. */
TEST_F(schedule, the_best_does_not_plan_longer_than_that_can_save)
{
	struct random random = random_from(5);
	struct equant_redist_costs *costs = section5(&random, 16, 9, 10000000, 2e8);
	double slow = makespan("best", costs), greedy = makespan("greedy", costs);

	EXPECT_LT(slow, greedy);
	EXPECT_LE(slow, equant_redist_bound(costs) * (1 + 1e-9));
	for (int64_t k = 0; k < costs->count; k++)
		costs->messages[k].data *= 1e-6;
	EXPECT_EQ(makespan("greedy", costs), makespan("best", costs));
	equant_redist_costs_free(costs);
}

static void scale(struct equant_redist_costs *costs, double by)
{
	for (int64_t k = 0; k < costs->count; k++) {
		costs->messages[k].startup *= by;
		costs->messages[k].data *= by;
	}
}

static bool is_split(const char *scheduler, const struct equant_redist_costs *costs)
{
	struct equant_redist_schedule *schedule =
		equant_redist_schedule_new(scheduler, costs, NULL, 0);
	bool split = schedule && schedule->count > costs->count;

	equant_redist_schedule_free(schedule);
	return split;
}

/*
 * With start-ups splitting is tried five times, beside greedy and eager.  Where it makes a schedule
 * shorter that is done if it can save a second, and not if it can save what one of them takes.
 */
TEST_F(schedule, the_best_counts_all_of_what_splitting_takes)
{
	struct random random = random_from(7);
	int tried = 0;

	for (int round = 0; round < RANDOM_MATRICES / 10; round++) {
		struct equant_redist_costs *costs = random_costs(&random, true);
		double bound = equant_redist_bound(costs),
		       gap = makespan("improved", costs) - bound;
		double one = 10e-9 * costs->ranks * (double)(costs->count + 2 * costs->ranks);

		if (makespan("preemptive", costs) < bound + 0.9 * gap &&
		    is_split("preemptive", costs)) {
			tried++;
			scale(costs, 1 / gap);
			ASSERT_TRUE(is_split("best", costs));
			scale(costs, 2 * one);
			ASSERT_FALSE(is_split("best", costs));
		}
		equant_redist_costs_free(costs);
	}
	EXPECT_LT(10, tried);
}

/* Times at which anything begins: phases. */
static int64_t beginnings(const struct equant_redist_schedule *schedule)
{
	int64_t count = 0;

	for (int64_t i = 0; i < schedule->count; i++)
		if (!i || schedule->pieces[i].begin != schedule->pieces[i - 1].begin)
			count++;
	return count;
}

/* So many that they are not put in order by comparing them. */
TEST_F(schedule, pieces_are_in_the_order_of_beginnings_and_senders)
{
	struct equant_redist_costs *costs = section5(&self->random, 24, 23, 100000, 2e8);
	const char *name;

	for (int i = 0; (name = equant_redist_scheduler_name(i)); i++) {
		struct equant_redist_schedule *schedule =
			equant_redist_schedule_new(name, costs, NULL, 0);

		ASSERT_NE(NULL, schedule);
		ASSERT_LE(costs->count, schedule->count);
		ASSERT_EQ(0, equant_redist_schedule_check(schedule, costs, self->why, LINE));
		for (int64_t k = 1; k < schedule->count; k++) {
			const struct equant_redist_piece *a = &schedule->pieces[k - 1], *b = a + 1;

			ASSERT_TRUE(a->begin < b->begin ||
				    (a->begin == b->begin && a->from < b->from));
		}
		equant_redist_schedule_free(schedule);
	}
	equant_redist_costs_free(costs);
}

/* With messages that begin at once and take no time, too, compared and dealt out. */
TEST_F(schedule, carried_out_in_the_order_of_its_pieces_takes_as_long_as_it_says)
{
	for (int round = 0; round < random_cases(RANDOM_MATRICES / 10); round++) {
		struct equant_redist_costs *costs = random_costs(&self->random, false);
		const char *name;

		ASSERT_NE(NULL, costs);
		for (int i = 0; (name = equant_redist_scheduler_name(i)); i++) {
			struct equant_redist_schedule *schedule =
				equant_redist_schedule_new(name, costs, NULL, 0);
			double sends[LARGEST] = { 0 }, receives[LARGEST] = { 0 };

			ASSERT_NE(NULL, schedule);
			for (int64_t k = 0; k < schedule->count; k++) {
				const struct equant_redist_piece *piece = &schedule->pieces[k];

				ASSERT_LE(sends[piece->from], piece->begin + 1e-9);
				ASSERT_LE(receives[piece->to], piece->begin + 1e-9)
				{
					TH_LOG("round %d, %s, piece %jd", round, name, (intmax_t)k);
				}
				sends[piece->from] = piece->end;
				receives[piece->to] = piece->end;
			}
			equant_redist_schedule_free(schedule);
		}
		equant_redist_costs_free(costs);
	}
}

TEST_F(schedule, preemptive_without_startups_takes_the_bound)
{
	for (int round = 0; round < random_cases(RANDOM_MATRICES); round++) {
		struct equant_redist_costs *costs = random_costs(&self->random, false);
		struct equant_redist_schedule *schedule =
			equant_redist_schedule_new("preemptive", costs, NULL, 0);

		ASSERT_NE(NULL, schedule);
		ASSERT_LE(fabs(schedule->makespan - equant_redist_bound(costs)),
			  1e-12 * schedule->makespan);
		ASSERT_LE(beginnings(schedule), costs->count + 2 * costs->ranks);
		equant_redist_schedule_free(schedule);
		equant_redist_costs_free(costs);
	}
}

/* Seeds of its own: in general there may be more, as few ranks can change partners alone. */
TEST_F(schedule, preemptive_has_few_pieces_in_the_papers_experiment)
{
	struct random random = random_from(5);

	for (int p = 16; p <= (is_sanitized() ? 16 : 64); p += 48)
		for (int k = 2; k < p; k++)
			for (int seed = 0; seed < random_cases(SEEDS); seed++) {
				struct equant_redist_costs *costs =
					section5(&random, p, k, 10000000, 2e8);
				struct equant_redist_schedule *schedule =
					equant_redist_schedule_new("preemptive", costs, NULL, 0);

				ASSERT_NE(NULL, schedule);
				ASSERT_LE(schedule->count, costs->count + 2 * p);
				equant_redist_schedule_free(schedule);
				equant_redist_costs_free(costs);
			}
}

/* Each rank sends as much as it receives: the sum of random permutations. */
static struct equant_redist_costs *equal_sums(struct random *random, int ranks)
{
	struct equant_redist_message messages[LARGEST * LARGEST];
	int list[LARGEST];

	for (int i = 0; i < ranks * ranks; i++)
		messages[i] = (struct equant_redist_message){ i / ranks, i % ranks, 0, 1e-3 };
	for (int round = 0; round < 4 * ranks * ranks; round++) {
		double time = random_unit(random);

		random_order(random, list, ranks);
		for (int i = 0; i < ranks; i++)
			messages[i * ranks + list[i]].data += time;
	}
	return equant_redist_costs_new(ranks, ranks * ranks, messages, NULL, 0);
}

/* A message that ends interrupts another, if nobody ever waits: so there are that many. */
TEST_F(schedule, preemptive_has_at_most_a_third_more_pieces_than_must_be_where_all_are_busy)
{
	for (int ranks = 4; ranks <= LARGEST; ranks++) {
		double pieces = 0, least = 2 * ranks * ranks - 3 * ranks + 2;

		for (int round = 0; round < 100; round++) {
			struct equant_redist_costs *costs = equal_sums(&self->random, ranks);
			struct equant_redist_schedule *schedule =
				equant_redist_schedule_new("preemptive", costs, NULL, 0);

			ASSERT_NE(NULL, schedule);
			ASSERT_LE(least, schedule->count);
			pieces += (double)schedule->count / 100;
			equant_redist_schedule_free(schedule);
			equant_redist_costs_free(costs);
		}
		EXPECT_LE(pieces, least * 4 / 3);
	}
}

TEST_F(schedule, preemptive_with_startups_is_never_longer_than_greedy)
{
	for (int round = 0; round < random_cases(RANDOM_MATRICES / 10); round++) {
		struct equant_redist_costs *costs = random_costs(&self->random, true);

		ASSERT_LE(makespan("preemptive", costs), makespan("greedy", costs));
		equant_redist_costs_free(costs);
	}
}

TEST_F(schedule, direct_has_as_many_steps_as_the_busiest_rank_has_messages)
{
	for (int round = 0; round < random_cases(RANDOM_MATRICES / 10); round++) {
		struct equant_redist_costs *costs = random_costs(&self->random, false);

		for (int64_t k = 0; k < costs->count; k++)
			costs->messages[k].data = 1;
		ASSERT_EQ(equant_redist_bound(costs), makespan("direct", costs));
		ASSERT_EQ(equant_redist_bound(costs), makespan("barrier", costs));
		equant_redist_costs_free(costs);
	}
}

static void print(const struct equant_redist_schedule *schedule, char *text, size_t size)
{
	size_t at = 0;

	text[0] = '\0';
	for (int64_t i = 0; i < schedule->count && at < size; i++) {
		const struct equant_redist_piece *piece = &schedule->pieces[i];

		at += (size_t)snprintf(text + at, size - at, "%d>%d %g-%g; ", piece->from,
				       piece->to, piece->begin, piece->end);
	}
}

/*
 * Messages 0>1 1, 0>2 3, 1>0 2, 1>2 2, 2>0 1, 2>1 4, by hand.  Greedy: at 0 sender 0 takes 1,
 * sender 1 takes 0; sender 2 waits for the first to be free, 1 at time 1; and so on.
 */
static const struct equant_redist_message small[] = {
	{ 0, 1, 0, 1 }, { 0, 2, 0, 3 }, { 1, 0, 0, 2 },
	{ 1, 2, 0, 2 }, { 2, 0, 0, 1 }, { 2, 1, 0, 4 },
};

TEST_F(schedule, of_a_small_matrix_are_these)
{
	static const char *const expected[][2] = {
		{ "greedy", "0>1 0-1; 1>0 0-2; 0>2 1-4; 2>1 1-5; 1>2 4-6; 2>0 5-6; " },
		{ "longest", "0>2 0-3; 1>0 0-2; 2>1 0-4; 1>2 3-5; 0>1 4-5; 2>0 4-5; " },
		{ "caterpillar", "0>1 0-1; 1>2 0-2; 2>0 0-1; 2>1 1-5; 0>2 2-5; 1>0 2-4; " },
	};
	struct equant_redist_costs *costs = equant_redist_costs_new(3, 6, small, NULL, 0);
	char text[LINE];

	ASSERT_NE(NULL, costs);
	EXPECT_EQ(5, equant_redist_bound(costs));
	for (int i = 0; i < 3; i++) {
		struct equant_redist_schedule *schedule =
			equant_redist_schedule_new(expected[i][0], costs, NULL, 0);

		ASSERT_NE(NULL, schedule);
		print(schedule, text, sizeof(text));
		EXPECT_STREQ(expected[i][1], text);
		equant_redist_schedule_free(schedule);
	}
	EXPECT_EQ(5, makespan("shortest", costs));
	equant_redist_costs_free(costs);
}

/* Section 5: P = @p, every K, the mean over seeds of greedy / bound and of direct / greedy. */
static void experiment(struct random *random, int p, double *worst, double *gain)
{
	double gains = 0;

	*worst = 0;
	for (int k = 2; k < p; k++) {
		double over = 0, ratio = 0;

		for (int seed = 0; seed < SEEDS; seed++) {
			struct equant_redist_costs *costs = section5(random, p, k, 10000000, 2e8);
			double greedy = makespan("greedy", costs);

			over += greedy / equant_redist_bound(costs) / SEEDS;
			ratio += makespan("direct", costs) / greedy / SEEDS;
			equant_redist_costs_free(costs);
		}
		*worst = fmax(*worst, over);
		gains += ratio / (p - 2);
	}
	*gain = gains;
}

/* Seeds of its own: the limits are of means, not of the worst that can be. */
TEST_F(schedule, greedy_comes_near_the_bound_in_the_papers_experiment)
{
	struct random random = random_from(5);
	double worst, gain;

	experiment(&random, 16, &worst, &gain);
	TH_LOG("P = 16: at most %.3f of the bound, direct %.2f of greedy", worst, gain);
	EXPECT_GE(1.05, worst);
	EXPECT_LE(1.15, gain);
	if (is_sanitized())
		return;
	experiment(&random, 64, &worst, &gain);
	TH_LOG("P = 64: at most %.3f of the bound, direct %.2f of greedy", worst, gain);
	EXPECT_GE(1.05, worst);
	EXPECT_LE(1.4, gain);
}

/* Spoil a schedule in one way after another: the checker is no use if it does not see that. */
TEST_F(schedule, that_is_none_is_found_out)
{
	struct equant_redist_costs *costs = equant_redist_costs_new(3, 6, small, NULL, 0);
	struct equant_redist_schedule *schedule =
		equant_redist_schedule_new("greedy", costs, NULL, 0);
	struct equant_redist_piece *pieces = schedule->pieces, kept = pieces[4];

	schedule->count--;
	EXPECT_EQ(-EINVAL, equant_redist_schedule_check(schedule, costs, self->why, LINE));
	EXPECT_STREQ("0 of the message from 2 to 0 is sent", self->why);
	schedule->count++;
	pieces[4].begin--, pieces[4].end--;
	EXPECT_EQ(-EINVAL, equant_redist_schedule_check(schedule, costs, self->why, LINE));
	EXPECT_STREQ("rank 2 receives two messages at 3 s: from 0 to 2 and from 1 to 2", self->why);
	pieces[4] = kept;
	pieces[4].end++;
	EXPECT_EQ(-EINVAL, equant_redist_schedule_check(schedule, costs, self->why, LINE));
	EXPECT_STREQ("from 1 to 2: from 4 to 7 s of 6", self->why);
	pieces[4] = kept;
	pieces[4].begin++;
	EXPECT_EQ(-EINVAL, equant_redist_schedule_check(schedule, costs, self->why, LINE));
	EXPECT_STREQ("from 1 to 2: 1 s for what takes 2", self->why);
	pieces[4] = kept;
	pieces[4].to = 1;
	EXPECT_EQ(-EINVAL, equant_redist_schedule_check(schedule, costs, self->why, LINE));
	EXPECT_STREQ("no message is from 1 to 1", self->why);
	pieces[4] = kept;
	pieces[4].share = NAN;
	EXPECT_EQ(-EINVAL, equant_redist_schedule_check(schedule, costs, self->why, LINE));
	pieces[4] = kept;
	EXPECT_EQ(0, equant_redist_schedule_check(schedule, costs, self->why, LINE));
	equant_redist_schedule_free(schedule);
	equant_redist_costs_free(costs);
}

TEST_F(schedule, of_what_are_no_messages_is_refused)
{
	static const struct {
		struct equant_redist_message messages[2];
		int error;
		const char *why;
	} wrong[] = {
		{ { { 0, 3, 0, 1 } }, EINVAL, "a message from rank 0 to rank 3 of 3" },
		{ { { 0, 1, 0, -1 } },
		  EINVAL,
		  "the message from rank 0 to rank 1 takes 0 and -1 seconds" },
		{ { { 0, 1, INFINITY, 1 } },
		  EINVAL,
		  "the message from rank 0 to rank 1 takes inf and 1 seconds" },
		{ { { 0, 0, 0, 1 }, { 0, 0, 0, 1 } }, EINVAL, "two messages from rank 0 to rank 0" },
		{ { { 0, 0, 0, 1e308 }, { 0, 1, 0, 1e308 } },
		  EOVERFLOW,
		  "all messages together take forever" },
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		errno = 0;
		EXPECT_EQ(NULL, equant_redist_costs_new(3, i < 3 ? 1 : 2, wrong[i].messages,
							self->why, LINE));
		EXPECT_EQ(wrong[i].error, errno);
		EXPECT_STREQ(wrong[i].why, self->why);
	}
	EXPECT_EQ(NULL, equant_redist_costs_new(0, 0, NULL, self->why, LINE));
	EXPECT_STREQ("0 ranks", self->why);
}

TEST_F(schedule, by_an_unknown_scheduler_is_refused)
{
	struct equant_redist_costs *costs = equant_redist_costs_new(3, 6, small, NULL, 0);

	errno = 0;
	EXPECT_EQ(NULL, equant_redist_schedule_new("greedi", costs, self->why, LINE));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_STREQ(
		"no scheduler is called 'greedi'; there are caterpillar direct barrier greedy longest eager improved preemptive shortest best",
		self->why);
	equant_redist_costs_free(costs);
}

TEST_HARNESS_MAIN
