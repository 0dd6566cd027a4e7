/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Static schedules of parallel loops on unequal processors: a program, a
 * machine, and planners that assign iterations to processors before the program
 * runs.  Pure functions: they know neither MPI nor the kernel, keep no state, may
 * be called from any thread on different objects, and give the same answer for
 * the same arguments everywhere.
 *
 * Reference: M. Cierniak, M. J. Zaki, W. Li, Compile-Time Scheduling Algorithms
 * for a Heterogeneous Network of Workstations, The Computer Journal 40(6), 1997;
 * section and equation numbers below are the paper's.
 *
 * Iterations are counted from 0 here: iteration k is the paper's iteration k + 1.
 * Text and JSON count from 1, as the paper does.
 *
 * Units: time in seconds, data and memory in bytes, work in operations; any other
 * units will do that fit each other.
 *
 * Errors: 0 or -errno; NULL and errno from what returns a pointer.  @why, where it is not NULL,
 * gets one line about what is wrong, and @why_size is its size.
 */
#ifndef EQUANT_PLAN_H
#define EQUANT_PLAN_H

#include <stddef.h>

#include <equant/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Every whole number up to here is a double. */
#define EQUANT_PLAN_ITERATIONS (1L << 53)
#define EQUANT_PLAN_PROCESSORS (1 << 20)

/* ---- the program (section 3) ------------------------------------------------ */

/**
 * struct equant_plan_cost - what each iteration costs: work or bytes
 * @slope: a of x_i = a i + b, i from 1 to n
 * @constant: b
 * @each: one number per iteration instead, or NULL
 */
struct equant_plan_cost {
	double slope;
	double constant;
	double *each;
};

/**
 * struct equant_plan_program - a loop whose iterations do not depend on each other
 * @iterations: n
 * @work: x_i, operations
 * @bytes: y_i, what has to be sent as the result of iteration i; all iterations of a
 *	processor make one message, after the last of them
 * @resident: bytes that must be in a processor's memory if it has any iteration
 * @resident_each: and for each of its iterations
 *
 * To be read; to be written with the functions below only.
 */
struct equant_plan_program {
	long iterations;
	struct equant_plan_cost work;
	struct equant_plan_cost bytes;
	double resident;
	double resident_each;
};

/**
 * equant_plan_program_new() - a program of @iterations, each of one operation and without bytes
 *
 * Return: the program, or NULL and errno: EINVAL for less than 1 iteration, EOVERFLOW for more than
 * EQUANT_PLAN_ITERATIONS, ENOMEM.
 */
EQUANT_API struct equant_plan_program *equant_plan_program_new(long iterations);

/** equant_plan_program_free() - free it; NULL is nothing */
EQUANT_API void equant_plan_program_free(struct equant_plan_program *program);

/**
 * equant_plan_program_work() - x_i = @slope x i + @constant, i from 1 to n
 *
 * Return: 0, -EINVAL if that is negative, infinite or not a number anywhere.
 */
EQUANT_API int equant_plan_program_work(struct equant_plan_program *program, double slope,
					double constant);
/** equant_plan_program_bytes() - the same for y_i */
EQUANT_API int equant_plan_program_bytes(struct equant_plan_program *program, double slope,
					 double constant);

/**
 * equant_plan_program_work_each() - x_i as given
 * @each: as many numbers as iterations; copied
 *
 * Return: 0, -EINVAL if one is negative, infinite or not a number, -ENOMEM.
 */
EQUANT_API int equant_plan_program_work_each(struct equant_plan_program *program,
					     const double *each);
/** equant_plan_program_bytes_each() - the same for y_i */
EQUANT_API int equant_plan_program_bytes_each(struct equant_plan_program *program,
					      const double *each);

/**
 * equant_plan_program_resident() - memory that the program needs on each processor
 * @fixed: bytes, if it has any iteration
 * @each: and for each of its iterations
 *
 * Return: 0, -EINVAL if one is negative, infinite or not a number.
 */
EQUANT_API int equant_plan_program_resident(struct equant_plan_program *program, double fixed,
					    double each);

