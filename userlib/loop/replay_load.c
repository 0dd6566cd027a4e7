// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Reading a trace whose decisions are to be repeated: see replay.c. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/message.h"
#include "core/mpi_error.h"
#include "loop/loop_internal.h"
#include "loop/replay.h"

/* ---- reading it --------------------------------------------------------------- */

static int refuse(const struct equant_replay *replay, const char *fault, long got, long wanted)
{
	equant_message("%s: cannot be replayed: %s (%ld in the trace, %ld here)", replay->path,
		       fault, got, wanted);
	return -EINVAL;
}

static int world_rank(void)
{
	int rank = 0;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	return rank;
}

static int check_header(const struct equant_loop *loop, const struct equant_trace_header *header)
{
	const struct equant_replay *replay = loop->replay;
	int world = world_rank();

	if (strcmp(header->loop, loop->name)) {
		equant_message("%s: cannot be replayed: a trace of the loop %s, not of %s",
			       replay->path, header->loop, loop->name);
		return -EINVAL;
	}
	if (header->ranks != loop->ranks)
		return refuse(replay, "another number of ranks", header->ranks, loop->ranks);
	if (header->rank != loop->rank)
		return refuse(replay, "another rank", header->rank, loop->rank);
	if (header->world != world)
		return refuse(replay, "another rank of MPI_COMM_WORLD", header->world, world);
	if (header->order != loop->order)
		return refuse(replay, "another one of the context's loops", header->order,
			      loop->order);
	if (header->mode != (uint32_t)loop->eq->options.mode)
		return refuse(replay, "another EQUANT_MODE", header->mode,
			      (long)loop->eq->options.mode);
	if (header->units != loop->units.units)
		return refuse(replay, "another number of units", header->units, loop->units.units);
	return 0;
}

/* Phases are numbered from 0 on, so that their number is less than that of events. */
static struct equant_replayed_phase *phase_of(struct equant_replay *replay,
					      const struct equant_event *e)
{
	if (e->phase >= replay->nr_events)
		return NULL;
	if (e->phase >= replay->nr_phases)
		replay->nr_phases = (long)e->phase + 1;
	return &replay->phases[e->phase];
}

static int take_instructions(struct equant_replay *replay, struct equant_replayed_phase *phase,
			     const struct equant_event *e, int ranks)
{
	if (!phase->instructions)
		phase->first = replay->nr_instructions;
	if ((int)e->u.instructions.first != phase->instructions)
		return refuse(replay, "instructions are missing before number",
			      e->u.instructions.first, phase->instructions);
	if (phase->instructions + (int)e->u.instructions.count > ranks)
		return refuse(replay, "a phase of more instructions than ranks",
			      phase->instructions + (long)e->u.instructions.count, ranks);
	for (uint32_t i = 0; i < e->u.instructions.count; i++)
		replay->instructions[replay->nr_instructions++] = (struct equant_instruction){
			.from = e->u.instructions.list[i].from,
			.to = e->u.instructions.list[i].to,
			.units = (long)e->u.instructions.list[i].units,
		};
	phase->instructions += (int)e->u.instructions.count;
	return 0;
}

static int take_event(struct equant_replay *replay, const struct equant_event *e, int ranks)
{
	struct equant_replayed_phase *phase = phase_of(replay, e);

	if (!phase)
		return refuse(replay, "a phase after more phases than there are events", e->phase,
			      (long)replay->nr_events);
	if (e->type == EQUANT_EVENT_SAMPLE) {
		phase->sampled = 1;
		phase->hooks = (long)e->u.sample.hooks;
	} else if (e->type == EQUANT_EVENT_INSTRUCTIONS) {
		return take_instructions(replay, phase, e, ranks);
	} else if (e->type == EQUANT_EVENT_PLAN) {
		phase->due = e->u.plan.due;
		phase->quota = e->u.plan.quota;
	} else if (e->type == EQUANT_EVENT_DECISION) {
		phase->decision = e;
		if (e->u.decision.instructions != phase->instructions)
			return refuse(replay, "instructions of a phase are missing",
				      phase->instructions, e->u.decision.instructions);
	}
	return 0;
}

static int matters(const struct equant_event *e)
{
	if (e->type == EQUANT_EVENT_SAMPLE)
		return !(e->u.sample.flags & EQUANT_SAMPLE_CLOSED);
	return e->type == EQUANT_EVENT_DECISION || e->type == EQUANT_EVENT_INSTRUCTIONS ||
	       e->type == EQUANT_EVENT_PLAN;
}

