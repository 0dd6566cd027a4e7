// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Repeating the decisions of another run: in balancing phase k the instructions that
 * its trace has for phase k are carried out, and the next phase comes after as many hooks as it
 * did then, whatever is measured now.  Each rank reads its own trace, which tells what all
 * ranks did; that the traces are of one run is agreed upon before the first hook.
 *
 * Interactions are synchronous here: which phase a sample once took part in is of no
 * account, and who has closed the loop or failed is known in the phase itself.
 * When the shortest of the traces ends work stays where it is.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/message.h"
#include "loop/loop_internal.h"
#include "loop/replay.h"

static const struct equant_replayed_phase *present(const struct equant_loop *loop)
{
	const struct equant_replay *replay = loop->replay;

	return loop->phases < replay->nr_phases ? &replay->phases[loop->phases] : NULL;
}

/* Before anything has moved: can all of it be done, in the order in which it was? */
static int check_owners(const struct equant_loop *loop, const struct equant_replayed_phase *phase)
{
	struct equant_replay *replay = loop->replay;
	int i;

	memcpy(replay->counts, loop->units.counts, (size_t)loop->ranks * sizeof(*replay->counts));
	for (i = 0; i < phase->instructions; i++) {
		const struct equant_instruction *move = &replay->instructions[phase->first + i];

		if (replay->counts[move->from] < move->units) {
			equant_message(
				"loop %s phase %ld: %s has %ld units move from rank %d, which owns %ld: another program or input?",
				loop->name, loop->phases, replay->path, move->units, move->from,
				replay->counts[move->from]);
			return -EBADMSG;
		}
		replay->counts[move->from] -= move->units;
		replay->counts[move->to] += move->units;
	}
	return 0;
}

/* As it was then.  What made the phase come sooner then does so again: units that woke, a loop that shares. */
static long next_hook(const struct equant_replayed_phase *phase)
{
	return phase->decision ? (long)phase->decision->u.decision.next_hook : 1;
}

int equant_replay_decide(struct equant_loop *loop, struct equant_order *order)
{
	const struct equant_replayed_phase *phase = present(loop);
	struct equant_decision *d = &order->decision;
	int error;

	if (!phase) {
		if (loop->phases == loop->replay->nr_phases && !loop->rank)
			equant_message("loop %s phase %ld: %s ends here, from now on no work moves",
				       loop->name, loop->phases, loop->replay->path);
		return 0;
	}
	error = check_owners(loop, phase);
	if (error)
		return error;
	memcpy(order->instructions, &loop->replay->instructions[phase->first],
	       (size_t)phase->instructions * sizeof(*order->instructions));
	d->instructions = order->instructions;
	d->count = phase->instructions;
	d->next_hook = next_hook(phase);
	if (d->next_hook < 1)
		d->next_hook = 1;
	if (phase->decision) {
		d->reduction = phase->decision->u.decision.reduction;
		d->cost = phase->decision->u.decision.cost;
	}
	return 0;
}

int equant_replay_compare(const struct equant_loop *loop)
{
	const struct equant_replayed_phase *phase = present(loop);
	uint64_t owners = phase && phase->decision ? phase->decision->u.decision.owners : 0;

	if (!owners || owners == equant_owners_digest(&loop->units))
		return 0;
	equant_message(
		"loop %s phase %ld: rank %d: the units' owners are others than in %s: another start or other active units?",
		loop->name, loop->phases, loop->rank, loop->replay->path);
	return -EBADMSG;
}

long equant_replay_block(const struct equant_loop *loop)
{
	const struct equant_replay *replay = loop->replay;
	long sweep = loop->pipeline->sweeps;

	return replay && sweep < replay->nr_blocks ? replay->blocks[sweep] : 0;
}

int equant_replay_tile(struct equant_loop *loop, long left, struct equant_tile *tile)
{
	const struct equant_pipeline *p = loop->pipeline;
	struct equant_replay *replay = loop->replay;
	const struct equant_event *e;

	if (!replay || p->sweeps > replay->nr_blocks)
		return 0;
	while (replay->tile + 1 < replay->nr_tiles &&
	       replay->tiles[replay->tile + 1]->u.tiles.number <= p->parts)
		replay->tile++;
	*tile = (struct equant_tile){ .length = left, .iterations = left };
	if (!replay->nr_tiles || replay->tiles[replay->tile]->u.tiles.number > p->parts)
		return 1;
	e = replay->tiles[replay->tile];
	if (e->u.tiles.length && e->u.tiles.length < left)
		tile->length = (long)e->u.tiles.length;
	if (e->u.tiles.iterations && e->u.tiles.iterations < left)
		tile->iterations = (long)e->u.tiles.iterations;
	return 1;
}

/* What was recorded then is recorded again: 1; 0 behind the end; -ENOENT no decision was made. */
int equant_replay_recorded(const struct equant_loop *loop, struct equant_event *event)
{
	const struct equant_replayed_phase *phase = present(loop);

	if (!phase)
		return 0;
	if (!phase->decision)
		return -ENOENT;
	*event = *phase->decision;
	return 1;
}
