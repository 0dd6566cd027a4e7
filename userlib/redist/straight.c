// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Routes without detours. */
#include "redist/route.h"

int equant_redist_straight(struct equant_redist_journey *journey)
{
	int error = 0;

	for (int64_t k = 0; k < journey->count && !error; k++) {
		const struct equant_redist_volume *volume = &journey->volumes[k];

		if (volume->from != volume->to)
			error = equant_redist_add_hop(
				journey, 0, volume->from, volume->to,
				(struct equant_redist_parcel){ k, 0, volume->bytes });
	}
	return error;
}
