// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Run time and run-queue wait from what every kernel offers without
 * privilege: the thread's CPU clock and /proc/thread-self/schedstat, whose
 * fields are run time, wait (both ns) and the number of times switched in.
 *
 * The file's run time is stale by up to one tick, the CPU clock is not, so run
 * time comes from the clock.  The wait only changes when the thread is
 * switched in, so it is current whenever the thread can read it.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "probe/probe_internal.h"
#include "probe/slice.h"

#define SCHEDSTAT_PATH "/proc/thread-self/schedstat"
#define CLOCK_OF_THREAD(tid) ((clockid_t)(~(unsigned int)(tid) << 3 | 6))
#define SCHEDSTAT_OF_OTHERS "/proc/self/task/%d/schedstat"

struct schedstat {
	int fd;
	clockid_t clock; /* the thread's CPU clock, as seen by any thread */
	uint64_t run_ns; /* last good reading of it */
	int error; /* of the last failed reading, 0 = none */
	uint64_t wait_ns; /* last good reading */
	uint64_t arrivals; /* the file's count of being switched in, at the last check */
	uint64_t switches; /* getrusage()'s, at the last check */
	struct equant_slice slice;
};

static const char *parse_number(const char *text, uint64_t *value)
{
	uint64_t number = 0;
	const char *digit;

	for (digit = text; *digit >= '0' && *digit <= '9'; digit++)
		number = number * 10 + (uint64_t)(*digit - '0');
	if (digit == text || (*digit != ' ' && *digit != '\n'))
		return NULL;
	*value = number;
	return digit + 1;
}

/* Any pointer may be to where the value is not wanted. */
static int read_file(int fd, uint64_t *wait_ns, uint64_t *arrivals)
{
	const char *pos;
	uint64_t run_ns;
	char text[80];
	ssize_t len;

	len = pread(fd, text, sizeof(text) - 1, 0);
	if (len < 0)
		return -errno;
	text[len] = '\0';
	pos = parse_number(text, &run_ns);
	if (pos)
		pos = parse_number(pos, wait_ns);
	if (pos)
		pos = parse_number(pos, arrivals);
	return pos && !*pos ? 0 : -EBADMSG;
}

static void count_switches(struct equant_status *status)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	status->blocks = (uint64_t)usage.ru_nvcsw;
	status->preemptions = (uint64_t)usage.ru_nivcsw;
	status->switches = status->blocks + status->preemptions;
}

/* A thread that has ended has no clock any more. */
static uint64_t read_clock(struct schedstat *source)
{
	struct timespec t;

	if (!clock_gettime(source->clock, &t))
		source->run_ns = (uint64_t)t.tv_sec * EQUANT_NSEC_PER_SEC + (uint64_t)t.tv_nsec;
	return source->run_ns;
}

static void schedstat_read(struct equant_probe *probe, struct equant_counters *now)
{
	struct schedstat *source = probe->data;
	uint64_t wait_ns, arrivals;
	int ret;

	now->run_ns = read_clock(source);
	now->t_ns = equant_clock_ns(CLOCK_MONOTONIC);
	ret = read_file(source->fd, &wait_ns, &arrivals);
	if (ret)
		source->error = ret;
	else
		source->wait_ns = wait_ns;
	now->wait_ns = source->wait_ns;
}

static void schedstat_status(struct equant_probe *probe, struct equant_status *status)
{
	struct schedstat *source = probe->data;

	schedstat_read(probe, &status->now);
	count_switches(status);
	status->quantum_ns = equant_slice_update(&source->slice, status->now.run_ns,
						 status->now.wait_ns, status->preemptions);
	status->cpu = sched_getcpu();
}

/*
 * The file and the clock of the thread.  Only its own have names that hold in any PID namespace;
 * CLOCK_OF_THREAD is clock_getcpuclockid(3) for a thread, part of the kernel's ABI.
 */
static void name_thread(struct schedstat *source, pid_t tid, char *path, size_t size)
{
	if (tid == gettid())
		snprintf(path, size, "%s", SCHEDSTAT_PATH);
	else
		snprintf(path, size, SCHEDSTAT_OF_OTHERS, (int)tid);
	source->clock = CLOCK_OF_THREAD(tid);
}

static int open_file(struct schedstat *source, pid_t tid, char *why, size_t why_size)
{
	uint64_t wait_ns, arrivals;
	char path[64];
	int ret;

	name_thread(source, tid, path, sizeof(path));
	source->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (source->fd < 0) {
		ret = -errno;
		equant_say(why, why_size, "%s: %s", path, strerror(-ret));
		return ret;
	}
	ret = read_file(source->fd, &wait_ns, &arrivals);
	if (ret)
		equant_say(why, why_size, SCHEDSTAT_PATH ": %s", strerror(-ret));
	else if (!arrivals) /* a thread that asks has been switched in at least once */
		ret = -ENODEV;
	if (ret == -ENODEV)
		equant_say(why, why_size,
			   SCHEDSTAT_PATH " is all zero: kernel without CONFIG_SCHED_INFO");
	if (ret)
		close(source->fd);
	return ret;
}

static int schedstat_open(struct equant_probe *probe, const char *arg, char *why, size_t why_size)
{
	struct equant_status status;
	struct schedstat *source;
	int ret;

	(void)arg;
	source = calloc(1, sizeof(*source));
	if (!source)
		return -ENOMEM;
	ret = open_file(source, probe->tid, why, why_size);
	if (ret) {
		free(source);
		return ret;
	}
	equant_slice_init(&source->slice);
	read_file(source->fd, &source->wait_ns, &source->arrivals);
	count_switches(&status);
	source->switches = status.switches;
	probe->data = source;
	return 0;
}

static void schedstat_close(struct equant_probe *probe, bool owner)
{
	struct schedstat *source = probe->data;

	(void)owner; /* a child has its own copy of the descriptor */
	close(source->fd);
	free(source);
}

/*
 * Switches are counted twice by the kernel, in the file and for getrusage().
 * The file is read second, so it cannot lag behind unless it stands still.  A switch
 * between the two is in the file already: the next check must not expect it there again.
 */
static int schedstat_check(struct equant_probe *probe, char *why, size_t why_size)
{
	struct schedstat *source = probe->data;
	struct equant_status status;
	uint64_t wait_ns, arrivals;
	int ret, stuck;

	count_switches(&status);
	ret = read_file(source->fd, &wait_ns, &arrivals);
	if (!ret)
		ret = source->error;
	if (ret) {
		equant_say(why, why_size, SCHEDSTAT_PATH ": %s", strerror(-ret));
		return 1;
	}
	stuck = status.switches != source->switches && arrivals == source->arrivals;
	if (arrivals != source->arrivals)
		count_switches(&status);
	source->switches = status.switches;
	source->arrivals = arrivals;
	if (stuck)
		equant_say(why, why_size,
			   SCHEDSTAT_PATH " stands still although the thread was switched");
	return stuck;
}

const struct equant_probe_ops equant_probe_schedstat = {
	.name = "schedstat",
	.features = EQUANT_PROBE_RUN | EQUANT_PROBE_WAIT | EQUANT_PROBE_QUANTUM,
	.summary = "run and wait time from the CPU clock and " SCHEDSTAT_PATH,
	.open = schedstat_open,
	.close = schedstat_close,
	.read = schedstat_read,
	.status = schedstat_status,
	.check = schedstat_check,
};
