// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Moving units: the instructions of a phase become transfers, and those become messages (post.c).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/message.h"
#include "core/mpi_error.h"
#include "loop/move.h"
#include "loop/tags.h"

#define LOOK 0.1 /* seconds of waiting between two looks at whether a rank has given up */
#define SEND_PATIENCE 0.1 /* seconds: long messages need the sender's help */

void equant_mover_init(struct equant_mover *m, struct equant_waiter *waiter, MPI_Comm comm,
		       int rank, int checked, const struct equant_slices *slices)
{
	memset(m, 0, sizeof(*m));
	m->waiter = waiter;
	m->comm = comm;
	m->rank = rank;
	m->checked = checked;
	m->slices = slices;
	m->patience = SEND_PATIENCE;
}

static void forget_transfers(struct equant_mover *m)
{
	int i;

	for (i = 0; i < m->nr_transfers; i++) {
		equant_runs_release(&m->transfers[i].units);
		free(m->transfers[i].data);
	}
	m->nr_transfers = 0;
}

/*
 * A peer that is gone may never complete its part, or be late: let go of it.  MPI may still read or write
 * headers and packed data: what is given up is not freed.
 */
static void abandon(struct equant_mover *m)
{
	int i;

	for (i = 0; i < m->nr_requests; i++) {
		if (m->requests[i] == MPI_REQUEST_NULL)
			continue;
		MPI_Cancel(&m->requests[i]);
		MPI_Request_free(&m->requests[i]);
		m->transfers = NULL;
		m->nr_transfers = m->room = 0;
	}
	m->nr_requests = 0;
}

/* A wait has lasted for LOOK seconds more: has another rank given up in the middle of a move? */
static int go_on_waiting(struct equant_mover *m, uint64_t since_ns)
{
	MPI_Status status;
	int there, error;

	error = equant_mpi_error(MPI_Iprobe(MPI_ANY_SOURCE, EQUANT_TAG_ABORT, m->comm, &there,
					    &status),
				 "looking for failed ranks");
	if (!error && there) {
		equant_message("rank %d: rank %d has failed while work was moving", m->rank,
			       status.MPI_SOURCE);
		return -ECANCELED;
	}
	if (error || m->timeout <= 0 || 1e-9 * (double)(m->waited_ns - since_ns) <= m->timeout)
		return error;
	equant_waited_on_give_up(m->waiter);
	return -ETIMEDOUT;
}

static void say_missing(const struct equant_waited_on *on, double seconds)
{
	const struct equant_mover *m = on->of;

	equant_message("rank %d: rank %d has not come to move work within %g s", m->rank,
		       equant_first_missing(m->requests, m->peers, m->nr_requests), seconds);
}

int equant_mover_complete(struct equant_mover *m)
{
	struct equant_waited_on on = { .say = say_missing, .of = m };
	uint64_t since_ns = m->waited_ns;
	int error, gone = 0;

	equant_waited_on_begin(m->waiter, &on);
	do {
		error = equant_wait_requests(m->waiter, m->requests, m->nr_requests,
					     MPI_STATUSES_IGNORE, LOOK, &m->waited_ns);
		if (error == -ETIMEDOUT)
			gone = go_on_waiting(m, since_ns);
	} while (error == -ETIMEDOUT && !gone);
	equant_waited_on_end(m->waiter);
	if (error)
		abandon(m);
	m->nr_requests = 0;
	if (!error)
		equant_slices_settle(m->slices);
	return gone ? gone : error;
}

int equant_mover_progress(struct equant_mover *m, double patience)
{
	int error;

	if (!m->nr_requests)
		return 0;
	error = equant_wait_requests(m->waiter, m->requests, m->nr_requests, MPI_STATUSES_IGNORE,
				     patience, &m->waited_ns);
	if (error == -ETIMEDOUT)
		return 0;
	if (error)
		abandon(m);
	m->nr_requests = 0;
	if (!error)
		equant_slices_settle(m->slices);
	return error;
}

void equant_mover_give_up(struct equant_mover *m, double patience)
{
	if (!equant_mover_progress(m, patience))
		abandon(m);
}

int equant_mover_release(struct equant_mover *m)
{
	int error = equant_mover_complete(m);

	equant_mover_forget(m);
	return error;
}

