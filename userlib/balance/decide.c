// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * One balancing phase: from the ranks' samples to instructions.
 *
 *	rates -> imbalance -> distribution -> instructions -> profitability
 *
 * As in the thesis the threshold looks at the raw rates and the distribution
 * at the filtered ones; a rate from a prediction is its own raw rate.
 * The start can be balanced too: in a phase before anything has been computed the
 * predicted shares alone decide.
 * Where shares come and go too often to be followed, work is divided for the least or the highest of them (steady.c).
 * Ranks that share CPUs with each other have one share (crowds.c).
 * Where ranks sleep while they wait, and that is often, those that share their CPU use less than
 * their share (restraint.c).  Where ranks poll and synchronise more often than the scheduler switches, the
 * rates lean towards the split that grain.c finds best.
 * Deviations: the distribution must be an improvement by the very rates it was
 * made from; those of a step are named in its file.
 *
 * Nothing here allocates after equant_balancer_new() and equant_balancer_affinity().
 *
 * Reference: Siegell 1995, section 5.1, figure 5.1.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "balance/balance_internal.h"

#define PATIENCE 10 /* phases; see is_imbalanced() */
#define NOISE (1.0 / 3) /* less of the threshold is nothing */
#define LONGER 1.5 /* than shares hold; they vary */
#define DEARER 8 /* than a move that is made at any time */
#define STANDING 128 /* quanta; twice as long as speeds are averaged (rate.c) */

/**
 * struct equant_balancer - state and working room
 * @raw: rates that the threshold looks at
 * @used: rates that work is allotted by
 * @target: units each rank shall have
 * @after: units each rank has once the instructions are carried out
 * @horizon: seconds after which there is no work left that a move would speed up; 0 = not known
 * @following: how changes of shares are answered, as of the last phase
 * @elapsed: seconds since the phase before
 * @steady: whether work stays where it is while shares come and go
 * @period: from the last phase to this one, if changes of shares are to be answered
 * @debt: what the distribution has cost
 * @transfers: each rank's part in the last move, to judge what it cost
 */
struct equant_balancer {
	int n;
	struct equant_balance_options options;
	enum equant_rate_mode wanted; /* options.mode, as it was given */
	struct equant_costs costs;
	struct equant_history history;
	struct equant_pace pace;
	struct equant_split split;
	struct equant_restraint restraint;
	struct equant_steady steady;
	struct equant_crowds crowds;
	double period;
	struct equant_rate *rates;
	double *raw;
	double *used;
	long *target;
	long *after;
	double horizon;
	struct equant_following following;
	double elapsed;
	struct equant_debt debt;
	int *transfers;
	struct equant_instruction *instructions;
	struct equant_heap_entry *room;
	struct equant_restricted_room restricted;
};

struct equant_balancer *equant_balancer_new(int n, const struct equant_balance_options *options)
{
	struct equant_balancer *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	if (n < 1 || equant_balance_options_copy(&b->options, options)) {
		errno = EINVAL;
		goto failed;
	}
	b->n = n;
	b->wanted = b->options.mode;
	b->rates = calloc(n, sizeof(*b->rates));
	b->steady.swings = calloc(n, sizeof(*b->steady.swings));
	b->raw = calloc(n, sizeof(*b->raw));
	b->used = calloc(n, sizeof(*b->used));
	b->target = calloc(n, sizeof(*b->target));
	b->after = calloc(n, sizeof(*b->after));
	b->transfers = calloc(n, sizeof(*b->transfers));
	b->instructions = calloc(n, sizeof(*b->instructions));
	b->room = calloc(n, sizeof(*b->room));
	b->restricted.lists = calloc(n, sizeof(*b->restricted.lists));
	b->restricted.players = calloc(n, sizeof(*b->restricted.players));
	if (!b->rates || !b->steady.swings || !b->raw || !b->used || !b->target || !b->after ||
	    !b->transfers || !b->instructions || !b->room || !b->restricted.lists ||
	    !b->restricted.players) {
		errno = ENOMEM;
		goto failed;
	}
	for (int i = 0; i < n; i++) {
		equant_rate_init(&b->rates[i]);
		b->rates[i].filter.kind = options->filter;
	}
	b->costs.fixed = options->move_fixed;
	b->costs.per_unit = options->move_per_unit;
	b->costs.scale = 1;
	b->pace.interact = options->interact;
	return b;

failed:
	equant_balancer_free(b);
	return NULL;
}

