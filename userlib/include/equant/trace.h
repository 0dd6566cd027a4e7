/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The trace: one file per rank, a header and fixed-size events in the order
 * they were recorded, native byte order.
 */
#ifndef EQUANT_TRACE_H
#define EQUANT_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include <equant/export.h>

#ifdef __cplusplus
extern "C" {
#endif

#define EQUANT_TRACE_MAGIC 0x6372746e61757165ull /* "equantrc" */
#define EQUANT_TRACE_VERSION 3u

/**
 * struct equant_trace_header - the first 128 bytes of a trace
 */
struct equant_trace_header {
	uint64_t magic;
	uint32_t version;
	uint32_t event_size; /* sizeof(struct equant_event) */
	int32_t rank;
	int32_t ranks;
	int64_t units; /* of the traced loop */
	uint64_t t0_ns; /* CLOCK_MONOTONIC when recording began */
	char loop[40];
	char probe[16];
	int32_t world; /* the rank in MPI_COMM_WORLD */
	uint32_t order; /* of the loop among those of its context */
	uint32_t mode; /* enum equant_mode */
	uint8_t reserved[20];
};

enum equant_event_type {
	EQUANT_EVENT_STATUS = 1, /* the probe's full reading; see the struct */
	EQUANT_EVENT_SAMPLE, /* the sample this rank sent */
	EQUANT_EVENT_DECISION, /* what was decided */
	EQUANT_EVENT_MOVE, /* one instruction this rank took part in */
	EQUANT_EVENT_FALLBACK, /* the probe was replaced */
	EQUANT_EVENT_END, /* last event; counts the dropped ones */
	EQUANT_EVENT_INSTRUCTIONS, /* a part of what all ranks do; before the DECISION */
	EQUANT_EVENT_PLAN, /* when the next phase of a loop with passes is */
	EQUANT_EVENT_TRANSFER, /* asynchronous: a part of the units this rank has given or taken */
	EQUANT_EVENT_SWEEP, /* a sweep begins */
	EQUANT_EVENT_UNITS, /* what this rank owns: at the start, and after it has moved some */
	EQUANT_EVENT_TILES, /* parts of strips are computed in other tiles than before */
};

#define EQUANT_EVENT_LIST 6 /* instructions in an event */
#define EQUANT_EVENT_RANGES 4 /* ranges of units in an event */

/**
 * struct equant_event - one event, 128 bytes
 * @t_ns: CLOCK_MONOTONIC; not before the event that it follows, nor before the trace began
 * @type: enum equant_event_type
 * @phase: balancing phase
 * @u: by type
 */
struct equant_event {
	uint64_t t_ns;
	uint32_t type;
	uint32_t phase;
	union {
		struct {
			uint64_t run_ns, wait_ns, quantum_ns, t_epoch_ns, switches;
			uint64_t contended_ns;
			double share, settled;
			uint32_t flags, epoch, runnable, episodes;
			int32_t cpu;
			uint32_t features;
			uint64_t long_ns;
			uint32_t long_episodes, changes;
		} status;
		struct {
			double units, wall, run, wait, share, settled, quantum, hold, age;
			double interval, interact, move, moved;
			uint32_t hooks;
			uint16_t flags, meetings;
		} sample;
		struct {
			int32_t verdict, instructions;
			int64_t units; /* this rank's after the decision */
			int64_t next_hook;
			double reduction, cost, benefit, quantum, period;
			double rate, speed, share; /* this rank's estimate */
			uint64_t owners; /* who owns what now, a digest; 0 = as before */
		} decision;
		struct {
			int32_t from, to;
			int64_t units;
			uint64_t duration_ns; /* of all this rank's moves of the phase */
			uint64_t bytes;
		} move;
		struct {
			char text[112];
		} fallback;
		struct {
			uint64_t events, dropped;
		} end;
		struct {
			uint32_t first, count; /* which of the phase's these are */
			struct {
				int32_t from, to;
				int64_t units;
			} list[EQUANT_EVENT_LIST];
		} instructions;
		struct {
			int64_t due; /* the pass it is in, from 1 */
			int64_t quota; /* units that this rank computes before it */
		} plan;
		struct {
			uint64_t number; /* of the transfer, from 1, the same on both ranks */
			int64_t pass; /* this rank's, from 1 */
			int64_t computed; /* by this rank before it, since the first pass */
			int32_t peer, incoming;
			uint32_t first, count; /* which of its ranges these are */
			struct {
				int64_t first, count;
			} list[EQUANT_EVENT_RANGES];
		} transfer;
		struct {
			int64_t number,
				block; /* from 0; inner iterations per strip, 1 if there are none */
		} sweep;
		struct {
			int64_t owned;
		} units;
		struct {
			int64_t number; /* of the part, from 0 */
			int64_t length; /* inner iterations of a tile; 0 = all that is left of the strip */
			int64_t iterations; /* of the part; 0 = the same */
		} tiles;
		uint8_t pad[112];
	} u;
};

struct equant_trace_writer;

/**
 * equant_trace_create() - start a trace, written asynchronously
 * @path: file to create or truncate
 * @header: its header; magic, version, event_size and t0_ns are filled in
 * @why: receives the reason of a failure, or why io_uring is not used; may be NULL
 * @why_size: its size
 *
 * The file is written through io_uring from registered buffers; where
 * io_uring is not available, by pwrite, which @why then tells.  A buffer is
 * written when it is full or holds more than a second.
 *
 * Return: the writer, or NULL and errno.
 */
EQUANT_API struct equant_trace_writer *equant_trace_create(const char *path,
							   const struct equant_trace_header *header,
							   char *why, size_t why_size);

/**
 * equant_trace_event() - room for the next event
 *
 * Returns where to write it; never waits.  When every buffer is still being
 * written the event goes to a scratch place and is counted as dropped.
 */
EQUANT_API struct equant_event *equant_trace_event(struct equant_trace_writer *writer);

/**
 * equant_trace_close() - write what is left, record the drop count, close
 *
 * Return: 0, or -errno when anything could not be written.
 */
EQUANT_API int equant_trace_close(struct equant_trace_writer *writer);

/**
 * equant_trace_load() - read and check a trace
 * @path: file
 * @header: receives the header
 * @events: receives an array to be freed with free()
 * @count: its length
 * @why: receives the reason of a failure, with the byte offset; may be NULL
 * @why_size: its size
 *
 * A trace without its END event (a killed rank) is accepted up to its last whole event when
 * the file ends on an event boundary; a partial event or header is -EINVAL.
 *
 * Return: 0, 1 when the END event is missing, or -errno.
 */
EQUANT_API int equant_trace_load(const char *path, struct equant_trace_header *header,
				 struct equant_event **events, size_t *count, char *why,
				 size_t why_size);

#ifdef __cplusplus
}
#endif
#endif /* EQUANT_TRACE_H */
