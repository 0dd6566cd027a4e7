// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Waiting for a word in the memory that the ranks of a node share. */
#include <errno.h>

#include "control/await.h"
#include "control/futex.h"
#include "control/node.h"
#include "core/mpi_error.h"

#define CHECK_NS ((uint64_t)(1e9 * EQUANT_LOOK))
#define PROGRESS_NS 5000u /* between two calls of MPI, each of which takes as long as ten tests */

/* MPI goes on with what is under way: a rank that is late may wait for a message of ours. */
static int progress(struct equant_node *node)
{
	int flag;

	return equant_mpi_error(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, node->comm, &flag,
					   MPI_STATUS_IGNORE),
				"waiting for another rank");
}

void equant_signal_set(struct equant_signal *signal, uint32_t value)
{
	__atomic_store_n(&signal->word, value, __ATOMIC_SEQ_CST);
	if (equant_word_read(&signal->asleep))
		equant_futex_ring(&signal->word, &signal->rung_ns);
}

int equant_signal_await(struct equant_waiter *waiter, struct equant_signal *signal, uint32_t value,
			int is)
{
	struct equant_patience p = {
		.word = &signal->word,
		.asleep = &signal->asleep,
		.rung_ns = &signal->rung_ns,
		.woken = 1,
	};
	uint64_t waited = 0, check = CHECK_NS, next = 0;
	int error = 0;

	for (;;) {
		p.value = equant_word_read(&signal->word);
		/* A rank that has done its part may be gone by now. */
		if ((p.value == value) == is) {
			error = 0;
			break;
		}
		if (error)
			break;
		if (waited >= next) {
			error = progress(waiter->node);
			next = waited + PROGRESS_NS;
		}
		if (!error)
			waited = equant_patience_pause(waiter, &p);
		if (waited >= check) {
			error = equant_node_check(waiter->node);
			if (!error)
				error = waiter->hears(waiter, waited);
			check = waited + CHECK_NS;
		}
		if (!error && waiter->limit > 0 && 1e-9 * (double)waited > waiter->limit) {
			equant_waited_on_give_up(waiter);
			error = -ETIMEDOUT;
		}
	}
	equant_patience_end(waiter, &p);
	return error;
}
