/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * A parallel loop whose arrays every rank has, run in one of three ways: balanced (an equant
 * loop), as a planner has it (--plan), or handed out on request (--scheme).
 *
 * Iteration i leaves a piece of an array.  After the loop everybody gets all the pieces: each rank
 * sends those of its iterations in one message, whoever had which (Cierniak, Zaki,
 * Li 1997, section 3.2).
 *
 *	doall_new(&rows, &program, "rows", &cost);
 *	doall_run(&rows, body, ctx);
 *	doall_share(&rows, array, stride, count);
 */
#ifndef DOALL_H
#define DOALL_H

#include <equant/equant.h>
#include <equant/plan.h>
#include <equant/self.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>

#include "app.h"

struct doall_program {
	const char *name;
	const char *plan; /* of these at most one */
	const char *scheme;
	long chunk; /* of the scheme */
	const char *machine; /* file that the plan is for */
	int balance; /* from the plan on */
	int unverified;
	int quiet;
	int rank;
	int ranks;
	struct equant_plan_machine *processors;
	struct equant *eq;
};

/* @n iterations: @slope i + @constant operations, i from 1 on, and so many @bytes. */
struct doall_cost {
	long n;
	double slope;
	double constant;
	double bytes;
};

struct doall {
	struct doall_program *program;
	long n;
	struct equant_loop *loop; /* NULL: handed out on request */
	int64_t *computed; /* of the last run: how often x 2^32 + by whom */
};

/* ---- options ------------------------------------------------------------------ */

#define DOALL_USAGE                                                                          \
	"  --plan NAME   static: iterations stay where this planner has them\n"              \
	"  --machine FILE  processors for the plan (default: as many equal ones as ranks)\n" \
	"  --balance     start from the plan only\n"                                         \
	"  --scheme NAME  ranks take chunks of iterations, so large\n"                       \
	"  --chunk K     of the scheme\n"                                                    \
	"  --no-verify   trust the result, which takes long to compute again\n"              \
	"  --quiet       print nothing\n"                                                    \
	"  without --plan and --scheme iterations start in blocks and are balanced\n"

#define DOALL_OPTIONS                                                                              \
	{ "plan", required_argument, NULL, 'P' }, { "machine", required_argument, NULL, 'M' },     \
		{ "balance", no_argument, NULL, 'B' }, { "scheme", required_argument, NULL, 'S' }, \
		{ "chunk", required_argument, NULL, 'K' },                                         \
		{ "no-verify", no_argument, NULL, 'V' }, { "quiet", no_argument, NULL, 'Q' },      \
	{                                                                                          \
		"help", no_argument, NULL, 'h'                                                     \
	}

/* 1 if @c, of getopt_long(), is one of DOALL_OPTIONS but --help. */
static inline int doall_option(struct doall_program *p, int c)
{
	if (c == 'P')
		p->plan = app_name(p->name, "--plan", optarg, equant_planner_name);
	else if (c == 'S')
		p->scheme = app_name(p->name, "--scheme", optarg, equant_scheme_name);
	else if (c == 'K')
		p->chunk = app_number(p->name, "--chunk", optarg, 1, 1000000000);
	else if (c == 'M')
		p->machine = optarg;
	else if (c == 'B')
		p->balance = 1;
	else if (c == 'V')
		p->unverified = 1;
	else if (c == 'Q')
		p->quiet = 1;
	else
		return 0;
	return 1;
}

static inline void doall_options_end(const struct doall_program *p, int argc, char **argv)
{
	const char *fault = NULL;

	app_no_more(p->name, argc, argv);
	if (p->plan && p->scheme)
		fault = "not both --plan and --scheme";
	else if (p->machine && !p->plan)
		fault = "--machine is for --plan";
	else if (p->balance && !p->plan)
		fault = "--balance is for --plan; without it all is balanced";
	else if (p->chunk && !p->scheme)
		fault = "--chunk is for --scheme";
	if (!fault)
		return;
	fprintf(stderr, "%s: %s\n", p->name, fault);
	app_exit(p->name, 2);
}

/* ---- the program ---------------------------------------------------------------- */

/* Every rank says it, though all say the same: the first to abort silences the others. */
static inline void doall_say(const struct doall_program *p, const char *option, const char *value,
			     const char *why)
{
	fprintf(stderr, "%s: %s %s: %s\n", p->name, option, value, why);
}

