/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * What the files of this room share.  Nothing in here allocates: decide()
 * hands in room that was set aside when the balancer was made.
 */
#ifndef EQUANT_BALANCE_INTERNAL_H
#define EQUANT_BALANCE_INTERNAL_H

#include <float.h>
#include <stdbool.h>

#include <equant/balance.h>

/* Every rank must reach the same decision: IEEE doubles in source order, no more precision. */
#ifdef __FAST_MATH__
#error "userlib/balance must not be compiled with -ffast-math"
#endif
#if FLT_EVAL_METHOD != 0
#error "userlib/balance needs arithmetic in the precision of double (on x86: -mfpmath=sse)"
#endif

/* Times below the resolution of the clocks say nothing. */
#define EQUANT_TIME_MIN 1e-9
/* Even a starved rank has a rate: the resolution of the kernel's shares. */
#define EQUANT_SHARE_MIN (1.0 / (1 << 20))

/* ---- heap.c -------------------------------------------------------------- */

/**
 * struct equant_heap_entry - a rank in a priority queue
 * @key: largest first; ties by the lower @rank
 * @units: work left to move
 * @ports: transfers the rank has been given
 */
struct equant_heap_entry {
	double key;
	long units;
	int rank;
	int ports;
};

struct equant_heap {
	struct equant_heap_entry *entries;
	int count;
};

void equant_heap_make(struct equant_heap *heap);
struct equant_heap_entry equant_heap_pop(struct equant_heap *heap);
void equant_heap_push(struct equant_heap *heap, struct equant_heap_entry entry);

/* ---- the public functions without their allocations; room: n entries ------ */

int equant_distribute_in(const double *rates, int n, long total, long minimum, long *out,
			 struct equant_heap_entry *room);
int equant_instruct_in(const long *current, const long *target, int n, int ports, long omit,
		       struct equant_instruction *out, struct equant_heap_entry *room);
double equant_move_cost_in(const struct equant_instruction *instructions, int count, int n,
			   double fixed, double per_unit, struct equant_heap_entry *room);

/* ---- unrestricted.c -------------------------------------------------------- */

/* No count is negative, and both sums are the same. */
bool equant_counts_agree(const long *current, const long *target, int n);

/* ---- restricted.c --------------------------------------------------------- */

/**
 * struct equant_player - a rank in the middle of its list
 * @units: what it owns now
 * @next: the move it is at
 * @free: when it can begin that move
 * @sent: by side (0 left, 1 right), units on their way to the neighbour; 0 = none
 * @begun: when they left
 */
struct equant_player {
	long units;
	int next;
	double free;
	long sent[2];
	double begun[2];
};

/* n entries each. */
struct equant_restricted_room {
	struct equant_moves *lists;
	struct equant_player *players;
};

double equant_restricted_cost_in(const struct equant_instruction *instructions, int count,
				 const long *current, int n, enum equant_handshake handshake,
				 double fixed, double per_unit,
				 const struct equant_restricted_room *room);

/* ---- rate.c --------------------------------------------------------------- */

/**
 * struct equant_following - what it depends on whether changes of shares are followed
 * @quantum: seconds
 * @phase: the shortest time between two phases, seconds
 * @meeting: the time between two meetings of all ranks, seconds; 0 = not known
 * @prompt: ranks wait for a decision in the phase of its samples where that is better
 */
struct equant_following {
	enum equant_rate_mode mode;
	double quantum;
	double phase;
	double meeting;
	bool prompt;
};

double equant_rate_take(struct equant_rate *rate, const struct equant_sample *sample,
			const struct equant_following *how);

/** equant_rate_set_share() - the share is known to be this one */
void equant_rate_set_share(struct equant_rate *rate, double share);

/**
 * equant_rate_follows() - is this rank's rate made from predictions?
 *
 * If not, its share is measured and averaged; see the top of rate.c.
 */
bool equant_rate_follows(const struct equant_sample *sample, const struct equant_following *how);

/** equant_rate_promptly() - do changes of this rank's share call for decisions without delay? */
bool equant_rate_promptly(const struct equant_sample *sample, const struct equant_following *how);

/* ---- profit.c ------------------------------------------------------------- */

/**
 * struct equant_costs - what moving work costs
 * @fixed: measured at start, seconds per transfer
 * @per_unit: measured at start, seconds per unit
 * @scale: how much more the moves seen since then have cost
 */
struct equant_costs {
	double fixed;
	double per_unit;
	double scale;
};

void equant_costs_update(struct equant_costs *costs, const struct equant_sample *samples,
			 const int *transfers, int n, double fade);

