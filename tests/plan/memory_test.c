// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Memory: Cierniak, Zaki, Li 1997, section 7, its formulas and tables 4 and 5. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "libbrute.h"

#include "kselftest_harness.h"

/* ---- C += A B, rows after rows ---------------------------------------------------- */

struct product {
	double trips[3];
	double a[3], b[3], c[3];
	struct equant_plan_reference references[3];
	struct equant_plan_nest nest;
};

/* N x N matrices; loops i, j, k. */
static void product_init(struct product *product, double n, double element, double page)
{
	*product = (struct product){
		.trips = { n, n, n },
		.a = { n, 0, 1 },
		.b = { 0, 1, n },
		.c = { n, 1, 0 },
	};
	product->references[0] = (struct equant_plan_reference){ element, product->a };
	product->references[1] = (struct equant_plan_reference){ element, product->b };
	product->references[2] = (struct equant_plan_reference){ element, product->c };
	product->nest =
		(struct equant_plan_nest){ 3, product->trips, 3, product->references, page };
}

TEST(resident_pages_of_a_matrix_product_are_those_of_the_paper)
{
	static const double sizes[] = { 16, 128, 600, 1424, 2788 };
	struct product product;

	for (int k = 0; k < 5; k++) {
		double n = sizes[k], page = n < 100 ? 32 : 512;

		product_init(&product, n, 8, page);
		EXPECT_EQ((n * n + n) * 8 / page + 1,
			  equant_plan_resident_pages(&product.nest, EQUANT_PLAN_IDEAL));
		EXPECT_EQ((n * n + 2 * n) * 8 / page + 2,
			  equant_plan_resident_pages(&product.nest, EQUANT_PLAN_LRU));
		EXPECT_EQ(3 * n * n * 8 / page, equant_plan_touched_pages(&product.nest));
	}
}

/* ---- the nest run reference by reference --------------------------------------------- */

#define PAGES 400
#define STEPS 20000

struct run {
	int pages[STEPS]; /* in the order in which they are touched */
	int count;
};

static void run_nest(const struct equant_plan_nest *nest, struct run *run)
{
	long at[3] = { 0 };

	run->count = 0;
	for (at[0] = 0; at[0] < (long)nest->trips[0]; at[0]++)
		for (at[1] = 0; at[1] < (long)nest->trips[1]; at[1]++)
			for (at[2] = 0; at[2] < (long)nest->trips[2]; at[2]++)
				for (int r = 0; r < nest->references; r++) {
					const struct equant_plan_reference *one =
						&nest->reference[r];
					double element = 0;

					for (int loop = 0; loop < 3; loop++)
						element += (double)at[loop] * one->strides[loop];
					run->pages[run->count++] =
						r * (PAGES / 4) +
						(int)(element * one->element / nest->page);
				}
}

/* Pages that have been touched and will be again, the one at hand with them. */
static int live_pages(const struct run *run)
{
	int last[PAGES] = { 0 }, live = 0, most = 0;
	bool seen[PAGES] = { false };

	for (int t = 0; t < run->count; t++)
		last[run->pages[t]] = t;
	for (int t = 0; t < run->count; t++) {
		int page = run->pages[t];

		live += !seen[page];
		seen[page] = true;
		most = live > most ? live : most;
		live -= last[page] == t;
	}
	return most;
}

/* The deepest that a page lies in the stack of pages when it is touched again. */
static int deepest(const struct run *run)
{
	int stack[PAGES], size = 0, most = 0;

	for (int t = 0; t < run->count; t++) {
		int depth = 0;

		while (depth < size && stack[depth] != run->pages[t])
			depth++;
		if (depth == size)
			size++;
		else if (depth + 1 > most)
			most = depth + 1;
		memmove(stack + 1, stack, (size_t)depth * sizeof(*stack));
		stack[0] = run->pages[t];
	}
	return most;
}

