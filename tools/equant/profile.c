// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The profiles that the ranks of a job left in a directory, and what they add up to.
 *
 * A command may start several jobs, one after the other.  Whoever wrote does not know which it is of, as ranks
 * say nothing to each other for this; but each has one rank of each number, and they begin together.
 */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <equant/probe.h>

#include "run.h"

static int is_profile(const struct dirent *entry)
{
	return run_ends_with(entry->d_name, ".profile");
}

static int load_all(struct run_result *result, struct dirent **entries, int count)
{
	int ret = 0;

	for (int i = 0; i < count; i++) {
		struct run_profile *profile = &result->profiles[result->nr_profiles];
		char path[PATH_MAX + NAME_MAX + 2], why[PATH_MAX + NAME_MAX + 256];
		int error;

		snprintf(path, sizeof(path), "%s/%s", result->directory, entries[i]->d_name);
		error = equant_profile_load(path, &profile->profile, why, sizeof(why));
		if (error)
			fprintf(stderr, "equant: %s\n", why);
		else
			result->nr_profiles++;
		ret = ret ? ret : error;
	}
	return ret;
}

static int by_start(const void *a, const void *b)
{
	const struct run_profile *p = a, *q = b;

	return (p->profile.start_ns > q->profile.start_ns) -
	       (p->profile.start_ns < q->profile.start_ns);
}

static int by_job_and_rank(const void *a, const void *b)
{
	const struct run_profile *p = a, *q = b;

	return p->job != q->job ? p->job - q->job : p->profile.rank - q->profile.rank;
}

static bool has_place_for(const struct run_result *result, int job, int new)
{
	const struct equant_profile *wanted = &result->profiles[new].profile;

	for (int i = 0; i < new; i++) {
		const struct run_profile *other = &result->profiles[i];

		if (other->job == job &&
		    (other->profile.ranks != wanted->ranks || other->profile.rank == wanted->rank))
			return false;
	}
	return true;
}

static void sort(struct run_result *result)
{
	qsort(result->profiles, result->nr_profiles, sizeof(*result->profiles), by_start);
	for (int i = 0; i < result->nr_profiles; i++) {
		result->profiles[i].job = 0;
		while (!has_place_for(result, result->profiles[i].job, i))
			result->profiles[i].job++;
	}
	qsort(result->profiles, result->nr_profiles, sizeof(*result->profiles), by_job_and_rank);
}

int run_collect_profiles(struct run_result *result)
{
	struct dirent **entries;
	int count = scandir(result->directory, &entries, is_profile, NULL), ret;

	if (count < 0) {
		fprintf(stderr, "equant: %s: %s\n", result->directory, strerror(errno));
		return -errno;
	}
	result->profiles = calloc(count ? count : 1, sizeof(*result->profiles));
	ret = result->profiles ? load_all(result, entries, count) : -ENOMEM;
	if (ret == -ENOMEM)
		fprintf(stderr, "equant: %s: %s\n", result->directory, strerror(ENOMEM));
	for (int i = 0; i < count; i++)
		free(entries[i]);
	free(entries);
	if (result->nr_profiles)
		sort(result);
	return ret;
}

int run_profile_next(const struct run_result *result, int first)
{
	int next = first + 1;

	while (next < result->nr_profiles &&
	       result->profiles[next].job == result->profiles[first].job)
		next++;
	return next;
}

static bool tells_shares(const struct equant_profile *profile)
{
	const unsigned int needed = EQUANT_PROBE_RUN | EQUANT_PROBE_WAIT;

	return (profile->features & needed) == needed;
}

double run_profile_share(const struct equant_profile *profile)
{
	double run = profile->outside.run_ns, wait = profile->outside.wait_ns;

	return tells_shares(profile) && run > 0 ? run / (run + wait) : NAN;
}

void run_profile_figures_of(struct run_profile_figures *figures, const struct run_profile *first,
			    const struct run_profile *end)
{
	double run = 0, shares = 0;
	bool known = true;

	*figures = (struct run_profile_figures){ .ranks = first->profile.ranks,
						 .left = (int)(end - first),
						 .longest = -1,
						 .shortest = HUGE_VAL };
	for (const struct run_profile *p = first; p < end; p++) {
		const struct equant_profile *profile = &p->profile;
		double busy = (profile->outside.run_ns + profile->outside.wait_ns) / 1e9;
		double share = run_profile_share(profile);

		known = known && tells_shares(profile);
		figures->finished += profile->finished != 0;
		figures->elapsed = fmax(figures->elapsed, profile->elapsed_ns / 1e9);
		run += profile->outside.run_ns / 1e9;
		shares += isnan(share) ? 1 : share;
		if (busy > figures->longest) {
			figures->longest = busy;
			figures->longest_rank = profile->rank;
		}
		if (busy < figures->shortest) {
			figures->shortest = busy;
			figures->shortest_rank = profile->rank;
		}
	}
	figures->spread = run / shares;
	if (!known)
		figures->longest = figures->shortest = figures->spread = NAN;
}
