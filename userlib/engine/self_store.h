/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_ENGINE_SELF_STORE_H
#define EQUANT_ENGINE_SELF_STORE_H

#include "engine/self_messages.h"

/*
 * In the memory of workers: chunks that the master has given to their node and that nobody computes
 * yet, and what is to be told to it.  All functions but the first one are called with the lock.
 */
struct equant_self_store;

size_t equant_self_store_size(const struct equant_self *self);

/* A thread begins to wait for a chunk, and has computed @chunk; or ends it. */
void equant_self_store_enter(struct equant_self *self, const struct equant_self_chunk *chunk,
			     uint64_t asked_ns);
void equant_self_store_leave(struct equant_self *self, double waited);

/* 1 = a chunk, best one that was cut for this rank; 0 = there is none. */
int equant_self_store_take(struct equant_self *self, struct equant_self_chunk *chunk);
void equant_self_store_put(struct equant_self *self, const struct equant_self_answer *answer);

/* How many to ask for now, 0 = none: for those who wait, or else ahead of need. */
int equant_self_store_lacks(const struct equant_self *self);
int equant_self_store_runs_low(const struct equant_self *self);

/* So many are asked for (negative: have come) by a rank that waits, or one that computes. */
void equant_self_store_coming(struct equant_self *self, int waits, int n);

/* What a request for @wanted says. */
void equant_self_store_request(struct equant_self *self, struct equant_self_request *request,
			       int wanted);

#endif /* EQUANT_ENGINE_SELF_STORE_H */
