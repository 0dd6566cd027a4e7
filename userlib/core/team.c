// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A rank that computes with several threads.  Each member opens a probe for itself; the
 * context's thread, which is always a member, reads them all.
 *
 * Over a section the members' run and wait times are summed.  Their ratio is the team's share:
 * that of its threads, each weighted by how long it wanted a CPU.  Times a member sleeps, because
 * it has no part in the section or waits for the others, count as neither, so the sums say
 * nothing about how long the section took: of its wall time the share is taken as run.  Then
 * speed is what the team computes while every thread that wants a CPU has one: speeds of
 * threads add up as far as they compute at once.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/message.h"
#include "core/team.h"
#include "loop/loop_internal.h"
#include "probe/probe_internal.h"

/**
 * struct equant_member - a thread that has joined
 * @number: in the team; the context's thread is 0
 * @start: its counters when it joined
 */
struct equant_member {
	struct equant_member *next;
	pid_t tid;
	int number;
	struct equant_probe *probe;
	struct equant_counters start;
};

void equant_team_init(struct equant_team *team)
{
	memset(team, 0, sizeof(*team));
	pthread_mutex_init(&team->lock, NULL);
	team->owner = gettid();
}

static void free_member(struct equant_member *m)
{
	equant_probe_close(m->probe);
	free(m);
}

void equant_team_release(struct equant_team *team)
{
	struct equant_member *m;

	while ((m = team->members)) {
		team->members = m->next;
		free_member(m);
	}
	pthread_mutex_destroy(&team->lock);
}

/* The link that leads to the thread's member, or the end of the list. */
static struct equant_member **find(struct equant_team *team, pid_t tid)
{
	struct equant_member **link = &team->members;

	while (*link && (*link)->tid != tid)
		link = &(*link)->next;
	return link;
}

static int is_taken(const struct equant_team *team, int number)
{
	const struct equant_member *m;

	for (m = team->members; m; m = m->next)
		if (m->number == number)
			return 1;
	return 0;
}

/* A member measures by the source that the context's thread has now, if it works for it. */
static int open_probe(struct equant *eq, struct equant_member *m)
{
	char why[1024] = "", name[512];
	int error = 0;

	if (strcmp(equant_probe_name(eq->probe), equant_probe_replay.name))
		snprintf(name, sizeof(name), "%s", equant_probe_name(eq->probe));
	else
		error = equant_context_probe(eq, m->number, name, sizeof(name));
	if (error)
		return error;
	m->probe = equant_probe_open(name, why, sizeof(why));
	if (m->probe) {
		equant_probe_read(m->probe, &m->start);
		return 0;
	}
	error = -errno;
	equant_message("rank %d: equant_team_join: probe %s: %s", eq->rank, name, why);
	return error;
}

static int add(struct equant *eq, pid_t tid)
{
	struct equant_member *m;
	int error;

	if (*find(&eq->team, tid)) {
		equant_message("rank %d: equant_team_join: thread %d has joined already", eq->rank,
			       (int)tid);
		return -EALREADY;
	}
	m = calloc(1, sizeof(*m));
	if (!m)
		return -ENOMEM;
	m->tid = tid;
	m->number = 1;
	while (is_taken(&eq->team, m->number))
		m->number++;
	error = open_probe(eq, m);
	if (error) {
		free(m);
		return error;
	}
	m->next = eq->team.members;
	eq->team.members = m;
	__atomic_store_n(&eq->team.used, 1, __ATOMIC_RELEASE);
	return 0;
}

int equant_team_join(struct equant *eq)
{
	pid_t tid = gettid();
	int error = 0;

	if (!eq) {
		equant_message("equant_team_join: no context");
		return -EINVAL;
	}
	if (tid == eq->team.owner)
		return 0;
	pthread_mutex_lock(&eq->team.lock);
	error = add(eq, tid);
	pthread_mutex_unlock(&eq->team.lock);
	return error;
}

static void add_since(struct equant_counters *sum, const struct equant_member *m)
{
	struct equant_counters now;

	equant_probe_read(m->probe, &now);
	sum->run_ns += equant_since(now.run_ns, m->start.run_ns);
	sum->wait_ns += equant_since(now.wait_ns, m->start.wait_ns);
}

