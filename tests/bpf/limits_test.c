// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Who gets a record of the probe: what the kernel's verifier makes of that differs between kernels. */
#include <errno.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <equant/probe.h>

#include "loader.h"

#define NOBODY 65534
#define UNEXPECTED 255

/* Of user @uid: take a record, tell @report the errno, 0 for none, and keep it till the parent ends. */
static void hold_record(unsigned int uid, int report)
{
	unsigned char error = 0;
	char why[256] = "";

	if (setuid(uid))
		error = (unsigned char)errno;
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* which setuid() undoes */
	if (!error && !equant_probe_open("bpf", why, sizeof(why)))
		error = (unsigned char)errno;
	if (error)
		dprintf(STDERR_FILENO, "# one of user %u is refused: %s: %s\n", uid,
			strerror(error), why);
	if (write(report, &error, 1) == 1 && !error)
		pause();
	_exit(1);
}

/*
 * The errno with which a child of user @uid, after @before of the same user, is refused; below 0 if
 * one of those is refused, or a signal ends it.
 */
static int refusal(unsigned int uid, int before)
{
	struct equant_probe *probe;
	int report[2], error = -1;
	unsigned char refused;
	char why[256];
	pid_t pid;

	if (pipe(report))
		return -1;
	pid = fork();
	if (!pid) {
		for (int i = 0; i < before; i++)
			if (!fork())
				hold_record(uid, report[1]);
		for (int i = 0; i < before; i++)
			if (read(report[0], &refused, 1) != 1 || refused)
				_exit(UNEXPECTED);
		probe = setuid(uid) ? NULL : equant_probe_open("bpf", why, sizeof(why));
		_exit(probe ? 0 : errno);
	}
	waitpid(pid, &error, 0);
	close(report[0]);
	close(report[1]);
	if (!WIFEXITED(error) || WEXITSTATUS(error) == UNEXPECTED)
		return -1;
	return WEXITSTATUS(error);
}

TEST_F(loader, a_user_gets_no_more_records_than_the_limit)
{
	const struct equant_table *table;

	ASSERT_EQ(0, tool("load --per-user 3"));
	table = map_pinned_table();
	ASSERT_NE(NULL, table);
	EXPECT_EQ(0, refusal(NOBODY, 2));
	EXPECT_TRUE(wait_for_used(table, 0));
	EXPECT_EQ(EDQUOT, refusal(NOBODY, 3));
	EXPECT_GE(table->refused_user, 1);
	EXPECT_TRUE(wait_for_used(table, 0));
	unmap_table(table);
}

TEST_F(loader, what_is_reserved_for_root_no_user_gets)
{
	const struct equant_table *table;

	ASSERT_EQ(0, tool("load --per-user 0 --reserve 1022"));
	table = map_pinned_table();
	ASSERT_NE(NULL, table);
	EXPECT_EQ(0, refusal(NOBODY, 1));
	EXPECT_TRUE(wait_for_used(table, 0));
	EXPECT_EQ(EUSERS, refusal(NOBODY, 2));
	EXPECT_GE(table->refused_full, 1);
	EXPECT_EQ(0, refusal(0, 2));
	EXPECT_TRUE(wait_for_used(table, 0));
	unmap_table(table);
}

TEST_F(loader, a_group_keeps_others_out)
{
	struct stat file;

	ASSERT_EQ(0, tool("load --group daemon"));
	ASSERT_EQ(0, stat(EQUANT_BPF_TABLE, &file));
	EXPECT_EQ(0660, file.st_mode & 0777);
	EXPECT_EQ(EACCES, refusal(NOBODY, 0));
	EXPECT_EQ(0, refusal(0, 0));
}

TEST_HARNESS_MAIN
