// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * equant advise: where the hook goes in a loop nest, and why.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <equant/advise.h>

#include "commands.h"
#include "json.h"
#include "option.h"
#include "output.h"

/* No place for a hook: not an error, but not an answer to act on either. */
#define EXIT_NO_HOOK 3

static const char *const words[] = {
	[EQUANT_NODE_ROOT] = "nest",	       [EQUANT_NODE_LOOP] = "loop",
	[EQUANT_NODE_STATEMENT] = "statement", [EQUANT_NODE_SEND] = "send",
	[EQUANT_NODE_RECEIVE] = "receive",     [EQUANT_NODE_BARRIER] = "barrier",
	[EQUANT_NODE_HOOK] = "hook",
};

static const struct {
	unsigned int flag;
	const char *word;
} loop_flags[] = {
	{ EQUANT_LOOP_DISTRIBUTED, "distributed" },
	{ EQUANT_LOOP_PARALLEL, "parallel" },
	{ EQUANT_LOOP_CARRIES, "carries" },
	{ 0 },
};

/* ---- text ----------------------------------------------------------------- */

static void print_name(const char *name)
{
	const char *quote = strpbrk(name, " \t#") ? "\"" : "";

	printf(" %s%s%s", quote, name, quote);
}

static void print_loop(const struct equant_node *node)
{
	if (node->flags & EQUANT_LOOP_UNKNOWN)
		printf(" ?");
	else
		printf(" %.12g", node->trips);
	for (int i = 0; loop_flags[i].word; i++)
		if (node->flags & loop_flags[i].flag)
			printf(" %s", loop_flags[i].word);
	if (node->cost > 0)
		printf(" cost %.12g", node->cost);
	if (node->flags & EQUANT_LOOP_BLOCKS)
		printf("\t# blocks, for the %s",
		       node->flags & EQUANT_LOOP_GRAIN ? "grain" : "hook");
	if (node->flags & EQUANT_LOOP_BLOCK)
		printf("\t# one block");
}

static void print_node(const struct equant_node *node)
{
	printf("%s", words[node->kind]);
	if (node->kind == EQUANT_NODE_HOOK)
		return;
	print_name(node->name);
	if (node->kind == EQUANT_NODE_LOOP) {
		print_loop(node);
	} else if (node->kind == EQUANT_NODE_STATEMENT) {
		printf(" %.12g", node->cost);
	} else {
		if (node->kind != EQUANT_NODE_BARRIER)
			printf(" %.12g", node->bytes);
		if (node->cost > 0)
			printf(" cost %.12g", node->cost);
	}
}

static void print_nodes(const struct equant_nest *nest, int parent, int depth)
{
	for (int i = nest->nodes[parent].first; i >= 0; i = nest->nodes[i].next) {
		printf("%*s", 4 * depth, "");
		print_node(&nest->nodes[i]);
		printf("\n");
		if (nest->nodes[i].kind != EQUANT_NODE_LOOP)
			continue;
		print_nodes(nest, i, depth + 1);
		printf("%*send\n", 4 * depth, "");
	}
}

/* "the body of loop i", or where all loops have ended */
static const char *body(const struct equant_reason *reason, char text[2 * EQUANT_NEST_NAME])
{
	if (!reason->loop[0])
		return "outside all loops";
	snprintf(text, 2 * EQUANT_NEST_NAME, "in loop %s", reason->loop);
	return text;
}

