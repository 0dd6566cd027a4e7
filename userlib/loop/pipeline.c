// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A sweep through a loop whose iterations depend on the one before (DOACROSS): the loop
 * inside it is cut into strips, and while a rank computes one strip of its units the rank
 * after it computes the strip before (Siegell 1995, sections 1.2.3 and 3.3, figure 3.5).
 *
 * With M strips on P ranks there are M + P - 1 phases; rank r computes strip p - r in phase p,
 * if there is one, sends it on, and calls the hook (figure 4.3).  Nothing that a rank needs
 * before its hook is sent after another rank's hook of the same number, so a hook at
 * which all ranks meet cannot be a deadlock.
 *
 * Units that move at a hook come with their progress (section 6.5, figure 6.10).  Those from
 * the rank after are behind: they are computed at once up to where this rank is.  Those from
 * the rank before are ahead: they are left out until the rank's own units have caught up.
 * Both are one rule: a strip is computed for the units that have not done it, which are the
 * upper ones of a block.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "core/message.h"
#include "loop/loop_internal.h"

long equant_strips_due(const struct equant_pipeline *p, int rank)
{
	long due = p->phase + 1 - rank;

	return due < 0 ? 0 : due < p->strips ? due : p->strips;
}

/* ---- before a sweep ------------------------------------------------------------------ */

/* A block per rank, one after the other. */
static int is_one_block_each(const struct equant_loop *loop)
{
	long next = -1;

	for (int r = 0; r < loop->ranks; r++) {
		const struct equant_runs *own = &loop->units.owned[r];

		if (own->n > 1 || (own->n && next >= 0 && own->ranges[0].first != next))
			return 0;
		if (own->n)
			next = own->ranges[0].first + own->ranges[0].count;
	}
	return 1;
}

static const char *find_fault(const struct equant_loop *loop, long length, int has_body)
{
	const struct equant_options *o = &loop->eq->options;
	const struct equant_pipeline *p = loop->pipeline;

	/* The first hook would say so, too, when strips have been computed that others wait for. */
	if (o->balance && o->mode)
		return "asynchronous mode on a DOACROSS loop, whose units keep their order";
	if (!loop->restricted)
		return "the loop is not distributed in EQUANT_BLOCK_ORDER";
	if (!p->nr_carried)
		return "no array is pipelined, see equant_loop_pipelined()";
	if (!has_body)
		return "no body";
	if (length < 0)
		return "a negative length";
	if (!equant_carried_fit(loop, length))
		return "the slices of a pipelined array have no room for so many iterations";
	if (!is_one_block_each(loop))
		return "there are inactive units between active ones";
	if (loop->in_section)
		return "within a compute section";
	if (loop->ghosts.under_way)
		return "an exchange of ghosts is not finished";
	if (p->tables && (loop->below || loop->above))
		return "equant_loop_neighbours() would drop copies of a pipelined table";
	return NULL;
}

static int set_up(struct equant_loop *loop)
{
	struct equant_pipeline *p = equant_pipeline_of(loop);
	size_t ranks = (size_t)loop->ranks, units = (size_t)loop->units.units;

	if (!p)
		return -ENOMEM;
	if (p->done)
		return 0;
	p->blocks = calloc(ranks, sizeof(*p->blocks));
	p->before = calloc(ranks, sizeof(*p->before));
	p->done = calloc(units + 1, sizeof(*p->done));
	if (!p->blocks || !p->before || !p->done)
		return -ENOMEM;
	return 0;
}

/* What a rank cannot do it says with its part of the agreement: the others wait for that. */
static int agree(struct equant_loop *loop, long length, int has_body)
{
	const char *fault = find_fault(loop, length, has_body);
	int error = 0;

	if (loop->eq->options.check || (!loop->started && !loop->pipeline->sweeps))
		error = equant_check_place(loop, EQUANT_AT_SWEEP, 0, 0);
	if (error)
		return equant_loop_fail(loop, error);
	if (fault)
		equant_message("loop %s, rank %d: equant_loop_sweep: %s", loop->name, loop->rank,
			       fault);
	return equant_pipeline_agree(loop, length, fault ? -EINVAL : 0);
}

