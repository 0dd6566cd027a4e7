// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A new plan in the middle.  All ranks stop beginning anything, say how far they are, and go on when
 * rank 0 has told them its decision; tasks that run meanwhile are not disturbed, and a rank between two
 * tasks does the next one before it waits.
 *
 * What had been begun stays as it was.  The data of each edge has one home at any time: its sender, until
 * its message is begun, and then the receiver; from there it goes on if the task that needs it
 * has moved.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/dag_replan.h"
#include "loop/loop_internal.h"

static size_t aligned(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

static void lay_out(struct equant_dag_news *news, char *memory, size_t ranks)
{
	news->stand = (struct equant_dag_stand *)(void *)(memory + EQUANT_DAG_WORD);
	news->sent = (unsigned char *)(news->stand + ranks);
}

static int allocate_news(struct equant_dag_run *run)
{
	struct equant_dag_replan *replan = run->replan;
	struct equant_dag_news *news = &replan->news;
	size_t n = (size_t)run->dag->tasks, e = (size_t)run->dag->edges;
	size_t p = (size_t)(unsigned int)run->eq->ranks;

	replan->stand_size = EQUANT_DAG_WORD + p * sizeof(*news->stand) + aligned(e);
	replan->size = replan->stand_size + (1 + n + n + e) * sizeof(int32_t);
	if (replan->size > INT32_MAX)
		return -EOVERFLOW;
	replan->stand_memory = calloc(1, replan->stand_size);
	replan->memory = calloc(1, replan->size);
	if (!replan->memory || !replan->stand_memory)
		return -ENOMEM;
	lay_out(&replan->stands, replan->stand_memory, p);
	lay_out(news, replan->memory, p);
	news->steps = (int32_t *)(void *)((char *)replan->memory + replan->stand_size);
	news->place = news->steps + 1;
	news->step = news->place + n;
	return 0;
}

int equant_dag_replan_init(struct equant_dag_run *run, const struct equant_dag_run_options *options)
{
	size_t n = (size_t)run->dag->tasks, e = (size_t)run->dag->edges;
	size_t p = (size_t)(unsigned int)run->eq->ranks;
	struct equant_dag_replan *replan;

	if (!options->replan)
		return 0;
	replan = calloc(1, sizeof(*replan));
	run->replan = replan;
	if (!replan)
		return -ENOMEM;
	snprintf(replan->scheduler, sizeof(replan->scheduler), "%s", options->replan);
	replan->part = options->hold > 0 ? options->hold : EQUANT_DAG_HOLD;
	replan->gain = options->gain ? options->gain : EQUANT_DAG_GAIN;
	replan->lines = p + p * p;
	replan->fixed = calloc(n, sizeof(*replan->fixed));
	replan->home = calloc(e + 1, sizeof(*replan->home));
	replan->sender = calloc(e + 1, sizeof(*replan->sender));
	replan->count = calloc(p, sizeof(*replan->count));
	replan->arrives = calloc(e + 1, sizeof(*replan->arrives));
	replan->line = calloc(replan->lines, sizeof(*replan->line));
	if (!replan->fixed || !replan->home || !replan->sender || !replan->count ||
	    !replan->arrives || !replan->line)
		return -ENOMEM;
	return allocate_news(run);
}

void equant_dag_replan_free(struct equant_dag_run *run)
{
	struct equant_dag_replan *replan = run->replan;

	if (!replan)
		return;
	free(replan->fixed);
	free(replan->home);
	free(replan->sender);
	free(replan->count);
	free(replan->arrives);
	free(replan->line);
	/* Where MPI has failed it may still read these. */
	if (!run->broken) {
		free(replan->stand_memory);
		free(replan->memory);
	}
	free(replan);
}

/* How long the order takes as planned: what a share has to stay changed for is a part of it. */
static double planned_time(struct equant_dag_run *run)
{
	struct equant_dag_news *news = &run->replan->news;

	for (int k = 0; k < run->eq->ranks; k++)
		news->stand[k] = (struct equant_dag_stand){ .share = 1 };
	for (int i = 0; i < run->dag->tasks; i++)
		news->place[i] = run->order.place[i];
	*news->steps = run->order.steps;
	for (int s = 0; s < run->order.steps; s++) {
		const struct equant_dag_step *step = &run->order.step[s];

		news->step[s] = step->task < 0 ? -1 - step->edge : step->task;
	}
	return equant_dag_estimate(run, news, run->replan->home);
}

void equant_dag_replan_start(struct equant_dag_run *run)
{
	struct equant_dag_replan *replan = run->replan;
	size_t n = (size_t)run->dag->tasks;

	if (!replan)
		return;
	memset(replan->fixed, 0, n);
	for (int e = 0; e < run->dag->edges; e++)
		replan->home[e] = -1;
	replan->frozen = false;
	replan->orders = 0;
	replan->hold = replan->part * planned_time(run);
	equant_dag_watch_start(run);
}

/* ---- how far everything is -------------------------------------------------------------------- */

void equant_dag_replan_fix(const struct equant_dag_run *run, unsigned char *fixed, int *home)
{
	const struct equant_dag_news *news = &run->replan->news;
	const int *place = run->order.place;
	int *count = run->replan->count;

	memset(count, 0, (size_t)(unsigned int)run->eq->ranks * sizeof(*count));
	for (int s = 0; s < run->order.steps; s++) {
		int task = run->order.step[s].task;

		if (task >= 0 && count[place[task]]++ < news->stand[place[task]].begun)
			fixed[task] = 1;
	}
	for (int e = 0; e < run->dag->edges; e++) {
		const struct equant_dag_edge *edge = &run->dag->edge[e];

		if (home[e] < 0 && fixed[edge->from])
			home[e] = place[edge->from];
		if (news->sent[e])
			home[e] = place[edge->to];
	}
}

/* A rank between two tasks does the next one before it waits, if it can. */
static void promise(struct equant_dag_run *run)
{
	int next = equant_dag_next_task(run);

	if (run->task >= 0 || run->promised >= 0 || next < 0)
		return;
	run->promised = next;
	run->begun_tasks++;
	run->at++;
}

static double time_left(const struct equant_dag_run *run, double share)
{
	double left = run->task < 0 ? 0 : equant_dag_watch_left(run, run->task, share);

	if (run->promised >= 0)
		left += dag_cost(run->dag, run->machine, run->promised, run->eq->rank) / share;
	return left;
}

void equant_dag_replan_freeze(struct equant_dag_run *run)
{
	struct equant_dag_replan *replan = run->replan;
	struct equant_dag_news *news = &replan->stands;
	const struct equant_dag_watch *watch = &replan->watch;
	double share = watch->wishes ? watch->share : watch->planned;

	promise(run);
	memset(news->stand, 0, (size_t)(unsigned int)run->eq->ranks * sizeof(*news->stand));
	memcpy(news->sent, run->begun, (size_t)run->dag->edges);
	news->stand[run->eq->rank] = (struct equant_dag_stand){
		.share = share,
		.left = time_left(run, share),
		.begun = run->begun_tasks,
		.known = 1,
	};
	replan->frozen = true;
}

void equant_dag_replan_merge(struct equant_dag_run *run, const char *bytes)
{
	struct equant_dag_news *news = &run->replan->stands;
	size_t stands = (size_t)(unsigned int)run->eq->ranks * sizeof(*news->stand);
	const struct equant_dag_stand *stand =
		(const struct equant_dag_stand *)(const void *)(bytes + EQUANT_DAG_WORD);
	const unsigned char *sent = (const unsigned char *)bytes + EQUANT_DAG_WORD + stands;

	for (int k = 0; k < run->eq->ranks; k++)
		if (stand[k].known)
			news->stand[k] = stand[k];
	for (int e = 0; e < run->dag->edges; e++)
		news->sent[e] |= sent[e];
}

void equant_dag_replan_collect(struct equant_dag_run *run)
{
	memcpy(run->replan->memory, run->replan->stand_memory, run->replan->stand_size);
}

/* ---- the new order ------------------------------------------------------------------------------ */

static void take_order(struct equant_dag_run *run)
{
	const struct equant_dag_news *news = &run->replan->news;

	for (int i = 0; i < run->dag->tasks; i++)
		run->order.place[i] = news->place[i];
	run->order.steps = *news->steps;
	for (int s = 0; s < *news->steps; s++)
		run->order.step[s] = (struct equant_dag_step){
			news->step[s] < 0 ? -1 : news->step[s],
			news->step[s] < 0 ? -1 - news->step[s] : -1,
		};
}

static void find_senders(struct equant_dag_run *run)
{
	struct equant_dag_replan *replan = run->replan;
	const struct equant_dag_news *news = &replan->news;

	for (int e = 0; e < run->dag->edges; e++)
		replan->sender[e] = -1;
	for (int s = 0; s < *news->steps; s++) {
		int edge = -1 - news->step[s];

		if (edge < 0 || news->place[run->dag->edge[edge].to] != run->eq->rank)
			continue;
		replan->sender[edge] = replan->home[edge];
		if (replan->home[edge] < 0)
			replan->sender[edge] = news->place[run->dag->edge[edge].from];
	}
}

int equant_dag_replan_adopt(struct equant_dag_run *run)
{
	struct equant_dag_replan *replan = run->replan;
	const struct equant_dag_news *news = &replan->news;
	int error = 0;

	replan->frozen = false;
	equant_dag_watch_planned(run, news->stand[run->eq->rank].share);
	if (*news->steps < 0)
		return 0;
	equant_dag_replan_fix(run, replan->fixed, replan->home);
	find_senders(run);
	error = equant_dag_mail_keep(run, news->sent, replan->sender);
	if (error)
		return error;
	take_order(run);
	memset(run->begun, 0, (size_t)run->dag->edges);
	equant_dag_items_make(run);
	replan->orders++;
	return 0;
}

int equant_dag_replans(const struct equant_dag_run *run)
{
	return run->replan ? run->replan->orders : 0;
}
