// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The same samples give the same decisions: in another balancer, under another
 * compiler, at another optimisation level.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <equant/balance.h>

#include "kselftest_harness.h"
#include "libbalance.h"

#define DECISIONS 100000
#define RANKS_MOST 16

/*
 * Checksum of the decisions below.  It changes with every change of the
 * algorithm or its constants; if one was intended, put the new value here.
 */
#define CHECKSUM 0xc1c0396fbeb6395full

struct situation {
	int n;
	struct equant_sample samples[RANKS_MOST];
	long units[RANKS_MOST];
};

/* One statement per draw: the order of evaluation inside an initialiser is the compiler's. */
static struct equant_sample random_sample(struct random *random, double units)
{
	double run = (units + 1) * (0.0008 + 0.0004 * random_unit(random));
	double share = (double)(1 + random_below(random, 4)) / 4;
	struct equant_sample sample = {
		.units = units,
		.wall = run / share,
		.run = run,
		.wait = run / share - run,
		.share = share,
		.settled = share,
		.interval = run / share + 0.0001,
		.flags = EQUANT_SAMPLE_RUN | EQUANT_SAMPLE_PREDICTED,
	};

	sample.quantum = 0.003 + 0.001 * random_unit(random);
	sample.interact = 0.00002 * random_unit(random);
	sample.hooks = (uint32_t)random_below(random, 20);
	if (random_below(random, 4) == 0)
		sample.interact = 0.005 * random_unit(random);
	if (random_below(random, 2) == 0)
		sample.meetings = (uint16_t)random_below(random, 30);
	if (random_below(random, 10) == 0)
		sample.settled = random_unit(random);
	if (random_below(random, 3) == 0)
		sample.hold = 0.1 * random_unit(random);
	sample.age = 0.05 * random_unit(random);
	if (random_below(random, 8) == 0)
		sample.flags = (uint32_t)random_below(random, 8);
	if (random_below(random, 8) == 0) {
		sample.moved = (double)random_below(random, 50);
		sample.move = 0.001 * random_unit(random);
	}
	return sample;
}

static void random_samples(struct random *random, struct situation *situation)
{
	for (int i = 0; i < situation->n; i++) {
		double units = (double)situation->units[i];

		if (random_below(random, 20) == 0)
			units = 0;
		situation->samples[i] = random_sample(random, units);
	}
}

/* FNV-1a, eight bytes at a time. */
static uint64_t mix(uint64_t sum, const void *value)
{
	uint64_t word;

	memcpy(&word, value, sizeof(word));
	return (sum ^ word) * 0x100000001b3ull;
}

static uint64_t mix_decision(uint64_t sum, const struct equant_decision *decision)
{
	uint64_t verdict = decision->verdict, prompt = (uint64_t)decision->prompt;

	sum = mix(sum, &verdict);
	for (int i = 0; i < decision->count; i++) {
		uint64_t pair = (uint64_t)decision->instructions[i].from << 32 |
				(uint32_t)decision->instructions[i].to;

		sum = mix(sum, &pair);
		sum = mix(sum, &decision->instructions[i].units);
	}
	sum = mix(sum, &decision->reduction);
	sum = mix(sum, &decision->cost);
	sum = mix(sum, &decision->benefit);
	sum = mix(sum, &decision->period);
	sum = mix(sum, &prompt);
	return mix(sum, &decision->next_hook);
}

static struct equant_balance_options random_options(struct random *random)
{
	struct equant_balance_options options = default_options(
		random_below(random, 2) ? EQUANT_RATE_PREDICTED : EQUANT_RATE_MEASURED);

	options.threshold = 0.1 * random_unit(random);
	options.ports = (int)random_below(random, 4);
	options.omit = random_below(random, 4);
	options.filter = (enum equant_filter_kind)random_below(random, 4);
	options.movement = (enum equant_movement)random_below(random, 2);
	options.handshake = (enum equant_handshake)random_below(random, 2);
	options.move_fixed = 0.001 * random_unit(random);
	options.prompt = (int)random_below(random, 2);
	options.steady = (int)random_below(random, 2);
	return options;
}

