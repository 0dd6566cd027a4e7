// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Loops that share a distribution. */
#include <equant/equant.h>
#include <equant/table.h>
#include <errno.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "libworker.h"

#define UNITS 120
#define STEPS 40

/* ---- time --------------------------------------------------------------------- */

/*
 * Who sleeps wakes up when a CPU is free: on a busy machine sections take as much longer as they like.  Where a
 * test is about what sections of some length lead to, this is the library's clock, and nothing else takes time.
 */
static struct {
	int on;
	struct timespec now;
} made_up;

int clock_gettime(clockid_t id, struct timespec *t)
{
	if (!made_up.on || id != CLOCK_MONOTONIC)
		return (int)syscall(SYS_clock_gettime, id, t);
	*t = made_up.now;
	return 0;
}

static void make_up_time(int on)
{
	made_up.on = 0;
	clock_gettime(CLOCK_MONOTONIC, &made_up.now);
	made_up.on = on;
}

static void work(double seconds)
{
	if (!made_up.on) {
		compute(seconds);
		return;
	}
	made_up.now.tv_nsec += (long)(seconds * 1e9);
	made_up.now.tv_sec += made_up.now.tv_nsec / 1000000000;
	made_up.now.tv_nsec %= 1000000000;
}

/* ---- loops -------------------------------------------------------------------- */

struct setting {
	struct equant *eq;
	struct equant_loop *first, *second;
	long a[UNITS], b[UNITS]; /* steps that a unit has seen in the first and the second loop */
	struct equant_table *c; /* ... in both; of the second */
	long expected[UNITS];
	char active[UNITS];
};

static void set_up(struct setting *s, enum equant_distribution distribution)
{
	struct equant_options o = eager_options();

	*s = (struct setting){ .eq = NULL };
	o.check = 1;
	s->eq = must_open(MPI_COMM_WORLD, &o);
	s->first = must_loop(s->eq, "first", UNITS);
	s->second = must_loop(s->eq, "second", UNITS);
	demand_equal(0, equant_loop_distribute(s->first, distribution));
	demand_equal(0, equant_loop_share(s->second, s->first));
	demand_equal(0, equant_loop_array(s->first, s->a, sizeof(s->a[0])));
	demand_equal(0, equant_loop_array(s->second, s->b, sizeof(s->b[0])));
	s->c = equant_loop_table(s->second, sizeof(long), EQUANT_TABLE_AUTO);
	demand(s->c);
	for (long u = 0; u < UNITS; u++)
		s->active[u] = 1;
}

