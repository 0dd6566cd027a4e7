/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * From samples to instructions: the decisions of the dynamic load balancer as
 * pure functions on arrays.  Knows neither MPI nor the kernel; the same
 * arguments give the same answer on every rank, compiler and optimisation
 * level (integers and ordered doubles).  Nothing here is thread-safe on the
 * same object; different objects are independent.
 *
 * Reference: B. S. Siegell, Automatic Generation of Parallel Programs with
 * Dynamic Load Balancing for a Network of Workstations, CMU-CS-95-168, 1995;
 * equation, table and algorithm numbers below are the thesis'.
 *
 * Units: time in seconds, work in units (iterations of the distributed
 * loop), rates in units per wall second, speeds in units per on-CPU second,
 * shares as fractions of one CPU.
 */
#ifndef EQUANT_BALANCE_H
#define EQUANT_BALANCE_H

#include <stddef.h>
#include <stdint.h>

#include <equant/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where a sample's numbers come from and what they are good for. */
#define EQUANT_SAMPLE_RUN (1u << 0) /* run and wait are measured, not wall time */
#define EQUANT_SAMPLE_PREDICTED (1u << 1) /* share and settled are valid predictions */
#define EQUANT_SAMPLE_FELL_BACK (1u << 2) /* the probe was replaced in this period */
#define EQUANT_SAMPLE_CLOSED (1u << 3) /* the rank has closed the loop; in a trace: the rest */
#define EQUANT_SAMPLE_ERROR (1u << 4) /* the rank hit an error; the loop ends */
#define EQUANT_SAMPLE_GROWN (1u << 5) /* many more units have become active */
#define EQUANT_SAMPLE_MOVED \
	(1u << 6) /* the rank's CPUs are not those of its struct equant_affinity */

/**
 * struct equant_sample - what one rank tells all others once per balancing phase
 * @units: units computed since the last sample
 * @wall: wall time of the compute sections they were computed in
 * @run: on-CPU time inside those sections
 * @wait: time inside those sections in which the rank wanted the CPU and had it not
 * @share: predicted share now (debounced)
 * @settled: predicted share once the kernel's group averages have converged
 * @quantum: the scheduler's quantum; 0 = not known
 * @hold: mean time for which a predicted share has held in the last seconds; 0 = it has changed
 *	less than twice
 * @age: how long ago the share last changed; less than a quantum: @share and @settled are of before
 * @interval: wall time since the last sample
 * @interact: time the rank spent on the balancing interaction itself in that interval
 * @move: time the rank spent moving work in that interval
 * @moved: units it sent and received in that interval
 * @hooks: hook calls in that interval
 * @flags: EQUANT_SAMPLE_*
 * @meetings: waits of the program for other ranks in that interval that the library knows of; of those in
 *	quick succession, beside longer times without, less than one each; 65535 stands for more
 */
struct equant_sample {
	double units;
	double wall;
	double run;
	double wait;
	double share;
	double settled;
	double quantum;
	double hold;
	double age;
	double interval;
	double interact;
	double move;
	double moved;
	uint32_t hooks;
	uint16_t flags;
	uint16_t meetings;
};

/* ---- filters (section 5.4) -------------------------------------------- */

/* How the history fraction h of eq. 5.8 is chosen. */
enum equant_filter_kind {
	EQUANT_FILTER_NONE, /* h = 0: the raw rate */
	EQUANT_FILTER_STATES, /* by the trend of the last measurements, table 5.1 */
	EQUANT_FILTER_CONSTANT, /* h = 0.8 */
	EQUANT_FILTER_DIRECTION, /* h = 0.8 when the rate rises or stays, 0.2 when it falls */
};

enum equant_trend {
	EQUANT_TREND_DOWN3,
	EQUANT_TREND_DOWN2,
	EQUANT_TREND_DOWN1,
	EQUANT_TREND_CONSTANT,
	EQUANT_TREND_UP1,
	EQUANT_TREND_UP2,
	EQUANT_TREND_UP3,
};

/**
 * struct equant_filter - eq. 5.8
 * @adjusted: the filter's output r', units per second; 0 before the first value
 * @trend: state of table 5.1; the other kinds leave it alone
 * @kind: may be set by the caller
 */
struct equant_filter {
	double adjusted;
	enum equant_trend trend;
	enum equant_filter_kind kind;
};

/** equant_filter_init() - no value yet; @kind is EQUANT_FILTER_STATES */
EQUANT_API void equant_filter_init(struct equant_filter *filter);

/**
 * equant_filter_update() - feed one raw rate, eqs. 5.8 and 5.9, table 5.1
 *
 * The first value passes unfiltered.  Rising and falling are relative to the adjusted rate.
 *
 * Return: the adjusted rate.
 */
