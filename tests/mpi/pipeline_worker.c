// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Sweeps through loops with dependences, while units move in mid-sweep.  Values are
 * words that are mixed, so that one that was read too early, too late or never shows.
 */
#include <equant/equant.h>
#include <equant/table.h>
#include <equant/trace.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libjob.h"
#include "loop/loop_internal.h"
#include "libworker.h"

#define SHAPES 12 /* random loops per case */
#define SWEEPS 3
#define PHASES 120 /* of random moves */

/**
 * struct mesh - two arrays of columns, the outermost of which are fixed
 * @a: columns of @length + 1 words, the first of which is not passed on
 * @b: columns of @length half words
 * @table: ... but for the outermost ones, if they are in a slice table
 * @swept: iterations of the sweep
 */
struct mesh {
	long units, length, swept;
	uint64_t *a;
	uint32_t *b;
	struct equant_table *table;
};

/**
 * struct sweeper - a loop and what the sequential program has come to
 * @next: a unit's next iteration; moves with it
 * @farthest: iterations that this rank has begun in this sweep
 * @behind: strips that were computed after a later one, @ahead: that left out units which had them
 * @slowness: seconds per unit and iteration
 */
struct sweeper {
	struct equant *eq;
	struct equant_loop *loop;
	struct mesh mesh, expected;
	long *next;
	long farthest;
	long behind, ahead;
	double slowness;
	struct random random;
};

static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	return x ^ (x >> 27);
}

static void *room(long count, size_t size)
{
	void *p = calloc((size_t)count + 1, size);

	demand(p);
	return p;
}

static uint64_t *column_a(const struct mesh *m, long unit)
{
	return m->a + (unit + 1) * (m->length + 1) + 1;
}

static uint32_t *column_b(const struct mesh *m, long unit)
{
	if (m->table && unit >= 0 && unit < m->units) {
		void *slice = equant_table_slice(m->table, unit);

		/* Copies are read only, and are only read. */
		if (!slice)
			slice = (void *)equant_table_copy(m->table, unit);
		demand(slice);
		return slice;
	}
	return m->b + (unit + 1) * m->length;
}

static void mesh_init(struct mesh *m, long units, long length)
{
	*m = (struct mesh){ .units = units, .length = length, .swept = length };
	m->a = room((units + 2) * (length + 1), sizeof(*m->a));
	m->b = room((units + 2) * length, sizeof(*m->b));
	for (long u = -1; u <= units; u++) {
		for (long i = 0; i < length; i++) {
			column_a(m, u)[i] = mix((uint64_t)(u * 1000 + i));
			column_b(m, u)[i] = (uint32_t)mix((uint64_t)(u * 3000 + i));
		}
	}
}

static void mesh_release(struct mesh *m)
{
	free(m->a);
	free(m->b);
}

/* Reads all that may be read of the neighbours: new below and up to i, old above and from i on. */
static void compute_one(const struct mesh *m, long u, long i)
{
	uint64_t *here = column_a(m, u), *below = column_a(m, u - 1), *above = column_a(m, u + 1);
	uint64_t x = mix(here[i] + 3 * below[i] + 5 * above[i]);

	x += mix(below[0] + below[i / 2] + 7 * column_b(m, u - 1)[i]);
	x += mix(above[m->swept - 1] + 11 * column_b(m, u + 1)[i]);
	if (i > 0)
		x = mix(x ^ here[i - 1] ^ 13 * below[i - 1]);
	if (i < m->swept - 1)
		x = mix(x ^ here[i + 1] ^ 17 * above[i + 1]);
	here[i] = x;
	column_b(m, u)[i] += (uint32_t)(x >> 32);
}

/* The two orders of the sequential program come to the same. */
static void sweep_sequentially(const struct mesh *m, int by_units)
{
	if (by_units) {
		for (long u = 0; u < m->units; u++)
			for (long i = 0; i < m->swept; i++)
				compute_one(m, u, i);
		return;
	}
	for (long i = 0; i < m->swept; i++)
		for (long u = 0; u < m->units; u++)
			compute_one(m, u, i);
}

