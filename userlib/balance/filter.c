// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The filter of measured rates: an exponential smoothing forecast whose
 * history fraction h follows the trend of the last measurements.
 *
 *	r'_i = (1 - h) r_i + h r'_{i-1}			(eq. 5.8)
 *	(h_next, state_next) = f(input, state)		(eq. 5.9)
 *
 * Downward trends are trusted sooner than upward ones: work that waits on a
 * slow rank idles everybody, work missing on a fast one idles only that rank.
 *
 * Reference: Siegell 1995, section 5.4, table 5.1.
 */
#include "balance/balance_internal.h"

struct step {
	enum equant_trend next;
	double history;
};

static const struct step on_increase[] = {
	[EQUANT_TREND_DOWN3] = { EQUANT_TREND_DOWN1, 1.0 },
	[EQUANT_TREND_DOWN2] = { EQUANT_TREND_CONSTANT, 1.0 },
	[EQUANT_TREND_DOWN1] = { EQUANT_TREND_UP1, 1.0 },
	[EQUANT_TREND_CONSTANT] = { EQUANT_TREND_UP1, 0.8 },
	[EQUANT_TREND_UP1] = { EQUANT_TREND_UP2, 0.6 },
	[EQUANT_TREND_UP2] = { EQUANT_TREND_UP3, 0.4 },
	[EQUANT_TREND_UP3] = { EQUANT_TREND_UP3, 0.2 },
};

static const struct step on_decrease[] = {
	[EQUANT_TREND_DOWN3] = { EQUANT_TREND_DOWN3, 0.1 },
	[EQUANT_TREND_DOWN2] = { EQUANT_TREND_DOWN3, 0.1 },
	[EQUANT_TREND_DOWN1] = { EQUANT_TREND_DOWN2, 0.2 },
	[EQUANT_TREND_CONSTANT] = { EQUANT_TREND_DOWN1, 0.3 },
	[EQUANT_TREND_UP1] = { EQUANT_TREND_DOWN1, 0.4 },
	[EQUANT_TREND_UP2] = { EQUANT_TREND_DOWN1, 0.5 },
	[EQUANT_TREND_UP3] = { EQUANT_TREND_CONSTANT, 0.6 },
};

void equant_filter_init(struct equant_filter *filter)
{
	*filter = (struct equant_filter){ .trend = EQUANT_TREND_CONSTANT };
}

double equant_filter_update(struct equant_filter *filter, double raw)
{
	const struct step *step;

	if (filter->adjusted == 0) {
		filter->adjusted = raw;
		return raw;
	}
	/* "increases or stays the same relative to the previous adjusted performance" */
	step = raw >= filter->adjusted ? on_increase : on_decrease;
	step += filter->trend;
	filter->adjusted = (1 - step->history) * raw + step->history * filter->adjusted;
	filter->trend = step->next;
	return filter->adjusted;
}
