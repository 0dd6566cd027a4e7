// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Before a sweep all ranks say what they are about to do and what they know of the costs.
 * What differs between ranks is an error on all of them and not a message that never
 * comes; what does not is the block size that all of them find.
 */
#include <errno.h>
#include <string.h>

#include "balance/defaults.h"
#include "core/clock.h"
#include "core/message.h"
#include "loop/loop_internal.h"
#include "loop/replay.h"

#define ROUNDS 5 /* the least counts: what is above it is something else */

static uint64_t layout_of(const struct equant_loop *loop)
{
	const struct equant_pipeline *p = loop->pipeline;
	uint64_t hash = equant_slices_layout(&loop->slices);

	for (int i = 0; i < p->nr_carried; i++)
		hash = equant_mix(equant_mix(hash ^ p->carried[i].offset) ^ p->carried[i].step);
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

/* What a strip costs beside its computation and its message: reading the counters. */
static double cost_of_section(const struct equant_loop *loop)
{
	struct equant_probe *probe = loop->eq->waiter.probe; /* none that reading uses up */
	struct equant_counters seen;
	double least = 0;

	for (int i = 0; probe && i < ROUNDS; i++) {
		uint64_t start = equant_now_ns();
		double cost;

		equant_probe_read(probe, &seen);
		equant_probe_read(probe, &seen);
		cost = 1e-9 * (double)(equant_now_ns() - start);
		if (!i || cost < least)
			least = cost;
	}
	return least;
}

/* Do the two write to each other?  Both find the same. */
static int has_channel(const struct equant_loop *loop, int peer, const struct equant_intent *all)
{
	return all[peer].channel.fd >= 0 && all[loop->rank].channel.fd >= 0 &&
	       equant_channel_reaches(loop, peer);
}

static int is_among_its_own(const struct equant_loop *loop)
{
	int below = loop->rank - 1, above = loop->rank + 1;

	return (below < 0 || equant_channel_reaches(loop, below)) &&
	       (above == loop->ranks || equant_channel_reaches(loop, above));
}

/* What a strip costs where no message is needed; the largest cost of all ranks counts. */
static int measure_channel(struct equant_loop *loop, int peer)
{
	struct equant_pipeline *p = loop->pipeline;
	double least = 0, seconds;
	int error = 0;

	for (int i = 0; i < ROUNDS && !error; i++) {
		error = equant_strips_swap(loop, peer, &seconds);
		if (!i || seconds < least)
			least = seconds;
	}
	if (!error && is_among_its_own(loop)) {
		p->shift_fixed = least;
		p->byte_time = 0;
	}
	return error;
}

static int measure_costs(struct equant_loop *loop, const struct equant_intent *all)
{
	struct equant_pipeline *p = loop->pipeline;
	int error = equant_costs_of_messages(loop, &p->shift_fixed, &p->byte_time);
	int peer = loop->rank ^ 1, near = peer < loop->ranks && has_channel(loop, peer, all);

	if (!error && near)
		error = equant_channel_open(loop, peer, &all[peer].channel);
	/* Nobody waits for one that cannot. */
	error = equant_check_place(loop, EQUANT_AT_START, 0, error);
	if (!error && near)
		error = measure_channel(loop, peer);
	p->shift_fixed += cost_of_section(loop);
	/* The next one to read a channel is another rank: what was written for this is to be gone. */
	return equant_check_place(loop, EQUANT_AT_START, 0, error);
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
	if (length)
		error = choose(loop, equant_exchange_items(p->exchange));
	/* One of no iterations, too: sweeps are counted. */
	if (!error)
		equant_record_sweep(loop);
	if (!error && !p->sweeps++)
		error = measure_costs(loop, equant_exchange_items(p->exchange));
	return error;
}
