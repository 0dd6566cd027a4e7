/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_REDIST_PLANNING_H
#define EQUANT_REDIST_PLANNING_H

#include "redist/ports.h"

/* Seconds that planning takes, of that many ranks and messages: a simulation of a schedule; */
double equant_redist_planning_replay(int ranks, int64_t count);

/* a greedy schedule, or a turn of improving it; */
double equant_redist_planning_pass(int64_t count);

/* the direct schedule; */
double equant_redist_planning_direct(int ranks, int64_t count);

/* the preemptive one; */
double equant_redist_planning_preemptive(const struct equant_redist_costs *costs);

/* legs of a route and their times; */
double equant_redist_planning_legs(int64_t count);

/* combining; finding out what relays could save, and so many looks at ways over third ranks. */
double equant_redist_planning_combine(int ranks, int64_t count);
double equant_redist_planning_relay(int ranks, int64_t count, double looks);

#endif /* EQUANT_REDIST_PLANNING_H */