static void compute_strip(void *ctx, long first, long units, long from, long to)
{
	struct sweeper *s = ctx;

	demand(units > 0 && from < to && to <= s->mesh.swept);
	s->behind += from < s->farthest;
	s->ahead += equant_loop_owner(s->loop, first - 1) == rank;
	if (to > s->farthest)
		s->farthest = to;
	for (long u = first; u < first + units; u++) {
		demand_equal(rank, equant_loop_owner(s->loop, u));
		demand_equal(from, s->next[u]);
		s->next[u] = to;
		for (long i = from; i < to; i++)
			compute_one(&s->mesh, u, i);
	}
	if (s->slowness > 0)
		compute(s->slowness * (double)(units * (to - from)));
}

/* @kind: of a table for the second array, EQUANT_TABLE_AUTO = it is none. */
static void add_second(struct sweeper *s, enum equant_table_kind kind)
{
	struct mesh *m = &s->mesh;
	size_t slice = (size_t)m->length * sizeof(*m->b);

	if (kind == EQUANT_TABLE_AUTO) {
		demand_equal(0, equant_loop_array(s->loop, column_b(m, 0), slice));
		demand_equal(0, equant_loop_pipelined(s->loop, column_b(m, 0), 0, sizeof(*m->b)));
		return;
	}
	m->table = equant_loop_table(s->loop, slice, kind);
	demand(m->table);
	equant_for_each_unit(s->loop, u)
		memcpy(column_b(m, u), column_b(&s->expected, u), slice);
	demand_equal(0, equant_loop_pipelined(s->loop, m->table, 0, sizeof(*m->b)));
}

static void set_up(struct sweeper *s, const struct equant_options *o, long units, long length,
		   enum equant_table_kind kind)
{
	mesh_init(&s->mesh, units, length);
	mesh_init(&s->expected, units, length);
	s->next = room(units, sizeof(*s->next));
	s->eq = must_open(MPI_COMM_WORLD, o);
	s->loop = must_loop(s->eq, "rows", units);
	demand_equal(0, equant_loop_distribute(s->loop, EQUANT_BLOCK_ORDER));
	demand_equal(0, equant_loop_array(s->loop, column_a(&s->mesh, 0) - 1,
					  (size_t)(length + 1) * sizeof(*s->mesh.a)));
	demand_equal(0, equant_loop_array(s->loop, s->next, sizeof(*s->next)));
	add_second(s, kind);
	demand_equal(0, equant_loop_pipelined(s->loop, column_a(&s->mesh, 0) - 1,
					      sizeof(*s->mesh.a), sizeof(*s->mesh.a)));
}