static inline int doall_equal_machine(struct doall_program *p)
{
	const struct equant_plan_processor rank = { "rank", 1, 0, 0, INFINITY };

	p->processors = equant_plan_machine_new();
	return p->processors ? equant_plan_machine_add(p->processors, &rank, p->ranks) : -ENOMEM;
}

static inline int doall_read_machine(struct doall_program *p)
{
	char why[256] = "";
	int error = equant_plan_read(p->machine, NULL, &p->processors, why, sizeof(why));

	if (!error && (!p->processors || p->processors->count != p->ranks)) {
		snprintf(why, sizeof(why), "%d processors for %d ranks",
			 p->processors ? p->processors->count : 0, p->ranks);
		error = -EINVAL;
	}
	if (error)
		doall_say(p, "--machine", p->machine, *why ? why : strerror(-error));
	return error;
}

static inline int doall_open(struct doall_program *p)
{
	struct equant_options options;
	int error;

	equant_options_init(&options);
	if (p->plan && !p->balance)
		options.balance = 0;
	error = equant_open(&p->eq, MPI_COMM_WORLD, &options);
	if (!error && p->plan)
		error = p->machine ? doall_read_machine(p) : doall_equal_machine(p);
	return error;
}

static inline int doall_close(struct doall_program *p)
{
	equant_plan_machine_free(p->processors);
	return equant_close(p->eq);
}

