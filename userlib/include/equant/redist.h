/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Block-cyclic redistribution: which elements of an array go from which process to
 * which, and where they are in the memory of either.  Pure functions: they know neither
 * MPI nor the kernel, keep no state, may be called from any thread on different
 * objects, and give the same answer for the same arguments everywhere.
 *
 * Reference: P. B. Bhat, V. K. Prasanna, C. S. Raghavendra, Block-Cyclic Redistribution over
 * Heterogeneous Networks; section numbers below are the paper's.
 *
 * Elements, processes and dimensions are counted from 0.
 *
 * Errors: 0 or -errno; NULL and errno from what returns a pointer.  @why, where it is not NULL,
 * gets one line about what is wrong, and @why_size is its size.
 */
#ifndef EQUANT_REDIST_H
#define EQUANT_REDIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <equant/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- one dimension ------------------------------------------------------------ */

#define EQUANT_REDIST_ELEMENTS ((int64_t)1 << 42) /* of an array in one dimension, at most */
#define EQUANT_REDIST_PROCESSES (1 << 20)

/**
 * struct equant_redist_cyclic - cyclic(x) on P processes (section 2)
 * @block: x, elements; at least 1, and may be more than there are
 * @processes: P, at least 1
 * @first: the process that has the array's first block
 * @offset: where in this array the redistributed elements begin: element k of them is element
 *	@offset + k of the array
 *
 * Element g of an array is in block g / x, on process (@first + g / x) mod P, and there
 * element g / (x P) x + g mod x of the local array.
 */
struct equant_redist_cyclic {
	int64_t block;
	int processes;
	int first;
	int64_t offset;
};

/**
 * struct equant_redist_run - elements at regular distances in the memory of both sides
 * @from: the first element in the sender's local array
 * @to: the first element in the receiver's local array
 * @length: consecutive elements on both sides
 * @count: of such pieces
 * @from_step: from one piece to the next in the sender's local array, elements
 * @to_step: the same in the receiver's
 * @repeats: how often all of this is repeated
 * @from_period: from one repetition to the next in the sender's local array, elements
 * @to_period: the same in the receiver's
 *
 * A step is 0 if there is no next piece, and a period if there is no next repetition.
 */
struct equant_redist_run {
	int64_t from;
	int64_t to;
	int64_t length;
	int64_t count;
	int64_t from_step;
	int64_t to_step;
	int64_t repeats;
	int64_t from_period;
	int64_t to_period;
};

/**
 * struct equant_redist_runs - all elements that one process has for another
 * @elements: how many
 * @count: of @run
 * @run: in the order of @from
 */
struct equant_redist_runs {
	int64_t elements;
	int64_t count;
	struct equant_redist_run *run;
};

/**
 * equant_redist_check() - can @elements be redistributed so?
 * @elements: n, not negative
 * @from: what the senders have
 * @to: what the receivers get
 *
 * Return: 0, -EINVAL for a block, a number of processes, a first process or an offset that is
 * none, -EOVERFLOW for @elements and an offset above EQUANT_REDIST_ELEMENTS together, and
 * for more than EQUANT_REDIST_PROCESSES processes.
 */
EQUANT_API int equant_redist_check(int64_t elements, const struct equant_redist_cyclic *from,
				   const struct equant_redist_cyclic *to, char *why,
				   size_t why_size);

/**
 * equant_redist_local() - elements that the local array of @process must have room for
 * @elements: n
 * @cyclic: one that equant_redist_check() accepts
 * @process: 0 to P - 1
 *
 * Return: those of the whole array from its element 0 up to the last one redistributed.
 */
EQUANT_API int64_t equant_redist_local(int64_t elements, const struct equant_redist_cyclic *cyclic,
				       int process);

/**
 * equant_redist_runs_new() - which elements process @p of @from has for process @q of @to
 * @elements: n
 * @from: what the senders have
 * @to: what the receivers get
 * @p: a sender
 * @q: a receiver
 *
 * There are at most 3 ((x + y) / gcd(x P, y Q) + 3) runs, however large n is, and time grows with
 * their number: the pattern is periodic (R. Thakur, A. Choudhary, J. Ramanujam, Efficient
 * Algorithms for Array Redistribution, IEEE Transactions on Parallel and Distributed Systems
 * 7(6), 1996).
 *
 * Return: the runs, without any if there are no such elements; or NULL and errno: what
 * equant_redist_check() gave, EINVAL for processes that do not exist, ENOMEM.
 */
