// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What keeps the probe in the kernel after the loader has gone: maps, one
 * program and the links, pinned in one directory of the BPF file system.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/magic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "probe.h"

static int sys_bpf(int command, union bpf_attr *attr)
{
	long ret = syscall(SYS_bpf, command, attr, sizeof(*attr));

	return ret < 0 ? -errno : (int)ret;
}

static int get_pinned(const char *path)
{
	union bpf_attr attr = { .pathname = (uintptr_t)path };

	return sys_bpf(BPF_OBJ_GET, &attr);
}

bool probe_is_mounted(void)
{
	struct statfs fs;

	return !statfs(BPFFS, &fs) && fs.f_type == BPF_FS_MAGIC;
}

int probe_header(struct equant_table *header)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *memory;
	int fd;

	fd = get_pinned(EQUANT_BPF_TABLE);
	if (fd < 0)
		return fd;
	memory = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (memory == MAP_FAILED)
		return -errno;
	memcpy(header, memory, sizeof(*header));
	munmap(memory, page);
	return 0;
}

enum probe_presence probe_presence(void)
{
	struct equant_table header;

	if (access(EQUANT_BPF_DIR, F_OK))
		return PROBE_ABSENT;
	if (probe_header(&header) || header.magic != EQUANT_TABLE_MAGIC)
		return PROBE_HALF_MADE;
	if (header.version != EQUANT_ABI_VERSION || header.record_size != EQUANT_RECORD_SIZE)
		return PROBE_OTHER_ABI;
	return header.state == EQUANT_TABLE_LIVE ? PROBE_LIVE : PROBE_HALF_MADE;
}

/* Whoever can open what is locked can hold the lock for ever: only root can. */
int probe_pins_lock(void)
{
	int fd, ret;

	fd = open(PROBE_LOCK, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	if (!flock(fd, LOCK_EX))
		return fd;
	ret = -errno;
	close(fd);
	return ret;
}

int probe_mark(enum equant_table_state state)
{
	struct {
		__u32 state;
		__u32 slice_ns;
	} mark = { .state = state };
	union bpf_attr attr = { 0 };
	int fd, ret;

	fd = get_pinned(PROBE_MARK);
	if (fd < 0)
		return fd;
	attr.test.prog_fd = (__u32)fd;
	attr.test.ctx_in = (uintptr_t)&mark;
	attr.test.ctx_size_in = sizeof(mark);
	ret = sys_bpf(BPF_PROG_RUN, &attr);
	close(fd);
	return ret;
}

/* Why what is done in a directory may be done by somebody else, or NULL. */
static const char *fault_of(const struct stat *st, bool sticky_is_well)
{
	if (S_ISLNK(st->st_mode))
		return "is a symbolic link";
	if (!S_ISDIR(st->st_mode))
		return "is not a directory";
	if (st->st_uid)
		return "does not belong to root";
	if (st->st_mode & (0022) && !(sticky_is_well && st->st_mode & S_ISVTX))
		return "can be written to by others";
	return NULL;
}

static int check(const char *path, bool sticky_is_well)
{
	const char *fault;
	struct stat st;

	if (lstat(path, &st)) {
		int error = errno;

		if (error == ENOENT)
			return 0;
		probe_error("%s: %s", path, strerror(error));
		return -error;
	}
	fault = fault_of(&st, sticky_is_well);
	if (!fault)
		return 0;
	probe_error("%s %s: nothing is done there", path, fault);
	return -EPERM;
}

int probe_pins_check(void)
{
	return check(BPFFS, true) ?: check(EQUANT_BPF_DIR, false);
}

static int remove_files(DIR *dir)
{
	struct dirent *entry;
	int ret = 0;

	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.' && unlinkat(dirfd(dir), entry->d_name, 0) &&
		    errno != ENOENT)
			ret = -errno;
	return ret;
}

/* The directory itself, whatever its name may lead to meanwhile. */
static int empty_directory(void)
{
	int fd = open(EQUANT_BPF_DIR, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), ret;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct stat st;

	ret = dir ? 0 : -errno;
	if (!ret && (fstat(fd, &st) || fault_of(&st, false)))
		ret = -EPERM;
	if (!ret)
		ret = remove_files(dir);
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
	return ret;
}

int probe_pins_remove(void)
{
	struct equant_table header;
	int ret;

	ret = probe_pins_check();
	if (ret)
		return ret;
	/* Readers must learn it before the writers are gone. */
	ret = probe_mark(EQUANT_TABLE_DEAD);
	if (ret && !probe_header(&header) && header.state == EQUANT_TABLE_LIVE)
		probe_note("cannot mark the table dead (%s); jobs notice a little later",
			   strerror(-ret));
	ret = empty_directory();
	if (!ret && rmdir(EQUANT_BPF_DIR))
		ret = -errno;
	if (ret)
		probe_error("cannot remove " EQUANT_BPF_DIR ": %s", strerror(-ret));
	return ret;
}
