/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_LOOP_REPLAY_H
#define EQUANT_LOOP_REPLAY_H

#include <stddef.h>

#include <equant/balance.h>
#include <equant/trace.h>

/**
 * struct equant_replayed_phase - what the trace says of a balancing phase
 * @sampled: it took place
 * @hooks: after which it came
 * @decision: NULL = nothing was decided
 * @first: of @instructions in the replay's array
 */
struct equant_replayed_phase {
	int sampled;
	long hooks;
	const struct equant_event *decision;
	long first;
	int instructions;
};

/**
 * struct equant_replay - a rank's trace whose decisions are repeated
 * @path: its file
 * @phases: the first @nr_phases; all ranks have as many
 * @instructions: of all phases
 * @counts: room for a trial, one per rank
 */
struct equant_replay {
	char path[512];
	struct equant_event *events;
	size_t nr_events;
	struct equant_replayed_phase *phases;
	long nr_phases;
	struct equant_instruction *instructions;
	long nr_instructions;
	long *counts;
};

#endif /* EQUANT_LOOP_REPLAY_H */
