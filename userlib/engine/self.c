// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A self-scheduled loop: made and freed together, in between without any message on a node.
 *
 * The counter is in a window of MPI_Win_allocate_shared(), but MPI is not asked to add: its
 * atomics cost ten times as much as the processor's.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/compare.h"
#include "core/message.h"
#include "core/mix.h"
#include "core/mpi_error.h"
#include "core/struct.h"
#include "engine/self_messages.h"
#include "loop/loop_internal.h"

/* Options end where those of an older library did, at least. */
static int copy_options(const struct equant_self_options *from, struct equant_self_options *to)
{
	size_t least = offsetof(struct equant_self_options, engine), unknown;

	if (!from || from->sz < least || !from->loop || from->loop->sz < sizeof(*from->loop)) {
		equant_message("equant_self_new: %s",
			       !from		? "no options" :
			       from->sz < least ? EQUANT_STRUCT_SMALL("equant_self_options") :
			       !from->loop	? "loop of the options is NULL" :
						  EQUANT_STRUCT_SMALL("equant_chunks_options"));
		return -EINVAL;
	}
	unknown = equant_struct_unknown(from, sizeof(*to), from->sz);
	if (unknown) {
		equant_message("equant_self_new: byte %zu of the options is not known here",
			       unknown);
		return -EINVAL;
	}
	unknown = equant_struct_unknown(from->loop, sizeof(*from->loop), from->loop->sz);
	if (unknown) {
		equant_message("equant_self_new: byte %zu of the loop is not known here", unknown);
		return -EINVAL;
	}
	memset(to, 0, sizeof(*to));
	memcpy(to, from, from->sz < sizeof(*to) ? from->sz : sizeof(*to));
	return 0;
}

static int check_options(const struct equant_self_options *options)
{
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
	if (options->engine && !strcmp(options->engine, "tree") &&
	    (!options->loop->scheme || strcmp(options->loop->scheme, "trees"))) {
		equant_message("equant_self_new: engine tree is for the scheme trees only");
		return -EINVAL;
	}
	return 0;
}

/* All ranks have the same loop, or none has any. */
static int agree_on_loop(struct equant_self *self, const struct equant_self_options *options)
{
	const struct equant_chunks_options *loop = options->loop;
	const int64_t numbers[] = { loop->dimensions,  loop->chunk,	 loop->minimum,
				    loop->first,       loop->rounding,	 options->fixed,
				    !!options->record, !!options->replay };
	struct equant_alike things[] = { { "the loop", 0 },
					 { "its scheme", equant_mix_text(0, loop->scheme) },
					 { "the engine", equant_mix_text(0, options->engine) } };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		things[0].sum = equant_mix_word(things[0].sum, (uint64_t)numbers[i]);
	for (int i = 0; i < loop->dimensions && i < EQUANT_CHUNKS_DIMENSIONS; i++)
		things[0].sum = equant_mix_word(things[0].sum, (uint64_t)loop->extents[i]);
	return equant_compare(self->comm, "equant_self_new", 0, things, 3);
}

/*
 * What a rank adds to the counter: its power, where the scheme knows such.  Schemes that learn have no counter,
 * but go by the powers of ranks that have not reported yet.
 */
static void set_power(struct equant_self *self, const struct equant_self_options *options,
		      const int *powers)
{
	int64_t all = 0;

	self->full = self->now = 1;
	if (self->chunks->scheme->flags & (EQUANT_SCHEME_WEIGHTED | EQUANT_SCHEME_LEARNS))
		self->full = self->now = powers[self->eq->rank];
	if (!(self->chunks->scheme->flags & EQUANT_SCHEME_WEIGHTED))
		return;
	self->follows = !options->fixed;
	for (int r = 0; r < self->eq->ranks; r++)
		all += powers[r];
	self->tail = options->fixed ? 0 : 2 * all;
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
	if (!error)
		set_power(self, options, powers);
	free(powers);
	return error;
}

/* Collective. */
static void release_mpi(struct equant_self *self)
{
	if (equant_mpi_is_over())
		return;
	equant_self_memory_close(self);
	if (self->group != MPI_COMM_NULL)
		MPI_Comm_free(&self->group);
	if (self->comm != MPI_COMM_NULL)
		MPI_Comm_free(&self->comm);
}

