// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libcaller.h"
#include "libdevice.h"

static const unsigned long requests[] = {
	EQUANT_IOC_INFO, EQUANT_IOC_ATTACH, EQUANT_IOC_DETACH, EQUANT_IOC_SNAPSHOT, EQUANT_IOC_LIST,
};

_Static_assert(sizeof(requests) / sizeof(requests[0]) + 1 == CALLER_REQUESTS, "and by io_uring");
#define BY_RING (CALLER_REQUESTS - 1)

bool caller_init(struct caller *c, struct sandbox *box, uint64_t seed, unsigned int *done)
{
	*c = (struct caller){ .box = box, .random = random_from(seed), .done = done };
	return !open_ring(&c->ring) && !pipe2(c->pipe_ends, O_NONBLOCK);
}

static uint64_t below(struct caller *c, long limit)
{
	return (uint64_t)random_below(&c->random, limit);
}

static int file(struct caller *c)
{
	return *any_file(c->box, &c->random);
}

static void *pointer(struct caller *c)
{
	return any_pointer(c->box, &c->random);
}

static void *argument(struct caller *c)
{
	return any_argument(c->box, &c->random);
}

static unsigned long request(struct caller *c)
{
	unsigned long one = requests[below(c, BY_RING)];

	switch (below(c, 10)) {
	case 0:
		return random_next(&c->random);
	case 1: /* another number, size or direction */
		return one ^ 1ul << below(c, 32);
	}
	return one;
}

static void call(struct caller *c, int fd, unsigned long op, void *arg)
{
	int ret = ioctl(fd, op, arg);

	for (unsigned int i = 0; i < BY_RING; i++)
		if (ret >= 0 && op == requests[i])
			__atomic_fetch_add(&c->done[i], 1, __ATOMIC_RELAXED);
}

static void call_ioctl(struct caller *c)
{
	void *arg = argument(c);

	if (below(c, 5) == 0)
		arg = pointer(c);
	call(c, file(c), request(c), arg);
}

/* What fits: an attachment that is read by others from its first moment to its last. */
static void attach_and_detach(struct caller *c)
{
	struct equant_attach attach = { .flags = EQUANT_ATTACH_EVENTS };
	struct equant_detach detach = { .index = 1 + (uint32_t)below(c, 2 * CALLERS) };
	int fd = file(c);

	call(c, fd, EQUANT_IOC_DETACH, &detach);
	call(c, fd, EQUANT_IOC_ATTACH, &attach);
}

static void take_snapshot(struct caller *c)
{
	struct equant_snapshot snapshot = {
		.records = (uintptr_t)c->box->buffer,
		.nr = BUFFER_PAGES * PAGE / EQUANT_RECORD_SIZE,
	};

	call(c, file(c), EQUANT_IOC_SNAPSHOT, &snapshot);
}

static void call_uring(struct caller *c)
{
	struct io_uring_sqe sqe = {
		.opcode = IORING_OP_URING_CMD,
		.fd = file(c),
		.off = below(c, 4) ? EQUANT_URING_SNAPSHOT : request(c),
	};
	const struct equant_uring command = {
		.snapshot = (uintptr_t)(below(c, 4) ? argument(c) : pointer(c)),
		.pad = below(c, 8) ? 0 : any_number(&c->random),
	};
	struct io_uring_cqe cqe;

	if (below(c, 3) == 0) {
		sqe.opcode = below(c, 2) ? IORING_OP_READ : IORING_OP_POLL_ADD;
		sqe.off = 0;
		sqe.addr = (uintptr_t)pointer(c);
		sqe.len = (uint32_t)any_number(&c->random);
		if (sqe.opcode == IORING_OP_POLL_ADD) {
			sqe.addr = 0;
			sqe.len = IORING_POLL_ADD_MULTI;
			sqe.poll32_events = POLLIN;
		}
	} else {
		memcpy((char *)&sqe + 48, &command, sizeof(command));
		sqe.user_data = 1;
	}
	submit(&c->ring, &sqe, 0);
	while (complete(&c->ring, 0, &cqe))
		if (cqe.res > 0 && cqe.user_data)
			__atomic_fetch_add(&c->done[BY_RING], 1, __ATOMIC_RELAXED);
}

static void read_or_poll(struct caller *c)
{
	struct pollfd poll_one = { .fd = file(c), .events = (short)random_next(&c->random) };
	struct iovec parts[2] = {
		{ .iov_base = pointer(c), .iov_len = below(c, 200) },
		{ .iov_base = pointer(c), .iov_len = below(c, 3 * PAGE) },
	};

	if (below(c, 2))
		poll(&poll_one, 1, 0);
	else
		readv(file(c), parts, 2);
}

/* The kernel reads from the mapping, so that a page that is not there is an error only. */
static void touch(const void *memory, int *pipe_ends)
{
	char bytes[64];

	if (write(pipe_ends[1], memory, sizeof(bytes)) > 0)
		while (read(pipe_ends[0], bytes, sizeof(bytes)) > 0)
			;
}

static void map_or_unmap(struct caller *c)
{
	static const int protections[] = {
		PROT_READ, PROT_READ, PROT_READ, PROT_READ | PROT_WRITE, PROT_READ | PROT_EXEC,
		PROT_NONE
	};
	uint64_t page = below(c, ARENA_PAGES), pages = 1 + below(c, ARENA_PAGES - page);
	int protection = protections[below(c, 6)];
	char *at = c->box->arena + page * PAGE;

	switch (below(c, 5)) {
	case 0:
		mmap(at, pages * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		break;
	case 1:
		mprotect(at, pages * PAGE, protection);
		break;
	case 2:
		mremap(at, PAGE, pages * PAGE, 0);
		madvise(at, pages * PAGE, below(c, 2) ? MADV_DOFORK : MADV_DONTNEED);
		break;
	default:
		mmap(at, pages * PAGE, protection,
		     MAP_FIXED | (below(c, 4) ? MAP_SHARED : MAP_PRIVATE), file(c),
		     (off_t)(below(c, 4) ? 0 : below(c, ARENA_PAGES) * PAGE));
	}
	touch(c->box->arena + below(c, ARENA_PAGES * PAGE), c->pipe_ends);
}

static void reopen(struct caller *c)
{
	int *place = any_file(c->box, &c->random);
	int fd = open(EQUANT_DEVICE, (int)below(c, 3) | O_NONBLOCK | O_CLOEXEC);
	int old = __atomic_exchange_n(place, fd, __ATOMIC_SEQ_CST);

	if (old >= 0)
		close(old);
}

/* Leaves with the files, the mapping and whatever it has attached. */
static void fork_and_leave(struct caller *c)
{
	pid_t pid = fork();

	if (!pid) {
		attach(c->box->files[0], 0, EQUANT_ATTACH_EVENTS);
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

void call_anything(struct caller *c)
{
	switch (below(c, 32)) {
	case 0:
		reopen(c);
		break;
	case 1:
		fork_and_leave(c);
		break;
	case 2 ... 5:
		map_or_unmap(c);
		break;
	case 6 ... 9:
		read_or_poll(c);
		break;
	case 10 ... 13:
		call_uring(c);
		break;
	case 14 ... 17:
		attach_and_detach(c);
		break;
	case 18 ... 21:
		take_snapshot(c);
		break;
	default:
		call_ioctl(c);
	}
}
