// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Rank 0 of an asynchronously balanced loop: it hears reports, decides when it has a new one of every
 * rank that computes (balance/reports.c), and tells givers which units to send (Siegell 1995,
 * sections 2.4.1 and 2.6.2).  Nothing is decided while a transfer is under way, so that a giver
 * always has the units it is told to give and orders cannot cross.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "core/message.h"
#include "loop/loop_internal.h"

/**
 * struct equant_master - what rank 0 knows
 * @units: who owns what once all transfers have arrived
 * @reports: what it has heard
 * @heard_ns: by rank, when it was last heard of
 * @under_way: transfers
 * @number: of the last transfer
 * @failed: all ranks have been told that the loop has
 * @told_ns: when all ranks were last told something
 */
struct equant_master {
	struct equant_units units;
	struct equant_reports reports;
	uint64_t *heard_ns;
	long under_way;
	uint64_t number;
	int failed;
	uint64_t told_ns;
};

void equant_master_free(struct equant_master *m)
{
	if (!m)
		return;
	equant_units_release(&m->units);
	equant_reports_release(&m->reports);
	free(m->heard_ns);
	free(m);
}

struct equant_master *equant_master_new(struct equant_loop *loop)
{
	struct equant_master *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->heard_ns = calloc((size_t)loop->ranks, sizeof(*m->heard_ns));
	if (!equant_reports_init(&m->reports, loop->ranks) && m->heard_ns &&
	    !equant_units_copy(&m->units, &loop->units)) {
		for (int r = 0; r < loop->ranks; r++)
			m->heard_ns[r] = equant_now_ns();
		return m;
	}
	equant_master_free(m);
	return NULL;
}

int equant_master_meet(struct equant_loop *loop)
{
	struct equant_master *m = loop->pass->async->master;

	equant_units_release(&m->units);
	equant_reports_renew(&m->reports);
	for (int r = 0; r < loop->ranks; r++)
		m->heard_ns[r] = equant_now_ns();
	return equant_units_copy(&m->units, &loop->units);
}

void equant_master_hear(struct equant_loop *loop, const struct equant_report_up *report)
{
	struct equant_master *m = loop->pass->async->master;

	equant_reports_add(&m->reports, (int)report->rank, report);
	m->heard_ns[report->rank] = equant_now_ns();
	m->under_way -= report->taken != 0;
}

/* ---- telling ---------------------------------------------------------------- */

/* All or nobody: some would meet at the end of a pass, and wait there for the others. */
static int tell_others(struct equant_loop *loop, const struct equant_notice *notice)
{
	loop->pass->async->master->told_ns = equant_now_ns();
	return equant_relay_down(loop, notice, sizeof(*notice));
}

static int tell_all(struct equant_loop *loop, const struct equant_notice *notice)
{
	int error = tell_others(loop, notice);

	return error ? error : equant_async_obey(loop, notice);
}

/* @pass: 0 = the loop; @odd: the rank because of which all that has gone wrong, -1 = none */
static int tell_over(struct equant_loop *loop, long pass, int odd)
{
	const struct equant_notice over = { .kind = EQUANT_NOTICE_OVER,
					    .to = -1,
					    .peer = odd,
					    .error = odd < 0 ? 0 : EPROTO,
					    .number = (uint64_t)pass };

	return tell_all(loop, &over);
}

static int tell_failure(struct equant_loop *loop, int rank, int error)
{
	const struct equant_notice failure = {
		.kind = EQUANT_NOTICE_FAIL, .to = -1, .peer = rank, .error = error
	};

	int told = tell_others(loop, &failure);

	if (told)
		return told;
	loop->pass->async->master->failed = 1;
	return equant_async_obey(loop, &failure);
}

/* The giver's, of which its receiver learns by the giver. */
static int tell_giver(struct equant_loop *loop, const struct equant_instruction *move,
		      const struct equant_runs *units)
{
	size_t size = sizeof(struct equant_notice) + (size_t)units->n * sizeof(struct equant_range);
	struct equant_master *m = loop->pass->async->master;
	struct equant_notice *notice = calloc(1, size);
	int error;

	if (!notice)
		return -ENOMEM;
	notice->kind = EQUANT_NOTICE_GIVE;
	notice->to = move->from;
	notice->peer = move->to;
	notice->number = ++m->number;
	notice->nr_ranges = units->n;
	memcpy(notice->ranges, units->ranges, (size_t)units->n * sizeof(struct equant_range));
	m->under_way++;
	error = equant_relay_down(loop, notice, size);
	if (!error)
		error = equant_async_obey(loop, notice);
	free(notice);
	return error;
}

/* ---- deciding --------------------------------------------------------------- */

