// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Where the hook of the load balancer goes.  Algorithm 4.1 looks at the levels
 * of a nest from the distributed loop outwards and takes the first at which a hook
 * costs next to nothing:
 *
 *	Cost(level) x ovhf > hookcost
 *
 * Where that level is passed too seldom to control the balancing period,
 * Cost(level) > respf x target, the loop in it is strip-mined and the hook
 * goes between the two loops, with
 *
 *	blocksize = max(hookcost / ovhf, respf x target) / Cost(loop)
 *
 * provided that half a period still holds enough: 0.5 x target x ovhf > hookcost.
 * Algorithm 4.2 then chooses the place within the level: next to communication
 * that is there anyway, or right after the surrounded loop.
 *
 * All costs are operations of one rank; the target is turned into such by the
 * rate of the machine.  The block size is rounded up, so that the overhead holds.
 *
 * Reference: Siegell 1995, section 4.2, algorithms 4.1 and 4.2.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advise/advise_internal.h"

/* One per level for its overhead, and at most eight more. */
#define REASONS_MOST (EQUANT_NEST_DEPTH + 10)

static const char *const reason_names[] = {
	[EQUANT_REASON_INTERCHANGED] = "interchanged",
	[EQUANT_REASON_TILED] = "tiled",
	[EQUANT_REASON_GRAIN] = "grain",
	[EQUANT_REASON_NO_GRAIN] = "no grain",
	[EQUANT_REASON_TOO_OFTEN] = "too often",
	[EQUANT_REASON_RARE_ENOUGH] = "rare enough",
	[EQUANT_REASON_COARSE] = "coarse",
	[EQUANT_REASON_STRIPPED] = "strip-mined",
	[EQUANT_REASON_BETWEEN] = "between units",
	[EQUANT_REASON_GRAIN_FIRST] = "grain first",
	[EQUANT_REASON_TARGET] = "target too short",
	[EQUANT_REASON_ONE_BLOCK] = "one block",
	[EQUANT_REASON_BEFORE] = "before communication",
	[EQUANT_REASON_AFTER] = "after communication",
	[EQUANT_REASON_FOLLOWS] = "after the loop",
	[EQUANT_REASON_ONCE] = "once",
	[EQUANT_REASON_TOO_SMALL] = "too small",
};

const char *equant_reason_name(enum equant_reason_kind kind)
{
	return kind >= 0 && kind <= EQUANT_REASON_TOO_SMALL ? reason_names[kind] : "unknown";
}

static struct equant_reason *add_reason(struct equant_placement *placement,
					enum equant_reason_kind kind, int level, int loop)
{
	struct equant_reason *reason = &placement->reasons[placement->count++];

	*reason = (struct equant_reason){ .kind = kind, .level = level };
	if (loop > 0)
		memcpy(reason->loop, placement->nest->nodes[loop].name, sizeof(reason->loop));
	return reason;
}

static void add_figures(struct equant_placement *placement, enum equant_reason_kind kind, int level,
			int loop, double value, double limit)
{
	struct equant_reason *reason = add_reason(placement, kind, level, loop);

	reason->value = value;
	reason->limit = limit;
}

/* ---- algorithm 4.2 ------------------------------------------------------------ */

#define SENDS (1u << 0)
#define RECEIVES (1u << 1)
#define BARRIER (SENDS | RECEIVES)

/* A compound statement is what its parts are; one that sends and receives is a barrier. */
static unsigned int communication(const struct equant_nest *nest, int node)
{
	unsigned int found = 0;

	switch (nest->nodes[node].kind) {
	case EQUANT_NODE_SEND:
		return SENDS;
	case EQUANT_NODE_RECEIVE:
		return RECEIVES;
	case EQUANT_NODE_BARRIER:
		return BARRIER;
	default:
		break;
	}
	for (int i = nest->nodes[node].first; i >= 0; i = nest->nodes[i].next)
		found |= communication(nest, i);
	return found;
}

/* The place found so far: behind node @after, or first in its level for -1. */
struct place {
	int after;
	enum equant_reason_kind kind;
	int other;
};

/*
 * Statements from @from up to but not including @end; the one before @from is @before.
 * Returns true where the search ends.
 */
