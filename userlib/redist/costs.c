// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The communication matrix C: Bhat, Prasanna, Raghavendra, section 4.3. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "redist/schedule.h"

static int by_ranks(const void *a, const void *b)
{
	const struct equant_redist_message *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

static bool is_rank(const struct equant_redist_costs *costs, int rank)
{
	return rank >= 0 && rank < costs->ranks;
}

static bool is_time(double time)
{
	return isfinite(time) && time >= 0;
}

/* From redistributions they come in order. */
static void put_in_order(const struct equant_redist_costs *costs)
{
	int64_t k = 1;

	while (k < costs->count && by_ranks(&costs->messages[k - 1], &costs->messages[k]) <= 0)
		k++;
	if (k < costs->count)
		qsort(costs->messages, (size_t)costs->count, sizeof(*costs->messages), by_ranks);
}

/* Messages that are in order. */
static int check(const struct equant_redist_costs *costs, char *why, size_t why_size)
{
	double sum = 0;

	for (int64_t i = 0; i < costs->count; i++) {
		const struct equant_redist_message *m = &costs->messages[i];

		if (!is_rank(costs, m->from) || !is_rank(costs, m->to))
			return equant_redist_refuse(-EINVAL, why, why_size,
						    "a message from rank %d to rank %d of %d",
						    m->from, m->to, costs->ranks);
		if (!is_time(m->startup) || !is_time(m->data))
			return equant_redist_refuse(
				-EINVAL, why, why_size,
				"the message from rank %d to rank %d takes %g and %g seconds",
				m->from, m->to, m->startup, m->data);
		if (i && !by_ranks(m - 1, m))
			return equant_redist_refuse(-EINVAL, why, why_size,
						    "two messages from rank %d to rank %d", m->from,
						    m->to);
		sum += equant_redist_time(m);
	}
	if (!isfinite(2 * sum))
		return equant_redist_refuse(-EOVERFLOW, why, why_size,
					    "all messages together take forever");
	return 0;
}

static int fill(struct equant_redist_costs *costs, const struct equant_redist_message *messages,
		char *why, size_t why_size)
{
	int error;

	costs->messages = reallocarray(NULL, (size_t)costs->count + 1, sizeof(*messages));
	costs->starts = calloc((size_t)costs->ranks + 1, sizeof(*costs->starts));
	if (!costs->messages || !costs->starts)
		return -ENOMEM;
	if (costs->count) {
		memcpy(costs->messages, messages, (size_t)costs->count * sizeof(*messages));
		put_in_order(costs);
	}
	error = check(costs, why, why_size);
	if (error)
		return error;
	for (int64_t i = 0; i < costs->count; i++)
		costs->starts[costs->messages[i].from + 1]++;
	for (int i = 0; i < costs->ranks; i++)
		costs->starts[i + 1] += costs->starts[i];
	return 0;
}

int equant_redist_check_ranks(int ranks, char *why, size_t why_size)
{
	if (ranks < 1)
		return equant_redist_refuse(-EINVAL, why, why_size, "%d ranks", ranks);
	if (ranks > EQUANT_REDIST_PROCESSES)
		return equant_redist_refuse(-EOVERFLOW, why, why_size, "%d ranks, %d at most",
					    ranks, EQUANT_REDIST_PROCESSES);
	return 0;
}

struct equant_redist_costs *equant_redist_costs_new(int ranks, int64_t count,
						    const struct equant_redist_message *messages,
						    char *why, size_t why_size)
{
	struct equant_redist_costs *costs;
	int error = equant_redist_check_ranks(ranks, why, why_size);

	if (!error && count < 0)
		error = equant_redist_refuse(-EINVAL, why, why_size, "%lld messages",
					     (long long)count);
	if (error) {
		errno = -error;
		return NULL;
	}
	costs = calloc(1, sizeof(*costs));
	if (!costs)
		return NULL;
	costs->ranks = ranks;
	costs->count = count;
	error = fill(costs, messages, why, why_size);
	if (error) {
		equant_redist_costs_free(costs);
		errno = -error;
		return NULL;
	}
	return costs;
}

void equant_redist_costs_free(struct equant_redist_costs *costs)
{
	if (costs) {
		free(costs->messages);
		free(costs->starts);
		free(costs->volumes);
		equant_redist_network_free(costs->network);
	}
	free(costs);
}

double equant_redist_bound(const struct equant_redist_costs *costs)
{
	double bound = 0, *row = calloc((size_t)costs->ranks, sizeof(*row));

	if (!row)
		return NAN;
	for (int i = 0; i < costs->ranks; i++) {
		double column = 0;

		for (int64_t k = costs->starts[i]; k < costs->starts[i + 1]; k++) {
			column += equant_redist_time(&costs->messages[k]);
			row[costs->messages[k].to] += equant_redist_time(&costs->messages[k]);
		}
		bound = fmax(bound, column);
	}
	for (int j = 0; j < costs->ranks; j++)
		bound = fmax(bound, row[j]);
	free(row);
	return bound;
}

void equant_redist_by_receiver(const struct equant_redist_costs *costs, int64_t *list,
			       int64_t *starts)
{
	for (int j = 0; j <= costs->ranks; j++)
		starts[j] = 0;
	for (int64_t k = 0; k < costs->count; k++)
		starts[costs->messages[k].to + 1]++;
	for (int j = 0; j < costs->ranks; j++)
		starts[j + 1] += starts[j];
	/* From the last one on, each moves its receiver's end down to its beginning. */
	for (int64_t k = costs->count - 1; k >= 0; k--)
		list[--starts[costs->messages[k].to + 1]] = k;
	for (int j = 0; j < costs->ranks; j++)
		starts[j] = starts[j + 1];
	starts[costs->ranks] = costs->count;
}
