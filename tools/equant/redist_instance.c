// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* One network and one K of the paper's experiment, and what each scheduler makes of them. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "redist_experiment.h"

#define ALIKE 150e6 /* bytes per second of all links, if sizes are scaled: the paper's B_2 */

static const char *const schedulers[SCHEDULERS] = {
	"greedy", "direct", "barrier", "longest", "eager", "improved", "preemptive", "best",
};

/* Step 4: all links alike, and messages as long as they would have taken. */
static int scale(const struct experiment *experiment, struct redist_instance *instance)
{
	struct equant_redist_network *alike =
		equant_redist_network_new(experiment->ranks, experiment->startup, ALIKE, NULL, 0);

	if (!alike)
		return -errno;
	for (int64_t k = 0; k < instance->count; k++) {
		struct equant_redist_volume *volume = &instance->volumes[k];
		double bandwidth =
			equant_redist_network_link(instance->network, volume->from, volume->to)
				.bandwidth;

		volume->bytes = llround((double)volume->bytes * ALIKE / bandwidth);
	}
	equant_redist_network_free(instance->network);
	instance->network = alike;
	return 0;
}

int redist_instance_make(const struct experiment *experiment, int k, double fastest, int seed,
			 struct redist_instance *instance)
{
	struct equant_redist_array array = {
		.dimensions = 1,
		.extent = { experiment->elements },
		.from = { { 1, experiment->ranks, 0, 0 } },
		.to = { { k, experiment->ranks, 0, 0 } },
	};
	int err = 0;

	*instance = (struct redist_instance){ .network = NULL };
	instance->network = equant_redist_network_random(experiment->ranks, experiment->startup,
							 experiment->slowest, fastest,
							 (uint64_t)seed, instance->why,
							 sizeof(instance->why));
	if (!instance->network)
		return -errno;
	instance->volumes = equant_redist_volumes(&array, 8, NULL, NULL, &instance->count);
	if (!instance->volumes)
		return -errno;
	if (experiment->self)
		err = redist_add_own(&array, 8, &instance->volumes, &instance->count);
	if (!err && experiment->scaled)
		err = scale(experiment, instance);
	if (err)
		return err;
	instance->costs = equant_redist_network_costs(instance->network, instance->count,
						      instance->volumes, instance->why,
						      sizeof(instance->why));
	if (!instance->costs)
		return -errno;
	instance->bound = equant_redist_bound(instance->costs);
	return 0;
}

void redist_instance_free(struct redist_instance *instance)
{
	equant_redist_network_free(instance->network);
	free(instance->volumes);
	equant_redist_costs_free(instance->costs);
}

/* Checked, and carried out by the simulator. */
static int ask(const struct experiment *experiment, struct redist_instance *instance, int i)
{
	char why[256] = "";
	struct equant_redist_schedule *schedule =
		equant_redist_schedule_new(schedulers[i], instance->costs, NULL, 0);
	struct equant_redist_schedule *done;
	int err = schedule ? equant_redist_schedule_check(schedule, instance->costs, why,
							  sizeof(why)) :
			     -errno;

	if (err) {
		if (why[0])
			fprintf(stderr, "equant redist: %s: %s\n", schedulers[i], why);
		equant_redist_schedule_free(schedule);
		return err;
	}
	instance->time[i] = schedule->makespan;
	/* Times of the barrier's steps are those that its schedule says. */
	if (experiment->scaled && i != BARRIER) {
		done = equant_redist_replay(schedule, instance->network, instance->count,
					    instance->volumes, 1, false, NULL, 0);
		if (done)
			instance->time[i] = done->makespan;
		else
			err = -errno;
		equant_redist_schedule_free(done);
	}
	equant_redist_schedule_free(schedule);
	return err;
}

/* The largest sum of a row and a column of C: the lemma of section 4.3. */
static double row_and_column(const struct equant_redist_costs *costs)
{
	double *sums = calloc(2 * (size_t)costs->ranks, sizeof(*sums)), most = 0;

	if (!sums)
		return NAN;
	for (int64_t k = 0; k < costs->count; k++) {
		const struct equant_redist_message *m = &costs->messages[k];

		sums[m->from] += m->startup + m->data;
		sums[costs->ranks + m->to] += m->startup + m->data;
	}
	for (int64_t k = 0; k < costs->count; k++)
		most = fmax(most, sums[costs->messages[k].from] +
					  sums[costs->ranks + costs->messages[k].to]);
	free(sums);
	return most;
}

int redist_instance_ask(const struct experiment *experiment, struct redist_instance *instance)
{
	int err = 0;

	for (int i = 0; i < SCHEDULERS && !err; i++)
		err = ask(experiment, instance, i);
	if (!err && !(instance->time[GREEDY] <= row_and_column(instance->costs) * (1 + 1e-9)))
		err = -ERANGE;
	return err;
}
