// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Is a movement worth its cost?
 *
 *	c = instructions x c_fixed + units x c_incr		(eq. 5.10)
 *	benefit = bfract x t_stable				(eq. 5.12)
 *	cancel if c > k x benefit				(section 5.6)
 *
 * c is that of the rank whose transfers cost most.  c_fixed and c_incr are
 * measured at start; what later moves cost is seen only as a sum, so both are
 * scaled by seen / expected cost, 1 at least, smoothed like eq. 4.12.  The scale returns to
 * 1 while nothing moves: a single bad measurement must not forbid the very
 * moves that would correct it.
 *
 * t_stable is twice the mean time between changes over the window, half of
 * them being in a favourable direction (section 5.6.2).  The thesis counts
 * every phase that found an imbalance.  Its phases were a second long; with
 * phases of milliseconds an imbalance that was left alone would be counted
 * hundreds of times and so never become worth mending.  Here an imbalance
 * counts once until it is gone or has been answered by a move.
 *
 * Where shares are predicted and nobody knows how long they hold, an imbalance is worth what it has
 * cost already (decide.c): the time until a competitor goes says nothing before it has gone once.
 *
 * Where shares hold long enough for the rate to follow them, the mean time they
 * hold is t_stable, less what the answer is late.  Half of it: what follows moves at every change, what stays is
 * wrong after every other one.  In a simulation of two ranks and a load of 3 s, where moving everything takes
 * 2 s, following every change was 0.77 efficient and never moving 0.86.  The thesis' k of 5 allows for a t_stable
 * that is little more than a guess, and "could be reduced" with a better one (section 5.6): a
 * t_stable that has been seen is held against the cost as it is, k = 1.
 *
 * Reference: Siegell 1995, section 5.6.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "balance/balance_internal.h"

double equant_move_cost_in(const struct equant_instruction *instructions, int count, int n,
			   double fixed, double per_unit, struct equant_heap_entry *room)
{
	double most = 0;

	for (int i = 0; i < n; i++)
		room[i] = (struct equant_heap_entry){ 0 };
	for (int i = 0; i < count; i++) {
		room[instructions[i].from].ports++;
		room[instructions[i].from].units += instructions[i].units;
		room[instructions[i].to].ports++;
		room[instructions[i].to].units += instructions[i].units;
	}
	for (int i = 0; i < n; i++) {
		double cost = room[i].ports * fixed + (double)room[i].units * per_unit;

		if (cost > most)
			most = cost;
	}
	return most;
}

double equant_move_cost(const struct equant_instruction *instructions, int count, int n,
			double fixed, double per_unit)
{
	struct equant_heap_entry *room;
	double cost;

	for (int i = 0; i < count; i++)
		if (instructions[i].from < 0 || instructions[i].from >= n ||
		    instructions[i].to < 0 || instructions[i].to >= n)
			return HUGE_VAL;
	if (n < 1)
		return 0;
	room = calloc(n, sizeof(*room));
	if (!room)
		return HUGE_VAL;
	cost = equant_move_cost_in(instructions, count, n, fixed, per_unit, room);
	free(room);
	return cost;
}

void equant_costs_update(struct equant_costs *costs, const struct equant_sample *samples,
			 const int *transfers, int n, double fade)
{
	double seen = 0, expected = 0, moved = 0;

	for (int i = 0; i < n; i++) {
		if (samples[i].moved <= 0 || samples[i].move < EQUANT_TIME_MIN)
			continue;
		seen += samples[i].move;
		moved += samples[i].moved;
		expected += (transfers[i] ? transfers[i] : 1) * costs->fixed +
			    samples[i].moved * costs->per_unit;
	}
	if (seen == 0) {
		costs->scale += (1 - costs->scale) * (fade < 1 ? fade : 1);
	} else if (expected < EQUANT_TIME_MIN) {
		costs->per_unit = seen / moved;
		costs->scale = 1;
	} else {
		costs->scale = 0.5 * costs->scale + 0.5 * (seen / expected);
		/* What MPI does while a rank waits is not seen. */
		if (costs->scale < 1)
			costs->scale = 1;
	}
}

/* Time passes before the phase that is being decided. */
void equant_history_advance(struct equant_history *history, double elapsed, double window)
{
	if (history->time[history->at] >= window / EQUANT_HISTORY_BUCKETS) {
		history->at = (history->at + 1) % EQUANT_HISTORY_BUCKETS;
		history->time[history->at] = 0;
		history->changes[history->at] = 0;
	}
	history->time[history->at] += elapsed;
}

void equant_history_note(struct equant_history *history, bool imbalanced)
{
	if (imbalanced && !history->pending)
		history->changes[history->at]++;
	history->pending = imbalanced;
}

double equant_history_stable(const struct equant_history *history, double window)
{
	double time = 0, changes = 0;

	/* Backwards: where phases are longer than a bucket the ring holds more than the window. */
	for (int i = 0; i < EQUANT_HISTORY_BUCKETS && time < window; i++) {
		int at = (history->at + EQUANT_HISTORY_BUCKETS - i) % EQUANT_HISTORY_BUCKETS;

		time += history->time[at];
		changes += history->changes[at];
	}
	/* The change that matters may have left the window before it was answered. */
	return 2 * time / (changes > 1 ? changes : 1);
}

/* Has any share come and gone? */
bool equant_holds_known(const struct equant_sample *samples, int n)
{
	for (int i = 0; i < n; i++)
		if (samples[i].hold > 0)
			return true;
	return false;
}

/* The longest time that a share which is followed holds; 0 = no rank knows. */
double equant_hold_stable(const struct equant_sample *samples, int n,
			  const struct equant_following *how)
{
	double longest = 0;

	for (int i = 0; i < n; i++)
		if (samples[i].hold > longest && equant_rate_follows(&samples[i], how))
			longest = samples[i].hold;
	return longest;
}