EQUANT_API double equant_filter_update(struct equant_filter *filter, double raw);

/* ---- rates ------------------------------------------------------------- */

enum equant_rate_mode {
	EQUANT_RATE_PREDICTED, /* speed x share, prediction pulled towards the measured share */
	EQUANT_RATE_MEASURED, /* the thesis: units per wall second, filtered */
};

/**
 * struct equant_rate - the state from which one rank's rate is estimated
 *
 * Private to the functions below, public so that it can live in arrays.
 */
struct equant_rate {
	struct equant_filter filter;
	double units, run; /* decaying sums: speed = units / run */
	double late_units, late_run; /* the same of about the last four quanta */
	double share_run, share_wait; /* evidence for the measured share */
	double mean_run, mean_wait; /* the same over seconds, changes or not */
	double predicted; /* the prediction the evidence belongs to; < 0 = none */
	double raw; /* unfiltered rate of the last sample */
	double rate; /* the rate to allot work by */
	double pace; /* the same with the speed of the last four quanta: what comes next; as rate if that is measured */
	double speed;
	int windows; /* samples with units, up to 2 */
	int slow; /* the last sample was short and of less than half the speed */
	double share;
};

/** equant_rate_init() - no sample yet; the filter is as equant_filter_init() has it */
EQUANT_API void equant_rate_init(struct equant_rate *rate);

/**
 * equant_rate_update() - take in one sample
 * @rate: the rank's state
 * @sample: what the rank has measured
 * @mode: how to turn it into a rate; a sample without EQUANT_SAMPLE_RUN is
 *	always treated as EQUANT_RATE_MEASURED
 * @quantum: the job's quantum, > 0
 * @phase: the shortest time between two balancing phases
 *
 * A sample without units leaves the speed as it is, and so does one of less than half the speed, if it is short
 * and the one before it was not.  Predicted: rate = speed x
 * share; share is the prediction weighted against the share measured since
 * the prediction last changed, whose evidence of age t counts t / (t + 10
 * quanta); while it is younger than a quantum, the one before it; while it is younger than a phase, or a
 * quarter of that where shares are known to hold, it counts by its age only, the mean share of the last
 * seconds for the rest.  Without EQUANT_SAMPLE_PREDICTED, or when shares hold for less than five quanta or
 * twelve phases, so that following them would only mean being late, the measured share alone,
 * averaged over ten quanta or thirty such changes.
 *
 * Return: the rate, units per wall second; 0 until the first units.
 */
EQUANT_API double equant_rate_update(struct equant_rate *rate, const struct equant_sample *sample,
				     enum equant_rate_mode mode, double quantum, double phase);

/* ---- distribution (sections 5.2, 5.3) ---------------------------------- */

/**
 * equant_distribute() - work in proportion to rates, eqs. 5.1-5.4
 * @rates: units per second, >= 0; n values; all zero = equal
 * @n: ranks, >= 1
 * @total: units to hand out, >= 0
 * @minimum: units every rank keeps at least if total allows, usually 0 or 1
 * @out: n counts whose sum is exactly @total; largest remainder, ties to the lower rank
 *
 * Return: 0, -EINVAL for n < 1, a negative total or minimum, or a rate that is negative or not
 * finite, -ENOMEM.
 */
EQUANT_API int equant_distribute(const double *rates, int n, long total, long minimum, long *out);

/** equant_time() - eq. 5.6: max over ranks of units / rate; a rank with units and no rate: HUGE_VAL */
EQUANT_API double equant_time(const double *rates, const long *units, int n);

/** equant_reduction() - eqs. 5.7, 5.15: (time(from) - time(to)) / time(from); 0 where time(from) is 0 */
EQUANT_API double equant_reduction(const double *rates, const long *from, const long *to, int n);

/* ---- instructions (section 5.5) ----------------------------------------- */

/**
 * struct equant_instruction - "@from sends @units units to @to"
 */
struct equant_instruction {
	int from;
	int to;
	long units;
};

/**
 * equant_instruct_unrestricted() - algorithm 5.1
 * @current: units each rank has
 * @target: units each rank shall have, same sum
 * @n: ranks
 * @ports: transfers a rank may receive in one phase; 0 = any number
 * @omit: transfers of fewer units are left out; 0 or 1 = none
 * @out: room for n instructions; order of generation (largest first)
 *
 * Two binary heaps: senders by the fraction of their work to move, receivers by quantity; ties by
 * rank; O(P log P).  At most n - 1 instructions.
 *
 * Return: the number of instructions, -EINVAL when the sums differ or a count
 * is negative, -ENOMEM.
 */
