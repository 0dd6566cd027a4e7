// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Reductions over what was computed.  Who gets which chunk is chance, and so would be the rounding
 * of partial sums.  A rank therefore adds up its values without rounding; where all are together
 * the sum is rounded once.
 */
#include <errno.h>
#include <stdlib.h>

#include "core/exact.h"
#include "core/extreme.h"
#include "core/message.h"
#include "core/mpi_error.h"
#include "engine/self_internal.h"
#include "loop/loop_internal.h"

#define CALL "equant_self_allreduce()"

struct reduction {
	struct equant_exact sum;
	struct equant_extreme maximum;
	struct equant_extreme minimum; /* the maximum of -x */
};

struct equant_self_reductions {
	pthread_mutex_t lock;
	struct reduction each[EQUANT_SELF_REDUCTIONS];
};

static struct equant_self_reductions *reductions_new(void)
{
	struct equant_self_reductions *all = calloc(1, sizeof(*all));

	if (!all)
		return NULL;
	pthread_mutex_init(&all->lock, NULL);
	for (int i = 0; i < EQUANT_SELF_REDUCTIONS; i++)
		all->each[i].maximum = all->each[i].minimum = EQUANT_EXTREME_NONE;
	return all;
}

static void reductions_free(struct equant_self_reductions *all)
{
	if (all)
		pthread_mutex_destroy(&all->lock);
	free(all);
}

void equant_self_reductions_free(struct equant_self *self)
{
	reductions_free(self->reductions);
	self->reductions = NULL;
}

/* The rank's; of threads that come together one makes them. */
static struct equant_self_reductions *reductions_of(struct equant_self *self)
{
	struct equant_self_reductions *there, *mine;

	there = __atomic_load_n(&self->reductions, __ATOMIC_ACQUIRE);
	if (there)
		return there;
	mine = reductions_new();
	if (!mine)
		return NULL;
	if (__atomic_compare_exchange_n(&self->reductions, &there, mine, 0, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return mine;
	reductions_free(mine);
	return there;
}

static int check_which(const struct equant_self *self, const char *call, int which)
{
	if (which >= 0 && which < EQUANT_SELF_REDUCTIONS)
		return 0;
	equant_message("rank %d: %s: reduction %d: expected 0 to %d", self->eq->rank, call, which,
		       EQUANT_SELF_REDUCTIONS - 1);
	return -EINVAL;
}

int equant_self_add(struct equant_self *self, int which, int64_t first, const double *values,
		    int64_t n)
{
	struct equant_self_reductions *all;
	struct reduction *into;

	if (check_which(self, "equant_self_add", which))
		return -EINVAL;
	if (first < 0 || n < 0 || n > INT64_MAX - first || (n && !values)) {
		equant_message("rank %d: equant_self_add: no values, or a negative number",
			       self->eq->rank);
		return -EINVAL;
	}
	all = reductions_of(self);
	if (!all)
		return -ENOMEM;
	into = &all->each[which];
	pthread_mutex_lock(&all->lock);
	equant_exact_add(&into->sum, values, n);
	for (int64_t i = 0; i < n; i++) {
		equant_extreme_add(&into->maximum, values[i], first + i);
		equant_extreme_add(&into->minimum, -values[i], first + i);
	}
	pthread_mutex_unlock(&all->lock);
	return 0;
}

static int check(const struct equant_self *self, int which, enum equant_reduction operation,
		 const double *result)
{
	if (check_which(self, "equant_self_allreduce", which))
		return -EINVAL;
	if (result && operation >= EQUANT_SUM && operation <= EQUANT_MAX)
		return 0;
	equant_message("rank %d: equant_self_allreduce: %s", self->eq->rank,
		       result ? "no such operation" : "no place for the result");
	return -EINVAL;
}

/* All ranks want the same, or none gets anything; when they know, nobody computes any more. */
static int agree(struct equant_self *self, int which, enum equant_reduction operation, int error)
{
	int64_t wanted = (int64_t)which * (EQUANT_MAX + 1) + (int64_t)operation;
	int32_t state = equant_self_state(self);
	int64_t all[4] = { wanted, -wanted, state < 0 ? -state : 0, error != 0 };
	int failed = equant_allreduce_in(self->eq, CALL, all, 4, MPI_INT64_T, MPI_MAX);

	if (error || failed)
		return error ? error : failed;
	if (all[3])
		return -ECANCELED;
	/* Not every node need know yet how the loop ended. */
	if (all[0] == -all[1])
		return -(int)all[2];
	if (!self->eq->rank)
		equant_message(
			"equant_self_allreduce: the reduction or its operation differs between ranks");
	return -EINVAL;
}

static int sum(struct equant_self *self, const struct reduction *mine, double *result)
{
	struct equant_exact all = mine->sum;
	int error =
		equant_allreduce_in(self->eq, CALL, &all, EQUANT_EXACT_WORDS, MPI_INT64_T, MPI_SUM);

	if (!error)
		*result = equant_exact_value(&all);
	return error;
}

static int extreme(struct equant_self *self, struct equant_extreme best, double sign,
		   double *result, int64_t *iteration)
{
	int error = equant_extreme_allreduce(self->eq, CALL, &best);

	if (error)
		return error;
	if (best.index < 0) {
		if (!self->eq->rank)
			equant_message("equant_self_allreduce: no values have no extreme");
		return -EINVAL;
	}
	*result = sign * best.value;
	if (iteration)
		*iteration = best.index;
	return 0;
}

int equant_self_allreduce(struct equant_self *self, int which, enum equant_reduction operation,
			  double *result, int64_t *iteration)
{
	struct equant_self_reductions *all = reductions_of(self);
	int error = check(self, which, operation, result);
	const struct reduction *mine;

	error = agree(self, which, operation, error ? error : all ? 0 : -ENOMEM);
	if (error)
		return error;
	mine = &all->each[which];
	if (operation == EQUANT_SUM)
		return sum(self, mine, result);
	return extreme(self, operation == EQUANT_MAX ? mine->maximum : mine->minimum,
		       operation == EQUANT_MAX ? 1 : -1, result, iteration);
}
