// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Where ranks meet.  In checked mode all ranks compare where they are, what they believe and what they are
 * about to do before every balancing phase, before a loop is closed and before collective
 * calls.  Each transfer carries the checksum of its slices; here the ownership as a whole
 * is verified.  Nothing that depends on another rank is begun before that
 * rank has said that it takes part, so a rank that stays away, or is at another place of the
 * program, is an error here and not a message that never comes.
 *
 * Without checked mode they compare when a loop is made, when it begins and before boundaries are
 * exchanged for the first time, where nobody knows yet whether the others mean the same, and one
 * that refuses would keep all others waiting.
 *
 * The comparisons of all loops of a context are one sequence: that is how hooks of two loops in
 * different order meet.  Each has a tag of its own, so what is left of one that was given up
 * disturbs no later one.
 *
 * Who gives up in checked mode tells all others.  A rank that comes later may find every message it needs: in a
 * dissemination among 2^m ranks none of those that are sent to it depends on its own.  It must not go
 * on alone.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/message.h"
#include "loop/loop_internal.h"

#define TAGS 0x3fff /* used in turn, and as many to tell that one was given up */
#define NO_LOOP UINT64_MAX

struct belief {
	uint64_t place; /* where in the program this rank is, enum equant_place */
	uint64_t loop; /* which of the context's loops, NO_LOOP = none */
	uint64_t leader; /* ... leads it: an error of one is an error of all that share */
	uint64_t failed; /* enum equant_standing */
	uint64_t arguments; /* of the call */
	uint64_t layout; /* of what moves with the units */
	uint64_t restricted; /* units keep their order */
	uint64_t own_units; /* what this rank holds */
	uint64_t own_hash;
	uint64_t all_hash; /* who, as far as this rank knows, holds what */
	char name[40]; /* of the loop, empty = none */
	char call[40]; /* the program's, which has come to that place */
};

static const char *const functions[] = {
	[EQUANT_AT_HOOK] = "equant_hook()",
	[EQUANT_AT_FREE] = "equant_loop_free()",
	[EQUANT_AT_BROADCAST] = "equant_loop_broadcast()",
	[EQUANT_AT_GHOSTS] = "equant_loop_ghosts_start()",
	[EQUANT_AT_REDUCTION] = "equant_allreduce_units()",
	[EQUANT_AT_SWEEP] = "equant_loop_sweep()",
	[EQUANT_AT_PASS] = "equant_pass_begin()",
	[EQUANT_AT_BARRIER] = "equant_barrier()",
	[EQUANT_AT_NEW] = "equant_loop_new()",
	[EQUANT_AT_PLAN] = "equant_loop_distribute_plan()",
	[EQUANT_AT_NEIGHBOURS] = "equant_loop_neighbours()",
	[EQUANT_AT_CALIBRATION] = "equant_calibrate()",
	[EQUANT_AT_START] = "the start of balancing",
	[EQUANT_AT_ACTIVATION] = "equant_loop_activate()",
	[EQUANT_AT_ALLREDUCE] = "equant_allreduce()",
};

static uint64_t hash_of_all(const struct equant_units *u)
{
	uint64_t hash = 0;
	int r;

	for (r = 0; r < u->ranks; r++)
		hash = hash * 0x9e3779b97f4a7c15ull + equant_runs_hash(&u->owned[r]) +
		       (uint64_t)u->counts[r];
	for (r = 0; r < u->ranks; r++)
		hash = hash * 0x9e3779b97f4a7c15ull + equant_runs_hash(&u->resting[r]);
	return hash;
}

static uint64_t hash_of_loop(long units)
{
	struct equant_range all = { 0, units };
	struct equant_runs runs = { .ranges = &all, .n = units > 0, .total = units };

	return equant_runs_hash(&runs);
}

static int compare_owners(const struct equant_loop *loop, const struct belief *b)
{
	uint64_t units = 0, hash = 0;
	int r;

	for (r = 0; r < loop->ranks; r++) {
		units += b[r].own_units;
		hash += b[r].own_hash;
		if (b[r].all_hash != b[0].all_hash) {
			equant_message(
				"loop %s phase %ld: ranks 0 and %d disagree on who owns what",
				loop->name, loop->phases, r);
			return -EBADMSG;
		}
	}
	if (units == (uint64_t)loop->units.units && hash == hash_of_loop(loop->units.units))
		return 0;
	equant_message("loop %s phase %ld: %llu units are owned, there are %ld", loop->name,
		       loop->phases, (unsigned long long)units, loop->units.units);
	return -EBADMSG;
}

