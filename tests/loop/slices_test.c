// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* What moves with a unit: packed, unpacked, summed, and refused when malformed. */
#include <equant/equant.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kselftest_harness.h"
#include "libloop.h"
#include "loop/slices.h"

#define UNITS 50
#define MOST 23

/* Bytes of varying number per unit. */
struct bag {
	size_t size[UNITS];
	unsigned char bytes[UNITS][MOST];
	int unpacked;
	int crooked; /* buffers that are not aligned */
	int fail_at; /* unit whose unpacking fails, -1 none */
	int error;
};

static size_t bag_size(void *ctx, long unit)
{
	struct bag *bag = ctx;

	return bag->size[unit];
}

static void bag_pack(void *ctx, long unit, void *buffer)
{
	struct bag *bag = ctx;

	bag->crooked += (uintptr_t)buffer % _Alignof(max_align_t) != 0;
	memcpy(buffer, bag->bytes[unit], bag->size[unit]);
}

static int bag_unpack(void *ctx, long unit, const void *buffer, size_t size)
{
	struct bag *bag = ctx;

	if (unit == bag->fail_at)
		return bag->error;
	if (size > MOST)
		return -E2BIG;
	bag->crooked += (uintptr_t)buffer % _Alignof(max_align_t) != 0;
	bag->size[unit] = size;
	memcpy(bag->bytes[unit], buffer, size);
	bag->unpacked++;
	return 0;
}

static const struct equant_data_ops bag_ops = {
	.sz = sizeof(bag_ops),
	.size = bag_size,
	.pack = bag_pack,
	.unpack = bag_unpack,
};

FIXTURE(slices)
{
	struct random random;
	struct equant_slices slices;
	struct equant_runs units;
	struct bag from[2];
	struct bag to[2];
	char *buffer;
	size_t size;
};

static void fill(struct random *random, struct bag *bag)
{
	bag->fail_at = -1;
	for (int u = 0; u < UNITS; u++) {
		bag->size[u] = (size_t)random_below(random, MOST + 1);
		for (int i = 0; i < MOST; i++)
			bag->bytes[u][i] = (unsigned char)random_next(random);
	}
	bag->size[7] = 0;
}

FIXTURE_SETUP(slices)
{
	self->random = random_seeded();
	ASSERT_EQ(0, equant_runs_add(&self->units, (struct equant_range){ 3, 10 }));
	ASSERT_EQ(0, equant_runs_add(&self->units, (struct equant_range){ 20, 1 }));
	ASSERT_EQ(0, equant_runs_add(&self->units, (struct equant_range){ 48, 2 }));
	for (int i = 0; i < 2; i++) {
		fill(&self->random, &self->from[i]);
		memset(&self->to[i], 0, sizeof(self->to[i]));
		self->to[i].fail_at = -1;
	}
}

FIXTURE_TEARDOWN(slices)
{
	equant_slices_release(&self->slices);
	equant_runs_release(&self->units);
	free(self->buffer);
}

/* Packs from ->from; the registry then names ->to. */
static int pack(struct _test_data_slices *self)
{
	int error = equant_slices_add_data(&self->slices, &bag_ops, &self->from[0]);

	if (!error)
		error = equant_slices_add_data(&self->slices, &bag_ops, &self->from[1]);
	if (!error)
		error = equant_slices_pack(&self->slices, &self->units, &self->buffer, &self->size);
	self->slices.data[0].ctx = &self->to[0];
	self->slices.data[1].ctx = &self->to[1];
	return error;
}

TEST_F(slices, data_of_any_size_arrive_as_they_were_packed)
{
	ASSERT_EQ(0, pack(self));
	ASSERT_EQ(0, equant_slices_unpack(&self->slices, &self->units, self->buffer, self->size));
	for (int i = 0; i < 2; i++) {
		EXPECT_EQ(13, self->to[i].unpacked);
		EXPECT_EQ(0, self->from[i].crooked + self->to[i].crooked);
		for (long u = 0; u < UNITS; u++) {
			size_t size = self->from[i].size[u];

			if (!equant_runs_find(&self->units, u))
				continue;
			ASSERT_EQ(size, self->to[i].size[u]);
			ASSERT_EQ(0, memcmp(self->from[i].bytes[u], self->to[i].bytes[u], size));
		}
	}
}

