// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Each task once.
 *
 * A table is read record by record while tasks come and go.  One that gives its record
 * back and gets another, further on, is met a second time; so is a new task that got the
 * number of one that has ended.  The record that was taken last is the true one.
 */
#include <stdlib.h>

#include "watch/watch_internal.h"

static int compare(uint64_t x, uint64_t y)
{
	return (x > y) - (x < y);
}

/* The latest of a task first. */
static int by_task(const void *a, const void *b)
{
	const struct equant_watch_task *x = a, *y = b;

	return compare(x->ns_inode, y->ns_inode)	       ?:
		       compare(x->tid, y->tid)		       ?:
		       compare(y->t_attach_ns, x->t_attach_ns) ?:
								 compare(x->record, y->record);
}

static int by_record(const void *a, const void *b)
{
	const struct equant_watch_task *x = a, *y = b;

	return compare(x->record, y->record);
}

static bool is_same(const struct equant_watch_task *x, const struct equant_watch_task *y)
{
	return x->ns_inode == y->ns_inode && x->tid == y->tid;
}

size_t equant_watch_unique(struct equant_watch_task *tasks, size_t nr)
{
	size_t left = 0;

	if (nr < 2)
		return nr;
	qsort(tasks, nr, sizeof(*tasks), by_task);
	for (size_t i = 0; i < nr; i++)
		if (!left || !is_same(&tasks[left - 1], &tasks[i]))
			tasks[left++] = tasks[i];
	qsort(tasks, left, sizeof(*tasks), by_record);
	return left;
}
