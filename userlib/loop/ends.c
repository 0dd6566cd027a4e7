// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* How the balancing of a loop begins, at the first hook, and how it ends. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/affinity.h"
#include "core/message.h"
#include "core/mpi_error.h"
#include "loop/loop_internal.h"

struct equant_balance_options equant_loop_balancing(const struct equant_loop *loop,
						    const struct equant_costs *costs)
{
	const struct equant_options *o = &loop->eq->options;
	struct equant_balance_options b;

	equant_balance_options_init(&b);
	b.mode = (enum equant_rate_mode)o->rate;
	b.threshold = o->threshold;
	b.profit = o->profit;
	b.window = o->window;
	b.interact_fraction = o->interact;
	b.amplitude = o->amplitude;
	b.period = o->period;
	b.move_fixed = costs->fixed;
	b.move_per_unit = costs->per_unit;
	b.interact = costs->interact;
	b.ports = o->ports;
	b.omit = o->omit;
	b.moves_allowed = !loop->replay;
	if (loop->restricted)
		b.movement = EQUANT_MOVEMENT_RESTRICTED;
	b.filter = (enum equant_filter_kind)o->filter;
	b.polls = o->polls || o->wait == EQUANT_WAIT_SPIN || o->wait == EQUANT_WAIT_YIELD;
	b.quantum = o->quantum;
	b.quanta = o->quanta;
	/* Ranks in a sweep wait for strips, not for each other, and can use all of their shares. */
	b.restraint = equant_is_pipelined(loop) ? 1 : o->restraint;
	b.prompt = !loop->pass && o->prompt;
	b.steady = o->steady;
	return b;
}

static int make_balancer(struct equant_loop *loop, const struct equant_costs *costs,
			 const struct equant_affinity *affinities)
{
	struct equant_balance_options balancing = equant_loop_balancing(loop, costs);

	if (!affinities)
		return -ENOMEM;
	loop->balancer = equant_balancer_new(loop->ranks, &balancing);
	loop->control->balancer = loop->balancer;
	return loop->balancer ? equant_balancer_affinity(loop->balancer, affinities) : -errno;
}

/* Arrays are registered by now: measure the costs and set up the decision. */
int equant_loop_start(struct equant_loop *loop)
{
	const struct equant_options *o = &loop->eq->options;
	struct equant_affinity *affinities;
	struct equant_costs costs = { 0 };
	int error;

	for (struct equant_loop *l = loop; l; l = l->follower) {
		l->started = 1;
		equant_record_units(l);
	}
	if (!o->balance)
		return 0;
	if (o->mode && !(loop->pass && loop->pass->async)) {
		equant_message("loop %s: asynchronous mode %s", loop->name,
			       loop->restricted ?
				       "on a DOACROSS loop, whose units keep their order" :
				       "is for passes (equant_pass_begin())");
		return -EINVAL;
	}
	loop->control = equant_control_new(o->control, o->depth ? o->depth : 1, &loop->eq->waiter,
					   loop->comm, EQUANT_TAG_CONTROL, loop->units.counts);
	error = equant_check_place(loop, EQUANT_AT_START, 0, loop->control ? 0 : -errno);
	/* Nobody has begun to balance. */
	loop->ended = error != 0;
	if (error)
		return error;
	/* Shares that were recorded are of other CPUs. */
	if (o->crowds && strcmp(equant_probe_name(loop->eq->probe), "replay") != 0)
		loop->machine = equant_machine();
	affinities = calloc((size_t)loop->ranks, sizeof(*affinities));
	error = equant_costs_measure(loop, &costs, affinities);
	for (struct equant_loop *l = loop; l && !error; l = l->follower)
		equant_ghosts_agreed(l);
	loop->interact = costs.interact;
	if (!error && loop->control->ops->decides(loop->rank))
		error = make_balancer(loop, &costs, affinities);
	free(affinities);
	return error;
}

/* All ranks are here: did they count the same? */
static int compare_ends(struct equant_loop *loop, const struct equant_order *order)
{
	if (order->failed >= 0)
		return equant_check_peers(loop, order);
	if (order->differs < 0)
		return 0;
	equant_message("loop %s: %s more or less often on rank %d than on rank %d", loop->name,
		       loop->pass ? "it was passed over" : "equant_hook() was called",
		       order->differs, order->closed);
	return -EPROTO;
}

/* What is under way is no longer carried out. */
static int settle(struct equant_loop *loop)
{
	int error = equant_join_all(loop);

	while (!error && equant_control_pending(loop->control))
		equant_control_drop(loop->control);
	return error;
}

/* ... with all ranks, in an interaction. */
static int end_leader(struct equant_loop *loop)
{
	struct equant_sample sample = { .flags = EQUANT_SAMPLE_CLOSED };
	int error;

	/* What has not begun to balance has no end; the others are where this rank is (equant_loop_check()). */
	if (!loop->started || !loop->control)
		return 0;
	/* What has been decided is not carried out any more.  Others may yet come to that, or they end here, too. */
	if (loop->error)
		equant_loop_abort(loop);
	error = settle(loop);
	if (error)
		return error;

	sample.hooks = (uint32_t)(loop->window.hooks + loop->step - loop->countdown);
	if (loop->pass)
		sample.hooks = (uint32_t)loop->pass->number;
	if (loop->error)
		sample.flags |= EQUANT_SAMPLE_ERROR;
	error = equant_control_start(loop->control, &sample);
	if (!error)
		error = equant_loop_join(loop, 1);
	loop->ended = 1;
	if (error || loop->error) {
		equant_share_ended(loop);
		return error;
	}
	return compare_ends(loop, equant_control_peers(loop->control, 0));
}

/*
 * Ranks meet where those that lead do, so that nobody goes on to a phase in which only some of them move a
 * follower's slices: whoever is in another place is in another one of the leader's interactions, or in
 * none.  What was decided and not yet carried out is not, on any rank.
 */
static int meet(struct equant_loop *loop)
{
	struct equant_loop *leader = loop->leader;
	uint64_t count = (uint64_t)(loop->pass ? loop->pass->number : equant_loop_hooks(loop));
	const struct equant_sample sample = {
		.flags = EQUANT_SAMPLE_CLOSED,
		.hooks = (uint32_t)equant_mix_word(loop->order + 1, count),
	};
	int error = settle(leader);

	if (!error)
		error = equant_control_start(leader->control, &sample);
	if (!error)
		error = equant_loop_join(leader, 1);
	if (!error)
		error = compare_ends(loop, equant_control_peers(leader->control, 0));
	if (!error)
		equant_control_drop(leader->control);
	return error;
}

static int end_follower(struct equant_loop *loop)
{
	struct equant_loop *leader = loop->leader;
	int error = leader->started && leader->control && !leader->ended ? meet(loop) : 0;

	if (!error)
		return 0;
	equant_share_ended(leader);
	return equant_loop_fail(leader, error);
}

int equant_loop_end(struct equant_loop *loop)
{
	int error;

	if (!loop->eq->options.balance || loop->ended)
		return 0;
	if (loop->eq->lost)
		return loop->eq->lost;
	if (loop->pass && loop->pass->async)
		return equant_async_end(loop);
	/* The others hear of an error where they meet this rank. */
	if (loop->leader && loop->error)
		loop = loop->leader;
	error = equant_loop_check(loop, 1, loop->error);
	if (error)
		return error;
	return loop->leader ? end_follower(loop) : end_leader(loop);
}
