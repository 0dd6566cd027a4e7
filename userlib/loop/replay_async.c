// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Repeating the transfers of an asynchronous run.  Its decisions are rank 0's orders, but what
 * they lead to depends on when each rank found them.  So a rank's trace tells where in its own
 * work it gave units away and took units in: in which pass, after how many computations.
 *
 * There it does so again.  A giver sends at once; a receiver waits until it is told that its units are
 * on their way, which may take longer than it did then.  No rank waits for one that waits for
 * it: what a rank did before a transfer does not depend on what came after.  Between two
 * transfers the order of a rank's units follows from who owns what, so all of it is repeated.
 *
 * Reports and the end of joined passes are as always; rank 0 decides nothing.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/message.h"
#include "core/mpi_error.h"
#include "loop/loop_internal.h"
#include "loop/replay.h"

/* ---- reading them ---------------------------------------------------------------- */

static int refuse(const struct equant_replay *replay, uint64_t number, const char *fault)
{
	equant_message("%s: cannot be replayed: transfer %llu %s", replay->path,
		       (unsigned long long)number, fault);
	return -EINVAL;
}

/* One behind which a rank would never come to the next. */
static int is_early(const struct equant_replay *replay, const struct equant_event *e)
{
	static const struct equant_replayed_transfer start = { .pass = 1 };
	const struct equant_replayed_transfer *before = &start;

	if (replay->nr_transfers)
		before = &replay->transfers[replay->nr_transfers - 1];
	return e->u.transfer.pass < before->pass || e->u.transfer.computed < before->computed;
}

/* A transfer's first event, or one with more of its units. */
static int take_event(struct equant_replay *replay, const struct equant_event *e)
{
	long at = replay->nr_transfers - (e->u.transfer.first != 0);
	struct equant_replayed_transfer *t = &replay->transfers[at < 0 ? 0 : at];

	if (e->u.transfer.first &&
	    (at < 0 || t->number != e->u.transfer.number || t->units.n != (int)e->u.transfer.first))
		return refuse(replay, e->u.transfer.number, "has no beginning");
	if (!e->u.transfer.first && is_early(replay, e))
		return refuse(replay, e->u.transfer.number, "is out of order");
	replay->nr_transfers = at + 1;
	if (!e->u.transfer.first)
		*t = (struct equant_replayed_transfer){ .number = e->u.transfer.number,
							.pass = (long)e->u.transfer.pass,
							.computed = (long)e->u.transfer.computed,
							.peer = e->u.transfer.peer,
							.incoming = e->u.transfer.incoming };
	for (uint32_t i = 0; i < e->u.transfer.count; i++)
		if (equant_runs_add(&t->units,
				    (struct equant_range){ (long)e->u.transfer.list[i].first,
							   (long)e->u.transfer.list[i].count }))
			return -ENOMEM;
	return 0;
}

int equant_replay_load_transfers(struct equant_replay *replay)
{
	size_t n = 0;
	int error = 0;

	for (size_t i = 0; i < replay->nr_events; i++)
		n += replay->events[i].type == EQUANT_EVENT_TRANSFER;
	replay->transfers = calloc(n + 1, sizeof(*replay->transfers));
	if (!replay->transfers)
		return -ENOMEM;
	for (size_t i = 0; i < replay->nr_events && !error; i++)
		if (replay->events[i].type == EQUANT_EVENT_TRANSFER)
			error = take_event(replay, &replay->events[i]);
	return error;
}

void equant_replay_free_transfers(struct equant_replay *replay)
{
	for (long i = 0; i < replay->nr_transfers; i++)
		equant_runs_release(&replay->transfers[i].units);
	free(replay->transfers);
}

/* ---- all ranks together ------------------------------------------------------------ */

static uint64_t hash_of(const struct equant_replayed_transfer *t, int rank)
{
	uint64_t hash = equant_mix(t->number + 1);

	hash = equant_mix_word(hash, (uint64_t)(t->incoming ? t->peer : rank));
	hash = equant_mix_word(hash, (uint64_t)(t->incoming ? rank : t->peer));
	return hash ^ equant_runs_hash(&t->units);
}

/**
 * struct sum - what the two ranks of a transfer know of it together
 * @ranks: how many of them know it
 * @difference: of what they know
 * @taken: the receiver's pass
 */
