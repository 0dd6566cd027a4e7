/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * A table of records, mapped read-only.
 */
#ifndef EQUANT_PROBE_MAPPING_H
#define EQUANT_PROBE_MAPPING_H

#include <stddef.h>
#include <stdint.h>

#include <equant/abi.h>

/**
 * struct equant_mapping - where it is
 * @table: the header, NULL = not mapped
 * @size: in bytes
 * @nr_records: as many are mapped; what the header says later is not asked again
 */
struct equant_mapping {
	const struct equant_table *table;
	size_t size;
	uint32_t nr_records;
};

/**
 * equant_mapping_open() - map a table and see that it is one
 * @mapping: receives it
 * @fd: of the BPF map or the device; may be closed afterwards
 * @name: of the file, for messages
 * @advice: what to do about a table of another version
 *
 * Return: 0, or -errno and a sentence in @why.
 */
int equant_mapping_open(struct equant_mapping *mapping, int fd, const char *name,
			const char *advice, char *why, size_t why_size);

/** equant_mapping_close() - leave nothing mapped */
void equant_mapping_close(struct equant_mapping *mapping);

/** equant_mapping_record() - record @index, from 1 to mapping->nr_records */
static inline const struct equant_record *
equant_mapping_record(const struct equant_mapping *mapping, uint32_t index)
{
	return (const struct equant_record *)mapping->table + index;
}

/**
 * equant_bpf_table_open() - map the pinned table of the BPF probe
 *
 * Return: 0, or -errno and a sentence in @why.
 */
int equant_bpf_table_open(struct equant_mapping *mapping, char *why, size_t why_size);

#endif /* EQUANT_PROBE_MAPPING_H */
