// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A barrier, a reduction and a broadcast over the memory that the ranks of a node share.
 *
 * The barrier is a counter and a generation that the last one to come changes
 * (Mellor-Crummey and Scott, Algorithms for Scalable Synchronization on
 * Shared-Memory Multiprocessors, ACM TOCS 9(1), 1991, section 3.1, with a generation for
 * the sense).  The generation is a futex, so that whoever has given up its CPU gets it
 * back at once.
 *
 * In the reduction each rank puts its elements into its slot.  Behind a barrier
 * each rank combines all slots in the order of ranks.  The next reduction uses the other
 * slots, and its barrier says that everybody has read these.
 *
 * In a broadcast the root writes a letter that the others read, and nobody waits for those who read it late:
 * there are several, and all ranks know how many were written since they met
 * last.  When it is all of them, they meet.
 *
 * With several nodes only the first rank of each combines, then the first ranks among
 * themselves by messages; a second barrier hands out the result, or what has failed.
 */
#include <errno.h>
#include <string.h>

#include "control/await.h"
#include "control/collective.h"
#include "control/futex.h"
#include "control/node.h"
#include "control/send.h"
#include "control/shared.h"
#include "core/message.h"
#include "core/mpi_error.h"
#include "loop/abort.h"

/* All that have not come to the barrier that this rank is in. */
static void say_missing(const struct equant_waited_on *on, double seconds)
{
	const struct equant_node *node = on->of;
	uint32_t entered = equant_word_read(&node->memory->ranks[node->rank].entered);

	for (int r = 0; r < node->ranks; r++)
		if (equant_word_read(&node->memory->ranks[r].entered) != entered)
			equant_message("%s: rank %d has not come within %g s", on->what,
				       equant_node_find(node, r), seconds);
}

/* All of this node have come, and its first rank waits for others. */
static void say_elsewhere(const struct equant_waited_on *on, double seconds)
{
	equant_message("%s: rank %d, or ranks of other nodes, have not come to its end within %g s",
		       on->what, equant_node_find(on->of, 0), seconds);
}

static int await_barrier(struct equant_waiter *waiter, uint32_t old,
			 void (*say)(const struct equant_waited_on *on, double seconds))
{
	struct equant_waited_on on = { .say = say, .of = waiter->node, .what = waiter->call };
	int error;

	equant_waited_on_begin(waiter, &on);
	error = equant_signal_await(waiter, &waiter->node->memory->generation, old, 0);
	equant_waited_on_end(waiter);
	/* Some have been counted, and nobody knows which. */
	return equant_lose(waiter->eq, error);
}

/* @say: who has not come */
static int node_barrier(struct equant_waiter *waiter,
			void (*say)(const struct equant_waited_on *on, double seconds))
{
	struct equant_node *node = waiter->node;
	struct equant_node_memory *memory = node->memory;
	uint32_t old = equant_word_read(&memory->generation.word);

	equant_delay(waiter);
	node->read = node->letters;
	equant_word_add(&memory->ranks[node->rank].entered, 1);
	if (equant_word_add(&memory->arrived, 1) < (uint32_t)node->ranks)
		return await_barrier(waiter, old, say);
	__atomic_store_n(&memory->arrived, 0, __ATOMIC_SEQ_CST);
	equant_signal_set(&memory->generation, old + 1);
	return 0;
}

/* All nodes have met: the first rank's result, or @error of it, is everybody's. */
static int hand_out(struct equant_waiter *waiter, int error)
{
	struct equant_node *node = waiter->node;

	if (!node->rank)
		node->memory->failed = error;
	error = node_barrier(waiter, say_elsewhere);
	return error ? error : node->memory->failed;
}

int equant_shared_barrier(struct equant_waiter *waiter)
{
	struct equant_node *node = waiter->node;
	int error = node_barrier(waiter, say_missing);

	if (error || node->nodes == 1)
		return error;
	if (!node->rank)
		error = equant_collective_barrier(waiter, node->leaders);
	return hand_out(waiter, error);
}

/* Elements without gaps, one behind the other: bytes can be copied. */
static int is_dense(MPI_Datatype datatype, MPI_Aint *extent)
{
	MPI_Aint lower, true_lower, true_extent;
	int size;

	return MPI_Type_get_extent(datatype, &lower, extent) == MPI_SUCCESS &&
	       MPI_Type_get_true_extent(datatype, &true_lower, &true_extent) == MPI_SUCCESS &&
	       MPI_Type_size(datatype, &size) == MPI_SUCCESS && !true_lower && size == *extent &&
	       true_extent == *extent && size > 0;
}

int equant_shared_takes(const struct equant_waiter *waiter, int count, MPI_Datatype datatype,
			MPI_Op op)
{
	const struct equant_node *node = waiter->node;
	int commutes = 0;
	MPI_Aint extent;

	if (!node || !is_dense(datatype, &extent) || extent > EQUANT_NODE_SLOT)
		return 0;
	if (count > EQUANT_NODE_CHUNKS * (EQUANT_NODE_SLOT / extent))
		return 0;
	if (node->nodes == 1 || node->ordered)
		return 1;
	return MPI_Op_commutative(op, &commutes) == MPI_SUCCESS && commutes;
}

