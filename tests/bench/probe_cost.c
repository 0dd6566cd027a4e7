// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What reading a probe and recording an event cost, in ns, beside a
 * clock_gettime(CLOCK_MONOTONIC) measured in alternation with them.
 *
 * Usage: probe_cost [DIRECTORY]	(for the trace; default /tmp)
 *
 * One line per operation: median, its multiple of the clock, every repetition.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <equant/probe.h>
#include <equant/trace.h>

#define REPETITIONS 21
#define CALLS 4096

/* One operation; @run does it CALLS times. */
struct operation {
	char name[40];
	void (*run)(void *ctx);
	void (*settle)(void *ctx); /* between repetitions, not timed */
	void *ctx;
	double ns[REPETITIONS];
};

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static void run_clock(void *ctx)
{
	struct timespec ts;

	(void)ctx;
	for (int i = 0; i < CALLS; i++)
		clock_gettime(CLOCK_MONOTONIC, &ts);
}

static void run_read(void *probe)
{
	struct equant_counters now;

	for (int i = 0; i < CALLS; i++)
		equant_probe_read(probe, &now);
}

static void run_status(void *probe)
{
	struct equant_status status;

	for (int i = 0; i < CALLS; i++)
		equant_probe_status(probe, &status);
}

/* As the balancing phase does it: take room, fill it in. */
static void run_event(void *writer)
{
	uint64_t start = (uint64_t)now_ns(); /* one takes longer than a nanosecond */
	struct equant_event *event;

	for (int i = 0; i < CALLS; i++) {
		event = equant_trace_event(writer);
		event->type = EQUANT_EVENT_STATUS;
		event->t_ns = start + (uint64_t)i;
		event->u.status.share = 0.5;
	}
}

/* Thousands of events in a row happen only here; let the disk catch up. */
static void settle_event(void *writer)
{
	(void)writer;
	usleep(50000);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(const double *values)
{
	double sorted[REPETITIONS];

	memcpy(sorted, values, sizeof(sorted));
	qsort(sorted, REPETITIONS, sizeof(sorted[0]), compare);
	return sorted[REPETITIONS / 2];
}

static void repeat_once(struct operation *operation, int repetition)
{
	double start;

	if (operation->settle)
		operation->settle(operation->ctx);
	start = now_ns();
	operation->run(operation->ctx);
	operation->ns[repetition] = (now_ns() - start) / CALLS;
}

static void print(const struct operation *operation, double clock)
{
	double value = median(operation->ns);

	printf("%-18s %8.1f ns %6.2f x clock  raw", operation->name, value, value / clock);
	for (int i = 0; i < REPETITIONS; i++)
		printf(" %.1f", operation->ns[i]);
	printf("\n");
}

static int add_probe(struct operation *operations, const char *name)
{
	struct equant_probe *probe;
	char why[512];

	probe = equant_probe_open(name, why, sizeof(why));
	if (!probe) {
		printf("# %s\n", why);
		return 0;
	}
	operations[0] = (struct operation){ .run = run_read, .ctx = probe };
	operations[1] = (struct operation){ .run = run_status, .ctx = probe };
	snprintf(operations[0].name, sizeof(operations[0].name), "read %s", name);
	snprintf(operations[1].name, sizeof(operations[1].name), "status %s", name);
	return 2;
}

static struct equant_trace_writer *start_trace(const char *path)
{
	const struct equant_trace_header header = { .ranks = 1, .loop = "cost" };
	struct equant_trace_writer *writer;
	char why[512];

	writer = equant_trace_create(path, &header, why, sizeof(why));
	if (*why)
		printf("# %s\n", why);
	return writer;
}

/* Close, tell the drops, remove. */
static int end_trace(struct equant_trace_writer *writer, const char *path)
{
	struct equant_trace_header header;
	struct equant_event *events;
	size_t count;
	int ret;

	ret = equant_trace_close(writer);
	if (!ret)
		ret = equant_trace_load(path, &header, &events, &count, NULL, 0);
	unlink(path);
	if (ret) {
		fprintf(stderr, "probe_cost: %s: %s\n", path, strerror(abs(ret)));
		return 1;
	}
	printf("# trace: %zu events written, %llu dropped\n", count - 1,
	       (unsigned long long)events[count - 1].u.end.dropped);
	free(events);
	return 0;
}

int main(int argc, char **argv)
{
	static const char *const probes[] = { "bpf", "schedstat", "clock" };
	static struct operation operations[8];
	struct equant_trace_writer *writer;
	char path[512];
	double clock;
	int count = 0;

	snprintf(path, sizeof(path), "%s/equant-cost-%d", argc > 1 ? argv[1] : "/tmp", getpid());
	operations[count++] = (struct operation){ .name = "clock_gettime", .run = run_clock };
	for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++)
		count += add_probe(operations + count, probes[i]);
	writer = start_trace(path);
	if (!writer)
		return 1;
	operations[count++] = (struct operation){
		.name = "trace event",
		.run = run_event,
		.settle = settle_event,
		.ctx = writer,
	};

	for (int i = 0; i < REPETITIONS; i++)
		for (int j = 0; j < count; j++)
			repeat_once(&operations[j], i);
	clock = median(operations[0].ns);
	for (int i = 0; i < count; i++)
		print(&operations[i], clock);
	for (int i = 1; i < count - 1; i += 2)
		equant_probe_close(operations[i].ctx);
	return end_trace(writer, path);
}
