// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libsandbox.h"

static void *map(unsigned long pages, int protection)
{
	void *memory = mmap(NULL, pages * PAGE, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

bool sandbox_fill(struct sandbox *box)
{
	box->arena = map(ARENA_PAGES, PROT_NONE);
	box->buffer = map(BUFFER_PAGES + 1, PROT_READ | PROT_WRITE);
	box->constant = map(1, PROT_READ);
	if (!box->arena || !box->buffer || !box->constant ||
	    mprotect(box->buffer + BUFFER_PAGES * PAGE, PAGE, PROT_NONE))
		return false;
	for (int i = 0; i < FILES; i++)
		box->files[i] = open(EQUANT_DEVICE, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	return true;
}

static uint64_t below(struct random *random, long limit)
{
	return (uint64_t)random_below(random, limit);
}

int *any_file(struct sandbox *box, struct random *random)
{
	return &box->files[below(random, FILES)];
}

void *any_pointer(const struct sandbox *box, struct random *random)
{
	char *end = box->buffer + BUFFER_PAGES * PAGE;

	switch (below(random, 10)) {
	case 0:
		return NULL;
	case 1:
		return (void *)below(random, PAGE);
	case 2:
		return (void *)(0xffff888000000000ull + below(random, 1 << 30));
	case 3:
		return (void *)~below(random, 64);
	case 4:
		return (void *)(uintptr_t)box->constant;
	case 5:
		return box->arena + below(random, ARENA_PAGES * PAGE);
	case 6:
		return end - below(random, 300);
	default:
		return box->buffer + below(random, (BUFFER_PAGES - 1) * PAGE / 8) * 8;
	}
}

uint64_t any_number(struct random *random)
{
	switch (below(random, 8)) {
	case 0:
		return random_next(random);
	case 1:
		return UINT32_MAX - below(random, 2);
	case 2:
		return EQUANT_FILE_RECORDS - 1 + below(random, 3);
	case 3:
		return EQUANT_SHARE_ONE / 2;
	case 4:
		return (uint64_t)(below(random, 2) ? getpid() : gettid());
	case 5:
		return below(random, 2000); /* other tasks of the machine */
	default:
		return below(random, 16);
	}
}

void *any_argument(const struct sandbox *box, struct random *random)
{
	struct equant_attach attach = {
		.tid = (uint32_t)any_number(random),
		.flags = (uint32_t)below(random, 2),
		.cookie = random_next(random),
	};
	struct equant_snapshot snapshot = {
		.indices = below(random, 2) ? (uintptr_t)any_pointer(box, random) : 0,
		.records = (uintptr_t)any_pointer(box, random),
		.nr = (uint32_t)any_number(random),
	};
	struct equant_list list = {
		.tids = (uintptr_t)any_pointer(box, random),
		.nr = (uint32_t)any_number(random),
	};
	const struct equant_detach detach = { .index = (uint32_t)any_number(random) };
	char *argument = box->buffer + below(random, BUFFER_PAGES * PAGE / 64) * 64;

	if (attach.flags && below(random, 2)) {
		attach.threshold = EQUANT_SHARE_ONE / 2;
		attach.hysteresis = attach.threshold / 8;
		attach.rounds = below(random, 2) ? EQUANT_ROUNDS : (uint32_t)any_number(random);
	}
	switch (below(random, 5)) {
	case 0:
		return memcpy(argument, &attach, sizeof(attach));
	case 1:
		return memcpy(argument, &snapshot, sizeof(snapshot));
	case 2:
		return memcpy(argument, &list, sizeof(list));
	case 3:
		return memcpy(argument, &detach, sizeof(detach));
	}
	for (unsigned int i = 0; i < 8; i++)
		((uint64_t *)(void *)argument)[i] = any_number(random);
	return argument;
}