TEST(resident_pages_are_what_a_run_of_the_nest_needs)
{
	static struct run run;
	struct product product;

	product_init(&product, 16, 8, 32);
	run_nest(&product.nest, &run);
	TH_LOG("ideal %d, formula %g; LRU %d, formula %g", live_pages(&run),
	       equant_plan_resident_pages(&product.nest, EQUANT_PLAN_IDEAL), deepest(&run),
	       equant_plan_resident_pages(&product.nest, EQUANT_PLAN_LRU));
	EXPECT_EQ(live_pages(&run), equant_plan_resident_pages(&product.nest, EQUANT_PLAN_IDEAL));
	/* The paper counts one page of the new row of A, of which all n / p are touched by then. */
	EXPECT_EQ(deepest(&run),
		  equant_plan_resident_pages(&product.nest, EQUANT_PLAN_LRU) + 16 * 8 / 32.0 - 1);
}

/* One after the other, and rows against columns. */
TEST(resident_pages_follow_the_strides)
{
	const double trips[] = { 100, 1000 }, row[] = { 1000, 1 }, column[] = { 1, 100 };
	struct equant_plan_reference reference = { 8, row };
	struct equant_plan_nest nest = { 2, trips, 1, &reference, 800 };

	EXPECT_EQ(1, equant_plan_resident_pages(&nest, EQUANT_PLAN_IDEAL));
	EXPECT_EQ(1000, equant_plan_touched_pages(&nest));
	/* A page of each column is used again by the next iteration of the outer loop. */
	reference.strides = column;
	EXPECT_EQ(1000, equant_plan_resident_pages(&nest, EQUANT_PLAN_IDEAL));
	EXPECT_EQ(1001, equant_plan_resident_pages(&nest, EQUANT_PLAN_LRU));
	EXPECT_EQ(1000, equant_plan_touched_pages(&nest));
}

TEST(bad_nests_are_refused)
{
	struct equant_plan_program *program = equant_plan_program_new(10);
	struct product product;
	char why[100];

	product_init(&product, 16, 8, 32);
	EXPECT_EQ(-EINVAL, equant_plan_program_nest(program, &product.nest, 3, EQUANT_PLAN_LRU, why,
						    sizeof(why)));
	EXPECT_STREQ("no such loop can be distributed", why);
	EXPECT_EQ(-EINVAL,
		  equant_plan_program_nest(program, &product.nest, 1,
					   (enum equant_plan_replacement)7, why, sizeof(why)));
	product.trips[1] = 0;
	EXPECT_TRUE(isnan(equant_plan_resident_pages(&product.nest, EQUANT_PLAN_LRU)));
	product_init(&product, 16, 8, 0);
	EXPECT_TRUE(isnan(equant_plan_touched_pages(&product.nest)));
	product_init(&product, 16, NAN, 32);
	EXPECT_EQ(-EINVAL, equant_plan_program_nest(program, &product.nest, 1, EQUANT_PLAN_LRU, why,
						    sizeof(why)));
	EXPECT_STREQ("an element has a size above 0", why);
	equant_plan_program_free(program);
}

/* ---- section 7.2 ------------------------------------------------------------------------ */

static void add_processor(struct equant_plan_machine *machine, const char *name, double speed,
			  double memory)
{
	struct equant_plan_processor one = { .operation = 1 / speed, .memory = memory };

	snprintf(one.name, sizeof(one.name), "%s", name);
	if (equant_plan_machine_add(machine, &one, 1))
		exit(1);
}

static struct equant_plan *made(const char *planner, const struct instance *instance)
{
	char why[200];
	struct equant_plan *plan =
		equant_plan_new(planner, instance->program, instance->machine, why, sizeof(why));

	if (!plan)
		fprintf(stderr, "# %s: %s\n", planner, why);
	return plan;
}

TEST(excess_goes_to_the_others_by_their_speeds)
{
	struct instance instance = { equant_plan_program_new(100), equant_plan_machine_new() };
	struct equant_plan *plan;
	char line[PLAN_LINE];

	ASSERT_EQ(0, equant_plan_program_resident(instance.program, 5, 1));
	add_processor(instance.machine, "", 5, 25); /* 50 by speed, 20 by memory */
	add_processor(instance.machine, "", 3, 45); /* 30; then 48, and 40 by memory */
	add_processor(instance.machine, "", 1, 1000);
	add_processor(instance.machine, "", 1, 1000);
	plan = made("memory", &instance);
	ASSERT_NE(NULL, plan);
	EXPECT_STREQ("1-20 | 21-60 | 61-80 | 81-100", plan_line(plan, line));
	equant_plan_free(plan);
	free_instance(&instance);
}

