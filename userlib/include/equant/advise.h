/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Advice before a program runs: the block size of a strip-mined pipeline, and
 * where the hook of the load balancer goes in a loop nest.  Pure functions: they
 * know neither MPI nor the kernel, keep no state, may be called from any thread
 * on different objects, and give the same answer for the same arguments
 * everywhere (integers and ordered doubles).
 *
 * Reference: B. S. Siegell, Automatic Generation of Parallel Programs with
 * Dynamic Load Balancing for a Network of Workstations, CMU-CS-95-168, 1995,
 * chapters 3 and 4; equation and algorithm numbers below are the thesis'.
 *
 * Units: time in seconds, data in bytes, work in units (iterations of the
 * distributed loop) or operations.
 */
#ifndef EQUANT_ADVISE_H
#define EQUANT_ADVISE_H

#include <stddef.h>

#include <equant/export.h>
#include <equant/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- block size of a pipeline (section 3.3) ------------------------------ */

/**
 * struct equant_strips - measured costs of a loop that is executed as a pipeline
 * @ranks: P, at least 1
 * @iterations: m, iterations of the pipelined loop, the one around the distributed loop; at least 1
 * @units: iterations of the distributed loop on the rank that has most, eq. 3.2; at least 1
 * @unit_time: time of one unit in one iteration of the pipelined loop
 * @shift_fixed: t_fixed of eq. 3.8: time to shift an empty message to the next rank, with what
 *	sender and receiver spend on it
 * @byte_time: what a further byte costs
 * @bytes: data that one iteration of the pipelined loop shifts; t_incr = @bytes x @byte_time
 *
 * No time and no amount may be negative, not finite or above 1e18.
 */
struct equant_strips {
	int ranks;
	long iterations;
	long units;
	double unit_time;
	double shift_fixed;
	double byte_time;
	double bytes;
};

/**
 * struct equant_block - the best block size and what it is expected to give
 * @size: iterations of the pipelined loop per block, 1 to m
 * @blocks: how many blocks that makes, the last one may be smaller
 * @ideal: M of eq. 3.12: the best number of blocks if it need not be whole; from 1 to m
 * @time: of the whole loop
 * @sequential: t_sequential, eq. 3.3
 * @efficiency: @sequential over P x @time, eq. 1.4 on a dedicated machine; 1 if nothing costs time
 */
struct equant_block {
	long size;
	long blocks;
	double ideal;
	double time;
	double sequential;
	double efficiency;
};

/**
 * equant_block_size() - the block size for which the pipeline takes the least time
 * @pipeline: measured costs
 * @block: the answer
 * @why: if not NULL, gets one line about what is wrong
 * @why_size: size of @why
 *
 * Starts at eq. 3.12 and goes on to the exact minimum of equant_strips_time(): the
 * formula ignores that blocks are whole.  One rank alone shifts nothing and gets one
 * block.  Of two sizes with the same time either may come, but always the same one.
 *
 * Return: 0, or -EINVAL for a value outside the ranges above.
 */
EQUANT_API int equant_block_size(const struct equant_strips *pipeline, struct equant_block *block,
				 char *why, size_t why_size);

/**
 * equant_block_for_grain() - the block size that makes a grain as long as wanted, eq. 3.1
 * @pipeline: measured costs
 * @grain: computation between two synchronisations, above 0
 * @why: as above
 * @why_size: size of @why
 *
 * Return: the nearest size in 1 to m, or -EINVAL.
 */
EQUANT_API long equant_block_for_grain(const struct equant_strips *pipeline, double grain,
				       char *why, size_t why_size);

/**
 * equant_strips_time() - the time of the pipelined loop for a given block size
 * @pipeline: measured costs
 * @size: iterations per block, 1 to m
 *
 * Eq. 3.7 with eqs. 3.5, 3.8 and 3.9; where @size does not divide m, with a last block
 * that is as small as it is.
 *
 * Return: seconds, or NaN if @pipeline or @size is outside its range.
 */
