// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A simulated job whose ranks are a pipeline, as userlib/loop/pipeline.c runs it: in phase p of a
 * sweep rank r computes block p - r, if there is one, and sends its boundary on; then all come to
 * the hook of this phase.  Rank r begins a block when rank r - 1 has sent its own.
 *
 * Units that have moved are as far as their former owner was.  Those from the rank after are
 * behind and are computed at once up to where this rank is; those from the rank before are
 * ahead and are left out until this rank has come so far.  Both are one rule: a block is computed
 * for the units that have not done it.
 *
 * Deviation: boundaries that a move draws anew cost nothing beyond the blocks that are sent.
 *
 * Reference: Siegell 1995, sections 3.3.3 and 6.5, figure 6.10.
 */
#include <string.h>

#include "model/job_internal.h"

/* Blocks that a rank has done before the hook that the ranks have come to. */
static long due(const struct equant_simulation *s, int rank)
{
	long due = s->phase - rank;

	return due < 0 ? 0 : due < s->length ? due : s->length;
}

/* Units of a rank, the first of which is @first, that have not done a block. */
static long behind(const struct equant_simulation *s, int rank, long first, long block)
{
	long n = 0;

	if (!s->mixed)
		return s->units[rank];
	for (long u = first; u < first + s->units[rank]; u++)
		n += s->done[u] <= block;
	return n;
}

static void compute(struct equant_simulation *s, int rank, long first, long block)
{
	const struct equant_job *job = s->job;
	struct equant_job_rank *r = &s->ranks[rank];

	if (rank && r->now < s->ranks[rank - 1].sent)
		r->now = s->ranks[rank - 1].sent;
	equant_job_compute(s, rank, behind(s, rank, first, block));
	if (rank == job->n - 1)
		return;
	r->now = equant_cpu_finish(job, rank, r->now, job->message);
	r->sent = r->now;
}

/* The last rank first: what the rank before has sent is what it sent in the phase before. */
static void run_phase(struct equant_simulation *s)
{
	long first = s->job->units;

	for (int r = s->job->n - 1; r >= 0; r--) {
		long block = s->phase - r;

		first -= s->units[r];
		if (block >= 0 && block < s->length)
			compute(s, r, first, block);
	}
	s->phase++;
	s->hooks++;
	s->mixed -= s->mixed > 0;
}

void equant_job_settle(struct equant_simulation *s)
{
	long unit = 0;

	if (s->phase == 0)
		return;
	for (int r = 0; r < s->job->n; r++) {
		for (long i = 0; i < s->units[r]; i++, unit++)
			if (s->done[unit] < due(s, r))
				s->done[unit] = due(s, r);
		if (r && s->ranks[r].now < s->ranks[r - 1].sent)
			s->ranks[r].now = s->ranks[r - 1].sent;
	}
}

void equant_job_catch_up(struct equant_simulation *s)
{
	long first = 0;

	if (s->phase == 0)
		return;
	s->mixed = s->job->n + 1;
	for (int r = 0; r < s->job->n; first += s->units[r++]) {
		long last = first + s->units[r] - 1;

		if (last < first)
			continue;
		for (long block = s->done[last]; block < due(s, r); block++)
			compute(s, r, first, block);
	}
}

/* A sweep, or without barriers all of them in a row. */
static int sweep(struct equant_simulation *s)
{
	int error = 0;

	memset(s->done, 0, s->job->units * sizeof(*s->done));
	s->mixed = 0;
	for (s->phase = 0; s->phase < s->length + s->job->n - 1 && !error;) {
		error = equant_job_hook(s);
		if (!error)
			run_phase(s);
	}
	s->phase = 0;
	return error;
}

int equant_job_pipeline(struct equant_simulation *s)
{
	const struct equant_job *job = s->job;
	int error = 0;

	for (long left = job->steps; left && !error; left -= s->length) {
		s->length = job->barrier && job->blocks < left ? job->blocks : left;
		error = sweep(s);
		if (!error && job->barrier) {
			equant_job_wait(s, equant_job_latest(s));
			s->meetings++;
		}
	}
	return error;
}
