// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* One message out of many pieces of memory. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/mpi_error.h"
#include "loop/pieces.h"

static int grow(struct equant_pieces *p)
{
	int room = p->room ? 2 * p->room : 64;
	char **at = realloc(p->at, (size_t)room * sizeof(*at));
	size_t *length;

	if (!at)
		return -ENOMEM;
	p->at = at;
	length = realloc(p->length, (size_t)room * sizeof(*length));
	if (!length)
		return -ENOMEM;
	p->length = length;
	p->room = room;
	return 0;
}

int equant_pieces_add(struct equant_pieces *p, char *at, size_t length)
{
	if (p->n && p->at[p->n - 1] + p->length[p->n - 1] == at) {
		p->length[p->n - 1] += length;
	} else {
		if (p->n == p->room && grow(p))
			return -ENOMEM;
		p->at[p->n] = at;
		p->length[p->n++] = length;
	}
	p->bytes += length;
	return 0;
}

void equant_pieces_clear(struct equant_pieces *p)
{
	p->n = 0;
	p->bytes = 0;
}

void equant_pieces_release(struct equant_pieces *p)
{
	free(p->at);
	free(p->length);
	memset(p, 0, sizeof(*p));
}

int equant_pieces_datatype(const struct equant_pieces *p, MPI_Datatype *datatype)
{
	MPI_Aint *at = calloc((size_t)p->n, sizeof(*at));
	int *length = calloc((size_t)p->n, sizeof(*length));
	int error = MPI_SUCCESS;

	if (!at || !length) {
		free(at);
		free(length);
		return -ENOMEM;
	}
	for (int i = 0; i < p->n && error == MPI_SUCCESS; i++) {
		length[i] = (int)p->length[i];
		error = MPI_Get_address(p->at[i], &at[i]);
	}
	if (error == MPI_SUCCESS)
		error = MPI_Type_create_hindexed(p->n, length, at, MPI_BYTE, datatype);
	if (error == MPI_SUCCESS) {
		error = MPI_Type_commit(datatype);
		if (error != MPI_SUCCESS)
			MPI_Type_free(datatype);
	}
	free(at);
	free(length);
	return equant_mpi_error(error, "describing slices");
}
