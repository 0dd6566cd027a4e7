/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Models of programs on shared CPUs: what efficiency to expect before anything
 * is run.  Knows neither MPI nor the kernel; the same arguments give the same
 * answer everywhere (integers and ordered doubles).  No function keeps state:
 * all may be called by any number of threads at once.
 *
 * Reference: B. S. Siegell, Automatic Generation of Parallel Programs with
 * Dynamic Load Balancing for a Network of Workstations, CMU-CS-95-168, 1995;
 * section, equation and figure numbers below are the thesis'.
 *
 * Units: in the round-robin models time is a whole number of ticks of any
 * length, so that "exactly one quantum" means that; elsewhere seconds.
 */
#ifndef EQUANT_MODEL_H
#define EQUANT_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include <equant/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- round-robin CPUs (section 3.3.7) ------------------------------------ */

/**
 * struct equant_turns - one CPU whose tasks take turns of one quantum
 * @tasks: tasks on the CPU, the application's included, >= 1
 * @phase: ticks since the application's last turn began, at time 0; from 0, its turn begins
 *	now, to below @tasks quanta
 *
 * Every task always wants its turn: a rank that waits polls.
 */
struct equant_turns {
	int tasks;
	int64_t phase;
};

/**
 * struct equant_machine - CPUs with one rank each
 * @n: ranks, >= 1
 * @quantum: ticks, >= 1
 * @turns: n CPUs, borrowed
 */
struct equant_machine {
	int n;
	int64_t quantum;
	const struct equant_turns *turns;
};

/**
 * struct equant_efficiency - what came out
 * @elapsed: ticks from the start to the end
 * @productive: ticks of work done, all ranks together
 * @available: ticks in which the ranks had their CPUs, all together
 * @efficiency: @productive / @available, eq. 1.4
 * @conservative: @productive / (n x @elapsed), eq. 1.2
 */
struct equant_efficiency {
	int64_t elapsed;
	int64_t productive;
	int64_t available;
	double efficiency;
	double conservative;
};

/**
 * equant_divide() - work in proportion to the shares 1 / tasks, in whole ticks
 * @machine: the CPUs
 * @total: ticks to hand out, >= 0
 * @work: n counts whose sum is exactly @total; largest remainder, ties to the lower rank
 *
 * Return: 0, -EINVAL for a machine or total out of range, -EOVERFLOW when the least common
 * multiple of the numbers of tasks does not fit, -ENOMEM.
 */
EQUANT_API int equant_divide(const struct equant_machine *machine, int64_t total, int64_t *work);

/**
 * equant_peak_work() - the work per synchronisation of the first full peak, section 3.4.2
 * @machine: the CPUs
 * @total: lcm(tasks) x sum(1 / tasks) quanta, in ticks: w_total; grain_peak is that over n
 *
 * The schedule repeats every lcm quanta (the text's "greatest common multiple" is the least).
 * Work between barriers of any multiple of @total, divided by equant_divide(), wastes
 * nothing if every phase is 0.
 *
 * Return: 0, -EINVAL, -EOVERFLOW.
 */
EQUANT_API int equant_peak_work(const struct equant_machine *machine, int64_t *total);

/**
 * equant_simulate_barrier() - a barrier after every computation phase, section 3.4.2
 * @machine: the CPUs
 * @work: ticks of work of each rank between two barriers, n values >= 0, one > 0
 * @synchronizations: barriers, >= 1
 * @result: efficiency over all of them
 *
 * Each rank has its CPU when it enters and when it leaves a barrier, but not all at the same time
 * (messages are buffered); messages cost nothing.
 *
 * Return: 0, -EINVAL, -EOVERFLOW when the elapsed time could exceed 63 bits.
 */
EQUANT_API int equant_simulate_barrier(const struct equant_machine *machine, const int64_t *work,
				       long synchronizations, struct equant_efficiency *result);

#ifdef __cplusplus
}
#endif
#endif /* EQUANT_MODEL_H */
