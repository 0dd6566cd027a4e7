// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The interactions of a loop, and which of them come first (Siegell 1995, sections
 * 2.4 and 2.6.1).  Interactions are numbered alike on every rank; with depth d the
 * order of number k is carried out before number k + d is started.
 *
 * A limit on the transfers that a rank may receive needs no account of orders that wait to be
 * carried out: each is carried out in a phase of its own, at whose end everything has
 * been received.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "control/control.h"
#include "core/mpi_error.h"

static const struct equant_control_ops *const structures[] = {
	[EQUANT_CONTROL_EXCHANGE] = &equant_control_exchange,
	[EQUANT_CONTROL_TREE] = &equant_control_tree,
	[EQUANT_CONTROL_CENTRAL] = &equant_control_central,
};

static struct equant_interaction *slot(const struct equant_control *c, uint64_t number)
{
	return c->slots[number % (uint64_t)c->nr_slots];
}

static int make_slots(struct equant_control *c)
{
	int i;

	for (i = 0; i < c->nr_slots; i++) {
		struct equant_interaction *x = c->ops->create(c, c->tag + i);

		if (!x)
			return -errno;
		c->slots[i] = x;
		x->control = c;
		x->tag = c->tag + i;
		if (equant_order_init(&x->order, c->ranks))
			return -ENOMEM;
	}
	return 0;
}

struct equant_control *equant_control_new(enum equant_control_mode mode, int depth,
					  struct equant_waiter *waiter, MPI_Comm comm, int tag,
					  const long *counts)
{
	struct equant_control *c = calloc(1, sizeof(*c));
	int error;

	if (!c)
		return NULL;
	c->ops = structures[mode];
	c->waiter = waiter;
	c->comm = comm;
	c->tag = tag;
	c->counts = counts;
	c->nr_slots = depth;
	error = equant_mpi_error(MPI_Comm_rank(comm, &c->rank), "MPI_Comm_rank");
	if (!error)
		error = equant_mpi_error(MPI_Comm_size(comm, &c->ranks), "MPI_Comm_size");
	if (!error) {
		c->slots = calloc((size_t)depth, sizeof(struct equant_interaction *));
		c->planned = calloc((size_t)c->ranks, sizeof(*c->planned));
		c->room = calloc((size_t)c->ranks, sizeof(*c->room));
		error = c->slots && c->planned && c->room ? make_slots(c) : -ENOMEM;
	}
	if (!error)
		return c;
	equant_control_free(c);
	errno = -error;
	return NULL;
}

void equant_control_free(struct equant_control *c)
{
	int i;

	if (!c)
		return;
	for (i = 0; c->slots && i < c->nr_slots && c->slots[i]; i++) {
		equant_order_release(&c->slots[i]->order);
		c->ops->free(c->slots[i]);
	}
	free(c->slots);
	free(c->planned);
	free(c->room);
	free(c);
}

int equant_control_start(struct equant_control *c, const struct equant_sample *sample)
{
	struct equant_interaction *x = slot(c, c->started);

	x->number = c->started++;
	return c->ops->start(x, sample);
}

int equant_control_pending(const struct equant_control *c)
{
	return (int)(c->started - c->first);
}

int equant_control_needs_looks(const struct equant_control *c)
{
	return c->started > c->first && c->ops->rounds(c->ranks) > 1;
}

int equant_control_progress(struct equant_control *c)
{
	uint64_t number;
	int done;

	for (number = c->first; number < c->started; number++) {
		done = c->ops->progress(slot(c, number));
		if (done < 0)
			return done;
	}
	return 0;
}

int equant_control_complete(struct equant_control *c, int n, double timeout, uint64_t *waited_ns)
{
	uint64_t number, end = c->first + (uint64_t)n;
	int error = 0;

	for (number = c->first; number < end && !error; number++)
		error = c->ops->complete(slot(c, number), timeout, waited_ns);
	return error;
}

struct equant_order *equant_control_order(struct equant_control *c)
{
	struct equant_interaction *x = slot(c, c->first);

	if (c->ops->decide && x->order.failed < 0 && x->order.closed < 0)
		c->ops->decide(x);
	return &x->order;
}

const struct equant_order *equant_control_peers(const struct equant_control *c, int i)
{
	return &slot(c, c->first + (uint64_t)i)->order;
}

void equant_control_drop(struct equant_control *c)
{
	c->first++;
	/* One that was given up is never decided, and those after it do not wait for that. */
	if (c->decided < c->first)
		c->decided = c->first;
}

int equant_control_awaited(const struct equant_control *c, int *itself)
{
	uint64_t number;
	int awaited = -1;

	for (number = c->first; number < c->started && awaited < 0; number++)
		awaited = c->ops->awaited(slot(c, number), itself);
	return awaited;
}

void equant_control_cancel(struct equant_control *c)
{
	for (; c->first < c->started; c->first++)
		c->ops->cancel(slot(c, c->first));
}

void equant_control_count(struct equant_control *c, long messages, long chain)
{
	c->messages += messages;
	if (chain > c->chain)
		c->chain = chain;
}

/* The distribution once the orders before @number have been carried out. */
static void plan(struct equant_control *c, uint64_t number)
{
	uint64_t n;

	memcpy(c->planned, c->counts, (size_t)c->ranks * sizeof(*c->planned));
	for (n = c->first; n < number; n++) {
		const struct equant_order *order = &slot(c, n)->order;
		int count = order->decision.count;

		memcpy(c->room, order->instructions, (size_t)count * sizeof(*c->room));
		equant_order_fit(c->room, count, c->planned);
	}
}

int equant_control_decide(struct equant_interaction *x, const struct equant_sample *samples)
{
	struct equant_control *c = x->control;

	if (x->number > c->decided)
		return -EAGAIN;
	c->decided = x->number + 1;
	equant_order_look(&x->order, samples, c->ranks);
	if (x->order.failed >= 0 || x->order.closed >= 0)
		return 0;
	plan(c, x->number);
	equant_order_decide(&x->order, c->balancer, samples, c->planned, c->ranks);
	return 0;
}
