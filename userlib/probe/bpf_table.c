// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The table that `equant probe load` has pinned.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/say.h"
#include "probe/mapping.h"

#define OVERFLOW_UID 65534 /* how a user namespace shows an owner it does not know */

static int get_pinned(const char *path)
{
	union bpf_attr attr = { .pathname = (uintptr_t)path };
	long fd = syscall(SYS_bpf, BPF_OBJ_GET, &attr, sizeof(attr));

	return fd < 0 ? -errno : (int)fd;
}

static int explain_open(int error, char *why, size_t why_size)
{
	const char *text = "";

	if (error == -ENOENT)
		text = "the probe is not loaded (root: equant probe load)";
	else if (error == -EACCES)
		text = "no access to " EQUANT_BPF_TABLE
		       " (a group may own it, or /sys/fs/bpf is closed)";
	else if (error == -ENOSYS || error == -EPERM)
		text = "this kernel or container does not allow bpf(2)";
	if (*text)
		equant_say(why, why_size, "%s", text);
	else
		equant_say(why, why_size, EQUANT_BPF_TABLE ": %s", strerror(-error));
	return error == -ENOENT ? -ENODEV : error;
}

/* Root of a machine whose user namespace this is not has no number here. */
static bool is_root(uid_t uid)
{
	unsigned long inside = 0, outside = 0, count = 0;
	FILE *map;

	if (uid != OVERFLOW_UID)
		return uid == 0;
	map = fopen("/proc/self/uid_map", "re");
	if (!map)
		return false;
	if (fscanf(map, "%lu %lu %lu", &inside, &outside, &count) != 3)
		count = 0; /* of a namespace that has no numbers at all */
	fclose(map);
	return inside || outside || count < UINT32_MAX;
}

static bool is_roots(const char *path, mode_t type)
{
	struct stat st;

	return !lstat(path, &st) && (st.st_mode & S_IFMT) == type && is_root(st.st_uid);
}

/* Only root's table is to be believed, and only in root's directory does it stay what it is. */
static int open_table(char *why, size_t why_size)
{
	int fd;

	fd = get_pinned(EQUANT_BPF_TABLE);
	if (fd < 0)
		return explain_open(fd, why, why_size);
	if (!is_roots(EQUANT_BPF_DIR, S_IFDIR) || !is_roots(EQUANT_BPF_TABLE, S_IFREG)) {
		equant_say(why, why_size, EQUANT_BPF_TABLE " does not belong to root");
		close(fd);
		return -EPERM;
	}
	return fd;
}

int equant_bpf_table_open(struct equant_mapping *mapping, char *why, size_t why_size)
{
	int fd, ret;

	fd = open_table(why, why_size);
	if (fd < 0)
		return fd;
	ret = equant_mapping_open(mapping, fd, EQUANT_BPF_TABLE,
				  "root: equant probe load --replace", why, why_size);
	close(fd);
	return ret;
}
