// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Reductions over ranks: buffers by descriptor, MPI_IN_PLACE by the address that Fortran has. */
#include "core/message.h"
#include "fortran/fortran_internal.h"

static int no_buffer(const CFI_cdesc_t *buffer, const char *name)
{
	char shape[128];

	if (!buffer->base_addr) {
		equant_message("equant_allreduce: %s is not allocated", name);
		return -EINVAL;
	}
	if (!equant_fortran_gap(buffer))
		return 0;
	equant_fortran_shape(buffer, shape, sizeof(shape));
	equant_message("equant_allreduce: %s is not contiguous (%s)", name, shape);
	return -EINVAL;
}

EQUANT_API void equant_fortran_allreduce(const struct fortran_context *c, const CFI_cdesc_t *send,
					 const CFI_cdesc_t *recv, const CFI_cdesc_t *place,
					 const int *count, const int *datatype, const int *op,
					 int *ierror)
{
	const void *from = send->base_addr == place->base_addr ? MPI_IN_PLACE : send->base_addr;
	int error = equant_fortran_no_context(c, "equant_allreduce");

	if (!error)
		error = no_buffer(send, "the send buffer");
	if (!error)
		error = no_buffer(recv, "the receive buffer");
	if (!error)
		error = equant_allreduce(context_of(c), from, recv->base_addr, *count,
					 MPI_Type_f2c(*datatype), MPI_Op_f2c(*op));
	equant_fortran_done(error, "equant_allreduce", ierror);
}
