// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * equant simulate figure: the figures of Siegell 1995 that models and simulations can draw,
 * each a model and its arguments: `equant simulate MODEL ARGUMENTS` gives the same table.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "commands.h"
#include "output.h"
#include "simulate.h"

#define MODEL "figure"
#define WORDS 24
#define LENGTH 160

/**
 * struct figure - a figure, or a panel of one
 * @number: the thesis', with the letter of the panel
 * @model: of equant simulate
 */
struct figure {
	const char *number;
	const char *model;
	const char *arguments;
	const char *shows;
};

#define OSCILLATING(number, program, text, period)                                  \
	{                                                                           \
		number, "program", "--app " program " --period " period,            \
			text ", load of " period " s: no balancing, thesis, equant" \
	}

#define FORMULA(number, program, arguments, text)                       \
	{                                                               \
		number, "predict", "--app " program " " arguments, text \
	}

static const struct figure figures[] = {
	{ "2.5a", "program", "--app mm --load none --compare depth",
	  "MM 500, dedicated: depth of interactions; 1 s, 10 %, state filter, cost-benefit" },
	{ "2.5b", "program", "--app mm --load constant --compare depth", "MM 500, constant load" },
	{ "2.5c", "program", "--app mm --period 60 --compare depth", "MM 500, load of 60 s" },
	{ "2.5d", "program", "--app mm --period 20 --compare depth", "MM 500, load of 20 s" },
	{ "2.5e", "program", "--app mm --period 6 --compare depth", "MM 500, load of 6 s" },
	{ "2.5f", "program", "--app mm --period 2 --compare depth", "MM 500, load of 2 s" },
	{ "3.6", "fill", "--blocks 1:200:1",
	  "upper bound of a pipeline's efficiency, M / (M + P - 1)" },
	{ "3.7a", "pipeline",
	  "--loads 1,1,1,1 --iterations 1000 --sequential 84.19 --fixed 0.02 --per-iteration 0.0001 --block 1:200:1",
	  "SOR 1000 x 1000, 10 iterations, 4 CPUs (costs of messages are ours)" },
	{ "3.7b", "pipeline",
	  "--loads 1,1,1,1 --iterations 1000 --sequential 84.19 --fixed 0.12 --per-iteration 0.0001 --block 1:200:1",
	  "the same, 10 ms added to each message (the delays are ours)" },
	{ "3.7c", "pipeline",
	  "--loads 1,1,1,1 --iterations 1000 --sequential 84.19 --fixed 1.02 --per-iteration 0.0001 --block 1:200:1",
	  "the same, 100 ms added to each message (the delays are ours)" },
	{ "3.8a", "program", "--app sor --load none --ranks 1:8:1 --compare grain",
	  "SOR 1000, dedicated: blocks of 1.5 quanta or chosen" },
	{ "3.8b", "program", "--app sor2000 --load none --ranks 1:8:1 --compare grain",
	  "SOR 2000, dedicated: blocks of 1.5 quanta or chosen" },
	{ "3.10a", "pipeline", "--loads 1,1,1,1 --sequential 200 --block 1:100:1",
	  "pipelines, 200 quanta of work: no load" },
	{ "3.10b", "pipeline", "--loads 2,1,1,1 --sequential 200 --block 1:100:1",
	  "one load on the first CPU" },
	{ "3.10c", "pipeline", "--loads 3,1,1,1 --sequential 200 --block 1:100:1",
	  "two loads on the first CPU" },
	{ "3.10d", "pipeline", "--loads 5,4,3,2 --sequential 200 --block 1:100:1",
	  "loads on all CPUs" },
	{ "3.12a", "timeline", "--grain 0.7 --barriers 10 --equal",
	  "grain of 70 ms, not balanced" },
	{ "3.12b", "timeline", "--grain 0.7 --barriers 10", "grain of 70 ms, balanced" },
	{ "3.13a", "timeline", "--grain 1.4 --barriers 10 --equal",
	  "grain of 140 ms, not balanced" },
	{ "3.13b", "timeline", "--grain 1.4 --barriers 10", "grain of 140 ms, balanced" },
	{ "3.14a", "barrier", "--loads 2,1,1,1 --grain 0.05:5:0.05",
	  "1000 barriers, loads (2,1,1,1)" },
	{ "3.14b", "barrier", "--loads 3,1,1,1 --grain 0.05:5:0.05",
	  "1000 barriers, loads (3,1,1,1)" },
	{ "3.14c", "barrier", "--loads 4,1,1,1 --grain 0.05:5:0.05",
	  "1000 barriers, loads (4,1,1,1)" },
	{ "3.14d", "barrier", "--loads 5,4,3,2 --grain 0.25:20:0.25",
	  "1000 barriers, loads (5,4,3,2)" },
	{ "4.9", "sampling", "--sample 0.1:20:0.1", "scale of the amplitude that sampling leaves" },
	{ "4.10", "sampled", "--time 0:100:0.25", "rates beside one load, by sampling period" },
	{ "4.11", "periods", "--quantum 0.001:0.1:0.001",
	  "bounds of the period (text and numbers of the figure are lost)" },
	{ "4.12", "program", "--app sor --period 60 --compare period",
	  "SOR 1000, load of 60 s: balancing period; not pipelined, 0 %, raw rates, no cost-benefit" },
	{ "5.3", "program", "--app sor --period 60 --compare threshold",
	  "SOR 1000, load of 60 s: threshold of 10 %; not pipelined, 1 s, raw rates, no cost-benefit" },
	{ "5.7", "program", "--app sor --period 60 --compare filter",
	  "SOR 1000, load of 60 s: filters; not pipelined, 1 s, 0 %, no cost-benefit" },
	{ "5.11", "program", "--app sor --period 60 --compare profit",
	  "SOR 1000, load of 60 s: cost-benefit; pipelined, 1 s, 10 %, state filter" },
	{ "7.2", "program", "--app mm --load none", "MM 500, dedicated" },
	{ "7.3", "program", "--app sor --load none", "SOR 1000, dedicated" },
	{ "7.4", "program", "--app sor2000 --load none", "SOR 2000, dedicated" },
	{ "7.5a", "trace", "--app mm --load constant", "MM 500, constant load" },
	{ "7.5b", "trace", "--app sor --load constant", "SOR 1000, constant load" },
	{ "7.5c", "trace", "--app sor2000 --load constant", "SOR 2000, constant load" },
	{ "7.6", "program", "--app mm --load constant", "MM 500, constant load" },
	{ "7.7", "program", "--app sor --load constant", "SOR 1000, constant load" },
	{ "7.8", "program", "--app sor2000 --load constant", "SOR 2000, constant load" },
	OSCILLATING("7.9a", "mm", "MM 500", "60"),
	OSCILLATING("7.9b", "sor", "SOR 1000", "60"),
	OSCILLATING("7.9c", "sor2000", "SOR 2000", "60"),
	OSCILLATING("7.10a", "mm", "MM 500", "20"),
	OSCILLATING("7.10b", "sor", "SOR 1000", "20"),
	OSCILLATING("7.10c", "sor2000", "SOR 2000", "20"),
	OSCILLATING("7.11a", "mm", "MM 500", "6"),
	OSCILLATING("7.11b", "sor", "SOR 1000", "6"),
	OSCILLATING("7.12a", "mm", "MM 500", "2"),
	OSCILLATING("7.12b", "sor", "SOR 1000", "2"),
	OSCILLATING("7.12c", "mm", "MM 500 (not in the thesis)", "0.5"),
	OSCILLATING("7.12d", "sor", "SOR 1000 (not in the thesis)", "0.5"),
	{ "7.13a", "trace", "--app sor --period 60", "SOR 1000, load of 60 s" },
	{ "7.13b", "trace", "--app sor --period 20", "SOR 1000, load of 20 s" },
	{ "7.14", "cycle", "--ranks 4 --period 20",
	  "work of a CPU whose load comes and goes: static" },
	{ "7.16", "cycle", "--ranks 2 --period 20 --move-all 6.91", "the segments of the model" },
	{ "7.15", "oscillating", "--ranks 2:8:1 --period 60",
	  "static divisions (of figure 7.14), table 7.4" },
	{ "7.17", "oscillating", "--ranks 2:8:1 --period 60 --fraction",
	  "the part of the work that moves at a change, eq. 7.9" },
	{ "7.18", "moves", "--ranks 4", "restricted movement through the CPUs between" },
	FORMULA("7.19a", "mm", "--period 60", "MM 500, 60 s"),
	FORMULA("7.19b", "mm", "--period 60 --offset", "MM 500, 60 s"),
	FORMULA("7.19c", "sor", "--period 60", "SOR 1000, 60 s"),
	FORMULA("7.19d", "sor", "--period 60 --offset", "SOR 1000, 60 s"),
	FORMULA("7.19e", "sor2000", "--period 60", "SOR 2000, 60 s"),
	FORMULA("7.19f", "sor2000", "--period 60 --offset", "SOR 2000, 60 s"),
	FORMULA("7.20a", "mm", "--period 20", "MM 500, 20 s"),
	FORMULA("7.20b", "mm", "--period 20 --offset", "MM 500, 20 s"),
	FORMULA("7.20c", "sor", "--period 20", "SOR 1000, 20 s"),
	FORMULA("7.20d", "sor", "--period 20 --offset", "SOR 1000, 20 s"),
	FORMULA("7.20e", "sor2000", "--period 20", "SOR 2000, 20 s"),
	FORMULA("7.20f", "sor2000", "--period 20 --offset", "SOR 2000, 20 s"),
	FORMULA("7.21a", "mm", "--period 60 --offset --late 1",
		"MM 500, 60 s, answers a period later"),
	FORMULA("7.21b", "sor", "--period 60 --offset --late 1",
		"SOR 1000, 60 s, answers a period later"),
	FORMULA("7.21c", "sor2000", "--period 60 --offset --late 1",
		"SOR 2000, 60 s, answers a period later"),
	FORMULA("7.22a", "mm", "--period 20 --offset --late 1",
		"MM 500, 20 s, answers a period later"),
	FORMULA("7.22b", "sor", "--period 20 --offset --late 1",
		"SOR 1000, 20 s, answers a period later"),
	FORMULA("7.22c", "sor2000", "--period 20 --offset --late 1",
		"SOR 2000, 20 s, answers a period later"),
	FORMULA("7.23a", "mm", "--period 60 --offset --late 1 --costs 1.25",
		"MM 500, 60 s, a period later, moves 25 % dearer"),
	FORMULA("7.23b", "sor", "--period 60 --offset --late 1 --costs 1.25",
		"SOR 1000, 60 s, a period later, moves 25 % dearer"),
	FORMULA("7.23c", "sor2000", "--period 60 --offset --late 1 --costs 1.25",
		"SOR 2000, 60 s, a period later, moves 25 % dearer"),
	FORMULA("7.24a", "sor", "--period 20 --offset --unrestricted",
		"SOR 1000, 20 s, unrestricted moves"),
	FORMULA("7.24b", "sor2000", "--period 20 --offset --unrestricted",
		"SOR 2000, 20 s, unrestricted moves"),
	{ "7.25a", "trace", "--app sor2000 --period 20 --ranks 2",
	  "SOR 2000, load of 20 s, 2 CPUs" },
	{ "7.25b", "trace", "--app sor2000 --period 20 --ranks 3",
	  "SOR 2000, load of 20 s, 3 CPUs" },
	{ "7.25c", "trace", "--app sor2000 --period 20 --ranks 4",
	  "SOR 2000, load of 20 s, 4 CPUs" },
	{ "7.25d", "trace", "--app sor2000 --period 20 --ranks 5",
	  "SOR 2000, load of 20 s, 5 CPUs" },
	{ "7.25e", "trace", "--app sor2000 --period 20 --ranks 6",
	  "SOR 2000, load of 20 s, 6 CPUs" },
	{ "7.26", "trace", "--app sor --period 2", "SOR 1000, load of 2 s" },
	{ "lu-none", "program", "--app lu --load none", "LU 500, dedicated (not in the thesis)" },
	{ "lu-constant", "program", "--app lu --load constant",
	  "LU 500, constant load (not in the thesis)" },
	{ "lu-20", "program", "--app lu --period 20", "LU 500, load of 20 s (not in the thesis)" },
	{ "lu-6", "program", "--app lu --period 6", "LU 500, load of 6 s (not in the thesis)" },
	{ "lu-2", "program", "--app lu --period 2", "LU 500, load of 2 s (not in the thesis)" },
	{ "lu-0.5", "program", "--app lu --period 0.5",
	  "LU 500, load of 0.5 s (not in the thesis)" },
};

