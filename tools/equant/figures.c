// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What a loop's account adds up to.
 *
 * Efficiency: B. S. Siegell, Automatic Generation of Parallel Programs with Dynamic Load
 * Balancing for a Network of Workstations, CMU-CS-95-168, 1995, section 1.5:
 *
 *	t_sequential / (P t_elapsed)				(1.2)
 *	t_sequential / (P t_elapsed - sum over i of compete_i)	(1.4)
 *
 * t_sequential is not measured by a separate run: it is the CPU time that the ranks spent inside
 * compute sections, which the same work on one such CPU would take.  compete_i is what the loads
 * beside the job took while the loop ran; where none were started, the time that the ranks had to
 * wait for a CPU.  The first counts time that the job left to the loads by waiting for messages
 * as not available, as the thesis does.
 *
 * Limit: with rank i's speed v_i (units per on-CPU second) and share s_i, work W cannot be done
 * before W / (sum over i of v_i s_i).
 */
#include <math.h>
#include <string.h>

#include "run.h"

static bool measured(const struct equant_stats *stats)
{
	return strcmp(stats->probe, "clock") != 0;
}

double run_share(const struct equant_stats *stats)
{
	double wanted = stats->run + stats->wait;

	return measured(stats) && wanted > 0 ? stats->run / wanted : NAN;
}

/* Other sources count CPU time as the kernel does, which leaves both out. */
double run_stolen(const struct equant_stats *stats)
{
	bool exact = !strcmp(stats->probe, "kmod") || !strcmp(stats->probe, "bpf");

	if (!exact || stats->total_run <= 0)
		return NAN;
	return fmax(0, stats->total_run - stats->total_cpu) / stats->total_run;
}

static double end_ns(const struct equant_stats *stats)
{
	return stats->first_ns + stats->elapsed * 1e9;
}

/* By the ranks of this host: on others the clock began at another time. */
static double taken_by_loads(const struct run_loop *loop, const struct run_result *result)
{
	double begin = result->began * 1e9, end = begin + result->elapsed * 1e9;
	double from = HUGE_VAL, to = 0, sum = 0;

	for (int i = 0; i < loop->header.ranks; i++) {
		if (loop->stats[i].first_ns < begin || end_ns(&loop->stats[i]) > end)
			continue;
		from = fmin(from, loop->stats[i].first_ns);
		to = fmax(to, end_ns(&loop->stats[i]));
	}
	if (to <= from)
		return NAN;
	for (int i = 0; i < result->nr_loads; i++)
		sum += competitor_cpu(&result->loads[i], from, to);
	return sum;
}

static double limit_of(const struct run_loop *loop)
{
	double possible = 0, computed = 0;

	for (int i = 0; i < loop->header.ranks; i++) {
		const struct equant_stats *stats = &loop->stats[i];

		if (stats->computed == 0)
			continue;
		computed += stats->computed;
		possible += stats->computed / stats->run * run_share(stats);
	}
	return possible > 0 ? computed / possible : NAN;
}

void run_figures_of(struct run_loop *loop, const struct run_result *result)
{
	struct run_figures *figures = &loop->figures;
	double processors;

	*figures = (struct run_figures){ .from_loads = result->nr_loads > 0 };
	for (int i = 0; i < loop->header.ranks; i++) {
		const struct equant_stats *stats = &loop->stats[i];

		figures->elapsed = fmax(figures->elapsed, stats->elapsed);
		figures->productive += measured(stats) ? stats->run : NAN;
		figures->computed += stats->computed;
		figures->waited += measured(stats) ? fmax(stats->total_wait, stats->wait) : NAN;
	}
	figures->compete = result->nr_loads ? taken_by_loads(loop, result) : figures->waited;
	processors = loop->header.ranks * figures->elapsed;
	figures->efficiency_lower = processors > 0 ? figures->productive / processors : NAN;
	figures->efficiency = processors > figures->compete ?
				      figures->productive / (processors - figures->compete) :
				      NAN;
	figures->limit = limit_of(loop);
}
