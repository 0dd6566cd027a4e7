// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include "profile/split.h"

/* Of an interval between two readings: short stretches of both places, and a long one at its end. */
enum { LONG = EQUANT_PLACES, BINS };

static uint64_t take(uint64_t *rest, double wanted, uint64_t room)
{
	uint64_t part = wanted < (double)room ? (uint64_t)wanted : room;

	if (part > *rest)
		part = *rest;
	*rest -= part;
	return part;
}

/* An amount among the bins: short ones as it is expected, to the letter where a long one takes the rest. */
static void divide(uint64_t rest, const uint64_t room[BINS], const double expected[EQUANT_PLACES],
		   uint64_t part[BINS])
{
	double all = expected[EQUANT_OUTSIDE] + expected[EQUANT_INSIDE];
	double scale = !room[LONG] && all > 0 ? (double)rest / all : 1;

	for (int i = 0; i < EQUANT_PLACES; i++)
		part[i] = take(&rest, expected[i] * scale, room[i]);
	part[LONG] = take(&rest, (double)rest, room[LONG]);
	for (int i = 0; i < EQUANT_PLACES; i++)
		part[i] += take(&rest, (double)rest, room[i] - part[i]);
}

/* Before one has been measured short stretches are taken to compute. */
static double part_run(const struct equant_sampled *sampled)
{
	return sampled->wall_ns ? (double)sampled->run_ns / (double)sampled->wall_ns : 1;
}

static double part_waited(const struct equant_sampled *sampled)
{
	return sampled->wall_ns ? (double)sampled->wait_ns / (double)sampled->wall_ns : 0;
}

static void attribute(struct equant_split *split, uint64_t run_ns, uint64_t wait_ns)
{
	const struct equant_sampled *sampled = split->sampled;
	uint64_t room[BINS] = { split->unread_ns[EQUANT_OUTSIDE], split->unread_ns[EQUANT_INSIDE] };
	uint64_t ran[BINS], waited[BINS];
	double expected[EQUANT_PLACES];

	if (split->length_ns >= split->worth_ns) {
		room[split->place] -= split->length_ns;
		room[LONG] = split->length_ns;
	}
	for (int i = 0; i < EQUANT_PLACES; i++)
		expected[i] = part_run(&sampled[i]) * (double)room[i];
	divide(run_ns, room, expected, ran);
	for (int i = 0; i < EQUANT_PLACES; i++)
		expected[i] = part_waited(&sampled[i]) * (double)room[i];
	for (int i = 0; i < BINS; i++)
		room[i] -= ran[i];
	divide(wait_ns, room, expected, waited);
	for (int i = 0; i < BINS; i++) {
		struct equant_profile_time *time = split->times[i == LONG ? split->place : i];

		time->run_ns += ran[i];
		time->wait_ns += waited[i];
	}
}

static uint64_t at_most(uint64_t value, uint64_t most)
{
	return value < most ? value : most;
}

bool equant_split_pass(struct equant_split *split, int place, uint64_t length_ns)
{
	split->place = place;
	split->length_ns = length_ns;
	split->times[place]->wall_ns += length_ns;
	split->unread_ns[place] += length_ns;
	if (split->sampling)
		return true;
	/* A short one is none to read behind, if what comes is not to be sampled: that would never be its turn. */
	return split->unread_ns[EQUANT_OUTSIDE] + split->unread_ns[EQUANT_INSIDE] >=
		       split->worth_ns &&
	       (length_ns >= split->worth_ns || split->wanted != place);
}

void equant_split_read(struct equant_split *split, uint64_t run_ns, uint64_t wait_ns)
{
	struct equant_sampled *sampled = &split->sampled[split->place];

	attribute(split, run_ns, wait_ns);
	split->unread_ns[EQUANT_OUTSIDE] = split->unread_ns[EQUANT_INSIDE] = 0;
	if (!split->sampling) {
		split->sampling = split->wanted != split->place;
		return;
	}
	split->sampling = false;
	split->wanted = !split->place;
	if (split->length_ns >= split->worth_ns)
		return;
	run_ns = at_most(run_ns, split->length_ns);
	sampled->wall_ns += split->length_ns;
	sampled->run_ns += run_ns;
	sampled->wait_ns += at_most(wait_ns, split->length_ns - run_ns);
}