struct sum {
	uint64_t ranks;
	uint64_t difference;
	uint64_t taken;
};

#define WORDS ((int)(sizeof(struct sum) / sizeof(uint64_t)))

/**
 * struct transfers - those that any rank knows
 * @numbers: ascending, @n of them; a damaged trace may have any number
 * @kept: it will be repeated
 */
struct transfers {
	long n;
	uint64_t *numbers;
	struct sum *sums;
	unsigned char *kept;
};

static int by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Where in the arrays the transfer of that number is. */
static long place_of(const struct transfers *all, const struct equant_replayed_transfer *t)
{
	const uint64_t *found =
		bsearch(&t->number, all->numbers, (size_t)all->n, sizeof(*all->numbers), by_number);

	return found - all->numbers;
}

static void sort(struct transfers *all, int known)
{
	qsort(all->numbers, (size_t)known, sizeof(*all->numbers), by_number);
	for (int i = 0; i < known; i++)
		if (!all->n || all->numbers[i] != all->numbers[all->n - 1])
			all->numbers[all->n++] = all->numbers[i];
}

/* Behind one another in the order of ranks: 0, or -EFBIG more than MPI can count. */
static int lay_out(const struct equant_loop *loop, int *counts, int *firsts)
{
	long n = 0;

	for (int r = 0; r < loop->ranks; r++) {
		firsts[r] = (int)n;
		n += counts[r];
		if (counts[r] >= 0 && n <= INT_MAX / WORDS)
			continue;
		if (!loop->rank)
			equant_message("%s: cannot be replayed: more than %d transfers",
				       loop->replay->path, INT_MAX / WORDS);
		return -EFBIG;
	}
	firsts[loop->ranks] = (int)n;
	return 0;
}

static int exchange(struct equant_loop *loop, struct transfers *all, int *counts, int *firsts)
{
	const struct equant_replay *replay = loop->replay;
	long most = INT_MAX / WORDS, mine = replay->nr_transfers;
	uint64_t *own = calloc((size_t)mine + 1, sizeof(*own));
	int error, n = mine > most ? -1 : (int)mine;

	error = equant_mpi_error(MPI_Allgather(&n, 1, MPI_INT, counts, 1, MPI_INT, loop->comm),
				 "comparing traces");
	if (!error)
		error = lay_out(loop, counts, firsts);
	if (!error)
		all->numbers = calloc((size_t)firsts[loop->ranks] + 1, sizeof(*all->numbers));
	if (!error)
		error = equant_mpi_agree(loop->comm, own && all->numbers ? 0 : -ENOMEM);
	for (long i = 0; i < mine && !error; i++)
		own[i] = replay->transfers[i].number;
	if (!error)
		error = equant_mpi_error(MPI_Allgatherv(own, n, MPI_UINT64_T, all->numbers, counts,
							firsts, MPI_UINT64_T, loop->comm),
					 "comparing traces");
	if (!error)
		sort(all, firsts[loop->ranks]);
	free(own);
	return error;
}

static int gather(struct equant_loop *loop, struct transfers *all)
{
	size_t ranks = (size_t)loop->ranks;
	int *counts = calloc(ranks, sizeof(*counts)), *firsts = calloc(ranks + 1, sizeof(*firsts));
	int error = equant_mpi_agree(loop->comm, counts && firsts ? 0 : -ENOMEM);

	if (!error)
		error = exchange(loop, all, counts, firsts);
	free(counts);
	free(firsts);
	return error;
}

static int sum_up(struct equant_loop *loop, struct transfers *all)
{
	const struct equant_replay *replay = loop->replay;

	for (long i = 0; i < replay->nr_transfers; i++) {
		const struct equant_replayed_transfer *t = &replay->transfers[i];
		struct sum *sum = &all->sums[place_of(all, t)];
		uint64_t hash = hash_of(t, loop->rank);

		sum->ranks++;
		sum->difference += t->incoming ? -hash : hash;
		sum->taken += t->incoming ? (uint64_t)t->pass : 0;
	}
	return equant_mpi_error(MPI_Allreduce(MPI_IN_PLACE, all->sums, WORDS * (int)all->n,
					      MPI_UINT64_T, MPI_SUM, loop->comm),
				"comparing traces");
}

