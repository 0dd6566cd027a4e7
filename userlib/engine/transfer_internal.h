/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_ENGINE_TRANSFER_INTERNAL_H
#define EQUANT_ENGINE_TRANSFER_INTERNAL_H

#include <equant/transfer.h>
#include <stdbool.h>

#include "control/meet.h"
#include "engine/neighbours.h"
#include "redist/pack.h"

#define EQUANT_TRANSFER_LARGEST ((size_t)1 << 18)

enum equant_transfer_tag {
	EQUANT_TRANSFER_DATA,
	EQUANT_TRANSFER_OFFER,
	EQUANT_TRANSFER_TAKEN,
	EQUANT_TRANSFER_LEG, /* of step 0 of a route, and so on; a plan has legs or answers */
	EQUANT_TRANSFER_ANSWER = 100, /* about the sender's slot 0, and so on */
};

#define EQUANT_TRANSFER_TAGS 32000 /* of slots, or of steps: MPI has them up to 32767 */

enum equant_way {
	EQUANT_WAY_MESSAGES,
	EQUANT_WAY_SLOTS, /* packed there, where the receiver sees them */
	EQUANT_WAY_DIRECT, /* read out of the sender's local array */
};

/**
 * struct equant_offer - how a neighbour's elements come, in this run
 * @way: one of enum equant_way
 * @base: element 0 of the sender's local array
 * @strides: of that
 */
struct equant_offer {
	int64_t way;
	uint64_t base;
	int64_t strides[EQUANT_REDIST_DIMENSIONS];
};

/**
 * struct equant_parcel - a part of a message, on a leg of a route
 * @part: where its elements are, if it is this rank's message; NULL: it is on its way
 * @begin: its first byte in that message, or in the transfer's transit memory
 * @bytes: how many
 * @after: the letter of the other lane that brings what is to be sent on, or -1
 * @from: the first byte in that letter
 */
struct equant_parcel {
	struct equant_redist_part *part;
	int64_t begin;
	int64_t bytes;
	int64_t after;
	int64_t from;
};

/**
 * struct equant_letter - what this rank has for another, or gets from it, or a leg of a route
 * @peer: the other's rank
 * @tag: of its messages
 * @part: where its elements are, or NULL: a leg
 * @parcels: of a leg
 * @parcel_count: of them
 * @there: of them, from the first on, have come as a whole, in this run
 * @begin: first byte of the next one
 * @bytes: all of them
 * @end: up to here they are in chunks, while planning
 * @last: the chunk before that
 * @stream: that its chunks go by now, in this run, or -1
 * @left: bytes that have not been read yet, in this run, if it comes directly
 * @first: its first chunk
 * @awaited: the first that has not come, in this run, or -1
 * @arrived: bytes before that one
 * @neighbour: the peer, if it is on this node, or NULL
 * @offer: of this run, of a neighbour's; messages else
 * @offered: the neighbour's offer is there
 * @taken: what the receiver says of it, 0 or an errno
 */
struct equant_letter {
	int peer;
	int tag;
	struct equant_redist_part *part;
	struct equant_parcel *parcels;
	int64_t parcel_count;
	int64_t there;
	size_t begin;
	size_t bytes;
	size_t end;
	int64_t last;
	int stream;
	size_t left;
	int64_t first;
	int64_t awaited;
	size_t arrived;
	const struct equant_neighbour *neighbour;
	struct equant_offer offer;
	bool offered;
	int taken;
};

/**
 * struct equant_chunk - an MPI message: a letter, or a part of one
 * @letter: which, in the lane
 * @at: first byte of the letter
 * @length: bytes
 * @next: the next one of the letter, or -1
 * @come: it has, in this run
 */
struct equant_chunk {
	int64_t letter;
	size_t at;
	int length;
	int64_t next;
	bool come;
};

/**
 * struct equant_stream - a letter on its way, and after it another
 * @letter: which, or -1
 * @next: the chunk of it that is to begin, or -1
 * @turn: chunks that have begun; that many modulo the lane's depth is the slot of the next
 * @flying: chunks that are under way
 */
struct equant_stream {
	int64_t letter;
	int64_t next;
	unsigned int turn;
	int flying;
};

