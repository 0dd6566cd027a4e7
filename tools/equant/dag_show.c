// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * equant dag draw: the chart of a schedule that is in a file.
 */
#include <errno.h>
#include <string.h>

#include "commands.h"
#include "dag.h"
#include "option.h"
#include "output.h"

static int fail(const char *path, const char *why)
{
	if (why[0])
		fprintf(stderr, "equant dag: %s\n", why);
	else
		fprintf(stderr, "equant dag: %s: %s\n", path, strerror(errno));
	return 1;
}

static int processors_of(const struct equant_dag_schedule *schedule)
{
	int last = schedule->slot[schedule->slots - 1].processor;

	for (int m = 0; m < schedule->messages; m++) {
		const struct equant_dag_message *message = &schedule->message[m];

		last = message->from > last ? message->from : last;
		last = message->to > last ? message->to : last;
	}
	return last + 1;
}

static int write_svg(const char *path, const struct equant_dag *dag,
		     const struct equant_dag_schedule *schedule)
{
	FILE *out = output_open("dag", path);

	if (!out)
		return 1;
	return output_close(out, "dag", path, dag_svg(out, dag, schedule, processors_of(schedule)));
}

static int draw(const char *graph, const char *format, const char *path, const char *svg)
{
	struct equant_dag_schedule *schedule = NULL;
	struct equant_dag *dag;
	char why[512] = "";
	int status = 1;

	dag = equant_dag_read(graph, format, why, sizeof(why));
	if (dag)
		schedule = equant_dag_schedule_read(path, dag, why, sizeof(why));
	if (!schedule) {
		fail(path, why);
	} else {
		printf("%s: %.6g\n\n", path, schedule->makespan);
		status = dag_draw(stdout, dag, schedule, processors_of(schedule)) ? fail("", "") :
										    0;
		if (!status && svg)
			status = write_svg(svg, dag, schedule);
	}
	equant_dag_schedule_free(schedule);
	equant_dag_free(dag);
	return status;
}

int dag_show(int argc, char **argv)
{
	static const struct option known[] = {
		{ "format", required_argument, NULL, 'f' },
		{ "svg", required_argument, NULL, 'v' },
		{ 0 },
	};
	const char *format = NULL, *svg = NULL;
	int c;

	optind = 0;
	while ((c = option_next(argc, argv, known, NULL)) != -1) {
		if (c == 'v')
			svg = optarg;
		else if (c == 'f')
			format = dag_format("dag draw", optarg);
		if (c == '?' || (c == 'f' && !format))
			return EQUANT_EXIT_USAGE;
	}
	if (optind != argc - 2) {
		fprintf(stderr,
			"equant dag: expected a graph and a schedule; see `equant help dag`\n");
		return EQUANT_EXIT_USAGE;
	}
	return draw(argv[optind], format, argv[optind + 1], svg);
}
