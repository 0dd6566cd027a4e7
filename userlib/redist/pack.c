// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Parts of local arrays into messages, out of messages, and from one local array into another.
 *
 * A part is a product of runs.  Every choice of one run in each dimension is nested loops, and
 * they follow each other in a message in the order of the runs, the last dimension's fastest.
 */
#include <string.h>

#include "redist/shape.h"

/**
 * struct side - what is read, or what is written
 * @strides: of the local array, elements, or NULL: a message
 * @base: the local array, or what of the message is left
 * @sends: is it the sender's local array?
 */
struct side {
	const int64_t *strides;
	char *base;
	bool sends;
};

/* How far apart the turns of a run's three loops are, bytes, and where the first one is. */
static int64_t walk_run(const struct side *side, const struct equant_redist_run *run, int d,
			int64_t element, int64_t steps[3])
{
	int64_t stride = side->strides[d] * element;

	steps[0] = (side->sends ? run->from_period : run->to_period) * stride;
	steps[1] = (side->sends ? run->from_step : run->to_step) * stride;
	steps[2] = stride;
	return (side->sends ? run->from : run->to) * stride;
}

/* The loops of dimensions below @d are inside: @bytes of a message. */
static int64_t add_run(struct equant_redist_level *level, const struct equant_redist_run *run,
		       int64_t bytes)
{
	level[0] = (struct equant_redist_level){ .count = run->repeats };
	level[1] = (struct equant_redist_level){ .count = run->count };
	level[2] = (struct equant_redist_level){ .count = run->length };
	for (int i = 2; i >= 0; i--) {
		level[i].from = level[i].to = bytes;
		bytes *= level[i].count;
	}
	return bytes;
}

/* Copy the product of the runs numbered @choice.  Return: its bytes. */
static int64_t copy_choice(const struct equant_redist_part *part, const int64_t *choice,
			   int64_t element, const struct side *from, const struct side *to)
{
	struct equant_redist_shape shape = { element, 3 * part->dimensions, { { 0 } } };
	int64_t bytes = element, read = 0, written = 0, steps[3];

	for (int d = part->dimensions - 1; d >= 0; d--) {
		const struct equant_redist_run *run = &part->runs[d]->run[choice[d]];
		struct equant_redist_level *level = &shape.level[3 * d];

		bytes = add_run(level, run, bytes);
		if (from->strides) {
			read += walk_run(from, run, d, element, steps);
			for (int i = 0; i < 3; i++)
				level[i].from = steps[i];
		}
		if (to->strides) {
			written += walk_run(to, run, d, element, steps);
			for (int i = 0; i < 3; i++)
				level[i].to = steps[i];
		}
	}
	equant_redist_shape_simplify(&shape);
	equant_redist_shape_copy(&shape, from->base + read, to->base + written);
	return bytes;
}

/* The next choice; false if there is none. */
static bool next_choice(const struct equant_redist_part *part, int64_t *choice)
{
	for (int d = part->dimensions - 1; d >= 0; d--) {
		if (++choice[d] < part->runs[d]->count)
			return true;
		choice[d] = 0;
	}
	return false;
}

static void copy_part(const struct equant_redist_part *part, size_t element, struct side from,
		      struct side to)
{
	int64_t choice[EQUANT_REDIST_DIMENSIONS] = { 0 };

	if (!part->elements)
		return;
	do {
		int64_t bytes = copy_choice(part, choice, (int64_t)element, &from, &to);

		from.base += from.strides ? 0 : bytes;
		to.base += to.strides ? 0 : bytes;
	} while (next_choice(part, choice));
}

void equant_redist_pack(const struct equant_redist_part *part, size_t element,
			const int64_t *strides, const void *local, void *message)
{
	copy_part(part, element, (struct side){ strides, (char *)local, true },
		  (struct side){ NULL, message, false });
}

void equant_redist_unpack(const struct equant_redist_part *part, size_t element,
			  const int64_t *strides, const void *message, void *local)
{
	copy_part(part, element, (struct side){ NULL, (char *)message, true },
		  (struct side){ strides, local, false });
}

void equant_redist_copy(const struct equant_redist_part *part, size_t element,
			const int64_t *from_strides, const void *from, const int64_t *to_strides,
			void *to)
{
	copy_part(part, element, (struct side){ from_strides, (char *)from, true },
		  (struct side){ to_strides, to, false });
}
