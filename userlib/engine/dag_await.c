// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Whom a rank waits for that has nothing to do now.  Tasks may take long, so that it is told once
 * each time that a schedule is carried out, and the wait goes on.
 */
#include "core/message.h"
#include "engine/dag_run_internal.h"
#include "loop/loop_internal.h"

static void say_letter(const struct equant_dag_run *run, const struct equant_dag_letter *letter,
		       double seconds)
{
	const struct equant_dag_edge *edge = &run->dag->edge[letter->edge];

	equant_message(
		"task graph: rank %d has not %s the data of task %d for task %d within %g s, rank %d waits",
		letter->peer, letter->sends ? "taken" : "sent", edge->from, edge->to, seconds,
		run->eq->rank);
}

/* What is next without overlap; what has not come yet, and is needed first; else what has not gone. */
static const struct equant_dag_letter *first_missing(const struct equant_dag_run *run)
{
	const struct equant_dag_mail *mail = &run->mail;
	const struct equant_dag_letter *missing = NULL;
	int item = run->at < run->items ? run->item[run->at].letter : -1;

	if (item >= 0)
		return &mail->letter[item];
	for (int i = 0; i < mail->letters; i++) {
		if (mail->letter[i].state == EQUANT_DAG_ARRIVED)
			continue;
		if (!mail->letter[i].sends)
			return &mail->letter[i];
		missing = missing ? missing : &mail->letter[i];
	}
	return missing;
}

static void say(const struct equant_waited_on *on, double seconds)
{
	const struct equant_dag_run *run = on->of;
	const struct equant_dag_letter *letter = NULL;

	if (!run->failed && !run->over)
		letter = first_missing(run);
	if (letter)
		say_letter(run, letter, seconds);
	else
		equant_message(
			"task graph: rank %d, or a rank that it waits for, has not come to the end within %g s, rank %d waits",
			equant_dag_talk_awaits(run), seconds, run->eq->rank);
}

void equant_dag_await(struct equant_dag_run *run, struct equant_patience *patience)
{
	struct equant_waiter *waiter = &run->eq->waiter;
	struct equant_waited_on on = { .say = say, .of = run };

	equant_waited_on_begin(waiter, &on);
	on.since_ns = patience->start_ns;
	on.said = run->named;
	equant_patience_pause(waiter, patience);
	run->named = on.said;
	equant_waited_on_end(waiter);
}
