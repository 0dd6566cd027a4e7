// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What the kernel probe costs where a program switches most: two processes on
 * one CPU that pass a byte back and forth through pipes.
 *
 * Usage: pingpong [ALTERNATIONS]	(root; default 21)
 *
 * Each alternation times a round trip without the probe, with it, and without
 * it again.  A time is the least of many short batches, which keeps other
 * processes out; the cost is the difference to the mean of both neighbours.
 * Where those two differ by more than 3 % the machine changed its speed, and
 * the alternation is repeated, three times as often as asked for at most.
 * Bounds: 200 ns with nothing registered, 800 ns with one of the two registered.
 *
 * Exit status: 1 if one was missed, 3 if there is no measuring, 4 if a probe is loaded.
 */
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include <equant/abi.h>
#include <equant/probe.h>

#include "hooks.skel.h"

#define BATCHES 200
#define TRIPS 150
#define MAX_ALTERNATIONS 999
#define STEADY 0.03

static int ping[2], pong[2];
static char tool[4096];
static struct hooks_bpf *hooks;
static struct equant_probe *probe;

static void die(const char *what)
{
	fprintf(stderr, "pingpong: %s: %s\n", what, strerror(errno));
	exit(3);
}

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static void echo(void)
{
	char byte;

	while (read(ping[0], &byte, 1) == 1 && write(pong[1], &byte, 1) == 1)
		;
	_exit(0);
}

static double batch(void)
{
	double start = now_ns();
	char byte = 0;

	for (int i = 0; i < TRIPS; i++)
		if (write(ping[1], &byte, 1) != 1 || read(pong[0], &byte, 1) != 1)
			die("pipe");
	return (now_ns() - start) / TRIPS;
}

static double round_trip(void)
{
	double least = batch(), one; /* the first one warms up too */

	for (int i = 0; i < BATCHES; i++) {
		one = batch();
		least = one < least ? one : least;
	}
	return least;
}

static void run_tool(const char *what)
{
	char command[sizeof(tool) + 64];

	snprintf(command, sizeof(command), "'%s' probe %s >&2", tool, what);
	if (system(command))
		die(command);
}

static void hooks_on(void)
{
	if (hooks_bpf__attach(hooks))
		die("attach");
}

static void hooks_off(void)
{
	hooks_bpf__detach(hooks);
}

static void probe_on(void)
{
	run_tool("load");
}

static void probe_off(void)
{
	run_tool("unload");
}

static void registered_on(void)
{
	char why[256];

	run_tool("load");
	probe = equant_probe_open("bpf", why, sizeof(why));
	if (!probe) {
		fprintf(stderr, "pingpong: %s\n", why);
		run_tool("unload");
		exit(3);
	}
}

static void registered_off(void)
{
	equant_probe_close(probe);
	run_tool("unload");
}

static const struct setting {
	const char *name;
	void (*on)(void);
	void (*off)(void);
	double bound_ns;
} settings[] = {
	{ "three empty hooks", hooks_on, hooks_off, 0 },
	{ "probe, nothing registered", probe_on, probe_off, 200 },
	{ "probe, one of the two registered", registered_on, registered_off, 800 },
};

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int measure(const struct setting *setting, int alternations)
{
	double cost[MAX_ALTERNATIONS], sorted[MAX_ALTERNATIONS], base[MAX_ALTERNATIONS];
	double before = round_trip(), with, after;
	int bad, spare = 2 * alternations;

	for (int i = 0; i < alternations; i++) {
		setting->on();
		with = round_trip();
		setting->off();
		after = round_trip();
		base[i] = (before + after) / 2;
		cost[i] = with - base[i];
		if (fabs(after - before) > STEADY * base[i] && spare-- > 0)
			i--;
		before = after;
	}
	memcpy(sorted, cost, sizeof(cost[0]) * (size_t)alternations);
	qsort(sorted, (size_t)alternations, sizeof(sorted[0]), compare);
	qsort(base, (size_t)alternations, sizeof(base[0]), compare);
	bad = setting->bound_ns && sorted[alternations / 2] > setting->bound_ns;
	printf("%-34s %+7.0f ns per round trip of %.0f (quartiles %+.0f %+.0f)", setting->name,
	       sorted[alternations / 2], base[alternations / 2], sorted[alternations / 4],
	       sorted[alternations * 3 / 4]);
	if (setting->bound_ns)
		printf("  bound %.0f: %s", setting->bound_ns, bad ? "MISSED" : "held");
	printf("\n  raw:");
	for (int i = 0; i < alternations; i++)
		printf(" %.0f", cost[i]);
	printf("\n");
	return bad;
}

static void find_tool(void)
{
	const char *build = getenv("TEST_BUILD");
	ssize_t len;

	if (build) {
		snprintf(tool, sizeof(tool), "%s/bin/equant", build);
		return;
	}
	len = readlink("/proc/self/exe", tool, sizeof(tool) - 64);
	if (len < 0)
		die("/proc/self/exe");
	tool[len] = '\0';
	strcpy(strstr(tool, "/tests/bench/") ?: tool, "/bin/equant");
}

static void pin_here(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		die("sched_setaffinity");
}

int main(int argc, char **argv)
{
	int alternations = argc > 1 ? atoi(argv[1]) : 21, bad = 0;
	pid_t other;

	if (alternations < 1 || alternations > MAX_ALTERNATIONS) {
		fprintf(stderr, "pingpong: expected 1 to %d alternations\n", MAX_ALTERNATIONS);
		return 2;
	}
	if (geteuid()) {
		printf("pingpong: skipped: needs root\n");
		return 4;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	find_tool();
	if (!access(EQUANT_BPF_DIR, F_OK)) {
		printf("pingpong: skipped: a probe is loaded (equant probe unload)\n");
		return 4;
	}
	pin_here();
	hooks = hooks_bpf__open_and_load();
	if (!hooks || pipe(ping) || pipe(pong))
		die("set-up");
	other = fork();
	if (!other)
		echo();
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		bad |= measure(&settings[i], alternations);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	hooks_bpf__destroy(hooks);
	return bad;
}
