/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The time of a thread that comes and goes between two places, told apart by few readings of what it had
 * altogether.  Pure: knows no clock and no probe.
 *
 * Wall time is exact.  A reading is due where the last one is so old that it is worth its cost.  So what
 * is long has one at its end, and one at its beginning or short stretches before it only; of the short ones every so
 * often one has a reading at both ends, of one place and the other in turn.  Where several stretches share an
 * interval between two readings, the short ones are taken to have been like those that were measured, and what is
 * left is that of the long one.
 */
#ifndef EQUANT_PROFILE_SPLIT_H
#define EQUANT_PROFILE_SPLIT_H

#include <stdbool.h>
#include <stdint.h>

#include <equant/profile.h>

enum { EQUANT_OUTSIDE, EQUANT_INSIDE, EQUANT_PLACES };

/* Short stretches that had readings at both ends. */
struct equant_sampled {
	uint64_t wall_ns;
	uint64_t run_ns;
	uint64_t wait_ns;
};

/**
 * struct equant_split - a thread
 * @times: the caller's, by place: what is told
 * @worth_ns: a reading is due where the last one is so old; the caller's
 * @unread_ns: wall time since the last reading
 * @place: of the stretch that ended last
 * @length_ns: of that
 * @sampling: the stretch that begins is to have a reading at its end, too
 * @wanted: place of which the next one is to be
 */
struct equant_split {
	struct equant_profile_time *times[EQUANT_PLACES];
	uint64_t worth_ns;
	uint64_t unread_ns[EQUANT_PLACES];
	int place;
	uint64_t length_ns;
	bool sampling;
	int wanted;
	struct equant_sampled sampled[EQUANT_PLACES];
};

/** equant_split_pass() - a stretch of that length at @place is over; is a reading due? */
bool equant_split_pass(struct equant_split *split, int place, uint64_t length_ns);

/**
 * equant_split_read() - a reading at the end of the stretch that is over
 * @split: the thread
 * @run_ns: that it was on a CPU since the last reading
 * @wait_ns: and wanted one
 */
void equant_split_read(struct equant_split *split, uint64_t run_ns, uint64_t wait_ns);

#endif /* EQUANT_PROFILE_SPLIT_H */
