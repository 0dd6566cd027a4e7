/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Redistributions carried out: block-cyclic arrays change hands between the ranks of a communicator.
 *
 *	struct equant_transfer *transfer = equant_transfer_new(comm, &array, sizeof(double), NULL);
 *
 *	while (...) {
 *		error = equant_transfer_run(transfer, a_strides, a, b_strides, b);
 *		compute(b);
 *	}
 *	equant_transfer_free(transfer);
 *
 * Who sends what is that of <equant/redist.h>, and so are arrays, networks and schedules.  Errors are as
 * in equant.h; functions are collective.  A transfer belongs to one thread at a time.
 */
#ifndef EQUANT_TRANSFER_H
#define EQUANT_TRANSFER_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include <equant/export.h>
#include <equant/redist.h>

#ifdef __cplusplus
extern "C" {
#endif

struct equant_transfer;

/**
 * struct equant_transfer_options - how; the same on all ranks but for @memory
 * @sz: sizeof(struct equant_transfer_options); bytes unknown to the library must be 0
 * @senders: the rank that each sender is, no two the same; NULL: sender i is rank i
 * @receivers: the rank that each receiver is, likewise; senders and receivers may be the same
 *	ranks, others, or some of each
 * @network: what is between the ranks, as many as the communicator has; NULL: all links are alike and
 *	messages have no start-up
 * @scheduler: a name of equant_redist_scheduler_name(); NULL: "greedy"
 * @window: messages that a rank sends at once, and as many that it receives; 0: one, as in the
 *	paper.  Of those of a schedule the first ones, in its order.
 * @memory: bytes that a rank may have for messages beside the arrays; @window becomes smaller until that is
 *	enough; 0: no limit
 * @largest: bytes that go in one MPI message; longer ones are sent in pieces; 0: 2^30
 *
 * Pointers are borrowed by equant_transfer_new().
 */
struct equant_transfer_options {
	size_t sz;
	const int *senders;
	const int *receivers;
	const struct equant_redist_network *network;
	const char *scheduler;
	int window;
	size_t memory;
	size_t largest;
};

/**
 * equant_transfer_new() - plan a redistribution; collective
 * @comm: an intracommunicator, of which a copy is made
 * @array: what is redistributed; copied
 * @element: bytes of an element
 * @options: NULL for defaults
 *
 * All index sets, the schedule and the memory for messages are made here, so that a run only packs,
 * sends, receives and unpacks.
 *
 * Return: the transfer, or NULL and errno on all ranks: EINVAL for what equant_redist_array_check()
 * refuses, too few ranks, ranks that do not exist or come twice, a network of another number of ranks,
 * an unknown scheduler and arguments that differ between ranks; EOVERFLOW; ENOBUFS if @memory
 * is not enough even for one message in each direction; ENOMEM; ECANCELED where another rank
 * has refused; MPI's errors.
 */
EQUANT_API struct equant_transfer *
equant_transfer_new(MPI_Comm comm, const struct equant_redist_array *array, size_t element,
		    const struct equant_transfer_options *options);

/**
 * equant_transfer_run() - redistribute; collective
 * @transfer: the plan
 * @from_strides: one per dimension: elements of the sender's local array from one index to the next;
 *	NULL on a rank that sends nothing
 * @from: element 0 of the sender's local array, or NULL as above
 * @to_strides: the same of the receiver's local array, in which no two elements may have the same
 *	place; NULL on a rank that receives nothing
 * @to: its element 0, or NULL as above
 *
 * Only the elements that are redistributed are read and written.  On a rank that sends and receives, the
 * memory from the first to the last element that is read and that from the first to the last that is
 * written must not overlap.  Ranks may call this at different times: each waits for those that it
 * has messages with, and for all once at the beginning, where they find out whether all can.
 *
 * Return: 0; -EINVAL for missing arrays and strides and for memory that overlaps, -ECANCELED where
 * another rank has refused, in both cases before any element was moved and so that it can be tried
 * again; what MPI's errors are, after which the transfer can only be freed, and -EPIPE then.
 */
EQUANT_API int equant_transfer_run(struct equant_transfer *transfer, const int64_t *from_strides,
				   const void *from, const int64_t *to_strides, void *to);

/**
 * equant_transfer_schedule() - the schedule by which it is carried out; belongs to the transfer
 *
 * Ranks are those of the communicator.  What a rank has for itself is not in it.
 */
EQUANT_API const struct equant_redist_schedule *
equant_transfer_schedule(const struct equant_transfer *transfer);

/** equant_transfer_memory() - bytes that this rank has for messages */
EQUANT_API size_t equant_transfer_memory(const struct equant_transfer *transfer);

/** equant_transfer_free() - collective; NULL is nothing.  Return: 0 or MPI's error. */
EQUANT_API int equant_transfer_free(struct equant_transfer *transfer);

/* ---- the network --------------------------------------------------------------------- */

/**
 * equant_calibrate_network() - collective; measure what is between the ranks of the running job
 * @comm: an intracommunicator, of which a copy is made
 * @seconds: that it may take, about, the same on all ranks; 0: 5
 * @network: receives the network, the same on every rank; the caller's to free.  NULL on error.
 *
 * Ranks that can share memory (MPI_Comm_split_type) are on one host.  Measured are, each for @seconds
 * divided by the number of experiments, 0.25 s at most:
 *
 *	start-ups	half of an empty message's way to and fro, the median
 *	bandwidths	of a stream from each host to each other, one by one, or between as many hosts
 *			as there are at once where @seconds give less than 0.05 s to each; and within
 *			each host.  The first ranks of a host stand for all that are on it.
 *	ports		of each host: it sends to all others at once, and receives from all; no limit if
 *			that is at least 0.9 of what the links give one by one.  Then it does both at
 *			once: what is less than 0.75 of that is what the port has.
 *
 * Numbers have 4 digits.  Nothing else should be sent meanwhile, and what competes for the CPUs is
 * taken for a slow network.
 *
 * Return: 0; -EINVAL for @seconds that are negative, not finite, different between ranks or less than
 * 0.01 for each experiment; -ENOMEM; -ECANCELED another rank could not; -EIO.
 */
EQUANT_API int equant_calibrate_network(MPI_Comm comm, double seconds,
					struct equant_redist_network **network);

#ifdef __cplusplus
}
#endif

#endif /* EQUANT_TRANSFER_H */
