/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * What all the programs do alike: read their options, exiting with status 2 and a line that names the
 * fault, take memory, and end.  @app is the program's name.
 */
#ifndef APP_H
#define APP_H

#include <errno.h>
#include <getopt.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* @status, or 1 after a message where what was printed has not arrived: the disk may be full. */
static inline int app_end(const char *app, int status)
{
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "%s: standard output: %s\n", app, strerror(errno ? errno : EIO));
		status = status ? status : 1;
	}
	MPI_Finalize();
	return status;
}

/*
 * Options are read by rank 0 first, as all ranks have the same ones, as a rule: what there is to say about them is
 * said once, and all end alike.  @status: to end with, or -1.
 */
static inline int app_verdict(int status)
{
	MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
	return status;
}

static inline int app_rank(void)
{
	int rank;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	return rank;
}

/* Before the options. */
static inline void app_begin(const char *app, int *argc, char ***argv)
{
	int status;

	MPI_Init(argc, argv);
	status = app_rank() ? app_verdict(-1) : -1;
	if (status >= 0)
		exit(app_end(app, status));
}

/* Instead of going on after them; of another rank than 0 its options alone are wrong. */
static inline void __attribute__((noreturn)) app_exit(const char *app, int status)
{
	if (!app_rank()) {
		app_verdict(status);
		status = app_end(app, status);
	}
	exit(status);
}

/* Behind the options, which are right. */
static inline void app_go_on(void)
{
	if (!app_rank())
		app_verdict(-1);
}

/* The number @text of the @option, from @low to @high. */
static inline long app_number(const char *app, const char *option, const char *text, long low,
			      long high)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || end == text || *end || value < low || value > high) {
		fprintf(stderr, "%s: %s %s: not a number from %ld to %ld\n", app, option, text, low,
			high);
		app_exit(app, 2);
	}
	return value;
}

/* The name @text of the @option, one of name(0) on; or names all. */
static inline const char *app_name(const char *app, const char *option, const char *text,
				   const char *(*name)(int))
{
	char all[512] = "";

	for (int i = 0; name(i); i++) {
		size_t at = strlen(all);

		if (!strcmp(text, name(i)))
			return text;
		snprintf(all + at, sizeof(all) - at, " %s", name(i));
	}
	fprintf(stderr, "%s: %s %s: none of%s\n", app, option, text, all);
	app_exit(app, 2);
}

/* @c, of getopt_long(), is --help or no option at all. */
static inline void app_help(const char *app, void (*usage)(FILE *out), int c)
{
	usage(c == 'h' ? stdout : stderr);
	app_exit(app, c == 'h' ? 0 : 2);
}

/* The programs take nothing but options. */
static inline void app_no_more(const char *app, int argc, char **argv)
{
	if (optind == argc)
		return;
	fprintf(stderr, "%s: %s: unexpected argument\n", app, argv[optind]);
	app_exit(app, 2);
}

#define APP_LARGE ((size_t)4 << 20) /* bytes: worth large pages */

/* @n zeros of @size bytes; for the caller to free.  A sweep along rows meets another page in each column. */
static inline void *app_zeros(const char *app, long n, size_t size)
{
	char *zeros = calloc((size_t)(n ? n : 1), size);
	size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = (size_t)n * size;

	if (!zeros) {
		fprintf(stderr, "%s: no memory for %ld numbers\n", app, n);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	if (bytes >= APP_LARGE)
		madvise(zeros + page - (uintptr_t)zeros % page, bytes - page, MADV_HUGEPAGE);
	return zeros;
}

static inline double *app_doubles(const char *app, long n)
{
	return app_zeros(app, n, sizeof(double));
}

#endif /* APP_H */
