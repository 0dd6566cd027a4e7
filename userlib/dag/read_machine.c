// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Machines as JSON:
 *
 *	{ "processors": [ 1, 1, 2.5 ],
 *	  "startup": 0, "data_rate": 1, "channels": "shared", "overlap": "progress",
 *	  "memory": [ 1000, 1000, 500 ], "pinned": [ { "task": 0, "processor": 2 }, ... ],
 *	  "links": [ { "from": 0, "to": 1, "startup": 0, "data_rate": 2 }, ... ],
 *	  "costs": [ [ 14, 16, 9 ], ... ] }
 *
 * Processors come first, and are the rate of each.  Start-up and rate are those of all links but the
 * single ones, one direction each, wherever those are in the file; costs have a row for each task.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"

#define MEMORY_OF_ALL "one number for each processor"

/* Numbers that are not all there yet. */
struct list {
	double *number;
	size_t count;
	size_t room;
};

struct reader {
	struct equant_dag_machine *machine;
	struct list list;
	int rows; /* of costs */
	double startup;
	double data_rate;
	bool *single; /* p x p: links that have their own; NULL: none yet */
	/* the link that is being read */
	int from;
	int to;
	int task; /* that is pinned */
	int next; /* processor whose memory is read */
};

static int append(struct list *list, double number)
{
	if (list->count == list->room) {
		size_t room = list->room ? 2 * list->room : 64;
		double *more = realloc(list->number, room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		list->number = more;
		list->room = room;
	}
	list->number[list->count++] = number;
	return 0;
}

static int read_rate(struct dag_scan *scan, double *rate)
{
	struct dag_word next = equant_dag_json_next(scan);
	int err = equant_dag_json_number(scan, rate);

	return !err && *rate == 0 ? equant_dag_json_refuse(scan, next, "a rate is above 0") : err;
}

static int read_processor(struct dag_scan *scan, void *to)
{
	struct reader *reader = to;
	double rate;
	int err = read_rate(scan, &rate);

	if (!err && reader->list.count == EQUANT_DAG_PROCESSORS)
		err = equant_dag_refuse_here(scan, "too many processors");
	return err ? err : append(&reader->list, rate);
}

static int read_processors(struct dag_scan *scan, void *to)
{
	struct reader *reader = to;
	int err = equant_dag_json_array(scan, read_processor, reader);

	if (!err && !reader->list.count)
		err = equant_dag_refuse_name(scan, "processors", "at least one");
	if (err)
		return err;
	reader->machine = equant_dag_machine_new((int)reader->list.count);
	if (!reader->machine)
		return -errno;
	for (size_t k = 0; k < reader->list.count; k++)
		equant_dag_machine_rate(reader->machine, (int)k, reader->list.number[k]);
	return 0;
}

static int need_processors(const struct dag_scan *scan, const struct reader *reader,
			   const char *name)
{
	return reader->machine ? 0 : equant_dag_refuse_name(scan, name, "processors come first");
}

static size_t link_number(const struct reader *reader, int from, int to)
{
	return (size_t)from * (size_t)reader->machine->processors + (size_t)to;
}

static int all_links(struct reader *reader)
{
	int p = reader->machine->processors, err = 0;

	for (int k = 0; k < p; k++)
		for (int l = 0; l < p && !err; l++)
			if (k != l &&
			    !(reader->single && reader->single[link_number(reader, k, l)]))
				err = equant_dag_machine_link(reader->machine, k, l,
							      reader->startup, reader->data_rate);
	return err;
}

static int read_startup(struct dag_scan *scan, void *to)
{
	return equant_dag_json_number(scan, &((struct reader *)to)->startup);
}

static int read_data_rate(struct dag_scan *scan, void *to)
{
	return read_rate(scan, &((struct reader *)to)->data_rate);
}

static int read_all_startup(struct dag_scan *scan, void *to)
{
	struct reader *reader = to;
	int err = need_processors(scan, reader, "startup");

	err = err ? err : read_startup(scan, reader);
	return err ? err : all_links(reader);
}

static int read_all_data_rate(struct dag_scan *scan, void *to)
{
	struct reader *reader = to;
	int err = need_processors(scan, reader, "data_rate");

	err = err ? err : read_data_rate(scan, reader);
	return err ? err : all_links(reader);
}

static int read_channels(struct dag_scan *scan, void *to)
{
	static const char *const names[] = { "free", "shared", "duplex" };
	struct reader *reader = to;
	char name[16];
	int err = need_processors(scan, reader, "channels");

	err = err ? err : equant_dag_json_string(scan, name, sizeof(name));
	if (err)
		return err;
	for (int i = 0; i < 3; i++)
		if (!strcmp(names[i], name))
			return equant_dag_machine_channels(reader->machine,
							   (enum equant_dag_channels)i);
	return equant_dag_refuse_name(scan, name, "expected free, shared or duplex");
}

static int read_overlap(struct dag_scan *scan, void *to)
{
	struct reader *reader = to;
	bool overlap = false;
	char name[16];
	int err = need_processors(scan, reader, "overlap");

	if (!err && equant_dag_json_peek(scan) == '"') {
		err = equant_dag_json_string(scan, name, sizeof(name));
		if (!err && strcmp(name, "progress"))
			err = equant_dag_refuse_name(scan, name,
						     "expected true, false or \"progress\"");
		return err ? err : equant_dag_machine_overlap(reader->machine, EQUANT_DAG_PROGRESS);
	}
	err = err ? err : equant_dag_json_bool(scan, &overlap);
	return err ? err :
		     equant_dag_machine_overlap(reader->machine, overlap ? EQUANT_DAG_OVERLAP :
									   EQUANT_DAG_NO_OVERLAP);
}

static int read_end(struct dag_scan *scan, const struct reader *reader, int *processor)
{
	return equant_dag_json_whole(scan, 0, reader->machine->processors - 1, processor);
}

static int read_from(struct dag_scan *scan, void *to)
{
	return read_end(scan, to, &((struct reader *)to)->from);
}

static int read_to(struct dag_scan *scan, void *to)
{
	return read_end(scan, to, &((struct reader *)to)->to);
}

/* From here on what is said of all links is not said of this one. */
static int own_link(struct dag_scan *scan, struct reader *reader, int from, int to)
{
	size_t p = (size_t)reader->machine->processors;

	if (!reader->single)
		reader->single = calloc(p * p, sizeof(*reader->single));
	if (!reader->single)
		return -ENOMEM;
	if (reader->single[link_number(reader, from, to)])
		return equant_dag_refuse_name(scan, "links", "a link that there is already");
	reader->single[link_number(reader, from, to)] = true;
	return 0;
}

static int read_link(struct dag_scan *scan, void *to)
{
	static const struct dag_field fields[] = {
		{ "from", true, read_from },
		{ "to", true, read_to },
		{ "startup", false, read_startup },
		{ "data_rate", true, read_data_rate },
		{ 0 },
	};
	struct reader *reader = to, link = *reader;
	int err;

	link.startup = 0;
	err = equant_dag_json_object(scan, fields, &link);
	if (err)
		return err;
	if (link.from == link.to)
		return equant_dag_refuse_name(scan, "to", "the same processor as from");
	err = own_link(scan, reader, link.from, link.to);
	return err ? err :
		     equant_dag_machine_link(link.machine, link.from, link.to, link.startup,
					     link.data_rate);
}

static int read_links(struct dag_scan *scan, void *to)
{
	int err = need_processors(scan, to, "links");

	return err ? err : equant_dag_json_array(scan, read_link, to);
}

static int read_size(struct dag_scan *scan, void *to)
{
	struct reader *reader = to;
	uint64_t memory = 0;
	int err = equant_dag_json_memory(scan, &memory);

	if (!err && reader->next == reader->machine->processors)
		err = equant_dag_refuse_name(scan, "memory", MEMORY_OF_ALL);
	return err ? err : equant_dag_machine_memory(reader->machine, reader->next++, memory);
}

static int read_memory(struct dag_scan *scan, void *to)
{
	struct reader *reader = to;
	int err = need_processors(scan, reader, "memory");

	err = err ? err : equant_dag_json_array(scan, read_size, reader);
	if (!err && reader->next < reader->machine->processors)
		err = equant_dag_refuse_name(scan, "memory", MEMORY_OF_ALL);
	return err;
}

static int read_pinned_task(struct dag_scan *scan, void *to)
{
	return equant_dag_json_whole(scan, 0, EQUANT_DAG_TASKS - 1, &((struct reader *)to)->task);
}

static int read_pin(struct dag_scan *scan, void *to)
{
	static const struct dag_field fields[] = {
		{ "task", true, read_pinned_task },
		{ "processor", true, read_to },
		{ 0 },
	};
	struct reader *reader = to;
	int err = equant_dag_json_object(scan, fields, reader);

	if (!err && dag_pin(reader->machine, reader->task) >= 0)
		err = equant_dag_refuse_name(scan, "task", "one that is pinned already");
	return err ? err : equant_dag_machine_pin(reader->machine, reader->task, reader->to);
}

static int read_pins(struct dag_scan *scan, void *to)
{
	int err = need_processors(scan, to, "pinned");

	return err ? err : equant_dag_json_array(scan, read_pin, to);
}

static int read_cost(struct dag_scan *scan, void *to)
{
	double cost;
	int err = equant_dag_json_number(scan, &cost);

	return err ? err : append(&((struct reader *)to)->list, cost);
}

static int read_row(struct dag_scan *scan, void *to)
{
	struct reader *reader = to;
	size_t before = reader->list.count;
	int err = equant_dag_json_array(scan, read_cost, reader);

	if (!err && reader->list.count - before != (size_t)reader->machine->processors)
		err = equant_dag_refuse_name(scan, "costs", "a row has one for each processor");
	if (!err && ++reader->rows > EQUANT_DAG_TASKS)
		err = equant_dag_refuse_name(scan, "costs", "too many tasks");
	return err;
}

static int read_costs(struct dag_scan *scan, void *to)
{
	struct reader *reader = to;
	int err = need_processors(scan, reader, "costs");

	reader->list.count = 0;
	err = err ? err : equant_dag_json_array(scan, read_row, reader);
	if (!err && !reader->rows)
		err = equant_dag_refuse_name(scan, "costs", "at least one row");
	return err ? err :
		     equant_dag_machine_costs(reader->machine, reader->rows, reader->list.number);
}

int equant_dag_read_machine(struct dag_scan *scan, struct equant_dag_machine **machine)
{
	static const struct dag_field fields[] = {
		{ "processors", true, read_processors },
		{ "startup", false, read_all_startup },
		{ "data_rate", false, read_all_data_rate },
		{ "channels", false, read_channels },
		{ "overlap", false, read_overlap },
		{ "links", false, read_links },
		{ "memory", false, read_memory },
		{ "pinned", false, read_pins },
		{ "costs", false, read_costs },
		{ 0 },
	};
	struct reader reader = { .data_rate = 1 };
	int err = equant_dag_json_object(scan, fields, &reader);

	free(reader.list.number);
	free(reader.single);
	*machine = reader.machine;
	return err ? err : equant_dag_json_end(scan);
}
