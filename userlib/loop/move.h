/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_LOOP_MOVE_H
#define EQUANT_LOOP_MOVE_H

#include <mpi.h>

#include "control/wait.h"
#include "loop/slices.h"
#include "loop/units.h"

/**
 * struct equant_header - the first message of every transfer
 */
struct equant_header {
	uint64_t phase;
	uint64_t units;
	uint64_t unit_hash; /* which units */
	uint64_t data_bytes; /* of the packed data that follow the arrays */
	uint64_t checksum; /* of the arrays; 0 unless checked */
};

/**
 * struct equant_transfer - units on their way from or to one rank
 */
struct equant_transfer {
	int peer;
	int incoming;
	int taken; /* an incoming one: its units are here */
	struct equant_runs units;
	struct equant_header header;
	char *data; /* packed data */
};

/**
 * struct equant_parcel - what a run has sent and its receivers have not yet taken
 * @rank: this one
 * @transfers: MPI may read from their headers and data
 * @peers: by request
 */
struct equant_parcel {
	int rank;
	struct equant_transfer *transfers;
	int nr_transfers;
	MPI_Request *requests;
	int *peers;
	int nr_requests;
};

/**
 * struct equant_mover - carries out the instructions of a phase
 * @queue: a run does not wait for up to so many before it to be taken; 0 = they are waited for
 * @parcels: @nr_parcels of them, the oldest first, room for @queue
 */
struct equant_mover {
	struct equant_waiter *waiter;
	MPI_Comm comm;
	int rank;
	int checked;
	double timeout; /* seconds to wait for a peer, 0 = for ever */
	double patience; /* seconds in which a receiver is helped before the next computation */
	const struct equant_slices *slices;
	struct equant_transfer *transfers; /* of the last run */
	int nr_transfers;
	int room;
	MPI_Request *requests;
	int *peers; /* whose they are */
	int nr_requests;
	int requests_room;
	int queue;
	struct equant_parcel *parcels;
	int nr_parcels;
	/* what has happened so far */
	long moves, sent, received;
	uint64_t bytes_sent;
	uint64_t waited_ns;
	int broken; /* it has stopped in the middle of a run: others may wait for its part */
};

void equant_mover_init(struct equant_mover *m, struct equant_waiter *waiter, MPI_Comm comm,
		       int rank, int checked, const struct equant_slices *slices);

/** equant_mover_bytes() - the size of a transfer, headers aside */
size_t equant_mover_bytes(const struct equant_mover *m, const struct equant_transfer *t);

/** equant_mover_give_up() - after @patience seconds; a peer may never do its part */
void equant_mover_give_up(struct equant_mover *m, double patience);

/** equant_mover_queue() - from now on up to @queue runs may be under way; 0 or -ENOMEM */
int equant_mover_queue(struct equant_mover *m, int queue);

/**
 * equant_mover_await() - complete requests of a move, unless a rank has stopped in the middle of one
 * @m: the mover
 * @on: names who is missing
 * @requests: @n of them
 * @statuses: as many, or MPI_STATUSES_IGNORE
 *
 * Return: 0; -ECANCELED another rank has failed; -ETIMEDOUT; -EIO.  After an error requests may be
 * under way.
 */
int equant_mover_await(struct equant_mover *m, struct equant_waited_on *on, MPI_Request *requests,
		       int n, MPI_Status *statuses);

/** equant_mover_complete() - what is under way has arrived; 0 or -errno */
int equant_mover_complete(struct equant_mover *m);

/** equant_mover_release() - complete what is under way and free; 0 or -errno */
int equant_mover_release(struct equant_mover *m);

/** equant_mover_forget() - free without communication; harmless after the release */
void equant_mover_forget(struct equant_mover *m);

/**
 * equant_mover_progress() - help sends along
 * @m: the mover
 * @patience: seconds to wait for them at most, > 0
 *
 * Return: 0, complete or not, or -errno.
 */
int equant_mover_progress(struct equant_mover *m, double patience);

/**
 * equant_mover_run() - carry out all instructions of a phase
 * @m: the mover
 * @units: ownership, updated for all ranks
 * @instructions: the same on every rank
 * @count: their number
 * @named: by instruction, the units it moves; NULL = what equant_units_move() chooses
 * @phase: for the headers
 *
 * Returns when everything for this rank has arrived; what it sends may still
 * be under way, and is completed at the start of the next run, or where runs are queued some
 * time later: then units may come to a rank while others that it has given are on their way.
 *
 * Return: 0; -EBADMSG a transfer is not what was announced; a callback's error, after all
 * transfers have been taken in; -ETIMEDOUT; -ENOMEM; -EIO.
 */
int equant_mover_run(struct equant_mover *m, struct equant_units *units,
		     const struct equant_instruction *instructions, int count,
		     const struct equant_runs *named, uint64_t phase);

/* post.c */

/** equant_post() - begin to send or receive bytes of a transfer; 0 or -errno */
int equant_post(struct equant_mover *m, const struct equant_transfer *t, void *bytes, size_t size);

/** equant_post_arrays() - ... its slices in all arrays and tables */
int equant_post_arrays(struct equant_mover *m, const struct equant_transfer *t);

#endif /* EQUANT_LOOP_MOVE_H */
