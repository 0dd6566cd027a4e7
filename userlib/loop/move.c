// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Moving units: the instructions of a phase become transfers, and those become messages (post.c).
 *
 * Where ranks do not meet a receiver looks when it likes, and whoever gives to it and then to another one must not
 * wait for it.  What a run has sent is then put aside until it has been taken, as a parcel.  There are
 * only so many; for one more the oldest is waited for.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/message.h"
#include "core/mpi_error.h"
#include "loop/abort.h"
#include "loop/move.h"

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

int equant_mover_queue(struct equant_mover *m, int queue)
{
	m->parcels = calloc((size_t)queue, sizeof(*m->parcels));
	m->queue = m->parcels ? queue : 0;
	return m->parcels ? 0 : -ENOMEM;
}

static void release_transfers(struct equant_transfer *transfers, int n)
{
	for (int i = 0; i < n; i++) {
		equant_runs_release(&transfers[i].units);
		free(transfers[i].data);
	}
}

static void forget_transfers(struct equant_mover *m)
{
	release_transfers(m->transfers, m->nr_transfers);
	m->nr_transfers = 0;
}

static void drop_parcel(struct equant_mover *m, int i)
{
	release_transfers(m->parcels[i].transfers, m->parcels[i].nr_transfers);
	free(m->parcels[i].transfers);
	free(m->parcels[i].requests);
	free(m->parcels[i].peers);
	m->nr_parcels--;
	memmove(&m->parcels[i], &m->parcels[i + 1],
		(size_t)(m->nr_parcels - i) * sizeof(*m->parcels));
}

/* The memory of slices that have left may be used again when nothing is read from it any more. */
static void settle(const struct equant_mover *m)
{
	if (!m->nr_requests && !m->nr_parcels)
		equant_slices_settle(m->slices);
}

/*
 * A peer that is gone may never complete its part, or be late.  MPI may still read or write
 * headers and packed data: what is given up is not freed.
 */
static void abandon(struct equant_mover *m)
{
	if (equant_requests_drop(m->requests, m->nr_requests)) {
		m->transfers = NULL;
		m->nr_transfers = m->room = 0;
	}
	m->nr_requests = 0;
	while (m->nr_parcels) {
		struct equant_parcel *last = &m->parcels[m->nr_parcels - 1];

		if (equant_requests_drop(last->requests, last->nr_requests)) {
			last->transfers = NULL;
			last->nr_transfers = 0;
		}
		drop_parcel(m, m->nr_parcels - 1);
	}
}

/* A wait has lasted for EQUANT_LOOK seconds more: has another rank given up in the middle of a move? */
static int go_on_waiting(struct equant_mover *m, uint64_t since_ns)
{
	int rank, error = equant_aborted(m->comm, &rank);

	if (error == -ECANCELED)
		equant_message("rank %d: rank %d has failed while work was moving", m->rank, rank);
	if (error || m->timeout <= 0 || 1e-9 * (double)(m->waited_ns - since_ns) <= m->timeout)
		return error;
	equant_waited_on_give_up(m->waiter);
	return -ETIMEDOUT;
}

static void say_missing(const struct equant_waited_on *on, double seconds)
{
	const struct equant_parcel *p = on->of;
	int rank = equant_first_missing(p->requests, p->peers, p->nr_requests);

	/* The last may just have come. */
	if (rank >= 0)
		equant_message("rank %d: rank %d has not come to move work within %g s", p->rank,
			       rank, seconds);
}

int equant_mover_await(struct equant_mover *m, struct equant_waited_on *on, MPI_Request *requests,
		       int n, MPI_Status *statuses)
{
	uint64_t since_ns = m->waited_ns;
	int error, gone = 0;

	equant_waited_on_begin(m->waiter, on);
	do {
		error = equant_wait_requests(m->waiter, requests, n, statuses, EQUANT_LOOK,
					     &m->waited_ns);
		if (error == -ETIMEDOUT)
			gone = go_on_waiting(m, since_ns);
	} while (error == -ETIMEDOUT && !gone);
	equant_waited_on_end(m->waiter);
	return gone ? gone : error;
}

static int await(struct equant_mover *m, const struct equant_parcel *p)
{
	struct equant_waited_on on = { .say = say_missing, .of = p };
	int error = equant_mover_await(m, &on, p->requests, p->nr_requests, MPI_STATUSES_IGNORE);

	if (error)
		abandon(m);
	return error;
}

static struct equant_parcel last_run(const struct equant_mover *m)
{
	return (struct equant_parcel){ m->rank,	    m->transfers, m->nr_transfers,
				       m->requests, m->peers,	  m->nr_requests };
}

static int complete_run(struct equant_mover *m)
{
	const struct equant_parcel run = last_run(m);
	int error = await(m, &run);

	m->nr_requests = 0;
	if (!error)
		settle(m);
	return error;
}

