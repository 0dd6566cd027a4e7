// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The module and the BPF program, attached to the same task at the same time, say
 * the same of it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <equant/probe.h>

#include "kselftest_harness.h"
#include "libdevice.h"
#include "probe/mapping.h"

#define SKIPPED 255
#define SUBJECT_CPU 0
#define WATCHER_CPU 1
#define SETTLE_MS 500
#define WINDOW_MS 2000
#define LOOK_MS 3
#define MAX_LOADS 3
#define TRIES 5
#define ENOUGH_SLICES 16
#define TIME_BOUND 0.001 /* of the window */
#define CONTENDED_BOUND 0.01
#define QUANTUM_BOUND 0.02

/* Both at one instant. */
struct both {
	uint64_t now;
	struct equant_record module, bpf;
};

/*
 * At a switch, one of them looks at the clock after the other has done its work.
 * On an emulated CPU that takes tens of microseconds, and not the same when the task
 * comes and when it goes: the difference is in the run time of one of them.  Where the
 * clock counts instructions (GUEST_EXACT) it takes as long as on a real one: nothing is
 * taken off, and nobody needs to look in between.
 */
struct lag {
	double in, out; /* how much later the BPF program looks, sums */
	unsigned int nr_in, nr_out;
};

static bool is_exact(void)
{
	return getenv("GUEST_EXACT");
}

FIXTURE(agreement)
{
	int fd;
	const struct equant_table *table;
	struct equant_mapping bpf;
	uint32_t index, bpf_index;
	pid_t subject, loads[MAX_LOADS];
	struct both before, after;
	struct lag lag;
};

static int equant_tool(const char *what)
{
	char command[4200];

	snprintf(command, sizeof(command), "'%s/bin/equant' probe %s > /dev/null 2>&1",
		 getenv("TEST_BUILD") ?: "../..", what);
	return system(command);
}

static pid_t start_subject(void)
{
	char why[512] = "", byte = 0;
	int report[2];
	pid_t pid;

	if (pipe(report))
		return -1;
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pin_to(SUBJECT_CPU);
		if (!equant_probe_open("bpf", why, sizeof(why)) || write(report[1], "x", 1) != 1)
			_exit(1);
		close(report[1]);
		for (;;)
			;
	}
	close(report[1]);
	if (read(report[0], &byte, 1) != 1)
		pid = -1;
	close(report[0]);
	return pid;
}

static uint32_t bpf_record_of(const struct equant_mapping *mapping, pid_t pid)
{
	for (uint32_t i = 1; i <= mapping->table->nr_records; i++)
		if (equant_mapping_record(mapping, i)->tid == (uint32_t)pid)
			return i;
	return 0;
}

FIXTURE_SETUP(agreement)
{
	const char *reason = why_no_device();
	char why[512];

	if (!reason && !is_exact() && sysconf(_SC_NPROCESSORS_ONLN) < 2)
		reason = "needs two CPUs";
	if (!reason && equant_tool("load"))
		reason = "the BPF program cannot be loaded, or is already";
	if (reason)
		SKIP(_exit(SKIPPED), "%s", reason);
	pin_to(WATCHER_CPU);
	self->subject = start_subject();
	ASSERT_LT(0, self->subject);
	self->fd = open_device();
	ASSERT_LE(0, self->fd);
	self->index = (uint32_t)attach(self->fd, self->subject, 0);
	ASSERT_LT(0, (int)self->index);
	self->table = map_table(self->fd);
	ASSERT_NE(NULL, self->table);
	ASSERT_EQ(0, equant_bpf_table_open(&self->bpf, why, sizeof(why)));
	self->bpf_index = bpf_record_of(&self->bpf, self->subject);
	ASSERT_NE(0, self->bpf_index);
}

FIXTURE_TEARDOWN(agreement)
{
	for (int i = 0; i < MAX_LOADS; i++)
		if (self->loads[i])
			stop_load(self->loads[i]);
	stop_load(self->subject);
	equant_mapping_close(&self->bpf);
	unmap_table(self->table);
	close(self->fd);
	equant_tool("unload");
}

static void extend(struct equant_record *r, uint64_t now)
{
	if (r->state == EQUANT_STATE_RUN)
		r->run_ns += now - r->t_state;
	else if (r->state == EQUANT_STATE_WAIT)
		r->wait_ns += now - r->t_state;
	if (r->t_contended)
		r->contended_ns += now - r->t_contended;
}

/* Neither was written while both were copied and the clock was read. */
static struct both look(FIXTURE_DATA(agreement) * self)
{
	struct equant_record module, bpf;
	struct both both;

	do {
		both.module = record_copy(self->table, self->index);
		both.bpf = record_copy(self->bpf.table, self->bpf_index);
		both.now = clock_ns(CLOCK_MONOTONIC);
		module = record_copy(self->table, self->index);
		bpf = record_copy(self->bpf.table, self->bpf_index);
	} while (module.seq != both.module.seq || bpf.seq != both.bpf.seq);
	extend(&both.module, both.now);
	extend(&both.bpf, both.now);
	return both;
}

