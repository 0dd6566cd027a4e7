// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The checker: it knows a graph, a machine and a schedule, and nothing of who made it.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dag_internal.h"

/*
 * @line: a channel or a processor; @number: of a task or, with @message, an edge.  A message that only
 * begins there finishes at its start.
 */
struct use {
	size_t line;
	double start;
	double finish;
	int number;
	bool message;
};

struct checker {
	const struct equant_dag *dag;
	const struct equant_dag_machine *machine;
	const struct equant_dag_schedule *schedule;
	const struct equant_dag_slot **slot; /* by task */
	const struct equant_dag_message **message; /* by edge */
	uint64_t *left; /* memory, by processor */
	const struct equant_dag_slot **before; /* by processor: the last one so far */
	struct use *use;
	int uses;
	char *why;
	size_t why_size;
};

#define fault(checker, ...) \
	equant_dag_say((checker)->why, (checker)->why_size, -EINVAL, __VA_ARGS__)

static int check_slot(struct checker *checker, const struct equant_dag_slot *slot)
{
	const struct equant_dag_slot *before;
	int i = slot->task, k = slot->processor;
	double cost;

	if (i < 0 || i >= checker->dag->tasks)
		return fault(checker, "task %d: there is none", i);
	if (k < 0 || k >= checker->machine->processors)
		return fault(checker, "task %d: no processor %d", i, k);
	if (checker->slot[i])
		return fault(checker, "task %d: on processor %d and on processor %d", i,
			     checker->slot[i]->processor, k);
	cost = dag_cost(checker->dag, checker->machine, i, k);
	/* At infinity everything ends when it starts, and before everything else.  Messages end before tasks start. */
	if (!(slot->start >= 0) || !(slot->finish == slot->start + cost) || !isfinite(slot->finish))
		return fault(checker, "task %d: from %g to %g, but takes %g on processor %d", i,
			     slot->start, slot->finish, cost, k);
	before = checker->before[k];
	if (before && slot->start < before->finish)
		return fault(checker,
			     "task %d: starts at %g, but processor %d has task %d until %g", i,
			     slot->start, k, before->task, before->finish);
	if (i < checker->machine->pins && checker->machine->pin[i] >= 0 &&
	    checker->machine->pin[i] != k)
		return fault(checker, "task %d: on processor %d, but pinned to %d", i, k,
			     checker->machine->pin[i]);
	checker->slot[i] = slot;
	checker->before[k] = slot;
	return 0;
}

static int check_memory(struct checker *checker)
{
	uint64_t *left = checker->left;

	memcpy(left, checker->machine->memory,
	       (size_t)checker->machine->processors * sizeof(*left));
	for (int i = 0; i < checker->dag->tasks; i++) {
		uint64_t memory = checker->dag->task[i].memory;
		int k = checker->slot[i]->processor;

		if (memory > left[k])
			return fault(checker,
				     "task %d: memory of processor %d is %" PRIu64 " too little", i,
				     k, memory - left[k]);
		if (left[k] != EQUANT_DAG_UNLIMITED)
			left[k] -= memory;
	}
	return 0;
}

static int check_slots(struct checker *checker)
{
	const struct equant_dag_schedule *schedule = checker->schedule;
	double makespan = 0;
	int err = 0;

	for (int i = 0; i < schedule->slots && !err; i++) {
		err = check_slot(checker, &schedule->slot[i]);
		makespan = fmax(makespan, schedule->slot[i].finish);
	}
	for (int i = 0; i < checker->dag->tasks && !err; i++)
		if (!checker->slot[i])
			err = fault(checker, "task %d: on no processor", i);
	err = err ? err : check_memory(checker);
	if (!err && !(schedule->makespan == makespan))
		err = fault(checker, "makespan %g, but the last task ends at %g",
			    schedule->makespan, makespan);
	return err;
}

static int check_message(struct checker *checker, const struct equant_dag_message *message)
{
	int e = message->edge;
	const struct equant_dag_slot *from, *to;
	double length;

	if (e < 0 || e >= checker->dag->edges)
		return fault(checker, "message of edge %d: there is none", e);
	if (checker->message[e])
		return fault(checker, "message of edge %d: sent twice", e);
	checker->message[e] = message;
	from = checker->slot[checker->dag->edge[e].from];
	to = checker->slot[checker->dag->edge[e].to];
	if (message->from != from->processor || message->to != to->processor)
		return fault(checker,
			     "message of edge %d: from %d to %d, its tasks are on %d and %d", e,
			     message->from, message->to, from->processor, to->processor);
	if (message->from == message->to)
		return fault(checker, "message of edge %d: both tasks are on processor %d", e,
			     message->to);
	length = dag_message(checker->dag, checker->machine, e, message->from, message->to);
	if (!(message->finish == message->start + length))
		return fault(checker, "message of edge %d: from %g to %g, but takes %g", e,
			     message->start, message->finish, length);
	if (!(message->start >= from->finish))
		return fault(checker, "message of edge %d: sent at %g, but task %d ends at %g", e,
			     message->start, from->task, from->finish);
	if (!(message->finish <= to->start))
		return fault(checker,
			     "task %d: starts at %g, but the data of edge %d is there at %g",
			     to->task, to->start, e, message->finish);
	return 0;
}

