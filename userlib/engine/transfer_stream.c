// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What is under way: both lanes at once, as section 4.2's ranks do that send one message and
 * receive one at the same time, or as many of each as the window has.
 *
 * Every message that is under way has a stream, with a place in it and slots of its own, so that a
 * slow one holds up no other.  Messages begin in the order of the schedule: the next one when a
 * stream has nothing left; one more part of a message that has a stream goes on there.  In each
 * stream a chunk begins as soon as there is a slot for it, in turn with the other streams, so that
 * all links get something before any gets much.
 *
 * Source: Bhat, Prasanna, Raghavendra, sections 3 and 4; several at once are an addition.
 */
#include <errno.h>
#include <string.h>

#include "core/message.h"
#include "core/mpi_error.h"
#include "engine/transfer_internal.h"

/* ---- streams ----------------------------------------------------------------------------- */

void equant_streams_reset(struct equant_transfer *transfer)
{
	struct equant_lane *out = &transfer->lanes[0];

	for (int side = 0; side < 2; side++) {
		struct equant_lane *lane = &transfer->lanes[side];

		lane->opened = lane->begun = 0;
		lane->memory = lane->private;
		for (int s = 0; s < lane->stream_count; s++)
			lane->streams[s] = (struct equant_stream){ .letter = -1, .next = -1 };
		for (int64_t i = 0; i < lane->letter_count; i++) {
			struct equant_letter *letter = &lane->letters[i];

			letter->stream = -1;
			letter->there = 0;
			letter->begin = letter->arrived = 0;
			letter->left = letter->bytes;
			letter->awaited = letter->first;
		}
		for (int64_t i = 0; i < lane->chunk_count; i++)
			lane->chunks[i].come = false;
	}
	if (!out->private)
		out->memory = equant_neighbours_memory(transfer->neighbours, equant_lane_room(out));
}

bool equant_streams_are_through(const struct equant_transfer *transfer)
{
	return transfer->lanes[0].begun == transfer->lanes[0].chunk_count &&
	       transfer->lanes[1].begun == transfer->lanes[1].chunk_count;
}

static bool has_chunk(const struct equant_lane *lane, const struct equant_stream *stream)
{
	return stream->next >= 0 && stream->next < lane->opened;
}

/* What is being sent keeps its stream until it is; to receive the next one there must be a slot. */
static struct equant_stream *find_idle(struct equant_lane *lane, bool out)
{
	for (int s = 0; s < lane->stream_count; s++) {
		struct equant_stream *stream = &lane->streams[s];

		if (!has_chunk(lane, stream) && stream->flying < (out ? 1 : lane->depth))
			return stream;
	}
	return NULL;
}

static void give(struct equant_lane *lane, struct equant_stream *stream, int64_t chunk)
{
	if (stream->letter >= 0)
		lane->letters[stream->letter].stream = -1;
	stream->letter = lane->chunks[chunk].letter;
	stream->next = chunk;
	lane->letters[stream->letter].stream = (int)(stream - lane->streams);
}

/* Is what the sender's chunk has of other ranks' messages here? */
static bool is_there(const struct equant_transfer *transfer, int64_t chunk)
{
	const struct equant_lane *lane = &transfer->lanes[0];
	const struct equant_chunk *c = &lane->chunks[chunk];

	return equant_letter_is_there(transfer, &lane->letters[c->letter],
				      c->at + (size_t)c->length);
}

/* Let in what there are streams for. */
static void open_chunks(struct equant_transfer *transfer, int side)
{
	struct equant_lane *lane = &transfer->lanes[side];

	for (; lane->opened < lane->chunk_count; lane->opened++) {
		struct equant_letter *letter = &lane->letters[lane->chunks[lane->opened].letter];
		struct equant_stream *idle;

		/* The receiver reads it. */
		if (!side && letter->offer.way == EQUANT_WAY_DIRECT) {
			lane->begun++;
			continue;
		}
		if (letter->stream >= 0)
			continue;
		if (!side && !is_there(transfer, lane->opened))
			return;
		idle = find_idle(lane, !side);
		if (!idle)
			return;
		give(lane, idle, lane->opened);
	}
}

/* ---- messages ---------------------------------------------------------------------------- */

/* The slot for a stream's next chunk, if there is a chunk and the slot is free; or -1. */
static int free_slot(const struct equant_lane *lane, int s)
{
	const struct equant_stream *stream = &lane->streams[s];
	int slot = s * lane->depth + (int)(stream->turn % (unsigned int)lane->depth);

	return has_chunk(lane, stream) && !lane->slots[slot].pending ? slot : -1;
}

/* The next chunk of a stream has begun. */
static void pass(struct equant_lane *lane, struct equant_stream *stream)
{
	stream->next = lane->chunks[stream->next].next;
	lane->begun++;
}

