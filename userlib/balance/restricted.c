// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Restricted work movement: the units of a loop with dependences stay in block
 * order, so a rank exchanges work with its two neighbours only.
 *
 * Algorithm 5.2 carries a surplus from left to right.  As printed its sign
 * changes twice; what it computes is the flow over each boundary,
 *
 *	flow(i, i+1) = sum over j <= i of current(j) - target(j),
 *
 * positive to the right.  Every boundary is crossed at most once and in one
 * direction, and only where it must be: no plan has fewer messages or moves
 * fewer units over any boundary.  Leaving small ones out, as algorithm 5.1 may,
 * is not offered: it would pass the error on to every rank behind.
 *
 * Each rank carries out at most two instructions, in the order of table 5.2:
 *
 *	send left, receive right, send right, receive left.
 *
 * All that move work the same way send first and receive then, at the same
 * time.  A rank that must send more than it has receives first; that costs
 * parallelism and concerns only this rank.  It can happen to ranks that both
 * send and receive: with two sends it keeps its target, which is not negative.
 *
 * Why nothing deadlocks: a transfer waits for another one only if they share a
 * rank, and that rank has one order for the two.  The transfers form a path, so
 * whatever the orders are, the waits have no cycle.  This holds when a sender
 * waits for its receiver (the thesis assumes buffers); what a rendezvous costs is
 * time: a chain then moves one transfer after the other.
 *
 * The thesis' cost, eq. 5.11, multiplies eq. 5.10 by the mean distance of two
 * ranks, (P + 1) / 3, for a network that moved one message at a time.  Here the
 * chain is known: it is played with the cost of each transfer, O(P).  On 64 ranks with
 * 100 units each, of which one slows down to half, eq. 5.11 gives 22 times eq. 5.10, the
 * chain 2.5 times with a rendezvous and 0.2 times with buffers (unrestricted, one
 * rank serves 63 others).  Where all rates change at random it is 32 times with
 * either: ranks must pass on more than they have.
 *
 * Reference: Siegell 1995, sections 5.5.2 and 5.6.1, algorithm 5.2, table 5.2.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "balance/balance_internal.h"

int equant_instruct_restricted(const long *current, const long *target, int n,
			       struct equant_instruction *out)
{
	long surplus = 0;
	int count = 0;

	if (n < 1 || !equant_counts_agree(current, target, n))
		return -EINVAL;
	for (int i = 0; i < n; i++) {
		surplus += current[i] - target[i];
		if (surplus > 0)
			out[count++] = (struct equant_instruction){ i, i + 1, surplus };
		else if (surplus < 0)
			out[count++] = (struct equant_instruction){ i + 1, i, -surplus };
	}
	return count;
}

/* ---- table 5.2 ------------------------------------------------------------ */

static bool sends(enum equant_move_kind kind)
{
	return kind == EQUANT_MOVE_SEND_LEFT || kind == EQUANT_MOVE_SEND_RIGHT;
}

static bool leftwards(enum equant_move_kind kind)
{
	return kind == EQUANT_MOVE_SEND_LEFT || kind == EQUANT_MOVE_RECEIVE_LEFT;
}

/* The enum has the order of the table. */
static int insert(struct equant_moves *list, enum equant_move_kind kind, long units)
{
	struct equant_move move = { .kind = kind, .units = units };

	if (list->count == 2)
		return -EINVAL;
	if (list->count == 1) {
		if (leftwards(list->move[0].kind) == leftwards(kind))
			return -EINVAL;
		if (list->move[0].kind > kind) {
			list->move[1] = list->move[0];
			list->move[0] = move;
			list->count = 2;
			return 0;
		}
	}
	list->move[list->count++] = move;
	return 0;
}

static int insert_pair(const struct equant_instruction *in, int n, struct equant_moves *lists)
{
	bool left = in->to < in->from;
	int error;

	if (in->from < 0 || in->from >= n || in->to < 0 || in->to >= n || in->units < 1)
		return -EINVAL;
	if (in->to != (left ? in->from - 1 : in->from + 1))
		return -EINVAL;
	error = insert(&lists[in->from], left ? EQUANT_MOVE_SEND_LEFT : EQUANT_MOVE_SEND_RIGHT,
		       in->units);
	if (error)
		return error;
	return insert(&lists[in->to], left ? EQUANT_MOVE_RECEIVE_RIGHT : EQUANT_MOVE_RECEIVE_LEFT,
		      in->units);
}

