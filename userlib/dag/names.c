// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Tasks by name: open addressing, at most half full.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "scan.h"

/* FNV-1a: Fowler, Noll, Vo. */
static unsigned int hash(const char *name)
{
	unsigned int h = 2166136261u;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 16777619u;
	return h;
}

/* Where @name is, or where it would be put. */
static int place(const struct dag_names *names, const char *name)
{
	int at = (int)(hash(name) & (unsigned int)(names->room - 1));

	while (names->slot[at] && strcmp(names->dag->task[names->slot[at] - 1].name, name))
		at = (at + 1) & (names->room - 1);
	return at;
}

int equant_dag_names_find(const struct dag_names *names, const char *name)
{
	return names->room ? names->slot[place(names, name)] - 1 : -1;
}

static void put(struct dag_names *names, int task)
{
	const char *name = names->dag->task[task].name;

	if (name[0])
		names->slot[place(names, name)] = task + 1;
}

int equant_dag_names_add(struct dag_names *names)
{
	struct dag_names more = *names;

	if (2 * names->dag->tasks > names->room) {
		more.room = names->room ? 2 * names->room : 16;
		more.slot = calloc((size_t)more.room, sizeof(*more.slot));
		if (!more.slot)
			return -ENOMEM;
		for (int i = 0; i < names->dag->tasks - 1; i++)
			put(&more, i);
		free(names->slot);
		*names = more;
	}
	put(names, names->dag->tasks - 1);
	return 0;
}
