// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "core/clock.h"
#include "profile/profiler.h"
#include "profile/split.h"

#define PART 200 /* of the time: readings come by twos */
#define TRIES 8 /* to find out what a reading costs */
#define READINGS 64 /* of the clock, in one of them */
#define CLOCKS_OF_A_CALL 2.5 /* as long takes a call that is told, beyond what it does */
#define CHECK_NS 100000000u /* between looks whether the probe is alive */
#define REFRESH_NS 1000000000u /* between looks at what the kernel counts by itself */

/**
 * struct equant_profiler - a thread
 * @probe: its own
 * @profile: the caller's
 * @split: what comes of its readings
 * @depth: calls that it is in
 * @outermost: frame of the first of them
 * @since_ns: when it came where it is
 * @last: the last reading
 * @checked_ns: when the probe was last found alive
 * @refreshed_ns: when the kernel's own counts were taken
 * @start_ns: when all this began
 * @cpu_ns: of the process then
 * @preemptions: likewise
 */
struct equant_profiler {
	struct equant_probe *probe;
	struct equant_profile *profile;
	struct equant_split split;
	unsigned int depth;
	const char *outermost;
	uint64_t since_ns;
	struct equant_counters last;
	uint64_t checked_ns;
	uint64_t refreshed_ns;
	uint64_t start_ns;
	uint64_t cpu_ns;
	uint64_t preemptions;
};

static uint64_t cost_of_reading(struct equant_probe *probe)
{
	struct equant_counters counters;
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		uint64_t before = equant_now_ns(), cost;

		equant_probe_read(probe, &counters);
		cost = equant_now_ns() - before;
		if (cost < least)
			least = cost;
	}
	return least;
}

/* The least of several averages: one reading is too short for the clock to measure. */
static double cost_of_clock(void)
{
	double least = HUGE_VAL;

	for (int i = 0; i < TRIES; i++) {
		uint64_t start = equant_now_ns(), end;

		for (int n = 1; n < READINGS; n++)
			equant_now_ns();
		end = equant_now_ns();
		least = fmin(least, (double)(end - start) / READINGS);
	}
	return least;
}

static uint64_t preemptions(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_SELF, &usage) ? 0 : (uint64_t)usage.ru_nivcsw;
}

static void name_probe(struct equant_profiler *profiler)
{
	snprintf(profiler->profile->probe, sizeof(profiler->profile->probe), "%s",
		 equant_probe_name(profiler->probe));
	profiler->split.worth_ns = PART * cost_of_reading(profiler->probe);
}

struct equant_profiler *equant_profiler_new(const char *probe, struct equant_profile *profile,
					    char *why, size_t why_size)
{
	struct equant_profiler *profiler = calloc(1, sizeof(*profiler));

	if (!profiler)
		return NULL;
	profiler->probe = equant_probe_open(probe, why, why_size);
	if (!profiler->probe) {
		free(profiler);
		return NULL;
	}
	profiler->profile = profile;
	profiler->split.times[EQUANT_OUTSIDE] = &profile->outside;
	profiler->split.times[EQUANT_INSIDE] = &profile->inside;
	profile->features = equant_probe_features(profiler->probe);
	profile->cpu = -1;
	name_probe(profiler);
	profile->call_ns = CLOCKS_OF_A_CALL * cost_of_clock();
	profiler->cpu_ns = equant_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	profiler->preemptions = preemptions();
	profile->start_ns = equant_clock_ns(CLOCK_REALTIME);
	equant_probe_read(profiler->probe, &profiler->last);
	profiler->start_ns = profiler->since_ns = profiler->checked_ns = profiler->refreshed_ns =
		equant_now_ns();
	return profiler;
}

void equant_profiler_free(struct equant_profiler *profiler)
{
	if (!profiler)
		return;
	equant_probe_close(profiler->probe);
	free(profiler);
}

