// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The end before the end: a word in the memory of each node, which the context's threads pass on
 * to the other nodes.
 */
#include <errno.h>
#include <string.h>

#include "core/message.h"
#include "engine/self_messages.h"
#include "loop/loop_internal.h"

int32_t equant_self_state(const struct equant_self *self)
{
	return __atomic_load_n(&self->memory->state, __ATOMIC_RELAXED);
}

int equant_self_stop(struct equant_self *self, int32_t how)
{
	int32_t none = 0;

	return __atomic_compare_exchange_n(&self->memory->state, &none, how, 0, __ATOMIC_RELAXED,
					   __ATOMIC_RELAXED);
}

int equant_self_talk(struct equant_self *self)
{
	if (self->role == EQUANT_SELF_ALL || !equant_self_is_owner(self))
		return 0;
	if (self->role == EQUANT_SELF_MASTER)
		return equant_self_master_serve(self);
	if (self->role == EQUANT_SELF_NEIGHBOUR)
		return equant_self_tree_talk(self);
	return self->role == EQUANT_SELF_WORKER ? equant_self_worker_progress(self) : 0;
}

int equant_self_progress(struct equant_self *self)
{
	int error = equant_self_talk(self);
	int32_t state = equant_self_state(self);

	if (!error && self->role == EQUANT_SELF_NEIGHBOUR && equant_self_is_owner(self))
		error = equant_self_tree_give(self);
	if (error)
		equant_self_stop(self, error);
	if (error || state <= 0)
		return error ? error : state;
	return -ECANCELED;
}

void equant_self_cancel(struct equant_self *self)
{
	equant_self_stop(self, 1);
	equant_self_progress(self);
}

void equant_self_fail(struct equant_self *self, int error)
{
	if (error >= 0)
		error = -EINVAL;
	if (equant_self_stop(self, error))
		equant_message("equant_self_fail: rank %d ends the loop: %s", self->eq->rank,
			       strerror(-error));
	equant_self_progress(self);
}
