// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Memory that processes of a node share.  It is a memfd, which the others open through /proc: it
 * has no name in /dev/shm that a job that is killed would leave behind.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "control/segment.h"
#include "core/clock.h"
#include "core/memfd.h"

static void *map(int fd, size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

/* A file that is too large is a signal, and memory that is not there as well. */
static int is_there(int fd, size_t size)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_FSIZE, &limit) && size <= limit.rlim_cur &&
	       !posix_fallocate(fd, 0, (off_t)size);
}

void *equant_segment_make(size_t size, struct equant_invitation *invitation)
{
	int fd = equant_memfd("equant");
	void *memory = NULL;

	*invitation = (struct equant_invitation){ .fd = -1 };
	if (fd < 0)
		return NULL;
	if (is_there(fd, size))
		memory = map(fd, size);
	if (!memory) {
		close(fd);
		return NULL;
	}
	invitation->cookie = equant_now_ns() ^ (uint64_t)getpid() << 40 ^ (uintptr_t)memory;
	invitation->pid = getpid();
	invitation->fd = fd;
	invitation->size = size;
	*(uint64_t *)memory = invitation->cookie;
	return memory;
}

void *equant_segment_join(const struct equant_invitation *invitation)
{
	void *memory = NULL;
	char path[64];
	off_t size;
	int fd;

	snprintf(path, sizeof(path), "/proc/%lld/fd/%lld", (long long)invitation->pid,
		 (long long)invitation->fd);
	/* In another PID namespace this may be anybody's: do not even block on it. */
	fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return NULL;
	size = lseek(fd, 0, SEEK_END);
	if (size == (off_t)invitation->size)
		memory = map(fd, invitation->size);
	else
		errno = ENODEV;
	close(fd);
	if (!memory || *(uint64_t *)memory == invitation->cookie)
		return memory;
	munmap(memory, invitation->size);
	errno = ENODEV;
	return NULL;
}
