// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What senders have not sent yet, and which of it goes to the receiver that is free first.
 *
 * Where senders have messages for few of all receivers, each has a list that is looked through: section
 * 4.3's way, O(K) for a message.  Where they have messages for many, all receivers are kept in the order
 * in which they are free, and the first of them that a sender has something for is near the beginning:
 * about P / K ln K are looked at on average.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "redist/unsent.h"

#define MANY 4 /* one receiver in so many has something to get from a sender: many */

/* ---- few: lists -------------------------------------------------------------------------- */

static int fill_lists(struct equant_redist_unsent *unsent, const struct equant_redist_costs *costs)
{
	unsent->list = calloc((size_t)costs->count + 1, sizeof(*unsent->list));
	if (!unsent->list)
		return -ENOMEM;
	for (int64_t k = 0; k < costs->count; k++) {
		const struct equant_redist_message *m = &costs->messages[k];

		unsent->list[k].to = m->to;
		unsent->list[k].at = (int)(k - costs->starts[m->from]);
	}
	return 0;
}

static int64_t take_listed(struct equant_redist_unsent *unsent,
			   const struct equant_redist_draft *draft, int sender)
{
	struct equant_redist_entry *list = unsent->list + draft->costs->starts[sender], taken;
	int64_t left = unsent->left[sender], best = 0;
	double earliest = draft->receive[list[0].to];

	for (int64_t k = 1; k < left; k++) {
		double free_at = draft->receive[list[k].to];

		if (free_at > earliest || (free_at == earliest && list[k].to > list[best].to))
			continue;
		earliest = free_at;
		best = k;
	}
	taken = list[best];
	list[best] = list[left - 1];
	return draft->costs->starts[sender] + taken.at;
}

/* ---- many: a table ------------------------------------------------------------------------ */

static int fill_table(struct equant_redist_unsent *unsent, const struct equant_redist_costs *costs)
{
	size_t ranks = (size_t)costs->ranks;

	unsent->table = reallocarray(NULL, ranks * ranks, sizeof(*unsent->table));
	unsent->order = reallocarray(NULL, ranks, sizeof(*unsent->order));
	if (!unsent->table || !unsent->order)
		return -ENOMEM;
	for (size_t i = 0; i < ranks * ranks; i++)
		unsent->table[i] = -1;
	for (int64_t k = 0; k < costs->count; k++) {
		const struct equant_redist_message *m = &costs->messages[k];

		unsent->table[(size_t)m->from * ranks + (size_t)m->to] =
			(int)(k - costs->starts[m->from]);
	}
	for (int j = 0; j < costs->ranks; j++)
		unsent->order[j] = equant_redist_free_at(0, j);
	return 0;
}

static int64_t take_from_table(struct equant_redist_unsent *unsent,
			       const struct equant_redist_draft *draft, int sender)
{
	int *row = unsent->table + (size_t)sender * (size_t)unsent->ranks, at = 0, taken;

	while (row[unsent->order[at].rank] < 0)
		at++;
	taken = row[unsent->order[at].rank];
	row[unsent->order[at].rank] = -1;
	unsent->at = at;
	return draft->costs->starts[sender] + taken;
}

/* The receiver that was taken last is free later now: it goes to behind those that are free before. */
static void put_back(struct equant_redist_unsent *unsent, double time)
{
	struct equant_redist_free *next = unsent->order + unsent->at + 1;
	struct equant_redist_free taken = equant_redist_free_at(time, (int)next[-1].rank);
	int behind = 0, left = unsent->ranks - unsent->at - 1;

	while (left) {
		int half = (left + 1) / 2;

		behind += equant_redist_before(&next[behind + half - 1], &taken) ? half : 0;
		left -= half;
	}
	memmove(next - 1, next, (size_t)behind * sizeof(*next));
	next[behind - 1] = taken;
}

/* ---- either ------------------------------------------------------------------------------- */

int equant_redist_unsent_init(struct equant_redist_unsent *unsent,
			      const struct equant_redist_costs *costs)
{
	*unsent = (struct equant_redist_unsent){
		.ranks = costs->ranks,
		.left = calloc((size_t)costs->ranks, sizeof(*unsent->left)),
	};
	if (!unsent->left)
		return -ENOMEM;
	for (int i = 0; i < costs->ranks; i++)
		unsent->left[i] = costs->starts[i + 1] - costs->starts[i];
	if (costs->count < (int64_t)costs->ranks * costs->ranks / MANY)
		return fill_lists(unsent, costs);
	return fill_table(unsent, costs);
}

void equant_redist_unsent_release(struct equant_redist_unsent *unsent)
{
	free(unsent->left);
	free(unsent->list);
	free(unsent->table);
	free(unsent->order);
}

int equant_redist_unsent_send(struct equant_redist_unsent *unsent,
			      struct equant_redist_draft *draft, int sender)
{
	int64_t message = unsent->table ? take_from_table(unsent, draft, sender) :
					  take_listed(unsent, draft, sender);
	int error = equant_redist_send(draft, &draft->costs->messages[message], 1, 0);

	unsent->left[sender]--;
	if (unsent->table)
		put_back(unsent, draft->receive[draft->costs->messages[message].to]);
	return error;
}
