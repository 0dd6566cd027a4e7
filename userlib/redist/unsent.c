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

#define LOOKS 8 /* at once: as many as are written down below */
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

static uint64_t bits_of(double time)
{
	uint64_t bits;

	memcpy(&bits, &time, sizeof(bits));
	return bits;
}

static int make_tables(struct equant_redist_unsent *unsent)
{
	size_t ranks = (size_t)unsent->ranks, room = LOOKS;

	while (room < ranks)
		room *= LOOKS;
	unsent->room = (int)room;
	unsent->words = ranks / 64 + 1;
	unsent->time = reallocarray(NULL, ranks * ranks, sizeof(*unsent->time));
	if (unsent->keys)
		unsent->key = reallocarray(NULL, ranks * ranks, sizeof(*unsent->key));
	unsent->has = calloc(ranks * unsent->words, sizeof(*unsent->has));
	unsent->turns = reallocarray(NULL, room + LOOKS, sizeof(*unsent->turns));
	unsent->gets = calloc(ranks, sizeof(*unsent->gets));
	return unsent->time && (!unsent->keys || unsent->key) && unsent->has && unsent->turns &&
			       unsent->gets ?
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
			unsent->turns[unsent->receivers++] =
				(struct equant_redist_turn){ 0, (uint32_t)j };
	for (int at = unsent->receivers; at < unsent->room + LOOKS && !error; at++)
		unsent->turns[at] =
			(struct equant_redist_turn){ UINT64_MAX, (uint32_t)costs->ranks };
	return error;
}

/* 1 if there is a message for the receiver at a turn, or else 0 */
static inline unsigned int has(const uint64_t *bits, const struct equant_redist_turn *turn)
{
	return bits[turn->receiver / 64] >> turn->receiver % 64 & 1;
}

/*
 * The place of the first receiver that there is a message for.  Several are looked at before anything
 * is decided, as nobody could predict which it is.
 */
static int first_place(const struct equant_redist_unsent *unsent, const uint64_t *bits)
{
	const struct equant_redist_turn *turn = unsent->turns;
	unsigned int found;

	while (1) {
		found = has(bits, &turn[0]) | has(bits, &turn[1]) << 1 | has(bits, &turn[2]) << 2 |
			has(bits, &turn[3]) << 3 | has(bits, &turn[4]) << 4 |
			has(bits, &turn[5]) << 5 | has(bits, &turn[6]) << 6 |
			has(bits, &turn[7]) << 7;
		if (found)
			return (int)(turn - unsent->turns) + __builtin_ctz(found);
		turn += LOOKS;
	}
}

/* ... or, of those that are free at @now, that of the message with the least key */
static int place_by_key(const struct equant_redist_unsent *unsent, const uint64_t *bits,
			const double *keys, double now)
{
	const struct equant_redist_turn *turns = unsent->turns;
	int best = first_place(unsent, bits);
	uint64_t time = bits_of(now);

	for (int at = best + 1; turns[at].time <= time; at++)
		if (has(bits, &turns[at]) && keys[turns[at].receiver] < keys[turns[best].receiver])
			best = at;
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
	to = unsent->turns[unsent->at].receiver;
	bits[to / 64] &= ~(UINT64_C(1) << to % 64);
	return (struct equant_redist_entry){ .to = (int)to, .time = unsent->time[row + to] };
}

/*
 * How many turns are before @time.  Of some at equal distances it is found how many are, and so on
 * between two of them: looks that do not wait for each other, and as many each time, without a
 * branch.
 */
static int count_before(const struct equant_redist_unsent *unsent, uint64_t time)
{
	const struct equant_redist_turn *turn = unsent->turns;

	for (int part = unsent->room / LOOKS; part > 1; part /= LOOKS) {
		const struct equant_redist_turn *last = turn + part - 1;

		turn += part * ((last[0].time < time) + (last[part].time < time) +
				(last[2 * part].time < time) + (last[3 * part].time < time) +
				(last[4 * part].time < time) + (last[5 * part].time < time) +
				(last[6 * part].time < time));
	}
	return (int)(turn - unsent->turns) + (turn[0].time < time) + (turn[1].time < time) +
	       (turn[2].time < time) + (turn[3].time < time) + (turn[4].time < time) +
	       (turn[5].time < time) + (turn[6].time < time) + (turn[7].time < time);
}

/* The receiver that was taken last gets no more; what comes next is followed by nobody's turns. */
static void put_away(struct equant_redist_unsent *unsent)
{
	struct equant_redist_turn *turn = &unsent->turns[unsent->at];

	memmove(turn, turn + 1, (size_t)(unsent->receivers - unsent->at) * sizeof(*turn));
	unsent->receivers--;
}

/* It is free at @time: it goes to behind those that are free before. */
static void put_back(struct equant_redist_unsent *unsent, double time)
{
	struct equant_redist_turn *turns = unsent->turns;
	struct equant_redist_turn turn = { bits_of(time), turns[unsent->at].receiver };
	int at = unsent->at, to = count_before(unsent, turn.time) - 1;

	/* It is one of them itself, unless it is free as early as before. */
	to = to < at ? at : to;
	while (turns[to + 1].time == turn.time && turns[to + 1].receiver < turn.receiver)
		to++;
	memmove(&turns[at], &turns[at + 1], (size_t)(to - at) * sizeof(*turns));
	turns[to] = turn;
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
	free(unsent->turns);
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
