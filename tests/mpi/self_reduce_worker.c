// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Reductions over loops that ranks share out among themselves. */
#include <equant/self.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "libworker.h"

#define THREADS 2
#define MOST 3000

static double values[MOST];
static double expected_sum, least, most;
static int64_t least_at, most_at;

/* Whole numbers times powers of 2, far apart: their sum is a whole number, rounded once. */
static void draw_values(struct random *random, int64_t n)
{
	__int128 sum = 0;

	least = INFINITY;
	most = -INFINITY;
	for (int64_t i = 0; i < n; i++) {
		int64_t whole = (int64_t)(random_below(random, 1 << 30)) - (1 << 29);
		int power = (int)random_below(random, 80);

		/* Some twice, so that extremes may be. */
		values[i] = i && random_below(random, 3) == 0 ? values[random_below(random, i)] :
								ldexp((double)whole, power);
		sum += (__int128)values[i];
		if (values[i] < least) {
			least = values[i];
			least_at = i;
		}
		if (values[i] > most) {
			most = values[i];
			most_at = i;
		}
	}
	expected_sum = (double)sum;
}

static struct equant_self *must_self(struct equant *eq, const char *scheme, int64_t n)
{
	const struct equant_chunks_options loop = {
		.sz = sizeof(loop),
		.scheme = scheme,
		.dimensions = 1,
		.extents = { n },
		.chunk = 7,
	};
	const struct equant_self_options options = { .sz = sizeof(options), .loop = &loop };
	struct equant_self *self = equant_self_new(eq, &options);

	demand(self != NULL);
	return self;
}

struct body {
	struct equant_self *self;
	uint64_t seed;
};

static void *add_all(void *arg)
{
	const struct body *body = arg;
	struct random random = random_from(body->seed);
	struct equant_self_chunk chunk = { 0 };

	while (equant_self_next(body->self, &chunk) == 1) {
		demand_equal(0, equant_self_add(body->self, 3, chunk.first, values + chunk.first,
						chunk.count));
		for (long i = random_below(&random, 4); i > 0; i--)
			sched_yield();
	}
	return NULL;
}

static void check_results(struct equant_self *self)
{
	int64_t at = -1;
	double result;

	demand_equal(0, equant_self_allreduce(self, 3, EQUANT_SUM, &result, NULL));
	demand(!memcmp(&result, &expected_sum, sizeof(result)));
	demand_equal(0, equant_self_allreduce(self, 3, EQUANT_MAX, &result, &at));
	demand(result == most);
	demand_equal(most_at, at);
	demand_equal(0, equant_self_allreduce(self, 3, EQUANT_MIN, &result, &at));
	demand(result == least);
	demand_equal(least_at, at);
	/* Nothing was added to this one. */
	demand_equal(0, equant_self_allreduce(self, 0, EQUANT_SUM, &result, NULL));
	demand(result == 0);
}

static void each_scheme(int threads)
{
	struct equant *eq = must_open(MPI_COMM_WORLD, NULL);
	struct random random = common_random();
	uint64_t seed = random.state;

	for (int i = 0; equant_scheme_name(i); i++) {
		int64_t n = 1 + random_below(&random, MOST);
		struct body body = { must_self(eq, equant_scheme_name(i), n),
				     seed + (uint64_t)rank };
		pthread_t thread[THREADS];

		draw_values(&random, n);
		for (int t = 0; t < threads; t++)
			demand_equal(0, pthread_create(&thread[t], NULL, add_all, &body));
		add_all(&body);
		for (int t = 0; t < threads; t++)
			pthread_join(thread[t], NULL);
		check_results(body.self);
		demand_equal(0, equant_self_free(body.self));
	}
	must_close(eq);
}

static void reduced(void)
{
	each_scheme(0);
}

static void reduced_by_threads(void)
{
	each_scheme(THREADS);
}

/* The sum is that of what each rank has added before. */
static void not_a_number(void)
{
	struct equant *eq = must_open(MPI_COMM_WORLD, NULL);
	struct equant_self *self = must_self(eq, "ss", 10);
	const double some[] = { 1, rank == ranks - 1 ? NAN : 2, INFINITY };
	int64_t at;
	double result;

	demand_equal(0, equant_self_add(self, 0, 3 * rank, some, 3));
	equant_self_cancel(self);
	demand_equal(0, equant_self_allreduce(self, 0, EQUANT_SUM, &result, NULL));
	demand(isnan(result));
	demand_equal(0, equant_self_allreduce(self, 0, EQUANT_MIN, &result, &at));
	demand(isnan(result));
	demand_equal(3 * ranks - 2, at);
	demand_equal(0, equant_self_free(self));
	must_close(eq);
}

static void refused(void)
{
	struct equant *eq = must_open(MPI_COMM_WORLD, NULL);
	struct equant_self *self = must_self(eq, "ss", 10);
	double result = 0;

	demand_equal(-EINVAL, equant_self_add(self, 8, 0, &result, 1));
	demand_equal(-EINVAL, equant_self_add(self, 0, -1, &result, 1));
	demand_equal(-EINVAL, equant_self_add(self, 0, 0, NULL, 1));
	demand_equal(-EINVAL, equant_self_add(self, 0, INT64_MAX, &result, 1));
	demand_equal(-EINVAL, equant_self_allreduce(self, 0, EQUANT_MAX, &result, NULL));
	demand_equal(rank ? -ECANCELED : -EINVAL,
		     equant_self_allreduce(self, 0, EQUANT_SUM, rank ? &result : NULL, NULL));
	demand_equal(-EINVAL, equant_self_allreduce(self, rank % 2, EQUANT_SUM, &result, NULL));
	demand_equal(-EINVAL, equant_self_allreduce(self, 0, rank % 2 ? EQUANT_SUM : EQUANT_MAX,
						    &result, NULL));
	/* All is well after that. */
	demand_equal(0, equant_self_allreduce(self, 0, EQUANT_SUM, &result, NULL));
	if (rank == ranks - 1)
		equant_self_fail(self, -EDOM);
	demand_equal(-EDOM, equant_self_allreduce(self, 0, EQUANT_SUM, &result, NULL));
	demand_equal(-EDOM, equant_self_free(self));
	must_close(eq);
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = {
		CASE(reduced),
		CASE(reduced_by_threads, .threads = MPI_THREAD_FUNNELED),
		CASE(not_a_number),
		CASE(refused),
	};

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
