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

#define SAME_NUMBERS 1000 /* jobs of which a rank had the same process number */
#define VERSION_BYTES 16384 /* of any MPI: Open MPI needs 256, MPICH 8192 */

/* Of the thread that initialised MPI; others' calls are only handed on. */
static __thread struct equant_profiler *profiler __attribute__((tls_model("initial-exec")));

/*
 * Of the process: in its file; NULL: there is none, and in a child that is no rank.  The file stays open until
 * the process ends: network file systems hand on what is in memory when it is closed.
 */
static struct equant_profile *profile;

/* A plugin that has called MPI, first to initialise it: who else calls may have no MPI of its own. */
static void *plugin;

/* Of the MPI that came with whatever calls. */
static void *find_from(void *caller, const char *name)
{
	void *found = NULL, *object = NULL;
	Dl_info info;

	if (dladdr(caller, &info))
		object = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	if (object)
		found = dlsym(object, name);
	if (found && !plugin)
		plugin = object;
	else if (object)
		dlclose(object);
	return found || !plugin ? found : dlsym(plugin, name);
}

void *equant_rank_next(const char *name, void *caller)
{
	void *function = dlsym(RTLD_NEXT, name);

	if (!function)
		function = find_from(caller, name);
	if (function)
		return function;
	equant_message("%s is called, and no library has it", name);
	abort();
}

/* What this library has not itself; NULL: nobody has. */
static void *find(const char *name, void *caller)
{
	void *found = dlsym(RTLD_DEFAULT, name);

	return found ? found : find_from(caller, name);
}

#define FIND(name, caller) ((__typeof__(&name))find(#name, caller))

static MPI_Comm find_world(void *caller)
{
#ifdef OPEN_MPI
	return find("ompi_mpi_comm_world", caller);
#else
	(void)caller;
	return MPI_COMM_WORLD;
#endif
}

/* Handles of one MPI mean nothing to another, which is what the program may have been linked with. */
static bool is_our_mpi(void *caller)
{
	__typeof__(&PMPI_Get_library_version) get = FIND(PMPI_Get_library_version, caller);
	char version[VERSION_BYTES];
	bool open_mpi, ours = false;
	int length;

	if (!get || get(version, &length))
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

/* The ranks that were started together have the same of these.  Numbers are at the end of what does not fit. */
static void name_job(char *job, size_t size)
{
	static const char *const names[] = { "PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid",
					     "PMI_JOBID", "SLURM_STEP_ID" };
	const char *job_of_batch = getenv("SLURM_JOB_ID"), *value = NULL;
	char name[1024] = "";
	size_t length;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && !value; i++)
		value = getenv(names[i]);
	if (value)
		snprintf(name, sizeof(name), "%s%s%s", job_of_batch ? job_of_batch : "",
			 job_of_batch ? "." : "", value);
	length = strlen(name);
	snprintf(job, size, "%s", name + (length < size ? 0 : length - (size - 1)));
}

/*
 * A file of this rank's own: in containers, process numbers of jobs that follow on each other are alike.
 * Its descriptor, or -errno; @path becomes its name.
 */
static int make_file(const char *directory, int rank, char *path, size_t size)
{
	int fd, again = 0;

	do {
		if (again)
			snprintf(path, size, "%s/%d.%ld.%d.profile", directory, rank,
				 (long)getpid(), again);
		else
			snprintf(path, size, "%s/%d.%ld.profile", directory, rank, (long)getpid());
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	} while (fd < 0 && errno == EEXIST && ++again < SAME_NUMBERS);
	return fd < 0 ? -errno : fd;
}

/* A file that has room for all of it before it is written: a full disk is an error here, no signal later. */
static int map_file(int fd, const char *path, const struct equant_profile *first)
{
	void *memory = MAP_FAILED;
	int error;

	error = posix_fallocate(fd, 0, sizeof(*first));
	if (!error && pwrite(fd, first, sizeof(*first), 0) != sizeof(*first))
		error = EIO;
	if (!error)
		memory = mmap(NULL, sizeof(*first), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (!error && memory == MAP_FAILED)
		error = errno;
	if (error) {
		close(fd);
		unlink(path);
	} else {
		profile = memory;
	}
	return error;
}

static void forget(void)
{
	profiler = NULL;
	profile = NULL;
}

static void begin(const char *directory, void *caller)
{
	__typeof__(&PMPI_Comm_rank) get_rank = FIND(PMPI_Comm_rank, caller);
	__typeof__(&PMPI_Comm_size) get_size = FIND(PMPI_Comm_size, caller);
	struct equant_profile first = { .magic = EQUANT_PROFILE_MAGIC, .size = sizeof(first) };
	const char *probe = getenv("EQUANT_PROBE");
	char path[PATH_MAX], why[512] = "";
	int fd, error;

	if (!get_rank || get_rank(find_world(caller), &first.rank) || !get_size ||
	    get_size(find_world(caller), &first.ranks))
		return;
	gethostname(first.host, sizeof(first.host) - 1);
	name_job(first.job, sizeof(first.job));
	fd = make_file(directory, first.rank, path, sizeof(path));
	error = fd < 0 ? -fd : map_file(fd, path, &first);
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
	munmap(profile, sizeof(*profile));
	close(fd);
	profile = NULL;
}

void equant_rank_begin(void *caller)
{
	__typeof__(&PMPI_Initialized) is_initialized = FIND(PMPI_Initialized, caller);
	const char *directory = getenv("EQUANT_MPI_PROFILE");
	static bool begun;
	int there = 0;

	if (begun || !is_initialized || is_initialized(&there) || !there)
		return;
	begun = true;
	if (directory && *directory && is_our_mpi(caller))
		begin(directory, caller);
}

/* It is told where a rank is, and not counted. */
static void enter_uncounted(const struct equant_call *call)
{
	uint64_t before;

	if (!profiler)
		return;
	before = profile->calls;
	equant_rank_enter(call);
	profile->calls = before;
}

void equant_rank_last(void)
{
	static const struct equant_call call = { "MPI_Finalize" };

	enter_uncounted(&call);
}

void equant_rank_abort(void)
{
	static const struct equant_call call = { "MPI_Abort" };

	if (profiler)
		equant_profiler_update(profiler);
	enter_uncounted(&call);
}

void equant_rank_end(void)
{
	equant_rank_leave(MPI_SUCCESS);
	if (profiler)
		equant_profiler_update(profiler);
	equant_profiler_free(profiler);
	profiler = NULL;
	if (profile)
		profile->finished = 1;
}

/* Who leaves by exit() has not come to MPI_Finalize(), but has computed. */
__attribute__((destructor)) static void leave_process(void)
{
	if (profiler)
		equant_profiler_update(profiler);
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