/* Which of the near ones a letter is. */
static int64_t near_of(const struct equant_lane *lane, int64_t letter)
{
	int64_t low = 0, high = lane->near_count;

	while (low < high - 1) {
		int64_t middle = low + (high - low) / 2;

		if (lane->near[middle] <= letter)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* The receiver takes a chunk out of the slot, and says so. */
static int show_chunk(struct equant_transfer *transfer, const struct equant_letter *letter,
		      int slot)
{
	struct equant_lane *lane = &transfer->lanes[0];
	int error;

	lane->slots[slot].place[0] = slot;
	lane->slots[slot].place[1] = (int64_t)equant_lane_place(lane, slot);
	lane->slots[slot].pending = 2;
	error = equant_mpi_error(MPI_Irecv(NULL, 0, MPI_BYTE, letter->peer,
					   EQUANT_TRANSFER_ANSWER + slot, transfer->comm,
					   &lane->answers[slot]),
				 "waiting until a slot has been read");
	if (error)
		return error;
	return equant_mpi_error(MPI_Isend(lane->slots[slot].place, 2, MPI_INT64_T, letter->peer,
					  letter->tag, transfer->comm, &lane->requests[slot]),
				"saying what is in a slot");
}

/*
 * What has more chunks than slots waits until the receiver has them, not until MPI and TCP have: else
 * one direction's queue grows beyond the other's, and the answers to that one wait behind it.
 */
static int begin_sending(struct equant_transfer *transfer, const struct equant_letter *letter,
			 int slot, int length)
{
	struct equant_lane *lane = &transfer->lanes[0];
	bool waits = letter->bytes > (size_t)lane->depth * lane->longest;

	int (*send)(const void *memory, int count, MPI_Datatype type, int to, int tag,
		    MPI_Comm comm, MPI_Request *request) = waits ? MPI_Issend : MPI_Isend;

	return equant_mpi_error(send(equant_lane_slot(lane, slot), length, MPI_BYTE, letter->peer,
				     letter->tag, transfer->comm, &lane->requests[slot]),
				"sending of a redistribution");
}

static int send_chunk(struct equant_transfer *transfer, int s, int slot)
{
	struct equant_lane *lane = &transfer->lanes[0];
	struct equant_stream *stream = &lane->streams[s];
	const struct equant_chunk *chunk = &lane->chunks[stream->next];
	const struct equant_letter *letter = &lane->letters[chunk->letter];

	equant_letter_pack(transfer, letter, chunk->at, (size_t)chunk->length,
			   equant_lane_slot(lane, slot));
	lane->slots[slot].chunk = stream->next;
	stream->turn++;
	stream->flying++;
	pass(lane, stream);
	if (letter->offer.way == EQUANT_WAY_SLOTS)
		return show_chunk(transfer, letter, slot);
	lane->slots[slot].pending = 1;
	return begin_sending(transfer, letter, slot, chunk->length);
}

static int receive_chunk(struct equant_transfer *transfer, int s, int slot)
{
	struct equant_lane *lane = &transfer->lanes[1];
	struct equant_stream *stream = &lane->streams[s];
	const struct equant_chunk *chunk = &lane->chunks[stream->next];
	const struct equant_letter *letter = &lane->letters[chunk->letter];

	lane->slots[slot].chunk = stream->next;
	stream->turn++;
	stream->flying++;
	pass(lane, stream);
	lane->slots[slot].pending = 1;
	if (letter->offer.way == EQUANT_WAY_SLOTS)
		return equant_mpi_error(MPI_Irecv(lane->slots[slot].place, 2, MPI_INT64_T,
						  letter->peer, letter->tag, transfer->comm,
						  &lane->requests[slot]),
					"waiting for what is in a slot");
	return equant_mpi_error(MPI_Irecv(equant_lane_slot(lane, slot), chunk->length, MPI_BYTE,
					  letter->peer, letter->tag, transfer->comm,
					  &lane->requests[slot]),
				"receiving of a redistribution");
}

/* Receive a chunk of a stream, or read it, if that is possible.  0 or -errno. */
static int get_chunk(struct equant_transfer *transfer, int s, bool *began, bool *read)
{
	struct equant_lane *lane = &transfer->lanes[1];
	struct equant_stream *stream = &lane->streams[s];
	int slot = free_slot(lane, s), error;
	const struct equant_letter *letter;

	if (slot < 0)
		return 0;
	letter = &lane->letters[stream->letter];
	if (letter->neighbour && !letter->offered)
		return 0;
	*began = true;
	if (letter->offer.way != EQUANT_WAY_DIRECT)
		return receive_chunk(transfer, s, slot);
	*read = true;
	error = equant_near_read(transfer, near_of(lane, stream->letter),
				 &lane->chunks[stream->next], equant_lane_slot(lane, slot));
	pass(lane, stream);
	return error;
}

static int receive_all(struct equant_transfer *transfer, bool *read)
{
	struct equant_lane *lane = &transfer->lanes[1];
	bool began = true;
	int error = 0;

	while (began && !*read && !error) {
		began = false;
		open_chunks(transfer, 1);
		for (int s = 0; s < lane->stream_count && !*read && !error; s++)
			error = get_chunk(transfer, s, &began, read);
	}
	return error;
}

static int send_all(struct equant_transfer *transfer)
{
	struct equant_lane *lane = &transfer->lanes[0];
	bool began = true;
	int error = 0;

	while (began && !error) {
		began = false;
		open_chunks(transfer, 0);
		for (int s = 0; s < lane->stream_count && !error; s++) {
			int slot = free_slot(lane, s);

			if (slot < 0 || !is_there(transfer, lane->streams[s].next))
				continue;
			began = true;
			error = send_chunk(transfer, s, slot);
		}
	}
	return error;
}

int equant_streams_begin(struct equant_transfer *transfer, bool *read)
{
	int error;

	/* Receive first: what comes then has a place to go to.  Read one chunk at most. */
	*read = false;
	error = receive_all(transfer, read);
	return error ? error : send_all(transfer);
}

/* ---- what is through ----------------------------------------------------------------------- */

/* What came in a message, or is in a slot of the sender's, whom that is told then. */
static int received(struct equant_transfer *transfer, int s)
{
	struct equant_lane *lane = &transfer->lanes[1];
	struct equant_slot *slot = &lane->slots[s];
	struct equant_chunk *chunk = &lane->chunks[slot->chunk];
	struct equant_letter *letter = &lane->letters[chunk->letter];
	bool shared = letter->offer.way == EQUANT_WAY_SLOTS;
	const char *memory = shared ? equant_neighbour_memory(letter->neighbour, slot->place[1]) :
				      equant_lane_slot(lane, s);

	/* What is sent on comes at the pace of the links before. */
	if (letter->tag <= EQUANT_TRANSFER_LEG)
		equant_refresh_arrived(transfer, letter->peer, chunk->length,
				       slot->chunk && chunk[-1].letter != chunk->letter);
	equant_letter_unpack(transfer, letter, chunk->at, (size_t)chunk->length, memory);
	if (letter->parcel_count)
		equant_letter_take(lane, letter, chunk);
	if (!shared)
		return 0;
	slot->pending++;
	return equant_mpi_error(MPI_Isend(NULL, 0, MPI_BYTE, letter->peer,
					  EQUANT_TRANSFER_ANSWER + (int)slot->place[0],
					  transfer->comm, &lane->answers[s]),
				"saying that a slot has been read");
}

/* Of a lane's notes the even ones are offers, the odd ones what has been taken. */
static void noted(struct equant_transfer *transfer, int side, int note)
{
	struct equant_lane *lane = &transfer->lanes[side];
	struct equant_letter *letter = &lane->letters[lane->near[note / 2]];

	if (side && note % 2 == 0)
		letter->offered = true;
	if (!side && note % 2 && letter->taken && !transfer->failure) {
		equant_message("rank %d: rank %d could not read its array: %s", transfer->rank,
			       letter->peer, strerror(letter->taken));
		transfer->failure = -letter->taken;
	}
}

/* One of the two requests that a slot may have is through. */
static int finish_slot(struct equant_transfer *transfer, int side, int s, bool answer)
{
	struct equant_lane *lane = &transfer->lanes[side];
	int error = 0;

	if (side && !answer)
		error = received(transfer, s);
	if (!--lane->slots[s].pending)
		lane->streams[s / lane->depth].flying--;
	return error;
}

/* Requests are in the order in which equant_transfer_allocate() has put them. */
static int finish(struct equant_transfer *transfer, int i)
{
	const struct equant_lane *lanes = transfer->lanes;

	for (int kind = 0; kind < 4; kind++) {
		int side = kind % 2, slots = lanes[side].slot_count;

		if (i < slots)
			return finish_slot(transfer, side, i, kind >= 2);
		i -= slots;
	}
	if (i < 2 * lanes[0].near_count)
		noted(transfer, 0, i);
	else
		noted(transfer, 1, i - 2 * lanes[0].near_count);
	return 0;
}

int equant_streams_finish(struct equant_transfer *transfer, bool block, int *count)
{
	int all = transfer->request_count, error;

	if (block)
		error = MPI_Waitsome(all, transfer->requests, count, transfer->done,
				     transfer->statuses);
	else
		error = MPI_Testsome(all, transfer->requests, count, transfer->done,
				     transfer->statuses);
	error = equant_mpi_error(equant_mpi_cause(error, *count, transfer->statuses),
				 "waiting for messages of a redistribution");
	for (int i = 0; !error && *count != MPI_UNDEFINED && i < *count; i++)
		error = finish(transfer, transfer->done[i]);
	return error;
}
