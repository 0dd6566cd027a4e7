// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A binary heap of ranks, largest key first, ties to the lower rank: the
 * order of removal is total and depends on nothing but the entries.
 */
#include "balance/balance_internal.h"

static bool before(const struct equant_heap_entry *a, const struct equant_heap_entry *b)
{
	if (a->key > b->key)
		return true;
	return a->key == b->key && a->rank < b->rank;
}

static void sift_down(struct equant_heap *heap, int at)
{
	struct equant_heap_entry *entries = heap->entries;
	struct equant_heap_entry moving = entries[at];
	int child;

	for (; 2 * at + 1 < heap->count; at = child) {
		child = 2 * at + 1;
		if (child + 1 < heap->count && before(&entries[child + 1], &entries[child]))
			child++;
		if (!before(&entries[child], &moving))
			break;
		entries[at] = entries[child];
	}
	entries[at] = moving;
}

void equant_heap_make(struct equant_heap *heap)
{
	for (int at = heap->count / 2 - 1; at >= 0; at--)
		sift_down(heap, at);
}

struct equant_heap_entry equant_heap_pop(struct equant_heap *heap)
{
	struct equant_heap_entry top = heap->entries[0];

	heap->entries[0] = heap->entries[--heap->count];
	if (heap->count)
		sift_down(heap, 0);
	return top;
}

void equant_heap_push(struct equant_heap *heap, struct equant_heap_entry entry)
{
	int at = heap->count++;

	for (; at && before(&entry, &heap->entries[(at - 1) / 2]); at = (at - 1) / 2)
		heap->entries[at] = heap->entries[(at - 1) / 2];
	heap->entries[at] = entry;
}
