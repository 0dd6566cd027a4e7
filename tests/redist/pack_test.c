// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Arrays of 1 to 8 dimensions, packed and unpacked: is every byte where it should be? */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include <equant/redist.h>

#include "arrays.h"
#include "random.h"
#include "redist/pack.h"

#include "kselftest_harness.h"

#define ROUNDS 600
#define GRID 16 /* processes on a side */
#define ROOM 60000 /* elements in local arrays */

FIXTURE(pack)
{
	struct random random;
	struct equant_redist_array array;
	size_t element;
	int64_t from_strides[GRID][EQUANT_REDIST_DIMENSIONS];
	int64_t to_strides[GRID][EQUANT_REDIST_DIMENSIONS];
	unsigned char *from[GRID];
	unsigned char *packed[GRID];
	unsigned char *copied[GRID];
	unsigned char *pieces[GRID];
	unsigned char *expected[GRID];
	size_t from_bytes[GRID];
	size_t to_bytes[GRID];
};

FIXTURE_SETUP(pack)
{
	self->random = random_seeded();
}

FIXTURE_TEARDOWN(pack)
{
}

static unsigned char *filled(size_t bytes, int value)
{
	unsigned char *memory = malloc(bytes);

	if (!memory)
		abort();
	memset(memory, value, bytes);
	return memory;
}

/* False if the arrays would be too large to look at. */
static bool make_arrays(FIXTURE_DATA(pack) * self)
{
	int64_t all = 0;

	for (int p = 0; p < equant_redist_senders(&self->array); p++) {
		int64_t size = lay_out(&self->random, &self->array, true, p, self->from_strides[p]);

		self->from_bytes[p] = (size_t)size * self->element;
		all += size;
	}
	for (int q = 0; q < equant_redist_receivers(&self->array); q++) {
		int64_t size = lay_out(&self->random, &self->array, false, q, self->to_strides[q]);

		self->to_bytes[q] = (size_t)size * self->element;
		all += size;
	}
	if (all > ROOM)
		return false;
	for (int p = 0; p < equant_redist_senders(&self->array); p++) {
		self->from[p] = filled(self->from_bytes[p], 0);
		for (size_t i = 0; i < self->from_bytes[p]; i++)
			self->from[p][i] = (unsigned char)random_next(&self->random);
	}
	for (int q = 0; q < equant_redist_receivers(&self->array); q++) {
		self->packed[q] = filled(self->to_bytes[q], 0xee);
		self->copied[q] = filled(self->to_bytes[q], 0xee);
		self->pieces[q] = filled(self->to_bytes[q], 0xee);
		self->expected[q] = filled(self->to_bytes[q], 0xee);
	}
	return true;
}

static void free_arrays(FIXTURE_DATA(pack) * self)
{
	for (int p = 0; p < equant_redist_senders(&self->array); p++)
		free(self->from[p]);
	for (int q = 0; q < equant_redist_receivers(&self->array); q++) {
		free(self->packed[q]);
		free(self->copied[q]);
		free(self->pieces[q]);
		free(self->expected[q]);
	}
}

/* Element by element. */
static int64_t expect_all(FIXTURE_DATA(pack) * self)
{
	int64_t index[EQUANT_REDIST_DIMENSIONS] = { 0 }, elements = 0;

	for (int d = 0; d < self->array.dimensions; d++)
		if (!self->array.extent[d])
			return 0;
	do {
		int64_t a, b;
		int p = owner(&self->array, true, index, self->from_strides, &a);
		int q = owner(&self->array, false, index, self->to_strides, &b);

		memcpy(self->expected[q] + (size_t)b * self->element,
		       self->from[p] + (size_t)a * self->element, self->element);
		elements++;
	} while (next_index(&self->array, index));
	return elements;
}

struct gathered {
	const unsigned char *local;
	unsigned char *at;
};

static bool gather(void *to, int64_t at, int64_t length)
{
	struct gathered *gathered = to;

	memcpy(gathered->at, gathered->local + at, (size_t)length);
	gathered->at += length;
	return true;
}

/*
 * In pieces that end anywhere; each is packed, and found block by block, as it was in the whole
 * message.
 */