static bool search(const struct equant_nest *nest, int from, int end, int before,
		   struct place *place)
{
	for (int s = from; s >= 0 && s != end; before = s, s = nest->nodes[s].next) {
		unsigned int kind = communication(nest, s);

		if (kind & SENDS) {
			*place = (struct place){ before, EQUANT_REASON_BEFORE, s };
			return true;
		}
		if (kind & RECEIVES)
			*place = (struct place){ s, EQUANT_REASON_AFTER, s };
	}
	return false;
}

/* InsertHookLevel(): @surrounded is the loop that leads to the distributed one. */
static int insert_hook_level(struct equant_placement *placement, int level, int surrounded)
{
	const struct equant_node hook = { .kind = EQUANT_NODE_HOOK, .name = "hook" };
	struct place place = { surrounded, EQUANT_REASON_FOLLOWS, surrounded };
	struct equant_nest *nest = placement->nest;
	int parent = nest->nodes[surrounded].parent;
	struct equant_reason *reason;

	if (!search(nest, nest->nodes[surrounded].next, -1, surrounded, &place))
		search(nest, nest->nodes[parent].first, surrounded, -1, &place);
	reason = add_reason(placement, place.kind, level, parent);
	memcpy(reason->other, nest->nodes[place.other].name, sizeof(reason->other));
	placement->hook = equant_nest_append(nest, &hook);
	if (placement->hook < 0)
		return placement->hook;
	equant_nest_link(nest, placement->hook, parent, place.after);
	placement->period = equant_nest_cost(nest, parent);
	return 0;
}

/* ---- algorithm 4.1 ------------------------------------------------------------ */

static double most(double a, double b)
{
	return a > b ? a : b;
}

/* The block size that brings hooks as close together as they may be, or 0 with the reason. */
static long hook_block(struct equant_placement *placement, int level, int loop)
{
	const struct equant_nest *nest = placement->nest;
	double target = nest->target * nest->rate;
	double least = most(nest->hook / nest->overhead, nest->response * target);
	double iteration = equant_nest_cost(nest, loop);
	double block = iteration > 0 ? ceil(least / iteration) : INFINITY;
	unsigned int flags = nest->nodes[loop].flags;

	if (!(0.5 * target * nest->overhead > nest->hook)) {
		add_figures(placement, EQUANT_REASON_TARGET, level, loop, 0.5 * target,
			    nest->hook / nest->overhead);
		return 0;
	}
	if (flags & EQUANT_LOOP_DISTRIBUTED && !nest->between) {
		add_reason(placement, EQUANT_REASON_BETWEEN, level, loop);
		return 0;
	}
	if (flags & EQUANT_LOOP_GRAIN && flags & EQUANT_LOOP_BLOCK) {
		add_reason(placement, EQUANT_REASON_GRAIN_FIRST, level, loop);
		return 0;
	}
	/* A loop of unknown length has no end, and a block must. */
	if (block > EQUANT_ADVISE_MOST || block >= equant_nest_trips(nest, loop)) {
		add_reason(placement, EQUANT_REASON_ONE_BLOCK, level, loop);
		return 0;
	}
	return block > 1 ? (long)block : 1;
}

/* Can the loop and the one around it change places, and is the length of neither known? */
static bool is_tile(const struct equant_nest *nest, int loop)
{
	const struct equant_node *inner = &nest->nodes[loop];
	const struct equant_node *outer = &nest->nodes[inner->parent];
	unsigned int both = inner->flags & outer->flags;

	return both & EQUANT_LOOP_UNKNOWN && both & EQUANT_LOOP_PARALLEL && outer->first == loop &&
	       inner->next < 0;
}

/* Fig. 4.5c: tiles of as many iterations as a block would have, as square as can be. */
static int insert_in_tile(struct equant_placement *placement, int level, int loop, long block)
{
	struct equant_nest *nest = placement->nest;
	long inner = (long)ceil(sqrt((double)block)), outer = block / inner + (block % inner != 0);
	int parent = nest->nodes[loop].parent, error;
	struct equant_reason *reason;

	add_reason(placement, EQUANT_REASON_STRIPPED, level, loop)->block = inner;
	add_reason(placement, EQUANT_REASON_STRIPPED, level + 1, parent)->block = outer;
	reason = add_reason(placement, EQUANT_REASON_TILED, level + 1, parent);
	memcpy(reason->other, nest->nodes[loop].name, sizeof(reason->other));
	error = equant_tile(nest, parent, loop, outer, inner);
	return error ? error : insert_hook_level(placement, level + 1, parent);
}

