// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The network as the transfers themselves see it, and another plan when it has changed: what
 * makes the paper's redistribution adaptive.
 *
 * A message comes in pieces.  The time between two pieces that come one after the other from the
 * same rank is what the second one took, whoever waited for whom before.  The first ones do not
 * count, as they have been under way since before, beside others; nor do those after them that
 * come with one that does not, as their time is in its wait.  Added up over a run that gives
 * the rate of each link that a message of some more pieces came by.  Of a port that messages share
 * each gets a part, so it is too slow only below that.  Where it is clearly another than the
 * network has, all ranks learn of it, change the network and plan again.  A run in which a link
 * changes gives a rate in between, so the run after that is looked at more closely.
 *
 * Source: Bhat, Prasanna, Raghavendra, section 4: schedules for the bandwidths that there are
 * now; how these are found out is an addition.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/meet.h"
#include "core/message.h"
#include "core/mpi_error.h"
#include "engine/transfer_internal.h"
#include "redist/redist_internal.h"

#define CALL "equant_transfer_refresh"
#define CHANGED 1.33 /* times as fast as expected, or as slow */
#define CHANGED_AGAIN 1.1 /* likewise, where the last look found another rate */
#define PIECES 3 /* whose times tell a rate */

/**
 * struct sum - pieces whose times are known
 * @pieces: how many
 * @bytes: of them
 * @seconds: the times
 */
struct sum {
	int pieces;
	double bytes;
	double seconds;
};

/**
 * struct arrivals - what came from one rank in a run
 * @row: pieces that have come one after the other
 * @last: when the last one came
 * @head: the first ones in the row whose times are known
 * @begun: what came with those before them is not among them any more
 * @all: what counts, without these
 */
struct arrivals {
	int row;
	double last;
	struct sum head;
	bool begun;
	struct sum all;
};

/**
 * struct equant_refresh - what a transfer needs to plan again
 * @options: as they were given, with this network, scheduler, router and no lists
 * @network: as it is taken to be
 * @scheduler: its name; likewise @router
 * @from: by rank
 * @anew: likewise, has the last look found another rate of the link from there?
 * @mine: how many links this rank has found changed, or -errno
 * @counts: likewise, how many links each has found changed; after them, of all before it
 */
struct equant_refresh {
	struct equant_transfer_options options;
	struct equant_redist_network *network;
	char *scheduler;
	char *router;
	struct arrivals *from;
	bool *anew;
	int mine;
	int *counts;
};

/* ---- what a transfer remembers ----------------------------------------------------------- */

int equant_refresh_keep(struct equant_transfer *transfer,
			const struct equant_transfer_options *options)
{
	struct equant_refresh *refresh;

	if (!options->network)
		return 0;
	refresh = calloc(1, sizeof(*refresh));
	if (!refresh)
		return -ENOMEM;
	transfer->refresh = refresh;
	refresh->options = *options;
	refresh->network = equant_redist_network_copy(options->network);
	refresh->from = calloc((size_t)transfer->ranks, sizeof(*refresh->from));
	refresh->anew = calloc((size_t)transfer->ranks, sizeof(*refresh->anew));
	refresh->counts = calloc((size_t)transfer->ranks, 2 * sizeof(*refresh->counts));
	if (options->scheduler)
		refresh->scheduler = strdup(options->scheduler);
	if (options->router)
		refresh->router = strdup(options->router);
	refresh->options.network = refresh->network;
	refresh->options.scheduler = refresh->scheduler;
	refresh->options.router = refresh->router;
	refresh->options.senders = refresh->options.receivers = NULL;
	refresh->options.beside = NULL;
	if (!refresh->network || !refresh->from || !refresh->anew || !refresh->counts ||
	    (options->scheduler && !refresh->scheduler) || (options->router && !refresh->router))
		return -ENOMEM;
	return 0;
}

void equant_refresh_free(struct equant_refresh *refresh)
{
	if (!refresh)
		return;
	equant_redist_network_free(refresh->network);
	free(refresh->scheduler);
	free(refresh->router);
	free(refresh->from);
	free(refresh->anew);
	free(refresh->counts);
	free(refresh);
}

void equant_refresh_begin(struct equant_transfer *transfer)
{
	struct equant_refresh *refresh = transfer->refresh;

	if (!refresh)
		return;
	memset(refresh->from, 0, (size_t)transfer->ranks * sizeof(*refresh->from));
}

static void add(struct sum *sum, const struct sum *more)
{
	sum->pieces += more->pieces;
	sum->bytes += more->bytes;
	sum->seconds += more->seconds;
}

/* A row is over, or its head is: what may have come with pieces that do not count does not either. */
static void end_head(struct arrivals *from)
{
	if (from->begun)
		add(&from->all, &from->head);
	from->head = (struct sum){ 0 };
	from->begun = false;
}

/*
 * A piece of those that count.  At most @depth come at once, so one of as many that takes much longer
 * than all before it is where a burst begins; if there is none, pieces do not come in bursts.
 */