EQUANT_API double equant_strips_time(const struct equant_strips *pipeline, long size);

/* ---- a loop nest ----------------------------------------------------------- */

#define EQUANT_NEST_NAME 64
#define EQUANT_NEST_NODES 1000 /* at most */
#define EQUANT_NEST_DEPTH 32 /* loops within loops, at most */

enum equant_node_kind {
	EQUANT_NODE_ROOT, /* what is outside all loops; node 0 of every nest and no other */
	EQUANT_NODE_LOOP,
	EQUANT_NODE_STATEMENT,
	EQUANT_NODE_SEND,
	EQUANT_NODE_RECEIVE,
	EQUANT_NODE_BARRIER,
	EQUANT_NODE_HOOK, /* only in an answer */
};

#define EQUANT_LOOP_DISTRIBUTED (1u << 0) /* its iterations are the units */
#define EQUANT_LOOP_PARALLEL (1u << 1) /* no iteration needs another: DOALL */
#define EQUANT_LOOP_CARRIES (1u << 2) /* an iteration needs earlier ones: DOACROSS */
#define EQUANT_LOOP_BLOCKS (1u << 3) /* strip-mined: counts the blocks; only in an answer */
#define EQUANT_LOOP_BLOCK (1u << 4) /* strip-mined: one block; only in an answer */
#define EQUANT_LOOP_GRAIN (1u << 5) /* strip-mined for the grain size; only in an answer */
#define EQUANT_LOOP_UNKNOWN (1u << 6) /* how often it runs is not known: @trips is 0 */

/**
 * struct equant_node - a loop or statement of a nest
 * @kind: what it is
 * @flags: EQUANT_LOOP_*; 0 for all but loops
 * @name: for messages
 * @trips: iterations of a loop, of all ranks together; their mean if bounds vary
 * @cost: operations: of a statement, or of a loop's own overhead per iteration
 * @bytes: what a send or receive transfers
 * @line: where it was described, 0 if nowhere
 * @parent: the node it is in; set by equant_nest_add(), as are the next two
 * @first: first node in it, or -1
 * @next: the node that follows it in the same parent, or -1
 */
struct equant_node {
	enum equant_node_kind kind;
	unsigned int flags;
	char name[EQUANT_NEST_NAME];
	double trips;
	double cost;
	double bytes;
	int line;
	int parent;
	int first;
	int next;
};

/**
 * struct equant_reference - an array that a statement refers to
 * @name: for messages
 * @bytes: of an element, above 0
 * @strides: by how many elements it moves on with each loop around it, the outermost first; any sign
 * @line: where it was described, 0 if nowhere
 * @loop: the loop it is in; set by equant_nest_refer()
 */
struct equant_reference {
	char name[EQUANT_NEST_NAME];
	double bytes;
	double strides[EQUANT_NEST_DEPTH];
	int line;
	int loop;
};

/**
 * struct equant_nest - a nest around one distributed loop, and the machine it is for
 * @name: for messages
 * @nodes: node 0 is the root
 * @count: number of @nodes
 * @ranks: at least 1 (1)
 * @rate: operations per second of one rank (1e9)
 * @hook: hookcost: operations of a hook that does not balance (20)
 * @overhead: ovhf: what fraction of the computation hooks may cost (0.01)
 * @response: respf: how finely the balancing period shall be controlled (0.1)
 * @target: estimate of the balancing period; ten quanta (0.04)
 * @shift_fixed: as in struct equant_strips, for a loop that carries a dependence (20e-6)
 * @byte_time: likewise (1e-9)
 * @between: may the hook be between iterations of the distributed loop? Ranks then call it
 *	unequally often, which equant_hook() does not allow (0)
 * @page: bytes of a page of memory (4096)
 * @references: of all statements; for equant_nest_program(), hooks go where they go without
 * @reference_count: how many
 */
