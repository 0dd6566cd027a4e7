/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The report a loop leaves behind: DIR/NAME.N.equant, written by rank 0 when
 * the loop is freed; a header and one struct equant_stats per rank.
 */
#ifndef EQUANT_REPORT_H
#define EQUANT_REPORT_H

#include <equant/equant.h>

#ifdef __cplusplus
extern "C" {
#endif

#define EQUANT_REPORT_MAGIC 0x7072746e61757165ull /* "equantrp" */

/**
 * struct equant_report_header - the start of a report file
 * @magic: EQUANT_REPORT_MAGIC
 * @header_size: sizeof(struct equant_report_header)
 * @stats_size: sizeof(struct equant_stats)
 * @ranks: number of stats that follow
 * @balanced: the balance option
 * @error: 0 or the -errno the loop ended with
 * @rate: the rate option, enum equant_rate_mode
 * @units: of the loop
 * @loop: its name
 */
struct equant_report_header {
	uint64_t magic;
	uint32_t header_size;
	uint32_t stats_size;
	int32_t ranks;
	int32_t balanced;
	int32_t error;
	int32_t rate;
	int64_t units;
	char loop[40];
	uint8_t reserved[48];
};

/**
 * equant_report_load() - read and check a report
 * @path: file
 * @header: receives the header
 * @stats: receives header->ranks entries, to be freed with free()
 * @why: receives the reason of a failure; may be NULL
 * @why_size: its size
 *
 * Return: 0 or -errno.
 */
EQUANT_API int equant_report_load(const char *path, struct equant_report_header *header,
				  struct equant_stats **stats, char *why, size_t why_size);

#ifdef __cplusplus
}
#endif
#endif /* EQUANT_REPORT_H */
