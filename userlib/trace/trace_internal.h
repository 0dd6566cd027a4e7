/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The trace writer: a ring of buffers that are filled in order, and written
 * in the background at offsets fixed when they are handed over, so the file
 * has no holes whatever order the writes complete in.
 */
#ifndef EQUANT_TRACE_INTERNAL_H
#define EQUANT_TRACE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/say.h"
#include "have.h"
#include <equant/trace.h>

#define EQUANT_TRACE_BUFFERS 8
#define EQUANT_TRACE_BUFFER_EVENTS 512
#define EQUANT_TRACE_BUFFER_SIZE (EQUANT_TRACE_BUFFER_EVENTS * sizeof(struct equant_event))

_Static_assert(sizeof(struct equant_event) == 128, "struct equant_event");
_Static_assert(sizeof(struct equant_trace_header) == 128, "struct equant_trace_header");

/**
 * struct equant_trace_buffer - one of the ring
 * @events: its memory
 * @offset: where in the file it goes, once handed over
 * @length: bytes handed over
 * @done: bytes of them written so far
 * @busy: handed over and not completely written
 */
struct equant_trace_buffer {
	struct equant_event *events;
	off_t offset;
	size_t length;
	size_t done;
	bool busy;
};

/**
 * struct equant_trace_writer - a trace being written
 * @next: next free event of the buffer being filled
 * @end: behind its last event; equal to @next where there is no such buffer
 * @dropped: events that went to @scratch
 * @filling: index of the buffer being filled, or to be filled next
 * @open: a buffer is being filled
 * @offset: file offset of the next buffer to hand over
 * @good: bytes of the file known to be without a failed write below them
 * @error: first -errno of a write
 * @ours: 1; becomes 0 in a forked child, which must not write (MADV_WIPEONFORK)
 * @fd: the file
 * @uring: io_uring state, NULL where buffers are written by pwrite()
 */
struct equant_trace_writer {
	struct equant_event *next;
	struct equant_event *end;
	uint64_t dropped;
	unsigned int filling;
	bool open;
	off_t offset;
	off_t good;
	int error;
	uint32_t *ours;
	int fd;
	struct equant_trace_uring *uring;
	struct equant_trace_buffer buffers[EQUANT_TRACE_BUFFERS];
	struct equant_event scratch;
};

/* Called for a buffer when its write has ended: 0 or -errno. */
void equant_trace_written(struct equant_trace_writer *writer, struct equant_trace_buffer *buffer,
			  int error);

/* Events lost so far. */
uint64_t equant_trace_dropped(const struct equant_trace_writer *writer);

/* What is wrong with a header beside magic and sizes, or NULL. */
const char *equant_trace_header_fault(const struct equant_trace_header *header);

/* Why writer->uring stays NULL, or 0. */
int equant_trace_uring_open(struct equant_trace_writer *writer, const char **step);

/* Start writing a buffer; never waits for the disk. */
void equant_trace_uring_submit(struct equant_trace_writer *writer,
			       struct equant_trace_buffer *buffer);

/* Note the writes that have ended. */
void equant_trace_uring_reap(struct equant_trace_writer *writer);

/* Wait until no buffer is busy, then end the use of io_uring. */
void equant_trace_uring_drain(struct equant_trace_writer *writer);

/* Free it; in a forked child this is all that is done. */
void equant_trace_uring_free(struct equant_trace_writer *writer);

#endif /* EQUANT_TRACE_INTERNAL_H */
