// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A schedule that ranks carry out: made and freed together.
 */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "control/meet.h"
#include "core/message.h"
#include "core/mpi_error.h"
#include "core/struct.h"
#include "engine/dag_replan.h"
#include "loop/abort.h"
#include "loop/loop_internal.h"

/* Options end where those of an older library did, at least. */
static int copy_options(const struct equant_dag_run_options *from,
			struct equant_dag_run_options *to)
{
	const unsigned char *bytes = (const unsigned char *)from;

	if (!from || from->sz < sizeof(*to)) {
		equant_message("equant_dag_run_new: %s",
			       from ? EQUANT_STRUCT_SMALL("equant_dag_run_options") : "no options");
		return -EINVAL;
	}
	for (size_t i = sizeof(*to); i < from->sz; i++) {
		if (bytes[i]) {
			equant_message(
				"equant_dag_run_new: byte %zu of the options is not known here", i);
			return -EINVAL;
		}
	}
	*to = *from;
	return 0;
}

static int copy_data(struct equant_dag_run *run, const struct equant_dag_data *data)
{
	int edges = run->dag->edges;

	run->data = calloc((size_t)edges + 1, sizeof(*run->data));
	if (!run->data)
		return -ENOMEM;
	for (int e = 0; e < edges; e++) {
		int bytes = (int)ceil(data ? 0 : run->dag->edge[e].data);

		run->data[e] = data ? data[e] : (struct equant_dag_data){ bytes, MPI_BYTE, NULL };
	}
	return 0;
}

static int most_ports(const struct equant_dag_run *run)
{
	int most = 0;

	for (int i = 0; i < run->dag->tasks; i++) {
		int ports = run->paths.in.first[i + 1] - run->paths.in.first[i] +
			    run->paths.out.first[i + 1] - run->paths.out.first[i];

		most = ports > most ? ports : most;
	}
	return most;
}

static int allocate(struct equant_dag_run *run)
{
	size_t n = (size_t)run->dag->tasks, e = (size_t)run->dag->edges;
	double *times = calloc(3 * n + 2 * e, sizeof(*times));

	run->order.place = calloc(n, sizeof(*run->order.place));
	run->order.step = calloc(n + e, sizeof(*run->order.step));

	run->memory = calloc(e + 1, sizeof(*run->memory));
	run->here = calloc(3 * e + 1, sizeof(*run->here));
	run->port = calloc((size_t)most_ports(run) + 1, sizeof(*run->port));
	run->item = calloc(n + e, sizeof(*run->item));
	run->times.start = times;
	if (!run->order.place || !run->order.step || !times || !run->memory || !run->here ||
	    !run->port || !run->item)
		return -ENOMEM;
	run->times.finish = times + n;
	run->times.turn = times + 2 * n;
	run->times.sent = times + 3 * n;
	run->times.came = times + 3 * n + e;
	run->begun = run->here + e;
	run->leaving = run->here + 2 * e;
	return 0;
}

static int read_schedule(struct equant_dag_run *run, const struct equant_dag_schedule *schedule)
{
	char why[200] = "";
	int error = equant_dag_paths_init(&run->paths, run->dag);

	if (!error)
		error = equant_dag_order_init(&run->given, run->dag, &run->paths, run->eq->ranks,
					      schedule, why, sizeof(why));
	if (why[0])
		equant_message("rank %d: equant_dag_run_new: %s", run->eq->rank, why);
	return error;
}

/* What this rank alone can see. */
static int prepare(struct equant_dag_run *run, const struct equant_dag_run_options *from)
{
	struct equant_dag_run_options options;
	int error = copy_options(from, &options);

	if (!error)
		error = equant_dag_run_check(run->eq, &options);
	if (error)
		return error;
	run->dag = options.dag;
	run->machine = options.machine;
	run->body = options.body;
	run->user = options.user;
	error = copy_data(run, options.data);
	if (!error)
		error = read_schedule(run, options.schedule);
	if (!error)
		error = allocate(run);
	if (!error)
		error = equant_dag_memory_init(run);
	if (!error)
		error = equant_dag_mail_init(run);
	if (!error)
		error = equant_dag_replan_init(run, &options);
	return error ? error : equant_dag_talk_init(run);
}

static void release(struct equant_dag_run *run)
{
	if (run->comm != MPI_COMM_NULL && !equant_mpi_is_over())
		MPI_Comm_free(&run->comm);
	equant_dag_talk_free(run);
	equant_dag_mail_free(run);
	equant_dag_replan_free(run);
	equant_dag_order_free(&run->given);
	equant_dag_order_free(&run->order);
	equant_dag_paths_free(&run->paths);
	equant_dag_memory_free(run);
	free(run->data);
	free(run->here);
	free(run->port);
	free(run->item);
	free(run->times.start);
	free(run);
}

int equant_dag_meet(struct equant *eq, const char *function)
{
	const struct equant_limits limits = { eq->options.timeout, eq->options.check };

	if (eq->lost)
		return eq->lost;
	return equant_lose(eq, equant_meet(eq->collectives, function, &limits));
}

struct equant_dag_run *equant_dag_run_new(struct equant *eq,
					  const struct equant_dag_run_options *options)
{
	struct equant_dag_run *run;
	int error;

	if (!eq) {
		equant_message("equant_dag_run_new: no context");
		errno = EINVAL;
		return NULL;
	}
	error = equant_dag_meet(eq, "equant_dag_run_new");
	if (error) {
		errno = -error;
		return NULL;
	}
	run = calloc(1, sizeof(*run));
	error = equant_mpi_agree(eq->collectives, run ? 0 : -ENOMEM);
	if (error) {
		free(run);
		errno = -error;
		return NULL;
	}
	run->eq = eq;
	run->comm = MPI_COMM_NULL;
	run->task = -1;
	error = equant_mpi_error(MPI_Comm_dup(eq->collectives, &run->comm), "MPI_Comm_dup");
	if (!error)
		error = equant_dag_run_agree(run, prepare(run, options));
	if (!error) {
		eq->users++;
		return run;
	}
	release(run);
	errno = -error;
	return NULL;
}

int equant_dag_run_free(struct equant_dag_run *run)
{
	if (!run)
		return 0;
	if (equant_dag_in_task(run, "equant_dag_run_free"))
		return -EBUSY;
	run->eq->users--;
	release(run);
	return equant_mpi_is_over() ? -EPIPE : 0;
}
