/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_CORE_EXTREME_H
#define EQUANT_CORE_EXTREME_H

#include <stdint.h>

struct equant;

/**
 * struct equant_extreme - the largest of some numbers and where it is, whatever their order
 * @value: NaN is larger than all, so that it is never lost
 * @index: the lowest one that has it, -1 = there are no numbers
 */
struct equant_extreme {
	double value;
	int64_t index;
};

#define EQUANT_EXTREME_NONE ((struct equant_extreme){ .index = -1 })

/** equant_extreme_add() - one number more */
void equant_extreme_add(struct equant_extreme *best, double value, int64_t index);

/** equant_extreme_allreduce() - collective; of all ranks of the context, within @call. 0 or -errno. */
int equant_extreme_allreduce(struct equant *eq, const char *call, struct equant_extreme *best);

/** equant_extreme_release() - before MPI is over */
void equant_extreme_release(struct equant *eq);

#endif /* EQUANT_CORE_EXTREME_H */
