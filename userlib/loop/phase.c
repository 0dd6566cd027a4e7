// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The balancing phase (Siegell 1995, sections 2.6.1 and 4.1).
 *
 * In a phase each rank takes its sample, completes the exchange begun in the
 * phase before (depth 1; begun just now for depth 0), decides from everybody's
 * samples what all ranks decide, carries out its moves, and sends its own
 * sample on its way.  Until speeds are known every phase is of depth 0: the equal
 * blocks of the start may be far from right, and whoever is ahead would wait for
 * the slowest rank's second pass over its block to be rid of them.  An exchange is always complete before the next one
 * starts, so one that a rank never joins is known before anything depends
 * on it; what a rank that has closed the loop would have to do for the
 * exchange before is certain in checked mode only.
 */
#include <errno.h>
#include <string.h>

#include "core/clock.h"
#include "core/message.h"
#include "loop/loop_internal.h"

#define LOCAL_PERIOD 0.02 /* seconds between samples when nothing is balanced */
#define LOOKS 8 /* times a period that something under way is looked after */

/* The next phase is @hooks hooks away; look after what is under way on the way there. */
static void arm(struct equant_loop *loop, long hooks)
{
	int busy = loop->mover.nr_requests ||
		   (loop->pending && equant_exchange_rounds(loop->exchange) > 1);
	long step = busy && hooks > LOOKS ? hooks / LOOKS : busy ? 1 : hooks;

	loop->step = step;
	loop->remaining = hooks - step;
	loop->countdown = step;
}

int equant_loop_fail(struct equant_loop *loop, int error)
{
	if (!loop->error)
		loop->error = error;
	arm(loop, 1);
	return loop->error;
}

static int look_after(struct equant_loop *loop)
{
	int error = equant_mover_progress(&loop->mover, 1e-9);

	if (!error && loop->pending)
		error = equant_exchange_progress(loop->exchange);
	if (error < 0)
		return equant_loop_fail(loop, error);
	arm(loop, loop->remaining);
	return 0;
}

/* Balancing is off: no messages, but samples for the account and the trace. */
static int local_phase(struct equant_loop *loop, const struct equant_sample *sample)
{
	double hooks = 1;

	equant_record_sample(loop, sample);
	if (sample->interval > 0 && sample->hooks)
		hooks = LOCAL_PERIOD * sample->hooks / sample->interval;
	arm(loop, hooks < 1 ? 1 : hooks > 1e9 ? 1000000000 : (long)hooks);
	return 0;
}

static struct equant_balancer *new_balancer(struct equant_loop *loop,
					    const struct equant_costs *costs)
{
	const struct equant_options *o = &loop->eq->options;
	struct equant_balance_options b = {
		.sz = sizeof(b),
		.mode = (enum equant_rate_mode)o->rate,
		.threshold = o->threshold,
		.profit = o->profit,
		.window = o->window,
		.interact_fraction = o->interact,
		.amplitude = o->amplitude,
		.period = o->period,
		.default_quantum = 0.004,
		.move_fixed = costs->fixed,
		.move_per_unit = costs->per_unit,
		.interact = costs->interact,
		.ports = o->ports,
		.omit = o->omit,
		.moves_allowed = 1,
		.movement = loop->restricted ? EQUANT_MOVEMENT_RESTRICTED :
					       EQUANT_MOVEMENT_UNRESTRICTED,
		.handshake = EQUANT_HANDSHAKE_RENDEZVOUS, /* long messages meet */
		.filter = (enum equant_filter_kind)o->filter,
	};

	return equant_balancer_new(loop->ranks, &b);
}

/* Arrays are registered by now: measure the costs and set up the decision. */
static int start(struct equant_loop *loop)
{
	struct equant_costs costs;
	int error;

	loop->started = 1;
	if (!loop->eq->options.balance)
		return 0;
	loop->exchange = equant_exchange_new(&loop->eq->waiter, loop->comm, EQUANT_TAG_SAMPLE,
					     sizeof(struct equant_sample));
	if (!loop->exchange)
		return -errno;
	error = equant_costs_measure(loop, &costs);
	if (error)
		return error;
	loop->balancer = new_balancer(loop, &costs);
	return loop->balancer ? 0 : -errno;
}

void equant_say_silent(const struct equant_loop *loop, const struct equant_exchange *x,
		       double timeout)
{
	int itself, awaited = equant_exchange_awaited(x, &itself);

	equant_message(
		"loop %s: rank %d%s has not reached balancing phase %ld within %g s; is equant_hook() called equally often on every rank?",
		loop->name, awaited, itself ? "" : ", or a rank that it waits for,", loop->phases,
		timeout);
}

