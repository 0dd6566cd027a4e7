/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The time of one thread, told apart by where it is: in MPI or outside.
 *
 * The probe is asked where the thread comes or goes, but only as often as costs a hundredth of the time at
 * most; split.h has what is made of that.
 */
#ifndef EQUANT_PROFILE_PROFILER_H
#define EQUANT_PROFILE_PROFILER_H

#include <equant/probe.h>
#include <equant/profile.h>

struct equant_profiler;

/**
 * equant_profiler_new() - begin, outside
 * @probe: name, as of equant_probe_open()
 * @profile: what is measured is kept there, and is up to date but for times since the last reading
 *	where the thread has come or gone; the rank, its job and its host are the caller's
 * @why: receives why not; may be NULL
 * @why_size: its size
 *
 * For the calling thread, and by it only.
 *
 * Return: the handle, or NULL and errno.
 */
struct equant_profiler *equant_profiler_new(const char *probe, struct equant_profile *profile,
					    char *why, size_t why_size);
void equant_profiler_free(struct equant_profiler *profiler);

/** equant_profiler_enter() - the thread comes into MPI; a call within a call is part of it */
void equant_profiler_enter(struct equant_profiler *profiler);

/** equant_profiler_leave() - and leaves it */
void equant_profiler_leave(struct equant_profiler *profiler);

/** equant_profiler_update() - the profile is up to date now */
void equant_profiler_update(struct equant_profiler *profiler);

#endif /* EQUANT_PROFILE_PROFILER_H */