/* ---- the machine (sections 4 and 9.1) --------------------------------------- */

#define EQUANT_PLAN_NAME 64

/**
 * struct equant_plan_processor - one processor
 * @name: for those who read the plan
 * @operation: gamma_i, time of one operation; above 0
 * @startup: alpha_i, what its message takes before the first byte; alpha' of section 9
 * @byte: beta_i, for each byte; beta' of section 9
 * @memory: m_i, available to the program, bytes; infinite where it is no limit
 */
struct equant_plan_processor {
	char name[EQUANT_PLAN_NAME];
	double operation;
	double startup;
	double byte;
	double memory;
};

/**
 * struct equant_plan_machine - p processors
 * @count: p
 * @processors: as many
 * @medium_startup: alpha'' of section 9: how long a message occupies the medium that all
 *	processors share and one at a time has
 * @medium_byte: beta'': and for each byte
 *
 * Without @medium_startup and @medium_byte messages do not get in each other's way.  To be read;
 * to be written with the functions below only.
 */
struct equant_plan_machine {
	int count;
	struct equant_plan_processor *processors;
	double medium_startup;
	double medium_byte;
};

/** equant_plan_machine_new() - a machine without processors, or NULL and errno: ENOMEM */
EQUANT_API struct equant_plan_machine *equant_plan_machine_new(void);

/** equant_plan_machine_free() - free it; NULL is nothing */
EQUANT_API void equant_plan_machine_free(struct equant_plan_machine *machine);

/**
 * equant_plan_machine_add() - add @count processors that are like @processor
 *
 * Return: 0, -EINVAL for a count below 1, a name that is not terminated or holds control characters
 * or quotes, a speed of zero (@operation must be above 0 and finite), a cost or memory that is
 * negative or not a number, -E2BIG for more than EQUANT_PLAN_PROCESSORS, -ENOMEM.
 */
EQUANT_API int equant_plan_machine_add(struct equant_plan_machine *machine,
				       const struct equant_plan_processor *processor, int count);

/** equant_plan_machine_medium() - alpha'' and beta''; 0, or -EINVAL as above */
EQUANT_API int equant_plan_machine_medium(struct equant_plan_machine *machine, double startup,
					  double byte);

/**
 * equant_plan_check() - can anything be planned?
 *
 * Return: 0, -EINVAL for a machine without processors, -EOVERFLOW if the whole loop on one
 * processor takes longer, or sends more, than a double can hold, -ENOSPC if memory is too small for
 * any schedule, with the shortfall in @why.
 */
EQUANT_API int equant_plan_check(const struct equant_plan_program *program,
				 const struct equant_plan_machine *machine, char *why,
				 size_t why_size);

/* ---- programs and machines as text ------------------------------------------- */

/**
 * equant_plan_read() - a program, a machine or both, from a file as in Documentation/plan.rst
 * @path: of the file
 * @program: receives the program, or NULL if the file has none
 * @machine: receives the machine, or NULL if the file has none
 *
 * @program or @machine may be NULL where a file with one is not wanted.
 *
 * Return: 0, -EINVAL for a file that is not as it must be, with file, line and word in @why,
 * -ENOMEM, or what opening and reading the file gave.  Both are NULL then.
 */
EQUANT_API int equant_plan_read(const char *path, struct equant_plan_program **program,
				struct equant_plan_machine **machine, char *why, size_t why_size);

/**
 * equant_plan_write() - write what equant_plan_read() reads, to the last bit
 * @path: of the file, which is replaced
 * @program: or NULL
 * @machine: or NULL
 *
 * Return: 0, or what opening and writing the file gave.
 */
EQUANT_API int equant_plan_write(const char *path, const struct equant_plan_program *program,
				 const struct equant_plan_machine *machine);

/* ---- a schedule ------------------------------------------------------------- */

/**
 * struct equant_plan_span - iterations @first, @first + @step, ..., @count of them
 *
 * @count and @step are at least 1.
 */
struct equant_plan_span {
	long first;
	long count;
	long step;
};

