// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * equant redist experiment --over planning: what it takes to make schedules, and how much memory.
 *
 * Each size is planned in a process of its own, whose memory is that of the plan; the least of
 * several times is printed, as who else uses the machine only adds to it.
 */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "commands.h"
#include "redist_experiment.h"

#define REPEATS 20
#define ENOUGH 2.0 /* seconds of repeats */
#define MANY 5000 /* messages: not so many for those that take long */

static const struct {
	int ranks;
	int k;
} sizes[] = {
	{ 16, 15 },   { 32, 31 },   { 64, 16 },	  { 64, 32 },	{ 64, 63 },	{ 128, 127 },
	{ 256, 255 }, { 512, 511 }, { 1024, 64 }, { 4096, 64 }, { 1024, 1023 },
};

/**
 * struct times - seconds
 * @err: 0, or -errno and there are none
 * @messages: of finding out who has how much for whom
 * @greedy: of making the schedule of that
 * @preemptive: of that one; NAN: not tried
 * @best: the same
 */
struct times {
	int err;
	double messages;
	double greedy;
	double preemptive;
	double best;
};

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int time_scheduler(const char *scheduler, const struct equant_redist_costs *costs,
			  double *least)
{
	double begun = now();

	*least = INFINITY;
	for (int i = 0; i < REPEATS && now() - begun < ENOUGH; i++) {
		double before = now();
		struct equant_redist_schedule *schedule =
			equant_redist_schedule_new(scheduler, costs, NULL, 0);

		if (!schedule)
			return -errno;
		*least = fmin(*least, now() - before);
		equant_redist_schedule_free(schedule);
	}
	return 0;
}

/* As if drawn: any unequal times will do, and a table of bandwidths would be no part of a plan. */
static struct equant_redist_costs *make_costs(const struct experiment *experiment, int ranks, int k,
					      double *least)
{
	struct equant_redist_array array = {
		.dimensions = 1,
		.extent = { experiment->elements },
		.from = { { 1, ranks, 0, 0 } },
		.to = { { k, ranks, 0, 0 } },
	};
	struct equant_redist_network *network =
		equant_redist_network_new(ranks, experiment->startup, 1e8, NULL, 0);
	struct equant_redist_costs *costs = NULL;
	double before = now();
	int64_t count = 0;
	struct equant_redist_volume *volumes =
		network ? equant_redist_volumes(&array, 8, NULL, NULL, &count) : NULL;

	if (volumes)
		costs = equant_redist_network_costs(network, count, volumes, NULL, 0);
	*least = now() - before;
	free(volumes);
	equant_redist_network_free(network);
	for (int64_t m = 0; costs && m < costs->count; m++)
		costs->messages[m].data *= 0.5 + 10 * fmod((double)m * 0.6180339887, 1);
	return costs;
}

static int plan(const struct experiment *experiment, int ranks, int k, struct times *times)
{
	struct equant_redist_costs *costs = make_costs(experiment, ranks, k, &times->messages);
	int err = costs ? time_scheduler("greedy", costs, &times->greedy) : -errno;

	if (!err && costs->count <= MANY) {
		err = time_scheduler("preemptive", costs, &times->preemptive);
		if (!err)
			err = time_scheduler("best", costs, &times->best);
	}
	equant_redist_costs_free(costs);
	return err;
}

/* In a child; @memory in MB. */
static int plan_apart(const struct experiment *experiment, int ranks, int k, struct times *times,
		      double *memory)
{
	struct rusage usage;
	int ends[2], status;
	ssize_t got;
	pid_t child;

	if (pipe(ends))
		return -errno;
	fflush(NULL);
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(ends[0]);
		times->err = plan(experiment, ranks, k, times);
		_exit(write(ends[1], times, sizeof(*times)) != sizeof(*times));
	}
	close(ends[1]);
	got = child < 0 ? -1 : read(ends[0], times, sizeof(*times));
	close(ends[0]);
	if (child < 0 || wait4(child, &status, 0, &usage) != child)
		return -errno;
	*memory = (double)usage.ru_maxrss / 1024;
	/* What the system kills, it kills for its memory. */
	return got != sizeof(*times) || status ? -ENOMEM : times->err;
}

int redist_planning(const struct experiment *experiment)
{
	static const struct table_column columns[] = {
		{ "ranks", "%.0f", 0 },
		{ "K", "%.0f", 0 },
		{ "messages", "%.0f", 0 },
		{ "sizes, ms", "%.3f", 0 },
		{ "greedy, ms", "%.3f", 1 },
		{ "preemptive, ms", "%.2f", 0 },
		{ "best, ms", "%.2f", 0 },
		{ "memory, MB", "%.0f", 0 },
		{ 0 },
	};
	struct table table = { .columns = columns, .x_title = "ranks" };
	int err = 0;

	if (experiment->ranks < sizes[0].ranks) {
		fprintf(stderr, "equant redist: --over planning needs --ranks %d or more\n",
			sizes[0].ranks);
		return EQUANT_EXIT_USAGE;
	}
	snprintf(table.title, sizeof(table.title),
		 "planning: who has how much for whom, and schedules of that");
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes) && !err; i++) {
		double ranks = sizes[i].ranks, k = sizes[i].k, memory = NAN;
		struct times times = { .preemptive = NAN, .best = NAN };

		if (ranks > experiment->ranks)
			continue;
		err = plan_apart(experiment, sizes[i].ranks, sizes[i].k, &times, &memory);
		if (!err)
			err = table_add(&table,
					(double[]){ ranks, k, ranks * k, 1e3 * times.messages,
						    1e3 * times.greedy, 1e3 * times.preemptive,
						    1e3 * times.best, memory });
	}
	if (err)
		fprintf(stderr, "equant redist: %s\n", strerror(-err));
	else
		err = table_show(&table, "redist", experiment->json ? "redist" : NULL,
				 experiment->svg);
	table_release(&table);
	return err ? 1 : 0;
}
