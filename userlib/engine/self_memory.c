// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The memory that ranks of a node have in common, in a window of MPI_Win_allocate_shared(),
 * and the lock in it.
 */
#include <errno.h>
#include <string.h>

#include "core/message.h"
#include "core/mpi_error.h"
#include "engine/self_internal.h"
#include "engine/self_store.h"
#include "loop/loop_internal.h"
#include "selfsched/state.h"

static int make_lock(pthread_mutex_t *lock)
{
	pthread_mutexattr_t attributes;
	int error = pthread_mutexattr_init(&attributes);

	if (error)
		return -error;
	error = pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	if (!error)
		error = pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	if (!error)
		error = pthread_mutex_init(lock, &attributes);
	pthread_mutexattr_destroy(&attributes);
	return -error;
}

/* All of a group have one or none: those that had would wait in MPI_Win_free() for the others. */
static int allocate_window(struct equant_self *self, MPI_Aint bytes, void **base)
{
	int error = equant_mpi_error(MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, self->group,
							     base, &self->window),
				     "MPI_Win_allocate_shared");

	error = equant_mpi_agree(self->group, error);
	if (error)
		self->window = MPI_WIN_NULL;
	return error;
}

static int make_window(struct equant_self *self, size_t size)
{
	MPI_Aint bytes = self->eq->rank == self->members[0] ? (MPI_Aint)size : 0;
	void *base;
	int unit, error;

	error = allocate_window(self, bytes, &base);
	if (!error) {
		MPI_Win_set_errhandler(self->window, MPI_ERRORS_RETURN);
		error = equant_mpi_error(MPI_Win_lock_all(MPI_MODE_NOCHECK, self->window),
					 "MPI_Win_lock_all");
	}
	if (!error)
		error = equant_mpi_error(MPI_Win_shared_query(self->window, 0, &bytes, &unit,
							      &base),
					 "MPI_Win_shared_query");
	if (!error)
		self->memory = (void *)(((uintptr_t)base + 63) & ~(uintptr_t)63);
	return error;
}

/* The first rank of a group brings the memory. */
int equant_self_memory_open(struct equant_self *self)
{
	size_t size = self->role == EQUANT_SELF_WORKER ? equant_self_store_size(self) :
							 equant_chunks_state_size(self->chunks);
	int error = make_window(self, sizeof(struct equant_self_memory) + 64 + size);

	if (!error && self->eq->rank == self->members[0]) {
		memset(self->memory, 0, sizeof(*self->memory) + size);
		if (self->role != EQUANT_SELF_WORKER)
			equant_chunks_save(self->chunks, self->memory->calculator);
		error = make_lock(&self->memory->lock);
	}
	/* Also what makes the memory's first contents visible. */
	return equant_mpi_agree(self->comm, error);
}

void equant_self_memory_close(struct equant_self *self)
{
	if (self->window == MPI_WIN_NULL)
		return;
	MPI_Win_unlock_all(self->window);
	MPI_Win_free(&self->window);
}

int equant_self_lock(struct equant_self *self)
{
	int error = pthread_mutex_lock(&self->memory->lock);

	if (error == EOWNERDEAD) {
		/* Before anybody else can take one: what chunks are left may be half written. */
		equant_self_stop(self, -EIO);
		pthread_mutex_consistent(&self->memory->lock);
		pthread_mutex_unlock(&self->memory->lock);
		equant_message("equant_self_next: a rank died while it took a chunk");
	}
	if (error)
		return -EIO;
	/* Whoever has waited for the lock meanwhile. */
	if (__atomic_load_n(&self->memory->state, __ATOMIC_RELAXED) != -EIO)
		return 0;
	equant_self_unlock(self);
	return -EIO;
}

void equant_self_unlock(struct equant_self *self)
{
	pthread_mutex_unlock(&self->memory->lock);
}
