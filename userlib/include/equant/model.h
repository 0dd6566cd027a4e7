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

#include <equant/balance.h>
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
 * Return: 0, -EINVAL, -EOVERFLOW when the elapsed time could exceed 63 bits, -ENOMEM.
 */
EQUANT_API int equant_simulate_barrier(const struct equant_machine *machine, const int64_t *work,
				       long synchronizations, struct equant_efficiency *result);

/* ---- pipelines (section 3.3) ---------------------------------------------- */

/**
 * struct equant_pipeline - a DOACROSS loop, its pipelined loop cut into blocks
 * @work: ticks of work of each rank in the whole loop, n values >= 0, one > 0, borrowed
 * @iterations: of the pipelined loop, >= 1: m
 * @block: iterations of a block, >= 1; the last block may be smaller: b
 * @fixed: ticks that any message takes of its sender's CPU: t_fixed
 * @per_iteration: ticks that each iteration of the block adds to that: t_incr
 */
struct equant_pipeline {
	const int64_t *work;
	long iterations;
	long block;
	int64_t fixed;
	int64_t per_iteration;
};

/**
 * equant_simulate_pipeline() - a pipelined loop on round-robin CPUs, section 3.3.7
 * @machine: the CPUs, in the order of the pipeline
 * @pipeline: the loop
 * @result: its efficiency, filling and draining included
 *
 * Return: 0, -EINVAL, -EOVERFLOW when the elapsed time could exceed 63 bits, -ENOMEM.
 */
EQUANT_API int equant_simulate_pipeline(const struct equant_machine *machine,
					const struct equant_pipeline *pipeline,
					struct equant_efficiency *result);

/* ---- oscillating loads (section 7.5) ---------------------------------------- */

/* What the balancer does about a change, and how long a balancing period is until then. */
enum equant_answer {
	EQUANT_ANSWER_PRINTED, /* the whole of it at once; eq. 7.5 as printed */
	EQUANT_ANSWER_WHOLE, /* the same, but t_c = delay x target: see oscillating.c */
	EQUANT_ANSWER_AVERAGED, /* a rate is the mean over a period: a part, then the rest */
};

/**
 * struct equant_oscillation - a load that comes and goes on one CPU of n, half the time each
 * @n: ranks, >= 2
 * @rmin: what the loaded CPU has left, 0 < rmin <= 1: 0.5 for one competing task
 * @period: of the oscillation, seconds, > 0
 * @target: balancing period, seconds, >= 0
 * @delay: balancing periods from a change to the answer: depth + 0.5 (eqs. 7.5, 7.6); the
 *	thesis adds 1 for its filter (figure 7.21)
 * @move_all: seconds to move all data from one rank to another: m_wholearray, table 7.5
 * @restricted: work moves between neighbours only
 * @dedicated: efficiency of the program without any load, 0 < dedicated <= 1
 * @answer: how a change of the load is answered
 */
struct equant_oscillation {
	int n;
	double rmin;
	double period;
	double target;
	double delay;
	double move_all;
	int restricted;
	double dedicated;
	enum equant_answer answer;
};

/**
 * struct equant_oscillation_result - what the model says
 * @efficiency: with dynamic balancing; NAN where the model does not apply
 * @equal: table 7.4: work divided equally for ever
 * @avoid_changes: divided for ever as if the load were always there
 * @avoid_rank: no work for the loaded rank
 * @fraction: part of all work that moves at each change, eq. 7.9
 * @averaging: CPU seconds lost in a period of the load because the first answer is only a part
 * @c: seconds from the load's going to the answer; @d: of moving; @e: balanced
 * @d: see @c
 * @e: see @c
 * @f: seconds from the load's coming to the answer; @g: of moving; @h: balanced
 * @g: see @f
 * @h: see @f
 */
struct equant_oscillation_result {
	double efficiency;
	double equal;
	double avoid_changes;
	double avoid_rank;
	double fraction;
	double averaging;
	double c, d, e;
	double f, g, h;
};

/**
 * equant_model_oscillation() - section 7.5, eqs. 7.1 to 7.20, table 7.4
 * @oscillation: the load and the balancer
 * @result: all fields set unless -EINVAL
 *
 * Return: 0, -EINVAL for a field out of range, -ERANGE when the load changes again before the
 * answer is complete (t_e or t_h < 0; with EQUANT_ANSWER_AVERAGED, < @target, or all that is computed
 * in t_h would be lost): the model does not apply.
 */
EQUANT_API int equant_model_oscillation(const struct equant_oscillation *oscillation,
					struct equant_oscillation_result *result);

/* ---- whole jobs, balanced by equant's own decisions ---------------------------- */

