// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Reading a reference to an array: how many bytes an element has, and by how many elements each
 * of the loops around it moves on; those that are not named do not.
 */
#include <errno.h>
#include <string.h>

#include "advise/read.h"

/* The depth of the loop of this name around what is being read, or -1. */
static int depth_of(const struct equant_nest_reader *reader, const char *name)
{
	int path[EQUANT_NEST_DEPTH];
	int depth = equant_nest_path(reader->nest, reader->parent, path);

	/* Of loops of the same name the innermost is the one that counts in C, too. */
	while (--depth >= 0 && strcmp(reader->nest->nodes[path[depth]].name, name))
		;
	return depth;
}

static int read_stride(const struct equant_nest_reader *reader, int at,
		       struct equant_reference *reference, unsigned int *given)
{
	int depth = depth_of(reader, reader->words[at]);
	int error;

	if (depth < 0)
		return equant_nest_read_refuse(reader, reader->words[at],
					       "no loop of this name is around the reference");
	if (*given & 1u << depth)
		return equant_nest_read_refuse(reader, reader->words[at], "a second time");
	*given |= 1u << depth;
	error = equant_nest_read_signed(reader, at + 1, &reference->strides[depth]);
	if (error)
		return error;
	if (!equant_is_amount(fabs(reference->strides[depth])))
		return equant_nest_read_refuse(reader, reader->words[at + 1],
					       "expected a stride from -1e18 to 1e18");
	return 0;
}

int equant_nest_read_reference(struct equant_nest_reader *reader)
{
	struct equant_reference reference = { .line = reader->text.line };
	unsigned int given = 0;
	int error = equant_nest_read_name(reader, 1, reference.name);

	if (!error && reader->parent == 0)
		return equant_nest_read_refuse(reader, reference.name,
					       "a reference is in a loop, and none is open");
	if (!error)
		error = equant_nest_read_number(reader, 2, &reference.bytes);
	if (!error && (reference.bytes <= 0 || reference.bytes > EQUANT_ADVISE_MOST))
		return equant_nest_read_refuse(
			reader, reader->words[2],
			"an element has more than 0 bytes, and at most 1e18");
	for (int at = 3; !error && at < reader->count; at += 2)
		error = read_stride(reader, at, &reference, &given);
	if (error)
		return error;
	error = equant_nest_refer(reader->nest, reader->parent, &reference);
	if (error == -E2BIG)
		return equant_nest_read_refuse(reader, reference.name, "more than 1000 references");
	return error ? equant_text_fail(&reader->text, error) : 0;
}
