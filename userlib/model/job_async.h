/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * A simulated job that is balanced asynchronously: job_async.c has the ranks, job_master.c
 * rank 0's decisions.
 */
#ifndef EQUANT_MODEL_JOB_ASYNC_H
#define EQUANT_MODEL_JOB_ASYNC_H

#include "balance/reports.h"
#include "model/job_internal.h"

enum equant_job_notice { EQUANT_JOB_REPORT, EQUANT_JOB_GIVE, EQUANT_JOB_TAKE, EQUANT_JOB_PERIOD };

/**
 * struct equant_job_message - one that has been sent
 * @time: nobody sees it before
 * @peer: of a transfer, or the reporter
 */
struct equant_job_message {
	enum equant_job_notice kind;
	int to;
	int peer;
	int64_t time;
	double period;
	struct equant_report_up report;
};

/**
 * struct equant_job_worker - a rank
 * @pass: the step it is in, from 1
 * @until: computations until it reports, @look: until it looks for messages
 * @state: what it has reported; it waits for a message unless it computes
 */
struct equant_job_worker {
	long pass;
	long until;
	long look;
	double period;
	enum equant_async_state state;
};

/**
 * struct equant_job_unit - of a unit
 * @done: steps in which it was computed
 * @owner: rank, or the number of ranks + the giver while it is under way
 * @planned: who will have it, as rank 0 knows
 */
struct equant_job_unit {
	long done;
	int owner;
	int planned;
};

struct equant_job_async {
	struct equant_simulation *s;
	struct equant_reports reports;
	struct equant_job_worker *workers;
	struct equant_job_unit *units;
	struct equant_job_message *messages;
	int sent;
	int room;
	long under_way;
	double period;
};

/** equant_job_clock() - a rank's */
int64_t *equant_job_clock(struct equant_job_async *a, int rank);

/** equant_job_post() - a message, copied; 0, -ENOMEM */
int equant_job_post(struct equant_job_async *a, const struct equant_job_message *message);

/** equant_job_give() - the units that are planned for another rank begin to move there; 0, -ENOMEM */
int equant_job_give(struct equant_job_async *a, int rank, int to);

/** equant_job_master() - what follows from the reports that rank 0 has; 0, or an error of the decision */
int equant_job_master(struct equant_job_async *a);

#endif /* EQUANT_MODEL_JOB_ASYNC_H */
