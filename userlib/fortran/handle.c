// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What a program's variables hold instead of addresses.
 *
 * A variable may be copied, and its object may go with another one: loops with their context, tables
 * with their loop.  So it holds a number, that of a slot and of the slot's use, and what has gone is
 * found to have gone and not looked at.  A slot is looked up without a lock, as it never moves.
 */
#include <pthread.h>
#include <stdint.h>

#include "core/message.h"
#include "fortran/fortran_internal.h"

#define SLOTS 65536 /* the first is none's */

/**
 * struct slot - a context's, loop's or table's
 * @handle: 0 = unused
 * @last: the handle of its last use
 * @next: the next unused slot, of those that have been used
 */
static struct slot {
	uintptr_t handle;
	uintptr_t last;
	void *object;
	const void *owner;
	size_t next;
} slots[SLOTS];

static size_t used = 1; /* slots that have been, from the first on */
static size_t unused; /* the first of them that is again; 0 = none */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static size_t take(void)
{
	size_t at = unused;

	if (at)
		unused = slots[at].next;
	else if (used < SLOTS)
		at = used++;
	return at;
}

uintptr_t equant_fortran_reserve(const char *function)
{
	uintptr_t handle = 0;
	size_t at;

	pthread_mutex_lock(&lock);
	at = take();
	if (at) {
		handle = (slots[at].last ? slots[at].last : at) + SLOTS;
		slots[at].object = NULL;
		slots[at].last = handle;
		__atomic_store_n(&slots[at].handle, handle, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&lock);
	if (!handle)
		equant_message("%s: more than %d contexts, loops and tables at once", function,
			       SLOTS - 1);
	return handle;
}

void *equant_fortran_object(uintptr_t handle)
{
	const struct slot *slot = &slots[handle % SLOTS];

	return handle && __atomic_load_n(&slot->handle, __ATOMIC_ACQUIRE) == handle ? slot->object :
										      NULL;
}

static void give_back(size_t at)
{
	__atomic_store_n(&slots[at].handle, 0, __ATOMIC_RELEASE);
	slots[at].next = unused;
	unused = at;
}

uintptr_t equant_fortran_made(uintptr_t handle, void *object, const void *owner)
{
	struct slot *slot = &slots[handle % SLOTS];

	pthread_mutex_lock(&lock);
	slot->object = object;
	slot->owner = owner;
	if (handle && !object)
		give_back(handle % SLOTS);
	pthread_mutex_unlock(&lock);
	return object ? handle : 0;
}

/* With the lock held. */
static void forget(const void *object)
{
	for (size_t at = 1; at < used; at++) {
		const void *mine = slots[at].object;

		if (!slots[at].handle || !mine)
			continue;
		if (mine == object)
			give_back(at);
		else if (slots[at].owner == object) {
			give_back(at);
			forget(mine);
		}
	}
}

void equant_fortran_forget(const void *object)
{
	pthread_mutex_lock(&lock);
	if (object)
		forget(object);
	pthread_mutex_unlock(&lock);
}