struct equant_nest {
	char name[EQUANT_NEST_NAME];
	struct equant_node *nodes;
	int count;
	int ranks;
	double rate;
	double hook;
	double overhead;
	double response;
	double target;
	double shift_fixed;
	double byte_time;
	int between;
	double page;
	struct equant_reference *references;
	int reference_count;
};

/** equant_nest_new() - an empty nest with the values in brackets above, or NULL and errno */
EQUANT_API struct equant_nest *equant_nest_new(void);

/** equant_nest_free() - free it; NULL is nothing */
EQUANT_API void equant_nest_free(struct equant_nest *nest);

/**
 * equant_nest_add() - append a node to what is in another one
 * @nest: the nest
 * @parent: a loop, or 0
 * @node: copied; its links are ignored
 *
 * Return: the index of the new node, -EINVAL if @parent can hold none or would be too
 * deep, -E2BIG for too many nodes, -ENOMEM.
 */
EQUANT_API int equant_nest_add(struct equant_nest *nest, int parent,
			       const struct equant_node *node);

/**
 * equant_nest_refer() - add a reference to an array
 * @nest: the nest
 * @loop: the loop whose body refers to it
 * @reference: copied
 *
 * Return: 0, -EINVAL if @loop is none or a number is outside its range, -E2BIG for more than
 * EQUANT_NEST_NODES, -ENOMEM.
 */
EQUANT_API int equant_nest_refer(struct equant_nest *nest, int loop,
				 const struct equant_reference *reference);

/**
 * equant_nest_read() - read the description of a nest
 * @path: a file in the format of Documentation/advise.rst
 * @why: if not NULL, gets one line that names file, line and word
 * @why_size: size of @why
 *
 * Return: the nest, to be freed by the caller, or NULL and errno: EINVAL for what cannot
 * be understood, ENOMEM, or what the system says of the file.
 */
EQUANT_API struct equant_nest *equant_nest_read(const char *path, char *why, size_t why_size);

/**
 * equant_nest_check() - is this a nest that a hook can be placed in?
 * @nest: the nest
 * @why: if not NULL, gets one line that names what is wrong
 * @why_size: size of @why
 *
 * One loop must be distributed and say whether it is parallel or carries a dependence;
 * in the latter case a loop must be around it, and known how often it runs.  Only loops around
 * the distributed one may be unknown.  All numbers must be in their ranges.
 *
 * Return: 0, or -EINVAL.
 */
EQUANT_API int equant_nest_check(const struct equant_nest *nest, char *why, size_t why_size);

/**
 * equant_nest_program() - the nest as the planners of <equant/plan.h> know programs
 * @nest: its distributed loop must be parallel
 * @replacement: of pages
 * @why: if not NULL, gets one line that names what is wrong
 * @why_size: size of @why
 *
 * Iterations are those of the distributed loop.  Each has its operations, all the times that the
 * loop runs, once if a loop around it is unknown; one, if the nest has none.  Memory follows from
 * references by equant_plan_program_nest(): they must be in loops within each other, the distributed
 * one among them.  Messages and barriers are not counted, and no iteration has bytes.
 *
 * Return: the program, to be freed by equant_plan_program_free(), or NULL and errno: EINVAL for a
 * nest that is none of this, ENOMEM.
 */
EQUANT_API struct equant_plan_program *equant_nest_program(const struct equant_nest *nest,
							   enum equant_plan_replacement replacement,
							   char *why, size_t why_size);

/* ---- where the hook goes (section 4.2) ------------------------------------ */

