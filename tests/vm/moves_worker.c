// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Whether each move of a loop left its ranks with what all of them would compute equally long at the rates, or
 * first the shares, that were measured, of whole units: moves_worker TRACE..., one of each rank.  Prints how
 * many moves there were; none is a failure, too.
 */
#include <equant/balance.h>
#include <equant/trace.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define RANKS 8

struct trace {
	struct equant_trace_header header;
	struct equant_event *events;
	size_t count, next;
};

static void load(struct trace *trace, const char *path)
{
	char why[256];

	if (equant_trace_load(path, &trace->header, &trace->events, &trace->count, why,
			      sizeof(why))) {
		printf("%s\n", why);
		exit(1);
	}
}

/* -> whether there is another decision, as each of the ranks has it. */
static bool next_decision(struct trace *traces, int ranks, const struct equant_event **decision)
{
	int found = 0;

	for (int r = 0; r < ranks; r++) {
		struct trace *trace = &traces[r];

		while (trace->next < trace->count &&
		       trace->events[trace->next].type != EQUANT_EVENT_DECISION)
			trace->next++;
		if (trace->next == trace->count)
			continue;
		found++;
		decision[r] = &trace->events[trace->next++];
		if (found > r && decision[r]->phase == decision[0]->phase)
			continue;
		printf("rank %d: phase %u is not the others'\n", r, decision[r]->phase);
		exit(1);
	}
	if (found && found < ranks) {
		printf("%d of %d ranks decided once more\n", found, ranks);
		exit(1);
	}
	return found;
}

/* What a rank gets work by: its rate or, before there are any, its share. */
static double weight(const struct equant_event *decision, bool rates)
{
	return rates ? decision->u.decision.rate : decision->u.decision.share;
}

/* -> whether work moved. */
static bool moves(const struct equant_event *const *decision, int ranks, double units)
{
	bool rates = decision[0]->u.decision.rate > 0;
	double all = 0;

	if (decision[0]->u.decision.verdict != EQUANT_VERDICT_MOVE)
		return false;
	for (int r = 0; r < ranks; r++)
		all += weight(decision[r], rates);
	for (int r = 0; r < ranks; r++) {
		double wanted = units * weight(decision[r], rates) / all;

		if (fabs((double)decision[r]->u.decision.units - wanted) < 1)
			continue;
		printf("phase %u: rank %d has %lld units, not %g\n", decision[r]->phase, r,
		       (long long)decision[r]->u.decision.units, wanted);
		exit(1);
	}
	return true;
}

int main(int argc, char **argv)
{
	const struct equant_event *decision[RANKS];
	struct trace traces[RANKS] = { 0 };
	int ranks = argc - 1, moved = 0;

	if (ranks < 1 || ranks > RANKS)
		return 2;
	for (int r = 0; r < ranks; r++)
		load(&traces[r], argv[r + 1]);
	while (next_decision(traces, ranks, decision))
		moved += moves(decision, ranks, (double)traces[0].header.units);
	printf("%d moves\n", moved);
	return !moved;
}