EQUANT_API struct equant_redist_runs *
equant_redist_runs_new(int64_t elements, const struct equant_redist_cyclic *from,
		       const struct equant_redist_cyclic *to, int p, int q);

/** equant_redist_runs_free() - free them; NULL is nothing */
EQUANT_API void equant_redist_runs_free(struct equant_redist_runs *runs);

/**
 * equant_redist_count() - how many elements process @p of @from has for process @q of @to
 *
 * As equant_redist_runs_new(), without memory.
 *
 * Return: the number, or what equant_redist_runs_new() sets errno to, negative.
 */
EQUANT_API int64_t equant_redist_count(int64_t elements, const struct equant_redist_cyclic *from,
				       const struct equant_redist_cyclic *to, int p, int q);

/* ---- several dimensions ---------------------------------------------------------- */

#define EQUANT_REDIST_DIMENSIONS 8

enum equant_redist_order {
	EQUANT_REDIST_ROW_MAJOR, /* the last coordinate of a process in its grid varies fastest */
	EQUANT_REDIST_COLUMN_MAJOR, /* the first one does */
};

/**
 * struct equant_redist_array - an array, before and after
 * @dimensions: 1 to EQUANT_REDIST_DIMENSIONS; the last is the innermost in a message
 * @extent: elements that are redistributed in each
 * @from: how each is distributed over the senders' grid
 * @to: and over the receivers'
 * @from_order: how the senders are counted: 0 to the product of their numbers - 1
 * @to_order: how the receivers are
 *
 * Sender i and receiver i need not be the same process.
 */
struct equant_redist_array {
	int dimensions;
	int64_t extent[EQUANT_REDIST_DIMENSIONS];
	struct equant_redist_cyclic from[EQUANT_REDIST_DIMENSIONS];
	struct equant_redist_cyclic to[EQUANT_REDIST_DIMENSIONS];
	enum equant_redist_order from_order;
	enum equant_redist_order to_order;
};

/**
 * equant_redist_array_check() - can @array be redistributed so?
 *
 * Return: 0, -EINVAL for a number of dimensions or an order that is none and for what
 * equant_redist_check() refuses in a dimension, -EOVERFLOW the same, for more than 2^56 elements
 * and for more than EQUANT_REDIST_PROCESSES senders or receivers.
 */
EQUANT_API int equant_redist_array_check(const struct equant_redist_array *array, char *why,
					 size_t why_size);

/** equant_redist_senders() - how many an array that equant_redist_array_check() accepts has */
EQUANT_API int equant_redist_senders(const struct equant_redist_array *array);
/** equant_redist_receivers() - the same for receivers */
EQUANT_API int equant_redist_receivers(const struct equant_redist_array *array);

/** equant_redist_sender_at() - the coordinate of @sender in dimension @dimension of its grid */
EQUANT_API int equant_redist_sender_at(const struct equant_redist_array *array, int sender,
				       int dimension);
/** equant_redist_receiver_at() - the same for a receiver */
EQUANT_API int equant_redist_receiver_at(const struct equant_redist_array *array, int receiver,
					 int dimension);

/**
 * struct equant_redist_part - what one sender has for one receiver
 * @elements: how many
 * @dimensions: of the array
 * @runs: of each: the part is their product
 */
struct equant_redist_part {
	int64_t elements;
	int dimensions;
	struct equant_redist_runs *runs[EQUANT_REDIST_DIMENSIONS];
};

/**
 * equant_redist_part_new() - the part of @sender for @receiver
 *
 * Return: the part, or NULL and errno: what equant_redist_array_check() gave, EINVAL for
 * processes that do not exist, ENOMEM.
 */
EQUANT_API struct equant_redist_part *
equant_redist_part_new(const struct equant_redist_array *array, int sender, int receiver);

/** equant_redist_part_free() - free it; NULL is nothing */
EQUANT_API void equant_redist_part_free(struct equant_redist_part *part);

/**
 * equant_redist_part_elements() - how many elements @sender has for @receiver
 *
 * As equant_redist_part_new(), without memory.
 *
 * Return: the number, or what equant_redist_part_new() sets errno to, negative.
 */
