// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Tree scheduling without a master and without common memory.  Each rank has its part of the loop; one
 * that has nothing left asks its neighbour on the left, and gets the half of what that one has not begun.
 * Who has nothing itself keeps the request until it has been given some.  The neighbours form
 * the ring of selfsched/trees.c.
 *
 * The end: a token goes round to the right, past each rank when that has nothing.  Work goes to the
 * right, too, and messages of a pair keep their order.  So if rank 0 was given nothing while
 * the token was away, nobody behind the token was either, and nothing is left anywhere.  Ranks
 * that free the loop before its end let the token pass, and give all they have to who asks.
 *
 * As everywhere, only the context's thread sends and receives, and it does not answer while it computes.
 *
 * Reference: Chronopoulos, Ni, Penmatsa, section IV.A; the token after E. W. Dijkstra,
 * W. H. J. Feijen, A. J. M. van Gasteren, Derivation of a Termination Detection Algorithm for
 * Distributed Computations, 1983.
 */
#include <errno.h>
#include <stdlib.h>

#include "core/message.h"
#include "core/mpi_error.h"
#include "engine/self_messages.h"
#include "loop/loop_internal.h"

enum kind {
	ASK, /* to the left: for work */
	WORK, /* to the right: @part */
	TOKEN, /* to the right, @wanted: somebody would take work; @kept: somebody would give some */
	OVER, /* to the right: nothing is left */
	STOP, /* to the right: the loop has ended early, @state */
	GONE, /* to both: the last message */
};

struct message {
	int32_t kind;
	int32_t state;
	int32_t wanted;
	int32_t kept;
	struct equant_chunk part;
};

/**
 * struct equant_self_tree - a rank's place in the ring
 * @left: rank that gives
 * @right: rank that takes
 * @asked: the left one has not answered yet
 * @owes: the right one waits for an answer
 * @token: the one that is here, if @has_token
 * @given: rank 0: work has come since it sent the token
 * @over: nothing is left anywhere
 * @leaves: this rank computes no more
 * @told: the right one knows that the loop has ended early, or nothing is said to it after GONE
 * @gone: last messages received
 * @left_gone: the left one's is among them
 */
struct equant_self_tree {
	int left;
	int right;
	int asked;
	int owes;
	struct message token;
	int has_token;
	int given;
	int over;
	int leaves;
	int told;
	int gone;
	int left_gone;
};

/* Collective, on all ranks. */
int equant_self_tree_open(struct equant_self *self)
{
	struct equant_self_tree *tree = calloc(1, sizeof(*tree));
	int error = equant_mpi_agree(self->comm, tree ? 0 : -ENOMEM);

	self->tree = tree;
	if (error)
		return error;
	tree->left = equant_trees_left(self->chunks->trees, self->eq->rank);
	tree->right = equant_trees_right(self->chunks->trees, self->eq->rank);
	/* As if it had been round once. */
	tree->has_token = tree->given = !self->eq->rank;
	return 0;
}

void equant_self_tree_free(struct equant_self *self)
{
	free(self->tree);
}

/* Small enough to be sent at once, whatever the receiver does. */
static int say(struct equant_self *self, int to, const struct message *message)
{
	return equant_mpi_error(MPI_Send(message, sizeof(*message), MPI_BYTE, to,
					 EQUANT_SELF_TAG_TREE, self->comm),
				"telling a neighbour");
}

static int say_kind(struct equant_self *self, int to, enum kind kind)
{
	return say(self, to, &(struct message){ .kind = (int32_t)kind });
}

/* ---- the own part, which threads of the rank share --------------------------------- */

static int take_own(struct equant_self *self, struct equant_self_chunk *chunk)
{
	struct equant_chunk next;
	int error = equant_self_lock(self), got;

	if (error)
		return error;
	got = equant_trees_take(self->chunks->trees, self->eq->rank, &next);
	equant_self_unlock(self);
	if (got)
		*chunk = (struct equant_self_chunk){ .first = next.first, .count = next.count };
	return got;
}

