// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Links, ports, and what messages take at least. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <equant/redist.h>

#include "random.h"
#include "redist/redist_internal.h"

#include "kselftest_harness.h"

#define ROUNDS 1000
#define LARGEST 9 /* ranks */
#define LINE 200

FIXTURE(network)
{
	struct random random;
	int ranks;
	struct equant_redist_link links[LARGEST][LARGEST];
	struct equant_redist_host hosts[LARGEST];
	int places[LARGEST];
	int64_t bytes[LARGEST][LARGEST];
	char why[LINE];
};

FIXTURE_SETUP(network)
{
	self->random = random_seeded();
}

FIXTURE_TEARDOWN(network)
{
}

static double random_rate(struct random *random)
{
	return random_below(random, 10) ? 1 + 9 * random_unit(random) : INFINITY;
}

/* As it is written down in the fixture; links are set in any order, and some of them twice. */
static struct equant_redist_network *random_network(FIXTURE_DATA(network) * self)
{
	struct random *random = &self->random;
	int p = self->ranks = 1 + (int)random_below(random, LARGEST);
	int sets = (int)random_below(random, 2 * p * p), hosts = (int)random_below(random, p + 1);
	struct equant_redist_link usual = { 0, 0, random_unit(random), random_rate(random) };
	struct equant_redist_network *network =
		equant_redist_network_new(p, usual.startup, usual.bandwidth, NULL, 0);

	for (int i = 0; i < p * p; i++) {
		usual.from = i / p;
		usual.to = i % p;
		self->links[usual.from][usual.to] = usual;
		self->bytes[usual.from][usual.to] =
			random_below(random, 3) ? random_below(random, 100) : -1;
	}
	for (int i = 0; i < sets; i++) {
		struct equant_redist_link link = { (int)random_below(random, p),
						   (int)random_below(random, p),
						   random_unit(random), random_rate(random) };

		self->links[link.from][link.to] = link;
		if (equant_redist_network_set(network, &link, NULL, 0))
			return NULL;
	}
	for (int h = 0; h < hosts; h++) {
		self->hosts[h] =
			(struct equant_redist_host){ random_rate(random), random_rate(random) };
		if (equant_redist_network_host(network, &self->hosts[h], NULL, 0) != h)
			return NULL;
	}
	for (int i = 0; i < p; i++) {
		self->places[i] = (int)random_below(random, hosts + 1) - 1;
		if (self->places[i] >= 0 &&
		    equant_redist_network_place(network, i, self->places[i], NULL, 0))
			return NULL;
	}
	return network;
}

static int64_t volumes_of(FIXTURE_DATA(network) * self, struct equant_redist_volume *volumes)
{
	int64_t count = 0;

	for (int i = 0; i < self->ranks; i++)
		for (int j = 0; j < self->ranks; j++)
			if (self->bytes[i][j] >= 0)
				volumes[count++] =
					(struct equant_redist_volume){ i, j, self->bytes[i][j] };
	return count;
}

TEST_F(network, links_are_what_was_last_said_of_them)
{
	for (int round = 0; round < ROUNDS; round++) {
		struct equant_redist_network *network = random_network(self);

		ASSERT_NE(NULL, network);
		for (int i = 0; i < self->ranks; i++) {
			for (int j = 0; j < self->ranks; j++) {
				struct equant_redist_link link =
					equant_redist_network_link(network, i, j);

				ASSERT_EQ(i, link.from);
				ASSERT_EQ(j, link.to);
				ASSERT_EQ(self->links[i][j].startup, link.startup);
				ASSERT_EQ(self->links[i][j].bandwidth, link.bandwidth);
			}
		}
		equant_redist_network_free(network);
	}
}

/* As read from a file: in any order, and each at most once. */
TEST_F(network, links_added_in_any_order_are_found_and_so_is_one_that_is_there_twice)
{
	for (int round = 0; round < ROUNDS; round++) {
		int p = self->ranks = 1 + (int)random_below(&self->random, LARGEST);
		struct equant_redist_network *network = equant_redist_network_new(p, 1, 2, NULL, 0);
		int order[LARGEST * LARGEST], adds = (int)random_below(&self->random, p * p + 1);
		struct equant_redist_link link = { 0 };
		const struct equant_redist_link *twice;

		ASSERT_NE(NULL, network);
		for (int i = 0; i < p * p; i++)
			self->links[i / p][i % p] = network->usual;
		random_order(&self->random, order, p * p);
		for (int i = 0; i < adds; i++) {
			link = (struct equant_redist_link){ order[i] / p, order[i] % p,
							    random_unit(&self->random), 3 + i };
			self->links[link.from][link.to] = link;
			ASSERT_EQ(0, equant_redist_network_add(network, &link));
		}
		equant_redist_network_sort(network);
		ASSERT_EQ(adds, network->count);
		ASSERT_EQ(NULL, equant_redist_network_twice(network));
		for (int i = 0; i < p * p; i++) {
			struct equant_redist_link found =
				equant_redist_network_link(network, i / p, i % p);

			ASSERT_EQ(self->links[i / p][i % p].startup, found.startup);
			ASSERT_EQ(self->links[i / p][i % p].bandwidth, found.bandwidth);
		}
		if (adds) {
			ASSERT_EQ(0, equant_redist_network_add(network, &link));
			equant_redist_network_sort(network);
			twice = equant_redist_network_twice(network);
			ASSERT_NE(NULL, twice);
			ASSERT_EQ(link.from, twice->from);
			ASSERT_EQ(link.to, twice->to);
		}
		equant_redist_network_free(network);
	}
}