void equant_say_closed(const struct equant_loop *loop, int closer, int goer)
{
	equant_message(
		"loop %s: rank %d has closed it, rank %d goes on: equant_hook() was not called equally often on every rank",
		loop->name, closer, goer);
}

static int finish_exchange(struct equant_loop *loop)
{
	double timeout = loop->eq->options.check ? loop->eq->options.timeout : 0;
	int error = equant_exchange_finish(loop->exchange, timeout, &loop->waiting_ns);

	loop->pending = 0;
	if (!error)
		return 0;
	if (error == -ETIMEDOUT)
		equant_say_silent(loop, loop->exchange, timeout);
	equant_exchange_cancel(loop->exchange);
	loop->ended = 1;
	return error;
}

/* A rank that has closed the loop or failed says so in its last sample. */
static int check_peers(struct equant_loop *loop, const struct equant_sample *samples)
{
	int r;

	for (r = 0; r < loop->ranks; r++) {
		if (!(samples[r].flags & (EQUANT_SAMPLE_CLOSED | EQUANT_SAMPLE_ERROR)))
			continue;
		loop->ended = 1;
		if (samples[r].flags & EQUANT_SAMPLE_ERROR) {
			equant_message("loop %s: rank %d has failed", loop->name, r);
			return -ECANCELED;
		}
		equant_say_closed(loop, r, loop->rank);
		return -EPROTO;
	}
	return 0;
}

/* In checked mode: does every rank take part, and does nothing contradict? */
static int check_phase(struct equant_loop *loop, int closing, int failed)
{
	int error;

	if (!loop->eq->options.check)
		return 0;
	error = equant_check_phase(loop, closing, failed);
	if (!error)
		return 0;
	loop->ended = 1;
	if (loop->pending)
		equant_exchange_cancel(loop->exchange);
	loop->pending = 0;
	return error;
}

static void say(const struct equant_loop *loop, const struct equant_decision *d)
{
	int i;

	if (loop->rank || !loop->eq->options.verbose)
		return;
	for (i = 0; i < d->count; i++)
		equant_message(
			"loop %s phase %ld: %ld units from rank %d to %d (gain %.1f %%, cost %.2g s)",
			loop->name, loop->phases, d->instructions[i].units, d->instructions[i].from,
			d->instructions[i].to, 100 * d->reduction, d->cost);
}

static int carry_out(struct equant_loop *loop, const struct equant_decision *d)
{
	uint64_t start = equant_now_ns(), waited = loop->mover.waited_ns;
	long before = loop->mover.sent + loop->mover.received;
	int error;

	if (!d->count)
		return 0;
	say(loop, d);
	error = equant_mover_run(&loop->mover, &loop->units, d->instructions, d->count,
				 (uint64_t)loop->phases);
	waited = loop->mover.waited_ns - waited;
	loop->moved_units = loop->mover.sent + loop->mover.received - before;
	loop->moved_ns = equant_now_ns() - start - waited;
	loop->moving_ns += loop->moved_ns;
	loop->waiting_ns += waited;
	equant_record_moves(loop, loop->moved_ns + waited);
	return error;
}

static int decide(struct equant_loop *loop)
{
	const struct equant_sample *samples = equant_exchange_items(loop->exchange);
	const struct equant_rate *rate;
	struct equant_decision d;
	int error, r;

	error = check_peers(loop, samples);
	if (error)
		return error;
	error = equant_balancer_decide(loop->balancer, samples, loop->units.counts, &d);
	if (error) {
		equant_message("loop %s: a sample of phase %ld is no sample", loop->name,
			       loop->phases);
		return error;
	}
	rate = equant_balancer_rates(loop->balancer);
	for (r = 0; r < loop->ranks && !loop->speeds_known; r++)
		loop->speeds_known = rate[r].speed > 0;
	rate += loop->rank;
	loop->speed = rate->speed;
	loop->share = rate->share;
	error = carry_out(loop, &d);
	equant_record_decision(loop, &d);
	arm(loop, d.next_hook);
	return error;
}

static int send_sample(struct equant_loop *loop, const struct equant_sample *sample)
{
	int error = equant_exchange_start(loop->exchange, sample);

	loop->pending = !error;
	equant_record_sample(loop, sample);
	return error;
}