static int has_part(const struct equant_self *self)
{
	return !equant_trees_hops(self->chunks->trees, self->eq->rank);
}

static int join(struct equant_self *self, const struct equant_chunk *part)
{
	int error = equant_self_lock(self);

	if (error)
		return error;
	equant_trees_join(self->chunks->trees, self->eq->rank, part);
	equant_self_unlock(self);
	return 0;
}

/* Pays what is owed: half of what is left, or all that a rank has which leaves. */
int equant_self_tree_give(struct equant_self *self)
{
	struct equant_self_tree *tree = self->tree;
	struct message work = { .kind = WORK };
	int error, got;

	if (!tree->owes || tree->over)
		return 0;
	error = equant_self_lock(self);
	if (error)
		return error;
	got = equant_trees_split(self->chunks->trees, self->eq->rank, tree->leaves, &work.part);
	equant_self_unlock(self);
	if (!got)
		return 0;
	tree->owes = 0;
	return say(self, tree->right, &work);
}

/* ---- messages ------------------------------------------------------------------------ */

static int get_over(struct equant_self *self)
{
	struct equant_self_tree *tree = self->tree;

	__atomic_store_n(&tree->over, 1, __ATOMIC_RELEASE);
	return tree->right && !tree->told ? say_kind(self, tree->right, OVER) : 0;
}

static int get(struct equant_self *self, const struct message *message, int source)
{
	struct equant_self_tree *tree = self->tree;

	switch (message->kind) {
	case ASK:
		tree->owes = 1;
		return 0;
	case WORK:
		tree->asked = 0;
		tree->given = 1;
		return join(self, &message->part);
	case TOKEN:
		tree->token = *message;
		tree->has_token = 1;
		return 0;
	case OVER:
		return get_over(self);
	case STOP:
		equant_self_stop(self, message->state);
		return 0;
	default:
		tree->gone++;
		tree->left_gone |= source == tree->left;
		return 0;
	}
}

/* The first one counts where it is known; it is passed on until it meets another, or itself. */
static int pass_on(struct equant_self *self)
{
	struct message stop = { .kind = STOP, .state = equant_self_state(self) };

	if (!stop.state || self->tree->told)
		return 0;
	self->tree->told = 1;
	return say(self, self->tree->right, &stop);
}

static int listen(struct equant_self *self)
{
	struct message message;
	MPI_Status status;
	int there = 1, error = 0;

	while (!error && there) {
		error = equant_mpi_error(MPI_Iprobe(MPI_ANY_SOURCE, EQUANT_SELF_TAG_TREE,
						    self->comm, &there, &status),
					 "looking for messages");
		if (error || !there)
			break;
		error = equant_mpi_error(MPI_Recv(&message, sizeof(message), MPI_BYTE,
						  status.MPI_SOURCE, EQUANT_SELF_TAG_TREE,
						  self->comm, MPI_STATUS_IGNORE),
					 "a neighbour's message");
		if (!error)
			error = get(self, &message, status.MPI_SOURCE);
	}
	return error;
}

int equant_self_tree_talk(struct equant_self *self)
{
	int error = listen(self);

	return error ? error : pass_on(self);
}

/* ---- a rank that has nothing ------------------------------------------------------------ */

/* Was the token everywhere while there was nothing, or nobody who wanted it? */
static int is_over(const struct equant_self_tree *tree)
{
	return !tree->given && !(tree->token.wanted && tree->token.kept);
}

static int pass_token(struct equant_self *self)
{
	struct equant_self_tree *tree = self->tree;

	if (!tree->has_token || tree->over)
		return 0;
	if (!self->eq->rank && is_over(tree)) {
		__atomic_store_n(&tree->over, 1, __ATOMIC_RELEASE);
		return say_kind(self, tree->right, OVER);
	}
	if (!self->eq->rank)
		tree->token = (struct message){ .kind = TOKEN };
	tree->token.wanted |= !tree->leaves;
	tree->token.kept |= tree->leaves && has_part(self);
	tree->has_token = tree->given = 0;
	return say(self, tree->right, &tree->token);
}