EQUANT_API int64_t equant_redist_part_elements(const struct equant_redist_array *array, int sender,
					       int receiver);

/**
 * equant_redist_pack() - copy a part out of the sender's local array
 * @part: the part
 * @element: bytes of an element, any number above 0
 * @strides: one per dimension: elements of the local array from one index to the next, so that a
 *	leading dimension is one of them
 * @local: the local array's element 0
 * @message: receives @part->elements elements without gaps; not in the local array
 */
EQUANT_API void equant_redist_pack(const struct equant_redist_part *part, size_t element,
				   const int64_t *strides, const void *local, void *message);

/** equant_redist_unpack() - the contrary, at the receiver; @strides are those of its local array */
EQUANT_API void equant_redist_unpack(const struct equant_redist_part *part, size_t element,
				     const int64_t *strides, const void *message, void *local);

/**
 * equant_redist_copy() - from one local array into the other, which are both in reach
 * @part: the part
 * @element: bytes of an element
 * @from_strides: of the sender's local array
 * @from: its element 0
 * @to_strides: of the receiver's local array
 * @to: its element 0; no element of one may be in the memory of the other
 */
EQUANT_API void equant_redist_copy(const struct equant_redist_part *part, size_t element,
				   const int64_t *from_strides, const void *from,
				   const int64_t *to_strides, void *to);

/* ---- schedules (section 4) --------------------------------------------------------- */

/**
 * struct equant_redist_message - a rectangle of the timing diagram (section 4.2)
 * @from: who sends
 * @to: who receives
 * @startup: what it takes before its first byte, seconds
 * @data: what its bytes take, seconds; if it is sent in pieces, each has its part of this and the
 *	whole of @startup
 */
struct equant_redist_message {
	int from;
	int to;
	double startup;
	double data;
};

struct equant_redist_network;
struct equant_redist_volume;

/**
 * struct equant_redist_costs - the communication matrix C (section 4.3)
 * @ranks: senders and receivers are 0 to @ranks - 1; a rank sends and receives at the same time,
 *	one message each
 * @count: of messages: the entries that are not zero
 * @messages: in the order of senders, and of receivers within each
 * @starts: @ranks + 1 numbers: sender i has the messages from @starts[i] to below @starts[i + 1]
 * @network: what they are the costs in, if ranks share a port in it that is full when they use it
 *	at once, and else NULL
 * @volumes: with @network: of each message
 */
struct equant_redist_costs {
	int ranks;
	int64_t count;
	struct equant_redist_message *messages;
	int64_t *starts;
	struct equant_redist_network *network;
	struct equant_redist_volume *volumes;
};

/**
 * equant_redist_costs_new() - the messages of a redistribution and what each takes
 * @ranks: at least 1
 * @count: messages; may be 0
 * @messages: in any order; copied.  A message from a rank to itself takes its time as any other:
 *	leave it out where that is not so.
 * @why: as above
 * @why_size: the same
 *
 * Return: the costs, or NULL and errno: EINVAL for a rank that does not exist, a time that is
 * negative, infinite or not a number, and two messages from one rank to the same other; EOVERFLOW
 * for more than EQUANT_REDIST_PROCESSES ranks and if all times together are infinite; ENOMEM.
 */
EQUANT_API struct equant_redist_costs *
equant_redist_costs_new(int ranks, int64_t count, const struct equant_redist_message *messages,
			char *why, size_t why_size);

/** equant_redist_costs_free() - free them; NULL is nothing */
EQUANT_API void equant_redist_costs_free(struct equant_redist_costs *costs);

/**
 * equant_redist_bound() - a time that no schedule can be faster than
 *
 * Return: what the busiest sender or receiver takes for its messages: the largest sum of a
 * row or a column of C (section 4.2); NaN if out of memory.
 */
EQUANT_API double equant_redist_bound(const struct equant_redist_costs *costs);

/**
 * struct equant_redist_piece - a message, or a part of one, in a schedule
 * @from: who sends
 * @to: who receives
 * @begin: seconds after the schedule's beginning
 * @end: the same
 * @share: of the message's data: 1 for a whole message
 */
struct equant_redist_piece {
	int from;
	int to;
	double begin;
	double end;
	double share;
};

