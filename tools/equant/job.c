// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * One job from its check to its reports.  While it runs this process only
 * passes signals on and reads the clocks of the loads.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "run.h"
#include "signals.h"
#include "spawn.h"
#include "traces.h"
#include "witness.h"

#define SAMPLE_NS 50000000 /* interpolation between samples need not be finer */
#define MAX_VARIABLES (RUN_MAX_WORDS + 9) /* and NULL */

/**
 * struct environment - what a job is started with
 * @variables: "NAME=VALUE", with NULL at the end
 * @count: of them
 * @failed: there was no memory for one
 * @words: of the command
 */
struct environment {
	char *variables[MAX_VARIABLES];
	int count;
	bool failed;
	char **words;
};

static double seconds(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static void add_text(struct environment *env, char *text)
{
	if (text)
		env->variables[env->count++] = text;
	else
		env->failed = true;
}

static void add_variable(struct environment *env, const char *name, const char *value)
{
	char *text;

	add_text(env, asprintf(&text, "%s=%s", name, value) < 0 ? NULL : text);
}

/* Before the program, and before what the user has loaded before it. */
static void add_profile(struct environment *env, const struct run_result *result)
{
	const char *given = getenv("LD_PRELOAD");
	char library[PATH_MAX], *text;

	if (spawn_find_helper(RUN_PROFILE_LIBRARY, library, sizeof(library)))
		return;
	add_text(env, asprintf(&text, "LD_PRELOAD=%s:%s", library, given ? given : "") < 0 ? NULL :
											     text);
	add_variable(env, "EQUANT_MPI_PROFILE", result->directory);
}

/* 0, or -ENOMEM after a message. */
static int set_environment(struct environment *env, const struct run_request *request,
			   const struct run_result *result)
{
	bool open_mpi = run_is_open_mpi(request->command[0]);
	char path[PATH_MAX];

	add_variable(env, "EQUANT_REPORT", result->directory);
	if (request->probe)
		add_variable(env, "EQUANT_PROBE", request->probe);
	if (request->trace)
		add_variable(env, "EQUANT_TRACE",
			     realpath(request->trace, path) ? path : request->trace);
	if (request->replay)
		add_variable(env, "EQUANT_REPLAY",
			     realpath(request->replay, path) ? path : request->replay);
	if (geteuid() == 0 && open_mpi) {
		add_variable(env, "OMPI_ALLOW_RUN_AS_ROOT", "1");
		add_variable(env, "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
	}
	for (int i = 0; i < request->nr_settings; i++)
		add_text(env, strdup(request->settings[i]));
	if (request->profile)
		add_profile(env, result);
	env->words = run_words(request, env->variables, open_mpi);
	if (env->words && !env->failed)
		return 0;
	fprintf(stderr, "equant: %s\n", strerror(ENOMEM));
	return -ENOMEM;
}

static void release_environment(struct environment *env)
{
	while (env->count > 0)
		free(env->variables[--env->count]);
	run_words_release(env->words);
}

bool run_reports_are_kept(void)
{
	const char *given = getenv("EQUANT_REPORT");

	return given && *given;
}

/* Not by its name: who may write to the parent may have put something else there. */
static void open_to_others(const char *directory, mode_t mode)
{
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return;
	if (!fstat(fd, &st) && st.st_uid == geteuid())
		fchmod(fd, mode);
	close(fd);
}

/*
 * Reports go to a directory of this job's own, as others may write theirs where the user wants them, too; and
 * ranks may be elsewhere in the tree.
 */
static int make_directory(struct run_result *result, bool *temporary, struct directory_id *id)
{
	const char *given = getenv("EQUANT_REPORT");
	char parent[PATH_MAX];
	struct stat st;
	int ret;

	*temporary = !run_reports_are_kept();
	if (*temporary)
		return directory_make(result->directory, "run", id);
	if (!realpath(given, parent))
		snprintf(parent, sizeof(parent), "%s", given);
	ret = directory_make_below(parent, result->directory, "run");
	if (ret)
		fprintf(stderr, "equant: EQUANT_REPORT: %s: %s\n", parent, strerror(-ret));
	/* Ranks may be another user's. */
	else if (!stat(parent, &st))
		open_to_others(result->directory, st.st_mode & ALLPERMS);
	return ret;
}

static int make_trace_directory(const char *path)
{
	struct stat st;

	if (!path || !mkdir(path, 0777))
		return 0;
	if (errno == EEXIST && !stat(path, &st)) {
		if (S_ISDIR(st.st_mode))
			return 0;
		errno = ENOTDIR;
	}
	fprintf(stderr, "equant: traces in %s: %s\n", path, strerror(errno));
	return -errno;
}

void run_block_signals(sigset_t *set, sigset_t *old)
{
	static const int signals[] = { SIGCHLD, SIGINT,	 SIGTERM, SIGHUP,
				       SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE };

	sigemptyset(set);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaddset(set, signals[i]);
	sigprocmask(SIG_BLOCK, set, old);
}

/* One that came before there was a job to pass it on to; 0 = none. */
static int pending_signal(const sigset_t *set)
{
	const struct timespec none = { 0 };
	int sig;

	do {
		sig = sigtimedwait(set, NULL, &none);
	} while (sig == SIGCHLD || (sig > 0 && signal_is_ignored(sig)));
	return sig > 0 ? sig : 0;
}

/* One more of a signal that was sent to this process, and to its group. */
static void take_another(int sig)
{
	const struct timespec none = { 0 };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, sig);
	sigtimedwait(&set, NULL, &none);
}

/*
 * The terminal has already sent its own to the whole process group, but not to one of another
 * session, whose leader the job is then; and that it hung up only to the session's leader.  Others, such as
 * timeout(1) and batch systems, may send theirs to the group, too, and mpirun takes the second one for the
 * wish to leave its ranks alone.
 */
static void pass_on(const siginfo_t *info, pid_t pid, bool own_session, pid_t witness)
{
	bool leader_only = info->si_signo == SIGHUP && getsid(0) == getpid();

	if (info->si_code == SI_KERNEL && own_session)
		kill(-pid, info->si_signo);
	else if (info->si_code == SI_KERNEL && !leader_only)
		return;
	else if (info->si_code != SI_KERNEL && getpgid(pid) == getpgrp() &&
		 witness_saw(witness, info->si_signo))
		take_another(info->si_signo);
	else
		kill(pid, info->si_signo);
}

static int wait_for(pid_t pid, const struct run_request *request, const sigset_t *set,
		    struct run_result *result)
{
	const struct timespec pause = { .tv_nsec = SAMPLE_NS };
	pid_t witness = witness_start();
	siginfo_t info;
	int status;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		int sig = sigtimedwait(set, &info, result->nr_loads ? &pause : NULL);

		if (sig > 0 && sig != SIGCHLD) {
			pass_on(&info, pid, request->own_session, witness);
			/* What one has seen it keeps. */
			witness_stop(witness);
			witness = witness_start();
		}
		for (int i = 0; i < result->nr_loads; i++)
			competitor_sample(&result->loads[i]);
	}
	witness_stop(witness);
	return spawn_status(status);
}

