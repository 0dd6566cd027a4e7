// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A balancing phase of a simulated job:
 *
 *	depth 0: it waits for the samples of all ranks;
 *	depth d: for those that they sent d phases before.
 *
 * As in userlib/loop, phases are of depth 0 until speeds are known, the first is
 * before the first step, and the decisions are made by the same functions.
 *
 * Deviations: every rank is given the decision's hooks at once.  A transfer takes
 * both ranks as long; unrestricted, the receiver from when the sender began it,
 * restricted, from when both have come to it in the order of table 5.2.
 */
#include <errno.h>
#include <string.h>

#include "model/job_internal.h"

struct equant_sample equant_job_sample(struct equant_simulation *s, int rank, long hooks)
{
	const struct equant_job *job = s->job;
	struct equant_job_rank *r = &s->ranks[rank];
	struct equant_sample sample = {
		.units = (double)r->computed,
		.wall = (double)r->wall * 1e-9,
		.run = (double)r->run * 1e-9,
		.wait = (double)(r->wall - r->run) * 1e-9,
		.quantum = (double)job->quantum * 1e-9,
		.interval = (double)(r->now - r->sampled) * 1e-9,
		.interact = (double)r->interact * 1e-9,
		.move = (double)r->move * 1e-9,
		.moved = (double)r->moved,
		.hooks = (uint32_t)hooks,
		.meetings = (uint16_t)(s->meetings < UINT16_MAX ? s->meetings : UINT16_MAX),
	};

	if (job->probe != EQUANT_JOB_CLOCK)
		sample.flags |= EQUANT_SAMPLE_RUN;
	if (job->probe == EQUANT_JOB_PREDICTED) {
		sample.flags |= EQUANT_SAMPLE_PREDICTED;
		equant_cpu_predict(job, rank, r->now, &sample);
	}
	*r = (struct equant_job_rank){ .now = r->now, .sampled = r->now, .sent = r->sent };
	return sample;
}

static void take_samples(struct equant_simulation *s)
{
	for (int i = 0; i < s->job->n; i++)
		s->samples[i] = equant_job_sample(s, i, s->hooks);
	s->hooks = s->meetings = 0;
}

void equant_job_interact(struct equant_simulation *s, int rank)
{
	struct equant_job_rank *r = &s->ranks[rank];

	r->now = equant_cpu_finish(s->job, rank, r->now, s->job->interact);
	r->interact = s->job->interact;
}

int64_t equant_job_move_time(const struct equant_simulation *s, long units)
{
	return s->job->move_fixed + s->job->move_per_unit * units;
}

void equant_job_spend(struct equant_simulation *s, int rank, int64_t begun, int64_t cost,
		      long units)
{
	struct equant_job_rank *r = &s->ranks[rank];

	r->now = (r->now > begun ? r->now : begun) + cost;
	r->move += cost;
	r->moved += units;
}

static void move(struct equant_simulation *s, const struct equant_instruction *instruction)
{
	int64_t cost = equant_job_move_time(s, instruction->units);
	int64_t begun = s->ranks[instruction->from].now;

	equant_job_spend(s, instruction->from, begun, cost, instruction->units);
	equant_job_spend(s, instruction->to, begun, cost, instruction->units);
}

static bool is(const struct equant_moves *list, enum equant_move_kind kind)
{
	return list->count && list->move[0].kind == kind;
}

static void next(struct equant_moves *list)
{
	list->move[0] = list->move[1];
	list->count--;
}

/* Between rank @left and the one to its right, if it is the next move of both. */
static bool move_across(struct equant_simulation *s, int left)
{
	struct equant_moves *a = &s->lists[left], *b = &s->lists[left + 1];
	int64_t cost, begun;
	long units;

	if (!(is(a, EQUANT_MOVE_SEND_RIGHT) && is(b, EQUANT_MOVE_RECEIVE_LEFT)) &&
	    !(is(a, EQUANT_MOVE_RECEIVE_RIGHT) && is(b, EQUANT_MOVE_SEND_LEFT)))
		return false;
	units = a->move[0].units;
	cost = equant_job_move_time(s, units);
	begun = s->ranks[left].now > s->ranks[left + 1].now ? s->ranks[left].now :
							      s->ranks[left + 1].now;
	equant_job_spend(s, left, begun, cost, units);
	equant_job_spend(s, left + 1, begun, cost, units);
	next(a);
	next(b);
	return true;
}

