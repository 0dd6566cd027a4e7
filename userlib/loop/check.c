// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Checked mode: before every balancing phase, before a loop is closed and before collective
 * calls all ranks compare where they are, what they believe and what they are about to do.  Each
 * transfer carries the checksum of its slices; here the ownership as a whole
 * is verified.  Nothing that depends on another rank is begun before that
 * rank has said that it takes part, so a rank that stays away, or is at another place of the
 * program, is an error here and not a message that never comes.
 *
 * The comparisons of all loops of a context are one sequence: that is how hooks of two loops in
 * different order meet.  Each has a tag of its own, so what is left of one that was given up
 * disturbs no later one.
 */
#include <errno.h>
#include <string.h>

#include "core/message.h"
#include "loop/loop_internal.h"

#define TAGS 0x4000 /* used in turn */
#define NO_LOOP UINT64_MAX

struct belief {
	uint64_t place; /* where in the program this rank is, enum equant_place */
	uint64_t loop; /* which of the context's loops, NO_LOOP = none */
	uint64_t failed; /* this rank has failed, or refuses the call */
	uint64_t arguments; /* of the call */
	uint64_t layout; /* of what moves with the units */
	uint64_t own_units; /* what this rank holds */
	uint64_t own_hash;
	uint64_t all_hash; /* who, as far as this rank knows, holds what */
	char name[40]; /* of the loop, empty = none */
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
	return a->place == b->place || (a->place <= EQUANT_AT_FREE && b->place <= EQUANT_AT_FREE);
}

static const char *of_loop(const struct belief *b)
{
	return b->loop == NO_LOOP ? "" : " of loop ";
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
			functions[b[0].place], of_loop(&b[0]), b[0].name, r, functions[b[r].place],
			of_loop(&b[r]), b[r].name);
		eq->lost = -EPROTO;
		return -EPROTO;
	}
	return 0;
}

static int compare_calls(struct equant_loop *loop, const struct belief *b)
{
	int r;

	for (r = 1; r < loop->ranks; r++) {
		if (b[r].layout != b[0].layout) {
			equant_message("loop %s: ranks 0 and %d have registered different arrays",
				       loop->name, r);
			return -EINVAL;
		}
		if (b[r].arguments == b[0].arguments)
			continue;
		equant_message("loop %s: ranks 0 and %d call %s differently", loop->name, r,
			       functions[b[0].place]);
		loop->eq->lost = -EPROTO;
		return -EPROTO;
	}
	return 0;
}

/* All ranks see the same, so all come to the same conclusion. */
static int compare(struct equant_loop *loop, const struct belief *b)
{
	int closer = -1, goer = -1, error, r;

	for (r = 0; r < loop->ranks; r++) {
		if (b[r].failed) {
			equant_message("loop %s: rank %d has failed", loop->name, r);
			return -ECANCELED;
		}
		if (b[r].place == EQUANT_AT_FREE)
			closer = r;
		else
			goer = r;
	}
	if (closer >= 0 && goer >= 0) {
		equant_say_closed(loop, closer, goer);
		return -EPROTO;
	}
	error = compare_calls(loop, b);
	return error ? error : compare_owners(loop, b);
}

/* @loop: NULL = the place is none of a loop */
static void say_awaited(const struct equant *eq, const struct equant_loop *loop,
			enum equant_place place, const struct equant_exchange *x)
{
	double timeout = eq->options.timeout;
	int itself, awaited = equant_exchange_awaited(x, &itself);

	if (loop && place <= EQUANT_AT_FREE)
		equant_say_silent(loop, awaited, itself, timeout);
	else
		equant_message("%s%s%srank %d%s has not reached %s within %g s",
			       loop ? "loop " : "", loop ? loop->name : "", loop ? ": " : "",
			       awaited, itself ? "" : ", or a rank that it waits for,",
			       functions[place], timeout);
}

static int exchange(struct equant *eq, struct equant_loop *loop, const struct belief *belief)
{
	struct equant_exchange *x;
	uint64_t waited = 0;
	int error;

	x = equant_exchange_new(&eq->waiter, eq->comm, 1 + (int)(eq->checks++ % TAGS),
				sizeof(*belief));
	if (!x)
		return -errno;
	error = equant_exchange_start(x, belief);
	if (!error)
		error = equant_exchange_finish(x, eq->options.timeout, &waited);
	if (error == -ETIMEDOUT)
		say_awaited(eq, loop, (enum equant_place)belief->place, x);
	if (error)
		equant_exchange_cancel(x);
	else
		error = compare_places(eq, equant_exchange_items(x));
	if (loop)
		loop->waiting_ns += waited;
	if (!error && loop)
		error = compare(loop, equant_exchange_items(x));
	equant_exchange_free(x);
	return error;
}

int equant_check_place(struct equant_loop *loop, enum equant_place place, uint64_t arguments,
		       int failed)
{
	const struct equant_runs *own = &loop->units.owned[loop->rank];
	const struct equant_runs *resting = &loop->units.resting[loop->rank];
	struct belief belief = {
		.place = place,
		.loop = loop->order,
		.failed = (uint64_t)failed,
		.arguments = arguments,
		.own_units = (uint64_t)(own->total + resting->total),
		.own_hash = equant_runs_hash(own) + equant_runs_hash(resting),
	};

	if (loop->eq->lost)
		return loop->eq->lost;
	for (const struct equant_loop *l = loop; l; l = l->follower)
		belief.all_hash = equant_mix(belief.all_hash) + hash_of_all(&l->units);
	/* The first phase compares arrays by itself. */
	if (place > EQUANT_AT_FREE)
		belief.layout = equant_slices_layout(&loop->slices);
	memcpy(belief.name, loop->name, sizeof(belief.name));
	return exchange(loop->eq, loop, &belief);
}

int equant_check_meeting(struct equant *eq, enum equant_place place)
{
	const struct belief belief = { .place = place, .loop = NO_LOOP };
	int error;

	if (!eq->options.check || eq->lost)
		return eq->lost;
	error = exchange(eq, NULL, &belief);
	if (error == -ETIMEDOUT)
		eq->lost = error;
	return error;
}

int equant_check_call(struct equant_loop *loop, enum equant_place place, uint64_t arguments,
		      int error)
{
	int failed;

	if (!loop->eq->options.check)
		return error;
	failed = equant_check_place(loop, place, arguments, error != 0);
	return error ? error : failed;
}
