/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_BALANCE_REPORTS_H
#define EQUANT_BALANCE_REPORTS_H

#include <stdbool.h>

#include <equant/balance.h>

/* What a rank is doing. */
enum equant_async_state {
	EQUANT_ASYNC_COMPUTING,
	EQUANT_ASYNC_IDLE, /* it has nothing left in a joined pass */
	EQUANT_ASYNC_CLOSED,
};

#define EQUANT_REPORT_PERIOD 0.02 /* seconds, until the one that decides knows better */
#define EQUANT_REPORT_LOOKS 8 /* looks for messages between two reports */
#define EQUANT_REPORT_PERIOD_CHANGE 0.25 /* less is not worth telling */

/**
 * struct equant_report_up - from any rank to the one that decides, which nobody waits for
 * @sample: since the report before; EQUANT_SAMPLE_ERROR: the rank has failed
 * @pass: its pass, from 1
 * @left: computations until all its units have been computed in that pass
 * @taken: the number of a transfer that has arrived, 0 = none
 * @state: enum equant_async_state
 * @rank: whose it is
 */
struct equant_report_up {
	struct equant_sample sample;
	int64_t pass;
	int64_t left;
	uint64_t taken;
	int64_t state;
	int64_t rank;
};

/**
 * struct equant_reports - what ranks have reported
 * @last: by rank, the last one; its sample is the sum of those since the last decision
 * @fresh: by rank, there is one since then
 * @work: by rank, what the last decision has distributed
 * @samples: ... and was made from
 * @joined: the pass that ranks with nothing left waited in when it was made, 0 = there were none
 */
struct equant_reports {
	int n;
	struct equant_report_up *last;
	bool *fresh;
	long *work;
	struct equant_sample *samples;
	int64_t joined;
};

/**
 * equant_report_after() - computations until a rank reports again, at least 1
 * @period: seconds between reports
 * @units: computed since the last one
 * @wall: seconds that they took
 */
long equant_report_after(double period, double units, double wall);

/** equant_reports_init() - of n ranks, which all compute; 0, -ENOMEM after which to release it, too */
int equant_reports_init(struct equant_reports *reports, int n);
void equant_reports_release(struct equant_reports *reports);

/** equant_reports_renew() - the ranks have met: all compute, nothing has been reported */
void equant_reports_renew(struct equant_reports *reports);

/** equant_reports_add() - take in a rank's report */
void equant_reports_add(struct equant_reports *reports, int rank,
			const struct equant_report_up *report);

/** equant_reports_count() - ranks in a state; @odd: becomes one that is in another pass than the first */
int equant_reports_count(const struct equant_reports *reports, enum equant_async_state state,
			 int *odd);

/** equant_reports_ready() - has every rank that computes reported since the last decision? */
bool equant_reports_ready(const struct equant_reports *reports);

/**
 * equant_reports_decide() - distribute anew; the next decision needs new reports
 * @reports: of all ranks
 * @balancer: of as many
 * @units: by rank, what it will have when all transfers have arrived
 * @decision: its instructions name computations where @reports->joined is not 0 afterwards
 *
 * Return: as equant_balancer_decide().
 */
int equant_reports_decide(struct equant_reports *reports, struct equant_balancer *balancer,
			  const long *units, struct equant_decision *decision);

/** equant_reports_units() - units for an instruction of a giver that has so many */
long equant_reports_units(const struct equant_reports *reports,
			  const struct equant_instruction *instruction, long own);

#endif /* EQUANT_BALANCE_REPORTS_H */
