/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_LOOP_LOOP_INTERNAL_H
#define EQUANT_LOOP_LOOP_INTERNAL_H

#include <stdint.h>

#include <equant/equant.h>
#include <equant/probe.h>
#include <equant/trace.h>

#include "control/control.h"
#include "control/exchange.h"
#include "control/node.h"
#include "control/wait.h"
#include "core/mpi_error.h"
#include "core/team.h"
#include "loop/abort.h"
#include "loop/held.h"
#include "loop/meetings.h"
#include "loop/move.h"
#include "loop/pass.h"
#include "loop/pipeline.h"
#include "loop/slices.h"
#include "loop/tags.h"
#include "loop/units.h"
#include "watch/speed.h"

/**
 * struct equant - a context
 * @comm: duplicate of the caller's communicator
 * @collectives: another one, for equant_barrier() and equant_allreduce()
 * @loops: open loops
 * @made: loops made so far
 * @users: self-scheduled loops and runs of task graphs that use it
 * @meeting: with which ranks compare where they are
 * @checks: comparisons so far
 * @lost: an error after which no rank knows where the others are; no loop goes on
 * @abandoned: a loop was, so that others may yet look for this rank where all meet
 * @meetings: waits of the program for other ranks so far
 * @behalf: the program's call within which ranks meet as in another one, or NULL
 * @told: file that tells this rank's speed
 * @extreme, @larger: a struct equant_extreme for MPI, and the reduction of two; made when first used
 */
struct equant {
	MPI_Comm comm;
	MPI_Comm collectives;
	int rank;
	int ranks;
	struct equant_options options;
	struct equant_probe *probe;
	struct equant_team team;
	struct equant_node *node;
	struct equant_waiter waiter;
	struct equant_loop *loops;
	uint32_t made;
	int users;
	struct equant_exchange *meeting;
	uint32_t checks;
	int lost;
	int abandoned;
	uint32_t meetings;
	const char *behalf;
	struct equant_told told;
	MPI_Datatype extreme;
	MPI_Op larger;
};

/**
 * struct equant_window - what has been measured since the last sample
 * @start_ns: when it began
 * @tried: some of it in tiles on trial (tiles.h), as fast as they are
 */
struct equant_window {
	uint64_t start_ns;
	uint64_t wall_ns, run_ns, wait_ns;
	double units;
	long sections;
	long hooks;
	int tried;
};

/**
 * struct equant_ghosts - an exchange of boundaries under way
 * @hooks: the loop's when it began
 * @agreed: all ranks have registered slices of the same @layout
 * @requests: @n of them, room for @room
 * @statuses: what has come
 * @bytes: what should come, negative where it goes
 * @peers: to whom, from whom
 */
struct equant_ghosts {
	int under_way;
	long hooks;
	int agreed;
	uint64_t layout;
	MPI_Request *requests;
	MPI_Status *statuses;
	int *bytes;
	int *peers;
	int n;
	int room;
};

/**
 * struct equant_loop - a loop whose units are balanced
 * @countdown: first, because equant_hook() reads it through a pointer to long
 * @unit: second, the unit that equant_next() hands out
 * @strip: third, how many more before it has to look
 * @step: hooks between two looks at what is under way
 * @remaining: hooks until the phase after the present step
 * @speeds_known: the decisions have gone on from guesses to measured speeds
 * @prompt: so said the last decision
 * @ended: the final exchange has been made
 * @error: the error the loop ended with
 * @aborted: all other ranks have been told that they shall not wait for this one
 * @abandoned: messages of ranks that are gone may still be under way
 * @leader: the loop whose hooks decide for this one too, NULL = its own
 * @follower: the next of the loops that share a leader, beginning with the leader
 */
struct equant_loop {
	long countdown;
	long unit;
	long strip;
	long step;
	long remaining;

	struct equant *eq;
	struct equant_loop *next;
	char name[40];
	MPI_Comm comm;
	int rank;
	int ranks;
	int restricted; /* units keep their order */
	int started;
	int speeds_known;
	int prompt;
	int ended;
	int error;
	int aborted;
	int abandoned;
	uint32_t order; /* among the context's loops */
	long trace_index; /* among loops of the same name */
	struct equant_loop *leader;
	struct equant_loop *follower;

	struct equant_units units;
	struct equant_slices slices;
	struct equant_mover mover;
	struct equant_ghosts ghosts;
	long below, above; /* neighbours that travel with units */
	struct equant_pipeline *pipeline; /* NULL: nothing is pipelined */
	struct equant_balancer *balancer; /* where decisions are made */
	struct equant_control *control;
	struct equant_pass *pass; /* NULL in loops balanced by equant_hook() */