static int check_edge(struct checker *checker, int e)
{
	const struct equant_dag_slot *from = checker->slot[checker->dag->edge[e].from];
	const struct equant_dag_slot *to = checker->slot[checker->dag->edge[e].to];

	if (from->processor != to->processor)
		return checker->message[e] ? 0 : fault(checker, "message of edge %d: not sent", e);
	if (to->start < from->finish)
		return fault(checker, "task %d: starts at %g, but task %d ends at %g", to->task,
			     to->start, from->task, from->finish);
	return 0;
}

static int check_messages(struct checker *checker)
{
	const struct equant_dag_schedule *schedule = checker->schedule;
	int err = 0;

	for (int i = 0; i < schedule->messages && !err; i++)
		err = check_message(checker, &schedule->message[i]);
	for (int e = 0; e < checker->dag->edges && !err; e++)
		err = check_edge(checker, e);
	return err;
}

/* ---- one at a time ----------------------------------------------------------------- */

static void use(struct checker *checker, size_t line, double start, double finish, int number,
		bool message)
{
	checker->use[checker->uses++] = (struct use){ line, start, finish, number, message };
}

/* Lines 0 to p - 1 are processors, those behind them channels. */
static void use_message(struct checker *checker, const struct equant_dag_message *message)
{
	size_t p = (size_t)checker->machine->processors;
	size_t k = (size_t)message->from, l = (size_t)message->to;
	double start = message->start, finish = message->finish, there = finish;

	if (!(finish > start))
		return;
	if (checker->machine->overlap == EQUANT_DAG_PROGRESS)
		there = start;
	if (checker->machine->overlap != EQUANT_DAG_OVERLAP) {
		use(checker, k, start, there, message->edge, true);
		use(checker, l, start, there, message->edge, true);
	}
	if (checker->machine->channels == EQUANT_DAG_SHARED && k > l)
		use(checker, p + l * p + k, start, finish, message->edge, true);
	else if (checker->machine->channels != EQUANT_DAG_FREE)
		use(checker, p + k * p + l, start, finish, message->edge, true);
}

static int by_line(const void *a, const void *b)
{
	const struct use *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return (x->start > y->start) - (x->start < y->start);
}

static int both(struct checker *checker, const struct use *a, const struct use *b)
{
	return fault(checker, "%s %d and %s %d: both at %g on one %s",
		     a->message ? "message of edge" : "task", a->number,
		     b->message ? "message of edge" : "task", b->number, b->start,
		     a->line < (size_t)checker->machine->processors ? "processor" : "channel");
}

/* A message that begins when a task does is not inside it. */
static bool begins_with(const struct use *b, const struct use *a)
{
	return b->start == a->start && !(b->finish > b->start);
}

static int check_uses(struct checker *checker)
{
	const struct equant_dag_schedule *schedule = checker->schedule;
	const struct use *a = NULL; /* the last one that lasts */

	for (int i = 0; i < schedule->slots; i++) {
		const struct equant_dag_slot *slot = &schedule->slot[i];

		if (slot->finish > slot->start)
			use(checker, (size_t)slot->processor, slot->start, slot->finish, slot->task,
			    false);
	}
	for (int i = 0; i < schedule->messages; i++)
		use_message(checker, &schedule->message[i]);
	qsort(checker->use, (size_t)checker->uses, sizeof(*checker->use), by_line);
	for (int i = 0; i < checker->uses; i++) {
		const struct use *b = &checker->use[i];

		if (a && a->line == b->line && b->start < a->finish && !begins_with(b, a))
			return both(checker, a, b);
		/* What only begins here is between two others. */
		if (b->finish > b->start)
			a = b;
	}
	return 0;
}

static int check(struct checker *checker)
{
	int err = check_slots(checker);

	err = err ? err : check_messages(checker);
	return err ? err : check_uses(checker);
}

int equant_dag_verify(const struct equant_dag *dag, const struct equant_dag_machine *machine,
		      const struct equant_dag_schedule *schedule, char *why, size_t why_size)
{
	struct checker checker = { .dag = dag, .machine = machine, .schedule = schedule };
	int err = equant_dag_check(dag, why, why_size);

	if (err)
		return err;
	checker.why = why;
	checker.why_size = why_size;
	if (machine->cost && machine->tasks != dag->tasks)
		return fault(&checker, "costs of %d tasks for a graph of %d tasks", machine->tasks,
			     dag->tasks);
	for (int i = dag->tasks; i < machine->pins; i++)
		if (machine->pin[i] >= 0)
			return fault(&checker, "task %d is pinned, but there are %d tasks", i,
				     dag->tasks);
	checker.slot = calloc((size_t)dag->tasks, sizeof(*checker.slot));
	checker.message = calloc((size_t)dag->edges + 1, sizeof(*checker.message));
	checker.before = calloc((size_t)machine->processors, sizeof(*checker.before));
	checker.left = calloc((size_t)machine->processors, sizeof(*checker.left));
	checker.use = calloc((size_t)dag->tasks + 3 * (size_t)dag->edges, sizeof(*checker.use));
	if (checker.slot && checker.message && checker.before && checker.left && checker.use)
		err = check(&checker);
	else
		err = -ENOMEM;
	free(checker.slot);
	free(checker.message);
	free(checker.before);
	free(checker.left);
	free(checker.use);
	return err;
}
