// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Graphs as JSON:
 *
 *	{ "tasks": [ { "name": "a", "work": 3, "memory": 100 }, ... ],
 *	  "edges": [ { "from": "a", "to": 1, "data": 5 }, ... ] }
 *
 * Names, memory and data may be left out.  Edges say tasks by name or by number, from 0.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"

struct reader {
	struct equant_dag *dag;
	struct dag_names names;
	/* the task or edge that is being read */
	char name[EQUANT_DAG_NAME];
	double work;
	uint64_t memory;
	double data;
	int from;
	int to;
};

static int read_name(struct dag_scan *scan, void *to)
{
	struct reader *reader = to;
	int err = equant_dag_json_string(scan, reader->name, sizeof(reader->name));

	if (!err && reader->name[0] && equant_dag_names_find(&reader->names, reader->name) >= 0)
		err = equant_dag_refuse_name(scan, reader->name, "a second task of this name");
	return err;
}

static int read_work(struct dag_scan *scan, void *to)
{
	return equant_dag_json_number(scan, &((struct reader *)to)->work);
}

static int read_memory(struct dag_scan *scan, void *to)
{
	return equant_dag_json_memory(scan, &((struct reader *)to)->memory);
}

static int read_task(struct dag_scan *scan, void *to)
{
	static const struct dag_field fields[] = {
		{ "name", false, read_name },
		{ "work", true, read_work },
		{ "memory", false, read_memory },
		{ 0 },
	};
	struct reader *reader = to;
	int err;

	reader->name[0] = '\0';
	reader->memory = 0;
	err = equant_dag_json_object(scan, fields, reader);
	if (err)
		return err;
	err = equant_dag_add_task(reader->dag, reader->name, reader->work);
	if (err == -EINVAL)
		return equant_dag_refuse_name(scan, reader->name, "no name for a task");
	if (err == -E2BIG)
		return equant_dag_refuse_here(scan, "too many tasks");
	err = err < 0 ? err : equant_dag_task_memory(reader->dag, err, reader->memory);
	return err ? err : equant_dag_names_add(&reader->names);
}

static int read_end(struct dag_scan *scan, const struct reader *reader, int *task)
{
	char name[EQUANT_DAG_NAME];
	struct dag_word next;
	int err;

	if (equant_dag_json_peek(scan) == '"') {
		err = equant_dag_json_string(scan, name, sizeof(name));
		*task = err ? -1 : equant_dag_names_find(&reader->names, name);
		if (!err && *task < 0)
			err = equant_dag_refuse_name(scan, name, "no task of this name before");
		return err;
	}
	next = equant_dag_json_next(scan);
	err = equant_dag_json_whole(scan, 0, EQUANT_DAG_TASKS, task);
	if (!err && *task >= reader->dag->tasks)
		err = equant_dag_json_refuse(scan, next, "no task of this number before");
	return err;
}

static int read_from(struct dag_scan *scan, void *to)
{
	struct reader *reader = to;

	return read_end(scan, reader, &reader->from);
}

static int read_to(struct dag_scan *scan, void *to)
{
	struct reader *reader = to;

	return read_end(scan, reader, &reader->to);
}

static int read_data(struct dag_scan *scan, void *to)
{
	return equant_dag_json_number(scan, &((struct reader *)to)->data);
}

static int read_edge(struct dag_scan *scan, void *to)
{
	static const struct dag_field fields[] = {
		{ "from", true, read_from },
		{ "to", true, read_to },
		{ "data", false, read_data },
		{ 0 },
	};
	struct reader *reader = to;
	int err;

	reader->data = 0;
	err = equant_dag_json_object(scan, fields, reader);
	return err ? err : equant_dag_add_edge(reader->dag, reader->from, reader->to, reader->data);
}

static int read_tasks(struct dag_scan *scan, void *to)
{
	return equant_dag_json_array(scan, read_task, to);
}

static int read_edges(struct dag_scan *scan, void *to)
{
	return equant_dag_json_array(scan, read_edge, to);
}

int equant_dag_read_json(struct dag_scan *scan, struct equant_dag *dag)
{
	static const struct dag_field fields[] = {
		{ "tasks", true, read_tasks },
		{ "edges", false, read_edges },
		{ 0 },
	};
	struct reader reader = { .dag = dag, .names.dag = dag };
	int err = equant_dag_json_object(scan, fields, &reader);

	free(reader.names.slot);
	return err ? err : equant_dag_json_end(scan);
}