/**
 * struct equant_job_cpu - a rank's CPU and the load that competes for it
 * @unit: nanoseconds of this CPU that a unit of work takes, >= 1
 * @tasks: competing tasks while the load is on, >= 0
 * @period: nanoseconds of the load's oscillation; 0 = it is always on
 * @on: how long it is on in each period: at least a quantum, and off as long at least
 * @start: when it comes on for the first time, from 0 to below @period; it is periodic both ways
 */
struct equant_job_cpu {
	int64_t unit;
	int tasks;
	int64_t period;
	int64_t on;
	int64_t start;
};

enum equant_job_scheduler {
	EQUANT_JOB_SHARED, /* every task has its equal part of any moment */
	EQUANT_JOB_TURNS, /* turns of a quantum, the rank's first whenever the load changes */
};

enum equant_job_probe {
	EQUANT_JOB_CLOCK, /* wall time only: the thesis */
	EQUANT_JOB_MEASURED, /* time on and off the CPU, too */
	EQUANT_JOB_PREDICTED, /* and the share as it is at the moment */
};

enum equant_job_program {
	EQUANT_JOB_DOALL, /* the thesis' MM */
	EQUANT_JOB_DOACROSS, /* SOR: a pipeline of strips */
	EQUANT_JOB_SHRINKING, /* LU: unit k is done in step k, the others take less and less time */
};

/**
 * struct equant_job - a program whose units are all computed once in a step
 * @n: ranks, >= 1
 * @cpus: n CPUs, borrowed
 * @scheduler: of all CPUs
 * @quantum: its quantum, nanoseconds, >= 1
 * @units: of work, divided equally at the start, >= n
 * @steps: how often all units are computed, >= 1; a hook is called before each, in a pipeline before
 *	each phase: in phase p of a sweep rank r computes block p - r, if there is one
 * @barrier: ranks wait for each other after each step, or sweep; otherwise in balancing phases only
 * @depth: phases from samples to the decision, 0 to 1024
 * @asynchronous: no phases: ranks report when they like, and only those of a transfer wait for each
 *	other; EQUANT_JOB_DOALL only, and no EQUANT_MOVEMENT_RESTRICTED
 * @probe: what samples tell
 * @interact: nanoseconds of CPU that a phase costs each rank, >= 0
 * @move_fixed: nanoseconds that a transfer takes the two ranks, >= 0
 * @move_per_unit: and each of its units, >= 0
 * @balance: options of the decision, borrowed; NULL = no balancing.  Its costs are not taken from
 *	the three fields above.
 * @program: how steps depend on each other
 * @blocks: EQUANT_JOB_DOACROSS: steps of a sweep, >= 1; in a step a rank waits for the one before it
 * @message: and then sends, in so many nanoseconds of its CPU, >= 0 whatever the program
 * @watch: unless NULL, called after each decision was carried out, at @time of the last rank
 * @watcher: its first argument
 *
 * With EQUANT_JOB_SHRINKING there are at most @units - @n steps; a unit takes @unit in the first,
 * less in later ones, and always a nanosecond at least.
 */
struct equant_job {
	int n;
	const struct equant_job_cpu *cpus;
	enum equant_job_scheduler scheduler;
	int64_t quantum;
	long units;
	long steps;
	int barrier;
	int depth;
	int asynchronous;
	enum equant_job_probe probe;
	int64_t interact;
	int64_t move_fixed;
	int64_t move_per_unit;
	const struct equant_balance_options *balance;
	enum equant_job_program program;
	long blocks;
	int64_t message;
	void (*watch)(void *watcher, int64_t time, const struct equant_sample *samples,
		      const struct equant_rate *rates, const long *units,
		      const struct equant_decision *decision);
	void *watcher;
};

/**
 * struct equant_job_result - what became of it
 * @efficiency: of all steps; ticks are nanoseconds
 * @phases: balancing phases, or decisions of an asynchronous job
 * @moves: those in which work moved
 * @moved: units that moved in all of them
 */
struct equant_job_result {
	struct equant_efficiency efficiency;
	long phases;
	long moves;
	long moved;
};

/**
 * equant_simulate_job() - run a job in simulated time, section 7.5.3
 * @job: the program, its CPUs and its balancer
 * @result: what became of it
 *
 * What the thesis' model leaves out is in it: threshold, filter, profitability, and loads that
 * change before the answer.  The decisions are those of equant_balancer_decide().
 *
 * Return: 0, -EINVAL for a field out of range, balancing options included, -EOVERFLOW when the
 * time could exceed 62 bits, -ENOMEM.
 */
EQUANT_API int equant_simulate_job(const struct equant_job *job, struct equant_job_result *result);

#ifdef __cplusplus
}
#endif
#endif /* EQUANT_MODEL_H */
