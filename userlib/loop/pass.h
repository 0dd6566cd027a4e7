/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_LOOP_PASS_H
#define EQUANT_LOOP_PASS_H

#include <equant/equant.h>

#include "loop/async.h"
#include "loop/progress.h"

/**
 * struct equant_pass - the passes over a loop with hooks between its iterations
 * @number: the pass under way or the last one, from 1
 * @under_way: between equant_pass_begin() and equant_pass_end()
 * @joined: it ends on all ranks together
 * @over: equant_next() has said that nothing is left
 * @todo: what equant_next() hands out, from the range @at on without its first @skip units
 * @strip: units handed out that are not yet counted as computed
 * @computed: units computed and not yet in the window
 * @timed: a section is open
 * @until: units until the phase, LONG_MAX = it is in a later pass
 * @look: units between two looks at what is under way
 * @due: the pass in which the next phase is
 * @progress: of all ranks, in the pass @left_of
 * @paces: by rank, units per second as of the last decision; 0 = not known
 * @named: the units of a decision's instructions
 * @period: seconds between phases
 * @async: not NULL in asynchronous mode, which knows no phases
 */
struct equant_pass {
	long number;
	int under_way;
	int joined;
	int over;

	const struct equant_runs *todo;
	int at;
	long skip;
	long strip;
	long computed;
	int timed;
	long until;
	long look;

	long due;
	long left_of;
	struct equant_progress progress;
	double *paces;
	struct equant_runs *named;
	double period;
	struct equant_async *async;
};

struct equant_loop;

/* pass.c */
void equant_pass_free(struct equant_pass *pass);

/** equant_pass_rewind() - hand out what is left from its beginning */
void equant_pass_rewind(struct equant_loop *loop);

/** equant_pass_leave() - units are computed in sections; what else is done lies between them */
void equant_pass_leave(struct equant_loop *loop);

/** equant_pass_misused() - say what is wrong and end the loop; -EINVAL */
int equant_pass_misused(struct equant_loop *loop, const char *what);

/* pass_phase.c */

/** equant_pass_start() - before the first pass; 0 or -errno */
int equant_pass_start(struct equant_loop *loop);

/** equant_pass_lead() - ... of a loop whose leader is gone, its first pass as the leader; 0 or -errno */
int equant_pass_lead(struct equant_loop *loop);

/** equant_pass_phase() - balance; @last: all units of a joined pass are computed; 0 or -errno */
int equant_pass_phase(struct equant_loop *loop, int last);

/** equant_pass_hasten() - many more units are active than before: the next pass begins with a phase */
void equant_pass_hasten(struct equant_loop *loop);

/** equant_pass_progress() - look after what is under way; 0 or -errno */
int equant_pass_progress(struct equant_loop *loop);

#endif /* EQUANT_LOOP_PASS_H */
