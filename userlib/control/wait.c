// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Waiting for other ranks.  MPI libraries poll.  Where another process wants
 * the same CPU, a rank that polls spends its time slice on it, and loses the
 * CPU just when the message comes and there is work to do.  The usual remedy is
 * two-phase waiting: poll for about as long as giving up the CPU costs, then give
 * it up (Karlin, Li, Manasse, Owicki, Empirical Studies of Competitive
 * Spinning for a Shared-Memory Multiprocessor, SOSP 1991), which never
 * costs more than twice the better of the two.
 *
 * spin	never gives up the CPU
 * yield	sched_yield() between tests
 * block	two phases: polls for as long as waking a rank has been seen to take (not at all where
 *	that has hardly ever been enough), then sleeps
 *	between tests, for an eighth of the time waited so far, so that the sleep adds
 *	little to what was waited anyway; a rank of the same node that has sent something ends
 *	the sleep; where the end of the wait surely is such an end, it lasts until then
 * auto	spins while nobody else wants the CPU, blocks else
 */
#include <errno.h>
#include <sched.h>
#include <string.h>

#include "control/futex.h"
#include "control/node.h"
#include "control/wait.h"
#include "core/clock.h"
#include "core/mpi_error.h"

#define SPIN_NS 10000u /* until it is known what waking a rank takes */
#define SPIN_MOST_NS 50000u
#define WAKE_FADE 64
#define NAP_LEAST_NS 20000u /* becomes about 75 us with the default timer slack */
#define NAP_MOST_NS 500000u
#define NAP_WOKEN_NS 2000000u /* MPI must go on with other messages in between */
#define NAP_PART 8
#define LOOK_NS 200000u /* between two looks at who wants the CPU: 1 us each */

#define BRIEF_LEAST 0.25 /* of the waits are brief where polling first is worth its time */
#define BRIEF_FADE 8

#define NUDGE_NS 50000u

/*
 * A rank that sleeps gets the CPU at once when it wakes, so that its run-queue wait
 * no longer shows a competitor: what was seen counts for a while.
 */
#define CROWDED_NS 250000000u
#define CROWDED_PART 8 /* of the time it wanted the CPU it did not have it */

void equant_waiter_init(struct equant_waiter *waiter, enum equant_wait_mode mode,
			struct equant_probe *probe, struct equant_node *node)
{
	memset(waiter, 0, sizeof(*waiter));
	waiter->mode = mode;
	waiter->node = node;
	waiter->wake_ns = SPIN_NS;
	waiter->brief = 1;
	/* Looking at a recorded trace would use it up. */
	if (probe && strcmp(equant_probe_name(probe), "replay"))
		waiter->probe = probe;
}

/* From what the thread had to wait for its CPU since the last look, sections included. */
static int has_waited(struct equant_waiter *w, uint64_t now)
{
	struct equant_counters seen;
	uint64_t run, wait;

	equant_probe_read(w->probe, &seen);
	run = equant_since(seen.run_ns, w->seen.run_ns);
	wait = equant_since(seen.wait_ns, w->seen.wait_ns);
	if (w->seen.t_ns && wait * CROWDED_PART > run + wait)
		w->crowded_until_ns = now + CROWDED_NS;
	w->seen = seen;
	return now < w->crowded_until_ns;
}

/* Where the probe cannot tell, others may be there. */
static int is_crowded(struct equant_waiter *w, uint64_t now)
{
	unsigned int features = w->probe ? equant_probe_features(w->probe) : 0;
	struct equant_status status;

	if (features & EQUANT_PROBE_PREDICTS) {
		equant_probe_status(w->probe, &status);
		if (status.runnable)
			return status.runnable > 1;
	}
	return features & EQUANT_PROBE_WAIT ? has_waited(w, now) : 1;
}

/* How long to poll before: not at all where that has hardly ever saved a sleep. */
static uint64_t spin_length(const struct equant_waiter *w, const struct equant_patience *p)
{
	return p->woken && w->brief < BRIEF_LEAST ? 0 : w->wake_ns;
}

static int gives_up(struct equant_waiter *w, struct equant_patience *p, uint64_t now)
{
	if (w->mode == EQUANT_WAIT_SPIN || now - p->start_ns < spin_length(w, p))
		return 0;
	if (w->mode != EQUANT_WAIT_AUTO || p->crowded)
		return 1;
	if (now - p->look_ns < LOOK_NS)
		return 0;
	p->look_ns = now;
	p->crowded = is_crowded(w, now);
	if (w->node)
		equant_nudge_wanted(w->node, p->crowded);
	return p->crowded;
}

/* Seldom enough to keep nobody from working: each time it has waited for twice as long. */
static void nudge(struct equant_waiter *w, struct equant_patience *p, uint64_t waited)
{
	if (!p->nudge_ns)
		p->nudge_ns = NUDGE_NS;
	if (!w->node || waited < p->nudge_ns)
		return;
	p->nudge_ns = 2 * waited;
	equant_nudge_others(w->node);
}