/* What the mean of shares' lengths counts must not become less. */
static uint32_t changes_of(struct equant_probe *probe)
{
	struct equant_status status = { 0 };

	if (equant_probe_features(probe) & EQUANT_PROBE_PREDICTS)
		equant_probe_status(probe, &status);
	return status.changes;
}

int equant_team_leave(struct equant *eq)
{
	struct equant_member **link, *m;
	pid_t tid = gettid();

	if (!eq) {
		equant_message("equant_team_leave: no context");
		return -EINVAL;
	}
	if (tid == eq->team.owner)
		return 0;
	pthread_mutex_lock(&eq->team.lock);
	link = find(&eq->team, tid);
	m = *link;
	if (m) {
		*link = m->next;
		add_since(&eq->team.left, m);
		eq->team.left_changes += changes_of(m->probe);
	}
	pthread_mutex_unlock(&eq->team.lock);
	if (!m) {
		equant_message("rank %d: equant_team_leave: thread %d has not joined", eq->rank,
			       (int)tid);
		return -EINVAL;
	}
	free_member(m);
	return 0;
}

static int is_alone(const struct equant_team *team)
{
	return !__atomic_load_n(&team->used, __ATOMIC_ACQUIRE);
}

void equant_team_read(struct equant *eq, struct equant_counters *now)
{
	struct equant_team *team = &eq->team;
	const struct equant_member *m;

	equant_probe_read(eq->probe, now);
	if (is_alone(team))
		return;
	pthread_mutex_lock(&team->lock);
	now->run_ns += team->left.run_ns;
	now->wait_ns += team->left.wait_ns;
	for (m = team->members; m; m = m->next)
		add_since(now, m);
	pthread_mutex_unlock(&team->lock);
}

void equant_team_scale(const struct equant *eq, uint64_t wall_ns, uint64_t *run_ns,
		       uint64_t *wait_ns)
{
	double run = (double)*run_ns, wanted = run + (double)*wait_ns;

	if (is_alone(&eq->team) || wanted <= 0)
		return;
	*run_ns = (uint64_t)((double)wall_ns * (run / wanted));
	*wait_ns = wall_ns - *run_ns;
}

/* The other members' predictions; a thread that cannot read its own is not asked. */
static void add_status(struct equant_status *sum, struct equant_probe *probe)
{
	struct equant_status status;

	if (!(equant_probe_features(probe) & EQUANT_PROBE_PREDICTS))
		return;
	equant_probe_status(probe, &status);
	sum->share += status.share;
	sum->settled += status.settled;
	sum->changes += status.changes;
	sum->flags |= status.flags;
	if (status.quantum_ns > sum->quantum_ns)
		sum->quantum_ns = status.quantum_ns;
	if (status.t_epoch_ns > sum->t_epoch_ns)
		sum->t_epoch_ns = status.t_epoch_ns;
}

unsigned int equant_team_status(struct equant *eq, struct equant_status *status)
{
	unsigned int features;
	const struct equant_member *m;
	uint32_t left;
	int n = 1;

	equant_probe_status(eq->probe, status);
	features = equant_probe_features(eq->probe);
	if (is_alone(&eq->team))
		return features;
	pthread_mutex_lock(&eq->team.lock);
	for (m = eq->team.members; m; m = m->next, n++) {
		add_status(status, m->probe);
		features &= equant_probe_features(m->probe);
	}
	left = eq->team.left_changes;
	pthread_mutex_unlock(&eq->team.lock);
	status->share /= n;
	status->settled /= n;
	status->changes += left;
	return features;
}

int equant_team_check(struct equant *eq, char *why, size_t why_size)
{
	const struct equant_member *m;
	int lost;

	/* Who joins meanwhile looks at the name of the source. */
	pthread_mutex_lock(&eq->team.lock);
	lost = equant_probe_check(eq->probe, why, why_size);
	for (m = eq->team.members; lost && m; m = m->next)
		equant_probe_follow(m->probe, eq->probe);
	pthread_mutex_unlock(&eq->team.lock);
	return lost;
}
