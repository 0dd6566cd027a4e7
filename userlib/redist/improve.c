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
 * Reference: K. Y. Li, R. J. Willis, An Iterative Scheduling Technique for Resource-Constrained
 * Project Scheduling, European Journal of Operational Research 56(3), 1992.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "redist/schedule.h"

#define TURNS 24.
#define ROUNDING 1e-12 /* of the bound: nothing is left to be gained */

/**
 * struct turns - the schedules of all turns
 * @keys: of the messages in the next one
 * @best: keys of the shortest so far
 * @makespan: of that
 * @backwards: is it read so?
 */
struct turns {
	double *keys;
	double *best;
	double makespan;
	bool backwards;
};

static void longest_first(const struct equant_redist_costs *costs, double *keys)
{
	for (int64_t k = 0; k < costs->count; k++)
		keys[k] = -equant_redist_time(&costs->messages[k]);
}

/* What ended last begins first. */
static void turn_round(const struct equant_redist_draft *draft, double *keys)
{
	const struct equant_redist_schedule *schedule = draft->schedule;

	for (int64_t i = 0; i < schedule->count; i++) {
		int64_t k = equant_redist_message_of(draft->costs, &schedule->pieces[i]);

		keys[k] = -schedule->pieces[i].end;
	}
}

static int take_turn(struct equant_redist_draft *draft, struct turns *turns, int turn)
{
	int error;

	equant_redist_restart(draft);
	error = equant_redist_list(draft, turns->keys);
	if (error || (turn && draft->schedule->makespan >= turns->makespan))
		return error;
	turns->makespan = draft->schedule->makespan;
	turns->backwards = turn % 2;
	memcpy(turns->best, turns->keys, (size_t)draft->costs->count * sizeof(*turns->best));
	return 0;
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

static int take_turns(struct equant_redist_draft *draft, struct turns *turns, double most)
{
	double enough = draft->schedule->bound * (1 + ROUNDING);
	int error;

	longest_first(draft->costs, turns->keys);
	error = take_turn(draft, turns, 0);
	for (int turn = 1; turn < most && turns->makespan > enough && !error; turn++) {
		turn_round(draft, turns->keys);
		error = take_turn(draft, turns, turn);
	}
	equant_redist_restart(draft);
	if (!error)
		error = equant_redist_list(draft, turns->best);
	if (turns->backwards)
		read_backwards(draft->schedule);
	return error;
}

int equant_redist_improve(struct equant_redist_draft *draft, double turns_most)
{
	struct turns turns = {
		.keys = calloc((size_t)draft->costs->count + 1, sizeof(*turns.keys)),
		.best = calloc((size_t)draft->costs->count + 1, sizeof(*turns.best)),
	};
	int error = -ENOMEM;

	if (turns.keys && turns.best)
		error = take_turns(draft, &turns, fmin(turns_most, TURNS));
	free(turns.keys);
	free(turns.best);
	return error;
}

int equant_redist_improved(struct equant_redist_draft *draft)
{
	return equant_redist_improve(draft, TURNS);
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