#define EQUANT_HISTORY_BUCKETS 64

/**
 * struct equant_history - the changes of the last window (section 5.6.2)
 * @time: computation time by bucket, a ring
 * @changes: imbalances that began in it
 * @at: the bucket in use
 * @pending: the last imbalance has not been answered by a move yet
 */
struct equant_history {
	double time[EQUANT_HISTORY_BUCKETS];
	unsigned int changes[EQUANT_HISTORY_BUCKETS];
	int at;
	bool pending;
};

void equant_history_advance(struct equant_history *history, double elapsed, double window);
void equant_history_note(struct equant_history *history, bool imbalanced);
double equant_history_stable(const struct equant_history *history, double window);
bool equant_holds_known(const struct equant_sample *samples, int n);
double equant_hold_stable(const struct equant_sample *samples, int n,
			  const struct equant_following *how);

/* ---- debt.c ---------------------------------------------------------------- */

/**
 * struct equant_debt - what the present distribution has cost, zero after a move
 * @lost: sum of the possible reductions since the imbalance arose, one per phase
 * @stood: seconds since then
 * @lasted: seconds with this imbalance, less those without one
 * @paid: seconds that it has cost in that time
 * @about: the rank that it is about
 * @too_many: does that have too many units?
 */
struct equant_debt {
	double lost;
	double stood;
	double lasted;
	double paid;
	int about;
	bool too_many;
};

/** equant_debt_grow() - for @elapsed seconds there has been an imbalance, worth a reduction */
void equant_debt_grow(struct equant_debt *debt, const long *units, const long *target, int n,
		      double reduction, double elapsed);

/** equant_debt_shrink() - for @elapsed seconds there has been none */
void equant_debt_shrink(struct equant_debt *debt, double elapsed);

/* ---- period.c ------------------------------------------------------------- */

/**
 * struct equant_pace - what eqs. 4.1-4.3 and 4.12 need to know of the past
 * @interact: smoothed cost of an interaction
 * @hold: the shortest time for which a share that is followed holds; longer without a change; 0 = not known
 * @movement: smoothed cost of the moves of one phase
 * @worksale: smoothed number of phases from one movement to the next
 * @since: phases since the last movement
 * @compute: smoothed time from hook to hook
 * @met: how often ranks have met, and
 * @together: in how many seconds; the last times count most
 */
struct equant_pace {
	double interact;
	double hold;
	double movement;
	double worksale;
	double since;
	double compute;
	double met;
	double together;
};

void equant_pace_update(struct equant_pace *pace, const struct equant_sample *samples, int n);
void equant_pace_hold(struct equant_pace *pace, const struct equant_sample *samples, int n,
		      const struct equant_following *how);
double equant_pace_meeting(const struct equant_pace *pace);
/* @answers: changes of shares are to be answered. */
double equant_pace_period(const struct equant_pace *pace,
			  const struct equant_balance_options *options, double scheduling,
			  bool answers);
double equant_scheduling_bound(const struct equant_sample *samples, const struct equant_rate *rates,
			       int n, const struct equant_balance_options *options,
			       const struct equant_following *how);
long equant_pace_hooks(const struct equant_pace *pace, double period);

/* ---- grain.c -------------------------------------------------------------- */

#define EQUANT_GRAIN_LOADS 6

/**
 * struct equant_split - how far the split leans from proportional to equal, and why
 * @even: 0 = proportional, 1 = equal
 * @grain: smoothed CPU time of a rank from hook to hook, quanta; 0 = not known
 * @judged: the grain @even was chosen at
 * @count: different loads among the CPUs
 * @loads: half tasks on a CPU, rising, and how many CPUs have them
 */
struct equant_split {
	double even;
	double grain;
	double judged;
	int count;
	struct equant_split_load {
		int halves;
		int ranks;
	} loads[EQUANT_GRAIN_LOADS];
};

/**
 * equant_split_choose() - the split between barriers of ranks that poll
 * @split: its state, zero at first
 * @samples: predicted shares in all of them, else the split is proportional
 * @quantum: as observed, seconds; 0 = not known: proportional
 *
 * Simulates when the loads have changed, or the grain by an eighth; a few hundred microseconds.
 */
void equant_split_choose(struct equant_split *split, const struct equant_sample *samples,
			 const struct equant_rate *rates, int n, double quantum);

/** equant_split_lean() - rates to allot work by, for the split that was chosen */
void equant_split_lean(const struct equant_split *split, const struct equant_rate *rates, int n,
		       double *values);

/* ---- restraint.c ----------------------------------------------------------- */

