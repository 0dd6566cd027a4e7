// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Where the time of ranks went, as text and as JSON.
 */
#include <math.h>
#include <string.h>

#include <equant/probe.h>

#include "json.h"
#include "plain.h"
#include "run.h"

#define MUCH 0.02 /* of the time, to tell calls */
#define MUCH_SLEEP 0.1 /* and asleep outside of MPI */
#define LEAST_SLEEP 1e6 /* ns */

static bool tells(const struct equant_profile *profile, unsigned int feature)
{
	return profile->features & feature;
}

static double asleep_ns(const struct equant_profile *profile,
			const struct equant_profile_time *time)
{
	if (!tells(profile, EQUANT_PROBE_RUN) || !tells(profile, EQUANT_PROBE_WAIT))
		return NAN;
	return (double)(time->wall_ns - time->run_ns - time->wait_ns);
}

/* ---- text ---------------------------------------------------------------------------------- */

static void print_time(FILE *out, const struct equant_profile *profile,
		       const struct equant_profile_time *time)
{
	double percent = profile->elapsed_ns ? 100.0 / (double)profile->elapsed_ns : NAN;
	char wall[RUN_CELL], run[RUN_CELL], wait[RUN_CELL], asleep[RUN_CELL];

	fprintf(out, " %6s %5s %5s %5s", run_cell(wall, "%.1f%%", time->wall_ns * percent),
		run_cell(run, "%.1f",
			 tells(profile, EQUANT_PROBE_RUN) ? time->run_ns * percent : NAN),
		run_cell(wait, "%.1f",
			 tells(profile, EQUANT_PROBE_WAIT) ? time->wait_ns * percent : NAN),
		run_cell(asleep, "%.1f", asleep_ns(profile, time) * percent));
}

/* Whoever did not finish is where it was last seen to go, until all ends. */
static double stayed(const struct equant_profile *profile, double end)
{
	return fmax(0, end - (profile->start_ns + profile->elapsed_ns) / 1e9);
}

static void print_end(FILE *out, const struct equant_profile *profile, double end)
{
	char call[PLAIN_SIZE(sizeof(profile->call))];

	if (!profile->finished)
		fprintf(out, ", did not finish: %s %s for the last %.2f s",
			profile->is_inside ? "in" : "outside of",
			profile->is_inside ? plain_text(call, sizeof(call), profile->call) : "MPI",
			stayed(profile, end));
	fputc('\n', out);
}

/* Of a CPU, by the thread whose time is told. */
static double run_part(const struct equant_profile *profile)
{
	return (double)(profile->outside.run_ns + profile->inside.run_ns) /
	       (double)profile->elapsed_ns;
}

static double cpus_of(const struct equant_profile *profile)
{
	return profile->counted_ns ? (double)profile->cpu_ns / (double)profile->counted_ns : NAN;
}

static void print_rank(FILE *out, const struct equant_profile *profile, double end)
{
	char share[RUN_CELL], quantum[RUN_CELL], host[PLAIN_SIZE(sizeof(profile->host))];
	double seconds = profile->elapsed_ns ? profile->elapsed_ns / 1e9 : NAN;
	char cpus[RUN_CELL], calls[RUN_CELL];

	fprintf(out, "%4d", profile->rank);
	print_time(out, profile, &profile->outside);
	print_time(out, profile, &profile->inside);
	fprintf(out, " %5s %7s %5s %7s  %s", run_cell(share, "%.3f", run_profile_share(profile)),
		run_cell(quantum, "%.2fms", profile->quantum_ns ? profile->quantum_ns / 1e6 : NAN),
		run_cell(cpus, "%.2f", cpus_of(profile)),
		run_cell(calls, "%.3g", profile->calls / seconds),
		plain_text(host, sizeof(host), profile->host));
	print_end(out, profile, end);
}

