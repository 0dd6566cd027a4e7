// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Pieces in the order of their beginnings: there may be a million of them, and comparing them would
 * take longer than making most schedules.  They come nearly in order, so each is inserted a few
 * places before the end, and nothing else is done; where that takes too many moves, indices are dealt
 * out by one digit of the sender and of the beginning after the other, the least significant first (radix sort).
 *
 * Of those that begin at once the ones that take no time come first: behind a long one at the same
 * rank they would begin later than they do.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "redist/schedule.h"

#define DIGIT 11 /* bits */
#define DIGITS (1 << DIGIT)
#define FEW 64 /* are compared */
#define MOVES 8 /* per piece, of insertion */
#define TAKES_TIME (UINT32_C(1) << 31)

/**
 * struct entry - a piece that is being put in order
 * @begin: when it begins; as bits, which are in the order of the numbers as none is negative
 * @key: who sends, with the top bit if it takes time
 * @piece: its index
 */
struct entry {
	uint64_t begin;
	uint32_t key;
	uint32_t piece;
};

static uint32_t key_of(const struct equant_redist_piece *piece)
{
	return (uint32_t)piece->from | (piece->end > piece->begin ? TAKES_TIME : 0);
}

static int by_begin(const void *a, const void *b)
{
	const struct equant_redist_piece *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	if (key_of(x) != key_of(y))
		return key_of(x) < key_of(y) ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

static bool is_later(const struct equant_redist_piece *a, const struct equant_redist_piece *b)
{
	return a->begin > b->begin || (a->begin == b->begin && by_begin(a, b) > 0);
}

/* Most schedulers make pieces nearly in order; false: not nearly enough. */
static bool insert(struct equant_redist_piece *pieces, int64_t count)
{
	int64_t moves = MOVES * count;

	for (int64_t i = 1; i < count && moves > 0; i++) {
		struct equant_redist_piece piece = pieces[i];
		int64_t at = i;

		if (!is_later(&pieces[i - 1], &piece))
			continue;
		do {
			pieces[at] = pieces[at - 1];
			at--;
		} while (--moves > 0 && at && is_later(&pieces[at - 1], &piece));
		pieces[at] = piece;
	}
	return moves > 0;
}

static void compare(struct equant_redist_piece *pieces, int64_t count)
{
	if (count > 1)
		qsort(pieces, (size_t)count, sizeof(*pieces), by_begin);
}

static uint32_t digit(const struct entry *entry, bool of_begin, int shift)
{
	return (of_begin ? (uint32_t)(entry->begin >> shift) : entry->key >> shift) & (DIGITS - 1);
}

/* From @a to @b by one digit; false: all have the same, and nothing is done. */
static bool deal(const struct entry *a, struct entry *b, int64_t count, bool of_begin, int shift)
{
	uint32_t starts[DIGITS + 1] = { 0 };

	for (int64_t i = 0; i < count; i++)
		starts[digit(&a[i], of_begin, shift) + 1]++;
	if (starts[digit(a, of_begin, shift) + 1] == count)
		return false;
	for (int d = 0; d < DIGITS; d++)
		starts[d + 1] += starts[d];
	for (int64_t i = 0; i < count; i++)
		b[starts[digit(&a[i], of_begin, shift)]++] = a[i];
	return true;
}

/* Return: where the entries are in order, @a or @b. */
static struct entry *deal_all(struct entry *a, struct entry *b, int64_t count)
{
	for (int of_begin = 0; of_begin < 2; of_begin++) {
		for (int shift = 0; shift < (of_begin ? 64 : 32); shift += DIGIT) {
			struct entry *swap = a;

			if (!deal(a, b, count, of_begin, shift))
				continue;
			a = b;
			b = swap;
		}
	}
	return a;
}

/* Those of one sender that begin at once and take no time. */
static void settle_ties(struct equant_redist_piece *pieces, int64_t count)
{
	int64_t first = 0;

	for (int64_t i = 1; i <= count; i++) {
		if (i < count && pieces[i].begin == pieces[first].begin &&
		    key_of(&pieces[i]) == key_of(&pieces[first]))
			continue;
		compare(pieces + first, i - first);
		first = i;
	}
}

/* Piece entries[i].piece goes to place i, in circles. */
static void move(struct equant_redist_piece *pieces, struct entry *entries, int64_t count)
{
	for (int64_t i = 0; i < count; i++) {
		struct equant_redist_piece first = pieces[i];
		int64_t at = i, next;

		while ((next = entries[at].piece) != i) {
			pieces[at] = pieces[next];
			entries[at].piece = (uint32_t)at;
			at = next;
		}
		pieces[at] = first;
		entries[at].piece = (uint32_t)at;
	}
}

int equant_redist_order(struct equant_redist_schedule *schedule)
{
	int64_t count = schedule->count;
	struct equant_redist_piece *pieces = schedule->pieces;
	struct entry *entries, *at;

	if (insert(pieces, count))
		return 0;
	if (count < FEW || count > UINT32_MAX) {
		compare(pieces, count);
		return 0;
	}
	entries = reallocarray(NULL, 2 * (size_t)count, sizeof(*entries));
	if (!entries)
		return -ENOMEM;
	for (int64_t i = 0; i < count; i++) {
		entries[i].key = key_of(&pieces[i]);
		entries[i].piece = (uint32_t)i;
		memcpy(&entries[i].begin, &pieces[i].begin, sizeof(entries[i].begin));
	}
	at = deal_all(entries, entries + count, count);
	move(pieces, at, count);
	free(entries);
	settle_ties(pieces, count);
	return 0;
}
