// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Rank 0 of a simulated job that is balanced asynchronously: as userlib/loop/async_master.c, with
 * the same decisions (balance/reports.c).
 *
 * Reference: Siegell 1995, sections 2.4.1 and 2.6.2.
 */
#include "model/job_async.h"

/* Those that are computed last, or towards the receiver. */
static void mark(struct equant_job_async *a, const struct equant_instruction *move, long n)
{
	bool upper = a->reports.joined || move->to > move->from;
	long units = a->s->job->units;

	for (long i = 0; i < units && n; i++) {
		struct equant_job_unit *unit = &a->units[upper ? units - 1 - i : i];

		if (unit->planned != move->from)
			continue;
		unit->planned = move->to;
		n--;
	}
}

static int instruct(struct equant_job_async *a, struct equant_instruction move)
{
	move.units = equant_reports_units(&a->reports, &move, a->s->units[move.from]);
	if (!move.units)
		return 0;
	mark(a, &move, move.units);
	a->under_way++;
	equant_apply(&move, 1, a->s->units);
	a->s->result->moved += move.units;
	if (!move.from)
		return equant_job_give(a, 0, move.to);
	return equant_job_post(a, &(struct equant_job_message){ .kind = EQUANT_JOB_GIVE,
								.to = move.from,
								.peer = move.to,
								.time = *equant_job_clock(a, 0) });
}

static int tell_period(struct equant_job_async *a, double period)
{
	double change = period / a->period - 1;
	int error = 0;

	if (change < EQUANT_REPORT_PERIOD_CHANGE && change > -EQUANT_REPORT_PERIOD_CHANGE)
		return 0;
	a->period = period;
	for (int r = 0; r < a->s->job->n && !error; r++)
		error = equant_job_post(
			a, &(struct equant_job_message){ .kind = EQUANT_JOB_PERIOD,
							 .to = r,
							 .period = period,
							 .time = *equant_job_clock(a, 0) });
	return error;
}

static int decide(struct equant_job_async *a)
{
	struct equant_simulation *s = a->s;
	struct equant_decision d;
	int error = equant_reports_decide(&a->reports, s->balancer, s->units, &d);

	if (error)
		return error;
	s->result->phases++;
	error = tell_period(a, d.period);
	for (int i = 0; i < d.count && !error; i++)
		error = instruct(a, d.instructions[i]);
	s->result->moves += a->under_way > 0;
	if (!error && s->job->watch)
		s->job->watch(s->job->watcher, *equant_job_clock(a, 0), a->reports.samples,
			      equant_balancer_rates(s->balancer), s->units, &d);
	return error;
}

/* All have computed all: they meet, and a step begins for all. */
static void meet(struct equant_job_async *a)
{
	equant_job_wait(a->s, equant_job_latest(a->s));
	equant_reports_renew(&a->reports);
	for (int r = 0; r < a->s->job->n; r++) {
		a->workers[r].pass++;
		a->workers[r].state = EQUANT_ASYNC_COMPUTING;
	}
}

int equant_job_master(struct equant_job_async *a)
{
	int odd = -1;

	if (a->under_way)
		return 0;
	if (equant_reports_count(&a->reports, EQUANT_ASYNC_IDLE, &odd) == a->s->job->n)
		meet(a);
	else if (equant_reports_ready(&a->reports))
		return decide(a);
	return 0;
}
