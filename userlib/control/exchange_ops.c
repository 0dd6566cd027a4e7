// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Everybody's sample to everybody; each rank decides, and because decisions are
 * deterministic all decide the same.  Nothing has to come down again, and the decision can be made
 * at the last moment, when the orders before it have been carried out: at the price of
 * every rank making it.
 */
#include <errno.h>
#include <stdlib.h>

#include "control/control.h"
#include "control/exchange.h"

struct shared_samples {
	struct equant_interaction base;
	struct equant_exchange *exchange;
	long messages; /* sent before */
	int looked; /* the order knows who goes on */
};

static struct shared_samples *of(struct equant_interaction *x)
{
	return (struct shared_samples *)x;
}

static int everybody(int rank)
{
	(void)rank;
	return 1;
}

static int rounds(int ranks)
{
	int n = 0;

	while ((1L << n) < ranks)
		n++;
	return n;
}

static struct equant_interaction *create(struct equant_control *c, int tag)
{
	struct shared_samples *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->exchange = equant_exchange_new(c->waiter, c->comm, tag, sizeof(struct equant_sample));
	if (s->exchange)
		return &s->base;
	free(s);
	return NULL;
}

static void release(struct equant_interaction *x)
{
	equant_exchange_free(of(x)->exchange);
	free(x);
}

static int start(struct equant_interaction *x, const struct equant_sample *sample)
{
	of(x)->looked = 0;
	return equant_exchange_start(of(x)->exchange, sample);
}

static int progress(struct equant_interaction *x)
{
	return equant_exchange_progress(of(x)->exchange);
}

static int complete(struct equant_interaction *x, double timeout, uint64_t *waited_ns)
{
	struct shared_samples *s = of(x);
	int error;

	if (s->looked)
		return 0;
	error = equant_exchange_finish(s->exchange, timeout, waited_ns);
	if (error)
		return error;
	s->looked = 1;
	equant_control_count(x->control, equant_exchange_messages(s->exchange) - s->messages,
			     equant_exchange_chain(s->exchange));
	s->messages = equant_exchange_messages(s->exchange);
	equant_order_look(&x->order, equant_exchange_items(s->exchange), x->control->ranks);
	return 0;
}

static void decide(struct equant_interaction *x)
{
	equant_control_decide(x, equant_exchange_items(of(x)->exchange));
}

static int awaited(const struct equant_interaction *x, int *itself)
{
	return equant_exchange_awaited(((const struct shared_samples *)x)->exchange, itself);
}

static void cancel(struct equant_interaction *x)
{
	equant_exchange_cancel(of(x)->exchange);
}

const struct equant_control_ops equant_control_exchange = {
	.name = "exchange",
	.decides = everybody,
	.rounds = rounds,
	.create = create,
	.free = release,
	.start = start,
	.progress = progress,
	.complete = complete,
	.decide = decide,
	.awaited = awaited,
	.cancel = cancel,
};
