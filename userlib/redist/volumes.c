// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * How much who has for whom: what a sender has for a receiver is the product, over the
 * dimensions, of what their coordinates have for each other, so it is enough to go through the
 * pairs of coordinates that have anything.
 */
#include <errno.h>
#include <stdlib.h>

#include "redist/redist_internal.h"

#define BYTES ((int64_t)1 << 62)

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

/**
 * struct walk - the receivers of one sender
 * @array: what is redistributed
 * @pairs: of coordinates in each dimension
 * @from: the sender's coordinates
 * @strides: what a step in a dimension adds to the number of a receiver
 * @receivers: which ranks they are, or NULL
 * @rank: of the sender
 */
struct walk {
	const struct equant_redist_array *array;
	struct equant_redist_pairs pairs[EQUANT_REDIST_DIMENSIONS];
	int from[EQUANT_REDIST_DIMENSIONS];
	int strides[EQUANT_REDIST_DIMENSIONS];
	const int *receivers;
	int rank;
};

/* The dimension that varies as the @level-th slowest in the number of a receiver. */
static int dimension(const struct equant_redist_array *array, int level)
{
	return array->to_order == EQUANT_REDIST_ROW_MAJOR ? level : array->dimensions - 1 - level;
}

/* All receivers, in order, whose coordinates in the first @level dimensions make up @receiver. */
static int add_receivers(struct list *list, const struct walk *walk, int level, int receiver,
			 int64_t elements)
{
	int d, error = 0;

	if (level == walk->array->dimensions) {
		int to = walk->receivers ? walk->receivers[receiver] : receiver;

		return to == walk->rank ? 0 : append(list, walk->rank, to, elements);
	}
	d = dimension(walk->array, level);
	for (int64_t k = walk->pairs[d].starts[walk->from[d]];
	     k < walk->pairs[d].starts[walk->from[d] + 1] && !error; k++)
		error = add_receivers(list, walk, level + 1,
				      receiver + walk->pairs[d].to[k] * walk->strides[d],
				      elements * walk->pairs[d].elements[k]);
	return error;
}

static int add_all(struct list *list, struct walk *walk, const int *senders)
{
	const struct equant_redist_array *array = walk->array;
	int error = 0;

	for (int level = array->dimensions - 1, stride = 1; level >= 0; level--) {
		walk->strides[dimension(array, level)] = stride;
		stride *= array->to[dimension(array, level)].processes;
	}
	for (int p = 0; p < equant_redist_senders(array) && !error; p++) {
		walk->rank = senders ? senders[p] : p;
		for (int d = 0; d < array->dimensions; d++)
			walk->from[d] = equant_redist_sender_at(array, p, d);
		error = add_receivers(list, walk, 0, 0, 1);
	}
	return error;
}

static int fill(struct list *list, const struct equant_redist_array *array, const int *senders,
		const int *receivers)
{
	struct walk walk = { .array = array, .receivers = receivers };
	int error = 0;

	for (int d = 0; d < array->dimensions && !error; d++)
		error = equant_redist_pairs_init(&walk.pairs[d], array->extent[d], &array->from[d],
						 &array->to[d]);
	if (!error)
		error = add_all(list, &walk, senders);
	for (int d = 0; d < array->dimensions; d++)
		equant_redist_pairs_release(&walk.pairs[d]);
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
		error = list.volumes ? fill(&list, array, senders, receivers) : -ENOMEM;
	}
	if (error) {
		free(list.volumes);
		errno = -error;
		return NULL;
	}
	*count = list.count;
	return list.volumes;
}
