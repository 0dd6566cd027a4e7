// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A self-scheduled loop of the ranks of a node: made and freed together, in between without
 * any message.
 *
 * The counter is in a window of MPI_Win_allocate_shared(), but MPI is not asked to add: its
 * atomics cost ten times as much as the processor's.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/message.h"
#include "core/mpi_error.h"
#include "engine/self_internal.h"
#include "loop/loop_internal.h"
#include "selfsched/state.h"

static int check_options(const struct equant_self_options *options)
{
	const unsigned char *bytes = (const unsigned char *)options;

	if (!options || options->sz < sizeof(*options) || !options->loop ||
	    options->loop->sz < sizeof(*options->loop)) {
		equant_message("equant_self_new: no loop, or options that are too small");
		return -EINVAL;
	}
	for (size_t i = sizeof(*options); i < options->sz; i++) {
		if (bytes[i]) {
			equant_message("equant_self_new: byte %zu of the options is not known here",
				       i);
			return -EINVAL;
		}
	}
	if (options->loop->workers || options->loop->powers) {
		equant_message(
			"equant_self_new: the ranks are the workers: workers must be 0, powers NULL");
		return -EINVAL;
	}
	if (options->power < 0 || options->power > EQUANT_CHUNKS_POWER / EQUANT_SELF_SCALE) {
		equant_message("equant_self_new: power %d: expected 1 to %d", options->power,
			       EQUANT_CHUNKS_POWER / EQUANT_SELF_SCALE);
		return -EINVAL;
	}
	return 0;
}

/* FNV-1a over what must not differ between ranks. */
static uint64_t digest(const struct equant_self_options *options)
{
	const struct equant_chunks_options *loop = options->loop;
	int64_t fields[EQUANT_CHUNKS_DIMENSIONS + 6] = {
		loop->dimensions, loop->chunk,	  loop->minimum,
		loop->first,	  loop->rounding, options->fixed,
	};
	uint64_t hash = 0xcbf29ce484222325ull;

	for (int i = 0; i < loop->dimensions && i < EQUANT_CHUNKS_DIMENSIONS; i++)
		fields[6 + i] = loop->extents[i];
	for (size_t i = 0; i < sizeof(fields); i++)
		hash = (hash ^ ((unsigned char *)fields)[i]) * 0x100000001b3ull;
	for (const char *c = loop->scheme ? loop->scheme : ""; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 0x100000001b3ull;
	return hash;
}

/* All ranks have the same loop, or none has any. */
static int agree_on_loop(struct equant_self *self, const struct equant_self_options *options,
			 int error)
{
	uint64_t hash = error ? 0 : digest(options), mine[2] = { hash, ~hash }, all[2];

	error = equant_mpi_agree(self->comm, error);
	if (error)
		return error;
	error = equant_mpi_error(MPI_Allreduce(mine, all, 2, MPI_UINT64_T, MPI_MAX, self->comm),
				 "comparing loops");
	if (error || all[0] == ~all[1])
		return error;
	if (!self->eq->rank)
		equant_message("equant_self_new: the loop or its scheme differs between ranks");
	return -EINVAL;
}

static int check_node(struct equant_self *self)
{
	MPI_Comm node;
	int ranks, error;

	error = equant_mpi_error(MPI_Comm_split_type(self->comm, MPI_COMM_TYPE_SHARED, 0,
						     MPI_INFO_NULL, &node),
				 "equant_self_new");
	if (error)
		return error;
	MPI_Comm_size(node, &ranks);
	MPI_Comm_free(&node);
	if (ranks != self->eq->ranks)
		error = -EOPNOTSUPP;
	if (error && !self->eq->rank)
		equant_message("equant_self_new: %d of %d ranks are on another node",
			       self->eq->ranks - ranks, self->eq->ranks);
	return error;
}

/* The ranks' copies of the calculator, which all begin alike. */
static int make_calculator(struct equant_self *self, const struct equant_self_options *options)
{
	struct equant_chunks_options loop = *options->loop;
	int *powers = calloc((size_t)(unsigned int)self->eq->ranks, sizeof(*powers));
	int full = options->power ? options->power : 1, error = powers ? 0 : -ENOMEM;
	char why[512] = "";

	if (!options->fixed)
		full *= loop.dimensions > 1 ? EQUANT_SELF_SCALE_PLANE : EQUANT_SELF_SCALE;
	error = equant_mpi_agree(self->comm, error);
	if (!error)
		error = equant_mpi_error(MPI_Allgather(&full, 1, MPI_INT, powers, 1, MPI_INT,
						       self->comm),
					 "exchanging powers");
	if (!error) {
		loop.workers = self->eq->ranks;
		loop.powers = powers;
		loop.sz = sizeof(loop);
		self->chunks = equant_chunks_new(&loop, why, sizeof(why));
		error = self->chunks ? equant_self_classify(self) : -errno;
		if (!self->chunks && (error != -EINVAL || !self->eq->rank))
			equant_message("equant_self_new: %s", why);
		error = equant_mpi_agree(self->comm, error);
	}
	free(powers);
	if (error)
		return error;
	self->full = self->now = 1;
	if (self->chunks->scheme->flags & EQUANT_SCHEME_WEIGHTED) {
		self->full = self->now = full;
		self->follows = !options->fixed;
		self->tail = options->fixed ? 0 : INT64_C(2) * full * self->eq->ranks;
	}
	return 0;
}

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

/* Rank 0 brings the memory. */
static int make_memory(struct equant_self *self)
{
	size_t size = sizeof(struct equant_self_memory) + 64;
	void *base;
	MPI_Aint bytes;
	int unit, error;

	size += equant_chunks_state_size(self->chunks);
	bytes = self->eq->rank ? 0 : (MPI_Aint)size;
	error = equant_mpi_error(MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, self->comm, &base,
							 &self->window),
				 "MPI_Win_allocate_shared");
	if (!error) {
		MPI_Win_set_errhandler(self->window, MPI_ERRORS_RETURN);
		error = equant_mpi_error(MPI_Win_lock_all(MPI_MODE_NOCHECK, self->window),
					 "MPI_Win_lock_all");
	}
	if (!error)
		error = equant_mpi_error(MPI_Win_shared_query(self->window, 0, &bytes, &unit,
							      &base),
					 "MPI_Win_shared_query");
	if (error)
		return error;
	self->memory = (void *)(((uintptr_t)base + 63) & ~(uintptr_t)63);
	if (!self->eq->rank) {
		memset(self->memory, 0, sizeof(*self->memory));
		equant_chunks_save(self->chunks, self->memory->calculator);
		error = make_lock(&self->memory->lock);
	}
	/* Also what makes the memory's first contents visible. */
	return equant_mpi_agree(self->comm, error);
}