TEST_F(network, a_part_has_the_links_and_hosts_of_its_ranks)
{
	for (int round = 0; round < ROUNDS; round++) {
		struct equant_redist_network *network = random_network(self), *part;
		int order[LARGEST], count = 1 + (int)random_below(&self->random, self->ranks);

		ASSERT_NE(NULL, network);
		random_order(&self->random, order, self->ranks);
		part = equant_redist_network_part(network, count, order, self->why, LINE);
		ASSERT_NE(NULL, part);
		ASSERT_EQ(count, part->ranks);
		for (int i = 0; i < count; i++) {
			int host = network->places[order[i]];

			ASSERT_EQ(host < 0, part->places[i] < 0);
			if (host >= 0) {
				ASSERT_EQ(network->host[host].send,
					  part->host[part->places[i]].send);
				ASSERT_EQ(network->host[host].receive,
					  part->host[part->places[i]].receive);
			}
			for (int j = 0; j < count; j++) {
				struct equant_redist_link link =
					equant_redist_network_link(part, i, j);

				ASSERT_EQ(self->links[order[i]][order[j]].startup, link.startup);
				ASSERT_EQ(self->links[order[i]][order[j]].bandwidth,
					  link.bandwidth);
				/* Who shares a host goes on sharing it. */
				ASSERT_EQ(host >= 0 && host == network->places[order[j]],
					  part->places[i] >= 0 &&
						  part->places[i] == part->places[j]);
			}
		}
		equant_redist_network_free(part);
		equant_redist_network_free(network);
	}
}

static bool outside(const FIXTURE_DATA(network) * self, int i, int j)
{
	return self->places[i] < 0 || self->places[i] != self->places[j];
}

/* The time of a message from the definition. */
static double plain_time(const FIXTURE_DATA(network) * self, int i, int j)
{
	double rate = self->links[i][j].bandwidth;

	if (outside(self, i, j) && self->places[i] >= 0)
		rate = fmin(rate, self->hosts[self->places[i]].send);
	if (outside(self, i, j) && self->places[j] >= 0)
		rate = fmin(rate, self->hosts[self->places[j]].receive);
	return self->links[i][j].startup + (double)self->bytes[i][j] / rate;
}

/* Port by port and rank by rank, whatever has to do with each. */
static double plain_bound(const FIXTURE_DATA(network) * self, bool one_port)
{
	double most = 0;

	for (int k = 0; k < self->ranks; k++) {
		double out = 0, in = 0, sends = 0, receives = 0;

		for (int i = 0; i < self->ranks; i++) {
			for (int j = 0; j < self->ranks; j++) {
				double time = plain_time(self, i, j);

				if (self->bytes[i][j] < 0)
					continue;
				most = fmax(most, time);
				sends += i == k ? time : 0;
				receives += j == k ? time : 0;
				if (!outside(self, i, j))
					continue;
				out += self->places[i] == k ? (double)self->bytes[i][j] : 0;
				in += self->places[j] == k ? (double)self->bytes[i][j] : 0;
			}
		}
		if (out > 0)
			most = fmax(most, out / self->hosts[k].send);
		if (in > 0)
			most = fmax(most, in / self->hosts[k].receive);
		if (one_port)
			most = fmax(most, fmax(sends, receives));
	}
	return most;
}

TEST_F(network, costs_and_bounds_are_those_of_links_and_ports)
{
	for (int round = 0; round < ROUNDS; round++) {
		struct equant_redist_network *network = random_network(self);
		struct equant_redist_volume volumes[LARGEST * LARGEST];
		int64_t count = volumes_of(self, volumes);
		struct equant_redist_costs *costs =
			equant_redist_network_costs(network, count, volumes, NULL, 0);

		ASSERT_NE(NULL, costs);
		ASSERT_EQ(count, costs->count);
		for (int64_t k = 0; k < count; k++)
			ASSERT_EQ(plain_time(self, volumes[k].from, volumes[k].to),
				  costs->messages[k].startup + costs->messages[k].data);
		for (int one_port = 0; one_port < 2; one_port++) {
			double bound =
				equant_redist_network_bound(network, count, volumes, one_port);

			ASSERT_LE(fabs(plain_bound(self, one_port) - bound), 1e-12 * bound);
		}
		equant_redist_costs_free(costs);
		equant_redist_network_free(network);
	}
}

