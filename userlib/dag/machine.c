// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Machines: processors and links.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dag_internal.h"
#include "core/draw.h"

static struct equant_dag_machine *failed(struct equant_dag_machine *machine, int error)
{
	equant_dag_machine_free(machine);
	errno = error;
	return NULL;
}

static void all_alike(struct equant_dag_machine *machine)
{
	size_t p = (size_t)machine->processors;

	for (size_t k = 0; k < p; k++) {
		machine->rate[k] = 1;
		machine->memory[k] = EQUANT_DAG_UNLIMITED;
	}
	for (size_t k = 0; k < p; k++)
		for (size_t l = 0; l < p; l++)
			machine->data_rate[k * p + l] = k != l;
}

struct equant_dag_machine *equant_dag_machine_new(int processors)
{
	struct equant_dag_machine *machine;
	size_t p = (size_t)processors;

	if (processors < 1 || processors > EQUANT_DAG_PROCESSORS)
		return failed(NULL, processors < 1 ? EINVAL : E2BIG);
	machine = calloc(1, sizeof(*machine));
	if (!machine)
		return NULL;
	machine->processors = processors;
	machine->overlap = EQUANT_DAG_OVERLAP;
	machine->rate = calloc(p, sizeof(double));
	machine->startup = calloc(p * p, sizeof(double));
	machine->data_rate = calloc(p * p, sizeof(double));
	machine->memory = calloc(p, sizeof(*machine->memory));
	if (!machine->rate || !machine->startup || !machine->data_rate || !machine->memory)
		return failed(machine, ENOMEM);
	all_alike(machine);
	return machine;
}

void equant_dag_machine_free(struct equant_dag_machine *machine)
{
	if (!machine)
		return;
	free(machine->rate);
	free(machine->cost);
	free(machine->startup);
	free(machine->data_rate);
	free(machine->memory);
	free(machine->pin);
	free(machine);
}

static bool is_rate(double rate)
{
	return rate > 0 && !isinf(rate);
}

struct equant_dag_machine *equant_dag_machine_random(int processors, double alpha, double beta,
						     double spread, uint64_t seed)
{
	struct equant_dag_machine *machine;
	size_t p = (size_t)processors;

	if (!is_rate(alpha) || !is_rate(beta) || !(spread >= 0 && spread < 1))
		return failed(NULL, EINVAL);
	machine = equant_dag_machine_new(processors);
	if (!machine)
		return NULL;
	machine->channels = EQUANT_DAG_SHARED;
	for (size_t k = 0; k < p; k++)
		machine->rate[k] = equant_draw(&seed, alpha, spread);
	for (size_t k = 0; k < p; k++) {
		for (size_t l = k + 1; l < p; l++) {
			double rate = equant_draw(&seed, beta, spread);

			machine->data_rate[k * p + l] = rate;
			machine->data_rate[l * p + k] = rate;
		}
	}
	return machine;
}

static bool is_there(const struct equant_dag_machine *machine, int k)
{
	return k >= 0 && k < machine->processors;
}

int equant_dag_machine_rate(struct equant_dag_machine *machine, int processor, double rate)
{
	if (!is_there(machine, processor))
		return -ENOENT;
	if (!is_rate(rate))
		return -EINVAL;
	machine->rate[processor] = rate;
	return 0;
}

int equant_dag_machine_costs(struct equant_dag_machine *machine, int tasks, const double *costs)
{
	size_t count = (size_t)machine->processors;
	double *copy;

	if (tasks < 1 || tasks > EQUANT_DAG_TASKS)
		return -EINVAL;
	count *= (size_t)tasks;
	for (size_t i = 0; i < count; i++)
		if (!(costs[i] >= 0) || isinf(costs[i]))
			return -EINVAL;
	copy = malloc(count * sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	memcpy(copy, costs, count * sizeof(*copy));
	free(machine->cost);
	machine->cost = copy;
	machine->tasks = tasks;
	return 0;
}

int equant_dag_machine_link(struct equant_dag_machine *machine, int from, int to, double startup,
			    double rate)
{
	size_t link;

	if (!is_there(machine, from) || !is_there(machine, to))
		return -ENOENT;
	if (from == to || !(startup >= 0) || isinf(startup) || !is_rate(rate))
		return -EINVAL;
	link = (size_t)from * (size_t)machine->processors + (size_t)to;
	machine->startup[link] = startup;
	machine->data_rate[link] = rate;
	return 0;
}

int equant_dag_machine_channels(struct equant_dag_machine *machine,
				enum equant_dag_channels channels)
{
	if ((int)channels < EQUANT_DAG_FREE || (int)channels > EQUANT_DAG_DUPLEX)
		return -EINVAL;
	machine->channels = channels;
	return 0;
}

int equant_dag_machine_overlap(struct equant_dag_machine *machine, enum equant_dag_overlap overlap)
{
	if ((int)overlap < EQUANT_DAG_NO_OVERLAP || (int)overlap > EQUANT_DAG_PROGRESS)
		return -EINVAL;
	machine->overlap = overlap;
	return 0;
}

int equant_dag_machine_memory(struct equant_dag_machine *machine, int processor, uint64_t memory)
{
	if (!is_there(machine, processor))
		return -ENOENT;
	if (memory > EQUANT_DAG_MEMORY && memory != EQUANT_DAG_UNLIMITED)
		return -EINVAL;
	machine->memory[processor] = memory;
	return 0;
}

/* Room for @task in the list, which is doubled. */
static int pin_room(struct equant_dag_machine *machine, int task)
{
	int room = machine->pins ? machine->pins : 64, *pin;

	while (room <= task)
		room *= 2;
	if (room == machine->pins)
		return 0;
	pin = realloc(machine->pin, (size_t)room * sizeof(*pin));
	if (!pin)
		return -ENOMEM;
	memset(pin + machine->pins, -1, (size_t)(room - machine->pins) * sizeof(*pin));
	machine->pin = pin;
	machine->pins = room;
	return 0;
}

int equant_dag_machine_pin(struct equant_dag_machine *machine, int task, int processor)
{
	int err;

	if (processor != -1 && !is_there(machine, processor))
		return -ENOENT;
	if (task < 0 || task >= EQUANT_DAG_TASKS)
		return -EINVAL;
	err = pin_room(machine, task);
	if (!err)
		machine->pin[task] = processor;
	return err;
}

int equant_dag_needs(const struct equant_dag_machine *machine, int k, int l,
		     struct dag_need need[DAG_NEEDS])
{
	bool throughout = machine->overlap == EQUANT_DAG_NO_OVERLAP;
	size_t p = (size_t)machine->processors;
	int count = 0;

	if (machine->channels != EQUANT_DAG_FREE)
		need[count++] = (struct dag_need){ p + dag_channel(machine, k, l), true };
	if (machine->overlap == EQUANT_DAG_OVERLAP)
		return count;
	need[count++] = (struct dag_need){ (size_t)k, throughout };
	need[count++] = (struct dag_need){ (size_t)l, throughout };
	return count;
}