/**
 * struct equant_slot - memory for one chunk of a stream after another
 * @chunk: the last one that it was for
 * @pending: of its two requests; it is free if there are none
 * @place: of a chunk in a slot of the sender's: which, and its first byte in what the sender shares
 */
struct equant_slot {
	int64_t chunk;
	int pending;
	int64_t place[2];
};

/**
 * struct equant_lane - all that this rank sends, or all that it receives
 * @parts: of its message to each rank, or from each, or NULL
 * @part_count: ranks
 * @parcels: of all legs
 * @letters: in the order of their first chunks
 * @letter_count: of them
 * @chunks: in the schedule's order
 * @chunk_count: of them
 * @chunk_room: for so many there is memory
 * @longest: bytes of a chunk
 * @streams: of letters under way at once
 * @stream_count: of them, at least 1
 * @depth: slots of each stream
 * @slots: where chunks are packed and unpacked, those of stream s from s @depth on
 * @slot_count: of all streams
 * @private: memory of all slots, or NULL: they are where neighbours see them
 * @memory: of all slots, in this run
 * @requests: of each slot: that a chunk is sent or received
 * @answers: likewise: that it has been taken out of a shared slot
 * @opened: chunks, in the schedule's order, that may begin, in this run
 * @begun: how many have
 * @near: the letters of neighbours
 * @near_count: of them
 * @notes: two requests of each: the offer, and that it has been taken
 */
struct equant_lane {
	struct equant_redist_part **parts;
	int part_count;
	struct equant_parcel *parcels;
	struct equant_letter *letters;
	int64_t letter_count;
	struct equant_chunk *chunks;
	int64_t chunk_count;
	int64_t chunk_room;
	size_t longest;
	struct equant_stream *streams;
	int stream_count;
	int depth;
	struct equant_slot *slots;
	int slot_count;
	char *private;
	char *memory;
	MPI_Request *requests;
	MPI_Request *answers;
	int64_t opened;
	int64_t begun;
	int64_t *near;
	int near_count;
	MPI_Request *notes;
};

/**
 * struct equant_reach - local indices that one side has of the array
 * @low: the lowest in each dimension
 * @high: the highest; below @low if there are none
 * @elements: that are moved into it, or out of it
 */
struct equant_reach {
	int64_t low[EQUANT_REDIST_DIMENSIONS];
	int64_t high[EQUANT_REDIST_DIMENSIONS];
	int64_t elements;
};

/**
 * struct equant_view - the local arrays of a run
 * @strides: elements, of the sender's and of the receiver's
 * @base: their elements 0, or NULL
 */
struct equant_view {
	int64_t strides[2][EQUANT_REDIST_DIMENSIONS];
	char *base[2];
};

/**
 * struct equant_group - ranks of the transfer's communicator among which one side is
 * @first: of them
 * @count: of them
 */
struct equant_group {
	int first;
	int count;
};

enum equant_transfer_state {
	EQUANT_TRANSFER_IDLE,
	EQUANT_TRANSFER_AGREEING,
	EQUANT_TRANSFER_MOVING,
	EQUANT_TRANSFER_ENDED, /* while another was waited for; nobody has been told */
};

/**
 * struct equant_transfer - a redistribution that can be run
 * @comm: for it alone, or for one run after another of several
 * @neighbours: of this rank, or NULL
 * @lent: both belong to somebody else
 * @call: the program's, which messages are about
 * @rank: in @comm
 * @ranks: of @comm
 * @groups: of senders and of receivers
 * @array: what is redistributed
 * @element: bytes
 * @largest: bytes of the longest chunk that there may be
 * @window: messages under way at once in each lane, if there is memory for them
 * @lists: the ranks that senders and receivers are
 * @number: this rank's among senders and among receivers, or -1
 * @schedule: the same on all ranks; of a route, its legs
 * @route: that it is carried out by, or NULL: all goes straight
 * @volumes: that the route is of
 * @transit: memory for what this rank sends on, @transit_size bytes
 * @own: what this rank has for itself, or NULL
 * @lanes: what it sends, and what it receives
 * @reach: of the sender's local array, and of the receiver's
 * @requests: of both lanes' slots, then their answers, then notes
 * @request_count: of them
 * @done: indices of those that are through
 * @statuses: of them
 * @broken: MPI has failed, or ranks have not come; requests may be under way for ever
 * @limits: of waits for ranks that have not come
 * @refresh: what it needs to plan again, or NULL
 * @beside: the next one of a ring of those that go on together, or NULL
 *
 * Of a run:
 * @state: how far it is
 * @started: by a call that has returned before its end
 * @view: the arrays
 * @refused: why this rank cannot, or 0; likewise @any: anybody
 * @agreement: that they tell each other
 * @own_at: bytes of @own that have been copied
 * @failure: what has gone wrong on the way
 * @result: of one that has ended and of which nobody has been told
 */
