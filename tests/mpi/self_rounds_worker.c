// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* A rank that has two chunks at a time, and so reports each of them when it has begun another one. */
#include "engine/self_internal.h"
#include "libworker.h"

#define ITERATIONS 8000
#define MOST 100

struct report {
	int64_t first;
	int64_t count;
};

/* Each round is half of what is left, whoever takes it. */
static int64_t round_of(int64_t first)
{
	int64_t end = 0, round = 0;

	for (; end <= first; round++)
		end += (ITERATIONS - end + 1) / 2;
	return round;
}

/* What was learned of a rank is what the first ones of its @reports say, as many as have arrived. */
static void demand_learned(const struct equant_learned *learned, const struct report *reports)
{
	int64_t iterations = 0, weighted = 0;

	for (int i = 0; i < MOST && iterations < learned->iterations; i++) {
		iterations += reports[i].count;
		weighted += reports[i].count * round_of(reports[i].first);
	}
	demand(iterations > ITERATIONS / 2);
	demand_equal(iterations, (long)learned->iterations);
	demand_equal(weighted, (long)learned->weighted_iterations);
}

static void take_in_turns(struct equant_self *self, struct report *reports)
{
	struct equant_self_chunk chunks[2] = { 0 };
	int count = 0, got = 1;

	for (int i = 0; got == 1; i = !i) {
		struct equant_self_chunk *chunk = &chunks[i];

		demand(count < MOST);
		if (chunk->count)
			reports[count++] = (struct report){ chunk->first, chunk->count };
		got = equant_self_next(self, chunk);
	}
	demand_equal(0, got);
}

static struct equant_self *loop_new(struct equant *eq, const char *scheme, const char *engine)
{
	const struct equant_chunks_options loop = {
		.sz = sizeof(loop), .scheme = scheme, .dimensions = 1, .extents = { ITERATIONS }
	};
	const struct equant_self_options options = { .sz = sizeof(options),
						     .loop = &loop,
						     .engine = engine };
	struct equant_self *self = equant_self_new(eq, &options);

	demand(self);
	return self;
}

static void from_memory(void)
{
	struct equant *eq = must_open(MPI_COMM_SELF, NULL);

	for (int i = 0; i < 2; i++) {
		struct equant_self *self = loop_new(eq, i ? "awf-d" : "awf-b", "node");
		struct report reports[MOST] = { 0 };

		take_in_turns(self, reports);
		demand_learned(&self->chunks->learned[0], reports);
		demand_equal(0, equant_self_free(self));
	}
	must_close(eq);
}

/* Rank 0 only answers, and then looks at what it has learned. */
static void from_the_master(void)
{
	struct equant *eq = must_open(MPI_COMM_WORLD, NULL);

	demand_equal(2, ranks);
	for (int i = 0; i < 2; i++) {
		struct equant_self *self = loop_new(eq, i ? "awf-d" : "awf-b", "master");
		struct report reports[MOST] = { 0 };
		int there = 0;

		if (rank) {
			take_in_turns(self, reports);
			MPI_Send(reports, sizeof(reports), MPI_BYTE, 0, 0, MPI_COMM_WORLD);
		}
		while (!rank && !there) {
			demand_equal(0, equant_self_progress(self));
			MPI_Iprobe(1, 0, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
		}
		if (!rank) {
			MPI_Recv(reports, sizeof(reports), MPI_BYTE, 1, 0, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
			demand_learned(&self->chunks->learned[1], reports);
		}
		demand_equal(0, equant_self_free(self));
	}
	must_close(eq);
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = {
		CASE(from_memory),
		CASE(from_the_master),
	};

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
