// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Whether each move of a loop left its ranks with what all of them would compute equally long at the rates, or
 * first the shares, that were measured, of whole units: moves_worker TRACE..., one of each rank.  Below the
 * grain, where polling ranks get other parts on purpose, moves are not judged.  One move at least has to
 * leave the first rank, of the smaller share, with less than the last one.
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
	int ret = equant_trace_load(path, &trace->header, &trace->events, &trace->count, why,
				    sizeof(why));

	if (ret) {
		printf("%s\n", ret < 0 ? why : "a trace without its end");
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
static double weight(const struct equant_event *decision)
{
	return decision->u.decision.rate > 0 ? decision->u.decision.rate :
					       decision->u.decision.share;
}

/* Its work, or what it wants, is less than two quanta: as long as a quantum looks, that may be little. */
static bool below_the_grain(const struct equant_event *decision, double wanted)
{
	double units = fmin(wanted, (double)decision->u.decision.units);

	return units < 2 * decision->u.decision.quantum * decision->u.decision.speed;
}

/* All that a move left each rank with. */
static void judge(const struct equant_event *const *decision, int ranks, double units)
{
	double all = 0, wanted[RANKS];
	bool judged = true;

	for (int r = 0; r < ranks; r++)
		all += weight(decision[r]);
	for (int r = 0; r < ranks; r++) {
		wanted[r] = units * weight(decision[r]) / all;
		judged = judged && !below_the_grain(decision[r], wanted[r]);
	}
	for (int r = 0; r < ranks && judged; r++) {
		if (fabs((double)decision[r]->u.decision.units - wanted[r]) < 1)
			continue;
		printf("phase %u: rank %d has %lld units, not %g\n", decision[r]->phase, r,
		       (long long)decision[r]->u.decision.units, wanted[r]);
		exit(1);
	}
}

/* -> whether the first rank, of the smaller share, has less than the last one then. */
static bool leaves_less(const struct equant_event *first, const struct equant_event *last)
{
	return first->u.decision.share < 0.75 * last->u.decision.share &&
	       first->u.decision.units < last->u.decision.units;
}

int main(int argc, char **argv)
{
	const struct equant_event *decision[RANKS];
	struct trace traces[RANKS] = { 0 };
	int ranks = argc - 1, moves = 0, less = 0;

	if (ranks < 1 || ranks > RANKS)
		return 2;
	for (int r = 0; r < ranks; r++)
		load(&traces[r], argv[r + 1]);
	while (next_decision(traces, ranks, decision)) {
		if (decision[0]->u.decision.verdict != EQUANT_VERDICT_MOVE)
			continue;
		judge(decision, ranks, (double)traces[0].header.units);
		moves++;
		less += leaves_less(decision[0], decision[ranks - 1]);
	}
	printf("%d moves, %d leave the first rank with less\n", moves, less);
	return !less;
}
