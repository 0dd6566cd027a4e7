/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* glibc's allocator by the names it keeps when a program defines malloc() itself; the program's own code. */
#ifndef LIBCMALLOC_H
#define LIBCMALLOC_H

#include <stddef.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *memory, size_t size);
void __libc_free(void *memory);

/* The linker's. */
extern char __executable_start, etext;

#endif /* LIBCMALLOC_H */
