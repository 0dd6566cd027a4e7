// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Units that become inactive and active (Siegell 1995, section 6.3).  Inactive ones stay where they are, while
 * the blocks of those that are active move on.
 *
 * In a loop that keeps its order a unit may then wake on a rank whose block is elsewhere.  Those that wake
 * together have none but inactive units between them, so that all belong between the same two active ones: each
 * stays with its owner if that is a rank from the lower one's to the upper one's, and is not before the rank of
 * the unit before it, and else goes to the nearest such rank.  All ranks find the same.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "core/message.h"
#include "loop/loop_internal.h"

/**
 * struct returning - units that go where they belong
 * @moves: @n of them, room for @room; @units of each
 */
struct returning {
	struct equant_instruction *moves;
	struct equant_runs *units;
	int n;
	int room;
};

static void release(struct returning *r)
{
	for (int i = 0; i < r->n; i++)
		equant_runs_release(&r->units[i]);
	free(r->moves);
	free(r->units);
}

static int make_room(struct returning *r)
{
	int room = r->room ? 2 * r->room : 8;
	struct equant_instruction *moves;
	struct equant_runs *units;

	if (r->n < r->room)
		return 0;
	moves = realloc(r->moves, (size_t)room * sizeof(*moves));
	r->moves = moves ? moves : r->moves;
	units = realloc(r->units, (size_t)room * sizeof(*units));
	r->units = units ? units : r->units;
	if (!moves || !units)
		return -ENOMEM;
	r->room = room;
	return 0;
}

static int add(struct returning *r, int from, int to, struct equant_range range)
{
	int i = 0;

	while (i < r->n && (r->moves[i].from != from || r->moves[i].to != to))
		i++;
	if (i == r->n && make_room(r))
		return -ENOMEM;
	if (i == r->n) {
		r->moves[r->n] = (struct equant_instruction){ .from = from, .to = to };
		r->units[r->n++] = (struct equant_runs){ 0 };
	}
	r->moves[i].units += range.count;
	return equant_runs_add(&r->units[i], range);
}

/* The highest rank with an active unit below @unit; 0 = there is none. */
static int rank_below(const struct equant_units *u, long unit)
{
	for (int r = u->ranks - 1; r > 0; r--)
		if (u->owned[r].n && u->owned[r].ranges[0].first < unit)
			return r;
	return 0;
}

/* The lowest rank with one from @unit on. */
static int rank_above(const struct equant_units *u, long unit)
{
	for (int r = 0; r < u->ranks; r++) {
		const struct equant_runs *own = &u->owned[r];
		const struct equant_range *last = own->n ? &own->ranges[own->n - 1] : NULL;

		if (last && last->first + last->count > unit)
			return r;
	}
	return u->ranks - 1;
}

static int most(int a, int b)
{
	return a > b ? a : b;
}

static int least(int a, int b)
{
	return a < b ? a : b;
}

/* @range: inactive so far, and about to wake */
static int find_returning(const struct equant_units *u, struct equant_range range,
			  struct returning *r)
{
	int low = rank_below(u, range.first), high = rank_above(u, range.first), error = 0;
	long end = range.first + range.count;

	for (long unit = range.first; unit < end && !error;) {
		struct equant_range same = { unit, 0 };
		int owner = u->owners[unit];

		while (unit < end && u->owners[unit] == owner)
			unit++;
		same.count = unit - same.first;
		low = least(most(owner, low), high);
		if (low != owner)
			error = add(r, owner, low, same);
	}
	return error;
}

/* Nothing that depends on a rank is begun before it is known that it goes on; see phase.c. */
static int come_together(struct equant_loop *leader, struct equant_range range)
{
	uint64_t arguments = equant_mix((uint64_t)range.first) + (uint64_t)range.count;
	int error = equant_check_call(leader, EQUANT_AT_ACTIVATION, arguments, 0);

	return !error && leader->control ? equant_join_all(leader) : error;
}

static int carry_out(struct equant_loop *leader, const struct returning *r)
{
	uint64_t start = equant_now_ns(), waited = leader->mover.waited_ns;
	int error, followers, follows;

	error = equant_loop_move(leader, r->moves, r->n, r->units, (uint64_t)leader->phases);
	followers = equant_share_move(leader, r->moves, r->n, r->units);
	follows = equant_neighbours_follow(leader);
	waited = leader->mover.waited_ns - waited;
	leader->moving_ns += equant_now_ns() - start - waited;
	leader->waiting_ns += waited;
	equant_record_moves(leader, equant_now_ns() - start);
	return error ? error : followers ? followers : follows;
}

