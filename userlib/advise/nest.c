// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A loop nest: a tree of loops and statements, and how many operations they are.
 * Levels are those of algorithm 4.1: the body of the distributed loop is level 0,
 * that of each further loop around it one more.
 *
 * Reference: Siegell 1995, section 4.2.4.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advise/advise_internal.h"

struct equant_nest *equant_nest_new(void)
{
	const struct equant_node root = { .kind = EQUANT_NODE_ROOT };
	struct equant_nest *nest = calloc(1, sizeof(*nest));
	int error;

	if (!nest)
		return NULL;
	*nest = (struct equant_nest){
		.ranks = 1,
		.rate = 1e9,
		.hook = 20,
		.overhead = 0.01,
		.response = 0.1,
		.target = 0.04,
		.shift_fixed = 20e-6,
		.byte_time = 1e-9,
		.page = 4096,
	};
	error = equant_nest_append(nest, &root);
	if (error < 0) {
		equant_nest_free(nest);
		errno = -error;
		return NULL;
	}
	return nest;
}

void equant_nest_free(struct equant_nest *nest)
{
	if (!nest)
		return;
	free(nest->nodes);
	free(nest->references);
	free(nest);
}

struct equant_nest *equant_nest_copy(const struct equant_nest *nest)
{
	struct equant_nest *copy = malloc(sizeof(*copy));

	if (!copy)
		return NULL;
	*copy = *nest;
	copy->references = NULL;
	copy->reference_count = 0;
	copy->nodes = malloc((size_t)nest->count * sizeof(*copy->nodes));
	if (!copy->nodes) {
		free(copy);
		return NULL;
	}
	memcpy(copy->nodes, nest->nodes, (size_t)nest->count * sizeof(*copy->nodes));
	return copy;
}

/* ---- links ------------------------------------------------------------------ */

/* A node without a place in the tree. */
int equant_nest_append(struct equant_nest *nest, const struct equant_node *node)
{
	struct equant_node *nodes;

	nodes = realloc(nest->nodes, ((size_t)nest->count + 1) * sizeof(*nodes));
	if (!nodes)
		return -ENOMEM;
	nest->nodes = nodes;
	nodes[nest->count] = *node;
	nodes[nest->count].parent = -1;
	nodes[nest->count].first = -1;
	nodes[nest->count].next = -1;
	return nest->count++;
}

/* The link that points to what follows @after in @parent. */
static int *link_behind(struct equant_nest *nest, int parent, int after)
{
	return after < 0 ? &nest->nodes[parent].first : &nest->nodes[after].next;
}

void equant_nest_link(struct equant_nest *nest, int node, int parent, int after)
{
	int *link = link_behind(nest, parent, after);

	nest->nodes[node].parent = parent;
	nest->nodes[node].next = *link;
	*link = node;
}

void equant_nest_unlink(struct equant_nest *nest, int node)
{
	int *link = &nest->nodes[nest->nodes[node].parent].first;

	while (*link != node)
		link = &nest->nodes[*link].next;
	*link = nest->nodes[node].next;
	nest->nodes[node].parent = -1;
	nest->nodes[node].next = -1;
}

static int depth_of(const struct equant_nest *nest, int node)
{
	int depth = 0;

	for (; node > 0; node = nest->nodes[node].parent)
		depth++;
	return depth;
}

static int last_in(const struct equant_nest *nest, int parent)
{
	int last = -1;

	for (int i = nest->nodes[parent].first; i >= 0; i = nest->nodes[i].next)
		last = i;
	return last;
}

int equant_nest_add(struct equant_nest *nest, int parent, const struct equant_node *node)
{
	int index;

	if (parent < 0 || parent >= nest->count)
		return -EINVAL;
	if (node->kind == EQUANT_NODE_LOOP && depth_of(nest, parent) >= EQUANT_NEST_DEPTH)
		return -EINVAL;
	if (parent > 0 && nest->nodes[parent].kind != EQUANT_NODE_LOOP)
		return -EINVAL;
	if (nest->count >= EQUANT_NEST_NODES)
		return -E2BIG;
	index = equant_nest_append(nest, node);
	if (index >= 0)
		equant_nest_link(nest, index, parent, last_in(nest, parent));
	return index;
}

