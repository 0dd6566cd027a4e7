// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * From samples to the rate of one rank.
 *
 * Measured, as in the thesis: units per wall second through the filter of
 * section 5.4.  Predicted:
 *
 *	rate  = speed x share
 *	speed = units per on-CPU second, over about the last 64 quanta
 *	share = (1 - c) prediction + c measured,  c = t / (t + 10 quanta)
 *
 * where t is the age of the evidence: the time the rank wanted the CPU since
 * the prediction took its value.  The speed is known from a window of one
 * quantum, a measured share needs about ten; the prediction bridges the gap.
 *
 * A share that has just changed may be back before the next phase is over: how
 * long it has held already is the best guess of how long it will.  While it is
 * younger than a phase it counts in proportion, the mean share of the last
 * seconds for the rest.  Where shares are known to hold, a quarter of a phase is old enough.
 * Less than a quantum after a change the probe still tells the share before it, however short that was
 * (probe/reader.c): somebody who comes for some milliseconds is told of when it has gone.  So what was known
 * goes on to count until a share is as old as that.
 *
 * A change of share is answered about two phases late.  While shares hold much
 * longer, following them costs next to nothing.  Where they change every few
 * phases, moving work after them costs more than it earns, and the rank is better
 * off with its average share and a period that lets the changes even out
 * (period.c).  In a simulation of one loaded rank of two, with changes every 3 ms to
 * 3 s and phases of 5 to 300 ms, following and averaging break even at 8 to
 * 20 phases per change.  Where ranks wait for the decision in the same phase they do at about 5.
 *
 * Where ranks wait for each other after many phases only (sweeps of a pipelined loop), a share that does not
 * hold from one such meeting to the next evens out before anybody waits for it: it is averaged, too.  To ask that it
 * holds for twice that time made no difference to LU and SOR beside a load that changes every quarter of a second.
 *
 * That wait costs each phase a part of a quantum, because a rank may just be off its CPU; being late
 * costs each change a part of a phase.  With an eighth and a quarter, waiting is the cheaper one
 * where hold x quantum < 2 phase^2: where phases are long, and changes not very rare.  Between two meetings
 * of the ranks, where these are two phases apart or more, it is one more meeting: ranks even out less before they
 * wait for each other.  There decisions come late.
 *
 * Reference: Siegell 1995, sections 5.2 and 5.4 for the measured rate.  The
 * thesis knows wall time only; splitting it into speed and share is what a
 * view of the scheduler adds: "slow because the CPU is shared" (follow the
 * share) is told from "slow because the work has changed" (follow the speed).
 *
 * How much work to allot depends on how fast a rank is on average; when it will have done a given amount,
 * in the next moments, on how fast it is now, which lasts for about as long as that.  So beside the rate
 * there is a pace, the same with the speed of the last four quanta:
 *
 *	pace = units per on-CPU second of the last four quanta x share
 *
 * by which ranks that count their iterations meet (section 4.2.1, loop/progress.c).
 *
 * The prediction is the settled share: the kernel's group averages converge
 * within tens of milliseconds, and the decision is about the time after that.
 */
#include "balance/balance_internal.h"

/*
 * Sums of the speed decay so that about this many quanta weigh.  Cores that share
 * caches, hardware threads or a host are tens of percent faster or slower for some
 * ten milliseconds (autocorrelation of the speed: 0.5 after 40 ms, 0 after 180 ms);
 * work that follows that arrives too late.
 */
