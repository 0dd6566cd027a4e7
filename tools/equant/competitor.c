// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The competing loads beside a job.  A load's own account covers its whole
 * life; what it took while a loop ran is interpolated between readings of its
 * CPU clock.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands.h"
#include "competitor.h"
#include "spawn.h"

#define MAX_WORDS 16

static int64_t read_clock(clockid_t clock)
{
	struct timespec ts;

	return clock_gettime(clock, &ts) ? -1 : ts.tv_sec * 1000000000ll + ts.tv_nsec;
}

/* "cpu=0,constant" becomes { @program, "cpu=0", "constant", NULL }; @copy holds the words. */
static int split(char *program, char *copy, char **argv, int room)
{
	int argc = 0;
	char *state, *word;

	argv[argc++] = program;
	for (word = strtok_r(copy, ",", &state); word; word = strtok_r(NULL, ",", &state)) {
		if (argc == room - 1)
			return -E2BIG;
		argv[argc++] = word;
	}
	argv[argc] = NULL;
	return argc;
}

static int prepare(const char *words, char *program, char **copy, char **argv, int room)
{
	int ret = spawn_find_helper("load", program, PATH_MAX);

	if (ret) {
		fprintf(stderr, "equant: the program 'load' is not installed beside equant\n");
		return ret;
	}
	*copy = strdup(words);
	if (!*copy) {
		fprintf(stderr, "equant: --load %s: %s\n", words, strerror(ENOMEM));
		return -ENOMEM;
	}
	ret = split(program, *copy, argv, room);
	if (ret < 0) {
		fprintf(stderr, "equant: --load %s: too many words\n", words);
		free(*copy);
	}
	return ret;
}

/* What the program would take, but no user means; NULL: nothing. */
static const char *refused(char *const *argv, int argc)
{
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "check"))
			return "unknown word 'check'";
		if (strpbrk(argv[i], " \t"))
			return "words have commas between them, no blanks";
	}
	return argc == 1 ? "no words" : NULL;
}

int competitor_check(const char *words)
{
	char program[PATH_MAX], text[512], *argv[MAX_WORDS + 1], *copy;
	int ret = prepare(words, program, &copy, argv, MAX_WORDS);

	if (ret < 0)
		return 125;
	if (refused(argv, ret)) {
		fprintf(stderr, "equant: --load '%s': %s\n", words, refused(argv, ret));
		free(copy);
		return EQUANT_EXIT_USAGE;
	}
	argv[ret] = (char[]){ "check" };
	argv[ret + 1] = NULL;
	ret = spawn_output(argv, false, text, sizeof(text));
	free(copy);
	if (ret < 0) {
		fprintf(stderr, "equant: %s: %s\n", program, strerror(-ret));
		return 125;
	}
	if (ret)
		fprintf(stderr, "equant: --load %s: %s", words, text);
	return ret ? spawn_status(ret) : 0;
}

int competitor_start(struct competitor *load, const char *words)
{
	char program[PATH_MAX], *argv[MAX_WORDS + 1], *copy;
	struct spawn what = { .argv = argv, .err = -1 };
	int fds[2] = { -1, -1 }, ret;
	sigset_t blocked;

	*load = (struct competitor){ .words = words, .out = -1, .cpu_time = NAN, .wait_time = NAN };
	ret = prepare(words, program, &copy, argv, MAX_WORDS);
	if (ret < 0)
		return ret;
	/* A job may be over before the load has a handler for the signal that ends it. */
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGTERM);
	what.mask = &blocked;
	ret = pipe2(fds, O_CLOEXEC) ? -errno : 0;
	what.out = fds[1];
	if (!ret)
		ret = spawn(&what, &load->pid);
	if (ret) {
		fprintf(stderr, "equant: %s: %s\n", program, strerror(-ret));
		load->pid = 0;
		close(fds[0]);
	} else {
		load->out = fds[0];
		if (clock_getcpuclockid(load->pid, &load->clock))
			load->clock = -1;
		competitor_sample(load);
	}
	close(fds[1]);
	free(copy);
	return ret;
}

void competitor_sample(struct competitor *load)
{
	struct competitor_sample now;

	if (load->nr_samples == load->room) {
		size_t room = load->room ? 2 * load->room : 256;
		void *more = reallocarray(load->samples, room, sizeof(now));

		if (!more)
			return;
		load->samples = more;
		load->room = room;
	}
	now.t_ns = read_clock(CLOCK_MONOTONIC);
	now.cpu_ns = read_clock(load->clock);
	if (now.cpu_ns >= 0)
		load->samples[load->nr_samples++] = now;
}

static void take_account(struct competitor *load)
{
	char text[256] = "";
	ssize_t got = read(load->out, text, sizeof(text) - 1);
	const char *at = got > 0 ? strstr(text, "elapsed=") : NULL;

	if (at)
		sscanf(at, "elapsed=%lf s cpu_time=%lf s wait_time=%lf", &load->elapsed,
		       &load->cpu_time, &load->wait_time);
	at = at ? strstr(at, " start=") : NULL;
	if (at)
		sscanf(at, " start=%lld", &load->start_ns);
}

int competitor_stop(struct competitor *load)
{
	int status = 0;

	if (!load->pid)
		return 0;
	competitor_sample(load);
	load->ended_early = waitpid(load->pid, &status, WNOHANG) == load->pid;
	if (!load->ended_early) {
		kill(load->pid, SIGTERM);
		while (waitpid(load->pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	take_account(load);
	close(load->out);
	load->pid = 0;
	load->status = spawn_status(status);
	if (load->status)
		fprintf(stderr, "equant: --load %s ended with status %d\n", load->words,
			load->status);
	return load->status ? -ECHILD : 0;
}

void competitor_release(struct competitor *load)
{
	free(load->samples);
	load->samples = NULL;
	load->nr_samples = 0;
}

static double cpu_at(const struct competitor *load, double t_ns)
{
	const struct competitor_sample *s = load->samples;
	size_t i = 0;

	while (i < load->nr_samples && (double)s[i].t_ns < t_ns)
		i++;
	if (i == load->nr_samples)
		return s[i - 1].cpu_ns;
	if (i == 0)
		return s[0].cpu_ns;
	return s[i - 1].cpu_ns + (s[i].cpu_ns - s[i - 1].cpu_ns) * (t_ns - s[i - 1].t_ns) /
					 (double)(s[i].t_ns - s[i - 1].t_ns);
}

double competitor_cpu(const struct competitor *load, double from_ns, double to_ns)
{
	if (load->nr_samples == 0)
		return NAN;
	return (cpu_at(load, to_ns) - cpu_at(load, from_ns)) / 1e9;
}