static bool move_pieces(FIXTURE_DATA(pack) * self, const struct equant_redist_part *part, int p,
			int q, const unsigned char *message)
{
	int64_t bytes = part->elements * (int64_t)self->element, length;
	unsigned char *piece = filled((size_t)bytes + 1, 0x55);
	struct equant_redist_local from = { self->from_strides[p], (char *)self->from[p], false };
	struct equant_redist_local to = { self->to_strides[q], (char *)self->pieces[q], false };
	bool same = true;

	for (int64_t at = 0; at < bytes && same; at += length) {
		struct gathered gathered = { self->from[p], piece };

		length = 1 + random_below(&self->random, bytes - at);
		from.large = to.large = random_below(&self->random, 2);
		equant_redist_blocks(part, self->element, self->from_strides[p], true, at, length,
				     gather, &gathered);
		same = !memcmp(piece, message + at, (size_t)length);
		memset(piece, 0x55, (size_t)length);
		equant_redist_pack_piece(part, self->element, from, at, length, piece);
		same = same && !memcmp(piece, message + at, (size_t)length) &&
		       piece[length] == 0x55;
		equant_redist_unpack_piece(part, self->element, to, at, length, piece);
		memset(piece, 0x55, (size_t)length);
	}
	free(piece);
	return same;
}

/* Return: elements moved, or -1. */
static int64_t move_part(FIXTURE_DATA(pack) * self, int p, int q)
{
	struct equant_redist_part *part = equant_redist_part_new(&self->array, p, q);
	int64_t elements = part ? part->elements : -1;
	unsigned char *message;

	if (!part || elements != equant_redist_part_elements(&self->array, p, q))
		return -1;
	message = filled((size_t)elements * self->element + 1, 0x55);
	equant_redist_pack(part, self->element, self->from_strides[p], self->from[p], message);
	equant_redist_unpack(part, self->element, self->to_strides[q], message, self->packed[q]);
	equant_redist_copy(part, self->element, self->from_strides[p], self->from[p],
			   self->to_strides[q], self->copied[q]);
	if (message[(size_t)elements * self->element] != 0x55 ||
	    !move_pieces(self, part, p, q, message))
		elements = -1;
	free(message);
	equant_redist_part_free(part);
	return elements;
}

static int64_t move_all(FIXTURE_DATA(pack) * self)
{
	int64_t all = 0;

	for (int p = 0; p < equant_redist_senders(&self->array); p++) {
		for (int q = 0; q < equant_redist_receivers(&self->array); q++) {
			int64_t elements = move_part(self, p, q);

			if (elements < 0)
				return -1;
			all += elements;
		}
	}
	return all;
}

TEST_F(pack, every_element_comes_to_its_place_and_nothing_else_changes)
{
	int done = 0;

	for (int round = 0; round < random_cases(ROUNDS); round++) {
		random_array(&self->random, &self->array, GRID);
		self->element = round % 2 ? 1ul << random_below(&self->random, 5) :
					    1 + (size_t)random_below(&self->random, 100);
		ASSERT_EQ(0, equant_redist_array_check(&self->array, NULL, 0));
		if (!make_arrays(self))
			continue;
		ASSERT_EQ(expect_all(self), move_all(self));
		for (int q = 0; q < equant_redist_receivers(&self->array); q++) {
			ASSERT_EQ(0, memcmp(self->expected[q], self->packed[q], self->to_bytes[q]))
			{
				TH_LOG("round %d: receiver %d, %d dimensions, %zu bytes", round, q,
				       self->array.dimensions, self->element);
			}
			ASSERT_EQ(0, memcmp(self->expected[q], self->copied[q], self->to_bytes[q]));
			ASSERT_EQ(0, memcmp(self->expected[q], self->pieces[q], self->to_bytes[q]));
		}
		free_arrays(self);
		done++;
	}
	EXPECT_LE(random_cases(ROUNDS / 2), done);
}

/* Each size has a loop of its own; a piece of several elements is a block of that many bytes. */
TEST_F(pack, every_element_size_up_to_130_bytes)
{
	for (self->element = 1; self->element <= 130; self->element++) {
		self->array = (struct equant_redist_array){
			.dimensions = 1,
			.extent = { 103 },
			.from = { { 1, 3, 0, 0 } },
			.to = { { 5, 2, 1, 0 } },
		};
		ASSERT_TRUE(make_arrays(self));
		ASSERT_EQ(103, expect_all(self));
		ASSERT_EQ(103, move_all(self));
		for (int q = 0; q < 2; q++) {
			ASSERT_EQ(0, memcmp(self->expected[q], self->packed[q], self->to_bytes[q]));
			ASSERT_EQ(0, memcmp(self->expected[q], self->copied[q], self->to_bytes[q]));
		}
		free_arrays(self);
	}
}

