// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * equant simulate timeline: what each CPU's rank has computed as barriers go by, Siegell
 * 1995, figures 3.12 and 3.13.  A line is flat where its rank waits at a barrier, and
 * less steep where the scheduler has switched it out meanwhile.
 */
#include <errno.h>
#include <math.h>

#include "simulate.h"

#define MODEL "timeline"
#define MOST 8 /* CPUs */

struct timeline {
	const struct equant_machine *machine;
	int64_t work[SIMULATE_CPUS];
	int64_t begin; /* of the phase */
	int64_t finish[MOST];
};

static const struct table_column columns[] = {
	{ "time", "%.3f", 0 }, { "P0", "%.3f", 1 },
	{ "P1", "%.3f", 1 },   { "P2", "%.3f", 1 },
	{ "P3", "%.3f", 1 },   { "P4", "%.3f", 1 },
	{ "P5", "%.3f", 1 },   { "P6", "%.3f", 1 },
	{ "P7", "%.3f", 1 },   { 0 },
};

/* When is the rank's work done that it begins at this moment?  A machine of its own tells. */
static int finish_of(const struct timeline *t, int rank, int64_t *finish)
{
	const struct equant_turns *turns = &t->machine->turns[rank];
	int64_t round = t->machine->quantum * turns->tasks;
	const struct equant_turns now = {
		.tasks = turns->tasks,
		.phase = (turns->phase + t->begin) % round,
	};
	const struct equant_machine alone = {
		.n = 1,
		.quantum = t->machine->quantum,
		.turns = &now,
	};
	struct equant_efficiency result;
	int error = equant_simulate_barrier(&alone, &t->work[rank], 1, &result);

	*finish = t->begin + result.elapsed;
	return error;
}

static double quanta(const struct timeline *t, int64_t ticks)
{
	return (double)ticks / (double)t->machine->quantum;
}

/* Everybody's work at a moment of phase @phase. */
static int add_moment(const struct timeline *t, long phase, int64_t time, struct table *table)
{
	double row[1 + MOST];

	row[0] = quanta(t, time);
	for (int i = 0; i < MOST; i++) {
		double part = 1;

		if (i >= t->machine->n) {
			row[1 + i] = NAN;
			continue;
		}
		if (time < t->finish[i])
			part = (double)(time - t->begin) / (double)(t->finish[i] - t->begin);
		row[1 + i] = quanta(t, t->work[i]) * ((double)phase + part);
	}
	return table_add(table, row);
}

/* Rows: the begin of the phase and each moment at which a rank is done, in order. */
static int add_phase(struct timeline *t, long phase, struct table *table)
{
	int64_t time = t->begin, next;
	int error;

	for (int i = 0; i < t->machine->n; i++) {
		error = finish_of(t, i, &t->finish[i]);
		if (error)
			return error;
	}
	do {
		error = add_moment(t, phase, time, table);
		next = INT64_MAX;
		for (int i = 0; i < t->machine->n; i++)
			if (t->finish[i] > time && t->finish[i] < next)
				next = t->finish[i];
		if (next < INT64_MAX)
			time = next;
	} while (!error && next < INT64_MAX);
	t->begin = time;
	return error;
}

int simulate_timeline(int argc, char **argv, struct table *table)
{
	struct simulate_list loads = { .count = 4, .values = { 2, 1, 1, 1 } }, phases = { 0 };
	struct equant_turns turns[SIMULATE_CPUS];
	struct equant_machine machine;
	struct timeline t = { .machine = &machine };
	double grain = 0.7;
	long barriers = 10;
	bool equal = false;
	const struct simulate_option known[] = {
		{ "loads", SIMULATE_LOADS, &loads, 1, 1000, NULL },
		{ "phases", SIMULATE_LIST, &phases, 0, 1000, NULL },
		{ "grain", SIMULATE_NUMBER, &grain, 1e-3, 1e3, NULL },
		{ "barriers", SIMULATE_WHOLE, &barriers, 1, 1000, NULL },
		{ "equal", SIMULATE_FLAG, &equal, 0, 0, NULL },
		{ 0 },
	};
	int error;

	if (simulate_parse(MODEL, argc, argv, known) ||
	    simulate_machine(MODEL, &loads, &phases, turns, &machine))
		return -EINVAL;
	if (machine.n > MOST)
		return simulate_fail(MODEL, "--loads: more than %d numbers", MOST);
	table->columns = columns;
	table->x_title = "time, quanta; upwards: work done, quanta";
	error = simulate_split(MODEL, &machine, equal,
			       llround(grain * (double)machine.quantum) * machine.n, t.work);
	for (long i = 0; !error && i < barriers; i++)
		error = add_phase(&t, i, table);
	table_fact(table, "elapsed", quanta(&t, t.begin));
	snprintf(table->title, sizeof(table->title),
		 "%ld barriers, %g quanta of work per rank between them, split %s: %.4g quanta",
		 barriers, grain, equal ? "equally" : "by shares", quanta(&t, t.begin));
	return error;
}
