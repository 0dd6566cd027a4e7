// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "libdevice.h"

const char *why_no_device(void)
{
	if (access(EQUANT_DEVICE, F_OK))
		return "the kernel module is not loaded";
	return geteuid() ? "needs root" : NULL;
}

int open_device(void)
{
	int fd = open(EQUANT_DEVICE, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int control(int fd, unsigned long op, void *arg)
{
	int ret = ioctl(fd, op, arg);

	return ret < 0 ? -errno : ret;
}

int attach(int fd, pid_t tid, unsigned int flags)
{
	struct equant_attach arg = { .tid = (uint32_t)tid, .flags = flags };
	int ret = control(fd, EQUANT_IOC_ATTACH, &arg);

	return ret ? ret : (int)arg.index;
}

int detach(int fd, unsigned int index)
{
	struct equant_detach arg = { .index = index };

	return control(fd, EQUANT_IOC_DETACH, &arg);
}

unsigned int records_in_use(int fd)
{
	struct equant_info info;

	return control(fd, EQUANT_IOC_INFO, &info) ? ~0u : info.used;
}

unsigned int records_left(int fd)
{
	for (int i = 0; i < 100 && records_in_use(fd); i++)
		sleep_ms(20);
	return records_in_use(fd);
}

const struct equant_table *map_table(int fd)
{
	void *table = mmap(NULL, EQUANT_FILE_BYTES, PROT_READ, MAP_SHARED, fd, 0);

	return table == MAP_FAILED ? NULL : table;
}

void unmap_table(const struct equant_table *table)
{
	munmap((void *)table, EQUANT_FILE_BYTES);
}

struct equant_record record_copy(const struct equant_table *table, unsigned int index)
{
	const struct equant_record *record = (const struct equant_record *)table + index;
	struct equant_record copy;
	uint32_t seq;

	do {
		seq = __atomic_load_n(&record->seq, __ATOMIC_ACQUIRE);
		copy = *(const volatile struct equant_record *)record;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (seq & 1 || __atomic_load_n(&record->seq, __ATOMIC_RELAXED) != seq);
	return copy;
}

struct equant_record record_now(const struct equant_table *table, unsigned int index)
{
	struct equant_record copy = record_copy(table, index);
	uint64_t now = clock_ns(CLOCK_MONOTONIC), ns = now > copy.t_state ? now - copy.t_state : 0;

	if (copy.state == EQUANT_STATE_RUN)
		copy.run_ns += ns;
	else if (copy.state == EQUANT_STATE_WAIT)
		copy.wait_ns += ns;
	else if (copy.state == EQUANT_STATE_SLEEP)
		copy.sleep_ns += ns;
	if (copy.t_contended) {
		copy.contended_ns += now - copy.t_contended;
		copy.t_contended = 0;
	}
	copy.t_state = now;
	return copy;
}

static void be_load(int cpu, unsigned int us)
{
	const struct timespec pause = { .tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000 };
	uint64_t end;

	pin_to(cpu);
	for (;;) {
		end = clock_ns(CLOCK_MONOTONIC) + us * 1000ull;
		while (!us || clock_ns(CLOCK_MONOTONIC) < end)
			;
		nanosleep(&pause, NULL);
	}
}

/* fork(); the child ends with its parent. */
static pid_t start(void)
{
	pid_t pid = fork();

	if (!pid)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

pid_t start_load(int cpu, unsigned int us)
{
	pid_t pid = start();

	if (!pid)
		be_load(cpu, us);
	return pid;
}

pid_t start_load_in_session(int cpu)
{
	pid_t pid = start();

	if (!pid) {
		setsid();
		be_load(cpu, 0);
	}
	return pid;
}

pid_t start_load_that_yields(int cpu)
{
	pid_t pid = start();

	if (!pid) {
		pin_to(cpu);
		for (;;)
			sched_yield();
	}
	return pid;
}

void stop_load(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

void pin_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

uint64_t clock_ns(int clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void sleep_ms(unsigned int ms)
{
	const struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };

	nanosleep(&t, NULL);
}

uint64_t stress_end(unsigned int ms)
{
	const char *seconds = getenv("STRESS_SECONDS");

	return clock_ns(CLOCK_MONOTONIC) +
	       (seconds ? strtoull(seconds, NULL, 10) * 1000 : ms) * MSEC;
}

bool time_is_up(uint64_t end)
{
	return clock_ns(CLOCK_MONOTONIC) >= end;
}

bool all_do(void (*work)(uint64_t end, unsigned int seed), uint64_t end, unsigned int seed)
{
	pid_t pid[WORKERS];
	bool well = true;
	int status;

	for (unsigned int i = 0; i < WORKERS; i++) {
		pid[i] = fork();
		if (!pid[i]) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			work(end, seed + i);
			_exit(0);
		}
	}
	for (unsigned int i = 0; i < WORKERS; i++) {
		status = status_of(pid[i]);
		if (status)
			fprintf(stderr, "# worker %u: %d\n", i, status);
		well &= status == 0;
	}
	return well;
}

void compute_ms(unsigned int ms)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + ms * MSEC;

	while (clock_ns(CLOCK_MONOTONIC) < end)
		;
}

int status_of(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

int as_user(unsigned int uid, int (*work)(void *arg), void *arg)
{
	pid_t pid = fork();

	if (!pid) {
		if (setgid(uid) || setuid(uid))
			_exit(255);
		_exit(work(arg));
	}
	return status_of(pid);
}
