/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Redistributions carried out: block-cyclic arrays change hands between the ranks of a
 * communicator.
 *
 *	struct equant_transfer *transfer = equant_transfer_new(comm, &array, sizeof(double), NULL);
 *
 *	while (...) {
 *		error = equant_transfer_run(transfer, a_strides, a, b_strides, b);
 *		compute(b);
 *	}
 *	equant_transfer_free(transfer);
 *
 * Who sends what is that of <equant/redist.h>, and so are arrays, networks and schedules.  Errors
 * are as in equant.h; functions are collective but where they say not.  A transfer belongs to one
 * thread at a time; with MPI_THREAD_MULTIPLE several threads may have one each, made on
 * communicators of their own.
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

#define EQUANT_TRANSFER_WINDOW_NETWORK (-1)

/**
 * enum equant_transfer_group - what a group of an intercommunicator does
 * @EQUANT_TRANSFER_SENDS: all senders are ranks of this group
 * @EQUANT_TRANSFER_RECEIVES: all receivers are; the other group sends
 *
 * Both ways at once are two transfers.
 */
enum equant_transfer_group {
	EQUANT_TRANSFER_SENDS = 1,
	EQUANT_TRANSFER_RECEIVES,
};

/**
 * enum equant_transfer_node - how ranks of a node get at each other's elements
 * @EQUANT_TRANSFER_NODE_BEST: the sender packs where the receiver unpacks, in memory that both
 *	have; blocks of 32768 bytes and more the receiver reads straight out of the sender's
 *	array, and, where they cannot have memory together, blocks of 2048 bytes and more.  What
 *	the kernel lets them is tried with each when a transfer is made.
 * @EQUANT_TRANSFER_NODE_MESSAGES: in messages, as between nodes
 */
enum equant_transfer_node {
	EQUANT_TRANSFER_NODE_BEST,
	EQUANT_TRANSFER_NODE_MESSAGES,
};

/**
 * struct equant_transfer_options - how; the same on all ranks but for @memory
 * @sz: sizeof(struct equant_transfer_options); bytes unknown to the library must be 0
 * @senders: the rank that each sender is, no two the same; NULL: sender i is rank i; of an
 *	intercommunicator in the group that sends
 * @receivers: the rank that each receiver is, likewise; senders and receivers may be the same
 *	ranks, others, or some of each; in the group that receives
 * @network: what is between the ranks, as many as the communicator has; of an intercommunicator
 *	those of the group that sends come first; NULL: all links are alike, with a start-up of
 *	a microsecond and 1e9 bytes per second
 * @scheduler: a name of equant_redist_scheduler_name(); NULL: "greedy"
 * @window: messages that a rank sends at once, and as many that it receives.  Of those of a
 *	schedule the first ones, in its order.  0: one, as in the paper;
 *	EQUANT_TRANSFER_WINDOW_NETWORK: as many as fill a rank's part of its host's port in
 *	@network at the bandwidth of its links, and one more, up to 16
 * @memory: bytes that a rank may have for messages beside the arrays; @window becomes smaller
 *	until that is enough; 0: no limit.  The memory for each piece is rounded up to 64 bytes, what ranks of a
 *	node share to a page besides.
 * @largest: bytes that go in one MPI message, at most 2^31 - 1; longer ones are sent in pieces,
 *	so that one is packed while another is under way and a third is unpacked: a rank has
 *	memory for two of each message of the window in each direction, or for 8 if these have
 *	less than 2^19 bytes; 0: 60000 with EQUANT_TRANSFER_WINDOW_NETWORK, otherwise 2^18.
 *	Over TCP Open MPI sends less than 2^16 without asking the receiver first.
 * @group: on an intercommunicator what this rank's group does, the same on all of the group;
 *	otherwise 0
 * @node: how ranks of a node get at each other's elements
 * @router: a name of equant_redist_router_name(): parts of messages go by way of other ranks
 *	where @network says that this pays, and all go in messages, whatever @node is;
 *	@scheduler must be NULL then.  A rank has memory, also counted as that of messages, for
 *	all that it sends on.  NULL: all go straight
 * @beside: another transfer, or NULL; what waits for or tests one of both, or of those that either
 *	is beside already, goes on with all of them that have been started.  So ranks may wait for them
 *	in any order, and not only in the same one.  All of them belong to one thread.  Each is
 *	freed on its own.
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
	int group;
	enum equant_transfer_node node;
	const char *router;
	struct equant_transfer *beside;
};

/**
 * equant_transfer_new() - plan a redistribution; collective
 * @comm: a communicator, of which a copy is made; of an intercommunicator one group sends and the
 *	other receives, as @options->group says
 * @array: what is redistributed; copied
 * @element: bytes of an element
 * @options: NULL for defaults
 *
 * All index sets, the schedule and the memory for messages are made here, so that a run only packs,
 * sends, receives and unpacks.
 *
 * Return: the transfer, or NULL and errno on all ranks: EINVAL for what equant_redist_array_check()
 * refuses, too few ranks, ranks that do not exist or come twice, a network of another number of
 * ranks, an unknown scheduler or router, a router without a network or with a scheduler, groups of
 * an intercommunicator of which not one sends and the other receives, and arguments that differ
 * between ranks; EOVERFLOW; ENOBUFS if @memory is not enough even for one piece in each direction
 * and for what @router has sent on; ENOMEM; ECANCELED where another rank has refused; MPI's errors;
 * with EQUANT_CHECK=on ETIMEDOUT where ranks have not come in time, after which @comm must be neither
 * used nor freed.
 */
