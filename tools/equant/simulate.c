// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * equant simulate: the models of <equant/model.h>, as a table or a chart.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "output.h"
#include "simulate.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv, struct table *table);
} models[] = {
	{ "barrier", simulate_barrier },
	{ "pipeline", simulate_pipeline },
	{ "oscillating", simulate_oscillating },
	{ "run", simulate_run },
	{ "program", simulate_program },
	{ "fill", simulate_fill },
	{ "timeline", simulate_timeline },
	{ "sampling", simulate_sampling },
	{ "sampled", simulate_sampled },
	{ "periods", simulate_periods },
	{ "predict", simulate_predict },
	{ "cycle", simulate_cycle },
	{ "moves", simulate_moves },
	{ "trace", simulate_trace },
	{ "selfsched", simulate_selfsched },
};

#define MODELS ((int)(sizeof(models) / sizeof(models[0])))

struct output {
	bool json;
	const char *svg;
};

/* Takes --json and --svg out of the arguments; what is left is the model's. */
static int take_output(const char *model, int *argc, char **argv, struct output *output)
{
	int left = 1;

	for (int i = 1; i < *argc; i++) {
		if (!strcmp(argv[i], "--json"))
			output->json = true;
		else if (strcmp(argv[i], "--svg"))
			argv[left++] = argv[i];
		else if (++i < *argc)
			output->svg = argv[i];
		else
			return simulate_fail(model, "--svg: the name of a file is missing");
	}
	*argc = left;
	return 0;
}

int simulate_model(const char *name, int argc, char **argv, struct table *table)
{
	for (int i = 0; i < MODELS; i++)
		if (!strcmp(name, models[i].name))
			return models[i].run(argc, argv, table);
	return -EINVAL;
}

static int run(int model, int argc, char **argv)
{
	const char *name = models[model].name;
	struct output output = { 0 };
	struct table table = { 0 };
	int ret;

	if (take_output(name, &argc, argv, &output))
		return EQUANT_EXIT_USAGE;
	ret = models[model].run(argc, argv, &table);
	if (ret == -EINVAL)
		ret = EQUANT_EXIT_USAGE;
	else if (ret)
		fprintf(stderr, "equant simulate %s: %s\n", name, strerror(-ret));
	else
		ret = table_show(&table, "simulate", output.json ? name : NULL, output.svg);
	table_release(&table);
	return ret < 0 ? 1 : ret;
}

/* The model's own paragraph of the command's usage; all of it for models that have none. */
static int help(const char *name)
{
	const char *all = equant_find_command("simulate")->usage, *from, *to;
	char begin[32];

	snprintf(begin, sizeof(begin), "\n\n%s: ", name);
	from = strstr(all, begin);
	from = from ? from + 2 : all;
	to = from == all ? NULL : strstr(from, "\n\n");
	printf("%.*s", to ? (int)(to + 1 - from) : (int)strlen(from), from);
	return output_flush("simulate");
}

/* @argv with two words for each --option=value, or NULL.  Its strings are those of @argv, cut. */
static char **split_values(int *argc, char **argv)
{
	char **words = calloc(2 * (size_t)*argc + 1, sizeof(*words));
	int count = 0;

	for (int i = 0; words && i < *argc; i++) {
		char *equals = strncmp(argv[i], "--", 2) ? NULL : strchr(argv[i], '=');

		words[count++] = argv[i];
		if (equals) {
			*equals = '\0';
			words[count++] = equals + 1;
		}
	}
	*argc = count;
	return words;
}

static int simulate(int argc, char **argv)
{
	int model = 0;

	while (model < MODELS && strcmp(argv[1], models[model].name))
		model++;
	if ((model < MODELS || !strcmp(argv[1], "figure")) && equant_wants_help(argc, argv))
		return help(argv[1]);
	if (!strcmp(argv[1], "figure"))
		return simulate_figure(argc - 1, argv + 1);
	if (model < MODELS)
		return run(model, argc - 1, argv + 1);
	fprintf(stderr, "equant simulate: unknown model '%s'; see `equant help simulate`\n",
		argv[1]);
	return EQUANT_EXIT_USAGE;
}

int equant_cmd_simulate(int argc, char **argv)
{
	char **words;
	int ret;

	if (argc < 2) {
		fputs("equant simulate: which model? See `equant help simulate`.\n", stderr);
		return EQUANT_EXIT_USAGE;
	}
	words = split_values(&argc, argv);
	if (!words) {
		fprintf(stderr, "equant simulate: %s\n", strerror(ENOMEM));
		return 1;
	}
	ret = simulate(argc, words);
	free(words);
	return ret;
}
