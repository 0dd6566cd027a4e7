// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Loops that cannot be are refused, with a line that says why. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kselftest_harness.h"
#include "libselfsched.h"

/* 0 if refused with @error, @text being in the reason. */
static int refused(const struct equant_chunks_options *options, int error, const char *text)
{
	char why[256] = "";
	struct equant_chunks *chunks;

	errno = 0;
	chunks = equant_chunks_new(options, why, sizeof(why));
	if (!chunks && errno == error && strstr(why, text))
		return 0;
	fprintf(stderr, "# errno %d, expected %d: '%s' without '%s'\n", errno, error, why, text);
	equant_chunks_free(chunks);
	return 1;
}

TEST(every_scheme_is_found_by_its_name_and_says_what_it_is)
{
	const char *expected[] = { "ss",    "fs", "css",   "gss",   "fss",   "tss",   "dtss",
				   "trees", "wf", "awf-b", "awf-c", "awf-d", "awf-e", "af" };
	int n = 0;

	for (; equant_scheme_name(n); n++) {
		ASSERT_LT(n, 14);
		EXPECT_STREQ(expected[n], equant_scheme_name(n));
		EXPECT_TRUE(equant_scheme_summary(equant_scheme_name(n)) != NULL);
	}
	EXPECT_EQ(14, n);
	EXPECT_TRUE(equant_scheme_name(-1) == NULL);
	EXPECT_TRUE(equant_scheme_summary("static") == NULL);
	EXPECT_TRUE(equant_scheme_summary(NULL) == NULL);
}

TEST(an_unknown_scheme_is_refused_with_the_names_of_all)
{
	struct equant_chunks_options o = loop_of("guided", 10, 2);

	EXPECT_EQ(0, refused(&o, EINVAL, "unknown scheme 'guided'"));
	EXPECT_EQ(0, refused(&o, EINVAL, " awf-e af"));
	o.scheme = NULL;
	EXPECT_EQ(0, refused(&o, EINVAL, "no scheme"));
	o.scheme = "SS";
	EXPECT_EQ(0, refused(&o, EINVAL, "unknown scheme 'SS'"));
}

TEST(chunk_sizes_out_of_range_are_refused)
{
	struct equant_chunks_options o = loop_of("css", 10, 2);

	o.chunk = 0;
	EXPECT_EQ(0, refused(&o, EINVAL, "css needs a chunk of at least 1"));
	o.chunk = -3;
	EXPECT_EQ(0, refused(&o, EINVAL, "chunk -3"));
	o.chunk = 1;
	o.minimum = -1;
	EXPECT_EQ(0, refused(&o, EINVAL, "minimum chunk -1"));
	o.minimum = 5;
	o.first = 4;
	EXPECT_EQ(0, refused(&o, EINVAL, "first chunk 4: expected at least the minimum, 5"));
	o.first = -1;
	EXPECT_EQ(0, refused(&o, EINVAL, "first chunk -1"));
	o.first = 0;
	o.rounding = (enum equant_rounding)2;
	EXPECT_EQ(0, refused(&o, EINVAL, "rounding 2"));
}

TEST(dimensions_and_extents_out_of_range_are_refused)
{
	struct equant_chunks_options o = loop_of("ss", 10, 2);

	o.dimensions = 0;
	EXPECT_EQ(0, refused(&o, EINVAL, "0 dimensions"));
	o.dimensions = 9;
	EXPECT_EQ(0, refused(&o, EINVAL, "9 dimensions"));
	o.dimensions = 2;
	o.extents[1] = -1;
	EXPECT_EQ(0, refused(&o, EINVAL, "extent -1 of dimension 1"));
	o.extents[1] = EQUANT_CHUNKS_EXTENT + 1;
	EXPECT_EQ(0, refused(&o, EINVAL, "of dimension 1"));
}

TEST(too_many_rectangles_are_refused)
{
	struct equant_chunks_options o = loop_of("ss", EQUANT_CHUNKS_EXTENT, 2);

	o.dimensions = 2;
	o.extents[1] = 10;
	EXPECT_EQ(0, refused(&o, E2BIG, "in one of 2 dimensions"));
	o.dimensions = 8;
	for (int i = 0; i < 8; i++)
		o.extents[i] = 1 << 8;
	EXPECT_EQ(0, refused(&o, EOVERFLOW, "2^62 rectangles"));
	o.extents[7] = 0;
	EXPECT_EQ(0, chunk_count(&o));
}

