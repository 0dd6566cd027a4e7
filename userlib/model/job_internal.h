/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * A job in simulated time: job.c runs it, job_step.c computes, job_phase.c balances, and
 * job_async.c does all of it where there are no balancing phases.
 */
#ifndef EQUANT_MODEL_JOB_INTERNAL_H
#define EQUANT_MODEL_JOB_INTERNAL_H

#include "model/model_internal.h"

#define EQUANT_JOB_DEPTH 16

/**
 * struct equant_job_rank - one rank's clock and what it has counted since its last sample
 * @now: nanoseconds
 * @sampled: when it took its last sample
 * @interact: cost of the last phase, @move: of its moves, @moved: units of them
 */
struct equant_job_rank {
	int64_t now;
	int64_t sampled;
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
 * @done: so many of them are
 * @samples: last taken
 * @sent: a ring of @pending phases, the oldest at @oldest
 * @hooks: since the last phase
 * @lists: room for restricted moves
 */
struct equant_simulation {
	const struct equant_job *job;
	struct equant_balancer *balancer;
	struct equant_job_rank *ranks;
	long *units;
	int *owner;
	long done;
	struct equant_sample *samples;
	struct equant_job_sent sent[EQUANT_JOB_DEPTH];
	int oldest;
	int pending;
	long hooks;
	long countdown;
	bool known;
	struct equant_moves *lists;
	struct equant_job_result *result;
};

/** equant_job_step() - all ranks compute their units once, or a block of them */
void equant_job_step(struct equant_simulation *s, long step);

/** equant_job_phase() - a balancing phase; 0, or an error of equant_balancer_decide() */
int equant_job_phase(struct equant_simulation *s);

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
