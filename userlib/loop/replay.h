/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_LOOP_REPLAY_H
#define EQUANT_LOOP_REPLAY_H

#include <limits.h>
#include <stddef.h>

#include <equant/balance.h>
#include <equant/trace.h>

#include "loop/units.h"

/**
 * struct equant_replayed_phase - what the trace says of a balancing phase
 * @sampled: a sample was sent in it; it took place, too, where there is a decision
 * @hooks: after which it came
 * @decision: NULL = nothing was decided
 * @first: of @instructions in the replay's array
 * @due: the pass of the phase after it, 0 = the loop has no passes
 * @quota: units that this rank computes before that
 */
struct equant_replayed_phase {
	int sampled;
	long hooks;
	const struct equant_event *decision;
	long first;
	int instructions;
	int64_t due;
	int64_t quota;
};

/**
 * struct equant_replayed_transfer - units that this rank gave or took in asynchronous mode
 * @number: counted by rank 0, from 1
 * @pass: this rank's then
 * @computed: by this rank before
 * @taken: the receiver's pass then
 * @announced: an incoming one has been sent
 */
struct equant_replayed_transfer {
	uint64_t number;
	long pass;
	long computed;
	long taken;
	int peer;
	int incoming;
	int announced;
	struct equant_runs units;
};

/**
 * struct equant_replay - a rank's trace whose decisions are repeated
 * @path: its file
 * @phases: the first @nr_phases; all ranks have as many
 * @instructions: of all phases
 * @counts: room for a trial, one per rank
 * @nr_plans: the first phases after which all ranks know when the next one was; 0 = there are no passes
 * @quotas: of all ranks, @nr_plans of one after those of the other
 * @blocks: inner iterations per strip, of the first @nr_blocks sweeps
 * @tiles: @nr_tiles events, by their numbers; @tile is the present one
 * @transfers: in the order in which this rank made them; @next is the next one to make
 * @cut: the trace has more of them, which not all ranks' traces have
 */
struct equant_replay {
	char path[PATH_MAX];
	struct equant_event *events;
	size_t nr_events;
	struct equant_replayed_phase *phases;
	long nr_phases;
	struct equant_instruction *instructions;
	long nr_instructions;
	long *counts;
	long nr_plans;
	int64_t *quotas;
	long *blocks;
	long nr_blocks;
	const struct equant_event **tiles;
	long nr_tiles;
	long tile;
	struct equant_replayed_transfer *transfers;
	long nr_transfers;
	long next;
	int cut;
};

#endif /* EQUANT_LOOP_REPLAY_H */
