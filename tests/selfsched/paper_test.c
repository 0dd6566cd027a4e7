// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Tables I and II, and how many chunks there are: Chronopoulos, Ni, Penmatsa, sections III to V. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kselftest_harness.h"
#include "libselfsched.h"

#define EXPECT_LINE(expected, options)                    \
	do {                                              \
		char *line = chunk_line(options);         \
		EXPECT_STREQ(expected, line ? line : ""); \
		free(line);                               \
	} while (0)

TEST(fixed_sizes_are_those_of_table_1)
{
	struct equant_chunks_options ss = loop_of("ss", 6, 4), fs = loop_of("fs", 1000, 4);
	struct equant_chunks_options css = loop_of("css", 35, 4);

	EXPECT_LINE("1 1 1 1 1 1", &ss);
	EXPECT_LINE("250 250 250 250", &fs);
	EXPECT_LINE("10 10 10 5", &css);
}

TEST(fixed_size_differs_by_one_where_workers_do_not_divide)
{
	struct equant_chunks_options fs = loop_of("fs", 10, 4);

	EXPECT_LINE("3 3 2 2", &fs);
}

TEST(guided_is_that_of_table_1)
{
	struct equant_chunks_options gss = loop_of("gss", 1000, 4);

	EXPECT_LINE("250 188 141 106 79 59 45 33 25 19 14 11 8 6 4 3 3 2 1 1 1 1", &gss);
	gss.minimum = 50;
	EXPECT_LINE("250 188 141 106 79 59 50 50 50 27", &gss);
}

/* The table as printed has a fifth 62. */
TEST(factoring_rounded_to_even_is_that_of_table_1)
{
	static const char row[] =
		"125 125 125 125 62 62 62 62 32 32 32 32 16 16 16 16 8 8 8 8 4 4 4 4 2 2 2 2 1 1 1 1";
	struct equant_chunks_options fss = loop_of("fss", 1000, 4);

	fss.rounding = EQUANT_ROUNDING_EVEN;
	EXPECT_LINE(row, &fss);
}

TEST(factoring_rounded_up_is_that_of_the_text)
{
	static const char row[] =
		"125 125 125 125 63 63 63 63 31 31 31 31 16 16 16 16 8 8 8 8 4 4 4 4 2 2 2 2 1 1 1 1";
	struct equant_chunks_options fss = loop_of("fss", 1000, 4);

	EXPECT_LINE(row, &fss);
}

TEST(trapezoid_is_that_of_table_1)
{
	struct equant_chunks_options tss = loop_of("tss", 1000, 4);

	EXPECT_LINE("125 117 109 101 93 85 77 69 61 53 45 37 28", &tss);
	/* N = ceil(2000 / 110) = 19, D = floor(90 / 18) */
	tss.first = 100;
	tss.minimum = 10;
	EXPECT_LINE("100 95 90 85 80 75 70 65 60 55 50 45 40 35 30 25", &tss);
}

TEST(a_trapezoid_of_one_step_has_no_decrement)
{
	struct equant_chunks_options tss = loop_of("tss", 7, 4);

	EXPECT_LINE("1 1 1 1 1 1 1", &tss);
	tss.first = 7;
	EXPECT_LINE("7", &tss);
	tss.first = 3;
	tss.minimum = 3;
	EXPECT_LINE("3 3 1", &tss);
}

/* V = 6: F = 83, N = 24, D = 3. Worker 0 stands for the first 3, 1 for the next 2, 2 for one. */
TEST(distributed_trapezoid_is_the_sum_of_steps)
{
	struct equant_chunks_options dtss = loop_of("dtss", 1000, 3);
	const int powers[] = { 3, 2, 1 };

	dtss.powers = powers;
	EXPECT_LINE("240 145 68 186 109 50 132 70", &dtss);
}

TEST(equal_powers_of_one_make_the_trapezoid)
{
	for (int64_t n = 0; n < 500; n++) {
		struct equant_chunks_options tss = loop_of("tss", n, 5);
		char *line = chunk_line(&tss);

		tss.scheme = "dtss";
		ASSERT_TRUE(line != NULL);
		EXPECT_LINE(line, &tss);
		free(line);
	}
}

/* V = 6: rounds of 6 steps of 84, 42, 21, 10, 5, 3, 1. */
TEST(weighted_factoring_is_the_sum_of_steps)
{
	struct equant_chunks_options wf = loop_of("wf", 1000, 3);
	const int powers[] = { 3, 2, 1 };

	wf.powers = powers;
	EXPECT_LINE("252 168 84 126 84 42 63 42 21 30 20 10 15 10 5 9 6 3 3 2 1 3 1", &wf);
}

static const char *const table_2[] = {
	"125/125 117/125 125/117 109/125 117/117 125/109 101/125 109/117 117/109 125/101",
	"93/125 101/117 109/109 117/101 125/93 85/125 93/117 101/109 109/101 117/93 125/85",
	"77/125 85/117 93/109 101/101 109/93 117/85 125/77 69/125 77/117 85/109 93/101 101/93",
	"109/85 117/77 125/69 61/125 69/117 77/109 85/101 93/93 101/85 109/77 117/69 125/61",
	"53/125 61/117 69/109 77/101 85/93 93/85 101/77 109/69 117/61 125/53 45/125 53/117",
	"61/109 69/101 77/93 85/85 93/77 101/69 109/61 117/53 125/45 37/125 45/117 53/109",
	"61/101 69/93 77/85 85/77 93/69 101/61 109/53 117/45 125/37 28/125 37/117 45/109",
	"53/101 61/93 69/85 77/77 85/69 93/61 101/53 109/45 117/37 125/28 117/28 109/37 101/45",
	"93/53 85/61 77/69 69/77 61/85 53/93 45/101 37/109 28/117 109/28 101/37 93/45 85/53",
	"77/61 69/69 61/77 53/85 45/93 37/101 28/109 101/28 93/37 85/45 77/53 69/61 61/69",
	"53/77 45/85 37/93 28/101 93/28 85/37 77/45 69/53 61/61 53/69 45/77 37/85 28/93 85/28",
	"77/37 69/45 61/53 53/61 45/69 37/77 28/85 77/28 69/37 61/45 53/53 45/61 37/69 28/77",
	"69/28 61/37 53/45 45/53 37/61 28/69 61/28 53/37 45/45 37/53 28/61 53/28 45/37 37/45",
	"28/53 45/28 37/37 28/45 37/28 28/37 28/28",
};

