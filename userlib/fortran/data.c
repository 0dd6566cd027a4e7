// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Callbacks that pack and unpack: the program's, which count units from 1. */
#include "fortran/fortran_internal.h"

/* type(equant_data_ops); lives as long as the loop. */
struct fortran_data {
	size_t (*size)(void *context, long unit);
	void (*pack)(void *context, long unit, void *buffer);
	int (*unpack)(void *context, long unit, void *buffer, size_t bytes);
	void *context;
};

static size_t data_size(void *ctx, long unit)
{
	const struct fortran_data *d = ctx;

	return d->size(d->context, unit + 1);
}

static void data_pack(void *ctx, long unit, void *buffer)
{
	const struct fortran_data *d = ctx;

	d->pack(d->context, unit + 1, buffer);
}

static int data_unpack(void *ctx, long unit, const void *buffer, size_t bytes)
{
	const struct fortran_data *d = ctx;

	return d->unpack(d->context, unit + 1, (void *)(uintptr_t)buffer, bytes);
}

EQUANT_API void equant_fortran_loop_data(const struct fortran_loop *l, struct fortran_data *data,
					 int *ierror)
{
	const struct equant_data_ops ops = {
		.sz = sizeof(ops),
		.size = data->size ? data_size : NULL,
		.pack = data->pack ? data_pack : NULL,
		.unpack = data->unpack ? data_unpack : NULL,
	};

	call_loop(l, ierror, equant_loop_data, &ops, data);
}