EQUANT_API int equant_instruct_unrestricted(const long *current, const long *target, int n,
					    int ports, long omit, struct equant_instruction *out);

/** equant_apply() - carry out instructions on counts: units[from] -= k, units[to] += k */
EQUANT_API void equant_apply(const struct equant_instruction *instructions, int count, long *units);

/* ---- restricted movement (section 5.5.2) --------------------------------- */

/**
 * equant_instruct_restricted() - algorithm 5.2: only neighbours exchange work
 * @current: units each rank has
 * @target: units each rank shall have, same sum
 * @n: ranks, in the order of their blocks
 * @out: room for n - 1 instructions, from the leftmost boundary to the rightmost
 *
 * For loops whose units stay in block order (DOACROSS).  What crosses the boundary between two
 * neighbours is the difference of their prefix sums, at most one instruction per boundary; work for
 * a rank far away passes through the ranks between.  An instruction may name more units than its
 * sender has yet: equant_order_restricted() tells when it may be carried out.  O(n).
 * Thread-safe.
 *
 * Return: the number of instructions, -EINVAL for n < 1, a negative count, or sums that differ or
 * overflow.
 */
EQUANT_API int equant_instruct_restricted(const long *current, const long *target, int n,
					  struct equant_instruction *out);

/* In the order of table 5.2.  Left is the rank below, right the rank above. */
enum equant_move_kind {
	EQUANT_MOVE_SEND_LEFT, /* the first units of the block */
	EQUANT_MOVE_RECEIVE_RIGHT, /* they become the last units of the block */
	EQUANT_MOVE_SEND_RIGHT, /* the last units of the block */
	EQUANT_MOVE_RECEIVE_LEFT, /* they become the first units of the block */
};

/**
 * struct equant_move - one half of an instruction, as one rank carries it out
 */
struct equant_move {
	enum equant_move_kind kind;
	long units;
};

/**
 * struct equant_moves - what one rank does in a phase, in this order (table 5.2)
 * @count: 0, 1 or 2
 */
struct equant_moves {
	int count;
	struct equant_move move[2];
};

/**
 * equant_order_restricted() - table 5.2: each rank's instructions in their order
 * @instructions: from equant_instruct_restricted(), in any order
 * @count: how many
 * @current: units each rank has before the first of them
 * @n: ranks
 * @out: n lists
 *
 * Send left, receive right, send right, receive left; but a rank that must send more than it has
 * receives first.  No rank is then ever told to send what it does not own.  Carried out so, the
 * lists cannot deadlock, with or without buffers (see restricted.c).  O(n), thread-safe.
 *
 * Return: 0, -EINVAL for n < 1, a negative count, an instruction that is not between neighbours, that
 * moves no unit, or that is the second across its boundary, and for instructions that leave a rank
 * with less than nothing; @out is then undefined.
 */
EQUANT_API int equant_order_restricted(const struct equant_instruction *instructions, int count,
				       const long *current, int n, struct equant_moves *out);

enum equant_handshake {
	EQUANT_HANDSHAKE_BUFFERED, /* a sender goes on when its units are on their way */
	EQUANT_HANDSHAKE_RENDEZVOUS, /* a sender waits until its receiver has taken them */
};

/**
 * equant_play_restricted() - carry out all ranks' lists on counts
 * @lists: n lists
 * @n: ranks
 * @handshake: what a sender waits for
 * @fixed: seconds per transfer, >= 0
 * @per_unit: seconds per unit, >= 0
 * @units: what each rank has; afterwards, what it has then; unchanged after an error
 * @seconds: unless NULL, when the last rank is done: the longest chain of transfers
 *
 * A transfer takes @fixed + units x @per_unit and keeps both of its ranks busy for that long; units
 * can be received from the moment at which their sender begins.  O(n), thread-safe.
 *
 * Return: 0, -EINVAL for n < 1, a list that table 5.2 does not allow, a transfer to or from a rank
 * that does not exist, a send of more units than the rank owns at that moment, or a receive of
 * another quantity than was sent; -EDEADLK when the other half of a transfer never comes, -ENOMEM.
 */
EQUANT_API int equant_play_restricted(const struct equant_moves *lists, int n,
				      enum equant_handshake handshake, double fixed,
				      double per_unit, long *units, double *seconds);

