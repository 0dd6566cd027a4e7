// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * equant dag generate: a graph of a family, as JSON that `equant dag` reads.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "dag.h"
#include "json.h"
#include "option.h"

static int seed(const struct named_option *option, const char *text, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno)
		return option_refuse(option, text, "expected a whole number");
	return 0;
}

/* Options that change nothing here. */
static int check_family(const char *family, const struct equant_dag_shape *shape)
{
	const char *idle = shape->layers ? "layers" : shape->degree ? "degree" : NULL;

	if (!idle || !strcmp(family, "layered"))
		return 0;
	fprintf(stderr, "equant dag generate: --%s is of layered only\n", idle);
	return -EINVAL;
}

static int parse(int argc, char **argv, struct equant_dag_shape *shape)
{
	static const struct option known[] = {
		{ "size", required_argument, NULL, 'n' },
		{ "work", required_argument, NULL, 'w' },
		{ "spread", required_argument, NULL, 's' },
		{ "comp-comm", required_argument, NULL, 'c' },
		{ "comm-comp", required_argument, NULL, 'm' },
		{ "layers", required_argument, NULL, 'l' },
		{ "degree", required_argument, NULL, 'd' },
		{ "seed", required_argument, NULL, 'r' },
		{ 0 },
	};
	int c, index = 0, err = 0;

	optind = 0;
	while (!err && (c = option_next(argc, argv, known, &index)) != -1) {
		const struct named_option option = { "dag generate", known[index].name };

		if (c == 'n' || c == 'l' || c == 'd')
			err = option_whole(&option, optarg, 0, EQUANT_DAG_TASKS,
					   c == 'n' ? &shape->size :
					   c == 'l' ? &shape->layers :
						      &shape->degree);
		else if (c == 'r')
			err = seed(&option, optarg, &shape->seed);
		else if (c == '?')
			err = -EINVAL;
		else if (c == 's')
			err = option_number(&option, optarg, &shape->spread);
		else
			err = option_positive(&option, optarg,
					      c == 'w' ? &shape->work :
					      c == 'c' ? &shape->comp_comm :
							 &shape->comm_comp);
	}
	return err;
}

static void print(const struct equant_dag *dag)
{
	struct json json = { .out = stdout, .exact = true };

	json_open_object(&json, NULL);
	json_open_array(&json, "tasks");
	for (int i = 0; i < dag->tasks; i++) {
		json_open_object(&json, NULL);
		json_number(&json, "work", dag->task[i].work);
		json_close_object(&json);
	}
	json_close_array(&json);
	json_open_array(&json, "edges");
	for (int e = 0; e < dag->edges; e++) {
		json_open_object(&json, NULL);
		json_integer(&json, "from", dag->edge[e].from);
		json_integer(&json, "to", dag->edge[e].to);
		json_number(&json, "data", dag->edge[e].data);
		json_close_object(&json);
	}
	json_close_array(&json);
	json_close_object(&json);
}

int dag_generate(int argc, char **argv)
{
	struct equant_dag_shape shape = { .sz = sizeof(shape), .size = 5, .work = 10, .seed = 1 };
	struct equant_dag *dag;
	char why[200] = "";
	int err;

	if (parse(argc, argv, &shape))
		return EQUANT_EXIT_USAGE;
	if (optind != argc - 1) {
		fprintf(stderr,
			"equant dag generate: expected one family; see `equant help dag`\n");
		return EQUANT_EXIT_USAGE;
	}
	if (check_family(argv[optind], &shape))
		return EQUANT_EXIT_USAGE;
	if (shape.comp_comm == 0 && shape.comm_comp == 0)
		shape.comp_comm = 1;
	dag = equant_dag_generate(argv[optind], &shape, why, sizeof(why));
	if (!dag) {
		err = errno;
		fprintf(stderr, "equant dag generate: %s\n", why[0] ? why : strerror(err));
		return err == ENOMEM ? 1 : EQUANT_EXIT_USAGE;
	}
	print(dag);
	equant_dag_free(dag);
	return 0;
}
