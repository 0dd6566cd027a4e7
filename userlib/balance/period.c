// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * How often to balance:
 *
 *	period_interact   = t_interact / k			(eq. 4.2)
 *	period_movement   = t_movement / worksale		(eq. 4.3)
 *	period_scheduling = t_quantum x quantumscale		(eq. 4.4)
 *	period_target     = max of the three			(eq. 4.11)
 *	nexthook          = period_target / period_compute	(eq. 4.1)
 *
 * with period_compute smoothed by eq. 4.12.  quantumscale follows from eq. 4.10:
 * averaging over s leaves an amplitude of min(d, c) / s, d being the time on
 * the CPU and c the time off it.
 *
 * The thesis took k = k_interact, 5 %.  Interactions cost t_interact / p of the time; a change of shares is
 * answered about two periods late, in which about a fifth is lost, so all changes cost 0.4 p / hold.
 * That is least for k = sqrt(0.4 t_interact / hold) (as with the time between two checkpoints: Young,
 * "A first order approximation to the optimum checkpoint interval", 1974).  So k is that, but a fifth of
 * k_interact at least; and no more where nothing is known to change, or so often that following it
 * would cost more than k_interact, or where work stays where it is (steady.c).  In a simulation of 2 and 8
 * ranks that follow all changes, interactions of 0.2 to 5 ms and changes every 50 ms to 10 s, efficiency was
 * within 0.013, once 0.026, of the best of k = 5, 2 and 1 %, each of which was 0.14, 0.05 and 0.09 below
 * the best somewhere.
 *
 * The thesis fixed t_quantum at 100 ms and measured rates only.  Here the
 * quantum is the live one, and a share that is predicted rather than measured
 * needs no averaging: some turns of the scheduler are enough.  Both of the thesis' constants can be
 * had back by options.
 *
 * Reference: Siegell 1995, section 4.3.
 */
#include <math.h>

#include "balance/balance_internal.h"

#define HOOKS_MOST (1L << 30)
#define LONGEST_AVERAGE 1.0 /* second */
#define TURNS 3
#define CROWD_QUANTA 50
#define MEETINGS 8
#define LATE 0.4 /* periods that a change of shares costs */
#define QUIET 0.2 /* of k_interact, where shares hold */

double equant_sampling_bound(double quantum, double share, double amplitude)
{
	double on = quantum;
	double off = on / share - on;
	double bound = (on < off ? on : off) / amplitude;

	return bound > quantum ? bound : quantum;
}

double equant_sampling_scale(double quantum, double share, double sample)
{
	double on = quantum, round = quantum / share, off = round - on;
	double rest = sample - round * (double)(long)(sample / round);

	if (rest > on && rest > off)
		return (round - rest) / sample;
	if (rest > on)
		return on / sample;
	return (rest > off ? off : rest) / sample;
}

/*
 * A competitor takes whole quanta however small its part is, and a rank that is
 * alone on its CPU now may have company before the sample ends: a measured
 * share is granted the worst case of eq. 4.10, d = c.  Where shares come and go
 * too fast to be followed, their changes are the oscillation to average over,
 * up to a second: longer would be late for a change that stays.
 *
 * Ranks that share CPUs with each other have their turns one after the other, and those that meet wait for
 * the last one; their share is an average of many turns anyhow.  With products of 20 ms on four ranks, two to
 * a CPU and a competitor on one, periods of 40, 100, 200 and 400 ms reached 0.86, 0.89, 0.92 and 0.84 of
 * what could be had.
 */
static double averaging_bound(const struct equant_sample *sample,
			      const struct equant_balance_options *options, double quantum)
{
	double bound = equant_sampling_bound(quantum, 0.5, options->amplitude);
	double changes = sample->hold / options->amplitude;

	if (options->mode == EQUANT_RATE_MEASURED)
		return bound;
	if (sample->flags & EQUANT_SAMPLE_CROWDED)
		return CROWD_QUANTA * quantum;
	if (changes <= bound)
		return bound;
	if (changes > LONGEST_AVERAGE)
		return bound > LONGEST_AVERAGE ? bound : LONGEST_AVERAGE;
	return changes;
}

/*
 * A rank that shares its CPU is off it for quantum (1 / share - 1) in each round of the
 * scheduler.  A period not much longer holds a turn more or less than the next one,
 * which ranks that are at most a phase apart cannot even out: they wait for each other.
 */
static double round_bound(const struct equant_rate *rate,
			  const struct equant_balance_options *options, double quantum)
{
	double most = equant_sampling_bound(quantum, 0.5, options->amplitude);
	double bound = TURNS * quantum * (1 / rate->share - 1);

	return bound < most ? bound : most;
}

