/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * What the round-robin simulators share.
 */
#ifndef EQUANT_MODEL_INTERNAL_H
#define EQUANT_MODEL_INTERNAL_H

#include <stdbool.h>

#include <equant/balance.h>
#include <equant/model.h>

#include "balance/round.h"

/* ---- turns.c --------------------------------------------------------------- */

bool equant_machine_valid(const struct equant_machine *machine);

/** equant_turns_round() - a rank's CPU */
struct equant_round equant_turns_round(const struct equant_machine *machine, int rank);

/**
 * equant_turns_longest() - an upper bound of the time for work in so many pieces, waits for the
 * turn included
 *
 * Return: ticks, -EOVERFLOW.
 */
int64_t equant_turns_longest(const struct equant_machine *machine, int rank, int64_t work,
			     long pieces);

/** equant_machine_account() - eqs. 1.4 and 1.2 */
void equant_machine_account(const struct equant_machine *machine, int64_t elapsed,
			    int64_t productive, struct equant_efficiency *result);

/* ---- cpu.c ----------------------------------------------------------------- */

/** equant_cpu_finish() - when is work done that rank @rank begins at @time? */
int64_t equant_cpu_finish(const struct equant_job *job, int rank, int64_t time, int64_t work);

/** equant_cpu_run() - nanoseconds in which the rank had its CPU from time 0 to @time */
int64_t equant_cpu_run(const struct equant_job *job, int rank, int64_t time);

/** equant_cpu_predict() - what a probe that sees the CPU's tasks says at @time */
void equant_cpu_predict(const struct equant_job *job, int rank, int64_t time,
			struct equant_sample *sample);

#endif /* EQUANT_MODEL_INTERNAL_H */
