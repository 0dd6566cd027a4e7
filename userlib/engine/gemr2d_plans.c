// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Plans that are kept for the next call.
 *
 * A rank may know less than makes a plan: one that is in neither grid knows only the part's size.
 * So each says in which places a plan is that it could have asked for so, and the place that all
 * say is the plan's.  Calls are collective, so that all ranks fill and free the same places.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "control/meet.h"
#include "core/compare.h"
#include "core/mpi_error.h"
#include "engine/gemr2d_internal.h"
#include "redist/redist_internal.h"

#define PLACES (EQUANT_GEMR2D_PLANS + 1)
#define CALL "equant_gemr2d"
#define WILLING (UINT64_C(1) << 63) /* beside a bit for each place */

_Static_assert(PLACES < 63, "a bit for each place");

/* ---- new and free ------------------------------------------------------------------------ */

static int check(const struct equant_gemr2d_plans *plans, size_t memory, int error)
{
	const struct equant_alike things[] = { { "the number of plans", (uint64_t)plans->most },
					       { "their memory", memory },
					       { "EQUANT_CHECK", plans->limits.check } };

	if (plans->most < 0 || plans->most > EQUANT_GEMR2D_PLANS || memory > INT64_MAX) {
		equant_message(
			"rank %d: equant_gemr2d_plans_new: %d plans of %zu bytes, %d plans can be",
			plans->rank, plans->most, memory, EQUANT_GEMR2D_PLANS);
		error = -EINVAL;
	}
	return equant_compare(plans->comm, "equant_gemr2d_plans_new", error, things, 3);
}

/* On all ranks or on none.  NULL and errno. */
static struct equant_gemr2d_plans *open_plans(MPI_Comm comm, const struct equant_limits *limits)
{
	int error = equant_mpi_check(comm, "equant_gemr2d_plans_new");
	struct equant_gemr2d_plans *new = NULL;
	MPI_Comm copy = MPI_COMM_NULL;

	if (!error)
		error = equant_meet(comm, "equant_gemr2d_plans_new", limits);
	if (!error)
		error = equant_mpi_error(MPI_Comm_dup(comm, &copy), "MPI_Comm_dup");
	if (!error) {
		MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
		new = calloc(1, sizeof(*new));
		error = equant_mpi_agree(copy, new ? 0 : -ENOMEM);
	}
	if (!error) {
		new->comm = copy;
		return new;
	}
	if (copy != MPI_COMM_NULL)
		MPI_Comm_free(&copy);
	free(new);
	errno = -error;
	return NULL;
}

struct equant_gemr2d_plans *equant_gemr2d_plans_new(MPI_Comm comm, int plans, size_t memory)
{
	struct equant_gemr2d_plans *new;
	struct equant_limits limits;
	int error;

	equant_limits_read(&limits, false);
	new = open_plans(comm, &limits);
	if (!new)
		return NULL;
	new->limits = limits;
	new->most = plans;
	new->memory = (int64_t)memory;
	new->options.sz = sizeof(new->options);
	MPI_Comm_rank(new->comm, &new->rank);
	MPI_Comm_size(new->comm, &new->ranks);
	error = equant_neighbours_new(new->comm, 0, &new->neighbours);
	error = check(new, memory, error);
	if (error) {
		equant_gemr2d_plans_free(new);
		errno = -error;
		return NULL;
	}
	return new;
}

int equant_gemr2d_forget(struct equant_gemr2d_plans *plans)
{
	int error = 0, failed;

	for (int i = 0; i < PLACES; i++) {
		failed = equant_transfer_free(plans->plan[i].transfer);
		plans->plan[i].transfer = NULL;
		error = error ? error : failed;
	}
	return error;
}

