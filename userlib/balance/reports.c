// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Decisions from reports that come at any time, of ranks that may be any number of passes apart.
 *
 * Units are distributed in proportion to rates, which keeps ranks from falling further behind,
 * and not more: what a rank is behind stays (Siegell 1995, section 2.6.2).  Once a rank has nothing
 * left in a joined pass the lag itself is distributed: what counts then are the computations that
 * each rank is behind the joined pass, and a unit stands for as many as it has missed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "balance/reports.h"

#define GROWTH 8 /* computations until a report, to those before the one before */

long equant_report_after(double period, double units, double wall)
{
	double most = GROWTH * units, next = wall > 0 ? period * units / wall : most;

	next = next < most ? next : most;
	return next < 1 ? 1 : next < 1e9 ? (long)next : 1000000000;
}

int equant_reports_init(struct equant_reports *reports, int n)
{
	*reports = (struct equant_reports){
		.n = n,
		.last = calloc((size_t)n, sizeof(*reports->last)),
		.fresh = calloc((size_t)n, sizeof(*reports->fresh)),
		.work = calloc((size_t)n, sizeof(*reports->work)),
		.samples = calloc((size_t)n, sizeof(*reports->samples)),
	};
	return reports->last && reports->fresh && reports->work && reports->samples ? 0 : -ENOMEM;
}

void equant_reports_release(struct equant_reports *reports)
{
	free(reports->last);
	free(reports->fresh);
	free(reports->work);
	free(reports->samples);
}

void equant_reports_renew(struct equant_reports *reports)
{
	for (int r = 0; r < reports->n; r++) {
		reports->last[r].state = EQUANT_ASYNC_COMPUTING;
		reports->fresh[r] = false;
	}
}

/* What has happened, which the next sample need not say once more. */
#define EVENTS (EQUANT_SAMPLE_ERROR | EQUANT_SAMPLE_FELL_BACK)

/* Something was computed, and of the time on the CPU nothing is known. */
static bool is_unmeasured(const struct equant_sample *sample)
{
	return sample->wall > 0 && !(sample->flags & EQUANT_SAMPLE_RUN);
}

/*
 * The newer sample says how things are, both what has happened.  As in one sample whose probe was
 * replaced, time on the CPU is measured in all of the sum or not at all.
 */
static void add_sample(struct equant_sample *sum, const struct equant_sample *sample)
{
	struct equant_sample old = *sum;

	*sum = *sample;
	sum->units += old.units;
	sum->wall += old.wall;
	sum->run += old.run;
	sum->wait += old.wait;
	sum->interval += old.interval;
	sum->move += old.move;
	sum->moved += old.moved;
	sum->hooks += old.hooks;
	sum->meetings = sum->meetings < UINT16_MAX - old.meetings ? sum->meetings + old.meetings :
								    UINT16_MAX;
	sum->flags |= old.flags & EVENTS;
	if (is_unmeasured(&old) || is_unmeasured(sample))
		sum->flags &= ~(EQUANT_SAMPLE_RUN | EQUANT_SAMPLE_PREDICTED);
}

void equant_reports_add(struct equant_reports *reports, int rank,
			const struct equant_report_up *report)
{
	struct equant_sample before = reports->last[rank].sample;

	if (!reports->fresh[rank])
		memset(&before, 0, sizeof(before));
	reports->last[rank] = *report;
	reports->last[rank].sample = before;
	add_sample(&reports->last[rank].sample, &report->sample);
	reports->fresh[rank] = true;
}

int equant_reports_count(const struct equant_reports *reports, enum equant_async_state state,
			 int *odd)
{
	int n = 0, first = -1;

	for (int r = 0; r < reports->n; r++) {
		if (reports->last[r].state != (int64_t)state)
			continue;
		if (first >= 0 && reports->last[r].pass != reports->last[first].pass)
			*odd = r;
		first = first < 0 ? r : first;
		n++;
	}
	return n;
}

bool equant_reports_ready(const struct equant_reports *reports)
{
	for (int r = 0; r < reports->n; r++) {
		if (reports->last[r].state == EQUANT_ASYNC_CLOSED)
			return false;
		if (reports->last[r].state == EQUANT_ASYNC_COMPUTING && !reports->fresh[r])
			return false;
	}
	return true;
}

/* The pass that ranks with nothing left wait in, 0 = there are none. */
static int64_t joined_pass(const struct equant_reports *reports)
{
	int64_t pass = 0;

	for (int r = 0; r < reports->n; r++)
		if (reports->last[r].state == EQUANT_ASYNC_IDLE && reports->last[r].pass > pass)
			pass = reports->last[r].pass;
	return pass;
}

/* Computations that a unit of this rank is behind the joined pass. */
static long lag(const struct equant_reports *reports, int rank)
{
	int64_t lag = reports->joined - reports->last[rank].pass + 1;

	return lag > 1 ? (long)lag : 1;
}

static void take_stock(struct equant_reports *reports, const long *units)
{
	reports->joined = joined_pass(reports);
	for (int r = 0; r < reports->n; r++) {
		const struct equant_report_up *last = &reports->last[r];

		reports->work[r] = units[r];
		if (!reports->joined)
			continue;
		reports->work[r] = 0;
		if (last->state == EQUANT_ASYNC_COMPUTING)
			reports->work[r] = (long)last->left + (lag(reports, r) - 1) * units[r];
	}
}

static void take_samples(struct equant_reports *reports)
{
	for (int r = 0; r < reports->n; r++) {
		struct equant_sample *sample = &reports->last[r].sample;

		reports->samples[r] = *sample;
		reports->fresh[r] = false;
		/* An idle rank's next decision finds its share, and no more. */
		sample->units = sample->wall = sample->run = sample->wait = 0;
		sample->interval = sample->move = sample->moved = 0;
		sample->hooks = 0;
		sample->meetings = 0;
		sample->flags &= ~EQUANT_SAMPLE_FELL_BACK;
	}
}

int equant_reports_decide(struct equant_reports *reports, struct equant_balancer *balancer,
			  const long *units, struct equant_decision *decision)
{
	take_stock(reports, units);
	take_samples(reports);
	return equant_balancer_decide(balancer, reports->samples, reports->work, decision);
}

long equant_reports_units(const struct equant_reports *reports,
			  const struct equant_instruction *instruction, long own)
{
	long units = instruction->units;

	if (reports->joined)
		units /= lag(reports, instruction->from);
	return units < own ? units : own;
}