struct equant_transfer {
	MPI_Comm comm;
	struct equant_neighbours *neighbours;
	bool lent;
	const char *call;
	int rank;
	int ranks;
	struct equant_group groups[2];
	struct equant_redist_array array;
	size_t element;
	size_t largest;
	int window;
	int *lists[2];
	int number[2];
	struct equant_redist_schedule *schedule;
	struct equant_redist_route *route;
	struct equant_redist_volume *volumes;
	char *transit;
	size_t transit_size;
	struct equant_redist_part *own;
	struct equant_lane lanes[2];
	struct equant_reach reach[2];
	MPI_Request *requests;
	int request_count;
	int *done;
	MPI_Status *statuses;
	bool broken;
	struct equant_limits limits;
	struct equant_refresh *refresh;
	struct equant_transfer *beside;

	enum equant_transfer_state state;
	bool started;
	struct equant_view view;
	int refused[2];
	int any;
	MPI_Request agreement;
	size_t own_at;
	int failure;
	int result;
};

/* ---- transfer.c ------------------------------------------------------------------------ */

/* All @to of what @from has, or defaults.  0 or -EINVAL after a message. */
int equant_transfer_copy_options(const char *function, const struct equant_transfer_options *from,
				 struct equant_transfer_options *to);

/* An empty transfer on all ranks of @comm, or NULL and errno. */
struct equant_transfer *equant_transfer_open(MPI_Comm comm, int group, const char *function);

/* The window of a transfer that has its schedule.  0 or -ENOMEM. */
int equant_transfer_set_window(struct equant_transfer *transfer,
			       const struct equant_transfer_options *options);

/*
 * An empty transfer that is lent a communicator with what goes with it: nothing else of the caller's
 * is under way there while it is made or runs.  Without @neighbours all goes in messages.  NULL if
 * there is no memory; not collective.
 */
struct equant_transfer *equant_transfer_lend(MPI_Comm comm, struct equant_neighbours *neighbours,
					     const struct equant_limits *limits);

/*
 * Plan an empty transfer, which is not to be refreshed; collective.  The caller knows that all ranks
 * give the same, and that none of them is sender or receiver twice.  0 or -errno, and @memory as
 * equant_transfer_prepare() has it.
 */
int equant_transfer_plan_alike(struct equant_transfer *transfer,
			       const struct equant_redist_array *array, size_t element,
			       const struct equant_transfer_options *options, int64_t *memory);

/* Free it, set errno; NULL. */
void *equant_transfer_give_up(struct equant_transfer *transfer, int error);

/* Free schedule, lanes and what belongs to them. */
void equant_transfer_release_plan(struct equant_transfer *transfer);

/* @to has those of @from. */
void equant_transfer_take_plan(struct equant_transfer *to, const struct equant_transfer *from);

/* ---- transfer_run.c -------------------------------------------------------------------- */

/* What is running comes to its end, of which nobody has been told yet; -EPIPE if it is broken. */
int equant_transfer_settle(struct equant_transfer *transfer);

/* ---- transfer_beside.c ----------------------------------------------------------------- */

/* @transfer, which is alone, and @other go on together; with NULL it stays alone. */
void equant_transfer_join_beside(struct equant_transfer *transfer, struct equant_transfer *other);

/* It is alone from now on. */
void equant_transfer_leave_beside(struct equant_transfer *transfer);

/* How many go on together with @other, itself included; 0 of NULL. */
int equant_transfer_count_beside(const struct equant_transfer *other);

/* ---- transfer_prepare.c ---------------------------------------------------------------- */

