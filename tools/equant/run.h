/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * One measured job: what is asked for, what came of it.  `equant run` prints
 * it, `equant demo` compares several.
 */
#ifndef EQUANT_TOOL_RUN_H
#define EQUANT_TOOL_RUN_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <equant/profile.h>
#include <equant/report.h>

#include "competitor.h"

struct json;

/* Exit status when equant itself failed, as of env(1) and timeout(1). */
#define EQUANT_EXIT_FAILURE 125
#define EQUANT_EXIT_NOT_FOUND 127

/* Loaded before programs; beside the applications. */
#define RUN_PROFILE_LIBRARY "libequant_profile.so"

#define RUN_MAX_WORDS 64 /* --load and --set options */

/**
 * struct run_request - a job to run
 * @command: ended by NULL
 * @loads: words of the competing loads, comma-separated
 * @settings: NAME=VALUE strings for the job's environment
 * @trace: directory for traces, NULL = none
 * @own_traces: @trace is none that the user has named
 * @replay: directory of traces whose decisions are repeated, NULL = none
 * @probe: NULL = what the environment says, or auto
 * @profile: tell where the time of each rank went, in MPI and outside
 * @own_session: start the job in a session of its own
 * @mask: signal mask of the job; NULL = as it is when the job is started
 * @stdout_to_stderr: standard output is kept for the report
 * @discard_output: the job's standard output goes nowhere
 * @keep: leave the reports where they are
 * @quiet: say nothing about the environment
 */
struct run_request {
	char **command;
	char *loads[RUN_MAX_WORDS];
	int nr_loads;
	char *settings[RUN_MAX_WORDS];
	int nr_settings;
	const char *trace;
	bool own_traces;
	const char *replay;
	const char *probe;
	bool profile;
	bool own_session;
	const sigset_t *mask;
	bool stdout_to_stderr;
	bool discard_output;
	bool keep;
	bool quiet;
};

/**
 * struct run_figures - what a loop's account adds up to
 *
 * Unknown values are NAN.
 * @productive: on-CPU seconds inside compute sections, all ranks
 * @compete: CPU seconds that competitors took while the loop ran
 * @waited: seconds that the ranks wanted a CPU and had none
 * @from_loads: @compete was measured on the loads that were started, not
 *	derived from how long the ranks had to wait
 * @efficiency: Siegell 1995, eq. 1.4
 * @efficiency_lower: Siegell 1995, eq. 1.2
 * @limit: shortest time that the shares allowed
 */
struct run_figures {
	double elapsed;
	double productive;
	double compete;
	double waited;
	bool from_loads;
	double efficiency;
	double efficiency_lower;
	double limit;
	long computed;
};

/**
 * struct run_loop - the report of one loop
 */
struct run_loop {
	struct equant_report_header header;
	struct equant_stats *stats;
	struct run_figures figures;
};

/**
 * struct run_profile - where the time of a rank went
 * @profile: as it was left
 * @job_start_ns: when the first rank of its job began
 */
struct run_profile {
	struct equant_profile profile;
	uint64_t job_start_ns;
};

/**
 * struct run_profile_figures - what the profiles of a job's ranks add up to
 *
 * Unknown values are NAN; so are the last ones where a rank did not finish, or called nothing.
 * @ranks: that the job had
 * @left: that left a profile
 * @finished: that came to MPI_Finalize()
 * @elapsed: seconds, of the rank that took longest
 * @longest: seconds that a rank was busy outside of MPI, or waited for a CPU to be so, at most
 * @longest_rank: which
 * @shortest: and at least
 * @spread: what each rank would be busy for if work were spread as their shares of CPUs were
 *	(in MPI as well as outside)
 */
struct run_profile_figures {
	int ranks;
	int left;
	int finished;
	double elapsed;
	double longest;
	double shortest;
	double spread;
	int longest_rank;
	int shortest_rank;
};

/**
 * struct machine_time - seconds of all CPUs together
 * @busy: in user and system mode
 * @others: part of @busy that neither the job nor its loads took
 */
struct machine_time {
	double total;
	double busy;
	double others;
	double irq;
	double steal;
};

/**
 * struct run_result - what came of a job
 * @status: exit status as a shell would give it
 * @since: when it began, as files say when they were written
 * @ended: when the command did, as profiles say when they began
 * @began: when the command was started, CLOCK_MONOTONIC of this host
 * @elapsed: from start to end of the command
 * @directory: where the reports are, or were
 * @incomplete: a load or a file of the job's is missing, of which there was a message
 * @misplaced: not where the user wants them, of which there was a message
 * @profiled: profiles were asked for
 * @machine: what the whole machine spent meanwhile
 */