static long all_moves(const struct equant_loop *loop)
{
	struct equant_stats stats = { .sz = sizeof(stats) };
	long moves;

	demand_equal(0, equant_loop_stats(loop, &stats));
	MPI_Allreduce(&stats.moves, &moves, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	return moves;
}

static double slowness(long number)
{
	return 1 + (double)((rank * 2 + number / 10 * 3) % 5);
}

/* A loop's turn; @values, if they move with it, count it. */
static void turn(struct equant_loop *loop, long *values, double slow)
{
	equant_begin(loop);
	equant_for_each_unit(loop, u)
		values[u]++;
	work(20e-6 * slow * (double)equant_loop_count(loop));
	equant_end(loop);
	demand_equal(0, equant_hook(loop));
}

static void demand_same_owners(const struct setting *s)
{
	for (long u = 0; u < UNITS; u++)
		demand_equal(equant_loop_owner(s->first, u), equant_loop_owner(s->second, u));
	demand_equal(equant_loop_count(s->first), equant_loop_count(s->second));
}

static void demand_counted(const struct setting *s)
{
	for (long u = 0; u < UNITS; u++) {
		const long *c = equant_table_slice(s->c, u);

		demand_equal(equant_loop_owner(s->second, u) == rank, c != NULL);
		if (!c)
			continue;
		demand_equal(s->expected[u], s->a[u]);
		demand_equal(s->expected[u], s->b[u]);
		demand_equal(s->expected[u], *c);
	}
}

static void step(struct setting *s, long number)
{
	long *c;

	turn(s->first, s->a, slowness(number));
	demand_same_owners(s);
	turn(s->second, s->b, 0.5);
	demand_same_owners(s);
	equant_for_each_slice(s->c, u, c) {
		demand(s->active[u]);
		++*c;
	}
	for (long u = 0; u < UNITS; u++)
		s->expected[u] += s->active[u];
	demand_counted(s);
}

static void conserve(enum equant_distribution distribution)
{
	struct setting s;

	set_up(&s, distribution);
	for (long n = 0; n < STEPS; n++)
		step(&s, n);
	demand(ranks == 1 || all_moves(s.first) > 0);
	demand_equal(all_moves(s.first), all_moves(s.second));
	must_free(s.second);
	must_free(s.first);
	must_close(s.eq);
}

static void conserved(void)
{
	conserve(EQUANT_BLOCK);
	conserve(EQUANT_CYCLIC);
	conserve(EQUANT_BLOCK_ORDER);
}

static void varying(void)
{
	struct setting s;

	set_up(&s, EQUANT_BLOCK);
	for (long n = 0; n < STEPS; n++) {
		struct equant_loop *loop = n % 2 ? s.first : s.second;

		step(&s, n);
		demand_equal(0, equant_loop_deactivate(loop, n * 2, 2));
		s.active[n * 2] = s.active[n * 2 + 1] = 0;
		if (n < 10)
			continue;
		demand_equal(0, equant_loop_activate(loop, (n - 10) * 2, 2));
		s.active[(n - 10) * 2] = s.active[(n - 10) * 2 + 1] = 1;
	}
	demand_counted(&s);
	must_free(s.first);
	must_free(s.second);
	must_close(s.eq);
}

/* ---- opposite costs ---------------------------------------------------------- */

/*
 * What the first loop takes nine times as long for on even ranks the second one does on odd ranks.
 * Only a gain of more than 60 % is worth a move: each loop alone would gain 80 %, both
 * together nothing.
 */
static long moves_at_opposite_costs(int shared)
{
	static long a[UNITS], b[UNITS];
	struct equant_options o = eager_options();
	struct equant_loop *first, *second;
	long moves;
	struct equant *eq;

	o.threshold = 0.6;
	/* The other ways of waiting look at the clock. */
	o.wait = EQUANT_WAIT_YIELD;
	make_up_time(1);
	eq = must_open(MPI_COMM_WORLD, &o);
	first = must_loop(eq, "first", UNITS);
	second = must_loop(eq, "second", UNITS);
	if (shared)
		demand_equal(0, equant_loop_share(second, first));
	demand_equal(0, equant_loop_array(first, a, sizeof(a[0])));
	demand_equal(0, equant_loop_array(second, b, sizeof(b[0])));
	for (long n = 0; n < 20; n++) {
		turn(first, a, (rank % 2 ? 9.0 : 1.0) * ranks / 2);
		turn(second, b, (rank % 2 ? 1.0 : 9.0) * ranks / 2);
	}
	moves = all_moves(first) + all_moves(second);
	must_free(first);
	must_free(second);
	must_close(eq);
	make_up_time(0);
	return moves;
}

static void opposite(void)
{
	long alone = moves_at_opposite_costs(0);

	demand(ranks == 1 || alone > 0);
	demand_equal(0, moves_at_opposite_costs(1));
}

/* ---- the end of one of them ----------------------------------------------------- */

static void go_on(struct setting *s, struct equant_loop *loop, long *values)
{
	long before = all_moves(loop);

	for (long n = 0; n < STEPS; n++) {
		turn(loop, values, slowness(n + STEPS / 2));
		for (long u = 0; u < UNITS; u++)
			s->expected[u]++;
		equant_for_each_unit(loop, u)
			demand_equal(s->expected[u], values[u]);
	}
	demand(ranks == 1 || all_moves(loop) > before);
}

static void free_one(int leader)
{
	struct setting s;

	set_up(&s, EQUANT_BLOCK);
	for (long n = 0; n < STEPS / 2; n++)
		step(&s, n);
	must_free(leader ? s.first : s.second);
	if (leader)
		go_on(&s, s.second, s.b);
	else
		go_on(&s, s.first, s.a);
	must_free(leader ? s.second : s.first);
	must_close(s.eq);
}

static void either_order(void)
{
	struct setting s;

	free_one(0);
	free_one(1);
	/* None has had a hook; and the context frees what is left. */
	set_up(&s, EQUANT_BLOCK);
	must_free(s.first);
	must_close(s.eq);
	set_up(&s, EQUANT_BLOCK);
	step(&s, 0);
	must_close(s.eq);
}

static void three(void)
{
	static long d[UNITS];
	struct equant_loop *third;
	struct setting s;

	set_up(&s, EQUANT_BLOCK);
	third = must_loop(s.eq, "third", UNITS);
	demand_equal(0, equant_loop_share(third, s.second));
	demand_equal(0, equant_loop_array(third, d, sizeof(d[0])));
	for (long n = 0; n < STEPS; n++) {
		step(&s, n);
		turn(third, d, 0.5);
		equant_for_each_unit(third, u)
			demand_equal(n + 1, d[u]);
	}
	demand_equal(all_moves(s.first), all_moves(third));
	must_free(s.first);
	for (long n = STEPS; n < 2 * STEPS; n++) {
		turn(s.second, s.b, slowness(n));
		turn(third, d, 0.5);
		equant_for_each_unit(third, u)
			demand_equal(n + 1, d[u]);
	}
	demand_equal(all_moves(s.second), all_moves(third));
	must_free(s.second);
	must_free(third);
	must_close(s.eq);
}

static void misuse(void)
{
	struct equant_options o = eager_options();
	struct equant *eq = must_open(MPI_COMM_WORLD, &o), *other = must_open(MPI_COMM_WORLD, &o);
	struct equant_loop *first = must_loop(eq, "first", UNITS);
	struct equant_loop *second = must_loop(eq, "second", UNITS);
	struct equant_loop *longer = must_loop(eq, "longer", UNITS + 1);
	struct equant_loop *tabled = must_loop(eq, "tabled", UNITS);
	struct equant_loop *stranger = must_loop(other, "stranger", UNITS);
	struct equant_loop *twin = must_loop(eq, "twin", UNITS);
	static double array[UNITS], another[UNITS];

	demand(equant_loop_table(tabled, 8, EQUANT_TABLE_AUTO));
	demand_equal(0, equant_loop_array(first, array, sizeof(*array)));
	demand_equal(0, equant_loop_array(twin, array, sizeof(*array)));
	demand_equal(-EEXIST, equant_loop_share(twin, first));
	demand_equal(-EINVAL, equant_loop_share(NULL, first));
	demand_equal(-EINVAL, equant_loop_share(first, NULL));
	demand_equal(-EINVAL, equant_loop_share(first, first));
	demand_equal(-EINVAL, equant_loop_share(longer, first));
	demand_equal(-EINVAL, equant_loop_share(stranger, first));
	demand_equal(-EBUSY, equant_loop_share(tabled, first));
	demand_equal(0, equant_loop_share(second, first));
	demand_equal(-EEXIST, equant_loop_array(second, array, sizeof(*array)));
	demand_equal(0, equant_loop_array(second, another, sizeof(*another)));
	demand_equal(-EEXIST, equant_loop_array(first, another, sizeof(*another)));
	demand_equal(-EBUSY, equant_loop_share(second, first));
	demand_equal(-EBUSY, equant_loop_share(first, tabled));
	demand_equal(-EBUSY, equant_loop_distribute(first, EQUANT_CYCLIC));
	demand_equal(-EBUSY, equant_loop_distribute(second, EQUANT_CYCLIC));
	demand_equal(0, equant_hook(first));
	demand_equal(-EBUSY, equant_loop_share(must_loop(eq, "late", UNITS), first));
	/* A section of the one that is open at a hook of the other. */
	equant_begin(second);
	for (int i = 0; i < 1000 && !equant_hook(first); i++)
		;
	demand_equal(-EINVAL, equant_hook(first));
	demand_equal(-EINVAL, equant_hook(second));
	demand_equal(-EINVAL, equant_loop_free(second));
	demand_equal(-EINVAL, equant_loop_free(first));
	must_close(eq);
	must_close(other);
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = {
		CASE(conserved),    CASE(varying), CASE(opposite),
		CASE(either_order), CASE(three),   CASE(misuse),
	};

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
