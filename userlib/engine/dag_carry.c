// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A rank does what the order has for it, one thing after the other, and waits where data is not there
 * yet.
 *
 * Nobody waits for ever: all ranks work through parts of one order, in which everything comes after what it
 * needs, so that of what is left the first thing can always be done.
 */
#include <errno.h>
#include <string.h>

#include "core/clock.h"
#include "core/message.h"
#include "engine/dag_run_internal.h"
#include "loop/loop_internal.h"

double equant_dag_now(const struct equant_dag_run *run)
{
	return 1e-9 * (double)equant_since(equant_now_ns(), run->times.start_ns);
}

/* ---- what there is to do -------------------------------------------------------------------------- */

static void add_message(struct equant_dag_run *run, int edge)
{
	const struct equant_dag_edge *ends = &run->dag->edge[edge];
	int from = run->order.place[ends->from], to = run->order.place[ends->to];
	bool lane = equant_dag_overlaps(run), sends = from == run->eq->rank;
	int letter;

	if (!sends && to != run->eq->rank)
		return;
	letter = equant_dag_mail_add(run, edge, sends ? to : from, sends, lane);
	if (!lane)
		run->item[run->items++] = (struct equant_dag_item){ -1, letter };
}

void equant_dag_items_make(struct equant_dag_run *run)
{
	run->items = run->at = 0;
	equant_dag_mail_clear(run);
	for (int s = 0; s < run->order.steps; s++) {
		const struct equant_dag_step *step = &run->order.step[s];

		if (step->task < 0)
			add_message(run, step->edge);
		else if (run->order.place[step->task] == run->eq->rank)
			run->item[run->items++] = (struct equant_dag_item){ step->task, -1 };
	}
}

/* ---- tasks ------------------------------------------------------------------------------------------ */

static bool is_ready(const struct equant_dag_run *run, int task)
{
	for_each_edge(e, &run->paths.in, task)
		if (!run->here[*e])
			return false;
	return true;
}

static void add_port(const struct equant_dag_run *run, int *count, int edge)
{
	const struct equant_dag_data *data = &run->data[edge];

	run->port[(*count)++] = (struct equant_dag_port){ edge, data->count, data->type,
							  equant_dag_memory(run, edge) };
}

static int open_ports(struct equant_dag_run *run, struct equant_dag_handle *handle)
{
	int count = 0, error;

	for_each_edge(e, &run->paths.in, handle->task)
		add_port(run, &count, *e);
	handle->inputs = count;
	for_each_edge(e, &run->paths.out, handle->task) {
		error = equant_dag_memory_open(run, *e);
		if (error)
			return error;
		add_port(run, &count, *e);
	}
	handle->outputs = count - handle->inputs;
	handle->input = run->port;
	handle->output = run->port + handle->inputs;
	return 0;
}

static int do_body(struct equant_dag_run *run, const struct equant_dag_handle *handle)
{
	const char *name = run->dag->task[handle->task].name;
	int error = run->body(handle, run->user);

	if (!error)
		return 0;
	error = error > 0 ? -EINVAL : error;
	if (!run->over)
		equant_message("rank %d: task %d%s%s fails: %s", run->eq->rank, handle->task,
			       name[0] ? " " : "", name, strerror(-error));
	return error;
}

static int do_task(struct equant_dag_run *run, int task)
{
	struct equant_dag_handle handle = { .run = run, .task = task };
	int error = open_ports(run, &handle);

	if (error)
		return error;
	run->times.start[task] = equant_dag_now(run);
	error = do_body(run, &handle);
	run->times.finish[task] = equant_dag_now(run);
	run->times.turn[task] = run->ran++;
	for_each_edge(e, &run->paths.in, task)
		equant_dag_memory_close(run, *e);
	for_each_edge(e, &run->paths.out, task)
		run->here[*e] = 1;
	return error;
}

/* ---- one after the other ---------------------------------------------------------------------------- */

/* All ranks can hear of missing memory. */
static int keep_failure(struct equant_dag_run *run, int error)
{
	if (error != -ENOMEM)
		return error;
	run->failed = error;
	return 0;
}

/* 1: something was done, 0: it has to wait, or -errno of MPI; a task's error is in @failed. */
static int do_next(struct equant_dag_run *run)
{
	const struct equant_dag_item *item = &run->item[run->at];
	int error = 0;

	if (run->failed || run->over || run->at == run->items)
		return 0;
	if (item->task < 0) {
		error = equant_dag_mail_begin(run, item->letter);
		if (error || run->mail.letter[item->letter].state != EQUANT_DAG_ARRIVED)
			return keep_failure(run, error);
	} else {
		if (!is_ready(run, item->task))
			return 0;
		run->failed = do_task(run, item->task);
	}
	run->at++;
	return 1;
}

static int progress(struct equant_dag_run *run)
{
	int error = equant_dag_talk_progress(run);

	if (!error && !run->failed && !run->over)
		error = keep_failure(run, equant_dag_mail_progress(run));
	if (!error && run->failed)
		error = equant_dag_talk_fail(run, run->failed);
	else if (!error && run->at == run->items && !run->mail.left)
		error = equant_dag_talk_done(run);
	return error;
}

int equant_dag_progress(const struct equant_dag_handle *handle)
{
	struct equant_dag_run *run = handle->run;

	if (!run->broken && progress(run))
		run->broken = true;
	return run->over || run->broken ? -ECANCELED : 0;
}

static int work(struct equant_dag_run *run)
{
	struct equant_patience patience = { 0 };
	int error = 0, did = 0;

	while (!error && !run->broken && !equant_dag_talk_quiet(run)) {
		equant_patience_listen(&run->eq->waiter, &patience);
		error = progress(run);
		if (!error)
			did = do_next(run);
		if (did < 0)
			error = did;
		if (did) {
			equant_patience_end(&patience);
			patience = (struct equant_patience){ 0 };
		} else if (!error) {
			equant_patience_pause(&run->eq->waiter, &patience);
		}
	}
	equant_patience_end(&patience);
	return error ? error : run->broken ? -EIO : 0;
}

/* All ranks begin at the same time. */
static int start(struct equant_dag_run *run)
{
	size_t e = (size_t)run->dag->edges;
	int error;

	run->over = run->carried = false;
	run->failed = run->result = 0;
	run->ran = 0;
	memset(run->begun, 0, e);
	memset(run->here, 0, e);
	equant_dag_items_make(run);
	error = equant_dag_talk_start(run);
	if (!error)
		error = equant_barrier(run->eq);
	run->times.start_ns = equant_now_ns();
	return error;
}

int equant_dag_carry_out(struct equant_dag_run *run)
{
	int error;

	if (run->broken || equant_mpi_is_over())
		return -EPIPE;
	error = start(run);
	if (!error)
		error = work(run);
	if (!error && run->result)
		error = equant_dag_mail_settle(run);
	if (error) {
		run->broken = true;
		return error;
	}
	equant_dag_memory_close_all(run);
	run->carried = !run->result;
	return run->result;
}
