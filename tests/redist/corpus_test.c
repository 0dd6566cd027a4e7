// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Whatever a file holds, reading it gives a network or a reason, and in a network that has been
 * read messages can be planned.  tests/redist/corpus holds files that a fuzzer found to take
 * different ways through the reader; to look for more:
 *
 *	clang -g -O1 -fsanitize=fuzzer,address,undefined -DFUZZER -D_GNU_SOURCE= -Iuserlib/include \
 *		-Iuserlib -Itests -o fuzz tests/redist/corpus*.c userlib/{redist,text}/(all).c -lm
 *	./fuzz -max_total_time=600 NEW tests/redist/corpus
 *	./fuzz -merge=1 tests/redist/corpus NEW
 */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <equant/redist.h>

/* Who sends at all; more of them would be no other way through the code. */
#define FEW_RANKS 8

static bool planned(const struct equant_redist_network *network)
{
	struct equant_redist_volume volumes[FEW_RANKS * FEW_RANKS];
	struct equant_redist_schedule *schedule = NULL;
	struct equant_redist_costs *costs;
	char why[256] = "";
	int64_t count = 0;
	bool good;

	for (int i = 0; i < FEW_RANKS && i < network->ranks; i++)
		for (int j = 0; j < FEW_RANKS && j < network->ranks; j++)
			volumes[count++] = (struct equant_redist_volume){ i, j, 1000 * i + j };
	costs = equant_redist_network_costs(network, count, volumes, why, sizeof(why));
	if (!costs)
		return why[0] != '\0';
	if (network->ranks <= 1000)
		schedule = equant_redist_schedule_new("best", costs, why, sizeof(why));
	good = !schedule || !equant_redist_schedule_check(schedule, costs, why, sizeof(why));
	if (!good)
		fprintf(stderr, "# %s\n", why);
	equant_redist_schedule_free(schedule);
	equant_redist_costs_free(costs);
	return good;
}

static bool path_is_handled(const char *path)
{
	struct equant_redist_network *network;
	char why[256] = "";
	bool good;

	network = equant_redist_network_read(path, why, sizeof(why));
	if (!network)
		return why[0] != '\0';
	good = planned(network);
	equant_redist_network_free(network);
	return good;
}

#ifdef FUZZER

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[] = "/tmp/equant-fuzz-XXXXXX";
	int file = mkstemp(path);

	if (file < 0 || write(file, data, size) != (ssize_t)size || close(file))
		abort();
	if (!path_is_handled(path))
		abort();
	unlink(path);
	return 0;
}

#else

#include "kselftest_harness.h"

TEST(whatever_a_file_holds_is_read_or_refused_with_a_reason)
{
	const char *source = getenv("TEST_SOURCE");
	char folder[2048], path[4096];
	struct dirent *entry;
	int many = 0;
	DIR *all;

	snprintf(folder, sizeof(folder), "%s/tests/redist/corpus", source ? source : ".");
	all = opendir(folder);
	ASSERT_NE(NULL, all);
	while ((entry = readdir(all))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		EXPECT_TRUE(path_is_handled(path))
		{
			TH_LOG("%s", entry->d_name);
		}
		many++;
	}
	closedir(all);
	EXPECT_LT(50, many);
}

TEST_HARNESS_MAIN

#endif
