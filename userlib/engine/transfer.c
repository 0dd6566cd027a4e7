// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Redistributions that can be run: made, looked at and freed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "control/send.h"
#include "core/message.h"
#include "core/mpi_error.h"
#include "core/struct.h"
#include "engine/transfer_internal.h"

int equant_transfer_copy_options(const char *function, const struct equant_transfer_options *from,
				 struct equant_transfer_options *to)
{
	size_t unknown;

	memset(to, 0, sizeof(*to));
	to->sz = sizeof(*to);
	if (!from)
		return 0;
	if (from->sz < sizeof(from->sz)) {
		equant_message("%s: " EQUANT_STRUCT_SMALL("equant_transfer_options"), function);
		return -EINVAL;
	}
	unknown = equant_struct_unknown(from, sizeof(*to), from->sz);
	if (unknown) {
		equant_message("%s: byte %zu of the options is not known here", function, unknown);
		return -EINVAL;
	}
	memcpy(to, from, from->sz < sizeof(*to) ? from->sz : sizeof(*to));
	return 0;
}

/* The ranks that senders or receivers are, in the transfer's communicator. */
static int *list_of(const struct equant_transfer *transfer, int side, const int *given, int count)
{
	int *list = reallocarray(NULL, (size_t)count, sizeof(*list));

	for (int i = 0; list && i < count; i++)
		list[i] = transfer->groups[side].first + (given ? given[i] : i);
	return list;
}

static int set(struct equant_transfer *transfer, const struct equant_redist_array *array,
	       size_t element, const struct equant_transfer_options *options)
{
	transfer->array = *array;
	transfer->element = element;
	transfer->largest = options->largest ? options->largest :
			    options->window == EQUANT_TRANSFER_WINDOW_NETWORK ?
					       EQUANT_SEND_PROMPT :
					       EQUANT_TRANSFER_LARGEST;
	transfer->lists[0] = list_of(transfer, 0, options->senders, equant_redist_senders(array));
	transfer->lists[1] =
		list_of(transfer, 1, options->receivers, equant_redist_receivers(array));
	return transfer->lists[0] && transfer->lists[1] ? 0 : -ENOMEM;
}

int equant_transfer_set_window(struct equant_transfer *transfer,
			       const struct equant_transfer_options *options)
{
	transfer->window = options->window ? options->window : 1;
	if (options->window == EQUANT_TRANSFER_WINDOW_NETWORK)
		transfer->window = equant_transfer_window(transfer->schedule, options->network);
	return transfer->window < 0 ? transfer->window : 0;
}

/* What all ranks give alike. */
static int plan(struct equant_transfer *transfer, const struct equant_redist_array *array,
		size_t element, const struct equant_transfer_options *options, int64_t *memory)
{
	int error = set(transfer, array, element, options);

	if (!error)
		error = equant_transfer_schedule_make(transfer, options);
	if (!error)
		error = equant_transfer_set_window(transfer, options);
	return equant_transfer_prepare(transfer, options, error, memory);
}

/* Only with a communicator of their own can all ranks learn that one has no memory. */
struct equant_transfer *equant_transfer_open(MPI_Comm comm, int group, const char *function)
{
	struct equant_transfer joined = { .comm = MPI_COMM_NULL, .call = function };
	struct equant_transfer *transfer = NULL;
	int error = equant_mpi_check_any(comm, function);

	if (!error)
		error = equant_transfer_join(&joined, comm, group);
	if (!error) {
		transfer = malloc(sizeof(*transfer));
		error = equant_mpi_agree(joined.comm, transfer ? 0 : -ENOMEM);
	}
	if (!error) {
		*transfer = joined;
		return transfer;
	}
	if (joined.comm != MPI_COMM_NULL)
		MPI_Comm_free(&joined.comm);
	free(transfer);
	errno = -error;
	return NULL;
}

struct equant_transfer *equant_transfer_lend(MPI_Comm comm, struct equant_neighbours *neighbours,
					     const struct equant_limits *limits)
{
	struct equant_transfer *transfer = calloc(1, sizeof(*transfer));

	if (!transfer)
		return NULL;
	transfer->lent = true;
	transfer->call = "equant_gemr2d";
	transfer->neighbours = neighbours;
	transfer->limits = *limits;
	equant_transfer_set_comm(transfer, comm);
	return transfer;
}

void *equant_transfer_give_up(struct equant_transfer *transfer, int error)
{
	equant_transfer_free(transfer);
	errno = -error;
	return NULL;
}