static void audit(struct sweeper *s)
{
	const struct mesh *m = &s->mesh;
	long own = equant_loop_count(s->loop), all;

	equant_for_each_unit(s->loop, u) {
		demand_equal(m->swept, s->next[u]);
		for (long i = 0; i < m->length; i++) {
			if (column_a(m, u)[i] == column_a(&s->expected, u)[i] &&
			    column_b(m, u)[i] == column_b(&s->expected, u)[i])
				continue;
			worker_fail_text(__FILE__, __LINE__, "unit %ld, iteration %ld is wrong", u,
					 i);
		}
	}
	MPI_Allreduce(&own, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	demand_equal(m->units, all);
}

static void sweep_by(struct sweeper *s, int number,
		     void (*body)(void *ctx, long first, long units, long from, long to))
{
	s->farthest = 0;
	equant_for_each_unit(s->loop, u)
		s->next[u] = 0;
	demand_equal(0, equant_loop_sweep(s->loop, s->mesh.swept, body, s));
	sweep_sequentially(&s->expected, number % 2);
	audit(s);
	if (number % 3 == 1)
		demand_equal(0, equant_hook(s->loop));
}

static void sweep(struct sweeper *s, int number)
{
	sweep_by(s, number, compute_strip);
}

static void tear_down(struct sweeper *s)
{
	must_free(s->loop);
	must_close(s->eq);
	mesh_release(&s->mesh);
	mesh_release(&s->expected);
	free(s->next);
}

/* ---- moves at random: the trace of a run that never was ---------------------------- */

static long least(long a, long b)
{
	return a < b ? a : b;
}

/* Any distribution, empty ranks included: in pieces of up to @piece units. */
static void draw_target(struct random *random, long units, long *target)
{
	long piece = 1 + random_below(random, units ? units : 1);
	long busy = 1 + random_below(random, ranks);

	memset(target, 0, (size_t)ranks * sizeof(*target));
	while (units) {
		long count = least(units, 1 + random_below(random, piece));

		target[random_below(random, busy)] += count;
		units -= count;
	}
}

/* Over each boundary what is missing on one side of it, in an order that can be carried out. */
static int instruct(const long *target, long *counts, struct equant_instruction *list)
{
	long have = 0, want = 0;
	int n = 0;

	for (int r = 0; r + 1 < ranks; r++) {
		have += counts[r];
		want += target[r];
		if (want < have)
			list[n++] = (struct equant_instruction){ r, r + 1, have - want };
		else if (want > have)
			list[n++] = (struct equant_instruction){ r + 1, r, want - have };
	}
	for (int begun = 0; begun < n; begun++) {
		struct equant_instruction move;
		int i = begun;

		while (counts[list[i].from] < list[i].units)
			i++;
		move = list[i];
		list[i] = list[begun];
		list[begun] = move;
		counts[move.from] -= move.units;
		counts[move.to] += move.units;
	}
	return n;
}

static struct equant_event *new_event(struct equant_trace_writer *trace, uint32_t type, long phase)
{
	struct equant_event *e = equant_trace_event(trace);

	memset(e, 0, sizeof(*e));
	e->t_ns = 1ull << 62; /* after the trace has begun */
	e->type = type;
	e->phase = (uint32_t)phase;
	return e;
}

static void write_phase(struct equant_trace_writer *trace, long phase, long hooks,
			const struct equant_instruction *list, int count)
{
	struct equant_event *e = new_event(trace, EQUANT_EVENT_SAMPLE, phase);

	e->u.sample.hooks = (uint32_t)hooks;
	for (int i = 0; i < count; i++) {
		e = new_event(trace, EQUANT_EVENT_INSTRUCTIONS, phase);
		e->u.instructions.first = (uint32_t)i;
		e->u.instructions.count = 1;
		e->u.instructions.list[0].from = list[i].from;
		e->u.instructions.list[0].to = list[i].to;
		e->u.instructions.list[0].units = list[i].units;
	}
	e = new_event(trace, EQUANT_EVENT_DECISION, phase);
	e->u.decision.instructions = count;
	e->u.decision.next_hook = 1;
}

static struct equant_trace_writer *create_trace(const char *folder, long units)
{
	struct equant_trace_header header = { .rank = rank,
					      .ranks = ranks,
					      .units = units,
					      .loop = "rows",
					      .probe = "clock",
					      .world = rank };
	struct equant_trace_writer *trace;
	char path[128];

	snprintf(path, sizeof(path), "%s/rows.%d.trace", folder, rank);
	trace = equant_trace_create(path, &header, NULL, 0);
	demand(trace);
	return trace;
}

static void write_trace(const char *folder, long units, struct random *random)
{
	struct equant_trace_writer *trace = create_trace(folder, units);
	struct equant_instruction list[JOB_RANKS];
	long target[JOB_RANKS], counts[JOB_RANKS];

	for (int r = 0; r < ranks; r++)
		counts[r] = units / ranks + (r < units % ranks);
	for (long k = 0; k < PHASES; k++) {
		int count = 0;

		if (random_below(random, 4)) {
			draw_target(random, units, target);
			count = instruct(target, counts, list);
		}
		write_phase(trace, k, 1 + random_below(random, 3), list, count);
	}
	demand_equal(0, equant_trace_close(trace));
}

static void must_have_moved(const struct sweeper *s)
{
	long mine[2] = { s->behind, s->ahead }, all[2];

	MPI_Allreduce(mine, all, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	demand(ranks == 1 || (all[0] > 0 && all[1] > 0));
}

static void share_folder(char *folder, int size)
{
	if (!rank)
		demand_equal(0, folder_make(folder, (size_t)size));
	MPI_Bcast(folder, size, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static void forced_moves(void)
{
	struct sweeper s = { .random = common_random() };
	char folder[64] = "";

	for (int shape = 0; shape < SHAPES; shape++) {
		long units = shape ? random_below(&s.random, 30) : 29;
		long length = shape ? 1 + random_below(&s.random, 30) : 30;
		struct equant_options o = eager_options();

		o.block = shape % 3 == 1 ? 0 : 1 + random_below(&s.random, shape ? length : 4);
		o.tiles = shape % 4 ? random_below(&s.random, 4) : 0;
		o.check = shape % 2;
		o.replay = folder;
		share_folder(folder, sizeof(folder));
		write_trace(folder, units, &s.random);
		set_up(&s, &o, units, length, (enum equant_table_kind)(shape % 6));
		for (int n = 0; n < SWEEPS; n++) {
			/* An automatic block may be longer than the next sweep. */
			if (!o.block)
				s.mesh.swept = s.expected.swept =
					1 + random_below(&s.random, length);
			sweep(&s, n);
		}
		tear_down(&s);
		if (!rank)
			folder_remove(folder);
	}
	must_have_moved(&s);
}

/* ---- moves that were decided on --------------------------------------------------- */

static void loaded_ranks(void)
{
	struct equant_options o = eager_options();
	struct sweeper s = { .random = common_random() };
	struct equant_stats stats = { .sz = sizeof(stats) };
	long moves;

	o.period = 0.002;
	o.check = 1;
	o.block = 2;
	set_up(&s, &o, 60, 40, EQUANT_TABLE_AUTO);
	for (int n = 0; n < 12; n++) {
		s.slowness = 4e-6 * (double)(1 + (rank * 3 + n / 3 * 5) % 7);
		sweep(&s, n);
	}
	demand_equal(0, equant_loop_stats(s.loop, &stats));
	demand_equal(12, stats.sweeps);
	demand_equal(2, stats.block);
	MPI_Allreduce(&stats.moves, &moves, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	demand(ranks == 1 || moves > 0);
	MPI_Allreduce(&stats.computed, &moves, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	demand(labs(moves - 12 * 60) <= ranks);
	tear_down(&s);
}

static void no_balancing(void)
{
	struct equant_options o = eager_options();
	struct sweeper s = { 0 };

	o.balance = 0;
	for (long units = 0; units < 12; units += 3) {
		set_up(&s, &o, units, 1 + units, EQUANT_TABLE_AUTO);
		for (int n = 0; n < 4; n++)
			sweep(&s, n);
		tear_down(&s);
	}
}

/* ---- the block size ------------------------------------------------------------------ */

static long block_of(struct sweeper *s)
{
	struct equant_stats stats = { .sz = sizeof(stats) };

	demand_equal(0, equant_loop_stats(s->loop, &stats));
	demand_same(stats.block);
	return stats.block;
}

/* Long iterations make short strips, and many. */
static void block_sizes(void)
{
	struct equant_options o = eager_options();
	struct sweeper s = { 0 };

	o.balance = 0;
	set_up(&s, &o, 4 * ranks, 400, EQUANT_TABLE_AUTO);
	sweep(&s, 0);
	demand_equal(ranks == 1 ? 400 : (400 + 4 * (ranks - 1) - 1) / (4 * (ranks - 1)),
		     block_of(&s));
	s.slowness = 50e-6;
	sweep(&s, 1);
	sweep(&s, 2);
	demand(block_of(&s) >= 1 && block_of(&s) <= 400);
	demand(ranks == 1 || block_of(&s) < 100);
	tear_down(&s);
}

/* Strips of so much work need no costs; what a competitor takes makes them shorter. */
static void grains(void)
{
	struct equant_options o = eager_options();
	struct sweeper s = { .slowness = 50e-6 };

	o.balance = 0;
	o.quantum = 0.02;
	o.grain = 0.5;
	set_up(&s, &o, 4 * ranks, 400, EQUANT_TABLE_AUTO);
	sweep(&s, 0);
	sweep(&s, 1);
	demand(block_of(&s) >= 1 && block_of(&s) <= 50);
	tear_down(&s);
	o.block = 60;
	set_up(&s, &o, 4 * ranks, 400, EQUANT_TABLE_AUTO);
	sweep(&s, 0);
	sweep(&s, 1);
	demand_equal(60, block_of(&s));
	tear_down(&s);
}

/* ---- tiles ------------------------------------------------------------------------------ */

static long tile_length, strip_length;

static void compute_tile(void *ctx, long first, long units, long from, long to)
{
	long strip = from - from % strip_length;
	long end = strip + strip_length < 40 ? strip + strip_length : 40;

	demand_equal(0, (from - strip) % tile_length);
	demand_equal(least(from + tile_length, end), to);
	compute_strip(ctx, first, units, from, to);
}

/* Strips of a fixed or of the automatic length are computed in tiles of a fixed one, or whole. */
static void tiles(void)
{
	static const long blocks[] = { 10, 10, 10, 0 }, lengths[] = { 3, 10, 1000, 7 };

	for (int i = 0; i < 4; i++) {
		struct equant_options o = eager_options();
		struct sweeper s = { 0 };

		o.block = blocks[i];
		o.tiles = lengths[i];
		set_up(&s, &o, 4 * ranks, 40, EQUANT_TABLE_AUTO);
		for (int n = 0; n < 3; n++) {
			tile_length = o.tiles;
			strip_length = o.block;
			sweep_by(&s, n, o.block ? compute_tile : compute_strip);
			demand(o.block || block_of(&s) < 7 || block_of(&s) % 7 == 0 ||
			       block_of(&s) == 40);
		}
		tear_down(&s);
	}
}

/* ---- ranks abreast ------------------------------------------------------------------- */

#define RANKS_MOST 16
#define ABREAST_STRIPS 12
#define ABREAST_BLOCK 5
#define LATE 20.0 /* seconds after which the others will not come any more */

static double now(void)
{
	return MPI_Wtime();
}

/* All ranks that have a strip in this phase come here before any goes on. */
static void meet_in(int phase)
{
	MPI_Request requests[2 * RANKS_MOST];
	double start = now();
	int n = 0, all = 0;

	for (int r = 0; r < ranks; r++) {
		if (r == rank || phase < r || phase - r >= ABREAST_STRIPS)
			continue;
		MPI_Irecv(NULL, 0, MPI_INT, r, phase, MPI_COMM_WORLD, &requests[n++]);
		MPI_Isend(NULL, 0, MPI_INT, r, phase, MPI_COMM_WORLD, &requests[n++]);
	}
	while (!all) {
		MPI_Testall(n, requests, &all, MPI_STATUSES_IGNORE);
		demand(all || now() - start < LATE);
		sched_yield();
	}
}

static void compute_abreast(void *ctx, long first, long units, long from, long to)
{
	struct sweeper *s = ctx;

	if (from >= s->farthest)
		meet_in((int)(from / ABREAST_BLOCK) + rank);
	compute_strip(ctx, first, units, from, to);
}

/*
 * With a phase at every hook, too, all ranks compute strips at the same time: no hook waits for
 * what another rank says in a later phase of the sweep.  A rank has one unit, which it keeps.
 */
static void abreast(void)
{
	for (int depth = 0; depth < 4; depth++) {
		struct equant_options o = eager_options();
		struct equant_stats stats = { .sz = sizeof(stats) };
		struct sweeper s = { 0 };

		demand(ranks <= RANKS_MOST);
		o.depth = depth;
		o.period = 1e-6;
		o.block = o.tiles = ABREAST_BLOCK;
		set_up(&s, &o, ranks, ABREAST_STRIPS * ABREAST_BLOCK, EQUANT_TABLE_AUTO);
		for (int n = 0; n < 3; n++)
			sweep_by(&s, n, compute_abreast);
		demand_equal(0, equant_loop_stats(s.loop, &stats));
		demand_equal(0, stats.moves);
		demand(stats.phases >= 3 * (ABREAST_STRIPS + ranks - 1) / 2);
		tear_down(&s);
	}
}

/* ---- a rank ahead --------------------------------------------------------------------- */

#define AHEAD_STRIPS 2000
#define AHEAD_FIRST 1100 /* strips that rank 0 is ahead of rank 1 when that one begins */

static long *reached; /* by rank: the strip it is at */

static long reached_by(int r)
{
	return __atomic_load_n(&reached[r], __ATOMIC_ACQUIRE);
}

static void await(int r, long strip)
{
	for (double end = now() + LATE; reached_by(r) < strip && now() < end;)
		usleep(100);
	demand(reached_by(r) >= strip);
}

/*
 * Rank 1 has to get all that rank 0 has computed while that one is at its last strip, and calls
 * nothing that would hand it on.
 */
static void compute_ahead(void *ctx, long first, long units, long from, long to)
{
	__atomic_store_n(&reached[rank], from, __ATOMIC_RELEASE);
	if (rank == 1 && !from)
		await(0, AHEAD_FIRST);
	if (!rank && ranks > 1 && to == AHEAD_STRIPS)
		await(1, AHEAD_STRIPS - 2);
	compute_strip(ctx, first, units, from, to);
}

static void ahead(void)
{
	struct equant_options o = eager_options();
	struct sweeper s = { 0 };
	size_t bytes = (size_t)ranks * sizeof(*reached);
	MPI_Aint size = rank ? 0 : (MPI_Aint)bytes;
	MPI_Win window;
	int unit;

	MPI_Win_allocate_shared(size, sizeof(*reached), MPI_INFO_NULL, MPI_COMM_WORLD, &reached,
				&window);
	MPI_Win_shared_query(window, 0, &size, &unit, &reached);
	reached[rank] = 0;
	MPI_Barrier(MPI_COMM_WORLD);
	o.balance = 0;
	o.block = 1;
	set_up(&s, &o, ranks, AHEAD_STRIPS, EQUANT_TABLE_AUTO);
	sweep_by(&s, 0, compute_ahead);
	tear_down(&s);
	MPI_Win_free(&window);
}

/* ---- slow messages -------------------------------------------------------------------- */

/* A rank's messages, one after the other, take it so long at least. */
static void delays(void)
{
	struct equant_options o = eager_options();
	struct equant_stats stats = { .sz = sizeof(stats) };
	struct sweeper s = { 0 };
	double start = now(), sweeping;

	o.delay = 1e-3;
	o.block = 10;
	o.depth = 0;
	set_up(&s, &o, 4 * ranks, 40, EQUANT_TABLE_AUTO);
	sweep(&s, 0);
	sweeping = now();
	sweep(&s, 1);
	if (rank < ranks - 1)
		demand(now() - sweeping >= 4 * o.delay);
	demand_equal(0, equant_loop_stats(s.loop, &stats));
	demand(ranks == 1 || stats.messages > 0);
	demand(now() - start >= (double)stats.messages * o.delay);
	start = now();
	for (int i = 0; i < 5; i++)
		demand_equal(0, equant_barrier(s.eq));
	demand(ranks == 1 || now() - start >= 5 * o.delay);
	tear_down(&s);
}

/* ---- what messages cost ------------------------------------------------------------------ */

#define DEAR 0.0005 /* seconds of a message */
#define ABSURD 1e3

/* All ranks use the largest. */
static double cost_in_use(const struct sweeper *s)
{
	double cost = s->loop->pipeline->shift_fixed;

	MPI_Allreduce(MPI_IN_PLACE, &cost, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return cost;
}

static void delay(struct sweeper *s, double seconds)
{
	s->eq->waiter.delay_ns = (uint64_t)(1e9 * seconds);
}

/* As between nodes: strips are messages. */
static void part_nodes(struct sweeper *s)
{
	s->eq->waiter.node = NULL;
}

/* Only between the last rank, which has no neighbour but this one, and the one before messages are dear. */
static void both_neighbours(void)
{
	for (int apart = 0; apart < 2; apart++) {
		struct equant_options o = eager_options();
		struct sweeper s = { 0 };

		o.balance = 0;
		set_up(&s, &o, 4 * ranks, 12, EQUANT_TABLE_AUTO);
		if (apart)
			part_nodes(&s);
		if (rank == ranks - 1)
			delay(&s, DEAR);
		sweep(&s, 0);
		demand(ranks == 1 || cost_in_use(&s) >= DEAR);
		tear_down(&s);
	}
}

/* What the last sweep has taken, whatever it was: per unit and iteration, on this rank. */
static void make_up(struct sweeper *s, double unit_time)
{
	s->loop->pipeline->seconds = unit_time * s->loop->pipeline->work;
}

static int sweeps_until(struct sweeper *s, int *n, double unit_time, double low, double high)
{
	for (int i = 0; i < 6; i++) {
		double cost = cost_in_use(s);

		if (cost >= low && cost < high)
			return 1;
		make_up(s, unit_time);
		sweep(s, (*n)++);
	}
	return 0;
}

/*
 * A rank is busy for so long with each message from now on, and later no longer.  What was measured before
 * is made next to nothing and absurd, and times of computation short and long, so that nothing that other
 * processes do makes a difference.
 */
static void costs_follow(void)
{
	for (int apart = 0; apart < 2 && ranks > 1; apart++) {
		struct equant_options o = eager_options();
		struct sweeper s = { 0 };
		int n = 0;

		o.balance = 0;
		set_up(&s, &o, 4 * ranks, 12, EQUANT_TABLE_AUTO);
		if (apart)
			part_nodes(&s);
		sweep(&s, n++);
		s.loop->pipeline->shift_fixed = 1e-6;
		s.loop->pipeline->byte_time = 0;
		delay(&s, DEAR);
		demand(sweeps_until(&s, &n, 1e-6, DEAR, ABSURD));
		delay(&s, 0);
		s.loop->pipeline->shift_fixed = ABSURD;
		demand(sweeps_until(&s, &n, 1, 0, ABSURD));
		tear_down(&s);
	}
}

/* ---- misuse --------------------------------------------------------------------------- */

static void misuse(void)
{
	struct equant_options o = eager_options();
	struct sweeper s = { 0 };
	struct equant_loop *other;

	o.block = 9;
	set_up(&s, &o, 20, 10, EQUANT_TABLE_AUTO);
	demand_equal(-EINVAL, equant_loop_pipelined(s.loop, &s, 0, 8));
	demand_equal(-EINVAL, equant_loop_pipelined(s.loop, NULL, 0, 8));
	demand_equal(-EINVAL, equant_loop_pipelined(s.loop, s.next, 0, 0));
	demand_equal(-EINVAL, equant_loop_pipelined(s.loop, s.next, 4, 8));
	demand_equal(-EINVAL, equant_loop_sweep(s.loop, -1, compute_strip, &s));
	demand_equal(-EINVAL, equant_loop_sweep(s.loop, 11, compute_strip, &s));
	demand_equal(-EINVAL, equant_loop_sweep(s.loop, 10, NULL, &s));
	demand_equal(-EINVAL, equant_loop_sweep(s.loop, 8, compute_strip, &s));
	demand_equal(0, equant_loop_sweep(s.loop, 0, compute_strip, &s));
	demand_equal(0, equant_loop_ghosts_start(s.loop, 1, 1));
	demand_equal(-EINVAL, equant_loop_sweep(s.loop, 10, compute_strip, &s));
	demand_equal(0, equant_loop_ghosts_finish(s.loop));
	demand_equal(0, equant_loop_deactivate(s.loop, 7, 2));
	demand_equal(-EINVAL, equant_loop_sweep(s.loop, 10, compute_strip, &s));
	demand_equal(0, equant_loop_activate(s.loop, 7, 2));
	equant_begin(s.loop);
	demand_equal(-EINVAL, equant_loop_sweep(s.loop, 10, compute_strip, &s));
	equant_end(s.loop);
	other = must_loop(s.eq, "in blocks", 20);
	demand_equal(-EINVAL, equant_loop_sweep(other, 10, compute_strip, &s));
	demand_equal(0, equant_loop_distribute(other, EQUANT_BLOCK_ORDER));
	demand_equal(-EINVAL, equant_loop_sweep(other, 10, compute_strip, &s));
	must_free(other);
	/* After all that it still works. */
	sweep(&s, 0);
	demand_equal(-EBUSY, equant_loop_pipelined(s.loop, s.next, 0, 8));
	tear_down(&s);
}

static void disagreement(void)
{
	struct equant_options o = eager_options();
	struct sweeper s = { 0 };
	int odd = rank == ranks - 1 && ranks > 1;

	set_up(&s, &o, 20, 10, EQUANT_TABLE_AUTO);
	if (ranks > 1) {
		demand_equal(-EINVAL, equant_loop_sweep(s.loop, odd ? 9 : 10, compute_strip, &s));
		demand_equal(odd ? -EINVAL : -ECANCELED,
			     equant_loop_sweep(s.loop, odd ? -1 : 10, compute_strip, &s));
	}
	sweep(&s, 0);
	tear_down(&s);

	set_up(&s, &o, 20, 10, EQUANT_TABLE_AUTO);
	if (odd)
		demand_equal(0, equant_loop_pipelined(s.loop, column_b(&s.mesh, 0), 1, 2));
	demand_equal(ranks > 1 ? -EINVAL : 0, equant_loop_sweep(s.loop, 10, compute_strip, &s));
	tear_down(&s);
}

static void nothing(void *ctx, long first, long units, long from, long to)
{
}

/* Of two that are alike each rank has registered both. */
static void other_array(void)
{
	static double arrays[2][20][10];
	struct equant_options o = eager_options();
	struct equant *eq = must_open(MPI_COMM_WORLD, &o);
	struct equant_loop *loop = must_loop(eq, "rows", 20);

	demand_equal(0, equant_loop_distribute(loop, EQUANT_BLOCK_ORDER));
	for (int i = 0; i < 2; i++)
		demand_equal(0, equant_loop_array(loop, arrays[i], sizeof(arrays[i][0])));
	demand_equal(0, equant_loop_pipelined(loop, arrays[!rank], 0, sizeof(double)));
	demand_equal(ranks > 1 ? -EINVAL : 0, equant_loop_sweep(loop, 10, nothing, NULL));
	must_free(loop);
	must_close(eq);
}

/* ---- failures -------------------------------------------------------------------------- */

static size_t no_size(void *ctx, long unit)
{
	return 0;
}

static void no_pack(void *ctx, long unit, void *buffer)
{
}

static int refuse_unit(void *ctx, long unit, const void *buffer, size_t size)
{
	return -EPERM;
}

/* Work arrives that a rank cannot take in; the others wait for its strips, and are told. */
static void failure(void)
{
	const struct equant_data_ops ops = {
		.sz = sizeof(ops), .size = no_size, .pack = no_pack, .unpack = refuse_unit
	};
	struct equant_options o = eager_options();
	struct sweeper s = { .random = common_random() };
	int error = 0, worst;

	o.block = 1;
	set_up(&s, &o, 60, 40, EQUANT_TABLE_AUTO);
	demand_equal(0, equant_loop_data(s.loop, &ops, NULL));
	for (int n = 0; n < 200 && !error; n++) {
		s.slowness = 4e-6 * (double)(1 + (rank * 3 + n / 3 * 5) % 7);
		s.farthest = 0;
		equant_for_each_unit(s.loop, u)
			s.next[u] = 0;
		error = equant_loop_sweep(s.loop, 40, compute_strip, &s);
		if (error)
			break;
	}
	MPI_Allreduce(&error, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	demand(worst < 0);
	demand(error == -EPERM || error == -ECANCELED);
	demand_equal(error, equant_loop_sweep(s.loop, 40, compute_strip, &s));
	demand_equal(error, equant_loop_free(s.loop));
	must_close(s.eq);
}

/* One unit from rank 0 to rank 1 in one of the phases. */
static void write_move(const char *folder, long units, long phase)
{
	static const struct equant_instruction move = { 0, 1, 1 };
	struct equant_trace_writer *trace = create_trace(folder, units);

	for (long k = 0; k <= phase + 1; k++)
		write_phase(trace, k, 1, &move, k == phase);
	demand_equal(0, equant_trace_close(trace));
}

/* The first rank has computed all of its strips and waits for nothing but the others' samples. */
static void late_failure(void)
{
	const struct equant_data_ops ops = {
		.sz = sizeof(ops), .size = no_size, .pack = no_pack, .unpack = refuse_unit
	};
	struct equant_options o = eager_options();
	struct sweeper s = { .random = common_random() };
	char folder[64] = "";
	int error;

	share_folder(folder, sizeof(folder));
	write_move(folder, 30, 7);
	o.block = 1;
	o.replay = folder;
	set_up(&s, &o, 30, 8, EQUANT_TABLE_AUTO);
	demand_equal(0, equant_loop_data(s.loop, &ops, NULL));
	error = equant_loop_sweep(s.loop, 8, compute_strip, &s);
	demand_equal(rank == 1 ? -EPERM : -ECANCELED, error);
	/* Nobody has freed the loop yet. */
	MPI_Barrier(MPI_COMM_WORLD);
	demand_equal(error, equant_loop_free(s.loop));
	must_close(s.eq);
	if (!rank)
		folder_remove(folder);
}

/* In checked mode a rank that stays away is an error. */
static void silence(void)
{
	struct equant_options o = eager_options();
	struct sweeper s = { 0 };

	o.check = 1;
	o.timeout = 0.3;
	set_up(&s, &o, 20, 10, EQUANT_TABLE_AUTO);
	if (rank)
		demand_equal(-ETIMEDOUT, equant_loop_sweep(s.loop, 10, compute_strip, &s));
	MPI_Barrier(MPI_COMM_WORLD);
	equant_loop_free(s.loop);
	equant_close(s.eq);
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = {
		CASE(forced_moves),
		CASE(loaded_ranks),
		CASE(no_balancing),
		CASE(block_sizes),
		CASE(grains),
		CASE(abreast),
		CASE(ahead),
		CASE(delays),
		CASE(tiles),
		CASE(both_neighbours),
		CASE(costs_follow),
		CASE(misuse, .alone = 1),
		CASE(disagreement),
		CASE(other_array),
		CASE(failure, .least = 2),
		CASE(late_failure, .least = 2),
		CASE(silence, .least = 2),
	};

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
