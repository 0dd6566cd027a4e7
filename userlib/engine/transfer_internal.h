/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_ENGINE_TRANSFER_INTERNAL_H
#define EQUANT_ENGINE_TRANSFER_INTERNAL_H

#include <equant/transfer.h>

#define EQUANT_TRANSFER_LARGEST ((size_t)1 << 30)

/**
 * struct equant_letter - what this rank has for another, or gets from it
 * @peer: the other's rank
 * @part: where its elements are
 * @bytes: all of them
 * @first: of its chunks, in the lane
 * @last: likewise
 * @left: chunks that are not through, in this run
 * @box: the buffer that it is packed into
 */
struct equant_letter {
	int peer;
	struct equant_redist_part *part;
	size_t bytes;
	int64_t first;
	int64_t last;
	int64_t left;
	int box;
};

/**
 * struct equant_chunk - an MPI message: a letter, or a part of one
 * @letter: which, in the lane
 * @at: first byte of the letter
 * @length: bytes
 */
struct equant_chunk {
	int64_t letter;
	size_t at;
	int length;
};

/**
 * struct equant_box - memory for one letter after another
 * @size: of the largest of them
 * @free_from: the chunk from which on the letter that is in it is through, while planning
 * @memory: @size bytes
 */
struct equant_box {
	size_t size;
	int64_t free_from;
	char *memory;
};

/**
 * struct equant_lane - all that this rank sends, or all that it receives
 * @letters: in the order of their first chunks
 * @letter_count: of them
 * @chunks: in the schedule's order
 * @chunk_count: of them
 * @chunk_room: for so many there is memory
 * @boxes: where letters are packed and unpacked
 * @box_count: of them
 * @window: chunks under way at once: chunk k is not begun before chunk k - @window is through
 * @requests: @window of them; that of chunk k is k modulo @window
 * @begun: chunks, in this run
 */
struct equant_lane {
	struct equant_letter *letters;
	int64_t letter_count;
	struct equant_chunk *chunks;
	int64_t chunk_count;
	int64_t chunk_room;
	struct equant_box *boxes;
	int box_count;
	int window;
	MPI_Request *requests;
	int64_t begun;
};

/**
 * struct equant_reach - local indices that one side has of the array
 * @low: the lowest in each dimension
 * @high: the highest; below @low if there are none
 */
struct equant_reach {
	int64_t low[EQUANT_REDIST_DIMENSIONS];
	int64_t high[EQUANT_REDIST_DIMENSIONS];
};

/**
 * struct equant_transfer - a redistribution that can be run
 * @comm: for it alone
 * @rank: in @comm
 * @ranks: of @comm
 * @array: what is redistributed
 * @element: bytes
 * @sender: this rank's number among senders, or -1
 * @receiver: among receivers
 * @schedule: the same on all ranks
 * @own: what this rank has for itself, or NULL
 * @lanes: what it sends, and what it receives
 * @reach: of the sender's local array, and of the receiver's
 * @requests: of both lanes, one after the other
 * @done: indices of those that are through
 * @broken: MPI has failed; requests may be under way for ever
 */
struct equant_transfer {
	MPI_Comm comm;
	int rank;
	int ranks;
	struct equant_redist_array array;
	size_t element;
	int sender;
	int receiver;
	struct equant_redist_schedule *schedule;
	struct equant_redist_part *own;
	struct equant_lane lanes[2];
	struct equant_reach reach[2];
	MPI_Request *requests;
	int *done;
	int broken;
};

/* ---- transfer_agree.c ------------------------------------------------------------------ */

/* Are these arguments that can be?  0 or -EINVAL, -EOVERFLOW after a message. */
int equant_transfer_check(const struct equant_transfer *transfer,
			  const struct equant_redist_array *array, size_t element,
			  const struct equant_transfer_options *options);

/* All ranks have the same arguments, and @error is 0 on all: else an error on all. */
int equant_transfer_agree(const struct equant_transfer *transfer,
			  const struct equant_transfer_options *options, int error);

/* ---- transfer_plan.c ------------------------------------------------------------------- */

/* Schedule and lanes; 0 or -errno after a message, but for -ENOMEM. */
int equant_transfer_plan(struct equant_transfer *transfer,
			 const struct equant_transfer_options *options);

/* ---- transfer_lane.c ------------------------------------------------------------------- */

/* One more piece of @letter, up to its byte @end, in MPI messages of up to @largest bytes. */
int equant_lane_add(struct equant_lane *lane, int64_t letter, size_t end, size_t largest);

/* Boxes for a window of @window chunks.  0 or -ENOMEM. */
int equant_lane_pack_boxes(struct equant_lane *lane, int window);

/* Bytes of all boxes. */
size_t equant_lane_size(const struct equant_lane *lane);

/* Get the boxes' memory.  0 or -ENOMEM. */
int equant_lane_allocate(struct equant_lane *lane);

/* Forget it all; with @under_way the memory stays, since MPI may still write to it. */
void equant_lane_release(struct equant_lane *lane, int under_way);

#endif /* EQUANT_ENGINE_TRANSFER_INTERNAL_H */
