/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Do messages between the ranks of a pipeline still cost what they did when that was measured? */
#ifndef EQUANT_LOOP_SHIFT_WATCH_H
#define EQUANT_LOOP_SHIFT_WATCH_H

struct equant_strips;

/**
 * struct equant_shift_watch - zero at first
 * @doubts: sweeps in a row by which they are dearer, or cheaper if it is negative
 * @asked: why the costs have been measured since the last sweep: 1 dearer, -1 cheaper, 0 they have not
 * @block: of the sweep before that
 * @cost: of a message of that length, as it was in use then
 * @rest: doubtful sweeps that are let pass after a measurement in vain; [0] cheaper, [1] dearer
 * @pause: of these, still to come
 */
struct equant_shift_watch {
	int doubts;
	int asked;
	long block;
	double cost;
	long rest[2];
	long pause[2];
};

/**
 * equant_shift_watch() - a sweep is over
 * @w: the watch
 * @strips: the next one, with the costs in use
 * @block: of the last one
 * @sent: seconds that sending a strip of it has kept a rank busy, on the rank where it takes longest; 0 = no rank
 *	has sent any
 *
 * The same on all ranks, if their arguments are.
 *
 * Return: 1 if the costs are to be measured again because messages are dearer, -1 because they are cheaper, and the
 * lower one of what is measured and in use counts; 0 if not.
 */
int equant_shift_watch(struct equant_shift_watch *w, const struct equant_strips *strips, long block,
		       double sent);

#endif /* EQUANT_LOOP_SHIFT_WATCH_H */