/* ---- a sweep -------------------------------------------------------------------------- */

/* A part of a strip, tile by tile.  What a few units take tells nothing. */
static long compute_tiles(struct equant_loop *loop, const struct equant_range *units, long from,
			  long to)
{
	struct equant_pipeline *p = loop->pipeline;
	struct equant_tile tile = { .length = to - from, .iterations = to - from };
	int tells = 2 * units->count > p->blocks[loop->rank].count;
	uint64_t start;

	if (!equant_replay_tile(loop, to - from, &tile))
		tile = equant_tiles_next(&p->tiles, p->block, to - from, tells);
	equant_record_tile(loop, &tile, to - from);
	p->parts++;
	start = tile.tried ? equant_now_ns() : 0;
	to = from + tile.iterations;
	for (long at = from; at < to; at += tile.length)
		p->body(p->ctx, units->first, units->count, at,
			to - at > tile.length ? at + tile.length : to);
	loop->window.tried |= tile.tried;
	if (tile.tried)
		equant_tiles_took(&p->tiles, 1e-9 * (double)(equant_now_ns() - start), units->count,
				  tile.iterations);
	return to;
}

static void compute(struct equant_loop *loop, long first, long units, long strip)
{
	struct equant_pipeline *p = loop->pipeline;
	const struct equant_range range = { first, units };
	long from = strip * p->block;
	long to = p->length - from > p->block ? from + p->block : p->length;
	uint64_t before = loop->window.wall_ns;
	double work = (double)units * (double)(to - from);

	equant_begin(loop);
	for (long at = from; at < to;)
		at = compute_tiles(loop, &range, at, to);
	equant_end_work(loop, work / (double)p->length);
	p->seconds += 1e-9 * (double)(loop->window.wall_ns - before);
	p->work += work;
}

/* Sends the strip on and notes how long that took, but for a wait, after the computation of a whole one. */
static int send_strip(struct equant_loop *loop, long unit, long strip)
{
	struct equant_pipeline *p = loop->pipeline;
	uint64_t before = loop->last_ns, waited = p->waited_ns, taken;
	int error = equant_strips_send(loop, p->right, unit, strip, strip + 1);
	double sent;

	if (error || p->length - strip * p->block < p->block)
		return error;
	taken = equant_since(equant_now_ns(), before);
	sent = 1e-9 * (double)equant_since(taken, p->waited_ns - waited);
	if (!(p->sent > 0) || sent < p->sent)
		p->sent = sent;
	return 0;
}

/*
 * The units of the block that have not done the strip: its upper ones.  The last one waits
 * for old values from the rank after, which may come while the others are computed.
 */
static int compute_strip(struct equant_loop *loop, long strip)
{
	struct equant_pipeline *p = loop->pipeline;
	const struct equant_range *own = &p->blocks[loop->rank];
	long first = own->first, last = own->first + own->count - 1;
	int error;

	while (first <= last && p->done[first] > strip)
		first++;
	if (first > last)
		return 0;
	error = equant_strips_await(loop, strip);
	if (!error)
		error = equant_strips_expect(loop);
	if (error)
		return error;
	if (p->above != MPI_REQUEST_NULL && first < last) {
		compute(loop, first, last - first, strip);
		first = last;
	}
	error = equant_above_await(loop);
	if (error)
		return error;
	compute(loop, first, last - first + 1, strip);
	return p->right < 0 ? 0 : send_strip(loop, last, strip);
}

