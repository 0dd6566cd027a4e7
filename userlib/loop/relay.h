/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_LOOP_RELAY_H
#define EQUANT_LOOP_RELAY_H

#include <stdbool.h>
#include <stddef.h>

#include "balance/reports.h"
#include "control/gather.h"

struct equant_loop;
struct equant_notice;

/**
 * struct equant_relay - the way of reports up to rank 0, and of notices down from there
 * @branch: this rank's place in it
 * @held: @n reports of this rank and those below it that are to be sent up, room for @room
 * @computes: by rank from this one on, it was computing when it reported last
 * @fresh: ... there is a report of it in @held
 * @due: @held is to be sent without waiting for reports of others
 */
struct equant_relay {
	struct equant_branch branch;
	struct equant_report_up *held;
	int n;
	int room;
	bool *computes;
	bool *fresh;
	bool due;
};

/** equant_relay_init() - of an asynchronous loop; 0, -ENOMEM after which to release it, too */
int equant_relay_init(struct equant_relay *relay, const struct equant_loop *loop);
void equant_relay_release(struct equant_relay *relay);

/** equant_relay_renew() - before the first pass, and when the ranks have met: all compute */
void equant_relay_renew(struct equant_relay *relay);

/** equant_relay_reserve() - room for n more reports behind the n that are held; 0 or -ENOMEM */
int equant_relay_reserve(struct equant_relay *relay, int n);

/** equant_relay_take() - n reports have been written behind those that are held; 0 or -EBADMSG */
int equant_relay_take(struct equant_loop *loop, int n);

/** equant_relay_up() - send what is due, or let rank 0 hear it; 0, or -errno and it is still due */
int equant_relay_up(struct equant_loop *loop);

/** equant_relay_down() - send a notice on to those whom it concerns; 0; -ENOMEM and it was sent to nobody; -EIO */
int equant_relay_down(struct equant_loop *loop, const struct equant_notice *notice, size_t size);

#endif /* EQUANT_LOOP_RELAY_H */
