/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_CORE_TEAM_H
#define EQUANT_CORE_TEAM_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <equant/probe.h>

struct equant;
struct equant_member;

/**
 * struct equant_team - the threads whose CPU time is the rank's
 * @lock: for all but @owner; @used may be read without
 * @owner: the context's thread
 * @used: another thread has joined at some time
 * @members: the others that are there now
 * @left: what threads counted that have left again
 * @left_changes: ... of their shares
 */
struct equant_team {
	pthread_mutex_t lock;
	pid_t owner;
	int used;
	struct equant_member *members;
	struct equant_counters left;
	uint32_t left_changes;
};

/** equant_team_init() - of the calling thread alone */
void equant_team_init(struct equant_team *team);

/** equant_team_release() - forget the members that are still there */
void equant_team_release(struct equant_team *team);

/*
 * For the context's thread; each stands for the equant_probe_ function where there is no
 * other member.
 */

/** equant_team_read() - run and wait time of all members; never goes back */
void equant_team_read(struct equant *eq, struct equant_counters *now);

/** equant_team_scale() - a section's sums become parts of its wall time, see team.c */
void equant_team_scale(const struct equant *eq, uint64_t wall_ns, uint64_t *run_ns,
		       uint64_t *wait_ns);

/**
 * equant_team_status() - the full reading
 * @eq: the context
 * @status: the counters of the calling thread, and what is predicted for the team: the mean share
 *
 * Return: EQUANT_PROBE_* that all members' probes have.
 */
unsigned int equant_team_status(struct equant *eq, struct equant_status *status);

/** equant_team_check() - of the calling thread's source; the members' follow it */
int equant_team_check(struct equant *eq, char *why, size_t why_size);

#endif /* EQUANT_CORE_TEAM_H */
