// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A rank that shares its CPU, and wakes up when it has just had a little more than its share, is not
 * eligible (Stoica, Abdel-Wahab, Earliest Eligible Virtual Deadline First, TR-95-22, Old Dominion University,
 * 1995).  Some microseconds later it is; but the scheduler looks again at the next tick only, up to 4 ms
 * later, and all ranks wait for that.
 *
 * So each rank that shares its CPU has a thread beside it, which never has anything to do.  A rank
 * that waits wakes the threads of the others now and then.  Whenever such a thread goes back to sleep, the
 * scheduler has to choose who is next, and the rank has its CPU as soon as it is owed to it.  Nobody gets
 * more than a fair share by that.
 *
 * The thread needs the CPU at once, for a microsecond: it asks for the shortest slice there is.
 */
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "control/futex.h"
#include "control/node.h"
#include "control/nudge.h"
#include "core/sched_attr.h"

#define SLICE_NS 100000u /* the least that may be asked for; before Linux 6.12 it is ignored */

static struct equant_node_rank *own(const struct equant_node *node)
{
	return &node->memory->ranks[node->rank];
}

static void ask_for_short_slices(void)
{
	struct equant_sched_attr attr;

	if (syscall(SYS_sched_getattr, 0, &attr, sizeof(attr), 0))
		return;
	attr.runtime_ns = SLICE_NS;
	syscall(SYS_sched_setattr, 0, &attr, 0);
}

static void *listen(void *arg)
{
	struct equant_node *node = arg;
	struct equant_node_rank *rank = own(node);

	pthread_setname_np(pthread_self(), "equant nudge");
	ask_for_short_slices();
	while (!equant_word_read(&node->nudged.stop)) {
		uint32_t seen = equant_word_read(&rank->nudges);

		if (!equant_word_read(&node->nudged.stop))
			syscall(SYS_futex, &rank->nudges, FUTEX_WAIT, seen, NULL, NULL, 0);
	}
	return NULL;
}

/* Signals are the program's. */
static void start(struct equant_node *node)
{
	sigset_t all, before;

	node->nudged.tried = 1;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	node->nudged.started = !pthread_create(&node->nudged.thread, NULL, listen, node);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void equant_nudge_wanted(struct equant_node *node, int shares)
{
	uint32_t *shared = &own(node)->shares;

	if (shares && !node->nudged.tried)
		start(node);
	shares = shares && node->nudged.started;
	if (equant_word_read(shared) != (uint32_t)shares)
		__atomic_store_n(shared, (uint32_t)shares, __ATOMIC_SEQ_CST);
}

static void nudge(struct equant_node_rank *rank)
{
	equant_word_add(&rank->nudges, 1);
	syscall(SYS_futex, &rank->nudges, FUTEX_WAKE, 1, NULL, NULL, 0);
}

void equant_nudge_others(struct equant_node *node)
{
	for (int r = 0; r < node->ranks; r++)
		if (r != node->rank && equant_word_read(&node->memory->ranks[r].shares))
			nudge(&node->memory->ranks[r]);
}

void equant_nudge_end(struct equant_node *node)
{
	if (!node->nudged.started)
		return;
	__atomic_store_n(&own(node)->shares, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&node->nudged.stop, 1, __ATOMIC_SEQ_CST);
	nudge(own(node));
	pthread_join(node->nudged.thread, NULL);
	node->nudged.started = 0;
}
