// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The account of a job as text.
 */
#include <math.h>
#include <string.h>

#include <equant/equant.h>

#include "plain.h"
#include "run.h"

const char *run_cell(char *text, const char *format, double value)
{
	if (isfinite(value))
		snprintf(text, RUN_CELL, format, value);
	else
		snprintf(text, RUN_CELL, "-");
	return text;
}

static const char *percent(char *text, double part, double whole)
{
	double value = whole > 0 ? 100 * part / whole : NAN;

	return run_cell(text, isfinite(value) && value < 0.995 ? "%.2f%%" : "%.1f%%", value);
}

static const char *milliseconds(char *text, double seconds)
{
	return run_cell(text, "%.2fms", seconds > 0 ? seconds * 1e3 : NAN);
}

static const char *speed_cell(char *text, double speed)
{
	return run_cell(text, speed < 1e6 ? "%.1f" : "%.3g", speed > 0 ? speed : NAN);
}

static void print_rank(FILE *out, const struct equant_stats *s)
{
	char share[RUN_CELL], speed[RUN_CELL], quantum[RUN_CELL], stolen[RUN_CELL],
		balancing[RUN_CELL], waiting[RUN_CELL], moving[RUN_CELL];

	fprintf(out, "%4d %5ld %8ld %5s %8s %7s %6s %6s %5s %5s %+5ld %+5ld\n", s->rank, s->units,
		s->computed, run_cell(share, "%.3f", run_share(s)), speed_cell(speed, s->speed),
		milliseconds(quantum, s->quantum), percent(stolen, run_stolen(s), 1),
		percent(balancing, s->balancing, s->elapsed),
		percent(waiting, s->waiting, s->elapsed), percent(moving, s->moving, s->elapsed),
		s->received, -s->sent);
}

static void print_probes(FILE *out, const struct run_loop *loop)
{
	const struct equant_stats *stats = loop->stats;
	char probe[PLAIN_SIZE(sizeof(stats->probe))];
	bool same = true;

	for (int i = 1; i < loop->header.ranks; i++)
		same = same && !strcmp(stats[i].probe, stats[0].probe);
	fprintf(out, "measured with");
	for (int i = 0; i < (same ? 1 : loop->header.ranks); i++)
		fprintf(out, "%s %s", i ? "," : "",
			plain_text(probe, sizeof(probe), stats[i].probe));
	for (int i = 0; i < loop->header.ranks; i++) {
		if (stats[i].fallbacks)
			fprintf(out, "; rank %d lost its probe %ld time%s", i, stats[i].fallbacks,
				stats[i].fallbacks == 1 ? "" : "s");
		if (stats[i].dropped)
			fprintf(out, "; rank %d dropped %ld trace events", i, stats[i].dropped);
	}
	fputc('\n', out);
}

static void print_figures(FILE *out, const struct run_figures *figures)
{
	char efficiency[RUN_CELL], lower[RUN_CELL], compete[RUN_CELL], limit[RUN_CELL],
		reached[RUN_CELL];

	fprintf(out, "efficiency %s by eq. 1.4 (%s by eq. 1.2); %s %s s\n",
		run_cell(efficiency, "%.3f", figures->efficiency),
		run_cell(lower, "%.3f", figures->efficiency_lower),
		figures->from_loads ? "the loads took" : "ranks waited for a CPU",
		run_cell(compete, "%.3f", figures->compete));
	if (isfinite(figures->limit))
		fprintf(out, "%s of the limit: the shares allowed %s s\n",
			percent(reached, figures->limit, figures->elapsed),
			run_cell(limit, "%.3f", figures->limit));
	else
		fputs("limit unknown: shares were not measured\n", out);
}

static void print_grain(FILE *out, const struct equant_stats *stats)
{
	if (stats->uneven)
		fprintf(out,
			"work between hooks is below the grain and ranks poll: split accordingly in %ld of %ld phases\n",
			stats->uneven, stats->phases);
}

/* By what it was balanced: with wall time alone nothing is predicted. */
static const char *balanced_by(const struct run_loop *loop)
{
	bool measured = true;

	if (!loop->header.balanced)
		return "not balanced";
	for (int i = 0; i < loop->header.ranks; i++)
		measured = measured && !strcmp(loop->stats[i].probe, "clock") &&
			   !loop->stats[i].fallbacks;
	return measured || loop->header.rate == EQUANT_RATE_MEASURED ?
		       "balanced by measured rates" :
		       "balanced by predicted rates";
}

static void print_loop(FILE *out, const struct run_loop *loop)
{
	const struct equant_report_header *header = &loop->header;
	char name[PLAIN_SIZE(sizeof(header->loop))];

	fprintf(out, "\nloop %s: %.3f s, %ld units on %d rank%s, %s\n",
		plain_text(name, sizeof(name), header->loop), loop->figures.elapsed,
		(long)header->units, header->ranks, header->ranks == 1 ? "" : "s",
		balanced_by(loop));
	if (header->error)
		fprintf(out, "ended with an error: %s\n", strerror(-header->error));
	print_figures(out, &loop->figures);
	if (loop->stats[0].sweeps)
		fprintf(out, "%ld sweeps, the last in strips of %ld iterations\n",
			loop->stats[0].sweeps, loop->stats[0].block);
	print_probes(out, loop);
	print_grain(out, &loop->stats[0]);
	fprintf(out, "%4s%6s%9s%6s%9s%8s%7s%7s%6s%6s%6s%6s\n", "rank", "units", "computed", "share",
		"units/s", "quantum", "stolen", "phases", "wait", "move", "recv", "sent");
	for (int i = 0; i < header->ranks; i++)
		print_rank(out, &loop->stats[i]);
}

static void print_load(FILE *out, const struct competitor *load)
{
	char cpu[RUN_CELL];

	fprintf(out, "load %s: %s s of CPU in %.3f s%s\n", load->words,
		run_cell(cpu, "%.3f", load->cpu_time), load->elapsed,
		load->ended_early ? ", ended before the job" : "");
}

static void print_machine(FILE *out, const struct machine_time *machine)
{
	char irq[RUN_CELL], steal[RUN_CELL], others[RUN_CELL];

	if (machine->total > 0)
		fprintf(out, "; machine: %s irq, %s steal, %s others",
			percent(irq, machine->irq, machine->total),
			percent(steal, machine->steal, machine->total),
			percent(others, machine->others, machine->total));
}

void run_print_text(FILE *out, const struct run_result *result)
{
	fprintf(out, "\nequant: %.3f s, exit status %d", result->elapsed, result->status);
	print_machine(out, &result->machine);
	fputc('\n', out);
	for (int i = 0; i < result->nr_loads; i++)
		print_load(out, &result->loads[i]);
	run_print_profiles(out, result);
	if (result->nr_loops == 0 && !result->profiled && result->status)
		fputs("no loop reported: the job failed before it freed one, or balances none; --profile tells where its time went\n",
		      out);
	else if (result->nr_loops == 0 && !result->profiled)
		fputs("no loop reported: the program balances none, frees none, or did not finish; --profile tells where its time went\n",
		      out);
	for (int i = 0; i < result->nr_loops; i++)
		print_loop(out, &result->loops[i]);
}
