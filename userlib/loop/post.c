// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The messages of a transfer: the slices of an array go straight from and to the
 * application's memory, one message per contiguous range; those of a table in as few messages as
 * can be, out of and into its memory; packed data follow.
 * Messages between two ranks share one tag and keep their order.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "control/send.h"
#include "core/mpi_error.h"
#include "loop/move.h"
#include "loop/pieces.h"
#include "loop/tags.h"

#define CHUNK ((size_t)1 << 30) /* MPI counts are int */
#define LARGE ((size_t)4 << 20) /* holds a large page wherever it begins */

static int post_one(struct equant_mover *m, const struct equant_transfer *t, void *at, int n,
		    MPI_Datatype datatype)
{
	int error;

	if (m->nr_requests == m->requests_room) {
		int room = m->requests_room ? 2 * m->requests_room : 16;
		MPI_Request *grown = realloc(m->requests, (size_t)room * sizeof(*grown));
		int *peers = realloc(m->peers, (size_t)room * sizeof(*peers));

		m->requests = grown ? grown : m->requests;
		m->peers = peers ? peers : m->peers;
		if (!grown || !peers)
			return -ENOMEM;
		m->requests_room = room;
	}
	if (t->incoming)
		error = MPI_Irecv(at, n, datatype, t->peer, EQUANT_TAG_MOVE, m->comm,
				  &m->requests[m->nr_requests]);
	else
		error = equant_send(m->waiter, at, n, datatype, t->peer, EQUANT_TAG_MOVE, m->comm,
				    &m->requests[m->nr_requests]);
	if (error != MPI_SUCCESS)
		return equant_mpi_error(error, "moving work");
	m->peers[m->nr_requests++] = t->peer;
	return 0;
}

/*
 * Where nobody has written to the memory yet, page faults take longer than the message: 133 MB 85 ms
 * instead of 35.  A hint, which a system may ignore; and only for what is written whole, so
 * that no more memory is used.
 */
static void want_large_pages(void *bytes, size_t size)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t first = ((uintptr_t)bytes + page - 1) & ~(page - 1);
	uintptr_t end = ((uintptr_t)bytes + size) & ~(page - 1);

	if (size >= LARGE)
		madvise((void *)first, end - first, MADV_HUGEPAGE);
}

int equant_post(struct equant_mover *m, const struct equant_transfer *t, void *bytes, size_t size)
{
	int error = 0;

	if (t->incoming)
		want_large_pages(bytes, size);
	while (size && !error) {
		size_t n = size < CHUNK ? size : CHUNK;

		error = post_one(m, t, bytes, (int)n, MPI_BYTE);
		bytes = (char *)bytes + n;
		size -= n;
	}
	return error;
}

/* Slices from wherever they are in one message; both sides divide a transfer alike. */
static int post_pieces(struct equant_mover *m, const struct equant_transfer *t,
		       struct equant_pieces *p)
{
	MPI_Datatype datatype;
	int error;

	if (p->n == 1)
		return equant_post(m, t, p->at[0], p->length[0]);
	error = equant_pieces_datatype(p, &datatype);
	if (error)
		return error;
	error = post_one(m, t, MPI_BOTTOM, 1, datatype);
	MPI_Type_free(&datatype);
	return error;
}

static int post_table(struct equant_mover *m, const struct equant_transfer *t,
		      const struct equant_array *array)
{
	struct equant_pieces pieces = { 0 };
	int error = 0;

	for (int r = 0; r < t->units.n; r++) {
		const struct equant_range *range = &t->units.ranges[r];

		for (long u = range->first; u < range->first + range->count && !error; u++) {
			if (pieces.n && pieces.bytes + array->slice > CHUNK) {
				error = post_pieces(m, t, &pieces);
				equant_pieces_clear(&pieces);
			}
			if (!error)
				error = equant_pieces_add(&pieces, equant_array_slice(array, u),
							  array->slice);
		}
	}
	if (!error && pieces.n)
		error = post_pieces(m, t, &pieces);
	equant_pieces_release(&pieces);
	return error;
}

static int post_array(struct equant_mover *m, const struct equant_transfer *t,
		      const struct equant_array *array)
{
	int error = 0;

	for (int r = 0; r < t->units.n && !error; r++) {
		const struct equant_range *range = &t->units.ranges[r];

		error = equant_post(m, t, equant_array_slice(array, range->first),
				    (size_t)range->count * array->slice);
	}
	return error;
}

int equant_post_arrays(struct equant_mover *m, const struct equant_transfer *t)
{
	int error = 0;

	for (int a = 0; a < m->slices->nr_arrays && !error; a++) {
		const struct equant_array *array = &m->slices->arrays[a];

		error = array->table ? post_table(m, t, array) : post_array(m, t, array);
	}
	return error;
}
