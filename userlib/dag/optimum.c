// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The shortest schedule there is, by branch and bound.
 *
 * First every task gets a processor, in all ways.  Then the order: some shortest schedule has
 * everything as early as its order allows, and nothing that could be moved into an idle time before
 * it (B. Giffler, G. L. Thompson, Algorithms for Solving Production-Scheduling Problems, Operations
 * Research 8(4), 1960).  Told in the order of start times it is a sequence of events, tasks and
 * messages, so all such sequences are tried.  Either is left where a bound says that it cannot
 * become shorter than the best one known.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dag_internal.h"

#define MOST EQUANT_DAG_OPTIMUM
#define MOST_EDGES (MOST * (MOST - 1) / 2)

/* When what is left could start at the earliest, how long it takes, and what comes after it. */
struct queue {
	double head;
	double length;
	double tail;
};

struct optimum {
	const struct dag_model *model;
	int p;
	double tail[MOST]; /* of the longest path after a task, at its fastest and without messages */
	double least[MOST]; /* cost where a task is fastest */
	/* so far */
	double *free; /* by processor, then by channel */
	struct equant_dag_slot slot[MOST]; /* processor -1: open; finish is NAN until it has run */
	struct equant_dag_message message[MOST_EDGES]; /* from -1: not sent */
	int done;
	double now; /* start of the last event */
	double makespan;
	struct queue *queue; /* of each of @free, for bounds */
	int lines; /* how many */
	/* the best so far */
	bool found;
	double best;
	struct equant_dag_slot best_slot[MOST];
	struct equant_dag_message best_message[MOST_EDGES];
};

static bool has_run(const struct optimum *optimum, int task)
{
	return !isnan(optimum->slot[task].finish);
}

static const struct equant_dag_edge *edge_of(const struct optimum *optimum, int edge)
{
	return &optimum->model->dag->edge[edge];
}

/* Do messages need anything that others might need? */
static bool messages_contend(const struct optimum *optimum)
{
	const struct equant_dag_machine *machine = optimum->model->machine;

	return machine->channels != EQUANT_DAG_FREE || !machine->overlap;
}

/* What a message from @k to @l occupies: up to three numbers of @free; how many. */
static int lines_of(const struct optimum *optimum, int k, int l, int line[3])
{
	const struct equant_dag_machine *machine = optimum->model->machine;
	bool turn = machine->channels == EQUANT_DAG_SHARED && k > l;
	int count = 0, p = optimum->p;

	if (machine->channels != EQUANT_DAG_FREE)
		line[count++] = p + (turn ? l * p + k : k * p + l);
	if (!machine->overlap) {
		line[count++] = k;
		line[count++] = l;
	}
	return count;
}

static double length_of(const struct optimum *optimum, int edge)
{
	return dag_message(optimum->model->dag, optimum->model->machine, edge,
			   optimum->slot[edge_of(optimum, edge)->from].processor,
			   optimum->slot[edge_of(optimum, edge)->to].processor);
}

/* When the data of @edge is on processor @k; at least, if its message has not been sent. */
static double arrival(const struct optimum *optimum, int edge, int k, double ready)
{
	int from = optimum->slot[edge_of(optimum, edge)->from].processor;

	if (optimum->message[edge].from >= 0)
		return optimum->message[edge].finish;
	if (from < 0 || from == k)
		return ready;
	return ready + dag_message(optimum->model->dag, optimum->model->machine, edge, from, k);
}

static void enqueue(struct queue *queue, double head, double length, double tail)
{
	if (queue->length == 0 || head < queue->head)
		queue->head = head;
	if (queue->length == 0 || tail < queue->tail)
		queue->tail = tail;
	queue->length += length;
}

/* The earliest end of @task, from those of the tasks that it needs. */
static double earliest_end(const struct optimum *optimum, int task, const double *end)
{
	const struct dag_model *model = optimum->model;
	int there = optimum->slot[task].processor;
	double least = INFINITY;

	for (int k = 0; k < optimum->p; k++) {
		double start = fmax(optimum->now, optimum->free[k]);

		if (there >= 0 && there != k)
			continue;
		for_each_edge(e, &model->paths.in, task)
			start = fmax(start,
				     arrival(optimum, *e, k, end[edge_of(optimum, *e)->from]));
		least = fmin(least, start + dag_cost(model->dag, model->machine, task, k));
	}
	return least;
}