TEST_F(slices, without_callbacks_nothing_is_packed)
{
	char array[UNITS];

	ASSERT_EQ(0, equant_slices_add_array(&self->slices, UNITS, array, 1));
	ASSERT_EQ(0, equant_slices_pack(&self->slices, &self->units, &self->buffer, &self->size));
	EXPECT_EQ(NULL, self->buffer);
	EXPECT_EQ(0, self->size);
}

TEST_F(slices, a_truncated_buffer_is_refused_at_every_length)
{
	ASSERT_EQ(0, pack(self));
	for (size_t size = 0; size < self->size; size++) {
		/* Its own allocation, so that a read behind it can be noticed. */
		char *copy = malloc(size ? size : 1);

		ASSERT_NE(NULL, copy);
		memcpy(copy, self->buffer, size);
		EXPECT_EQ(-EBADMSG, equant_slices_unpack(&self->slices, &self->units, copy, size))
		{
			TH_LOG("%zu of %zu bytes", size, self->size);
		}
		free(copy);
	}
}

TEST_F(slices, bytes_behind_the_last_unit_are_refused)
{
	char *longer;

	ASSERT_EQ(0, pack(self));
	longer = calloc(1, self->size + 1);
	ASSERT_NE(NULL, longer);
	memcpy(longer, self->buffer, self->size);
	EXPECT_EQ(-EBADMSG,
		  equant_slices_unpack(&self->slices, &self->units, longer, self->size + 1));
	free(longer);
}

TEST_F(slices, a_size_field_beyond_the_buffer_is_refused)
{
	static const uint64_t sizes[] = { 1u << 20, UINT64_MAX, UINT64_MAX - 7, INT64_MAX };

	ASSERT_EQ(0, pack(self));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		memcpy(self->buffer, &sizes[i], sizeof(sizes[i]));
		EXPECT_EQ(-EBADMSG, equant_slices_unpack(&self->slices, &self->units, self->buffer,
							 self->size));
	}
}

TEST_F(slices, random_damage_never_reads_outside_the_buffer)
{
	ASSERT_EQ(0, pack(self));
	for (int round = 0; round < 5000; round++) {
		char *copy = malloc(self->size);

		ASSERT_NE(NULL, copy);
		memcpy(copy, self->buffer, self->size);
		for (int i = 0; i < 4; i++)
			copy[random_below(&self->random, (long)self->size)] ^=
				(char)(1 << random_below(&self->random, 8));
		/* Damaged bytes of a unit pass, damaged sizes do not: -EBADMSG or too much. */
		equant_slices_unpack(&self->slices, &self->units, copy, self->size);
		free(copy);
	}
}

TEST_F(slices, the_error_of_a_callback_ends_the_unpacking)
{
	ASSERT_EQ(0, pack(self));
	self->to[1].fail_at = 20;
	self->to[1].error = -ENOSPC;
	EXPECT_EQ(-ENOSPC,
		  equant_slices_unpack(&self->slices, &self->units, self->buffer, self->size));
	EXPECT_EQ(11, self->to[0].unpacked);
	EXPECT_EQ(10, self->to[1].unpacked);
	self->to[1].error = 5;
	EXPECT_EQ(-EINVAL,
		  equant_slices_unpack(&self->slices, &self->units, self->buffer, self->size));
}

