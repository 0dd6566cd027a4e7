// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Changes to a loop nest:
 *
 *	strip mining		a loop becomes a loop over blocks around a loop over one
 *				block; always allowed (section 3.2.3)
 *	message aggregation	what the pipelined loop receives before and sends after
 *				the distributed loop moves out of the block, as one
 *				message of as many bytes (section 3.2.2)
 *	interchange		the distributed loop and the loop in it trade places;
 *				allowed when both are parallel and nothing else is between
 *
 * Reference: Siegell 1995, sections 3.2, 3.3.1 and 4.2.3.  There, interchange
 * comes after strip mining of loops with unknown bounds (fig. 4.5c); here it also gives
 * a distributed loop that is outermost a loop around it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "advise/advise_internal.h"

/* NAME' counts the blocks of NAME, as in the thesis. */
static void name_blocks(char *name, const char *loop)
{
	snprintf(name, EQUANT_NEST_NAME, "%.*s'", EQUANT_NEST_NAME - 2, loop);
}

int equant_strip_mine(struct equant_nest *nest, int loop, long block, unsigned int flags)
{
	struct equant_node blocks = nest->nodes[loop];
	int parent = blocks.parent, before = -1, outer;

	if (!(blocks.flags & EQUANT_LOOP_UNKNOWN))
		blocks.trips = ceil(equant_nest_trips(nest, loop) / (double)block);
	if (blocks.flags & EQUANT_LOOP_DISTRIBUTED)
		blocks.trips *= nest->ranks;
	blocks.cost = 0;
	blocks.flags |= EQUANT_LOOP_BLOCKS | flags;
	name_blocks(blocks.name, nest->nodes[loop].name);
	outer = equant_nest_append(nest, &blocks);
	if (outer < 0)
		return outer;
	for (int i = nest->nodes[parent].first; i != loop; i = nest->nodes[i].next)
		before = i;
	equant_nest_unlink(nest, loop);
	equant_nest_link(nest, outer, parent, before);
	equant_nest_link(nest, loop, outer, -1);
	nest->nodes[loop].trips = (double)block;
	nest->nodes[loop].flags |= EQUANT_LOOP_BLOCK | flags;
	nest->nodes[loop].flags &= ~EQUANT_LOOP_UNKNOWN;
	return outer;
}

int equant_tile(struct equant_nest *nest, int outer, int inner, long outer_block, long inner_block)
{
	int outer_blocks, inner_blocks;

	inner_blocks = equant_strip_mine(nest, inner, inner_block, 0);
	if (inner_blocks < 0)
		return inner_blocks;
	outer_blocks = equant_strip_mine(nest, outer, outer_block, 0);
	if (outer_blocks < 0)
		return outer_blocks;
	equant_nest_unlink(nest, inner);
	equant_nest_unlink(nest, inner_blocks);
	equant_nest_unlink(nest, outer);
	equant_nest_link(nest, inner_blocks, outer_blocks, -1);
	equant_nest_link(nest, outer, inner_blocks, -1);
	equant_nest_link(nest, inner, outer, -1);
	return 0;
}

/* ---- grain --------------------------------------------------------------------- */

static bool communicates(const struct equant_nest *nest, int node)
{
	enum equant_node_kind kind = nest->nodes[node].kind;

	if (kind == EQUANT_NODE_SEND || kind == EQUANT_NODE_RECEIVE || kind == EQUANT_NODE_BARRIER)
		return true;
	for (int i = nest->nodes[node].first; i >= 0; i = nest->nodes[i].next)
		if (communicates(nest, i))
			return true;
	return false;
}

/* Does the loop around the distributed one only receive before it and send after it? */
static bool is_pipeline(const struct equant_nest *nest, int pipelined, int distributed)
{
	bool after = false, received = false, sent = false;

	for (int i = nest->nodes[pipelined].first; i >= 0; i = nest->nodes[i].next) {
		if (!after && nest->nodes[i].kind == EQUANT_NODE_RECEIVE)
			received = true;
		else if (after && nest->nodes[i].kind == EQUANT_NODE_SEND)
			sent = true;
		else if (communicates(nest, i))
			return false;
		after = after || i == distributed;
	}
	return received && sent;
}

/* Of one rank in one iteration of the pipelined loop, in which it has so many units. */
static double operations_of(const struct equant_nest *nest, int pipelined, int distributed,
			    double units)
{
	double operations = nest->nodes[pipelined].cost;

	for (int i = nest->nodes[pipelined].first; i >= 0; i = nest->nodes[i].next) {
		double trips = i == distributed ? units : equant_nest_trips(nest, i);

		if (nest->nodes[i].kind == EQUANT_NODE_STATEMENT)
			operations += nest->nodes[i].cost;
		else if (nest->nodes[i].kind == EQUANT_NODE_LOOP)
			operations += trips * equant_nest_cost(nest, i);
	}
	return operations;
}