void equant_balancer_free(struct equant_balancer *b)
{
	int error = errno;

	if (!b)
		return;
	free(b->rates);
	free(b->steady.swings);
	equant_crowds_release(&b->crowds);
	free(b->raw);
	free(b->used);
	free(b->target);
	free(b->after);
	free(b->transfers);
	free(b->instructions);
	free(b->room);
	free(b->restricted.lists);
	free(b->restricted.players);
	free(b);
	errno = error;
}

const struct equant_rate *equant_balancer_rates(const struct equant_balancer *b)
{
	return b->rates;
}

void equant_balancer_horizon(struct equant_balancer *b, double seconds)
{
	b->horizon = seconds;
}

int equant_balancer_affinity(struct equant_balancer *b, const struct equant_affinity *all)
{
	for (int i = 0; i < b->n; i++)
		if (all[i].cpus && all[i].count < 1)
			return -EINVAL;
	return equant_crowds_init(&b->crowds, all, b->n);
}

static double observed_quantum(const struct equant_sample *samples, int n)
{
	double largest = 0;

	for (int i = 0; i < n; i++)
		if (samples[i].quantum > largest)
			largest = samples[i].quantum;
	return largest;
}

static double job_quantum(const struct equant_balancer *b, const struct equant_sample *samples)
{
	double observed = observed_quantum(samples, b->n);

	if (b->options.quantum > 0)
		return b->options.quantum;
	return observed >= EQUANT_TIME_MIN ? observed : b->options.default_quantum;
}

/* With wall time alone rates are measured ones, whatever was asked for. */
static void choose_mode(struct equant_balancer *b, const struct equant_sample *samples)
{
	bool timed = false, known = false;

	for (int i = 0; i < b->n; i++) {
		timed |= samples[i].wall >= EQUANT_TIME_MIN;
		known |= (samples[i].flags & EQUANT_SAMPLE_RUN) != 0;
	}
	if (timed || known)
		b->options.mode = known ? b->wanted : EQUANT_RATE_MEASURED;
}

static void observe(struct equant_balancer *b, const struct equant_sample *samples, double quantum)
{
	double elapsed = 0;

	equant_pace_update(&b->pace, samples, b->n);
	b->following = (struct equant_following){
		.mode = b->options.mode,
		.quantum = quantum,
		.phase = b->pace.compute,
		.meeting = equant_pace_meeting(&b->pace),
		.prompt = b->options.prompt,
	};
	equant_pace_hold(&b->pace, samples, b->n, &b->following);
	for (int i = 0; i < b->n; i++) {
		equant_rate_take(&b->rates[i], &samples[i], &b->following);
		elapsed += samples[i].interval;
	}
	if (b->options.mode == EQUANT_RATE_PREDICTED)
		equant_crowds_take(&b->crowds, samples, b->rates, quantum, b->options.polls);
	if (b->options.restraint > 0 && !b->options.polls)
		equant_restraint_update(&b->restraint, samples, b->n, quantum);
	elapsed /= b->n;
	b->elapsed = elapsed;
	equant_history_advance(&b->history, elapsed, b->options.window);
	equant_costs_update(&b->costs, samples, b->transfers, b->n, elapsed / b->options.window);
}

/*
 * A rank that holds units and has not finished one makes every plan a guess.
 * One that holds none could never become known: it is taken for average.
 */
static bool known_rates(struct equant_balancer *b, const struct equant_sample *samples,
			const long *units)
{
	double raw = 0, used = 0;
	int known = 0;

	for (int i = 0; i < b->n; i++) {
		const struct equant_rate *rate = &b->rates[i];
		bool measured = b->options.mode == EQUANT_RATE_MEASURED ||
				!(samples[i].flags & EQUANT_SAMPLE_RUN);

		b->used[i] = measured ? rate->rate :
					equant_restrained_rate(&b->restraint, &samples[i], rate,
							       b->options.restraint);
		b->raw[i] = measured ? rate->raw : b->used[i];
		if (b->raw[i] > 0 && b->used[i] > 0) {
			raw += b->raw[i];
			used += b->used[i];
			known++;
		} else if (units[i]) {
			return false;
		}
	}
	for (int i = 0; known && i < b->n; i++) {
		if (b->raw[i] > 0 && b->used[i] > 0)
			continue;
		b->raw[i] = raw / known;
		b->used[i] = used / known;
	}
	return known > 0;
}

