// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* A loop from its birth to its report. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/message.h"
#include "core/mpi_error.h"
#include "loop/loop_internal.h"
#include "trace/trace_internal.h"

#define GONE_PATIENCE 0.2 /* seconds for messages to a rank that is gone */

/* The hook finds the countdown by the loop's address alone. */
_Static_assert(offsetof(struct equant_loop, countdown) == 0, "countdown comes first");
_Static_assert(offsetof(struct equant_loop, unit) == sizeof(long), "the unit second");
_Static_assert(offsetof(struct equant_loop, strip) == 2 * sizeof(long), "the strip third");
_Static_assert(offsetof(struct equant_sample, meetings) ==
		       offsetof(struct equant_event, u.sample.meetings) -
			       offsetof(struct equant_event, u),
	       "a sample is recorded as it is");
_Static_assert(sizeof(struct equant_sample) <= sizeof(((struct equant_event *)0)->u),
	       "a sample fits into an event");

/* Every rank must describe the same loop: compare smallest and largest. */
static int agree(struct equant_loop *loop, long units)
{
	long mine[4] = { units, -units, 0, 0 }, all[4];
	const char *c;
	int error;

	for (c = loop->name; *c; c++)
		mine[2] = (mine[2] * 31 + *c) & 0xffffffff;
	mine[3] = -mine[2];
	error = equant_mpi_error(MPI_Allreduce(mine, all, 4, MPI_LONG, MPI_MAX, loop->comm),
				 "comparing loops");
	if (error)
		return error;
	if (all[0] == -all[1] && all[2] == -all[3])
		return 0;
	equant_message(
		"loop %s: its units or its name differ between ranks (here %ld, largest %ld, smallest %ld)",
		loop->name, units, all[0], -all[1]);
	return -EINVAL;
}

static int check_arguments(const struct equant_loop *loop, const char *name, long units)
{
	const char *fault = NULL;

	if (!name || !*name)
		fault = "no name";
	else if (strlen(name) >= sizeof(loop->name))
		fault = "a name of more than 39 bytes";
	else if (units < 0)
		fault = "negative units";
	if (!fault)
		return 0;
	equant_message("equant_loop_new: %s on rank %d", fault, loop->rank);
	return -EINVAL;
}

static int prepare(struct equant_loop *loop, long units)
{
	const struct equant_options *o = &loop->eq->options;
	int error = equant_units_init(&loop->units, units, loop->ranks, EQUANT_BLOCK);

	if (error)
		return error;
	loop->restricted = o->movement == EQUANT_MOVE_IN_ORDER;
	equant_mover_init(&loop->mover, &loop->eq->waiter, loop->comm, loop->rank, o->check,
			  &loop->slices);
	if (o->check)
		loop->mover.timeout = o->timeout;
	return 0;
}

/* @error: this rank's arguments are bad.  If one rank cannot, none does. */
static int set_up(struct equant_loop *loop, long units, int error)
{
	error = equant_check_context(loop->eq, EQUANT_AT_NEW, loop->name, 0, error);
	if (error)
		return error;
	error = equant_mpi_error(MPI_Comm_dup(loop->eq->comm, &loop->comm), "MPI_Comm_dup");
	if (error)
		return error;
	MPI_Comm_set_errhandler(loop->comm, MPI_ERRORS_RETURN);
	error = agree(loop, units);
	if (error)
		return error;
	error = equant_report_start(loop);
	error = equant_mpi_agree(loop->comm, error ? error : prepare(loop, units));
	/* First, so that it does not find what is recorded now. */
	if (!error && loop->eq->options.replay)
		error = equant_replay_open(loop);
	return error ? error : equant_trace_start(loop);
}

