// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The files a loop's traces are in: DIR/LOOP.RANK.trace, for the next loop of that name
 * DIR/LOOP-1.RANK.trace and so on, the same number on every rank.  A file is taken by creating
 * it, so that loops made at once, by threads or by other jobs, keep apart.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/first_free.h"
#include "core/message.h"
#include "core/mpi_error.h"
#include "loop/loop_internal.h"
#include "trace/trace_internal.h"

enum { NOT_TRACED = -1 };

void equant_trace_path(const struct equant_loop *loop, const char *directory, long index,
		       char *path, size_t size)
{
	char name[sizeof(loop->name)], number[24] = "";
	char *slash;

	snprintf(name, sizeof(name), "%s", loop->name);
	while ((slash = strchr(name, '/')))
		*slash = '_';
	if (index)
		snprintf(number, sizeof(number), "-%ld", index);
	snprintf(path, size, "%s/%s%s.%d.trace", directory, name, number, loop->rank);
}

static bool is_there(const void *of, long index)
{
	const struct equant_loop *loop = of;
	char path[PATH_MAX];

	equant_trace_path(loop, loop->eq->options.trace, index, path, sizeof(path));
	return !access(path, F_OK);
}

/* A number from @index on that no trace of this rank has. */
static long free_index(const struct equant_loop *loop, long index)
{
	return loop->eq->options.trace ? equant_first_free(index, is_there, loop) : NOT_TRACED;
}

/* 0, -EEXIST, or -errno after a message. */
static int take(const struct equant_loop *loop, long index)
{
	char path[PATH_MAX];
	int fd, error;

	if (!loop->eq->options.trace)
		return 0;
	equant_trace_path(loop, loop->eq->options.trace, index, path, sizeof(path));
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	error = fd < 0 ? -errno : 0;
	if (fd >= 0)
		close(fd);
	if (error && error != -EEXIST)
		equant_message("loop %s, rank %d: EQUANT_TRACE: %s: %s", loop->name, loop->rank,
			       path, strerror(-error));
	return error;
}

static void give_back(const struct equant_loop *loop, long index)
{
	char path[PATH_MAX];

	if (!loop->eq->options.trace)
		return;
	equant_trace_path(loop, loop->eq->options.trace, index, path, sizeof(path));
	unlink(path);
}

/* Rank 0 is first, so that of two loops that want the same files one gets them all. */
static int take_in_turn(const struct equant_loop *loop, long *index)
{
	int error = 0, failed;

	while (!loop->rank && (error = take(loop, *index)) == -EEXIST)
		++*index;
	failed = equant_mpi_error(MPI_Bcast(index, 1, MPI_LONG, 0, loop->comm), "naming traces");
	if (failed)
		return failed;
	return loop->rank ? take(loop, *index) : error;
}

/* Collective: one number for all ranks, NOT_TRACED where nobody traces. */
static int take_files(struct equant_loop *loop)
{
	long index = 0, mine;
	int error, taken, any;

	for (;;) {
		mine = free_index(loop, index);
		error = equant_mpi_error(MPI_Allreduce(&mine, &index, 1, MPI_LONG, MPI_MAX,
						       loop->comm),
					 "naming traces");
		if (error || index == NOT_TRACED)
			return error;
		loop->trace_index = index;
		error = take_in_turn(loop, &loop->trace_index);
		taken = error == -EEXIST;
		if (MPI_Allreduce(&taken, &any, 1, MPI_INT, MPI_MAX, loop->comm) != MPI_SUCCESS)
			return -EIO;
		mine = error;
		if (!any)
			error = equant_mpi_agree(loop->comm, error);
		if (!mine && (any || error))
			give_back(loop, loop->trace_index);
		if (!any)
			return error;
		index = loop->trace_index + 1;
	}
}

static int world_rank(void)
{
	int rank = 0;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	return rank;
}

int equant_trace_start(struct equant_loop *loop)
{
	struct equant_trace_header header = { .rank = loop->rank,
					      .ranks = loop->ranks,
					      .units = loop->units.units,
					      .world = world_rank(),
					      .order = loop->order,
					      .mode = (uint32_t)loop->eq->options.mode };
	char path[PATH_MAX], why[PATH_MAX + 128];
	int error = take_files(loop);

	if (error || !loop->eq->options.trace)
		return equant_mpi_agree(loop->comm, error);
	snprintf(header.loop, sizeof(header.loop), "%s", loop->name);
	snprintf(header.probe, sizeof(header.probe), "%s", equant_probe_name(loop->eq->probe));
	equant_trace_path(loop, loop->eq->options.trace, loop->trace_index, path, sizeof(path));
	loop->trace = equant_trace_create(path, &header, why, sizeof(why));
	if (!loop->trace) {
		error = -errno;
		if (*why)
			equant_message("%s", why);
		else
			equant_message("%s: %s", path, strerror(-error));
	}
	return equant_mpi_agree(loop->comm, error);
}

int equant_trace_end(struct equant_loop *loop)
{
	int error;

	if (!loop->trace)
		return 0;
	loop->dropped = (long)equant_trace_dropped(loop->trace);
	error = equant_trace_close(loop->trace);
	loop->trace = NULL;
	if (error)
		equant_message("loop %s, rank %d: the trace is not complete: %s", loop->name,
			       loop->rank, strerror(-error));
	return error;
}
