// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The record that the kernel module keeps for this thread, mapped read-only.
 *
 * Every probe has an open file of its own, whose table has one record.  The
 * kernel answers the attachment with the record's index, and nobody else's record is
 * in the table, so there is nothing to look for and little to doubt.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "probe/device.h"
#include "probe/mapping.h"
#include "probe/reader.h"

#define MOVE_TRIES 16

struct kmod_source {
	struct equant_reader common;
	struct equant_mapping mapping;
	int fd;
	uint32_t index;
};

/*
 * The module does not let a child have the mapping; but a child may read its
 * parent's probe until its next check, and must not be killed by that.
 */
static int map_record(struct kmod_source *source, char *why, size_t why_size)
{
	int ret;

	ret = equant_mapping_open(&source->mapping, source->fd, EQUANT_DEVICE,
				  "root: load the module of this version", why, why_size);
	if (ret)
		return ret;
	madvise((void *)source->mapping.table, source->mapping.size, MADV_DOFORK);
	if (!source->index || source->index > source->mapping.nr_records) {
		equant_say(why, why_size, "the kernel answered with a record that does not exist");
		equant_mapping_close(&source->mapping);
		return -EPROTO;
	}
	source->common.table = source->mapping.table;
	source->common.record = equant_mapping_record(&source->mapping, source->index);
	return 0;
}

/* Being switched once starts the record. */
static int see_it_move(const struct kmod_source *source, char *why, size_t why_size)
{
	const struct equant_record *record = source->common.record;
	uint64_t before = record->switches;

	for (int i = 0; i < MOVE_TRIES; i++) {
		equant_reader_force_switch();
		if (record->switches != before && record->tid == (uint32_t)gettid())
			return 0;
	}
	equant_say(why, why_size, "the record does not move, or is not this thread's");
	return -ENODEV;
}

static int attach(struct kmod_source *source, char *why, size_t why_size)
{
	struct equant_attach attach = { .tid = 0 };
	int ret;

	if (ioctl(source->fd, EQUANT_IOC_ATTACH, &attach))
		return equant_device_refused(-errno, why, why_size);
	source->index = attach.index;
	ret = map_record(source, why, why_size);
	if (ret)
		return ret;
	ret = see_it_move(source, why, why_size);
	if (ret)
		equant_mapping_close(&source->mapping);
	return ret;
}

static int kmod_open(struct equant_probe *probe, const char *arg, char *why, size_t why_size)
{
	struct kmod_source *source;
	struct equant_info info;
	int ret;

	(void)arg;
	source = calloc(1, sizeof(*source));
	if (!source)
		return -ENOMEM;
	ret = source->fd = equant_device_open(0, &info, why, why_size);
	if (ret < 0)
		goto free_source;
	ret = attach(source, why, why_size);
	if (ret)
		goto close_fd;
	equant_reader_start(probe, &source->common);
	return 0;

close_fd:
	close(source->fd);
free_source:
	free(source);
	return ret;
}

/* Closing would do; but a forked child may still have the file. */
static void kmod_close(struct equant_probe *probe, bool owner)
{
	struct kmod_source *source = probe->data;
	struct equant_detach detach = { .index = source->index };

	if (owner)
		ioctl(source->fd, EQUANT_IOC_DETACH, &detach);
	equant_mapping_close(&source->mapping);
	close(source->fd);
	free(source);
}

const struct equant_probe_ops equant_probe_kmod = {
	.name = "kmod",
	.features = EQUANT_PROBE_RUN | EQUANT_PROBE_WAIT | EQUANT_PROBE_QUANTUM |
		    EQUANT_PROBE_PREDICTS,
	.summary = "the kernel module's record of this thread, with predicted shares",
	.open = kmod_open,
	.close = kmod_close,
	.read = equant_reader_read,
	.status = equant_reader_status,
	.check = equant_reader_check,
};
