// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Loading, unloading, replacing, and what clients see of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <equant/probe.h>

#include "loader.h"

TEST_F(loader, a_second_load_is_refused_and_says_what_to_do)
{
	ASSERT_EQ(0, tool("load"));
	EXPECT_EQ(1, tool("load"));
	expect_output("already loaded");
	expect_output("--replace");
	EXPECT_EQ(0, tool("load --if-needed"));
}

TEST_F(loader, unload_twice_is_no_error)
{
	ASSERT_EQ(0, tool("load"));
	EXPECT_EQ(0, tool("unload"));
	EXPECT_NE(0, access(EQUANT_BPF_DIR, F_OK));
	EXPECT_EQ(0, tool("unload"));
	expect_output("nothing to unload");
}

TEST_F(loader, users_may_enter_whatever_umask_root_has)
{
	mode_t mask = umask(077);
	struct stat st;

	EXPECT_EQ(0, tool("load"));
	umask(mask);
	ASSERT_EQ(0, stat(EQUANT_BPF_DIR, &st));
	EXPECT_EQ(0755, st.st_mode & 07777);
	ASSERT_EQ(0, stat(EQUANT_BPF_TABLE, &st));
	EXPECT_EQ(0666, st.st_mode & 07777);
}

TEST_F(loader, what_an_interrupted_load_left_is_cleaned_up)
{
	ASSERT_EQ(0, tool("load"));
	ASSERT_EQ(0, unlink(EQUANT_BPF_TABLE));
	EXPECT_EQ(0, tool("load"));
	expect_output("interrupted");
	EXPECT_EQ(0, access(EQUANT_BPF_TABLE, F_OK));
}

TEST_F(loader, an_empty_directory_is_an_interrupted_load)
{
	ASSERT_EQ(0, mkdir(EQUANT_BPF_DIR, 0755));
	EXPECT_EQ(0, tool("load --if-needed"));
	expect_output("interrupted");
	EXPECT_EQ(0, access(EQUANT_BPF_TABLE, F_OK));
}

TEST_F(loader, unload_marks_the_table_dead_and_jobs_go_on_without)
{
	const struct equant_table *table;
	struct equant_probe *probe;

	ASSERT_EQ(0, tool("load"));
	table = map_pinned_table();
	ASSERT_NE(NULL, table);
	probe = equant_probe_open("bpf", self->why, sizeof(self->why));
	ASSERT_NE(NULL, probe);
	ASSERT_EQ(0, tool("unload"));
	EXPECT_EQ(EQUANT_TABLE_DEAD, table->state);
	EXPECT_EQ(1, equant_probe_check(probe, self->why, sizeof(self->why)));
	EXPECT_NE(NULL, strstr(self->why, "unloaded"))
	{
		TH_LOG("%s", self->why);
	}
	EXPECT_STRNE("bpf", equant_probe_name(probe));
	equant_probe_close(probe);
	unmap_table(table);
}

TEST_F(loader, replace_ends_the_old_table_and_new_clients_find_the_new_one)
{
	const struct equant_table *old, *new;
	struct equant_probe *before, *after;

	ASSERT_EQ(0, tool("load"));
	old = map_pinned_table();
	ASSERT_NE(NULL, old);
	before = equant_probe_open("bpf", self->why, sizeof(self->why));
	ASSERT_NE(NULL, before);
	EXPECT_EQ(0, tool("load --replace"));
	new = map_pinned_table();
	ASSERT_NE(NULL, new);
	EXPECT_EQ(EQUANT_TABLE_DEAD, old->state);
	EXPECT_EQ(EQUANT_TABLE_LIVE, new->state);
	EXPECT_EQ(1, equant_probe_check(before, self->why, sizeof(self->why)));
	after = equant_probe_open("bpf", self->why, sizeof(self->why));
	EXPECT_NE(NULL, after)
	{
		TH_LOG("%s", self->why);
	}
	EXPECT_EQ(1, new->nr_used);
	equant_probe_close(after);
	equant_probe_close(before);
	unmap_table(new);
	unmap_table(old);
}

TEST_F(loader, what_is_given_up_of_an_old_table_leaves_the_record_in_the_new_one)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	struct equant_probe *before, *after;

	ASSERT_EQ(0, tool("load"));
	before = equant_probe_open("bpf", self->why, sizeof(self->why));
	ASSERT_NE(NULL, before);
	EXPECT_EQ(0, tool("load --replace"));
	after = equant_probe_open("bpf", self->why, sizeof(self->why));
	ASSERT_NE(NULL, after)
	{
		TH_LOG("%s", self->why);
	}
	EXPECT_EQ(1, equant_probe_check(before, self->why, sizeof(self->why)));
	equant_probe_close(before);
	/* A record that is given back goes at the next switch. */
	nanosleep(&pause, NULL);
	EXPECT_EQ(0, equant_probe_check(after, self->why, sizeof(self->why)))
	{
		TH_LOG("%s", self->why);
	}
	EXPECT_STREQ("bpf", equant_probe_name(after));
	equant_probe_close(after);
}