EQUANT_API struct equant_transfer *
equant_transfer_new(MPI_Comm comm, const struct equant_redist_array *array, size_t element,
		    const struct equant_transfer_options *options);

/**
 * equant_transfer_save() - write the plan to a file; not collective
 * @transfer: the plan; any rank's, since it is the same on all
 * @path: of the file, which is written over where it is, so by one rank at a time
 *
 * Return: 0, -ENOMEM, or why the file cannot be written, after a message.
 */
EQUANT_API int equant_transfer_save(const struct equant_transfer *transfer, const char *path);

/**
 * equant_transfer_load() - a plan out of a file, without planning; collective
 * @comm: as for equant_transfer_new(), with as many ranks as when the plan was made
 * @path: of the file, which rank 0 reads; of an intercommunicator the first rank that sends
 * @options: NULL for defaults; @window 0 is that of the plan.  @senders, @receivers, @network,
 *	@scheduler, @router and @largest are the plan's and must be 0.  It has no network, so
 *	equant_transfer_refresh() refuses it.
 *
 * The array is the file's, as far as any run reads and writes: a program whose own may have changed
 * since compares it (equant_transfer_array()), and who may write the file is trusted.
 *
 * Return: the transfer, or NULL and errno on all ranks: EINVAL after a message for what is no such
 * file, or has been cut off or damaged, for another number of ranks, for options that are the
 * plan's, and for a @node or @window that differs between ranks; what opening and reading the file
 * gave on rank 0; otherwise as from equant_transfer_new().
 */
EQUANT_API struct equant_transfer *
equant_transfer_load(MPI_Comm comm, const char *path,
		     const struct equant_transfer_options *options);

/**
 * equant_transfer_run() - redistribute; collective
 * @transfer: the plan
 * @from_strides: one per dimension: elements of the sender's local array from one index to the
 *	next; NULL on a rank that sends nothing
 * @from: element 0 of the sender's local array, or NULL as above
 * @to_strides: the same of the receiver's local array, in which no two elements may have the same
 *	place; NULL on a rank that receives nothing
 * @to: its element 0, or NULL as above
 *
 * Only the elements that are redistributed are read and written.  On a rank that sends and
 * receives, the memory from the first to the last element that is read and that from the first to
 * the last that is written must not overlap.  Ranks may call this at different times: each waits
 * for those that it has messages with, and for all once at the beginning, where they find out
 * whether all can.
 *
 * Return: 0; -EINVAL for missing arrays and strides and for memory that overlaps, -ECANCELED where
 * another rank has refused, in both cases before any element was moved and so that it can be tried
 * again; -EBUSY if it is running; what the kernel's error is if a receiver on the sender's node
 * cannot read what it could when the transfer was made, on both; what MPI's errors are and, with
 * EQUANT_CHECK=on, -ETIMEDOUT where ranks have not come in time, after which the transfer can only be
 * freed, and -EPIPE then.
 */
EQUANT_API int equant_transfer_run(struct equant_transfer *transfer, const int64_t *from_strides,
				   const void *from, const int64_t *to_strides, void *to);

/**
 * equant_transfer_start() - begin what equant_transfer_run() does and return
 *
 * Arguments are those of equant_transfer_run(), of which the strides are copied.  Until
 * equant_transfer_test() says that it is done, or equant_transfer_wait() has returned, what is
 * read must not change and what is written must not be looked at.  Messages are packed, unpacked
 * and exchanged within these calls, so a rank that computes meanwhile calls
 * equant_transfer_test() now and then.  Until one of both has said that it is done it counts as
 * running, also if a call for one that it is beside has brought it to its end.
 *
 * Several may be started on the same ranks.  They have to be waited for in the same order on all
 * ranks, unless they are beside each other.
 *
 * Return: 0, -EBUSY, -EPIPE or MPI's error.  All others of equant_transfer_run() come from the
 * calls below.
 */
EQUANT_API int equant_transfer_start(struct equant_transfer *transfer, const int64_t *from_strides,
				     const void *from, const int64_t *to_strides, void *to);

