// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The network, which no argument of ScaLAPACK's tells.  Two variables of the environment do:
 *
 *	EQUANT_GEMR2D_NETWORK	a file of equant_redist_network_read(), of the processes of
 *				MPI_COMM_WORLD
 *	EQUANT_GEMR2D_ROUTER	beside it, a name of equant_redist_router_name(): parts may go by
 *				way of other processes
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <equant/gemr2d.h>
#include <equant/redist.h>

#include "core/message.h"
#include "gemr2d/blacs.h"

#define NETWORK "EQUANT_GEMR2D_NETWORK"
#define ROUTER "EQUANT_GEMR2D_ROUTER"
#define PATIENT_RANKS 64 /* of more, all schedules take too long to try */

static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

/* ---- of all processes ---------------------------------------------------------------------- */

static int forget(MPI_Comm comm, int key, void *network, void *unused)
{
	(void)comm;
	(void)key;
	(void)unused;
	equant_redist_network_free(network);
	return MPI_SUCCESS;
}

/*
 * The file is read once: it hangs on MPI_COMM_SELF, of which MPI_Finalize() frees what hangs on it.  NULL,
 * errno and @why.
 */
static const struct equant_redist_network *all_of(const char *path, char *why, size_t why_size)
{
	static int key = MPI_KEYVAL_INVALID; /* BLACS has one thread, and state of its own */
	struct equant_redist_network *network = NULL;
	int found = 0;

	if (key == MPI_KEYVAL_INVALID)
		MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key, NULL);
	MPI_Comm_get_attr(MPI_COMM_SELF, key, &network, &found);
	if (found)
		return network;
	network = equant_redist_network_read(path, why, why_size);
	if (network)
		MPI_Comm_set_attr(MPI_COMM_SELF, key, network);
	return network;
}

/* ---- of those of a context ------------------------------------------------------------------ */

/* The ranks of @comm in MPI_COMM_WORLD, to be freed, or NULL. */
static int *world_ranks(MPI_Comm comm, int count)
{
	int *of_comm = calloc((size_t)count, 2 * sizeof(*of_comm)), *of_world;
	MPI_Group some, all;

	if (!of_comm)
		return NULL;
	of_world = of_comm + count;
	for (int i = 0; i < count; i++)
		of_comm[i] = i;
	MPI_Comm_group(comm, &some);
	MPI_Comm_group(MPI_COMM_WORLD, &all);
	MPI_Group_translate_ranks(some, count, of_comm, all, of_world);
	MPI_Group_free(&some);
	MPI_Group_free(&all);
	memcpy(of_comm, of_world, (size_t)count * sizeof(*of_comm));
	return of_comm;
}

static int check(const struct equant_redist_network *network, const char *path, const int *ranks,
		 int count, char *why, size_t why_size)
{
	int world;

	MPI_Comm_size(MPI_COMM_WORLD, &world);
	if (network->ranks != world) {
		snprintf(why, why_size, "%s: a network of %d ranks, there are %d", path,
			 network->ranks, world);
		return -EINVAL;
	}
	for (int i = 0; i < count; i++) {
		if (ranks[i] == MPI_UNDEFINED) {
			snprintf(why, why_size, "%s: process %d is not in MPI_COMM_WORLD", path, i);
			return -EINVAL;
		}
	}
	return 0;
}

/*
 * What is between the processes of @comm, in the file that the variable names; without it NULL.  0, or
 * -errno and @why.
 */
static int read_network(MPI_Comm comm, struct equant_redist_network **network, char *why,
			size_t why_size)
{
	const char *path = variable(NETWORK);
	const struct equant_redist_network *all;
	int count, error, *ranks;

	*network = NULL;
	if (!path && variable(ROUTER)) {
		snprintf(why, why_size, "is not set, and " ROUTER " is");
		return -EINVAL;
	}
	if (!path)
		return 0;
	snprintf(why, why_size, "no memory");
	all = all_of(path, why, why_size);
	if (!all)
		return -errno;
	MPI_Comm_size(comm, &count);
	ranks = world_ranks(comm, count);
	error = ranks ? check(all, path, ranks, count, why, why_size) : -ENOMEM;
	if (!error) {
		*network = equant_redist_network_part(all, count, ranks, why, why_size);
		error = *network ? 0 : -errno;
	}
	free(ranks);
	return error;
}

/*
 * 1 if all have a network, 0 if none has; or an error on all, which the first says that has one: what
 * is wrong with a file is so on thousands.
 */
static int agree(MPI_Comm comm, const struct equant_redist_network *network, int error,
		 const char *why)
{
	int mine[3], all[3], me;

	MPI_Comm_rank(comm, &me);
	mine[0] = network != NULL;
	mine[1] = !network;
	mine[2] = error ? INT_MAX - me : 0;
	MPI_Allreduce(mine, all, 3, MPI_INT, MPI_MAX, comm);
	if (all[2]) {
		if (all[2] == INT_MAX - me)
			equant_message("process %d: " NETWORK ": %s", me, why);
		/* Files have errors that look like MPI's. */
		return error == -ENOMEM ? error : -EINVAL;
	}
	if (!all[0] || !all[1])
		return all[0];
	if (!me)
		equant_message(NETWORK " is set on some processes and not on others");
	return -EINVAL;
}

int equant_blacs_use_network(struct equant_gemr2d_plans *plans, MPI_Comm comm)
{
	struct equant_transfer_options options = { .sz = sizeof(options),
						   .window = EQUANT_TRANSFER_WINDOW_NETWORK,
						   .router = variable(ROUTER) };
	struct equant_redist_network *network;
	char why[512] = "";
	int ranks, error = read_network(comm, &network, why, sizeof(why));
	int all = agree(comm, network, error, why);

	options.network = network;
	MPI_Comm_size(comm, &ranks);
	if (!options.router)
		options.scheduler = ranks > PATIENT_RANKS ? "best" : "shortest";
	error = all > 0 ? equant_gemr2d_plans_use(plans, &options) : all;
	equant_redist_network_free(network);
	return error;
}
