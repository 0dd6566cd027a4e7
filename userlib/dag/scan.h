/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Reading graphs and machines from text: what the formats have in common. */
#ifndef EQUANT_DAG_SCAN_H
#define EQUANT_DAG_SCAN_H

#include "dag_internal.h"

/**
 * struct dag_scan - a text that is being read
 * @path: what it is called
 * @text: all of it; a 0 behind it
 * @size: without that 0
 * @at: where reading is
 * @line: of @at, from 1
 * @why: gets what is wrong
 * @why_size: its size
 */
struct dag_scan {
	const char *path;
	const char *text;
	size_t size;
	size_t at;
	int line;
	char *why;
	size_t why_size;
};

/* A word of the text; not a string. */
struct dag_word {
	const char *text;
	size_t length;
	int line;
};

/* "path:line: 'word': fault"; -EINVAL */
int equant_dag_refuse(const struct dag_scan *scan, const struct dag_word *word, const char *fault);
/* The same of the character at which reading is. */
int equant_dag_refuse_here(const struct dag_scan *scan, const char *fault);
/* The same of a task's name, at the line at which reading is. */
int equant_dag_refuse_name(const struct dag_scan *scan, const char *name, const char *fault);

/* The character at which reading is, 0 behind the last one. */
static inline char dag_peek(const struct dag_scan *scan)
{
	return scan->at < scan->size ? scan->text[scan->at] : '\0';
}

/* Go on by one character. */
static inline void dag_step(struct dag_scan *scan)
{
	scan->line += scan->text[scan->at] == '\n';
	scan->at++;
}

static inline bool dag_at_end(const struct dag_scan *scan)
{
	return scan->at >= scan->size;
}

/* A number, finite and not negative. */
int equant_dag_number(const struct dag_scan *scan, const struct dag_word *word, double *value);
/* A whole number from @least to @most. */
int equant_dag_whole(const struct dag_scan *scan, const struct dag_word *word, int least, int most,
		     int *value);

/* Memory: a whole number from 0 to EQUANT_DAG_MEMORY. */
int equant_dag_memory(const struct dag_scan *scan, const struct dag_word *word, uint64_t *value);

/* ---- tasks by name ------------------------------------------------------------------- */

struct dag_names {
	const struct equant_dag *dag;
	int *slot; /* tasks + 1 by the hash of their names; 0 where there is none */
	int room; /* power of 2 */
};

/* The task of that name, or -1. */
int equant_dag_names_find(const struct dag_names *names, const char *name);
/* Make the last task of the graph known.  0 or -ENOMEM. */
int equant_dag_names_add(struct dag_names *names);

/* ---- formats: 0 or -errno with @scan->why ---------------------------------------------- */

int equant_dag_read_dot(struct dag_scan *scan, struct equant_dag *dag);
int equant_dag_read_stg(struct dag_scan *scan, struct equant_dag *dag);
int equant_dag_read_json(struct dag_scan *scan, struct equant_dag *dag);
int equant_dag_read_machine(struct dag_scan *scan, struct equant_dag_machine **machine);
int equant_dag_read_schedule(struct dag_scan *scan, const struct equant_dag *dag,
			     struct equant_dag_schedule **schedule);

/* As equant_dag_read() and equant_dag_machine_read(), of a text in memory. */
struct equant_dag *equant_dag_parse(const char *format, const char *path, const char *text,
				    size_t size, char *why, size_t why_size);
struct equant_dag_machine *equant_dag_machine_parse(const char *path, const char *text, size_t size,
						    char *why, size_t why_size);

#endif /* EQUANT_DAG_SCAN_H */