/* Two hosts of two ranks; 12 bytes from each rank of the first to each of the second. */
TEST_F(network, a_port_is_shared_by_the_ranks_of_its_host)
{
	struct equant_redist_volume volumes[] = {
		{ 0, 2, 12 }, { 0, 3, 12 }, { 1, 2, 12 }, { 1, 3, 12 }, { 0, 1, 12 },
	};
	struct equant_redist_network *network = equant_redist_network_new(4, 0, 4, NULL, 0);

	ASSERT_NE(NULL, network);
	EXPECT_EQ(3, equant_redist_network_bound(network, 5, volumes, false));
	EXPECT_EQ(9, equant_redist_network_bound(network, 5, volumes, true));
	for (int h = 0; h < 2; h++)
		ASSERT_EQ(h, equant_redist_network_host(
				     network, &(struct equant_redist_host){ 4, 3 }, NULL, 0));
	for (int i = 0; i < 4; i++)
		ASSERT_EQ(0, equant_redist_network_place(network, i, i / 2, NULL, 0));
	EXPECT_EQ(16, equant_redist_network_bound(network, 5, volumes, false));
	equant_redist_network_free(network);
}

TEST_F(network, volumes_are_what_senders_have_for_others)
{
	static const int senders[] = { 5, 3, 0, 1 }, receivers[] = { 1, 2, 5 };
	struct equant_redist_array array = {
		.dimensions = 2,
		.extent = { 13, 17 },
		.from = { { 2, 2, 1, 0 }, { 3, 2, 0, 4 } },
		.to = { { 1, 1, 0, 0 }, { 5, 3, 2, 1 } },
	};
	int64_t count, at = 0;
	struct equant_redist_volume *volumes =
		equant_redist_volumes(&array, 24, senders, receivers, &count);

	ASSERT_NE(NULL, volumes);
	for (int p = 0; p < 4; p++) {
		for (int q = 0; q < 3; q++) {
			int64_t elements = equant_redist_part_elements(&array, p, q);

			if (!elements || senders[p] == receivers[q])
				continue;
			ASSERT_GT(count, at);
			EXPECT_EQ(senders[p], volumes[at].from);
			EXPECT_EQ(receivers[q], volumes[at].to);
			EXPECT_EQ(24 * elements, volumes[at++].bytes);
		}
	}
	EXPECT_EQ(at, count);
	EXPECT_LE(8, count);
	free(volumes);
	errno = 0;
	EXPECT_EQ(NULL, equant_redist_volumes(&array, (size_t)1 << 61, NULL, NULL, &count));
	EXPECT_EQ(EOVERFLOW, errno);
	EXPECT_EQ(NULL, equant_redist_volumes(&array, 0, NULL, NULL, &count));
	EXPECT_EQ(EINVAL, errno);
}

static struct equant_redist_cyclic random_cyclic(struct random *random)
{
	struct equant_redist_cyclic cyclic = { .block = 1 + random_below(random, 9),
					       .processes = 1 + (int)random_below(random, 7),
					       .offset = random_below(random, 20) };

	cyclic.first = (int)random_below(random, cyclic.processes);
	return cyclic;
}

static struct equant_redist_array random_array(struct random *random)
{
	struct equant_redist_array array = { .dimensions = 1 + (int)random_below(random, 3) };

	for (int d = 0; d < array.dimensions; d++) {
		array.extent[d] = random_below(random, random_below(random, 2) ? 10 : 400);
		array.from[d] = random_cyclic(random);
		array.to[d] = random_cyclic(random);
	}
	array.from_order = (enum equant_redist_order)random_below(random, 2);
	array.to_order = (enum equant_redist_order)random_below(random, 2);
	return array;
}

TEST_F(network, volumes_leave_out_nobody_who_has_anything)
{
	for (int round = 0; round < ROUNDS / 4; round++) {
		struct equant_redist_array array = random_array(&self->random);
		int64_t count, at = 0;
		struct equant_redist_volume *volumes =
			equant_redist_volumes(&array, 1, NULL, NULL, &count);

		ASSERT_NE(NULL, volumes);
		for (int p = 0; p < equant_redist_senders(&array); p++) {
			for (int q = 0; q < equant_redist_receivers(&array); q++) {
				int64_t elements = equant_redist_part_elements(&array, p, q);

				if (p == q || !elements)
					continue;
				ASSERT_GT(count, at);
				ASSERT_EQ(p, volumes[at].from);
				ASSERT_EQ(q, volumes[at].to);
				ASSERT_EQ(elements, volumes[at++].bytes);
			}
		}
		ASSERT_EQ(at, count);
		free(volumes);
	}
}

