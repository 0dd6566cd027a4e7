// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A simulated job that is balanced asynchronously, as userlib/loop/async.c does it: ranks report to
 * rank 0 and go on; rank 0 decides, by the same functions, when it looks and has a new report
 * of each rank that computes; a giver gives and a receiver takes when they look the next time.
 * Ranks are any number of steps apart, and a unit knows in how many it has been computed.
 *
 * Each rank has a clock of its own.  What happens next is always what the rank with the earliest
 * clock does, so that nothing is sent at a time that its receiver has left behind.
 *
 * Deviations: a message needs no time on its way; a report costs its rank what an interaction
 * of a balancing phase costs.
 *
 * Reference: Siegell 1995, sections 2.6.2, 6.4.2 and 7.5.3.
 */
#include <errno.h>
#include <stdlib.h>

#include "model/job_async.h"

/* ---- messages --------------------------------------------------------------- */

int64_t *equant_job_clock(struct equant_job_async *a, int rank)
{
	return &a->s->ranks[rank].now;
}

int equant_job_post(struct equant_job_async *a, const struct equant_job_message *message)
{
	if (a->sent == a->room) {
		int room = a->room ? 2 * a->room : 64;
		struct equant_job_message *grown =
			realloc(a->messages, (size_t)room * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		a->messages = grown;
		a->room = room;
	}
	a->messages[a->sent++] = *message;
	return 0;
}

/* The first one to a rank, -1 = none. */
static int first_to(const struct equant_job_async *a, int rank)
{
	int first = -1;

	for (int i = 0; i < a->sent; i++)
		if (a->messages[i].to == rank &&
		    (first < 0 || a->messages[i].time < a->messages[first].time))
			first = i;
	return first;
}

static struct equant_job_message fetch(struct equant_job_async *a, int index)
{
	struct equant_job_message message = a->messages[index];

	a->sent--;
	for (int i = index; i < a->sent; i++)
		a->messages[i] = a->messages[i + 1];
	return message;
}

/* ---- a rank ----------------------------------------------------------------- */

static long left(const struct equant_job_async *a, int rank)
{
	long left = 0, pass = a->workers[rank].pass;

	for (long u = 0; u < a->s->job->units; u++)
		if (a->units[u].owner == rank && a->units[u].done < pass)
			left += pass - a->units[u].done;
	return left;
}

static int report(struct equant_job_async *a, int rank, enum equant_async_state state, int taken)
{
	struct equant_job_rank *r = &a->s->ranks[rank];
	struct equant_job_worker *w = &a->workers[rank];
	struct equant_job_message message = {
		.kind = EQUANT_JOB_REPORT,
		.peer = rank,
		.report = { .sample = equant_job_sample(a->s, rank, r->computed),
			    .pass = w->pass,
			    .left = left(a, rank),
			    .taken = (uint64_t)taken,
			    .state = state },
	};

	w->state = state;
	equant_job_interact(a->s, rank);
	message.time = r->now;
	return equant_job_post(a, &message);
}

static int report_due(struct equant_job_async *a, int rank)
{
	const struct equant_job_rank *r = &a->s->ranks[rank];
	struct equant_job_worker *w = &a->workers[rank];

	w->until = equant_report_after(w->period, (double)r->computed, (double)r->wall * 1e-9);
	w->look = w->until < EQUANT_REPORT_LOOKS ? 1 : w->until / EQUANT_REPORT_LOOKS;
	return report(a, rank, EQUANT_ASYNC_COMPUTING, 0);
}

/* Units that a rank has missed are computed once for each step. */
static long compute(struct equant_job_async *a, int rank)
{
	struct equant_job_worker *w = &a->workers[rank];
	long n = 0;

	for (long u = 0; u < a->s->job->units && n < w->look; u++)
		for (; a->units[u].owner == rank && a->units[u].done < w->pass && n < w->look; n++)
			a->units[u].done++;
	equant_job_compute(a->s, rank, n);
	w->until -= n;
	return n;
}

/* Units that change from one mark to another; @planned: only those that are to go there. */
static long hand(struct equant_job_async *a, int from, int to, int planned)
{
	long n = 0;

	for (long u = 0; u < a->s->job->units; u++) {
		if (a->units[u].owner != from || a->units[u].planned != planned)
			continue;
		a->units[u].owner = to;
		n++;
	}
	return n;
}

int equant_job_give(struct equant_job_async *a, int rank, int to)
{
	int64_t begun = *equant_job_clock(a, rank);
	long n = hand(a, rank, a->s->job->n + rank, to);

	equant_job_spend(a->s, rank, begun, equant_job_move_time(a->s, n), n);
	return equant_job_post(
		a, &(struct equant_job_message){
			   .kind = EQUANT_JOB_TAKE, .to = to, .peer = rank, .time = begun });
}

/* It learns of the transfer when that has begun, and sees its end. */
static int take(struct equant_job_async *a, int rank, const struct equant_job_message *message)
{
	long n = hand(a, a->s->job->n + message->peer, rank, rank);
	enum equant_async_state state = a->workers[rank].state;

	equant_job_spend(a->s, rank, message->time, equant_job_move_time(a->s, n), n);
	if (state == EQUANT_ASYNC_IDLE && left(a, rank))
		state = EQUANT_ASYNC_COMPUTING;
	return report(a, rank, state, 1);
}

static int obey(struct equant_job_async *a, int rank, const struct equant_job_message *message)
{
	switch (message->kind) {
	case EQUANT_JOB_GIVE:
		return equant_job_give(a, rank, message->peer);
	case EQUANT_JOB_TAKE:
		return take(a, rank, message);
	case EQUANT_JOB_PERIOD:
		a->workers[rank].period = message->period;
		return 0;
	case EQUANT_JOB_REPORT:
		equant_reports_add(&a->reports, message->peer, &message->report);
		a->under_way -= message->report.taken != 0;
	}
	return 0;
}

static int look(struct equant_job_async *a, int rank)
{
	int first, error = 0;

	while (!error && (first = first_to(a, rank)) >= 0 &&
	       a->messages[first].time <= *equant_job_clock(a, rank)) {
		struct equant_job_message message = fetch(a, first);

		error = obey(a, rank, &message);
	}
	return error;
}

/* ---- all of them ------------------------------------------------------------ */

/* When a rank does something next. */
static int64_t next_time(struct equant_job_async *a, int rank)
{
	int64_t now = *equant_job_clock(a, rank);
	int first;

	if (a->workers[rank].state == EQUANT_ASYNC_COMPUTING)
		return now;
	first = first_to(a, rank);
	if (first < 0)
		return INT64_MAX;
	return a->messages[first].time > now ? a->messages[first].time : now;
}

static int next_rank(struct equant_job_async *a, int64_t *time)
{
	int rank = 0;

	*time = next_time(a, 0);
	for (int r = 1; r < a->s->job->n; r++) {
		int64_t t = next_time(a, r);

		if (t >= *time)
			continue;
		*time = t;
		rank = r;
	}
	return rank;
}

static int step(struct equant_job_async *a, int rank)
{
	struct equant_job_worker *w = &a->workers[rank];
	int error = look(a, rank);

	if (!error && !rank)
		error = equant_job_master(a);
	if (error || w->state != EQUANT_ASYNC_COMPUTING || w->pass > a->s->job->steps)
		return error;
	if (w->until <= 0)
		error = report_due(a, rank);
	if (error || compute(a, rank))
		return error;
	if (a->s->job->barrier || w->pass == a->s->job->steps)
		return report(a, rank, EQUANT_ASYNC_IDLE, 0);
	w->pass++;
	return 0;
}

static int prepare(struct equant_job_async *a)
{
	const struct equant_job *job = a->s->job;
	long unit = 0;

	a->workers = calloc(job->n, sizeof(*a->workers));
	a->units = calloc(job->units, sizeof(*a->units));
	if (equant_reports_init(&a->reports, job->n) || !a->workers || !a->units)
		return -ENOMEM;
	a->period = job->balance->period > 0 ? job->balance->period : EQUANT_REPORT_PERIOD;
	for (int r = 0; r < job->n; r++) {
		a->workers[r] = (struct equant_job_worker){
			.pass = 1, .until = 1, .look = 1, .period = a->period
		};
		for (long i = 0; i < a->s->units[r]; i++, unit++)
			a->units[unit] = (struct equant_job_unit){ .owner = r, .planned = r };
	}
	return 0;
}

int equant_job_asynchronous(struct equant_simulation *s)
{
	struct equant_job_async a = { .s = s };
	int error = prepare(&a);

	while (!error && a.workers[0].pass <= s->job->steps) {
		int64_t time;
		int rank = next_rank(&a, &time);

		if (time == INT64_MAX) {
			error = -EDEADLK;
			break;
		}
		*equant_job_clock(&a, rank) = time;
		error = step(&a, rank);
	}
	equant_reports_release(&a.reports);
	free(a.workers);
	free(a.units);
	free(a.messages);
	return error;
}
