// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The balancing phase (Siegell 1995, sections 2.6.1 and 4.1).
 *
 * In a phase each rank takes its sample, completes the interaction begun depth
 * phases before (depth 0: begun just now), carries out what was decided from
 * everybody's samples, and sends its own sample on its way.  Until speeds are known
 * every phase is of depth 0: the equal blocks of the start may be far from right, and
 * whoever is ahead would wait for the slowest rank's second pass over its block to be
 * rid of them.  So it is while a decision says that the next one would come too late (balance/rate.c).
 * Interactions that are then still under way are completed first, one in each phase, which
 * begins none itself: its sample is lost.
 *
 * Before work moves, all interactions under way are completed.  So a rank that never
 * joins one, or has failed, is known before anything depends on it, however deep the
 * pipeline; and a move makes its ranks wait for each other anyway.  What a rank that has closed
 * the loop would have to do in the phase before is certain in checked mode only.
 */
#include <errno.h>
#include <string.h>

#include "core/clock.h"
#include "core/message.h"
#include "loop/loop_internal.h"
#include "watch/speed.h"

#define LOCAL_PERIOD 0.02 /* seconds between samples when nothing is balanced */
#define GROWTH 1.5 /* active units, to those at the last sample, that make a sample outdated */
#define LOOKS 8 /* times a period that something under way is looked after */

/* The next phase is @hooks hooks away; look after what is under way on the way there. */
static void arm(struct equant_loop *loop, long hooks)
{
	int busy = equant_share_busy(loop);
	long step;

	step = busy && hooks > LOOKS ? hooks / LOOKS : busy ? 1 : hooks;
	loop->step = step;
	loop->remaining = hooks - step;
	loop->countdown = step;
}

/*
 * Units have become active.  Where they are many more than there were at the last sample, a hook is farther
 * from the next one than anybody knows: the next phase says so, and what is under way counts hooks
 * of before.  All ranks see the same here.
 */
void equant_phase_hasten(struct equant_loop *loop)
{
	long active = equant_units_active(&loop->units);

	if (!loop->control || loop->error || (double)active < GROWTH * (double)loop->sampled)
		return;
	if (loop->pass) {
		equant_pass_hasten(loop);
		return;
	}
	loop->grown = 1;
	loop->outdated = loop->control->started + 1;
	loop->window.hooks += loop->step - loop->countdown;
	arm(loop, 1);
}

/* Of loops that share arrays all fail: their leader is the one that tells the other ranks. */
int equant_loop_fail(struct equant_loop *loop, int error)
{
	struct equant_loop *leader = loop->leader ? loop->leader : loop;

	if (!loop->error)
		loop->error = error;
	if (!leader->error)
		leader->error = loop->error;
	/* A leader that cannot move has not come to its followers' moves, in which others may wait. */
	for (struct equant_loop *l = leader; l; l = l->follower)
		if (l->mover.broken)
			equant_loop_abort(l);
	arm(leader, 1);
	equant_share_fail(leader);
	return loop->error;
}

