// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Ranks that are more than the CPUs they run on.
 *
 * What one of them gets depends on when the others of its crowd wait, and so on how the work is
 * divided: a rank with little of it sleeps, what the scheduler then gives to the rest looks like
 * speed, and work that follows it makes the difference larger.  What does not depend on it is what each
 * would have if all of them wanted their CPUs at once.  With w the time in which they wanted one, r that in
 * which they had one, and a the number of others that were asleep then, on c CPUs,
 *
 *	1 / share = sum of w / sum of r + a / c,
 *
 * as those would have been in the queues, too.  Of ranks that begin together and then wait for each other those with less
 * to do sleep while the others go on.  With r falling, k are awake for r_k - r_(k+1) of it, and n - k of n asleep;
 * but those that are fewer than the CPUs leave some unused, and have as much as if they were c:
 *
 *	a = sum of k (n - max(k, c)) (r_k - r_(k+1)) / sum of r.
 *
 * That is exact where nobody else is there, and where one CPU is shared; else the share of an uneven division is
 * somewhat too high, and so it is in a pipeline, whose ranks sleep in turns.
 *
 * This is the share of every rank of the crowd, measured over all of them: within it any division takes
 * equally long.  The probe's predictions change with each wait of a neighbour and are not used.
 *
 * The thesis has a processor for each slave; this is an addition.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "balance/balance_internal.h"
#include "core/mix.h"

#define QUANTA 64 /* for which each of them wanted a CPU, that count */

void equant_crowds_release(struct equant_crowds *crowds)
{
	free(crowds->crowds);
	free(crowds->ranks);
	free(crowds->runs);
	free(crowds->room);
	free(crowds->samples);
	*crowds = (struct equant_crowds){ 0 };
}

/* Those that may use the same CPUs, one after the other. */
static int compare_cpus(const void *a, const void *b)
{
	const struct equant_affinity *const *x = a, *const *y = b;

	if ((*x)->cpus != (*y)->cpus)
		return (*x)->cpus < (*y)->cpus ? -1 : 1;
	return (*x > *y) - (*x < *y);
}

static void gather(struct equant_crowds *crowds, const struct equant_affinity *all,
		   const struct equant_affinity **sorted, int n)
{
	int end;

	for (int i = 0; i < n; i++)
		sorted[i] = &all[i];
	qsort(sorted, (size_t)n, sizeof(*sorted), compare_cpus);
	for (int first = 0; first < n; first = end) {
		for (end = first; end < n && sorted[end]->cpus == sorted[first]->cpus; end++)
			crowds->ranks[end] = (int)(sorted[end] - all);
		if (sorted[first]->cpus && end - first > sorted[first]->count)
			crowds->crowds[crowds->n++] = (struct equant_crowd){
				.ranks = &crowds->ranks[first],
				.n = end - first,
				.cpus = sorted[first]->count,
			};
	}
}

int equant_crowds_init(struct equant_crowds *crowds, const struct equant_affinity *all, int n)
{
	const struct equant_affinity **sorted = calloc((size_t)n, sizeof(*sorted));
	int error = -ENOMEM;

	equant_crowds_release(crowds);
	crowds->crowds = calloc((size_t)n, sizeof(*crowds->crowds));
	crowds->ranks = calloc((size_t)n, sizeof(*crowds->ranks));
	crowds->runs = calloc((size_t)n, sizeof(*crowds->runs));
	crowds->room = calloc((size_t)n, sizeof(*crowds->room));
	crowds->samples = calloc((size_t)n, sizeof(*crowds->samples));
	if (sorted && crowds->crowds && crowds->ranks && crowds->runs && crowds->room &&
	    crowds->samples) {
		gather(crowds, all, sorted, n);
		error = 0;
	}
	free(sorted);
	if (!crowds->n)
		equant_crowds_release(crowds);
	return error;
}

static bool is_member(const struct equant_sample *sample)
{
	return sample->flags & EQUANT_SAMPLE_RUN && !(sample->flags & EQUANT_SAMPLE_MOVED);
}

static int count_members(const struct equant_crowd *crowd, const struct equant_sample *samples)
{
	int members = 0;

	for (int i = 0; i < crowd->n; i++)
		members += is_member(&samples[crowd->ranks[i]]);
	return members;
}

