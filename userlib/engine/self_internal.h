/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_ENGINE_SELF_INTERNAL_H
#define EQUANT_ENGINE_SELF_INTERNAL_H

#include <mpi.h>
#include <pthread.h>

#include <equant/probe.h>
#include <equant/self.h>

#include "selfsched/selfsched_internal.h"

/*
 * Powers in eighths, so that a share of a CPU changes them finely; in halves where each dimension
 * is cut for so many.
 */
#define EQUANT_SELF_SCALE 8
#define EQUANT_SELF_SCALE_PLANE 2

/**
 * struct equant_self_memory - what the ranks share; each part on a cache line of its own
 * @next: steps or rectangles handed out, and beyond the end; for schemes that need no lock
 * @state: 0; 1 = cancelled; < 0 = the error of a rank
 * @lock: for @calculator
 * @calculator: as equant_chunks_save() writes it; of workers struct equant_self_store
 */
struct equant_self_memory {
	int64_t next __attribute__((aligned(64)));
	int32_t state __attribute__((aligned(64)));
	pthread_mutex_t lock __attribute__((aligned(64)));
	char calculator[] __attribute__((aligned(64)));
};

/* Who a rank is where ranks have no memory in common. */
enum equant_self_role {
	EQUANT_SELF_ALL, /* they have */
	EQUANT_SELF_MASTER, /* rank 0: answers the workers, and takes chunks itself */
	EQUANT_SELF_PEER, /* on the master's node: takes them from the same memory */
	EQUANT_SELF_WORKER, /* asks the master by messages */
	EQUANT_SELF_NEIGHBOUR, /* there is none; asks its neighbour */
};

/* What a step is, and how its iterations are found. */
enum equant_self_kind {
	EQUANT_SELF_RECTANGLES, /* a step is a rectangle */
	EQUANT_SELF_CLOSED, /* iterations before a step follow from its number */
	EQUANT_SELF_TABLE, /* they are in a table */
	EQUANT_SELF_LOCKED, /* the answer depends on more than the step: one rank at a time */
};

/**
 * struct equant_self - a rank's view of the loop
 * @eq: for the probe
 * @comm: of this loop alone
 * @group: the ranks that have @memory in common
 * @members: their ranks in @comm, @size of them
 * @role: of this rank
 * @ahead: 1: a node asks for chunks before it has none left
 * @master: EQUANT_SELF_MASTER: its side of the messages
 * @worker: EQUANT_SELF_WORKER: its side of them
 * @tree: EQUANT_SELF_NEIGHBOUR: its place
 * @window: over @memory
 * @chunks: this rank's copy of the calculator; EQUANT_SELF_LOCKED: belongs to who holds the lock
 * @total: iterations or rectangles
 * @edges: EQUANT_SELF_TABLE: where each step begins, and the end
 * @steps: that there are
 * @owner: the thread that may read the probe
 * @full: steps at once with a whole CPU
 * @now: the same, with the share it has
 * @follows: does @now follow the probe?
 * @tail: 2 V, steps at the end of which a request gets fewer than @now; 0 = none
 * @looked_ns: when, by CLOCK_MONOTONIC_COARSE
 * @tick_ns: that clock when it was last read
 * @passes: requests that do not read it from now on
 * @passed: as many as did not before
 * @record: chunks that are written down or handed out again; NULL
 * @replays: the latter
 * @reductions: NULL until something is added
 * @before: counters when a measured share was last taken
 */
struct equant_self {
	struct equant *eq;
	MPI_Comm comm;
	MPI_Comm group;
	int *members;
	int size;
	enum equant_self_role role;
	int ahead;
	struct equant_self_master *master;
	struct equant_self_worker *worker;
	struct equant_self_tree *tree;
	MPI_Win window;
	struct equant_self_memory *memory;
	struct equant_chunks *chunks;
	enum equant_self_kind kind;
	int64_t total;
	int64_t *edges;
	int64_t steps;
	pthread_t owner;
	int full;
	int now;
	int follows;
	int64_t tail;
	uint64_t looked_ns;
	uint64_t tick_ns;
	int passes;
	int passed;
	struct equant_self_record *record;
	int replays;
	struct equant_self_reductions *reductions;
	struct equant_counters before;
};

static inline int equant_self_is_owner(const struct equant_self *self)
{
	return pthread_equal(pthread_self(), self->owner);
}

/* self_group.c: collective; who has memory in common, by the name of an engine. 0 or -errno. */
int equant_self_group(struct equant_self *self, const char *engine);

/* self_memory.c: collective on all ranks. 0 or -errno. */
int equant_self_memory_open(struct equant_self *self);
void equant_self_memory_close(struct equant_self *self);

/* ... the lock; -EIO after another rank died with it, and then the loop has ended */
int equant_self_lock(struct equant_self *self);
void equant_self_unlock(struct equant_self *self);

/* self_next.c: 1 = chunk, 0 = nothing is left; from the calculator in this node's memory. */
int equant_self_take(struct equant_self *self, struct equant_self_chunk *chunk);
int64_t equant_self_iterations(const struct equant_self *self, int64_t first, int64_t count);

/* self_stop.c: 0, or how the loop ended: 1 = cancelled, < 0 = an error; the first one counts. */
int32_t equant_self_state(const struct equant_self *self);
int equant_self_stop(struct equant_self *self, int32_t how);

/* self_table.c: which kind the loop is; the table if it needs one. 0 or -errno. */
int equant_self_classify(struct equant_self *self);

/* self_power.c: let @now follow the probe. */
void equant_self_follow(struct equant_self *self);

/* self_record.c: collective. 0 or -errno. */
int equant_self_record_open(struct equant_self *self, const struct equant_self_options *options);
int equant_self_record_close(struct equant_self *self);

/* As equant_self_next(), of a loop that is replayed. */
int equant_self_record_next(struct equant_self *self, struct equant_self_chunk *chunk);
void equant_self_record_write(struct equant_self *self, const struct equant_self_chunk *chunk);

/* self_reduce.c */
void equant_self_reductions_free(struct equant_self *self);

#endif /* EQUANT_ENGINE_SELF_INTERNAL_H */