static void take(struct arrivals *from, int depth, const struct sum *piece)
{
	if (from->row > 2 * depth + 1) {
		from->begun = true;
		end_head(from);
		add(&from->all, piece);
		return;
	}
	if (from->head.pieces && piece->seconds > 2 * from->head.seconds) {
		from->head = (struct sum){ 0 };
		from->begun = true;
	}
	add(&from->head, piece);
}

void equant_refresh_arrived(struct equant_transfer *transfer, int peer, int bytes, bool first)
{
	int depth = transfer->lanes[1].depth;
	struct arrivals *from;
	double now;

	if (!transfer->refresh)
		return;
	from = &transfer->refresh->from[peer];
	now = MPI_Wtime();
	from->row = first ? 1 : from->row + 1;
	if (first)
		end_head(from);
	if (from->row > depth + 1)
		take(from, depth, &(struct sum){ 1, bytes, now - from->last });
	from->last = now;
}

const struct equant_redist_network *equant_transfer_network(const struct equant_transfer *transfer)
{
	return transfer->refresh ? transfer->refresh->network : NULL;
}

/* ---- what has changed -------------------------------------------------------------------- */

/* The least that a message from @peer gets where all others share the ports that it goes through. */
static double least(const struct equant_transfer *transfer, const int *sharers, int peer,
		    double bandwidth)
{
	const struct equant_redist_network *network = transfer->refresh->network;
	int a = network->places[peer], b = network->places[transfer->rank];

	if (a >= 0 && a != b && sharers[2 * a])
		bandwidth = fmin(bandwidth, network->host[a].send / sharers[2 * a]);
	if (b >= 0 && a != b && sharers[2 * b + 1])
		bandwidth = fmin(bandwidth, network->host[b].receive / sharers[2 * b + 1]);
	return bandwidth;
}

static bool is_known(const struct sum *sum)
{
	return sum->pieces >= PIECES && sum->seconds > 0;
}

/*
 * Is the link from @peer another one than it was?  What ports leave, alone or shared, is not.  How they are
 * shared is never known so well that what is near a fair part could be looked at more closely.
 */
static bool has_changed(const struct equant_transfer *transfer, const int *sharers, int peer,
			struct equant_redist_link *link)
{
	const struct equant_refresh *refresh = transfer->refresh;
	const struct equant_redist_network *network = refresh->network;
	const struct sum *all = &refresh->from[peer].all;
	double was, seen, factor = CHANGED;
	int me = transfer->rank;

	if (!is_known(all))
		return false;
	*link = equant_redist_network_link(network, peer, me);
	was = link->bandwidth;
	link->bandwidth = seen = all->bytes / all->seconds;
	if (refresh->anew[peer] && least(transfer, sharers, peer, HUGE_VAL) > CHANGED * was)
		factor = CHANGED_AGAIN;
	return equant_redist_network_through(network, peer, me, seen) >
		       factor * equant_redist_network_through(network, peer, me, was) ||
	       least(transfer, sharers, peer, was) > factor * least(transfer, sharers, peer, seen);
}

/* How many there are in @links, or -ENOMEM. */
static int find_changes(const struct equant_transfer *transfer, struct equant_redist_link *links)
{
	int *sharers = equant_transfer_sharers(transfer->schedule, transfer->refresh->network,
					       transfer->window);
	int count = 0;

	if (!sharers)
		return -ENOMEM;
	for (int r = 0; r < transfer->ranks; r++) {
		end_head(&transfer->refresh->from[r]);
		count += has_changed(transfer, sharers, r, &links[count]);
	}
	free(sharers);
	return count;
}

/*
 * How many links all ranks together have found changed, if @mine, a number of links or -errno, is
 * no error on any.
 */
static int compare(const struct equant_transfer *transfer, int mine, int *total)
{
	int *counts = transfer->refresh->counts, *starts = counts + transfer->ranks;
	MPI_Request request;
	int error = 0;

	*total = 0;
	if (transfer->limits.check)
		error = equant_meet(transfer->comm, CALL, &transfer->limits);
	if (error)
		return error;
	transfer->refresh->mine = mine;
	error = equant_mpi_error(MPI_Iallgather(&transfer->refresh->mine, 1, MPI_INT, counts, 1,
						MPI_INT, transfer->comm, &request),
				 "comparing networks");
	if (!error)
		error = equant_meet_in(&request, transfer->comm, CALL, &transfer->limits);
	if (error || mine < 0)
		return error ? error : mine;
	for (int r = 0; r < transfer->ranks; r++) {
		if (counts[r] < 0)
			return -ECANCELED;
		starts[r] = *total;
		if (__builtin_add_overflow(*total, counts[r], total))
			return -EOVERFLOW;
	}
	return 0;
}