/* Few rectangles, but more iterations than a number holds. */
TEST(too_many_iterations_are_refused)
{
	struct equant_chunks_options o = loop_of("fs", EQUANT_CHUNKS_EXTENT, 2);

	o.dimensions = 2;
	o.extents[1] = 8;
	EXPECT_EQ(0, refused(&o, EOVERFLOW, "more than 2^63 - 1 iterations in 2 dimensions"));
	o.extents[1] = 7;
	EXPECT_LT(0, chunk_count(&o));
	o.dimensions = 8;
	for (int i = 1; i < 8; i++)
		o.extents[i] = EQUANT_CHUNKS_EXTENT;
	EXPECT_EQ(0, refused(&o, EOVERFLOW, "more than 2^63 - 1 iterations in 8 dimensions"));
	/* None at all are not too many. */
	o.extents[7] = 0;
	EXPECT_EQ(0, chunk_count(&o));
}

TEST(as_many_rectangles_as_there_may_be_are_handed_out)
{
	struct equant_chunks_options o = loop_of("tss", 1 << 8, 2);
	int64_t first[EQUANT_CHUNKS_DIMENSIONS], extents[EQUANT_CHUNKS_DIMENSIONS];
	const int64_t last = (INT64_C(1) << 62) - 1;
	struct equant_chunks *chunks;
	struct equant_chunk chunk;

	o.dimensions = 8;
	for (int i = 0; i < 8; i++)
		o.extents[i] = i < 7 ? 1 << 8 : 1 << 6;
	o.first = o.minimum = 1;
	chunks = equant_chunks_new(&o, NULL, 0);
	ASSERT_TRUE(chunks != NULL);
	EXPECT_EQ(last + 1, equant_chunks_total(chunks));
	ASSERT_EQ(1, equant_chunks_next(chunks, 0, &chunk));
	EXPECT_EQ(0, chunk.first);
	EXPECT_EQ(1, chunk.count);
	ASSERT_EQ(0, equant_chunks_box(chunks, last, first, extents));
	for (int i = 0; i < 8; i++) {
		EXPECT_EQ(o.extents[i] - 1, first[i]);
		EXPECT_EQ(1, extents[i]);
	}
	equant_chunks_free(chunks);
}

TEST(workers_and_powers_out_of_range_are_refused)
{
	struct equant_chunks_options o = loop_of("dtss", 10, 0);
	int powers[] = { 1, 0 };

	EXPECT_EQ(0, refused(&o, EINVAL, "0 workers"));
	o.workers = EQUANT_CHUNKS_WORKERS + 1;
	EXPECT_EQ(0, refused(&o, EINVAL, "workers"));
	o.workers = 2;
	o.powers = powers;
	EXPECT_EQ(0, refused(&o, EINVAL, "power 0 of worker 1"));
	powers[1] = EQUANT_CHUNKS_POWER + 1;
	EXPECT_EQ(0, refused(&o, EINVAL, "of worker 1"));
}

TEST(options_of_another_size_are_refused)
{
	struct {
		struct equant_chunks_options o;
		char later;
	} newer = { .o = loop_of("ss", 10, 2) };

	newer.o.sz = sizeof(newer.o) - 1;
	EXPECT_EQ(0, refused(&newer.o, EINVAL, "must be sizeof(struct equant_chunks_options)"));
	newer.o.sz = sizeof(newer);
	EXPECT_EQ(10, chunk_count(&newer.o));
	newer.later = 1;
	EXPECT_EQ(0, refused(&newer.o, EINVAL, "not known here"));
	EXPECT_EQ(0, refused(NULL, EINVAL, "no loop"));
}

TEST(calls_for_no_worker_or_with_numbers_that_cannot_be_are_refused)
{
	struct equant_chunks_options o = loop_of("awf-c", 10, 2);
	struct equant_chunks *chunks = equant_chunks_new(&o, NULL, 0);
	struct equant_chunk chunk;
	int64_t first, extent;

	ASSERT_TRUE(chunks != NULL);
	EXPECT_EQ(-EINVAL, equant_chunks_next(chunks, -1, &chunk));
	EXPECT_EQ(-EINVAL, equant_chunks_next(chunks, 2, &chunk));
	EXPECT_EQ(-EINVAL, equant_chunks_report(chunks, 2, 1, 1, 0));
	EXPECT_EQ(-EINVAL, equant_chunks_report(chunks, 0, 0, 1, 0));
	EXPECT_EQ(-EINVAL, equant_chunks_report(chunks, 0, 1, -1, 0));
	EXPECT_EQ(-EINVAL, equant_chunks_report(chunks, 0, 1, __builtin_nan(""), 0));
	EXPECT_EQ(-EINVAL, equant_chunks_report(chunks, 0, 1, 1, __builtin_inf()));
	EXPECT_EQ(-EINVAL, equant_chunks_power(chunks, 0, 0));
	EXPECT_EQ(-ERANGE, equant_chunks_box(chunks, 10, &first, &extent));
	EXPECT_EQ(-ERANGE, equant_chunks_box(chunks, -1, &first, &extent));
	equant_chunks_free(chunks);
}

TEST_HARNESS_MAIN