static int look_after(struct equant_loop *loop)
{
	int error = equant_share_progress(loop);

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

void equant_say_silent(const struct equant_loop *loop, int rank, int itself, double timeout)
{
	/* The last may just have come. */
	if (rank < 0)
		return;
	equant_message(
		"loop %s: rank %d%s has not reached balancing phase %ld within %g s; is %s equally often on every rank?",
		loop->name, rank, itself ? "" : ", or a rank that it waits for,", loop->phases,
		timeout, loop->pass ? "the loop passed over" : "equant_hook() called");
}

void equant_say_closed(const struct equant_loop *loop, int closer, int goer, const char *function)
{
	equant_message(
		"loop %s: rank %d has closed it, rank %d goes on: %s was not called equally often on every rank",
		loop->name, closer, goer, function);
}

static void say_failed(const struct equant_loop *loop, int rank)
{
	equant_message("loop %s: rank %d has failed", loop->name, rank);
}

static void say_awaited(const struct equant_waited_on *on, double seconds)
{
	const struct equant_loop *loop = on->of;
	int itself, awaited = equant_control_awaited(loop->control, &itself);

	equant_say_silent(loop, awaited, itself, seconds);
}

/*
 * A wait has lasted for EQUANT_LOOK seconds more.  A rank that has failed has told the others so and waits for them
 * only so long: they may be waiting for it elsewhere, in another loop.
 */
static int go_on_waiting(struct equant_loop *loop, uint64_t since_ns)
{
	const struct equant_waiter *waiter = &loop->eq->waiter;
	double limit = loop->error ? equant_loop_patience(loop) : waiter->limit;
	int rank, itself, error = equant_aborted(loop->comm, &rank);

	if (error == -ECANCELED)
		say_failed(loop, rank);
	if (error || !limit || 1e-9 * (double)(loop->waiting_ns - since_ns) <= limit)
		return error;
	if (loop->error)
		equant_say_unfreed(loop, equant_control_awaited(loop->control, &itself), limit);
	else
		equant_waited_on_give_up(waiter);
	return -ETIMEDOUT;
}

int equant_loop_join(struct equant_loop *loop, int n)
{
	struct equant_waiter *waiter = &loop->eq->waiter;
	struct equant_waited_on on = { .say = say_awaited, .of = loop };
	uint64_t since_ns = loop->waiting_ns;
	int error, over;

	equant_waited_on_begin(waiter, &on);
	do {
		error = equant_control_complete(loop->control, n, EQUANT_LOOK, &loop->waiting_ns);
		over = error != -ETIMEDOUT;
		if (!over)
			error = go_on_waiting(loop, since_ns);
	} while (!over && !error);
	equant_waited_on_end(waiter);
	/* The one that has failed may wait, too, for what this one does no more. */
	if (error == -ECANCELED)
		equant_loop_abort(loop);
	if (error)
		equant_share_ended(loop);
	return error;
}

/* A rank that has closed the loop or failed says so in its last sample. */
int equant_check_peers(struct equant_loop *loop, const struct equant_order *order)
{
	if (order->failed < 0 && order->closed < 0)
		return 0;
	equant_share_ended(loop);
	if (order->failed >= 0) {
		say_failed(loop, order->failed);
		return -ECANCELED;
	}
	equant_say_closed(loop, order->closed, loop->rank,
			  loop->pass ? "equant_pass_begin()" : "equant_hook()");
	return -EPROTO;
}

/* A rank that has failed joins none of those that come after: one after the other. */
int equant_join_all(struct equant_loop *loop)
{
	int n = equant_control_pending(loop->control), i, error = 0;

	for (i = 0; i < n && !error; i++) {
		error = equant_loop_join(loop, i + 1);
		if (!error)
			error = equant_check_peers(loop, equant_control_peers(loop->control, i));
	}
	return error;
}

/* In checked mode, and before balancing starts: does every rank take part, and does nothing contradict? */
int equant_loop_check(struct equant_loop *loop, int closing, int error)
{
	if (loop->started && !loop->eq->options.check)
		return 0;
	return equant_check_place(loop, closing ? EQUANT_AT_FREE : EQUANT_AT_HOOK, 0, error);
}

void equant_say_moves(const struct equant_loop *loop, const struct equant_decision *d)
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

/* What was decided for units that have become inactive meanwhile is cut down, everywhere alike. */
static int move(struct equant_loop *loop, struct equant_order *order)
{
	struct equant_decision *d = &order->decision;
	long *units = loop->control->planned;
	int error, followers;

	memcpy(units, loop->units.counts, (size_t)loop->ranks * sizeof(*units));
	d->count = equant_order_fit(order->instructions, d->count, units);
	equant_say_moves(loop, d);
	error = equant_loop_move(loop, order->instructions, d->count, NULL, (uint64_t)loop->phases);
	followers = equant_share_move(loop, order->instructions, d->count, NULL);
	return error ? error : followers;
}

static int carry_out(struct equant_loop *loop, struct equant_order *order,
		     int (*move)(struct equant_loop *loop, struct equant_order *order))
{
	uint64_t start, waited = loop->mover.waited_ns;
	long before = equant_loop_moved(loop);
	int error, follows;

	if (!order->decision.count)
		return 0;
	error = equant_join_all(loop);
	if (!error)
		error = equant_pipeline_settle(loop);
	if (error)
		return error;
	start = equant_now_ns();
	error = move(loop, order);
	follows = equant_neighbours_follow(loop);
	waited = loop->mover.waited_ns - waited;
	loop->moved_units = equant_loop_moved(loop) - before;
	loop->moved_ns = equant_now_ns() - start - waited;
	loop->moving_ns += loop->moved_ns;
	loop->waiting_ns += waited;
	equant_record_moves(loop, loop->moved_ns + waited);
	return error ? error : follows;
}

/* The oldest interaction: what did it lead to? */
int equant_loop_obey(struct equant_loop *loop,
		     int (*move)(struct equant_loop *loop, struct equant_order *order))
{
	struct equant_order *order;
	int error = equant_loop_join(loop, 1);

	if (error)
		return error;
	order = equant_control_order(loop->control);
	if (loop->control->first < loop->outdated && !loop->replay)
		order->decision.next_hook = 1;
	error = equant_check_peers(loop, order);
	if (!error)
		error = order->error;
	if (error == -EINVAL)
		equant_message("loop %s: a sample of phase %ld is no sample", loop->name,
			       loop->phases);
	if (error)
		return error;
	loop->speeds_known |= order->speeds_known;
	loop->prompt = order->decision.prompt;
	loop->speed = order->estimates[loop->rank].speed;
	loop->share = order->estimates[loop->rank].share;
	if (loop->speed > 0)
		equant_speed_tell(&loop->eq->told, loop->speed);
	loop->uneven += order->decision.even > 0;
	if (loop->replay)
		error = equant_replay_decide(loop, order);
	if (!error)
		error = carry_out(loop, order, move);
	equant_record_decision(loop, order);
	if (!error && loop->replay)
		error = equant_replay_compare(loop);
	if (!loop->ended)
		equant_control_drop(loop->control);
	arm(loop, order->decision.next_hook);
	return error;
}

int equant_loop_send(struct equant_loop *loop, const struct equant_sample *sample)
{
	equant_record_sample(loop, sample);
	return equant_control_start(loop->control, sample);
}

static int misused_one(struct equant_loop *loop)
{
	if (loop->ghosts.under_way) {
		equant_message(
			"loop %s, rank %d: equant_hook() between equant_loop_ghosts_start() and equant_loop_ghosts_finish()",
			loop->name, loop->rank);
		/* Before anything moves. */
		equant_ghosts_give_up(loop);
		return -EINVAL;
	}
	if (loop->pass && loop->pass->under_way && !loop->pass->over && loop->leader) {
		equant_message(
			"loop %s, rank %d: loop %s is balanced within a pass over this one, which shares its arrays",
			loop->name, loop->rank, loop->leader->name);
		return -EINVAL;
	}
	if (loop->out_of_date) {
		equant_message(
			"loop %s, rank %d: units have moved, and the program has computed without asking which are its own since then (equant_loop_ranges())",
			loop->name, loop->rank);
		return -EINVAL;
	}
	if (!loop->in_section && !loop->misused)
		return 0;
	equant_message("loop %s, rank %d: equant_begin() and equant_end() do not pair up: %s",
		       loop->name, loop->rank,
		       loop->misused ? loop->misused : "no equant_end() before the hook");
	return -EINVAL;
}

/* A hook where none may be; other ranks may be in no such trouble. */
int equant_loop_misused(struct equant_loop *loop)
{
	int error = 0;

	for (struct equant_loop *l = loop; l && !error; l = l->follower)
		error = misused_one(l);
	return error;
}

/* How many interactions may be under way between this phase and the next. */
static int depth_of(const struct equant_loop *loop)
{
	if (!loop->speeds_known || loop->prompt || loop->replay)
		return 0;
	return loop->eq->options.depth;
}

/* @wrong: the others have to know. */
static int interact(struct equant_loop *loop, const struct equant_sample *sample, int wrong)
{
	int pending = equant_control_pending(loop->control), sent = 0, error = 0;

	if (!pending && !depth_of(loop)) {
		error = equant_loop_send(loop, sample);
		sent = 1;
	}
	if (!error && (sent || pending) && pending >= depth_of(loop))
		error = equant_loop_obey(loop, move);
	if (error || sent || !(wrong || depth_of(loop)))
		return error;
	error = equant_loop_send(loop, sample);
	arm(loop, loop->step + loop->remaining);
	return error;
}

/*
 * A rank whose sections are wrong still does its part of the phase, in which
 * others may send work to it, and tells them with its sample.
 */
static int phase(struct equant_loop *loop, uint64_t now)
{
	struct equant_sample sample;
	int error, wrong = equant_loop_misused(loop);

	equant_sample_take(loop, &sample, now);
	if (wrong)
		sample.flags |= EQUANT_SAMPLE_ERROR;
	error = loop->eq->options.balance ? equant_loop_check(loop, 0, wrong) : wrong;
	if (!error && !loop->started)
		error = equant_loop_start(loop);
	if (error)
		return wrong ? wrong : error;
	if (!loop->eq->options.balance)
		return local_phase(loop, &sample);

	arm(loop, 1);
	error = interact(loop, &sample, wrong);
	return wrong ? wrong : error;
}

struct equant_phase_begun equant_phase_begin(const struct equant_loop *loop)
{
	return (struct equant_phase_begun){
		.t_ns = equant_now_ns(),
		.other_ns = loop->waiting_ns + loop->moving_ns,
		.moves = loop->mover.moves,
	};
}

/*
 * What the phase has cost, for the period: at most CPU time, because a rank that has
 * lost its CPU meanwhile has not spent it on the interaction; and not of a
 * phase that moved work, which is not part of it.  Nor is a wait for a rank that is late, which
 * would last as long if phases were rarer, and may use the CPU or not.
 */
void equant_phase_end(struct equant_loop *loop, const struct equant_phase_begun *begun, int usual)
{
	uint64_t busy, other = loop->waiting_ns + loop->moving_ns - begun->other_ns;
	struct equant_counters now;

	loop->last_ns = equant_now_ns();
	busy = equant_since(loop->last_ns - begun->t_ns, other);
	loop->balancing_ns += busy;
	if (!usual || loop->mover.moves != begun->moves)
		return;
	equant_probe_read(loop->eq->probe, &now);
	loop->interact_ns = equant_since(now.run_ns, loop->last.run_ns);
	if (loop->interact_ns > busy)
		loop->interact_ns = busy;
}

/* All ranks are at the same hook, or at the end of a joined pass over a follower. */
int equant_loop_phase(struct equant_loop *loop)
{
	struct equant_phase_begun begun;
	int error, started = loop->started;

	if (!loop->first.t_ns)
		equant_account_start(loop);
	begun = equant_phase_begin(loop);
	error = phase(loop, begun.t_ns);
	equant_phase_end(loop, &begun, started);
	loop->phases++;
	return error ? equant_loop_fail(loop, error) : 0;
}

int equant_balance(struct equant_loop *loop)
{
	if (loop->error) {
		loop->countdown = 1;
		return loop->error;
	}
	if (loop->pass)
		return equant_pass_misused(loop, "equant_hook() in a loop with passes");
	if (loop->leader)
		return equant_share_hook(loop);
	loop->window.hooks += loop->step;
	if (loop->remaining > 0)
		return look_after(loop);
	return equant_loop_phase(loop);
}
