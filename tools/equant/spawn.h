/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_TOOL_SPAWN_H
#define EQUANT_TOOL_SPAWN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/**
 * struct spawn - a child to start
 * @argv: ended by NULL; argv[0] is looked for in PATH
 * @environment: NAME=VALUE strings to add, ended by NULL; may be NULL
 * @out: descriptor for standard output, -1 = inherited
 * @err: descriptor for standard error, -1 = inherited
 * @mask: signal mask of the child; NULL = inherited
 * @new_session: in a session of its own
 */
struct spawn {
	char *const *argv;
	char *const *environment;
	int out;
	int err;
	const sigset_t *mask;
	bool new_session;
};

/** spawn() - start it; 0 and its pid, or the -errno that kept it from being executed */
int spawn(const struct spawn *what, pid_t *pid);

/**
 * spawn_output() - run it, with no signal blocked, to its end and keep the start of what it prints
 * @apart: in a session of its own, which what is typed at the terminal does not end
 *
 * Return: wait status or -errno.
 */
int spawn_output(char *const *argv, bool apart, char *text, size_t size);

/** spawn_status() - a wait status as a shell gives it */
int spawn_status(int wait_status);

/** spawn_find_helper() - path of a program that is installed with equant; 0 or -ENOENT */
int spawn_find_helper(const char *name, char *path, size_t size);

#endif /* EQUANT_TOOL_SPAWN_H */
