/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_LOOP_MEETINGS_H
#define EQUANT_LOOP_MEETINGS_H

#include <stdint.h>

/**
 * struct equant_meetings - when the ranks met, by the sections in between; zero at first
 * @noted: meetings up to the last section
 * @counted: ... to the last sample
 * @since_ns: the first section after them began; 0 = none has
 * @sum: of the times from meeting to meeting that ended since the last sample, seconds
 * @squares: of theirs
 */
struct equant_meetings {
	uint32_t noted;
	uint32_t counted;
	uint64_t since_ns;
	double sum;
	double squares;
};

/** equant_meetings_note() - a section begins; ranks have met @all times so far */
void equant_meetings_note(struct equant_meetings *m, uint32_t all, uint64_t now_ns);

/**
 * equant_meetings_count() - how often ranks met since the last count, for who comes at any time
 *
 * Meetings in quick succession hardly count: the time from one to the next is the mean over time, not
 * over meetings.
 */
uint16_t equant_meetings_count(struct equant_meetings *m, uint32_t all);

#endif /* EQUANT_LOOP_MEETINGS_H */
