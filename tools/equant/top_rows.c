// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Two readings of all attached tasks, and what happened between them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <equant/abi.h>

#include "top.h"

struct top_readings {
	const struct top_options *options;
	uint32_t records;
	struct equant_watch_task *tasks;
	struct equant_watch_task *before; /* by record */
	struct top_who *who; /* by record */
	struct top_row *rows;
};

struct top_readings *top_readings_new(const struct top_options *options, uint32_t records)
{
	struct top_readings *readings = calloc(1, sizeof(*readings));

	if (!readings)
		return NULL;
	readings->options = options;
	readings->records = records;
	readings->tasks = calloc(records, sizeof(*readings->tasks));
	readings->before = calloc(records + 1u, sizeof(*readings->before));
	readings->who = calloc(records + 1u, sizeof(*readings->who));
	readings->rows = calloc(records, sizeof(*readings->rows));
	if (readings->tasks && readings->before && readings->who && readings->rows)
		return readings;
	top_readings_free(readings);
	return NULL;
}

void top_readings_free(struct top_readings *readings)
{
	if (!readings)
		return;
	free(readings->tasks);
	free(readings->before);
	free(readings->who);
	free(readings->rows);
	free(readings);
}

static double growth(uint64_t now, uint64_t before)
{
	return now > before ? (double)(now - before) : 0;
}

static double ratio(double part, double whole)
{
	return whole > 0 ? part / whole : NAN;
}

static void compare(struct top_row *row, const struct equant_watch_task *before, int predicts)
{
	const struct equant_watch_task *task = row->task;
	const struct equant_status *now = &task->status, *then = &before->status;
	bool same = before->t_attach_ns == task->t_attach_ns;
	static const struct equant_status none;
	double ns, run, wait;

	if (!same)
		then = &none;
	ns = growth(now->now.t_ns, same ? then->now.t_ns : task->t_attach_ns);
	run = growth(now->now.run_ns, then->now.run_ns);
	wait = growth(now->now.wait_ns, then->now.wait_ns);
	row->elapsed = ns / 1e9;
	row->run = ratio(run, ns);
	row->wait = ratio(wait, ns);
	row->share = ratio(run, run + wait);
	row->contended = ratio(growth(now->contended_ns, then->contended_ns), ns);
	row->quantum = now->quantum_ns ? (double)now->quantum_ns / 1e9 : NAN;
	row->expected = predicts && !(now->flags & EQUANT_F_NO_PREDICTION) ? now->share : NAN;
}

/* Who cannot be seen has none. */
static double speed_of(const struct top_row *row)
{
	double speed;

	if (!row->who->pid || equant_watch_speed(row->who->pid, row->task->tid, &speed))
		return NAN;
	return speed;
}

static bool is_wanted(const struct top_options *options, const struct top_who *who)
{
	if (options->user != (uid_t)-1 && (!who->pid || who->uid != options->user))
		return false;
	/* The kernel keeps 15 characters. */
	return !options->command || (who->pid && !strncmp(options->command, who->command, 15));
}

static int by_process(const void *a, const void *b)
{
	const struct equant_watch_task *x = ((const struct top_row *)a)->task;
	const struct equant_watch_task *y = ((const struct top_row *)b)->task;

	if (x->ns_inode != y->ns_inode)
		return x->ns_inode < y->ns_inode ? -1 : 1;
	if (x->tgid != y->tgid)
		return x->tgid < y->tgid ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static void add_row(struct top_readings *readings, struct top_view *view,
		    const struct equant_watch_task *task)
{
	struct top_row *row = &view->rows[view->nr];
	struct top_who *who = &readings->who[task->record];

	top_find_out(who, task);
	if (is_wanted(readings->options, who)) {
		row->task = task;
		row->who = who;
		row->speed = speed_of(row);
		compare(row, &readings->before[task->record], view->info.predicts);
		view->nr++;
	}
	readings->before[task->record] = *task;
}

bool top_is_shown(const struct top_readings *readings, uint32_t record)
{
	return record && record <= readings->records &&
	       is_wanted(readings->options, &readings->who[record]);
}

int top_read(struct top_readings *readings, struct equant_watch *watch, struct top_view *view,
	     char *why, size_t why_size)
{
	int nr;

	*view = (struct top_view){
		.rows = readings->rows,
		.source = equant_watch_source(watch),
		.options = readings->options,
	};
	nr = equant_watch_snapshot(watch, readings->tasks, readings->records, why, why_size);
	if (nr < 0)
		return nr;
	equant_watch_info(watch, &view->info);
	for (int i = 0; i < nr && i < (int)readings->records; i++) {
		add_row(readings, view, &readings->tasks[i]);
		view->time = readings->tasks[i].status.now.t_ns;
	}
	qsort(view->rows, view->nr, sizeof(*view->rows), by_process);
	return 0;
}

const char *top_flags(const struct equant_watch_task *task, char *text, size_t size)
{
	static const struct {
		uint32_t flag;
		const char *name;
	} names[] = {
		{ EQUANT_F_REALTIME, "realtime" }, { EQUANT_F_CPU_MAX, "cpu.max" },
		{ EQUANT_F_CLASS, "class" },	   { EQUANT_F_DEEP, "deep" },
		{ EQUANT_F_CROWDED, "crowded" },   { EQUANT_F_WIDE, "wide" },
	};
	size_t used = 0;

	*text = '\0';
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (task->status.flags & names[i].flag && used < size)
			used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "," : "",
						 names[i].name);
	return text;
}
