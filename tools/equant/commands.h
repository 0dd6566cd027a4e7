/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The subcommands of `equant`.  A new one is a function here and a line in
 * the table of main.c.
 */
#ifndef EQUANT_TOOL_COMMANDS_H
#define EQUANT_TOOL_COMMANDS_H

#include <stdbool.h>

/* Exit status of a bad command line, as of grep and diff. */
#define EQUANT_EXIT_USAGE 2

/**
 * struct equant_command - one subcommand
 * @name: the word after `equant`
 * @run: gets argv[0] = "equant " @name; returns the exit status
 * @summary: one line for `equant help`
 * @usage: the whole text of `equant help NAME`, without the summary
 */
struct equant_command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
	const char *usage;
};

int equant_cmd_run(int argc, char **argv);
int equant_cmd_top(int argc, char **argv);
int equant_cmd_report(int argc, char **argv);
/* ... of the profiles in a directory; returns the exit status */
int equant_report_profiles(const char *directory, bool as_json);
int equant_cmd_probe(int argc, char **argv);
int equant_cmd_load(int argc, char **argv);
int equant_cmd_advise(int argc, char **argv);
int equant_cmd_plan(int argc, char **argv);
int equant_cmd_dag(int argc, char **argv);
int equant_cmd_redist(int argc, char **argv);
int equant_cmd_demo(int argc, char **argv);
int equant_cmd_simulate(int argc, char **argv);
int equant_cmd_help(int argc, char **argv);
int equant_cmd_version(int argc, char **argv);

/** equant_asks_for_help() - is it --help or -h? */
bool equant_asks_for_help(const char *word);

/** equant_wants_help() - is one of those among the words behind @argv[1]? */
bool equant_wants_help(int argc, char **argv);

#define EQUANT_NAME_SIZE 64

/**
 * equant_take_word() - what a command is to do
 * @command: which
 * @name: becomes @argv[1], the command and the word: option_next() begins its messages with it
 *
 * Return: the word, "" if there is none; NULL where help was asked for, which is printed.
 */
const char *equant_take_word(const char *command, int argc, char **argv, char *name);

/** equant_help_env() - print every option of the library */
int equant_help_env(void);

/** equant_find_command() - by name, or NULL */
const struct equant_command *equant_find_command(const char *name);

/** equant_commands() - all of them, ended by an entry without a name */
const struct equant_command *equant_commands(void);

#endif /* EQUANT_TOOL_COMMANDS_H */
