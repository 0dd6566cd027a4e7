// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Messages in pieces: as long as the bound, by shop.c, where there are no start-ups.
 *
 * Start-ups are paid for each piece: then pieces follow each other as soon as they can in the
 * same order. If T is longer than the bound, ranks become tight later, and fewer messages are
 * split; so several T are tried, and the schedules that split none, and the shortest is kept.
 */
#include <stdlib.h>

#include "redist/schedule.h"

bool equant_redist_have_startups(const struct equant_redist_costs *costs)
{
	for (int64_t k = 0; k < costs->count; k++)
		if (costs->messages[k].startup > 0)
			return true;
	return false;
}

/* In the same order, each piece with its own start-up and as soon as it can. */
static int pay_startups(struct equant_redist_draft *draft)
{
	struct equant_redist_schedule *schedule = draft->schedule;
	int error = equant_redist_order(schedule);

	schedule->makespan = 0;
	for (int64_t i = 0; i < schedule->count && !error; i++) {
		struct equant_redist_piece *piece = &schedule->pieces[i];
		double *send = &draft->send[piece->from], *receive = &draft->receive[piece->to];
		const struct equant_redist_message *message =
			&draft->costs->messages[equant_redist_message_of(draft->costs, piece)];

		piece->begin = equant_redist_later(*send, *receive);
		piece->end = piece->begin + (message->startup + piece->share * message->data);
		*send = *receive = piece->end;
		schedule->makespan = equant_redist_later(schedule->makespan, piece->end);
	}
	return error;
}

/* What splitting gains and what start-ups take from that, for several T. */
static int trade_off(struct equant_redist_draft *draft)
{
	static const double slacks[EQUANT_REDIST_SLACKS] = { 0, 1. / 256, 1. / 64, 1. / 16,
							     1. / 4 };
	struct equant_redist_schedule best = { .pieces = NULL };
	int error = equant_redist_greedy(draft);

	equant_redist_keep(draft, &best);
	if (!error)
		error = equant_redist_eager(draft);
	equant_redist_keep(draft, &best);
	for (int i = 0; i < EQUANT_REDIST_SLACKS && !error; i++) {
		error = equant_redist_split(draft, slacks[i]);
		if (!error)
			error = pay_startups(draft);
		if (!error)
			equant_redist_keep(draft, &best);
	}
	free(draft->schedule->pieces);
	*draft->schedule = best;
	draft->room = best.count;
	return error;
}

int equant_redist_preemptive(struct equant_redist_draft *draft)
{
	return equant_redist_have_startups(draft->costs) ? trade_off(draft) :
							   equant_redist_split(draft, 0);
}