/* One that closes the loop and one that goes on with it are told apart later, by who they are. */
static int same_place(const struct belief *a, const struct belief *b)
{
	if (a->loop != b->loop)
		return 0;
	return (a->place == b->place && !strcmp(a->call, b->call)) ||
	       (a->loop != NO_LOOP && (a->place == EQUANT_AT_FREE || b->place == EQUANT_AT_FREE));
}

static const char *of_loop(const struct belief *b)
{
	return b->name[0] ? " of loop " : "";
}

/* No loop of the context can go on: which calls are still to come nobody knows. */
static int compare_places(struct equant *eq, const struct belief *b)
{
	int r;

	for (r = 1; r < eq->ranks; r++) {
		if (same_place(&b[r], &b[0]))
			continue;
		equant_message(
			"rank 0 is in %s%s%s, rank %d in %s%s%s: all ranks must make the same calls in the same order",
			b[0].call, of_loop(&b[0]), b[0].name, r, b[r].call, of_loop(&b[r]),
			b[r].name);
		return equant_lose(eq, -EPROTO);
	}
	return 0;
}

static int compare_arguments(struct equant *eq, const struct belief *b)
{
	int r;

	for (r = 1; r < eq->ranks; r++) {
		if (b[r].arguments == b[0].arguments)
			continue;
		equant_message("%s%s%sranks 0 and %d call %s differently",
			       b[0].name[0] ? "loop " : "", b[0].name, b[0].name[0] ? ": " : "", r,
			       b[0].call);
		return equant_lose(eq, -EPROTO);
	}
	return 0;
}

static int compare_arrays(const struct equant_loop *loop, const struct belief *b)
{
	int r;

	for (r = 1; r < loop->ranks; r++) {
		if (b[r].layout != b[0].layout) {
			equant_message("loop %s: ranks 0 and %d have registered different arrays",
				       loop->name, r);
			return -EINVAL;
		}
		if (b[r].restricted != b[0].restricted) {
			equant_message(
				"loop %s: units keep their order (EQUANT_BLOCK_ORDER) on rank %d, but not on rank %d",
				loop->name, b[r].restricted ? r : 0, b[r].restricted ? 0 : r);
			return -EINVAL;
		}
	}
	return 0;
}

/* The lowest rank that stands so, -1 = none; of ranks that are busy with the same loop, or one that shares with it. */
static int find(const struct equant *eq, const struct belief *b, enum equant_standing standing)
{
	for (int r = 0; r < eq->ranks; r++)
		if (b[r].failed == (uint64_t)standing && b[r].leader == b[eq->rank].leader)
			return r;
	return -1;
}

static int compare_ends(struct equant_loop *loop, const struct belief *b)
{
	int closer = -1, goer = -1, r;

	for (r = 0; r < loop->ranks; r++) {
		if (b[r].place == EQUANT_AT_FREE)
			closer = r;
		else
			goer = r;
	}
	if (closer < 0 || goer < 0)
		return 0;
	equant_say_closed(loop, closer, goer, b[goer].call);
	return -EPROTO;
}

/* All ranks see the same, so all come to the same conclusion; @refused: the loop may go on. */
static int compare(struct equant *eq, struct equant_loop *loop, const struct belief *b,
		   int *refused)
{
	int failed = find(eq, b, EQUANT_HAS_FAILED), error;

	if (failed >= 0) {
		if (failed != eq->rank)
			equant_message("loop %s: rank %d has failed", b[failed].name, failed);
		return -ECANCELED;
	}
	error = compare_places(eq, b);
	if (!error && loop)
		error = compare_ends(loop, b);
	if (error)
		return error;
	failed = find(eq, b, EQUANT_REFUSES);
	if (failed >= 0) {
		if (failed != eq->rank)
			equant_message("%s%s%srank %d has refused %s", loop ? "loop " : "",
				       loop ? loop->name : "", loop ? ": " : "", failed,
				       b[failed].call);
		*refused = 1;
		return -ECANCELED;
	}
	error = loop ? compare_arrays(loop, b) : 0;
	if (!error)
		error = compare_arguments(eq, b);
	return error || !loop ? error : compare_owners(loop, b);
}

