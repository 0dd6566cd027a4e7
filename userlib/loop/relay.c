// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * How reports of an asynchronously balanced loop come to rank 0, and its notices to the ranks: straight, or over
 * a tree, in which each rank hears only of those next to it.
 *
 * Rank 0 decides when it has a new report of every rank that computes, and by the same rule a rank sends
 * up what it holds of those below it.  It comes no later than the last of them would straight, but for
 * the time until the ranks between look for messages.  What cannot wait is sent at once: units that have arrived, a
 * rank that has nothing left or something again, an error.  So is everything when a rank reports
 * for the second time: somebody is late, and who that is must be seen at rank 0.
 *
 * Notices that follow each other from rank 0 to a rank do so on each link between, and none overtakes another.
 */
#include <errno.h>
#include <stdlib.h>

#include "core/message.h"
#include "loop/loop_internal.h"

int equant_relay_init(struct equant_relay *relay, const struct equant_loop *loop)
{
	int error = loop->eq->options.control == EQUANT_CONTROL_TREE ?
			    equant_tree_branch(&relay->branch, loop->rank, loop->ranks) :
			    equant_star_branch(&relay->branch, loop->rank, loop->ranks);
	size_t below = (size_t)relay->branch.size;

	if (error)
		return error;
	relay->computes = calloc(below, sizeof(*relay->computes));
	relay->fresh = calloc(below, sizeof(*relay->fresh));
	/* A report of its own while one of each is held, and the one with which it closes the loop. */
	if (!relay->computes || !relay->fresh || equant_relay_reserve(relay, (int)below + 2))
		return -ENOMEM;
	return 0;
}

void equant_relay_release(struct equant_relay *relay)
{
	free(relay->branch.children);
	free(relay->held);
	free(relay->computes);
	free(relay->fresh);
}

void equant_relay_renew(struct equant_relay *relay)
{
	for (int i = 0; i < relay->branch.size; i++)
		relay->computes[i] = true;
}

int equant_relay_reserve(struct equant_relay *relay, int n)
{
	struct equant_report_up *grown;

	if (relay->n + n <= relay->room)
		return 0;
	grown = realloc(relay->held, (size_t)(relay->n + n) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	relay->held = grown;
	relay->room = relay->n + n;
	return 0;
}

/* ---- up ------------------------------------------------------------------------- */

static void take(struct equant_relay *relay, int i, const struct equant_report_up *report)
{
	bool computes = report->state == EQUANT_ASYNC_COMPUTING;

	relay->due |= relay->fresh[i] || !computes || !relay->computes[i] || report->taken ||
		      (report->sample.flags & EQUANT_SAMPLE_ERROR);
	relay->computes[i] = computes;
	relay->fresh[i] = true;
}

static bool is_complete(const struct equant_relay *relay)
{
	for (int i = 0; i < relay->branch.size; i++)
		if (relay->computes[i] && !relay->fresh[i])
			return false;
	return true;
}

int equant_relay_take(struct equant_loop *loop, int n)
{
	struct equant_relay *relay = &loop->pass->async->relay;

	for (; n; n--, relay->n++) {
		const struct equant_report_up *report = &relay->held[relay->n];
		int64_t below = report->rank - loop->rank;

		if (below < 0 || below >= relay->branch.size) {
			equant_message(
				"loop %s, rank %d: a report of rank %lld came, which is not below it",
				loop->name, loop->rank, (long long)report->rank);
			return -EBADMSG;
		}
		take(relay, (int)below, report);
	}
	relay->due |= is_complete(relay);
	return 0;
}

static int send_up(struct equant_loop *loop)
{
	struct equant_relay *relay = &loop->pass->async->relay;

	if (relay->branch.parent >= 0)
		return equant_outbox_send(&loop->pass->async->outbox, relay->branch.parent,
					  EQUANT_TAG_UP, relay->held,
					  (size_t)relay->n * sizeof(*relay->held));
	for (int i = 0; i < relay->n; i++)
		equant_master_hear(loop, &relay->held[i]);
	return 0;
}

int equant_relay_up(struct equant_loop *loop)
{
	struct equant_relay *relay = &loop->pass->async->relay;
	int error;

	/* Rank 0 has nobody to wait for: it hears at once. */
	if (!relay->n || (!relay->due && relay->branch.parent >= 0))
		return 0;
	error = send_up(loop);
	if (error)
		return error;
	relay->n = 0;
	relay->due = false;
	for (int i = 0; i < relay->branch.size; i++)
		relay->fresh[i] = false;
	return 0;
}

/* ---- down ----------------------------------------------------------------------- */

/* The child below which a rank is, or which it is. */
static int towards(const struct equant_branch *branch, int rank)
{
	int i = branch->nr_children - 1;

	while (i > 0 && branch->children[i] > rank)
		i--;
	return branch->children[i];
}

int equant_relay_down(struct equant_loop *loop, const struct equant_notice *notice, size_t size)
{
	const struct equant_branch *branch = &loop->pass->async->relay.branch;
	struct equant_outbox *outbox = &loop->pass->async->outbox;

	if (notice->to < 0)
		return equant_outbox_send_each(outbox, branch->children, branch->nr_children,
					       EQUANT_TAG_NOTICE, notice, size);
	if (notice->to == loop->rank)
		return 0;
	return equant_outbox_send(outbox, towards(branch, notice->to), EQUANT_TAG_NOTICE, notice,
				  size);
}