static int complete_parcel(struct equant_mover *m, int i)
{
	const struct equant_parcel parcel = m->parcels[i];
	int error = await(m, &parcel);

	if (!error)
		drop_parcel(m, i);
	return error;
}

int equant_mover_complete(struct equant_mover *m)
{
	int error = 0;

	while (m->nr_parcels && !error)
		error = complete_parcel(m, 0);
	return error ? error : complete_run(m);
}

/* Those that have been taken; waits for none. */
static int look_after_parcels(struct equant_mover *m)
{
	int done = 0, error = 0;

	for (int i = 0; i < m->nr_parcels && !error; i += !done) {
		error = equant_mpi_error(equant_mpi_test(m->parcels[i].nr_requests,
							 m->parcels[i].requests, &done),
					 "moving work");
		if (!error && done)
			drop_parcel(m, i);
	}
	return error;
}

int equant_mover_progress(struct equant_mover *m, double patience)
{
	int error = look_after_parcels(m);

	if (!error && m->nr_requests) {
		error = equant_wait_requests(m->waiter, m->requests, m->nr_requests,
					     MPI_STATUSES_IGNORE, patience, &m->waited_ns);
		if (error == -ETIMEDOUT)
			return 0;
		if (!error)
			m->nr_requests = 0;
	}
	if (error)
		abandon(m);
	else
		settle(m);
	return error;
}

void equant_mover_give_up(struct equant_mover *m, double patience)
{
	int error = 0;

	for (int i = 0; i < m->nr_parcels && !error; i++)
		error = equant_wait_requests(m->waiter, m->parcels[i].requests,
					     m->parcels[i].nr_requests, MPI_STATUSES_IGNORE,
					     patience, &m->waited_ns);
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
	while (m->nr_parcels)
		drop_parcel(m, m->nr_parcels - 1);
	free(m->parcels);
	free(m->transfers);
	free(m->requests);
	free(m->peers);
	m->parcels = NULL;
	m->queue = 0;
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

static int was_given(const struct equant_parcel *parcel, const struct equant_runs *units)
{
	for (int i = 0; i < parcel->nr_transfers; i++)
		for (int r = 0; r < units->n; r++)
			if (equant_runs_meet(&parcel->transfers[i].units, &units->ranges[r]))
				return 1;
	return 0;
}

/* What comes back has been taken, whether or not MPI has said so: nobody is waited for. */
static int make_way(struct equant_mover *m, const struct equant_runs *units)
{
	int error = 0;

	for (int i = m->nr_parcels - 1; i >= 0 && !error; i--)
		if (was_given(&m->parcels[i], units))
			error = complete_parcel(m, i);
	return error;
}

static int start_receive(struct equant_mover *m, struct equant_transfer *t)
{
	int error = make_way(m, &t->units);

	if (!error)
		error = equant_slices_arrive(m->slices, &t->units);
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
	int error = m->nr_requests ? complete_run(m) : 0;

	if (!error)
		error = check_header(m, t, expected);
	if (error || !t->header.data_bytes)
		return error;
	t->data = malloc(t->header.data_bytes);
	if (!t->data)
		return -ENOMEM;
	error = equant_post(m, t, t->data, t->header.data_bytes);
	return error ? error : complete_run(m);
}

/* Callbacks may change slices that have come. */
static int unpack(struct equant_mover *m, struct equant_transfer *t)
{
	int error = 0;

	if (m->checked && equant_slices_checksum(m->slices, &t->units) != t->header.checksum) {
		equant_message("rank %d: checksum of %ld units from rank %d is wrong", m->rank,
			       t->units.total, t->peer);
		return -EBADMSG;
	}
	if (m->slices->nr_data)
		error = equant_slices_unpack(m->slices, &t->units, t->data, t->header.data_bytes);
	if (error)
		equant_message("rank %d: unpacking %ld units from rank %d: %s", m->rank,
			       t->units.total, t->peer, strerror(-error));
	return error;
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

/* What the last run has sent is put aside, where that is allowed. */
static int put_aside(struct equant_mover *m)
{
	int error = look_after_parcels(m);

	if (!error && m->nr_parcels == m->queue)
		error = complete_parcel(m, 0);
	/* MPI may still read from what the last run has packed. */
	if (error) {
		abandon(m);
		return error;
	}
	m->parcels[m->nr_parcels++] = last_run(m);
	m->transfers = NULL;
	m->requests = NULL;
	m->peers = NULL;
	m->nr_transfers = m->room = m->nr_requests = m->requests_room = 0;
	return 0;
}

static int run(struct equant_mover *m, struct equant_units *units,
	       const struct equant_instruction *instructions, int count,
	       const struct equant_runs *named, uint64_t phase, int *failed)
{
	struct equant_header *expected;
	char *begun;
	int error;

	error = m->queue && m->nr_requests ? put_aside(m) : complete_run(m);
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
