// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The context: one per communicator, any number at once. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/meet.h"
#include "core/extreme.h"
#include "core/message.h"
#include "core/mpi_error.h"
#include "core/options.h"
#include "loop/loop_internal.h"

const char *equant_version(void)
{
	return EQUANT_VERSION;
}

static int duplicate(struct equant *eq, MPI_Comm comm)
{
	int error = equant_mpi_error(MPI_Comm_dup(comm, &eq->comm), "MPI_Comm_dup");

	if (error)
		return error;
	MPI_Comm_set_errhandler(eq->comm, MPI_ERRORS_RETURN);
	/* A copy has its original's error handler. */
	error = equant_mpi_error(MPI_Comm_dup(eq->comm, &eq->collectives), "MPI_Comm_dup");
	if (error)
		return error;
	MPI_Comm_rank(eq->comm, &eq->rank);
	MPI_Comm_size(eq->comm, &eq->ranks);
	return 0;
}

/* "%r" in the probe's argument stands for the rank, "%t" for the thread in its team. */
int equant_context_probe(const struct equant *eq, int thread, char *name, size_t size)
{
	const char *from = eq->options.probe;
	size_t used = 0;

	name[0] = '\0';
	for (; *from && used < size; from++) {
		if (from[0] == '%' && (from[1] == 'r' || from[1] == 't'))
			used += (size_t)snprintf(name + used, size - used, "%d",
						 *++from == 'r' ? eq->rank : thread);
		else
			used += (size_t)snprintf(name + used, size - used, "%c", *from);
	}
	if (used < size)
		return 0;
	equant_message("rank %d: the probe's name has more than %zu characters: %s", eq->rank,
		       size - 1, name);
	return -ENAMETOOLONG;
}

static int open_probe(struct equant *eq)
{
	char why[1024] = "", name[512];
	char *line, *rest = why;
	int error = equant_context_probe(eq, 0, name, sizeof(name));

	if (error)
		return error;
	eq->probe = equant_probe_open(name, why, sizeof(why));
	if (!eq->probe) {
		error = -errno;
		equant_message("rank %d: probe %s: %s", eq->rank, name, why);
		return error;
	}
	while (eq->options.verbose && (line = strsep(&rest, "\n")))
		if (*line)
			equant_message("rank %d: %s", eq->rank, line);
	return 0;
}

/* If one rank cannot, none does; and all must balance by the same rules. */
static int agree(struct equant *eq, int error)
{
	enum { N = EQUANT_OPTIONS_MAX };
	uint64_t mine[1 + 2 * N] = { 0 }, all[1 + 2 * N];
	int failed, i;

	/* The largest, and the complement of the smallest; of the ranks that cannot the lowest. */
	if (error)
		mine[0] = (uint64_t)(eq->ranks - eq->rank);
	equant_options_shared(&eq->options, mine + 1);
	for (i = 1; i <= N; i++)
		mine[N + i] = ~mine[i];
	failed = equant_mpi_error(MPI_Allreduce(mine, all, 1 + 2 * N, MPI_UINT64_T, MPI_MAX,
						eq->comm),
				  "comparing options");
	if (error || failed)
		return error ? error : failed;
	if (all[0]) {
		equant_message("equant_open: rank %d has refused", eq->ranks - (int)all[0]);
		return -ECANCELED;
	}
	for (i = 1; i <= N && all[i] == ~all[N + i]; i++)
		;
	if (i > N)
		return 0;
	if (!eq->rank)
		equant_message("option %s differs between ranks",
			       equant_options_name((size_t)i - 1));
	return -EINVAL;
}

static void release(struct equant *eq)
{
	/* Of a rank that was given up on something may yet come: nobody gets the communicators' numbers. */
	int kept = equant_mpi_is_over() || eq->lost || eq->abandoned;

	equant_team_release(&eq->team);
	equant_probe_close(eq->probe);
	equant_node_close(eq->node, kept);
	if (!equant_mpi_is_over())
		equant_extreme_release(eq);
	equant_options_release(&eq->options);
	if (!kept) {
		if (eq->comm != MPI_COMM_NULL)
			MPI_Comm_free(&eq->comm);
		if (eq->collectives != MPI_COMM_NULL)
			MPI_Comm_free(&eq->collectives);
	}
	equant_exchange_free(eq->meeting);
	equant_speed_end(&eq->told);
	free(eq);
}

int equant_open(struct equant **out, MPI_Comm comm, const struct equant_options *options)
{
	struct equant_options resolved;
	struct equant_limits limits;
	struct equant *eq = NULL;
	int error, refused;

	*out = NULL;
	error = equant_mpi_check(comm, "equant_open");
	if (error)
		return error;
	/* First, for what is wrong to be told also where a rank does not come. */
	refused = equant_options_resolve(&resolved, options);
	equant_limits_read(&limits, true);
	error = equant_meet(comm, "equant_open", &limits);
	if (!error) {
		eq = calloc(1, sizeof(*eq));
		error = equant_mpi_agree(comm, eq ? 0 : -ENOMEM);
	}
	if (error) {
		equant_options_release(&resolved);
		free(eq);
		return error;
	}
	eq->options = resolved;
	eq->comm = eq->collectives = MPI_COMM_NULL;
	eq->extreme = MPI_DATATYPE_NULL;
	eq->larger = MPI_OP_NULL;
	equant_team_init(&eq->team);
	error = duplicate(eq, comm);
	if (error)
		goto fail;
	error = refused;
	if (!eq->rank)
		equant_options_misspelled();
	if (!error)
		error = open_probe(eq);
	if (!error)
		error = equant_check_open(eq);
	error = agree(eq, error);
	if (error)
		goto fail;
	error = equant_node_open(&eq->node, eq->collectives);
	if (error)
		goto fail;
	if (!eq->node && !eq->rank && eq->options.verbose)
		equant_message("ranks of a node share no memory: all waits are for messages");
	equant_waiter_init(&eq->waiter, (enum equant_wait_mode)eq->options.wait, eq->probe,
			   eq->node);
	eq->waiter.delay_ns = (uint64_t)(1e9 * eq->options.delay);
	eq->waiter.timeout = eq->options.timeout;
	eq->waiter.limit = eq->options.check ? eq->options.timeout : 0;
	eq->waiter.hears = equant_hears;
	eq->waiter.eq = eq;
	*out = eq;
	return 0;
fail:
	release(eq);
	return error;
}

int equant_close(struct equant *eq)
{
	int error = 0, first = 0;

	if (!eq)
		return 0;
	if (eq->users) {
		equant_message(
			"rank %d: equant_close: self-scheduled loops and runs of task graphs have to be freed first: %d",
			eq->rank, eq->users);
		return -EBUSY;
	}
	if (equant_mpi_is_over()) {
		equant_message("equant_close: after MPI_Finalize()");
		first = -EPIPE;
	}
	while (eq->loops) {
		error = equant_loop_free(eq->loops);
		first = first ? first : error;
	}
	/* Whoever has given up on this rank, or another one, has told so. */
	eq->waiter.call = "equant_close()";
	if (!equant_mpi_is_over() && !eq->lost)
		equant_lose(eq, equant_hears(&eq->waiter, 0));
	release(eq);
	return first;
}

struct equant_probe *equant_probe(struct equant *eq)
{
	return eq->probe;
}