/* What could not be measured all the time is not known. */
static void check(struct equant_profiler *profiler, uint64_t now)
{
	struct equant_profile *profile = profiler->profile;

	if (now - profiler->checked_ns < CHECK_NS)
		return;
	profiler->checked_ns = now;
	if (!equant_probe_check(profiler->probe, NULL, 0))
		return;
	profile->fallbacks++;
	profile->features &= equant_probe_features(profiler->probe);
	name_probe(profiler);
	for (int place = 0; place < EQUANT_PLACES; place++) {
		if (!(profile->features & EQUANT_PROBE_RUN))
			profiler->split.times[place]->run_ns = 0;
		if (!(profile->features & EQUANT_PROBE_WAIT))
			profiler->split.times[place]->wait_ns = 0;
	}
}

static void refresh(struct equant_profiler *profiler, uint64_t now)
{
	struct equant_profile *profile = profiler->profile;
	struct equant_status status;

	equant_probe_status(profiler->probe, &status);
	profile->counted_ns = profile->elapsed_ns;
	profile->quantum_ns = status.quantum_ns;
	profile->cpu = status.cpu;
	profile->cpu_ns = equant_since(equant_clock_ns(CLOCK_PROCESS_CPUTIME_ID), profiler->cpu_ns);
	profile->preemptions = equant_since(preemptions(), profiler->preemptions);
	profiler->refreshed_ns = now;
}

/* What it may have had since the last reading, and is known of. */
static uint64_t known(const struct equant_profiler *profiler, unsigned int feature, uint64_t now,
		      uint64_t last)
{
	return profiler->profile->features & feature ? equant_since(now, last) : 0;
}

static void read_probe(struct equant_profiler *profiler)
{
	const struct equant_counters last = profiler->last;
	struct equant_counters *now = &profiler->last;

	check(profiler, profiler->since_ns);
	equant_probe_read(profiler->probe, now);
	equant_split_read(&profiler->split,
			  known(profiler, EQUANT_PROBE_RUN, now->run_ns, last.run_ns),
			  known(profiler, EQUANT_PROBE_WAIT, now->wait_ns, last.wait_ns));
	if (profiler->since_ns - profiler->refreshed_ns >= REFRESH_NS)
		refresh(profiler, profiler->since_ns);
}

/* Since it came to @place the thread was there.  Is a reading due? */
static bool pass(struct equant_profiler *profiler, int place)
{
	uint64_t now = equant_now_ns(), length = now - profiler->since_ns;
	bool due;

	profiler->since_ns = now;
	profiler->profile->elapsed_ns = now - profiler->start_ns;
	due = equant_split_pass(&profiler->split, place, length);
	/* Whoever reads this when the process is dead finds no part that is more than the whole. */
	atomic_signal_fence(memory_order_seq_cst);
	return due;
}

/* It goes from @place to the other one. */
static void change(struct equant_profiler *profiler, int place)
{
	bool due = pass(profiler, place);

	profiler->profile->is_inside = place == EQUANT_OUTSIDE;
	if (due)
		read_probe(profiler);
}

/*
 * A function that MPI calls for an error may never return, but jump to where the program goes on: then the next
 * call begins above the one that was left.
 */
static bool was_left(const struct equant_profiler *profiler, const char *frame)
{
	return profiler->depth && frame >= profiler->outermost;
}

void equant_profiler_enter(struct equant_profiler *profiler)
{
	const char *frame = __builtin_frame_address(0);

	if (was_left(profiler, frame)) {
		profiler->depth = 0;
		change(profiler, EQUANT_INSIDE);
	}
	if (profiler->depth++)
		return;
	profiler->outermost = frame;
	profiler->profile->calls++;
	change(profiler, EQUANT_OUTSIDE);
}

void equant_profiler_leave(struct equant_profiler *profiler)
{
	if (profiler->depth && !--profiler->depth)
		change(profiler, EQUANT_INSIDE);
}

void equant_profiler_update(struct equant_profiler *profiler)
{
	pass(profiler, profiler->depth ? EQUANT_INSIDE : EQUANT_OUTSIDE);
	read_probe(profiler);
	refresh(profiler, profiler->since_ns);
}