/**
 * equant_move_cost_restricted() - the cost of a restricted movement, section 5.6.1
 * @instructions: from equant_instruct_restricted()
 * @count: how many
 * @current: units each rank has before them
 * @n: ranks
 * @handshake: what a sender waits for
 * @fixed: seconds per transfer
 * @per_unit: seconds per unit
 *
 * The longest chain of transfers, each costed as in eq. 5.10.  At least equant_move_cost(), which is
 * what the busiest rank spends, and at most the cost of all transfers one after the other.
 * Thread-safe.
 *
 * Return: seconds; HUGE_VAL for instructions that equant_order_restricted() refuses, or without
 * memory.
 */
EQUANT_API double equant_move_cost_restricted(const struct equant_instruction *instructions,
					      int count, const long *current, int n,
					      enum equant_handshake handshake, double fixed,
					      double per_unit);

/* ---- profitability (section 5.6) ---------------------------------------- */

/**
 * equant_move_cost() - eq. 5.10: max over ranks of transfers x fixed + units x per_unit
 *
 * Return: seconds; HUGE_VAL for an instruction that names no rank, or without memory.
 */
EQUANT_API double equant_move_cost(const struct equant_instruction *instructions, int count, int n,
				   double fixed, double per_unit);

/* ---- period (section 4.3) ----------------------------------------------- */

/**
 * equant_sampling_bound() - eqs. 4.4 and 4.10
 * @quantum: seconds
 * @share: the rank's share, 0 < share <= 1
 * @amplitude: tolerated amplitude of the measured rate, 0 < amplitude <= 1
 *
 * With d = quantum on the CPU and c = d / share - d off it, the amplitude left after averaging
 * over s is at most min(d, c) / s; the bound is the s that brings it to @amplitude.
 *
 * Return: seconds, at least one quantum.
 */
EQUANT_API double equant_sampling_bound(double quantum, double share, double amplitude);

/**
 * equant_sampling_scale() - eq. 4.9
 * @quantum: seconds, > 0
 * @share: as above
 * @sample: seconds that the rate is measured over, > 0, below 2^62 rounds of the scheduler
 *
 * Return: how much the rate that is measured can vary by when measuring begins, of the rate on a
 * dedicated CPU.
 */
EQUANT_API double equant_sampling_scale(double quantum, double share, double sample);

/* ---- the whole decision (section 5.1, fig. 5.1) -------------------------- */

enum equant_movement {
	EQUANT_MOVEMENT_UNRESTRICTED, /* any rank to any other: algorithm 5.1 */
	EQUANT_MOVEMENT_RESTRICTED, /* units stay in block order: algorithm 5.2 */
};

/**
 * struct equant_balance_options - parameters of the decision; 0 fields have no special meaning
 *
 * Start from equant_balance_options_init() and change what you need.
 */
struct equant_balance_options {
	size_t sz; /* sizeof(struct equant_balance_options) */
	enum equant_rate_mode mode;
	double threshold; /* tfract: move if the time falls by this fraction; by less if that stays (0.03) */
	/* k of section 5.6: cancel if cost > k x benefit; 0 = never; 1 at most where shares are predicted (5) */
	double profit;
	double window; /* seconds of history for t_stable (10) */
	double interact_fraction; /* k_interact of eq. 4.2 at most, see period.c (0.05) */
	double amplitude; /* tolerated amplitude, eq. 4.10 (0.1) */
	double period; /* fixed period in seconds; 0 = from the quantum */
	double default_quantum; /* seconds, used until a rank knows better (0.004) */
	double move_fixed; /* measured at start: seconds per transfer */
	double move_per_unit; /* measured at start: seconds per unit moved */
	double interact; /* measured at start: seconds per interaction */
	int ports; /* see equant_instruct_unrestricted(); restricted movement knows neither */
	long omit;
	int moves_allowed; /* 0: measure and decide, but move nothing */
	enum equant_filter_kind filter; /* of the measured rate */
	enum equant_movement movement;
	enum equant_handshake handshake; /* restricted movement: what a sender waits for */
	int polls; /* ranks wait for each other on their CPUs: mind the grain, section 3.4.2 */
	double quantum; /* seconds, whatever is observed; 0 = as observed */
	double quanta; /* quantumscale of eq. 4.4; 0 = from eq. 4.10 */
	double restraint; /* if not: part of a share to use where phases are short (0.85), see restraint.c */
	int prompt; /* decisions come a phase or more late, but need not: mind @prompt of the decision */
	int steady; /* work stays where it is while shares change too often to be followed, see steady.c */
};

/**
 * equant_balance_options_fill() - defaults; called by equant_balance_options_init() only
 * @options: receives them
 * @size: sizeof(struct equant_balance_options) of the caller; nothing beyond it is written
 */
EQUANT_API void equant_balance_options_fill(struct equant_balance_options *options, size_t size);

