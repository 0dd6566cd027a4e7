// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Equal iterations on equal processors that share a medium: everybody's message is
 * ready at the moment the one before has been sent,
 *
 *	w z_i = v z_i-1 + alpha'',  z_1 + ... + z_m = n
 *	w = x gamma + y beta',  v = w + y beta''
 *
 * With z_i = A_i z_1 + B_i the first m processors can be used if z_1 is not
 * negative, that is B_1 + ... + B_m <= n; the others get nothing.  More processors that
 * can be used never make it longer: w z_m >= alpha''.
 *
 * A_i grows with a power of v / w.  Counted from the last processor, z_i = C_i z_m - D_i
 * shrinks instead, so nothing overflows.  O(p), but for a sort of the remainders.
 *
 * Whole numbers by largest remainder; the paper leaves that open.  If beta'' = 0 no other
 * whole numbers take less time.  Otherwise some may, with few iterations, even equal
 * ones: see pull_back().
 *
 * Reference: Cierniak, Zaki, Li 1997, section 9.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan/plan_internal.h"

/**
 * struct chain - w z_i = v z_i-1 + alpha'' and its likes
 * @local_startup: alpha'
 * @w: local time of an iteration
 * @medium_startup: alpha''
 * @medium: time of an iteration's bytes on the medium, v - w
 */
struct chain {
	double local_startup;
	double w;
	double medium_startup;
	double medium;
};

static struct chain chain_of(const struct equant_plan_program *program,
			     const struct equant_plan_machine *machine)
{
	struct chain chain = { .w = equant_plan_iteration(program, machine->processors, 0) };

	if (equant_plan_sends(program)) {
		chain.local_startup = machine->processors[0].startup;
		chain.medium_startup = machine->medium_startup;
		chain.medium = equant_plan_cost_at(&program->bytes, 0) * machine->medium_byte;
	}
	return chain;
}

/* How many processors can be used: the largest m with B_1 + ... + B_m <= n. */
static int usable(const struct chain *chain, long n, int p)
{
	double ratio = 1 + chain->medium / chain->w, step = chain->medium_startup / chain->w;
	double part = 0, sum = 0;
	int m = 1;

	for (; m < p; m++) {
		part = part * ratio + step;
		sum += part;
		if (!(sum <= (double)n))
			break;
	}
	return m;
}

/* z_1 ... z_m; C_i and D_i in turn from the last processor on. */
static void solve(const struct chain *chain, long n, int m, double *z)
{
	double v = chain->w + chain->medium, ratio = 1, step = 0;
	double factor = 1, less = 0, factors = 0, lesses = 0;

	if (v > 0) {
		ratio = chain->w / v;
		step = chain->medium_startup / v;
	}
	for (int i = m - 1; i >= 0; i--) {
		factors += factor;
		lesses += less;
		factor *= ratio;
		less = less * ratio + step;
	}
	z[m - 1] = ((double)n + lesses) / factors;
	for (int i = m - 1; i > 0; i--)
		z[i - 1] = fmax(z[i] * ratio - step, 0);
}

/* ---- whole numbers ------------------------------------------------------------------ */

struct remainder {
	double part;
	int processor;
};

static int by_part(const void *a, const void *b)
{
	const struct remainder *x = a, *y = b;

	if (x->part != y->part)
		return x->part > y->part ? -1 : 1;
	return y->processor - x->processor;
}

/*
 * Largest remainder, ties to the higher processor, which sends later.  Rounding of the parts
 * can leave more than one iteration for each processor only beyond 2^50 iterations.
 */
static int make_whole(const double *z, int m, long n, long *counts)
{
	struct remainder *remainders = reallocarray(NULL, (size_t)m, sizeof(*remainders));
	long left = n;

	if (!remainders)
		return -ENOMEM;
	for (int i = 0; i < m; i++) {
		counts[i] = fmin(floor(z[i]), (double)left);
		left -= counts[i];
		remainders[i] = (struct remainder){ z[i] - floor(z[i]), i };
	}
	qsort(remainders, (size_t)m, sizeof(*remainders), by_part);
	for (int i = 0; i < m; i++)
		counts[remainders[i].processor] += left / m + (i < left % m);
	free(remainders);
	return 0;
}

