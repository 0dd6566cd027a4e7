// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * equant report: from the traces of a loop to a table, a time line, JSON, SVG, a trace viewer.
 */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "commands.h"
#include "json.h"
#include "option.h"
#include "output.h"
#include "perfetto.h"
#include "plain.h"
#include "rank_trace.h"
#include "traces.h"

#define CELL 16
#define MAX_WIDTH 1000

struct report_options {
	bool json;
	const char *svg;
	const char *perfetto;
	int width;
};

/* A number in a cell; "-" where it is not known. */
static const char *cell(char text[CELL], const char *format, double value)
{
	if (isfinite(value))
		snprintf(text, CELL, format, value);
	else
		snprintf(text, CELL, "-");
	return text;
}

/* Four digits where they fit beside the other columns. */
static const char *speed_cell(char text[CELL], double speed)
{
	if (speed >= 1e4 && speed < 9.9999995e6)
		return cell(text, "%.0f", speed);
	return cell(text, !speed || (speed >= 1e-3 && speed < 1e4) ? "%.4g" : "%.1e", speed);
}

/* Efficiency of all ranks together, eq. 1.4. */
static double efficiency(const struct rank_traces *set)
{
	double run = 0.0, available = 0.0;

	for (int i = 0; i < set->count; i++) {
		run += set->traces[i].figures.run;
		available += set->traces[i].figures.elapsed - set->traces[i].figures.competed;
	}
	return available > 0.0 ? run / available : NAN;
}

static double longest(const struct rank_traces *set)
{
	double elapsed = 0.0;

	for (int i = 0; i < set->count; i++)
		elapsed = fmax(elapsed, set->traces[i].figures.elapsed);
	return elapsed;
}

static void print_rank(const struct rank_trace *trace)
{
	const struct rank_figures *f = &trace->figures;
	char run[CELL], wait[CELL], share[CELL], speed[CELL], quantum[CELL], eff[CELL], bal[CELL],
		mov[CELL];

	printf("%4d %6ld %6s %6s %5s %7s %5s %5s %6ld %5.0f %5s %4s", trace->header.rank, f->units,
	       cell(run, "%.2f", f->run), cell(wait, "%.2f", f->wait),
	       cell(share, "%.3f", f->share), speed_cell(speed, f->speed),
	       cell(quantum, "%.2f", f->quantum * 1e3), cell(eff, "%.3f", f->efficiency), f->phases,
	       f->moved, cell(bal, "%.2f", 100.0 * f->interact / f->elapsed),
	       cell(mov, "%.1f", 100.0 * f->moving / f->elapsed));
	if (f->dropped < 0)
		printf(" %4s\n", "cut");
	else
		printf(" %4ld\n", f->dropped);
}

static void print_notes(const struct rank_traces *set)
{
	char text[PLAIN_SIZE(sizeof(((struct equant_event *)0)->u.fallback.text))];

	if (set->missing)
		printf("%d of %d ranks have no trace here.\n", set->missing,
		       set->traces[0].header.ranks);
	for (int i = 0; i < set->count; i++) {
		const struct rank_trace *trace = &set->traces[i];

		if (trace->figures.dropped < 0)
			printf("%s: has no end, the rank was killed; what follows its last event is unknown.\n",
			       trace->path);
		for (size_t j = 0; j < trace->count; j++)
			if (trace->events[j].type == EQUANT_EVENT_FALLBACK)
				printf("rank %d: %s\n", trace->header.rank,
				       plain_text(text, sizeof(text),
						  trace->events[j].u.fallback.text));
	}
}

static int print_text(const struct rank_traces *set, int width)
{
	const struct equant_trace_header *header = &set->traces[0].header;
	char eff[CELL], loop[PLAIN_SIZE(sizeof(header->loop))];
	char probe[PLAIN_SIZE(sizeof(header->probe))];

	printf("Loop \"%s\": %ld units on %d ranks, probe %s, %.3f s, efficiency %s\n\n",
	       plain_text(loop, sizeof(loop), header->loop), (long)header->units, header->ranks,
	       plain_text(probe, sizeof(probe), header->probe), longest(set),
	       cell(eff, "%.3f", efficiency(set)));
	printf("%4s%7s%7s%7s%6s%8s%6s%6s%7s%6s%6s%5s%5s\n", "rank", "units", "run s", "wait s",
	       "share", "speed", "q ms", "eff", "phases", "moved", "bal%", "mov%", "drop");
	for (int i = 0; i < set->count; i++)
		print_rank(&set->traces[i]);
	printf("\n");
	print_notes(set);
	return rank_traces_draw(stdout, set, width);
}

