// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * equant plan: static schedules of a loop on a machine, compared.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "option.h"
#include "output.h"
#include "plan.h"

/**
 * struct options - the command line
 * @planner: the only one to be asked, or NULL
 * @json: as JSON
 * @list: say what planners there are
 * @nest: a nest whose distributed loop is the program, or NULL
 * @replacement: of pages, in the nest's memory
 * @replaced: it was given
 * @files: where the program and the machine are
 * @count: how many, 1 or 2
 */
struct options {
	const char *planner;
	bool json;
	bool list;
	const char *nest;
	enum equant_plan_replacement replacement;
	bool replaced;
	char **files;
	int count;
};

static int complain(const char *fault)
{
	fprintf(stderr, "equant plan: %s; see `equant help plan`\n", fault);
	return -EINVAL;
}

static int known_planner(const char *name)
{
	const struct named_option option = { "plan", "planner" };

	return option_word(&option, name, equant_planner_name) < 0 ? -EINVAL : 0;
}

static const char *replacement(int i)
{
	static const char *const words[] = {
		[EQUANT_PLAN_IDEAL] = "ideal", [EQUANT_PLAN_LRU] = "lru"
	};

	return i < 2 ? words[i] : NULL;
}

static int parse_replacement(const char *text, enum equant_plan_replacement *to)
{
	const struct named_option option = { "plan", "replacement" };
	int word = option_word(&option, text, replacement);

	*to = (enum equant_plan_replacement)word;
	return word < 0 ? word : 0;
}

static int check_options(const struct options *options)
{
	if (options->list && (options->count || options->planner || options->json ||
			      options->nest || options->replaced))
		return complain("--list goes with no file and no other option");
	if (options->list)
		return 0;
	if (options->replaced && !options->nest)
		return complain("--replacement is of --nest only");
	if (options->count < 1 || options->count > 2)
		return complain("expected one or two files");
	return options->planner ? known_planner(options->planner) : 0;
}

static int parse(int argc, char **argv, struct options *options)
{
	static const struct option known[] = {
		{ "planner", required_argument, NULL, 'p' },
		{ "json", no_argument, NULL, 'j' },
		{ "list", no_argument, NULL, 'l' },
		{ "nest", required_argument, NULL, 'n' },
		{ "replacement", required_argument, NULL, 'r' },
		{ 0 },
	};
	int c;

	optind = 0;
	while ((c = option_next(argc, argv, known, NULL)) != -1) {
		if (c == 'p')
			options->planner = optarg;
		else if (c == 'j')
			options->json = true;
		else if (c == 'l')
			options->list = true;
		else if (c == 'n')
			options->nest = optarg;
		else if (c == 'r' && !parse_replacement(optarg, &options->replacement))
			options->replaced = true;
		else
			return -EINVAL;
	}
	options->files = argv + optind;
	options->count = argc - optind;
	return check_options(options);
}

/* ---- what is planned --------------------------------------------------------------- */

/* Takes over what @path holds; nothing may come twice. */
static int load(struct plan_report *report, const char *path)
{
	struct equant_plan_program *program;
	struct equant_plan_machine *machine;
	char why[512] = "";
	const char *twice = NULL;

	if (equant_plan_read(path, &program, &machine, why, sizeof(why))) {
		fprintf(stderr, "equant plan: %s\n", why);
		return -EINVAL;
	}
	if (program && report->program)
		twice = "program";
	else if (machine && report->machine)
		twice = "machine";
	if (twice) {
		fprintf(stderr, "equant plan: %s: a second %s\n", path, twice);
		equant_plan_program_free(program);
		equant_plan_machine_free(machine);
		return -EINVAL;
	}
	if (program)
		report->program = program;
	if (machine)
		report->machine = machine;
	return 0;
}

static int load_all(struct plan_report *report, const struct options *options)
{
	char why[256] = "";

	for (int i = 0; i < options->count; i++)
		if (load(report, options->files[i]))
			return -EINVAL;
	if (options->nest && plan_load_nest(report, options->nest, options->replacement))
		return -EINVAL;
	if (!report->program || !report->machine) {
		fprintf(stderr, "equant plan: %s: no %s\n", options->files[options->count - 1],
			report->program ? "processor" : "iterations");
		return -EINVAL;
	}
	if (equant_plan_check(report->program, report->machine, why, sizeof(why))) {
		fprintf(stderr, "equant plan: %s: %s\n", options->files[options->count - 1], why);
		return -EINVAL;
	}
	return 0;
}

