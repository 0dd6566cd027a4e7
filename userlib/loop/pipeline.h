/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_LOOP_PIPELINE_H
#define EQUANT_LOOP_PIPELINE_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include <equant/equant.h>

#include "loop/channel.h"
#include "loop/shift_watch.h"
#include "loop/tiles.h"

struct equant_exchange;
struct equant_strips;

#define EQUANT_STRIPS_AHEAD 4 /* receives posted before their strip is needed */

/**
 * struct equant_carried - an array whose values the units pass on; see equant_loop_pipelined()
 * @array: its index among the loop's
 */
struct equant_carried {
	int array;
	size_t offset;
	size_t step;
};

/**
 * struct equant_pipeline - a loop that is swept through as a pipeline
 *
 * In phase p of a sweep rank r computes strip p - r, so that it has done due(r, p) =
 * min(max(p + 1 - r, 0), strips) strips at the hook that ends the phase, and all ranks come to
 * this hook at about the same time.
 *
 * @tables: how many of @carried are slice tables
 * @lengths, @places: room for one message's datatype, @nr_carried each
 * @sweeps: begun so far
 * @block: inner iterations per strip
 * @seconds: in compute sections of the last sweep, for
 * @work: inner iterations of units
 * @parts: of strips that have been computed
 * @recorded: the tiles that the trace had last
 * @bytes: one inner iteration shifts
 * @shift_fixed, @byte_time: what a message to a neighbour costs, as far as this rank has measured it
 * @sent: seconds that a strip of the last sweep kept its sender busy, the least of all whole ones; 0 = there was none
 * @channel: to and from ranks of this node; without it strips are messages
 *
 * The sweep under way:
 * @moved: units have changed hands since the boundaries were drawn
 * @blocks: by rank, when the boundaries were last drawn; @before: the time before
 * @done: by unit: its strips that were done when the boundaries were last drawn; it
 *	never grows from one unit to the next
 * @left, @right: the ranks with the units next to this rank's, -1 = none
 * @arrived: strips of the unit before this rank's that are here
 * @posted: ... or are expected, their receives in @strips modulo EQUANT_STRIPS_AHEAD
 * @earlier: the receive of those that were done before the boundary was drawn
 * @owed: by the channel: how many that are, if they come
 * @above: the receive of the old values of the unit after this rank's
 * @copy: old values under way to @left
 * @sends: @nr_sends of them, room for @sends_room
 */
struct equant_pipeline {
	struct equant_carried *carried;
	int nr_carried;
	int tables;
	int *lengths;
	MPI_Aint *places;

	struct equant_exchange *exchange;
	long sweeps;
	long block;
	double seconds;
	double work;
	struct equant_tiles tiles;
	long parts;
	struct equant_tile recorded;
	double bytes;
	double shift_fixed;
	double byte_time;
	double sent;
	struct equant_shift_watch watch;
	struct equant_channel channel;

	int under_way;
	int moved;
	long length;
	long strips;
	long phase;
	void (*body)(void *ctx, long first, long units, long from, long to);
	void *ctx;
	struct equant_range *blocks;
	struct equant_range *before;
	long *done;
	int left;
	int right;
	long arrived;
	long posted;
	MPI_Request receives[EQUANT_STRIPS_AHEAD];
	MPI_Request earlier;
	long owed;
	MPI_Request above;
	char *copy;
	MPI_Request *sends;
	int nr_sends;
	int sends_room;
	uint64_t waited_ns;
};

/**
 * struct equant_intent - what a rank is about to sweep, and what it knows of the costs
 */
struct equant_intent {
	uint64_t layout;
	int64_t length;
	int64_t sweeps;
	int64_t fault;
	double unit_time;
	double shift_fixed;
	double byte_time;
	double sent;
	double quantum;
	int64_t tiles_known;
	float tiles[EQUANT_TILES]; /* as pace of struct equant_tiles */
	struct equant_invitation channel;
};

/* carried.c: what is passed on */

/** equant_pipeline_of() - a loop's, made the first time; NULL: -ENOMEM */
struct equant_pipeline *equant_pipeline_of(struct equant_loop *loop);

/** equant_is_pipelined() - does the loop have what sweeps pass on? */
int equant_is_pipelined(const struct equant_loop *loop);
void equant_pipeline_free(struct equant_pipeline *p, int ranks);

/** equant_carried_fit() - do slices have room for a sweep of this length? */
int equant_carried_fit(const struct equant_loop *loop, long length);

/* pipeline.c */
long equant_strips_due(const struct equant_pipeline *p, int rank);

/** equant_pipeline_settle() - before units move: nothing of the sweep is under way any more */
int equant_pipeline_settle(struct equant_loop *loop);

/** equant_pipeline_abort() - ranks that wait for this one in a sweep shall not; no collective */
void equant_pipeline_abort(struct equant_loop *loop);

/* agree.c: collective; compares what is swept, chooses the block size */
int equant_pipeline_agree(struct equant_loop *loop, long length, int fault);

/* shift_cost.c: collective; what messages cost, with both neighbours; @lower: if it is less than before */
int equant_shift_cost(struct equant_loop *loop, const struct equant_intent *all, int lower);

/* block.c: the block size by what all ranks know, the units they have and the block @before */
long equant_block_best(const struct equant_intent *all, const long *units, int ranks, double bytes,
		       double grain, long before);

/* ... after a sweep with blocks of @before, the same on all ranks: equant_shift_watch()'s answer */
int equant_block_doubtful(struct equant_shift_watch *watch, const struct equant_intent *all,
			  const long *units, int ranks, double bytes, long before);

/* boundaries.c: who passes on what to whom, anew after each move */
int equant_boundaries_draw(struct equant_loop *loop);

/* strips.c: the messages */

/** equant_strips_send() - strips @from to @to - 1 of a unit, from where they are */
int equant_strips_send(struct equant_loop *loop, int rank, long unit, long from, long to);

/** equant_strips_owe() - strips of the unit before this rank's that were done earlier come at once */
int equant_strips_owe(struct equant_loop *loop, long strips);

/** equant_strips_swap() - seconds for a few bytes to and from a rank with a channel; by both */
int equant_strips_swap(struct equant_loop *loop, int rank, double *seconds);

/** equant_strips_expect() - post receives for what the rank before has sent or will in this phase */
int equant_strips_expect(struct equant_loop *loop);

/** equant_strips_await() - until a strip of the unit before this rank's is here */
int equant_strips_await(struct equant_loop *loop, long strip);

/** equant_above_send() - a copy of a unit's strips @from and up, old values, to the rank before */
int equant_above_send(struct equant_loop *loop, long unit, long from);
int equant_above_post(struct equant_loop *loop, long unit, long from);
int equant_above_await(struct equant_loop *loop);

/** equant_strips_settle() - until all that was sent up to this phase has come and gone */
int equant_strips_settle(struct equant_loop *loop);

/** equant_strips_drain() - until those for ranks of this node have been read, too */
int equant_strips_drain(struct equant_loop *loop);

/** equant_strips_abandon() - let go of messages that will never be completed */
void equant_strips_abandon(struct equant_loop *loop);

/**
 * equant_pipeline_wait() - complete requests, unless a rank has failed
 *
 * Return: 0; -ECANCELED another rank gave up; -ETIMEDOUT in checked mode; -EIO.
 */
int equant_pipeline_wait(struct equant_loop *loop, int peer, MPI_Request *requests, int n);

/** equant_pipeline_wait_exchange() - the same for an exchange */
int equant_pipeline_wait_exchange(struct equant_loop *loop, struct equant_exchange *x);

#endif /* EQUANT_LOOP_PIPELINE_H */