/* ---- the comparison ------------------------------------------------------------------ */

/**
 * struct meeting - a comparison under way
 * @loop: NULL = the place is none of a loop
 * @call: the program's
 * @number: of those of the context
 * @limit: seconds until it is given up, 0 = never
 */
struct meeting {
	struct equant *eq;
	struct equant_loop *loop;
	const struct belief *belief;
	const char *call;
	uint32_t number;
	double limit;
	struct equant_exchange *x;
};

static void say_awaited(const struct equant_waited_on *on, double seconds)
{
	const struct meeting *m = on->of;
	enum equant_place place = (enum equant_place)m->belief->place;
	const struct equant_loop *loop = m->loop;
	int itself, awaited = equant_exchange_awaited(m->x, &itself);

	if (loop && place <= EQUANT_AT_FREE)
		equant_say_silent(loop, awaited, itself, seconds);
	else
		equant_message("%s%s%srank %d%s has not reached %s within %g s",
			       loop ? "loop " : "", loop ? loop->name : "", loop ? ": " : "",
			       awaited, itself ? "" : ", or a rank that it waits for,", m->call,
			       seconds);
}

static int tag_of(uint32_t number)
{
	return 1 + (int)(number % TAGS);
}

/* 1: a rank, which is in @status, has given up on this comparison; 0, -errno */
static int was_given_up(const struct meeting *m, MPI_Status *status)
{
	int there = 0, error;

	/* Else nobody gives up. */
	if (!m->eq->options.check)
		return 0;
	error = equant_mpi_error(MPI_Iprobe(MPI_ANY_SOURCE, TAGS + tag_of(m->number), m->eq->comm,
					    &there, status),
				 "looking for ranks that have given up");
	return error ? error : there;
}

static int comes_too_late(const struct meeting *m)
{
	MPI_Status status;
	int found = was_given_up(m, &status);

	if (found < 1)
		return found;
	equant_message("%s%s%srank %d comes too late to %s: rank %d has given up",
		       m->loop ? "loop " : "", m->loop ? m->loop->name : "", m->loop ? ": " : "",
		       m->eq->rank, m->call, status.MPI_SOURCE);
	return equant_lose(m->eq, -ETIMEDOUT);
}

/* Nobody waits for longer than the first one that gives up, who has told all. */
static int await_all(const struct meeting *m, uint64_t *waited)
{
	double look = m->limit && m->limit < EQUANT_LOOK ? m->limit : EQUANT_LOOK;
	int error, found, heard;
	MPI_Status status;

	do {
		error = equant_exchange_finish(m->x, look, waited);
		if (error != -ETIMEDOUT)
			return error;
		heard = equant_hears(&m->eq->waiter, m->limit ? 0 : *waited);
		found = was_given_up(m, &status);
	} while (!heard && !found && (!m->limit || 1e-9 * (double)*waited < m->limit));
	if (heard || found < 0)
		return heard ? heard : found;
	equant_waited_on_give_up(&m->eq->waiter);
	/* All that come later hear of it. */
	if (!found)
		equant_tell_all(m->eq, m->eq->comm, TAGS + tag_of(m->number));
	return -ETIMEDOUT;
}

/* Whoever comes late finds the messages of those that have given up, and would take them for there. */
static int run(struct meeting *m, uint64_t *waited)
{
	struct equant_waited_on on = { .say = say_awaited, .of = m };
	int error = comes_too_late(m);

	if (error)
		return error;
	m->eq->waiter.call = m->call;
	equant_waited_on_begin(&m->eq->waiter, &on);
	error = equant_hears(&m->eq->waiter, 0);
	if (!error)
		error = equant_exchange_start(m->x, m->belief);
	if (!error)
		error = await_all(m, waited);
	if (!error)
		error = equant_hears(&m->eq->waiter, 0);
	equant_waited_on_end(&m->eq->waiter);
	if (!error)
		return 0;
	equant_exchange_cancel(m->x);
	return equant_lose(m->eq, error);
}