static void release(struct equant_loop *loop)
{
	struct equant_loop **link = &loop->eq->loops;

	while (*link && *link != loop)
		link = &(*link)->next;
	if (*link)
		*link = loop->next;
	equant_share_release(loop);
	equant_trace_close(loop->trace);
	equant_replay_close(loop);
	equant_mover_forget(&loop->mover);
	equant_units_release(&loop->units);
	equant_ghosts_release(&loop->ghosts);
	equant_pipeline_free(loop->pipeline, loop->ranks);
	equant_balancer_free(loop->balancer);
	if (loop->control && !equant_mpi_is_over())
		equant_control_cancel(loop->control);
	/* Of a rank that is late MPI may still write, and for it read, slices, passes of units and samples. */
	if (!loop->abandoned) {
		equant_slices_release(&loop->slices);
		equant_pass_free(loop->pass);
		equant_control_free(loop->control);
		if (loop->comm != MPI_COMM_NULL && !equant_mpi_is_over())
			MPI_Comm_free(&loop->comm);
	}
	free(loop);
}

struct equant_loop *equant_loop_new(struct equant *eq, const char *name, long units)
{
	struct equant_loop *loop;
	int error;

	if (!eq) {
		equant_message("equant_loop_new: no context");
		errno = EINVAL;
		return NULL;
	}
	loop = calloc(1, sizeof(*loop));
	if (!loop) {
		eq->made++;
		equant_check_context(eq, EQUANT_AT_NEW, name, 0, -ENOMEM);
		errno = ENOMEM;
		return NULL;
	}
	loop->eq = eq;
	loop->comm = MPI_COMM_NULL;
	loop->rank = eq->rank;
	loop->ranks = eq->ranks;
	loop->order = eq->made++;
	loop->countdown = loop->step = 1;
	snprintf(loop->name, sizeof(loop->name), "%s", name ? name : "");
	error = set_up(loop, units, check_arguments(loop, name, units));
	if (error) {
		release(loop);
		errno = -error;
		return NULL;
	}
	loop->next = eq->loops;
	eq->loops = loop;
	return loop;
}

static int registered(const struct equant_loop *loop, int error, const char *what)
{
	if (error)
		equant_message("loop %s: %s: %s", loop->name, what, strerror(-error));
	return error;
}

int equant_loop_array(struct equant_loop *loop, void *base, size_t slice)
{
	int error;

	if (loop->started)
		return registered(loop, -EBUSY, "array registered after the first hook");
	if (loop->units.units && equant_share_has(loop, base))
		error = -EEXIST;
	else
		error = equant_slices_add_array(&loop->slices, loop->units.units, base, slice);
	return registered(
		loop, error,
		error == -EEXIST ?
			"an array registered twice" :
			"registering an array (its address and bytes per unit must not be 0)");
}

int equant_loop_data(struct equant_loop *loop, const struct equant_data_ops *ops, void *ctx)
{
	if (loop->started)
		return registered(loop, -EBUSY, "data registered after the first hook");
	return registered(loop, equant_slices_add_data(&loop->slices, ops, ctx),
			  "registering data (all callbacks and sz must be set)");
}

const char *equant_loop_settled(const struct equant_loop *loop)
{
	if (loop->started || loop->first.t_ns)
		return "called after the first section or hook";
	if (equant_slices_tables(&loop->slices))
		return "called after equant_loop_table()";
	if (loop->leader || loop->follower)
		return "called after equant_loop_share()";
	/* Copies would have to be fetched again. */
	if (loop->below || loop->above)
		return "called after equant_loop_neighbours()";
	if (loop->ghosts.under_way)
		return "called before equant_loop_ghosts_finish()";
	return equant_units_resting(&loop->units) ? "called with inactive units" : NULL;
}

