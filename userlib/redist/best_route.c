// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Which way to take: combining where start-ups decide, relaying where a thin link does, and neither
 * where it does not help.  All are planned, and what takes the least time is taken; where that is
 * the same, what has the fewest detours: a relayed route goes straight unless relays make it
 * shorter.
 */
#include <stdlib.h>

#include "redist/route.h"

int equant_redist_best_route(struct equant_redist_journey *journey)
{
	struct equant_redist_journey combined = *journey;
	int error = equant_redist_relay(journey);

	if (!error)
		error = equant_redist_combine(&combined);
	if (!error)
		return equant_redist_take_shorter(journey, &combined);
	free(combined.hops);
	return error;
}