/* Units for the computations that an instruction names, towards the receiver or computed last. */
static int instruct(struct equant_loop *loop, struct equant_instruction move)
{
	struct equant_master *m = loop->pass->async->master;
	struct equant_runs named = { 0 }, moved = { 0 };
	struct equant_runs *own = &m->units.owned[move.from];
	int error = 0;

	move.units = equant_reports_units(&m->reports, &move, own->total);
	if (!move.units)
		return 0;
	if (equant_runs_take(own, move.units, m->reports.joined || move.to > move.from, &named))
		error = -ENOMEM;
	for (int i = 0; i < named.n && !error; i++)
		error = equant_runs_add(own, named.ranges[i]);
	if (!error)
		error = equant_units_give(&m->units, &move, &named, &moved);
	if (!error)
		error = tell_giver(loop, &move, &named);
	equant_runs_release(&named);
	equant_runs_release(&moved);
	return error;
}

static int tell_period(struct equant_loop *loop, double period)
{
	const struct equant_notice notice = { .kind = EQUANT_NOTICE_PERIOD,
					      .to = -1,
					      .period = period };
	double change = period / loop->pass->async->period - 1;

	if (change < EQUANT_REPORT_PERIOD_CHANGE && change > -EQUANT_REPORT_PERIOD_CHANGE)
		return 0;
	return tell_all(loop, &notice);
}

static int decide(struct equant_loop *loop)
{
	struct equant_master *m = loop->pass->async->master;
	struct equant_decision d;
	int error;

	/* What this rank decides, and what it gives then, is no computation. */
	equant_pass_leave(loop);
	error = equant_reports_decide(&m->reports, loop->balancer, m->units.counts, &d);
	if (error) {
		equant_message("loop %s: a report of a rank is none", loop->name);
		return error;
	}
	if (loop->replay)
		d.count = 0;
	equant_say_moves(loop, &d);
	error = tell_period(loop, d.period);
	for (int i = 0; i < d.count && !error; i++)
		error = instruct(loop, d.instructions[i]);
	return error;
}

/* ---- acting ----------------------------------------------------------------- */

int equant_master_awaits(const struct equant_loop *loop)
{
	const struct equant_master *m = loop->pass->async->master;

	for (int r = 1; r < loop->ranks; r++)
		if (m->reports.last[r].state == EQUANT_ASYNC_COMPUTING)
			return r;
	return -1;
}

/* In checked mode: the rank that has not been heard of for too long, -1 = none. */
static int silent_rank(const struct equant_loop *loop)
{
	const struct equant_master *m = loop->pass->async->master;
	uint64_t now = equant_now_ns();

	for (int r = 1; r < loop->ranks && loop->eq->options.check; r++)
		if (m->reports.last[r].state == EQUANT_ASYNC_COMPUTING &&
		    1e-9 * (double)(now - m->heard_ns[r]) > loop->eq->options.timeout)
			return r;
	return -1;
}

/* Those that wait hear that rank 0 is there. */
static int keep_in_touch(struct equant_loop *loop)
{
	struct equant_async *async = loop->pass->async;
	const struct equant_notice notice = { .kind = EQUANT_NOTICE_PERIOD,
					      .to = -1,
					      .period = async->period };
	double quiet = 1e-9 * (double)(equant_now_ns() - async->master->told_ns);

	if (!loop->eq->options.check || quiet < loop->eq->options.timeout / 4)
		return 0;
	return tell_all(loop, &notice);
}

/* All ranks wait for something: the end of a joined pass, or of the loop. */
static int end(struct equant_loop *loop, int closed, int odd)
{
	const struct equant_master *m = loop->pass->async->master;

	if (closed == loop->ranks)
		return tell_over(loop, 0, m->failed ? -1 : odd);
	for (int r = 0; r < loop->ranks && odd < 0 && closed; r++)
		if (m->reports.last[r].state == EQUANT_ASYNC_CLOSED)
			odd = r;
	if (m->failed)
		return 0;
	return odd < 0 ? tell_over(loop, loop->pass->number, -1) : tell_failure(loop, odd, EPROTO);
}

static int check(struct equant_loop *loop)
{
	struct equant_master *m = loop->pass->async->master;
	int silent = silent_rank(loop);

	for (int r = 0; r < loop->ranks && !m->failed; r++)
		if (m->reports.last[r].sample.flags & EQUANT_SAMPLE_ERROR)
			return tell_failure(loop, r, ECANCELED);
	if (silent < 0)
		return 0;
	equant_message("loop %s: nothing was heard of rank %d for %g s", loop->name, silent,
		       loop->eq->options.timeout);
	return m->failed ? -ETIMEDOUT : tell_failure(loop, silent, ECANCELED);
}

int equant_master_act(struct equant_loop *loop)
{
	struct equant_master *m = loop->pass->async->master;
	int idle, closed, odd = -1, error = check(loop);

	if (error)
		return error;
	idle = equant_reports_count(&m->reports, EQUANT_ASYNC_IDLE, &odd);
	closed = equant_reports_count(&m->reports, EQUANT_ASYNC_CLOSED, &odd);
	/* A transfer that has failed never arrives. */
	if (idle + closed == loop->ranks && (!m->under_way || (m->failed && closed == loop->ranks)))
		return end(loop, closed, odd);
	if (!m->failed && !m->under_way && equant_reports_ready(&m->reports))
		return decide(loop);
	return keep_in_touch(loop);
}
