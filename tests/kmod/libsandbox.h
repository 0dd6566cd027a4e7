/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * What a process that calls the device at random calls it with: valid, nearly so, or
 * not at all.
 */
#ifndef LIBSANDBOX_H
#define LIBSANDBOX_H

#include <stdbool.h>
#include <stdint.h>

#include <equant/kmod.h>

#include "../random.h"

#define FILES 4
#define PAGE 4096ul
#define ARENA_PAGES 256ul
#define BUFFER_PAGES 4ul

/**
 * struct sandbox - files and memory
 * @files: of the device, open or not
 * @arena: ARENA_PAGES, where the device is mapped; larger than its table
 * @buffer: BUFFER_PAGES, then a page that cannot be touched
 * @constant: a page that cannot be written
 *
 * Shared by the threads of a process: whoever is in a call may lose what it uses.
 */
struct sandbox {
	int files[FILES];
	char *arena;
	char *buffer;
	const void *constant;
};

/* Open and map what is in it. */
bool sandbox_fill(struct sandbox *box);

int *any_file(struct sandbox *box, struct random *random);

/* Nothing that the program itself lives in. */
void *any_pointer(const struct sandbox *box, struct random *random);

uint64_t any_number(struct random *random);

/* An argument of ioctl(), in the buffer. */
void *any_argument(const struct sandbox *box, struct random *random);

#endif /* LIBSANDBOX_H */
