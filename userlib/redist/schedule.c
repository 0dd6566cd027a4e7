// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Schedules and who makes them. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/names.h"
#include "redist/ports.h"

static int shortest(struct equant_redist_draft *draft);

static const struct {
	const char *name;
	int (*fill)(struct equant_redist_draft *draft);
} schedulers[] = {
	{ "caterpillar", equant_redist_caterpillar },
	{ "direct", equant_redist_direct },
	{ "barrier", equant_redist_barrier },
	{ "greedy", equant_redist_greedy },
	{ "longest", equant_redist_longest },
	{ "eager", equant_redist_eager },
	{ "improved", equant_redist_improved },
	{ "preemptive", equant_redist_preemptive },
	{ "shortest", shortest },
	{ "best", equant_redist_best },
};

#define SCHEDULERS ((int)(sizeof(schedulers) / sizeof(*schedulers)))

const char *equant_redist_scheduler_name(int i)
{
	return i >= 0 && i < SCHEDULERS ? schedulers[i].name : NULL;
}

/* ---- drafts --------------------------------------------------------------------------- */

int equant_redist_place(struct equant_redist_draft *draft,
			const struct equant_redist_message *message, double share, double begin,
			double end)
{
	struct equant_redist_schedule *schedule = draft->schedule;

	if (schedule->count == draft->room) {
		int64_t room = equant_redist_max(2 * draft->room, draft->costs->count + 1);
		struct equant_redist_piece *more =
			reallocarray(schedule->pieces, (size_t)room, sizeof(*more));

		if (!more)
			return -ENOMEM;
		schedule->pieces = more;
		draft->room = room;
	}
	schedule->pieces[schedule->count++] = (struct equant_redist_piece){
		message->from, message->to, begin, end, share,
	};
	schedule->makespan = equant_redist_later(schedule->makespan, end);
	return 0;
}

int equant_redist_send(struct equant_redist_draft *draft,
		       const struct equant_redist_message *message, double share, double earliest)
{
	double *send = &draft->send[message->from], *receive = &draft->receive[message->to];
	double begin = equant_redist_later(equant_redist_later(*send, *receive), earliest);
	double end = begin + (message->startup + share * message->data);

	*send = *receive = end;
	return equant_redist_place(draft, message, share, begin, end);
}

int equant_redist_send_whole(struct equant_redist_draft *draft, int from, int to, double time)
{
	const struct equant_redist_message message = { from, to, 0, time };

	return equant_redist_send(draft, &message, 1, 0);
}

void equant_redist_restart(struct equant_redist_draft *draft)
{
	draft->schedule->count = 0;
	draft->schedule->makespan = 0;
	for (int i = 0; i < draft->costs->ranks; i++)
		draft->send[i] = draft->receive[i] = 0;
}

void equant_redist_keep(struct equant_redist_draft *draft, struct equant_redist_schedule *best)
{
	if (!best->pieces || draft->schedule->makespan < best->makespan) {
		free(best->pieces);
		*best = *draft->schedule;
	} else {
		free(draft->schedule->pieces);
	}
	draft->schedule->pieces = NULL;
	draft->room = 0;
	equant_redist_restart(draft);
}

int equant_redist_keep_faster(struct equant_redist_draft *draft, struct equant_redist_kept *kept,
			      double time)
{
	int error = equant_redist_order(draft->schedule);

	if (!error && isnan(time))
		error = equant_redist_takes(draft->costs, draft->schedule, &time);
	if (!error && (!kept->schedule.pieces || time < kept->time)) {
		free(kept->schedule.pieces);
		kept->schedule = *draft->schedule;
		kept->time = time;
	} else {
		free(draft->schedule->pieces);
	}
	draft->schedule->pieces = NULL;
	draft->room = 0;
	equant_redist_restart(draft);
	return error;
}

void equant_redist_take_back(struct equant_redist_draft *draft, struct equant_redist_kept *kept)
{
	const char *scheduler = draft->schedule->scheduler;

	free(draft->schedule->pieces);
	*draft->schedule = kept->schedule;
	draft->schedule->scheduler = scheduler;
	draft->room = kept->schedule.count;
	kept->schedule.pieces = NULL;
}

static int fill(struct equant_redist_draft *draft, int scheduler)
{
	int error;

	draft->schedule->scheduler = schedulers[scheduler].name;
	equant_redist_restart(draft);
	error = schedulers[scheduler].fill(draft);
	return error ? error : equant_redist_order(draft->schedule);
}

/* All others are made, and the first of the shortest once more. */
static int shortest(struct equant_redist_draft *draft)
{
	double best = INFINITY;
	int found = 0;

	for (int i = 0; schedulers[i].fill != shortest; i++) {
		double time;
		int error = fill(draft, i);

		if (!error)
			error = equant_redist_takes(draft->costs, draft->schedule, &time);
		if (error)
			return error;
		if (time < best) {
			best = time;
			found = i;
		}
	}
	return fill(draft, found);
}

/* ---- schedules ------------------------------------------------------------------------- */

static int fill_new(struct equant_redist_schedule *schedule,
		    const struct equant_redist_costs *costs, int scheduler, double turns)
{
	struct equant_redist_draft draft = {
		.costs = costs,
		.schedule = schedule,
		.send = calloc((size_t)costs->ranks, sizeof(double)),
		.receive = calloc((size_t)costs->ranks, sizeof(double)),
		.turns = turns,
	};
	int error = draft.send && draft.receive ? fill(&draft, scheduler) : -ENOMEM;

	free(draft.send);
	free(draft.receive);
	return error;
}

static struct equant_redist_schedule *make(const struct equant_redist_costs *costs, int scheduler,
					   double turns)
{
	struct equant_redist_schedule *schedule = calloc(1, sizeof(*schedule));
	int error;

	if (!schedule)
		return NULL;
	schedule->ranks = costs->ranks;
	schedule->bound = equant_redist_bound(costs);
	error = isnan(schedule->bound) ? -ENOMEM : fill_new(schedule, costs, scheduler, turns);
	if (!error)
		return schedule;
	equant_redist_schedule_free(schedule);
	errno = -error;
	return NULL;
}

struct equant_redist_schedule *equant_redist_schedule_new(const char *scheduler,
							  const struct equant_redist_costs *costs,
							  char *why, size_t why_size)
{
	char names[EQUANT_NAMES];
	int i = 0;

	while (i < SCHEDULERS && strcmp(schedulers[i].name, scheduler))
		i++;
	if (i < SCHEDULERS)
		return make(costs, i, INFINITY);
	errno = -equant_redist_refuse(-EINVAL, why, why_size,
				      "no scheduler is called '%.40s'; there are%s", scheduler,
				      equant_names(names, equant_redist_scheduler_name));
	return NULL;
}

struct equant_redist_schedule *
equant_redist_schedule_improved(const struct equant_redist_costs *costs, double turns)
{
	int i = 0;

	while (schedulers[i].fill != equant_redist_improved)
		i++;
	return make(costs, i, turns);
}

void equant_redist_schedule_free(struct equant_redist_schedule *schedule)
{
	if (schedule)
		free(schedule->pieces);
	free(schedule);
}