static int carry_out(long *units, const struct equant_move *move)
{
	if (!sends(move->kind))
		return __builtin_add_overflow(*units, move->units, units) ? -EINVAL : 0;
	if (move->units > *units)
		return -EINVAL;
	*units -= move->units;
	return 0;
}

static int carry_out_all(long units, const struct equant_moves *list)
{
	int error = 0;

	for (int i = 0; i < list->count && !error; i++)
		error = carry_out(&units, &list->move[i]);
	return error;
}

/* Delays the send of a rank that does not own enough; -EINVAL where that is of no help. */
static int delay(long units, struct equant_moves *list)
{
	struct equant_move first = list->move[0];

	if (units < 0)
		return -EINVAL;
	if (list->count == 2 && sends(first.kind) && first.units > units) {
		list->move[0] = list->move[1];
		list->move[1] = first;
	}
	return carry_out_all(units, list);
}

int equant_order_restricted(const struct equant_instruction *instructions, int count,
			    const long *current, int n, struct equant_moves *out)
{
	int error = 0;

	if (n < 1 || count < 0)
		return -EINVAL;
	for (int i = 0; i < n; i++)
		out[i].count = 0;
	for (int i = 0; i < count && !error; i++)
		error = insert_pair(&instructions[i], n, out);
	for (int i = 0; i < n && !error; i++)
		error = delay(current[i], &out[i]);
	return error;
}

/* ---- all ranks' lists at once ----------------------------------------------- */

struct game {
	const struct equant_moves *lists;
	struct equant_player *players;
	int n;
	enum equant_handshake handshake;
	double fixed;
	double per_unit;
};

static const struct equant_move *move_of(const struct game *game, int rank)
{
	int next = game->players[rank].next;

	return next < game->lists[rank].count ? &game->lists[rank].move[next] : NULL;
}

static int finish(struct game *game, int rank, double begin)
{
	const struct equant_move *move = move_of(game, rank);
	struct equant_player *player = &game->players[rank];

	player->free = begin + game->fixed + (double)move->units * game->per_unit;
	player->next++;
	return carry_out(&player->units, move);
}

/* Does the neighbour stand at the receive that belongs to this send? */
static bool met(const struct game *game, int neighbour, const struct equant_move *send)
{
	const struct equant_move *other = move_of(game, neighbour);

	return other && !sends(other->kind) && leftwards(other->kind) != leftwards(send->kind);
}

/* Returns 1 after a step, 0 if the rank has to wait, or -EINVAL. */
static int step_send(struct game *game, int rank, int neighbour, const struct equant_move *move)
{
	struct equant_player *player = &game->players[rank];
	double begin = player->free;
	int side = !leftwards(move->kind);
	int error;

	if (game->handshake == EQUANT_HANDSHAKE_BUFFERED) {
		player->sent[side] = move->units;
		player->begun[side] = begin;
		error = finish(game, rank, begin);
		return error ? error : 1;
	}
	if (!met(game, neighbour, move))
		return 0;
	if (move_of(game, neighbour)->units != move->units)
		return -EINVAL;
	if (game->players[neighbour].free > begin)
		begin = game->players[neighbour].free;
	error = finish(game, rank, begin);
	if (!error)
		error = finish(game, neighbour, begin);
	return error ? error : 1;
}

static int step_receive(struct game *game, int rank, int neighbour, const struct equant_move *move)
{
	struct equant_player *from = &game->players[neighbour];
	double begin = game->players[rank].free;
	int side = leftwards(move->kind);
	int error;

	/* In a rendezvous the sender makes the step for both. */
	if (!from->sent[side])
		return 0;
	if (from->sent[side] != move->units)
		return -EINVAL;
	from->sent[side] = 0;
	if (from->begun[side] > begin)
		begin = from->begun[side];
	error = finish(game, rank, begin);
	return error ? error : 1;
}