/* All that every rank has left: who finds another number than its own finds so now, and not one chunk later. */
static int check_brought(const struct equant_node *node)
{
	const struct equant_node_rank *ranks = node->memory->ranks;

	for (int r = 1; r < node->ranks; r++) {
		if (ranks[r].brought[node->turn] == ranks[0].brought[node->turn])
			continue;
		equant_message(
			"equant_allreduce: ranks of this node have elements of %u and of %u bytes",
			ranks[0].brought[node->turn], ranks[r].brought[node->turn]);
		return -EPROTO;
	}
	return 0;
}

/* Every rank's slot, in order; the result is in node->left. */
static int combine(struct equant_node *node, int count, size_t bytes, MPI_Datatype datatype,
		   MPI_Op op)
{
	int error = check_brought(node), r;
	char *left;

	if (error)
		return error;
	memcpy(node->left, equant_node_slot(node, 0), bytes);
	for (r = 1; r < node->ranks; r++) {
		memcpy(node->right, equant_node_slot(node, r), bytes);
		error = equant_mpi_error(MPI_Reduce_local(node->left, node->right, count, datatype,
							  op),
					 "equant_allreduce");
		if (error)
			return error;
		left = node->left;
		node->left = node->right;
		node->right = left;
	}
	return 0;
}

static int between_nodes(struct equant_waiter *waiter, int count, size_t bytes, size_t left,
			 MPI_Datatype datatype, MPI_Op op)
{
	struct equant_node *node = waiter->node;
	int error = 0;

	if (!node->rank) {
		error = combine(node, count, bytes, datatype, op);
		error = equant_collective_allreduce(waiter, node->leaders, node->left,
						    equant_node_slot(node, 0), count, datatype, op,
						    (int)((left - 1) / EQUANT_NODE_SLOT), error);
	}
	error = hand_out(waiter, error);
	if (!error)
		memcpy(node->left, equant_node_slot(node, 0), bytes);
	return error;
}

/* @left: bytes of this chunk and the next ones */
static int reduce_chunk(struct equant_waiter *waiter, const void *send, void *recv, int count,
			size_t bytes, size_t left, MPI_Datatype datatype, MPI_Op op)
{
	struct equant_node *node = waiter->node;
	int error;

	node->memory->ranks[node->rank].brought[node->turn] = (uint32_t)left;
	memcpy(equant_node_slot(node, node->rank), send, bytes);
	error = node_barrier(waiter, say_missing);
	if (error)
		return error;
	if (node->nodes == 1)
		error = combine(node, count, bytes, datatype, op);
	else
		error = between_nodes(waiter, count, bytes, left, datatype, op);
	if (!error)
		memcpy(recv, node->left, bytes);
	node->turn = !node->turn;
	return error;
}

int equant_shared_allreduce(struct equant_waiter *waiter, const void *send, void *recv, int count,
			    MPI_Datatype datatype, MPI_Op op)
{
	const char *from = send == MPI_IN_PLACE ? recv : send;
	char *to = recv;
	MPI_Aint extent;
	int error = 0, most;

	is_dense(datatype, &extent);
	most = (int)(EQUANT_NODE_SLOT / extent);
	while (count > 0 && !error) {
		int n = count < most ? count : most;
		size_t bytes = (size_t)n * (size_t)extent;

		error = reduce_chunk(waiter, from, to, n, bytes, (size_t)count * (size_t)extent,
				     datatype, op);
		from += bytes;
		to += bytes;
		count -= n;
	}
	return error;
}

/* Between nodes messages are as fast, and the root's node would only add to them. */
int equant_shared_sends(const struct equant_waiter *waiter, size_t bytes)
{
	const struct equant_node *node = waiter->node;

	return node && node->nodes == 1 && bytes <= (size_t)EQUANT_NODE_CHUNKS * EQUANT_NODE_SLOT;
}

/* A letter is another number than the one before, which is what a late reader may still see. */
static void send_letter(struct equant_waiter *waiter, const void *from, size_t bytes)
{
	struct equant_node *node = waiter->node;

	equant_delay(waiter);
	memcpy(equant_node_letter(node), from, bytes);
	equant_signal_set(&node->memory->sent, node->letters + 1);
}

static int read_letter(struct equant_waiter *waiter, int root, void *to, size_t bytes)
{
	struct equant_node *node = waiter->node;
	struct equant_waited_on on = { .say = equant_say_rank, .what = waiter->call, .rank = root };
	int error;

	equant_waited_on_begin(waiter, &on);
	error = equant_signal_await(waiter, &node->memory->sent, node->letters, 0);
	equant_waited_on_end(waiter);
	if (!error)
		memcpy(to, equant_node_letter(node), bytes);
	return error;
}

int equant_shared_broadcast(struct equant_waiter *waiter, void *buffer, size_t bytes, int root)
{
	struct equant_node *node = waiter->node;
	int error = 0;
	char *at = buffer;

	while (bytes && !error) {
		size_t n = bytes < EQUANT_NODE_SLOT ? bytes : EQUANT_NODE_SLOT;

		if (node->letters - node->read == EQUANT_NODE_LETTERS)
			error = node_barrier(waiter, say_missing);
		if (!error && node->rank == node->local[root])
			send_letter(waiter, at, n);
		else if (!error)
			error = read_letter(waiter, root, at, n);
		node->letters++;
		at += n;
		bytes -= n;
	}
	return error;
}
