/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * equant: balance the loops of an MPI program while it runs.
 *
 *	struct equant *eq;
 *	struct equant_loop *rows;
 *
 *	equant_open(&eq, MPI_COMM_WORLD, NULL);
 *	rows = equant_loop_new(eq, "rows", n);
 *	equant_loop_array(rows, a, n * sizeof(*a));
 *	equant_hook(rows);
 *	for (step = 0; step < steps; step++) {
 *		equant_begin(rows);
 *		equant_for_each_unit(rows, r)
 *			compute(r);
 *		equant_end(rows);
 *		equant_hook(rows);
 *	}
 *	equant_loop_free(rows);
 *	equant_close(eq);
 *
 * Errors: functions return 0 or -errno, constructors NULL and errno; every error but the want
 * of memory also writes one line to standard error that names what is wrong and where.
 * MPI errors become -EIO (a dead peer, a revoked or invalid communicator, no memory within MPI) or
 * -EPROTO; the line has what MPI says.
 *
 * Threads: a context and its loops belong to the thread that called equant_open(); this thread's
 * CPU time is the rank's, with that of threads that join it (equant_team_join()).  Several threads
 * may have a context each, on communicators of their own, under MPI_THREAD_MULTIPLE.
 *
 * Functions marked collective must be called by every rank of the
 * communicator in the same order.
 */
#ifndef EQUANT_EQUANT_H
#define EQUANT_EQUANT_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include <equant/balance.h>
#include <equant/export.h>

