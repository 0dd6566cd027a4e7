// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What a balancer is given: options and samples, checked before they count.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "balance/balance_internal.h"
#include "balance/defaults.h"
#include "core/struct.h"

/* No time in seconds and no number of units is larger; keeps every sum finite. */
#define FIELD_MOST 1e18

void equant_balance_options_fill(struct equant_balance_options *options, size_t size)
{
	const struct equant_balance_options defaults = {
		.mode = EQUANT_DEFAULT_RATE,
		.threshold = EQUANT_DEFAULT_THRESHOLD,
		.profit = EQUANT_DEFAULT_PROFIT,
		.window = EQUANT_DEFAULT_WINDOW,
		.interact_fraction = EQUANT_DEFAULT_INTERACT,
		.amplitude = EQUANT_DEFAULT_AMPLITUDE,
		.period = EQUANT_DEFAULT_PERIOD,
		.default_quantum = EQUANT_QUANTUM_UNSEEN,
		.ports = EQUANT_DEFAULT_PORTS,
		.omit = EQUANT_DEFAULT_OMIT,
		.moves_allowed = 1,
		.filter = EQUANT_DEFAULT_FILTER,
		.movement = EQUANT_MOVEMENT_UNRESTRICTED,
		.handshake = EQUANT_HANDSHAKE_RENDEZVOUS, /* long messages meet */
		.polls = EQUANT_DEFAULT_POLLS,
		.quantum = EQUANT_DEFAULT_QUANTUM,
		.quanta = EQUANT_DEFAULT_QUANTA,
		.restraint = EQUANT_DEFAULT_RESTRAINT,
		.prompt = EQUANT_DEFAULT_PROMPT,
		.steady = EQUANT_DEFAULT_STEADY,
	};

	memset(options, 0, size);
	memcpy(options, &defaults, size < sizeof(defaults) ? size : sizeof(defaults));
	options->sz = size;
}

/* Not a number compares false with everything. */
static bool within(double value, double least, double most)
{
	return value >= least && value <= most;
}

static bool options_valid(const struct equant_balance_options *o)
{
	if (o->mode != EQUANT_RATE_PREDICTED && o->mode != EQUANT_RATE_MEASURED)
		return false;
	/* Compilers differ on whether an enum is signed. */
	if ((unsigned int)o->filter > EQUANT_FILTER_DIRECTION ||
	    (unsigned int)o->movement > EQUANT_MOVEMENT_RESTRICTED ||
	    (unsigned int)o->handshake > EQUANT_HANDSHAKE_RENDEZVOUS)
		return false;
	if (!within(o->threshold, 0, 1) || !within(o->profit, 0, FIELD_MOST))
		return false;
	if (!within(o->window, EQUANT_TIME_MIN, FIELD_MOST) || !within(o->period, 0, FIELD_MOST))
		return false;
	/* Fractions: more than nothing, at most all. */
	if (!within(o->interact_fraction, 1e-6, 1) || !within(o->amplitude, 1e-6, 1))
		return false;
	if (!within(o->default_quantum, EQUANT_TIME_MIN, FIELD_MOST))
		return false;
	if (!within(o->move_fixed, 0, FIELD_MOST) || !within(o->move_per_unit, 0, FIELD_MOST))
		return false;
	if (!within(o->quantum, 0, FIELD_MOST) || !within(o->quanta, 0, FIELD_MOST) ||
	    (o->quantum > 0 && o->quantum < EQUANT_TIME_MIN))
		return false;
	return within(o->interact, 0, FIELD_MOST) && o->ports >= 0 && o->omit >= 0 &&
	       (o->polls == 0 || o->polls == 1) && within(o->restraint, 0, 1) &&
	       (o->prompt == 0 || o->prompt == 1) && (o->steady == 0 || o->steady == 1);
}

/* As the kernel's copy_struct_from_user(): a newer caller may set only what is known here. */
int equant_balance_options_copy(struct equant_balance_options *to,
				const struct equant_balance_options *from)
{
	if (!from || from->sz < sizeof(*to) || equant_struct_unknown(from, sizeof(*to), from->sz))
		return -EINVAL;
	*to = *from;
	return options_valid(to) ? 0 : -EINVAL;
}

static bool sample_valid(const struct equant_sample *sample)
{
	const double fields[] = {
		sample->units,	  sample->wall,	   sample->run,	  sample->wait, sample->share,
		sample->settled,  sample->quantum, sample->hold,  sample->age,	sample->interval,
		sample->interact, sample->move,	   sample->moved,
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (!within(fields[i], 0, FIELD_MOST))
			return false;
	if (sample->flags & EQUANT_SAMPLE_PREDICTED)
		return sample->share <= 1 && sample->settled <= 1;
	return true;
}

int equant_samples_check(const struct equant_sample *samples, const long *units, int n)
{
	long total = 0;

	for (int i = 0; i < n; i++) {
		if (units[i] < 0 || __builtin_add_overflow(total, units[i], &total))
			return -EINVAL;
		if (!sample_valid(&samples[i]))
			return -EINVAL;
	}
	return 0;
}