/* Before anything has been computed: predicted shares of CPUs that are taken for equal. */
static bool guessed_rates(struct equant_balancer *b, const struct equant_sample *samples,
			  const long *units)
{
	const uint32_t needed = EQUANT_SAMPLE_RUN | EQUANT_SAMPLE_PREDICTED;
	long total = 0;

	if (b->options.mode != EQUANT_RATE_PREDICTED)
		return false;
	for (int i = 0; i < b->n; i++) {
		bool known = (samples[i].flags & needed) == needed ||
			     samples[i].flags & EQUANT_SAMPLE_CROWDED;

		if (b->rates[i].windows || !known)
			return false;
		b->raw[i] = b->used[i] = b->rates[i].share;
		total += units[i];
	}
	return total > 0;
}

/* Every rank keeps a unit where there is one for each, so that its speed stays known. */
static int distribute(struct equant_balancer *b, const double *rates, const long *units)
{
	long total = 0;

	for (int i = 0; i < b->n; i++)
		total += units[i];
	return equant_distribute_in(rates, b->n, total, 1, b->target, b->room);
}

/* Would the next decision come late for a change of share? */
static int wants_promptness(const struct equant_balancer *b, const struct equant_sample *samples)
{
	for (int i = 0; i < b->n; i++)
		if (b->steady.stand == EQUANT_STAND_FOLLOW &&
		    equant_rate_follows(&samples[i], &b->following) &&
		    equant_rate_promptly(&samples[i], &b->following))
			return 1;
	return 0;
}

/* Where shares are seen to come and go. */
static double worth_of_answer(const struct equant_balancer *b, const struct equant_sample *samples,
			      double gain)
{
	double hold = equant_hold_stable(samples, b->n, &b->following);
	double late = b->debt.stood + (wants_promptness(b, samples) ? 0 : b->following.phase);

	if (b->debt.lasted > LONGER * hold)
		return b->debt.paid / 2;
	return fmax(gain * (hold / 2 - late), b->debt.paid / DEARER);
}

/*
 * What a reduction by @gain is worth, seconds.  As long as nobody knows how long shares hold, a
 * competitor that has just come may be gone at once: then the imbalance is worth what it has
 * cost already.  So it is mended when it has cost as much as the move will, and costs never more than
 * twice as much as with the future known (rent or buy; Karlin, Manasse, Rudolph and Sleator 1988).
 *
 * Where shares come and go, this move will have to be undone: then an imbalance that lasts longer than
 * they hold, a distribution that is wrong for most of the time, is mended when it has cost as much as both.
 */
static double benefit(const struct equant_balancer *b, const struct equant_sample *samples,
		      double gain)
{
	double rest = b->horizon > 0 ? gain * b->horizon : HUGE_VAL, worth = b->debt.paid;

	if (b->options.mode != EQUANT_RATE_PREDICTED)
		worth = gain * equant_history_stable(&b->history, b->options.window);
	else if (b->steady.stand == EQUANT_STAND_FOLLOW && equant_holds_known(samples, b->n))
		worth = worth_of_answer(b, samples, gain);
	return worth < rest ? worth : rest;
}

/*
 * Eq. 5.15, for the units that really move.  Where ports are few the ranks are
 * relieved one after the other and the first of these phases may shorten
 * nothing yet: it gets its part of what the whole movement is worth.
 */
static double expected_gain(const struct equant_balancer *b, const long *units, double whole)
{
	double gain = equant_reduction(b->used, units, b->after, b->n);
	double moved = 0, needed = 0, part;

	for (int i = 0; i < b->n; i++) {
		if (b->target[i] <= units[i])
			continue;
		needed += (double)(b->target[i] - units[i]);
		moved += (double)(b->after[i] - units[i]);
	}
	part = whole * (moved / needed);
	return gain > part ? gain : part;
}

static void record_transfers(struct equant_balancer *b, int count)
{
	memset(b->transfers, 0, b->n * sizeof(*b->transfers));
	for (int i = 0; i < count; i++) {
		b->transfers[b->instructions[i].from]++;
		b->transfers[b->instructions[i].to]++;
	}
}

