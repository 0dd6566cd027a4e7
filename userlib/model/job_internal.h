/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * A job in simulated time: job.c runs it, job_step.c and job_pipeline.c compute, job_phase.c balances, and
 * job_async.c does all of it where there are no balancing phases.
 */
#ifndef EQUANT_MODEL_JOB_INTERNAL_H
#define EQUANT_MODEL_JOB_INTERNAL_H

#include "model/model_internal.h"

#define EQUANT_JOB_DEPTH 1024 /* as EQUANT_DEPTH */

/**
 * struct equant_job_rank - one rank's clock and what it has counted since its last sample
 * @now: nanoseconds
 * @sampled: when it took its last sample
 * @sent: when it sent its last boundary
 * @interact: cost of the last phase, @move: of its moves, @moved: units of them
 */
struct equant_job_rank {
	int64_t now;
	int64_t sampled;
	int64_t sent;
	int64_t run;
	int64_t wall;
	int64_t interact;
	int64_t move;
	long computed;
	long moved;
};

/**
 * struct equant_job_sent - the samples of a phase, on their way
 * @last: when the last of them was sent
 */
struct equant_job_sent {
	struct equant_sample *samples;
	int64_t last;
};

/**
 * struct equant_simulation - a job under way
 * @units: each rank's, done ones left out
 * @owner: of each unit, where they are done one after the other; else NULL
 * @done_units: so many of them are
 * @done: of a pipeline, by unit: blocks that were done when it last moved; else NULL
 * @mixed: phases until no unit is ahead of others of its rank
 * @length: blocks of the sweep under way
 * @phase: of it, at whose hook the ranks are; 0 is before the first
 * @samples: last taken
 * @sent: a ring, as long as the job is deep, of @pending phases, the oldest at @oldest
 * @hooks: since the last phase
 * @meetings: in them: how often all ranks have waited for each other
 * @lists: room for restricted moves
 */
struct equant_simulation {
	const struct equant_job *job;
	struct equant_balancer *balancer;
	struct equant_job_rank *ranks;
	long *units;
	int *owner;
	long done_units;
	long *done;
	long mixed;
	long length;
	long phase;
	struct equant_sample *samples;
	struct equant_job_sent *sent;
	int oldest;
	int pending;
	long hooks;
	long meetings;
	long countdown;
	bool known;
	bool prompt;
	struct equant_moves *lists;
	struct equant_job_result *result;
};

/** equant_job_step() - all ranks compute their units once */
void equant_job_step(struct equant_simulation *s);

/** equant_job_hook() - a balancing phase if it is due; 0, or an error of equant_balancer_decide() */
int equant_job_hook(struct equant_simulation *s);

/** equant_job_pipeline() - all sweeps; 0, or an error of the decision */
int equant_job_pipeline(struct equant_simulation *s);

/** equant_job_settle() - before units of a pipeline move: what was sent has come */
void equant_job_settle(struct equant_simulation *s);

/** equant_job_catch_up() - units of a pipeline have moved, and none is behind its new owner's */
void equant_job_catch_up(struct equant_simulation *s);

/** equant_job_compute() - a rank computes so many units */
void equant_job_compute(struct equant_simulation *s, int rank, long units);

/** equant_job_sample() - what a rank has counted since its last sample; it begins to count anew */
struct equant_sample equant_job_sample(struct equant_simulation *s, int rank, long hooks);

/** equant_job_interact() - a rank pays for its part in an interaction */
void equant_job_interact(struct equant_simulation *s, int rank);

/** equant_job_move_time() - nanoseconds that a transfer takes either rank */
int64_t equant_job_move_time(const struct equant_simulation *s, long units);

/** equant_job_spend() - a rank's part in a transfer, which cannot begin before @begun */
void equant_job_spend(struct equant_simulation *s, int rank, int64_t begun, int64_t cost,
		      long units);

/** equant_job_asynchronous() - the whole job; 0, -ENOMEM, or an error of the decision */
int equant_job_asynchronous(struct equant_simulation *s);

/** equant_job_latest() - the clock of the last rank */
int64_t equant_job_latest(const struct equant_simulation *s);

/** equant_job_wait() - nobody is anywhere before @time */
void equant_job_wait(struct equant_simulation *s, int64_t time);

#endif /* EQUANT_MODEL_JOB_INTERNAL_H */