/* ---- no longer than any other ----------------------------------------------------------- */

/* Time of the whole if processors send in their order. */
static double time_of(const struct chain *chain, const long *counts, int p)
{
	double end = 0;

	for (int i = 0; i < p; i++)
		if (counts[i] > 0)
			end = fmax(end, chain->local_startup + chain->w * (double)counts[i]) +
			      chain->medium_startup + chain->medium * (double)counts[i];
	return end;
}

/*
 * As many of @n iterations as are done by @time.  From the last processor on everybody gets all
 * it can compute before it must begin to send:
 *
 *	z_i = floor((time - alpha' - alpha'' (p - i + 1) - y beta'' (z_i+1 + ... + z_p)) / v)
 *
 * One iteration less for a later processor is at most one more for those before it, so that no
 * other numbers are more in sum.
 */
static long done_by(const struct chain *chain, double time, long n, int p, long *counts)
{
	double v = chain->w + chain->medium, room = time - chain->local_startup;
	long left = n;

	for (int i = p - 1; i >= 0; i--) {
		room -= chain->medium_startup;
		counts[i] = room > 0 ? (long)fmin(floor(room / v), (double)left) : 0;
		room -= chain->medium * (double)counts[i];
		left -= counts[i];
	}
	return n - left;
}

/* The smallest time by which all are done, if that is less than @counts take, to the last bit. */
static void pull_back(const struct chain *chain, long n, int p, long *counts, long *room)
{
	double high = time_of(chain, counts, p), low = 0, middle;

	if (chain->w + chain->medium <= 0)
		return;
	while ((middle = low + (high - low) / 2) > low && middle < high) {
		if (done_by(chain, middle, n, p, room) < n)
			low = middle;
		else
			high = middle;
	}
	if (done_by(chain, high, n, p, room) == n &&
	    time_of(chain, room, p) < time_of(chain, counts, p))
		memcpy(counts, room, (size_t)p * sizeof(*counts));
}

/* Processors without iterations behind those that have some. */
static void close_up(long *counts, int p)
{
	int used = 0;

	for (int i = 0; i < p; i++)
		if (counts[i] > 0)
			counts[used++] = counts[i];
	for (; used < p; used++)
		counts[used] = 0;
}

/* ---- the planner --------------------------------------------------------------------- */

static const char *fault(const struct equant_plan_program *program,
			 const struct equant_plan_machine *machine)
{
	if (!equant_plan_cost_uniform(&program->work, program->iterations) ||
	    !equant_plan_cost_uniform(&program->bytes, program->iterations))
		return "the iterations are unequal";
	if (!equant_plan_equal_processors(machine))
		return "the processors are unequal";
	return NULL;
}

static int plan_contention_free(const struct equant_plan_program *program,
				const struct equant_plan_machine *machine,
				struct equant_plan_draft *draft, char *why, size_t why_size)
{
	struct chain chain = chain_of(program, machine);
	const char *wrong = fault(program, machine);
	int m, p = machine->count, error = -ENOMEM;
	long n = program->iterations, *counts;
	double *z;

	if (wrong) {
		equant_say(why, why_size, "%s", wrong);
		return -EOPNOTSUPP;
	}
	counts = calloc(2 * (size_t)p, sizeof(*counts));
	z = calloc((size_t)p, sizeof(*z));
	if (counts && z) {
		m = usable(&chain, n, p);
		solve(&chain, n, m, z);
		error = make_whole(z, m, n, counts);
	}
	if (!error) {
		pull_back(&chain, n, p, counts, counts + p);
		close_up(counts, p);
		error = equant_plan_give_blocks(draft, counts);
	}
	free(counts);
	free(z);
	return error;
}

const struct equant_planner equant_planner_contention_free = {
	.name = "contention-free",
	.summary = "equal iterations, equal processors: nobody waits for the shared medium",
	.plan = plan_contention_free,
};
