// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include "libmodel.h"

void cpus_init(struct cpus *cpus, const int *loads)
{
	*cpus = (struct cpus){ .machine.quantum = QUANTUM };
	cpus->machine.turns = cpus->turns;
	for (int i = 0; loads[i]; i++) {
		cpus->turns[i].tasks = loads[i];
		cpus->machine.n++;
	}
}

void cpus_random(struct cpus *cpus, int most, struct random *random)
{
	*cpus = (struct cpus){ .machine.quantum = 1 + random_below(random, 9) };
	cpus->machine.turns = cpus->turns;
	cpus->machine.n = 1 + (int)random_below(random, most);
	for (int i = 0; i < cpus->machine.n; i++) {
		struct equant_turns *turns = &cpus->turns[i];

		turns->tasks = 1 + (int)random_below(random, 6);
		turns->phase = random_below(random, turns->tasks * cpus->machine.quantum);
	}
}

struct equant_balance_options balance_options(void)
{
	return (struct equant_balance_options){
		.sz = sizeof(struct equant_balance_options),
		.mode = EQUANT_RATE_PREDICTED,
		.threshold = 0.03,
		.window = 10,
		.interact_fraction = 0.05,
		.amplitude = 0.1,
		.default_quantum = 0.004,
		.moves_allowed = 1,
		.movement = EQUANT_MOVEMENT_UNRESTRICTED,
	};
}

void census_take(void *watcher, int64_t time, const struct equant_sample *samples,
		 const struct equant_rate *rates, const long *units,
		 const struct equant_decision *decision)
{
	struct census *census = watcher;
	const struct equant_job *job = census->job;
	long sum = 0;

	(void)samples;
	(void)rates;
	for (int i = 0; i < job->n; i++) {
		census->wrong += units[i] < 0;
		sum += units[i];
	}
	/* Units that are no longer computed are not counted. */
	census->wrong += job->program == EQUANT_JOB_SHRINKING ? sum > job->units :
								sum != job->units;
	census->wrong += time < census->time || decision->count < 0;
	census->time = time;
	census->decisions++;
	census->moves += decision->count;
}
