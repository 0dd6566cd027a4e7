/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* What a rank may measure, drawn at random. */
#ifndef TESTS_SAMPLES_H
#define TESTS_SAMPLES_H

#include <equant/balance.h>

#include "random.h"

/* Rates from 1 to 100000 units/s, now and then none at all. */
static inline void random_sample(struct random *random, long units, struct equant_sample *sample)
{
	double wall = 1e-3 + random_unit(random);
	double share = random_unit(random);

	*sample = (struct equant_sample){
		.units = random_below(random, 50) ?
				 (double)units * (1 + 100 * random_unit(random)) :
				 0,
		.wall = wall,
		.run = wall * share,
		.wait = wall * (1 - share),
		.share = share,
		.settled = share,
		.quantum = 0.004 * random_unit(random),
		.hold = 10 * random_unit(random),
		.age = random_unit(random),
		.interval = wall,
		.interact = 1e-4 * random_unit(random),
		.move = 1e-3 * random_unit(random),
		.moved = (double)random_below(random, 100),
		.hooks = 1 + (uint32_t)random_below(random, 1000),
		.flags = EQUANT_SAMPLE_RUN |
			 (random_below(random, 10) ? EQUANT_SAMPLE_PREDICTED : 0),
	};
}

#endif