static void print_probes(FILE *out, const struct run_profile *first, const struct run_profile *end)
{
	char probe[PLAIN_SIZE(sizeof(first->profile.probe))];
	bool same = true;

	for (const struct run_profile *p = first; p < end; p++)
		same = same && !strcmp(p->profile.probe, first->profile.probe);
	for (const struct run_profile *p = first; p < (same ? first + 1 : end); p++)
		fprintf(out, "%s %s", p > first ? "," : ", measured with",
			plain_text(probe, sizeof(probe), p->profile.probe));
	for (const struct run_profile *p = first; p < end; p++)
		if (p->profile.fallbacks)
			fprintf(out, "; rank %d lost its probe %u time%s", p->profile.rank,
				p->profile.fallbacks, p->profile.fallbacks == 1 ? "" : "s");
}

/* What else the numbers of a rank come from. */
static void print_doubts(FILE *out, const struct equant_profile *profile, int ranks)
{
	double cost = (double)profile->calls * profile->call_ns;
	double asleep = asleep_ns(profile, &profile->outside);
	double others = (cpus_of(profile) - run_part(profile)) * (double)profile->elapsed_ns;

	if (profile->finished && !profile->calls && ranks > 1)
		fprintf(out,
			"rank %d: no calls are told: another thread makes them, or functions of the program's own, or there are none\n",
			profile->rank);
	/* It ended before there was anything to tell. */
	if (!profile->elapsed_ns)
		return;
	if (cost >= MUCH * (double)profile->elapsed_ns)
		fprintf(out,
			"rank %d: so many calls that to tell them takes some %.0f %% of the time, half of it outside of MPI\n",
			profile->rank, 100 * cost / (double)profile->elapsed_ns);
	/* Nor where it is not known. */
	if (!(asleep >= LEAST_SLEEP && asleep >= MUCH_SLEEP * (double)profile->elapsed_ns))
		return;
	if (others >= MUCH_SLEEP * (double)profile->elapsed_ns)
		fprintf(out,
			"rank %d: slept %.3f s outside of MPI, and its other threads computed for %.3f s\n",
			profile->rank, asleep / 1e9, others / 1e9);
	else
		fprintf(out,
			"rank %d: slept %.3f s outside of MPI: for the disk, say, or in waits of equant\n",
			profile->rank, asleep / 1e9);
}

static void print_figures(FILE *out, const struct run_profile_figures *figures)
{
	fprintf(out,
		"outside of MPI, rank %d wanted a CPU longest, %.3f s, and rank %d shortest, %.3f s;\n"
		"spread by the shares that they had, that is %.3f s each\n",
		figures->longest_rank, figures->longest, figures->shortest_rank, figures->shortest,
		figures->spread);
}

/* @when: seconds, when the command ended */
static void print_job(FILE *out, const struct run_profile *first, const struct run_profile *end,
		      double when)
{
	struct run_profile_figures figures;
	bool finished;

	run_profile_figures_of(&figures, first, end);
	finished = figures.finished == figures.left;
	fprintf(out, "\nprofile of %d rank%s, %.3f s from MPI_Init %s", figures.ranks,
		figures.ranks == 1 ? "" : "s", figures.elapsed,
		finished ? "to MPI_Finalize" : "on");
	print_probes(out, first, end);
	fputc('\n', out);
	if (figures.left < figures.ranks)
		fprintf(out,
			"%d of them left none: where they are the directory is not (EQUANT_REPORT), or they did not load %s\n",
			figures.ranks - figures.left, RUN_PROFILE_LIBRARY);
	fprintf(out, "%19s %24s\n", "outside of MPI", "in MPI");
	fprintf(out, "%4s %6s %5s %5s %5s %6s %5s %5s %5s %5s %7s %5s %7s  %s\n", "rank", "time",
		"run", "wait", "sleep", "time", "run", "wait", "sleep", "share", "quantum", "CPUs",
		"calls/s", "host");
	for (const struct run_profile *p = first; p < end; p++)
		print_rank(out, &p->profile, when);
	for (const struct run_profile *p = first; p < end; p++)
		print_doubts(out, &p->profile, figures.ranks);
	if (isfinite(figures.spread) && figures.ranks > 1)
		print_figures(out, &figures);
}