/*
 * Lanes, slots and requests; collective: with an @error that has been before, too.  0 or -errno.
 * @memory, if not NULL, is what equant_transfer_memory() says where it says most.
 */
int equant_transfer_prepare(struct equant_transfer *transfer,
			    const struct equant_transfer_options *options, int error,
			    int64_t *memory);

/* ---- transfer_group.c ------------------------------------------------------------------ */

/* An intracommunicator is the transfer's. */
void equant_transfer_set_comm(struct equant_transfer *transfer, MPI_Comm comm);

/*
 * A communicator of its own with both groups, of which @group says what this rank's is.
 * Collective; 0 or -errno after a message, on all ranks or on none if MPI works.
 */
int equant_transfer_join(struct equant_transfer *transfer, MPI_Comm comm, int group);

/* ---- transfer_agree.c ------------------------------------------------------------------ */

/* Are these arguments that can be?  0, or -EINVAL, -EOVERFLOW after a message, -ENOMEM. */
int equant_transfer_check(const struct equant_transfer *transfer,
			  const struct equant_redist_array *array, size_t element,
			  const struct equant_transfer_options *options);

/* The same of @options alone.  0 or -EINVAL after a message. */
int equant_transfer_check_options(const struct equant_transfer *transfer,
				  const struct equant_transfer_options *options);

/* Is it a way?  0 or -EINVAL after a message. */
int equant_transfer_check_node(const struct equant_transfer *transfer,
			       enum equant_transfer_node node);

/* All ranks give the same, @array may be NULL, and @error is 0 on all: else an error on all. */
int equant_transfer_agree(const struct equant_transfer *transfer,
			  const struct equant_redist_array *array, size_t element,
			  const struct equant_transfer_options *options, int error);

/* ---- transfer_schedule.c --------------------------------------------------------------- */

/* The schedule of the transfer's array; 0 or -errno after a message, but for -ENOMEM. */
int equant_transfer_schedule_make(struct equant_transfer *transfer,
				  const struct equant_transfer_options *options);

/* ---- transfer_plan.c ------------------------------------------------------------------- */

/*
 * The lanes of the transfer's schedule; 0 or -errno after a message, but for -ENOMEM.  Array,
 * element, lists and window are there; slots take @memory bytes at most, if that is not 0.
 */
int equant_transfer_plan(struct equant_transfer *transfer, size_t memory);

/* Elements of this rank's message to @peer, or from it, the lane's; NULL and errno. */
struct equant_redist_part *equant_transfer_part(struct equant_transfer *transfer, int side,
						int peer);

/* The requests of lanes that are complete, and memory to send on.  0 or -ENOMEM. */
int equant_transfer_allocate(struct equant_transfer *transfer);

/* ---- transfer_route.c: what goes by way of other ranks ---------------------------------- */

/* A route of @volumes and its schedule; 0 or -errno, and @why. */
int equant_transfer_route_make(struct equant_transfer *transfer,
			       const struct equant_transfer_options *options, int64_t count,
			       const struct equant_redist_volume *volumes, char *why,
			       size_t why_size);

/*
 * The schedule of the route that there is; if that goes straight it is freed, and the schedule is all
 * there is.  0 or -errno.
 */
int equant_transfer_route_schedule(struct equant_transfer *transfer);

/* The lanes of a route.  0 or -errno. */
int equant_transfer_route_lanes(struct equant_transfer *transfer);

/* ---- transfer_letter.c: what a message consists of --------------------------------------- */

/* @length bytes of a letter, from its byte @at on, to @memory, or out of it. */
void equant_letter_pack(const struct equant_transfer *transfer, const struct equant_letter *letter,
			size_t at, size_t length, char *memory);
void equant_letter_unpack(const struct equant_transfer *transfer,
			  const struct equant_letter *letter, size_t at, size_t length,
			  const char *memory);

/* A chunk has come. */
void equant_letter_take(struct equant_lane *lane, struct equant_letter *letter,
			struct equant_chunk *chunk);

/* Has all come that is sent on in its bytes below @end?  From call to call @end may not shrink. */
bool equant_letter_is_there(const struct equant_transfer *transfer, struct equant_letter *letter,
			    size_t end);

/* ---- transfer_window.c ----------------------------------------------------------------- */

