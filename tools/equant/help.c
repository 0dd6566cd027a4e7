// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * equant help: the commands, one of them, or the options of the library.
 */
#include <stdio.h>
#include <string.h>

#include <equant/equant.h>

#include "commands.h"

static void print_option(void *ctx, const char *variable, const char *value, const char *range,
			 const char *meaning)
{
	(void)ctx;
	printf("\n%s\n    %s\n    %s; default: %s\n", variable, meaning, range,
	       value && *value ? value : "none");
}

static int help_env(void)
{
	puts("Every option is a field of struct equant_options and an environment variable,\n"
	     "which wins over the program.");
	equant_options_describe(print_option, NULL);
	return 0;
}

static int help_commands(void)
{
	puts("equant: MPI jobs, measured by the kernel and balanced while they run\n");
	for (const struct equant_command *command = equant_commands(); command->name; command++)
		printf("  equant %-8s %s\n", command->name, command->summary);
	puts("\n`equant help COMMAND` says more about one of them.");
	return 0;
}

int equant_cmd_help(int argc, char **argv)
{
	const struct equant_command *command;

	if (argc < 2)
		return help_commands();
	if (argc > 2) {
		fprintf(stderr, "equant help: unexpected argument '%s'\n", argv[2]);
		return EQUANT_EXIT_USAGE;
	}
	if (!strcmp(argv[1], "env"))
		return help_env();
	command = equant_find_command(argv[1]);
	if (!command) {
		fprintf(stderr, "equant help: no command or topic '%s'\n", argv[1]);
		return EQUANT_EXIT_USAGE;
	}
	printf("equant %s: %s\n\n%s", command->name, command->summary, command->usage);
	return 0;
}