static int start_loads(const struct run_request *request, struct run_result *result)
{
	for (int i = 0; i < request->nr_loads; i++) {
		int ret = competitor_start(&result->loads[i], request->loads[i]);

		if (ret)
			return ret;
		result->nr_loads++;
	}
	return 0;
}

/* Has one of them failed? */
static bool stop_loads(struct run_result *result)
{
	bool failed = false;

	for (int i = 0; i < result->nr_loads; i++)
		failed |= competitor_stop(&result->loads[i]) != 0;
	return failed;
}

static double cpu_of_children(void)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec +
	       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static double cpu_of_loads(const struct run_result *result, double from)
{
	double sum = 0;

	for (int i = 0; i < result->nr_loads; i++)
		sum += competitor_cpu(&result->loads[i], from * 1e9, HUGE_VAL);
	return sum;
}

static void machine_since(struct run_result *result, const struct machine_time *before,
			  double children, double start)
{
	struct machine_time *time = &result->machine;

	machine_time_read(time);
	time->total -= before->total;
	time->busy -= before->busy;
	time->irq -= before->irq;
	time->steal -= before->steal;
	/* Of a job that was ended some have not been waited for by their parents, and are not accounted for. */
	time->others = result->status ? NAN :
					fmax(0, time->busy - (cpu_of_children() - children) -
							cpu_of_loads(result, start));
}

