/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Redistributions and what must come of them, by the definition of the distributions. */
#ifndef LIBSETUP_H
#define LIBSETUP_H

#include <equant/transfer.h>

#include "arrays.h"

#define MOST 16 /* ranks */
#define UNTOUCHED 0xee
#define BLOCK 2100 /* elements of 16 to 40 bytes: long enough to be read rather than packed */

/**
 * struct setup - a redistribution, the same on all ranks, and this rank's arrays
 * @senders: ranks of the senders, in the order of their numbers
 * @receivers: likewise
 * @from_strides: of every sender; @to_strides of every receiver
 * @from_size: elements of each local array
 * @sender: this rank's number, or -1
 */
struct setup {
	struct equant_redist_array array;
	size_t element;
	int senders[MOST];
	int receivers[MOST];
	int64_t from_strides[MOST][EQUANT_REDIST_DIMENSIONS];
	int64_t to_strides[MOST][EQUANT_REDIST_DIMENSIONS];
	int64_t from_size[MOST];
	int64_t to_size[MOST];
	int sender;
	int receiver;
	unsigned char *from;
	unsigned char *to;
	unsigned char *expected;
};

/* Arrays of @s->array and ranks that are given.  False if they would be too large to look at. */
bool setup_make(struct setup *s, struct random *random);

/* Random arrays that are not, on those ranks. */
void setup_random(struct setup *s, struct random *random);

/* cyclic(1) to cyclic(7) on all ranks: each has something for each. */
void setup_small(struct setup *s, struct random *random);

/* Blocks that are long enough to be read, from all ranks to all; the last one is short. */
void setup_large(struct setup *s, struct random *random, int64_t to_block);

void setup_free(struct setup *s);

/* Bytes of run @run to be sent, and those expected. */
void setup_fill(struct setup *s, uint64_t run);

/* Ends the job if one is not. */
void setup_check(const struct setup *s);

/* equant_transfer_start() and _run() */
int setup_start(struct equant_transfer *transfer, struct setup *s);
int setup_run(struct equant_transfer *transfer, struct setup *s);

struct equant_transfer *must_transfer(const struct setup *s,
				      const struct equant_transfer_options *options);

/* Twice, with other bytes. */
void must_run(struct equant_transfer *transfer, struct setup *s);

#endif /* LIBSETUP_H */