TEST(memory_limits_hold_and_cost_no_more_than_they_must)
{
	struct random random = random_seeded();
	char line[PLAN_LINE];

	for (int round = 0; round < 3000; round++) {
		struct instance instance = random_instance(&random, 1 + random_below(&random, 12),
							   1 + (int)random_below(&random, 5),
							   WITH_MEMORY);
		struct equant_plan *best =
			equant_plan_new("optimum", instance.program, instance.machine, NULL, 0);
		struct equant_plan *plan =
			equant_plan_new("memory", instance.program, instance.machine, NULL, 0);

		ASSERT_EQ(!best, !plan);
		if (plan) {
			double one = 0;

			EXPECT_TRUE(plan_is_whole(plan));
			for (int i = 0; i < plan->processors; i++) {
				EXPECT_TRUE(fits(&instance, i, plan->counts[i]));
				one = fmax(one, work_at(&instance, 0) *
							instance.machine->processors[i].operation);
			}
			EXPECT_LE(plan->makespan, best->makespan + one)
			{
				TH_LOG("%s", instance_text(&instance, line));
			}
		}
		equant_plan_free(best);
		equant_plan_free(plan);
		free_instance(&instance);
	}
}

TEST(memory_too_small_names_the_shortfall)
{
	struct instance instance = { equant_plan_program_new(100), equant_plan_machine_new() };
	char why[200];

	ASSERT_EQ(0, equant_plan_program_resident(instance.program, 1000, 100));
	add_processor(instance.machine, "", 1, 3000);
	add_processor(instance.machine, "", 1, 5050);
	EXPECT_EQ(NULL,
		  equant_plan_new("memory", instance.program, instance.machine, why, sizeof(why)));
	EXPECT_EQ(ENOSPC, errno);
	EXPECT_STREQ(
		"memory too small for any schedule: 60 of 100 iterations fit, one processor needs 3950 bytes more for the other 40",
		why);
	free_instance(&instance);
}

TEST(shares_by_memory_need_memory_limits)
{
	struct instance instance = { equant_plan_program_new(100), equant_plan_machine_new() };
	char why[200];

	add_processor(instance.machine, "a", 1, 3000);
	add_processor(instance.machine, "b", 1, INFINITY);
	EXPECT_EQ(NULL, equant_plan_new("memory-share", instance.program, instance.machine, why,
					sizeof(why)));
	EXPECT_EQ(EOPNOTSUPP, errno);
	EXPECT_STREQ("processor 2 ('b') has no memory limit to share by", why);
	free_instance(&instance);
}

/* ---- tables 4 and 5, simulated ------------------------------------------------------------- */

#define MB 1e6

/*
 * Columns of B and C are distributed, and the other array is read by everybody.  A processor's
 * memory is counted as the paper does, in proportion to its part of the loop.
 */
static struct instance product_instance(double n, bool total)
{
	struct instance instance = { equant_plan_program_new((long)n), equant_plan_machine_new() };
	struct product product;
	double pages;

	product_init(&product, n, 8, 4096);
	pages = total ? equant_plan_touched_pages(&product.nest) :
			equant_plan_resident_pages(&product.nest, EQUANT_PLAN_LRU);
	equant_plan_program_resident(instance.program, 0, pages * 4096 / n);
	return instance;
}

static double resident_of(const struct instance *instance, const struct equant_plan *plan, int i)
{
	return (double)plan->counts[i] * instance->program->resident_each / MB;
}

