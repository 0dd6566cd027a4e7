// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Writing trace buffers through io_uring: registered file, registered buffers,
 * one io_uring_enter() per full buffer, completions read from shared memory.
 *
 * The ring has no setup flags.  Writes to a regular file are either done at
 * submission or by a kernel worker that posts the completion itself, so no
 * signal-like task work ever interrupts a system call of the application, and
 * any thread may submit.
 */
#include <errno.h>
#include <stdlib.h>

#include "trace/trace_internal.h"

#if EQUANT_HAVE_LIBURING

#include <liburing.h>

struct equant_trace_uring {
	struct io_uring ring;
};

static int register_memory(struct equant_trace_writer *writer, struct io_uring *ring)
{
	struct iovec vecs[EQUANT_TRACE_BUFFERS];

	for (int i = 0; i < EQUANT_TRACE_BUFFERS; i++)
		vecs[i] = (struct iovec){
			.iov_base = writer->buffers[i].events,
			.iov_len = EQUANT_TRACE_BUFFER_SIZE,
		};
	return io_uring_register_buffers(ring, vecs, EQUANT_TRACE_BUFFERS);
}

int equant_trace_uring_open(struct equant_trace_writer *writer, const char **step)
{
	struct equant_trace_uring *uring;
	int ret;

	*step = "memory";
	uring = calloc(1, sizeof(*uring));
	if (!uring)
		return -ENOMEM;
	*step = "io_uring_setup";
	ret = io_uring_queue_init(EQUANT_TRACE_BUFFERS, &uring->ring, 0);
	if (ret)
		goto free_uring;
	*step = "registering the buffers";
	ret = register_memory(writer, &uring->ring);
	if (ret)
		goto exit_ring;
	*step = "registering the file";
	ret = io_uring_register_files(&uring->ring, &writer->fd, 1);
	if (ret)
		goto exit_ring;
	writer->uring = uring;
	return 0;

exit_ring:
	io_uring_queue_exit(&uring->ring);
free_uring:
	free(uring);
	return ret;
}

void equant_trace_uring_submit(struct equant_trace_writer *writer,
			       struct equant_trace_buffer *buffer)
{
	struct io_uring *ring = &writer->uring->ring;
	struct io_uring_sqe *sqe = io_uring_get_sqe(ring);

	/* There are as many entries as buffers and one write per buffer. */
	if (!sqe) {
		equant_trace_written(writer, buffer, -EBUSY);
		return;
	}
	io_uring_prep_write_fixed(sqe, 0, (char *)buffer->events + buffer->done,
				  (unsigned int)(buffer->length - buffer->done),
				  (uint64_t)buffer->offset + buffer->done,
				  (int)(buffer - writer->buffers));
	sqe->flags |= IOSQE_FIXED_FILE;
	io_uring_sqe_set_data(sqe, buffer);
	/* What is not accepted now stays queued; reaping submits it again. */
	io_uring_submit(ring);
}

static void complete(struct equant_trace_writer *writer, struct equant_trace_buffer *buffer,
		     int result)
{
	if (result > 0)
		buffer->done += (size_t)result;
	if (buffer->done == buffer->length)
		equant_trace_written(writer, buffer, 0);
	else if (result > 0 || result == -EINTR || result == -EAGAIN)
		equant_trace_uring_submit(writer, buffer);
	else
		equant_trace_written(writer, buffer, result ? result : -EIO);
}

void equant_trace_uring_reap(struct equant_trace_writer *writer)
{
	struct io_uring *ring = &writer->uring->ring;
	struct equant_trace_buffer *buffer;
	struct io_uring_cqe *cqe;
	int result;

	if (io_uring_sq_ready(ring))
		io_uring_submit(ring);
	while (!io_uring_peek_cqe(ring, &cqe)) {
		buffer = io_uring_cqe_get_data(cqe);
		result = cqe->res;
		io_uring_cqe_seen(ring, cqe);
		complete(writer, buffer, result);
	}
}

static struct equant_trace_buffer *any_busy(struct equant_trace_writer *writer)
{
	for (int i = 0; i < EQUANT_TRACE_BUFFERS; i++)
		if (writer->buffers[i].busy)
			return &writer->buffers[i];
	return NULL;
}

void equant_trace_uring_drain(struct equant_trace_writer *writer)
{
	struct io_uring *ring = &writer->uring->ring;
	struct equant_trace_buffer *buffer;
	int ret = 0;

	equant_trace_uring_reap(writer);
	while ((buffer = any_busy(writer))) {
		if (ret < 0 && ret != -EINTR && ret != -EAGAIN && ret != -EBUSY)
			equant_trace_written(writer, buffer, ret);
		else
			ret = io_uring_submit_and_wait(ring, 1);
		equant_trace_uring_reap(writer);
	}
}

void equant_trace_uring_free(struct equant_trace_writer *writer)
{
	if (!writer->uring)
		return;
	io_uring_queue_exit(&writer->uring->ring);
	free(writer->uring);
	writer->uring = NULL;
}

#else /* !EQUANT_HAVE_LIBURING */

int equant_trace_uring_open(struct equant_trace_writer *writer, const char **step)
{
	(void)writer;
	*step = "built without liburing";
	return -ENOSYS;
}

void equant_trace_uring_submit(struct equant_trace_writer *writer,
			       struct equant_trace_buffer *buffer)
{
	equant_trace_written(writer, buffer, -ENOSYS);
}

void equant_trace_uring_reap(struct equant_trace_writer *writer)
{
	(void)writer;
}

void equant_trace_uring_drain(struct equant_trace_writer *writer)
{
	(void)writer;
}

void equant_trace_uring_free(struct equant_trace_writer *writer)
{
	(void)writer;
}

#endif