/* Units that wake where they are need the slices around them there, as units that have moved do. */
static int fetch_neighbours(struct equant_loop *leader)
{
	int first = 0;

	for (struct equant_loop *l = leader; l; l = l->follower) {
		int error = equant_neighbours_follow(l);

		first = first ? first : error;
	}
	return first ? equant_loop_fail(leader, first) : 0;
}

static int put_in_order(struct equant_loop *leader, struct equant_range range,
			const struct returning *r)
{
	int error = come_together(leader, range);

	if (!error)
		error = carry_out(leader, r);
	return error ? equant_loop_fail(leader, error) : 0;
}

/* In a pass or a sweep what is left of it is known by units, and ghosts go to where the units around them are. */
static int is_under_way(const struct equant_loop *loop)
{
	for (const struct equant_loop *l = loop; l; l = l->follower)
		if ((l->pass && l->pass->under_way) || (l->pipeline && l->pipeline->under_way) ||
		    l->ghosts.under_way)
			return 1;
	return 0;
}

static int change_state(struct equant_loop *loop, struct equant_range range,
			int (*change)(struct equant_units *u, struct equant_range range))
{
	if (is_under_way(loop))
		return -EBUSY;
	if (equant_async_forbids(loop, "changing which units are active"))
		return -EINVAL;
	return change(&loop->units, range);
}

static int state_changed(const struct equant_loop *loop, int error, const char *function,
			 struct equant_range range, const char *state)
{
	if (error == -EALREADY)
		equant_message("loop %s, rank %d: %s: of the units %ld to %ld some are %s already",
			       loop->name, loop->rank, function, range.first,
			       range.first + range.count - 1, state);
	else if (error)
		equant_message(
			"loop %s, rank %d: %s: %ld units from unit %ld on, counted from 0, of %ld: %s",
			loop->name, loop->rank, function, range.count, range.first,
			loop->units.units, strerror(-error));
	return error;
}

static int wake(struct equant_loop *leader, struct equant_range range)
{
	int error = 0;

	for (struct equant_loop *l = leader; l && !error; l = l->follower) {
		error = change_state(l, range, equant_units_wake);
		if (!error)
			error = equant_slices_wake(&l->slices, range);
	}
	return error;
}

/* Do all of them exist, and is none active?  The owners of no others may be looked at. */
static int all_rest(const struct equant_units *u, struct equant_range range)
{
	if (range.first < 0 || range.count < 0 || range.count > u->units - range.first)
		return 0;
	for (int r = 0; r < u->ranks; r++)
		if (range.count && equant_runs_meet(&u->owned[r], &range))
			return 0;
	return 1;
}

int equant_loop_activate(struct equant_loop *loop, long first, long count)
{
	const struct equant_range range = { first, count };
	struct equant_loop *leader = loop->leader ? loop->leader : loop;
	struct returning returning = { 0 };
	int error = 0, woken;

	if (leader->restricted && !leader->error && all_rest(&leader->units, range))
		error = find_returning(&leader->units, range, &returning);
	/* Others may wait for what this rank does not know that it has. */
	leader->mover.broken |= error != 0;
	if (error)
		equant_loop_fail(leader, error);
	woken = wake(leader, range);
	if (woken == -ENOMEM)
		equant_loop_stop(leader, woken);
	error = error ? error : woken;
	if (!error)
		error = returning.n ? put_in_order(leader, range, &returning) :
				      fetch_neighbours(leader);
	if (!error)
		equant_phase_hasten(leader);
	release(&returning);
	return state_changed(loop, error, "equant_loop_activate", range, "active");
}

int equant_loop_deactivate(struct equant_loop *loop, long first, long count)
{
	const struct equant_range range = { first, count };
	struct equant_loop *l = loop->leader ? loop->leader : loop;
	int error = 0;

	for (; l && !error; l = l->follower) {
		error = change_state(l, range, equant_units_rest);
		if (!error)
			error = equant_slices_rest(&l->slices, range);
	}
	/* This rank no longer knows what the others take for active. */
	if (error == -ENOMEM)
		equant_loop_stop(loop, error);
	return state_changed(loop, error, "equant_loop_deactivate", range, "inactive");
}