/* Sweeps are numbered from 0 on. */
static int take_blocks(struct equant_replay *replay)
{
	replay->blocks = calloc(replay->nr_events + 1, sizeof(*replay->blocks));
	if (!replay->blocks)
		return -ENOMEM;
	for (size_t i = 0; i < replay->nr_events; i++) {
		const struct equant_event *e = &replay->events[i];

		if (e->type != EQUANT_EVENT_SWEEP)
			continue;
		if (e->u.sweep.number != replay->nr_blocks)
			return refuse(replay, "a sweep is missing", (long)e->u.sweep.number,
				      replay->nr_blocks);
		replay->blocks[replay->nr_blocks++] = (long)e->u.sweep.block;
	}
	return 0;
}

/* Each says what holds from one part on. */
static int take_tiles(struct equant_replay *replay)
{
	replay->tiles = calloc(replay->nr_events + 1, sizeof(*replay->tiles));
	if (!replay->tiles)
		return -ENOMEM;
	for (size_t i = 0; i < replay->nr_events; i++)
		if (replay->events[i].type == EQUANT_EVENT_TILES)
			replay->tiles[replay->nr_tiles++] = &replay->events[i];
	return 0;
}

static int take_events(struct equant_replay *replay, int ranks)
{
	int error = take_blocks(replay);

	if (!error)
		error = take_tiles(replay);
	for (size_t i = 0; i < replay->nr_events && !error; i++)
		if (matters(&replay->events[i]))
			error = take_event(replay, &replay->events[i], ranks);
	for (long k = 0; k < replay->nr_phases && !error; k++)
		/* In that in which waiting for decisions begins a sample is lost. */
		if (!replay->phases[k].sampled && !replay->phases[k].decision &&
		    k < replay->nr_phases - 1)
			error = refuse(replay, "a phase without its sample", k, replay->nr_phases);
	return error;
}

/* A rank that was killed may have left half a phase: it is not repeated. */
static void drop_half(struct equant_replay *replay, int unfinished)
{
	const struct equant_replayed_phase *last;

	if (!replay->nr_phases)
		return;
	last = &replay->phases[replay->nr_phases - 1];
	if (unfinished ? !last->sampled || !last->decision : !last->sampled && !last->decision)
		replay->nr_phases--;
}

static int is_asynchronous(const struct equant_loop *loop)
{
	return loop->eq->options.mode == EQUANT_MODE_ASYNCHRONOUS;
}

static int load(struct equant_loop *loop)
{
	struct equant_replay *replay = loop->replay;
	struct equant_trace_header header;
	char why[PATH_MAX + 128];
	int unfinished, error;

	unfinished = equant_trace_load(replay->path, &header, &replay->events, &replay->nr_events,
				       why, sizeof(why));
	if (unfinished < 0) {
		equant_message("%s", why);
		return unfinished;
	}
	if (!unfinished && replay->events[replay->nr_events - 1].u.end.dropped)
		return refuse(replay, "events were dropped",
			      (long)replay->events[replay->nr_events - 1].u.end.dropped, 0);
	error = check_header(loop, &header);
	if (error)
		return error;
	if (is_asynchronous(loop))
		return equant_replay_load_transfers(replay);
	replay->phases = calloc(replay->nr_events + 1, sizeof(*replay->phases));
	replay->instructions =
		calloc(replay->nr_events * EQUANT_EVENT_LIST + 1, sizeof(*replay->instructions));
	replay->counts = calloc((size_t)loop->ranks, sizeof(*replay->counts));
	if (!replay->phases || !replay->instructions || !replay->counts)
		return -ENOMEM;
	error = take_events(replay, loop->ranks);
	drop_half(replay, unfinished);
	return error;
}

/* ---- all ranks together ------------------------------------------------------------ */

/* In passes each rank has hooks of its own. */
static uint64_t digest(const struct equant_replay *replay)
{
	uint64_t hash = 0;

	for (long k = 0; k < replay->nr_blocks; k++)
		hash = equant_mix_word(hash, (uint64_t)replay->blocks[k]);
	for (long k = 0; k < replay->nr_phases; k++) {
		const struct equant_replayed_phase *phase = &replay->phases[k];

		if (!replay->nr_plans) {
			hash = equant_mix_word(hash, (uint64_t)phase->hooks);
			hash = equant_mix_word(
				hash, phase->decision ? phase->decision->u.decision.next_hook : 0);
		}
		if (k < replay->nr_plans)
			hash = equant_mix_word(hash, (uint64_t)phase->due);
		for (int i = 0; i < phase->instructions; i++) {
			const struct equant_instruction *move =
				&replay->instructions[phase->first + i];

			hash = equant_mix_word(hash, (uint64_t)move->from);
			hash = equant_mix_word(hash, (uint64_t)move->to);
			hash = equant_mix_word(hash, (uint64_t)move->units);
		}
	}
	return hash;
}