static int instruct(struct equant_balancer *b, const long *units)
{
	const struct equant_balance_options *o = &b->options;

	if (o->movement == EQUANT_MOVEMENT_RESTRICTED)
		return equant_instruct_restricted(units, b->target, b->n, b->instructions);
	return equant_instruct_in(units, b->target, b->n, o->ports, o->omit, b->instructions,
				  b->room);
}

static double expected_cost(struct equant_balancer *b, const long *units, int count)
{
	const struct equant_costs *costs = &b->costs;
	double cost;

	if (b->options.movement == EQUANT_MOVEMENT_RESTRICTED)
		cost = equant_restricted_cost_in(b->instructions, count, units, b->n,
						 b->options.handshake, costs->fixed,
						 costs->per_unit, &b->restricted);
	else
		cost = equant_move_cost_in(b->instructions, count, b->n, costs->fixed,
					   costs->per_unit, b->room);
	return costs->scale * cost;
}

/* Is what a move costs more than what it may be worth? */
static bool is_unprofitable(const struct equant_balancer *b, const struct equant_decision *decision)
{
	double k = b->options.profit;

	/* k > 1 allows for a guessed t_stable. */
	if (b->options.mode != EQUANT_RATE_MEASURED && k > 1)
		k = 1;
	return k > 0 && decision->cost > k * decision->benefit;
}

/*
 * Instructions for the imbalance that was found, or the reason why there are none.  What a
 * move earns in seconds is not known where rates are @guessed; all work is still ahead then.
 */
static enum equant_verdict plan(struct equant_balancer *b, const struct equant_sample *samples,
				const long *units, bool guessed, struct equant_decision *decision)
{
	const struct equant_balance_options *o = &b->options;
	double whole = equant_reduction(b->used, units, b->target, b->n);
	int count;

	count = instruct(b, units);
	memcpy(b->after, units, b->n * sizeof(*units));
	equant_apply(b->instructions, count, b->after);
	if (!count || whole <= 0)
		return EQUANT_VERDICT_NOTHING;
	decision->cost = expected_cost(b, units, count);
	decision->benefit = benefit(b, samples, expected_gain(b, units, whole));
	if (!guessed && is_unprofitable(b, decision))
		return EQUANT_VERDICT_UNPROFITABLE;
	if (!o->moves_allowed)
		return EQUANT_VERDICT_FORBIDDEN;
	decision->count = count;
	return EQUANT_VERDICT_MOVE;
}

/*
 * The threshold keeps noise from moving work, but an imbalance below it that stays
 * is lost in every phase: once it has lost as much as PATIENCE phases lose at the
 * threshold, and stood for long enough, it is mended.  The thesis' measured rates are never quiet
 * enough for that.
 */
static bool is_imbalanced(struct equant_balancer *b, const long *units, double reduction,
			  double quantum)
{
	double threshold = b->options.threshold;

	if (reduction <= 0 || reduction < threshold * NOISE) {
		equant_debt_shrink(&b->debt, b->elapsed);
		return false;
	}
	equant_debt_grow(&b->debt, units, b->target, b->n, reduction, b->elapsed);
	if (reduction >= threshold)
		return true;
	return b->options.mode == EQUANT_RATE_PREDICTED && b->debt.lost >= PATIENCE * threshold &&
	       b->debt.stood >= STANDING * quantum;
}

/* Where shares that come and go are not worth following, or do so too fast for it. */
static void stand_still(struct equant_balancer *b, const struct equant_sample *samples,
			const long *units)
{
	struct equant_prospect prospect = {
		.how = &b->following,
		.period = fmax(b->period, b->following.phase),
		.costs = &b->costs,
	};

	if (!b->options.steady || b->options.mode != EQUANT_RATE_PREDICTED)
		return;
	for (int i = 0; i < b->n; i++)
		prospect.units += (double)units[i];
	equant_steady_choose(&b->steady, samples, b->rates, b->used, b->n, &prospect);
	for (int i = 0; i < b->n; i++) {
		double share = equant_steady_share(&b->steady, i);
		struct equant_sample sample = samples[i];
		struct equant_rate rate = b->rates[i];

		if (share <= 0)
			continue;
		sample.settled = rate.share = share;
		sample.age = HUGE_VAL;
		rate.rate = rate.speed * share;
		b->raw[i] = b->used[i] =
			equant_restrained_rate(&b->restraint, &sample, &rate, b->options.restraint);
	}
}