/**
 * struct equant_restraint - whether ranks meet too often to use their shares to the full
 * @time: the intervals of all samples, older ones count less
 * @phases: how often ranks have met in that time
 * @waking: the part of the time from one meeting to the next in which a CPU is busy with sleep and waking up
 * @weight: 0 = use all of the share, 1 = only the part that is wanted
 * @quantum: of the job, seconds
 */
struct equant_restraint {
	double time;
	double phases;
	double waking;
	double weight;
	double quantum;
};

void equant_restraint_update(struct equant_restraint *restraint,
			     const struct equant_sample *samples, int n, double quantum);

/** equant_restrained_rate() - the rate to allot work by; @part: of the share */
double equant_restrained_rate(const struct equant_restraint *restraint,
			      const struct equant_sample *sample, const struct equant_rate *rate,
			      double part);

/* ---- steady.c --------------------------------------------------------------- */

/**
 * struct equant_seen - shares of a rank in one window
 * @low: the least one
 * @high: the highest one
 * @sum: of shares times the seconds for which they were there
 * @time: seconds
 */
struct equant_seen {
	double low;
	double high;
	double sum;
	double time;
};

/**
 * struct equant_swing - between which shares a rank's swings
 * @now: the last seconds
 * @before: those before
 * @hold: the last known time for which a share has held; 0 = none
 * @swings: it does, and ranks meet while it holds
 * @low: the least share; of a rank whose share does not swing the rate instead
 * @mean: likewise
 * @high: likewise
 */
struct equant_swing {
	struct equant_seen now;
	struct equant_seen before;
	double hold;
	bool swings;
	double low;
	double mean;
	double high;
};

/* What work is divided by where shares swing. */
enum equant_stand {
	EQUANT_STAND_FOLLOW, /* what they are, or their averages */
	EQUANT_STAND_LOW, /* the least ones */
	EQUANT_STAND_HIGH,
};

struct equant_steady {
	struct equant_swing *swings;
	enum equant_stand stand;
};

/**
 * struct equant_prospect - what it costs to follow shares
 * @how: they would be followed
 * @period: between balancing phases, seconds
 * @units: of all ranks
 * @costs: of moving them
 */
struct equant_prospect {
	const struct equant_following *how;
	double period;
	double units;
	const struct equant_costs *costs;
};

/** equant_steady_choose() - @used: the rates of ranks whose shares do not swing */
void equant_steady_choose(struct equant_steady *steady, const struct equant_sample *samples,
			  const struct equant_rate *rates, const double *used, int n,
			  const struct equant_prospect *prospect);

/** equant_steady_share() - the share by which a rank is given work; 0: what it is, or its average */
double equant_steady_share(const struct equant_steady *steady, int rank);

/* ---- crowds.c --------------------------------------------------------------- */

/**
 * struct equant_crowd - ranks that may use the same CPUs, which are fewer
 * @ranks: who, in rising order
 * @n: how many
 * @cpus: how many CPUs they have
 * @who: of them is there; 0 = no more than CPUs
 * @wanted: the last time for which they wanted or had one, a sum
 */
struct equant_crowd {
	const int *ranks;
	int n;
	int cpus;
	uint64_t who;
	double wanted;
};

/**
 * struct equant_crowds - all zero: there are none
 * @runs: by rank, the time on its CPU that is a part of @wanted
 * @samples: without what is not to be believed; the rest is working room
 */
struct equant_crowds {
	struct equant_crowd *crowds;
	int n;
	int *ranks;
	double *runs;
	struct equant_heap_entry *room;
	struct equant_sample *samples;
};

#define EQUANT_SAMPLE_CROWDED (1u << 15) /* a sample's flag in here: the rank is in a crowd */

int equant_crowds_init(struct equant_crowds *crowds, const struct equant_affinity *all, int n);
void equant_crowds_release(struct equant_crowds *crowds);

/** equant_crowds_see() - @samples, without predictions of ranks in crowds, which are marked */
const struct equant_sample *equant_crowds_see(struct equant_crowds *crowds,
					      const struct equant_sample *samples, int n);

/** equant_crowds_take() - the shares of ranks in crowds; @polls: who waits is not asleep */
void equant_crowds_take(struct equant_crowds *crowds, const struct equant_sample *samples,
			struct equant_rate *rates, double quantum, bool polls);

/* ---- options.c ------------------------------------------------------------ */

int equant_balance_options_copy(struct equant_balance_options *to,
				const struct equant_balance_options *from);
int equant_samples_check(const struct equant_sample *samples, const long *units, int n);

#endif /* EQUANT_BALANCE_INTERNAL_H */
