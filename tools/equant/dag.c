// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * equant dag: schedules of a task graph on unequal processors.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "dag.h"
#include "option.h"
#include "output.h"

enum what {
	SCHEDULE,
	COMPARE,
	SIMULATE,
};

/**
 * struct options - the command line
 * @what: word after `equant dag`
 * @graph: file
 * @format: of it, or NULL
 * @machine: file
 * @actual: file of the machine that @what SIMULATE runs on
 * @scheduler: the only one to be asked, or NULL
 * @svg: file for the chart, or NULL
 * @save: file for the schedule, or NULL
 * @improve: let the improvement pass work on what schedulers make
 * @optimum: look for the shortest of all, too
 * @json: as JSON
 */
struct options {
	enum what what;
	const char *graph;
	const char *format;
	const char *machine;
	const char *actual;
	const char *scheduler;
	const char *svg;
	const char *save;
	bool improve;
	bool optimum;
	bool json;
};

static int complain(const char *fault)
{
	fprintf(stderr, "equant dag: %s; see `equant help dag`\n", fault);
	return -EINVAL;
}

static const char *format_name(int i)
{
	static const char *const names[] = { "dot", "stg", "json", NULL };

	return names[i];
}

const char *dag_format(const char *command, const char *word)
{
	const struct named_option option = { command, "format" };
	int i = option_word(&option, word, format_name);

	return i < 0 ? NULL : format_name(i);
}

static int known_scheduler(const char *name)
{
	const struct named_option option = { "dag schedule", "scheduler" };

	return strcmp(name, "dts") ? option_word(&option, name, equant_dag_scheduler) : 0;
}

static int check_options(const struct options *options)
{
	if (!options->machine)
		return complain("--machine is needed");
	if ((options->what == SIMULATE) != (options->actual != NULL))
		return complain(options->actual ? "--actual is of simulate only" :
						  "--actual is needed");
	if (options->what == COMPARE && (options->scheduler || options->svg || options->save))
		return complain("--scheduler, --svg and --save are not of compare");
	if (options->svg && options->save && !strcmp(options->svg, options->save))
		return complain("--svg and --save are the same file");
	if (options->what != COMPARE && options->optimum)
		return complain("--optimum is of compare only");
	return options->scheduler && known_scheduler(options->scheduler) < 0 ? -EINVAL : 0;
}

static int parse(int argc, char **argv, struct options *options)
{
	static const struct option known[] = {
		{ "machine", required_argument, NULL, 'm' },
		{ "actual", required_argument, NULL, 'a' },
		{ "format", required_argument, NULL, 'f' },
		{ "scheduler", required_argument, NULL, 's' },
		{ "svg", required_argument, NULL, 'v' },
		{ "save", required_argument, NULL, 'w' },
		{ "improve", no_argument, NULL, 'i' },
		{ "optimum", no_argument, NULL, 'o' },
		{ "json", no_argument, NULL, 'j' },
		{ 0 },
	};
	int c;

	optind = 0;
	while ((c = option_next(argc, argv, known, NULL)) != -1) {
		if (c == 'm')
			options->machine = optarg;
		else if (c == 'a')
			options->actual = optarg;
		else if (c == 'f')
			options->format = dag_format("dag", optarg);
		else if (c == 's')
			options->scheduler = optarg;
		else if (c == 'v')
			options->svg = optarg;
		else if (c == 'w')
			options->save = optarg;
		else if (c == 'i')
			options->improve = true;
		else if (c == 'o')
			options->optimum = true;
		else if (c == 'j')
			options->json = true;
		else
			return -EINVAL;
		if (c == 'f' && !options->format)
			return -EINVAL;
	}
	if (optind != argc - 1)
		return complain("expected one graph");
	options->graph = argv[optind];
	return check_options(options);
}

/* ---- what is planned ------------------------------------------------------------------------- */

static int fail(const char *why)
{
	fprintf(stderr, "equant dag: %s\n", why[0] ? why : strerror(errno));
	return 1;
}

static int fail_in(const char *path, const char *why)
{
	fprintf(stderr, "equant dag: %s: %s\n", path, why[0] ? why : strerror(errno));
	return 1;
}

static int load(struct dag_report *report, const struct options *options)
{
	char why[512] = "";

	report->path = options->graph;
	report->dag = equant_dag_read(options->graph, options->format, why, sizeof(why));
	if (!report->dag)
		return fail(why);
	report->machine = equant_dag_machine_read(options->machine, why, sizeof(why));
	if (!report->machine)
		return fail(why);
	if (options->actual) {
		report->actual = equant_dag_machine_read(options->actual, why, sizeof(why));
		if (!report->actual)
			return fail(why);
	}
	if (equant_dag_bounds(report->dag, report->machine, &report->bounds, why, sizeof(why)))
		return fail_in(options->machine, why);
	return 0;
}

