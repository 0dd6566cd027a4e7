// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Samples up a tree of ranks, the order of rank 0 down the same tree; any tree in which the
 * ranks below a rank are its neighbours.
 *
 * GATHERING	samples of all ranks below are awaited
 * UP		they are on their way to the parent, the order is awaited
 * DOWN		the order is on its way to the children
 *
 * Samples and orders carry a clock, as Lamport's, for ranks that send or receive one message at a
 * time: who receives k messages is done k ticks after it began, at the earliest a tick
 * after each was sent.  At the end it tells the longest chain of messages.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "control/gather.h"
#include "control/send.h"
#include "core/message.h"
#include "core/mpi_error.h"

enum state { IDLE, GATHERING, UP, DOWN };

struct item {
	struct equant_sample sample;
	uint64_t number;
	uint64_t clock;
};

struct gather {
	struct equant_interaction base;
	struct equant_branch branch;
	enum state state;
	uint64_t clock;
	long messages;
	int nr_requests;
	MPI_Request *requests; /* a child's each, or the parent's two */
	MPI_Status *statuses;
	struct item *items; /* of this rank and those below it */
	struct equant_sample *samples; /* rank 0: of all */
	void *message;
	size_t room;
};

static struct gather *of(struct equant_interaction *x)
{
	return (struct gather *)x;
}

int equant_gather_decides(int rank)
{
	return !rank;
}

void equant_gather_free(struct equant_interaction *x)
{
	struct gather *g = of(x);

	free(g->branch.children);
	free(g->requests);
	free(g->statuses);
	free(g->items);
	free(g->samples);
	free(g->message);
	free(g);
}

struct equant_interaction *equant_gather_new(struct equant_control *c, int tag,
					     const struct equant_branch *branch)
{
	size_t requests = (size_t)branch->nr_children + 2;
	struct gather *g = calloc(1, sizeof(*g));

	(void)tag;
	if (!g) {
		free(branch->children);
		return NULL;
	}
	g->branch = *branch;
	g->room = equant_order_size(c->ranks);
	g->requests = calloc(requests, sizeof(*g->requests));
	g->statuses = calloc(requests, sizeof(*g->statuses));
	g->items = calloc((size_t)branch->size, sizeof(*g->items));
	g->samples = calloc((size_t)branch->size, sizeof(*g->samples));
	g->message = malloc(g->room);
	if (g->requests && g->statuses && g->items && g->samples && g->message)
		return &g->base;
	equant_gather_free(&g->base);
	errno = ENOMEM;
	return NULL;
}

/* The next child is sent to or received from. */
static int post(struct gather *g, void *bytes, size_t size, int peer, int receives)
{
	struct equant_control *c = g->base.control;
	MPI_Request *request = &g->requests[g->nr_requests];
	int error;

	if (receives)
		error = MPI_Irecv(bytes, (int)size, MPI_BYTE, peer, g->base.tag, c->comm, request);
	else
		error = equant_send(c->waiter, bytes, (int)size, MPI_BYTE, peer, g->base.tag,
				    c->comm, request);
	if (error != MPI_SUCCESS)
		return equant_mpi_error(error, "balancing: samples and orders");
	g->nr_requests++;
	g->messages += !receives;
	return 0;
}

/* Ranks below the @i-th child, itself included: up to the next larger child, or to the end. */
static int ranks_below(const struct gather *g, int i)
{
	const struct equant_branch *b = &g->branch;
	int next = i + 1 < b->nr_children ? b->children[i + 1] : g->base.control->rank + b->size;

	return next - b->children[i];
}

static int refuse(const struct gather *g, int peer, const char *what, const char *fault)
{
	equant_message("rank %d: the %s of rank %d in interaction %llu is malformed: %s",
		       g->base.control->rank, what, peer, (unsigned long long)g->base.number,
		       fault);
	return -EBADMSG;
}

static int received(const MPI_Status *status)
{
	int bytes;

	return MPI_Get_count(status, MPI_BYTE, &bytes) == MPI_SUCCESS ? bytes : -1;
}