/* When the command ended; where that is not known, not before any of the job's ranks was last seen. */
static double ended(const struct run_result *result, int first, int end)
{
	double last = 0;

	if (result->ended > 0)
		return result->ended;
	for (int i = first; i < end; i++) {
		const struct equant_profile *profile = &result->profiles[i].profile;

		last = fmax(last, (double)(profile->start_ns + profile->elapsed_ns) / 1e9);
	}
	return last;
}

void run_print_profiles(FILE *out, const struct run_result *result)
{
	if (result->profiled && !result->nr_profiles)
		fprintf(out,
			"no profile: no rank has come to initialise MPI with %s loaded before its program, and could write one\n",
			RUN_PROFILE_LIBRARY);
	for (int first = 0, next; first < result->nr_profiles; first = next) {
		next = run_profile_next(result, first);
		print_job(out, &result->profiles[first], &result->profiles[next],
			  ended(result, first, next));
	}
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static void put_time(struct json *json, const char *name, const struct equant_profile *profile,
		     const struct equant_profile_time *time)
{
	json_open_object(json, name);
	json_number(json, "wall", time->wall_ns / 1e9);
	json_number(json, "run", tells(profile, EQUANT_PROBE_RUN) ? time->run_ns / 1e9 : NAN);
	json_number(json, "wait", tells(profile, EQUANT_PROBE_WAIT) ? time->wait_ns / 1e9 : NAN);
	json_number(json, "asleep", asleep_ns(profile, time) / 1e9);
	json_close_object(json);
}

static void put_rank(struct json *json, const struct equant_profile *profile, double end)
{
	json_open_object(json, NULL);
	json_integer(json, "rank", profile->rank);
	json_string(json, "host", profile->host);
	json_number(json, "cpu", profile->cpu < 0 ? NAN : profile->cpu);
	json_string(json, "probe", profile->probe);
	json_integer(json, "fallbacks", profile->fallbacks);
	json_bool(json, "finished", profile->finished);
	json_bool(json, "is_inside", profile->is_inside);
	json_number(json, "stayed", profile->finished ? NAN : stayed(profile, end));
	json_number(json, "elapsed", profile->elapsed_ns / 1e9);
	put_time(json, "outside", profile, &profile->outside);
	put_time(json, "inside", profile, &profile->inside);
	json_number(json, "share", run_profile_share(profile));
	json_number(json, "quantum", profile->quantum_ns ? profile->quantum_ns / 1e9 : NAN);
	json_number(json, "cpu_time", profile->counted_ns ? profile->cpu_ns / 1e9 : NAN);
	json_number(json, "preemptions", profile->counted_ns ? (double)profile->preemptions : NAN);
	json_integer(json, "calls", (long)profile->calls);
	json_number(json, "call_cost", profile->call_ns / 1e9);
	json_string(json, "call", profile->call);
	json_close_object(json);
}

static void put_job(struct json *json, const struct run_profile *first,
		    const struct run_profile *end, double when)
{
	struct run_profile_figures figures;

	run_profile_figures_of(&figures, first, end);
	json_open_object(json, NULL);
	json_integer(json, "size", figures.ranks);
	json_integer(json, "left", figures.left);
	json_integer(json, "finished", figures.finished);
	json_number(json, "elapsed", figures.elapsed);
	json_number(json, "longest", figures.longest);
	json_number(json, "shortest", figures.shortest);
	json_number(json, "spread", figures.spread);
	json_open_array(json, "ranks");
	for (const struct run_profile *p = first; p < end; p++)
		put_rank(json, &p->profile, when);
	json_close_array(json);
	json_close_object(json);
}

void run_put_profiles(struct json *json, const struct run_result *result)
{
	json_open_array(json, "profiles");
	for (int first = 0, next; first < result->nr_profiles; first = next) {
		next = run_profile_next(result, first);
		put_job(json, &result->profiles[first], &result->profiles[next],
			ended(result, first, next));
	}
	json_close_array(json);
}