/**
 * struct equant_redist_schedule - when each message is sent
 * @scheduler: who made it
 * @ranks: as in the costs
 * @count: of @pieces
 * @pieces: in the order of their beginnings, first those that take no time, then of senders
 * @makespan: when the last of them ends: the completion time
 * @bound: equant_redist_bound() of the costs
 */
struct equant_redist_schedule {
	const char *scheduler;
	int ranks;
	int64_t count;
	struct equant_redist_piece *pieces;
	double makespan;
	double bound;
};

/**
 * equant_redist_scheduler_name() - the schedulers that there are
 * @i: from 0
 *
 *	caterpillar	step s: from each rank i to i + s modulo the number of ranks
 *	direct		as few steps without contention as there can be: the paper's K
 *	barrier		the same, and all wait for each other after every step
 *	greedy		section 4.3, ties to the lowest rank: a sender that is free takes the receiver
 *			that is free first.  At most a row and a column of C, so twice the bound.
 *	longest		of all messages that can begin the longest begins; the same guarantee
 *	eager		as greedy, but of receivers that are free already a sender takes the one that
 *			it has the longest message for, and the busiest sender is served first at
 *			the beginning; the same guarantee
 *	improved	eager, read backwards and made again from its end, in up to 24 turns (K. Y. Li,
 *			R. J. Willis, An Iterative Scheduling Technique for Resource-Constrained
 *			Project Scheduling, European Journal of Operational Research 56(3), 1992)
 *	preemptive	messages in pieces, in at most as many phases as there are messages and twice
 *			the ranks, in each of which a rank has one piece at most each way: the
 *			bound itself if there are no start-ups; never longer than
 *			greedy or eager if there are, and pieces only as small as pays (T. Gonzalez,
 *			S. Sahni, Open Shop Scheduling to Minimize Finish Time, Journal of the ACM
 *			23(4), 1976)
 *	shortest	the shortest of these, the first in this list if there are several
 *	best		greedy, and what improved and preemptive can save if making them takes less
 *			than that; only where times are seconds
 *
 * With costs in whose network ranks share a port that is full, improved, shortest and best go by
 * what schedules take in equant_redist_replay(), with one message of a rank at a time, and never
 * take longer there than direct: with up to 10^7 messages times ranks, and best only if simulating
 * takes less time than it can save.  Makespans are still those of messages that have their ports
 * to themselves.
 *
 * Return: a name, or NULL after the last one.
 */
EQUANT_API const char *equant_redist_scheduler_name(int i);

/**
 * equant_redist_schedule_new() - have a schedule made
 * @scheduler: a name of equant_redist_scheduler_name()
 * @costs: of the messages
 *
 * Return: the schedule, or NULL and errno: EINVAL for an unknown scheduler, ENOMEM.
 */
EQUANT_API struct equant_redist_schedule *
equant_redist_schedule_new(const char *scheduler, const struct equant_redist_costs *costs,
			   char *why, size_t why_size);

/** equant_redist_schedule_free() - free it; NULL is nothing */
EQUANT_API void equant_redist_schedule_free(struct equant_redist_schedule *schedule);

/**
 * equant_redist_schedule_check() - can @schedule be carried out, and does it carry all?
 *
 * Knows nothing of how it was made: every message is sent as a whole or in pieces that make up the
 * whole, every piece has the time that it takes, and no rank sends two pieces at once or receives
 * two at once; within rounding, of 1e-9 of the makespan.
 *
 * Return: 0, -EINVAL with the first thing that is wrong in @why, -ENOMEM.
 */
EQUANT_API int equant_redist_schedule_check(const struct equant_redist_schedule *schedule,
					    const struct equant_redist_costs *costs, char *why,
					    size_t why_size);

/* ---- networks (section 3) ----------------------------------------------------------- */

/**
 * struct equant_redist_link - what messages from one rank to another take
 * @from: who sends
 * @to: who receives
 * @startup: T, seconds, not negative
 * @bandwidth: B, bytes per second, above 0; may be infinite
 *
 * A message of m bytes takes T + m / B.
 */
struct equant_redist_link {
	int from;
	int to;
	double startup;
	double bandwidth;
};

/**
 * struct equant_redist_host - ranks that share a port to all other hosts
 * @send: bytes per second that all of them together send, above 0; infinite: no limit
 * @receive: the same for receiving
 *
 * What ranks of one host have for each other does not go through its port.
 */