/* Units have moved: the foreign ones that are behind catch up. */
static int take_over(struct equant_loop *loop)
{
	struct equant_pipeline *p = loop->pipeline;
	int error = equant_boundaries_draw(loop);
	const struct equant_range *own = &p->blocks[loop->rank];
	long strip;

	p->moved = 0;
	if (!own->count)
		return error;
	for (strip = p->done[own->first + own->count - 1];
	     strip < equant_strips_due(p, loop->rank) && !error; strip++)
		error = compute_strip(loop, strip);
	return error;
}

static int phase(struct equant_loop *loop)
{
	struct equant_pipeline *p = loop->pipeline;
	long strip = p->phase - loop->rank;
	int error = 0;

	if (strip >= 0 && strip < p->strips)
		error = compute_strip(loop, strip);
	if (!error)
		error = equant_hook(loop);
	if (!error && p->moved)
		error = take_over(loop);
	return error;
}

/* Copies of units beyond them are what the program wants the body to read there. */
static void forget_active(struct equant_loop *loop)
{
	struct equant_range all = { 0, 0 };

	for (int r = 0; r < loop->ranks; r++) {
		const struct equant_runs *own = &loop->units.owned[r];

		if (own->n && !all.count)
			all.first = own->ranges[0].first;
		all.count += own->total;
	}
	equant_slices_forget(&loop->slices, &all);
}

static int begin(struct equant_loop *loop)
{
	struct equant_pipeline *p = loop->pipeline;

	free(p->copy);
	p->copy = malloc((size_t)((double)p->length * p->bytes) + 1);
	if (!p->copy)
		return -ENOMEM;
	if (p->tables)
		forget_active(loop);
	memset(p->done, 0, (size_t)loop->units.units * sizeof(*p->done));
	memset(p->blocks, 0, (size_t)loop->ranks * sizeof(*p->blocks));
	p->seconds = 0;
	p->work = 0;
	p->sent = 0;
	p->moved = 0;
	p->phase = -1;
	equant_tiles_sweep(&p->tiles);
	return equant_boundaries_draw(loop);
}

static int run(struct equant_loop *loop)
{
	struct equant_pipeline *p = loop->pipeline;
	int error = begin(loop);

	for (p->phase = 0; p->phase < p->strips + loop->ranks - 1 && !error; p->phase++)
		error = phase(loop);
	if (!error)
		error = equant_strips_settle(loop);
	/* Of what was passed on, the rest has never come. */
	if (!error && p->tables)
		forget_active(loop);
	return error;
}

int equant_loop_sweep(struct equant_loop *loop, long length,
		      void (*body)(void *ctx, long first, long units, long from, long to),
		      void *ctx)
{
	struct equant_pipeline *p = loop->pipeline;
	int error;

	if (p && p->under_way) {
		equant_message("loop %s, rank %d: equant_loop_sweep: called within a sweep",
			       loop->name, loop->rank);
		return -EINVAL;
	}
	error = loop->error ? loop->error : set_up(loop);
	if (error) {
		equant_pipeline_abort(loop);
		return equant_loop_fail(loop, error);
	}
	error = agree(loop, length, body != NULL);
	p = loop->pipeline;
	if (error || !p->strips || !equant_units_active(&loop->units))
		return error;
	p->body = body;
	p->ctx = ctx;
	p->under_way = 1;
	error = run(loop);
	p->under_way = 0;
	if (!error)
		return 0;
	equant_pipeline_abort(loop);
	equant_strips_abandon(loop);
	return equant_loop_fail(loop, error);
}

/* ---- in the middle of it ------------------------------------------------------------- */

int equant_pipeline_settle(struct equant_loop *loop)
{
	struct equant_pipeline *p = loop->pipeline;
	uint64_t waited;
	int error;

	if (!p || !p->under_way)
		return 0;
	waited = p->waited_ns;
	error = equant_strips_settle(loop);
	if (!error)
		error = equant_strips_drain(loop);
	loop->waiting_ns += p->waited_ns - waited;
	p->moved = 1;
	return error;
}

void equant_pipeline_abort(struct equant_loop *loop)
{
	if (loop->pipeline)
		equant_loop_abort(loop);
}
