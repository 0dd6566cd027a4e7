/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Control groups of the tests' own, of either version. */
#ifndef LIBGROUPS_H
#define LIBGROUPS_H

#define MAX_GROUPS 4

/**
 * struct group - a control group that exists during a case
 * @path: below a directory that the tests may write; one inside another comes later
 * @shares: its weight as version 1 counts it, 1024 is the default
 * @limit: its cpu.max, NULL = none; version 2 only
 */
struct group {
	const char *path;
	unsigned int shares;
	const char *limit;
};

/* Why groups (with a limit: @limited) cannot be made here, or NULL. */
const char *why_no_groups(int limited);

/* All before the first without a path; -errno. */
int make_groups(const struct group *groups);
void remove_groups(const struct group *groups);

/* The caller moves into the group; -errno. */
int enter_group(const char *path);

#endif /* LIBGROUPS_H */
