// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Slice tables while units move from rank to rank. */
#include <equant/equant.h>
#include <equant/table.h>
#include <errno.h>
#include <string.h>

#include "libworker.h"
#include "loop/table.h"

#define UNITS 120
#define WIDE 700 /* longs: a message of several slices is a long one */
#define STEPS 40

struct setting {
	struct equant *eq;
	struct equant_loop *loop;
	struct equant_table *wide; /* of WIDE longs, what step() makes of them */
	struct equant_table *narrow; /* of three bytes */
	long count[UNITS]; /* an array beside the tables: steps that the unit has seen */
	long steps[UNITS]; /* what it must be; on every rank */
	char active[UNITS];
	long content[UNITS]; /* whose rows these are: rows are exchanged */
	long most; /* slices that this rank has ever had at once, or on their way */
};

static void fill(struct setting *s, long unit, long *row)
{
	for (int i = 0; i < WIDE; i++)
		row[i] = (s->content[unit] * STEPS * 2 + s->steps[unit]) * WIDE + i;
}

static void demand_row(const struct setting *s, long unit, const long *row)
{
	demand(row);
	for (int i = 0; i < WIDE; i++)
		demand_equal((s->content[unit] * STEPS * 2 + s->steps[unit]) * WIDE + i, row[i]);
}

static void set_up(struct setting *s, enum equant_distribution distribution,
		   enum equant_table_kind kind)
{
	struct equant_options o = eager_options();
	long *row;

	*s = (struct setting){ .most = 0 };
	o.check = 1;
	s->eq = must_open(MPI_COMM_WORLD, &o);
	s->loop = must_loop(s->eq, "rows", UNITS);
	demand_equal(0, equant_loop_distribute(s->loop, distribution));
	s->wide = equant_loop_table(s->loop, WIDE * sizeof(long), kind);
	demand_equal(0, equant_loop_array(s->loop, s->count, sizeof(s->count[0])));
	s->narrow = equant_loop_table(s->loop, 3, kind);
	demand(s->wide && s->narrow);
	memset(s->active, 1, sizeof(s->active));
	for (long u = 0; u < UNITS; u++)
		s->content[u] = u;
	equant_for_each_slice(s->wide, u, row)
		fill(s, u, row);
}

