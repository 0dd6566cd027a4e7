// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * equant probe: load, unload and examine the kernel probe.
 */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "have.h"
#include "option.h"
#include "probe.h"

static void say(const char *kind, const char *format, va_list args)
{
	fprintf(stderr, "equant probe: %s", kind);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
}

void probe_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("", format, args);
	va_end(args);
}

void probe_note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("note: ", format, args);
	va_end(args);
}

static void bad_argument(const char *text)
{
	probe_error("%s; see `equant help probe`", text);
}

static int parse_count(const char *option, const char *text, long *value)
{
	char *end;

	errno = 0;
	*value = strtol(text, &end, 10);
	if (errno || end == text || *end || *value < 0 || *value > INT_MAX) {
		probe_error("--%s: '%s' is not a number from 0 to %d", option, text, INT_MAX);
		return -EINVAL;
	}
	return 0;
}

static int parse_load(struct probe_options *options, int argc, char **argv)
{
	static const struct option known[] = {
		{ "if-needed", no_argument, NULL, 'i' },
		{ "replace", no_argument, NULL, 'r' },
		{ "force-sys-enter", no_argument, NULL, 'f' },
		{ "per-user", required_argument, NULL, 'u' },
		{ "reserve", required_argument, NULL, 'v' },
		{ "group", required_argument, NULL, 'g' },
		{ 0 },
	};
	int c, ret = 0;

	while (!ret && (c = option_next(argc, argv, known, NULL)) != -1) {
		if (c == 'i')
			options->if_needed = true;
		else if (c == 'r')
			options->replace = true;
		else if (c == 'f')
			options->force_sys_enter = true;
		else if (c == 'u')
			ret = parse_count("per-user", optarg, &options->per_user);
		else if (c == 'v')
			ret = parse_count("reserve", optarg, &options->reserve);
		else if (c == 'g')
			options->group = optarg;
		else
			ret = -EINVAL;
	}
	if (!ret && optind < argc) {
		probe_error("load: unexpected argument '%s'", argv[optind]);
		ret = -EINVAL;
	}
	return ret;
}

static int cmd_load(int argc, char **argv)
{
	struct probe_options options = { .per_user = -1, .reserve = -1 };

	if (parse_load(&options, argc, argv))
		return EQUANT_EXIT_USAGE;
	if (options.if_needed && options.replace) {
		bad_argument("load: --if-needed and --replace exclude each other");
		return EQUANT_EXIT_USAGE;
	}
	return probe_load(&options);
}

static int cmd_unload(int argc, char **argv)
{
	if (argc == 1)
		return probe_unload();
	probe_error("unload: unexpected argument '%s'", argv[1]);
	return EQUANT_EXIT_USAGE;
}

static int cmd_status(int argc, char **argv)
{
	static const struct option known[] = { { "json", no_argument, NULL, 'j' }, { 0 } };
	bool json = false;
	int c;

	while ((c = option_next(argc, argv, known, NULL)) != -1) {
		if (c != 'j')
			return EQUANT_EXIT_USAGE;
		json = true;
	}
	if (optind == argc)
		return probe_status(json);
	probe_error("status: unexpected argument '%s'", argv[optind]);
	return EQUANT_EXIT_USAGE;
}

int equant_cmd_probe(int argc, char **argv)
{
	char name[EQUANT_NAME_SIZE];
	const char *word = equant_take_word("probe", argc, argv, name);

	if (!word)
		return 0;
	if (!strcmp(word, "load"))
		return cmd_load(argc - 1, argv + 1);
	if (!strcmp(word, "unload"))
		return cmd_unload(argc - 1, argv + 1);
	if (!strcmp(word, "status"))
		return cmd_status(argc - 1, argv + 1);
	bad_argument("expected load, unload or status");
	return EQUANT_EXIT_USAGE;
}

#if !EQUANT_HAVE_BPF
int probe_load(const struct probe_options *options)
{
	(void)options;
	probe_error("built without BPF (clang, bpftool and libbpf were missing)");
	return 1;
}

int probe_unload(void)
{
	return probe_load(NULL);
}

void probe_try_ways(void (*report)(void *ctx, const char *program, int error), void *ctx)
{
	(void)report;
	(void)ctx;
}
#endif
