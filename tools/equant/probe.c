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

static int bad_argument(const char *text)
{
	probe_error("%s; see `equant help probe`", text);
	return -EINVAL;
}

static int parse_count(const char *option, const char *text, long *value)
{
	char *end;

	if (!text) {
		probe_error("%s needs a number", option);
		return -EINVAL;
	}
	errno = 0;
	*value = strtol(text, &end, 10);
	if (errno || end == text || *end || *value < 0 || *value > INT_MAX) {
		probe_error("%s: '%s' is not a number from 0 to %d", option, text, INT_MAX);
		return -EINVAL;
	}
	return 0;
}

static bool *flag_of(struct probe_options *options, const char *word)
{
	if (!strcmp(word, "--if-needed"))
		return &options->if_needed;
	if (!strcmp(word, "--replace"))
		return &options->replace;
	return strcmp(word, "--force-sys-enter") ? NULL : &options->force_sys_enter;
}

/* The number of arguments taken. */
static int parse_load_option(struct probe_options *options, const char *word, const char *next)
{
	bool *flag = flag_of(options, word);
	int ret = -EINVAL;

	if (flag) {
		*flag = true;
		return 1;
	}
	if (!strcmp(word, "--per-user"))
		ret = parse_count(word, next, &options->per_user);
	else if (!strcmp(word, "--reserve"))
		ret = parse_count(word, next, &options->reserve);
	else if (!strcmp(word, "--group") && next)
		ret = 0;
	else
		probe_error("load: unknown or incomplete option '%s'", word);
	if (!strcmp(word, "--group"))
		options->group = next;
	return ret ?: 2;
}

static int cmd_load(int argc, char **argv)
{
	struct probe_options options = { .per_user = -1, .reserve = -1 };
	int ret;

	for (int i = 1; i < argc; i += ret) {
		ret = parse_load_option(&options, argv[i], i + 1 < argc ? argv[i + 1] : NULL);
		if (ret < 0)
			return EQUANT_EXIT_USAGE;
	}
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
	if (argc == 1)
		return probe_status(false);
	if (argc == 2 && !strcmp(argv[1], "--json"))
		return probe_status(true);
	probe_error("status: unexpected argument '%s'", argv[strcmp(argv[1], "--json") ? 1 : 2]);
	return EQUANT_EXIT_USAGE;
}

int equant_cmd_probe(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";

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