static int execute(const struct run_request *request, struct run_result *result,
		   const struct environment *env, const sigset_t *set, const sigset_t *old)
{
	struct spawn what = { .argv = env->words,
			      .environment = env->variables,
			      .out = request->stdout_to_stderr ? STDERR_FILENO : -1,
			      .err = -1,
			      .mask = request->mask ? request->mask : old,
			      .new_session = request->own_session };
	struct machine_time before = { 0 };
	double start = seconds(CLOCK_MONOTONIC), children = cpu_of_children();
	int null = -1, ret;
	pid_t pid;

	if (request->discard_output)
		what.out = null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	machine_time_read(&before);
	result->began = start;
	ret = spawn(&what, &pid);
	if (ret) {
		fprintf(stderr, "equant: %s: %s\n", request->command[0], strerror(-ret));
		ret = EQUANT_EXIT_NOT_FOUND - (ret != -ENOENT);
	} else {
		result->status = wait_for(pid, request, set, result);
		result->elapsed = seconds(CLOCK_MONOTONIC) - start;
		result->ended = seconds(CLOCK_REALTIME);
	}
	machine_since(result, &before, children, start);
	if (null >= 0)
		close(null);
	return ret;
}

/* Between the start of the first load and the end of the last: signals wait. */
static int run_beside_loads(const struct run_request *request, struct run_result *result)
{
	struct environment env = { .count = 0 };
	sigset_t set, old;
	int ret, sig;

	ret = set_environment(&env, request, result) ? EQUANT_EXIT_FAILURE : 0;
	run_block_signals(&set, &old);
	if (!ret && start_loads(request, result))
		ret = EQUANT_EXIT_FAILURE;
	sig = ret ? 0 : pending_signal(&set);
	if (sig)
		ret = 128 + sig;
	if (!ret)
		ret = execute(request, result, &env, &set, &old);
	result->incomplete = stop_loads(result);
	sigprocmask(SIG_SETMASK, &old, NULL);
	release_environment(&env);
	return ret;
}

int run_job(const struct run_request *request, struct run_result *result)
{
	bool temporary = false;
	struct directory_id id = { 0 };
	int ret;

	*result = (struct run_result){ .since = seconds(CLOCK_REALTIME_COARSE),
				       .profiled = request->profile };
	ret = run_check(request);
	if (ret)
		return ret;
	if (make_trace_directory(request->trace) || make_directory(result, &temporary, &id))
		return EQUANT_EXIT_FAILURE;
	ret = run_beside_loads(request, result);
	if (!ret)
		result->incomplete |= run_collect(result) | run_collect_profiles(result);
	for (int i = 0; i < result->nr_loops; i++)
		run_figures_of(&result->loops[i], result);
	result->misplaced = !temporary && run_move_reports(result->directory);
	if (temporary && !request->keep)
		directory_remove(result->directory, &id);
	else if (!request->quiet || request->keep)
		fprintf(stderr, "equant: reports are in %s\n", result->directory);
	return ret;
}

void run_result_release(struct run_result *result)
{
	for (int i = 0; i < result->nr_loads; i++)
		competitor_release(&result->loads[i]);
	for (int i = 0; i < result->nr_loops; i++)
		free(result->loops[i].stats);
	free(result->loops);
	free(result->profiles);
	*result = (struct run_result){ 0 };
}