/* Of this rank alone: what ranks share stays, as others may yet come and use it. */
static int release(struct equant_self *self)
{
	int error = equant_self_record_close(self);

	equant_self_master_free(self);
	equant_self_worker_free(self);
	equant_self_tree_free(self);
	equant_self_reductions_free(self);
	equant_chunks_free(self->chunks);
	free(self->members);
	free(self->edges);
	free(self);
	return error;
}

/* Collective; what has been made after an error is for release(). */
static int make(struct equant_self *self, const struct equant_self_options *options)
{
	int error =
		equant_mpi_error(MPI_Comm_dup(self->eq->collectives, &self->comm), "MPI_Comm_dup");

	if (!error)
		error = agree_on_loop(self, options);
	if (!error)
		error = equant_self_group(self, options->engine);
	if (!error)
		error = make_calculator(self, options);
	if (!error)
		error = equant_self_memory_open(self);
	if (!error)
		error = equant_self_record_open(self, options);
	if (error || self->role == EQUANT_SELF_ALL)
		return error;
	if (self->role == EQUANT_SELF_NEIGHBOUR)
		return equant_self_tree_open(self);
	/* One rank is the master. */
	error = equant_self_master_open(self);
	return error ? error : equant_self_worker_open(self);
}

struct equant_self *equant_self_new(struct equant *eq, const struct equant_self_options *from)
{
	struct equant_self_options options;
	struct equant_self *self;
	int error;

	if (!eq) {
		equant_message("equant_self_new: no context");
		errno = EINVAL;
		return NULL;
	}
	self = calloc(1, sizeof(*self));
	error = copy_options(from, &options);
	if (!error)
		error = self ? check_options(&options) : -ENOMEM;
	error = equant_agree_in(eq, "equant_self_new()", error);
	if (error) {
		free(self);
		errno = -error;
		return NULL;
	}
	self->eq = eq;
	self->comm = self->group = MPI_COMM_NULL;
	self->window = MPI_WIN_NULL;
	self->owner = pthread_self();
	error = make(self, &options);
	if (!error) {
		eq->users++;
		return self;
	}
	release_mpi(self);
	release(self);
	errno = -error;
	return NULL;
}

/*
 * How the loop ended is the same everywhere: what the master knows when all have come.  Neighbours that
 * end it at the same time do not know of each other.
 */
static int finish(struct equant_self *self, int *state)
{
	int error = 0;

	if (self->role == EQUANT_SELF_MASTER)
		error = equant_self_master_close(self);
	if (self->role == EQUANT_SELF_WORKER)
		error = equant_self_worker_close(self);
	if (self->role == EQUANT_SELF_NEIGHBOUR)
		error = equant_self_tree_close(self);
	/* Others may be in the barrier by now, and find it out there. */
	if (error == -ETIMEDOUT)
		equant_lose(self->eq, error);
	/* Not MPI's barrier: who polls in it takes the CPU from ranks that still compute. */
	if (!error)
		error = equant_barrier_in(self->eq, "equant_self_free()");
	if (error)
		return error;
	*state = equant_self_state(self);
	if (self->role == EQUANT_SELF_NEIGHBOUR)
		error = equant_mpi_error(MPI_Allreduce(MPI_IN_PLACE, state, 1, MPI_INT, MPI_MIN,
						       self->comm),
					 "equant_self_free");
	else if (self->role != EQUANT_SELF_ALL)
		error = equant_mpi_error(MPI_Bcast(state, 1, MPI_INT, 0, self->comm),
					 "equant_self_free");
	return error;
}

int equant_self_free(struct equant_self *self)
{
	int error, closed, state = 0;

	if (!self)
		return 0;
	error = equant_mpi_is_over() ? -EPIPE : finish(self, &state);
	/* Who does not come to the end would be waited for there, too. */
	if (!error)
		release_mpi(self);
	else
		self->eq->abandoned = 1;
	self->eq->users--;
	closed = release(self);
	if (error || state < 0)
		return error ? error : state;
	return closed;
}
