// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What a strip costs beside its computation: a message, or bytes in memory, to a neighbour, and what measuring
 * takes (Siegell 1995, section 3.3.4).  A rank measures it with both its neighbours, as the way to
 * one may be within a node and to the other through a network, and the dearer one counts: a
 * pipeline is as fast as its slowest link.  All ranks take the largest of all (block.c).
 *
 * Measured before the first sweep, and again when sweeps no longer fit (shift_watch.c).
 */
#include "core/clock.h"
#include "loop/loop_internal.h"

#define ROUNDS 5 /* the least counts: what is above it is something else */

/* Reading the counters. */
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

static int measure_channel(struct equant_loop *loop, int peer, double *least)
{
	double seconds;
	int error = 0;

	for (int i = 0; i < ROUNDS && !error; i++) {
		error = equant_strips_swap(loop, peer, &seconds);
		if (!i || seconds < *least)
			*least = seconds;
	}
	return error;
}

/* Collective: every rank with its neighbour of this round, if it has one. */
static int measure_one(struct equant_loop *loop, int peer, const struct equant_intent *all)
{
	struct equant_pipeline *p = loop->pipeline;
	int near = peer >= 0 && has_channel(loop, peer, all);
	double fixed, byte;
	int error = equant_costs_of_messages(loop, near ? -1 : peer, &fixed, &byte);

	if (!error && near)
		error = equant_channel_open(loop, peer, &all[peer].channel);
	/* Nobody waits for one that cannot. */
	error = equant_check_place(loop, EQUANT_AT_START, 0, error);
	if (!error && near)
		error = measure_channel(loop, peer, &fixed);
	p->shift_fixed = fixed > p->shift_fixed ? fixed : p->shift_fixed;
	p->byte_time = byte > p->byte_time ? byte : p->byte_time;
	/* The next one to read a channel is another rank: what was written for this is to be gone. */
	return equant_check_place(loop, EQUANT_AT_START, 0, error);
}

static double least(double a, double b)
{
	return a < b ? a : b;
}

int equant_shift_cost(struct equant_loop *loop, const struct equant_intent *all, int lower)
{
	struct equant_pipeline *p = loop->pipeline;
	double fixed = p->shift_fixed, byte_time = p->byte_time;
	int error = 0;

	p->shift_fixed = p->byte_time = 0;
	for (int round = 0; round < 2 && !error; round++)
		error = measure_one(loop, equant_costs_neighbour(loop, round), all);
	p->shift_fixed += cost_of_section(loop);
	if (lower) {
		p->shift_fixed = least(p->shift_fixed, fixed);
		p->byte_time = least(p->byte_time, byte_time);
	}
	return error;
}
