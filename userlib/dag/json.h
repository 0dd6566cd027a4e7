/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Reading JSON, RFC 8259, from beginning to end: what is wrong can be named with its line when
 * the text is JSON but not a graph, too.
 */
#ifndef EQUANT_DAG_JSON_H
#define EQUANT_DAG_JSON_H

#include "scan.h"

/**
 * struct dag_field - what an object may have
 * @name: its name, NULL behind the last one
 * @required: must it be there?
 * @read: reads the value; @to is what equant_dag_json_object() got
 */
struct dag_field {
	const char *name;
	bool required;
	int (*read)(struct dag_scan *scan, void *to);
};

/* At most 32 fields, each at most once. */
int equant_dag_json_object(struct dag_scan *scan, const struct dag_field *fields, void *to);
/* Lets @read read each element. */
int equant_dag_json_array(struct dag_scan *scan, int (*read)(struct dag_scan *scan, void *to),
			  void *to);
int equant_dag_json_string(struct dag_scan *scan, char *text, size_t size);
int equant_dag_json_number(struct dag_scan *scan, double *value);
int equant_dag_json_whole(struct dag_scan *scan, int least, int most, int *value);
int equant_dag_json_memory(struct dag_scan *scan, uint64_t *value);
int equant_dag_json_bool(struct dag_scan *scan, bool *value);

/* The first character of what comes next. */
char equant_dag_json_peek(struct dag_scan *scan);
/* Where what comes next begins; a word without a length. */
struct dag_word equant_dag_json_next(struct dag_scan *scan);
/* Refuses what has been read since @next. */
int equant_dag_json_refuse(const struct dag_scan *scan, struct dag_word next, const char *fault);
/* Nothing but blanks until the end. */
int equant_dag_json_end(struct dag_scan *scan);

#endif /* EQUANT_DAG_JSON_H */
