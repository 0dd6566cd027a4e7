// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Calls in which all ranks of a communicator meet.  CALL says which; the second of two ranks comes late, or
 * has another communicator, or what was made of another one.
 */
#include <equant/gemr2d.h>
#include <equant/transfer.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/gemr2d_internal.h"
#include "engine/transfer_internal.h"
#include "libworker.h"

/**
 * struct way - to meet
 * @name: of the call
 * @make: what it needs on a communicator, or NULL; all ranks meet there first
 * @limits: that what was made has of its own
 * @meet: the call; 0 or -errno
 * @release: what it has needed, or made
 */
struct way {
	const char *name;
	void *(*make)(MPI_Comm comm);
	struct equant_limits *(*limits)(void *thing);
	int (*meet)(void **thing, MPI_Comm comm);
	int (*release)(void *thing);
};

/* ---- contexts ---------------------------------------------------------------------------- */

static int open_context(void **thing, MPI_Comm comm)
{
	return equant_open((struct equant **)thing, comm, NULL);
}

static int close_context(void *thing)
{
	return equant_close(thing);
}

/* ---- transfers --------------------------------------------------------------------------- */

static void *make_transfer(MPI_Comm comm)
{
	const struct equant_redist_array array = { .dimensions = 1,
						   .extent = { 2000 },
						   .from = { { 1, 2, 0, 0 } },
						   .to = { { 3, 2, 0, 0 } } };
	struct equant_redist_network *network = equant_redist_network_new(2, 1e-5, 1e8, NULL, 0);
	struct equant_transfer_options options = { .sz = sizeof(options), .network = network };
	struct equant_transfer *transfer;
	int error;

	demand(network);
	transfer = equant_transfer_new(comm, &array, sizeof(double), &options);
	error = errno;
	equant_redist_network_free(network);
	errno = error;
	return transfer;
}

static int new_transfer(void **thing, MPI_Comm comm)
{
	*thing = make_transfer(comm);
	return *thing ? 0 : -errno;
}

static int run_transfer(void **thing, MPI_Comm comm)
{
	static const int64_t stride[] = { 1 };
	static double from[2000], to[2000];

	(void)comm;
	return equant_transfer_run(*thing, stride, from, stride, to);
}

static int refresh_transfer(void **thing, MPI_Comm comm)
{
	int changed;

	(void)comm;
	return equant_transfer_refresh(*thing, &changed);
}

static struct equant_limits *limits_of_transfer(void *thing)
{
	return &((struct equant_transfer *)thing)->limits;
}

static int free_transfer(void *thing)
{
	return equant_transfer_free(thing);
}

/* ---- matrices ---------------------------------------------------------------------------- */

static void *make_plans(MPI_Comm comm)
{
	return equant_gemr2d_plans_new(comm, 2, 0);
}

static int new_plans(void **thing, MPI_Comm comm)
{
	*thing = make_plans(comm);
	return *thing ? 0 : -errno;
}

static int use_plans(void **thing, MPI_Comm comm)
{
	struct equant_transfer_options options = { .sz = sizeof(options), .window = 2 };

	(void)comm;
	return equant_gemr2d_plans_use(*thing, &options);
}

static int move_matrix(void **thing, MPI_Comm comm)
{
	struct equant_gemr2d_matrix a = { .rows = 40,
					  .columns = 4,
					  .row_block = 1,
					  .column_block = 4,
					  .grid_rows = 2,
					  .grid_columns = 1,
					  .my_row = rank,
					  .leading = 20 };
	struct equant_gemr2d_matrix b = a;
	static double from[80], to[80];

	(void)comm;
	b.row_block = 5;
	return equant_gemr2d(*thing, 40, 4, MPI_DOUBLE, &a, from, &b, to);
}

static struct equant_limits *limits_of_plans(void *thing)
{
	return &((struct equant_gemr2d_plans *)thing)->limits;
}

static int free_plans(void *thing)
{
	return equant_gemr2d_plans_free(thing);
}

/* ---- networks ---------------------------------------------------------------------------- */

static int calibrate(void **thing, MPI_Comm comm)
{
	return equant_calibrate_network(comm, 0.2, (struct equant_redist_network **)thing);
}

static int free_network(void *thing)
{
	equant_redist_network_free(thing);
	return 0;
}

