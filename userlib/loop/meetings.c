// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * How often do ranks wait for each other?  Whether they do so before a share changes again depends on how long
 * they compute in between.  Ranks that meet a hundred times in a row, for the columns of a panel, and then compute for
 * a tenth of a second have met once as far as that goes.  A change comes at any time, so a time t between
 * two meetings is met with a chance in proportion to t: the mean is sum(t^2) / sum(t), and the number of
 * meetings that goes with it sum(t)^2 / sum(t^2).
 *
 * Times are those at which sections begin, which are read anyway.
 */
#include "loop/meetings.h"

void equant_meetings_note(struct equant_meetings *m, uint32_t all, uint64_t now_ns)
{
	double time;

	if (all == m->noted && m->since_ns)
		return;
	if (m->since_ns) {
		time = 1e-9 * (double)(now_ns - m->since_ns);
		m->sum += time;
		m->squares += time * time;
	}
	m->noted = all;
	m->since_ns = now_ns;
}

uint16_t equant_meetings_count(struct equant_meetings *m, uint32_t all)
{
	double met = all - m->counted;

	if (m->squares > 0 && met * m->squares > m->sum * m->sum)
		met = m->sum * m->sum / m->squares + 0.5;
	m->counted = all;
	m->sum = 0;
	m->squares = 0;
	return met < UINT16_MAX ? (uint16_t)met : UINT16_MAX;
}