/**
 * struct equant_plan_time - how a processor spends its time
 * @compute: on its iterations
 * @local: on its message, while others may do the same
 * @wait: for the medium, while others have it
 * @medium: on its message, while it has the medium
 * @finish: the sum; 0 if it has no iteration
 */
struct equant_plan_time {
	double compute;
	double local;
	double wait;
	double medium;
	double finish;
};

/**
 * struct equant_plan - every iteration assigned to exactly one processor
 * @planner: who did it
 * @processors: p
 * @iterations: n
 * @starts: p + 1 numbers: processor i has @spans from @starts[i] to below @starts[i + 1],
 *	in the order in which it computes them
 * @spans: all of them
 * @counts: iterations of each processor
 * @times: of each processor
 * @makespan: the largest @finish
 * @bound: what the planner proves that no schedule of its kind can be faster than, or 0
 */
struct equant_plan {
	const char *planner;
	int processors;
	long iterations;
	long *starts;
	struct equant_plan_span *spans;
	long *counts;
	struct equant_plan_time *times;
	double makespan;
	double bound;
};

/**
 * equant_plan_new() - have a schedule made
 * @planner: a name of equant_planner_name()
 *
 * A processor may be left without iterations, and is when there are fewer iterations than
 * processors.
 *
 * Return: the schedule, or NULL and errno: EINVAL for an unknown planner and for what
 * equant_plan_check() refuses, EOVERFLOW and ENOSPC the same, EOPNOTSUPP for a program or machine
 * that the planner is not made for, ENOMEM, EIO for a planner that has not given all iterations.
 */
EQUANT_API struct equant_plan *equant_plan_new(const char *planner,
					       const struct equant_plan_program *program,
					       const struct equant_plan_machine *machine, char *why,
					       size_t why_size);

/** equant_plan_free() - free it; NULL is nothing */
EQUANT_API void equant_plan_free(struct equant_plan *plan);

/**
 * equant_plan_simulate() - what a schedule takes
 * @machine: need not be the one it was made for, but as large
 * @times: one per processor, or NULL
 *
 * A processor computes all its iterations and then sends one message, unless no iteration
 * of the program has any bytes or the processor no iteration:
 *
 *	T_i = max(t_i', end of the message before) + t_i''	(section 9.1)
 *	t_i' = gamma_i X_i + alpha_i + beta_i Y_i,  t_i'' = alpha'' + beta'' Y_i
 *
 * where X_i and Y_i are the sums over its iterations.  The medium serves messages in the order in
 * which they are ready, the lower processor first if at once.
 *
 * Return: the makespan; NaN if @machine, @program and @plan are not of a size, or out of memory.
 */
EQUANT_API double equant_plan_simulate(const struct equant_plan *plan,
				       const struct equant_plan_program *program,
				       const struct equant_plan_machine *machine,
				       struct equant_plan_time *times);

/**
 * equant_plan_bound() - a time that no schedule can be faster than
 *
 * The largest of three: what the loop would take if iterations could be split, and went wherever
 * they are done best; what a single iteration takes where that is least; and what all messages
 * take on the medium.  The first is what divisible iterations take if work and bytes are in
 * proportion or one of them is all that takes time, and an estimate from below otherwise.
 * Memory limits are left out of account.
 */
EQUANT_API double equant_plan_bound(const struct equant_plan_program *program,
				    const struct equant_plan_machine *machine);

/**
 * equant_plan_over_memory() - who has been given more than its memory holds?
 *
 * Not every planner looks at memory.
 *
 * Return: the first such processor, or -1.
 */
EQUANT_API int equant_plan_over_memory(const struct equant_plan *plan,
				       const struct equant_plan_program *program,
				       const struct equant_plan_machine *machine);

/* ---- memory (section 7.1) ----------------------------------------------------- */

#define EQUANT_PLAN_LOOPS 32 /* in a nest, at most */

/**
 * struct equant_plan_reference - an array reference in a loop nest
 * @element: bytes
 * @strides: one per loop, the outermost first: how many elements further its next iteration
 *	refers to; any sign
 */
struct equant_plan_reference {
	double element;
	const double *strides;
};

