// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The kernel's verifier accepts the programs as they are for a machine with very many CPUs. */
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <stdbool.h>
#include <stdint.h>

#include "kselftest_harness.h"
#include "libtable.h"

typedef uint32_t u32;

#include "equant.skel.h"

#define CPUS 8192
#define RECORDS 8192

static int hush(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

static bool kernel_has(const char *function)
{
	struct btf *btf = btf__load_vmlinux_btf();
	bool has = btf && btf__find_by_name_kind(btf, function, BTF_KIND_FUNC) > 0;

	btf__free(btf);
	return has;
}

/* Loads all programs but those of the ways to hear of prctl() that a kernel may not have. */
static int load(bool have_cast)
{
	struct equant_bpf *skel = equant_bpf__open();
	int ret;

	if (!skel)
		return -1;
	skel->rodata->nr_cpus = CPUS;
	skel->rodata->nr_records = RECORDS;
	skel->rodata->have_cast = have_cast;
	skel->rodata->predicts = true;
	bpf_map__set_max_entries(skel->maps.table, RECORDS + 1);
	bpf_map__set_max_entries(skel->maps.slots, RECORDS + 1);
	bpf_map__set_max_entries(skel->maps.cpus, CPUS);
	bpf_program__set_autoload(skel->progs.equant_prctl_answer, false);
	bpf_program__set_autoload(skel->progs.equant_prctl_unknown, false);
	bpf_program__set_autoload(skel->progs.equant_prctl_sys_enter, false);
	ret = equant_bpf__load(skel);
	equant_bpf__destroy(skel);
	return ret;
}

TEST(programs_for_thousands_of_cpus_are_accepted)
{
	const char *reason = why_no_live_tests();

	if (reason)
		SKIP(_exit(SKIPPED), "%s", reason);
	libbpf_set_print(hush);
	EXPECT_EQ(0, load(false));
	if (kernel_has("bpf_rdonly_cast"))
		EXPECT_EQ(0, load(true));
}

TEST_HARNESS_MAIN
