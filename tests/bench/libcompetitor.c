// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "libcompetitor.h"

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Reads from and to when to be busy, by the clock. */
static void be_busy(int command)
{
	double span[2];

	while (read(command, span, sizeof(span)) == sizeof(span)) {
		double left = span[0] - now();

		if (left > 0)
			usleep((useconds_t)(left * 1e6));
		while (now() < span[1])
			;
	}
	_exit(0);
}

int competitor_make(struct competitor *competitor)
{
	int ends[2];

	if (pipe(ends))
		return -errno;
	competitor->child = fork();
	if (competitor->child < 0)
		return -errno;
	if (!competitor->child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(ends[1]);
		be_busy(ends[0]);
	}
	close(ends[0]);
	competitor->command = ends[1];
	return 0;
}

int competitor_compete(const struct competitor *competitor, double from, double to)
{
	double span[2] = { now() + from, now() + to };

	return write(competitor->command, span, sizeof(span)) == sizeof(span) ? 0 : -EIO;
}

void competitor_end(const struct competitor *competitor)
{
	if (!competitor->child)
		return;
	kill(competitor->child, SIGKILL);
	waitpid(competitor->child, NULL, 0);
	close(competitor->command);
}
