// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * How much of its share a rank can use that sleeps while it waits for others.
 *
 * A fair scheduler owes a rank its share of the time in which it wants the CPU, and
 * nothing for the time it sleeps.  Where all ranks wait for each other after less than a few quanta
 * of work, a rank whose work is exactly in proportion to its share wants the CPU
 * for as much of a phase as it is owed: whatever comes on top of the work, switches
 * and wake-ups, is beyond its share.  It is woken and has the CPU at once, phase after phase, until
 * it has had too much; then its competitor runs for a whole slice, and all ranks
 * wait for that.  A rank with somewhat less work never gets there.
 *
 * So a rank that does not have its CPU to itself is given the part @restraint of its share, less
 * what going to sleep and waking up takes in each phase (but not below half of that part),
 * while a phase lasts SHORT quanta at most, all of its share from LONG on, and
 * in between what lies in between.  The share is the predicted one then:
 * what is measured within short sections, mostly run through without a wait, is no share.
 *
 * On two CPUs with one competitor, a barrier after every 0.5 to 1 ms of work and
 * waits that block, parts of 1, 0.9, 0.8 and 0.7 took 1.50, 1.42, 1.20 and 1.17
 * (0.5 ms) and 1.41, 1.33, 1.22 and 1.18 (1 ms) times as long as they might have.  LU of
 * 0.3 ms per step took 1.31 times the CPU time of its sections with parts of 0.6, nothing
 * taken off, 1.17 to 1.24 with 0.4, and 1.21 with 0.3.
 */
#include "balance/balance_internal.h"

#define WAKING 25e-6 /* seconds of its CPU in which a rank does not compute, per phase */
#define SHORT 0.75
#define LONG 4.0
#define SHARED 0.95 /* a share of more is taken for a CPU of one's own */

/* From one meeting to the next; work is computed once from hook to hook at most. */
static double phase_length(const struct equant_sample *samples, int n)
{
	double sum = 0;

	for (int i = 0; i < n; i++) {
		const struct equant_sample *s = &samples[i];
		uint32_t phases = s->meetings < s->hooks ? s->meetings : s->hooks;

		if (!phases)
			return 0;
		sum += s->interval / phases;
	}
	return sum / n;
}

void equant_restraint_update(struct equant_restraint *restraint,
			     const struct equant_sample *samples, int n, double quantum)
{
	double length = phase_length(samples, n) / quantum, weight;

	if (length <= 0) {
		*restraint = (struct equant_restraint){ 0 };
		return;
	}
	restraint->length = restraint->length > 0 ? 0.5 * restraint->length + 0.5 * length : length;
	restraint->waking = WAKING / (restraint->length * quantum);
	weight = (LONG - restraint->length) / (LONG - SHORT);
	restraint->weight = weight < 0 ? 0 : weight > 1 ? 1 : weight;
}

double equant_restrained_rate(const struct equant_restraint *restraint,
			      const struct equant_sample *sample, const struct equant_rate *rate,
			      double part)
{
	const uint32_t needed = EQUANT_SAMPLE_RUN | EQUANT_SAMPLE_PREDICTED;
	double weight = restraint->weight, most = part * sample->settled, used;

	if (weight <= 0 || part >= 1 || (sample->flags & needed) != needed ||
	    sample->settled > SHARED)
		return rate->rate;
	used = restraint->waking < most / 2 ? most - restraint->waking : most / 2;
	return rate->speed * (weight * used + (1 - weight) * rate->share);
}
