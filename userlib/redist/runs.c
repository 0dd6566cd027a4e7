// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The index set of a pair of processes, as strided runs. */
#include <errno.h>
#include <stdlib.h>

#include "redist/redist_internal.h"

/* Runs as they come; @error once there was no memory. */
struct collector {
	struct equant_redist_runs *runs;
	int64_t room;
	int error;
};

static void collect(void *to, const struct equant_redist_run *run)
{
	struct collector *collector = to;
	struct equant_redist_runs *runs = collector->runs;

	if (collector->error)
		return;
	if (runs->count == collector->room) {
		int64_t room = collector->room ? 2 * collector->room : 4;
		struct equant_redist_run *more =
			reallocarray(runs->run, (size_t)room, sizeof(*more));

		if (!more) {
			collector->error = -ENOMEM;
			return;
		}
		runs->run = more;
		collector->room = room;
	}
	runs->run[runs->count++] = *run;
	runs->elements += run->length * run->count * run->repeats;
}

/* No two runs begin with the same element. */
static int by_sender(const void *a, const void *b)
{
	const struct equant_redist_run *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

static int check(int64_t elements, const struct equant_redist_cyclic *from,
		 const struct equant_redist_cyclic *to, int p, int q)
{
	int error = equant_redist_check(elements, from, to, NULL, 0);

	if (error)
		return error;
	return p < 0 || p >= from->processes || q < 0 || q >= to->processes ? -EINVAL : 0;
}

struct equant_redist_runs *equant_redist_runs_new(int64_t elements,
						  const struct equant_redist_cyclic *from,
						  const struct equant_redist_cyclic *to, int p,
						  int q)
{
	struct equant_redist_pattern pattern;
	struct collector collector = { .error = check(elements, from, to, p, q) };

	if (!collector.error) {
		collector.runs = calloc(1, sizeof(*collector.runs));
		collector.error = collector.runs ? 0 : -ENOMEM;
	}
	if (!collector.error) {
		equant_redist_pattern_init(&pattern, elements, from, to);
		equant_redist_pattern_runs(&pattern, p, q, collect, &collector);
	}
	if (collector.error) {
		equant_redist_runs_free(collector.runs);
		errno = -collector.error;
		return NULL;
	}
	if (collector.runs->count)
		qsort(collector.runs->run, (size_t)collector.runs->count,
		      sizeof(*collector.runs->run), by_sender);
	return collector.runs;
}

void equant_redist_runs_free(struct equant_redist_runs *runs)
{
	if (runs)
		free(runs->run);
	free(runs);
}

int64_t equant_redist_count(int64_t elements, const struct equant_redist_cyclic *from,
			    const struct equant_redist_cyclic *to, int p, int q)
{
	struct equant_redist_pattern pattern;
	int error = check(elements, from, to, p, q);

	if (error)
		return error;
	equant_redist_pattern_init(&pattern, elements, from, to);
	return equant_redist_pattern_count(&pattern, p, q);
}