#ifdef __cplusplus
extern "C" {
#endif

#define EQUANT_VERSION "0.1.0"

/**
 * enum equant_wait_mode - what a rank does while it waits for others
 */
enum equant_wait_mode {
	EQUANT_WAIT_SPIN, /* test again at once */
	EQUANT_WAIT_YIELD, /* sched_yield() between tests */
	EQUANT_WAIT_BLOCK, /* test again for a short time, then sleep between tests */
	EQUANT_WAIT_AUTO, /* spin while nobody else wants the CPU, block else */
};

/**
 * enum equant_mode - do ranks meet in balancing phases?
 */
enum equant_mode {
	EQUANT_MODE_PIPELINED, /* yes, and are at most as many apart as @depth says */
	EQUANT_MODE_ASYNCHRONOUS, /* no: only the ranks of a transfer wait for each other */
};

/**
 * enum equant_control_mode - who sends samples to whom, and who decides
 */
enum equant_control_mode {
	EQUANT_CONTROL_EXCHANGE, /* everybody to everybody; each rank decides the same */
	EQUANT_CONTROL_TREE, /* up a binomial tree to rank 0, which decides, and down again */
	EQUANT_CONTROL_CENTRAL, /* to rank 0, which decides, and back: the thesis' */
};

/**
 * enum equant_movement_rule - which units may move where
 */
enum equant_movement_rule {
	EQUANT_MOVE_BY_LOOP, /* as the loop's distribution asks for */
	EQUANT_MOVE_IN_ORDER, /* EQUANT_BLOCK means EQUANT_BLOCK_ORDER */
};

/**
 * struct equant_options - how to measure, decide and report
 *
 * Start from equant_options_init() and change what you need.  Every field is also an
 * environment variable, which wins over the program: EQUANT_ and the
 * field's name in capitals.  `equant help env` lists them with ranges and defaults.
 * @sz is sizeof(struct equant_options) of the caller; bytes beyond what the
 * library knows must be zero.  Strings are copied.
 */
struct equant_options {
	size_t sz;
	const char *probe; /* "auto", "bpf", "kmod", "schedstat", "clock", "replay:FILE" */
	const char *trace; /* directory for one trace file per rank and loop; NULL = none */
	const char *report; /* directory for one report per loop (report.h); NULL = none */
	int balance; /* 0 = measure only: hooks and passes send no messages, no moves */
	int rate; /* enum equant_rate_mode */
	int filter; /* of the measured rate: enum equant_filter_kind */
	int check; /* verify counts before every phase, and the checksum of every transfer */
	int depth; /* phases an interaction may take: 0 = synchronous, else pipelined */
	int ports; /* transfers a rank may receive per phase; 0 = any number */
	int verbose; /* 1 = say which probe and why, every decision that moves */
	long omit; /* transfers of fewer units are left out */
	double period; /* seconds between balancing phases; 0 = from the quantum */
	double threshold; /* smallest predicted gain that is worth moving */
	double profit; /* cancel moves that cost more than this times their benefit; 0 = never */
	double window; /* seconds of history behind the expected benefit */
	double interact; /* largest fraction of time for interaction, eq. 4.2 */
	double amplitude; /* tolerated amplitude of a measured rate, eq. 4.10 */
	double timeout; /* seconds after which a silent peer is named, and in checked mode an error */
	int wait; /* enum equant_wait_mode: hooks, equant_wait(), equant_barrier()... */
	int control; /* enum equant_control_mode */
	int polls; /* the program's own waits keep the CPU busy, see Documentation/waiting.rst */
	const char *replay; /* directory of traces whose decisions are repeated; NULL = none */
	long block; /* inner iterations per strip of a sweep; 0 = from the measured costs */
	double quantum; /* the scheduler's quantum in seconds; 0 = as observed */
	double quanta; /* quanta between balancing phases at least; 0 = from the rates' source */
	int movement; /* enum equant_movement_rule */
	int mode; /* enum equant_mode */
	double restraint; /* part of its share that a rank uses beside others where phases are short */
	double delay; /* seconds for which each message keeps its sender busy in addition */
	double grain; /* quanta of work per strip of a sweep; 0 = from the measured costs */
	int prompt; /* no pipelining while shares change every few phases and phases are long */
	int steady; /* work stays where it is while shares change too often to be followed */
	long tiles; /* inner iterations computed at once in a strip; 0 = what is fastest */
	int crowds; /* ranks that share CPUs with each other have one share */
};

/**
 * equant_options_fill() - defaults; called by equant_options_init() only
 * @options: receives them
 * @size: sizeof(struct equant_options) of the caller, who may know fewer or more of them than the
 *	library; nothing beyond it is written
 */
EQUANT_API void equant_options_fill(struct equant_options *options, size_t size);

/** equant_options_init() - defaults */
static inline void equant_options_init(struct equant_options *options)
{
	equant_options_fill(options, sizeof(*options));
}

/**
 * equant_options_describe() - list the options
 * @line: called once per option: its environment variable, default, allowed values, meaning
 * @ctx: passed through
 */
EQUANT_API void equant_options_describe(void (*line)(void *ctx, const char *variable,
						     const char *value, const char *range,
						     const char *meaning),
					void *ctx);

/**
 * equant_options_check() - is this a value that an option can have?
 * @variable: the option's environment variable
 * @value: what would be in it
 *
 * For whoever starts a program with options: equant_open() says the same, but on each rank, when the
 * program is running.  Whether there is a probe or a directory of that name only equant_open() finds.
 *
 * Return: 0; -ENOENT there is no such option; after a message -EINVAL, or -ENAMETOOLONG for a directory.
 */
EQUANT_API int equant_options_check(const char *variable, const char *value);

struct equant;
struct equant_loop;
struct equant_plan;
struct equant_plan_machine;

/**
 * equant_open() - collective; start measuring and set up balancing
 * @out: receives the context
 * @comm: an intracommunicator; duplicated, so the caller may free it any time
 * @options: NULL = defaults; may differ between ranks only in probe, trace, report, verbose and
 *	the place of the traces to replay
 *
 * The calling thread's CPU time counts as the rank's.
 *
 * Return: 0; -EINVAL bad option or environment variable, communicator, or options that differ
 * between ranks; -ENAMETOOLONG a directory's name; -ENODEV, -EACCES... a probe asked for by name does not work here; -ECANCELED
 * another rank could not; -ENOMEM; -EIO; with EQUANT_CHECK=on in the environment -ETIMEDOUT where ranks have not come in
 * the EQUANT_TIMEOUT that is there, after which @comm must be neither used nor freed.
 */
EQUANT_API int equant_open(struct equant **out, MPI_Comm comm,
			   const struct equant_options *options);

/**
 * equant_close() - collective; free the context and the loops still open
 * @eq: may be NULL
 *
 * No handle of the context or of one of its loops may be used afterwards, not even to free it.
 *
 * Return: 0, the first error of an open loop, or -EPIPE after MPI_Finalize (memory is freed,
 * reports are lost).  -EBUSY where a self-scheduled loop (equant_self_new()) or a run of a task graph
 * (equant_dag_run_new()) has not been freed: the context stays open.
 */
EQUANT_API int equant_close(struct equant *eq);

/** equant_probe() - the rank's probe, for its name and features; owned by the context */
EQUANT_API struct equant_probe *equant_probe(struct equant *eq);

/* ---- loops -------------------------------------------------------------- */

/**
 * struct equant_range - units @first .. @first + @count - 1
 */
struct equant_range {
	long first;
	long count;
};

/**
 * equant_loop_new() - collective; a loop of independent iterations (DOALL)
 * @eq: the context
 * @name: for traces, reports and messages, 1 to 39 bytes; copied
 * @units: iterations, >= 0; may be fewer than ranks
 *
 * Each rank starts with a block of units, earlier ranks with one more when
 * it does not divide evenly.
 *
 * Return: the loop, or NULL and errno (EINVAL, ENOMEM, EIO, ECANCELED when another rank refused,
 * EPROTO when it made another call, and what open() says of a trace, or of a directory for reports, that cannot be
 * written).
 */
EQUANT_API struct equant_loop *equant_loop_new(struct equant *eq, const char *name, long units);

/**
 * equant_loop_free() - collective; complete what is under way, write the report, free
 * @loop: may be NULL
 *
 * Of a loop that has failed on any rank, what is under way is taken in and thrown away; a rank that
 * does not come is waited for no longer than the timeout of checked mode, or 10 s (a shorter timeout of
 * at least 1 s by a rank that has failed).
 *
 * Return: 0 or the error the loop ended with; -EPROTO when the ranks called the
 * hook, or passed over the loop, different numbers of times.
 */
EQUANT_API int equant_loop_free(struct equant_loop *loop);

/**
 * equant_loop_array() - register an array whose slices move with the units
 * @loop: the loop, before its first hook
 * @base: address of unit 0's slice; owned by the caller, must stay valid until the loop is freed
 * @slice: bytes per unit, > 0; unit u's slice is at @base + u * @slice
 *
 * The array has room for every unit on every rank, indexed by unit; only slices of owned units
 * are read or written (untouched pages take no memory).
 *
 * Every rank must register arrays of the same slices and as much data in the same order; the first
 * hook is -EINVAL where they differ.
 *
 * Return: 0, -EINVAL (@base NULL, @slice 0), -EEXIST (@base is registered, with this loop or one that
 * shares its distribution), -EBUSY after the first hook,
 * -EOVERFLOW, -ENOMEM.
 */
EQUANT_API int equant_loop_array(struct equant_loop *loop, void *base, size_t slice);

/**
 * struct equant_data_ops - data of a unit that is no array
 * @sz: sizeof(struct equant_data_ops)
 * @size: bytes that @pack will write for this unit now; 0 is allowed
 * @pack: write them; the unit is not the caller's any more afterwards, but for its slices of arrays that are registered
 *	with this loop, which are sent as they are then
 * @unpack: take them in; the unit's slices of these arrays have come; 0 or -errno, which ends the loop
 *
 * Called by the thread that the loop belongs to, from within whatever call moves units: equant_hook(),
 * equant_next() and the other calls of a pass, equant_loop_sweep(), equant_loop_activate(), and for a loop that
 * shares its distribution those of the other loop.
 */
struct equant_data_ops {
	size_t sz;
	size_t (*size)(void *ctx, long unit);
	void (*pack)(void *ctx, long unit, void *buffer);
	int (*unpack)(void *ctx, long unit, const void *buffer, size_t size);
};

/** equant_loop_data() - register pack/unpack callbacks; errors as equant_loop_array(), but no -EEXIST */
EQUANT_API int equant_loop_data(struct equant_loop *loop, const struct equant_data_ops *ops,
				void *ctx);

enum equant_distribution {
	EQUANT_BLOCK, /* a block of units to each rank */
	EQUANT_CYCLIC, /* unit u to rank u modulo ranks */
	EQUANT_BLOCK_ORDER, /* blocks that stay in the ranks' order: work moves between neighbours */
};

/**
 * equant_loop_distribute() - collective, no message; who owns what at the start
 * @loop: the loop, before its first section, hook and slice table, without neighbours; all its units are active
 * @distribution: blocks if this is not called
 *
 * Where units are deactivated one after the other a cyclic start keeps ranks equal for longer, and
 * work that moves is taken from all over the giver's units, not from one end, so that it stays so.
 * With EQUANT_BLOCK_ORDER every rank always has one block of the active units, the lower rank the lower
 * units, for programs in which neighbouring units need each other; work for a rank far away
 * then passes through the ranks between (Siegell 1995, section 5.5.2).
 *
 * Return: 0, -EINVAL, -EBUSY, -ENOMEM.
 */
EQUANT_API int equant_loop_distribute(struct equant_loop *loop,
				      enum equant_distribution distribution);

/**
 * equant_loop_distribute_plan() - collective; who owns what at the start, from a static schedule
 * @loop: as for equant_loop_distribute()
 * @plan: the same on every rank (plan.h), of as many processors as ranks and iterations as units;
 *	not needed afterwards
 *
 * Unit u is iteration u of the plan, rank r its processor r.  Balancing goes on from there.  With
 * EQUANT_BLOCK_ORDER iterations must be in the order of the processors.
 *
 * Return: 0; -EINVAL a plan that does not fit, is none or differs between ranks; -EBUSY; -ENOMEM;
 * -ECANCELED another rank refused; -EIO.
 */
EQUANT_API int equant_loop_distribute_plan(struct equant_loop *loop,
					   const struct equant_plan *plan);

/**
 * equant_calibrate() - collective; measure a machine for static schedules on the running job
 * @eq: the context
 * @body: runs iterations @first to below @first + @count of the program's own loop; is called many
 *	times, for about 0.05 s of the CPU, always from iteration 0 on, so it must bear that
 * @ctx: passed through
 * @iterations: how many there are, at least 1; they should be alike
 * @machine: receives the machine, the same on every rank; the caller's to free.  Processor r is
 *	rank r: its time per iteration on the CPU, competitors not counted, start-up and time
 *	per byte of its messages, no memory limit.  NULL on error.
 *
 * Messages go to and fro between every two ranks, ranks / 2 pairs at once, about
 * a hundredth of a second per pair at most on one host.
 *
 * Return: 0; -EINVAL bad arguments or a body that takes no time; -ENOMEM; -ECANCELED another rank
 * could not; -EIO.
 */
EQUANT_API int equant_calibrate(struct equant *eq, void (*body)(void *ctx, long first, long count),
				void *ctx, long iterations, struct equant_plan_machine **machine);

/**
 * equant_loop_share() - collective, no message; two loops over the same data have one distribution
 * @second: a loop before its first section and hook, without slice tables and neighbours, that shares with none yet
 * @first: a loop of the same context and as many units, before its first section and hook;
 *	others may share with it already
 *
 * @second takes over who owns what in @first, and both keep it so: what one decides moves the
 * units of both, and neither undoes what the other has done.  Decisions are made at the hooks of
 * @first, from the time that the sections of both have taken, so that one distribution serves
 * them together; the hooks of @second only count.  Passes over @first are balanced within, those over
 * @second where they are joined; asynchronous mode is refused.  Activation and deactivation of units in one of them
 * are of both.  An array that both use is registered with one of them.
 *
 * Either may be freed first, by all ranks together between passes over @first.  If it is @first, the next one goes
 * on alone and measures anew.
 *
 * Return: 0; -EINVAL no or the same loop, another context, another number of units; -EEXIST an array is
 * registered with both; -EBUSY; -ENOMEM.
 */
EQUANT_API int equant_loop_share(struct equant_loop *second, struct equant_loop *first);

/**
 * equant_loop_deactivate() - collective, no message; units are done with, for now (section 6.3)
 * @loop: the loop
 * @first: first unit
 * @count: how many, all of them active
 *
 * Every rank calls it with the same arguments between the same two hooks, outside of sections.
 * Inactive units are in nobody's ranges, count for nothing and do not move; they and their slices
 * stay with their owner.  Loops whose bounds vary balance what is left.
 *
 * Return: 0; -EINVAL no such units; -EALREADY one of them is inactive, nothing has changed; -EBUSY
 * within a pass or a sweep, or while ghosts are under way; -ENOMEM.
 */
EQUANT_API int equant_loop_deactivate(struct equant_loop *loop, long first, long count);

/**
 * equant_loop_activate() - collective; the other way round
 * @loop: the loop
 * @first: first unit
 * @count: how many, all of them inactive
 *
 * Units become active where they are.  With EQUANT_BLOCK_ORDER those whose owner's block has moved on
 * meanwhile go to where they belong, with their slices.  Where the loop has neighbours
 * (equant_loop_neighbours()) these come, too; else there is no message.
 *
 * Return: 0; -EALREADY one of them is active; else as equant_loop_deactivate(), and the hook's errors where
 * there are messages, after which the loop must only be freed.
 */
EQUANT_API int equant_loop_activate(struct equant_loop *loop, long first, long count);

/**
 * equant_loop_ranges() - the active units this rank owns
 * @loop: the loop
 * @count: receives the number of ranges
 *
 * Return: ranges in ascending order, neither touching nor overlapping; valid
 * until the next hook, pass, activation, deactivation, renaming, distribution or sharing of the loop.
 */
EQUANT_API const struct equant_range *equant_loop_ranges(const struct equant_loop *loop,
							 int *count);

/** equant_loop_name() - the name given to equant_loop_new() */
EQUANT_API const char *equant_loop_name(const struct equant_loop *loop);

/** equant_loop_units() - all units of the loop, on whatever rank, active or not */
EQUANT_API long equant_loop_units(const struct equant_loop *loop);

/** equant_loop_count() - how many active units this rank owns */
EQUANT_API long equant_loop_count(const struct equant_loop *loop);

/**
 * equant_loop_owner() - the rank that owns a unit, no message; -EINVAL for no such unit
 *
 * Nothing is said then: the neighbours of the first unit and of the last may be asked for.
 *
 * In asynchronous mode the owners of other ranks' units are known from the end of a joined pass to
 * the beginning of the next one only.
 */
EQUANT_API int equant_loop_owner(const struct equant_loop *loop, long unit);

/**
 * equant_for_each_unit() - iterate over this rank's units in ascending order
 * @loop: the loop
 * @unit: name of a long declared by the macro
 */
#define equant_for_each_unit(loop, unit)                                                  \
	for (int eq_i_ = 0, eq_n_ = 0; eq_i_ <= 0; eq_i_++)                               \
		for (const struct equant_range *eq_r_ = equant_loop_ranges(loop, &eq_n_), \
					       *eq_end_ = eq_r_ + eq_n_;                  \
		     eq_r_ < eq_end_; eq_r_++)                                            \
			for (long unit = eq_r_->first; unit < eq_r_->first + eq_r_->count; unit++)

/* ---- distributed data (section 6.6) ---------------------------------------- */

/**
 * equant_loop_broadcast() - collective; everybody gets the slices of one unit
 * @loop: the loop
 * @unit: whose slices of all registered arrays are copied, to their place in each rank's arrays;
 *	active or not
 *
 * The copies are the receivers' to read; they are as old as the call, and go when the unit
 * itself comes.  Data behind callbacks are not copied.
 *
 * Return: 0; -EINVAL no such unit, a slice of more than 2 GiB; -ENOMEM; -EIO; -ECANCELED another rank has failed;
 * what a call ended with before in which ranks did not meet; in checked mode -EPROTO ranks at different places,
 * -ECANCELED another rank refused, -ETIMEDOUT.
 */
EQUANT_API int equant_loop_broadcast(struct equant_loop *loop, long unit);

/**
 * equant_loop_copy() - one rank gets the slices of one unit; as equant_loop_broadcast()
 * @loop: the loop
 * @unit: the unit
 * @to: the rank
 *
 * Called by the owner and by @to at least; any other rank may, and returns at once.
 *
 * Return: 0; -EINVAL no such unit or rank, a slice of more than 2 GiB; -ENOMEM; -EIO; -ECANCELED another rank
 * has failed; in checked mode -ETIMEDOUT; and on any rank what a call ended with before in which ranks did not meet.
 */
EQUANT_API int equant_loop_copy(struct equant_loop *loop, long unit, int to);

/**
 * equant_loop_exchange() - swap the contents of two units' slices
 * @loop: the loop
 * @a: a unit
 * @b: another one; nothing happens if it is @a
 *
 * Called by both owners at least.  Who owns what stays as it is.  See equant_loop_rename().
 *
 * Return: as equant_loop_copy(); -EPROTO the other one exchanges something else, which is seen in checked mode, and in
 * a node without, too, if slices are not long.  After an error long slices may have been exchanged in part.
 */
EQUANT_API int equant_loop_exchange(struct equant_loop *loop, long a, long b);

/**
 * equant_loop_rename() - collective, no message; two units change names
 * @loop: the loop
 * @a: a unit
 * @b: another one; nothing happens if it is @a
 *
 * What was unit @a is unit @b now, and the other way round: slices stay with the ranks that have them, and
 * these own the other number.  Nothing is sent, which equant_loop_exchange() does that has the same
 * contents as a result, and a rank waits only for slices of its own that are still under way to another one.
 * A rank may own more or fewer of any part of the units then.  Copies of other ranks' slices of the two
 * are void.  Data behind callbacks are the caller's to rename.
 *
 * Every rank calls it with the same arguments between the same two hooks, outside of sections.
 *
 * Return: 0; -EINVAL no such unit, one is active and the other is not, a loop that keeps its order
 * (EQUANT_BLOCK_ORDER) or has neighbours (equant_loop_neighbours()), asynchronous mode but after a joined
 * pass; -EBUSY within a pass, or while ghosts are under way; -ENOMEM, -EIO, and what a hook may end with, after which
 * the loop must only be freed.
 */
EQUANT_API int equant_loop_rename(struct equant_loop *loop, long a, long b);

/**
 * equant_loop_ghosts_start() - collective; begin to fetch the slices around each block
 * @loop: the loop
 * @below: units below each of the rank's ranges, as far as there are any
 * @above: units above
 *
 * The owners' slices of all registered arrays come to their place in the caller's arrays, for
 * reading.  Until equant_loop_ghosts_finish() they must not be read, and the slices at the edges of the
 * caller's own blocks not be written; what lies between may be computed meanwhile.  A hook in
 * between is an error: of the hook, which ends the loop, or if it was not due, of the finish.  Meant for loops of EQUANT_BLOCK_ORDER; works for any distribution.
 * Slices of up to 4 MiB go to other nodes in pieces that Open MPI sends by TCP without asking the receiver first,
 * so that they come while both ends compute.  In slice tables older copies are void; those that
 * equant_loop_neighbours() keeps are fetched, too.  The first call of a loop whose balancing has not begun compares
 * what ranks have registered, and waits for all.
 *
 * Return: 0; -EINVAL a negative width, slices of more than 2 GiB, an exchange that was not finished; where ranks
 * compare, and in checked mode always, -EINVAL other arrays than on other ranks, after which the loop must only be
 * freed, -ECANCELED another rank has refused or failed, -EPROTO another call or other widths; -ETIMEDOUT in
 * checked mode; -ENOMEM; -EIO.
 */
EQUANT_API int equant_loop_ghosts_start(struct equant_loop *loop, long below, long above);

/**
 * equant_loop_neighbours() - collective; keep copies of the slices around each block
 * @loop: the loop
 * @below: as equant_loop_ghosts_start()
 * @above: 0 and 0: no longer
 *
 * For slices that iterations read and nobody writes: they are fetched now, and again
 * in every hook, and within a pass in every equant_next(), that has moved units, so that they travel
 * with the units that read them (section 6.4.1, window relations).  What is written needs an exchange
 * of its own.  In asynchronous mode a rank that gets units does not know who has those around them.
 *
 * Return: as equant_loop_ghosts_start(); -EINVAL in asynchronous mode; -ECANCELED another rank refused.
 */
EQUANT_API int equant_loop_neighbours(struct equant_loop *loop, long below, long above);

/**
 * equant_loop_ghosts_finish() - the slices are here
 * @loop: the loop
 *
 * Return: 0; -EINVAL no start, or a hook since; -EPROTO slices of another size; -EIO; -ECANCELED another rank has
 * failed, and in checked mode -ETIMEDOUT, after which the loop must only be freed.
 */
EQUANT_API int equant_loop_ghosts_finish(struct equant_loop *loop);

/* ---- pipelines (sections 1.2.3, 3.3 and 6.5) -------------------------------- */

/**
 * equant_loop_pipelined() - each unit needs values of its neighbours in this array
 * @loop: the loop, before its first hook and sweep
 * @array: the address given to equant_loop_array(), or a table (table.h); slices of at most 2 GiB
 * @offset: bytes from the start of a slice to the value of inner iteration 0
 * @step: bytes from one iteration's value to the next one's, > 0; all of them are passed on
 *
 * No message; every rank calls it alike, for each array of which equant_loop_sweep()'s body
 * reads slices of neighbouring units.
 *
 * The body finds what it may read of a neighbour in a table by equant_table_slice(), or
 * equant_table_copy() where that gives NULL; a sweep begins by dropping all other copies of active
 * units, and ends by dropping these.
 *
 * Return: 0; -EINVAL no such array, no room in its slices; -EBUSY; -ENOMEM.
 */
EQUANT_API int equant_loop_pipelined(struct equant_loop *loop, const void *array, size_t offset,
				     size_t step);

/**
 * equant_loop_sweep() - collective; run through a loop with dependences, once (DOACROSS)
 * @loop: a loop of EQUANT_BLOCK_ORDER with at least one pipelined array
 * @length: iterations of the inner loop, >= 0; the same on all ranks
 * @body: computes inner iterations @from to @to - 1 of the units @first to @first + @units - 1
 * @ctx: passed through
 *
 * The body computes each inner iteration of each unit exactly once, on whatever rank, a unit's
 * iterations in ascending order.  For iteration i of a unit it may read this rank's data of
 * the unit, and in the pipelined arrays the new values of the unit before it up to iteration i
 * and the old values of the unit after it from iteration i on.  The results are then those of the
 * sequential loops, in either order, to the last bit.  It must not call equant or MPI.
 *
 * The inner loop is cut into strips, EQUANT_BLOCK or what the model of section 3.3 finds best
 * for the costs measured; the body may be called for a strip in several parts, as many iterations at a time as
 * turn out to compute fastest.  Strips are compute sections and the hook is called after each, so that
 * work moves in mid-sweep; the program calls neither.
 *
 * Beyond the first and the last active unit the body reads what the program has put there.
 *
 * Return: 0; -EINVAL: a loop, a length or a body that cannot be swept, EQUANT_BLOCK larger than
 * @length, ranks that differ (nothing was computed); -ECANCELED another rank refused or has failed;
 * -ENOMEM, -EIO and the hook's errors, after which the loop must only be freed.
 */
EQUANT_API int
equant_loop_sweep(struct equant_loop *loop, long length,
		  void (*body)(void *ctx, long first, long units, long from, long to), void *ctx);

enum equant_reduction { EQUANT_SUM, EQUANT_MIN, EQUANT_MAX };

/**
 * equant_allreduce_units() - collective; reduce one value per unit, the same everywhere
 * @loop: the loop
 * @values: indexed by unit; those of the caller's own units are read
 * @operation: EQUANT_SUM, EQUANT_MIN or EQUANT_MAX, the same on all ranks
 * @result: receives the result
 * @unit: receives the lowest unit that has the extreme; may be NULL; not used for sums
 *
 * The result depends on the values alone, to the last bit: not on the number of ranks, on who
 * owns which unit, or on moves.  Sums are made in a long accumulator without rounding (Kulisch and
 * Miranker 1986) and rounded once.  A NaN is the result wherever there is one.  A rank whose
 * arguments are refused is waited for, as in equant_allreduce().
 *
 * Return: 0; -EINVAL no values, no operation, an extreme of no units; -ENOMEM; -EIO; else as equant_allreduce().
 */
EQUANT_API int equant_allreduce_units(struct equant_loop *loop, const double *values,
				      enum equant_reduction operation, double *result, long *unit);

/* ---- measuring ----------------------------------------------------------- */

/**
 * equant_begin() - a compute section starts
 *
 * Sections must not contain MPI calls that wait: polling would count as
 * computing, yielding as competition.  A section that is begun twice or
 * ended twice is an error that the next hook that is due returns (-EINVAL).
 */
EQUANT_API void equant_begin(struct equant_loop *loop);

/** equant_end() - the section ends; all units owned by this rank were computed once */
EQUANT_API void equant_end(struct equant_loop *loop);

/** equant_end_units() - the section ends; @units units were computed */
EQUANT_API void equant_end_units(struct equant_loop *loop, long units);

/** equant_balance() - a balancing phase is due; called by equant_hook() only */
EQUANT_API int equant_balance(struct equant_loop *loop);

/**
 * equant_hook() - balancing may happen here
 * @loop: the loop
 *
 * Every rank calls it equally often, between compute sections.  Unless a phase
 * is due it is a decrement and a branch.  Units may come or go: read the ranges anew.
 * A hook before the first section balances the start, where shares can be predicted.
 *
 * The first one is -EPROTO where ranks begin the loop with different calls, and -EBADMSG where they own
 * different units.
 *
 * Return: 0 or -errno; after an error the loop must only be freed, no work is lost: units stay
 * where they were, except those of a transfer whose peer has died.
 */
static inline int equant_hook(struct equant_loop *loop)
{
	long *countdown = (long *)loop;

	if (__builtin_expect(--*countdown > 0, 1))
		return 0;
	return equant_balance(loop);
}

/* ---- threads -------------------------------------------------------------- */

/**
 * equant_team_join() - the calling thread computes for the rank
 * @eq: a context of this process
 *
 * For ranks that compute with several threads, as by OpenMP: each thread that has a part in the
 * sections calls it once, outside of sections.  From then on run and wait time, speed and
 * share of the rank are those of all of them.  The context's own thread is always in; for
 * it this does nothing.  All other functions remain that thread's.
 *
 * A thread leaves before it ends and before the context is closed.  Thread-safe.
 *
 * Return: 0; -EALREADY it has joined; -EINVAL no context; -ENODEV, -EACCES... the rank's probe
 * does not work for this thread; -ENOMEM.
 */
EQUANT_API int equant_team_join(struct equant *eq);

/** equant_team_leave() - it does no more; 0, or -EINVAL it has not joined */
EQUANT_API int equant_team_leave(struct equant *eq);

/* ---- passes: hooks between iterations (section 4.2.1) ----------------------- */

/**
 * equant_pass_begin() - collective, a pass over the units begins
 * @loop: of independent iterations
 *
 *	equant_pass_begin(rows);
 *	equant_for_each_next(rows, r)
 *		compute(r);
 *	error = equant_pass_end(rows);
 *
 * For loops whose steps are long: work moves in the middle of a step, and only what the pass has
 * still to compute.  Every unit is computed once per pass, wherever it moves.  Passes
 * time themselves; neither equant_begin() nor equant_hook() may be called for the same loop.  Within a
 * pass units are neither activated nor deactivated, and slices of other units not asked for.
 * The first pass of a loop compares what ranks have registered, and waits for all of them; others send nothing.
 *
 * In asynchronous mode (EQUANT_MODE) ranks may be any number of passes apart, and equant_next() hands out
 * a unit that comes from a rank behind several times, once for each pass that it has missed:
 * equant_pass() tells which.  The last pass must be joined.
 *
 * Return: 0 or -errno as equant_hook(); -EINVAL within a pass, after a hook, or where units
 * keep their order (EQUANT_BLOCK_ORDER).
 */
EQUANT_API int equant_pass_begin(struct equant_loop *loop);

/**
 * equant_pass_join() - collective, no message; the pass that has begun ends on all ranks together
 * @loop: after equant_pass_begin(), before the first equant_next()
 *
 * equant_next() then returns 0 when every rank has computed its units.  Without it ranks go on to
 * their next pass when they need not meet, and may be a phase apart, or in asynchronous mode any number
 * of passes.
 *
 * Return: 0 or -errno.
 */
EQUANT_API int equant_pass_join(struct equant_loop *loop);

/** equant_next_strip() - more is to be done than handing out a unit; called by equant_next() only */
EQUANT_API int equant_next_strip(struct equant_loop *loop, long *unit);

/**
 * equant_next() - the next unit to compute; balancing may happen here
 * @loop: in a pass
 * @unit: receives one of the rank's units that this pass has not computed
 *
 * The unit before is computed when this is called.  Unless a range of units ends or a phase is due
 * it is a decrement and a branch.  A rank that has nothing left takes part in phases here until it
 * gets work or the pass is over, giving up the CPU while it waits.
 *
 * Return: 1; 0 when the pass is over or after an error, which equant_pass_end() returns.
 */
static inline int equant_next(struct equant_loop *loop, long *unit)
{
	long *cursor = (long *)loop;

	if (__builtin_expect(--cursor[2] < 0, 0))
		return equant_next_strip(loop, unit);
	*unit = cursor[1]++;
	return 1;
}

/**
 * equant_for_each_next() - the units of a pass
 * @loop: the loop
 * @unit: name of a long declared by the macro
 */
#define equant_for_each_next(loop, unit) for (long unit = -1; equant_next((loop), &unit);)

/**
 * equant_pass_end() - the pass ends
 * @loop: equant_next() has returned 0
 *
 * Return: 0 or -errno as equant_hook(); -EINVAL without a pass, or when units are left.
 */
EQUANT_API int equant_pass_end(struct equant_loop *loop);

/** equant_pass() - the number of the pass in which the unit is computed, from 0; -1 before the first */
EQUANT_API long equant_pass(const struct equant_loop *loop);

/* ---- waiting -------------------------------------------------------------- */

/*
 * MPI's own waits poll on most systems: beside another process a rank then loses the CPU just
 * when its message comes.  These wait as the option @wait says.  They make MPI calls
 * and belong between compute sections; Documentation/waiting.rst says when to use them.
 */

/**
 * equant_wait() - complete a request, as MPI_Wait()
 * @eq: a context of this rank; the request may be of any communicator
 * @request: MPI_REQUEST_NULL is complete
 * @status: or MPI_STATUS_IGNORE
 *
 * Return: 0; -EPROTO for a message that does not fit, -EIO, where the error handler of the request's communicator
 * returns.
 */
EQUANT_API int equant_wait(struct equant *eq, MPI_Request *request, MPI_Status *status);

/**
 * equant_waitall() - complete requests, as MPI_Waitall()
 * @eq: a context of this rank
 * @n: how many, >= 0
 * @requests: n of them, MPI_REQUEST_NULL allowed
 * @statuses: n of them or MPI_STATUSES_IGNORE
 *
 * Return: 0; -EINVAL; errors as equant_wait(), after which requests that are not MPI_REQUEST_NULL may still be
 * under way.
 */
EQUANT_API int equant_waitall(struct equant *eq, int n, MPI_Request *requests,
			      MPI_Status *statuses);

/**
 * equant_barrier() - collective; returns when every rank of the context has called it
 *
 * Within a node a central counter (Mellor-Crummey and Scott 1991, section 3.1), between nodes
 * dissemination (Hensgen, Finkel, Manber 1988).
 *
 * Return: 0; -EIO a peer is gone; -ECANCELED one has failed; what a call ended with before in which ranks did not
 * meet; in checked mode -EPROTO ranks at different places, -ETIMEDOUT.
 */
EQUANT_API int equant_barrier(struct equant *eq);

/**
 * equant_allreduce() - collective; combine every rank's elements, as MPI_Allreduce()
 * @eq: the context whose ranks take part
 * @send: @count elements, or MPI_IN_PLACE: they are in @recv
 * @recv: receives @count elements, must not overlap @send
 * @count: the same on every rank
 * @datatype: any
 * @op: predefined or the program's own, commutative or not
 *
 * Operands are combined in an order in which no chance has a part: rounding is the same on every rank, and in every
 * run with as many ranks on the same nodes, for as many elements of the datatype.
 *
 * Arguments are compared between the ranks before in checked mode only, as that costs a second reduction:
 * else, where one rank's are refused the others wait for it.  What fails later, on whichever rank, fails on
 * all, and so does another number of elements where it is found.  An operation that the datatype does not have is
 * MPI's to find, in calls without a communicator: it ends the program unless the error handler of MPI_COMM_WORLD,
 * or since MPI 4.0 of MPI_COMM_SELF, returns.
 *
 * Return: 0; -EINVAL (negative count, no datatype or operation); -EOVERFLOW; -ENOMEM;
 * -EPROTO ranks that do not match; -EIO a peer is gone; -ECANCELED one has failed; what a call ended with before in
 * which ranks did not meet; in checked mode -ECANCELED another rank refused, -ETIMEDOUT.
 */
EQUANT_API int equant_allreduce(struct equant *eq, const void *send, void *recv, int count,
				MPI_Datatype datatype, MPI_Op op);

/* ---- what happened ------------------------------------------------------- */

/**
 * struct equant_stats - one rank's account of a loop
 *
 * @sz: set by the caller to sizeof(struct equant_stats)
 * Times are seconds; @run and @wait count inside compute sections only; the
 * rest of the rank's time is in @balancing, @waiting and @moving (inside
 * hooks) or the program's own.
 */
struct equant_stats {
	size_t sz;
	int rank;
	int ranks;
	char probe[16]; /* in use at the end */
	double elapsed; /* from the first begin, or a hook before it, to the last hook or end */
	double wall; /* compute sections */
	double run; /* ... on a CPU */
	double wait; /* ... runnable, another task had the CPU */
	double balancing; /* in hooks that were due, without the next two */
	double waiting; /* in hooks, for other ranks */
	double moving; /* in hooks, moving slices */
	double total_run; /* the rank's thread over @elapsed, sections or not */
	double total_wait;
	double total_cpu; /* by the kernel's CPU clock; total_run - total_cpu: interrupts and steal */
	double speed; /* units per on-CPU second, last estimate */
	double share; /* last estimate */
	double quantum; /* 0 = not known */
	double first_ns; /* CLOCK_MONOTONIC at the start of @elapsed */
	long units; /* owned now */
	long computed; /* units computed in total */
	long hooks;
	long phases;
	long moves; /* instructions carried out, sent and received */
	long sent; /* units */
	long received;
	long fallbacks; /* probes lost */
	long dropped; /* trace events lost */
	unsigned long bytes_sent;
	long uneven; /* phases that did not split in proportion, because of the grain */
	long sweeps; /* equant_loop_sweep() */
	long block; /* inner iterations per strip in the last one */
	long messages; /* sent for samples and decisions */
	long chain; /* the most of a phase's messages that came one after the other */
};

/**
 * equant_loop_stats() - this rank's account so far
 * @loop: the loop
 * @stats: @stats->sz set by the caller
 *
 * Return: 0, -EINVAL for a size the library does not know.
 */
EQUANT_API int equant_loop_stats(const struct equant_loop *loop, struct equant_stats *stats);

/**
 * equant_version() - "0.1.0"
 */
EQUANT_API const char *equant_version(void);

#ifdef __cplusplus
}
#endif
#endif /* EQUANT_EQUANT_H */
