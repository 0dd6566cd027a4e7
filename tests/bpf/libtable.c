// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <linux/bpf.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "libtable.h"

#define WAIT_MS 1000

uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec;
}

void sleep_ms(unsigned int ms)
{
	struct timespec ts = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

void pin_to(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

/* Beside the build that this program is part of. */
static void find_tool(char *path, size_t size)
{
	const char *build = getenv("TEST_BUILD");
	ssize_t len;
	char *end;

	if (build) {
		snprintf(path, size, "%s/bin/equant", build);
		return;
	}
	len = readlink("/proc/self/exe", path, size - sizeof("/bin/equant"));
	path[len > 0 ? len : 0] = '\0';
	end = strstr(path, "/tests/");
	strcpy(end ? end : path, "/bin/equant");
}

int probe_tool(const char *what, char *output, size_t size)
{
	char tool[4000], command[sizeof(tool) + 256];
	size_t used;
	int status;
	FILE *pipe;

	find_tool(tool, sizeof(tool));
	snprintf(command, sizeof(command), "'%s' probe %s 2>&1", tool, what);
	pipe = popen(command, "r");
	if (!pipe)
		return -1;
	used = fread(output, 1, size - 1, pipe);
	output[used] = '\0';
	status = pclose(pipe);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void unload_and_abort(int signal_number)
{
	char output[512];

	probe_tool("unload", output, sizeof(output));
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

void unload_on_abort(void)
{
	signal(SIGABRT, unload_and_abort);
}

const char *load_probe(void)
{
	static char output[512];

	if (geteuid())
		return "needs root";
	if (access("/sys/kernel/btf/vmlinux", F_OK))
		return "the kernel has no BTF";
	if (!access(EQUANT_BPF_DIR, F_OK))
		return "a probe is loaded already (equant probe unload)";
	if (probe_tool("load", output, sizeof(output))) {
		output[strcspn(output, "\n")] = '\0';
		return output;
	}
	return NULL;
}

static pid_t sharer;

static void unload_shared(void)
{
	char output[512];

	if (getpid() != sharer || access(EQUANT_BPF_DIR, F_OK))
		return;
	if (!probe_tool("unload", output, sizeof(output)) && access(EQUANT_BPF_DIR, F_OK))
		return;
	fprintf(stderr, "the probe does not go: %s", output);
	_exit(1);
}

/* One that is there already is somebody else's, and stays. */
void share_probe(void)
{
	sharer = access(EQUANT_BPF_DIR, F_OK) ? getpid() : 0;
	atexit(unload_shared);
}

const char *shared_probe(void)
{
	return sharer && !access(EQUANT_BPF_DIR, F_OK) ? NULL : load_probe();
}

const char *why_no_live_tests(void)
{
	const char *reason = load_probe();
	char output[512];

	if (!reason)
		probe_tool("unload", output, sizeof(output));
	return reason;
}

const struct equant_table *map_pinned_table(void)
{
	union bpf_attr attr = { .pathname = (uintptr_t)EQUANT_BPF_TABLE };
	const struct equant_table *table;
	size_t size;
	long fd;

	fd = syscall(SYS_bpf, BPF_OBJ_GET, &attr, sizeof(attr));
	if (fd < 0)
		return NULL;
	table = mmap(NULL, 4096, PROT_READ, MAP_SHARED, (int)fd, 0);
	if (table != MAP_FAILED) {
		size = ((size_t)table->nr_records + 1) * EQUANT_RECORD_SIZE;
		munmap((void *)table, 4096);
		table = mmap(NULL, size, PROT_READ, MAP_SHARED, (int)fd, 0);
	}
	close((int)fd);
	return table == MAP_FAILED ? NULL : table;
}

void unmap_table(const struct equant_table *table)
{
	if (table)
		munmap((void *)table, ((size_t)table->nr_records + 1) * EQUANT_RECORD_SIZE);
}

const struct equant_record *record_at(const struct equant_table *table, unsigned int index)
{
	return (const struct equant_record *)table + index;
}

const struct equant_record *record_of_tid(const struct equant_table *table, pid_t tid)
{
	for (unsigned int i = 1; i <= table->nr_records; i++)
		if (record_at(table, i)->tid == (uint32_t)tid)
			return record_at(table, i);
	return NULL;
}

static void bring_up_to(struct equant_record *r, uint64_t now)
{
	uint64_t since = now - r->t_state;

	if (r->state == EQUANT_STATE_RUN)
		r->run_ns += since;
	else if (r->state == EQUANT_STATE_WAIT)
		r->wait_ns += since;
	else
		return;
	since = now - r->t_share;
	r->share_ns += (uint64_t)((double)since * r->share_now / EQUANT_SHARE_ONE);
	r->settled_ns += (uint64_t)((double)since * r->share_settled / EQUANT_SHARE_ONE);
}

uint64_t copy_record(const struct equant_record *record, struct equant_record *copy)
{
	uint64_t now;
	uint32_t seq;

	do {
		seq = __atomic_load_n(&record->seq, __ATOMIC_ACQUIRE);
		*copy = *(const volatile struct equant_record *)record;
		now = now_ns();
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (seq & 1 || __atomic_load_n(&record->seq, __ATOMIC_RELAXED) != seq);
	if (now > copy->t_state)
		bring_up_to(copy, now);
	return now;
}

bool wait_for_used(const struct equant_table *table, unsigned int used)
{
	for (int i = 0; i < WAIT_MS; i++) {
		if (__atomic_load_n(&table->nr_used, __ATOMIC_RELAXED) == used)
			return true;
		sleep_ms(1);
	}
	return false;
}
