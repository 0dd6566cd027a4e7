// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Which rank owns which units of a loop. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "loop/units.h"

void equant_runs_release(struct equant_runs *runs)
{
	free(runs->ranges);
	memset(runs, 0, sizeof(*runs));
}

static int make_room(struct equant_runs *runs)
{
	struct equant_range *grown;
	int room;

	if (runs->n < runs->room)
		return 0;
	room = runs->room ? 2 * runs->room : 8;
	grown = realloc(runs->ranges, (size_t)room * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	runs->ranges = grown;
	runs->room = room;
	return 0;
}

/* Index of the first range that starts after @unit. */
static int upper(const struct equant_runs *runs, long unit)
{
	int low = 0, high = runs->n;

	while (low < high) {
		int middle = low + (high - low) / 2;

		if (runs->ranges[middle].first > unit)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static long end_of(const struct equant_range *r)
{
	return r->first + r->count;
}

int equant_runs_add(struct equant_runs *runs, struct equant_range range)
{
	int at = upper(runs, range.first);
	struct equant_range *r;

	if (make_room(runs))
		return -ENOMEM;
	r = runs->ranges;
	runs->total += range.count;
	if (at > 0 && end_of(&r[at - 1]) == range.first) {
		r[at - 1].count += range.count;
		at--;
	} else {
		memmove(&r[at + 1], &r[at], (size_t)(runs->n - at) * sizeof(*r));
		r[at] = range;
		runs->n++;
	}
	if (at + 1 < runs->n && end_of(&r[at]) == r[at + 1].first) {
		r[at].count += r[at + 1].count;
		memmove(&r[at + 1], &r[at + 2], (size_t)(runs->n - at - 2) * sizeof(*r));
		runs->n--;
	}
	return 0;
}

/* What one step of a take removes: part or all of the outermost range. */
static struct equant_range outermost(const struct equant_runs *runs, long count, int high, int skip)
{
	struct equant_range r = runs->ranges[high ? runs->n - 1 - skip : skip];

	if (r.count > count) {
		if (high)
			r.first = end_of(&r) - count;
		r.count = count;
	}
	return r;
}

int equant_runs_take(struct equant_runs *runs, long count, int high, struct equant_runs *out)
{
	long left = count;
	int whole = 0;

	out->n = 0;
	out->total = 0;
	while (left > 0) {
		struct equant_range r = outermost(runs, left, high, whole);

		if (equant_runs_add(out, r))
			return -ENOMEM;
		left -= r.count;
		if (left || r.count == runs->ranges[high ? runs->n - 1 - whole : whole].count)
			whole++;
		else if (high)
			runs->ranges[runs->n - 1 - whole].count -= r.count;
		else
			runs->ranges[whole] =
				(struct equant_range){ end_of(&r),
						       runs->ranges[whole].count - r.count };
	}
	if (!high && whole)
		memmove(runs->ranges, runs->ranges + whole,
			(size_t)(runs->n - whole) * sizeof(*runs->ranges));
	runs->n -= whole;
	runs->total -= count;
	return 0;
}

int equant_runs_thin(struct equant_runs *runs, long count, struct equant_runs *out)
{
	struct equant_runs kept = { 0 };
	long due = runs->total / 2;
	int error = 0;

	out->n = 0;
	out->total = 0;
	for (int i = 0; i < runs->n && !error; i++) {
		struct equant_range one = { runs->ranges[i].first, 1 };

		for (; one.first < end_of(&runs->ranges[i]) && !error; one.first++) {
			bool goes = (due += count) >= runs->total;

			due -= goes ? runs->total : 0;
			error = equant_runs_add(goes ? out : &kept, one);
		}
	}
	if (error) {
		equant_runs_release(&kept);
		return error;
	}
	equant_runs_release(runs);
	*runs = kept;
	return 0;
}

int equant_runs_join(struct equant_runs *runs, const struct equant_runs *other)
{
	struct equant_runs joined = { 0 };
	int a = 0, b = 0, error = 0;

	while ((a < runs->n || b < other->n) && !error) {
		bool first = b == other->n ||
			     (a < runs->n && runs->ranges[a].first < other->ranges[b].first);

		error = equant_runs_add(&joined, first ? runs->ranges[a++] : other->ranges[b++]);
	}
	equant_runs_release(error ? &joined : runs);
	if (!error)
		*runs = joined;
	return error;
}

static struct equant_range overlap(const struct equant_range *a, const struct equant_range *b)
{
	long first = a->first > b->first ? a->first : b->first;
	long end = end_of(a) < end_of(b) ? end_of(a) : end_of(b);

	return (struct equant_range){ first, end > first ? end - first : 0 };
}

/* Takes @cut out of the range at @at, which may leave two, one or none. */
static int cut_one(struct equant_runs *runs, int at, const struct equant_range *cut)
{
	struct equant_range whole = runs->ranges[at];
	struct equant_range low = { whole.first, cut->first - whole.first };
	struct equant_range high = { end_of(cut), end_of(&whole) - end_of(cut) };

	memmove(&runs->ranges[at], &runs->ranges[at + 1],
		(size_t)(runs->n - at - 1) * sizeof(*runs->ranges));
	runs->n--;
	runs->total -= whole.count;
	if (low.count && equant_runs_add(runs, low))
		return -ENOMEM;
	return high.count ? equant_runs_add(runs, high) : 0;
}

/* Index of the first range that has units in common with @range, -1 = none. */
static int first_overlap(const struct equant_runs *runs, const struct equant_range *range)
{
	int at = upper(runs, range->first);

	if (at > 0 && end_of(&runs->ranges[at - 1]) > range->first)
		at--;
	return at < runs->n && overlap(&runs->ranges[at], range).count ? at : -1;
}

int equant_runs_meet(const struct equant_runs *runs, const struct equant_range *range)
{
	return first_overlap(runs, range) >= 0;
}

int equant_runs_cut(struct equant_runs *runs, struct equant_range range, struct equant_runs *out)
{
	int at;

	while ((at = first_overlap(runs, &range)) >= 0) {
		struct equant_range cut = overlap(&runs->ranges[at], &range);

		if (cut_one(runs, at, &cut) || equant_runs_add(out, cut))
			return -ENOMEM;
	}
	return 0;
}

int equant_runs_find(const struct equant_runs *runs, long unit)
{
	int at = upper(runs, unit);

	return at > 0 && unit < end_of(&runs->ranges[at - 1]);
}

uint64_t equant_runs_hash(const struct equant_runs *runs)
{
	uint64_t hash = 0;
	long unit;
	int i;

	for (i = 0; i < runs->n; i++)
		for (unit = runs->ranges[i].first; unit < end_of(&runs->ranges[i]); unit++)
			hash += equant_mix((uint64_t)unit + 1);
	return hash;
}

static int add_blocks(struct equant_units *u)
{
	long first = 0;

	for (int r = 0; r < u->ranks; r++) {
		long count = u->units / u->ranks + (r < u->units % u->ranks);

		if (count && equant_runs_add(&u->owned[r], (struct equant_range){ first, count }))
			return -ENOMEM;
		first += count;
	}
	return 0;
}

static int add_in_turn(struct equant_units *u)
{
	for (long unit = 0; unit < u->units; unit++)
		if (equant_runs_add(&u->owned[unit % u->ranks], (struct equant_range){ unit, 1 }))
			return -ENOMEM;
	return 0;
}

static void name_owner(struct equant_units *u, const struct equant_runs *runs, int rank)
{
	for (int i = 0; i < runs->n; i++)
		for (long unit = runs->ranges[i].first; unit < end_of(&runs->ranges[i]); unit++)
			u->owners[unit] = rank;
}

static void count(struct equant_units *u)
{
	for (int r = 0; r < u->ranks; r++)
		u->counts[r] = u->owned[r].total;
}

static int allocate(struct equant_units *u, long units, int ranks)
{
	memset(u, 0, sizeof(*u));
	u->units = units;
	u->ranks = ranks;
	u->owned = calloc((size_t)ranks, sizeof(*u->owned));
	u->resting = calloc((size_t)ranks, sizeof(*u->resting));
	u->counts = calloc((size_t)ranks, sizeof(*u->counts));
	u->owners = calloc((size_t)units + 1, sizeof(*u->owners));
	return u->owned && u->resting && u->counts && u->owners ? 0 : -ENOMEM;
}

int equant_units_copy(struct equant_units *to, const struct equant_units *from)
{
	int error = allocate(to, from->units, from->ranks);

	to->in_turn = from->in_turn;
	for (int r = 0; r < from->ranks && !error; r++) {
		error = equant_runs_join(&to->owned[r], &from->owned[r]);
		if (!error)
			error = equant_runs_join(&to->resting[r], &from->resting[r]);
		name_owner(to, &to->owned[r], r);
		name_owner(to, &to->resting[r], r);
	}
	if (error)
		equant_units_release(to);
	else
		count(to);
	return error;
}

int equant_units_init(struct equant_units *u, long units, int ranks,
		      enum equant_distribution distribution)
{
	if (allocate(u, units, ranks) ||
	    (distribution == EQUANT_CYCLIC ? add_in_turn(u) : add_blocks(u))) {
		equant_units_release(u);
		return -ENOMEM;
	}
	u->in_turn = distribution == EQUANT_CYCLIC;
	count(u);
	for (int r = 0; r < ranks; r++)
		name_owner(u, &u->owned[r], r);
	return 0;
}

void equant_units_release(struct equant_units *u)
{
	int r;

	for (r = 0; u->owned && r < u->ranks; r++)
		equant_runs_release(&u->owned[r]);
	for (r = 0; u->resting && r < u->ranks; r++)
		equant_runs_release(&u->resting[r]);
	free(u->owned);
	free(u->resting);
	free(u->counts);
	free(u->owners);
	memset(u, 0, sizeof(*u));
}

static int check_move(const struct equant_units *u, const struct equant_instruction *move)
{
	int from = move->from, to = move->to;

	if (from < 0 || from >= u->ranks || to < 0 || to >= u->ranks || from == to ||
	    move->units < 1 || move->units > u->counts[from])
		return -EPROTO;
	return 0;
}

/* The giver has parted with them. */
static int hand_over(struct equant_units *u, const struct equant_instruction *move,
		     const struct equant_runs *moved)
{
	if (equant_runs_join(&u->owned[move->to], moved))
		return -ENOMEM;
	u->counts[move->from] -= move->units;
	u->counts[move->to] += move->units;
	name_owner(u, moved, move->to);
	return 0;
}

int equant_units_move(struct equant_units *u, const struct equant_instruction *move,
		      struct equant_runs *moved)
{
	struct equant_runs *own;
	int error = check_move(u, move);

	if (error)
		return error;
	own = &u->owned[move->from];
	error = u->in_turn ? equant_runs_thin(own, move->units, moved) :
			     equant_runs_take(own, move->units, move->to > move->from, moved);
	return error ? error : hand_over(u, move, moved);
}

int equant_units_give(struct equant_units *u, const struct equant_instruction *move,
		      const struct equant_runs *named, struct equant_runs *moved)
{
	int error = check_move(u, move);

	moved->n = 0;
	moved->total = 0;
	for (int i = 0; i < named->n && !error; i++)
		error = equant_runs_cut(&u->owned[move->from], named->ranges[i], moved);
	if (!error && moved->total != move->units)
		error = -EPROTO;
	return error ? error : hand_over(u, move, moved);
}

int equant_units_claim(struct equant_units *u, int rank, const struct equant_runs *units)
{
	struct equant_runs claimed = { 0 };
	int error = 0;

	for (int r = 0; r < u->ranks; r++)
		for (int i = 0; r != rank && i < units->n && !error; i++)
			error = equant_runs_cut(&u->owned[r], units->ranges[i], &claimed);
	if (!error)
		error = equant_runs_join(&u->owned[rank], &claimed);
	name_owner(u, &claimed, rank);
	equant_runs_release(&claimed);
	count(u);
	return error;
}

int equant_units_assign(struct equant_units *u, const int *owner)
{
	struct equant_runs active = { 0 };
	int error = 0;

	for (int r = 0; r < u->ranks && !error; r++) {
		error = equant_runs_join(&active, &u->owned[r]);
		u->owned[r].n = 0;
		u->owned[r].total = 0;
	}
	for (int i = 0; i < active.n && !error; i++) {
		const struct equant_range *range = &active.ranges[i];

		for (long unit = range->first; unit < end_of(range) && !error; unit++) {
			struct equant_range one = { unit, 1 };

			error = -EBADMSG;
			if (owner[unit] >= 1 && owner[unit] <= u->ranks)
				error = equant_runs_add(&u->owned[owner[unit] - 1], one);
		}
	}
	equant_runs_release(&active);
	count(u);
	for (int r = 0; r < u->ranks; r++)
		name_owner(u, &u->owned[r], r);
	return error;
}

/* How many units of the range are in any of the sets. */
static long count_in(const struct equant_runs *sets, int n, const struct equant_range *range)
{
	long found = 0;

	for (int r = 0; r < n; r++) {
		int at = first_overlap(&sets[r], range);

		for (; at >= 0 && at < sets[r].n && sets[r].ranges[at].first < end_of(range); at++)
			found += overlap(&sets[r].ranges[at], range).count;
	}
	return found;
}

static int change_state(struct equant_units *u, struct equant_range range, struct equant_runs *from,
			struct equant_runs *to)
{
	int error = 0;

	if (range.first < 0 || range.count < 0 || range.count > u->units - range.first)
		return -EINVAL;
	if (count_in(from, u->ranks, &range) != range.count)
		return -EALREADY;
	for (int r = 0; r < u->ranks && !error; r++)
		error = equant_runs_cut(&from[r], range, &to[r]);
	count(u);
	return error;
}

int equant_units_rest(struct equant_units *u, struct equant_range range)
{
	return change_state(u, range, u->owned, u->resting);
}

int equant_units_wake(struct equant_units *u, struct equant_range range)
{
	return change_state(u, range, u->resting, u->owned);
}

int equant_units_is_active(const struct equant_units *u, long unit)
{
	return equant_runs_find(&u->owned[u->owners[unit]], unit);
}

int equant_units_rename(struct equant_units *u, long a, long b)
{
	struct equant_runs *sets = equant_units_is_active(u, a) ? u->owned : u->resting;
	int of_a = u->owners[a], of_b = u->owners[b], error;

	if (of_a == of_b)
		return 0;
	error = equant_runs_cut(&sets[of_a], (struct equant_range){ a, 1 }, &sets[of_b]);
	if (!error)
		error = equant_runs_cut(&sets[of_b], (struct equant_range){ b, 1 }, &sets[of_a]);
	u->owners[a] = of_b;
	u->owners[b] = of_a;
	return error;
}

long equant_units_active(const struct equant_units *u)
{
	long active = 0;

	for (int r = 0; r < u->ranks; r++)
		active += u->counts[r];
	return active;
}

int equant_units_resting(const struct equant_units *u)
{
	return equant_units_active(u) < u->units;
}

int equant_units_owner(const struct equant_units *u, long unit)
{
	return unit < 0 || unit >= u->units ? -EINVAL : u->owners[unit];
}