struct equant_redist_host {
	double send;
	double receive;
};

/**
 * struct equant_redist_network - what is between the ranks
 * @ranks: how many
 * @usual: what is so between all ranks that are not in @links; its @from and @to mean nothing
 * @count: of @links
 * @room: for so many there is memory
 * @links: the others, in the order of senders, and of receivers within each
 * @hosts: of @host
 * @host: their ports
 * @places: the host that each rank is on, or -1: on one of its own whose port has no limit
 *
 * Made by the functions below; to be read only.
 */
struct equant_redist_network {
	int ranks;
	struct equant_redist_link usual;
	int64_t count;
	int64_t room;
	struct equant_redist_link *links;
	int hosts;
	struct equant_redist_host *host;
	int *places;
};

/**
 * equant_redist_network_new() - a network in which all links are alike
 * @ranks: at least 1
 * @startup: of each link, seconds
 * @bandwidth: of each link, bytes per second
 *
 * Return: the network, or NULL and errno: EINVAL for no ranks, a @startup that is negative,
 * infinite or not a number and a @bandwidth that is not above 0; EOVERFLOW for more than
 * EQUANT_REDIST_PROCESSES ranks; ENOMEM.
 */
EQUANT_API struct equant_redist_network *
equant_redist_network_new(int ranks, double startup, double bandwidth, char *why, size_t why_size);

/**
 * equant_redist_network_random() - a network in which every ordered pair has its own bandwidth
 * @ranks: at least 1
 * @startup: of each link, seconds
 * @slowest: bandwidths are drawn uniformly from here, bytes per second
 * @fastest: to here
 * @seed: the same gives the same network
 *
 * Section 5, step 1, has 10 to 200 MB/s and no start-up.
 *
 * Return: as equant_redist_network_new(), and EINVAL for bandwidths that are no range.
 */
EQUANT_API struct equant_redist_network *equant_redist_network_random(int ranks, double startup,
								      double slowest,
								      double fastest, uint64_t seed,
								      char *why, size_t why_size);

/**
 * equant_redist_network_read() - a network out of a text file
 * @path: the file
 * @why: as above; with file, line and word
 * @why_size: the same
 *
 * One thing per line, words separated by blanks, # begins a comment; seconds, and bytes per
 * second::
 *
 *	ranks N
 *	usual [startup T] bandwidth B
 *	link FROM TO [startup T] [bandwidth B]
 *	host [send B] [receive B] ranks RANK...
 *
 * What a link does not say is as usual, what a host does not say has no limit.  A link is there once.
 *
 * Return: the network, or NULL and errno: EINVAL for what is no such file, what opening and
 * reading it gave, ENOMEM.
 */
EQUANT_API struct equant_redist_network *equant_redist_network_read(const char *path, char *why,
								    size_t why_size);

/** equant_redist_network_free() - free it; NULL is nothing */
EQUANT_API void equant_redist_network_free(struct equant_redist_network *network);

/**
 * equant_redist_network_part() - what is between some of the ranks
 * @network: of all
 * @count: how many they are
 * @ranks: which; rank i of the part is @ranks[i] of @network
 * @why: as above
 * @why_size: the same
 *
 * Hosts have the ports that they had, whoever else is on them.
 *
 * Return: another network, or NULL and errno: EINVAL for no ranks, ranks that do not exist and
 * ranks that come twice; ENOMEM.
 */
EQUANT_API struct equant_redist_network *
equant_redist_network_part(const struct equant_redist_network *network, int count, const int *ranks,
			   char *why, size_t why_size);

/**
 * equant_redist_network_write() - write what equant_redist_network_read() reads, to the last bit
 * @path: of the file, which is replaced; "-": standard output
 * @network: the network
 * @why: as above
 * @why_size: the same
 *
 * Return: 0, -EINVAL for a link with an infinite bandwidth, or what opening and writing the file
 * gave.
 */
EQUANT_API int equant_redist_network_write(const char *path,
					   const struct equant_redist_network *network, char *why,
					   size_t why_size);

/**
 * equant_redist_network_set() - one link that is not as usual
 * @network: the network
 * @link: replaces what was known of it; links that come in the order of their ranks are added
 *	in no time
 *
 * Return: 0, -EINVAL for ranks that do not exist and for what equant_redist_network_new() refuses,
 * -ENOMEM.
 */
