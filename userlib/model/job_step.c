// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What the ranks of a simulated job compute between two hooks.
 *
 * DOALL: each rank its units, in any order.  Shrinking: the same, but in step k unit k
 * is done and the others take (units - k) / units of their time: both bounds of a row
 * elimination.  DOACROSS: a block of the pipelined loop; rank i begins it when rank
 * i - 1 has sent it the boundary, and a barrier (the test for convergence) is at
 * the end of a sweep only.
 *
 * Reference: Siegell 1995, sections 1.2.5 and 3.3.3: MM, LU and SOR.
 */
#include "model/job_internal.h"

/* Nanoseconds of a unit in this step. */
static int64_t unit_time(const struct equant_simulation *s, int rank)
{
	const struct equant_job *job = s->job;
	int64_t unit = job->cpus[rank].unit;

	if (job->program != EQUANT_JOB_SHRINKING)
		return unit;
	return (int64_t)((__int128)unit * (job->units - s->done) / job->units);
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

/* The last rank sends nothing. */
static void send_boundary(struct equant_simulation *s, int rank)
{
	const struct equant_job *job = s->job;
	struct equant_job_rank *r = &s->ranks[rank];

	if (rank < job->n - 1)
		r->now = equant_cpu_finish(job, rank, r->now, job->message);
}

void equant_job_step(struct equant_simulation *s, long step)
{
	const struct equant_job *job = s->job;
	bool across = job->program == EQUANT_JOB_DOACROSS;
	int64_t arrived = 0;

	if (job->program == EQUANT_JOB_SHRINKING)
		s->units[s->owner[s->done++]]--;
	for (int i = 0; i < job->n; i++) {
		if (across && s->ranks[i].now < arrived)
			s->ranks[i].now = arrived;
		equant_job_compute(s, i, s->units[i]);
		if (across)
			send_boundary(s, i);
		arrived = s->ranks[i].now;
	}
	if (job->barrier && (!across || (step + 1) % job->blocks == 0))
		equant_job_wait(s, equant_job_latest(s));
	s->hooks++;
}