void equant_mover_forget(struct equant_mover *m)
{
	forget_transfers(m);
	free(m->transfers);
	free(m->requests);
	free(m->peers);
	m->transfers = NULL;
	m->requests = NULL;
	m->peers = NULL;
	m->room = m->requests_room = m->nr_requests = 0;
}

size_t equant_mover_bytes(const struct equant_mover *m, const struct equant_transfer *t)
{
	size_t bytes = t->header.data_bytes;
	int i;

	for (i = 0; i < m->slices->nr_arrays; i++)
		bytes += (size_t)t->units.total * m->slices->arrays[i].slice;
	return bytes;
}

static int start_send(struct equant_mover *m, struct equant_transfer *t)
{
	size_t bytes = 0;
	int error;

	error = equant_slices_pack(m->slices, &t->units, &t->data, &bytes);
	if (error)
		return error;
	t->header.data_bytes = bytes;
	if (m->checked)
		t->header.checksum = equant_slices_checksum(m->slices, &t->units);
	error = equant_post(m, t, &t->header, sizeof(t->header));
	if (!error)
		error = equant_post_arrays(m, t);
	if (!error)
		error = equant_post(m, t, t->data, bytes);
	if (!error)
		error = equant_slices_leave(m->slices, &t->units);
	m->sent += t->units.total;
	m->bytes_sent += equant_mover_bytes(m, t);
	return error;
}

static int start_receive(struct equant_mover *m, struct equant_transfer *t)
{
	int error = equant_slices_arrive(m->slices, &t->units);

	if (!error)
		error = equant_post(m, t, &t->header, sizeof(t->header));
	m->received += t->units.total;
	return error ? error : equant_post_arrays(m, t);
}

static int check_header(const struct equant_mover *m, const struct equant_transfer *t,
			const struct equant_header *expected)
{
	const struct equant_header *got = &t->header;

	if (got->phase == expected->phase && got->units == expected->units &&
	    got->unit_hash == expected->unit_hash && (!got->data_bytes || m->slices->nr_data))
		return 0;
	equant_message(
		"rank %d: expected %llu units in phase %llu from rank %d, got %llu in phase %llu",
		m->rank, (unsigned long long)expected->units, (unsigned long long)expected->phase,
		t->peer, (unsigned long long)got->units, (unsigned long long)got->phase);
	return -EBADMSG;
}

/* The arrays are here, or will be when the requests are complete; fetch the rest. */
static int fetch(struct equant_mover *m, struct equant_transfer *t,
		 const struct equant_header *expected)
{
	int error = m->nr_requests ? equant_mover_complete(m) : 0;

	if (!error)
		error = check_header(m, t, expected);
	if (error || !t->header.data_bytes)
		return error;
	t->data = malloc(t->header.data_bytes);
	if (!t->data)
		return -ENOMEM;
	error = equant_post(m, t, t->data, t->header.data_bytes);
	return error ? error : equant_mover_complete(m);
}

static int unpack(struct equant_mover *m, struct equant_transfer *t)
{
	int error = 0;

	if (m->slices->nr_data)
		error = equant_slices_unpack(m->slices, &t->units, t->data, t->header.data_bytes);
	if (error) {
		equant_message("rank %d: unpacking %ld units from rank %d: %s", m->rank,
			       t->units.total, t->peer, strerror(-error));
		return error;
	}
	if (m->checked && equant_slices_checksum(m->slices, &t->units) != t->header.checksum) {
		equant_message("rank %d: checksum of %ld units from rank %d is wrong", m->rank,
			       t->units.total, t->peer);
		return -EBADMSG;
	}
	return 0;
}

static struct equant_transfer *new_transfer(struct equant_mover *m)
{
	struct equant_transfer *t;

	if (m->nr_transfers == m->room)
		return NULL; /* cannot happen: room for every instruction */
	t = &m->transfers[m->nr_transfers++];
	memset(t, 0, sizeof(*t));
	return t;
}

