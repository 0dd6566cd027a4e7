// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The ranks of a node and the memory they share, a segment of the first of them.  Where one rank
 * cannot (another PID namespace, no /proc, ranks that are threads of one process) all do without, and
 * wait for MPI only.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "control/futex.h"
#include "control/node.h"
#include "control/segment.h"
#include "core/message.h"
#include "core/mpi_error.h"

_Static_assert(sizeof(struct equant_node_rank) == 64, "a cache line per rank");
_Static_assert(offsetof(struct equant_node_memory, arrived) == 64, "a cache line");
_Static_assert(offsetof(struct equant_node_memory, generation) == 128, "a cache line");
_Static_assert(offsetof(struct equant_node_memory, sent) == 192, "a cache line");
_Static_assert(offsetof(struct equant_node_memory, ranks) == 256, "a cache line");
_Static_assert(offsetof(struct equant_node_box, bytes) == 64, "a cache line");

static size_t head_size(int ranks)
{
	return sizeof(struct equant_node_memory) + (size_t)ranks * sizeof(struct equant_node_rank);
}

static size_t slots_size(int ranks)
{
	return (size_t)ranks * 2 * EQUANT_NODE_SLOT;
}

static size_t boxes_size(int ranks)
{
	return (size_t)ranks * sizeof(struct equant_node_box);
}

static void *join(const struct equant_invitation *invitation)
{
	/* Ranks that are threads of one process do without. */
	return invitation->fd < 0 || invitation->pid == getpid() ? NULL :
								   equant_segment_join(invitation);
}

static int all_are_seen(const struct equant_node *node)
{
	int r;

	for (r = 0; r < node->ranks; r++) {
		pid_t pid = node->memory->ranks[r].pid;

		if (pid <= 0 || (kill(pid, 0) && errno != EPERM))
			return 0;
	}
	return 1;
}

/* 1 when every rank of every node says so. */
static int all_say(MPI_Comm comm, int yes, int *error)
{
	int all = 0;

	if (!*error)
		*error = equant_mpi_error(MPI_Allreduce(&yes, &all, 1, MPI_INT, MPI_MIN, comm),
					  "sharing memory");
	return !*error && all;
}

/* Returns whether it is shared everywhere. */
static int share(struct equant_node *node, MPI_Comm comm, int *error)
{
	struct equant_invitation invitation = { .fd = -1 };
	int shared;

	node->size = head_size(node->ranks) + slots_size(node->ranks) + boxes_size(node->ranks) +
		     (size_t)EQUANT_NODE_LETTERS * EQUANT_NODE_SLOT;
	if (!node->rank)
		node->memory = equant_segment_make(node->size, &invitation);
	*error = equant_mpi_error(MPI_Bcast(&invitation, sizeof(invitation), MPI_BYTE, 0,
					    node->comm),
				  "sharing memory");
	if (!*error && node->rank)
		node->memory = join(&invitation);
	if (node->memory)
		node->memory->ranks[node->rank].pid = getpid();
	shared = all_say(comm, node->memory != NULL, error);
	if (shared)
		shared = all_say(comm, all_are_seen(node), error);
	if (!node->rank && invitation.fd >= 0)
		close((int)invitation.fd);
	return shared;
}

/* Who is here, and whether nodes are ranges of ranks. */
static int find_neighbours(struct equant_node *node, MPI_Comm comm)
{
	int rank, ranks, first, leader, error, n = 0, r;
	int *here;

	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &ranks);
	here = calloc((size_t)node->ranks, sizeof(*here));
	node->local = calloc((size_t)ranks, sizeof(*node->local));
	node->left = malloc(EQUANT_NODE_SLOT);
	node->right = malloc(EQUANT_NODE_SLOT);
	error = equant_mpi_agree(comm,
				 here && node->local && node->left && node->right ? 0 : -ENOMEM);
	if (error)
		goto out;
	error = equant_mpi_error(MPI_Allgather(&rank, 1, MPI_INT, here, 1, MPI_INT, node->comm),
				 "finding the ranks of the node");
	if (error)
		goto out;
	node->all = ranks;
	for (r = 0; r < ranks; r++)
		node->local[r] = -1;
	for (r = 0; r < node->ranks; r++)
		node->local[here[r]] = r;
	first = here[0];
	node->ordered = all_say(comm, here[node->ranks - 1] - first == node->ranks - 1, &error);
	leader = !node->rank;
	if (!error)
		error = equant_mpi_error(MPI_Allreduce(&leader, &n, 1, MPI_INT, MPI_SUM, comm),
					 "counting nodes");
	node->nodes = n;