/* Parts of more than EQUANT_REDIST_LARGE, which are written past the caches. */
TEST_F(pack, parts_that_no_cache_keeps)
{
	self->element = 10007;
	self->array = (struct equant_redist_array){
		.dimensions = 1,
		.extent = { 2 * EQUANT_REDIST_LARGE / 10007 + 10 },
		.from = { { 1, 1, 0, 0 } },
		.to = { { 1, 2, 0, 0 } },
	};
	ASSERT_TRUE(make_arrays(self));
	ASSERT_EQ(self->array.extent[0], expect_all(self));
	ASSERT_EQ(self->array.extent[0], move_all(self));
	for (int q = 0; q < 2; q++) {
		ASSERT_EQ(0, memcmp(self->expected[q], self->packed[q], self->to_bytes[q]));
		ASSERT_EQ(0, memcmp(self->expected[q], self->copied[q], self->to_bytes[q]));
		ASSERT_EQ(0, memcmp(self->expected[q], self->pieces[q], self->to_bytes[q]));
	}
	free_arrays(self);
}

/* Memory that takes none until it is touched. */
static unsigned char *reserve(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		abort();
	return memory;
}

/*
 * 5 elements of 1 GiB and something, 3 of them apart; the piece lies around byte 2^32 of the
 * message.
 */
TEST_F(pack, no_distance_in_memory_or_in_a_message_is_cut_to_32_bits)
{
	const struct equant_redist_array array = { .dimensions = 1,
						   .extent = { 5 },
						   .from = { { 1, 1, 0, 0 } },
						   .to = { { 1, 1, 0, 0 } } };
	const size_t element = ((size_t)1 << 30) + 3, size = 13 * element;
	const int64_t apart = 3, dense = 1, at = ((int64_t)1 << 32) - 20;
	unsigned char *from = reserve(size), *to = reserve(size), piece[40];
	struct equant_redist_part *part = equant_redist_part_new(&array, 0, 0);

	ASSERT_NE(NULL, part);
	for (size_t i = 0; i < sizeof(piece); i++) {
		size_t byte = (size_t)at + i;

		from[byte / element * 3 * element + byte % element] = (unsigned char)(i + 1);
	}
	equant_redist_pack_piece(part, element,
				 (struct equant_redist_local){ &apart, (char *)from, true }, at,
				 sizeof(piece), piece);
	for (size_t i = 0; i < sizeof(piece); i++)
		ASSERT_EQ(i + 1, piece[i]);
	equant_redist_unpack_piece(part, element,
				   (struct equant_redist_local){ &dense, (char *)to, true }, at,
				   sizeof(piece), piece);
	ASSERT_EQ(0, memcmp(piece, to + at, sizeof(piece)));
	equant_redist_part_free(part);
	munmap(from, size);
	munmap(to, size);
}

TEST_F(pack, what_is_no_array_is_refused)
{
	struct equant_redist_array array = {
		.dimensions = 2,
		.extent = { 4, 4 },
		.from = { { 1, 2, 0, 0 }, { 1, 2, 0, 0 } },
		.to = { { 1, 2, 0, 0 }, { 1, 2, 0, 0 } },
	}, wrong = array;
	char why[160];

	EXPECT_EQ(0, equant_redist_array_check(&array, why, sizeof(why)));
	wrong.dimensions = 9;
	EXPECT_EQ(-EINVAL, equant_redist_array_check(&wrong, why, sizeof(why)));
	EXPECT_STREQ("9 dimensions, 1 to 8 can be", why);
	wrong = array;
	wrong.to[1].block = 0;
	EXPECT_EQ(-EINVAL, equant_redist_array_check(&wrong, why, sizeof(why)));
	EXPECT_STREQ("dimension 1: receiver: blocks of 0 elements", why);
	wrong = array;
	wrong.from_order = (enum equant_redist_order)7;
	EXPECT_EQ(-EINVAL, equant_redist_array_check(&wrong, why, sizeof(why)));
	EXPECT_STREQ("a grid is neither row- nor column-major", why);
	wrong = array;
	wrong.extent[0] = wrong.extent[1] = (int64_t)1 << 30;
	EXPECT_EQ(-EOVERFLOW, equant_redist_array_check(&wrong, why, sizeof(why)));
	wrong = array;
	wrong.from[0].processes = wrong.from[1].processes = 1 << 11;
	EXPECT_EQ(-EOVERFLOW, equant_redist_array_check(&wrong, why, sizeof(why)));
	EXPECT_STREQ("more than 1048576 processes up to dimension 1", why);
	errno = 0;
	EXPECT_EQ(NULL, equant_redist_part_new(&array, 4, 0));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-EINVAL, equant_redist_part_elements(&array, 0, -1));
	EXPECT_EQ(4, equant_redist_part_elements(&array, 3, 3));
}

TEST_HARNESS_MAIN