static const struct way ways[] = {
	{ "equant_open", NULL, NULL, open_context, close_context },
	{ "equant_transfer_new", NULL, NULL, new_transfer, free_transfer },
	{ "equant_transfer_run", make_transfer, limits_of_transfer, run_transfer, free_transfer },
	{ "equant_transfer_refresh", make_transfer, limits_of_transfer, refresh_transfer,
	  free_transfer },
	{ "equant_gemr2d_plans_new", NULL, NULL, new_plans, free_plans },
	{ "equant_gemr2d_plans_use", make_plans, limits_of_plans, use_plans, free_plans },
	{ "equant_gemr2d", make_plans, limits_of_plans, move_matrix, free_plans },
	{ "equant_calibrate_network", NULL, NULL, calibrate, free_network },
};

static const struct way *way_wanted(void)
{
	const char *call = getenv("CALL");

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (call && !strcmp(call, ways[i].name))
			return &ways[i];
	worker_fail_text(__FILE__, __LINE__, "no call is called %s", call);
}

/* ---- cases ------------------------------------------------------------------------------- */

/* From now on, in which what a call needs is there. */
static void limit_waits(const struct way *way, void *thing, bool check)
{
	if (way->make)
		*way->limits(thing) = (struct equant_limits){ 0.2, check };
	setenv("EQUANT_TIMEOUT", "0.2", 1);
	setenv("EQUANT_CHECK", check ? "on" : "off", 1);
}

/* Standard error, from now on; returns what it has been. */
static int keep_said(const char *path)
{
	int was = dup(2), file = open(path, O_CREAT | O_WRONLY | O_APPEND, 0600);

	demand(was >= 0 && file >= 0 && dup2(file, 2) == 2);
	close(file);
	return was;
}

static void repeat_said(const char *path, int was)
{
	char line[512];
	FILE *file = fopen(path, "r");

	demand(file && dup2(was, 2) == 2);
	while (fgets(line, sizeof(line), file))
		fputs(line, stderr);
	fclose(file);
}

static bool has_said(const char *path)
{
	char line[512];
	FILE *file = fopen(path, "r");
	bool said = false;

	while (file && !said && fgets(line, sizeof(line), file))
		said = strstr(line, "have come within") != NULL;
	if (file)
		fclose(file);
	return said;
}

/* Rank 1 comes when rank 0 has said that it waits. */
static int come_late(const struct way *way, bool check)
{
	const char *path = getenv("SAID");
	void *thing = NULL;
	int was = -1, error;

	if (way->make) {
		thing = way->make(MPI_COMM_WORLD);
		demand(thing);
	}
	limit_waits(way, thing, check);
	if (!rank)
		was = keep_said(path);
	while (rank && !has_said(path))
		usleep(10000);
	error = way->meet(&thing, MPI_COMM_WORLD);
	if (!rank)
		repeat_said(path, was);
	demand(thing || error);
	if (thing)
		way->release(thing);
	return error;
}

static void late(void)
{
	demand_equal(0, come_late(way_wanted(), false));
}

/* Rank 0 has given up then, and rank 1 does not go on alone. */
static void too_late(void)
{
	demand_equal(-ETIMEDOUT, come_late(way_wanted(), true));
}

/* What ranks have that missed each other they can free, but not use. */
static void apart(void)
{
	const struct way *way = way_wanted();
	void *things[2] = { NULL, NULL };
	MPI_Comm comms[2];

	for (int i = 0; i < 2; i++) {
		MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
		if (way->make) {
			things[i] = way->make(comms[i]);
			demand(things[i]);
		}
	}
	limit_waits(way, things[rank], true);
	demand_equal(-ETIMEDOUT, way->meet(&things[rank], comms[rank]));
	demand(way->make || !things[rank]);
	if (!way->make)
		return;
	demand_equal(-EPIPE, way->meet(&things[rank], comms[rank]));
	way->release(things[rank]);
}

/* What stands in the environment is no number. */
static void limitless(void)
{
	void *transfer = make_transfer(MPI_COMM_WORLD);

	demand(transfer);
	demand_equal(30, limits_of_transfer(transfer)->timeout);
	demand_equal(0, free_transfer(transfer));
}

/* Nobody waits for one that has another idea of how long. */
static void checked_by_one(void)
{
	struct equant *eq;

	setenv("EQUANT_CHECK", rank ? "on" : "off", 1);
	demand(!make_transfer(MPI_COMM_WORLD) && errno == EINVAL);
	demand(!make_plans(MPI_COMM_WORLD) && errno == EINVAL);
	demand_equal(-EINVAL, equant_open(&eq, MPI_COMM_WORLD, NULL));
}

static const struct worker_case cases[] = {
	CASE(late), CASE(too_late), CASE(apart), CASE(limitless), CASE(checked_by_one),
};

int main(int argc, char **argv)
{
	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