struct run_result {
	int status;
	double since;
	double ended;
	double began;
	double elapsed;
	char directory[PATH_MAX];
	bool incomplete;
	bool misplaced;
	struct machine_time machine;
	struct competitor loads[RUN_MAX_WORDS];
	int nr_loads;
	struct run_loop *loops;
	int nr_loops;
	bool profiled;
	struct run_profile *profiles;
	int nr_profiles;
};

/**
 * run_job() - check, start, wait, collect
 *
 * Return: 0 when the command was started and has ended, otherwise the exit
 * status for equant itself, after a message.  The result is to be released
 * either way.
 */
int run_job(const struct run_request *request, struct run_result *result);
void run_result_release(struct run_result *result);

/**
 * run_block_signals() - hold back those that are passed on to a job, or would end this process
 * @set: receives which these are
 * @old: receives the mask before, for run_request.mask
 */
void run_block_signals(sigset_t *set, sigset_t *old);

/** run_check() - is everything there that the job needs? 0 or an exit status, after a message */
int run_check(const struct run_request *request);

/** run_setting() - the value of that variable by the last of @request's settings; NULL = none */
const char *run_setting(const struct run_request *request, const char *name);

/** run_reports_are_kept() - does the user's environment say where reports go? */
bool run_reports_are_kept(void);

/**
 * run_words() - the words of the command as the job is started with
 * @request: the job
 * @set: what is set in its environment, "NAME=VALUE", with NULL at the end
 * @open_mpi: see run_is_open_mpi()
 *
 * Open MPI's mpirun is told to hand equant's options on to other hosts.
 *
 * Return: the words with NULL at the end, for run_words_release(); NULL without memory.
 */
char **run_words(const struct run_request *request, char *const *set, bool open_mpi);
void run_words_release(char **words);

/** run_hands_on() - is "-x NAME", or "-x NAME=VALUE", among the words of mpirun? */
bool run_hands_on(char *const *words, const char *name);

/** run_is_open_mpi() - does this word start Open MPI's mpirun? */
bool run_is_open_mpi(const char *command);

/** run_collect() - load the reports in the result's directory */
int run_collect(struct run_result *result);

/** run_collect_profiles() - and the profiles, those of a job behind each other and in the order of their ranks */
int run_collect_profiles(struct run_result *result);

/** run_profile_next() - index of the first profile behind @first that is of another job */
int run_profile_next(const struct run_result *result, int first);

/** run_profile_figures_of() - what the profiles from @first up to @end, which are of one job, add up to */
void run_profile_figures_of(struct run_profile_figures *figures, const struct run_profile *first,
			    const struct run_profile *end);

/** run_profile_share() - share of a CPU that the rank had outside of MPI; NAN = unknown, or hardly measured */
double run_profile_share(const struct equant_profile *profile);

/** run_ends_with() - is that the end of the file's name, behind more than nothing? */
bool run_ends_with(const char *name, const char *ending);

/**
 * run_move_reports() - move those in @directory to the one that it is in, and remove it
 *
 * They get the first free numbers there.  @directory becomes where they are.
 *
 * Return: 0 or -errno, after a message.
 */
int run_move_reports(char *directory);

/** run_figures_of() - work out @loop->figures */
void run_figures_of(struct run_loop *loop, const struct run_result *result);

/** run_share() - share of a CPU that the rank had inside its compute sections; NAN = unknown */
double run_share(const struct equant_stats *stats);

/** run_stolen() - fraction of the time on a CPU that went to interrupts and steal; NAN = unknown */
double run_stolen(const struct equant_stats *stats);

/** machine_time_read() - since boot, without @others; 0 or -errno */
int machine_time_read(struct machine_time *time);

#define RUN_CELL 16

/** run_cell() - a number as it stands in a table, in @text of RUN_CELL bytes; "-" where it is not known */
const char *run_cell(char *text, const char *format, double value);

void run_print_text(FILE *out, const struct run_result *result);
void run_print_profiles(FILE *out, const struct run_result *result);
void run_put_profiles(struct json *json, const struct run_result *result);
void run_print_json(FILE *out, const struct run_request *request, const struct run_result *result);

#endif /* EQUANT_TOOL_RUN_H */