/* A hundred phases of one random job; returns the checksum, 0 after an error. */
static uint64_t random_job(struct random *random, uint64_t sum)
{
	struct equant_balance_options options = random_options(random);
	struct situation situation = { .n = 1 + (int)random_below(random, RANKS_MOST) };
	struct equant_balancer *balancer = equant_balancer_new(situation.n, &options);
	long total = random_below(random, 5000);

	scatter(random, situation.units, situation.n, total);
	for (int phase = 0; phase < 100 && sum; phase++) {
		struct equant_decision decision;

		random_samples(random, &situation);
		if (equant_balancer_decide(balancer, situation.samples, situation.units, &decision))
			sum = 0;
		else
			sum = mix_decision(sum, &decision);
		if (sum)
			equant_apply(decision.instructions, decision.count, situation.units);
		if (sum_of(situation.units, situation.n) != total)
			sum = 0;
	}
	equant_balancer_free(balancer);
	return sum;
}

TEST(decisions_do_not_depend_on_compiler_or_optimisation)
{
	struct random random = random_from(20);
	uint64_t sum = 0xcbf29ce484222325ull;

	for (int i = 0; i < DECISIONS / 100 && sum; i++)
		sum = random_job(&random, sum);
	fprintf(stderr, "# checksum of %d decisions: 0x%llx\n", DECISIONS, (unsigned long long)sum);
	EXPECT_NE(0, sum);
	EXPECT_EQ(CHECKSUM, sum);
}

static int same(const struct equant_decision *a, const struct equant_decision *b)
{
	return mix_decision(1, a) == mix_decision(1, b);
}

/* Without time on the CPU there is nothing that rates could be predicted from. */
TEST(with_wall_time_alone_rates_are_measured)
{
	struct random random = random_seeded();

	for (int round = 0; round < 200; round++) {
		struct equant_balance_options options = random_options(&random);
		struct situation situation = { .n = 1 + (int)random_below(&random, RANKS_MOST) };
		struct equant_balancer *measured, *predicted;

		options.mode = EQUANT_RATE_MEASURED;
		measured = equant_balancer_new(situation.n, &options);
		options.mode = EQUANT_RATE_PREDICTED;
		predicted = equant_balancer_new(situation.n, &options);
		scatter(&random, situation.units, situation.n, 1000);
		for (int phase = 0; phase < 100; phase++) {
			struct equant_decision one, other;

			random_samples(&random, &situation);
			for (int i = 0; i < situation.n; i++) {
				situation.samples[i].flags &= ~EQUANT_SAMPLE_RUN;
				situation.samples[i].wall += 0.001;
			}
			ASSERT_EQ(0, equant_balancer_decide(measured, situation.samples,
							    situation.units, &one));
			ASSERT_EQ(0, equant_balancer_decide(predicted, situation.samples,
							    situation.units, &other));
			ASSERT_TRUE(same(&one, &other));
			equant_apply(one.instructions, one.count, situation.units);
		}
		equant_balancer_free(measured);
		equant_balancer_free(predicted);
	}
}

TEST(two_balancers_decide_alike)
{
	struct random random = random_seeded();

	for (int round = 0; round < 200; round++) {
		struct equant_balance_options options = random_options(&random);
		struct situation situation = { .n = 1 + (int)random_below(&random, RANKS_MOST) };
		struct equant_balancer *a = equant_balancer_new(situation.n, &options);
		struct equant_balancer *b = equant_balancer_new(situation.n, &options);

		scatter(&random, situation.units, situation.n, 1000);
		for (int phase = 0; phase < 100; phase++) {
			struct equant_decision one, other;

			random_samples(&random, &situation);
			ASSERT_EQ(0, equant_balancer_decide(a, situation.samples, situation.units,
							    &one));
			ASSERT_EQ(0, equant_balancer_decide(b, situation.samples, situation.units,
							    &other));
			ASSERT_TRUE(same(&one, &other));
			equant_apply(one.instructions, one.count, situation.units);
		}
		equant_balancer_free(a);
		equant_balancer_free(b);
	}
}

