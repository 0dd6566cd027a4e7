// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The report: every rank's account in one file. */
#include <equant/report.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/first_free.h"
#include "core/message.h"
#include "core/mpi_error.h"
#include "loop/loop_internal.h"

static void name_file(const struct equant_loop *loop, long n, char *path, size_t size)
{
	char name[sizeof(loop->name)];
	char *slash;

	snprintf(name, sizeof(name), "%s", loop->name);
	while ((slash = strchr(name, '/')))
		*slash = '_';
	snprintf(path, size, "%s/%s.%ld.equant", loop->eq->options.report, name, n);
}

static bool is_there(const void *of, long n)
{
	char path[PATH_MAX];

	name_file(of, n, path, sizeof(path));
	return !access(path, F_OK);
}

/* A new file DIR/NAME.N.equant with a free N. */
static int create(const struct equant_loop *loop, char *path, size_t size)
{
	int fd;

	for (long n = equant_first_free(0, is_there, loop);; n++) {
		name_file(loop, n, path, size);
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0 || errno != EEXIST)
			return fd >= 0 ? fd : -errno;
	}
}

static int write_all(int fd, const void *bytes, size_t size)
{
	while (size) {
		ssize_t n = write(fd, bytes, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ENOSPC;
		bytes = (const char *)bytes + n;
		size -= (size_t)n;
	}
	return 0;
}

static int store(const struct equant_loop *loop, const struct equant_stats *all)
{
	struct equant_report_header header = {
		.magic = EQUANT_REPORT_MAGIC,
		.header_size = sizeof(header),
		.stats_size = sizeof(*all),
		.ranks = loop->ranks,
		.balanced = loop->eq->options.balance,
		.error = loop->error,
		.rate = loop->eq->options.rate,
		.units = loop->units.units,
	};
	char path[PATH_MAX];
	int fd, error;

	memcpy(header.loop, loop->name, sizeof(header.loop));
	fd = create(loop, path, sizeof(path));
	error = fd < 0 ? fd : 0;
	if (!error)
		error = write_all(fd, &header, sizeof(header));
	if (!error)
		error = write_all(fd, all, (size_t)loop->ranks * sizeof(*all));
	if (fd >= 0 && close(fd) && !error)
		error = -errno;
	if (error)
		equant_message("%s: %s", path, strerror(-error));
	return error;
}

int equant_report_start(const struct equant_loop *loop)
{
	const char *directory = loop->eq->options.report;
	char path[PATH_MAX], host[MPI_MAX_PROCESSOR_NAME];
	int error, length;

	if (loop->rank || !directory)
		return 0;
	snprintf(path, sizeof(path), "%s/.", directory);
	if (!access(path, W_OK | X_OK))
		return 0;
	error = -errno;
	MPI_Get_processor_name(host, &length);
	equant_message("loop %s: EQUANT_REPORT: %s: %s (on %s, where rank 0 is)", loop->name,
		       directory, strerror(-error), host);
	return error;
}

int equant_report_write(struct equant_loop *loop)
{
	struct equant_stats mine = { .sz = sizeof(mine) }, *all = NULL;
	int wanted = loop->eq->options.report != NULL, error;

	/* Rank 0 writes, so its option decides; the others must know. */
	error = equant_mpi_error(MPI_Bcast(&wanted, 1, MPI_INT, 0, loop->comm), "report");
	if (error || !wanted)
		return error;
	equant_loop_stats(loop, &mine);
	if (!loop->rank) {
		all = calloc((size_t)loop->ranks, sizeof(*all));
		error = all ? 0 : -ENOMEM;
	}
	error = equant_mpi_agree(loop->comm, error);
	if (error)
		return error;
	error = equant_mpi_error(MPI_Gather(&mine, sizeof(mine), MPI_BYTE, all, sizeof(mine),
					    MPI_BYTE, 0, loop->comm),
				 "gathering the report");
	if (!error && all)
		error = store(loop, all);
	free(all);
	return equant_mpi_agree(loop->comm, error);
}
