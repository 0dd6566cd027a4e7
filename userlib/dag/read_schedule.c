// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Schedules as JSON:
 *
 *	{ "scheduler": "executed",
 *	  "tasks": [ { "task": 0, "processor": 1, "start": 0, "finish": 2.5 }, ... ],
 *	  "messages": [ { "edge": 0, "from": 1, "to": 0, "start": 2.5, "finish": 3 }, ... ] }
 *
 * Tasks are in the order in which struct equant_dag_schedule has them.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "json.h"

/**
 * struct reader - a schedule that is being read
 * @task: by task: it was there
 * @edge: by edge: its message was there
 * @slot: that is being read
 * @message: the same
 */
struct reader {
	const struct equant_dag *dag;
	struct equant_dag_schedule *schedule;
	bool *task;
	bool *edge;
	struct equant_dag_slot slot;
	struct equant_dag_message message;
};

static int read_scheduler(struct dag_scan *scan, void *to)
{
	char name[EQUANT_DAG_NAME];

	(void)to;
	return equant_dag_json_string(scan, name, sizeof(name));
}

/* A number below @count that was not @seen before. */
static int read_new(struct dag_scan *scan, int count, const bool *seen, int *value)
{
	struct dag_word next = equant_dag_json_next(scan);
	int err = equant_dag_json_whole(scan, 0, EQUANT_DAG_EDGES, value);

	if (!err && *value >= count)
		err = equant_dag_json_refuse(scan, next, "the graph has none of this number");
	if (!err && seen[*value])
		err = equant_dag_json_refuse(scan, next, "a second time");
	return err;
}

static int read_processor(struct dag_scan *scan, int *value)
{
	return equant_dag_json_whole(scan, 0, EQUANT_DAG_PROCESSORS - 1, value);
}

/* ---- tasks ------------------------------------------------------------------------------------ */

static int read_task(struct dag_scan *scan, void *to)
{
	struct reader *reader = to;

	return read_new(scan, reader->dag->tasks, reader->task, &reader->slot.task);
}

static int read_place(struct dag_scan *scan, void *to)
{
	return read_processor(scan, &((struct reader *)to)->slot.processor);
}

static int read_begin(struct dag_scan *scan, void *to)
{
	return equant_dag_json_number(scan, &((struct reader *)to)->slot.start);
}

static int read_end(struct dag_scan *scan, void *to)
{
	return equant_dag_json_number(scan, &((struct reader *)to)->slot.finish);
}

static int read_slot(struct dag_scan *scan, void *to)
{
	static const struct dag_field fields[] = {
		{ "task", true, read_task },
		{ "processor", true, read_place },
		{ "start", true, read_begin },
		{ "finish", true, read_end },
		{ 0 },
	};
	struct reader *reader = to;
	struct equant_dag_schedule *schedule = reader->schedule;
	const struct equant_dag_slot *slot = &reader->slot;
	int err = equant_dag_json_object(scan, fields, reader);

	if (err)
		return err;
	if (slot->finish < slot->start)
		return equant_dag_refuse_here(scan, "the task ends before it starts");
	if (schedule->slots && slot->processor < schedule->slot[schedule->slots - 1].processor)
		return equant_dag_refuse_here(scan, "the processor comes after a higher one");
	reader->task[slot->task] = true;
	schedule->slot[schedule->slots++] = *slot;
	schedule->makespan = fmax(schedule->makespan, slot->finish);
	return 0;
}

/* ---- messages --------------------------------------------------------------------------------- */

static int read_edge(struct dag_scan *scan, void *to)
{
	struct reader *reader = to;

	return read_new(scan, reader->dag->edges, reader->edge, &reader->message.edge);
}

static int read_from(struct dag_scan *scan, void *to)
{
	return read_processor(scan, &((struct reader *)to)->message.from);
}

static int read_to(struct dag_scan *scan, void *to)
{
	return read_processor(scan, &((struct reader *)to)->message.to);
}

static int read_sent(struct dag_scan *scan, void *to)
{
	return equant_dag_json_number(scan, &((struct reader *)to)->message.start);
}

static int read_came(struct dag_scan *scan, void *to)
{
	return equant_dag_json_number(scan, &((struct reader *)to)->message.finish);
}

static int read_message(struct dag_scan *scan, void *to)
{
	static const struct dag_field fields[] = {
		{ "edge", true, read_edge },   { "from", true, read_from },
		{ "to", true, read_to },       { "start", true, read_sent },
		{ "finish", true, read_came }, { 0 },
	};
	struct reader *reader = to;
	int err = equant_dag_json_object(scan, fields, reader);

	if (err)
		return err;
	if (reader->message.finish < reader->message.start)
		return equant_dag_refuse_here(scan, "the message comes before it is sent");
	reader->edge[reader->message.edge] = true;
	reader->schedule->message[reader->schedule->messages++] = reader->message;
	return 0;
}

/* ---- all of it ---------------------------------------------------------------------------------- */

static int read_slots(struct dag_scan *scan, void *to)
{
	return equant_dag_json_array(scan, read_slot, to);
}

static int read_messages(struct dag_scan *scan, void *to)
{
	return equant_dag_json_array(scan, read_message, to);
}

static int read_schedule(struct dag_scan *scan, struct reader *reader)
{
	static const struct dag_field fields[] = {
		{ "scheduler", false, read_scheduler },
		{ "tasks", true, read_slots },
		{ "messages", false, read_messages },
		{ 0 },
	};
	int err = equant_dag_json_object(scan, fields, reader);

	err = err ? err : equant_dag_json_end(scan);
	for (int i = 0; i < reader->dag->tasks && !err; i++)
		if (!reader->task[i])
			err = equant_dag_say(scan->why, scan->why_size, -EINVAL,
					     "%s:%d: task %d is missing", scan->path, scan->line,
					     i);
	return err;
}

int equant_dag_read_schedule(struct dag_scan *scan, const struct equant_dag *dag,
			     struct equant_dag_schedule **schedule)
{
	size_t n = (size_t)dag->tasks, e = (size_t)dag->edges;
	struct reader reader = { .dag = dag, .schedule = calloc(1, sizeof(*reader.schedule)) };
	int err = -ENOMEM;

	*schedule = reader.schedule;
	reader.task = calloc(n + e + 1, sizeof(*reader.task));
	if (reader.schedule) {
		reader.schedule->scheduler = "read";
		reader.schedule->slot = calloc(n + 1, sizeof(*reader.schedule->slot));
		reader.schedule->message = calloc(e + 1, sizeof(*reader.schedule->message));
	}
	if (reader.task && reader.schedule && reader.schedule->slot && reader.schedule->message) {
		reader.edge = reader.task + n;
		err = read_schedule(scan, &reader);
	}
	free(reader.task);
	return err;
}