struct equant_transfer *equant_transfer_new(MPI_Comm comm, const struct equant_redist_array *array,
					    size_t element,
					    const struct equant_transfer_options *options)
{
	struct equant_transfer_options all;
	int error = equant_transfer_copy_options("equant_transfer_new", options, &all);
	struct equant_transfer *transfer =
		equant_transfer_open(comm, all.group, "equant_transfer_new");

	if (!transfer)
		return NULL;
	if (!error)
		error = equant_transfer_check(transfer, array, element, &all);
	error = equant_transfer_agree(transfer, array, element, &all, error);
	if (!error)
		error = plan(transfer, array, element, &all, NULL);
	if (!error && all.network)
		error = equant_mpi_agree(transfer->comm, equant_refresh_keep(transfer, &all));
	if (!error)
		equant_transfer_join_beside(transfer, all.beside);
	return error ? equant_transfer_give_up(transfer, error) : transfer;
}

int equant_transfer_plan_alike(struct equant_transfer *transfer,
			       const struct equant_redist_array *array, size_t element,
			       const struct equant_transfer_options *options, int64_t *memory)
{
	int error = equant_transfer_check(transfer, array, element, options);

	return error ? error : plan(transfer, array, element, options, memory);
}

void equant_transfer_release_plan(struct equant_transfer *transfer)
{
	for (int side = 0; side < 2; side++)
		equant_lane_release(&transfer->lanes[side], transfer->broken);
	if (!transfer->broken)
		free(transfer->requests);
	free(transfer->done);
	free(transfer->statuses);
	equant_redist_part_free(transfer->own);
	equant_redist_schedule_free(transfer->schedule);
	equant_redist_route_free(transfer->route);
	free(transfer->volumes);
	free(transfer->transit);
}

void equant_transfer_take_plan(struct equant_transfer *to, const struct equant_transfer *from)
{
	to->schedule = from->schedule;
	to->route = from->route;
	to->volumes = from->volumes;
	to->transit = from->transit;
	to->transit_size = from->transit_size;
	to->window = from->window;
	to->own = from->own;
	memcpy(to->lanes, from->lanes, sizeof(to->lanes));
	memcpy(to->reach, from->reach, sizeof(to->reach));
	to->requests = from->requests;
	to->request_count = from->request_count;
	to->done = from->done;
	to->statuses = from->statuses;
}

int equant_transfer_free(struct equant_transfer *transfer)
{
	int error = 0, failed;

	if (!transfer)
		return 0;
	if (transfer->state != EQUANT_TRANSFER_IDLE)
		error = equant_transfer_wait(transfer);
	equant_transfer_leave_beside(transfer);
	equant_transfer_release_plan(transfer);
	free(transfer->lists[0]);
	free(transfer->lists[1]);
	if (!transfer->lent)
		equant_neighbours_free(transfer->neighbours, transfer->broken);
	if (equant_mpi_is_over())
		failed = -EPIPE;
	else if (transfer->comm == MPI_COMM_NULL || transfer->lent || transfer->broken)
		failed = 0;
	else
		failed = equant_mpi_error(MPI_Comm_free(&transfer->comm), "MPI_Comm_free");
	/* MPI may still write what the ranks agree on, and Open MPI looks at the communicator then. */
	if (!transfer->broken) {
		equant_refresh_free(transfer->refresh);
		free(transfer);
	}
	return error ? error : failed;
}

const struct equant_redist_array *equant_transfer_array(const struct equant_transfer *transfer,
							size_t *element)
{
	if (element)
		*element = transfer->element;
	return &transfer->array;
}

const struct equant_redist_schedule *
equant_transfer_schedule(const struct equant_transfer *transfer)
{
	return transfer->schedule;
}

size_t equant_transfer_memory(const struct equant_transfer *transfer)
{
	size_t out = equant_lane_size(&transfer->lanes[0]);
	size_t in = equant_lane_size(&transfer->lanes[1]), all;

	if (__builtin_add_overflow(out, in, &all) ||
	    __builtin_add_overflow(all, transfer->transit_size, &all))
		return SIZE_MAX;
	return all;
}

int equant_transfer_near(const struct equant_transfer *transfer)
{
	const struct equant_lane *lane = &transfer->lanes[1];
	int count = 0;

	for (int64_t i = 0; i < lane->letter_count; i++)
		count += lane->letters[i].neighbour && lane->letters[i].neighbour->reaches;
	return count;
}