static long sys_bpf(int command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

/* A table as another version of the probe would pin it. */
static int pin_other_table(void)
{
	struct equant_table header = {
		.magic = EQUANT_TABLE_MAGIC,
		.version = EQUANT_ABI_VERSION + 1,
		.record_size = 512,
		.nr_records = 1,
		.state = EQUANT_TABLE_LIVE,
	};
	union bpf_attr create = {
		.map_type = BPF_MAP_TYPE_ARRAY,
		.map_flags = BPF_F_MMAPABLE,
		.key_size = 4,
		.value_size = sizeof(header),
		.max_entries = 16,
	};
	union bpf_attr update = { .flags = BPF_ANY }, pin = { 0 };
	__u32 zero = 0;
	long fd = sys_bpf(BPF_MAP_CREATE, &create);

	if (fd < 0 || mkdir(EQUANT_BPF_DIR, 0755))
		return -errno;
	update.map_fd = (__u32)fd;
	update.key = (uintptr_t)&zero;
	update.value = (uintptr_t)&header;
	pin.bpf_fd = (__u32)fd;
	pin.pathname = (uintptr_t)EQUANT_BPF_TABLE;
	if (sys_bpf(BPF_MAP_UPDATE_ELEM, &update) || sys_bpf(BPF_OBJ_PIN, &pin))
		return -errno;
	close((int)fd);
	return 0;
}

TEST_F(loader, a_table_of_another_version_is_refused_with_a_sentence)
{
	ASSERT_EQ(0, pin_other_table());
	EXPECT_EQ(NULL, equant_probe_open("bpf", self->why, sizeof(self->why)));
	EXPECT_EQ(EPROTO, errno);
	EXPECT_NE(NULL, strstr(self->why, "ABI version 2"))
	{
		TH_LOG("%s", self->why);
	}
	EXPECT_EQ(1, tool("load"));
	expect_output("another ABI version");
	EXPECT_EQ(1, tool("load --if-needed"));
	EXPECT_EQ(0, tool("load --replace"));
}

#define ELSEWHERE "/sys/fs/bpf/equant-elsewhere"
#define SOMEBODY 1234

/* The file system is there once something was loaded. */
static bool make_directory(const char *path)
{
	char output[4096];

	if (!mkdir(path, 0755))
		return true;
	probe_tool("load", output, sizeof(output));
	probe_tool("unload", output, sizeof(output));
	return !mkdir(path, 0755);
}

TEST_F(loader, a_directory_of_somebody_else_is_left_alone)
{
	ASSERT_TRUE(make_directory(EQUANT_BPF_DIR));
	EXPECT_EQ(0, symlink("/nowhere", EQUANT_BPF_DIR "/link_x"));
	EXPECT_EQ(0, chown(EQUANT_BPF_DIR, SOMEBODY, 0));
	EXPECT_EQ(1, tool("load"));
	expect_output(EQUANT_BPF_DIR " does not belong to root");
	EXPECT_EQ(1, tool("load --replace"));
	EXPECT_EQ(1, tool("load --if-needed"));
	EXPECT_EQ(1, tool("unload"));
	expect_output(EQUANT_BPF_DIR " does not belong to root");
	EXPECT_EQ(0, chown(EQUANT_BPF_DIR, 0, 0));
	EXPECT_EQ(0, chmod(EQUANT_BPF_DIR, 01777));
	EXPECT_EQ(1, tool("unload"));
	expect_output(EQUANT_BPF_DIR " can be written to by others");
	EXPECT_EQ(0, unlink(EQUANT_BPF_DIR "/link_x"));
	EXPECT_EQ(0, rmdir(EQUANT_BPF_DIR));
}

TEST_F(loader, a_link_is_not_followed)
{
	ASSERT_TRUE(make_directory(ELSEWHERE));
	EXPECT_EQ(0, symlink("/nowhere", ELSEWHERE "/theirs"));
	EXPECT_EQ(0, symlink(ELSEWHERE, EQUANT_BPF_DIR));
	EXPECT_EQ(1, tool("unload"));
	expect_output(EQUANT_BPF_DIR " is a symbolic link");
	EXPECT_EQ(1, tool("load --replace"));
	expect_output(EQUANT_BPF_DIR " is a symbolic link");
	EXPECT_EQ(0, unlink(EQUANT_BPF_DIR));
	EXPECT_EQ(0, unlink(ELSEWHERE "/theirs"));
	EXPECT_EQ(0, rmdir(ELSEWHERE));
}

TEST_F(loader, a_table_behind_a_link_is_not_believed)
{
	ASSERT_EQ(0, tool("load"));
	ASSERT_EQ(0, rename(EQUANT_BPF_DIR, ELSEWHERE));
	EXPECT_EQ(0, symlink(ELSEWHERE, EQUANT_BPF_DIR));
	EXPECT_EQ(NULL, equant_probe_open("bpf", self->why, sizeof(self->why)));
	EXPECT_NE(NULL, strstr(self->why, "does not belong to root"))
	{
		TH_LOG("%s", self->why);
	}
	EXPECT_EQ(0, unlink(EQUANT_BPF_DIR));
	EXPECT_EQ(0, rename(ELSEWHERE, EQUANT_BPF_DIR));
}

TEST_F(loader, bad_options_are_refused_before_anything_happens)
{
	EXPECT_EQ(2, tool("load --per-user many"));
	expect_output("'many' is not a number");
	EXPECT_EQ(2, tool("load --frobnicate"));
	EXPECT_EQ(1, tool("load --group no-such-group"));
	expect_output("no-such-group");
	EXPECT_EQ(1, tool("load --reserve 1000000"));
	EXPECT_EQ(2, tool("unload now"));
	EXPECT_EQ(2, tool("status --xml"));
	EXPECT_NE(0, access(EQUANT_BPF_DIR, F_OK));
}

TEST_F(loader, status_tells_what_is_loaded_and_what_is_not)
{
	EXPECT_EQ(0, tool("status"));
	expect_output("not loaded");
	ASSERT_EQ(0, tool("load"));
	EXPECT_EQ(0, tool("status"));
	expect_output("live");
	expect_output("equant_switch");
	expect_output("prctl");
	expect_output("possible");
	EXPECT_EQ(0, tool("status --json"));
	expect_output("\"registration\"");
	expect_output("\"missed\"");
}

TEST_HARNESS_MAIN
