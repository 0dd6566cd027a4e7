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

#define LOOKS 8 /* at once */
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

static int make_tables(struct equant_redist_unsent *unsent)
{
	size_t ranks = (size_t)unsent->ranks;

	unsent->words = ranks / 64 + 1;
	unsent->time = reallocarray(NULL, ranks * ranks, sizeof(*unsent->time));
	if (unsent->keys)
		unsent->key = reallocarray(NULL, ranks * ranks, sizeof(*unsent->key));
	unsent->has = calloc(ranks * unsent->words, sizeof(*unsent->has));
	unsent->receiver = calloc(ranks + LOOKS, sizeof(*unsent->receiver));
	unsent->free_at = calloc(ranks, sizeof(*unsent->free_at));
	unsent->gets = calloc(ranks, sizeof(*unsent->gets));
	return unsent->time && (!unsent->keys || unsent->key) && unsent->has && unsent->receiver &&
			       unsent->free_at && unsent->gets ?
		       0 :
		       -ENOMEM;
}

static int fill_tables(struct equant_redist_unsent *unsent, const struct equant_redist_costs *costs)
{
	int error = make_tables(unsent);
	uint64_t *word;

	for (int64_t k = 0; k < costs->count && !error; k++) {
		const struct equant_redist_message *m = &costs->messages[k];
		size_t at = (size_t)m->from * (size_t)unsent->ranks + (size_t)m->to;

		unsent->time[at] = equant_redist_time(m);
		if (unsent->keys)
			unsent->key[at] = unsent->keys[k];
		word = &unsent->has[(size_t)m->from * unsent->words + (size_t)m->to / 64];
		*word |= UINT64_C(1) << m->to % 64;
		unsent->gets[m->to]++;
	}
	for (int j = 0; j < costs->ranks && !error; j++)
		if (unsent->gets[j])
			unsent->receiver[unsent->receivers++] = (uint32_t)j;
	for (int i = 0; i < LOOKS && !error; i++)
		unsent->receiver[unsent->receivers + i] = (uint32_t)costs->ranks;
	return error;
}

static unsigned int has(const uint64_t *bits, uint32_t receiver)
{
	return bits[receiver / 64] >> receiver % 64 & 1;
}

/*
 * The place of the first receiver that there is a message for.  Several are looked at before anything
 * is decided, as nobody could predict which it is.
 */
static int first_place(const struct equant_redist_unsent *unsent, const uint64_t *bits)
{
	const uint32_t *receiver = unsent->receiver;
	unsigned int found;
	int at = -LOOKS;

	do {
		at += LOOKS;
		found = 0;
		for (int i = 0; i < LOOKS; i++)
			found |= has(bits, receiver[at + i]) << i;
	} while (!found);
	return at + __builtin_ctz(found);
}

/* ... or, of those that are free at @now, that of the message with the least key */
static int place_by_key(const struct equant_redist_unsent *unsent, const uint64_t *bits,
			const double *keys, double now)
{
	int best = first_place(unsent, bits);

	for (int at = best + 1; at < unsent->receivers && unsent->free_at[at] <= now; at++) {
		uint32_t receiver = unsent->receiver[at];

		if (has(bits, receiver) && keys[receiver] < keys[unsent->receiver[best]])
			best = at;
	}
	return best;
}

static struct equant_redist_entry take_from_table(struct equant_redist_unsent *unsent,
						  const struct equant_redist_draft *draft,
						  int sender)
{
	size_t row = (size_t)sender * (size_t)unsent->ranks;
	uint64_t *bits = unsent->has + (size_t)sender * unsent->words;
	uint32_t to;

	unsent->at = unsent->keys ?
			     place_by_key(unsent, bits, unsent->key + row, draft->send[sender]) :
			     first_place(unsent, bits);
	to = unsent->receiver[unsent->at];
	bits[to / 64] &= ~(UINT64_C(1) << to % 64);
	return (struct equant_redist_entry){ .to = (int)to, .time = unsent->time[row + to] };
}

/*
 * How many of @free_at, which ascend, are before @time.  Of some at equal distances it is found how many are, and
 * so on between two of them: looks that do not wait for each other, and as many steps each time,
 * which can be predicted.
 */
static int count_before(const double *free_at, int count, double time)
{
	int before = 0;

	for (int part = count / LOOKS; part; part = count / LOOKS) {
		int found = 0;

		for (int i = 1; i < LOOKS; i++)
			found += free_at[before + i * part - 1] < time;
		before += found * part;
		count -= (LOOKS - 1) * part;
	}
	free_at += before;
	for (int i = 0; i < count; i++)
		before += free_at[i] < time;
	return before;
}

/* The receiver that was taken last gets no more. */
static void put_away(struct equant_redist_unsent *unsent)
{
	int at = unsent->at, left = --unsent->receivers - at;

	/* With one of those behind all. */
	memmove(&unsent->receiver[at], &unsent->receiver[at + 1],
		(size_t)(left + 1) * sizeof(*unsent->receiver));
	memmove(&unsent->free_at[at], &unsent->free_at[at + 1],
		(size_t)left * sizeof(*unsent->free_at));
}

/* It is free at @time: it goes to behind those that are free before. */
static void put_back(struct equant_redist_unsent *unsent, double time)
{
	int at = unsent->at, to = count_before(unsent->free_at, unsent->receivers, time) - 1;
	uint32_t receiver = unsent->receiver[at];

	/* It is one of them itself, unless it is free as early as before. */
	to = to < at ? at : to;
	while (to + 1 < unsent->receivers && unsent->free_at[to + 1] == time &&
	       unsent->receiver[to + 1] < receiver)
		to++;
	memmove(&unsent->receiver[at], &unsent->receiver[at + 1],
		(size_t)(to - at) * sizeof(*unsent->receiver));
	memmove(&unsent->free_at[at], &unsent->free_at[at + 1],
		(size_t)(to - at) * sizeof(*unsent->free_at));
	unsent->receiver[to] = receiver;
	unsent->free_at[to] = time;
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
	return fill_tables(unsent, costs);
}

void equant_redist_unsent_release(struct equant_redist_unsent *unsent)
{
	free(unsent->left);
	free(unsent->list);
	free(unsent->time);
	free(unsent->key);
	free(unsent->has);
	free(unsent->receiver);
	free(unsent->free_at);
	free(unsent->gets);
}

int equant_redist_unsent_send(struct equant_redist_unsent *unsent,
			      struct equant_redist_draft *draft, int sender)
{
	struct equant_redist_entry taken = unsent->list ? take_listed(unsent, draft, sender) :
							  take_from_table(unsent, draft, sender);
	int error = equant_redist_send_whole(draft, sender, taken.to, taken.time);

	unsent->left[sender]--;
	if (unsent->list)
		return error;
	if (--unsent->gets[taken.to])
		put_back(unsent, draft->receive[taken.to]);
	else
		put_away(unsent);
	return error;
}