/* SPARC 5 with its available memory and a SPARC LX: 1.5 times as fast by table 1. */
TEST(table_4_total_memory_as_the_limit_makes_the_product_slower)
{
	struct instance instance = product_instance(1424, true);
	struct equant_plan *nps, *limited;
	double ratio;

	add_processor(instance.machine, "SPARC 5", 28.0 / (48.7 - 28.0), 24.5 * MB);
	add_processor(instance.machine, "SPARC LX", 1, 48.7 * MB);
	nps = made("speed", &instance);
	limited = made("memory", &instance);
	ASSERT_NE(NULL, nps);
	ASSERT_NE(NULL, limited);
	ratio = limited->makespan / nps->makespan;
	TH_LOG("simulated: total %.1f MB (48.7), NPS %.1f MB (28.0), limited %.1f MB (24.5), time x %.3f (2418.4 / 2091.5 = 1.156)",
	       1424 * instance.program->resident_each / MB, resident_of(&instance, nps, 0),
	       resident_of(&instance, limited, 0), ratio);
	EXPECT_LT(fabs(resident_of(&instance, nps, 0) - 28.0), 0.05);
	EXPECT_LT(fabs(resident_of(&instance, limited, 0) - 24.5), 0.05);
	EXPECT_LT(fabs(ratio / (2418.4 / 2091.5) - 1), 0.03);
	equant_plan_free(nps);
	equant_plan_free(limited);
	free_instance(&instance);
}

/* The speed of the SPARC 5 is what the paper's NPS column makes it. */
TEST(table_5_speed_and_resident_memory_beat_memory_alone)
{
	struct instance instance = product_instance(2788, false);
	struct equant_plan *nps, *mem, *both;
	double ratio;

	add_processor(instance.machine, "SPARC 10", 62.3 - 28.8, 4 * 24.5 * MB);
	add_processor(instance.machine, "SPARC 5", 28.8, 24.5 * MB);
	nps = made("speed", &instance);
	mem = made("memory-share", &instance);
	both = made("memory", &instance);
	ASSERT_NE(NULL, nps);
	ASSERT_NE(NULL, mem);
	ASSERT_NE(NULL, both);
	ratio = mem->makespan / both->makespan;
	TH_LOG("simulated: RMS %.1f MB (62.3), NPS %.1f (28.8), MEM %.1f (12.5), NPS + RMS %.1f (24.5), time MEM / both %.3f (19902 / 14477 = 1.375)",
	       2788 * instance.program->resident_each / MB, resident_of(&instance, nps, 1),
	       resident_of(&instance, mem, 1), resident_of(&instance, both, 1), ratio);
	EXPECT_EQ(1, equant_plan_over_memory(nps, instance.program, instance.machine));
	EXPECT_LT(fabs(resident_of(&instance, nps, 1) - 28.8), 0.1);
	EXPECT_LT(fabs(resident_of(&instance, mem, 1) - 12.5), 0.1);
	EXPECT_LT(fabs(resident_of(&instance, both, 1) - 24.5), 0.1);
	EXPECT_LT(fabs(ratio / (19902.0 / 14477) - 1), 0.06);
	equant_plan_free(nps);
	equant_plan_free(mem);
	equant_plan_free(both);
	free_instance(&instance);
}

/* Distributed columns: what a processor needs grows with its part of B. */
TEST(a_nest_gives_a_program_its_memory)
{
	struct equant_plan_program *program = equant_plan_program_new(2788);
	struct product product;
	double all;

	product_init(&product, 2788, 8, 4096);
	ASSERT_EQ(0, equant_plan_program_nest(program, &product.nest, 1, EQUANT_PLAN_LRU, NULL, 0));
	all = program->resident + 2788 * program->resident_each;
	EXPECT_LT(fabs(all - ((2788.0 * 2788 + 2 * 2788) * 8 + 2 * 4096)), 3 * 4096);
	EXPECT_GT(program->resident_each, 0);
	/* Distributed rows: everybody needs all of B. */
	ASSERT_EQ(0,
		  equant_plan_program_nest(program, &product.nest, 0, EQUANT_PLAN_IDEAL, NULL, 0));
	EXPECT_EQ(0, program->resident_each);
	EXPECT_GT(program->resident, 2788.0 * 2788 * 8);
	equant_plan_program_free(program);
}

TEST_HARNESS_MAIN
