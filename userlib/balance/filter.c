// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The filter of measured rates: an exponential smoothing forecast.
 *
 *	r'_i = (1 - h) r_i + h r'_{i-1}			(eq. 5.8)
 *
 * The history fraction h is chosen in one of three ways, each the answer to
 * what is wrong with the one before.  A constant: too slow for real changes
 * where it damps enough.  By direction: a fall is followed sooner than a rise,
 * because work that waits on a slow rank idles everybody, work missing on a fast
 * one idles only that rank; but a single fall is no trend.  By the trend of the last
 * measurements, a state machine:
 *
 *	(h_next, state_next) = f(input, state)		(eq. 5.9)
 *
 * The thesis does not say what the filter by direction does with a rate that stays;
 * it makes no difference: r = r' gives r' for any h.
 *
 * Reference: Siegell 1995, section 5.4, table 5.1.
 */
#include "balance/balance_internal.h"

#define HISTORY_RISE 0.8
#define HISTORY_FALL 0.2

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
	*filter = (struct equant_filter){ .trend = EQUANT_TREND_CONSTANT,
					  .kind = EQUANT_FILTER_STATES };
}

/* "increases or stays the same relative to the previous adjusted performance" */
static bool rises(const struct equant_filter *filter, double raw)
{
	return raw >= filter->adjusted;
}

static double history_by_state(struct equant_filter *filter, double raw)
{
	const struct step *step = rises(filter, raw) ? on_increase : on_decrease;

	step += filter->trend;
	filter->trend = step->next;
	return step->history;
}

static double history(struct equant_filter *filter, double raw)
{
	switch (filter->kind) {
	case EQUANT_FILTER_NONE:
		return 0;
	case EQUANT_FILTER_CONSTANT:
		return HISTORY_RISE;
	case EQUANT_FILTER_DIRECTION:
		return rises(filter, raw) ? HISTORY_RISE : HISTORY_FALL;
	case EQUANT_FILTER_STATES:
		break;
	}
	return history_by_state(filter, raw);
}

double equant_filter_update(struct equant_filter *filter, double raw)
{
	double h;

	if (filter->adjusted == 0) {
		filter->adjusted = raw;
		return raw;
	}
	h = history(filter, raw);
	filter->adjusted = (1 - h) * raw + h * filter->adjusted;
	return filter->adjusted;
}
