// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Mapping a table of records.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/say.h"
#include "probe/mapping.h"

static int check_header(const struct equant_table *table, const char *advice, char *why,
			size_t why_size)
{
	if (table->magic != EQUANT_TABLE_MAGIC || table->version != EQUANT_ABI_VERSION ||
	    table->record_size != EQUANT_RECORD_SIZE) {
		equant_say(
			why, why_size,
			"the loaded probe has ABI version %u, record size %u; expected %u and %u (%s)",
			table->version, table->record_size, EQUANT_ABI_VERSION, EQUANT_RECORD_SIZE,
			advice);
		return -EPROTO;
	}
	if (table->state == EQUANT_TABLE_LIVE)
		return 0;
	equant_say(why, why_size, "the probe is %s",
		   table->state == EQUANT_TABLE_DEAD ? "being unloaded" : "being loaded");
	return -ENODEV;
}

/* Records have the times of the machine's clock. */
static int check_clock(char *why, size_t why_size)
{
	FILE *file = fopen("/proc/self/timens_offsets", "re");
	long long seconds = 0, ns = 0;

	if (!file)
		return 0;
	if (fscanf(file, "monotonic %lld %lld", &seconds, &ns) != 2)
		seconds = ns = 0;
	fclose(file);
	if (!seconds && !ns)
		return 0;
	equant_say(
		why, why_size,
		"this process is in a time namespace, whose clock is another one than the kernel's");
	return -ENOTSUP;
}

/* Return: 0 or -errno, *table is NULL then. */
static int map_bytes(const struct equant_table **table, int fd, size_t size, const char *name,
		     char *why, size_t why_size)
{
	void *memory = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	int ret = memory == MAP_FAILED ? -errno : 0;

	*table = ret ? NULL : memory;
	if (ret)
		equant_say(why, why_size, "%s: mmap: %s", name, strerror(-ret));
	return ret;
}

/* The header tells how much there is to map. */
int equant_mapping_open(struct equant_mapping *mapping, int fd, const char *name,
			const char *advice, char *why, size_t why_size)
{
	size_t size, page = (size_t)sysconf(_SC_PAGESIZE);
	const struct equant_table *header;
	int ret;

	ret = check_clock(why, why_size);
	if (!ret)
		ret = map_bytes(&header, fd, page, name, why, why_size);
	if (ret)
		return ret;
	ret = check_header(header, advice, why, why_size);
	mapping->nr_records = header->nr_records;
	size = ((size_t)mapping->nr_records + 1) * EQUANT_RECORD_SIZE;
	munmap((void *)header, page);
	if (ret)
		return ret;
	mapping->size = (size + page - 1) / page * page;
	return map_bytes(&mapping->table, fd, mapping->size, name, why, why_size);
}

void equant_mapping_close(struct equant_mapping *mapping)
{
	if (mapping->table)
		munmap((void *)mapping->table, mapping->size);
	mapping->table = NULL;
}
