/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_CONTROL_NODE_H
#define EQUANT_CONTROL_NODE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "control/await.h"
#include "control/nudge.h"

#define EQUANT_NODE_SLOT 8192u /* bytes a rank may bring to a reduction at once */
#define EQUANT_NODE_CHUNKS 8 /* of so many; for more than that messages are faster */
#define EQUANT_NODE_LETTERS 8u /* broadcasts of a slot's size that not everybody has read yet */

/**
 * struct equant_node_rank - what the others see of a rank; a cache line
 * @bell: a futex; changes when the rank is to look for messages
 * @asleep: it sleeps on @bell or is about to
 * @rung_ns: when it was woken last
 * @pid: for finding out that it is gone
 * @shares: its CPU with another process, and may be nudged
 * @nudges: a futex; how often it was
 * @brought: bytes to the reduction, by turn, as its slots
 * @entered: barriers that it has come to
 */
struct equant_node_rank {
	uint32_t bell;
	uint32_t asleep;
	uint64_t rung_ns;
	int32_t pid;
	uint32_t shares;
	uint32_t nudges;
	uint32_t brought[2];
	uint32_t entered;
	uint32_t pad[6];
};

/**
 * struct equant_node_box - what a rank hands over to one other
 * @signal: 0 empty, else for whom it is full, or that it is being emptied
 * @what: it means
 */
struct equant_node_box {
	struct equant_signal signal;
	uint64_t what;
	uint32_t pad[10];
	char bytes[EQUANT_NODE_SLOT];
};

/**
 * struct equant_node_memory - the segment that the ranks of a node share
 * @cookie: tells it from another one
 * @lost: a rank has given up on another one: that all have come to a barrier means nothing any more
 * @dozing: ranks that sleep on their bells or are about to
 * @failed: why there is no result of all nodes, -errno; the first rank's, read after a barrier
 * @arrived: ranks in the barrier
 * @generation: the number of barriers passed
 * @sent: the number of letters written
 * @ranks: of each rank of the node; the slots follow, two per rank, a box of each, and the letters
 */
struct equant_node_memory {
	uint64_t cookie;
	int32_t failed;
	uint32_t lost;
	uint32_t dozing;
	uint32_t pad[11];
	uint32_t arrived;
	uint32_t pad_arrived[15];
	struct equant_signal generation;
	uint32_t pad_generation[12];
	struct equant_signal sent;
	uint32_t pad_sent[12];
	struct equant_node_rank ranks[];
};

/**
 * struct equant_node - a rank's view of its node
 * @comm: the node's ranks, in the order of the context's
 * @leaders: the first rank of each node; MPI_COMM_NULL elsewhere
 * @nodes: how many
 * @ordered: each node's ranks are neighbours, so that nodes are in the order of ranks
 * @turn: which of the two slots the next reduction uses
 * @letters: broadcasts so far
 * @read: so many of them everybody has read
 * @all: ranks of the context
 * @local: rank in @comm by the context's rank, -1 on another node
 * @left, @right: @EQUANT_NODE_SLOT bytes each, for reductions
 * @nudged: this rank's part of nudge.c
 */
struct equant_node {
	MPI_Comm comm;
	MPI_Comm leaders;
	int rank;
	int ranks;
	int nodes;
	int ordered;
	int turn;
	uint32_t letters;
	uint32_t read;
	int all;
	int *local;
	char *left, *right;
	size_t size;
	struct equant_node_memory *memory;
	struct equant_nudged nudged;
};

/**
 * equant_node_open() - collective; find the ranks of this node and share memory with them
 * @out: receives the node, or NULL where memory cannot be shared on each node
 * @comm: of the context
 *
 * The memory has no name that could outlive its users.
 *
 * Return: 0, also without memory; -ENOMEM, -EIO.
 */
int equant_node_open(struct equant_node **out, MPI_Comm comm);

/** equant_node_close() - collective unless its communicators are to be @kept; @node may be NULL */
void equant_node_close(struct equant_node *node, int kept);

/** equant_node_ring() - a message to this rank of the context is on its way; -1: to some */
void equant_node_ring(struct equant_node *node, int rank);

/** equant_node_has() - is this rank of the context one of the node?  Without @node (NULL) none is */
bool equant_node_has(const struct equant_node *node, int rank);

/** equant_node_slot() - a rank's memory for the present turn */
void *equant_node_slot(const struct equant_node *node, int rank);

/** equant_node_letter() - memory for the next broadcast */
void *equant_node_letter(const struct equant_node *node);

/** equant_node_box() - that of a rank of the node */
struct equant_node_box *equant_node_box(const struct equant_node *node, int rank);

/** equant_node_find() - the context's rank of one of the node */
int equant_node_find(const struct equant_node *node, int local);

/** equant_node_check() - are the others still there?  0, or -EIO and a message */
int equant_node_check(const struct equant_node *node);

#endif /* EQUANT_CONTROL_NODE_H */