static void json_rank(struct json *json, const struct rank_trace *trace)
{
	const struct rank_figures *f = &trace->figures;

	json_open_object(json, NULL);
	json_integer(json, "rank", trace->header.rank);
	json_string(json, "file", trace->path);
	json_string(json, "probe", trace->header.probe);
	json_integer(json, "units", f->units);
	json_number(json, "computed", f->computed);
	json_number(json, "elapsed", f->elapsed);
	json_number(json, "run", f->run);
	json_number(json, "wait", f->wait);
	json_number(json, "competed", f->competed);
	json_number(json, "share", f->share);
	json_number(json, "speed", f->speed);
	json_number(json, "efficiency", f->efficiency);
	json_number(json, "quantum", f->quantum);
	json_integer(json, "phases", f->phases);
	json_integer(json, "grain", f->grain);
	json_number(json, "moved", f->moved);
	json_number(json, "balancing", f->interact);
	json_number(json, "moving", f->moving);
	json_integer(json, "fallbacks", f->fallbacks);
	json_number(json, "dropped", f->dropped < 0 ? NAN : (double)f->dropped);
	json_bool(json, "complete", f->dropped >= 0);
	json_close_object(json);
}

static void print_json(const struct rank_traces *set)
{
	const struct equant_trace_header *header = &set->traces[0].header;
	struct json json = { .out = stdout };

	json_open_object(&json, NULL);
	json_string(&json, "loop", header->loop);
	json_integer(&json, "units", (long)header->units);
	json_integer(&json, "ranks", header->ranks);
	json_integer(&json, "missing", set->missing);
	json_number(&json, "elapsed", longest(set));
	json_number(&json, "efficiency", efficiency(set));
	json_open_array(&json, "traces");
	for (int i = 0; i < set->count; i++)
		json_rank(&json, &set->traces[i]);
	json_close_array(&json);
	json_close_object(&json);
}

static int write_svg(const struct rank_traces *set, const char *path)
{
	struct timeline timeline;
	FILE *out = output_open("report", path);
	int ret;

	if (!out)
		return 1;
	ret = rank_traces_timeline(set, &timeline);
	ret = output_close(out, "report", path, ret || timeline_svg(out, &timeline));
	rank_traces_timeline_release(&timeline);
	return ret;
}

static int write_perfetto(const struct rank_traces *set, const char *path)
{
	FILE *out = output_open("report", path);
	int ret;

	if (!out)
		return 1;
	ret = perfetto_write(out, set);
	if (ret == -ENOMEM)
		errno = ENOMEM;
	return output_close(out, "report", path, ret);
}

static int parse(int argc, char **argv, struct report_options *options)
{
	static const struct option known[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "svg", required_argument, NULL, 's' },
		{ "perfetto", required_argument, NULL, 'p' },
		{ "width", required_argument, NULL, 'w' },
		{ 0 },
	};
	const struct named_option width = { "report", "width" };
	int c;

	optind = 0;
	while ((c = option_next(argc, argv, known, NULL)) != -1) {
		if (c == 'j')
			options->json = true;
		else if (c == 's')
			options->svg = optarg;
		else if (c == 'p')
			options->perfetto = optarg;
		else if (c != 'w' || option_whole(&width, optarg, 1, MAX_WIDTH, &options->width))
			return -EINVAL;
	}
	if (optind < argc)
		return optind;
	fprintf(stderr, "equant report: no trace named; see `equant help report`\n");
	return -EINVAL;
}

static int show(const struct rank_traces *set, const struct report_options *options)
{
	int ret = 0;

	if (options->svg)
		ret = write_svg(set, options->svg);
	if (!ret && options->perfetto)
		ret = write_perfetto(set, options->perfetto);
	if (ret)
		return ret;
	if (options->json)
		print_json(set);
	else
		ret = print_text(set, options->width);
	return output_flush("report") ? 1 : ret;
}

static bool is_directory(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static int report(char **paths, int count, const struct report_options *options)
{
	struct rank_traces set;
	int ret;

	if (rank_traces_load(&set, paths, count))
		return 1;
	ret = show(&set, options);
	rank_traces_release(&set);
	return ret ? 1 : 0;
}

/* What `equant run --profile` leaves there, and no trace. */
static bool has_only_profiles(const char *directory)
{
	DIR *dir = opendir(directory);
	int profiles = 0, traces = 0;
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		const char *dot = strrchr(entry->d_name, '.');

		/* A shell's own .profile is none. */
		if (!dot || dot == entry->d_name)
			continue;
		profiles += !strcmp(dot, ".profile");
		traces += !strcmp(dot, ".trace");
	}
	if (dir)
		closedir(dir);
	return profiles && !traces;
}

static int report_directory(const char *directory, const struct report_options *options)
{
	char **paths;
	int count, ret;

	if (has_only_profiles(directory)) {
		if (!options->svg && !options->perfetto)
			return equant_report_profiles(directory, options->json);
		fprintf(stderr,
			"equant report: %s: --svg and --perfetto are of traces, there are profiles\n",
			directory);
		return 1;
	}
	count = traces_list(directory, &paths);

	if (count < 0)
		return 1;
	ret = report(paths, count, options);
	traces_free_list(paths);
	return ret;
}

int equant_cmd_report(int argc, char **argv)
{
	struct report_options options = { 0 };
	int first = parse(argc, argv, &options);

	if (first < 0)
		return EQUANT_EXIT_USAGE;
	if (argc - first == 1 && is_directory(argv[first]))
		return report_directory(argv[first], &options);
	return report(argv + first, argc - first, &options);
}
