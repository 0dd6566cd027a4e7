/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* What the tests of the probes load the machine with. */
#ifndef LIBLOAD_H
#define LIBLOAD_H

#include <stdint.h>
#include <sys/types.h>

#define MSEC 1000000ull

/* CLOCK_MONOTONIC in ns. */
uint64_t now_ns(void);

/* Compute until @ns of wall time have passed. */
void spin(uint64_t ns);

/* Pin the calling thread to the CPU it is on; the CPU, or -1. */
int pin_here(void);

/* A child that computes on this CPU until stopped or until the caller dies. */
pid_t start_competitor(void);
void stop_child(pid_t pid);

/* Open descriptors of this process. */
int count_descriptors(void);

/* Descriptor whose /proc/self/fd link ends in @suffix, or -1. */
int find_descriptor(const char *suffix);

/* Own mount namespace, whose mounts are seen nowhere else; 0 or -errno. */
int private_mounts(void);

#endif /* LIBLOAD_H */
