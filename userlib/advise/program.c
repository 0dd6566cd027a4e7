// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The program that static planners know, out of a described nest: iterations of the distributed
 * loop, their operations, and the memory that follows from the strides of what is referred to.
 *
 * Resident memory is counted of perfectly nested loops.  So all references must be on one
 * path of loops within each other, the distributed one among them; a reference outside the
 * innermost stays where it is while the loops below it run.
 *
 * Reference: Cierniak, Zaki, Li 1997, sections 3 and 7.1.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advise/advise_internal.h"
#include <equant/plan.h>

/**
 * struct path - loops within each other, the outermost first
 * @nest: whose
 * @loops: how many
 * @nodes: the loops
 * @trips: of each
 * @distributed: place of the distributed one
 */
struct path {
	const struct equant_nest *nest;
	int loops;
	int nodes[EQUANT_NEST_DEPTH];
	double trips[EQUANT_NEST_DEPTH];
	int distributed;
};

static bool is_on(const struct path *path, int loop)
{
	for (int place = 0; place < path->loops; place++)
		if (path->nodes[place] == loop)
			return true;
	return false;
}

/* Down to the distributed loop, and further with references. */
static int follow(struct path *path, char *why, size_t why_size)
{
	const struct equant_nest *nest = path->nest;
	int inside = equant_nest_distributed(nest), deepest[EQUANT_NEST_DEPTH];

	path->loops = equant_nest_path(nest, inside, path->nodes);
	path->distributed = path->loops - 1;
	for (int r = 0; r < nest->reference_count; r++) {
		const struct equant_reference *reference = &nest->references[r];
		int loops = equant_nest_path(nest, reference->loop, deepest);

		if (is_on(path, reference->loop))
			continue;
		if (loops <= path->loops ||
		    deepest[path->loops - 1] != path->nodes[path->loops - 1])
			return equant_nest_refuse(
				reference->line, reference->name,
				"is beside the distributed loop, or beside another reference's loop: memory is counted of loops within each other",
				why, why_size);
		path->loops = loops;
		memcpy(path->nodes, deepest, sizeof(deepest));
	}
	return 0;
}

/*
 * A loop that runs nobody knows how often, and in which nothing moves on, carries all reuse however
 * often it runs, if twice.
 */
static int count_trips(struct path *path, char *why, size_t why_size)
{
	const struct equant_nest *nest = path->nest;

	for (int place = 0; place < path->loops; place++) {
		const struct equant_node *node = &nest->nodes[path->nodes[place]];

		path->trips[place] = node->flags & EQUANT_LOOP_UNKNOWN ? 2 : node->trips;
		if (!(node->flags & EQUANT_LOOP_UNKNOWN))
			continue;
		for (int r = 0; r < nest->reference_count; r++)
			if (nest->references[r].strides[place] != 0)
				return equant_nest_refuse(
					nest->references[r].line, nest->references[r].name,
					"moves on with a loop of which it is not known how often it runs",
					why, why_size);
	}
	return 0;
}

static int set_memory(struct equant_plan_program *program, const struct path *path,
		      enum equant_plan_replacement replacement, char *why, size_t why_size)
{
	const struct equant_nest *nest = path->nest;
	struct equant_plan_nest loops = { path->loops, path->trips, nest->reference_count, NULL,
					  nest->page };
	struct equant_plan_reference *references;
	int error;

	if (!nest->reference_count)
		return 0;
	references = reallocarray(NULL, (size_t)nest->reference_count, sizeof(*references));
	if (!references)
		return -ENOMEM;
	for (int r = 0; r < nest->reference_count; r++)
		references[r] = (struct equant_plan_reference){ nest->references[r].bytes,
								nest->references[r].strides };
	loops.reference = references;
	error = equant_plan_program_nest(program, &loops, path->distributed, replacement, why,
					 why_size);
	free(references);
	return error;
}

/* Operations of an iteration of the distributed loop, all the times that the loop runs. */
static double operations(const struct path *path)
{
	const struct equant_nest *nest = path->nest;
	int inside = path->nodes[path->distributed];
	double once = equant_nest_cost(nest, inside);

	for (int place = 0; place < path->distributed; place++)
		if (!(nest->nodes[path->nodes[place]].flags & EQUANT_LOOP_UNKNOWN))
			once *= path->trips[place];
	return once;
}

static int fill(struct equant_plan_program *program, const struct path *path,
		enum equant_plan_replacement replacement, char *why, size_t why_size)
{
	double work = operations(path);

	if (work > 0 && equant_plan_program_work(program, 0, work)) {
		equant_say(why, why_size, "the nest has more operations than a double can hold");
		return -EINVAL;
	}
	return set_memory(program, path, replacement, why, why_size);
}

/* The only loop that planners can do something with. */
static int check_distributed(const struct equant_nest *nest, char *why, size_t why_size)
{
	const struct equant_node *node;
	int error = equant_nest_check(nest, why, why_size);

	if (error)
		return error;
	node = &nest->nodes[equant_nest_distributed(nest)];
	if (node->flags & EQUANT_LOOP_CARRIES)
		return equant_nest_refuse(
			node->line, node->name,
			"carries a dependence: planners are for loops that do not", why, why_size);
	if (node->trips > (double)EQUANT_PLAN_ITERATIONS)
		return equant_nest_refuse(node->line, node->name,
					  "has more iterations than planners can count", why,
					  why_size);
	return 0;
}

struct equant_plan_program *equant_nest_program(const struct equant_nest *nest,
						enum equant_plan_replacement replacement, char *why,
						size_t why_size)
{
	struct path path = { .nest = nest };
	struct equant_plan_program *program = NULL;
	int error = check_distributed(nest, why, why_size);

	if (!error)
		error = follow(&path, why, why_size);
	if (!error)
		error = count_trips(&path, why, why_size);
	if (!error) {
		program = equant_plan_program_new((long)path.trips[path.distributed]);
		error = program ? fill(program, &path, replacement, why, why_size) : -errno;
	}
	if (!error)
		return program;
	if (error == -ENOMEM)
		equant_say(why, why_size, "out of memory");
	equant_plan_program_free(program);
	errno = -error;
	return NULL;
}