static void explain_loops(FILE *out, const struct equant_reason *reason)
{
	switch (reason->kind) {
	case EQUANT_REASON_INTERCHANGED:
		fprintf(out,
			"loop %s goes into loop %s: both are parallel, and the hook needs a loop around the distributed one",
			reason->loop, reason->other);
		break;
	case EQUANT_REASON_TILED:
		fprintf(out,
			"a block of loop %s goes inside the blocks of loop %s: should one loop be short, the block of the other makes up for it",
			reason->loop, reason->other);
		break;
	case EQUANT_REASON_GRAIN:
		fprintf(out,
			"loop %s is a pipeline: blocks of %ld take the least time, efficiency %.3f without competitors",
			reason->loop, reason->block, reason->value);
		break;
	case EQUANT_REASON_NO_GRAIN:
		fprintf(out,
			"loop %s is no pipeline that only receives before the distributed loop and sends after it: its grain stays",
			reason->loop);
		break;
	case EQUANT_REASON_STRIPPED:
		fprintf(out, "loop %s is strip-mined into blocks of %ld for the hook", reason->loop,
			reason->block);
		break;
	case EQUANT_REASON_BETWEEN:
		fprintf(out,
			"loop %s is not strip-mined: ranks would pass the hook unequally often",
			reason->loop);
		break;
	case EQUANT_REASON_GRAIN_FIRST:
		fprintf(out,
			"loop %s is not strip-mined again: its block size is that of the grain",
			reason->loop);
		break;
	case EQUANT_REASON_TARGET:
		fprintf(out,
			"loop %s is not strip-mined: half a period is %.4g operations, a hook needs %.4g",
			reason->loop, reason->value, reason->limit);
		break;
	default:
		fprintf(out, "loop %s is not strip-mined: a block would be the whole loop",
			reason->loop);
		break;
	}
}

static void explain(FILE *out, const struct equant_reason *reason)
{
	char text[2 * EQUANT_NEST_NAME];

	switch (reason->kind) {
	case EQUANT_REASON_TOO_OFTEN:
		fprintf(out, "%s: %.4g operations per hook, too few: %.4g are needed",
			body(reason, text), reason->value, reason->limit);
		break;
	case EQUANT_REASON_RARE_ENOUGH:
		if (isinf(reason->value))
			fprintf(out,
				"%s: nobody knows how many operations per hook; %.4g are needed",
				body(reason, text), reason->limit);
		else
			fprintf(out, "%s: %.4g operations per hook, more than the %.4g needed",
				body(reason, text), reason->value, reason->limit);
		break;
	case EQUANT_REASON_COARSE:
		fprintf(out, "%s: more than the %.4g operations that would control the period well",
			body(reason, text), reason->limit);
		break;
	case EQUANT_REASON_BEFORE:
		fprintf(out, "%s: before %s, which synchronises anyway", body(reason, text),
			reason->other);
		break;
	case EQUANT_REASON_AFTER:
		fprintf(out, "%s: after %s, which synchronises anyway", body(reason, text),
			reason->other);
		break;
	case EQUANT_REASON_FOLLOWS:
		fprintf(out, "%s: right after loop %s", body(reason, text), reason->other);
		break;
	case EQUANT_REASON_ONCE:
		fprintf(out, "no hook: it would run once, after all work is done");
		break;
	case EQUANT_REASON_TOO_SMALL:
		fprintf(out, "no hook: the problem is too small for one at any level");
		break;
	default:
		explain_loops(out, reason);
		break;
	}
}

static void print_text(const struct equant_placement *placement)
{
	const struct equant_nest *nest = placement->nest;

	printf("nest");
	print_name(nest->name[0] ? nest->name : "unnamed");
	printf("\n\n");
	print_nodes(nest, 0, 0);
	printf("\n");
	for (int i = 0; i < placement->count; i++) {
		printf("%d. ", i + 1);
		explain(stdout, &placement->reasons[i]);
		printf(".\n");
	}
	if (placement->hook >= 0 && isinf(placement->period))
		printf("\nHow often a rank comes to the hook is not known.\n");
	else if (placement->hook >= 0)
		printf("\nA hook every %.4g operations of a rank, %.4g s; hooks cost %.2g %%.\n",
		       placement->period, placement->period / nest->rate,
		       100 * nest->hook / placement->period);
}

/* ---- JSON ------------------------------------------------------------------ */

static void json_nodes(struct json *json, const struct equant_nest *nest, int parent);

static void json_loop(struct json *json, const struct equant_nest *nest, int loop)
{
	const struct equant_node *node = &nest->nodes[loop];

	json_number(json, "trips", node->flags & EQUANT_LOOP_UNKNOWN ? NAN : node->trips);
	for (int i = 0; loop_flags[i].word; i++)
		json_bool(json, loop_flags[i].word, node->flags & loop_flags[i].flag);
	json_bool(json, "blocks", node->flags & EQUANT_LOOP_BLOCKS);
	json_bool(json, "block", node->flags & EQUANT_LOOP_BLOCK);
	json_bool(json, "grain", node->flags & EQUANT_LOOP_GRAIN);
	json_nodes(json, nest, loop);
}

