// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Whatever the scheme, and whoever asks when: every iteration exactly once. */
#include <stdlib.h>
#include <string.h>

#include "kselftest_harness.h"
#include "libselfsched.h"

#define WORKERS 9

static struct equant_chunks_options any_loop(struct random *random, const char *scheme,
					     int powers[WORKERS])
{
	struct equant_chunks_options o = loop_of(scheme, 0, 1 + (int)random_below(random, WORKERS));

	if (random_below(random, 3) == 0)
		o.minimum = 1 + random_below(random, 20);
	if (random_below(random, 3) == 0)
		o.chunk = 1 + random_below(random, 30);
	if (random_below(random, 3) == 0)
		o.first = o.minimum + 1 + random_below(random, 500);
	o.rounding = random_below(random, 2) ? EQUANT_ROUNDING_EVEN : EQUANT_ROUNDING_UP;
	for (int j = 0; j < WORKERS; j++)
		powers[j] = 1 + (int)random_below(random, random_below(random, 2) ? 4 : 100);
	if (random_below(random, 2))
		o.powers = powers;
	return o;
}

/* Marks the iterations of a rectangle, row by row; row-major. */
static void mark(const struct equant_chunks_options *o, const int64_t *first,
		 const int64_t *extents, unsigned char *seen)
{
	int64_t at[EQUANT_CHUNKS_DIMENSIONS] = { 0 };
	int n = o->dimensions, i;

	do {
		int64_t place = 0;

		for (i = 0; i < n; i++)
			place = place * o->extents[i] + first[i] + at[i];
		seen[place] += seen[place] < 2;
		for (i = n - 1; i >= 0 && ++at[i] == extents[i]; i--)
			at[i] = 0;
	} while (i >= 0);
}

static int64_t iterations_of(const struct equant_chunks_options *o, struct equant_chunks *chunks,
			     const struct equant_chunk *chunk, unsigned char *seen)
{
	int64_t first[EQUANT_CHUNKS_DIMENSIONS], extents[EQUANT_CHUNKS_DIMENSIONS], all = 0;

	for (int64_t n = chunk->first; n < chunk->first + chunk->count; n++) {
		int64_t size = 1;

		if (equant_chunks_box(chunks, n, first, extents))
			return -1;
		for (int i = 0; i < o->dimensions; i++) {
			if (first[i] < 0 || extents[i] < 1 || first[i] + extents[i] > o->extents[i])
				return -1;
			size *= extents[i];
		}
		mark(o, first, extents, seen);
		all += size;
	}
	return all;
}

/* Requests in random order, some workers slow or gone; reports and powers that change. NULL: right. */
static const char *hand_out(struct random *random, const struct equant_chunks_options *o,
			    unsigned char *seen)
{
	struct equant_chunks *chunks = equant_chunks_new(o, NULL, 0);
	struct equant_chunk chunk;
	int favourite = (int)random_below(random, o->workers), got = 1;

	if (!chunks)
		return "cannot be made";
	while (got > 0) {
		int worker = random_below(random, 3) ? favourite :
						       (int)random_below(random, o->workers);
		int64_t size;

		got = equant_chunks_next(chunks, worker, &chunk);
		if (got <= 0)
			break;
		size = iterations_of(o, chunks, &chunk, seen);
		if (size < 1)
			got = -1;
		if (size >= 1 && random_below(random, 4))
			equant_chunks_report(chunks, worker, size,
					     (double)size * random_unit(random),
					     random_unit(random));
		if (!random_below(random, 10))
			equant_chunks_power(chunks, worker, 1 + (int)random_below(random, 20));
	}
	for (int j = 0; j < o->workers && got == 0; j++)
		got = equant_chunks_next(chunks, j, &chunk);
	equant_chunks_free(chunks);
	return got < 0 ? "an iteration that does not exist" : got > 0 ? "more after the end" : NULL;
}

static int check(struct random *random, const struct equant_chunks_options *o, int64_t all)
{
	unsigned char *seen = calloc((size_t)all + 1, 1);
	const char *fault = seen ? hand_out(random, o, seen) : "no memory";

	for (int64_t i = 0; i < all && !fault; i++)
		if (seen[i] != 1)
			fault = seen[i] ? "an iteration twice" : "an iteration is lost";
	if (fault)
		fprintf(stderr,
			"# %s: %s; %d workers, %d dimensions, %lld iterations, minimum %lld, chunk %lld, first %lld\n",
			o->scheme, fault, o->workers, o->dimensions, (long long)all,
			(long long)o->minimum, (long long)o->chunk, (long long)o->first);
	free(seen);
	return fault != NULL;
}

TEST(every_iteration_is_assigned_exactly_once)
{
	struct random random = random_seeded();
	int powers[WORKERS];

	for (int i = 0; equant_scheme_name(i); i++) {
		for (int round = 0; round < random_cases(300); round++) {
			struct equant_chunks_options o =
				any_loop(&random, equant_scheme_name(i), powers);

			o.extents[0] = round < 40 ? round : random_below(&random, 10001);
			ASSERT_EQ(0, check(&random, &o, o.extents[0]));
		}
	}
}

TEST(every_iteration_of_several_dimensions_is_assigned_exactly_once)
{
	struct random random = random_seeded();
	int powers[WORKERS];

	for (int i = 0; equant_scheme_name(i); i++) {
		for (int round = 0; round < random_cases(200); round++) {
			struct equant_chunks_options o =
				any_loop(&random, equant_scheme_name(i), powers);
			int64_t all = 1, most = 10000;

			o.dimensions = 2 + (int)random_below(&random, 7);
			for (int k = 0; k < o.dimensions; k++) {
				int64_t longest = most < 200 ? most : 200;

				o.extents[k] = random_below(&random, 20) ?
						       1 + random_below(&random, longest) :
						       0;
				all *= o.extents[k];
				most /= o.extents[k] ? o.extents[k] : 1;
			}
			ASSERT_EQ(0, check(&random, &o, all));
		}
	}
}

/* 2^60 iterations: no product overflows, and the first chunks are right. */
TEST(the_longest_loop_is_cut_as_a_short_one)
{
	for (int i = 0; equant_scheme_name(i); i++) {
		struct equant_chunks_options o =
			loop_of(equant_scheme_name(i), EQUANT_CHUNKS_EXTENT, 3);
		struct equant_chunks *chunks = equant_chunks_new(&o, NULL, 0);
		struct equant_chunk chunk;
		int64_t end = 0;

		ASSERT_TRUE(chunks != NULL);
		for (int n = 0; n < 100 && equant_chunks_next(chunks, 0, &chunk) == 1; n++) {
			if (strcmp(o.scheme, "trees"))
				ASSERT_EQ(end, chunk.first);
			ASSERT_GE(chunk.count, 1);
			end = chunk.first + chunk.count;
			ASSERT_LE(end, EQUANT_CHUNKS_EXTENT);
		}
		equant_chunks_free(chunks);
	}
}

TEST_HARNESS_MAIN