/* A child's samples: as many as there are ranks below it, all of this interaction. */
static int check_child(const struct gather *g, int i)
{
	int child = g->branch.children[i], below = ranks_below(g, i), k;
	const struct item *items = &g->items[child - g->base.control->rank];

	if (received(&g->statuses[i]) != below * (int)sizeof(*items))
		return refuse(g, child, "sample", "its length is wrong");
	for (k = 0; k < below; k++)
		if (items[k].number != g->base.number)
			return refuse(g, child, "sample", "it belongs to another phase");
	return 0;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static int check_children(struct gather *g)
{
	int i, error = 0;

	for (i = 0; i < g->branch.nr_children && !error; i++) {
		const struct item *item = &g->items[g->branch.children[i] - g->base.control->rank];

		g->clock = later(g->clock + 1, item->clock);
		error = check_child(g, i);
	}
	return error;
}

/* The largest subtree, which has the longest way to go, first. */
static int send_down(struct gather *g)
{
	struct equant_control *c = g->base.control;
	size_t size =
		equant_order_pack(&g->base.order, c->ranks, g->base.number, g->clock, g->message);
	int i, error = 0;

	g->state = DOWN;
	g->nr_requests = 0;
	for (i = g->branch.nr_children - 1; i >= 0 && !error; i--)
		error = post(g, g->message, size, g->branch.children[i], 0);
	g->clock += (uint64_t)g->branch.nr_children;
	return error;
}

static int send_up(struct gather *g)
{
	int error;

	g->state = UP;
	g->nr_requests = 0;
	g->items[0].clock = ++g->clock;
	error = post(g, g->items, (size_t)g->branch.size * sizeof(*g->items), g->branch.parent, 0);
	if (!error)
		error = post(g, g->message, g->room, g->branch.parent, 1);
	return error;
}

static int decide(struct gather *g)
{
	int r;

	for (r = 0; r < g->branch.size; r++)
		g->samples[r] = g->items[r].sample;
	return equant_control_decide(&g->base, g->samples);
}

/* All samples from below are here.  Rank 0 may have to decide an earlier interaction first. */
static int turn_round(struct gather *g)
{
	int error;

	if (g->branch.parent >= 0)
		return send_up(g);
	error = decide(g);
	return error ? error : send_down(g);
}

static int take_order(struct gather *g)
{
	struct equant_control *c = g->base.control;
	int bytes = received(&g->statuses[1]);
	const char *fault;
	uint64_t clock;

	if (equant_order_unpack(&g->base.order, c->ranks, g->base.number, &clock, g->message,
				bytes < 0 ? 0 : (size_t)bytes, &fault))
		return refuse(g, g->branch.parent, "order", fault);
	g->clock = later(g->clock + 1, clock + (uint64_t)g->branch.turn + 1);
	return send_down(g);
}

static int finish(struct gather *g)
{
	g->state = IDLE;
	g->nr_requests = 0;
	equant_control_count(g->base.control, g->messages, (long)g->clock);
	g->messages = 0;
	return 0;
}

/* The state's messages have come and gone; -EAGAIN: rank 0 must decide another one first. */
static int advance(struct gather *g)
{
	int error;

	switch (g->state) {
	case GATHERING:
		/* Once: rank 0 may come here again. */
		error = g->nr_requests ? check_children(g) : 0;
		g->nr_requests = 0;
		return error ? error : turn_round(g);
	case UP:
		return take_order(g);
	case DOWN:
		return finish(g);
	case IDLE:
		break;
	}
	return 0;
}

int equant_gather_start(struct equant_interaction *x, const struct equant_sample *sample)
{
	struct gather *g = of(x);
	int i, error = 0;

	g->state = GATHERING;
	g->nr_requests = 0;
	g->clock = 0;
	g->items[0] = (struct item){ .sample = *sample, .number = x->number };
	for (i = 0; i < g->branch.nr_children && !error; i++) {
		int child = g->branch.children[i];

		error = post(g, &g->items[child - x->control->rank],
			     (size_t)ranks_below(g, i) * sizeof(*g->items), child, 1);
	}
	/* Whoever has nobody to wait for sends at once. */
	if (!error)
		error = equant_gather_progress(x);
	return error < 0 ? error : 0;
}

int equant_gather_progress(struct equant_interaction *x)
{
	struct gather *g = of(x);
	int done, error;

	while (g->state != IDLE) {
		error = MPI_Testall(g->nr_requests, g->requests, &done, g->statuses);
		error = equant_mpi_error(equant_mpi_cause(error, g->nr_requests, g->statuses),
					 "balancing: samples and orders");
		if (error)
			return error;
		if (!done)
			return 0;
		error = advance(g);
		if (error)
			return error == -EAGAIN ? 0 : error;
	}
	return 1;
}

int equant_gather_complete(struct equant_interaction *x, double timeout, uint64_t *waited_ns)
{
	struct gather *g = of(x);
	int error;

	while (g->state != IDLE) {
		error = equant_wait_requests(x->control->waiter, g->requests, g->nr_requests,
					     g->statuses, timeout, waited_ns);
		if (!error)
			error = advance(g);
		if (error)
			return error;
	}
	return 0;
}

int equant_gather_awaited(const struct equant_interaction *x, int *itself)
{
	const struct gather *g = (const struct gather *)x;
	int i, here;

	*itself = 0;
	if (g->state == UP)
		return g->branch.parent;
	for (i = 0; g->state == GATHERING && i < g->nr_requests; i++) {
		if (MPI_Request_get_status(g->requests[i], &here, MPI_STATUS_IGNORE) !=
			    MPI_SUCCESS ||
		    here)
			continue;
		*itself = ranks_below(g, i) == 1;
		return g->branch.children[i];
	}
	return -1;
}

void equant_gather_cancel(struct equant_interaction *x)
{
	struct gather *g = of(x);

	if (g->state != IDLE)
		equant_requests_drop(g->requests, g->nr_requests);
	g->nr_requests = 0;
	g->state = IDLE;
}
