// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * An order as a message: a head, then an estimate per rank, then the instructions.  Ranks
 * of one job run the same library on the same kind of machine.
 */
#include <errno.h>
#include <string.h>

#include "control/order.h"

#define MAGIC 0x726472746e617571ull /* "quantrdr" */

struct head {
	uint64_t magic;
	uint64_t number;
	uint64_t clock;
	int32_t ranks;
	int32_t failed, closed, differs, error;
	int32_t speeds_known;
	struct equant_decision decision; /* without its instructions */
};

static size_t size_of(int ranks, int count)
{
	return sizeof(struct head) + (size_t)ranks * sizeof(struct equant_estimate) +
	       (size_t)count * sizeof(struct equant_instruction);
}

size_t equant_order_size(int ranks)
{
	return size_of(ranks, ranks);
}

size_t equant_order_pack(const struct equant_order *order, int ranks, uint64_t number,
			 uint64_t clock, void *message)
{
	int count = order->decision.count;
	struct head head;
	char *at = message;

	memset(&head, 0, sizeof(head)); /* gaps too */
	head.magic = MAGIC;
	head.number = number;
	head.clock = clock;
	head.ranks = ranks;
	head.failed = order->failed;
	head.closed = order->closed;
	head.differs = order->differs;
	head.error = order->error;
	head.speeds_known = order->speeds_known;
	head.decision = order->decision;
	head.decision.instructions = NULL;
	memcpy(at, &head, sizeof(head));
	at += sizeof(head);
	memcpy(at, order->estimates, (size_t)ranks * sizeof(*order->estimates));
	at += (size_t)ranks * sizeof(*order->estimates);
	memcpy(at, order->instructions, (size_t)count * sizeof(*order->instructions));
	return size_of(ranks, count);
}

static int is_rank(int32_t r, int ranks)
{
	return r >= 0 && r < ranks;
}

static const char *fault_of_head(const struct head *h, int ranks, uint64_t number, size_t size)
{
	const struct equant_decision *d = &h->decision;

	if (h->magic != MAGIC)
		return "it is no order";
	if (h->number != number)
		return "it belongs to another phase";
	if (h->ranks != ranks)
		return "it is for another number of ranks";
	if (d->count < 0 || d->count > ranks || size != size_of(ranks, d->count))
		return "its length is wrong";
	if (h->failed >= ranks || h->closed >= ranks || h->differs >= ranks)
		return "it names a rank that does not exist";
	if (h->error > 0 || h->error < -4095)
		return "its error is none";
	if (!strcmp(equant_verdict_name(d->verdict), "unknown"))
		return "its verdict is unknown";
	/* An order without a decision has no next hook. */
	if (h->failed < 0 && h->closed < 0 && !h->error && d->next_hook < 1)
		return "its next hook lies behind";
	return NULL;
}

static const char *fault_of_instructions(const struct equant_instruction *instructions, int count,
					 int ranks)
{
	int i;

	for (i = 0; i < count; i++) {
		const struct equant_instruction *move = &instructions[i];

		if (!is_rank(move->from, ranks) || !is_rank(move->to, ranks) ||
		    move->from == move->to)
			return "an instruction names ranks that cannot be";
		if (move->units < 1)
			return "an instruction moves nothing";
	}
	return NULL;
}

static void take_head(struct equant_order *order, const struct head *h)
{
	order->failed = h->failed < 0 ? -1 : h->failed;
	order->closed = h->closed < 0 ? -1 : h->closed;
	order->differs = h->differs < 0 ? -1 : h->differs;
	order->error = h->error;
	order->speeds_known = h->speeds_known != 0;
	order->decision = h->decision;
	order->decision.instructions = order->instructions;
}

int equant_order_unpack(struct equant_order *order, int ranks, uint64_t number, uint64_t *clock,
			const void *message, size_t size, const char **fault)
{
	const char *at = message;
	struct head head;

	*fault = "it is too short";
	if (size < sizeof(head))
		return -EBADMSG;
	memcpy(&head, at, sizeof(head));
	at += sizeof(head);
	*fault = fault_of_head(&head, ranks, number, size);
	if (*fault)
		return -EBADMSG;
	memcpy(order->estimates, at, (size_t)ranks * sizeof(*order->estimates));
	at += (size_t)ranks * sizeof(*order->estimates);
	memcpy(order->instructions, at, (size_t)head.decision.count * sizeof(*order->instructions));
	*fault = fault_of_instructions(order->instructions, head.decision.count, ranks);
	if (*fault)
		return -EBADMSG;
	take_head(order, &head);
	*clock = head.clock;
	return 0;
}
