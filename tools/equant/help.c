// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * equant help: the commands, one of them, or the options of the library.
 */
#include <stdio.h>
#include <string.h>

#include "commands.h"

bool equant_asks_for_help(const char *word)
{
	return !strcmp(word, "--help") || !strcmp(word, "-h");
}

bool equant_wants_help(int argc, char **argv)
{
	for (int i = 2; i < argc; i++)
		if (equant_asks_for_help(argv[i]))
			return true;
	return false;
}

const char *equant_take_word(const char *command, int argc, char **argv, char *name)
{
	const char *word = argc > 1 ? argv[1] : "";

	if (equant_wants_help(argc, argv)) {
		fputs(equant_find_command(command)->usage, stdout);
		return NULL;
	}
	snprintf(name, EQUANT_NAME_SIZE, "%s %s", argv[0], word);
	if (argc > 1)
		argv[1] = name;
	return word;
}

static int help_commands(void)
{
	puts("equant: MPI jobs, measured by the kernel and balanced while they run\n");
	for (const struct equant_command *command = equant_commands(); command->name; command++)
		printf("  equant %-8s %s\n", command->name, command->summary);
	puts("\n`equant help COMMAND` says more about one of them.\n"
	     "Where it does not say otherwise, the exit status is 1 when something failed and 2 when\n"
	     "the command line is wrong.");
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
		return equant_help_env();
	command = equant_find_command(argv[1]);
	if (!command) {
		fprintf(stderr, "equant help: no command or topic '%s'\n", argv[1]);
		return EQUANT_EXIT_USAGE;
	}
	printf("equant %s: %s\n\n%s", command->name, command->summary, command->usage);
	return 0;
}
