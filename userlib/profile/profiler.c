// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "core/clock.h"
#include "profile/profiler.h"

#define PART 100 /* of the time, at most one that goes to readings */
#define TRIES 8 /* readings to find out what one costs */
#define CHECK_NS 100000000u /* between looks whether the probe is alive */

enum { OUTSIDE, INSIDE, PLACES };

/**
 * struct equant_profiler - a thread
 * @probe: its own
 * @worth_ns: a reading is taken where the last one is so old
 * @depth: calls that it is in
 * @since_ns: when it came where it is
 * @unread_ns: wall time since the last reading
 * @last: that reading
 * @checked_ns: when the probe was last found alive
 * @times: told apart so far
 * @features: that the probe had all the time
 * @cpu_ns: of the process, when this began
 * @preemptions: likewise
 */
struct equant_profiler {
	struct equant_probe *probe;
	uint64_t worth_ns;
	unsigned int depth;
	uint64_t since_ns;
	uint64_t unread_ns[PLACES];
	struct equant_counters last;
	uint64_t checked_ns;
	struct equant_profile_time times[PLACES];
	unsigned int features;
	uint32_t fallbacks;
	uint64_t calls;
	uint64_t start_ns;
	uint64_t start_real_ns;
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

static uint64_t preemptions(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_SELF, &usage) ? 0 : (uint64_t)usage.ru_nivcsw;
}

struct equant_profiler *equant_profiler_new(const char *probe, char *why, size_t why_size)
{
	struct equant_profiler *profiler = calloc(1, sizeof(*profiler));

	if (!profiler)
		return NULL;
	profiler->probe = equant_probe_open(probe, why, why_size);
	if (!profiler->probe) {
		free(profiler);
		return NULL;
	}
	profiler->features = equant_probe_features(profiler->probe);
	profiler->worth_ns = PART * cost_of_reading(profiler->probe);
	profiler->cpu_ns = equant_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	profiler->preemptions = preemptions();
	profiler->start_real_ns = equant_clock_ns(CLOCK_REALTIME);
	equant_probe_read(profiler->probe, &profiler->last);
	profiler->start_ns = profiler->since_ns = profiler->checked_ns = equant_now_ns();
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
	if (now - profiler->checked_ns < CHECK_NS)
		return;
	profiler->checked_ns = now;
	if (!equant_probe_check(profiler->probe, NULL, 0))
		return;
	profiler->fallbacks++;
	profiler->features &= equant_probe_features(profiler->probe);
	profiler->worth_ns = PART * cost_of_reading(profiler->probe);
}

static uint64_t part_of(uint64_t *rest, uint64_t room)
{
	uint64_t part = *rest < room ? *rest : room;

	*rest -= part;
	return part;
}

/* The CPU is had outside first; so is the waiting for it, as far as there is time for it. */
static void take_reading(struct equant_profiler *profiler, uint64_t now)
{
	struct equant_profile_time *outside = &profiler->times[OUTSIDE];
	struct equant_profile_time *inside = &profiler->times[INSIDE];
	struct equant_counters counters;
	uint64_t run, wait, part;

	check(profiler, now);
	equant_probe_read(profiler->probe, &counters);
	run = equant_since(counters.run_ns, profiler->last.run_ns);
	wait = equant_since(counters.wait_ns, profiler->last.wait_ns);
	part = part_of(&run, profiler->unread_ns[OUTSIDE]);
	outside->run_ns += part;
	outside->wait_ns += part_of(&wait, profiler->unread_ns[OUTSIDE] - part);
	part = part_of(&run, profiler->unread_ns[INSIDE]);
	inside->run_ns += part;
	inside->wait_ns += part_of(&wait, profiler->unread_ns[INSIDE] - part);
	for (int place = 0; place < PLACES; place++) {
		profiler->times[place].wall_ns += profiler->unread_ns[place];
		profiler->unread_ns[place] = 0;
	}
	profiler->last = counters;
}

/* What it did up to now it did where it is. */
static uint64_t pass(struct equant_profiler *profiler, int place)
{
	uint64_t now = equant_now_ns();

	profiler->unread_ns[place] += now - profiler->since_ns;
	profiler->since_ns = now;
	if (profiler->unread_ns[OUTSIDE] + profiler->unread_ns[INSIDE] >= profiler->worth_ns)
		take_reading(profiler, now);
	return now;
}

void equant_profiler_enter(struct equant_profiler *profiler)
{
	if (profiler->depth++)
		return;
	profiler->calls++;
	pass(profiler, OUTSIDE);
}

uint64_t equant_profiler_leave(struct equant_profiler *profiler)
{
	return --profiler->depth ? 0 : pass(profiler, INSIDE);
}

void equant_profiler_read(struct equant_profiler *profiler, struct equant_profile *profile)
{
	struct equant_status status;

	take_reading(profiler, pass(profiler, profiler->depth ? INSIDE : OUTSIDE));
	equant_probe_status(profiler->probe, &status);
	profile->magic = EQUANT_PROFILE_MAGIC;
	profile->size = sizeof(*profile);
	profile->features = profiler->features;
	profile->fallbacks = profiler->fallbacks;
	profile->start_ns = profiler->start_real_ns;
	profile->elapsed_ns = profiler->since_ns - profiler->start_ns;
	profile->outside = profiler->times[OUTSIDE];
	profile->inside = profiler->times[INSIDE];
	if (!(profile->features & EQUANT_PROBE_RUN))
		profile->outside.run_ns = profile->inside.run_ns = 0;
	if (!(profile->features & EQUANT_PROBE_WAIT))
		profile->outside.wait_ns = profile->inside.wait_ns = 0;
	profile->calls = profiler->calls;
	profile->cpu_ns = equant_since(equant_clock_ns(CLOCK_PROCESS_CPUTIME_ID), profiler->cpu_ns);
	profile->preemptions = equant_since(preemptions(), profiler->preemptions);
	profile->quantum_ns = status.quantum_ns;
	profile->cpu = status.cpu;
	snprintf(profile->probe, sizeof(profile->probe), "%s", equant_probe_name(profiler->probe));
}
