// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The local arrays of a run: they have to be there, and not to overlap. */
#include <errno.h>
#include <string.h>

#include "core/message.h"
#include "engine/transfer_internal.h"

struct equant_redist_local equant_transfer_local(const struct equant_transfer *transfer, int side)
{
	int64_t bytes = transfer->reach[side].elements * (int64_t)transfer->element;

	return (struct equant_redist_local){
		.strides = transfer->view.strides[side],
		.base = transfer->view.base[side],
		.large = bytes >= EQUANT_REDIST_LARGE,
	};
}

/* Who only sends on what others have needs no array. */
static bool uses(const struct equant_transfer *transfer, int side)
{
	return transfer->reach[side].high[0] >= 0;
}

/* The memory from the first element to behind the last one; strides of any sign. */
static void span(const struct equant_transfer *transfer, int side, __int128 ends[2])
{
	const struct equant_reach *reach = &transfer->reach[side];
	__int128 element = (__int128)transfer->element;

	ends[0] = ends[1] = (__int128)(uintptr_t)transfer->view.base[side];
	for (int d = 0; d < transfer->array.dimensions; d++) {
		__int128 step = element * transfer->view.strides[side][d];
		__int128 low = step * reach->low[d], high = step * reach->high[d];

		ends[0] += low < high ? low : high;
		ends[1] += low < high ? high : low;
	}
	ends[1] += element;
}

static int check_view(const struct equant_transfer *transfer, const bool given[2])
{
	static const char *const names[2] = { "sends", "receives" };
	__int128 from[2], to[2];

	for (int side = 0; side < 2; side++) {
		if (!uses(transfer, side) || given[side])
			continue;
		equant_message("rank %d: %s: it %s and has no array or no strides", transfer->rank,
			       transfer->call, names[side]);
		return -EINVAL;
	}
	if (!uses(transfer, 0) || !uses(transfer, 1))
		return 0;
	span(transfer, 0, from);
	span(transfer, 1, to);
	if (from[0] < to[1] && to[0] < from[1]) {
		equant_message("rank %d: %s: what is read and what is written overlap",
			       transfer->rank, transfer->call);
		return -EINVAL;
	}
	return 0;
}

int equant_transfer_set_view(struct equant_transfer *transfer, const int64_t *const strides[2],
			     char *const base[2])
{
	size_t size = (size_t)transfer->array.dimensions * sizeof(**strides);
	bool given[2];

	memset(&transfer->view, 0, sizeof(transfer->view));
	for (int side = 0; side < 2; side++) {
		given[side] = strides[side] && base[side];
		if (given[side])
			memcpy(transfer->view.strides[side], strides[side], size);
		transfer->view.base[side] = base[side];
	}
	return check_view(transfer, given);
}
