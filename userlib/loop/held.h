/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_LOOP_HELD_H
#define EQUANT_LOOP_HELD_H

#include <stdint.h>

#include <equant/probe.h>

/**
 * struct equant_held_mark - how often the share had changed a while ago
 * @t_ns: when that was
 * @changed_ns: when the share took the value that it had then
 */
struct equant_held_mark {
	uint64_t t_ns;
	uint64_t changed_ns;
	uint32_t changes;
};

/**
 * struct equant_held - for how long shares hold, by one status after the other; zero at first
 * @share: the last one
 * @since_ns: since when
 * @lasting: the last one that has been seen to be older than a quantum
 * @lasting_ns: since when, visits of others not counted
 * @marks: of two to four seconds ago, and of up to two
 * @now: as of the last status
 */
struct equant_held {
	struct equant_held_mark marks[2];
	double share;
	uint64_t since_ns;
	double lasting;
	uint64_t lasting_ns;
	struct equant_held_mark now;
};

/** equant_held_note() - what the probe says now */
void equant_held_note(struct equant_held *held, const struct equant_status *status);

/** equant_held_age() - how long ago the share took its value, seconds */
double equant_held_age(const struct equant_held *held);

/** equant_held_mean() - how long a share has held on average in the last two to four seconds; 0 = not known */
double equant_held_mean(const struct equant_held *held);

#endif /* EQUANT_LOOP_HELD_H */
