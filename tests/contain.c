// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Run one test program so that nothing of it can outlive it:
 *
 *	contain SECONDS PROGRAM [ARGUMENT...]
 *
 * The program gets a session of its own.  Whatever it starts becomes, once
 * orphaned, a child of this process (a child subreaper), however often it
 * forked or changed its session; so what is still there a moment after the
 * program ended is exactly what the program left behind.  It is reported on
 * standard error, one "leftover:" line each, and killed.
 *
 * Exit status: the program's, 128 + signal when it was killed by one, 124 when
 * it took too long, 125 when something was left behind.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STATUS_TIMEOUT 124
#define STATUS_LEFTOVER 125
#define STATUS_USAGE 126
#define STATUS_NOT_FOUND 127
#define STATUS_INTERRUPTED 130

/* A launcher's helpers may take this long to notice that the job has ended. */
#define GRACE_MS 2000

static long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void block_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGCHLD);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
	sigprocmask(SIG_BLOCK, set, NULL);
}

/* Returns the signal that came, -1 for none. */
static int wait_for_signal(long ms)
{
	struct timespec ts = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };
	sigset_t set;

	block_signals(&set);
	return sigtimedwait(&set, NULL, &ts);
}

/*
 * Reap until @pid has ended (1), no child is left or @deadline has passed (0),
 * or somebody interrupts (-EINTR).
 */
static int reap(pid_t pid, long deadline, int *status)
{
	for (;;) {
		int st, sig;
		pid_t got = waitpid(-1, &st, WNOHANG);

		if (got > 0 && got == pid) {
			*status = st;
			return 1;
		}
		if (got > 0)
			continue;
		if (got < 0 || now_ms() >= deadline)
			return 0;
		sig = wait_for_signal(deadline - now_ms());
		if (sig > 0 && sig != SIGCHLD)
			return -EINTR;
	}
}

static void print_command(FILE *out, pid_t pid)
{
	char path[64], line[256];
	size_t n, i;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	in = fopen(path, "re");
	n = in ? fread(line, 1, sizeof(line) - 1, in) : 0;
	if (in)
		fclose(in);
	for (i = 0; i < n; i++)
		fputc(line[i] ? line[i] : ' ', out);
}

/* Kill every child there is now; their children become ours. Returns how many. */
static int kill_children(int report)
{
	char path[64];
	int pid, count = 0;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	in = fopen(path, "re");
	if (!in)
		return 0;
	while (fscanf(in, "%d", &pid) == 1) {
		if (report) {
			fprintf(stderr, "leftover: process %d ", pid);
			print_command(stderr, pid);
			fputc('\n', stderr);
		}
		kill(pid, SIGKILL);
		count++;
	}
	fclose(in);
	return count;
}

/* Gives up after a while on one that cannot die. */
static int kill_all(int report)
{
	long deadline = now_ms() + GRACE_MS;
	int total = 0, status, n;

	while ((n = kill_children(report)) && now_ms() < deadline) {
		total += n;
		reap(-1, now_ms() + 100, &status);
	}
	return total;
}

static void start(char **argv)
{
	sigset_t none;

	/* What nohup, or a shell behind its back, has ignored is no matter of the program's. */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGHUP, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	setsid();
	execvp(argv[0], argv);
	fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
	_exit(STATUS_NOT_FOUND);
}

int main(int argc, char **argv)
{
	int status = 0, ended;
	long seconds;
	sigset_t set;
	char *end;
	pid_t pid;

	seconds = argc < 3 ? 0 : strtol(argv[1], &end, 10);
	if (seconds <= 0 || *end) {
		fprintf(stderr, "usage: contain SECONDS PROGRAM [ARGUMENT...]\n");
		return STATUS_USAGE;
	}
	block_signals(&set);
	if (prctl(PR_SET_CHILD_SUBREAPER, 1)) {
		perror("contain: PR_SET_CHILD_SUBREAPER");
		return STATUS_USAGE;
	}
	pid = fork();
	if (pid < 0) {
		perror("contain: fork");
		return STATUS_USAGE;
	}
	if (!pid)
		start(argv + 2);

	ended = reap(pid, now_ms() + seconds * 1000, &status);
	if (ended <= 0) {
		kill_all(0);
		if (ended < 0)
			return STATUS_INTERRUPTED;
		fprintf(stderr, "timeout: %ld s\n", seconds);
		return STATUS_TIMEOUT;
	}
	reap(-1, now_ms() + GRACE_MS, &(int){ 0 });
	if (kill_all(1))
		return STATUS_LEFTOVER;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