out:
	free(here);
	return error;
}

static int split(struct equant_node *node, MPI_Comm comm)
{
	int error, rank;

	MPI_Comm_rank(comm, &rank);
	error = MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node->comm);
	if (error == MPI_SUCCESS) {
		MPI_Comm_rank(node->comm, &node->rank);
		MPI_Comm_size(node->comm, &node->ranks);
		error = MPI_Comm_split(comm, node->rank ? MPI_UNDEFINED : 0, rank, &node->leaders);
	}
	return equant_mpi_error(error, "finding the ranks of the node");
}

int equant_node_open(struct equant_node **out, MPI_Comm comm)
{
	struct equant_node *node = calloc(1, sizeof(*node));
	int error = equant_mpi_agree(comm, node ? 0 : -ENOMEM);

	*out = NULL;
	if (error) {
		free(node);
		return error;
	}
	node->comm = node->leaders = MPI_COMM_NULL;
	error = split(node, comm);
	if (!error)
		error = find_neighbours(node, comm);
	if (!error && share(node, comm, &error)) {
		*out = node;
		return 0;
	}
	equant_node_close(node, 0);
	return error;
}

void equant_node_close(struct equant_node *node, int kept)
{
	if (!node)
		return;
	equant_nudge_end(node);
	/* What is kept may still be received into it. */
	if (node->memory && !kept)
		munmap(node->memory, node->size);
	if (node->leaders != MPI_COMM_NULL && !kept)
		MPI_Comm_free(&node->leaders);
	if (node->comm != MPI_COMM_NULL && !kept)
		MPI_Comm_free(&node->comm);
	free(node->local);
	free(node->left);
	free(node->right);
	free(node);
}

static void ring_one(struct equant_node_rank *rank)
{
	if (!equant_word_read(&rank->asleep))
		return;
	equant_word_add(&rank->bell, 1);
	equant_futex_ring(&rank->bell, &rank->rung_ns);
}

void equant_node_ring(struct equant_node *node, int rank)
{
	int r;

	if (!node)
		return;
	/* The message is written before the flag is read. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (rank >= 0 && node->local[rank] >= 0)
		ring_one(&node->memory->ranks[node->local[rank]]);
	if (rank >= 0 || !equant_word_read(&node->memory->dozing))
		return;
	for (r = 0; r < node->ranks; r++)
		if (r != node->rank)
			ring_one(&node->memory->ranks[r]);
}

bool equant_node_has(const struct equant_node *node, int rank)
{
	return node && node->local[rank] >= 0;
}

void *equant_node_slot(const struct equant_node *node, int rank)
{
	char *slots = (char *)node->memory + head_size(node->ranks);

	return slots + ((size_t)rank * 2 + (size_t)node->turn) * EQUANT_NODE_SLOT;
}

struct equant_node_box *equant_node_box(const struct equant_node *node, int rank)
{
	char *boxes = (char *)node->memory + head_size(node->ranks) + slots_size(node->ranks);

	return (struct equant_node_box *)boxes + rank;
}

void *equant_node_letter(const struct equant_node *node)
{
	char *letters = (char *)equant_node_box(node, 0) + boxes_size(node->ranks);

	return letters + (size_t)(node->letters % EQUANT_NODE_LETTERS) * EQUANT_NODE_SLOT;
}

int equant_node_find(const struct equant_node *node, int local)
{
	int r = 0;

	while (r < node->all && node->local[r] != local)
		r++;
	return r;
}

/* Also of a process that nobody has waited for yet. */
static int is_gone(pid_t pid)
{
	struct pollfd p = { .fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN };
	int gone;

	if (p.fd < 0)
		return errno == ESRCH;
	gone = poll(&p, 1, 0) == 1;
	close(p.fd);
	return gone;
}

int equant_node_check(const struct equant_node *node)
{
	int r;

	for (r = 0; r < node->ranks; r++) {
		pid_t pid = node->memory->ranks[r].pid;

		if (r == node->rank || !is_gone(pid))
			continue;
		equant_message("process %d, a rank on this node that others wait for, has ended",
			       (int)pid);
		return -EIO;
	}
	return 0;
}