TEST_F(slices, every_flipped_bit_of_an_owned_slice_changes_the_checksum)
{
	unsigned char wide[UNITS * 5], narrow[UNITS];
	uint64_t sum;

	memset(wide, 0, sizeof(wide));
	memset(narrow, 0, sizeof(narrow));
	ASSERT_EQ(0, equant_slices_add_array(&self->slices, UNITS, wide, 5));
	ASSERT_EQ(0, equant_slices_add_array(&self->slices, UNITS, narrow, 1));
	sum = equant_slices_checksum(&self->slices, &self->units);
	for (long u = 0; u < UNITS; u++) {
		int owned = equant_runs_find(&self->units, u);

		for (int bit = 0; bit < 8 * 5; bit++) {
			wide[u * 5 + bit / 8] ^= (unsigned char)(1 << bit % 8);
			EXPECT_EQ(owned,
				  sum != equant_slices_checksum(&self->slices, &self->units));
			wide[u * 5 + bit / 8] ^= (unsigned char)(1 << bit % 8);
		}
		narrow[u] ^= 0x80;
		EXPECT_EQ(owned, sum != equant_slices_checksum(&self->slices, &self->units));
		narrow[u] ^= 0x80;
	}
}

TEST_F(slices, exchanged_slices_change_the_checksum)
{
	unsigned char a[UNITS], b[UNITS];
	uint64_t sum;

	memset(a, 1, sizeof(a));
	memset(b, 2, sizeof(b));
	a[3] = 9;
	ASSERT_EQ(0, equant_slices_add_array(&self->slices, UNITS, a, 1));
	ASSERT_EQ(0, equant_slices_add_array(&self->slices, UNITS, b, 1));
	sum = equant_slices_checksum(&self->slices, &self->units);
	a[3] = 1;
	a[4] = 9;
	EXPECT_NE(sum, equant_slices_checksum(&self->slices, &self->units));
	a[4] = 1;
	a[3] = 2;
	b[3] = 9;
	EXPECT_NE(sum, equant_slices_checksum(&self->slices, &self->units));
}

TEST_F(slices, the_bytes_of_a_unit_are_those_of_arrays_and_data)
{
	char array[UNITS * 3];

	ASSERT_EQ(0, equant_slices_add_array(&self->slices, UNITS, array, 3));
	ASSERT_EQ(0, equant_slices_add_data(&self->slices, &bag_ops, &self->from[0]));
	self->from[0].size[4] = 11;
	EXPECT_EQ(14, equant_slices_bytes(&self->slices, 4));
	EXPECT_EQ(3, equant_slices_bytes(&self->slices, 7));
}

TEST_F(slices, what_cannot_be_registered_is_refused)
{
	struct equant_data_ops ops = bag_ops;
	char c;

	EXPECT_EQ(-EINVAL, equant_slices_add_array(&self->slices, UNITS, NULL, 1));
	EXPECT_EQ(-EINVAL, equant_slices_add_array(&self->slices, UNITS, &c, 0));
	EXPECT_EQ(-EOVERFLOW, equant_slices_add_array(&self->slices, UNITS, &c, SIZE_MAX / 2));
	EXPECT_EQ(-EOVERFLOW, equant_slices_add_array(&self->slices, 2, &c, (size_t)1 << 62));
	EXPECT_EQ(-EINVAL, equant_slices_add_data(&self->slices, NULL, NULL));
	ops.pack = NULL;
	EXPECT_EQ(-EINVAL, equant_slices_add_data(&self->slices, &ops, NULL));
	ops = bag_ops;
	ops.unpack = NULL;
	EXPECT_EQ(-EINVAL, equant_slices_add_data(&self->slices, &ops, NULL));
	ops = bag_ops;
	ops.size = NULL;
	EXPECT_EQ(-EINVAL, equant_slices_add_data(&self->slices, &ops, NULL));
	ops = bag_ops;
	ops.sz--;
	EXPECT_EQ(-EINVAL, equant_slices_add_data(&self->slices, &ops, NULL));
	EXPECT_EQ(0, self->slices.nr_arrays);
	EXPECT_EQ(0, self->slices.nr_data);
}

TEST_F(slices, unknown_bytes_behind_the_callbacks_must_be_zero)
{
	struct {
		struct equant_data_ops known;
		char unknown[8];
	} ops = { .known = bag_ops };

	ops.known.sz = sizeof(ops);
	EXPECT_EQ(0, equant_slices_add_data(&self->slices, &ops.known, NULL));
	ops.unknown[7] = 1;
	EXPECT_EQ(-EINVAL, equant_slices_add_data(&self->slices, &ops.known, NULL));
}

TEST_HARNESS_MAIN
