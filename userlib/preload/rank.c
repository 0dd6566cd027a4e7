// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <mpi.h>

#include "core/message.h"
#include "preload/rank.h"
#include "profile/profiler.h"

#define VERSION_BYTES 16384 /* of any MPI: Open MPI needs 256, MPICH 8192 */

/* Of the thread that initialised MPI; others' calls are only handed on. */
static __thread struct equant_profiler *profiler __attribute__((tls_model("initial-exec")));

/* Of the process: in its file; NULL: there is none, and in a child that is no rank. */
static struct equant_profile *profile;

void *equant_rank_next(const char *name, void *caller)
{
	void *function = dlsym(RTLD_NEXT, name), *object;
	Dl_info info;

	if (function || !dladdr(caller, &info))
		return function;
	object = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	if (!object)
		return NULL;
	function = dlsym(object, name);
	dlclose(object);
	return function;
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

/* The ranks that were started together have the same of these. */
static void name_job(char *job, size_t size)
{
	static const char *const names[] = { "PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid",
					     "PMI_JOBID", "SLURM_STEP_ID" };
	const char *job_of_batch = getenv("SLURM_JOB_ID"), *value = NULL;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && !value; i++)
		value = getenv(names[i]);
	if (value)
		snprintf(job, size, "%s%s%s", job_of_batch ? job_of_batch : "",
			 job_of_batch ? "." : "", value);
}

/* A file that has room for all of it before it is written: a full disk is an error here, no signal later. */
static int map_file(const char *path, const struct equant_profile *first)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666), error;
	void *memory = MAP_FAILED;

	if (fd < 0)
		return errno;
	error = posix_fallocate(fd, 0, sizeof(*first));
	if (!error && pwrite(fd, first, sizeof(*first), 0) != sizeof(*first))
		error = EIO;
	if (!error)
		memory = mmap(NULL, sizeof(*first), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (!error && memory == MAP_FAILED)
		error = errno;
	close(fd);
	if (error)
		unlink(path);
	else
		profile = memory;
	return error;
}

static void forget(void)
{
	profiler = NULL;
	profile = NULL;
}

static void begin(const char *directory)
{
	struct equant_profile first = { .magic = EQUANT_PROFILE_MAGIC, .size = sizeof(first) };
	const char *probe = getenv("EQUANT_PROBE");
	char path[PATH_MAX], why[512] = "";
	int error;

	PMPI_Comm_rank(MPI_COMM_WORLD, &first.rank);
	PMPI_Comm_size(MPI_COMM_WORLD, &first.ranks);
	gethostname(first.host, sizeof(first.host) - 1);
	name_job(first.job, sizeof(first.job));
	snprintf(path, sizeof(path), "%s/%d.%ld.profile", directory, first.rank, (long)getpid());
	error = map_file(path, &first);
	/* Where there is no directory, ranks are on another host than who reads it, and who reads says so. */
	if (error == ENOENT)
		return;
	if (error) {
		equant_message("profile of rank %d: %s: %s", first.rank, path, strerror(error));
		return;
	}
	pthread_atfork(NULL, NULL, forget);
	profiler = equant_profiler_new(probe && *probe ? probe : "auto", profile, why, sizeof(why));
	if (profiler)
		return;
	equant_message("profile of rank %d: %s: %s", first.rank, strerror(errno), why);
	unlink(path);
	profile = NULL;
}

void equant_rank_begin(void)
{
	const char *directory = getenv("EQUANT_MPI_PROFILE");
	static bool begun;
	int there = 0;

	if (begun || PMPI_Initialized(&there) || !there)
		return;
	begun = true;
	if (directory && *directory && is_our_mpi())
		begin(directory);
}

void equant_rank_stop(void)
{
	if (profiler)
		equant_profiler_update(profiler);
}

void equant_rank_last(void)
{
	static const struct equant_call call = { "MPI_Finalize" };

	if (!profiler)
		return;
	equant_rank_enter(&call);
	profile->calls--;
}

void equant_rank_end(void)
{
	equant_rank_leave(MPI_SUCCESS);
	equant_rank_stop();
	equant_profiler_free(profiler);
	profiler = NULL;
	if (profile)
		profile->finished = 1;
}

/* Who leaves by exit() has not come to MPI_Finalize(), but has computed. */
__attribute__((destructor)) static void leave_process(void)
{
	equant_rank_stop();
}

void equant_rank_enter(const struct equant_call *call)
{
	if (!profiler)
		return;
	/* A call within another one is not what the program has called. */
	if (!profile->is_inside)
		memcpy(profile->call, call->name, sizeof(profile->call));
	equant_profiler_enter(profiler);
}

int equant_rank_leave(int returned)
{
	if (profiler)
		equant_profiler_leave(profiler);
	return returned;
}
