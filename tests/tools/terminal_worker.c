// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Runs a command on a terminal of its own and presses Ctrl-C, or hangs up, when the command says so:
 *
 *	terminal_worker COMMAND [ARGUMENT...]
 *
 * When a line of the command begins with "press", Ctrl-C is pressed; with "hang up" the terminal
 * is gone.  What it prints is printed here; its exit status is passed on.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define CTRL_C "\003"

static void __attribute__((noreturn)) child(int master, char **argv)
{
	int slave;

	setsid();
	slave = open(ptsname(master), O_RDWR);
	if (slave < 0 || ioctl(slave, TIOCSCTTY, 0))
		_exit(99);
	for (int fd = 0; fd < 3; fd++)
		dup2(slave, fd);
	close(slave);
	close(master);
	execvp(argv[0], argv);
	_exit(98);
}

int main(int argc, char **argv)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), status = 0;
	char line[1024];
	FILE *in;
	pid_t pid;

	if (argc < 2 || master < 0 || grantpt(master) || unlockpt(master))
		return 97;
	pid = fork();
	if (!pid)
		child(master, argv + 1);
	in = fdopen(master, "r+");
	if (pid < 0 || !in)
		return 97;
	/* A terminal that everybody has left is an error. */
	while (fgets(line, sizeof(line), in)) {
		fputs(line, stdout);
		if (!strncmp(line, "press", 5) && write(master, CTRL_C, 1) != 1)
			return 97;
		if (!strncmp(line, "hang up", 7))
			break;
	}
	fclose(in);
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