/* Messages that have to come yet, on all that they occupy. */
static void enqueue_messages(const struct optimum *optimum, const double *end)
{
	const struct dag_model *model = optimum->model;

	for (int e = 0; e < model->dag->edges; e++) {
		const struct equant_dag_edge *edge = edge_of(optimum, e);
		int k = optimum->slot[edge->from].processor, l = optimum->slot[edge->to].processor;
		int line[3], lines;

		if (k < 0 || l < 0 || k == l || optimum->message[e].from >= 0)
			continue;
		lines = lines_of(optimum, k, l, line);
		for (int i = 0; i < lines; i++)
			enqueue(&optimum->queue[line[i]],
				fmax(end[edge->from], optimum->free[line[i]]),
				dag_message(model->dag, model->machine, e, k, l),
				optimum->least[edge->to] + optimum->tail[edge->to]);
	}
}

static double longest_queue(const struct optimum *optimum)
{
	double longest = 0;

	for (int i = 0; i < optimum->lines; i++) {
		const struct queue *queue = &optimum->queue[i];

		if (queue->length > 0)
			longest = fmax(longest, queue->head + queue->length + queue->tail);
	}
	return longest;
}

/* No schedule that begins like this is shorter: the longest path, and the longest queue. */
static double bound(const struct optimum *optimum)
{
	const struct dag_model *model = optimum->model;
	double end[MOST], longest = optimum->makespan;

	memset(optimum->queue, 0, (size_t)optimum->lines * sizeof(*optimum->queue));
	for (int i = 0; i < model->dag->tasks; i++) {
		int task = model->paths.order[i], k = optimum->slot[task].processor;
		double cost;

		end[task] = optimum->slot[task].finish;
		if (has_run(optimum, task))
			continue;
		end[task] = earliest_end(optimum, task, end);
		longest = fmax(longest, end[task] + optimum->tail[task]);
		if (k < 0)
			continue;
		cost = dag_cost(model->dag, model->machine, task, k);
		enqueue(&optimum->queue[k], end[task] - cost, cost, optimum->tail[task]);
	}
	enqueue_messages(optimum, end);
	/* Rounding must not take a bound above what it bounds. */
	return fmax(longest, longest_queue(optimum)) * (1 - 1e-12);
}

static void keep(struct optimum *optimum)
{
	if (!(optimum->makespan < optimum->best))
		return;
	optimum->found = true;
	optimum->best = optimum->makespan;
	memcpy(optimum->best_slot, optimum->slot, sizeof(optimum->slot));
	memcpy(optimum->best_message, optimum->message, sizeof(optimum->message));
}

static void try_all(struct optimum *optimum);

static void go_on(struct optimum *optimum, double start)
{
	double now = optimum->now;

	optimum->now = start;
	if (optimum->done == optimum->model->dag->tasks)
		keep(optimum);
	else if (bound(optimum) < optimum->best)
		try_all(optimum);
	optimum->now = now;
}

/* ---- a task ------------------------------------------------------------------------------ */

/* When @task could start on @k; infinite if a message is missing. */
static double start_of(const struct optimum *optimum, int task, int k)
{
	const struct dag_model *model = optimum->model;
	double start = optimum->free[k];

	for_each_edge(e, &model->paths.in, task) {
		int from = edge_of(optimum, *e)->from;

		if (!has_run(optimum, from))
			return INFINITY;
		if (messages_contend(optimum) && optimum->slot[from].processor != k &&
		    optimum->message[*e].from < 0)
			return INFINITY;
		start = fmax(start, arrival(optimum, *e, k, optimum->slot[from].finish));
	}
	return start;
}

/* Messages that nothing gets in the way of leave at once. */
static void send_free(struct optimum *optimum, int task, int k)
{
	for_each_edge(e, &optimum->model->paths.in, task) {
		const struct equant_dag_slot *from = &optimum->slot[edge_of(optimum, *e)->from];

		if (from->processor == k || messages_contend(optimum))
			continue;
		optimum->message[*e] =
			(struct equant_dag_message){ *e, from->processor, k, from->finish,
						     arrival(optimum, *e, k, from->finish) };
	}
}

