// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Threads that come for their records at once get in each other's way, most of all where the kernel
 * preempts one that is about to get its own: a setting of the whole machine, which only a guest's may be.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <equant/probe.h>

#include "kselftest_harness.h"
#include "libtable.h"

#define CROWD 16
#define TURNS 25
#define SETTING "/sys/kernel/debug/sched/preempt"

struct tally {
	int begun;
	int opened;
};

__attribute__((constructor)) static void use_one_probe(void)
{
	share_probe();
}

static bool set_preemption(const char *kind)
{
	int fd = open(SETTING, O_WRONLY | O_CLOEXEC);
	bool well = write(fd, kind, strlen(kind)) > 0;

	close(fd);
	return well;
}

FIXTURE(crowd)
{
	const struct equant_table *table;
	struct tally *tally;
};

FIXTURE_VARIANT(crowd)
{
	const char *preemption;
	int cpus;
};

/* clang-format off */
FIXTURE_VARIANT_ADD(crowd, on_one_cpu) {
	.preemption = "voluntary",
	.cpus = 1,
};
FIXTURE_VARIANT_ADD(crowd, on_two_cpus) {
	.preemption = "voluntary",
	.cpus = 2,
};
FIXTURE_VARIANT_ADD(crowd, on_one_cpu_preempted_anywhere) {
	.preemption = "full",
	.cpus = 1,
};
FIXTURE_VARIANT_ADD(crowd, on_two_cpus_preempted_anywhere) {
	.preemption = "full",
	.cpus = 2,
};
/* clang-format on */

FIXTURE_SETUP(crowd)
{
	const char *reason = shared_probe();

	if (reason)
		SKIP(_exit(SKIPPED), "%s", reason);
	if (!set_preemption(variant->preemption))
		SKIP(_exit(SKIPPED), "the kernel does not let " SETTING " be set");
	unload_on_abort();
	self->table = map_pinned_table();
	ASSERT_NE(NULL, self->table);
	self->tally = mmap(NULL, sizeof(*self->tally), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->tally);
}

FIXTURE_TEARDOWN(crowd)
{
	munmap(self->tally, sizeof(*self->tally));
	unmap_table(self->table);
	set_preemption("voluntary");
}

static void come_and_go(struct tally *tally)
{
	struct equant_probe *probe;
	char why[256];

	__atomic_add_fetch(&tally->begun, 1, __ATOMIC_RELAXED);
	while (__atomic_load_n(&tally->begun, __ATOMIC_RELAXED) < CROWD)
		sched_yield();
	for (int i = 0; i < TURNS; i++) {
		probe = equant_probe_open("bpf", why, sizeof(why));
		if (probe)
			__atomic_add_fetch(&tally->opened, 1, __ATOMIC_RELAXED);
		else
			dprintf(STDERR_FILENO, "# %s\n", why);
		equant_probe_close(probe);
	}
}

TEST_F(crowd, everybody_gets_a_record_and_gives_it_back)
{
	for (int i = 0; i < CROWD; i++)
		if (!fork()) {
			pin_to(i % variant->cpus);
			come_and_go(self->tally);
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	EXPECT_EQ(CROWD * TURNS, self->tally->opened);
	EXPECT_TRUE(wait_for_used(self->table, 0));
}

TEST_HARNESS_MAIN
