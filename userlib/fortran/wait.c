// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Requests and statuses.  A request of either Fortran module is an integer in memory.  A status
 * is written as the integers of mpi or as the type(MPI_Status) of mpi_f08, which in Open MPI before 5
 * is the same, and where MPI 3.0's function for it is missing.
 */
#include <stdlib.h>
#include <string.h>

#include "core/message.h"
#include "fortran/fortran_internal.h"

#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION < 5
#define F08_STATUS_IGNORE ((void *)MPI_F_STATUS_IGNORE)
#define F08_STATUSES_IGNORE ((void *)MPI_F_STATUSES_IGNORE)
#define F08_STATUS_SIZE sizeof(MPI_Status)

static void write_f08(const MPI_Status *from, void *to)
{
	MPI_Status_c2f(from, to);
}
#else
#define F08_STATUS_IGNORE ((void *)MPI_F08_STATUS_IGNORE)
#define F08_STATUSES_IGNORE ((void *)MPI_F08_STATUSES_IGNORE)
#define F08_STATUS_SIZE sizeof(MPI_F08_status)

static void write_f08(const MPI_Status *from, void *to)
{
	MPI_Status_c2f08(from, to);
}
#endif

static void write_integers(const MPI_Status *from, void *to)
{
	MPI_Status_c2f(from, to);
}

/* Where statuses go: @stride bytes apart, nowhere if @first is NULL. */
struct statuses {
	char *first;
	size_t stride;
	void (*write)(const MPI_Status *from, void *to);
};

static void wait_one(const struct fortran_context *c, int *request, const struct statuses *out,
		     int *ierror)
{
	int error = equant_fortran_no_context(c, "equant_wait");
	MPI_Request r = MPI_Request_f2c(*request);
	MPI_Status status;

	if (!error) {
		error = equant_wait(context_of(c), &r, out->first ? &status : MPI_STATUS_IGNORE);
		*request = MPI_Request_c2f(r);
	}
	if (!error && out->first)
		out->write(&status, out->first);
	equant_fortran_done(error, "equant_wait", ierror);
}

EQUANT_API void equant_fortran_wait(const struct fortran_context *c, int *request, int *status,
				    int *ierror)
{
	const struct statuses out = {
		.first = status == MPI_F_STATUS_IGNORE ? NULL : (char *)status,
		.write = write_integers,
	};

	wait_one(c, request, &out, ierror);
}

EQUANT_API void equant_fortran_wait_f08(const struct fortran_context *c, int *request, void *status,
					int *ierror)
{
	const struct statuses out = {
		.first = status == F08_STATUS_IGNORE ? NULL : status,
		.write = write_f08,
	};

	wait_one(c, request, &out, ierror);
}

/* @handles in, and as MPI has left them out again. */
static int wait_handles(struct equant *eq, int *handles, int n, const struct statuses *out)
{
	MPI_Status *statuses = out->first ? calloc((size_t)n + 1, sizeof(*statuses)) : NULL;
	MPI_Request *requests = calloc((size_t)n + 1, sizeof(*requests));
	int error = -ENOMEM, i;

	if (!requests || (out->first && !statuses)) {
		equant_message("equant_waitall: no memory for %d requests", n);
		goto out;
	}
	for (i = 0; i < n; i++)
		requests[i] = MPI_Request_f2c(handles[i]);
	error = equant_waitall(eq, n, requests, statuses ? statuses : MPI_STATUSES_IGNORE);
	for (i = 0; i < n; i++)
		handles[i] = MPI_Request_c2f(requests[i]);
	for (i = 0; i < n && statuses && !error; i++)
		out->write(&statuses[i], out->first + (size_t)i * out->stride);
out:
	free(requests);
	free(statuses);
	return error;
}

static int refused(const char *what)
{
	equant_message("equant_waitall: %s", what);
	return -EINVAL;
}

/* @statuses: NULL = none are wanted; @size: bytes of each that are written */
static int wait_all(const struct fortran_context *c, const CFI_cdesc_t *requests,
		    const CFI_cdesc_t *statuses, size_t size, struct statuses *out)
{
	int n = (int)requests->dim[0].extent;

	if (equant_fortran_no_context(c, "equant_waitall"))
		return -EINVAL;
	if (equant_fortran_gap(requests))
		return refused("the array of requests is not contiguous");
	if (statuses && equant_fortran_gap(statuses))
		return refused("the array of statuses is not contiguous");
	if (statuses) {
		out->first = statuses->base_addr;
		out->stride = statuses->elem_len;
		if (statuses->rank == 2)
			out->stride *= (size_t)statuses->dim[0].extent;
		if (out->stride < size)
			return refused("the first extent of statuses is less than MPI_STATUS_SIZE");
		if (statuses->dim[statuses->rank - 1].extent < n)
			return refused("there are fewer statuses than requests");
	}
	return wait_handles(context_of(c), requests->base_addr, n, out);
}

EQUANT_API void equant_fortran_waitall(const struct fortran_context *c, const CFI_cdesc_t *requests,
				       const CFI_cdesc_t *statuses, int *ierror)
{
	struct statuses out = { .write = write_integers };

	if (statuses && statuses->base_addr == MPI_F_STATUSES_IGNORE)
		statuses = NULL;
	equant_fortran_done(wait_all(c, requests, statuses, sizeof(MPI_Status), &out),
			    "equant_waitall", ierror);
}

EQUANT_API void equant_fortran_waitall_f08(const struct fortran_context *c,
					   const CFI_cdesc_t *requests, const CFI_cdesc_t *statuses,
					   int *ierror)
{
	struct statuses out = { .write = write_f08 };

	if (statuses && statuses->base_addr == F08_STATUSES_IGNORE)
		statuses = NULL;
	equant_fortran_done(wait_all(c, requests, statuses, F08_STATUS_SIZE, &out),
			    "equant_waitall", ierror);
}