static int release(struct equant_self *self)
{
	int error = equant_self_record_close(self);

	if (self->window != MPI_WIN_NULL && !equant_mpi_is_over()) {
		MPI_Win_unlock_all(self->window);
		MPI_Win_free(&self->window);
	}
	if (self->comm != MPI_COMM_NULL && !equant_mpi_is_over())
		MPI_Comm_free(&self->comm);
	equant_self_reductions_free(self);
	equant_chunks_free(self->chunks);
	free(self->edges);
	free(self);
	return error;
}

struct equant_self *equant_self_new(struct equant *eq, const struct equant_self_options *options)
{
	struct equant_self *self = calloc(1, sizeof(*self));
	int error = check_options(options);

	error = equant_mpi_agree(eq->collectives, error ? error : self ? 0 : -ENOMEM);
	if (error)
		goto fail;
	self->eq = eq;
	self->comm = MPI_COMM_NULL;
	self->window = MPI_WIN_NULL;
	self->owner = pthread_self();
	error = equant_mpi_error(MPI_Comm_dup(eq->collectives, &self->comm), "MPI_Comm_dup");
	if (!error)
		error = agree_on_loop(self, options, 0);
	if (!error)
		error = check_node(self);
	if (!error)
		error = make_calculator(self, options);
	if (!error)
		error = make_memory(self);
	if (!error)
		error = equant_self_record_open(self, options);
	if (!error)
		return self;
	release(self);
	self = NULL;
fail:
	free(self);
	errno = -error;
	return NULL;
}

int equant_self_free(struct equant_self *self)
{
	int error, closed, state = 0;

	if (!self)
		return 0;
	/* Not MPI's barrier: who polls in it takes the CPU from ranks that still compute. */
	error = equant_mpi_is_over() ? -EPIPE : equant_barrier(self->eq);
	if (!error)
		state = self->memory->state;
	closed = release(self);
	if (error || state < 0)
		return error ? error : state;
	return closed;
}
