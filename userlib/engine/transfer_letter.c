// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What a message consists of: the elements that one rank has for another; or, on a leg of a route,
 * parcels, of elements that are here and of bytes that are on their way from one rank to another.
 */
#include <string.h>

#include "engine/transfer_internal.h"

/* @length bytes of a parcel, from its byte @at on. */
static void pack_parcel(const struct equant_transfer *transfer, const struct equant_parcel *parcel,
			int64_t at, int64_t length, char *memory)
{
	if (parcel->part)
		equant_redist_pack_piece(parcel->part, transfer->element,
					 equant_transfer_local(transfer, 0), parcel->begin + at,
					 length, memory);
	else
		memcpy(memory, transfer->transit + parcel->begin + at, (size_t)length);
}

static void unpack_parcel(const struct equant_transfer *transfer,
			  const struct equant_parcel *parcel, int64_t at, int64_t length,
			  const char *memory)
{
	if (parcel->part)
		equant_redist_unpack_piece(parcel->part, transfer->element,
					   equant_transfer_local(transfer, 1), parcel->begin + at,
					   length, memory);
	else
		memcpy(transfer->transit + parcel->begin + at, memory, (size_t)length);
}

/**
 * struct slice - the bytes of a parcel that are in a chunk
 * @parcel: which
 * @at: the first one, in the parcel
 * @length: how many
 * @place: where they are in the chunk
 */
struct slice {
	const struct equant_parcel *parcel;
	int64_t at;
	int64_t length;
	int64_t place;
};

/**
 * struct slices - those of a chunk, one after the other
 * @letter: that it is a chunk of
 * @next: the parcel to look at next
 * @begin: the first byte of that one in the letter
 * @at: of the chunk in the letter
 * @end: of the chunk
 */
struct slices {
	const struct equant_letter *letter;
	int64_t next;
	int64_t begin;
	int64_t at;
	int64_t end;
};

static bool next_slice(struct slices *all, struct slice *slice)
{
	while (all->next < all->letter->parcel_count && all->begin < all->end) {
		const struct equant_parcel *parcel = &all->letter->parcels[all->next++];
		int64_t begin = all->begin, end = begin + parcel->bytes;
		int64_t from = begin > all->at ? begin : all->at;
		int64_t to = end < all->end ? end : all->end;

		all->begin = end;
		if (from >= to)
			continue;
		*slice = (struct slice){ parcel, from - begin, to - from, from - all->at };
		return true;
	}
	return false;
}

void equant_letter_pack(const struct equant_transfer *transfer, const struct equant_letter *letter,
			size_t at, size_t length, char *memory)
{
	struct slices all = { letter, 0, 0, (int64_t)at, (int64_t)(at + length) };
	struct slice slice;

	if (letter->part)
		equant_redist_pack_piece(letter->part, transfer->element,
					 equant_transfer_local(transfer, 0), (int64_t)at,
					 (int64_t)length, memory);
	else
		while (next_slice(&all, &slice))
			pack_parcel(transfer, slice.parcel, slice.at, slice.length,
				    memory + slice.place);
}

void equant_letter_unpack(const struct equant_transfer *transfer,
			  const struct equant_letter *letter, size_t at, size_t length,
			  const char *memory)
{
	struct slices all = { letter, 0, 0, (int64_t)at, (int64_t)(at + length) };
	struct slice slice;

	if (letter->part)
		equant_redist_unpack_piece(letter->part, transfer->element,
					   equant_transfer_local(transfer, 1), (int64_t)at,
					   (int64_t)length, memory);
	else
		while (next_slice(&all, &slice))
			unpack_parcel(transfer, slice.parcel, slice.at, slice.length,
				      memory + slice.place);
}

/* A short chunk may overtake a long one. */
void equant_letter_take(struct equant_lane *lane, struct equant_letter *letter,
			struct equant_chunk *chunk)
{
	chunk->come = true;
	while (letter->awaited >= 0 && lane->chunks[letter->awaited].come) {
		const struct equant_chunk *next = &lane->chunks[letter->awaited];

		letter->arrived += (size_t)next->length;
		letter->awaited = next->next;
	}
}

/* How many bytes of what a parcel sends on have come, from its first one on. */
static int64_t arrived(const struct equant_transfer *transfer, const struct equant_parcel *parcel)
{
	const struct equant_letter *letter;
	int64_t bytes;

	if (parcel->after < 0)
		return parcel->bytes;
	letter = &transfer->lanes[1].letters[parcel->after];
	bytes = (int64_t)letter->arrived - parcel->from;
	return bytes < parcel->bytes ? bytes : parcel->bytes;
}

bool equant_letter_is_there(const struct equant_transfer *transfer, struct equant_letter *letter,
			    size_t end)
{
	while (letter->there < letter->parcel_count && letter->begin < end) {
		const struct equant_parcel *parcel = &letter->parcels[letter->there];
		int64_t here = arrived(transfer, parcel);

		if (here < parcel->bytes)
			return here >= (int64_t)(end - letter->begin);
		letter->begin += (size_t)parcel->bytes;
		letter->there++;
	}
	return true;
}