int equant_nest_distributed(const struct equant_nest *nest)
{
	for (int i = 1; i < nest->count; i++)
		if (nest->nodes[i].flags & EQUANT_LOOP_DISTRIBUTED &&
		    !(nest->nodes[i].flags & EQUANT_LOOP_BLOCKS))
			return i;
	return -1;
}

/* ---- cost ------------------------------------------------------------------- */

/* Work is counted on one rank: what is waited for between two hooks. */
double equant_nest_trips(const struct equant_nest *nest, int loop)
{
	const struct equant_node *node = &nest->nodes[loop];

	if (node->flags & EQUANT_LOOP_UNKNOWN)
		return INFINITY;
	if (node->flags & EQUANT_LOOP_DISTRIBUTED && !(node->flags & EQUANT_LOOP_BLOCK))
		return node->trips / nest->ranks;
	return node->trips;
}

double equant_nest_cost(const struct equant_nest *nest, int loop)
{
	double sum = nest->nodes[loop].cost;

	for (int i = nest->nodes[loop].first; i >= 0; i = nest->nodes[i].next) {
		double cost = nest->nodes[i].cost;

		if (nest->nodes[i].kind == EQUANT_NODE_LOOP)
			cost = equant_nest_cost(nest, i);
		if (nest->nodes[i].kind == EQUANT_NODE_LOOP && cost > 0)
			cost *= equant_nest_trips(nest, i);
		sum += cost;
	}
	return sum;
}

/* ---- check ------------------------------------------------------------------ */

const char *equant_nest_machine_fault(const struct equant_nest *nest)
{
	if (nest->ranks < 1)
		return "ranks is less than 1";
	if (!equant_is_amount(nest->rate) || nest->rate <= 0)
		return "rate is not above 0 and at most 1e18";
	if (!equant_is_amount(nest->hook))
		return "hook is not between 0 and 1e18";
	if (!(nest->overhead > 0 && nest->overhead <= 1))
		return "overhead is not above 0 and at most 1";
	if (!(nest->response > 0 && nest->response <= 1))
		return "response is not above 0 and at most 1";
	if (!equant_is_amount(nest->target) || nest->target <= 0)
		return "target is not above 0 and at most 1e18";
	if (!equant_is_amount(nest->shift_fixed))
		return "shift is not between 0 and 1e18";
	if (!equant_is_amount(nest->byte_time))
		return "byte is not between 0 and 1e18";
	if (!equant_is_amount(nest->page) || nest->page <= 0)
		return "page is not above 0 and at most 1e18";
	return NULL;
}

static const char *trips_fault(const struct equant_node *node)
{
	if (!(node->flags & EQUANT_LOOP_UNKNOWN)) {
		if (equant_is_amount(node->trips) && node->trips >= 1 &&
		    node->trips == floor(node->trips))
			return NULL;
		return "does not run a whole number of times from 1 to 1e18";
	}
	if (node->flags & EQUANT_LOOP_DISTRIBUTED)
		return "is distributed, and it must be known how often it runs";
	return node->trips == 0 ? NULL : "is both known and unknown";
}

static const char *loop_fault(const struct equant_node *node)
{
	unsigned int kind = node->flags & (EQUANT_LOOP_PARALLEL | EQUANT_LOOP_CARRIES);
	const char *fault;

	if (node->flags & (EQUANT_LOOP_BLOCKS | EQUANT_LOOP_BLOCK | EQUANT_LOOP_GRAIN))
		return "is strip-mined already";
	fault = trips_fault(node);
	if (fault)
		return fault;
	if (kind == (EQUANT_LOOP_PARALLEL | EQUANT_LOOP_CARRIES))
		return "cannot be parallel and carry a dependence";
	if (!(node->flags & EQUANT_LOOP_DISTRIBUTED))
		return NULL;
	if (!kind)
		return "is distributed, and must be parallel or carry a dependence";
	if (node->flags & EQUANT_LOOP_CARRIES && node->parent == 0)
		return "carries a dependence and has no loop around it that could be pipelined";
	return NULL;
}