static void json_nodes(struct json *json, const struct equant_nest *nest, int parent)
{
	json_open_array(json, "body");
	for (int i = nest->nodes[parent].first; i >= 0; i = nest->nodes[i].next) {
		const struct equant_node *node = &nest->nodes[i];

		json_open_object(json, NULL);
		json_string(json, "kind", words[node->kind]);
		json_string(json, "name", node->name);
		json_number(json, "cost", node->cost);
		if (node->kind == EQUANT_NODE_SEND || node->kind == EQUANT_NODE_RECEIVE)
			json_number(json, "bytes", node->bytes);
		if (node->kind == EQUANT_NODE_LOOP)
			json_loop(json, nest, i);
		json_close_object(json);
	}
	json_close_array(json);
}

/* 0, or -ENOMEM */
static int json_reason(struct json *json, const struct equant_reason *reason)
{
	char text[512] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	if (out) {
		explain(out, reason);
		fclose(out);
	}
	json_open_object(json, NULL);
	json_string(json, "reason", equant_reason_name(reason->kind));
	json_integer(json, "level", reason->level);
	json_string(json, "loop", reason->loop);
	json_string(json, "other", reason->other);
	json_number(json, "value", reason->value);
	json_number(json, "limit", reason->limit);
	json_integer(json, "block", reason->block);
	json_string(json, "text", text);
	json_close_object(json);
	return *text ? 0 : -ENOMEM;
}

/* 0, or -ENOMEM */
static int print_json(const struct equant_placement *placement)
{
	struct json json = { .out = stdout };
	int ret = 0;

	json_open_object(&json, NULL);
	json_string(&json, "nest", placement->nest->name);
	json_integer(&json, "ranks", placement->nest->ranks);
	json_bool(&json, "hook", placement->hook >= 0);
	json_number(&json, "operations", placement->period);
	json_number(&json, "seconds", placement->period / placement->nest->rate);
	json_nodes(&json, placement->nest, 0);
	json_open_array(&json, "reasons");
	for (int i = 0; i < placement->count && !ret; i++)
		ret = json_reason(&json, &placement->reasons[i]);
	json_close_array(&json);
	json_close_object(&json);
	return ret;
}

/* ---- the command ------------------------------------------------------------- */

static int parse(int argc, char **argv, bool *json)
{
	static const struct option known[] = {
		{ "json", no_argument, NULL, 'j' },
		{ 0 },
	};
	int c;

	optind = 0;
	while ((c = option_next(argc, argv, known, NULL)) != -1) {
		if (c != 'j')
			return -EINVAL;
		*json = true;
	}
	if (argc - optind == 1)
		return optind;
	fprintf(stderr, "equant advise: expected one nest; see `equant help advise`\n");
	return -EINVAL;
}

static struct equant_placement *advise(const char *path)
{
	struct equant_placement *placement;
	char why[512] = "";
	struct equant_nest *nest;

	nest = equant_nest_read(path, why, sizeof(why));
	if (!nest) {
		fprintf(stderr, "equant advise: %s\n", why);
		return NULL;
	}
	placement = equant_place_hook(nest, why, sizeof(why));
	if (!placement)
		fprintf(stderr, "equant advise: %s: %s\n", path, why);
	equant_nest_free(nest);
	return placement;
}

int equant_cmd_advise(int argc, char **argv)
{
	struct equant_placement *placement;
	bool json = false;
	int at, status, ret = 0;

	at = parse(argc, argv, &json);
	if (at < 0)
		return EQUANT_EXIT_USAGE;
	placement = advise(argv[at]);
	if (!placement)
		return 1;
	if (json)
		ret = print_json(placement);
	else
		print_text(placement);
	status = placement->hook >= 0 ? 0 : EXIT_NO_HOOK;
	if (ret)
		fprintf(stderr, "equant advise: %s\n", strerror(-ret));
	if (output_flush("advise") || ret)
		status = 1;
	equant_placement_free(placement);
	return status;
}
