/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* /dev/equant as the tests see it: without the library. */
#ifndef LIBDEVICE_H
#define LIBDEVICE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include <equant/kmod.h>

#define MSEC 1000000ull

/* Why there is nothing to test here, or NULL. */
const char *why_no_device(void);

/* An open device; -errno. */
int open_device(void);

/* ioctl(): 0 or more, or -errno. */
int control(int fd, unsigned long op, void *arg);

/* Attach @tid (0: the caller); the index or -errno. */
int attach(int fd, pid_t tid, unsigned int flags);
int detach(int fd, unsigned int index);
unsigned int records_in_use(int fd);

/* When the module's own clean-up, which may take a grace period, has had time for them. */
unsigned int records_left(int fd);

/* The whole table; NULL and errno. */
const struct equant_table *map_table(int fd);
void unmap_table(const struct equant_table *table);

/* A consistent copy, and one brought up to now. */
struct equant_record record_copy(const struct equant_table *table, unsigned int index);
struct equant_record record_now(const struct equant_table *table, unsigned int index);

/* A child that computes on @cpu, or computes and sleeps in turns of @us; dies with the caller. */
pid_t start_load(int cpu, unsigned int us);
pid_t start_load_in_session(int cpu);
pid_t start_load_that_yields(int cpu);
void stop_load(pid_t pid);

void pin_to(int cpu);
uint64_t clock_ns(int clock);
void sleep_ms(unsigned int ms);
/* When a stress ends that begins now: after @ms, or STRESS_SECONDS of the environment. */
uint64_t stress_end(unsigned int ms);
bool time_is_up(uint64_t end);

#define WORKERS 64

/* WORKERS children that do @work, each with a seed; true if all of them report success. */
bool all_do(void (*work)(uint64_t end, unsigned int seed), uint64_t end, unsigned int seed);

/* Compute for so long, by the wall clock. */
void compute_ms(unsigned int ms);

/* The child's exit status, -1 if a signal ended it. */
int status_of(pid_t pid);

/* Run @work as somebody else in a child; its return value (0..255). */
int as_user(unsigned int uid, int (*work)(void *arg), void *arg);

#endif /* LIBDEVICE_H */