static const char *node_fault(const struct equant_node *node)
{
	if (node->kind < EQUANT_NODE_LOOP || node->kind > EQUANT_NODE_BARRIER)
		return "is neither a loop nor a statement";
	if (!memchr(node->name, '\0', sizeof(node->name)))
		return "has a name that does not end";
	if (!equant_is_amount(node->cost))
		return "has a cost that is not between 0 and 1e18";
	if (!equant_is_amount(node->bytes))
		return "has a number of bytes that is not between 0 and 1e18";
	if (node->kind == EQUANT_NODE_LOOP)
		return loop_fault(node);
	return node->flags ? "has flags and is no loop" : NULL;
}

int equant_nest_refuse(int line, const char *name, const char *fault, char *why, size_t why_size)
{
	const int length = EQUANT_NEST_NAME - 1;

	if (line)
		equant_say(why, why_size, "%d: '%.*s' %s", line, length, name, fault);
	else
		equant_say(why, why_size, "'%.*s' %s", length, name, fault);
	return -EINVAL;
}

/* What is not around the distributed loop must be counted, and so must a pipeline. */
static const char *unknown_fault(const struct equant_nest *nest, int node)
{
	int inside = equant_nest_distributed(nest), pipelined;

	if (!(nest->nodes[node].flags & EQUANT_LOOP_UNKNOWN) || inside < 0)
		return NULL;
	pipelined = nest->nodes[inside].flags & EQUANT_LOOP_CARRIES ? nest->nodes[inside].parent :
								      -1;
	if (node == pipelined)
		return "is a pipeline, and it must be known how often it runs";
	while (inside > 0 && inside != node)
		inside = nest->nodes[inside].parent;
	if (inside == node)
		return NULL;
	return "is not around the distributed loop, and it must be known how often it runs";
}

/* All that can be counted; loops that are unknown once. */
static double known_cost(const struct equant_nest *nest, int node)
{
	double sum = nest->nodes[node].cost;

	for (int i = nest->nodes[node].first; i >= 0; i = nest->nodes[i].next) {
		double trips = nest->nodes[i].kind == EQUANT_NODE_LOOP ? nest->nodes[i].trips : 1;

		sum += (trips > 1 ? trips : 1) * known_cost(nest, i);
	}
	return sum;
}

static int check_nodes(const struct equant_nest *nest, char *why, size_t why_size)
{
	int distributed = 0;
	const char *fault;

	for (int i = 1; i < nest->count; i++) {
		fault = node_fault(&nest->nodes[i]);
		if (!fault)
			fault = unknown_fault(nest, i);
		if (!fault && nest->nodes[i].flags & EQUANT_LOOP_DISTRIBUTED && distributed++)
			fault = "is distributed, and so is another loop";
		if (fault)
			return equant_nest_refuse(nest->nodes[i].line, nest->nodes[i].name, fault,
						  why, why_size);
	}
	if (distributed)
		return 0;
	equant_say(why, why_size, "no loop is distributed");
	return -EINVAL;
}

int equant_nest_check(const struct equant_nest *nest, char *why, size_t why_size)
{
	const char *fault = equant_nest_machine_fault(nest);
	int error;

	if (fault) {
		equant_say(why, why_size, "%s", fault);
		return -EINVAL;
	}
	error = check_nodes(nest, why, why_size);
	if (error)
		return error;
	if (isfinite(known_cost(nest, 0)))
		return 0;
	equant_say(why, why_size, "the nest has more operations than a double can hold");
	return -EINVAL;
}
