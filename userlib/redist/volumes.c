// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * How much who has for whom: what a sender has for a receiver is the product, over the
 * dimensions, of what their coordinates have for each other, and a dimension has few pairs of
 * coordinates where there are many pairs of ranks.  So those are counted first.
 */
#include <errno.h>
#include <stdlib.h>

#include "redist/redist_internal.h"

#define BYTES ((int64_t)1 << 62)

/* Elements of each pair of coordinates in each dimension. */
struct tables {
	int64_t *pairs[EQUANT_REDIST_DIMENSIONS];
};

static int64_t *count_pairs(int64_t elements, const struct equant_redist_cyclic *from,
			    const struct equant_redist_cyclic *to)
{
	int64_t *pairs =
		reallocarray(NULL, (size_t)from->processes * (size_t)to->processes, sizeof(*pairs));
	struct equant_redist_pattern pattern;

	equant_redist_pattern_init(&pattern, elements, from, to);
	for (int p = 0; pairs && p < from->processes; p++)
		for (int q = 0; q < to->processes; q++)
			pairs[(size_t)p * (size_t)to->processes + (size_t)q] =
				equant_redist_pattern_count(&pattern, p, q);
	return pairs;
}

static int64_t elements_of(const struct equant_redist_array *array, const struct tables *tables,
			   int sender, int receiver)
{
	int64_t elements = 1;

	for (int d = 0; d < array->dimensions && elements; d++) {
		size_t p = (size_t)equant_redist_sender_at(array, sender, d);
		size_t q = (size_t)equant_redist_receiver_at(array, receiver, d);

		elements *= tables->pairs[d][p * (size_t)array->to[d].processes + q];
	}
	return elements;
}

/**
 * struct list - volumes as they come
 * @element: bytes
 * @volumes: so far
 * @count: of them
 * @room: for so many there is memory
 */
struct list {
	size_t element;
	struct equant_redist_volume *volumes;
	int64_t count;
	int64_t room;
};

static int append(struct list *list, int from, int to, int64_t elements)
{
	if (list->element > (size_t)(BYTES / elements))
		return -EOVERFLOW;
	if (list->count == list->room) {
		int64_t room = 2 * list->room + 16;
		struct equant_redist_volume *more =
			reallocarray(list->volumes, (size_t)room, sizeof(*more));

		if (!more)
			return -ENOMEM;
		list->volumes = more;
		list->room = room;
	}
	list->volumes[list->count++] =
		(struct equant_redist_volume){ from, to, elements * (int64_t)list->element };
	return 0;
}

static int fill(struct list *list, const struct equant_redist_array *array,
		const struct tables *tables, const int *senders, const int *receivers)
{
	int p_count = equant_redist_senders(array), q_count = equant_redist_receivers(array);
	int error = 0;

	for (int p = 0; p < p_count; p++) {
		for (int q = 0; q < q_count && !error; q++) {
			int from = senders ? senders[p] : p, to = receivers ? receivers[q] : q;
			int64_t elements = elements_of(array, tables, p, q);

			if (elements && from != to)
				error = append(list, from, to, elements);
		}
	}
	return error;
}

static int count_all(struct list *list, const struct equant_redist_array *array, const int *senders,
		     const int *receivers)
{
	struct tables tables = { { NULL } };
	int error = 0;

	for (int d = 0; d < array->dimensions && !error; d++) {
		tables.pairs[d] = count_pairs(array->extent[d], &array->from[d], &array->to[d]);
		error = tables.pairs[d] ? 0 : -ENOMEM;
	}
	if (!error)
		error = fill(list, array, &tables, senders, receivers);
	for (int d = 0; d < array->dimensions; d++)
		free(tables.pairs[d]);
	return error;
}

struct equant_redist_volume *equant_redist_volumes(const struct equant_redist_array *array,
						   size_t element, const int *senders,
						   const int *receivers, int64_t *count)
{
	struct list list = { .element = element, .room = 16 };
	int error = element ? equant_redist_array_check(array, NULL, 0) : -EINVAL;

	*count = 0;
	if (!error) {
		list.volumes = calloc((size_t)list.room, sizeof(*list.volumes));
		error = list.volumes ? count_all(&list, array, senders, receivers) : -ENOMEM;
	}
	if (error) {
		free(list.volumes);
		errno = -error;
		return NULL;
	}
	*count = list.count;
	return list.volumes;
}
