// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Graphs and machines from files.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scan.h"

static const struct {
	const char *ending;
	const char *format;
	int (*read)(struct dag_scan *scan, struct equant_dag *dag);
} formats[] = {
	{ ".dot", "dot", equant_dag_read_dot },
	{ ".gv", "dot", equant_dag_read_dot },
	{ ".stg", "stg", equant_dag_read_stg },
	{ ".json", "json", equant_dag_read_json },
};

#define FORMATS (sizeof(formats) / sizeof(formats[0]))

static bool is_format(size_t f, const char *format, const char *path)
{
	size_t length = strlen(path), ending = strlen(formats[f].ending);

	if (format)
		return !strcmp(format, formats[f].format);
	return length > ending && !strcmp(path + length - ending, formats[f].ending);
}

static int find(const char *format, const char *path, char *why, size_t why_size)
{
	for (size_t f = 0; f < FORMATS; f++)
		if (is_format(f, format, path))
			return (int)f;
	if (format)
		return equant_dag_say(why, why_size, -EINVAL,
				      "no format \"%s\": there are dot, stg and json", format);
	return equant_dag_say(why, why_size, -EINVAL,
			      "%s: the name ends in none of .dot, .gv, .stg and .json", path);
}

/* What equant_dag_check() says, and of which file. */
static int check(const struct dag_scan *scan, const struct equant_dag *dag)
{
	char fault[400] = "";
	int err = equant_dag_check(dag, fault, sizeof(fault));

	if (err && fault[0])
		equant_say(scan->why, scan->why_size, "%s: %s", scan->path, fault);
	return err;
}

/* What the system says of @path. */
static void fail(const char *path, char *why, size_t why_size, int err)
{
	equant_say(why, why_size, "%s: %s", path, strerror(-err));
	errno = -err;
}

/* A text that could not be read: all but these two have been said. */
static void refused(const struct dag_scan *scan, int err)
{
	if (err == -ENOMEM)
		fail(scan->path, scan->why, scan->why_size, err);
	else if (err == -E2BIG)
		equant_say(scan->why, scan->why_size, "%s:%d: more than %d tasks, or than %d edges",
			   scan->path, scan->line, EQUANT_DAG_TASKS, EQUANT_DAG_EDGES);
	errno = -err;
}

struct equant_dag *equant_dag_parse(const char *format, const char *path, const char *text,
				    size_t size, char *why, size_t why_size)
{
	struct dag_scan scan = { path, text, size, 0, 1, why, why_size };
	int f = find(format, path, why, why_size), err = f < 0 ? f : 0;
	struct equant_dag *dag = err ? NULL : equant_dag_new();

	if (!err)
		err = dag ? formats[f].read(&scan, dag) : -ENOMEM;
	err = err ? err : check(&scan, dag);
	if (!err)
		return dag;
	equant_dag_free(dag);
	refused(&scan, err);
	return NULL;
}

struct equant_dag_machine *equant_dag_machine_parse(const char *path, const char *text, size_t size,
						    char *why, size_t why_size)
{
	struct dag_scan scan = { path, text, size, 0, 1, why, why_size };
	struct equant_dag_machine *machine = NULL;
	int err = equant_dag_read_machine(&scan, &machine);

	if (!err)
		return machine;
	equant_dag_machine_free(machine);
	refused(&scan, err);
	return NULL;
}

/* ---- files ------------------------------------------------------------------------------- */

#define LARGEST ((size_t)1 << 32)

static char *larger(char *text, size_t *room)
{
	char *more = *room < LARGEST ? realloc(text, *room ? 2 * *room : 65536) : NULL;
	int error = *room < LARGEST ? ENOMEM : EFBIG;

	if (more) {
		*room = *room ? 2 * *room : 65536;
		return more;
	}
	free(text);
	errno = error;
	return NULL;
}

/* All of @file with a 0 behind it, or NULL and errno. */
static char *contents(FILE *file, size_t *size)
{
	size_t room = 0, got;
	char *text = larger(NULL, &room);

	for (*size = 0; text;) {
		got = fread(text + *size, 1, room - 1 - *size, file);
		*size += got;
		if (!got)
			break;
		if (*size == room - 1)
			text = larger(text, &room);
	}
	if (!text)
		return NULL;
	text[*size] = '\0';
	if (!ferror(file))
		return text;
	free(text);
	return NULL;
}

static char *file_contents(const char *path, size_t *size, char *why, size_t why_size)
{
	FILE *file = fopen(path, "re");
	char *text = file ? contents(file, size) : NULL;
	int err = errno;

	if (file)
		fclose(file);
	if (!text)
		fail(path, why, why_size, -err);
	return text;
}

struct equant_dag *equant_dag_read(const char *path, const char *format, char *why, size_t why_size)
{
	int f = find(format, path, why, why_size);
	struct equant_dag *dag;
	size_t size;
	char *text;

	if (f < 0) {
		errno = -f;
		return NULL;
	}
	text = file_contents(path, &size, why, why_size);
	if (!text)
		return NULL;
	dag = equant_dag_parse(format, path, text, size, why, why_size);
	f = errno;
	free(text);
	errno = f;
	return dag;
}

struct equant_dag_machine *equant_dag_machine_read(const char *path, char *why, size_t why_size)
{
	struct equant_dag_machine *machine;
	size_t size;
	char *text = file_contents(path, &size, why, why_size);
	int err;

	if (!text)
		return NULL;
	machine = equant_dag_machine_parse(path, text, size, why, why_size);
	err = errno;
	free(text);
	errno = err;
	return machine;
}

struct equant_dag_schedule *equant_dag_schedule_read(const char *path, const struct equant_dag *dag,
						     char *why, size_t why_size)
{
	struct equant_dag_schedule *schedule = NULL;
	struct dag_scan scan = { .path = path, .line = 1, .why = why, .why_size = why_size };
	char *text = file_contents(path, &scan.size, why, why_size);
	int err;

	if (!text)
		return NULL;
	scan.text = text;
	err = equant_dag_read_schedule(&scan, dag, &schedule);
	free(text);
	if (!err)
		return schedule;
	equant_dag_schedule_free(schedule);
	refused(&scan, err);
	return NULL;
}