	/* compute sections */
	int in_section;
	const char *misused; /* the first fault, or NULL */
	long moved_when_read; /* units when the program last asked who owns what */
	bool out_of_date; /* it has computed by an answer from before some moved */
	struct equant_counters begin;
	struct equant_window window;
	struct equant_window untold; /* what no sample tells: tiles were on trial */
	struct equant_window
		together; /* a leader's: of all since its last sample that says something */
	int held; /* ... phases since then */
	long turns; /* sections since then */
	uint64_t turn_ns; /* in sections when the leader's last pass began */
	double weight; /* of a leader with passes: what all take, to what it takes; 0 = not known */
	struct equant_held held_share;
	struct equant_meetings meetings;
	long sampled; /* units active then */
	int grown; /* many more have become active since */
	uint64_t machine; /* 0 = it does not matter which CPUs this rank may use */
	uint64_t cpus; /* at the start */
	uint64_t outdated; /* interactions with lower numbers do not know */

	/* the account */
	struct equant_counters first; /* at the first begin or the hook before it */
	uint64_t first_cpu_ns;
	uint64_t last_ns;
	struct equant_counters last;
	uint64_t wall_ns, run_ns, wait_ns;
	double computed;
	uint64_t balancing_ns, waiting_ns, moving_ns;
	uint64_t interact_ns; /* of the last phase */
	double interact; /* seconds, measured at the start, the same on all ranks */
	uint64_t moved_ns;
	long moved_units;
	long hooks, phases, uneven, fallbacks, dropped;
	double speed, share, quantum;
	struct equant_trace_writer *trace;
	struct equant_replay *replay; /* NULL = decisions are made, not repeated */
};

/* stats.c: calls of equant_hook() so far */
long equant_loop_hooks(const struct equant_loop *loop);

/* segment.c: the compute sections and the sample made of them */
void equant_account_start(struct equant_loop *loop);
void equant_end_work(struct equant_loop *loop, double units);
void equant_sample_take(struct equant_loop *loop, struct equant_sample *sample, uint64_t now);

/* share.c: has this loop, or one that shares its distribution, an array at this address? */
int equant_share_has(const struct equant_loop *loop, const void *base);

/* ... a follower's hook, which counts; an error of the leader is the followers' too */
int equant_share_hook(struct equant_loop *loop);
void equant_share_fail(struct equant_loop *leader);
/* ... with no more interactions: none of the loops that share has them */
void equant_share_ended(struct equant_loop *loop);
void equant_share_release(struct equant_loop *loop);
/* ... carries an order out in all followers too, after the leader has; @named as in the mover */
int equant_share_move(struct equant_loop *leader, const struct equant_instruction *instructions,
		      int count, const struct equant_runs *named);
/* ... is anything of these loops under way that wants to be looked after? */
int equant_share_busy(const struct equant_loop *loop);
int equant_share_progress(struct equant_loop *loop);
/* ... units between two looks at it in a follower's pass */
long equant_share_look(const struct equant_loop *loop);
/* ... ends a follower's joined pass; 0 or -errno */
int equant_share_join(struct equant_loop *loop);
/* ... a leader's pass begins: what have all taken since the one before, to what it has? */
void equant_share_weigh(struct equant_loop *leader);

/* ghosts.c: ends an exchange whose finish will not come, or comes too late */
void equant_ghosts_give_up(struct equant_loop *loop);
void equant_ghosts_release(struct equant_ghosts *g);
/* ... all ranks have compared what they have registered, and it is the same */
void equant_ghosts_agreed(struct equant_loop *loop);
/* ... fetches the neighbours of units that have moved; 0 or -errno */
int equant_neighbours_follow(struct equant_loop *loop);

/* cost.c: what an interaction and a transfer cost on this network */
/* ... the layout of what moves, which must be the same everywhere, and where the rank is */
struct equant_costs {
	uint64_t layout;
	struct equant_affinity affinity;
	double interact;
	double fixed;
	double per_unit;
};
/* @all: receives where each rank is, unless NULL */
int equant_costs_measure(struct equant_loop *loop, struct equant_costs *costs,
			 struct equant_affinity *all);

/* The neighbour that this rank measures with in round 0 or 1, and which does the same; -1 = it has none then. */
int equant_costs_neighbour(const struct equant_loop *loop, int round);

