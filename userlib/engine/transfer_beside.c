// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Transfers that go on together are a ring, so that nothing is known of them anywhere else, and any
 * of them can be freed first.
 */
#include "engine/transfer_internal.h"

void equant_transfer_join_beside(struct equant_transfer *transfer, struct equant_transfer *other)
{
	if (!other)
		return;
	transfer->beside = other->beside ? other->beside : other;
	other->beside = transfer;
}

void equant_transfer_leave_beside(struct equant_transfer *transfer)
{
	struct equant_transfer *last = transfer->beside;

	if (!last)
		return;
	while (last->beside != transfer)
		last = last->beside;
	last->beside = transfer->beside == last ? NULL : transfer->beside;
	transfer->beside = NULL;
}

int equant_transfer_count_beside(const struct equant_transfer *other)
{
	const struct equant_transfer *at = other;
	int count = 0;

	while (at) {
		count++;
		at = at->beside == other ? NULL : at->beside;
	}
	return count;
}
