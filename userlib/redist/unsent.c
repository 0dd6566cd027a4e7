// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What senders have not sent yet, and which of it goes next: to the receiver that is free first;
 * or, with keys, of all that are for receivers who are free already what has the least key.
 *
 * Where senders have messages for few of all receivers, each has a list that is looked through:
 * section 4.3's way, O(K) for a message.  Where they have messages for many, all receivers are
 * kept in the order in which they are free, and the first of them that a sender has something for
 * is near the beginning: about P / K ln K are looked at on average.
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

		unsent->list[k] = (struct equant_redist_entry){ m->to,
								(int)(k - costs->starts[m->from]),
								equant_redist_time(m) };
	}
	return 0;
}

static inline double lesser(double a, double b)
{
	return a < b ? a : b;
}

/*
 * When the first of @count receivers is free: without branches that nobody can predict, in chains
 * that do not wait for each other.
 */
static double first_time(const struct equant_redist_entry *list, int64_t count,
			 const double *free_at)
{
	double least[4] = { free_at[list->to], free_at[list->to], free_at[list->to],
			    free_at[list->to] };
	int64_t k = 0;

	for (; k + 4 <= count; k += 4) {
		least[0] = lesser(free_at[list[k].to], least[0]);
		least[1] = lesser(free_at[list[k + 1].to], least[1]);
		least[2] = lesser(free_at[list[k + 2].to], least[2]);
		least[3] = lesser(free_at[list[k + 3].to], least[3]);
	}
	for (; k < count; k++)
		least[0] = lesser(free_at[list[k].to], least[0]);
	return lesser(lesser(least[0], least[1]), lesser(least[2], least[3]));
}

/* The entry of the one that is free then, of equals the lowest rank. */
static struct equant_redist_entry *find_first(struct equant_redist_entry *list, int64_t count,
					      const double *free_at)
{
	double time = first_time(list, count, free_at);
	struct equant_redist_entry *best = NULL;

	for (int64_t k = 0; k < count; k++)
		if (free_at[list[k].to] == time && (!best || list[k].to < best->to))
			best = &list[k];
	return best;
}

/*
 * Of those that are free at @now the one with the least key, of equals the one that is free first;
 * or NULL.
 */
static struct equant_redist_entry *find_key(struct equant_redist_entry *list, int64_t count,
					    const double *free_at, double now, const double *keys)
{
	struct equant_redist_entry *best = NULL;

	for (int64_t k = 0; k < count; k++) {
		double x = free_at[list[k].to], key = keys[list[k].at];

		if (x > now)
			continue;
		if (!best || key < keys[best->at] ||
		    (key == keys[best->at] &&
		     (x < free_at[best->to] || (x == free_at[best->to] && list[k].to < best->to))))
			best = &list[k];
	}
	return best;
}

static struct equant_redist_entry take_listed(struct equant_redist_unsent *unsent,
					      const struct equant_redist_draft *draft, int sender)
{
	int64_t first = draft->costs->starts[sender], left = unsent->left[sender];
	struct equant_redist_entry *list = unsent->list + first, *best = NULL, taken;

	if (unsent->keys)
		best = find_key(list, left, draft->receive, draft->send[sender],
				unsent->keys + first);
	if (!best)
		best = find_first(list, left, draft->receive);
	taken = *best;
	*best = list[left - 1];
	return taken;
}

/* ---- many: a table ------------------------------------------------------------------------ */

static int fill_table(struct equant_redist_unsent *unsent, const struct equant_redist_costs *costs)
{
	size_t ranks = (size_t)costs->ranks;

	unsent->table = reallocarray(NULL, ranks * ranks, sizeof(*unsent->table));
	unsent->order = reallocarray(NULL, ranks, sizeof(*unsent->order));
	unsent->gets = calloc(ranks, sizeof(*unsent->gets));
	if (!unsent->table || !unsent->order || !unsent->gets)
		return -ENOMEM;
	for (size_t i = 0; i < ranks * ranks; i++)
		unsent->table[i] = -1;
	for (int64_t k = 0; k < costs->count; k++) {
		const struct equant_redist_message *m = &costs->messages[k];

		unsent->table[(size_t)m->from * ranks + (size_t)m->to] =
			(int)(k - costs->starts[m->from]);
		unsent->gets[m->to]++;
	}
	for (int j = 0; j < costs->ranks; j++)
		if (unsent->gets[j])
			unsent->order[unsent->receivers++] = equant_redist_free_at(0, j);
	return 0;
}

static struct equant_redist_entry take_from_table(struct equant_redist_unsent *unsent,
						  const struct equant_redist_draft *draft,
						  int sender)
{
	int *row = unsent->table + (size_t)sender * (size_t)unsent->ranks, best = -1, taken, to;
	struct equant_redist_free now = equant_redist_free_at(draft->send[sender], 0);
	int64_t first = draft->costs->starts[sender];

	for (int at = 0; at < unsent->receivers; at++) {
		const struct equant_redist_free *receiver = &unsent->order[at];

		if (best >= 0 && receiver->time > now.time)
			break;
		taken = row[receiver->rank];
		if (taken < 0)
			continue;
		if (best < 0 || unsent->keys[first + taken] <
					unsent->keys[first + row[unsent->order[best].rank]])
			best = at;
		if (!unsent->keys)
			break;
	}
	to = (int)unsent->order[best].rank;
	taken = row[to];
	row[to] = -1;
	unsent->at = best;
	return (struct equant_redist_entry){
		to, taken, equant_redist_time(&draft->costs->messages[first + taken])
	};
}

/*
 * The receiver that was taken last is free at @time: it goes to behind those that are free before,
 * or away if it gets no more.
 */
static void put_back(struct equant_redist_unsent *unsent, double time)
{
	struct equant_redist_free *next = unsent->order + unsent->at + 1;
	struct equant_redist_free taken = equant_redist_free_at(time, (int)next[-1].rank);
	int behind = 0, left = unsent->receivers - unsent->at - 1;
	bool last = --unsent->gets[taken.rank] == 0;

	if (last) {
		memmove(next - 1, next, (size_t)left * sizeof(*next));
		unsent->receivers--;
		return;
	}
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
			      const struct equant_redist_costs *costs, const double *keys)
{
	*unsent = (struct equant_redist_unsent){
		.ranks = costs->ranks,
		.keys = keys,
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
	free(unsent->gets);
}

int equant_redist_unsent_send(struct equant_redist_unsent *unsent,
			      struct equant_redist_draft *draft, int sender)
{
	struct equant_redist_entry taken = unsent->table ? take_from_table(unsent, draft, sender) :
							   take_listed(unsent, draft, sender);
	int error = equant_redist_send_whole(draft, sender, taken.to, taken.time);

	unsent->left[sender]--;
	if (unsent->table)
		put_back(unsent, draft->receive[taken.to]);
	return error;
}
