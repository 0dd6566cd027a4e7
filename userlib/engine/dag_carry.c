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
#include "engine/dag_replan.h"
#include "loop/loop_internal.h"

double equant_dag_now(const struct equant_dag_run *run)
{
	return 1e-9 * (double)equant_since(equant_now_ns(), run->times.start_ns);
}

/* ---- what there is to do -------------------------------------------------------------------------- */

/* Data of a task that had begun before there was this order goes on from where it is. */
static int home_of(const struct equant_dag_run *run, int edge)
{
	if (run->replan && run->replan->home[edge] >= 0)
		return run->replan->home[edge];
	return run->order.place[run->dag->edge[edge].from];
}

static void add_message(struct equant_dag_run *run, int edge)
{
	int from = home_of(run, edge), to = run->order.place[run->dag->edge[edge].to];
	bool lane = equant_dag_overlaps(run), sends = from == run->eq->rank;
	int letter;

	if (!sends && to != run->eq->rank)
		return;
	letter = sends ? -1 : equant_dag_mail_find(run, edge);
	if (letter < 0)
		letter = equant_dag_mail_add(run, edge, sends ? to : from, sends, lane);
	if (!lane)
		run->item[run->items++] = (struct equant_dag_item){ -1, letter };
}

void equant_dag_items_make(struct equant_dag_run *run)
{
	run->items = run->at = run->begun_tasks = 0;
	for (int s = 0; s < run->order.steps; s++) {
		const struct equant_dag_step *step = &run->order.step[s];

		if (step->task < 0)
			add_message(run, step->edge);
		else if (run->order.place[step->task] == run->eq->rank)
			run->item[run->items++] = (struct equant_dag_item){ step->task, -1 };
	}
}

/* ---- tasks ------------------------------------------------------------------------------------------ */

/* What still leaves for where another order had the task comes back before it is here again. */
static bool is_ready(const struct equant_dag_run *run, int task)
{
	for_each_edge(e, &run->paths.in, task)
		if (!run->here[*e] || run->leaving[*e])
			return false;
	return true;
}

bool equant_dag_is_frozen(const struct equant_dag_run *run)
{
	return run->replan && run->replan->frozen;
}

int equant_dag_next_task(const struct equant_dag_run *run)
{
	int task = run->at < run->items ? run->item[run->at].task : -1;

	return task >= 0 && !run->failed && is_ready(run, task) ? task : -1;
}

bool equant_dag_is_done(const struct equant_dag_run *run)
{
	return run->task < 0 && run->promised < 0 && run->at == run->items && !run->mail.left;
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
	run->task = task;
	run->times.start[task] = equant_dag_now(run);
	if (run->replan)
		equant_dag_watch_begin(run);
	error = do_body(run, &handle);
	if (run->replan)
		equant_dag_watch_end(run, task);
	run->times.finish[task] = equant_dag_now(run);
	run->times.turn[task] = run->ran++;
	run->task = -1;
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

/* Its task, or its letter, comes before all that is behind it. */
static int do_letter(struct equant_dag_run *run, int letter)
{
	int error = equant_dag_mail_begin(run, letter);

	if (error)
		return keep_failure(run, error);
	if (run->mail.letter[letter].state != EQUANT_DAG_ARRIVED)
		return 0;
	run->at++;
	return 1;
}

/* 1: something was done, 0: it has to wait, or -errno of MPI; a task's error is in @failed. */
static int do_next(struct equant_dag_run *run)
{
	bool frozen = equant_dag_is_frozen(run);
	int task = frozen || run->promised >= 0 ? run->promised : equant_dag_next_task(run);
	int error;

	if (run->failed || run->over)
		return 0;
	if (!frozen && task < 0 && run->at < run->items && run->item[run->at].task < 0)
		return do_letter(run, run->item[run->at].letter);
	if (task < 0)
		return 0;
	/* First, since there may be a new order when the task has ended. */
	if (task != run->promised) {
		run->begun_tasks++;
		run->at++;
	}
	run->promised = -1;
	error = do_task(run, task);
	/* What has failed in the task while it made progress counts first. */
	if (!run->failed)
		run->failed = error;
	return 1;
}

static int progress(struct equant_dag_run *run)
{
	int error = 0;

	if (!run->failed && !run->over)
		error = keep_failure(run, equant_dag_mail_progress(run));
	return error ? error : equant_dag_talk_progress(run);
}

int equant_dag_progress(const struct equant_dag_handle *handle)
{
	struct equant_dag_run *run = handle->run;

	if (run->replan)
		equant_dag_watch_look(run);
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
			equant_patience_end(&run->eq->waiter, &patience);
			patience = (struct equant_patience){ 0 };
		} else if (!error) {
			equant_dag_await(run, &patience);
		}
	}
	equant_patience_end(&run->eq->waiter, &patience);
	return error ? error : run->broken ? -EIO : 0;
}

/* All ranks begin at the same time. */
static int start(struct equant_dag_run *run)
{
	size_t e = (size_t)run->dag->edges;
	int error;

	run->over = run->carried = run->named = false;
	run->failed = run->result = 0;
	run->ran = 0;
	run->task = run->promised = -1;
	memset(run->begun, 0, e);
	memset(run->here, 0, e);
	equant_dag_order_copy(&run->order, &run->given, run->dag->tasks);
	equant_dag_replan_start(run);
	equant_dag_mail_clear(run);
	equant_dag_items_make(run);
	error = equant_dag_talk_start(run);
	if (!error)
		error = equant_barrier_in(run->eq, "equant_dag_carry_out()");
	run->times.start_ns = equant_now_ns();
	return error;
}

bool equant_dag_in_task(const struct equant_dag_run *run, const char *function)
{
	if (run->task >= 0)
		equant_message("rank %d: %s: called by task %d of this run", run->eq->rank,
			       function, run->task);
	return run->task >= 0;
}

int equant_dag_carry_out(struct equant_dag_run *run)
{
	int error;

	if (equant_dag_in_task(run, "equant_dag_carry_out"))
		return -EBUSY;
	if (run->broken || equant_mpi_is_over())
		return -EPIPE;
	error = start(run);
	if (!error)
		error = work(run);
	if (run->replan)
		run->replan->frozen = false;
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