int equant_gemr2d_plans_free(struct equant_gemr2d_plans *plans)
{
	int error, failed;

	if (!plans)
		return 0;
	error = equant_gemr2d_forget(plans);
	equant_redist_network_free(plans->network);
	equant_neighbours_free(plans->neighbours, plans->broken);
	failed = equant_mpi_is_over() ? -EPIPE : 0;
	/* MPI may still write what the ranks agree on, and Open MPI looks at the communicator then. */
	if (!plans->broken) {
		if (!failed)
			failed = equant_mpi_error(MPI_Comm_free(&plans->comm), "MPI_Comm_free");
		free(plans);
	}
	return error ? error : failed;
}

int64_t equant_gemr2d_plans_made(const struct equant_gemr2d_plans *plans)
{
	return plans->made;
}

/* ---- a call's plan --------------------------------------------------------------------- */

static uint64_t matching(const struct equant_gemr2d_plans *plans,
			 const struct equant_gemr2d_call *call)
{
	uint64_t places = 0;

	for (int i = 0; i < PLACES; i++)
		if (plans->plan[i].transfer && !memcmp(&plans->plan[i].call, call, sizeof(*call)))
			places |= UINT64_C(1) << i;
	return places;
}

static struct equant_gemr2d_plan *free_place(struct equant_gemr2d_plans *plans)
{
	int i = 0;

	while (plans->plan[i].transfer)
		i++;
	return &plans->plan[i];
}

static struct equant_gemr2d_plan *make(struct equant_gemr2d_plans *plans,
				       const struct equant_gemr2d_call *call, int *error)
{
	struct equant_gemr2d_plan *plan = free_place(plans);

	plan->transfer = equant_gemr2d_plan(plans, call, &plan->memory, error);
	if (!plan->transfer)
		return NULL;
	if (plan->memory > INT64_MAX / PLACES)
		plan->memory = INT64_MAX / PLACES;
	plan->call = *call;
	plans->made++;
	return plan;
}

struct equant_gemr2d_plan *equant_gemr2d_find(struct equant_gemr2d_plans *plans,
					      const struct equant_gemr2d_call *call, int refused,
					      int *error)
{
	struct equant_gemr2d_plan *plan;
	MPI_Request request;
	uint64_t all;

	*error = plans->limits.check ? equant_meet(plans->comm, CALL, &plans->limits) : 0;
	if (*error)
		return NULL;
	plans->mine = refused ? 0 : matching(plans, call) | WILLING;
	*error = equant_mpi_error(MPI_Iallreduce(&plans->mine, &plans->all, 1, MPI_UINT64_T,
						 MPI_BAND, plans->comm, &request),
				  "looking for a plan of equant_gemr2d");
	if (!*error)
		*error = equant_meet_in(&request, plans->comm, CALL, &plans->limits);
	if (!*error && !(plans->all & WILLING))
		*error = refused ? refused : -ECANCELED;
	if (*error)
		return NULL;
	all = plans->all & ~WILLING;
	plan = all ? &plans->plan[__builtin_ctzll(all)] : make(plans, call, error);
	if (plan)
		plan->used = ++plans->calls;
	return plan;
}

/* ---- what is kept ---------------------------------------------------------------------- */

static struct equant_gemr2d_plan *oldest(struct equant_gemr2d_plans *plans, int *count,
					 int64_t *memory)
{
	struct equant_gemr2d_plan *oldest = NULL;

	*count = 0;
	*memory = 0;
	for (int i = 0; i < PLACES; i++) {
		struct equant_gemr2d_plan *plan = &plans->plan[i];

		if (!plan->transfer)
			continue;
		++*count;
		*memory += plan->memory;
		if (!oldest || plan->used < oldest->used)
			oldest = plan;
	}
	return oldest;
}

int equant_gemr2d_trim(struct equant_gemr2d_plans *plans)
{
	struct equant_gemr2d_plan *plan;
	int64_t memory;
	int count, error = 0;

	while ((plan = oldest(plans, &count, &memory)) && !error) {
		if (count <= plans->most && (!plans->memory || memory <= plans->memory))
			break;
		error = equant_transfer_free(plan->transfer);
		plan->transfer = NULL;
	}
	return error;
}
