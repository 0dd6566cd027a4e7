// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The profiles that the ranks of a command's jobs left in a directory, and what they add up to.
 */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <equant/probe.h>

#include "run.h"

#define LEAST_NS 1e7 /* of less time that it wanted a CPU no share is told */

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

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_name_and_start(const void *a, const void *b)
{
	const struct equant_profile *p = &((const struct run_profile *)a)->profile;
	const struct equant_profile *q = &((const struct run_profile *)b)->profile;

	return strcmp(p->job, q->job) ?: compare(p->start_ns, q->start_ns);
}

static int by_job_and_rank(const void *a, const void *b)
{
	const struct run_profile *p = a, *q = b;

	return compare(p->job_start_ns, q->job_start_ns)      ?:
		       strcmp(p->profile.job, q->profile.job) ?:
								p->profile.rank - q->profile.rank;
}

/* @first: the profile of the job that began first; none of the others is before it. */
static bool has_place_for(const struct run_result *result, int first, int new)
{
	const struct equant_profile *wanted = &result->profiles[new].profile;
	const struct run_profile *begun = &result->profiles[first];

	if (strcmp(begun->profile.job, wanted->job))
		return false;
	for (int i = first; i < new; i++) {
		const struct run_profile *other = &result->profiles[i];

		if (other->job_start_ns == begun->job_start_ns &&
		    !strcmp(other->profile.job, wanted->job) &&
		    (other->profile.ranks != wanted->ranks || other->profile.rank == wanted->rank))
			return false;
	}
	return true;
}

/*
 * A job is known by its name, or where whoever started it gave it none, by its ranks: it has one of each
 * number, and they begin together.  Names come again: what there is no place for in a job is another one's,
 * and of jobs that have a place the last.
 */
static uint64_t find_job(const struct run_result *result, int new)
{
	const struct run_profile *all = result->profiles;
	uint64_t found = all[new].profile.start_ns;

	for (int i = 0; i < new; i++) {
		if (all[i].job_start_ns != all[i].profile.start_ns ||
		    !has_place_for(result, i, new))
			continue;
		found = all[i].job_start_ns;
		if (!*all[new].profile.job)
			break;
	}
	return found;
}

static void sort(struct run_result *result)
{
	struct run_profile *all = result->profiles;

	qsort(all, result->nr_profiles, sizeof(*all), by_name_and_start);
	for (int i = 0; i < result->nr_profiles; i++)
		all[i].job_start_ns = find_job(result, i);
	qsort(all, result->nr_profiles, sizeof(*all), by_job_and_rank);
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
	const struct run_profile *all = result->profiles;
	int next = first + 1;

	while (next < result->nr_profiles && all[next].job_start_ns == all[first].job_start_ns &&
	       !strcmp(all[next].profile.job, all[first].profile.job))
		next++;
	return next;
}

static bool tells_shares(const struct equant_profile *profile)
{
	const unsigned int needed = EQUANT_PROBE_RUN | EQUANT_PROBE_WAIT;

	return (profile->features & needed) == needed;
}

static double share_of(const struct equant_profile *profile, double run, double wait)
{
	return tells_shares(profile) && run + wait >= LEAST_NS ? run / (run + wait) : NAN;
}

double run_profile_share(const struct equant_profile *profile)
{
	return share_of(profile, profile->outside.run_ns, profile->outside.wait_ns);
}

/* Whoever is hardly outside has few times to tell the share of its CPU from; that in MPI is of the same one. */
static double share_of_all(const struct equant_profile *profile)
{
	double share = share_of(profile, profile->outside.run_ns + profile->inside.run_ns,
				profile->outside.wait_ns + profile->inside.wait_ns);

	return isnan(share) ? 1 : share;
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

		known = known && tells_shares(profile) && profile->finished && profile->calls;
		figures->finished += profile->finished != 0;
		figures->elapsed = fmax(figures->elapsed, profile->elapsed_ns / 1e9);
		run += profile->outside.run_ns / 1e9;
		shares += share_of_all(profile);
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
	if (!known || figures->left < figures->ranks)
		figures->longest = figures->shortest = figures->spread = NAN;
}