static int insert_in_blocks(struct equant_placement *placement, int level, int loop, long block)
{
	int outer;

	if (is_tile(placement->nest, loop))
		return insert_in_tile(placement, level, loop, block);
	add_reason(placement, EQUANT_REASON_STRIPPED, level, loop)->block = block;
	outer = equant_strip_mine(placement->nest, loop, block, 0);
	return outer < 0 ? outer : insert_hook_level(placement, level, loop);
}

/* The hook goes to @level, or into the loop that leads to it if that can be strip-mined. */
static int insert_hook(struct equant_placement *placement, int level, int loop)
{
	struct equant_nest *nest = placement->nest;
	double cost = equant_nest_cost(nest, nest->nodes[loop].parent);
	double fine = nest->response * nest->target * nest->rate;
	long block;

	if (cost > fine) {
		add_figures(placement, EQUANT_REASON_COARSE, level, nest->nodes[loop].parent, cost,
			    fine);
		block = hook_block(placement, level, loop);
		if (block)
			return insert_in_blocks(placement, level, loop, block);
	}
	if (nest->nodes[loop].parent > 0)
		return insert_hook_level(placement, level, loop);
	add_reason(placement, EQUANT_REASON_ONCE, level, loop);
	return 0;
}

/* InsertHook() */
static int place(struct equant_placement *placement)
{
	struct equant_nest *nest = placement->nest;
	double needed = nest->hook / nest->overhead;
	int level = 1;

	for (int loop = equant_nest_distributed(nest); loop > 0;
	     loop = nest->nodes[loop].parent, level++) {
		int parent = nest->nodes[loop].parent;
		double cost = equant_nest_cost(nest, parent);

		if (cost > needed) {
			add_figures(placement, EQUANT_REASON_RARE_ENOUGH, level, parent, cost,
				    needed);
			return insert_hook(placement, level, loop);
		}
		add_figures(placement, EQUANT_REASON_TOO_OFTEN, level, parent, cost, needed);
	}
	add_reason(placement, EQUANT_REASON_TOO_SMALL, level - 1, 0);
	return 0;
}

/* Restructuring for grain precedes placement (section 4.2.3). */
static int restructure(struct equant_placement *placement, char *why, size_t why_size)
{
	struct equant_reason *reason = &placement->reasons[placement->count];
	int done = equant_control_grain(placement->nest, reason, why, why_size);

	if (!done)
		done = equant_interchange(placement->nest, reason);
	if (done > 0)
		placement->count++;
	return done < 0 ? done : 0;
}

static struct equant_placement *new_placement(const struct equant_nest *nest)
{
	struct equant_placement *placement = calloc(1, sizeof(*placement));

	if (!placement)
		return NULL;
	placement->hook = -1;
	placement->nest = equant_nest_copy(nest);
	placement->reasons = calloc(REASONS_MOST, sizeof(*placement->reasons));
	if (placement->nest && placement->reasons)
		return placement;
	equant_placement_free(placement);
	errno = ENOMEM;
	return NULL;
}

struct equant_placement *equant_place_hook(const struct equant_nest *nest, char *why,
					   size_t why_size)
{
	struct equant_placement *placement;
	int error = equant_nest_check(nest, why, why_size);

	if (error) {
		errno = -error;
		return NULL;
	}
	placement = new_placement(nest);
	if (!placement) {
		equant_say(why, why_size, "%s", strerror(ENOMEM));
		return NULL;
	}
	error = restructure(placement, why, why_size);
	if (!error)
		error = place(placement);
	if (!error)
		return placement;
	if (error == -ENOMEM)
		equant_say(why, why_size, "%s", strerror(ENOMEM));
	equant_placement_free(placement);
	errno = -error;
	return NULL;
}

void equant_placement_free(struct equant_placement *placement)
{
	if (!placement)
		return;
	equant_nest_free(placement->nest);
	free(placement->reasons);
	free(placement);
}