static void unsend_free(struct optimum *optimum, int task)
{
	for_each_edge(e, &optimum->model->paths.in, task)
		if (!messages_contend(optimum))
			optimum->message[*e].from = -1;
}

static void try_task(struct optimum *optimum, int task, int k, double start)
{
	struct equant_dag_slot before = optimum->slot[task];
	double was_free = optimum->free[k], makespan = optimum->makespan;
	double finish = start + dag_cost(optimum->model->dag, optimum->model->machine, task, k);

	send_free(optimum, task, k);
	optimum->slot[task] = (struct equant_dag_slot){ task, k, start, finish };
	optimum->free[k] = finish;
	optimum->makespan = fmax(makespan, finish);
	optimum->done++;
	go_on(optimum, start);
	optimum->done--;
	optimum->makespan = makespan;
	optimum->free[k] = was_free;
	optimum->slot[task] = before;
	unsend_free(optimum, task);
}

/* ---- a message ----------------------------------------------------------------------------- */

/* When the message of @edge could leave; infinite if there is none, or not now. */
static double message_start(const struct optimum *optimum, int edge)
{
	const struct equant_dag_slot *from = &optimum->slot[edge_of(optimum, edge)->from];
	int l = optimum->slot[edge_of(optimum, edge)->to].processor, line[3], lines;
	double start = from->finish;

	if (isnan(start) || from->processor == l || optimum->message[edge].from >= 0)
		return INFINITY;
	lines = lines_of(optimum, from->processor, l, line);
	if (!(length_of(optimum, edge) > 0))
		return fmax(start, optimum->now);
	for (int i = 0; i < lines; i++)
		start = fmax(start, optimum->free[line[i]]);
	return start;
}

static void try_message(struct optimum *optimum, int edge, double start)
{
	int k = optimum->slot[edge_of(optimum, edge)->from].processor;
	int l = optimum->slot[edge_of(optimum, edge)->to].processor;
	double length = length_of(optimum, edge), was_free[3];
	int line[3], lines = length > 0 ? lines_of(optimum, k, l, line) : 0;

	optimum->message[edge] = (struct equant_dag_message){ edge, k, l, start, start + length };
	for (int i = 0; i < lines; i++) {
		was_free[i] = optimum->free[line[i]];
		optimum->free[line[i]] = start + length;
	}
	go_on(optimum, start);
	for (int i = 0; i < lines; i++)
		optimum->free[line[i]] = was_free[i];
	optimum->message[edge].from = -1;
}

/* ---- all orders ------------------------------------------------------------------------------ */

/*
 * The first end of what could come next.  What starts after it leaves an idle time that holds
 * that; it starts before, or has no length and starts then.
 */
static double first_end(const struct optimum *optimum)
{
	const struct dag_model *model = optimum->model;
	double first = INFINITY;

	for (int i = 0; i < model->dag->tasks; i++) {
		int k = optimum->slot[i].processor;
		double start = has_run(optimum, i) ? INFINITY : start_of(optimum, i, k);

		if (start >= optimum->now)
			first = fmin(first, start + dag_cost(model->dag, model->machine, i, k));
	}
	for (int e = 0; e < model->dag->edges && messages_contend(optimum); e++) {
		double start = message_start(optimum, e);

		if (start >= optimum->now)
			first = fmin(first, start + length_of(optimum, e));
	}
	return first;
}

static void try_all(struct optimum *optimum)
{
	const struct equant_dag *dag = optimum->model->dag;
	double until = first_end(optimum);

	for (int i = 0; i < dag->tasks; i++) {
		int task = optimum->model->paths.order[i], k = optimum->slot[task].processor;
		double start = has_run(optimum, task) ? INFINITY : start_of(optimum, task, k);

		if (start >= optimum->now && start <= until && !isinf(start))
			try_task(optimum, task, k, start);
	}
	for (int e = 0; e < dag->edges && messages_contend(optimum); e++) {
		double start = message_start(optimum, e);

		if (start >= optimum->now && start <= until && !isinf(start))
			try_message(optimum, e, start);
	}
}

/* ---- all processors ---------------------------------------------------------------------------- */

