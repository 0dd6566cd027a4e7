// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What the ranks of a simulated job compute between two hooks.
 *
 * DOALL: each rank its units, in any order.  Shrinking: the same, but in step k unit k
 * is done and the others take (units - k) / units of their time: both bounds of a row
 * elimination.
 *
 * Reference: Siegell 1995, section 1.2.5: MM and LU.
 */
#include "model/job_internal.h"

/* Nanoseconds of a unit in this step; one at least, as a job without any work has no efficiency. */
static int64_t unit_time(const struct equant_simulation *s, int rank)
{
	const struct equant_job *job = s->job;
	int64_t unit = job->cpus[rank].unit;

	if (job->program == EQUANT_JOB_SHRINKING)
		unit = (int64_t)((__int128)unit * (job->units - s->done_units) / job->units);
	return unit > 0 ? unit : 1;
}

void equant_job_compute(struct equant_simulation *s, int rank, long units)
{
	struct equant_job_rank *r = &s->ranks[rank];
	int64_t work = units * unit_time(s, rank), begun = r->now;

	r->now = equant_cpu_finish(s->job, rank, begun, work);
	r->run += work;
	r->wall += r->now - begun;
	r->computed += units;
	s->result->efficiency.productive += work;
}

void equant_job_step(struct equant_simulation *s)
{
	const struct equant_job *job = s->job;

	if (job->program == EQUANT_JOB_SHRINKING)
		s->units[s->owner[s->done_units++]]--;
	for (int i = 0; i < job->n; i++)
		equant_job_compute(s, i, s->units[i]);
	if (job->barrier) {
		equant_job_wait(s, equant_job_latest(s));
		s->meetings++;
	}
	s->hooks++;
}
