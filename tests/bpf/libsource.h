/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Where records come from: the BPF probe's table or the kernel module's device. */
#ifndef LIBSOURCE_H
#define LIBSOURCE_H

#include <stddef.h>
#include <sys/types.h>

#include <equant/abi.h>

struct source {
	const char *name; /* "bpf" or "kmod" */
	const struct equant_table *table;
	int fd; /* the module's device */
};

/* Make @name ready: the BPF probe is the program's shared one; why that cannot be, or NULL. */
const char *prepare_source(const char *name);

/* It must be prepared; -errno. */
int open_source(struct source *source, const char *name);
void close_source(struct source *source);

/* What @pid has to do itself, with what it says to it in @why. */
void register_with_source(const struct source *source, char *why, size_t size);

/* The record of @pid, which has done that; NULL and errno. */
const struct equant_record *record_from_source(const struct source *source, pid_t pid);

#endif /* LIBSOURCE_H */