double equant_scheduling_bound(const struct equant_sample *samples, const struct equant_rate *rates,
			       int n, const struct equant_balance_options *options,
			       const struct equant_following *how)
{
	double quantum = how->quantum, largest = quantum, bound;

	if (options->quanta > 0)
		return options->quanta * quantum;
	for (int i = 0; i < n; i++) {
		if (equant_rate_follows(&samples[i], how))
			bound = round_bound(&rates[i], options, quantum);
		else
			bound = averaging_bound(&samples[i], options, quantum);
		if (bound > largest)
			largest = bound;
	}
	return largest;
}

/* Eq. 4.12; the first value is taken as it is. */
static double smooth(double history, double value)
{
	return history > 0 ? 0.5 * history + 0.5 * value : value;
}

static void update_compute(struct equant_pace *pace, const struct equant_sample *samples, int n)
{
	double sum = 0;
	int ranks = 0;

	for (int i = 0; i < n; i++) {
		if (!samples[i].hooks || samples[i].interval < EQUANT_TIME_MIN)
			continue;
		sum += samples[i].interval / samples[i].hooks;
		ranks++;
	}
	if (ranks)
		pace->compute = smooth(pace->compute, sum / ranks);
}

static void update_interact(struct equant_pace *pace, const struct equant_sample *samples, int n)
{
	double sum = 0;

	for (int i = 0; i < n; i++)
		sum += samples[i].interact;
	if (sum >= EQUANT_TIME_MIN)
		pace->interact = smooth(pace->interact, sum / n);
}

/*
 * Of shares that are followed the shortest time for which one holds.  As long as none is known to have
 * changed lately that time grows.
 */
void equant_pace_hold(struct equant_pace *pace, const struct equant_sample *samples, int n,
		      const struct equant_following *how)
{
	double least = 0, interval = 0;

	for (int i = 0; i < n; i++) {
		interval += samples[i].interval / n;
		if (samples[i].hold <= 0 || !equant_rate_follows(&samples[i], how))
			continue;
		if (least <= 0 || samples[i].hold < least)
			least = samples[i].hold;
	}
	if (least > 0)
		pace->hold = least;
	else if (pace->hold > 0)
		pace->hold += interval;
}

static void update_movement(struct equant_pace *pace, const struct equant_sample *samples, int n)
{
	double most = 0;

	for (int i = 0; i < n; i++)
		if (samples[i].moved > 0 && samples[i].move > most)
			most = samples[i].move;
	pace->since++;
	if (most < EQUANT_TIME_MIN)
		return;
	pace->movement = smooth(pace->movement, most);
	pace->worksale = smooth(pace->worksale, pace->since);
	pace->since = 0;
}

/*
 * Meetings may be many samples apart, and not in the same sample of all ranks: count until there are
 * enough, then forget half.  Restraint.c looks at phases so short that all ranks meet in each sample.
 */
static void update_meetings(struct equant_pace *pace, const struct equant_sample *samples, int n)
{
	double met = 0, time = 0;

	for (int i = 0; i < n; i++) {
		met += samples[i].meetings;
		time += samples[i].interval;
	}
	pace->met += met / n;
	pace->together += time / n;
	if (pace->met < MEETINGS)
		return;
	pace->met /= 2;
	pace->together /= 2;
}

/* From one meeting of the ranks to the next, seconds; 0 = not known. */
double equant_pace_meeting(const struct equant_pace *pace)
{
	return pace->met >= 1 ? pace->together / pace->met : 0;
}

void equant_pace_update(struct equant_pace *pace, const struct equant_sample *samples, int n)
{
	update_compute(pace, samples, n);
	update_interact(pace, samples, n);
	update_movement(pace, samples, n);
	update_meetings(pace, samples, n);
}

/* k of eq. 4.2; the thesis' where rates are measured as there, which takes longer than to wait for a phase. */
static double interact_fraction(const struct equant_pace *pace,
				const struct equant_balance_options *options, bool answers)
{
	double most = options->interact_fraction, least = QUIET * most, best = 0;

	if (options->mode == EQUANT_RATE_MEASURED)
		return most;
	if (answers && pace->hold > 0)
		best = sqrt(LATE * pace->interact / pace->hold);
	return best < least || best > most ? least : best;
}

double equant_pace_period(const struct equant_pace *pace,
			  const struct equant_balance_options *options, double scheduling,
			  bool answers)
{
	double interact = pace->interact / interact_fraction(pace, options, answers);
	double movement = pace->movement / (pace->worksale > 1 ? pace->worksale : 1);
	double period = scheduling;

	if (options->period > 0)
		return options->period;
	if (interact > period)
		period = interact;
	if (movement > period)
		period = movement;
	return period;
}

/* Eq. 4.1 to the nearest whole number; one hook until the time between hooks is known. */
long equant_pace_hooks(const struct equant_pace *pace, double period)
{
	double hooks = pace->compute > 0 ? period / pace->compute + 0.5 : 1;

	if (hooks < 1)
		return 1;
	return hooks < (double)HOOKS_MOST ? (long)hooks : HOOKS_MOST;
}