/* A hook where none may be; other ranks may be in no such trouble. */
static int misused(struct equant_loop *loop)
{
	if (loop->ghosts.under_way) {
		equant_message(
			"loop %s, rank %d: equant_hook() between equant_loop_ghosts_start() and equant_loop_ghosts_finish()",
			loop->name, loop->rank);
		/* Before anything moves. */
		equant_ghosts_give_up(loop);
		return -EINVAL;
	}
	if (!loop->in_section && !loop->misused)
		return 0;
	equant_message("loop %s, rank %d: equant_begin() and equant_end() do not pair up",
		       loop->name, loop->rank);
	return -EINVAL;
}

/*
 * A rank whose sections are wrong still does its part of the phase, in which
 * others may send work to it, and tells them with its sample.
 */
static int phase(struct equant_loop *loop, uint64_t now)
{
	int pipelined = loop->eq->options.depth && loop->speeds_known;
	struct equant_sample sample;
	int error, wrong = misused(loop);

	equant_sample_take(loop, &sample, now);
	if (wrong)
		sample.flags |= EQUANT_SAMPLE_ERROR;
	error = loop->eq->options.balance ? check_phase(loop, 0, wrong) : wrong;
	if (!error && !loop->started)
		error = start(loop);
	if (error)
		return wrong ? wrong : error;
	if (!loop->eq->options.balance)
		return local_phase(loop, &sample);

	arm(loop, 1);
	if (!pipelined)
		error = send_sample(loop, &sample);
	if (!error && loop->pending) {
		error = finish_exchange(loop);
		if (!error)
			error = decide(loop);
	}
	if (!error && pipelined) {
		error = send_sample(loop, &sample);
		arm(loop, loop->step + loop->remaining);
	}
	return wrong ? wrong : error;
}

/*
 * What the phase has cost, for the period: CPU time, because a rank that has
 * lost its CPU meanwhile has not spent it on the interaction; and not of a
 * phase that set up the loop or moved work, which are not part of it.
 */
static void learn_interaction(struct equant_loop *loop, int usual)
{
	struct equant_counters now;

	if (!usual)
		return;
	equant_probe_read(loop->eq->probe, &now);
	loop->interact_ns = equant_since(now.run_ns, loop->last.run_ns);
}

int equant_balance(struct equant_loop *loop)
{
	long moves = loop->mover.moves;
	int started = loop->started;
	uint64_t start, other;
	int error;

	if (loop->error) {
		loop->countdown = 1;
		return loop->error;
	}
	loop->window.hooks += loop->step;
	if (loop->remaining > 0)
		return look_after(loop);

	if (!loop->first.t_ns)
		equant_account_start(loop);
	start = equant_now_ns();
	other = loop->waiting_ns + loop->moving_ns;
	error = phase(loop, start);
	loop->last_ns = equant_now_ns();
	loop->balancing_ns += loop->last_ns - start - (loop->waiting_ns + loop->moving_ns - other);
	learn_interaction(loop, started && loop->mover.moves == moves);
	loop->phases++;
	return error ? equant_loop_fail(loop, error) : 0;
}

/* All ranks are here: did they count the same? */
static int compare_ends(struct equant_loop *loop, const struct equant_sample *samples)
{
	int r;

	for (r = 0; r < loop->ranks; r++) {
		if (samples[r].flags & EQUANT_SAMPLE_ERROR)
			return check_peers(loop, samples);
		if (samples[r].flags & EQUANT_SAMPLE_CLOSED &&
		    samples[r].hooks == samples[loop->rank].hooks)
			continue;
		equant_message(
			"loop %s: equant_hook() was called more or less often on rank %d than on rank %d",
			loop->name, r, loop->rank);
		return -EPROTO;
	}
	return 0;
}

int equant_loop_end(struct equant_loop *loop)
{
	struct equant_sample sample = { .flags = EQUANT_SAMPLE_CLOSED };
	int error;

	if (!loop->eq->options.balance || loop->ended)
		return 0;
	error = check_phase(loop, 1, loop->error != 0);
	if (!error && !loop->started)
		error = start(loop);
	if (!error && loop->pending)
		error = finish_exchange(loop);
	if (error || loop->ended || !loop->exchange)
		return error;
	if (loop->phases)
		error = check_peers(loop, equant_exchange_items(loop->exchange));
	if (loop->ended)
		return error;

	sample.hooks = (uint32_t)(loop->window.hooks + loop->step - loop->countdown);
	if (loop->error)
		sample.flags |= EQUANT_SAMPLE_ERROR;
	error = send_sample(loop, &sample);
	if (!error)
		error = finish_exchange(loop);
	loop->ended = 1;
	if (error || loop->error)
		return error;
	return compare_ends(loop, equant_exchange_items(loop->exchange));
}