/* A rank that was killed may have left its last phase without. */
static long count_plans(const struct equant_replay *replay)
{
	long n = replay->nr_phases;

	while (n && !replay->phases[n - 1].due)
		n--;
	return n;
}

/* The shortest trace is the end; up to there all must tell the same. */
static int agree(struct equant_loop *loop)
{
	struct equant_replay *replay = loop->replay;
	long ends[3] = { replay->nr_phases, count_plans(replay), replay->nr_blocks };
	uint64_t mine[2], all[2];
	int error;

	error = equant_mpi_error(MPI_Allreduce(MPI_IN_PLACE, ends, 3, MPI_LONG, MPI_MIN,
					       loop->comm),
				 "comparing traces");
	if (error)
		return error;
	replay->nr_phases = ends[0];
	replay->nr_plans = ends[1];
	replay->nr_blocks = ends[2];
	mine[0] = digest(replay);
	mine[1] = ~mine[0];
	error = equant_mpi_error(MPI_Allreduce(mine, all, 2, MPI_UINT64_T, MPI_MAX, loop->comm),
				 "comparing traces");
	if (!error && all[0] == ~all[1])
		return replay->nr_plans ? equant_replay_gather(loop) : 0;
	if (error)
		return error;
	if (!loop->rank)
		equant_message(
			"%s: cannot be replayed: the ranks' traces of loop %s are not of one run",
			replay->path, loop->name);
	return -EINVAL;
}

/*
 * The index of the trace of the context's loop of that number; -ENOENT, -EEXIST two of them.
 * Contexts that have no rank in common have another rank 0 each.
 */
static long find_trace(const struct equant_loop *loop)
{
	struct equant_trace_header header;
	struct equant_event *events;
	long index, found = -ENOENT;
	int own, world = world_rank();
	char path[PATH_MAX];
	size_t count;

	for (index = 0;; index++) {
		equant_trace_path(loop, loop->eq->options.replay, index, path, sizeof(path));
		if (access(path, F_OK))
			return found;
		if (equant_trace_load(path, &header, &events, &count, NULL, 0) < 0)
			continue;
		free(events);
		own = header.order == loop->order && header.world == world;
		if (own && found >= 0)
			return -EEXIST;
		if (own)
			found = index;
	}
}

/* Rank 0 looks; where it finds none the first one is tried, for its complaint. */
static int choose_trace(struct equant_loop *loop)
{
	long index = loop->rank ? 0 : find_trace(loop);
	int error;

	error = equant_mpi_error(MPI_Bcast(&index, 1, MPI_LONG, 0, loop->comm),
				 "choosing a trace to replay");
	if (error)
		return error;
	equant_trace_path(loop, loop->eq->options.replay, index < 0 ? 0 : index, loop->replay->path,
			  sizeof(loop->replay->path));
	if (index != -EEXIST)
		return 0;
	if (!loop->rank)
		equant_message(
			"%s: cannot be replayed: several contexts have recorded a loop %s here",
			loop->replay->path, loop->name);
	return -EINVAL;
}

/* With a second recording of the same loops beside it a recording could never be told from it again. */
static int check_directories(const struct equant_loop *loop)
{
	const struct equant_options *o = &loop->eq->options;
	struct stat from, to;

	if (!o->trace || stat(o->replay, &from) || stat(o->trace, &to) ||
	    from.st_dev != to.st_dev || from.st_ino != to.st_ino)
		return 0;
	equant_message("loop %s, rank %d: EQUANT_TRACE and EQUANT_REPLAY name one directory: %s",
		       loop->name, loop->rank, o->trace);
	return -EINVAL;
}

int equant_replay_open(struct equant_loop *loop)
{
	int error;

	loop->replay = calloc(1, sizeof(*loop->replay));
	error = loop->replay ? check_directories(loop) : -ENOMEM;
	error = equant_mpi_agree(loop->comm, error);
	if (error)
		return error;
	if (!loop->eq->options.balance) {
		equant_message("loop %s: decisions cannot be replayed while balancing is off",
			       loop->name);
		return -EINVAL;
	}
	error = choose_trace(loop);
	if (error)
		return error;
	error = equant_mpi_agree(loop->comm, load(loop));
	if (error)
		return error;
	return is_asynchronous(loop) ? equant_replay_agree_transfers(loop) : agree(loop);
}

void equant_replay_close(struct equant_loop *loop)
{
	struct equant_replay *replay = loop->replay;

	if (!replay)
		return;
	free(replay->events);
	free(replay->phases);
	free(replay->instructions);
	free(replay->counts);
	free(replay->quotas);
	free(replay->blocks);
	free(replay->tiles);
	equant_replay_free_transfers(replay);
	free(replay);
	loop->replay = NULL;
}
