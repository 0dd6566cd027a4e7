/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * CPUs that are shared in turns: the arithmetic of <equant/model.h> and of the split below
 * the grain.
 */
#ifndef EQUANT_BALANCE_ROUND_H
#define EQUANT_BALANCE_ROUND_H

#include <stdint.h>

/**
 * struct equant_round - one CPU; the rank has it in the first @quantum of each round
 * @quantum: ticks, >= 1
 * @length: of a round, ticks, >= @quantum
 * @phase: ticks since a round began, at time 0; 0 to below @length
 */
struct equant_round {
	int64_t quantum;
	int64_t length;
	int64_t phase;
};

/** equant_round_active() - ticks in which the rank had its CPU from time 0 to @time */
int64_t equant_round_active(const struct equant_round *round, int64_t time);

/**
 * equant_round_finish() - when is work done that is begun at @time or later?
 *
 * The end of a turn still belongs to it.  Without work: the first moment on the CPU.
 */
int64_t equant_round_finish(const struct equant_round *round, int64_t time, int64_t work);

/**
 * equant_barrier_time() - the end of computation phases with a barrier after each
 * @rounds: n CPUs
 * @work: ticks of each rank between two barriers
 */
int64_t equant_barrier_time(const struct equant_round *rounds, const int64_t *work, int n,
			    long synchronizations);

#endif /* EQUANT_BALANCE_ROUND_H */