/**
 * equant_transfer_test() - go on with what has been started, without waiting; not collective
 * @transfer: the plan; those that it is beside go on, too
 * @done: receives 1 if there is nothing more to do, also after an error, else 0
 *
 * Return: as equant_transfer_run()
 */
EQUANT_API int equant_transfer_test(struct equant_transfer *transfer, int *done);

/**
 * equant_transfer_wait() - go on until it is done
 *
 * Also with those that it is beside, whose errors their own calls return.
 *
 * Return: as equant_transfer_run(); 0 if it is already.
 */
EQUANT_API int equant_transfer_wait(struct equant_transfer *transfer);

/**
 * equant_transfer_array() - what it redistributes; belongs to the transfer
 * @element: receives the bytes of an element; may be NULL
 *
 * For what was loaded to be compared with what the program has.  Not collective.
 */
EQUANT_API const struct equant_redist_array *
equant_transfer_array(const struct equant_transfer *transfer, size_t *element);

/**
 * equant_transfer_schedule() - the schedule by which it is carried out; belongs to the transfer
 *
 * Ranks are those of the communicator.  What a rank has for itself is not in it.  With a router it
 * has a piece for every leg of the route.  Valid until the next equant_transfer_refresh().
 */
EQUANT_API const struct equant_redist_schedule *
equant_transfer_schedule(const struct equant_transfer *transfer);

/** equant_transfer_memory() - bytes that this rank has for messages */
EQUANT_API size_t equant_transfer_memory(const struct equant_transfer *transfer);

/** equant_transfer_near() - ranks that this one receives from whose slots or arrays it gets at */
EQUANT_API int equant_transfer_near(const struct equant_transfer *transfer);

/**
 * equant_transfer_free() - collective; waits for what is running; NULL is nothing
 *
 * Return: 0, or what the run that was waited for or MPI gave.
 */
EQUANT_API int equant_transfer_free(struct equant_transfer *transfer);

/**
 * equant_transfer_refresh() - plan again if links are not any more what they were; collective
 * @transfer: made with a network, not running
 * @changed: receives the number of links that are others now, on all ranks; 0: the plan is as it
 *	was
 *
 * Looks at the last run: at the times between the pieces of each message that has enough, seven or
 * nineteen of 60000 bytes, and is not read straight out of memory.  A link on which they came 1.33
 * times as fast or as slow as the network has it has that bandwidth from then on, and the transfer
 * the schedule for that.  If a link changed in the middle of a run that is something in between, so
 * the next run that tells anything of this link is looked at again, for 1.1 times unless
 * a fair part of a port is not much more.
 * Too slow is only what is below a fair part of the ports that messages share.  Links that nothing
 * comes by, or only what is sent on, and ports stay as they were.  Until it returns there is memory
 * for both plans.
 * If nothing has changed it costs what an MPI_Allgather does.
 *
 * Return: 0; -EINVAL without a network or @changed, -EBUSY while it is running, which comes to
 * its end first and is told by equant_transfer_test() or wait() after that, -ENOMEM, -ENOBUFS
 * if @memory is not enough for what a router would have sent on in the new network, -ECANCELED
 * where another rank could not, -EOVERFLOW for 2^31 links that are others, in all cases with the
 * plan that it had; MPI's errors and, with EQUANT_CHECK=on, -ETIMEDOUT where ranks have not come in
 * time, after which the transfer can only be freed, and -EPIPE then.
 */
EQUANT_API int equant_transfer_refresh(struct equant_transfer *transfer, int *changed);

/**
 * equant_transfer_network() - the network of the present plan; belongs to the transfer
 *
 * NULL if it was made without one.  Valid until the next equant_transfer_refresh(); not collective.
 */
EQUANT_API const struct equant_redist_network *
equant_transfer_network(const struct equant_transfer *transfer);

/* ---- the network --------------------------------------------------------------------- */

/**
 * equant_calibrate_network() - collective; measure what is between the ranks of the running job
 * @comm: an intracommunicator, of which a copy is made
 * @seconds: that it may take, about, the same on all ranks; 0: 5
 * @network: receives the network, the same on every rank; the caller's to free.  NULL on error.
 *
 * Ranks that can share memory (MPI_Comm_split_type) are on one host.  Measured are, each for
 * @seconds divided by the number of experiments, 0.25 s at most:
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
 * Return: 0; -EINVAL for @seconds that are negative, not finite, different between ranks or less
 * than 0.01 for each experiment; -ENOMEM; -ECANCELED another rank could not; -EIO; with
 * EQUANT_CHECK=on -ETIMEDOUT where ranks have not come in time, after which @comm must be neither used
 * nor freed.
 */
EQUANT_API int equant_calibrate_network(MPI_Comm comm, double seconds,
					struct equant_redist_network **network);

#ifdef __cplusplus
}
#endif

#endif /* EQUANT_TRANSFER_H */