static void try_processors(struct optimum *optimum, int placed)
{
	const struct dag_model *model = optimum->model;
	struct equant_dag_slot *slot;

	if (!(bound(optimum) < optimum->best))
		return;
	if (placed == model->dag->tasks) {
		try_all(optimum);
		return;
	}
	slot = &optimum->slot[model->paths.order[placed]];
	for (slot->processor = 0; slot->processor < optimum->p; slot->processor++)
		try_processors(optimum, placed + 1);
	slot->processor = -1;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static void begin(struct optimum *optimum)
{
	const struct dag_model *model = optimum->model;
	const struct equant_dag *dag = model->dag;

	for (int i = dag->tasks - 1; i >= 0; i--) {
		int task = model->paths.order[i];

		optimum->slot[task] = (struct equant_dag_slot){ task, -1, NAN, NAN };
		optimum->least[task] = INFINITY;
		for (int k = 0; k < optimum->p; k++)
			optimum->least[task] =
				fmin(optimum->least[task], dag_cost(dag, model->machine, task, k));
		for_each_edge(e, &model->paths.out, task) {
			int to = dag->edge[*e].to;

			optimum->tail[task] =
				fmax(optimum->tail[task], optimum->least[to] + optimum->tail[to]);
		}
	}
	for (int e = 0; e < dag->edges; e++)
		optimum->message[e].from = -1;
}

/* The shortest of what the schedulers make, which the search has to beat. */
static struct equant_dag_schedule *start_with(const struct dag_model *model)
{
	struct equant_dag_schedule *best = NULL;

	for (int i = 0; equant_dag_scheduler(i); i++) {
		struct equant_dag_schedule *one = equant_dag_schedule(
			equant_dag_scheduler(i), model->dag, model->machine, NULL, NULL, 0);

		if (one && (!best || one->makespan < best->makespan)) {
			equant_dag_schedule_free(best);
			best = one;
		} else {
			equant_dag_schedule_free(one);
		}
	}
	return best;
}

static struct equant_dag_schedule *result(struct optimum *optimum, struct dag_model *model)
{
	struct equant_dag_schedule *schedule;
	struct dag_state state;

	if (equant_dag_state_init(&state, model))
		return NULL;
	memcpy(state.slot, optimum->best_slot, (size_t)model->dag->tasks * sizeof(*state.slot));
	memcpy(state.message, optimum->best_message,
	       (size_t)model->dag->edges * sizeof(*state.message));
	schedule = equant_dag_finish(&state, "optimum");
	equant_dag_state_free(&state);
	return schedule;
}

static struct equant_dag_schedule *search(struct dag_model *model)
{
	size_t p = (size_t)model->machine->processors;
	struct equant_dag_schedule *best = start_with(model);
	struct optimum *optimum = calloc(1, sizeof(*optimum));

	if (optimum)
		optimum->free = calloc(p + p * p, sizeof(*optimum->free));
	if (optimum)
		optimum->queue = calloc(p + p * p, sizeof(*optimum->queue));
	if (best && optimum && optimum->free && optimum->queue) {
		optimum->lines = (int)(p + (model->machine->channels ? p * p : 0));
		optimum->model = model;
		optimum->p = model->machine->processors;
		optimum->best = best->makespan;
		begin(optimum);
		try_processors(optimum, 0);
		best->scheduler = "optimum";
		if (optimum->found) {
			equant_dag_schedule_free(best);
			best = result(optimum, model);
		}
	} else {
		equant_dag_schedule_free(best);
		best = NULL;
	}
	if (optimum) {
		free(optimum->free);
		free(optimum->queue);
	}
	free(optimum);
	return best;
}

struct equant_dag_schedule *equant_dag_optimum(const struct equant_dag *dag,
					       const struct equant_dag_machine *machine, char *why,
					       size_t why_size)
{
	struct equant_dag_schedule *best;
	struct dag_model model;
	int err = equant_dag_model_init(&model, dag, machine, why, why_size);

	if (!err && dag->tasks > EQUANT_DAG_OPTIMUM) {
		equant_dag_model_free(&model);
		err = equant_dag_say(why, why_size, -E2BIG, "%d tasks: at most %d for the optimum",
				     dag->tasks, EQUANT_DAG_OPTIMUM);
	}
	if (err) {
		errno = -err;
		return NULL;
	}
	best = search(&model);
	equant_dag_model_free(&model);
	errno = best ? 0 : ENOMEM;
	return best;
}