#define EXPECT_REFUSED(error, text, call)      \
	do {                                   \
		EXPECT_EQ(-(error), call);     \
		EXPECT_STREQ(text, self->why); \
	} while (0)

TEST_F(network, that_cannot_be_is_refused)
{
	struct equant_redist_network *n = equant_redist_network_new(3, 0, 1, NULL, 0);
	struct equant_redist_volume volume = { 0, 3, 1 };

	ASSERT_NE(NULL, n);
	EXPECT_EQ(NULL, equant_redist_network_new(0, 0, 1, self->why, LINE));
	EXPECT_STREQ("0 ranks", self->why);
	EXPECT_EQ(NULL, equant_redist_network_new(2, 0, NAN, self->why, LINE));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_STREQ("a bandwidth of nan bytes/s, above 0 it must be", self->why);
	EXPECT_REFUSED(EINVAL, "a bandwidth of 0 bytes/s, above 0 it must be",
		       equant_redist_network_set(n, &(struct equant_redist_link){ 0, 1, 0, 0 },
						 self->why, LINE));
	EXPECT_REFUSED(EINVAL, "a bandwidth of -2 bytes/s, above 0 it must be",
		       equant_redist_network_set(n, &(struct equant_redist_link){ 0, 1, 0, -2 },
						 self->why, LINE));
	EXPECT_REFUSED(EINVAL, "a bandwidth of nan bytes/s, above 0 it must be",
		       equant_redist_network_set(n, &(struct equant_redist_link){ 0, 1, 0, NAN },
						 self->why, LINE));
	EXPECT_REFUSED(EINVAL, "a host that sends nan and receives 1 bytes/s, above 0 they must be",
		       equant_redist_network_host(n, &(struct equant_redist_host){ NAN, 1 },
						  self->why, LINE));
	EXPECT_REFUSED(EINVAL, "a start-up of inf s, finite and not negative it must be",
		       equant_redist_network_set(n,
						 &(struct equant_redist_link){ 0, 1, INFINITY, 1 },
						 self->why, LINE));
	EXPECT_REFUSED(EINVAL, "a link from rank -1 to rank 1 of 3",
		       equant_redist_network_set(n, &(struct equant_redist_link){ -1, 1, 0, 1 },
						 self->why, LINE));
	EXPECT_REFUSED(EINVAL, "a host that sends 1 and receives 0 bytes/s, above 0 they must be",
		       equant_redist_network_host(n, &(struct equant_redist_host){ 1, 0 },
						  self->why, LINE));
	EXPECT_REFUSED(EINVAL, "host 0 of 0",
		       equant_redist_network_place(n, 0, 0, self->why, LINE));
	EXPECT_EQ(NULL, equant_redist_network_part(n, 0, (int[]){ 0 }, self->why, LINE));
	EXPECT_STREQ("0 ranks", self->why);
	EXPECT_EQ(NULL, equant_redist_network_part(n, 2, (int[]){ 0, 3 }, self->why, LINE));
	EXPECT_STREQ("rank 3 of 3", self->why);
	EXPECT_EQ(NULL, equant_redist_network_part(n, 2, (int[]){ 1, 1 }, self->why, LINE));
	EXPECT_STREQ("rank 1 twice", self->why);
	EXPECT_EQ(NULL, equant_redist_network_costs(n, 1, &volume, self->why, LINE));
	EXPECT_STREQ("a message from rank 0 to rank 3 of 3", self->why);
	EXPECT_TRUE(isnan(equant_redist_network_bound(n, 1, &volume, false)));
	volume = (struct equant_redist_volume){ 0, 1, -1 };
	EXPECT_EQ(NULL, equant_redist_network_costs(n, 1, &volume, self->why, LINE));
	EXPECT_STREQ("the message from rank 0 to rank 1 has -1 bytes", self->why);
	for (int h = 0; h < 2; h++)
		equant_redist_network_host(n, &(struct equant_redist_host){ 1, 1 }, NULL, 0);
	EXPECT_EQ(0, equant_redist_network_place(n, 0, 0, self->why, LINE));
	EXPECT_REFUSED(EEXIST, "rank 0 is on another host",
		       equant_redist_network_place(n, 0, 1, self->why, LINE));
	EXPECT_REFUSED(EINVAL, "rank 3 of 3",
		       equant_redist_network_place(n, 3, 1, self->why, LINE));
	equant_redist_network_free(n);
}

TEST_HARNESS_MAIN
