// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The command line of `equant redist`: distributions are BLOCK:PROCESSES[:FIRST[:OFFSET]], one
 * for each dimension with commas between them.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "option.h"
#include "redist.h"

static int complain(const char *fault)
{
	fprintf(stderr, "equant redist: %s; see `equant help redist`\n", fault);
	return -EINVAL;
}

/* A whole number, and what is behind it; NULL: it is none. */
static const char *number(const char *text, int64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoll(text, &end, 10);
	return *text < '0' || *text > '9' || errno ? NULL : end;
}

/* One distribution, and what is behind it; NULL: it is none. */
static const char *cyclic(const char *text, struct equant_redist_cyclic *to)
{
	int64_t numbers[4] = { 0 };
	int count = 0;

	do {
		text = count < 4 ? number(text, &numbers[count++]) : NULL;
	} while (text && *text == ':' && text++);
	if (!text || count < 2 || numbers[1] > EQUANT_REDIST_PROCESSES ||
	    numbers[2] > EQUANT_REDIST_PROCESSES)
		return NULL;
	*to = (struct equant_redist_cyclic){ numbers[0], (int)numbers[1], (int)numbers[2],
					     numbers[3] };
	return text;
}

/* One for each dimension; their number, or -EINVAL after a message. */
static int distribution(const char *text, struct equant_redist_cyclic *to)
{
	const char *rest = text;
	int count = 0;

	do {
		rest = count < EQUANT_REDIST_DIMENSIONS ? cyclic(rest, &to[count++]) : NULL;
	} while (rest && *rest == ',' && rest++);
	if (rest && !*rest)
		return count;
	fprintf(stderr, "equant redist: '%s': expected BLOCK:PROCESSES, as 64:4 or 64:4,1:2\n",
		text);
	return -EINVAL;
}

static int extents(const char *text, struct equant_redist_array *array)
{
	const char *rest = text;

	array->dimensions = 0;
	do {
		rest = array->dimensions < EQUANT_REDIST_DIMENSIONS ?
			       number(rest, &array->extent[array->dimensions++]) :
			       NULL;
	} while (rest && *rest == ',' && rest++);
	if (rest && !*rest)
		return 0;
	fprintf(stderr, "equant redist: --elements '%s': expected whole numbers\n", text);
	return -EINVAL;
}

static const char *order(int i)
{
	static const char *const words[] = { "row", "column" };

	return i < 2 ? words[i] : NULL;
}

static int set_order(const struct named_option *option, struct equant_redist_array *array)
{
	int word = option_word(option, optarg, order);

	if (word < 0)
		return word;
	array->from_order = array->to_order = (enum equant_redist_order)word;
	return 0;
}

/* An option with a value; 0, or -EINVAL after a message. */
static int set(int c, const struct named_option *option, struct redist_options *options)
{
	switch (c) {
	case 'n':
		return extents(optarg, &options->array);
	case 'e':
		return option_whole(option, optarg, 1, 1 << 30, &options->element);
	case 'o':
		return set_order(option, &options->array);
	case 't':
		options->alike = true;
		return option_not_negative(option, optarg, &options->startup);
	case 'b':
		options->alike = true;
		return option_positive(option, optarg, &options->bandwidth);
	case 'w':
		return option_whole(option, optarg, 1, EQUANT_REDIST_PROCESSES, &options->window);
	case 's':
		options->scheduler = optarg;
		return option_word(option, optarg, equant_redist_scheduler_name) < 0 ? -EINVAL : 0;
	case 'u':
		options->router = optarg;
		return option_word(option, optarg, equant_redist_router_name) < 0 ? -EINVAL : 0;
	case 'm':
		options->network = optarg;
		return 0;
	case 'a':
		options->actual = optarg;
		return 0;
	case 'v':
		options->svg = optarg;
		return 0;
	default:
		return -EINVAL;
	}
}

static int check(int count, char **words, struct redist_options *options)
{
	struct equant_redist_array *array = &options->array;
	char why[256] = "";

	if (count != 2)
		return complain("expected two distributions");
	if (!array->dimensions)
		return complain("--elements is needed");
	for (int side = 0; side < 2; side++) {
		int dimensions = distribution(words[side], side ? array->to : array->from);

		if (dimensions < 0)
			return dimensions;
		if (dimensions != array->dimensions)
			return complain("--elements and both distributions need a number each");
	}
	if (equant_redist_array_check(array, why, sizeof(why)))
		return complain(why);
	if (options->what == REDIST_COMPARE &&
	    (options->scheduler || options->router || options->svg))
		return complain("--scheduler, --router and --svg are not of compare");
	if (options->network && options->alike)
		return complain("either --network or --startup and --bandwidth");
	if (options->scheduler && options->router)
		return complain("either --scheduler or --router");
	if (options->self && options->apart)
		return complain("either --self or --apart: then nobody has anything for itself");
	if (options->what != REDIST_SIMULATE &&
	    (options->actual || options->window || options->barrier))
		return complain("--actual, --window and --barrier are of simulate only");
	return 0;
}

int redist_parse(int argc, char **argv, struct redist_options *options)
{
	static const struct option known[] = {
		{ "elements", required_argument, NULL, 'n' },
		{ "element", required_argument, NULL, 'e' },
		{ "order", required_argument, NULL, 'o' },
		{ "startup", required_argument, NULL, 't' },
		{ "bandwidth", required_argument, NULL, 'b' },
		{ "network", required_argument, NULL, 'm' },
		{ "scheduler", required_argument, NULL, 's' },
		{ "router", required_argument, NULL, 'u' },
		{ "actual", required_argument, NULL, 'a' },
		{ "window", required_argument, NULL, 'w' },
		{ "svg", required_argument, NULL, 'v' },
		{ "apart", no_argument, NULL, 'p' },
		{ "self", no_argument, NULL, 'f' },
		{ "barrier", no_argument, NULL, 'r' },
		{ "json", no_argument, NULL, 'j' },
		{ 0 },
	};
	static const char *const names[] = { "redist schedule", "redist compare",
					     "redist simulate" };
	int c, index = 0, err = 0;

	optind = 0;
	while (!err && (c = option_next(argc, argv, known, &index)) != -1) {
		const struct named_option option = { names[options->what], known[index].name };

		if (c == 'p')
			options->apart = true;
		else if (c == 'f')
			options->self = true;
		else if (c == 'r')
			options->barrier = true;
		else if (c == 'j')
			options->json = true;
		else
			err = set(c, &option, options);
	}
	return err ? err : check(argc - optind, argv + optind, options);
}
