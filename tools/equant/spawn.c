// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Starting children: an exec that fails is the parent's error, and nothing
 * but what is meant for it reaches the child.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spawn.h"

static void __attribute__((noreturn)) give_up(int failure)
{
	int error = errno;

	if (write(failure, &error, sizeof(error)) != sizeof(error))
		error = 0;
	_exit(127);
}

static void __attribute__((noreturn)) child(const struct spawn *what, int failure)
{
	char *const *variable = what->environment;

	while (variable && *variable)
		if (putenv(*variable++))
			give_up(failure);
	if (what->out >= 0)
		dup2(what->out, STDOUT_FILENO);
	if (what->err >= 0)
		dup2(what->err, STDERR_FILENO);
	if (what->new_session)
		setsid();
	if (what->mask)
		sigprocmask(SIG_SETMASK, what->mask, NULL);
	execvp(what->argv[0], what->argv);
	give_up(failure);
}

int spawn(const struct spawn *what, pid_t *pid)
{
	int failure[2], error = 0;

	if (pipe2(failure, O_CLOEXEC))
		return -errno;
	*pid = fork();
	if (*pid == 0)
		child(what, failure[1]);
	if (*pid < 0)
		error = errno;
	close(failure[1]);
	/* Nothing to read: exec has closed the other end. */
	if (*pid > 0 && read(failure[0], &error, sizeof(error)) == sizeof(error))
		waitpid(*pid, NULL, 0);
	close(failure[0]);
	return -error;
}

static void read_all(int fd, char *text, size_t size)
{
	char rest[256];
	size_t used = 0;
	ssize_t got;

	do {
		got = used + 1 < size ? read(fd, text + used, size - 1 - used) :
					read(fd, rest, sizeof(rest));
		if (got > 0 && used + 1 < size)
			used += got;
	} while (got > 0 || (got < 0 && errno == EINTR));
	text[used] = '\0';
}

int spawn_output(char *const *argv, bool apart, char *text, size_t size)
{
	struct spawn what = { .argv = argv, .new_session = apart };
	int fds[2], ret, status;
	sigset_t none;
	pid_t pid;

	/* The caller may hold signals back and wait for it. */
	sigemptyset(&none);
	what.mask = &none;
	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	what.out = fds[1];
	what.err = fds[1];
	ret = spawn(&what, &pid);
	close(fds[1]);
	if (!ret) {
		read_all(fds[0], text, size);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		ret = status;
	}
	close(fds[0]);
	return ret;
}

int spawn_status(int wait_status)
{
	return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

static bool runnable(const char *directory, const char *below, const char *name, char *path,
		     size_t size)
{
	int length = snprintf(path, size, "%s%s/%s", directory, below, name);

	return length > 0 && (size_t)length < size && !access(path, X_OK);
}

int spawn_find_helper(const char *name, char *path, size_t size)
{
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (length > 0) {
		self[length] = '\0';
		*strrchr(self, '/') = '\0';
		if (runnable(self, "/../libexec/equant", name, path, size) ||
		    runnable(self, "", name, path, size))
			return 0;
	}
	return runnable(EQUANT_LIBEXECDIR, "", name, path, size) ? 0 : -ENOENT;
}
