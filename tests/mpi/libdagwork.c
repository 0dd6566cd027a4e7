// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <stdlib.h>
#include <string.h>

#include "libdagwork.h"
#include "libworker.h"

static uint64_t mix(uint64_t x)
{
	struct random random = random_from(x);

	return random_next(&random);
}

/* What a task gets from its edges, and they from it: every element counts. */
static uint64_t element_of(uint64_t value, int edge, int i)
{
	return mix(value ^ (uint64_t)edge << 32 ^ (uint64_t)i);
}

static uint64_t begin_value(int task)
{
	return mix((uint64_t)task + 1);
}

static uint64_t add_element(uint64_t value, int edge, uint64_t element)
{
	return value + mix(element ^ (uint64_t)edge);
}

/* Elements of edge @e lie side by side, or in every second or third place: its datatype says so. */
static int stride_of(int edge)
{
	return 1 + edge % 3;
}

int work_body(const struct equant_dag_handle *handle, void *user)
{
	struct work *work = user;
	uint64_t value = begin_value(handle->task);

	work->runs[handle->task]++;
	for (int p = 0; p < handle->inputs; p++) {
		const struct equant_dag_port *port = &handle->input[p];
		const uint64_t *at = port->memory;

		demand_equal(handle->task, work->dag->edge[port->edge].to);
		for (int i = 0; i < port->count; i++)
			value = add_element(value, port->edge, at[i * stride_of(port->edge)]);
	}
	if (handle->task % 2)
		equant_dag_progress(handle);
	for (int p = 0; p < handle->outputs; p++) {
		const struct equant_dag_port *port = &handle->output[p];
		uint64_t *at = port->memory;

		demand_equal(handle->task, work->dag->edge[port->edge].from);
		for (int i = 0; i < port->count; i++)
			at[i * stride_of(port->edge)] = element_of(value, port->edge, i);
	}
	work->value[handle->task] = value;
	return handle->task == work->fails ? work->error : 0;
}

/* One process, from the definition. */
static void expect(struct work *work)
{
	const struct equant_dag *dag = work->dag;
	int left = dag->tasks;

	memset(work->runs, 0, (size_t)dag->tasks * sizeof(*work->runs));
	while (left) {
		for (int t = 0; t < dag->tasks; t++) {
			uint64_t value = begin_value(t);
			bool ready = !work->runs[t];

			for (int e = 0; e < dag->edges; e++) {
				uint64_t from = work->expected[dag->edge[e].from];

				if (dag->edge[e].to != t)
					continue;
				ready = ready && work->runs[dag->edge[e].from];
				for (int i = 0; i < work->data[e].count; i++)
					value = add_element(value, e, element_of(from, e, i));
			}
			if (ready) {
				work->expected[t] = value;
				work->runs[t] = 1;
				left--;
			}
		}
	}
	memset(work->runs, 0, (size_t)dag->tasks * sizeof(*work->runs));
}

static void set_up_data(struct work *work, struct random *random)
{
	for (int e = 0; e < work->dag->edges; e++) {
		struct equant_dag_data *data = &work->data[e];
		int many = random_below(random, 10) == 0;

		data->count = (int)random_below(random, many ? 20000 : 20);
		MPI_Type_create_resized(MPI_UINT64_T, 0, 8 * stride_of(e), &data->type);
		MPI_Type_commit(&data->type);
		/* Every third edge has the program's memory, on every second rank. */
		if (e % 3 == 0 && (e + rank) % 2)
			data->memory = calloc((size_t)data->count + 1, (size_t)(8 * stride_of(e)));
	}
}

/* The same on all ranks of the communicator, where @random is. */
struct work work_set_up(MPI_Comm comm, struct equant_dag *dag, struct equant_dag_machine *machine,
			const char *scheduler, struct random *random)
{
	struct work work = { .comm = comm, .dag = dag, .machine = machine, .fails = -1 };
	char why[200] = "";

	demand(dag && machine);
	work.eq = must_open(comm, NULL);
	work.schedule = equant_dag_schedule(scheduler, dag, machine, NULL, why, sizeof(why));
	if (!work.schedule)
		worker_fail_text(__FILE__, __LINE__, "%s: %s", scheduler, why);
	work.data = calloc((size_t)dag->edges + 1, sizeof(*work.data));
	work.runs = calloc((size_t)dag->tasks, sizeof(*work.runs));
	work.value = calloc((size_t)dag->tasks, sizeof(*work.value));
	work.expected = calloc((size_t)dag->tasks, sizeof(*work.expected));
	demand(work.data && work.runs && work.value && work.expected);
	set_up_data(&work, random);
	expect(&work);
	return work;
}

void work_tear_down(struct work *work)
{
	for (int e = 0; e < work->dag->edges; e++) {
		MPI_Type_free(&work->data[e].type);
		free(work->data[e].memory);
	}
	free(work->data);
	free(work->runs);
	free(work->value);
	free(work->expected);
	equant_dag_schedule_free(work->schedule);
	equant_dag_machine_free(work->machine);
	equant_dag_free(work->dag);
	must_close(work->eq);
}

struct equant_dag_run_options work_options(struct work *work)
{
	return (struct equant_dag_run_options){
		.sz = sizeof(struct equant_dag_run_options),
		.dag = work->dag,
		.machine = work->machine,
		.schedule = work->schedule,
		.body = work_body,
		.user = work,
		.data = work->data,
	};
}

struct equant_dag_run *work_must_run(struct work *work)
{
	struct equant_dag_run_options options = work_options(work);
	struct equant_dag_run *run = equant_dag_run_new(work->eq, &options);

	demand(run);
	return run;
}

void work_demand_done(struct work *work)
{
	int n = work->dag->tasks;

	for (int t = 0; t < n; t++)
		if (work->runs[t] && work->value[t] != work->expected[t])
			worker_fail_text(__FILE__, __LINE__, "task %d of %d has a wrong value", t,
					 n);
	MPI_Allreduce(MPI_IN_PLACE, work->runs, n, MPI_LONG, MPI_SUM, work->comm);
	for (int t = 0; t < n; t++)
		demand_equal(1, work->runs[t]);
	memset(work->runs, 0, (size_t)n * sizeof(*work->runs));
}

struct equant_dag *work_graph(const char *family, struct random *random)
{
	struct equant_dag_shape shape = {
		.sz = sizeof(shape),
		.size = !strcmp(family, "fft") ? 8 :
			!strcmp(family, "lu")  ? 4 :
						 6,
		.work = 10,
		.spread = 0.5,
		.comp_comm = random_below(random, 2) ? 0.3 : 3,
		.layers = 3,
		.seed = random_next(random),
	};

	shape.size *= 1 + !strcmp(family, "layered") * 5;
	return equant_dag_generate(family, &shape, NULL, 0);
}

struct equant_dag_machine *work_machine(int processors, struct random *random)
{
	struct equant_dag_machine *machine =
		equant_dag_machine_random(processors, 1, 1, 0.5, random_next(random));

	demand(machine);
	demand_equal(0, equant_dag_machine_channels(
				machine, (enum equant_dag_channels)random_below(random, 3)));
	demand_equal(0, equant_dag_machine_overlap(
				machine, (enum equant_dag_overlap)random_below(random, 3)));
	return machine;
}