/*
 * Waking a rank takes longer where another process has to leave its CPU first: the
 * shorter of the times seen count, the others fade in.
 */
static void learn_wake(struct equant_waiter *w, uint64_t took)
{
	if (took > SPIN_MOST_NS)
		took = SPIN_MOST_NS;
	if (took < w->wake_ns)
		w->wake_ns = took;
	else
		w->wake_ns += (took - w->wake_ns) / WAKE_FADE;
}

static void sleep_on_word(struct equant_waiter *w, struct equant_patience *p, uint64_t ns)
{
	p->slept = equant_futex_wait(p->word, p->value, ns);
	if (p->slept)
		learn_wake(w, equant_since(equant_now_ns(),
					   __atomic_load_n(p->rung_ns, __ATOMIC_RELAXED)));
}

static uint64_t nap_length(const struct equant_patience *p, uint64_t waited)
{
	uint64_t ns = waited / NAP_PART;

	if (p->woken)
		return NAP_WOKEN_NS;
	if (ns < NAP_LEAST_NS)
		return NAP_LEAST_NS;
	return ns < NAP_MOST_NS ? ns : NAP_MOST_NS;
}

/*
 * What is waited for may happen between the last test and the announcement, when nobody
 * knew that this rank was to be woken: after it another test comes first.
 */
static void nap(struct equant_waiter *w, struct equant_patience *p, uint64_t waited)
{
	struct timespec t = { .tv_nsec = (long)nap_length(p, waited) };

	if (!p->word) {
		nanosleep(&t, NULL);
	} else if (p->announced) {
		sleep_on_word(w, p, (uint64_t)t.tv_nsec);
	} else {
		equant_word_add(p->asleep, 1);
		if (p->dozing)
			equant_word_add(p->dozing, 1);
		p->announced = 1;
		/* A test of MPI that follows is no access that the word's order holds for. */
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
	}
}

void equant_patience_listen(struct equant_waiter *waiter, struct equant_patience *p)
{
	struct equant_node_rank *rank;

	if (!waiter->node)
		return;
	rank = &waiter->node->memory->ranks[waiter->node->rank];
	p->word = &rank->bell;
	p->asleep = &rank->asleep;
	p->dozing = &waiter->node->memory->dozing;
	p->rung_ns = &rank->rung_ns;
	p->value = equant_word_read(p->word);
}

/* The wait was over when the word changed, not when this rank had its CPU again. */
static void learn_length(struct equant_waiter *w, const struct equant_patience *p)
{
	uint64_t end = p->slept ? __atomic_load_n(p->rung_ns, __ATOMIC_RELAXED) : equant_now_ns();
	int brief = equant_since(end, p->start_ns) <= w->wake_ns;

	w->brief += (brief - w->brief) / BRIEF_FADE;
}

void equant_patience_end(struct equant_waiter *waiter, struct equant_patience *p)
{
	if (p->woken && p->start_ns)
		learn_length(waiter, p);
	if (p->announced) {
		equant_word_add(p->asleep, (uint32_t)-1);
		if (p->dozing)
			equant_word_add(p->dozing, (uint32_t)-1);
	}
	p->announced = 0;
}

uint64_t equant_patience_pause(struct equant_waiter *waiter, struct equant_patience *p)
{
	uint64_t now = equant_now_ns();

	if (!p->start_ns)
		p->start_ns = now;
	equant_waited_on_look(waiter, now);
	nudge(waiter, p, now - p->start_ns);
	if (waiter->mode == EQUANT_WAIT_YIELD)
		sched_yield();
	else if (gives_up(waiter, p, now))
		nap(waiter, p, now - p->start_ns);
	return now - p->start_ns;
}

int equant_wait_requests(struct equant_waiter *waiter, MPI_Request *requests, int n,
			 MPI_Status *statuses, double timeout, uint64_t *waited_ns)
{
	struct equant_patience p = { 0 };
	uint64_t waited = 0;
	int done = 0, error;

	for (;;) {
		equant_patience_listen(waiter, &p);
		if (statuses == MPI_STATUSES_IGNORE)
			error = equant_mpi_test(n, requests, &done);
		else
			error = equant_mpi_cause(MPI_Testall(n, requests, &done, statuses), n,
						 statuses);
		if (error != MPI_SUCCESS || done || (timeout > 0 && (double)waited > timeout * 1e9))
			break;
		waited = equant_patience_pause(waiter, &p);
	}
	equant_patience_end(waiter, &p);
	if (p.start_ns)
		*waited_ns += equant_now_ns() - p.start_ns;
	if (error != MPI_SUCCESS)
		return equant_mpi_error(error, "waiting for another rank");
	return done ? 0 : -ETIMEDOUT;
}

bool equant_requests_drop(MPI_Request *requests, int n)
{
	bool some = false;

	for (int i = 0; i < n; i++) {
		if (requests[i] == MPI_REQUEST_NULL)
			continue;
		MPI_Cancel(&requests[i]);
		MPI_Request_free(&requests[i]);
		some = true;
	}
	return some;
}