EQUANT_API int equant_redist_network_set(struct equant_redist_network *network,
					 const struct equant_redist_link *link, char *why,
					 size_t why_size);

/**
 * equant_redist_network_link() - what messages from @from to @to take
 * @network: the network
 * @from: a rank
 * @to: another, or the same
 */
EQUANT_API struct equant_redist_link
equant_redist_network_link(const struct equant_redist_network *network, int from, int to);

/**
 * equant_redist_network_host() - another host
 * @network: the network
 * @host: its port
 *
 * Return: its number, from 0; -EINVAL for a capacity that is not above 0, -ENOMEM.
 */
EQUANT_API int equant_redist_network_host(struct equant_redist_network *network,
					  const struct equant_redist_host *host, char *why,
					  size_t why_size);

/**
 * equant_redist_network_place() - @rank is on @host
 *
 * Return: 0, -EINVAL for a rank or a host that does not exist, -EEXIST for a rank that is on
 * another one.
 */
EQUANT_API int equant_redist_network_place(struct equant_redist_network *network, int rank,
					   int host, char *why, size_t why_size);

/**
 * struct equant_redist_volume - how much one rank has for another
 * @from: who sends
 * @to: who receives
 * @bytes: not negative
 */
struct equant_redist_volume {
	int from;
	int to;
	int64_t bytes;
};

/**
 * equant_redist_volumes() - the messages of a redistribution
 * @array: what is redistributed
 * @element: bytes of an element
 * @senders: the rank that each sender is, no two the same; NULL: rank i is sender i
 * @receivers: the rank that each receiver is, likewise
 * @count: receives how many there are
 *
 * What a rank has for itself is no message, and neither is what has no elements.
 *
 * Return: the volumes in the order of senders, to be freed with free(), not NULL if there are none;
 * or NULL and errno: what equant_redist_array_check() gave, EINVAL for @element 0, EOVERFLOW
 * for a message of more than 2^62 bytes, ENOMEM.
 */
EQUANT_API struct equant_redist_volume *
equant_redist_volumes(const struct equant_redist_array *array, size_t element, const int *senders,
		      const int *receivers, int64_t *count);

/**
 * equant_redist_network_costs() - what messages take in a network: the matrix C
 * @network: the network
 * @count: of @volumes
 * @volumes: at most one from each rank to each other
 *
 * A message that has its hosts' ports to itself takes T + m / B where B is what the slowest of
 * its link, the port that it leaves by and the port that it comes in by has.
 *
 * Return: the costs, or NULL and errno as from equant_redist_costs_new(), and EINVAL for a number
 * of bytes that is negative.
 */
EQUANT_API struct equant_redist_costs *
equant_redist_network_costs(const struct equant_redist_network *network, int64_t count,
			    const struct equant_redist_volume *volumes, char *why, size_t why_size);

/**
 * equant_redist_network_bound() - a time that no transfer through a network can be faster than
 * @network: the network
 * @count: of @volumes
 * @volumes: as for equant_redist_network_costs()
 * @one_port: a rank sends one message at a time, and receives one at a time
 *
 * Return: the largest of the time of the slowest message, of the bytes through each port by its
 * capacity, and, with @one_port, of equant_redist_bound(); NaN for volumes that
 * equant_redist_network_costs() refuses and if out of memory.
 */
EQUANT_API double equant_redist_network_bound(const struct equant_redist_network *network,
					      int64_t count,
					      const struct equant_redist_volume *volumes,
					      bool one_port);

/**
 * equant_redist_replay() - what becomes of a schedule in a network, its own or another
 * @schedule: ranks send and receive in its order
 * @network: where
 * @count: of @volumes
 * @volumes: as for equant_redist_network_costs(), the messages that @schedule is of
 * @window: messages that a rank sends at once, and receives at once; 1: as schedules suppose
 * @barrier: all wait until the s-th message of every sender is through before any sends another
 *
 * A simulator: messages that share a port share its capacity fairly (none could have more unless
 * another one with no more had less).  Time grows with the pieces, and with those under way at once
 * for each of them.
 *
 * Return: a schedule of the times that come out, of the same scheduler's name, whose bound is
 * equant_redist_network_bound(), with @one_port if @window is 1; or NULL and errno: EINVAL for a
 * @window below 1, another number of ranks, and pieces of messages that are none; what
 * equant_redist_network_costs() gave; ENOMEM.
 */