const struct equant_sample *equant_crowds_see(struct equant_crowds *crowds,
					      const struct equant_sample *samples, int n)
{
	if (!crowds->n)
		return samples;
	memcpy(crowds->samples, samples, (size_t)n * sizeof(*samples));
	for (int c = 0; c < crowds->n; c++) {
		const struct equant_crowd *crowd = &crowds->crowds[c];

		if (count_members(crowd, samples) <= crowd->cpus)
			continue;
		for (int i = 0; i < crowd->n; i++) {
			struct equant_sample *sample = &crowds->samples[crowd->ranks[i]];

			if (!is_member(sample))
				continue;
			sample->flags &= (uint16_t)~EQUANT_SAMPLE_PREDICTED;
			sample->flags |= EQUANT_SAMPLE_CROWDED;
			sample->hold = 0;
		}
	}
	return crowds->samples;
}

/* a, times the sum of the keys, which are r; empties the heap. */
static double asleep(struct equant_heap *runs, int cpus)
{
	int n = runs->count;
	double sum = 0, longer = 0;

	equant_heap_make(runs);
	for (int awake = 0; awake < n; awake++) {
		double run = equant_heap_pop(runs).key;
		int others = n - (awake > cpus ? awake : cpus);

		if (awake)
			sum += (double)awake * others * (longer - run);
		longer = run;
	}
	return sum;
}

/* Tells which of the ranks are members from any others. */
static uint64_t who_is_there(const struct equant_crowd *crowd, const struct equant_sample *samples)
{
	uint64_t who = 0;

	for (int i = 0; i < crowd->n; i++)
		if (is_member(&samples[crowd->ranks[i]]))
			who = equant_mix_word(who, (uint64_t)crowd->ranks[i] + 1);
	return who;
}

/* What part of the past still counts; nothing of it if others were in the crowd then. */
static double part_kept(struct equant_crowd *crowd, const struct equant_sample *samples,
			double most)
{
	uint64_t who = who_is_there(crowd, samples);
	bool same = who == crowd->who;

	crowd->who = who;
	if (!same)
		return 0;
	return crowd->wanted > most ? most / crowd->wanted : 1;
}

/* Takes in a sample of each member; returns the share that all of them have. */
static double take(struct equant_crowds *crowds, struct equant_crowd *crowd,
		   const struct equant_sample *samples, double quantum, bool polls)
{
	int members = count_members(crowd, samples);
	double keep = part_kept(crowd, samples, QUANTA * quantum * members);
	struct equant_heap runs = { .entries = crowds->room };
	double run = 0, queued;

	crowd->wanted *= keep;
	for (int i = 0; i < crowd->n; i++) {
		int rank = crowd->ranks[i];

		if (!is_member(&samples[rank]))
			continue;
		crowds->runs[rank] = crowds->runs[rank] * keep + samples[rank].run;
		crowd->wanted += samples[rank].run + samples[rank].wait;
		run += crowds->runs[rank];
		runs.entries[runs.count++] =
			(struct equant_heap_entry){ .key = crowds->runs[rank], .rank = rank };
	}
	if (run < EQUANT_TIME_MIN) /* nothing is known yet */
		return (double)crowd->cpus / members;
	queued = crowd->wanted / run;
	if (!polls)
		queued += asleep(&runs, crowd->cpus) / run / crowd->cpus;
	return queued * EQUANT_SHARE_MIN < 1 ? 1 / queued : EQUANT_SHARE_MIN;
}

void equant_crowds_take(struct equant_crowds *crowds, const struct equant_sample *samples,
			struct equant_rate *rates, double quantum, bool polls)
{
	for (int c = 0; c < crowds->n; c++) {
		struct equant_crowd *crowd = &crowds->crowds[c];
		double share;

		if (count_members(crowd, samples) <= crowd->cpus) {
			crowd->who = 0;
			continue;
		}
		share = take(crowds, crowd, samples, quantum, polls);
		for (int i = 0; i < crowd->n; i++)
			if (is_member(&samples[crowd->ranks[i]]))
				equant_rate_set_share(&rates[crowd->ranks[i]], share);
	}
}