int equant_loop_distribute(struct equant_loop *loop, enum equant_distribution distribution)
{
	const char *settled = equant_loop_settled(loop);
	int in_order = loop->eq->options.movement == EQUANT_MOVE_IN_ORDER, error;
	struct equant_units units;

	if (in_order && distribution == EQUANT_BLOCK)
		distribution = EQUANT_BLOCK_ORDER;
	if (settled) {
		equant_message("loop %s: equant_loop_distribute: %s", loop->name, settled);
		return -EBUSY;
	}
	if (distribution < EQUANT_BLOCK || distribution > EQUANT_BLOCK_ORDER)
		return registered(
			loop, -EINVAL,
			"equant_loop_distribute (EQUANT_BLOCK, EQUANT_CYCLIC or EQUANT_BLOCK_ORDER)");
	if (in_order && distribution == EQUANT_CYCLIC)
		return registered(loop, -EINVAL,
				  "units in turn are no blocks, but EQUANT_MOVEMENT=restricted");
	error = equant_units_init(&units, loop->units.units, loop->ranks, distribution);
	if (error)
		return registered(loop, error, "equant_loop_distribute");
	equant_units_release(&loop->units);
	loop->units = units;
	loop->restricted = distribution == EQUANT_BLOCK_ORDER;
	return 0;
}

int equant_loop_free(struct equant_loop *loop)
{
	uint64_t waiting;
	int error, ended, alone;

	if (!loop)
		return 0;
	if (equant_mpi_is_over()) {
		equant_message("loop %s: freed after MPI_Finalize(), its report is lost",
			       loop->name);
		release(loop);
		return -EPIPE;
	}
	loop->eq->waiter.call = "equant_loop_free()";
	if (!loop->eq->lost)
		equant_lose(loop->eq, equant_hears(&loop->eq->waiter, 0));
	if (loop->error)
		equant_pipeline_abort(loop);
	/* The account ends with the last hook; these waits are not in it. */
	waiting = loop->waiting_ns;
	equant_ghosts_give_up(loop);
	ended = equant_loop_end(loop);
	/* Not before: the end compares hooks since the last sample. */
	equant_record_rest(loop);
	if (ended)
		equant_loop_fail(loop, ended);
	loop->abandoned = ended == -ETIMEDOUT;
	alone = equant_loop_part(loop);
	loop->waiting_ns = waiting;
	if (loop->abandoned || loop->error)
		equant_mover_give_up(&loop->mover, GONE_PATIENCE);
	error = equant_mover_release(&loop->mover);
	if (!loop->error)
		loop->error = error;
	error = equant_trace_end(loop);
	if (!loop->error)
		loop->error = error;
	/* Whoever gave up on a rank, or does not know where it is, does not wait for it. */
	alone |= loop->error == -ETIMEDOUT || loop->eq->lost;
	error = alone ? 0 : equant_report_write(loop);
	if (!loop->error)
		loop->error = error;
	error = loop->error;
	loop->eq->abandoned |= loop->abandoned;
	release(loop);
	return error;
}

long equant_loop_moved(const struct equant_loop *loop)
{
	return loop->mover.sent + loop->mover.received;
}

/* Any thread of the rank may ask, and no loop is a constant.  Loops that share have the same units. */
void equant_loop_note_read(const struct equant_loop *loop)
{
	if (!loop->eq->options.check)
		return;
	for (const struct equant_loop *l = loop->leader ? loop->leader : loop; l; l = l->follower)
		__atomic_store_n((long *)&l->moved_when_read, equant_loop_moved(l),
				 __ATOMIC_RELAXED);
}

const struct equant_range *equant_loop_ranges(const struct equant_loop *loop, int *count)
{
	static const struct equant_range none = { 0 };
	const struct equant_runs *own = &loop->units.owned[loop->rank];

	equant_loop_note_read(loop);
	*count = own->n;
	return own->n ? own->ranges : &none;
}

const char *equant_loop_name(const struct equant_loop *loop)
{
	return loop->name;
}

long equant_loop_units(const struct equant_loop *loop)
{
	return loop->units.units;
}

long equant_loop_count(const struct equant_loop *loop)
{
	equant_loop_note_read(loop);
	return loop->units.counts[loop->rank];
}

int equant_loop_owner(const struct equant_loop *loop, long unit)
{
	equant_loop_note_read(loop);
	return equant_units_owner(&loop->units, unit);
}