/* A rank without memory must not keep the others waiting: there is one for all. */
int equant_check_open(struct equant *eq)
{
	eq->meeting = equant_exchange_new(&eq->waiter, eq->comm, 1, sizeof(struct belief));
	return eq->meeting ? 0 : -errno;
}

static int meet(struct equant *eq, struct equant_loop *loop, const struct belief *belief,
		int *refused)
{
	struct meeting m = { .eq = eq,
			     .loop = loop,
			     .belief = belief,
			     .call = !loop && eq->behalf ? eq->behalf : functions[belief->place],
			     .number = eq->checks++,
			     .x = eq->meeting };
	uint64_t waited = 0;
	int error;

	/* Before a loop is made ranks may have read files for longer than they are late in a step. */
	if (belief->place != EQUANT_AT_NEW)
		m.limit = eq->waiter.limit;
	equant_exchange_retag(m.x, tag_of(m.number));
	error = run(&m, &waited);
	if (!error)
		error = compare(eq, loop, equant_exchange_items(m.x), refused);
	if (loop)
		loop->waiting_ns += waited;
	return error;
}

static int meet_in_loop(struct equant_loop *loop, enum equant_place place, uint64_t arguments,
			enum equant_standing standing)
{
	const struct equant_runs *own = &loop->units.owned[loop->rank];
	const struct equant_runs *resting = &loop->units.resting[loop->rank];
	struct belief belief = {
		.place = place,
		.loop = loop->order,
		.leader = (loop->leader ? loop->leader : loop)->order,
		.failed = standing,
		.arguments = arguments,
		.restricted = loop->restricted != 0,
		.own_units = (uint64_t)(own->total + resting->total),
		.own_hash = equant_runs_hash(own) + equant_runs_hash(resting),
	};
	int refused = 0, error;

	if (loop->eq->lost)
		return loop->eq->lost;
	for (const struct equant_loop *l = loop; l; l = l->follower)
		belief.all_hash = equant_mix(belief.all_hash) + hash_of_all(&l->units);
	/* The first phase compares arrays by itself. */
	if (place > EQUANT_AT_FREE)
		belief.layout = equant_slices_layout(&loop->slices);
	memcpy(belief.name, loop->name, sizeof(belief.name));
	snprintf(belief.call, sizeof(belief.call), "%s", functions[place]);
	error = meet(loop->eq, loop, &belief, &refused);
	/* Nothing is under way any more, on any rank. */
	if (error && !refused)
		equant_share_ended(loop);
	return error;
}

int equant_check_place(struct equant_loop *loop, enum equant_place place, uint64_t arguments,
		       int error)
{
	int failed =
		meet_in_loop(loop, place, arguments, error ? EQUANT_HAS_FAILED : EQUANT_GOES_ON);

	return error ? error : failed;
}

int equant_check_always(struct equant_loop *loop, enum equant_place place, uint64_t arguments,
			int error)
{
	enum equant_standing standing = loop->error ? EQUANT_HAS_FAILED :
					error	    ? EQUANT_REFUSES :
						      EQUANT_GOES_ON;
	int failed = meet_in_loop(loop, place, arguments, standing);

	if (failed && loop->ended)
		equant_loop_fail(loop, failed);
	return error ? error : failed;
}

int equant_check_call(struct equant_loop *loop, enum equant_place place, uint64_t arguments,
		      int error)
{
	if (loop->eq->options.check)
		return equant_check_always(loop, place, arguments, error);
	return error ? error : loop->eq->lost;
}

int equant_check_context(struct equant *eq, enum equant_place place, const char *name,
			 uint64_t arguments, int error)
{
	struct belief belief = {
		.place = place,
		.loop = NO_LOOP,
		.leader = NO_LOOP,
		.arguments = arguments,
		.failed = error ? EQUANT_REFUSES : EQUANT_GOES_ON,
	};
	int refused = 0, failed;

	if (eq->lost)
		return eq->lost;
	snprintf(belief.name, sizeof(belief.name), "%s", name ? name : "");
	snprintf(belief.call, sizeof(belief.call), "%s",
		 eq->behalf ? eq->behalf : functions[place]);
	failed = meet(eq, NULL, &belief, &refused);
	return error ? error : failed;
}
