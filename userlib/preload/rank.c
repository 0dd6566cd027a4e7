// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

#include "core/message.h"
#include "preload/rank.h"
#include "profile/profiler.h"

#define WRITE_NS 1000000000u /* from one writing to the next */
#define VERSION_BYTES 16384 /* of any MPI: Open MPI needs 256, MPICH 8192 */

/* Of the thread that initialised MPI; others' calls are only handed on. */
static __thread struct equant_profiler *profiler __attribute__((tls_model("initial-exec")));

/**
 * struct rank - this process
 * @begun: also if it came to nothing
 * @path: of its file
 * @file: that, open
 * @written_ns: when it was last written
 * @profile: what is written
 */
static struct rank {
	bool begun;
	char path[PATH_MAX];
	int file;
	uint64_t written_ns;
	struct equant_profile profile;
} rank;

static void complain(int error)
{
	equant_message("profile of rank %d: %s: %s", rank.profile.rank, rank.path, strerror(error));
}

/* Whoever is killed leaves what was written last. */
static int write_profile(void)
{
	ssize_t n;

	equant_profiler_read(profiler, &rank.profile);
	n = pwrite(rank.file, &rank.profile, sizeof(rank.profile), 0);
	if (n == sizeof(rank.profile))
		return 0;
	complain(n < 0 ? errno : ENOSPC);
	return -1;
}

static void stop(void)
{
	equant_profiler_free(profiler);
	profiler = NULL;
	close(rank.file);
}

/* Where the directory is not there, ranks are on another host than who reads it, and who reads says so. */
static bool open_file(const char *directory)
{
	snprintf(rank.path, sizeof(rank.path), "%s/%d.%ld.profile", directory, rank.profile.rank,
		 (long)getpid());
	rank.file = open(rank.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (rank.file < 0 && errno != ENOENT)
		complain(errno);
	return rank.file >= 0;
}

/* Handles of one MPI mean nothing to another, which is what the program may have been linked with. */
static bool is_our_mpi(void)
{
	char version[VERSION_BYTES];
	bool open_mpi, ours = false;
	int length;

	if (PMPI_Get_library_version(version, &length))
		return false;
	open_mpi = strstr(version, "Open MPI");
#ifdef OPEN_MPI
	ours = true;
#endif
	if (open_mpi == ours)
		return true;
	equant_message("no profile: the program has another MPI than equant was built with: %.*s",
		       (int)strcspn(version, "\n"), version);
	return false;
}

void equant_rank_begin(void)
{
	const char *directory = getenv("EQUANT_MPI_PROFILE"), *probe = getenv("EQUANT_PROBE");
	char why[512] = "";
	int there = 0;

	if (rank.begun || PMPI_Initialized(&there) || !there)
		return;
	rank.begun = true;
	if (!directory || !*directory || !is_our_mpi())
		return;
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank.profile.rank);
	PMPI_Comm_size(MPI_COMM_WORLD, &rank.profile.ranks);
	gethostname(rank.profile.host, sizeof(rank.profile.host) - 1);
	if (!open_file(directory))
		return;
	profiler = equant_profiler_new(probe && *probe ? probe : "auto", why, sizeof(why));
	if (!profiler) {
		equant_message("profile of rank %d: %s: %s", rank.profile.rank, strerror(errno),
			       why);
		close(rank.file);
	} else if (write_profile()) {
		stop();
	}
}

void equant_rank_end(void)
{
	if (!profiler)
		return;
	rank.profile.finished = 1;
	write_profile();
	stop();
}

void equant_rank_enter(void)
{
	if (profiler)
		equant_profiler_enter(profiler);
}

int equant_rank_leave(int returned)
{
	uint64_t now = profiler ? equant_profiler_leave(profiler) : 0;

	if (!now || now < rank.written_ns + WRITE_NS)
		return returned;
	rank.written_ns = now;
	if (write_profile())
		stop();
	return returned;
}