#define SPEED_QUANTA 64
/* ... and here so many: what ranks do in the next moments. */
#define PACE_QUANTA 4
/* Quanta of evidence that weigh as much as the prediction. */
#define EVIDENCE_QUANTA 10
/* Evidence kept beside a prediction; and where there is none, in quanta or in changes. */
#define EVIDENCE_MOST 100
#define EVIDENCE_ALONE 10
#define EVIDENCE_CHANGES 30
/* The mean share is that of so many seconds, or changes. */
#define MEAN_SECONDS 2.0
/* Shares that hold for fewer quanta or phases are averaged, not followed. */
#define FOLLOW_QUANTA 5
#define FOLLOW_PHASES 12
#define FOLLOW_PROMPTLY 5.5
/* So long is a share taken to hold that has not changed twice in the last seconds. */
#define HOLD_UNSEEN 10.0
/* A prediction that differs by more is another one. */
#define PREDICTION_CHANGE 0.005

void equant_rate_init(struct equant_rate *rate)
{
	*rate = (struct equant_rate){ .predicted = -1, .share = 1 };
	equant_filter_init(&rate->filter);
}

static bool differs(double value, double from, double fraction)
{
	double distance = value > from ? value - from : from - value;

	return distance > fraction * from;
}

bool equant_rate_promptly(const struct equant_sample *sample, const struct equant_following *how)
{
	double hold = sample->hold > 0 ? sample->hold : HOLD_UNSEEN;

	return how->prompt && how->meeting < 2 * how->phase &&
	       hold * how->quantum < 2 * how->phase * how->phase;
}

bool equant_rate_follows(const struct equant_sample *sample, const struct equant_following *how)
{
	const uint32_t needed = EQUANT_SAMPLE_RUN | EQUANT_SAMPLE_PREDICTED;
	double phases = equant_rate_promptly(sample, how) ? FOLLOW_PROMPTLY : FOLLOW_PHASES;

	if (how->mode != EQUANT_RATE_PREDICTED || (sample->flags & needed) != needed)
		return false;
	return sample->hold == 0 ||
	       (sample->hold >= FOLLOW_QUANTA * how->quantum &&
		sample->hold >= phases * how->phase && sample->hold >= how->meeting);
}

/*
 * A virtual CPU may stand still for some ten milliseconds, and its clocks call that time the rank's: in windows
 * of a quantum that would be another speed for all that the sums remember.  It comes alone; a
 * speed that has really changed is there in the next window, too.
 */
static bool is_stall(struct equant_rate *rate, double units, double run, double quantum)
{
	bool before = rate->slow;

	rate->slow = rate->windows == 2 && run < SPEED_QUANTA * quantum &&
		     2 * units < rate->speed * run;
	return rate->slow && !before;
}

/* The first window is spent on page faults and cold caches: it serves until there is another. */
static void update_speed(struct equant_rate *rate, double units, double run, double quantum)
{
	double keep = 1 / (1 + run / (SPEED_QUANTA * quantum));
	double late = 1 - run / (PACE_QUANTA * quantum);

	if (units <= 0 || run < EQUANT_TIME_MIN || is_stall(rate, units, run, quantum))
		return;
	if (rate->windows < 2)
		keep = 0;
	if (rate->windows < 2 || late < 0)
		late = 0;
	rate->windows += rate->windows < 2;
	rate->units = rate->units * keep + units;
	rate->run = rate->run * keep + run;
	rate->speed = rate->units / rate->run;
	rate->late_units = rate->late_units * late + units;
	rate->late_run = rate->late_run * late + run;
}

static void update_evidence(struct equant_rate *rate, const struct equant_sample *sample,
			    double most)
{
	double age = rate->share_run + rate->share_wait;
	double keep = age > most ? most / age : 1;

	rate->share_run = rate->share_run * keep + sample->run;
	rate->share_wait = rate->share_wait * keep + sample->wait;
}

static double longest(double a, double b)
{
	return a > b ? a : b;
}

/* A share that is young beside a phase is not all that the phase will bring. */
static void temper(struct equant_rate *rate, const struct equant_sample *sample, double phase)
{
	double wanted = rate->mean_run + rate->mean_wait;
	double weight;

	if (sample->hold > 0)
		phase /= 4;
	if (sample->age >= phase || wanted < EQUANT_TIME_MIN)
		return;
	weight = sample->age / phase;
	rate->share = weight * rate->share + (1 - weight) * (rate->mean_run / wanted);
}

