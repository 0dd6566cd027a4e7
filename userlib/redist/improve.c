// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Two schedules that look at more than section 4.3's does, in about the same time.
 *
 * Eager: a sender that is free takes, of the receivers that are free already, the one it has the
 * longest message for; if there is none, the one that is free first.  Of senders that are free at
 * once, as all are at the beginning, the one with the most to send is served first.
 *
 * Improved: a schedule that is read backwards is one, too.  So eager's is made once more from its
 * end to its beginning, what ended last first; that one from its beginning to its end; and so on,
 * and the shortest is kept.  Ranks that are busy to the end in one turn begin early in the next
 * one.
 *
 * The lemma of section 4.3 holds for all of them: no sender is idle while its last receiver is.
 *
 * Where ranks share a port that is full (ports.c), turns are weighed by what they take in the
 * simulation, and what ends last in it begins first in the next one; and there the direct schedule
 * may be faster than all of them, and is taken then.
 *
 * Reference: K. Y. Li, R. J. Willis, An Iterative Scheduling Technique for Resource-Constrained
 * Project Scheduling, European Journal of Operational Research 56(3), 1992.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "redist/ports.h"

#define SIMULATED 1e6 /* pieces times ranks in all turns, about: a tenth of a second */
#define ROUNDING 1e-12 /* of the bound: nothing is left to be gained */

/**
 * struct turns - the schedules of all turns
 * @keys: of the messages in this one
 * @next: of them in the next one
 * @best: keys of the shortest so far
 * @time: that this one takes
 * @least: that the shortest takes
 * @backwards: is it read so?
 * @simulated: is that what times are?
 */
struct turns {
	double *keys;
	double *next;
	double *best;
	double time;
	double least;
	bool backwards;
	bool simulated;
};

static void longest_first(const struct equant_redist_costs *costs, double *keys)
{
	for (int64_t k = 0; k < costs->count; k++)
		keys[k] = -equant_redist_time(&costs->messages[k]);
}

static void read_backwards(struct equant_redist_schedule *schedule)
{
	for (int64_t i = 0; i < schedule->count; i++) {
		struct equant_redist_piece *piece = &schedule->pieces[i];
		double begin = schedule->makespan - piece->end;

		piece->end = schedule->makespan - piece->begin;
		piece->begin = begin;
	}
}

/* What ended last begins first, from what is now the other end. */
static void turn_round(const struct equant_redist_costs *costs,
		       const struct equant_redist_schedule *schedule, bool backwards, double *keys)
{
	for (int64_t i = 0; i < schedule->count; i++) {
		const struct equant_redist_piece *piece = &schedule->pieces[i];
		int64_t k = equant_redist_message_of(costs, piece);

		keys[k] = backwards ? piece->begin : -piece->end;
	}
}

/* What the turn's schedule takes in the simulation, and when what happens there. */
static int simulate(struct equant_redist_draft *draft, struct turns *turns, bool backwards)
{
	const struct equant_redist_costs *costs = draft->costs;
	struct equant_redist_schedule *done;
	int error;

	if (backwards)
		read_backwards(draft->schedule);
	error = equant_redist_order(draft->schedule);
	if (error)
		return error;
	done = equant_redist_replay(draft->schedule, costs->network, costs->count, costs->volumes,
				    1, false, NULL, 0);
	if (!done)
		return -errno;
	turns->time = done->makespan;
	turn_round(costs, done, backwards, turns->next);
	equant_redist_schedule_free(done);
	return 0;
}

static int take_turn(struct equant_redist_draft *draft, struct turns *turns, int turn)
{
	int error;

	equant_redist_restart(draft);
	error = equant_redist_list(draft, turns->keys);
	if (error)
		return error;
	turns->time = draft->schedule->makespan;
	if (turns->simulated)
		error = simulate(draft, turns, turn % 2);
	else
		turn_round(draft->costs, draft->schedule, false, turns->next);
	if (error || (turn && turns->time >= turns->least))
		return error;
	turns->least = turns->time;
	turns->backwards = turn % 2;
	memcpy(turns->best, turns->keys, (size_t)draft->costs->count * sizeof(*turns->best));
	return 0;
}

static int take_turns(struct equant_redist_draft *draft, struct turns *turns, double most)
{
	double enough = draft->schedule->bound * (1 + ROUNDING);
	int error;

	longest_first(draft->costs, turns->keys);
	error = take_turn(draft, turns, 0);
	for (int turn = 1; turn < most && turns->least > enough && !error; turn++) {
		double *swap = turns->keys;

		turns->keys = turns->next;
		turns->next = swap;
		error = take_turn(draft, turns, turn);
	}
	equant_redist_restart(draft);
	if (!error)
		error = equant_redist_list(draft, turns->best);
	if (turns->backwards)
		read_backwards(draft->schedule);
	return error;
}

/* Or the direct schedule, if that takes less time; @turns: all are simulated. */
static int or_direct(struct equant_redist_draft *draft, const struct turns *turns)
{
	struct equant_redist_kept kept = { .time = 0 };
	int error = equant_redist_keep_faster(draft, &kept, turns->simulated ? turns->least : NAN);

	if (!error)
		error = equant_redist_direct(draft);
	if (!error)
		error = equant_redist_keep_faster(draft, &kept, NAN);
	equant_redist_take_back(draft, &kept);
	return error;
}

static int improve(struct equant_redist_draft *draft, struct turns *turns, double most)
{
	double work = equant_redist_replay_work(draft->costs);
	int error;

	turns->simulated = draft->costs->network && work <= EQUANT_REDIST_REPLAY_MOST;
	if (turns->simulated)
		most = fmin(most, fmax(SIMULATED / work, 2));
	error = take_turns(draft, turns, fmin(most, EQUANT_REDIST_TURNS));
	return error || !draft->costs->network ? error : or_direct(draft, turns);
}

int equant_redist_improve(struct equant_redist_draft *draft, double most)
{
	struct turns turns = {
		.keys = calloc((size_t)draft->costs->count + 1, sizeof(*turns.keys)),
		.next = calloc((size_t)draft->costs->count + 1, sizeof(*turns.next)),
		.best = calloc((size_t)draft->costs->count + 1, sizeof(*turns.best)),
	};
	int error = -ENOMEM;

	if (turns.keys && turns.next && turns.best)
		error = improve(draft, &turns, most);
	free(turns.keys);
	free(turns.next);
	free(turns.best);
	return error;
}

int equant_redist_improved(struct equant_redist_draft *draft)
{
	return equant_redist_improve(draft, draft->turns);
}

int equant_redist_eager(struct equant_redist_draft *draft)
{
	double *keys = calloc((size_t)draft->costs->count + 1, sizeof(*keys));
	int error = -ENOMEM;

	if (keys) {
		longest_first(draft->costs, keys);
		error = equant_redist_list(draft, keys);
	}
	free(keys);
	return error;
}
