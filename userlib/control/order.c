// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* From samples to what the ranks are told to do. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "control/order.h"

int equant_order_init(struct equant_order *order, int ranks)
{
	memset(order, 0, sizeof(*order));
	order->instructions = calloc((size_t)ranks, sizeof(*order->instructions));
	order->estimates = calloc((size_t)ranks, sizeof(*order->estimates));
	return order->instructions && order->estimates ? 0 : -ENOMEM;
}

void equant_order_release(struct equant_order *order)
{
	free(order->instructions);
	free(order->estimates);
	memset(order, 0, sizeof(*order));
}

static int first_with(const struct equant_sample *samples, int ranks, uint32_t flag)
{
	int r;

	for (r = 0; r < ranks; r++)
		if (samples[r].flags & flag)
			return r;
	return -1;
}

static int first_unlike(const struct equant_sample *samples, int ranks, int closed)
{
	int r;

	for (r = 0; closed >= 0 && r < ranks; r++)
		if (!(samples[r].flags & EQUANT_SAMPLE_CLOSED) ||
		    samples[r].hooks != samples[closed].hooks)
			return r;
	return -1;
}

void equant_order_look(struct equant_order *order, const struct equant_sample *samples, int ranks)
{
	order->failed = first_with(samples, ranks, EQUANT_SAMPLE_ERROR);
	order->closed = first_with(samples, ranks, EQUANT_SAMPLE_CLOSED);
	order->differs = first_unlike(samples, ranks, order->closed);
	order->error = 0;
	memset(&order->decision, 0, sizeof(order->decision));
}

void equant_order_decide(struct equant_order *order, struct equant_balancer *balancer,
			 const struct equant_sample *samples, const long *units, int ranks)
{
	const struct equant_rate *rates = equant_balancer_rates(balancer);
	int r;

	order->error = equant_balancer_decide(balancer, samples, units, &order->decision);
	if (order->error)
		return;
	memcpy(order->instructions, order->decision.instructions,
	       (size_t)order->decision.count * sizeof(*order->instructions));
	order->decision.instructions = order->instructions;
	order->speeds_known = 0;
	for (r = 0; r < ranks; r++) {
		order->speeds_known |= rates[r].speed > 0;
		order->estimates[r] = (struct equant_estimate){
			.rate = rates[r].rate,
			.speed = rates[r].speed,
			.share = rates[r].share,
			.pace = rates[r].pace,
		};
	}
}

void equant_order_paces(const struct equant_order *order, int ranks, double *paces)
{
	double sum = 0;
	int known = 0;

	for (int r = 0; r < ranks; r++) {
		paces[r] = order->speeds_known ? order->estimates[r].pace : 0;
		if (paces[r] <= 0)
			continue;
		sum += paces[r];
		known++;
	}
	for (int r = 0; r < ranks; r++)
		if (paces[r] <= 0 && known)
			paces[r] = sum / known;
}

/* Those that can, from @done on; returns how many have been carried out in all. */
static int carry_out_some(struct equant_instruction *instructions, int count, int done, long *units)
{
	int i;

	for (i = done; i < count; i++) {
		struct equant_instruction move = instructions[i];

		if (units[move.from] < move.units)
			continue;
		units[move.from] -= move.units;
		units[move.to] += move.units;
		instructions[i] = instructions[done];
		instructions[done++] = move;
	}
	return done;
}

int equant_order_fit(struct equant_instruction *instructions, int count, long *units)
{
	int done = 0, before;

	while (done < count) {
		before = done;
		done = carry_out_some(instructions, count, done, units);
		if (done > before || done == count)
			continue;
		/* Nobody has enough: the next one sends what it has. */
		instructions[done].units = units[instructions[done].from];
		if (!instructions[done].units)
			instructions[done] = instructions[--count];
	}
	return count;
}