static int by_ranks(const void *a, const void *b)
{
	const struct equant_redist_link *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

/* To @all those of all ranks, in the order in which networks have links.  0 or -errno. */
static int exchange(const struct equant_transfer *transfer, const struct equant_redist_link *mine,
		    struct equant_redist_link *all, int total)
{
	int *counts = transfer->refresh->counts, *starts = counts + transfer->ranks;
	MPI_Datatype link;
	int error = equant_mpi_error(MPI_Type_contiguous(sizeof(*mine), MPI_BYTE, &link),
				     "MPI_Type_contiguous");

	if (error)
		return error;
	error = equant_mpi_error(MPI_Type_commit(&link), "MPI_Type_commit");
	if (!error)
		error = equant_mpi_error(MPI_Allgatherv(mine, counts[transfer->rank], link, all,
							counts, starts, link, transfer->comm),
					 "comparing networks");
	MPI_Type_free(&link);
	if (!error)
		qsort(all, (size_t)total, sizeof(*all), by_ranks);
	return error;
}

/* ---- another plan ------------------------------------------------------------------------ */

/* What a plan consists of changes hands. */
static void swap(struct equant_transfer *a, struct equant_transfer *b)
{
	struct equant_transfer kept = *a;

	equant_transfer_take_plan(a, b);
	equant_transfer_take_plan(b, &kept);
}

static int plan_again(struct equant_transfer *transfer)
{
	struct equant_transfer fresh = *transfer;
	int error;

	equant_transfer_take_plan(&fresh, &(struct equant_transfer){ 0 });
	error = equant_transfer_schedule_make(&fresh, &transfer->refresh->options);
	if (!error)
		error = equant_transfer_set_window(&fresh, &transfer->refresh->options);
	error = equant_transfer_prepare(&fresh, &transfer->refresh->options, error, NULL);
	if (!error)
		swap(transfer, &fresh);
	equant_transfer_release_plan(&fresh);
	return error;
}

static int change(struct equant_transfer *transfer, int count,
		  const struct equant_redist_link *links)
{
	struct equant_refresh *refresh = transfer->refresh;
	struct equant_redist_network *changed = equant_redist_network_copy(refresh->network);
	const struct equant_redist_network *before = refresh->network;
	int error = changed ? 0 : -ENOMEM;

	for (int i = 0; i < count && !error; i++)
		error = equant_redist_network_set(changed, &links[i], NULL, 0);
	error = equant_mpi_agree(transfer->comm, error);
	refresh->options.network = changed;
	if (!error)
		error = plan_again(transfer);
	if (!error)
		refresh->network = changed;
	refresh->options.network = refresh->network;
	equant_redist_network_free(error ? changed : (struct equant_redist_network *)before);
	return error;
}

/* @mine are others now, @total on all ranks. */
static int learn(struct equant_transfer *transfer, const struct equant_redist_link *mine, int total)
{
	struct equant_redist_link *all = reallocarray(NULL, (size_t)total, sizeof(*all));
	int error = equant_mpi_agree(transfer->comm, all ? 0 : -ENOMEM);

	if (!error)
		error = exchange(transfer, mine, all, total);
	if (!error)
		error = change(transfer, total, all);
	free(all);
	return error;
}

/*
 * After a look that made others of @mine.  One that this one looked at more closely is not looked
 * at so again, or there would be another plan for each run where rates vary.
 */
static void remember(struct equant_transfer *transfer, const struct equant_redist_link *mine)
{
	struct equant_refresh *refresh = transfer->refresh;
	const struct equant_redist_link *end = mine + refresh->counts[transfer->rank];

	for (int r = 0; r < transfer->ranks; r++) {
		bool changed = mine < end && mine->from == r;

		mine += changed;
		if (is_known(&refresh->from[r].all))
			refresh->anew[r] = changed && !refresh->anew[r];
	}
	equant_refresh_begin(transfer);
}

/* How many links are others now, or -errno. */
static int look(const struct equant_transfer *transfer, const int *changed,
		struct equant_redist_link *links)
{
	if (!changed) {
		equant_message("rank %d: " CALL ": no place for the number", transfer->rank);
		return -EINVAL;
	}
	if (transfer->state != EQUANT_TRANSFER_IDLE) {
		equant_message("rank %d: " CALL ": it is running", transfer->rank);
		return -EBUSY;
	}
	return links ? find_changes(transfer, links) : -ENOMEM;
}

int equant_transfer_refresh(struct equant_transfer *transfer, int *changed)
{
	struct equant_redist_link *mine;
	int error, count;

	if (transfer->broken || equant_mpi_is_over())
		return -EPIPE;
	/* Ranks that have waited for theirs, or do so yet, need this one's part of it. */
	if (equant_transfer_settle(transfer))
		return -EPIPE;
	if (transfer->state == EQUANT_TRANSFER_IDLE)
		transfer->call = CALL;
	/* So it is on all ranks. */
	if (!transfer->refresh) {
		equant_message("rank %d: " CALL ": it was made without a network", transfer->rank);
		return -EINVAL;
	}
	mine = calloc((size_t)transfer->ranks, sizeof(*mine));
	error = compare(transfer, look(transfer, changed, mine), &count);
	if (!error && count)
		error = learn(transfer, mine, count);
	if (!error) {
		*changed = count;
		remember(transfer, mine);
	}
	free(mine);
	/* MPI's errors not all ranks need have: they may have another plan. */
	transfer->broken = error == -EIO || error == -EPROTO || error == -ETIMEDOUT;
	return error;
}