/* Says how it went, @form being what the program has to say, and ends it. */
__attribute__((format(printf, 4, 5))) static inline int
doall_end(const struct doall_program *p, double elapsed, int wrong, const char *form, ...)
{
	double longest = 0;
	char text[200];
	va_list list;

	va_start(list, form);
	vsnprintf(text, sizeof(text), form, list);
	va_end(list);
	MPI_Reduce(&elapsed, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	if (!p->rank && !p->quiet)
		printf("%s: %s ranks=%d %s%s elapsed=%.6f s %s\n", p->name, text, p->ranks,
		       p->plan	 ? "plan=" :
		       p->scheme ? "scheme=" :
				   "balanced",
		       p->plan	 ? p->plan :
		       p->scheme ? p->scheme :
				   "",
		       longest,
		       p->unverified ? "not verified" :
		       wrong	     ? "WRONG" :
				       "verified");
	return app_end(p->name, wrong);
}

static inline void doall_abort(const struct doall_program *p, int error)
{
	fprintf(stderr, "%s: rank %d: %s\n", p->name, p->rank, strerror(-error));
	MPI_Abort(MPI_COMM_WORLD, 1);
}

/* ---- a loop ------------------------------------------------------------------------ */

static inline struct equant_plan *doall_plan(const struct doall_program *p,
					     const struct doall_cost *cost)
{
	struct equant_plan_program *program = equant_plan_program_new(cost->n);
	struct equant_plan *plan = NULL;
	char why[256] = "out of memory";
	int error = program ? 0 : -errno;

	if (!error)
		error = equant_plan_program_work(program, cost->slope, cost->constant);
	if (!error)
		error = equant_plan_program_bytes(program, 0, cost->bytes);
	if (!error)
		plan = equant_plan_new(p->plan, program, p->processors, why, sizeof(why));
	error = error ? error : plan ? 0 : -errno;
	if (error)
		doall_say(p, "--plan", p->plan, why);
	equant_plan_program_free(program);
	errno = -error;
	return plan;
}

/* An equant loop that starts as the program's options say. */
static inline int doall_loop(const struct doall_program *p, const char *name,
			     const struct doall_cost *cost, struct equant_loop **loop)
{
	struct equant_plan *plan;
	int error;

	*loop = equant_loop_new(p->eq, name, cost->n);
	if (!*loop)
		return -errno;
	if (!p->plan || !cost->n)
		return 0;
	plan = doall_plan(p, cost);
	error = plan ? equant_loop_distribute_plan(*loop, plan) : -errno;
	equant_plan_free(plan);
	return error;
}

static inline int doall_new(struct doall *d, struct doall_program *p, const char *name,
			    const struct doall_cost *cost)
{
	*d = (struct doall){ .program = p, .n = cost->n };
	d->computed = calloc((size_t)cost->n + 1, sizeof(*d->computed));
	if (!d->computed)
		return -ENOMEM;
	return p->scheme ? 0 : doall_loop(p, name, cost, &d->loop);
}

static inline int doall_free(struct doall *d)
{
	free(d->computed);
	return equant_loop_free(d->loop);
}

static inline void doall_iteration(struct doall *d, void (*body)(void *ctx, long i), void *ctx,
				   long i)
{
	body(ctx, i);
	d->computed[i] += (INT64_C(1) << 32) + d->program->rank;
}

static inline int doall_hand_out(struct doall *d, void (*body)(void *ctx, long i), void *ctx)
{
	const struct equant_chunks_options loop = { .sz = sizeof(loop),
						    .scheme = d->program->scheme,
						    .dimensions = 1,
						    .extents = { d->n },
						    .chunk = d->program->chunk };
	const struct equant_self_options options = { .sz = sizeof(options), .loop = &loop };
	struct equant_self *self = equant_self_new(d->program->eq, &options);
	struct equant_self_chunk chunk = { 0 };

	if (!self)
		return -errno;
	while (equant_self_next(self, &chunk) == 1)
		for (long i = chunk.first; i < chunk.first + chunk.count; i++)
			doall_iteration(d, body, ctx, i);
	return equant_self_free(self);
}

/* Collective; @body once for each iteration, and all of them before anybody goes on. */
static inline int doall_run(struct doall *d, void (*body)(void *ctx, long i), void *ctx)
{
	int error;

	memset(d->computed, 0, (size_t)d->n * sizeof(*d->computed));
	if (!d->loop)
		return doall_hand_out(d, body, ctx);
	error = equant_pass_begin(d->loop);
	if (!error)
		error = equant_pass_join(d->loop);
	if (error)
		return error;
	equant_for_each_next(d->loop, i)
		doall_iteration(d, body, ctx, i);
	return equant_pass_end(d->loop);
}

/* ---- what it leaves ------------------------------------------------------------------ */

static inline int doall_owner(const struct doall *d, long i)
{
	return (int)(d->computed[i] & UINT32_MAX);
}

static inline int doall_agree(struct doall *d)
{
	MPI_Allreduce(MPI_IN_PLACE, d->computed, (int)d->n, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
	for (long i = 0; i < d->n; i++)
		if (d->computed[i] >> 32 != 1) {
			fprintf(stderr, "%s: iteration %ld was computed %ld times\n",
				d->program->name, i, (long)(d->computed[i] >> 32));
			return -EPROTO;
		}
	return 0;
}

/* Where each rank's pieces are in the message of all. */
static inline void doall_layout(const struct doall *d, long count, int *counts, int *starts)
{
	for (long i = 0; i < d->n; i++)
		counts[doall_owner(d, i)] += (int)count;
	for (int r = 1; r < d->program->ranks; r++)
		starts[r] = starts[r - 1] + counts[r - 1];
}

static inline void doall_pack(const struct doall *d, double *all, double *array, long stride,
			      long count, const int *starts, int unpack)
{
	long size = count * (long)sizeof(double);

	for (int r = 0; r < d->program->ranks; r++) {
		double *at = all + starts[r];

		for (long i = 0; i < d->n; i++) {
			if (doall_owner(d, i) != r || (unpack == (r == d->program->rank)))
				continue;
			if (unpack)
				memcpy(array + i * stride, at, (size_t)size);
			else
				memcpy(at, array + i * stride, (size_t)size);
			at += count;
		}
	}
}

/*
 * Collective, once after doall_run(): everybody gets the @count numbers that each iteration has left at
 * @array, @stride further for each.
 */
static inline int doall_share(struct doall *d, double *array, long stride, long count)
{
	int ranks = d->program->ranks, error = doall_agree(d);
	int *counts = calloc((size_t)ranks * 2, sizeof(*counts)), *starts = counts + ranks;
	double *all = app_doubles(d->program->name, d->n * count);

	if (!counts)
		error = -ENOMEM;
	if (!error) {
		doall_layout(d, count, counts, starts);
		doall_pack(d, all, array, stride, count, starts, 0);
		MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, counts, starts, MPI_DOUBLE,
			       MPI_COMM_WORLD);
		doall_pack(d, all, array, stride, count, starts, 1);
	}
	free(all);
	free(counts);
	return error;
}

#endif /* DOALL_H */
