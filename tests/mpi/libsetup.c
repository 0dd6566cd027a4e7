// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <stdlib.h>
#include <string.h>

#include "libsetup.h"
#include "libworker.h"

static int position(const int *list, int count)
{
	for (int i = 0; i < count; i++)
		if (list[i] == rank)
			return i;
	return -1;
}

static unsigned char *filled(size_t bytes, int value)
{
	unsigned char *memory = malloc(bytes);

	demand(memory);
	memset(memory, value, bytes);
	return memory;
}

bool setup_make(struct setup *s, struct random *random)
{
	int64_t all = 0;

	s->element = 1 + (size_t)random_below(random, 40);
	for (int p = 0; p < equant_redist_senders(&s->array); p++)
		all += s->from_size[p] = lay_out(random, &s->array, true, p, s->from_strides[p]);
	for (int q = 0; q < equant_redist_receivers(&s->array); q++)
		all += s->to_size[q] = lay_out(random, &s->array, false, q, s->to_strides[q]);
	if (all > 60000)
		return false;
	s->sender = position(s->senders, equant_redist_senders(&s->array));
	s->receiver = position(s->receivers, equant_redist_receivers(&s->array));
	s->from = s->to = s->expected = NULL;
	if (s->sender >= 0)
		s->from = filled((size_t)s->from_size[s->sender] * s->element, 0x55);
	if (s->receiver >= 0) {
		s->to = filled((size_t)s->to_size[s->receiver] * s->element, UNTOUCHED);
		s->expected = filled((size_t)s->to_size[s->receiver] * s->element, UNTOUCHED);
	}
	return true;
}

void setup_random(struct setup *s, struct random *random)
{
	do
		random_array(random, &s->array, ranks);
	while (!setup_make(s, random));
}

void setup_free(struct setup *s)
{
	free(s->from);
	free(s->to);
	free(s->expected);
}

/* Bytes that tell elements, and runs, from each other. */
static void fill_element(unsigned char *at, size_t size, int64_t number, uint64_t run)
{
	struct random random = random_from((uint64_t)number << 8 | run);

	for (size_t i = 0; i < size; i++)
		at[i] = (unsigned char)random_next(&random);
}

/* Element by element, from the definition of the distributions. */
void setup_fill(struct setup *s, uint64_t run)
{
	int64_t index[EQUANT_REDIST_DIMENSIONS] = { 0 }, number = 0;

	for (int d = 0; d < s->array.dimensions; d++)
		if (!s->array.extent[d])
			return;
	do {
		int64_t a, b;

		if (owner(&s->array, true, index, s->from_strides, &a) == s->sender)
			fill_element(s->from + (size_t)a * s->element, s->element, number, run);
		if (owner(&s->array, false, index, s->to_strides, &b) == s->receiver)
			fill_element(s->expected + (size_t)b * s->element, s->element, number, run);
		number++;
	} while (next_index(&s->array, index));
}

int setup_start(struct equant_transfer *transfer, struct setup *s)
{
	return equant_transfer_start(transfer, s->sender < 0 ? NULL : s->from_strides[s->sender],
				     s->from, s->receiver < 0 ? NULL : s->to_strides[s->receiver],
				     s->to);
}

int setup_run(struct equant_transfer *transfer, struct setup *s)
{
	return equant_transfer_run(transfer, s->sender < 0 ? NULL : s->from_strides[s->sender],
				   s->from, s->receiver < 0 ? NULL : s->to_strides[s->receiver],
				   s->to);
}

void setup_check(const struct setup *s)
{
	size_t size = s->receiver < 0 ? 0 : (size_t)s->to_size[s->receiver] * s->element;

	for (size_t i = 0; i < size; i++)
		if (s->to[i] != s->expected[i])
			worker_fail_text(__FILE__, __LINE__,
					 "receiver %d: byte %zu of element %zu is %d, not %d",
					 s->receiver, i % s->element, i / s->element, s->to[i],
					 s->expected[i]);
}

void setup_small(struct setup *s, struct random *random)
{
	s->array = (struct equant_redist_array){
		.dimensions = 1,
		.extent = { 7 * ranks * ranks + 3 },
		.from = { { 1, ranks, 0, 0 } },
		.to = { { 7, ranks, ranks / 2, 0 } },
	};
	for (int r = 0; r < ranks; r++)
		s->senders[r] = s->receivers[r] = r;
	demand(setup_make(s, random));
}

void setup_large(struct setup *s, struct random *random, int64_t to_block)
{
	s->array = (struct equant_redist_array){
		.dimensions = 1,
		.extent = { 2 * BLOCK * ranks + 3 },
		.from = { { BLOCK, ranks, 0, 0 } },
		.to = { { to_block, ranks, ranks / 2, 0 } },
	};
	for (int r = 0; r < ranks; r++)
		s->senders[r] = s->receivers[r] = r;
	demand(setup_make(s, random));
	while (s->element < 16) {
		setup_free(s);
		demand(setup_make(s, random));
	}
}

struct equant_transfer *must_transfer(const struct setup *s,
				      const struct equant_transfer_options *options)
{
	struct equant_transfer *transfer =
		equant_transfer_new(MPI_COMM_WORLD, &s->array, s->element, options);

	demand(transfer);
	return transfer;
}

void must_run(struct equant_transfer *transfer, struct setup *s)
{
	for (uint64_t r = 0; r < 2; r++) {
		setup_fill(s, r);
		demand_equal(0, setup_run(transfer, s));
		setup_check(s);
	}
}
