/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_LOOP_ASYNC_H
#define EQUANT_LOOP_ASYNC_H

#include "balance/reports.h"
#include "control/outbox.h"
#include "loop/relay.h"
#include "loop/units.h"

enum equant_notice_kind {
	EQUANT_NOTICE_GIVE, /* rank 0: send these units to @peer */
	EQUANT_NOTICE_TAKE, /* the giver: these units are on their way from @peer */
	EQUANT_NOTICE_PERIOD, /* rank 0: report so often; and it is still there */
	EQUANT_NOTICE_OVER, /* rank 0: the joined pass @number ends, or if 0 the loop; @error: why badly */
	EQUANT_NOTICE_FAIL, /* rank 0: the loop has failed: @error because of @peer */
};

/**
 * struct equant_notice - what a rank is told, when it concerns it
 * @to: that rank, -1 = all
 * @number: of the transfer or the pass
 * @ranges: of units, @nr_ranges of them
 */
struct equant_notice {
	int32_t kind;
	int32_t to;
	int32_t peer;
	int32_t error;
	int64_t nr_ranges;
	uint64_t number;
	double period;
	struct equant_range ranges[];
};

enum equant_async_over {
	EQUANT_ASYNC_GOES_ON,
	EQUANT_ASYNC_PASS_OVER,
	EQUANT_ASYNC_LOOP_OVER,
};

struct equant_master;

/**
 * struct equant_async - a rank's part in asynchronous balancing
 * @done: by unit, in how many passes it has been computed; moves with the unit
 * @pass: from 0, in which the unit handed out is computed
 * @computed: computations of this rank since the first pass
 * @state: what rank 0 was told last
 * @over: the joined pass has ended, and this rank is yet to meet the others; or the loop
 * @failure: -errno that rank 0 has told
 * @refused: -errno of the program's that refused what had come, all of it; since it was last cleared
 * @met: the ranks have met, and no pass has begun since
 * @period: seconds between reports
 * @notice: room for one of @room bytes
 * @kept: size of the one in @notice that is still to be sent on and acted upon, 0 = there is none
 * @owner: room for who owns which unit, while ranks meet
 * @heard_ns: when rank 0 was last heard of
 * @master: on rank 0, else NULL
 */
struct equant_async {
	int64_t *done;
	long pass;
	long computed;
	enum equant_async_state state;
	enum equant_async_over over;
	int failure;
	int refused;
	int met;
	double period;
	struct equant_notice *notice;
	size_t room;
	size_t kept;
	int *owner;
	uint64_t heard_ns;
	struct equant_relay relay;
	struct equant_outbox outbox;
	struct equant_master *master;
};

struct equant_loop;

/* async.c: a rank's side */
int equant_async_start(struct equant_loop *loop);
void equant_async_free(struct equant_async *async);

/** equant_async_begin() - a pass begins; 0 or -ENOMEM */
int equant_async_begin(struct equant_loop *loop);

/** equant_async_count() - the strip is computed */
void equant_async_count(struct equant_loop *loop);

/** equant_async_advance() - 1 and a strip, 0 when the pass is over, -errno */
int equant_async_advance(struct equant_loop *loop);

/** equant_async_end() - as equant_loop_end() */
int equant_async_end(struct equant_loop *loop);

/** equant_async_left() - computations until all units of this rank have been computed in its pass */
long equant_async_left(const struct equant_loop *loop);

/**
 * equant_async_report() - tell rank 0 how things are
 * @loop: outside of sections
 * @state: what this rank does
 * @taken: the number of a transfer that has arrived, 0 = none
 *
 * Return: 0 or -errno.
 */
int equant_async_report(struct equant_loop *loop, enum equant_async_state state, uint64_t taken);

/* async_notice.c: what comes in */

/** equant_async_look() - act upon all that has come; 1 if that was something, 0, -errno */
int equant_async_look(struct equant_loop *loop);

/** equant_async_await() - until something comes or the pass is over, giving up the CPU; 0 or -errno */
int equant_async_await(struct equant_loop *loop);

/** equant_async_obey() - act upon a notice if it is to this rank, too; 0 or -errno */
int equant_async_obey(struct equant_loop *loop, const struct equant_notice *notice);

/** equant_async_transfer() - give the units that a notice names, or take them in; 0 or -errno */
int equant_async_transfer(struct equant_loop *loop, const struct equant_notice *notice);

/** equant_async_forbids() - say that a call needs to know where others' units are; 0 or -EINVAL */
int equant_async_forbids(const struct equant_loop *loop, const char *function);

/* async_master.c: rank 0's side */
struct equant_master *equant_master_new(struct equant_loop *loop);
void equant_master_free(struct equant_master *master);

/** equant_master_meet() - who owns what, now that all ranks know; 0 or -ENOMEM */
int equant_master_meet(struct equant_loop *loop);

/** equant_master_hear() - take in a rank's report */
void equant_master_hear(struct equant_loop *loop, const struct equant_report_up *report);

/** equant_master_act() - what follows from the reports; 0 or -errno */
int equant_master_act(struct equant_loop *loop);

/** equant_master_awaits() - a rank that still computes, as far as is known; -1 = none */
int equant_master_awaits(const struct equant_loop *loop);

#endif /* EQUANT_LOOP_ASYNC_H */
