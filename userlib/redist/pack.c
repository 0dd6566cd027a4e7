// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Parts of local arrays into messages, out of messages, and from one local array into another.
 *
 * A part is a product of runs.  Every choice of one run in each dimension is nested loops, and
 * they follow each other in a message in the order of the runs, the last dimension's fastest.  A
 * piece of a message begins and ends at any byte, even within an element.
 */
#include "redist/pack.h"
#include "redist/shape.h"
#include "redist/stream.h"

#define STREAMED 256 /* bytes: from here on few lines of a block are not whole */

/**
 * struct side - what is read, or what is written
 * @local: a local array; without strides: a message, from the first byte on that is wanted
 * @sends: is it the sender's local array?
 */
struct side {
	struct equant_redist_local local;
	bool sends;
};

/* How far apart the turns of a run's three loops are, bytes, and where the first one is. */
static int64_t walk_run(const struct side *side, const struct equant_redist_run *run, int d,
			int64_t element, int64_t steps[3])
{
	int64_t stride = side->local.strides[d] * element;

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

static int64_t run_elements(const struct equant_redist_run *run)
{
	return run->length * run->count * run->repeats;
}

/**
 * struct walk - the choices of a part, one after the other
 * @part: the part
 * @element: bytes
 * @choice: the number of the run in each dimension
 * @begin: the choice's first byte in the message
 */
struct walk {
	const struct equant_redist_part *part;
	int64_t element;
	int64_t choice[EQUANT_REDIST_DIMENSIONS];
	int64_t begin;
};

/* The choice that byte @at of the message, which there is, is in. */
static struct walk walk_to(const struct equant_redist_part *part, int64_t element, int64_t at)
{
	struct walk walk = { .part = part, .element = element };
	int64_t rest = at / element, outer = 1, inner = part->elements;

	for (int d = 0; d < part->dimensions; d++) {
		const struct equant_redist_run *run = part->runs[d]->run;
		int64_t c = 0;

		inner /= part->runs[d]->elements;
		for (; rest >= outer * run_elements(&run[c]) * inner; c++) {
			rest -= outer * run_elements(&run[c]) * inner;
			walk.begin += outer * run_elements(&run[c]) * inner * element;
		}
		outer *= run_elements(&run[c]);
		walk.choice[d] = c;
	}
	return walk;
}

/* To the next choice, behind @bytes of this one; false if there is none. */
static bool walk_on(struct walk *walk, int64_t bytes)
{
	walk->begin += bytes;
	for (int d = walk->part->dimensions - 1; d >= 0; d--) {
		if (++walk->choice[d] < walk->part->runs[d]->count)
			return true;
		walk->choice[d] = 0;
	}
	return false;
}

/**
 * struct work - the loops of a choice
 * @shape: all of them
 * @read: bytes from the local array's element 0 to the first one that is read, 0 of a message
 * @written: the same
 * @bytes: that it copies
 */
struct work {
	struct equant_redist_shape shape;
	int64_t read;
	int64_t written;
	int64_t bytes;
};

static void work_of(const struct walk *walk, const struct side *from, const struct side *to,
		    struct work *work)
{
	int dimensions = walk->part->dimensions;
	int64_t steps[3];

	work->shape.block = work->bytes = walk->element;
	work->shape.levels = 3 * dimensions;
	/* A message is in another processor's cache, if it is in one: that takes its time, too. */
	work->shape.fetched = from->local.large || to->local.large;
	work->shape.written = to->local.large;
	work->read = work->written = 0;
	for (int d = dimensions - 1; d >= 0; d--) {
		const struct equant_redist_run *run = &walk->part->runs[d]->run[walk->choice[d]];
		struct equant_redist_level *level = &work->shape.level[3 * d];

		work->bytes = add_run(level, run, work->bytes);
		if (from->local.strides) {
			work->read += walk_run(from, run, d, walk->element, steps);
			for (int i = 0; i < 3; i++)
				level[i].from = steps[i];
		}
		if (to->local.strides) {
			work->written += walk_run(to, run, d, walk->element, steps);
			for (int i = 0; i < 3; i++)
				level[i].to = steps[i];
		}
	}
	equant_redist_shape_simplify(&work->shape);
}

/*
 * What no cache holds is written past them if few of its lines are written in parts: those have to be
 * read for each part.
 */
static void choose_streams(struct equant_redist_shape *shape, struct equant_redist_place to)
{
	int64_t odd = (int64_t)((uintptr_t)to.base + (uintptr_t)to.at) | shape->block;

	for (int i = 0; i < shape->levels; i++)
		odd |= shape->level[i].to;
	shape->streamed = shape->written &&
			  (shape->block >= STREAMED || odd % EQUANT_REDIST_LINE == 0);
	shape->written &= !shape->streamed;
}

/* Bytes @at to below @end of the message; where one is a side, it begins with byte @at. */
static void copy_part(const struct equant_redist_part *part, size_t element, struct side from,
		      struct side to, int64_t at, int64_t end)
{
	struct walk walk;
	struct work work;

	if (at >= end)
		return;
	walk = walk_to(part, (int64_t)element, at);
	do {
		struct equant_redist_place read = { from.local.base, 0 },
					   written = { to.local.base, 0 };

		work_of(&walk, &from, &to, &work);
		read.at = from.local.strides ? work.read : walk.begin - at;
		written.at = to.local.strides ? work.written : walk.begin - at;
		choose_streams(&work.shape, written);
		equant_redist_shape_copy(&work.shape, read, written,
					 equant_redist_max(at - walk.begin, 0),
					 equant_redist_min(end - walk.begin, work.bytes));
	} while (walk_on(&walk, work.bytes) && walk.begin < end);
	if (to.local.large)
		equant_redist_stream_end();
}

void equant_redist_pack_piece(const struct equant_redist_part *part, size_t element,
			      struct equant_redist_local local, int64_t at, int64_t length,
			      void *piece)
{
	copy_part(part, element, (struct side){ local, true },
		  (struct side){ { .base = piece }, false }, at, at + length);
}

void equant_redist_unpack_piece(const struct equant_redist_part *part, size_t element,
				struct equant_redist_local local, int64_t at, int64_t length,
				const void *piece)
{
	copy_part(part, element, (struct side){ { .base = (char *)piece }, true },
		  (struct side){ local, false }, at, at + length);
}

void equant_redist_copy_piece(const struct equant_redist_part *part, size_t element,
			      struct equant_redist_local from, struct equant_redist_local to,
			      int64_t at, int64_t length)
{
	copy_part(part, element, (struct side){ from, true }, (struct side){ to, false }, at,
		  at + length);
}

/* ---- whole parts ------------------------------------------------------------------------ */

static int64_t bytes_of(const struct equant_redist_part *part, size_t element)
{
	return part->elements * (int64_t)element;
}

/* It is large if the part is: the rest of it is not known. */
static struct equant_redist_local local_of(const struct equant_redist_part *part, size_t element,
					   const int64_t *strides, const void *base)
{
	return (struct equant_redist_local){ strides, (char *)base,
					     bytes_of(part, element) >= EQUANT_REDIST_LARGE };
}

void equant_redist_pack(const struct equant_redist_part *part, size_t element,
			const int64_t *strides, const void *local, void *message)
{
	equant_redist_pack_piece(part, element, local_of(part, element, strides, local), 0,
				 bytes_of(part, element), message);
}

void equant_redist_unpack(const struct equant_redist_part *part, size_t element,
			  const int64_t *strides, const void *message, void *local)
{
	equant_redist_unpack_piece(part, element, local_of(part, element, strides, local), 0,
				   bytes_of(part, element), message);
}

void equant_redist_copy(const struct equant_redist_part *part, size_t element,
			const int64_t *from_strides, const void *from, const int64_t *to_strides,
			void *to)
{
	equant_redist_copy_piece(part, element, local_of(part, element, from_strides, from),
				 local_of(part, element, to_strides, to), 0,
				 bytes_of(part, element));
}

/* ---- where a piece is ------------------------------------------------------------------- */

/* A caller, and where the choice's first byte is in the local array. */
struct shift {
	bool (*emit)(void *to, int64_t at, int64_t length);
	void *to;
	int64_t by;
};

static bool emit_shifted(void *to, int64_t at, int64_t length)
{
	const struct shift *shift = to;

	return shift->emit(shift->to, shift->by + at, length);
}

void equant_redist_blocks(const struct equant_redist_part *part, size_t element,
			  const int64_t *strides, bool sends, int64_t at, int64_t length,
			  bool (*emit)(void *to, int64_t at, int64_t length), void *to)
{
	struct side local = { { .strides = strides }, sends }, message = { .sends = !sends };
	struct shift shift = { emit, to, 0 };
	struct walk walk;
	struct work work;
	bool more = length > 0;

	if (more)
		walk = walk_to(part, (int64_t)element, at);
	while (more) {
		work_of(&walk, &local, &message, &work);
		shift.by = work.read;
		more = equant_redist_shape_blocks(
			       &work.shape, equant_redist_max(at - walk.begin, 0),
			       equant_redist_min(at + length - walk.begin, work.bytes),
			       emit_shifted, &shift) &&
		       walk_on(&walk, work.bytes) && walk.begin < at + length;
	}
}