/**
 * struct equant_plan_nest - perfectly nested loops
 * @loops: how many, 1 to EQUANT_PLAN_LOOPS
 * @trips: iterations of each, the outermost first; at least 1
 * @references: in the body; at least 1
 * @reference: as many
 * @page: bytes
 */
struct equant_plan_nest {
	int loops;
	const double *trips;
	int references;
	const struct equant_plan_reference *reference;
	double page;
};

enum equant_plan_replacement {
	EQUANT_PLAN_IDEAL, /* the page that is needed last, or never again, goes */
	EQUANT_PLAN_LRU, /* the least recently used one */
};

/**
 * equant_plan_resident_pages() - RMS: pages with which no page is missed a second time
 * @nest: the nest; parts of pages count as such, boundaries are ignored
 * @replacement: the policy
 *
 * From stride vectors, section 7.1.  A conservative estimate where references share an array.
 *
 * Return: pages, or NaN for values outside the ranges above.
 */
EQUANT_API double equant_plan_resident_pages(const struct equant_plan_nest *nest,
					     enum equant_plan_replacement replacement);

/** equant_plan_touched_pages() - total memory: all pages that @nest refers to; or NaN */
EQUANT_API double equant_plan_touched_pages(const struct equant_plan_nest *nest);

/**
 * equant_plan_program_nest() - equant_plan_program_resident() from a nest
 * @program: its iterations are those of loop @distributed
 * @nest: what a processor runs; @trips of loop @distributed is replaced by its iterations
 * @distributed: a loop
 * @replacement: the policy
 * @why: as above
 * @why_size: the same
 *
 * Sets the line through the RMS of two iterations and that of all.
 *
 * Return: 0, -EINVAL.
 */
EQUANT_API int equant_plan_program_nest(struct equant_plan_program *program,
					const struct equant_plan_nest *nest, int distributed,
					enum equant_plan_replacement replacement, char *why,
					size_t why_size);

/* ---- measured machines (sections 4.1 and 4.3) ---------------------------------- */

#define EQUANT_PLAN_SAMPLES 1000 /* in a fit, at most */

/**
 * struct equant_plan_sample - a measured time
 * @amount: iterations or bytes, not negative
 * @time: what they took, above 0
 */
struct equant_plan_sample {
	double amount;
	double time;
};

/**
 * struct equant_plan_line - time = @fixed + @each x amount
 * @fixed: alpha_i: start-up of a message
 * @each: gamma_i or beta_i: per iteration or byte
 * @error: standard deviation of a sample that is not disturbed, as a part of its time
 * @used: samples that counted
 */
struct equant_plan_line {
	double fixed;
	double each;
	double error;
	int used;
};

/**
 * equant_plan_fit() - least squares of relative errors, in which outliers do not count
 * @samples: @n of them; up to nearly half may be far too long
 * @n: 1 to EQUANT_PLAN_SAMPLES
 * @line: the answer; neither number is negative.  With one amount only @each is 0
 *
 * Return: 0, -EINVAL for samples outside the ranges above or too far from 1 to be squared, -ENOMEM.
 */
EQUANT_API int equant_plan_fit(const struct equant_plan_sample *samples, int n,
			       struct equant_plan_line *line);

/**
 * equant_plan_fit_pairs() - what each processor adds to the cost of a message
 * @pairs: p x p finite numbers, symmetric, what a message between i and j costs; the diagonal is not read
 * @p: processors
 * @each: p numbers of which (a_i + a_j) / 2 is nearest to the pair's, none negative
 *
 * Return: 0, -EINVAL.
 */
EQUANT_API int equant_plan_fit_pairs(const double *pairs, int p, double *each);

/* ---- planners --------------------------------------------------------------- */

/** equant_planner_name() - of planner @index from 0 on, or NULL behind the last */
EQUANT_API const char *equant_planner_name(int index);
/** equant_planner_summary() - one line about it, or NULL */
EQUANT_API const char *equant_planner_summary(int index);

#ifdef __cplusplus
}
#endif
#endif /* EQUANT_PLAN_H */