/* One that a rank was killed in the middle of is known to one rank only. */
static int find_whole(const struct equant_loop *loop, struct transfers *all)
{
	for (long n = 0; n < all->n; n++) {
		const struct sum *sum = &all->sums[n];

		if (sum->ranks > 2 || (sum->ranks == 2 && sum->difference)) {
			if (!loop->rank)
				refuse(loop->replay, all->numbers[n],
				       "is not the same in all ranks' traces");
			return -EINVAL;
		}
		all->kept[n] = sum->ranks == 2;
	}
	return 0;
}

static unsigned char *kept_of(const struct transfers *all, const struct equant_replayed_transfer *t)
{
	return &all->kept[place_of(all, t)];
}

static long count_kept(const struct transfers *all)
{
	long kept = 0;

	for (long n = 0; n < all->n; n++)
		kept += all->kept[n];
	return kept;
}

/*
 * What a rank did after a transfer depends on it: with one that is not repeated go those that
 * either of its ranks made later, and so on.
 */
static int keep_first(struct equant_loop *loop, struct transfers *all)
{
	const struct equant_replay *replay = loop->replay;
	long kept = count_kept(all), before, first;
	int error;

	do {
		before = kept;
		for (first = 0; first < replay->nr_transfers; first++)
			if (!*kept_of(all, &replay->transfers[first]))
				break;
		for (long i = first; i < replay->nr_transfers; i++)
			*kept_of(all, &replay->transfers[i]) = 0;
		error = equant_mpi_error(MPI_Allreduce(MPI_IN_PLACE, all->kept, (int)all->n,
						       MPI_UNSIGNED_CHAR, MPI_MIN, loop->comm),
					 "comparing traces");
		kept = count_kept(all);
	} while (!error && kept < before);
	return error;
}

static void drop_last(struct equant_replay *replay, const struct transfers *all)
{
	replay->cut = all->n && (uint64_t)count_kept(all) < all->numbers[all->n - 1];
	while (replay->nr_transfers && !*kept_of(all, &replay->transfers[replay->nr_transfers - 1]))
		equant_runs_release(&replay->transfers[--replay->nr_transfers].units);
	for (long i = 0; i < replay->nr_transfers; i++)
		replay->transfers[i].taken =
			(long)all->sums[place_of(all, &replay->transfers[i])].taken;
}

static int agree(struct equant_loop *loop, struct transfers *all)
{
	int error = sum_up(loop, all);

	if (!error)
		error = find_whole(loop, all);
	if (!error)
		error = keep_first(loop, all);
	if (!error)
		drop_last(loop->replay, all);
	return error;
}

int equant_replay_agree_transfers(struct equant_loop *loop)
{
	struct transfers all = { 0 };
	int error = gather(loop, &all);

	if (!error) {
		all.sums = calloc((size_t)all.n + 1, sizeof(*all.sums));
		all.kept = calloc((size_t)all.n + 1, sizeof(*all.kept));
		error = equant_mpi_agree(loop->comm, all.sums && all.kept ? 0 : -ENOMEM);
	}
	if (!error)
		error = agree(loop, &all);
	free(all.numbers);
	free(all.sums);
	free(all.kept);
	return error;
}

/* ---- repeating them --------------------------------------------------------------- */

static struct equant_replayed_transfer *next(const struct equant_loop *loop)
{
	struct equant_replay *replay = loop->replay;

	if (!replay || replay->next == replay->nr_transfers)
		return NULL;
	return &replay->transfers[replay->next];
}

static int differs(const struct equant_loop *loop, const struct equant_replayed_transfer *t)
{
	equant_message(
		"loop %s, rank %d, pass %ld: %s has it %s %ld units %s rank %d in pass %ld after %ld computations, here it has made %ld: another program or input?",
		loop->name, loop->rank, loop->pass->number, loop->replay->path,
		t->incoming ? "take" : "give", t->units.total, t->incoming ? "from" : "to", t->peer,
		t->pass, t->computed, loop->pass->async->computed);
	return -EBADMSG;
}