#define FIGURES ((int)(sizeof(figures) / sizeof(figures[0])))

struct figure_options {
	const char *number;
	const char *dir;
	const char *svg;
	bool json;
	bool list;
};

/* "7.9" is all of 7.9a to 7.9c, "7.9b" one, "all" every one. */
static bool asked(const struct figure_options *o, const struct figure *figure)
{
	size_t length = strlen(o->number);

	if (!strcmp(o->number, "all"))
		return true;
	return !strncmp(figure->number, o->number, length) &&
	       (!figure->number[length] ||
		(figure->number[length] >= 'a' && figure->number[length] <= 'f' &&
		 !figure->number[length + 1]));
}

static int fill(const struct figure *figure, struct table *table)
{
	char text[LENGTH], title[sizeof(table->title)], *words[WORDS], *rest;
	int count = 1, error;

	words[0] = (char *)figure->model;
	snprintf(text, sizeof(text), "%s", figure->arguments);
	for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		words[count++] = word;
	error = simulate_model(figure->model, count, words, table);
	if (error)
		return error;
	snprintf(title, sizeof(title), "%s", table->title);
	snprintf(table->title, sizeof(table->title), "Figure %.12s: %.200s", figure->number,
		 figure->shows);
	if (!table->note[0])
		snprintf(table->note, sizeof(table->note), "%s", title);
	return 0;
}

