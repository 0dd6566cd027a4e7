// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What the kernel module costs: 256 tasks on one CPU pass a byte around, and none, one and all
 * of them are attached.
 *
 * Usage: kmod_cost	(root, the module loaded, nothing attached, one CPU)
 *
 * Prints lines of a name and ROUNDS values: per switch, with a wake-up each, and per task
 * that is read.  Ticks are those of the time stamp counter: instructions in a guest
 * whose clock counts them.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <equant/kmod.h>

#define TASKS 256
#define ROUNDS 7
#define LAPS 12
#define SNAPSHOTS 40
#define READINGS 4

static int device;
static int in[TASKS + 1][2]; /* whoever reads the i-th is the i-th of the ring; the last is us */
static pid_t tasks[TASKS];
static uint32_t indices[TASKS];
static int schedstats[TASKS];

/* Of both clocks: how many, from some instant to another. */
struct cost {
	double ticks, ns;
};

static void die(const char *what)
{
	fprintf(stderr, "kmod_cost: %s: %s\n", what, strerror(errno));
	exit(1);
}

static struct cost now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (struct cost){ (double)__builtin_ia32_rdtsc(),
			      (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec };
}

static struct cost per(struct cost begin, struct cost end, double times)
{
	return (struct cost){ (end.ticks - begin.ticks) / times, (end.ns - begin.ns) / times };
}

static void hand_on(int from)
{
	char byte;

	if (read(in[from][0], &byte, 1) != 1 || write(in[from + 1][1], &byte, 1) != 1)
		_exit(1);
}

/* A batch task does not preempt whom it wakes up or is woken by: one switch per task and lap. */
static void start_ring(void)
{
	const struct sched_param param = { 0 };
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	if (sched_setaffinity(0, sizeof(set), &set) || sched_setscheduler(0, SCHED_BATCH, &param))
		die("CPU 0");
	for (int i = 0; i <= TASKS; i++)
		if (pipe(in[i]))
			die("pipe");
	for (int i = 0; i < TASKS; i++) {
		tasks[i] = fork();
		if (tasks[i] < 0)
			die("fork");
		if (tasks[i])
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			hand_on(i);
	}
}

static void go_round(int laps)
{
	char byte = 0;

	for (int i = 0; i < laps; i++)
		if (write(in[0][1], &byte, 1) != 1 || read(in[TASKS][0], &byte, 1) != 1)
			die("the ring is broken");
}

/* Of the whole machine. */
static double switches(void)
{
	char line[4096];
	double number = 0;
	FILE *file = fopen("/proc/stat", "r");

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "ctxt %lf", &number) == 1)
			break;
	if (!file || fclose(file) || number <= 0)
		die("/proc/stat");
	return number;
}

static struct cost one_switch(void)
{
	double number = switches();
	struct cost begin = now();

	go_round(LAPS);
	begin = per(begin, now(), 1);
	number = switches() - number;
	return (struct cost){ begin.ticks / number, begin.ns / number };
}

static void attach_up_to(int nr)
{
	static int attached;

	for (; attached < nr; attached++) {
		struct equant_attach arg = { .tid = (uint32_t)tasks[attached] };

		if (ioctl(device, EQUANT_IOC_ATTACH, &arg))
			die("attach");
		indices[attached] = arg.index;
	}
}

static struct cost one_snapshot(void)
{
	static struct equant_record records[TASKS];
	struct cost begin = now();

	for (int i = 0; i < SNAPSHOTS; i++) {
		struct equant_snapshot arg = { .indices = (uintptr_t)indices,
					       .records = (uintptr_t)records,
					       .nr = TASKS };

		if (ioctl(device, EQUANT_IOC_SNAPSHOT, &arg) != TASKS)
			die("snapshot");
	}
	return per(begin, now(), SNAPSHOTS * TASKS);
}

static void open_schedstats(void)
{
	char path[64];

	for (int i = 0; i < TASKS; i++) {
		snprintf(path, sizeof(path), "/proc/%d/schedstat", tasks[i]);
		schedstats[i] = open(path, O_RDONLY | O_CLOEXEC);
		if (schedstats[i] < 0)
			die(path);
	}
}

/* The files stay open, as a program that reads them often would have it. */
static struct cost one_reading(void)
{
	struct cost begin = now();
	char text[128];

	for (int i = 0; i < READINGS * TASKS; i++)
		if (pread(schedstats[i % TASKS], text, sizeof(text), 0) <= 0)
			die("schedstat");
	return per(begin, now(), READINGS * TASKS);
}

/* The same again, beyond what @base says, which may be NULL; @costs is filled. */
static void measure(const char *name, struct cost (*one)(void), const struct cost *base,
		    struct cost costs[ROUNDS])
{
	one(); /* the caches' and the tracepoints' first time */
	for (int i = 0; i < ROUNDS; i++)
		costs[i] = one();
	printf("%s_ticks", name);
	for (int i = 0; i < ROUNDS; i++)
		printf(" %.1f", costs[i].ticks - (base ? base[i].ticks : 0));
	printf("\n%s_us", name);
	for (int i = 0; i < ROUNDS; i++)
		printf(" %.4f", (costs[i].ns - (base ? base[i].ns : 0)) / 1e3);
	printf("\n");
}

int main(void)
{
	struct cost none[ROUNDS], costs[ROUNDS];

	device = open(EQUANT_DEVICE, O_RDWR | O_CLOEXEC);
	if (device < 0)
		die(EQUANT_DEVICE);
	start_ring();
	measure("switch", one_switch, NULL, none);
	attach_up_to(1);
	measure("attached_1", one_switch, none, costs);
	attach_up_to(TASKS);
	measure("attached_256", one_switch, none, costs);
	measure("snapshot", one_snapshot, NULL, costs);
	open_schedstats();
	measure("schedstat", one_reading, NULL, costs);
	return 0;
}