/* Below the grain a proportional split is not what ranks that poll compute fastest with. */
static void lean(struct equant_balancer *b, const struct equant_sample *samples)
{
	if (!b->options.polls || b->options.mode != EQUANT_RATE_PREDICTED)
		return;
	equant_split_choose(&b->split, samples, b->rates, b->n, observed_quantum(samples, b->n));
	equant_split_lean(&b->split, b->rates, b->n, b->raw);
	equant_split_lean(&b->split, b->rates, b->n, b->used);
}

static int judge(struct equant_balancer *b, const struct equant_sample *samples, const long *units,
		 struct equant_decision *decision)
{
	bool guessed = guessed_rates(b, samples, units), imbalanced;
	int error;

	decision->verdict = EQUANT_VERDICT_NO_RATES;
	if (!guessed && !known_rates(b, samples, units))
		return 0;
	if (!guessed) {
		stand_still(b, samples, units);
		lean(b, samples);
	}
	decision->even = b->split.even;
	error = distribute(b, b->raw, units);
	if (error)
		return error;
	decision->reduction = equant_reduction(b->raw, units, b->target, b->n);
	imbalanced = is_imbalanced(b, units, decision->reduction, decision->quantum);
	equant_history_note(&b->history, imbalanced);
	decision->verdict = decision->even > 0 ? EQUANT_VERDICT_GRAIN : EQUANT_VERDICT_BALANCED;
	if (!imbalanced)
		return 0;
	error = distribute(b, b->used, units);
	if (error)
		return error;
	decision->verdict = plan(b, samples, units, guessed, decision);
	return 0;
}

/*
 * A sample of few units tells nothing of a hook with many, nor would a move be worth what it says: the
 * next hook comes first.
 */
static bool is_outdated(struct equant_balancer *b, const struct equant_sample *samples)
{
	int i = 0;

	while (i < b->n && !(samples[i].flags & EQUANT_SAMPLE_GROWN))
		i++;
	if (i == b->n)
		return false;
	b->pace.compute = 0;
	b->restraint = (struct equant_restraint){ 0 };
	return true;
}

/* Changes need no answers where work stays where it is. */
static double period(struct equant_balancer *b, const struct equant_sample *samples)
{
	bool answers = b->steady.stand == EQUANT_STAND_FOLLOW;
	double scheduling =
		equant_scheduling_bound(samples, b->rates, b->n, &b->options, &b->following);

	b->period = equant_pace_period(&b->pace, &b->options, scheduling, true);
	return answers ? b->period : equant_pace_period(&b->pace, &b->options, scheduling, false);
}

int equant_balancer_decide(struct equant_balancer *b, const struct equant_sample *samples,
			   const long *units, struct equant_decision *decision)
{
	struct equant_decision made = { .instructions = b->instructions };
	int error = equant_samples_check(samples, units, b->n);

	if (error)
		return error;
	choose_mode(b, samples);
	samples = equant_crowds_see(&b->crowds, samples, b->n);
	made.quantum = job_quantum(b, samples);
	observe(b, samples, made.quantum);
	made.verdict = EQUANT_VERDICT_NO_RATES;
	if (!is_outdated(b, samples))
		error = judge(b, samples, units, &made);
	if (error)
		return error;
	if (made.verdict == EQUANT_VERDICT_MOVE) {
		record_transfers(b, made.count);
		b->history.pending = false;
		b->debt = (struct equant_debt){ 0 };
	}
	made.period = period(b, samples);
	made.next_hook = equant_pace_hooks(&b->pace, made.period);
	made.prompt = wants_promptness(b, samples);
	*decision = made;
	return 0;
}

const char *equant_verdict_name(enum equant_verdict verdict)
{
	static const char *const names[] = {
		[EQUANT_VERDICT_BALANCED] = "balanced",
		[EQUANT_VERDICT_NO_RATES] = "no rates",
		[EQUANT_VERDICT_UNPROFITABLE] = "unprofitable",
		[EQUANT_VERDICT_NOTHING] = "nothing",
		[EQUANT_VERDICT_FORBIDDEN] = "forbidden",
		[EQUANT_VERDICT_MOVE] = "move",
		[EQUANT_VERDICT_GRAIN] = "grain",
	};

	if ((unsigned int)verdict >= sizeof(names) / sizeof(names[0]))
		return "unknown";
	return names[verdict];
}
