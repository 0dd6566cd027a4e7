// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A loop in simulated time.  A worker is always in one of two states: it computes until a known
 * time, or its request is under way.  All messages take equally long, so the master sees
 * requests in the order in which they are made, and whoever is free first asks next.
 *
 * Reference: Chronopoulos, Ni, Penmatsa, section VI, whose T_comp, T_comm and T_p are taken.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/struct.h"
#include "selfsched/selfsched_internal.h"

#define fault(...) (equant_say(why, why_size, __VA_ARGS__), -EINVAL)

/* No time in seconds is larger; keeps sums finite. */
#define TIME_MOST 1e18

struct simulation {
	const struct equant_chunks_options *options;
	const struct equant_chunks_machine *machine;
	struct equant_chunks *chunks;
	struct equant_chunks_worker *workers;
	double master; /* free again */
};

/* Not a number compares false with everything. */
static bool is_time(double value)
{
	return value >= 0 && value <= TIME_MOST;
}

static int check_machine(const struct equant_chunks_options *options,
			 const struct equant_chunks_machine *machine, char *why, size_t why_size)
{
	size_t unknown;

	if (machine && machine->sz < sizeof(*machine))
		return fault(EQUANT_STRUCT_SMALL("equant_chunks_machine"));
	if (!machine || !machine->cost)
		return fault("no machine, or one without a cost");
	unknown = equant_struct_unknown(machine, sizeof(*machine), machine->sz);
	if (unknown)
		return fault("struct equant_chunks_machine: byte %zu is not known here", unknown);
	if (!is_time(machine->message) || !is_time(machine->service))
		return fault("message %g, service %g: expected seconds from 0", machine->message,
			     machine->service);
	for (int j = 0; j < options->workers; j++) {
		if (machine->speeds && !(machine->speeds[j] > 0 && is_time(machine->speeds[j])))
			return fault("speed %g of worker %d: expected more than 0",
				     machine->speeds[j], j);
		if (machine->arrivals && !is_time(machine->arrivals[j]))
			return fault("arrival %g of worker %d: expected seconds from 0",
				     machine->arrivals[j], j);
	}
	return 0;
}

/* Seconds at speed 1, and how many iterations; NaN for a cost that cannot be. */
static double cost_of(const struct simulation *s, const struct equant_chunk *chunk,
		      int64_t *iterations)
{
	const struct equant_chunks_machine *machine = s->machine;
	int64_t first[EQUANT_CHUNKS_DIMENSIONS], extents[EQUANT_CHUNKS_DIMENSIONS];
	double sum = 0;

	if (s->options->dimensions == 1) {
		*iterations = chunk->count;
		return machine->cost(machine->arg, &chunk->first, &chunk->count);
	}
	*iterations = 0;
	for (int64_t n = 0; n < chunk->count; n++) {
		int64_t size = 1;

		equant_chunks_box(s->chunks, chunk->first + n, first, extents);
		for (int i = 0; i < s->options->dimensions; i++)
			size *= extents[i];
		*iterations += size;
		sum += machine->cost(machine->arg, first, extents);
	}
	return sum;
}

/* When the answer to a request made at @now is there. */
static double answered(struct simulation *s, int worker, double now)
{
	const struct equant_chunks_machine *machine = s->machine;
	double begin = now + machine->message;

	if (s->chunks->trees)
		return now + equant_trees_hops(s->chunks->trees, worker) *
				     (2 * machine->message + machine->service);
	if (begin < s->master)
		begin = s->master;
	s->master = begin + machine->service;
	return s->master + machine->message;
}

/* 1, 0 when the worker is done, -EINVAL. */
static int request(struct simulation *s, int worker, char *why, size_t why_size)
{
	struct equant_chunks_worker *w = &s->workers[worker];
	double answer = answered(s, worker, w->end), overhead = answer - w->end, compute;
	struct equant_chunk chunk;
	int64_t iterations;
	int got = equant_chunks_next(s->chunks, worker, &chunk);

	w->overhead += overhead;
	w->end = answer;
	if (got <= 0)
		return got;
	compute = cost_of(s, &chunk, &iterations);
	if (s->machine->speeds)
		compute /= s->machine->speeds[worker];
	if (!is_time(compute))
		return fault("cost %g of %lld iterations on worker %d: expected seconds from 0",
			     compute, (long long)iterations, worker);
	w->compute += compute;
	w->end += compute;
	w->requests++;
	w->iterations += iterations;
	return equant_chunks_report(s->chunks, worker, iterations, compute, overhead) ?: 1;
}

static int first_to_ask(const struct simulation *s, const bool *done)
{
	int first = -1;

	for (int j = 0; j < s->options->workers; j++)
		if (!done[j] && (first < 0 || s->workers[j].end < s->workers[first].end))
			first = j;
	return first;
}

static int run(struct simulation *s, bool *done, double *time, char *why, size_t why_size)
{
	int worker, got;

	for (int j = 0; j < s->options->workers; j++)
		s->workers[j] = (struct equant_chunks_worker){
			.end = s->machine->arrivals ? s->machine->arrivals[j] : 0,
		};
	*time = 0;
	while ((worker = first_to_ask(s, done)) >= 0) {
		got = request(s, worker, why, why_size);
		if (got < 0)
			return got;
		done[worker] = !got;
		if (s->workers[worker].end > *time)
			*time = s->workers[worker].end;
	}
	return 0;
}

int equant_chunks_simulate(const struct equant_chunks_options *options,
			   const struct equant_chunks_machine *machine,
			   struct equant_chunks_worker *workers, double *time, char *why,
			   size_t why_size)
{
	struct simulation s = { .options = options, .machine = machine, .workers = workers };
	bool *done;
	int error;

	s.chunks = equant_chunks_new(options, why, why_size);
	if (!s.chunks)
		return -errno;
	error = check_machine(options, machine, why, why_size);
	done = calloc((size_t)(unsigned int)options->workers, sizeof(*done));
	if (!error && !done) {
		equant_say(why, why_size, "no memory for %d workers", options->workers);
		error = -ENOMEM;
	}
	if (!error)
		error = run(&s, done, time, why, why_size);
	free(done);
	equant_chunks_free(s.chunks);
	return error;
}
