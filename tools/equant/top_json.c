// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A reading as one line of JSON.
 */
#include <math.h>

#include <equant/abi.h>

#include "json.h"
#include "top.h"

static const char *state_name(uint32_t state)
{
	switch (state) {
	case EQUANT_STATE_RUN:
		return "run";
	case EQUANT_STATE_WAIT:
		return "wait";
	case EQUANT_STATE_SLEEP:
		return "sleep";
	default:
		return "new";
	}
}

static void add_identity(struct json *json, const struct top_row *row)
{
	const struct equant_watch_task *task = row->task;

	json_integer(json, "tid", task->tid);
	json_integer(json, "tgid", task->tgid);
	json_integer(json, "pid_namespace", task->ns_inode);
	json_integer(json, "record", task->record);
	if (row->who->pid) {
		json_integer(json, "pid", row->who->pid);
		json_integer(json, "uid", row->who->uid);
	}
	json_string(json, "user", row->who->user);
	json_string(json, "command", row->who->command);
}

/* The counters are totals since the task attached. */
static void add_counters(struct json *json, const struct equant_watch_task *task)
{
	const struct equant_status *status = &task->status;

	json_integer(json, "t_ns", (long)status->now.t_ns);
	json_integer(json, "t_attach_ns", (long)task->t_attach_ns);
	json_integer(json, "run_ns", (long)status->now.run_ns);
	json_integer(json, "wait_ns", (long)status->now.wait_ns);
	json_integer(json, "sleep_ns", (long)task->sleep_ns);
	json_integer(json, "contended_ns", (long)status->contended_ns);
	json_integer(json, "episodes", status->episodes);
	json_integer(json, "long_episodes", status->long_episodes);
	json_integer(json, "switches", (long)status->switches);
	json_integer(json, "preemptions", (long)status->preemptions);
	json_integer(json, "yields", (long)status->yields);
	json_integer(json, "blocks", (long)status->blocks);
	json_integer(json, "migrations", (long)status->migrations);
	json_integer(json, "slice_ns", task->slice_ns);
}

static void add_row(struct json *json, const struct top_row *row)
{
	const struct equant_watch_task *task = row->task;
	bool predicted = !isnan(row->expected);
	char flags[64];

	json_open_object(json, NULL);
	add_identity(json, row);
	json_string(json, "state", state_name(task->state));
	json_integer(json, "cpu", task->status.cpu);
	json_number(json, "elapsed", row->elapsed);
	json_number(json, "run", row->run);
	json_number(json, "wait", row->wait);
	json_number(json, "share", row->share);
	json_number(json, "expected", row->expected);
	json_number(json, "settled", predicted ? task->status.settled : NAN);
	json_number(json, "speed", row->speed);
	json_number(json, "quantum", row->quantum);
	json_integer(json, "runnable", task->status.runnable);
	json_number(json, "contended", row->contended);
	json_string(json, "flags", top_flags(task, flags, sizeof(flags)));
	add_counters(json, task);
	json_close_object(json);
}

void top_json(FILE *out, const struct top_view *view)
{
	struct json json = { .out = out, .flat = true };

	json_open_object(&json, NULL);
	json_string(&json, "source", view->source);
	json_integer(&json, "records", view->info.records);
	json_integer(&json, "attached", view->info.attached);
	json_integer(&json, "refused", view->info.refused);
	json_string(&json, "ways", view->info.ways);
	json_open_array(&json, "tasks");
	for (size_t i = 0; i < view->nr; i++)
		add_row(&json, &view->rows[i]);
	json_close_array(&json);
	json_close_object(&json);
	fflush(out);
}
