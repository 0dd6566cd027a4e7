// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Recording a trace.  Taking room for an event is a pointer increment; when a
 * buffer is full, or its first event a second old, it is handed to the kernel
 * and the next one is taken, if it is free again.  The header is written when the trace is created and the END
 * event when it is closed, so a killed process leaves a readable file.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "trace/trace_internal.h"

#define BUFFERS_SIZE (EQUANT_TRACE_BUFFERS * EQUANT_TRACE_BUFFER_SIZE)
#define SECOND 1000000000ll

static uint64_t monotonic_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec;
}

static int write_all(int fd, const void *data, size_t length, off_t offset, size_t *done)
{
	ssize_t ret;

	for (*done = 0; *done < length; *done += (size_t)ret) {
		ret = pwrite(fd, (const char *)data + *done, length - *done, offset + (off_t)*done);
		if (ret < 0 && errno == EINTR)
			ret = 0;
		else if (ret <= 0)
			return ret ? -errno : -EIO;
	}
	return 0;
}

/* O_NONBLOCK only for the open: a pipe without a reader must not hang the rank. */
static int open_file(const char *path)
{
	struct stat st;
	int fd, ret;

	fd = open(path, O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0666);
	if (fd < 0)
		return -errno;
	ret = fstat(fd, &st) ? -errno : 0;
	if (!ret && !S_ISREG(st.st_mode))
		ret = -EINVAL;
	if (!ret && (ftruncate(fd, 0) || fcntl(fd, F_SETFL, 0)))
		ret = -errno;
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

static size_t memory_size(void)
{
	return BUFFERS_SIZE + (size_t)sysconf(_SC_PAGESIZE);
}

/* The buffers, and behind them a page that tells the owner from a forked child. */
static int allot_memory(struct equant_trace_writer *writer)
{
	char *memory;
	int ret;

	memory = mmap(NULL, memory_size(), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (memory == MAP_FAILED)
		return -errno;
	if (madvise(memory + BUFFERS_SIZE, memory_size() - BUFFERS_SIZE, MADV_WIPEONFORK)) {
		ret = -errno;
		munmap(memory, memory_size());
		return ret;
	}
	writer->ours = (uint32_t *)(memory + BUFFERS_SIZE);
	*writer->ours = 1;
	for (int i = 0; i < EQUANT_TRACE_BUFFERS; i++)
		writer->buffers[i].events = (void *)(memory + i * EQUANT_TRACE_BUFFER_SIZE);
	return 0;
}

static int write_header(struct equant_trace_writer *writer,
			const struct equant_trace_header *wanted)
{
	struct equant_trace_header header = *wanted;
	size_t done;

	header.magic = EQUANT_TRACE_MAGIC;
	header.version = EQUANT_TRACE_VERSION;
	header.event_size = sizeof(struct equant_event);
	header.t0_ns = monotonic_ns();
	writer->offset = sizeof(header);
	writer->good = INT64_MAX;
	return write_all(writer->fd, &header, sizeof(header), 0, &done);
}

static int start(struct equant_trace_writer *writer, const char *path,
		 const struct equant_trace_header *header, char *why, size_t why_size)
{
	const char *fault = equant_trace_header_fault(header);
	int ret;

	if (fault) {
		equant_say(why, why_size, "%s: trace header: %s", path, fault);
		return -EINVAL;
	}
	writer->fd = open_file(path);
	if (writer->fd < 0) {
		ret = writer->fd;
		equant_say(why, why_size, "%s: %s", path,
			   ret == -EINVAL ? "not a regular file" : strerror(-ret));
		return ret;
	}
	ret = write_header(writer, header);
	if (!ret)
		ret = allot_memory(writer);
	if (ret) {
		equant_say(why, why_size, "%s: %s", path, strerror(-ret));
		close(writer->fd);
	}
	return ret;
}

struct equant_trace_writer *equant_trace_create(const char *path,
						const struct equant_trace_header *header, char *why,
						size_t why_size)
{
	struct equant_trace_writer *writer;
	const char *step;
	int ret;

	equant_say(why, why_size, "%s", "");
	writer = calloc(1, sizeof(*writer));
	if (!writer)
		return NULL;
	ret = start(writer, path, header, why, why_size);
	if (ret) {
		free(writer);
		errno = -ret;
		return NULL;
	}
	ret = equant_trace_uring_open(writer, &step);
	if (ret)
		equant_say(why, why_size,
			   "%s: written by pwrite, io_uring is not available: %s: %s", path, step,
			   strerror(-ret));
	return writer;
}

void equant_trace_written(struct equant_trace_writer *writer, struct equant_trace_buffer *buffer,
			  int error)
{
	off_t good = buffer->offset + (off_t)buffer->done;

	buffer->busy = false;
	if (!error)
		return;
	if (!writer->error)
		writer->error = error;
	if (good < writer->good)
		writer->good = good;
}

/* Give what is in the buffer being filled to the kernel. */
static void hand_over(struct equant_trace_writer *writer)
{
	struct equant_trace_buffer *buffer = &writer->buffers[writer->filling];

	buffer->length = (size_t)((char *)writer->next - (char *)buffer->events);
	buffer->done = 0;
	buffer->offset = writer->offset;
	buffer->busy = true;
	writer->offset += (off_t)buffer->length;
	writer->filling = (writer->filling + 1) % EQUANT_TRACE_BUFFERS;
	writer->open = false;
	writer->end = writer->next;
	if (writer->uring)
		equant_trace_uring_submit(writer, buffer);
	else
		equant_trace_written(writer, buffer,
				     write_all(writer->fd, buffer->events, buffer->length,
					       buffer->offset, &buffer->done));
}

/* Have room for an event at ->next. */
static bool next_buffer(struct equant_trace_writer *writer)
{
	struct equant_trace_buffer *buffer;

	if (writer->error || !*writer->ours)
		return false;
	if (writer->open)
		hand_over(writer);
	if (writer->uring)
		equant_trace_uring_reap(writer);
	buffer = &writer->buffers[writer->filling];
	if (buffer->busy || writer->error)
		return false;
	writer->open = true;
	writer->next = buffer->events;
	writer->end = buffer->events + EQUANT_TRACE_BUFFER_EVENTS;
	return true;
}

/*
 * A rank that is killed should not lose more than the last second, but no event
 * may be dropped for the sake of that.
 */
static bool is_old(const struct equant_trace_writer *writer)
{
	const struct equant_event *first = writer->buffers[writer->filling].events;

	if (!writer->open || writer->next == first)
		return false;
	if ((int64_t)(writer->next[-1].t_ns - first->t_ns) < SECOND)
		return false;
	return !writer->buffers[(writer->filling + 1) % EQUANT_TRACE_BUFFERS].busy;
}

struct equant_event *equant_trace_event(struct equant_trace_writer *writer)
{
	struct equant_event *event;

	if ((writer->next == writer->end || is_old(writer)) && !next_buffer(writer)) {
		writer->dropped++;
		event = &writer->scratch;
	} else {
		event = writer->next++;
	}
	*event = (struct equant_event){ 0 };
	return event;
}

uint64_t equant_trace_dropped(const struct equant_trace_writer *writer)
{
	return writer->dropped;
}

/* After a failed write the file ends before the first lost byte. */
static uint64_t cut(struct equant_trace_writer *writer)
{
	const off_t size = sizeof(struct equant_event);
	off_t first = sizeof(struct equant_trace_header);
	uint64_t events;

	if (writer->good < writer->offset) {
		events = (uint64_t)((writer->good - first) / size);
		writer->dropped += (uint64_t)((writer->offset - first) / size) - events;
		writer->offset = first + (off_t)events * size;
		if (ftruncate(writer->fd, writer->offset))
			writer->error = -errno;
	}
	return (uint64_t)((writer->offset - first) / size);
}

static void write_end(struct equant_trace_writer *writer)
{
	struct equant_event end = { .type = EQUANT_EVENT_END, .t_ns = monotonic_ns() };
	size_t done;
	int ret;

	end.u.end.events = cut(writer);
	end.u.end.dropped = writer->dropped;
	ret = write_all(writer->fd, &end, sizeof(end), writer->offset, &done);
	if (ret && ftruncate(writer->fd, writer->offset))
		ret = -errno;
	if (ret && !writer->error)
		writer->error = ret;
}

static void finish(struct equant_trace_writer *writer)
{
	if (writer->open && writer->next != writer->buffers[writer->filling].events)
		hand_over(writer);
	if (writer->uring)
		equant_trace_uring_drain(writer);
	write_end(writer);
}

int equant_trace_close(struct equant_trace_writer *writer)
{
	int ret;

	if (!writer)
		return 0;
	if (*writer->ours)
		finish(writer);
	equant_trace_uring_free(writer);
	ret = writer->error;
	if (close(writer->fd) && !ret)
		ret = -errno;
	munmap(writer->buffers[0].events, memory_size());
	free(writer);
	return ret;
}
