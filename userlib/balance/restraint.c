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
 * Where ranks wait for strips of a sweep a part of 1 is best (loop/ends.c): then it is the prediction alone
 * that counts.  SOR of 1000 x 1000, 4 ms per sweep, took 0.84, 0.86, 0.94 and 0.96 times the CPU time of
 * its sections with 1, 0.8, 0.6 and 0.5, and 1.0 with measured shares.
 *
 * On two CPUs with one competitor, a barrier after every 0.5, 1 and 2 ms of work (of both ranks), parts of 1, 0.9, 0.8,
 * 0.7 and 0.6 took 1.24, 1.13, 1.16, 1.19 and 1.25, then 1.20, 1.09, 1.14, 1.17 and 1.23, then 1.16, 1.09, 1.14,
 * 1.16 and 1.21 times as long as they might have.  LU of 0.1 ms per step took 1.88 s with 0.9, 1.96 with 0.8,
 * 2.03 with 0.6.  Beyond the best part it soon gets worse than far below it.
 */
#include "balance/balance_internal.h"

#define WAKING 25e-6 /* seconds of its CPU in which a rank does not compute, per phase */
#define KEEP 0.8 /* of earlier samples, in which ranks may have met once or not at all */
#define SHORT 1.5
#define LONG 4.0
#define SHARED 0.95 /* a share of more is taken for a CPU of one's own */

/* How often all ranks have met; work is computed once from hook to hook at most. */
static uint32_t phases_of(const struct equant_sample *samples, int n)
{
	uint32_t least = UINT32_MAX;

	for (int i = 0; i < n; i++) {
		least = samples[i].meetings < least ? samples[i].meetings : least;
		least = samples[i].hooks < least ? samples[i].hooks : least;
	}
	return least;
}

static double mean_interval(const struct equant_sample *samples, int n)
{
	double sum = 0;

	for (int i = 0; i < n; i++)
		sum += samples[i].interval;
	return sum / n;
}

void equant_restraint_update(struct equant_restraint *restraint,
			     const struct equant_sample *samples, int n, double quantum)
{
	double length, weight;

	restraint->time = KEEP * restraint->time + mean_interval(samples, n);
	restraint->phases = KEEP * restraint->phases + phases_of(samples, n);
	restraint->quantum = quantum;
	/* Who does not meet has one phase that does not end. */
	restraint->weight = 0;
	if (restraint->time <= 0 || restraint->phases <= 0)
		return;
	length = restraint->time / restraint->phases;
	restraint->waking = WAKING / length;
	length /= quantum;
	weight = (LONG - length) / (LONG - SHORT);
	restraint->weight = weight < 0 ? 0 : weight > 1 ? 1 : weight;
}

static double usable(const struct equant_restraint *restraint, double part, double share)
{
	double most = part * share;

	if (part >= 1)
		return share;
	return restraint->waking < most / 2 ? most - restraint->waking : most / 2;
}

/* Less than a quantum after a change a sample tells the share before it, however short that was. */
static double settled(const struct equant_restraint *restraint, const struct equant_sample *sample,
		      const struct equant_rate *rate)
{
	bool over = rate->predicted >= 0 && sample->age < restraint->quantum;
	double share = over ? rate->predicted : sample->settled;

	return share < EQUANT_SHARE_MIN ? EQUANT_SHARE_MIN : share;
}

double equant_restrained_rate(const struct equant_restraint *restraint,
			      const struct equant_sample *sample, const struct equant_rate *rate,
			      double part)
{
	const uint32_t needed = EQUANT_SAMPLE_RUN | EQUANT_SAMPLE_PREDICTED;
	double weight = restraint->weight, share;

	if (weight <= 0 || (sample->flags & needed) != needed)
		return rate->rate;
	share = settled(restraint, sample, rate);
	if (share > SHARED)
		return rate->rate;
	return rate->speed * (weight * usable(restraint, part, share) + (1 - weight) * rate->share);
}