static int move_restricted(struct equant_simulation *s, const struct equant_decision *decision)
{
	int error = equant_order_restricted(decision->instructions, decision->count, s->units,
					    s->job->n, s->lists);
	int left = decision->count, before;

	do {
		before = left;
		for (int i = 0; i < s->job->n - 1 && !error; i++)
			left -= move_across(s, i);
	} while (left && left < before);
	return error ? error : left ? -EDEADLK : 0;
}

/* Of units that are done one after the other, those that will be last. */
static void hand_over(struct equant_simulation *s, const struct equant_instruction *instruction)
{
	long left = instruction->units;

	for (long unit = s->job->units - 1; unit >= s->done_units && left; unit--) {
		if (s->owner[unit] != instruction->from)
			continue;
		s->owner[unit] = instruction->to;
		left--;
	}
}

/*
 * Restricted, a rank may have to pass on more than it has, and must have received before.  Instructions
 * are in the order of ranks then: those to the right are carried out from left to right, and those to
 * the left the other way.
 */
static void hand_over_all(struct equant_simulation *s, const struct equant_decision *decision)
{
	bool restricted = s->job->balance->movement == EQUANT_MOVEMENT_RESTRICTED;
	const struct equant_instruction *all = decision->instructions;

	for (int i = 0; i < decision->count; i++)
		if (!restricted || all[i].to > all[i].from)
			hand_over(s, &all[i]);
	for (int i = decision->count - 1; i >= 0 && restricted; i--)
		if (all[i].to < all[i].from)
			hand_over(s, &all[i]);
}

/* Before work moves, all interactions under way are completed. */
static void join_all(struct equant_simulation *s)
{
	if (s->pending)
		equant_job_wait(s, s->sent[(s->oldest + s->pending - 1) % s->job->depth].last);
}

static int carry_out(struct equant_simulation *s, const struct equant_decision *decision)
{
	int error = 0;

	if (decision->count)
		join_all(s);
	if (decision->count && s->done)
		equant_job_settle(s);
	if (s->job->balance->movement == EQUANT_MOVEMENT_RESTRICTED)
		error = move_restricted(s, decision);
	for (int i = 0; i < decision->count; i++) {
		if (s->job->balance->movement != EQUANT_MOVEMENT_RESTRICTED)
			move(s, &decision->instructions[i]);
		s->result->moved += decision->instructions[i].units;
	}
	if (s->owner)
		hand_over_all(s, decision);
	equant_apply(decision->instructions, decision->count, s->units);
	s->result->moves += decision->count > 0;
	if (decision->count && s->done)
		equant_job_catch_up(s);
	return error;
}

static int decide(struct equant_simulation *s, const struct equant_sample *samples)
{
	const struct equant_rate *rates = equant_balancer_rates(s->balancer);
	struct equant_decision decision;
	int error = equant_balancer_decide(s->balancer, samples, s->units, &decision);

	if (error)
		return error;
	for (int i = 0; i < s->job->n; i++)
		s->known |= rates[i].speed > 0;
	error = carry_out(s, &decision);
	s->countdown = decision.next_hook;
	s->prompt = decision.prompt;
	if (!error && s->job->watch)
		s->job->watch(s->job->watcher, equant_job_latest(s), samples, rates, s->units,
			      &decision);
	return error;
}

static int decide_on_oldest(struct equant_simulation *s)
{
	struct equant_job_sent *oldest = &s->sent[s->oldest];

	equant_job_wait(s, oldest->last);
	s->oldest = (s->oldest + 1) % s->job->depth;
	s->pending--;
	return decide(s, oldest->samples);
}

static int depth_of(const struct equant_simulation *s)
{
	return s->known && !s->prompt ? s->job->depth : 0;
}

/* As userlib/loop/phase.c. */
static int phase(struct equant_simulation *s)
{
	struct equant_job_sent *sent;
	int error = 0;

	s->result->phases++;
	s->countdown = 1;
	take_samples(s);
	for (int i = 0; i < s->job->n; i++)
		equant_job_interact(s, i);
	if (!s->pending && !depth_of(s)) {
		equant_job_wait(s, equant_job_latest(s));
		return decide(s, s->samples);
	}
	if (s->pending && s->pending >= depth_of(s))
		error = decide_on_oldest(s);
	if (error || !depth_of(s))
		return error;
	sent = &s->sent[(s->oldest + s->pending++) % s->job->depth];
	memcpy(sent->samples, s->samples, s->job->n * sizeof(*s->samples));
	sent->last = equant_job_latest(s);
	return 0;
}

int equant_job_hook(struct equant_simulation *s)
{
	return s->balancer && !--s->countdown ? phase(s) : 0;
}