static void note_lag(struct lag *lag, const struct both *both)
{
	double ns = (double)both->bpf.t_state - (double)both->module.t_state;

	if (both->bpf.state != both->module.state)
		return;
	if (both->bpf.state == EQUANT_STATE_RUN) {
		lag->in += ns;
		lag->nr_in++;
	} else if (both->bpf.state == EQUANT_STATE_WAIT) {
		lag->out += ns;
		lag->nr_out++;
	}
}

static void watch(FIXTURE_DATA(agreement) * self)
{
	struct both both;

	self->lag = (struct lag){ 0 };
	self->before = look(self);
	do {
		sleep_ms(is_exact() ? WINDOW_MS : LOOK_MS);
		both = look(self);
		note_lag(&self->lag, &both);
	} while (both.now < self->before.now + WINDOW_MS * MSEC);
	self->after = both;
}

#define GROWN(source, field) ((double)self->after.source.field - (double)self->before.source.field)
#define MORE(field) (GROWN(bpf, field) - GROWN(module, field))

/* What the BPF program's run time has more because it looks later. */
static double lagged_ns(FIXTURE_DATA(agreement) * self)
{
	const struct lag *lag = &self->lag;

	if (is_exact() || !lag->nr_in || !lag->nr_out)
		return 0;
	return GROWN(bpf, switches) * (lag->out / lag->nr_out - lag->in / lag->nr_in);
}

/* A quantum is an average over eight slices: what was before has gone. */
static double quantum_error(FIXTURE_DATA(agreement) * self)
{
	double module = self->after.module.quantum_ns, bpf = self->after.bpf.quantum_ns;

	if (GROWN(bpf, slices) < ENOUGH_SLICES)
		return 0;
	return bpf > 0 ? fabs(module / bpf - 1) : module > 0;
}

static const char *disagreement(FIXTURE_DATA(agreement) * self)
{
	double window = (double)(self->after.now - self->before.now);

	if (fabs(MORE(run_ns) - lagged_ns(self)) > TIME_BOUND * window)
		return "run";
	if (fabs(MORE(wait_ns) + lagged_ns(self)) > TIME_BOUND * window)
		return "wait";
	if (fabs(MORE(contended_ns)) > CONTENDED_BOUND * window)
		return "contended time";
	if (fabs(MORE(long_episodes)) > 1)
		return "long episodes";
	return quantum_error(self) > QUANTUM_BOUND ? "quantum" : "none";
}

static void print(FIXTURE_DATA(agreement) * self)
{
	printf("# %s: run %.0f (BPF %+.0f, by looking later %+.0f), wait %.0f (%+.0f), contended %.0f (%+.0f) us, long episodes %.0f (%+.0f), quantum %u (%u) ns\n",
	       disagreement(self), GROWN(module, run_ns) / 1e3, MORE(run_ns) / 1e3,
	       lagged_ns(self) / 1e3, GROWN(module, wait_ns) / 1e3, MORE(wait_ns) / 1e3,
	       GROWN(module, contended_ns) / 1e3, MORE(contended_ns) / 1e3,
	       GROWN(module, long_episodes), MORE(long_episodes), self->after.module.quantum_ns,
	       self->after.bpf.quantum_ns);
	fflush(stdout);
}

/* A machine that stops an emulated CPU between the two makes them differ by that: once more. */
static void compete(FIXTURE_DATA(agreement) * self, int loads, unsigned int us)
{
	for (int i = 0; i < loads; i++)
		self->loads[i] = start_load(SUBJECT_CPU, us);
	sleep_ms(SETTLE_MS);
	for (int i = 0; i < (is_exact() ? 1 : TRIES); i++) {
		watch(self);
		print(self);
		if (!strcmp(disagreement(self), "none"))
			break;
	}
}

TEST_F(agreement, alone)
{
	compete(self, 0, 0);
	EXPECT_STREQ("none", disagreement(self));
	EXPECT_GT(GROWN(module, run_ns), GROWN(module, wait_ns));
}

TEST_F(agreement, beside_one_competitor)
{
	compete(self, 1, 0);
	EXPECT_STREQ("none", disagreement(self));
	EXPECT_LE(ENOUGH_SLICES, GROWN(module, slices));
	EXPECT_GT(GROWN(module, wait_ns), 0.2 * WINDOW_MS * 1e6);
}

TEST_F(agreement, beside_three_competitors)
{
	compete(self, 3, 0);
	EXPECT_STREQ("none", disagreement(self));
	EXPECT_LE(ENOUGH_SLICES, GROWN(module, slices));
	EXPECT_GT(GROWN(module, wait_ns), 0.4 * WINDOW_MS * 1e6);
}

TEST_F(agreement, beside_one_that_sleeps_and_wakes)
{
	compete(self, 1, 50000);
	EXPECT_STREQ("none", disagreement(self));
	EXPECT_GT(GROWN(module, long_episodes) + GROWN(module, episodes), 5);
}

TEST_HARNESS_MAIN
