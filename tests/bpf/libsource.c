// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <equant/kmod.h>
#include <equant/probe.h>

#include "libsource.h"
#include "libtable.h"

static int is_module(const char *name)
{
	return !strcmp(name, "kmod");
}

const char *prepare_source(const char *name)
{
	if (!is_module(name))
		return shared_probe();
	if (geteuid())
		return "needs root";
	if (access("/sys/kernel/btf/vmlinux", F_OK))
		return "the kernel has no BTF, so that nothing can be traced";
	return access(EQUANT_DEVICE, F_OK) ? "the kernel module is not loaded" : NULL;
}

static int open_module(struct source *source)
{
	void *table;

	source->fd = open(EQUANT_DEVICE, O_RDWR | O_CLOEXEC);
	if (source->fd < 0)
		return -errno;
	table = mmap(NULL, EQUANT_FILE_BYTES, PROT_READ, MAP_SHARED, source->fd, 0);
	if (table == MAP_FAILED)
		return -errno;
	source->table = table;
	return 0;
}

int open_source(struct source *source, const char *name)
{
	*source = (struct source){ .name = name, .fd = -1 };
	if (is_module(name))
		return open_module(source);
	source->table = map_pinned_table();
	return source->table ? 0 : -errno;
}

void close_source(struct source *source)
{
	if (!is_module(source->name)) {
		unmap_table(source->table);
		return;
	}
	if (source->table)
		munmap((void *)source->table, EQUANT_FILE_BYTES);
	if (source->fd >= 0)
		close(source->fd);
}

void register_with_source(const struct source *source, char *why, size_t size)
{
	if (!is_module(source->name))
		equant_probe_open(source->name, why, size);
}

const struct equant_record *record_from_source(const struct source *source, pid_t pid)
{
	struct equant_attach attach = { .tid = (uint32_t)pid };

	if (!is_module(source->name)) {
		errno = ENOENT;
		return record_of_tid(source->table, pid);
	}
	if (ioctl(source->fd, EQUANT_IOC_ATTACH, &attach))
		return NULL;
	return record_at(source->table, attach.index);
}
