/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Random block-cyclic arrays of the tests, and where their elements are by definition. */
#ifndef TESTS_ARRAYS_H
#define TESTS_ARRAYS_H

#include <stdbool.h>
#include <stdint.h>

#include <equant/redist.h>

#include "random.h"

#define ARRAYS_CELLS 3000 /* elements redistributed, at most */

static inline struct equant_redist_cyclic random_cyclic(struct random *random, int most)
{
	struct equant_redist_cyclic cyclic = {
		.block = 1 + random_below(random, random_below(random, 8) ? 6 : 250),
		.processes = 1 + (int)random_below(random, most),
	};

	cyclic.first = (int)random_below(random, cyclic.processes);
	cyclic.offset = random_below(random, 3) ? 0 : random_below(random, 5);
	return cyclic;
}

/* On up to @processes senders and as many receivers; one in 20 has no elements. */
static inline void random_array(struct random *random, struct equant_redist_array *array,
				int processes)
{
	int64_t cells = ARRAYS_CELLS;
	int senders = processes, receivers = processes;
	long empty;

	array->dimensions = 1 + (int)random_below(random, EQUANT_REDIST_DIMENSIONS);
	empty = random_below(random, 20) ? -1 : random_below(random, array->dimensions);
	array->from_order = (enum equant_redist_order)random_below(random, 2);
	array->to_order = (enum equant_redist_order)random_below(random, 2);
	for (int d = 0; d < array->dimensions; d++) {
		long most = array->dimensions > 4 ? 5 : array->dimensions > 2 ? 14 : 200;

		most = cells < most ? cells : most;
		array->extent[d] = d == empty ? 0 : 1 + random_below(random, most);
		cells /= array->extent[d] ? array->extent[d] : 1;
		array->from[d] = random_cyclic(random, senders);
		array->to[d] = random_cyclic(random, receivers);
		senders /= array->from[d].processes;
		receivers /= array->to[d].processes;
	}
}

/* Strides of a local array with gaps, in any order of dimensions.  Return: its elements. */
static inline int64_t lay_out(struct random *random, const struct equant_redist_array *array,
			      bool sends, int process, int64_t *strides)
{
	int64_t size = 1;
	bool first = random_below(random, 2);

	for (int i = 0; i < array->dimensions; i++) {
		int d = first ? i : array->dimensions - 1 - i;
		const struct equant_redist_cyclic *c = sends ? &array->from[d] : &array->to[d];
		int at = sends ? equant_redist_sender_at(array, process, d) :
				 equant_redist_receiver_at(array, process, d);
		int64_t length = equant_redist_local(array->extent[d], c, at);

		strides[d] = size;
		size *= (length ? length : 1) + (random_below(random, 4) ? 0 : 1);
	}
	return size;
}

/* The process that has the element at @index, and where: the grid's definition, spelt out. */
static inline int owner(const struct equant_redist_array *array, bool sends, const int64_t *index,
			const int64_t strides[][EQUANT_REDIST_DIMENSIONS], int64_t *at)
{
	enum equant_redist_order order = sends ? array->from_order : array->to_order;
	int64_t local[EQUANT_REDIST_DIMENSIONS];
	int process = 0;

	for (int i = 0; i < array->dimensions; i++) {
		int d = order == EQUANT_REDIST_ROW_MAJOR ? i : array->dimensions - 1 - i;
		const struct equant_redist_cyclic *c = sends ? &array->from[d] : &array->to[d];
		int64_t g = c->offset + index[d], block = g / c->block;

		process = process * c->processes + (int)((c->first + block) % c->processes);
		local[d] = block / c->processes * c->block + g % c->block;
	}
	*at = 0;
	for (int d = 0; d < array->dimensions; d++)
		*at += local[d] * strides[process][d];
	return process;
}

static inline bool next_index(const struct equant_redist_array *array, int64_t *index)
{
	for (int d = 0; d < array->dimensions; d++) {
		if (++index[d] < array->extent[d])
			return true;
		index[d] = 0;
	}
	return false;
}

#endif /* TESTS_ARRAYS_H */