/* Messages under way at once from one rank, and to one, in @network.  At least 1, or -ENOMEM. */
int equant_transfer_window(const struct equant_redist_schedule *schedule,
			   const struct equant_redist_network *network);

/*
 * Messages that may be under way at once through each host's port with such a @window: out of host
 * h and into it in 2 h and 2 h + 1.  The caller's to free, or NULL if there is no memory.
 */
int *equant_transfer_sharers(const struct equant_redist_schedule *schedule,
			     const struct equant_redist_network *network, int window);

/* ---- transfer_lane.c ------------------------------------------------------------------- */

/* One more piece of @letter, up to its byte @end, in MPI messages of up to @largest bytes. */
int equant_lane_add(struct equant_lane *lane, int64_t letter, size_t end, size_t largest);

/* Have streams for up to @window letters, with up to @slots slots, at least 1, in all. */
void equant_lane_resize(struct equant_lane *lane, int window, int slots);

/* Bytes of all slots. */
size_t equant_lane_size(const struct equant_lane *lane);

/* Have streams and slots.  0 or -ENOMEM. */
int equant_lane_allocate(struct equant_lane *lane);

/* Bytes that the memory of all slots has, or 0 if there is nothing to be in it. */
size_t equant_lane_room(const struct equant_lane *lane);

/* Have private memory for all slots.  0 or -ENOMEM. */
int equant_lane_fill(struct equant_lane *lane);

/* Where slot @s is in that memory. */
size_t equant_lane_place(const struct equant_lane *lane, int s);

/* A slot, in a run. */
char *equant_lane_slot(const struct equant_lane *lane, int s);

/* Forget it all; with @under_way the memory stays, since MPI may still write to it. */
void equant_lane_release(struct equant_lane *lane, bool under_way);

/* ---- transfer_view.c: the local arrays ---------------------------------------------------- */

/* Those of a run that begins.  0, or -EINVAL after a message. */
int equant_transfer_set_view(struct equant_transfer *transfer, const int64_t *const strides[2],
			     char *const base[2]);

/* That of a side, to be packed from or unpacked into. */
struct equant_redist_local equant_transfer_local(const struct equant_transfer *transfer, int side);

/* ---- transfer_stream.c: messages of a run ------------------------------------------------ */

/* A run begins: nothing is under way. */
void equant_streams_reset(struct equant_transfer *transfer);

/* Begin all that can begin; @read: something was read, which takes its time.  0 or -errno. */
int equant_streams_begin(struct equant_transfer *transfer, bool *read);

/*
 * Take what has come, and free what has been sent; with @block wait for something.  @count is how
 * much it was, MPI_UNDEFINED if nothing is under way.  0 or -errno.
 */
int equant_streams_finish(struct equant_transfer *transfer, bool block, int *count);

/* Has everything begun? */
bool equant_streams_are_through(const struct equant_transfer *transfer);

/* ---- transfer_near.c: what comes from neighbours ----------------------------------------- */

/* Which letters are neighbours', of lanes that are complete.  0 or -ENOMEM. */
int equant_near_find(struct equant_transfer *transfer);

/* Say how everything comes, and look what is said, at a run's beginning.  0 or -errno. */
int equant_near_begin(struct equant_transfer *transfer);

/*
 * Read @chunk of a near letter that has been offered directly; @spare has room for it.  What goes
 * wrong is the transfer's failure.  0, or -errno if MPI fails.
 */
int equant_near_read(struct equant_transfer *transfer, int64_t near,
		     const struct equant_chunk *chunk, char *spare);

/* ---- transfer_refresh.c ------------------------------------------------------------------ */

/* Remember how to plan again, if there is a network.  0 or -ENOMEM. */
int equant_refresh_keep(struct equant_transfer *transfer,
			const struct equant_transfer_options *options);
void equant_refresh_free(struct equant_refresh *refresh);

/* A run begins. */
void equant_refresh_begin(struct equant_transfer *transfer);

/* A piece of a message has come; @first: another message was before it. */
void equant_refresh_arrived(struct equant_transfer *transfer, int peer, int bytes, bool first);

#endif /* EQUANT_ENGINE_TRANSFER_INTERNAL_H */