static int ask(struct equant_self *self)
{
	struct equant_self_tree *tree = self->tree;

	if (tree->asked || tree->over)
		return 0;
	tree->asked = 1;
	return say_kind(self, tree->left, ASK);
}

/* 1 = a chunk, the end or an error, in @got. */
static int try_own(struct equant_self *self, struct equant_self_chunk *chunk, int *got)
{
	int over = __atomic_load_n(&self->tree->over, __ATOMIC_ACQUIRE);
	int32_t state = equant_self_state(self);

	*got = state ? (state < 0 ? state : 0) : take_own(self, chunk);
	return *got || state || over;
}

static int look_for_part(struct equant_self *self, struct equant_self_chunk *chunk, int *got)
{
	int error = 0;

	if (equant_self_is_owner(self)) {
		error = ask(self);
		if (!error)
			error = pass_token(self);
		if (!error)
			error = equant_self_tree_talk(self);
	}
	*got = error;
	return error || try_own(self, chunk, got);
}

/* What has come is begun before any of it is given away, or it might go round for ever. */
int equant_self_tree_next(struct equant_self *self, struct equant_self_chunk *chunk)
{
	struct equant_waited_on on = { .say = equant_self_say_rank,
				       .what = "equant_self_next()",
				       .rank = self->tree->left };
	int error = 0, got;

	if (!try_own(self, chunk, &got))
		got = equant_self_await(self, &on, look_for_part, chunk);
	if (got == 1 && equant_self_is_owner(self))
		error = equant_self_tree_give(self);
	return error ? error : got;
}

/* ---- the end ---------------------------------------------------------------------------- */

static int look_for_end(struct equant_self *self, struct equant_self_chunk *chunk, int *got)
{
	struct equant_self_tree *tree = self->tree;
	int error;

	(void)chunk;
	*got = 0;
	if (self->replays || tree->over || equant_self_state(self))
		return 1;
	error = equant_self_tree_give(self);
	if (!error && tree->owes)
		error = ask(self);
	if (!error)
		error = pass_token(self);
	if (!error)
		error = equant_self_tree_talk(self);
	*got = error;
	return error != 0;
}

/* Takes part until nothing is left. */
static int await_end(struct equant_self *self)
{
	struct equant_waited_on on = { .say = equant_self_say_rank,
				       .what = "equant_self_free()",
				       .rank = self->tree->left };

	return equant_self_await(self, &on, look_for_end, NULL);
}

static void say_missing(const struct equant_waited_on *on, double seconds)
{
	const struct equant_self_tree *tree = on->of;

	equant_message("%s: rank %d has not come within %g s", on->what,
		       tree->left_gone ? tree->right : tree->left, seconds);
}

static int look_for_last(struct equant_self *self, struct equant_self_chunk *chunk, int *got)
{
	(void)chunk;
	*got = listen(self);
	return *got || self->tree->gone == 2;
}

/* Until nothing is under way to this rank. */
static int await_neighbours(struct equant_self *self)
{
	struct equant_waited_on on = { .say = say_missing,
				       .of = self->tree,
				       .what = "equant_self_free()" };

	return equant_self_await(self, &on, look_for_last, NULL);
}

int equant_self_tree_close(struct equant_self *self)
{
	struct equant_self_tree *tree = self->tree;
	int error = equant_self_tree_talk(self);

	tree->leaves = 1;
	if (!error)
		error = await_end(self);
	if (!error)
		error = pass_on(self);
	tree->told = 1;
	if (!error)
		error = say_kind(self, tree->left, GONE);
	if (!error)
		error = say_kind(self, tree->right, GONE);
	return error ? error : await_neighbours(self);
}