static int make_room(struct equant_mover *m, int count)
{
	struct equant_transfer *grown;

	if (m->room >= count)
		return 0;
	grown = realloc(m->transfers, (size_t)count * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	m->transfers = grown;
	m->room = count;
	return 0;
}

/* Completes what has been received so far in this run, for this rank's sends or its caller. */
static int take_in(struct equant_mover *m, const struct equant_header *expected, int *failed)
{
	int i, error = 0;

	for (i = 0; i < m->nr_transfers && !error; i++) {
		struct equant_transfer *t = &m->transfers[i];

		if (!t->incoming || t->taken)
			continue;
		t->taken = 1;
		error = fetch(m, t, &expected[i]);
		/* The senders of the others cannot know that one failed, and wait. */
		if (!error && !*failed)
			*failed = unpack(m, t);
	}
	return error;
}

/* In loops that keep their order units may pass through a rank on their way to another one. */
static int passes_through(const struct equant_mover *m, const struct equant_runs *units)
{
	int i, r;

	for (i = 0; i < m->nr_transfers; i++)
		for (r = 0; r < units->n && m->transfers[i].incoming && !m->transfers[i].taken; r++)
			if (equant_runs_meet(&m->transfers[i].units, &units->ranges[r]))
				return 1;
	return 0;
}

static int start(struct equant_mover *m, struct equant_units *units,
		 const struct equant_instruction *move, const struct equant_runs *named,
		 struct equant_header *expected, uint64_t phase, int *failed)
{
	struct equant_runs moved = { 0 };
	struct equant_transfer *t;
	int error = named ? equant_units_give(units, move, named, &moved) :
			    equant_units_move(units, move, &moved);

	if (!error && move->from == m->rank && passes_through(m, &moved))
		error = take_in(m, expected, failed);
	if (error || (move->from != m->rank && move->to != m->rank)) {
		equant_runs_release(&moved);
		return error;
	}
	t = new_transfer(m);
	if (!t) {
		equant_runs_release(&moved);
		return -EPROTO;
	}
	t->units = moved;
	t->incoming = move->to == m->rank;
	t->peer = t->incoming ? move->from : move->to;
	t->header = (struct equant_header){ .phase = phase,
					    .units = (uint64_t)moved.total,
					    .unit_hash = equant_runs_hash(&moved) };
	expected[m->nr_transfers - 1] = t->header;
	m->moves++;
	return t->incoming ? start_receive(m, t) : start_send(m, t);
}

/* An instruction has its turn when its sender owns enough: the same order on every rank. */
static int start_all(struct equant_mover *m, struct equant_units *units,
		     const struct equant_instruction *instructions, int count,
		     const struct equant_runs *named, struct equant_header *expected, char *begun,
		     uint64_t phase, int *failed)
{
	int left = count, before, i, error;

	do {
		before = left;
		for (i = 0; i < count; i++) {
			const struct equant_instruction *move = &instructions[i];

			if (begun[i] || (move->from >= 0 && move->from < units->ranks &&
					 units->counts[move->from] < move->units))
				continue;
			error = start(m, units, move, named ? &named[i] : NULL, expected, phase,
				      failed);
			if (error)
				return error;
			begun[i] = 1;
			left--;
		}
	} while (left && left < before);
	if (!left)
		return 0;
	for (i = 0; begun[i];)
		i++;
	equant_message("rank %d: phase %llu: %ld units from rank %d, which has %ld", m->rank,
		       (unsigned long long)phase, instructions[i].units, instructions[i].from,
		       units->counts[instructions[i].from]);
	return -EPROTO;
}

static int run(struct equant_mover *m, struct equant_units *units,
	       const struct equant_instruction *instructions, int count,
	       const struct equant_runs *named, uint64_t phase, int *failed)
{
	struct equant_header *expected;
	char *begun;
	int error;

	error = equant_mover_complete(m);
	forget_transfers(m);
	if (error)
		return error;
	expected = calloc((size_t)count + 1, sizeof(*expected));
	begun = calloc((size_t)count + 1, 1);
	error = !expected || !begun || make_room(m, count) ? -ENOMEM : 0;
	if (!error)
		error = start_all(m, units, instructions, count, named, expected, begun, phase,
				  failed);
	/* Sends may go on while this rank computes: nobody writes slices that are not its own. */
	if (!error)
		error = take_in(m, expected, failed);
	free(begun);
	free(expected);
	return error ? error : equant_mover_progress(m, m->patience);
}

/* Who hears that another rank has given up need not tell the others, who hear it too. */
int equant_mover_run(struct equant_mover *m, struct equant_units *units,
		     const struct equant_instruction *instructions, int count,
		     const struct equant_runs *named, uint64_t phase)
{
	int failed = 0, error = run(m, units, instructions, count, named, phase, &failed);

	m->broken |= error && error != -ECANCELED && error != -ETIMEDOUT;
	return error ? error : failed;
}