int equant_replay_announce(struct equant_loop *loop, const struct equant_notice *notice)
{
	struct equant_replay *replay = loop->replay;

	for (long i = replay->next; i < replay->nr_transfers; i++) {
		struct equant_replayed_transfer *t = &replay->transfers[i];

		if (!t->incoming || t->number != notice->number || t->peer != notice->peer)
			continue;
		t->announced = 1;
		return 0;
	}
	equant_message("loop %s, rank %d: transfer %llu from rank %d is not in %s", loop->name,
		       loop->rank, (unsigned long long)notice->number, notice->peer, replay->path);
	return -EBADMSG;
}

static struct equant_notice *new_notice(const struct equant_replayed_transfer *t)
{
	size_t ranges = (size_t)t->units.n * sizeof(t->units.ranges[0]);
	struct equant_notice *notice = calloc(1, sizeof(*notice) + ranges);

	if (!notice)
		return NULL;
	notice->kind = t->incoming ? EQUANT_NOTICE_TAKE : EQUANT_NOTICE_GIVE;
	notice->peer = t->peer;
	notice->number = t->number;
	notice->nr_ranges = t->units.n;
	memcpy(notice->ranges, t->units.ranges, ranges);
	return notice;
}

static int owns(const struct equant_loop *loop, const struct equant_runs *units)
{
	for (int i = 0; i < units->n; i++)
		for (long u = 0; u < units->ranges[i].count; u++)
			if (!equant_runs_find(&loop->units.owned[loop->rank],
					      units->ranges[i].first + u))
				return 0;
	return 1;
}

/* In checked mode rank 0 must hear of this rank while it waits. */
static int await_announcement(struct equant_loop *loop, const struct equant_replayed_transfer *t)
{
	int error = 0;

	equant_pass_leave(loop);
	while (!error && !t->announced) {
		error = equant_async_await(loop);
		if (!error && !t->announced && loop->eq->options.check)
			error = equant_async_report(loop, EQUANT_ASYNC_COMPUTING, 0);
	}
	return error;
}

static int repeat(struct equant_loop *loop, struct equant_replayed_transfer *t)
{
	struct equant_notice *notice;
	int error;

	equant_pass_leave(loop);
	if (!t->incoming && !owns(loop, &t->units))
		return differs(loop, t);
	error = t->incoming ? await_announcement(loop, t) : 0;
	if (error)
		return error;
	notice = new_notice(t);
	if (!notice)
		return -ENOMEM;
	loop->replay->next++;
	error = equant_async_transfer(loop, notice);
	free(notice);
	return error;
}

static void say_end(struct equant_loop *loop)
{
	if (loop->replay->cut && !loop->rank)
		equant_message("loop %s pass %ld: %s ends here, from now on no work moves",
			       loop->name, loop->pass->number, loop->replay->path);
	loop->replay->cut = 0;
}

int equant_replay_transfers(struct equant_loop *loop)
{
	struct equant_replayed_transfer *t;
	int error = 0;

	while (!error && (t = next(loop))) {
		if (t->pass > loop->pass->number ||
		    (t->pass == loop->pass->number && t->computed > loop->pass->async->computed))
			break;
		if (t->pass < loop->pass->number || t->computed < loop->pass->async->computed)
			return differs(loop, t);
		error = repeat(loop, t);
	}
	if (loop->replay && !error && !next(loop))
		say_end(loop);
	return error;
}

long equant_replay_until(const struct equant_loop *loop)
{
	const struct equant_replayed_transfer *t = next(loop);

	return t && t->pass == loop->pass->number ? t->computed - loop->pass->async->computed :
						    LONG_MAX;
}

/* At the end of a joined pass nobody may still wait for what this rank gives later. */
static int keeps_waiting(const struct equant_loop *loop, const struct equant_replayed_transfer *t)
{
	return loop->pass->joined && !t->incoming && t->taken <= loop->pass->number;
}

int equant_replay_pass_over(const struct equant_loop *loop)
{
	const struct equant_replayed_transfer *t = next(loop);

	if (t && t->pass <= loop->pass->number)
		return differs(loop, t);
	for (long i = t ? loop->replay->next : 0; t && i < loop->replay->nr_transfers; i++)
		if (keeps_waiting(loop, &loop->replay->transfers[i]))
			return differs(loop, &loop->replay->transfers[i]);
	return 0;
}
