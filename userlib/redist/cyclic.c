// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* cyclic(x) on P processes: Bhat, Prasanna, Raghavendra, section 2. */
#include <errno.h>

#include "redist/redist_internal.h"

static int check_side(int64_t elements, const struct equant_redist_cyclic *cyclic, const char *side,
		      char *why, size_t why_size)
{
	if (cyclic->block < 1)
		return equant_redist_refuse(-EINVAL, why, why_size, "%s: blocks of %lld elements",
					    side, (long long)cyclic->block);
	if (cyclic->processes < 1)
		return equant_redist_refuse(-EINVAL, why, why_size, "%s: %d processes", side,
					    cyclic->processes);
	if (cyclic->processes > EQUANT_REDIST_PROCESSES)
		return equant_redist_refuse(-EOVERFLOW, why, why_size,
					    "%s: %d processes, %d at most", side, cyclic->processes,
					    EQUANT_REDIST_PROCESSES);
	if (cyclic->first < 0 || cyclic->first >= cyclic->processes)
		return equant_redist_refuse(-EINVAL, why, why_size,
					    "%s: the first block is on process %d of %d", side,
					    cyclic->first, cyclic->processes);
	if (cyclic->offset < 0)
		return equant_redist_refuse(-EINVAL, why, why_size, "%s: begins at element %lld",
					    side, (long long)cyclic->offset);
	if (cyclic->offset > EQUANT_REDIST_ELEMENTS - elements)
		return equant_redist_refuse(-EOVERFLOW, why, why_size,
					    "%s: %lld elements from element %lld on, %lld at most",
					    side, (long long)elements, (long long)cyclic->offset,
					    (long long)EQUANT_REDIST_ELEMENTS);
	return 0;
}

int equant_redist_check(int64_t elements, const struct equant_redist_cyclic *from,
			const struct equant_redist_cyclic *to, char *why, size_t why_size)
{
	int error;

	if (elements < 0)
		return equant_redist_refuse(-EINVAL, why, why_size, "%lld elements",
					    (long long)elements);
	if (elements > EQUANT_REDIST_ELEMENTS)
		return equant_redist_refuse(-EOVERFLOW, why, why_size,
					    "%lld elements, %lld at most", (long long)elements,
					    (long long)EQUANT_REDIST_ELEMENTS);
	error = check_side(elements, from, "sender", why, why_size);
	if (error)
		return error;
	return check_side(elements, to, "receiver", why, why_size);
}

struct equant_redist_cyclic equant_redist_clamp(int64_t elements,
						const struct equant_redist_cyclic *cyclic)
{
	struct equant_redist_cyclic clamped = *cyclic;

	clamped.block =
		equant_redist_min(clamped.block, equant_redist_max(clamped.offset + elements, 1));
	return clamped;
}

int64_t equant_redist_local(int64_t elements, const struct equant_redist_cyclic *cyclic,
			    int process)
{
	struct equant_redist_cyclic c = equant_redist_clamp(elements, cyclic);
	int64_t all = c.offset + elements, cycle = c.block * c.processes;
	int64_t before = c.block * ((process - c.first + c.processes) % c.processes);
	int64_t rest = all % cycle - before;

	return all / cycle * c.block + equant_redist_min(equant_redist_max(rest, 0), c.block);
}
