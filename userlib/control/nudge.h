/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_CONTROL_NUDGE_H
#define EQUANT_CONTROL_NUDGE_H

#include <pthread.h>
#include <stdint.h>

struct equant_node;

/**
 * struct equant_nudged - a thread beside this rank that others may wake; see nudge.c
 * @tried: it has been started, or cannot be
 * @started: it runs
 * @stop: it is to end
 */
struct equant_nudged {
	int tried;
	int started;
	uint32_t stop;
	pthread_t thread;
};

/** equant_nudge_wanted() - does this rank share its CPU?  Then others may nudge it from now on. */
void equant_nudge_wanted(struct equant_node *node, int shares);

/** equant_nudge_others() - have the scheduler look again at the CPUs of the node's ranks that share them */
void equant_nudge_others(struct equant_node *node);

/** equant_nudge_end() - nobody nudges this rank any more */
void equant_nudge_end(struct equant_node *node);

#endif /* EQUANT_CONTROL_NUDGE_H */
