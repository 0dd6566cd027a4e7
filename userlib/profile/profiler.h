/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The time of one thread, told apart by where it is: in MPI or outside.
 *
 * Wall time is exact.  The probe is asked where the thread comes or goes only when its last reading is so old
 * that one costs at most a hundredth of the time since; so calls of less time than that, several of them
 * perhaps, share a reading with what is around them.  Of such an interval the thread is taken to have had its CPU outside
 * of MPI first: a program computes there, and whoever waits does so in MPI.  Whichever long time ends
 * has a reading at its end, and one at its beginning but for such short ones.
 */
#ifndef EQUANT_PROFILE_PROFILER_H
#define EQUANT_PROFILE_PROFILER_H

#include <stdbool.h>

#include <equant/probe.h>
#include <equant/profile.h>

struct equant_profiler;

/**
 * equant_profiler_new() - begin, outside
 * @probe: name, as of equant_probe_open()
 * @why: receives why not; may be NULL
 * @why_size: its size
 *
 * For the calling thread, and by it only.
 *
 * Return: the handle, or NULL and errno.
 */
struct equant_profiler *equant_profiler_new(const char *probe, char *why, size_t why_size);
void equant_profiler_free(struct equant_profiler *profiler);

/** equant_profiler_enter() - the thread comes into MPI; a call within a call is part of it */
void equant_profiler_enter(struct equant_profiler *profiler);

/**
 * equant_profiler_leave() - and leaves it
 *
 * Return: the time, CLOCK_MONOTONIC, where it is outside now; 0 where it is not.
 */
uint64_t equant_profiler_leave(struct equant_profiler *profiler);

/** equant_profiler_read() - up to now; what is the rank's and the job's own is left as it is */
void equant_profiler_read(struct equant_profiler *profiler, struct equant_profile *profile);

#endif /* EQUANT_PROFILE_PROFILER_H */