/* Sums over all iterations: the time of one that takes 1 for each operation and byte. */
static int sum_up(const struct equant_plan_program *program, double *work, double *bytes)
{
	struct equant_plan_processor unit = { .operation = 1, .byte = 1, .memory = INFINITY };
	struct equant_plan_machine machine = { .count = 1, .processors = &unit };
	struct equant_plan *plan = equant_plan_new("block", program, &machine, NULL, 0);

	if (!plan)
		return -errno;
	*work = plan->times[0].compute;
	*bytes = plan->times[0].local;
	equant_plan_free(plan);
	return 0;
}

/* The whole loop on the processor that is best alone, or NaN. */
static double alone(const struct equant_plan_program *program,
		    const struct equant_plan_machine *machine)
{
	double least = INFINITY, work = 0, bytes = 0;

	if (sum_up(program, &work, &bytes))
		return NAN;
	for (int i = 0; i < machine->count; i++) {
		const struct equant_plan_processor *one = &machine->processors[i];
		double time = one->operation * work;

		if (bytes > 0)
			time += one->startup + one->byte * bytes + machine->medium_startup +
				machine->medium_byte * bytes;
		least = fmin(least, time);
	}
	return least;
}

static bool is_better(const struct plan_answer *answer, const struct plan_answer *than)
{
	if (!than || (answer->over < 0) != (than->over < 0))
		return !than || answer->over < 0;
	return answer->plan->makespan < than->plan->makespan;
}

static void ask(struct plan_report *report, const char *planner)
{
	struct plan_answer *answer = &report->answers[report->count++];

	answer->planner = planner;
	answer->plan = equant_plan_new(planner, report->program, report->machine, answer->why,
				       sizeof(answer->why));
	if (!answer->plan)
		return;
	for (int i = 0; i < answer->plan->processors; i++)
		answer->used += answer->plan->counts[i] > 0;
	answer->over = equant_plan_over_memory(answer->plan, report->program, report->machine);
	if (is_better(answer, report->fastest))
		report->fastest = answer;
}

static int ask_all(struct plan_report *report, const struct options *options)
{
	int many = 0;

	while (equant_planner_name(many))
		many++;
	report->answers = calloc((size_t)many, sizeof(*report->answers));
	if (!report->answers) {
		fprintf(stderr, "equant plan: %s\n", strerror(ENOMEM));
		return -ENOMEM;
	}
	for (int i = 0; i < many; i++)
		if (!options->planner || !strcmp(options->planner, equant_planner_name(i)))
			ask(report, equant_planner_name(i));
	if (report->fastest)
		return 0;
	for (int i = 0; i < report->count; i++)
		fprintf(stderr, "equant plan: %s: %s\n", report->answers[i].planner,
			report->answers[i].why);
	return -EOPNOTSUPP;
}

/* ---- the command ---------------------------------------------------------------------- */

static void print_list(void)
{
	for (int i = 0; equant_planner_name(i); i++)
		printf("%-16s  %s\n", equant_planner_name(i), equant_planner_summary(i));
}

static int plan(struct plan_report *report, const struct options *options)
{
	if (load_all(report, options))
		return 1;
	report->bound = equant_plan_bound(report->program, report->machine);
	report->alone = alone(report->program, report->machine);
	if (ask_all(report, options))
		return 1;
	if (options->json)
		plan_print_json(report);
	else
		plan_print_text(report);
	return 0;
}

int equant_cmd_plan(int argc, char **argv)
{
	struct plan_report report = { 0 };
	struct options options = { .replacement = EQUANT_PLAN_LRU };
	int status = 0;

	if (parse(argc, argv, &options))
		return EQUANT_EXIT_USAGE;
	if (options.list)
		print_list();
	else
		status = plan(&report, &options);
	if (output_flush("plan"))
		status = 1;
	for (int i = 0; i < report.count; i++)
		equant_plan_free(report.answers[i].plan);
	free(report.answers);
	equant_plan_program_free(report.program);
	equant_plan_machine_free(report.machine);
	return status;
}