static int step(struct game *game, int rank)
{
	const struct equant_move *move = move_of(game, rank);
	int neighbour;

	if (!move)
		return 0;
	neighbour = leftwards(move->kind) ? rank - 1 : rank + 1;
	if (neighbour < 0 || neighbour >= game->n)
		return -EINVAL;
	if (sends(move->kind))
		return step_send(game, rank, neighbour, move);
	return step_receive(game, rank, neighbour, move);
}

static bool list_valid(const struct equant_moves *list)
{
	if (list->count < 0 || list->count > 2)
		return false;
	for (int i = 0; i < list->count; i++)
		if ((unsigned int)list->move[i].kind > EQUANT_MOVE_RECEIVE_LEFT ||
		    list->move[i].units < 1)
			return false;
	return list->count < 2 || leftwards(list->move[0].kind) != leftwards(list->move[1].kind);
}

/*
 * A step can free the neighbour on either side, and in a rendezvous also the
 * neighbour's neighbour: after one, two ranks back.  Ranks to the left of the
 * present one wait, always; at most 2n steps, so O(n).
 */
static int play(struct game *game)
{
	for (int i = 0; i < game->n;) {
		int moved = step(game, i);

		if (moved < 0)
			return moved;
		if (!moved)
			i++;
		else
			i = i > 2 ? i - 2 : 0;
	}
	for (int i = 0; i < game->n; i++)
		if (move_of(game, i) || game->players[i].sent[0] || game->players[i].sent[1])
			return -EDEADLK;
	return 0;
}

static double last_free(const struct game *game)
{
	double last = 0;

	for (int i = 0; i < game->n; i++)
		if (game->players[i].free > last)
			last = game->players[i].free;
	return last;
}

static int start(struct game *game, const long *units)
{
	for (int i = 0; i < game->n; i++) {
		if (!list_valid(&game->lists[i]) || units[i] < 0)
			return -EINVAL;
		game->players[i] = (struct equant_player){ .units = units[i] };
	}
	return 0;
}

int equant_play_restricted(const struct equant_moves *lists, int n, enum equant_handshake handshake,
			   double fixed, double per_unit, long *units, double *seconds)
{
	struct game game = {
		.lists = lists,
		.n = n,
		.handshake = handshake,
		.fixed = fixed,
		.per_unit = per_unit,
	};
	int error;

	if (n < 1)
		return -EINVAL;
	game.players = calloc(n, sizeof(*game.players));
	if (!game.players)
		return -ENOMEM;
	error = start(&game, units);
	if (!error)
		error = play(&game);
	for (int i = 0; i < n && !error; i++)
		units[i] = game.players[i].units;
	if (!error && seconds)
		*seconds = last_free(&game);
	free(game.players);
	return error;
}

double equant_restricted_cost_in(const struct equant_instruction *instructions, int count,
				 const long *current, int n, enum equant_handshake handshake,
				 double fixed, double per_unit,
				 const struct equant_restricted_room *room)
{
	struct game game = {
		.lists = room->lists,
		.players = room->players,
		.n = n,
		.handshake = handshake,
		.fixed = fixed,
		.per_unit = per_unit,
	};

	if (equant_order_restricted(instructions, count, current, n, room->lists) ||
	    start(&game, current) || play(&game))
		return HUGE_VAL;
	return last_free(&game);
}

double equant_move_cost_restricted(const struct equant_instruction *instructions, int count,
				   const long *current, int n, enum equant_handshake handshake,
				   double fixed, double per_unit)
{
	struct equant_restricted_room room;
	double cost = HUGE_VAL;

	if (n < 1)
		return HUGE_VAL;
	room.lists = calloc(n, sizeof(*room.lists));
	room.players = calloc(n, sizeof(*room.players));
	if (room.lists && room.players)
		cost = equant_restricted_cost_in(instructions, count, current, n, handshake, fixed,
						 per_unit, &room);
	free(room.lists);
	free(room.players);
	return cost;
}