static int ask(struct dag_report *report, const struct options *options, const char *scheduler)
{
	struct dag_answer *answer = &report->answers[report->count];
	const struct equant_dag_schedule *last;
	char why[512] = "";

	answer->scheduler = scheduler;
	answer->schedule = equant_dag_schedule(scheduler, report->dag, report->machine, NULL, why,
					       sizeof(why));
	if (!answer->schedule)
		return fail(why);
	report->count++;
	if (options->improve) {
		answer->improved = equant_dag_improve(report->dag, report->machine,
						      answer->schedule, why, sizeof(why));
		if (!answer->improved)
			return fail(why);
	}
	last = answer->improved ? answer->improved : answer->schedule;
	if (equant_dag_verify(report->dag, report->machine, last, why, sizeof(why)))
		return fail(why);
	if (!report->planned || last->makespan < report->planned->makespan)
		report->planned = last;
	return 0;
}

static int ask_all(struct dag_report *report, const struct options *options)
{
	int many = 0, status = 0;

	while (equant_dag_scheduler(many))
		many++;
	report->answers = calloc((size_t)many, sizeof(*report->answers));
	if (!report->answers)
		return fail("");
	if (options->scheduler)
		return ask(report, options, options->scheduler);
	for (int i = 0; i < many && !status; i++)
		if (report->bounds.processor >= 0 || strcmp(equant_dag_scheduler(i), "single"))
			status = ask(report, options, equant_dag_scheduler(i));
	return status;
}

static int look_further(struct dag_report *report, const struct options *options)
{
	char why[512] = "";

	if (options->optimum) {
		report->optimum =
			equant_dag_optimum(report->dag, report->machine, why, sizeof(why));
		if (!report->optimum)
			return fail(why);
	}
	if (options->actual) {
		report->done = equant_dag_replay(report->dag, report->machine, report->planned,
						 report->actual, why, sizeof(why));
		if (!report->done)
			return fail_in(options->actual, why);
	}
	return 0;
}

/* ---- the command --------------------------------------------------------------------------------- */

/* What is planned, or what becomes of that on another machine. */
static const struct equant_dag_schedule *shown(const struct dag_report *report)
{
	return report->done ? report->done : report->planned;
}

static int write_svg(const struct dag_report *report, const char *path)
{
	FILE *out = output_open("dag", path);

	if (!out)
		return 1;
	return output_close(out, "dag", path,
			    dag_svg(out, report->dag, shown(report), report->machine->processors));
}

static int save(const struct dag_report *report, const char *path)
{
	char why[512] = "";
	int error = equant_dag_schedule_write(shown(report), path, why, sizeof(why));

	return error ? fail(why) : 0;
}

static int print(const struct dag_report *report, const struct options *options)
{
	if (options->json)
		dag_print_json(report, options->what == COMPARE);
	else if (options->what == COMPARE)
		dag_print_compare(report);
	else if (dag_print_schedule(report))
		return fail("");
	if (options->save && save(report, options->save))
		return 1;
	return options->svg ? write_svg(report, options->svg) : 0;
}

static void release(struct dag_report *report)
{
	for (int i = 0; i < report->count; i++) {
		equant_dag_schedule_free(report->answers[i].schedule);
		equant_dag_schedule_free(report->answers[i].improved);
	}
	free(report->answers);
	equant_dag_schedule_free(report->optimum);
	equant_dag_schedule_free(report->done);
	equant_dag_machine_free(report->machine);
	equant_dag_machine_free(report->actual);
	equant_dag_free(report->dag);
}

static int plan(const struct options *options)
{
	struct dag_report report = { 0 };
	int status = load(&report, options);

	status = status ? status : ask_all(&report, options);
	status = status ? status : look_further(&report, options);
	status = status ? status : print(&report, options);
	release(&report);
	return status;
}

static int run(int argc, char **argv)
{
	static const char *const words[] = { "schedule", "compare", "simulate" };
	struct options options = { 0 };
	char name[EQUANT_NAME_SIZE];
	const char *word = equant_take_word("dag", argc, argv, name);

	if (!word)
		return 0;
	if (!strcmp(word, "generate"))
		return dag_generate(argc - 1, argv + 1);
	if (!strcmp(word, "draw"))
		return dag_show(argc - 1, argv + 1);
	if (!strcmp(word, "experiment"))
		return dag_experiment(argc - 1, argv + 1);
	for (int i = 0; i < 3; i++) {
		if (strcmp(word, words[i]))
			continue;
		options.what = (enum what)i;
		return parse(argc - 1, argv + 1, &options) ? EQUANT_EXIT_USAGE : plan(&options);
	}
	complain("expected schedule, compare, simulate, draw, generate or experiment");
	return EQUANT_EXIT_USAGE;
}

int equant_cmd_dag(int argc, char **argv)
{
	int status = run(argc, argv);

	return output_flush("dag") ? 1 : status;
}
