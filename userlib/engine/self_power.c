// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A rank with half of its CPU is a worker of half the power: its next chunk is half as
 * large.  The share is the probe's prediction, or where there is none what was measured
 * over some turns of the scheduler.
 */
#include <math.h>
#include <time.h>

#include <equant/abi.h>

#include "core/clock.h"
#include "core/team.h"
#include "engine/self_internal.h"
#include "loop/loop_internal.h"

#define LOOK_NS 4000000u /* a turn of the scheduler */
#define PASSES 15 /* one less than a power of 2 */
#define MEASURE_NS 40000000u /* ten of them */

static void set_share(struct equant_self *self, double share)
{
	long power = lround(share * self->full);

	power = power < 1 ? 1 : power > self->full ? self->full : power;
	/* Other threads of the rank ask for as much. */
	__atomic_store_n(&self->now, (int)power, __ATOMIC_RELAXED);
}

static void measure(struct equant_self *self)
{
	struct equant_counters now;
	uint64_t run, wait;

	equant_team_read(self->eq, &now);
	run = equant_since(now.run_ns, self->before.run_ns);
	wait = equant_since(now.wait_ns, self->before.wait_ns);
	if (run + wait < MEASURE_NS)
		return;
	self->before = now;
	set_share(self, (double)run / (double)(run + wait));
}

/*
 * Is it time to look?  The clock is a third of what a small chunk costs.  So as many requests as came
 * since it ticked pass without reading it: a tick is seen after twice its length at most, or
 * PASSES chunks late.
 */
static int is_due(struct equant_self *self)
{
	uint64_t now;

	if (self->passes > 0) {
		self->passes--;
		return 0;
	}
	now = equant_clock_ns(CLOCK_MONOTONIC_COARSE);
	if (now != self->tick_ns)
		self->passed = 0;
	else if (self->passed < PASSES)
		self->passed = 2 * self->passed + 1;
	self->tick_ns = now;
	self->passes = self->passed;
	if (now - self->looked_ns < LOOK_NS)
		return 0;
	self->looked_ns = now;
	return 1;
}

void equant_self_follow(struct equant_self *self)
{
	struct equant_status status;
	unsigned int features;

	if (!is_due(self))
		return;
	features = equant_team_status(self->eq, &status);
	if (features & EQUANT_PROBE_PREDICTS && !(status.flags & EQUANT_F_NO_PREDICTION))
		set_share(self, status.share);
	else if (features & EQUANT_PROBE_WAIT)
		measure(self);
}
