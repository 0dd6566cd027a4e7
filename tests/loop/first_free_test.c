// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The next number of a name. */
#include "core/first_free.h"
#include "kselftest_harness.h"
#include "random.h"

struct names {
	const bool *taken;
	long n;
	int asked;
};

static bool is_taken(const void *of, long n)
{
	struct names *names = (struct names *)of;

	names->asked++;
	return n < names->n && (!names->taken || names->taken[n]);
}

TEST(without_gaps_it_is_the_first_one_and_soon_found)
{
	for (long n = 0; n < 5000; n++) {
		struct names names = { .n = n };

		ASSERT_EQ(n, equant_first_free(0, is_taken, &names));
		ASSERT_GE(30, names.asked);
		if (n > 10)
			ASSERT_EQ(n, equant_first_free(10, is_taken, &names));
	}
}

TEST(with_gaps_it_is_free_and_the_one_before_is_not)
{
	struct random random = random_seeded();
	bool taken[100];

	for (int round = 0; round < 2000; round++) {
		long from = random_below(&random, 90), first;
		struct names names = { .taken = taken, .n = 100 };

		for (int i = 0; i < 100; i++)
			taken[i] = random_below(&random, 4) > 0;
		first = equant_first_free(from, is_taken, &names);
		ASSERT_LE(from, first);
		ASSERT_FALSE(is_taken(&names, first));
		ASSERT_TRUE(first == from || is_taken(&names, first - 1));
	}
}

TEST_HARNESS_MAIN
