/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Starts MPI jobs of workers and judges them: the tests' side. */
#ifndef LIBJOB_H
#define LIBJOB_H

#include <stddef.h>
#include <sys/types.h>

#define JOB_RANKS 16
#define JOB_VARIABLES 16

/**
 * struct job - mpirun of one worker's case
 * @ranks: how many
 * @environment: "NAME=VALUE", for every rank
 * @limit: seconds after which the job is ended by force; 0 = 20
 * @program: one of the tests' workers ("conserve_worker") or a path below the build
 * @argv: its arguments
 * @wrapper: command that the program is started by, NULL-terminated; NULL = none
 * @result: filled in by job_run()
 */
struct job {
	int ranks;
	double limit;
	const char *program;
	const char *environment[JOB_VARIABLES];
	const char *argv[8];
	const char *const *wrapper;

	double seconds;
	int timed_out;
	int status; /* of mpirun: its exit status, or 128 + signal */
	char output[1 << 16]; /* standard output and error of all ranks */
};

/* Runs the job.  0, or -errno when it could not even be started. */
int job_run(struct job *job);

/* NULL when mpirun succeeded and every rank said "passed CASE", else what is wrong. */
const char *job_fault(const struct job *job);

/* The same of one among several cases: none has passed in a job that has failed. */
const char *job_case_fault(const struct job *job, const char *name);

/* NULL when mpirun failed by itself within @seconds, else what is wrong. */
const char *job_not_failed(const struct job *job, double seconds);

/* How many lines of the output contain @text. */
int job_count(const struct job *job, const char *text);

/* A new folder below /tmp, and its removal with the files in it. */
int folder_make(char *path, size_t size);
void folder_remove(const char *path);

/**
 * struct nodes - that are names: mpirun's daemons, each with a host name of its own
 * @folder: to be removed
 */
struct nodes {
	char folder[64];
	char agent[128];
	char hosts[128];
};

/* @hosts: lines of a hostfile.  Only root may change the host name. */
int nodes_make(struct nodes *nodes, const char *hosts);

/* The job runs on them; behind the variables that it has. */
void nodes_use(const struct nodes *nodes, struct job *job);

/* @path receives the full path of a file below the build. */
void build_path(char *path, size_t size, const char *name);

/*
 * A competitor on CPU 0 for @seconds, from @after seconds on, that computes in the first half of each
 * @period of seconds; 0: always.  The caller reaps it.  -1 and errno if not.
 */
pid_t job_load(double period, double after, int seconds);

#define EXPECT_PASSED(job)                                                             \
	do {                                                                           \
		EXPECT_EQ(0, job_run(job));                                            \
		EXPECT_EQ(NULL, job_fault(job))                                        \
		{                                                                      \
			TH_LOG("%s after %.1f s:\n%s", job_fault(job), (job)->seconds, \
			       (job)->output);                                         \
		}                                                                      \
	} while (0)

#define EXPECT_SAID(job, text)                                          \
	EXPECT_LE(1, job_count(job, text))                              \
	{                                                               \
		TH_LOG("nobody said \"%s\":\n%s", text, (job)->output); \
	}

/* An application says so when its result is that of its sequential version. */
#define EXPECT_VERIFIED(job)                                                          \
	do {                                                                          \
		EXPECT_EQ(0, job_run(job));                                           \
		EXPECT_EQ(0, (job)->status);                                          \
		EXPECT_EQ(1, job_count(job, "verified"))                              \
		{                                                                     \
			TH_LOG("%s %s %s:\n%s", (job)->program,                       \
			       (job)->argv[2] ? (job)->argv[2] : "-",                 \
			       (job)->argv[3] ? (job)->argv[3] : "-", (job)->output); \
		}                                                                     \
	} while (0)

#endif /* LIBJOB_H */
