// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Is a schedule one?  From the definition of the timing diagram alone: Bhat, Prasanna,
 * Raghavendra, section 4.2.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "redist/schedule.h"

#define ROUNDING 1e-9

int64_t equant_redist_message_of(const struct equant_redist_costs *costs,
				 const struct equant_redist_piece *piece)
{
	if (piece->from < 0 || piece->from >= costs->ranks)
		return -1;
	for (int64_t low = costs->starts[piece->from], high = costs->starts[piece->from + 1];
	     low < high;) {
		int64_t middle = low + (high - low) / 2;

		if (costs->messages[middle].to == piece->to)
			return middle;
		if (costs->messages[middle].to < piece->to)
			low = middle + 1;
		else
			high = middle;
	}
	return -1;
}

static int check_piece(const struct equant_redist_piece *piece,
		       const struct equant_redist_message *message, double makespan, char *why,
		       size_t why_size)
{
	double slack = ROUNDING * makespan;
	double takes = message->startup + piece->share * message->data;

	if (!(piece->share > 0 && piece->share <= 1 + ROUNDING))
		return equant_redist_refuse(-EINVAL, why, why_size,
					    "a piece of %g of the message from %d to %d",
					    piece->share, piece->from, piece->to);
	if (!(piece->begin >= 0 && piece->end <= makespan + slack))
		return equant_redist_refuse(-EINVAL, why, why_size,
					    "from %d to %d: from %g to %g s of %g", piece->from,
					    piece->to, piece->begin, piece->end, makespan);
	if (!(fabs(piece->end - piece->begin - takes) <= slack))
		return equant_redist_refuse(-EINVAL, why, why_size,
					    "from %d to %d: %g s for what takes %g", piece->from,
					    piece->to, piece->end - piece->begin, takes);
	return 0;
}

static int check_pieces(const struct equant_redist_schedule *schedule,
			const struct equant_redist_costs *costs, double *sent, char *why,
			size_t why_size)
{
	for (int64_t i = 0; i < schedule->count; i++) {
		const struct equant_redist_piece *piece = &schedule->pieces[i];
		int64_t message = equant_redist_message_of(costs, piece);
		int error;

		if (message < 0)
			return equant_redist_refuse(-EINVAL, why, why_size,
						    "no message is from %d to %d", piece->from,
						    piece->to);
		error = check_piece(piece, &costs->messages[message], schedule->makespan, why,
				    why_size);
		if (error)
			return error;
		sent[message] += piece->share;
	}
	for (int64_t k = 0; k < costs->count; k++)
		if (!(fabs(sent[k] - 1) <= ROUNDING))
			return equant_redist_refuse(-EINVAL, why, why_size,
						    "%g of the message from %d to %d is sent",
						    sent[k], costs->messages[k].from,
						    costs->messages[k].to);
	return 0;
}

static int by_time(const struct equant_redist_piece *x, const struct equant_redist_piece *y)
{
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

static int by_sender(const void *a, const void *b)
{
	const struct equant_redist_piece *x = a, *y = b;

	return x->from != y->from ? (x->from < y->from ? -1 : 1) : by_time(x, y);
}

static int by_receiver(const void *a, const void *b)
{
	const struct equant_redist_piece *x = a, *y = b;

	return x->to != y->to ? (x->to < y->to ? -1 : 1) : by_time(x, y);
}

/* No two at once, at any sender or at any receiver. */
static int check_ranks(struct equant_redist_piece *pieces, int64_t count, bool senders,
		       double makespan, char *why, size_t why_size)
{
	if (count)
		qsort(pieces, (size_t)count, sizeof(*pieces), senders ? by_sender : by_receiver);
	for (int64_t i = 1; i < count; i++) {
		const struct equant_redist_piece *before = &pieces[i - 1], *piece = &pieces[i];
		bool same = senders ? before->from == piece->from : before->to == piece->to;

		if (same && piece->begin < before->end - ROUNDING * makespan)
			return equant_redist_refuse(
				-EINVAL, why, why_size,
				"rank %d %s two messages at %g s: from %d to %d and from %d to %d",
				senders ? piece->from : piece->to, senders ? "sends" : "receives",
				piece->begin, before->from, before->to, piece->from, piece->to);
	}
	return 0;
}

int equant_redist_schedule_check(const struct equant_redist_schedule *schedule,
				 const struct equant_redist_costs *costs, char *why,
				 size_t why_size)
{
	double *sent = calloc((size_t)costs->count + 1, sizeof(*sent));
	struct equant_redist_piece *pieces = calloc((size_t)schedule->count + 1, sizeof(*pieces));
	int error = -ENOMEM;

	if (sent && pieces)
		error = check_pieces(schedule, costs, sent, why, why_size);
	if (!error && schedule->count)
		memcpy(pieces, schedule->pieces, (size_t)schedule->count * sizeof(*pieces));
	for (int senders = 0; senders < 2 && !error; senders++)
		error = check_ranks(pieces, schedule->count, senders, schedule->makespan, why,
				    why_size);
	free(sent);
	free(pieces);
	return error;
}
