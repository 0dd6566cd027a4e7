/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_LOOP_PIECES_H
#define EQUANT_LOOP_PIECES_H

#include <mpi.h>
#include <stddef.h>

/**
 * struct equant_pieces - pieces of memory that one message reads or writes, in this order
 * @at: @n of them, room for @room; what touches is one piece
 * @length: bytes of each
 * @bytes: of all
 */
struct equant_pieces {
	char **at;
	size_t *length;
	int n;
	int room;
	size_t bytes;
};

/** equant_pieces_add() - 0 or -ENOMEM */
int equant_pieces_add(struct equant_pieces *p, char *at, size_t length);

void equant_pieces_clear(struct equant_pieces *p);
void equant_pieces_release(struct equant_pieces *p);

/**
 * equant_pieces_datatype() - all of them as one element at MPI_BOTTOM
 * @p: of less than 2 GiB together
 * @datatype: committed; MPI_Type_free() it
 *
 * Return: 0, -ENOMEM, -EIO...
 */
int equant_pieces_datatype(const struct equant_pieces *p, MPI_Datatype *datatype);

#endif /* EQUANT_LOOP_PIECES_H */
