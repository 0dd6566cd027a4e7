/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_ENGINE_SELF_MESSAGES_H
#define EQUANT_ENGINE_SELF_MESSAGES_H

/*
 * Between the master and a worker, as bytes: who can share a job can share these.  They stay
 * below 4 KB, what MPI sends without waiting for the receiver, who may be computing.
 *
 *	worker to master: any number of requests, each answered, one at a time; a word when it knows
 *	that the loop has ended early; one when it frees the loop
 *	master to worker: answers; a notice when nothing is left, and a last one when the loop has
 *	ended early or all workers have freed it
 */
#include <mpi.h>
#include <stdint.h>

#include "control/waited_on.h"
#include "engine/self_internal.h"

#define EQUANT_SELF_ANSWER 96 /* chunks in an answer, at most */
#define EQUANT_SELF_REPORTS 80 /* in a request, at most */

enum equant_self_tag {
	EQUANT_SELF_TAG_REQUEST = 1,
	EQUANT_SELF_TAG_ANSWER,
	EQUANT_SELF_TAG_WORD,
	EQUANT_SELF_TAG_NOTICE,
	EQUANT_SELF_TAG_TREE,
};

/**
 * struct equant_self_report - a rank's news since its last report
 * @worker: whose
 * @power: now
 * @first: of the chunk, of the last one if there are several
 * @iterations: computed; 0: none that anybody wants to know of
 * @compute: seconds for them
 * @overhead: seconds of asking
 */
struct equant_self_report {
	int32_t worker;
	int32_t power;
	int64_t first;
	int64_t iterations;
	double compute;
	double overhead;
};

/**
 * struct equant_self_request - chunks are wanted
 * @wanted: how many
 * @workers: for whom each is
 * @n: reports
 */
struct equant_self_request {
	int32_t wanted;
	int32_t n;
	int32_t workers[EQUANT_SELF_ANSWER];
	struct equant_self_report reports[EQUANT_SELF_REPORTS];
};

_Static_assert(sizeof(struct equant_self_request) < 4096, "a request is sent at once");

/** struct equant_self_lot - a chunk, and whom it was cut for */
struct equant_self_lot {
	int64_t first;
	int64_t count;
	int64_t worker;
};

/** struct equant_self_answer - @n chunks; 0: nothing is left */
struct equant_self_answer {
	int64_t n;
	struct equant_self_lot lots[EQUANT_SELF_ANSWER];
};

/** struct equant_self_word - @state: as in the memory; @leaves: it is the worker's last message */
struct equant_self_word {
	int32_t state;
	int32_t leaves;
};

#define EQUANT_SELF_OVER 2 /* nothing is left: another notice will follow */
#define EQUANT_SELF_GONE 3 /* all workers have freed the loop */

/**
 * struct equant_self_notice - the end
 * @state: as in the memory, or one of the two above
 * @answers: sent to this worker before; later ones are empty
 */
struct equant_self_notice {
	int64_t state;
	int64_t answers;
};

/* ---- self_wait.c ----------------------------------------------------------------------- */

/* Does what is to be done now. 1 = the wait is over, and what it returns is in @got; 0 = not yet. */
typedef int (*equant_self_look)(struct equant_self *self, struct equant_self_chunk *chunk,
				int *got);

/**
 * equant_self_await() - look again and again
 * @self: the loop
 * @on: whom for; @say, @what and what @say looks at are filled in
 * @look: see there
 * @chunk: for it
 *
 * Any thread; only the context's names others and gives up on them.
 *
 * Return: what @look has got; -ETIMEDOUT in checked mode; what ranks of the context have lost each other by.
 */
int equant_self_await(struct equant_self *self, struct equant_waited_on *on, equant_self_look look,
		      struct equant_self_chunk *chunk);

/* A @say: "@what: rank @rank, or a rank that it waits for, has not come within @seconds" */
void equant_self_say_rank(const struct equant_waited_on *on, double seconds);

/* ---- self_master.c: calls of the context's thread; 0 or -errno ----------------------- */

int equant_self_master_open(struct equant_self *self);
void equant_self_master_free(struct equant_self *self);
int equant_self_master_serve(struct equant_self *self);
int equant_self_master_next(struct equant_self *self, struct equant_self_chunk *chunk);
int equant_self_master_close(struct equant_self *self);

/* ---- self_worker.c ------------------------------------------------------------------- */

int equant_self_worker_open(struct equant_self *self);
void equant_self_worker_free(struct equant_self *self);
int equant_self_worker_progress(struct equant_self *self); /* the context's thread */
int equant_self_worker_next(struct equant_self *self, struct equant_self_chunk *chunk);
int equant_self_worker_close(struct equant_self *self); /* the context's thread */

/* ---- self_tree.c: as of the worker, but for a rank between its neighbours --------------- */

int equant_self_tree_open(struct equant_self *self);
void equant_self_tree_free(struct equant_self *self);
int equant_self_tree_talk(struct equant_self *self);
int equant_self_tree_give(struct equant_self *self); /* what is owed to the neighbour */
int equant_self_tree_next(struct equant_self *self, struct equant_self_chunk *chunk);
int equant_self_tree_close(struct equant_self *self);

/* Of any of them, what has come and what is to be said: calls of other threads do nothing. 0 or -errno. */
int equant_self_talk(struct equant_self *self);

#endif /* EQUANT_ENGINE_SELF_MESSAGES_H */