/* Each rank by its list: a send may have to wait for work from the other neighbour. */
static void check_restricted(struct __test_metadata *_metadata, const struct situation *situation,
			     const struct equant_decision *decision)
{
	struct equant_moves lists[RANKS_MOST];
	long played[RANKS_MOST], after[RANKS_MOST];

	memcpy(played, situation->units, sizeof(played));
	memcpy(after, situation->units, sizeof(after));
	ASSERT_EQ(0, equant_order_restricted(decision->instructions, decision->count, played,
					     situation->n, lists));
	ASSERT_EQ(0, equant_play_restricted(lists, situation->n, EQUANT_HANDSHAKE_RENDEZVOUS, 0, 0,
					    played, NULL));
	equant_apply(decision->instructions, decision->count, after);
	ASSERT_EQ(0, memcmp(played, after, situation->n * sizeof(long)));
}

static void check_decision(struct __test_metadata *_metadata, const struct situation *situation,
			   const struct equant_decision *decision, enum equant_movement movement)
{
	long after[RANKS_MOST];

	ASSERT_TRUE(decision->count == 0 || decision->verdict == EQUANT_VERDICT_MOVE);
	ASSERT_TRUE(decision->count > 0 || decision->verdict != EQUANT_VERDICT_MOVE);
	ASSERT_LE(1, decision->next_hook);
	ASSERT_TRUE(isfinite(decision->period) && decision->period > 0);
	ASSERT_TRUE(isfinite(decision->cost) && isfinite(decision->benefit));
	if (movement == EQUANT_MOVEMENT_RESTRICTED) {
		check_restricted(_metadata, situation, decision);
		return;
	}
	memcpy(after, situation->units, sizeof(after));
	for (int i = 0; i < decision->count; i++) {
		const struct equant_instruction *move = &decision->instructions[i];

		ASSERT_LE(1, move->units);
		ASSERT_NE(move->from, move->to);
		ASSERT_LE(move->units, after[move->from]);
		equant_apply(move, 1, after);
	}
}

TEST(no_decision_takes_what_is_not_there_or_loses_a_unit)
{
	struct random random = random_seeded();

	for (int round = 0; round < 500; round++) {
		struct equant_balance_options options = random_options(&random);
		struct situation situation = { .n = 1 + (int)random_below(&random, RANKS_MOST) };
		struct equant_balancer *balancer = equant_balancer_new(situation.n, &options);
		long total = random_below(&random, 100);

		scatter(&random, situation.units, situation.n, total);
		for (int phase = 0; phase < 100; phase++) {
			struct equant_decision decision;

			random_samples(&random, &situation);
			ASSERT_EQ(0, equant_balancer_decide(balancer, situation.samples,
							    situation.units, &decision));
			check_decision(_metadata, &situation, &decision, options.movement);
			equant_apply(decision.instructions, decision.count, situation.units);
			ASSERT_EQ(total, sum_of(situation.units, situation.n));
		}
		equant_balancer_free(balancer);
	}
}

TEST(four_thousand_ranks_are_balanced_in_one_phase)
{
	enum { N = 4096 };
	struct equant_balance_options options = default_options(EQUANT_RATE_PREDICTED);
	struct equant_sample *samples = calloc(N, sizeof(*samples));
	struct equant_balancer *balancer = equant_balancer_new(N, &options);
	long *units = calloc(N, sizeof(*units));
	struct random random = random_seeded();
	struct equant_decision decision;

	ASSERT_TRUE(samples && balancer && units);
	for (int i = 0; i < N; i++) {
		samples[i] = random_sample(&random, 300);
		samples[i].settled = samples[i].share;
		samples[i].hold = 0;
		samples[i].flags = EQUANT_SAMPLE_RUN | EQUANT_SAMPLE_PREDICTED;
		units[i] = 300;
	}
	for (int phase = 0; phase < 3; phase++) {
		ASSERT_EQ(0, equant_balancer_decide(balancer, samples, units, &decision));
		EXPECT_EQ(phase ? EQUANT_VERDICT_BALANCED : EQUANT_VERDICT_MOVE, decision.verdict);
		ASSERT_LT(decision.count, N);
		equant_apply(decision.instructions, decision.count, units);
		EXPECT_EQ(300L * N, sum_of(units, N));
	}
	equant_balancer_free(balancer);
	free(samples);
	free(units);
}

TEST_HARNESS_MAIN