/* The mean rank's operations over those of the rank that has most, for which the others wait. */
static double evenness(const struct equant_nest *nest, int pipelined, int distributed, long units)
{
	double trips = equant_nest_trips(nest, distributed);
	double mean = operations_of(nest, pipelined, distributed, trips);
	double most = operations_of(nest, pipelined, distributed, (double)units);

	return most > 0 ? mean / most : 1;
}

/* As long as its rank that has most takes: t_iteration is the longest (section 3.3.1). */
static struct equant_strips pipeline_of(const struct equant_nest *nest, int pipelined,
					int distributed)
{
	struct equant_strips pipeline = {
		.ranks = nest->ranks,
		.iterations = (long)nest->nodes[pipelined].trips,
		.units = (long)ceil(nest->nodes[distributed].trips / nest->ranks),
		.shift_fixed = nest->shift_fixed,
		.byte_time = nest->byte_time,
	};
	double operations = operations_of(nest, pipelined, distributed, (double)pipeline.units);

	for (int i = nest->nodes[pipelined].first; i >= 0; i = nest->nodes[i].next)
		if (nest->nodes[i].kind == EQUANT_NODE_SEND)
			pipeline.bytes += nest->nodes[i].bytes;
	pipeline.unit_time = operations / nest->rate / (double)pipeline.units;
	return pipeline;
}

/* Move a message out of the block, behind @after in the loop over blocks. */
static void aggregate(struct equant_nest *nest, int message, int blocks, int after, long block)
{
	equant_nest_unlink(nest, message);
	equant_nest_link(nest, message, blocks, after);
	nest->nodes[message].bytes *= (double)block;
}

static void aggregate_all(struct equant_nest *nest, int pipelined, int blocks, long block)
{
	int received = -1, sent = pipelined, next;

	for (int i = nest->nodes[pipelined].first; i >= 0; i = next) {
		next = nest->nodes[i].next;
		if (nest->nodes[i].kind == EQUANT_NODE_RECEIVE) {
			aggregate(nest, i, blocks, received, block);
			received = i;
		} else if (nest->nodes[i].kind == EQUANT_NODE_SEND) {
			aggregate(nest, i, blocks, sent, block);
			sent = i;
		}
	}
}

int equant_control_grain(struct equant_nest *nest, struct equant_reason *reason, char *why,
			 size_t why_size)
{
	int distributed = equant_nest_distributed(nest);
	int pipelined = nest->nodes[distributed].parent, blocks, error;
	struct equant_strips pipeline;
	struct equant_block block;

	if (!(nest->nodes[distributed].flags & EQUANT_LOOP_CARRIES) || nest->ranks == 1)
		return 0;
	*reason = (struct equant_reason){ .kind = EQUANT_REASON_NO_GRAIN, .level = 1 };
	memcpy(reason->loop, nest->nodes[pipelined].name, sizeof(reason->loop));
	if (!is_pipeline(nest, pipelined, distributed))
		return 1;
	pipeline = pipeline_of(nest, pipelined, distributed);
	error = equant_block_size(&pipeline, &block, why, why_size);
	if (error)
		return error;
	reason->kind = EQUANT_REASON_GRAIN;
	reason->block = block.size;
	/* What there is to compute is as much as the mean rank has, times ranks. */
	reason->value = block.efficiency * evenness(nest, pipelined, distributed, pipeline.units);
	if (block.size == 1)
		return 1;
	blocks = equant_strip_mine(nest, pipelined, block.size, EQUANT_LOOP_GRAIN);
	if (blocks < 0)
		return blocks;
	aggregate_all(nest, pipelined, blocks, block.size);
	return 1;
}

/* ---- interchange ----------------------------------------------------------------- */

int equant_interchange(struct equant_nest *nest, struct equant_reason *reason)
{
	int outer = equant_nest_distributed(nest), inner = nest->nodes[outer].first;
	struct equant_node *nodes = nest->nodes;
	struct equant_node swap;

	if (nest->between || nodes[outer].parent > 0 || inner < 0 || nodes[inner].next >= 0)
		return 0;
	if (nodes[inner].kind != EQUANT_NODE_LOOP)
		return 0;
	if (!(nodes[outer].flags & nodes[inner].flags & EQUANT_LOOP_PARALLEL))
		return 0;
	*reason = (struct equant_reason){ .kind = EQUANT_REASON_INTERCHANGED, .level = 1 };
	memcpy(reason->loop, nodes[outer].name, sizeof(reason->loop));
	memcpy(reason->other, nodes[inner].name, sizeof(reason->other));

	/* What they are trades places, their links stay. */
	swap = nodes[outer];
	nodes[outer] = nodes[inner];
	nodes[inner] = swap;
	nodes[inner].parent = outer;
	nodes[inner].first = nodes[outer].first;
	nodes[inner].next = -1;
	nodes[outer].parent = swap.parent;
	nodes[outer].first = inner;
	nodes[outer].next = swap.next;
	for (int i = nodes[inner].first; i >= 0; i = nodes[i].next)
		nodes[i].parent = inner;
	return 1;
}