EQUANT_API struct equant_redist_schedule *
equant_redist_replay(const struct equant_redist_schedule *schedule,
		     const struct equant_redist_network *network, int64_t count,
		     const struct equant_redist_volume *volumes, int window, bool barrier,
		     char *why, size_t why_size);

/* ---- ways by other ranks (section 3) --------------------------------------------------- */

/**
 * struct equant_redist_parcel - a part of a message
 * @volume: its index among the volumes
 * @begin: its first byte in the message
 * @bytes: how many
 */
struct equant_redist_parcel {
	int64_t volume;
	int64_t begin;
	int64_t bytes;
};

/**
 * struct equant_redist_leg - what one rank sends another at once
 * @step: from 0; what is sent on has come in an earlier one
 * @from: who sends
 * @to: who receives
 * @first: of the parcels that it carries
 * @count: how many
 * @bytes: of all of them
 * @begin: seconds after the beginning
 * @end: the same
 */
struct equant_redist_leg {
	int step;
	int from;
	int to;
	int64_t first;
	int64_t count;
	int64_t bytes;
	double begin;
	double end;
};

/**
 * struct equant_redist_route - messages that go by way of other ranks, or straight
 * @router: who made it
 * @ranks: as in the network
 * @messages: how many
 * @steps: how many
 * @count: of @legs
 * @legs: step by step, and within each in the order in which they are sent
 * @parcels: what they carry
 * @makespan: when the last leg ends
 */
struct equant_redist_route {
	const char *router;
	int ranks;
	int64_t messages;
	int steps;
	int64_t count;
	struct equant_redist_leg *legs;
	struct equant_redist_parcel *parcels;
	double makespan;
};

/**
 * equant_redist_router_name() - the routers that there are
 * @i: from 0
 *
 *	combine		few steps, with one message out of and into each rank: for cyclic(x) to
 *			cyclic(K x), and the contrary, at most ceil(log2 K) + 2 of them
 *	relay		the improved scheduler's order, with parts of messages over third ranks where
 *			the links that they should take are slower, if that makes it shorter
 *	shortest	what takes the least time of these and of going straight
 *	best		straight, or what combining and relaying can save if planning that takes less
 *
 * Return: a name, or NULL after the last one.
 */
EQUANT_API const char *equant_redist_router_name(int i);

/**
 * equant_redist_route_new() - have a route made
 * @router: a name of equant_redist_router_name()
 * @network: what is between the ranks
 * @count: of @volumes
 * @volumes: as for equant_redist_network_costs(); what a rank has for itself is left out
 *
 * Times are those of ranks that send one message at a time and receive one at a time; if ranks share
 * a port that is full, as equant_redist_route_replay() has it, with up to 10^7 legs times ranks, or
 * for "best" if that takes less time than it can save; otherwise what they are at most.
 *
 * Return: the route, or NULL and errno: EINVAL for an unknown router, what
 * equant_redist_network_costs() gave, ENOMEM.
 */
EQUANT_API struct equant_redist_route *
equant_redist_route_new(const char *router, const struct equant_redist_network *network,
			int64_t count, const struct equant_redist_volume *volumes, char *why,
			size_t why_size);

/** equant_redist_route_free() - free it; NULL is nothing */
EQUANT_API void equant_redist_route_free(struct equant_redist_route *route);

/**
 * equant_redist_route_replay() - what becomes of a route in a network, its own or another
 * @route: ranks send and receive its legs in their order, each when all has come that it carries
 * @network: where
 * @window: legs that a rank sends at once, and receives at once
 * @barrier: all wait until the legs of a step are through before any sends one of the next
 *
 * The simulator is that of equant_redist_replay().
 *
 * Return: a route of the times that come out; or NULL and errno: EINVAL for a @window below 1 and
 * another number of ranks; ENOMEM.
 */
EQUANT_API struct equant_redist_route *
equant_redist_route_replay(const struct equant_redist_route *route,
			   const struct equant_redist_network *network, int window, bool barrier,
			   char *why, size_t why_size);

#ifdef __cplusplus
}
#endif

#endif /* EQUANT_REDIST_H */