/**
 * equant_balance_options_init() - the decision as equant's options have it by default, no costs
 * @options: receives it
 */
static inline void equant_balance_options_init(struct equant_balance_options *options)
{
	equant_balance_options_fill(options, sizeof(*options));
}

enum equant_verdict {
	EQUANT_VERDICT_BALANCED, /* reduction below the threshold, and not for long enough to count */
	EQUANT_VERDICT_NO_RATES, /* a rank has not computed a unit yet and shares predict nothing, or units have grown */
	EQUANT_VERDICT_UNPROFITABLE, /* costs exceed k x benefit */
	EQUANT_VERDICT_NOTHING, /* no instruction survived (filter, ports, omit) */
	EQUANT_VERDICT_FORBIDDEN, /* moves_allowed is 0 */
	EQUANT_VERDICT_MOVE,
	EQUANT_VERDICT_GRAIN, /* balanced, but not in proportion: ranks poll below the grain */
};

/**
 * struct equant_decision - what one balancing phase decided
 * @instructions: points into the balancer, valid until its next decision; restricted ones are put
 *	in order by equant_order_restricted()
 * @count: number of instructions; 0 unless @verdict is EQUANT_VERDICT_MOVE
 * @reduction: eq. 5.7 on unfiltered rates
 * @cost: estimated cost of the moves, seconds
 * @benefit: bfract x t_stable, seconds
 * @quantum: the job's quantum: the largest that a rank reports
 * @period: eq. 4.11, seconds
 * @next_hook: hooks until the next phase, eqs. 4.1 and 4.12, >= 1
 * @even: 0: work is split in proportion; else, because of the grain, that part of the way to an
 *	equal split
 * @prompt: 1: the next decisions shall not come late; 0 unless options allow it
 */
struct equant_decision {
	enum equant_verdict verdict;
	const struct equant_instruction *instructions;
	int count;
	double reduction;
	double cost;
	double benefit;
	double quantum;
	double period;
	long next_hook;
	double even;
	int prompt;
};

struct equant_balancer;

/**
 * equant_balancer_new() - decision state for a job of n ranks
 *
 * Return: the balancer, or NULL and errno (EINVAL names nothing: check the ranges above; ENOMEM).
 */
EQUANT_API struct equant_balancer *
equant_balancer_new(int n, const struct equant_balance_options *options);

/** equant_balancer_free() - free it; NULL is nothing */
EQUANT_API void equant_balancer_free(struct equant_balancer *balancer);

/**
 * equant_balancer_decide() - one balancing phase
 * @balancer: the state
 * @samples: one per rank
 * @units: what each rank holds now
 * @decision: the outcome
 *
 * Return: 0, -EINVAL for a sample with a field that is negative, not finite or above
 * 1e18, for a predicted share above 1, for a negative count or a sum of counts that
 * overflows; the state is then as before.
 */
EQUANT_API int equant_balancer_decide(struct equant_balancer *balancer,
				      const struct equant_sample *samples, const long *units,
				      struct equant_decision *decision);

/**
 * equant_balancer_horizon() - how long the benefit of a move can last
 * @balancer: the state
 * @seconds: until the work that decisions distribute is done; 0 = not known, as at first
 *
 * Bounds t_stable (section 5.6.2) in the decisions from now on.
 */
EQUANT_API void equant_balancer_horizon(struct equant_balancer *balancer, double seconds);

/**
 * struct equant_affinity - the CPUs that a rank may use
 * @cpus: names them: equal for ranks that may use the same CPUs of the same machine; 0 = not known
 * @count: how many they are, >= 1 unless @cpus is 0
 */
struct equant_affinity {
	uint64_t cpus;
	int count;
};

/**
 * equant_balancer_affinity() - where the ranks are
 * @balancer: the state, before its first decision
 * @all: one per rank; copied
 *
 * Those that are more than the CPUs they may use have one share then (balance/crowds.c): what each would
 * have if all of them wanted their CPUs.  Without this call all ranks are taken to be apart.  For rates that are predicted.
 *
 * Return: 0; -EINVAL for a count below 1: nothing has changed; -ENOMEM: all are apart.
 */
EQUANT_API int equant_balancer_affinity(struct equant_balancer *balancer,
					const struct equant_affinity *all);

/** equant_balancer_rates() - the per-rank estimates behind the last decision, n entries */
EQUANT_API const struct equant_rate *equant_balancer_rates(const struct equant_balancer *balancer);

/** equant_verdict_name() - "balanced", "move", ... */
EQUANT_API const char *equant_verdict_name(enum equant_verdict verdict);

#ifdef __cplusplus
}
#endif
#endif /* EQUANT_BALANCE_H */
