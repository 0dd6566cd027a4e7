// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Messages that nobody waits for: copied, sent, and forgotten when they have arrived. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "control/outbox.h"
#include "control/send.h"
#include "core/mpi_error.h"

void equant_outbox_init(struct equant_outbox *box, struct equant_waiter *waiter, MPI_Comm comm)
{
	memset(box, 0, sizeof(*box));
	box->waiter = waiter;
	box->comm = comm;
}

static int make_room(struct equant_outbox *box, int more)
{
	int room = box->n + more > 8 ? 2 * (box->n + more) : 8;
	MPI_Request *requests;
	char **messages;

	if (box->n + more <= box->room)
		return 0;
	messages = realloc(box->messages, (size_t)room * sizeof(*messages));
	if (!messages)
		return -ENOMEM;
	box->messages = messages;
	requests = realloc(box->requests, (size_t)room * sizeof(*requests));
	if (!requests)
		return -ENOMEM;
	box->requests = requests;
	box->room = room;
	return 0;
}

/* @n copies, behind those under way. */
static int copy(struct equant_outbox *box, int n, const void *message, size_t size)
{
	int i;

	if (size > INT_MAX)
		return -EOVERFLOW;
	if (make_room(box, n))
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		box->messages[box->n + i] = malloc(size);
		if (!box->messages[box->n + i])
			break;
		memcpy(box->messages[box->n + i], message, size);
	}
	if (i == n)
		return 0;
	while (i--)
		free(box->messages[box->n + i]);
	return -ENOMEM;
}

/* The next copy; of one that MPI has refused nothing is left. */
static int post(struct equant_outbox *box, int to, int tag, size_t size)
{
	int error =
		equant_mpi_error(equant_send(box->waiter, box->messages[box->n], (int)size,
					     MPI_BYTE, to, tag, box->comm, &box->requests[box->n]),
				 "sending a notice");

	if (error)
		box->requests[box->n] = MPI_REQUEST_NULL;
	box->n++;
	box->sent++;
	return error;
}

int equant_outbox_send(struct equant_outbox *box, int to, int tag, const void *message, size_t size)
{
	return equant_outbox_send_each(box, &to, 1, tag, message, size);
}

int equant_outbox_send_each(struct equant_outbox *box, const int *to, int n, int tag,
			    const void *message, size_t size)
{
	int error = copy(box, n, message, size), posted;

	if (error)
		return error;
	while (n--) {
		posted = post(box, to[n], tag, size);
		error = error ? error : posted;
	}
	return error;
}

int equant_outbox_progress(struct equant_outbox *box)
{
	int i, done, error, kept = 0, failed = 0;

	for (i = 0; i < box->n; i++) {
		error = MPI_Test(&box->requests[i], &done, MPI_STATUS_IGNORE);
		if (error != MPI_SUCCESS)
			failed = equant_mpi_error(error, "sending a notice");
		if (error != MPI_SUCCESS || done) {
			free(box->messages[i]);
			continue;
		}
		box->messages[kept] = box->messages[i];
		box->requests[kept++] = box->requests[i];
	}
	box->n = kept;
	return failed;
}

void equant_outbox_release(struct equant_outbox *box, double timeout)
{
	uint64_t waited = 0;
	int i;

	if (box->n && equant_wait_requests(box->waiter, box->requests, box->n, MPI_STATUSES_IGNORE,
					   timeout, &waited)) {
		/* MPI may still read from them: what is given up is not freed. */
		for (i = 0; i < box->n; i++)
			if (equant_requests_drop(&box->requests[i], 1))
				box->messages[i] = NULL;
	}
	for (i = 0; i < box->n; i++)
		free(box->messages[i]);
	free(box->messages);
	free(box->requests);
	box->messages = NULL;
	box->requests = NULL;
	box->n = box->room = 0;
}