/* Collective: seconds for a message to a rank, which measures with this one, and for a byte more; -1: 0. */
int equant_costs_of_messages(struct equant_loop *loop, int peer, double *fixed, double *per_byte);

/* check.c: before anything else of a context */
int equant_check_open(struct equant *eq);

/* ... where ranks meet; an error is the end of the loop on every rank */
enum equant_place {
	EQUANT_AT_HOOK,
	EQUANT_AT_FREE,
	EQUANT_AT_BROADCAST,
	EQUANT_AT_GHOSTS,
	EQUANT_AT_REDUCTION,
	EQUANT_AT_SWEEP,
	EQUANT_AT_PASS,
	EQUANT_AT_BARRIER,
	EQUANT_AT_NEW,
	EQUANT_AT_PLAN,
	EQUANT_AT_NEIGHBOURS,
	EQUANT_AT_CALIBRATION,
	EQUANT_AT_START,
	EQUANT_AT_ACTIVATION,
	EQUANT_AT_ALLREDUCE,
};

enum equant_standing {
	EQUANT_GOES_ON,
	EQUANT_REFUSES, /* the call, and does nothing; nor does any other rank */
	EQUANT_HAS_FAILED,
};

/* @error: of this rank, because of which all fail; returned as it is */
int equant_check_place(struct equant_loop *loop, enum equant_place place, uint64_t arguments,
		       int error);
/* ... of a collective call, that this rank refuses because of @error */
int equant_check_always(struct equant_loop *loop, enum equant_place place, uint64_t arguments,
			int error);
/* ... in checked mode only */
int equant_check_call(struct equant_loop *loop, enum equant_place place, uint64_t arguments,
		      int error);

/* ... of one of the context, which no loop is part of; @name: of what it makes, may be NULL */
int equant_check_context(struct equant *eq, enum equant_place place, const char *name,
			 uint64_t arguments, int error);

/* waits.c: all ranks were to meet, which has ended with @error: it means nothing if one has given up on another */
int equant_met(struct equant *eq, int error);
/* ... equant_barrier() within @call, which is what a rank that does not come is told not to have come to */
int equant_barrier_in(struct equant *eq, const char *call);
/* ... equant_allreduce() in place */
int equant_allreduce_in(struct equant *eq, const char *call, void *elements, int count,
			MPI_Datatype datatype, MPI_Op op);
/* ... equant_mpi_agree(), but who does not come is named and given up on as in other calls of the context */
int equant_agree_in(struct equant *eq, const char *call, int error);

/* ends.c: arrays are registered by now: measure the costs and set up the decision */
int equant_loop_start(struct equant_loop *loop);
/* ... what the context's options and the loop's kind make of a balancer */
struct equant_balance_options equant_loop_balancing(const struct equant_loop *loop,
						    const struct equant_costs *costs);
/* ... and the last interaction, in which every rank says that it closes the loop */
int equant_loop_end(struct equant_loop *loop);

/* part.c: equant_mover_run() for a loop; others are told where this rank stops in the middle */
int equant_loop_move(struct equant_loop *loop, const struct equant_instruction *instructions,
		     int count, const struct equant_runs *named, uint64_t number);
/* ... collective; nothing of a loop that has failed on some rank is under way any more; 1: a rank did not come */
int equant_loop_part(struct equant_loop *loop);
/* ... seconds for which a rank that has failed waits for others */
double equant_loop_patience(const struct equant_loop *loop);
void equant_say_unfreed(const struct equant_loop *loop, int rank, double seconds);

/* What the loop's accounts were when a phase began. */
struct equant_phase_begun {
	uint64_t t_ns, other_ns;
	long moves;
};

/* phase.c: a phase of a loop with hooks, 0 or -errno */
int equant_loop_phase(struct equant_loop *loop);
/* ... more units are active than before */
void equant_phase_hasten(struct equant_loop *loop);
/* ... parts of one; after an error nothing is under way any more */
int equant_loop_check(struct equant_loop *loop, int closing, int error);
int equant_loop_send(struct equant_loop *loop, const struct equant_sample *sample);
int equant_loop_join(struct equant_loop *loop, int n); /* wait for the @n oldest interactions */
int equant_join_all(struct equant_loop *loop); /* ... for all, and does every rank go on? */
int equant_loop_obey(struct equant_loop *loop,
		     int (*move)(struct equant_loop *loop, struct equant_order *order));
int equant_loop_misused(struct equant_loop *loop);