static int write_json(const struct table *table, const char *number, const char *path)
{
	FILE *out = output_open("simulate figure", path);

	if (!out)
		return 1;
	table_json(out, table, number);
	return output_close(out, "simulate figure", path, false);
}

static int write_both(const struct table *table, const char *number, const char *dir)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s.json", dir, number);
	if (write_json(table, number, path))
		return 1;
	snprintf(path, sizeof(path), "%s/%s.svg", dir, number);
	return table_draw(table, "simulate", path);
}

static int show(const struct figure_options *o, const struct figure *figure)
{
	struct table table = { 0 };
	int ret = fill(figure, &table);

	if (ret)
		fprintf(stderr, "equant simulate figure: %s: %s\n", figure->number, strerror(-ret));
	else if (o->dir)
		ret = write_both(&table, figure->number, o->dir);
	else
		ret = table_show(&table, "simulate figure", o->json ? figure->number : NULL, NULL);
	if (!ret && o->svg)
		ret = table_draw(&table, "simulate figure", o->svg);
	table_release(&table);
	return ret ? 1 : 0;
}

static int list(void)
{
	for (int i = 0; i < FIGURES; i++)
		printf("%-12s %s\n%-12s equant simulate %s %s\n", figures[i].number,
		       figures[i].shows, "", figures[i].model, figures[i].arguments);
	return output_flush("simulate figure");
}

