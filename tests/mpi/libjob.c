// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "libjob.h"

#define LIMIT 20.0
#define GRACE 2.0 /* mpirun's time to end its ranks when it is told to */
#define ARGUMENTS 48

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void build_path(char *path, size_t size, const char *name)
{
	const char *build = getenv("TEST_BUILD");
	char here[512] = "";
	char *tests;

	if (build) {
		snprintf(path, size, "%s/%s", build, name);
		return;
	}
	if (readlink("/proc/self/exe", here, sizeof(here) - 1) < 0)
		here[0] = '\0';
	tests = strstr(here, "/tests/mpi/");
	if (tests)
		*tests = '\0';
	snprintf(path, size, "%s/%s", here, name);
}

struct arguments {
	const char *v[ARGUMENTS];
	int n;
	char ranks[16];
	char program[600];
};

static void add(struct arguments *a, const char *word)
{
	if (a->n < ARGUMENTS - 1)
		a->v[a->n++] = word;
}

/* Ranks share CPUs here, so one that waits must let others go on. */
static void compose(const struct job *job, struct arguments *a)
{
	static const char *const mpirun[] = { "mpirun", "--oversubscribe",     "--bind-to", "none",
					      "--mca",	"mpi_yield_when_idle", "1",	    "-np" };
	char name[128];
	size_t i;

	memset(a, 0, sizeof(*a));
	for (i = 0; i < sizeof(mpirun) / sizeof(mpirun[0]); i++)
		add(a, mpirun[i]);
	snprintf(a->ranks, sizeof(a->ranks), "%d", job->ranks);
	add(a, a->ranks);
	for (i = 0; job->wrapper && job->wrapper[i]; i++)
		add(a, job->wrapper[i]);
	snprintf(name, sizeof(name), "%s%s", strchr(job->program, '/') ? "" : "tests/mpi/",
		 job->program);
	build_path(a->program, sizeof(a->program), name);
	add(a, a->program);
	for (i = 0; i < sizeof(job->argv) / sizeof(job->argv[0]) && job->argv[i]; i++)
		add(a, job->argv[i]);
}

static void become_mpirun(const struct job *job, const struct arguments *a, int out)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
	    dup2(out, STDERR_FILENO) < 0)
		_exit(126);
	setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
	setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
	for (int i = 0; i < JOB_VARIABLES && job->environment[i]; i++)
		putenv((char *)(uintptr_t)job->environment[i]);
	execvp(a->v[0], (char *const *)(uintptr_t)a->v);
	dprintf(STDERR_FILENO, "%s: %s\n", a->v[0], strerror(errno));
	_exit(127);
}

/* Reads until the writers are gone (1), or the time is up (0). */
static int drain(struct job *job, int fd, size_t *used, double deadline)
{
	for (;;) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		double left = deadline - now();
		char spill[4096];
		size_t room = sizeof(job->output) - 1 - *used;
		ssize_t n;

		if (left <= 0)
			return 0;
		if (poll(&p, 1, (int)(left * 1000) + 1) <= 0)
			continue;
		n = room ? read(fd, job->output + *used, room) : read(fd, spill, sizeof(spill));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return 1;
		*used += room ? (size_t)n : 0;
	}
}

/* On a machine that is so much slower, or has as much else to do. */
static double limit_of(const struct job *job)
{
	const char *factor = getenv("TEST_FACTOR");

	return (job->limit > 0 ? job->limit : LIMIT) * (factor ? atof(factor) : 1);
}

static void reap(struct job *job, pid_t pid, int fd)
{
	size_t used = 0;
	int status = 0;
	double start = now();

	if (!drain(job, fd, &used, start + limit_of(job))) {
		job->timed_out = 1;
		kill(pid, SIGTERM);
		if (!drain(job, fd, &used, now() + GRACE))
			kill(pid, SIGKILL);
	}
	waitpid(pid, &status, 0);
	job->seconds = now() - start;
	job->output[used] = '\0';
	job->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int job_run(struct job *job)
{
	struct arguments a;
	int pipes[2];
	pid_t pid;

	job->timed_out = 0;
	compose(job, &a);
	if (pipe2(pipes, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (!pid)
		become_mpirun(job, &a, pipes[1]);
	close(pipes[1]);
	if (pid > 0)
		reap(job, pid, pipes[0]);
	close(pipes[0]);
	return pid > 0 ? 0 : -EAGAIN;
}

static int rank_passed(const struct job *job, const char *name, int rank)
{
	char marker[128];

	snprintf(marker, sizeof(marker), "passed %s on rank %d\n", name, rank);
	return strstr(job->output, marker) != NULL;
}

const char *job_case_fault(const struct job *job, const char *name)
{
	if (job->timed_out)
		return "the job took too long";
	if (job->status)
		return "mpirun failed";
	for (int r = 0; r < job->ranks; r++)
		if (!rank_passed(job, name, r))
			return "a rank did not say that it passed";
	return NULL;
}

const char *job_fault(const struct job *job)
{
	return job_case_fault(job, job->argv[0]);
}

const char *job_not_failed(const struct job *job, double seconds)
{
	if (job->timed_out)
		return "the job took too long";
	if (!job->status)
		return "mpirun succeeded";
	return job->seconds > seconds ? "it took too long to fail" : NULL;
}

int job_count(const struct job *job, const char *text)
{
	const char *at = job->output;
	int count = 0;

	while ((at = strstr(at, text))) {
		count++;
		at += strcspn(at, "\n");
	}
	return count;
}

int folder_make(char *path, size_t size)
{
	snprintf(path, size, "/tmp/equant-mpi-XXXXXX");
	return mkdtemp(path) ? 0 : -errno;
}

void folder_remove(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(path);
}

static int write_file(const char *folder, const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	if (!file)
		return -errno;
	fputs(text, file);
	fchmod(fileno(file), 0755);
	return fclose(file);
}

int nodes_make(struct nodes *nodes, const char *hosts)
{
	int error = folder_make(nodes->folder, sizeof(nodes->folder));

	if (!error)
		error = write_file(nodes->folder, "agent",
				   "#!/bin/sh\nhost=$1\nshift\n"
				   "exec unshare --uts sh -c \"hostname $host; $*\"\n");
	if (!error)
		error = write_file(nodes->folder, "hosts", hosts);
	snprintf(nodes->agent, sizeof(nodes->agent), "OMPI_MCA_plm_rsh_agent=%s/agent",
		 nodes->folder);
	snprintf(nodes->hosts, sizeof(nodes->hosts), "OMPI_MCA_orte_default_hostfile=%s/hosts",
		 nodes->folder);
	return error;
}

void nodes_use(const struct nodes *nodes, struct job *job)
{
	const char *const variables[] = { nodes->agent, nodes->hosts,
					  "OMPI_MCA_plm_rsh_no_tree_spawn=1",
					  "OMPI_MCA_btl=tcp,vader,self" };
	int n = 0;

	while (job->environment[n])
		n++;
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		job->environment[n++] = variables[i];
}

pid_t job_load(double period, double after, int seconds)
{
	char path[600], span[32], word[32];
	pid_t pid;

	build_path(path, sizeof(path), "libexec/equant/load");
	snprintf(span, sizeof(span), "seconds=%d", seconds);
	pid = fork();
	if (pid)
		return pid;
	usleep((useconds_t)(after * 1e6));
	if (period <= 0)
		execl(path, "load", "constant", "cpu=0", span, (char *)NULL);
	snprintf(word, sizeof(word), "period=%g", period);
	execl(path, "load", word, "duty=0.5", "cpu=0", span, (char *)NULL);
	_exit(127);
}