/* loop.c: units that this rank has sent and received so far */
long equant_loop_moved(const struct equant_loop *loop);

/* ... the program asks who owns what */
void equant_loop_note_read(const struct equant_loop *loop);
struct equant_phase_begun equant_phase_begin(const struct equant_loop *loop);
/* @usual: what the phase has cost counts for the period, unless it moved work */
void equant_phase_end(struct equant_loop *loop, const struct equant_phase_begun *begun, int usual);
void equant_say_moves(const struct equant_loop *loop, const struct equant_decision *decision);
int equant_check_peers(struct equant_loop *loop, const struct equant_order *order);
void equant_say_silent(const struct equant_loop *loop, int rank, int itself, double timeout);
/* @function: that it is in */
void equant_say_closed(const struct equant_loop *loop, int closer, int goer, const char *function);

/* context.c: the probe of a thread of the team, with its number and the rank filled in; 0 or -ENAMETOOLONG */
int equant_context_probe(const struct equant *eq, int thread, char *name, size_t size);

/* loop.c: why nobody can distribute the loop any more, or NULL */
const char *equant_loop_settled(const struct equant_loop *loop);
int equant_loop_fail(struct equant_loop *loop, int error);

/* report.c: can rank 0 write one, and, collective, write it */
int equant_report_start(const struct equant_loop *loop);
int equant_report_write(struct equant_loop *loop);

/* trace_file.c: where the traces are; start is collective */
void equant_trace_path(const struct equant_loop *loop, const char *directory, long index,
		       char *path, size_t size);
int equant_trace_start(struct equant_loop *loop);
int equant_trace_end(struct equant_loop *loop);

/* replay.c: decisions from a trace instead of from the samples; open is collective */
int equant_replay_open(struct equant_loop *loop);
void equant_replay_close(struct equant_loop *loop);
int equant_replay_decide(struct equant_loop *loop, struct equant_order *order);
int equant_replay_compare(const struct equant_loop *loop);
int equant_replay_recorded(const struct equant_loop *loop, struct equant_event *event);

/* ... inner iterations per strip of the next sweep, 0 = not recorded */
long equant_replay_block(const struct equant_loop *loop);
/* What to compute of a strip of which so much is left: 1; 0 behind the end. */
int equant_replay_tile(struct equant_loop *loop, long left, struct equant_tile *tile);

/* replay_pass.c: when phases of passes are; gather is collective */
int equant_replay_gather(struct equant_loop *loop);
/* ... 1: it was recorded when the next one is, and by rank, after how many units; else 0 */
int equant_replay_plan(const struct equant_loop *loop, long *due, long *quota);

/* replay_async.c: transfers of asynchronous mode; agree is collective */
int equant_replay_load_transfers(struct equant_replay *replay);
void equant_replay_free_transfers(struct equant_replay *replay);
int equant_replay_agree_transfers(struct equant_loop *loop);
/* ... a giver tells that units are on their way; 0 or -errno */
int equant_replay_announce(struct equant_loop *loop, const struct equant_notice *notice);
/* ... makes those that this rank made where it is now; 0 or -errno */
int equant_replay_transfers(struct equant_loop *loop);
/* ... units until the next one, LONG_MAX = it is in a later pass or there is none */
long equant_replay_until(const struct equant_loop *loop);
/* ... all units are computed in this pass: 0, or -EBADMSG one was to be made in it */
int equant_replay_pass_over(const struct equant_loop *loop);

/* record.c: events of the trace */
void equant_record_sample(struct equant_loop *loop, const struct equant_sample *sample);
/* ... of what was computed after the last one, when the loop is closed; in asynchronous mode there is one */
void equant_record_rest(struct equant_loop *loop);
void equant_record_decision(struct equant_loop *loop, const struct equant_order *order);
void equant_record_units(struct equant_loop *loop);
void equant_record_moves(struct equant_loop *loop, uint64_t duration_ns);
void equant_record_status(struct equant_loop *loop, const struct equant_status *status);
void equant_record_plan(struct equant_loop *loop);
void equant_record_sweep(struct equant_loop *loop);
void equant_record_tile(struct equant_loop *loop, const struct equant_tile *tile, long left);
void equant_record_transfer(struct equant_loop *loop, const struct equant_notice *notice);
void equant_record_fallback(struct equant_loop *loop, const char *text);
uint64_t equant_owners_digest(const struct equant_units *units);

#endif /* EQUANT_LOOP_LOOP_INTERNAL_H */