static int parse(int argc, char **argv, struct figure_options *o)
{
	for (int i = 1; i < argc; i++) {
		bool takes = !strcmp(argv[i], "--dir") || !strcmp(argv[i], "--svg");

		if (takes && i + 1 == argc)
			return simulate_fail(MODEL, "%s: the value is missing", argv[i]);
		if (!strcmp(argv[i], "--list"))
			o->list = true;
		else if (!strcmp(argv[i], "--json"))
			o->json = true;
		else if (!strcmp(argv[i], "--dir"))
			o->dir = argv[++i];
		else if (!strcmp(argv[i], "--svg"))
			o->svg = argv[++i];
		else if (argv[i][0] != '-' && !o->number)
			o->number = argv[i];
		else
			return simulate_fail(MODEL, "unexpected argument '%s'", argv[i]);
	}
	if (o->list && (o->number || o->json || o->dir || o->svg))
		return simulate_fail(MODEL, "--list goes with nothing else");
	if (o->dir && o->json)
		return simulate_fail(MODEL, "--dir and --json: a directory has both, JSON and SVG");
	if (!o->number && !o->list)
		return simulate_fail(MODEL, "which one? See `equant simulate figure --list`.");
	return 0;
}

static int check(const struct figure_options *o)
{
	int count = 0;

	for (int i = 0; i < FIGURES; i++)
		count += asked(o, &figures[i]);
	if (!count)
		return simulate_fail(MODEL, "there is no '%s'; see `equant simulate figure --list`",
				     o->number);
	if (count > 1 && o->dir && o->svg)
		return simulate_fail(MODEL, "'%s' has %d panels: --svg is for one, --dir for all",
				     o->number, count);
	if (count > 1 && !o->dir && (o->json || o->svg))
		return simulate_fail(MODEL, "'%s' has %d panels: name one, or use --dir", o->number,
				     count);
	return 0;
}

int simulate_figure(int argc, char **argv)
{
	struct figure_options o = { 0 };
	int ret = 0;

	if (parse(argc, argv, &o) || (!o.list && check(&o)))
		return EQUANT_EXIT_USAGE;
	if (o.list)
		return list();
	if (o.dir && mkdir(o.dir, 0777) && errno != EEXIST) {
		fprintf(stderr, "equant simulate figure: %s: %s\n", o.dir, strerror(errno));
		return 1;
	}
	for (int i = 0, shown = 0; !ret && i < FIGURES; i++) {
		if (!asked(&o, &figures[i]))
			continue;
		if (shown++ && !o.dir)
			putchar('\n');
		ret = show(&o, &figures[i]);
	}
	return ret;
}
