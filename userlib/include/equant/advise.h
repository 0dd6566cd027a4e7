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

#ifdef __cplusplus
extern "C" {
#endif

/* ---- block size of a pipeline (section 3.3) ------------------------------ */

/**
 * struct equant_pipeline - measured costs of a loop that is executed as a pipeline
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
struct equant_pipeline {
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
 * Starts at eq. 3.12 and goes on to the exact minimum of equant_pipeline_time(): the
 * formula ignores that blocks are whole.  One rank alone shifts nothing and gets one
 * block.  Of two sizes with the same time either may come, but always the same one.
 *
 * Return: 0, or -EINVAL for a value outside the ranges above.
 */
EQUANT_API int equant_block_size(const struct equant_pipeline *pipeline, struct equant_block *block,
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
EQUANT_API long equant_block_for_grain(const struct equant_pipeline *pipeline, double grain,
				       char *why, size_t why_size);

/**
 * equant_pipeline_time() - the time of the pipelined loop for a given block size
 * @pipeline: measured costs
 * @size: iterations per block, 1 to m
 *
 * Eq. 3.7 with eqs. 3.5, 3.8 and 3.9; where @size does not divide m, with a last block
 * that is as small as it is.
 *
 * Return: seconds, or NaN if @pipeline or @size is outside its range.
 */
EQUANT_API double equant_pipeline_time(const struct equant_pipeline *pipeline, long size);

#ifdef __cplusplus
}
#endif
#endif /* EQUANT_ADVISE_H */