enum equant_reason_kind {
	EQUANT_REASON_INTERCHANGED, /* @loop went inside @other, to have a loop around it */
	EQUANT_REASON_TILED, /* the same, so that the blocks of both are next to each other */
	EQUANT_REASON_GRAIN, /* @loop strip-mined by eq. 3.12, messages gathered; @value: efficiency */
	EQUANT_REASON_NO_GRAIN, /* no receive before and send after the distributed loop: left */
	EQUANT_REASON_TOO_OFTEN, /* at @level, in @loop: @value operations, @limit are needed */
	EQUANT_REASON_RARE_ENOUGH, /* the same, and it is enough */
	EQUANT_REASON_COARSE, /* @value operations between hooks, more than @limit wanted */
	EQUANT_REASON_STRIPPED, /* @loop strip-mined for the hook, into blocks of @block */
	EQUANT_REASON_BETWEEN, /* not: the hook would be between distributed iterations */
	EQUANT_REASON_GRAIN_FIRST, /* not: the block size belongs to the grain */
	EQUANT_REASON_TARGET, /* not: @value operations in half the period, @limit are needed */
	EQUANT_REASON_ONE_BLOCK, /* not: a block would hold the whole loop, or 1e18 iterations of it */
	EQUANT_REASON_BEFORE, /* hook before @other, a send or barrier that synchronises anyway */
	EQUANT_REASON_AFTER, /* hook after @other, a receive */
	EQUANT_REASON_FOLLOWS, /* hook right after @other, the surrounded loop */
	EQUANT_REASON_ONCE, /* no hook: it would run once, after all work is done */
	EQUANT_REASON_TOO_SMALL, /* no hook: too dear at every level */
};

/**
 * struct equant_reason - one step of the way to an answer
 * @kind: which
 * @level: 0 is the body of the distributed loop, 1 that of the loop around it, ...
 * @loop: the loop it is about; "" for what is outside all loops
 * @other: see @kind
 * @value: see @kind
 * @limit: see @kind
 * @block: block size
 */
struct equant_reason {
	enum equant_reason_kind kind;
	int level;
	char loop[EQUANT_NEST_NAME];
	char other[EQUANT_NEST_NAME];
	double value;
	double limit;
	long block;
};

/**
 * struct equant_placement - where the hook goes
 * @nest: the nest as it should be: restructured, with a node EQUANT_NODE_HOOK in it if one is
 *	of use
 * @hook: index of that node, or -1
 * @period: operations of one rank from one hook to the next; 0 without a hook, infinite if
 *	an unknown loop is between
 * @reasons: why, in the order of the algorithm
 * @count: number of @reasons
 */
struct equant_placement {
	struct equant_nest *nest;
	int hook;
	double period;
	struct equant_reason *reasons;
	int count;
};

/**
 * equant_place_hook() - put the hook into a nest, algorithms 4.1 and 4.2
 * @nest: the nest; not changed
 * @why: if not NULL, gets one line about what is wrong
 * @why_size: size of @why
 *
 * Before that, and as section 4.2.3 demands, restructures for grain size: where the
 * distributed loop carries a dependence, the loop around it is strip-mined with the block size
 * of equant_block_size(), and its messages are gathered.
 *
 * A loop that is unknown counts as infinitely long, so that it is strip-mined.  If it and the
 * one around it are both unknown and parallel, both are, and the blocks of both become the
 * two inner loops: should one turn out short, the block size of the other makes up for it.
 *
 * Differs from algorithm 4.1 as printed in two points that the text of section 4.2
 * asks for: no hook between iterations of the distributed loop, unless @between is
 * set, and none outside all loops, where no work is left to be balanced.  If only the latter
 * remains because the distributed loop is the outermost, and it and the one loop in it are
 * both parallel, the two are interchanged.
 *
 * Return: the answer, to be freed by the caller, or NULL and errno: EINVAL for what
 * equant_nest_check() refuses, ENOMEM.
 */
EQUANT_API struct equant_placement *equant_place_hook(const struct equant_nest *nest, char *why,
						      size_t why_size);

/** equant_placement_free() - free it and its nest; NULL is nothing */
EQUANT_API void equant_placement_free(struct equant_placement *placement);

/** equant_reason_name() - "grain", "too often", ... */
EQUANT_API const char *equant_reason_name(enum equant_reason_kind kind);

#ifdef __cplusplus
}
#endif
#endif /* EQUANT_ADVISE_H */