static void tear_down(struct setting *s)
{
	struct equant_stats stats = { .sz = sizeof(stats) };
	long moves;

	demand_equal(0, equant_loop_stats(s->loop, &stats));
	MPI_Allreduce(&stats.moves, &moves, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	demand(ranks == 1 || moves > 0);
	must_free(s->loop);
	must_close(s->eq);
}

/* Whoever owns the unit has its slices, and nobody else. */
static void demand_places(struct setting *s)
{
	for (long u = 0; u < UNITS; u++) {
		const unsigned char *narrow = equant_table_slice(s->narrow, u);
		const long *wide = equant_table_slice(s->wide, u);

		demand_equal(equant_loop_owner(s->loop, u) == rank, wide != NULL);
		demand_equal(wide != NULL, narrow != NULL);
		if (!wide)
			continue;
		demand_row(s, u, wide);
		demand_equal(s->steps[u], s->count[u]);
		for (int i = 0; i < 3; i++)
			demand_equal((unsigned char)s->steps[u], narrow[i]);
	}
}

static long received(const struct equant_loop *loop)
{
	struct equant_stats stats = { .sz = sizeof(stats) };

	demand_equal(0, equant_loop_stats(loop, &stats));
	return stats.received;
}

/* Ranks are unequal, and not the same ones for long: work moves. */
static void step(struct setting *s, long number)
{
	double slowness = 1 + (double)((rank * 2 + number / 10 * 3) % 5);
	long here = 0, before = received(s->loop), *row;

	for (long u = 0; u < UNITS; u++)
		s->steps[u] += s->active[u];
	equant_begin(s->loop);
	equant_for_each_slice(s->wide, u, row) {
		demand(s->active[u]);
		fill(s, u, row);
		memset(equant_table_slice(s->narrow, u), (int)s->steps[u], 3);
		s->count[u]++;
		here++;
	}
	compute(20e-6 * slowness * (double)here);
	equant_end(s->loop);
	demand_equal(equant_loop_count(s->loop), here);
	demand_equal(0, equant_hook(s->loop));
	demand_places(s);
	/* What goes in a phase may have to stay until what comes in it is here. */
	here += received(s->loop) - before;
	s->most = here > s->most ? here : s->most;
}

/* An eighth more than was needed at once, or a chunk. */
static void demand_little_memory(const struct setting *s)
{
	const struct equant_pool *pool = &s->wide->pool;
	long chunk = (long)(65536 / pool->slice);

	demand(pool->total <= s->most + (s->most / 8 > chunk ? s->most / 8 : chunk));
}

static void run_kind(enum equant_distribution distribution, enum equant_table_kind kind)
{
	struct setting s;

	set_up(&s, distribution, kind);
	for (long n = 0; n < STEPS; n++)
		step(&s, n);
	demand_little_memory(&s);
	tear_down(&s);
}

/* What is chosen for a loop of this distribution. */
static void run_automatic(enum equant_distribution distribution, enum equant_table_kind kind)
{
	struct setting s;

	set_up(&s, distribution, EQUANT_TABLE_AUTO);
	demand_equal(kind, equant_table_kind(s.wide));
	step(&s, 0);
	must_free(s.loop);
	must_close(s.eq);
}

static void kinds(void)
{
	run_automatic(EQUANT_BLOCK, EQUANT_TABLE_REVERSE);
	run_automatic(EQUANT_BLOCK_ORDER, EQUANT_TABLE_RESTRICTED);
	run_kind(EQUANT_BLOCK, EQUANT_TABLE_SCATTERED);
	run_kind(EQUANT_CYCLIC, EQUANT_TABLE_INDEXED);
	run_kind(EQUANT_BLOCK, EQUANT_TABLE_PACKED);
	run_kind(EQUANT_CYCLIC, EQUANT_TABLE_REVERSE);
	run_kind(EQUANT_BLOCK_ORDER, EQUANT_TABLE_RESTRICTED);
}

static void turn(struct setting *s, long first, long count, int active)
{
	demand_equal(0, active ? equant_loop_activate(s->loop, first, count) :
				 equant_loop_deactivate(s->loop, first, count));
	memset(s->active + first, active, (size_t)count);
}

/* A window over the units moves on; whoever owns the others keeps their slices. */
static void vary(enum equant_distribution distribution)
{
	struct setting s;

	set_up(&s, distribution, EQUANT_TABLE_AUTO);
	turn(&s, 40, UNITS - 40, 0);
	for (long n = 0; n < STEPS; n++) {
		step(&s, n);
		turn(&s, n * 2, 2, 0);
		turn(&s, 40 + n * 2, 2, 1);
		demand_places(&s);
	}
	tear_down(&s);
}

static void varying(void)
{
	vary(EQUANT_BLOCK);
	vary(EQUANT_BLOCK_ORDER);
}

/* ---- copies ------------------------------------------------------------------- */

static int is_around(const struct equant_loop *loop, long unit, long below, long above)
{
	int n;
	const struct equant_range *r = equant_loop_ranges(loop, &n);

	for (int i = 0; i < n; i++)
		if (unit >= r[i].first - below && unit < r[i].first + r[i].count + above)
			return equant_loop_owner(loop, unit) != rank;
	return 0;
}

static void demand_copies(struct setting *s, long below, long above)
{
	for (long u = 0; u < UNITS; u++) {
		const long *copy = equant_table_copy(s->wide, u);

		demand_equal(is_around(s->loop, u, below, above), copy != NULL);
		if (copy)
			demand_row(s, u, copy);
	}
}

static void boundaries(void)
{
	struct setting s;

	for (int order = 0; order < 2; order++) {
		set_up(&s, order ? EQUANT_BLOCK_ORDER : EQUANT_BLOCK, EQUANT_TABLE_AUTO);
		for (long n = 0; n < STEPS; n++) {
			step(&s, n);
			demand_equal(0, equant_loop_ghosts_start(s.loop, n % 3, n / 3 % 5));
			demand_equal(0, equant_loop_ghosts_finish(s.loop));
			demand_copies(&s, n % 3, n / 3 % 5);
		}
		equant_table_forget(s.wide);
		demand_copies(&s, 0, 0);
		tear_down(&s);
	}
}

/* Nobody writes these slices: what came with the units is good for ever, whatever else is exchanged. */
static void neighbours(void)
{
	struct equant_table *constant;
	struct setting s;
	long *value;

	set_up(&s, EQUANT_BLOCK_ORDER, EQUANT_TABLE_AUTO);
	constant = equant_loop_table(s.loop, sizeof(long), EQUANT_TABLE_AUTO);
	demand(constant);
	equant_for_each_slice(constant, u, value)
		*value = 1000 + u;
	demand_equal(0, equant_loop_neighbours(s.loop, 2, 1));
	for (long n = 0; n < STEPS; n++) {
		step(&s, n);
		if (n % 2) {
			demand_equal(0, equant_loop_ghosts_start(s.loop, 1, 1));
			demand_equal(0, equant_loop_ghosts_finish(s.loop));
		}
		for (long u = 0; u < UNITS; u++) {
			const long *copy = equant_table_copy(constant, u);

			demand_equal(is_around(s.loop, u, 2, 1), copy != NULL);
			demand_equal(1000 + u, copy ? *copy : 1000 + u);
		}
	}
	demand_equal(-EINVAL, equant_loop_neighbours(s.loop, -1, 0));
	tear_down(&s);
}

/* Units move between iterations of a pass: what is around each is there when it is its turn. */
static void neighbours_in_passes(void)
{
	struct equant_options o = eager_options();
	struct equant_stats stats = { .sz = sizeof(stats) };
	struct equant_table *constant;
	struct equant_loop *loop;
	struct equant *eq;
	long *value, received;

	o.check = 1;
	o.period = 0.005;
	eq = must_open(MPI_COMM_WORLD, &o);
	loop = must_loop(eq, "rows", UNITS);
	constant = equant_loop_table(loop, sizeof(long), EQUANT_TABLE_AUTO);
	demand(constant);
	equant_for_each_slice(constant, u, value)
		*value = 1000 + u;
	demand_equal(0, equant_loop_neighbours(loop, 2, 1));
	for (long n = 0; n < 4; n++) {
		equant_pass_begin(loop);
		equant_for_each_next(loop, u) {
			for (long v = u < 2 ? 0 : u - 2; v < UNITS && v <= u + 1; v++) {
				const long *at = equant_table_slice(constant, v);

				at = at ? at : equant_table_copy(constant, v);
				demand(at);
				demand_equal(1000 + v, *at);
			}
			compute(2e-4 * (1 + (double)((rank + n) % 3)));
		}
		demand_equal(0, equant_pass_end(loop));
	}
	demand_equal(0, equant_loop_stats(loop, &stats));
	MPI_Allreduce(&stats.received, &received, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	demand(ranks == 1 || received > 0);
	must_free(loop);
	must_close(eq);
}

/* The body reads a unit that is inactive beside the active ones, wherever it is. */
static void add_up(void *ctx, long first, long units, long from, long to)
{
	struct equant_table *table = ctx;

	for (long u = first; u < first + units; u++) {
		const long *above = equant_table_slice(table, u - 1) ?:
					    equant_table_copy(table, u - 1);
		long *own = equant_table_slice(table, u);

		demand(above);
		for (long i = from; i < to; i++)
			own[i] = above[i] + 1;
	}
}

static void sweeps_beside_inactive_units(void)
{
	struct equant_options o = eager_options();
	struct equant *eq = must_open(MPI_COMM_WORLD, &o);
	struct equant_loop *loop = must_loop(eq, "rows", UNITS);
	struct equant_table *table;
	long *slice;

	/* Without anything to pass on it is refused, and can be told then. */
	demand_equal(0, equant_loop_distribute(loop, EQUANT_BLOCK_ORDER));
	table = equant_loop_table(loop, 4 * sizeof(long), EQUANT_TABLE_AUTO);
	demand(table);
	demand_equal(-EINVAL, equant_loop_sweep(loop, 4, add_up, table));
	demand_equal(0, equant_loop_pipelined(loop, table, 0, sizeof(long)));
	equant_for_each_slice(table, u, slice)
		for (int i = 0; i < 4; i++)
			slice[i] = 10 * u + i;
	/* So many that the first ranks have no active ones. */
	demand_equal(0, equant_loop_deactivate(loop, 0, UNITS / 2));
	for (int n = 0; n < 3; n++) {
		demand_equal(0, equant_loop_broadcast(loop, UNITS / 2 - 1));
		demand_equal(0, equant_loop_sweep(loop, 4, add_up, table));
	}
	equant_for_each_slice(table, u, slice)
		for (int i = 0; i < 4 && u >= UNITS / 2; i++)
			demand_equal(10 * (UNITS / 2 - 1) + i + u - UNITS / 2 + 1, slice[i]);
	must_free(loop);
	must_close(eq);
}

static void single_slices(void)
{
	struct setting s;

	set_up(&s, EQUANT_CYCLIC, EQUANT_TABLE_AUTO);
	for (long n = 0; n < STEPS; n++) {
		long a = n * 31 % UNITS, b = n * n % UNITS, content;
		int to = (int)(n % ranks);

		step(&s, n);
		demand_equal(0, equant_loop_broadcast(s.loop, a));
		demand_row(&s, a, equant_table_slice(s.wide, a) ?: equant_table_copy(s.wide, a));
		demand_equal(0, equant_loop_copy(s.loop, b, to));
		if (rank == to)
			demand_row(&s, b,
				   equant_table_slice(s.wide, b) ?: equant_table_copy(s.wide, b));
		equant_table_forget(s.wide);
		equant_table_forget(s.narrow);
		demand(!equant_table_copy(s.wide, a));
		if (s.steps[a] != s.steps[b])
			continue;
		if (n % 2)
			demand_equal(0, equant_loop_exchange(s.loop, a, b));
		else
			demand_equal(0, equant_loop_rename(s.loop, a, b));
		content = s.content[a];
		s.content[a] = s.content[b];
		s.content[b] = content;
		/* The array beside them was exchanged too, and says the same. */
		demand_places(&s);
	}
	tear_down(&s);
}

static void must_not_table(struct equant_loop *loop, size_t slice, int kind, int error)
{
	errno = 0;
	demand(!equant_loop_table(loop, slice, (enum equant_table_kind)kind));
	demand_equal(error, errno);
}

static void misuse(void)
{
	struct equant_options o = eager_options();
	struct equant *eq = must_open(MPI_COMM_WORLD, &o);
	struct equant_loop *loop = must_loop(eq, "rows", UNITS), *differ;
	static long array[UNITS];

	must_not_table(loop, 0, EQUANT_TABLE_AUTO, EINVAL);
	must_not_table(loop, 8, EQUANT_TABLE_RESTRICTED + 1, EINVAL);
	must_not_table(loop, 8, -1, EINVAL);
	must_not_table(loop, 8, EQUANT_TABLE_RESTRICTED, EINVAL);
	must_not_table(loop, (size_t)-1 / 8, EQUANT_TABLE_AUTO, EOVERFLOW);
	demand(equant_loop_table(loop, 8, EQUANT_TABLE_SCATTERED));
	demand_equal(-EBUSY, equant_loop_distribute(loop, EQUANT_CYCLIC));
	equant_begin(loop);
	equant_end(loop);
	demand_equal(0, equant_hook(loop));
	must_not_table(loop, 8, EQUANT_TABLE_AUTO, EBUSY);
	must_free(loop);

	/* Here a table, there an array of the same bytes. */
	differ = must_loop(eq, "differ", UNITS);
	if (rank)
		demand(equant_loop_table(differ, sizeof(long), EQUANT_TABLE_AUTO));
	else
		demand_equal(0, equant_loop_array(differ, array, sizeof(array[0])));
	demand_equal(ranks > 1 ? -EINVAL : 0, equant_hook(differ));
	equant_loop_free(differ);
	must_close(eq);
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = {
		CASE(kinds),
		CASE(varying),
		CASE(boundaries),
		CASE(neighbours, .alone = 1),
		CASE(neighbours_in_passes, .alone = 1),
		CASE(single_slices),
		CASE(sweeps_beside_inactive_units),
		CASE(misuse),
	};

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
