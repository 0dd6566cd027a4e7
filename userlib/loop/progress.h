/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_LOOP_PROGRESS_H
#define EQUANT_LOOP_PROGRESS_H

#include "loop/units.h"

/**
 * struct equant_progress - what every rank knows of all ranks' progress in a pass
 * @left: by rank; units that the pass still has to compute, as of the last phase
 * @counts: left[r].total, as the balancer wants them
 * @quota: by rank; units that it computes before the next phase
 * @limit: units that the fastest rank may compute before the phase planned next
 * @trial: it has cut the period down
 *
 * A rank computes its units in ascending order and enters the next phase when it has computed its
 * quota or has none left.  So each rank knows without a message what all ranks have
 * computed whenever a phase begins, as it knows who owns what.
 */
struct equant_progress {
	int ranks;
	struct equant_runs *left;
	long *counts;
	long *quota;
	double limit;
	int trial;
};

/**
 * struct equant_pace_of_pass - what a plan is made from
 * @paces: by rank, units per second as of late; all 0 = not known, or none is
 * @owned: by rank, units of a whole pass
 * @period: seconds to the next phase
 * @least: seconds below which phases cost too much
 * @joined: ranks wait for each other at its end
 */
struct equant_pace_of_pass {
	const double *paces;
	const long *owned;
	double period;
	double least;
	int joined;
};

/** equant_progress_init() - nothing is left, quotas are 0; 0 or -ENOMEM */
int equant_progress_init(struct equant_progress *p, int ranks);
void equant_progress_release(struct equant_progress *p);

/** equant_progress_begin() - a pass over all active units; 0 or -ENOMEM */
int equant_progress_begin(struct equant_progress *p, const struct equant_units *units);

/** equant_progress_advance() - every rank has computed its quota; 0 or -ENOMEM */
int equant_progress_advance(struct equant_progress *p);

/**
 * equant_progress_pick() - choose the units of an instruction and let them change hands
 * @p: progress
 * @move: not more units than the giver has left
 * @picked: receives the last that the giver would have computed
 *
 * Return: 0, -EPROTO for an instruction that cannot be, -ENOMEM.
 */
int equant_progress_pick(struct equant_progress *p, const struct equant_instruction *move,
			 struct equant_runs *picked);

/** equant_progress_learn() - paces have been measured anew: plans may reach further */
void equant_progress_learn(struct equant_progress *p);

/**
 * equant_progress_plan() - when the next phase is
 * @p: progress; the quotas are set
 * @pace: how fast ranks are
 *
 * Return: how many passes later, 0 = in this one.
 */
long equant_progress_plan(struct equant_progress *p, const struct equant_pace_of_pass *pace);

#endif /* EQUANT_LOOP_PROGRESS_H */
