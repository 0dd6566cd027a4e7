// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Who has anything for whom in one dimension.  Of thousands of processes few have, and most of
 * the pairs that have nothing are never looked at.
 *
 * Let blocks of sender p begin at a + i x P, those of receiver q at b + j y Q, and g = gcd(x P, y
 * Q).  The distances of their blocks are all numbers congruent to b - a modulo g, and blocks have
 * elements in common at distances from 1 - y to x - 1.  So receivers are put in the order of b
 * modulo g, and for each sender those from a + 1 - y to a + x - 1 are counted; an array that is
 * short may have nothing even for them.
 */
#include <errno.h>
#include <stdlib.h>

#include "redist/redist_internal.h"

/* A receiver and where its blocks begin, modulo g. */
struct place {
	int64_t at;
	int receiver;
};

/**
 * struct search - the pairs of one dimension while they are looked for
 * @pattern: of all pairs
 * @from: the senders' side
 * @to: the receivers' side
 * @places: receivers in the order of their places
 * @room: for so many pairs there is memory
 * @count: pairs so far
 */
struct search {
	struct equant_redist_pattern pattern;
	const struct equant_redist_cyclic *from;
	const struct equant_redist_cyclic *to;
	struct place *places;
	int64_t room;
	int64_t count;
};

static int by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->receiver - y->receiver;
}

static int by_receiver(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static int64_t modulo(int64_t a, int64_t m)
{
	a %= m;
	return a < 0 ? a + m : a;
}

static int make_places(struct search *search)
{
	int receivers = search->to->processes;

	search->places = reallocarray(NULL, (size_t)receivers, sizeof(*search->places));
	if (!search->places)
		return -ENOMEM;
	for (int q = 0; q < receivers; q++)
		search->places[q] = (struct place){
			modulo(equant_redist_begin(search->to, q), search->pattern.gcd), q
		};
	qsort(search->places, (size_t)receivers, sizeof(*search->places), by_place);
	return 0;
}

/* The first place at or behind @at. */
static int first_from(const struct search *search, int64_t at)
{
	int low = 0, high = search->to->processes;

	while (low < high) {
		int middle = low + (high - low) / 2;

		if (search->places[middle].at < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Who is at one of @width places from @at on, in a circle; their number. */
static int near(const struct search *search, int64_t at, int64_t width, int *receivers)
{
	int all = search->to->processes, count = 0;
	int first = first_from(search, modulo(at, search->pattern.gcd));

	for (int i = 0; i < all; i++) {
		const struct place *place = &search->places[(first + i) % all];

		if (modulo(place->at - at, search->pattern.gcd) >= width)
			break;
		receivers[count++] = place->receiver;
	}
	if (count)
		qsort(receivers, (size_t)count, sizeof(*receivers), by_receiver);
	return count;
}

static int candidates(const struct search *search, int sender, int *receivers)
{
	int64_t width = search->from->block + search->to->block - 1;
	int all = search->to->processes;

	if (width < search->pattern.gcd)
		return near(search,
			    equant_redist_begin(search->from, sender) + 1 - search->to->block,
			    width, receivers);
	for (int q = 0; q < all; q++)
		receivers[q] = q;
	return all;
}

static int append(struct equant_redist_pairs *pairs, struct search *search, int to,
		  int64_t elements)
{
	if (search->count == search->room) {
		int64_t room = 2 * search->room + 16;
		int *receivers = reallocarray(pairs->to, (size_t)room, sizeof(*receivers));
		int64_t *numbers;

		if (!receivers)
			return -ENOMEM;
		pairs->to = receivers;
		numbers = reallocarray(pairs->elements, (size_t)room, sizeof(*numbers));
		if (!numbers)
			return -ENOMEM;
		pairs->elements = numbers;
		search->room = room;
	}
	pairs->to[search->count] = to;
	pairs->elements[search->count++] = elements;
	return 0;
}

static int look(struct equant_redist_pairs *pairs, struct search *search)
{
	int *receivers = calloc((size_t)search->to->processes, sizeof(*receivers));
	int error = receivers ? 0 : -ENOMEM;

	for (int p = 0; p < search->from->processes && !error; p++) {
		int count = candidates(search, p, receivers);

		for (int i = 0; i < count && !error; i++) {
			int64_t elements =
				equant_redist_pattern_count(&search->pattern, p, receivers[i]);

			if (elements)
				error = append(pairs, search, receivers[i], elements);
		}
		pairs->starts[p + 1] = search->count;
	}
	free(receivers);
	return error;
}

int equant_redist_pairs_init(struct equant_redist_pairs *pairs, int64_t elements,
			     const struct equant_redist_cyclic *from,
			     const struct equant_redist_cyclic *to)
{
	struct search search = { .places = NULL };
	int error;

	*pairs = (struct equant_redist_pairs){
		.starts = calloc((size_t)from->processes + 1, sizeof(*pairs->starts)),
	};
	if (!pairs->starts)
		return -ENOMEM;
	equant_redist_pattern_init(&search.pattern, elements, from, to);
	search.from = search.pattern.swapped ? &search.pattern.coarse : &search.pattern.fine;
	search.to = search.pattern.swapped ? &search.pattern.fine : &search.pattern.coarse;
	error = make_places(&search);
	if (!error)
		error = look(pairs, &search);
	free(search.places);
	return error;
}

void equant_redist_pairs_release(struct equant_redist_pairs *pairs)
{
	free(pairs->starts);
	free(pairs->to);
	free(pairs->elements);
}