static void update_mean(struct equant_rate *rate, const struct equant_sample *sample)
{
	double most = longest(EVIDENCE_CHANGES * sample->hold, MEAN_SECONDS);
	double age = rate->mean_run + rate->mean_wait;
	double keep = age > most ? most / age : 1;

	rate->mean_run = rate->mean_run * keep + sample->run;
	rate->mean_wait = rate->mean_wait * keep + sample->wait;
}

/* Does the sample tell a share that is over? */
static bool is_over(const struct equant_rate *rate, const struct equant_sample *sample,
		    double quantum)
{
	return rate->predicted >= 0 && sample->age < quantum;
}

static void update_share(struct equant_rate *rate, const struct equant_sample *sample, bool follows,
			 double quantum, double phase)
{
	bool over = is_over(rate, sample, quantum);
	bool changed = follows && !over &&
		       (rate->predicted < 0 ||
			differs(sample->settled, rate->predicted, PREDICTION_CHANGE));
	double age, weight;

	if (changed) {
		rate->predicted = sample->settled;
		rate->share_run = 0;
		rate->share_wait = 0;
	}
	/* A sample that straddles the change is evidence for neither prediction. */
	if (!changed || sample->age > sample->interval)
		update_evidence(rate, sample,
				follows ? EVIDENCE_MOST * quantum :
					  longest(EVIDENCE_CHANGES * sample->hold,
						  EVIDENCE_ALONE * quantum));
	age = rate->share_run + rate->share_wait;
	weight = follows ? age / (age + EVIDENCE_QUANTA * quantum) : 1;
	if (age >= EQUANT_TIME_MIN)
		rate->share = weight * (rate->share_run / age);
	else if (follows)
		rate->share = 0;
	if (follows)
		rate->share += (1 - weight) * rate->predicted;
	update_mean(rate, sample);
	if (follows && !over)
		temper(rate, sample, longest(phase, quantum));
	if (rate->share < EQUANT_SHARE_MIN)
		rate->share = EQUANT_SHARE_MIN;
}

void equant_rate_set_share(struct equant_rate *rate, double share)
{
	rate->share = share;
	rate->rate = rate->speed * share;
	if (rate->late_run > 0)
		rate->pace = rate->late_units / rate->late_run * share;
}

static double take(struct equant_rate *rate, const struct equant_sample *sample,
		   const struct equant_following *how)
{
	bool fresh = sample->units > 0 && sample->wall >= EQUANT_TIME_MIN;

	/* The filter is fed in either mode, so that a fall-back finds it warm. */
	if (fresh) {
		rate->raw = sample->units / sample->wall;
		equant_filter_update(&rate->filter, rate->raw);
	}
	if (sample->flags & EQUANT_SAMPLE_RUN) {
		update_speed(rate, sample->units, sample->run, how->quantum);
		update_share(rate, sample, equant_rate_follows(sample, how), how->quantum,
			     how->phase);
		if (how->mode == EQUANT_RATE_PREDICTED) {
			equant_rate_set_share(rate, rate->share);
			return rate->rate;
		}
	} else {
		/* Wall time is all there is: it stands for the speed of a whole CPU. */
		rate->speed = rate->filter.adjusted;
		rate->share = 1;
	}
	rate->pace = rate->filter.adjusted;
	return rate->filter.adjusted;
}

double equant_rate_take(struct equant_rate *rate, const struct equant_sample *sample,
			const struct equant_following *how)
{
	rate->rate = take(rate, sample, how);
	return rate->rate;
}

double equant_rate_update(struct equant_rate *rate, const struct equant_sample *sample,
			  enum equant_rate_mode mode, double quantum, double phase)
{
	return equant_rate_take(
		rate, sample,
		&(struct equant_following){ .mode = mode, .quantum = quantum, .phase = phase });
}
