// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Before a sweep all ranks say what they are about to do and what they know of the costs.
 * What differs between ranks is an error on all of them and not a message that never
 * comes; what does not is the block size that all of them find.
 */
#include <errno.h>
#include <string.h>

#include "balance/defaults.h"
#include "core/message.h"
#include "loop/loop_internal.h"
#include "loop/replay.h"

static uint64_t layout_of(const struct equant_loop *loop)
{
	const struct equant_pipeline *p = loop->pipeline;
	uint64_t hash = equant_slices_layout(&loop->slices);

	for (int i = 0; i < p->nr_carried; i++) {
		hash = equant_mix(hash ^ (uint64_t)p->carried[i].array);
		hash = equant_mix(equant_mix(hash ^ p->carried[i].offset) ^ p->carried[i].step);
	}
	return hash;
}

static int compare(const struct equant_loop *loop, const struct equant_intent *all, int fault)
{
	const struct equant_intent *mine = &all[loop->rank];

	if (fault)
		return fault;
	for (int r = 0; r < loop->ranks; r++) {
		if (all[r].fault) {
			equant_message("loop %s, rank %d: rank %d has refused the sweep",
				       loop->name, loop->rank, r);
			return -ECANCELED;
		}
		if (all[r].length != mine->length || all[r].sweeps != mine->sweeps) {
			equant_message(
				"loop %s: rank %d's sweep %lld is of %lld iterations, rank %d's sweep %lld of %lld",
				loop->name, loop->rank, (long long)mine->sweeps,
				(long long)mine->length, r, (long long)all[r].sweeps,
				(long long)all[r].length);
			return -EINVAL;
		}
		if (all[r].layout != mine->layout) {
			equant_message(
				"loop %s: ranks %d and %d have registered or pipelined different arrays",
				loop->name, loop->rank, r);
			return -EINVAL;
		}
	}
	return 0;
}

/* For a grain in quanta. */
static double quantum_of(const struct equant_loop *loop)
{
	if (loop->eq->options.quantum > 0)
		return loop->eq->options.quantum;
	return loop->quantum > 0 ? loop->quantum : EQUANT_QUANTUM_UNSEEN;
}

static long best_block(const struct equant_loop *loop, const struct equant_intent *all)
{
	const struct equant_pipeline *p = loop->pipeline;
	long block = equant_block_best(all, loop->units.counts, loop->ranks, p->bytes,
				       loop->eq->options.grain, p->block);

	return equant_tiles_round(&p->tiles, block, (long)all->length);
}

static int choose(struct equant_loop *loop, const struct equant_intent *all)
{
	struct equant_pipeline *p = loop->pipeline;
	long wanted = loop->eq->options.block, recorded = equant_replay_block(loop);

	if (recorded > all->length) {
		equant_message(
			"loop %s: %s has a sweep in strips of %ld iterations, this one is of %lld: another program or input?",
			loop->name, loop->replay->path, recorded, (long long)all->length);
		return -EBADMSG;
	}
	wanted = recorded ? recorded : wanted;
	if (wanted > all->length) {
		equant_message(
			"loop %s: EQUANT_BLOCK=%ld: the sweep is of %lld iterations, a strip cannot have more",
			loop->name, wanted, (long long)all->length);
		return -EINVAL;
	}
	p->block = wanted ? wanted : best_block(loop, all);
	p->strips = (p->length + p->block - 1) / p->block;
	return 0;
}

/* Where the costs make no difference nobody asks whether they are right. */
static int doubt_of(struct equant_loop *loop, const struct equant_intent *all)
{
	const struct equant_options *o = &loop->eq->options;
	struct equant_pipeline *p = loop->pipeline;

	if (loop->ranks == 1 || o->block || o->grain > 0 || equant_replay_block(loop))
		return 0;
	return equant_block_doubtful(&p->watch, all, loop->units.counts, loop->ranks, p->bytes,
				     p->block);
}

/* The block size of this sweep, and for the next ones the costs. */
static int cut(struct equant_loop *loop, const struct equant_intent *all)
{
	struct equant_pipeline *p = loop->pipeline;
	int first = !p->sweeps, doubt = 0, error = 0;

	if (!first && p->length)
		doubt = doubt_of(loop, all);
	if (p->length)
		error = choose(loop, all);
	if (error)
		return error;
	/* One of no iterations, too: sweeps are counted. */
	equant_record_sweep(loop);
	p->sweeps++;
	error = first || doubt ? equant_shift_cost(loop, all, doubt < 0) : 0;
	return error ? equant_loop_fail(loop, error) : 0;
}

int equant_pipeline_agree(struct equant_loop *loop, long length, int fault)
{
	struct equant_pipeline *p = loop->pipeline;
	struct equant_intent intent = {
		.layout = layout_of(loop),
		.length = length,
		.sweeps = p->sweeps,
		.fault = fault,
		.unit_time = p->work > 0 ? p->seconds / p->work : 0,
		.shift_fixed = p->shift_fixed,
		.byte_time = p->byte_time,
		.sent = p->sent,
		.quantum = quantum_of(loop),
		.tiles_known = equant_tiles_known(&p->tiles),
	};
	int error;

	if (!fault)
		equant_channel_prepare(loop, p->bytes * (double)length);
	intent.channel = p->channel.own;
	memcpy(intent.tiles, p->tiles.pace, sizeof(intent.tiles));

	if (!p->exchange)
		p->exchange = equant_exchange_new(&loop->eq->waiter, loop->comm, EQUANT_TAG_SWEEP,
						  sizeof(intent));
	if (!p->exchange) {
		equant_pipeline_abort(loop);
		return equant_loop_fail(loop, -errno);
	}
	error = equant_exchange_start(p->exchange, &intent);
	if (!error)
		error = equant_pipeline_wait_exchange(loop, p->exchange);
	if (error) {
		equant_exchange_cancel(p->exchange);
		return equant_loop_fail(loop, error);
	}
	equant_channel_settle(&p->channel);
	error = compare(loop, equant_exchange_items(p->exchange), fault);
	if (error)
		return error;
	p->length = length;
	p->strips = 0;
	return cut(loop, equant_exchange_items(p->exchange));
}