/* Width and height of all rectangles, in the order of their numbers; NULL on a failure. */
static char *rectangles(const struct equant_chunks_options *options)
{
	struct equant_chunks *chunks = equant_chunks_new(options, NULL, 0);
	int64_t first[2], extents[2];
	char *line = NULL;
	size_t size;
	FILE *out;

	if (!chunks)
		return NULL;
	out = open_memstream(&line, &size);
	for (int64_t n = 0; out && n < equant_chunks_total(chunks); n++) {
		equant_chunks_box(chunks, n, first, extents);
		fprintf(out, "%s%lld/%lld", n ? " " : "", (long long)extents[0],
			(long long)extents[1]);
	}
	if (out)
		fclose(out);
	equant_chunks_free(chunks);
	return line;
}

TEST(two_dimensional_trapezoid_is_table_2)
{
	struct equant_chunks_options tss = loop_of("tss", 1000, 4);
	char *line, *rest;

	tss.dimensions = 2;
	tss.extents[1] = 1000;
	line = rectangles(&tss);
	rest = line;
	ASSERT_TRUE(line != NULL);
	for (size_t i = 0; i < sizeof(table_2) / sizeof(table_2[0]); i++) {
		ASSERT_EQ(0, strncmp(table_2[i], rest, strlen(table_2[i])));
		rest += strlen(table_2[i]);
		rest += *rest == ' ';
	}
	EXPECT_STREQ("", rest);
	free(line);
}

/* 20 iterations are below 4 x 6: p = 3 x 2, the larger factor for the longer loop. */
TEST(workers_are_factorised_where_a_loop_is_short)
{
	struct equant_chunks_options fs = loop_of("fs", 30, 6);
	char *line;

	fs.dimensions = 2;
	fs.extents[1] = 20;
	line = rectangles(&fs);
	ASSERT_TRUE(line != NULL);
	EXPECT_STREQ("10/10 10/10 10/10 10/10 10/10 10/10", line);
	free(line);
	fs.extents[0] = fs.extents[1] = 24;
	line = rectangles(&fs);
	ASSERT_TRUE(line != NULL);
	EXPECT_EQ(36 * 4 - 1, (int)strlen(line));
	free(line);
}

/* ---- numbers of chunks ---------------------------------------------------------- */

static void random_loop(struct random *random, int64_t *iterations, int *workers)
{
	*workers = 1 + (int)random_below(random, 64);
	*iterations = 2 * *workers + random_below(random, 100000);
}

TEST(guided_takes_at_most_the_harmonic_number_of_steps)
{
	struct random random = random_seeded();

	for (int i = 0; i < 1000; i++) {
		struct equant_chunks_options o = loop_of("gss", 0, 1);
		double n, most;
		int64_t steps;

		random_loop(&random, &o.extents[0], &o.workers);
		n = ceil((double)o.extents[0] / o.workers);
		most = o.workers * (log(n) + 0.5772157 + 1 / (2 * n));
		steps = chunk_count(&o);
		ASSERT_GE(steps, o.workers);
		ASSERT_LE((double)steps, most);
	}
}

TEST(trapezoid_takes_two_to_four_steps_per_worker)
{
	struct random random = random_seeded();

	for (int i = 0; i < 1000; i++) {
		struct equant_chunks_options o = loop_of("tss", 0, 1);
		int64_t steps;

		random_loop(&random, &o.extents[0], &o.workers);
		steps = chunk_count(&o);
		ASSERT_GE(steps, 2 * o.workers);
		ASSERT_LE(steps, 4 * o.workers);
	}
}

static int64_t ceil_log2(int64_t above, int64_t below)
{
	int64_t n = 0;

	while (below < above) {
		below *= 2;
		n++;
	}
	return n;
}

TEST(factoring_takes_at_most_the_logarithm_and_one_more_step_per_worker)
{
	struct random random = random_seeded();

	for (int i = 0; i < 1000; i++) {
		struct equant_chunks_options o = loop_of("fss", 0, 1);
		int64_t steps, log;

		random_loop(&random, &o.extents[0], &o.workers);
		log = ceil_log2(o.extents[0], o.workers);
		steps = chunk_count(&o);
		ASSERT_GE(steps, o.workers);
		ASSERT_LE(steps, o.workers * (log + 1));
		o.rounding = EQUANT_ROUNDING_EVEN;
		ASSERT_LE(chunk_count(&o), o.workers * (log + 2));
	}
}

TEST(the_printed_bound_of_factoring_fails_for_the_printed_example)
{
	struct equant_chunks_options o = loop_of("fss", 1000, 4);

	EXPECT_GT((double)chunk_count(&o), 1.44 * 4 * log(1000. / 4));
}

TEST_HARNESS_MAIN
