// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Routes carried out: what a rank sends and receives are the legs that begin and end there, in the
 * route's order.  What it gets for others stays in transit memory until it has been sent on.
 *
 * Each piece of a leg goes when all has come that it sends on.  That comes in earlier steps, so the
 * first leg of the route that is not through can always go on, and nobody waits in a circle (see
 * transfer_plan.c).
 *
 * What goes straight, all of it, is carried out as any schedule is, and not here.
 *
 * Source: Bhat, Prasanna, Raghavendra, section 3; which way is <equant/redist.h>'s matter.
 */
#include <errno.h>
#include <stdlib.h>

#include "core/message.h"
#include "engine/transfer_internal.h"
#include "redist/schedule.h"

/* ---- the route, and its schedule ---------------------------------------------------------- */

/* Every leg is a message, all of it. */
static struct equant_redist_schedule *schedule_of(const struct equant_redist_route *route)
{
	struct equant_redist_schedule *schedule = calloc(1, sizeof(*schedule));

	if (!schedule)
		return NULL;
	schedule->scheduler = route->router;
	schedule->ranks = route->ranks;
	schedule->makespan = schedule->bound = route->makespan;
	schedule->pieces = calloc((size_t)route->count + 1, sizeof(*schedule->pieces));
	for (int64_t i = 0; i < route->count && schedule->pieces; i++) {
		const struct equant_redist_leg *leg = &route->legs[i];

		schedule->pieces[schedule->count++] =
			(struct equant_redist_piece){ leg->from, leg->to, leg->begin, leg->end, 1 };
	}
	if (schedule->pieces && !equant_redist_order(schedule))
		return schedule;
	equant_redist_schedule_free(schedule);
	return NULL;
}

int equant_transfer_route_make(struct equant_transfer *transfer,
			       const struct equant_transfer_options *options, int64_t count,
			       const struct equant_redist_volume *volumes, char *why,
			       size_t why_size)
{
	transfer->route = equant_redist_route_new(options->router, options->network, count, volumes,
						  why, why_size);
	return transfer->route ? equant_transfer_route_schedule(transfer) : -errno;
}

/* Of one step are whole messages, which need no memory on their way and may be read in place. */
int equant_transfer_route_schedule(struct equant_transfer *transfer)
{
	int steps = transfer->route->steps;

	if (steps > EQUANT_TRANSFER_TAGS) {
		equant_message("rank %d: a route of %d steps", transfer->rank, steps);
		return -EOVERFLOW;
	}
	transfer->schedule = schedule_of(transfer->route);
	if (transfer->schedule && steps <= 1) {
		equant_redist_route_free(transfer->route);
		transfer->route = NULL;
	}
	return transfer->schedule ? 0 : -ENOMEM;
}

/* ---- lanes -------------------------------------------------------------------------------- */

/**
 * struct stop - bytes that come to this rank and are to be sent on
 * @volume: of which message
 * @begin: the first one, in the message
 * @bytes: how many
 * @at: in the transit memory
 * @letter: that brings them
 * @from: the first one, in the letter
 * @next: another stop of the same message, or -1
 */
struct stop {
	int64_t volume;
	int64_t begin;
	int64_t bytes;
	int64_t at;
	int64_t letter;
	int64_t from;
	int64_t next;
};

/**
 * struct stops - all of them
 * @stop: in the order of their letters
 * @count: of them
 * @last: of each message, or -1
 */
struct stops {
	struct stop *stop;
	int64_t count;
	int64_t *last;
};

static void add_stop(struct equant_transfer *transfer, struct stops *stops, int64_t from,
		     const struct equant_redist_parcel *what, struct equant_parcel *parcel)
{
	struct stop *stop = &stops->stop[stops->count];

	*stop = (struct stop){
		.volume = what->volume,
		.begin = what->begin,
		.bytes = what->bytes,
		.at = (int64_t)transfer->transit_size,
		.letter = transfer->lanes[1].letter_count,
		.from = from,
		.next = stops->last[what->volume],
	};
	stops->last[what->volume] = stops->count++;
	/* There is no memory for more than can be told. */
	if (__builtin_add_overflow(transfer->transit_size, (size_t)what->bytes,
				   &transfer->transit_size))
		transfer->transit_size = SIZE_MAX;
	parcel->begin = stop->at;
}

/* Where what is to be sent on has been put; -EINVAL if it never comes. */
static int find_stop(const struct equant_transfer *transfer, const struct stops *stops,
		     const struct equant_redist_parcel *what, struct equant_parcel *parcel)
{
	int64_t i = stops->last[what->volume];

	while (i >= 0 &&
	       (stops->stop[i].begin != what->begin || stops->stop[i].bytes != what->bytes))
		i = stops->stop[i].next;
	if (i < 0) {
		equant_message("rank %d: a route sends on what does not come", transfer->rank);
		return -EINVAL;
	}
	parcel->begin = stops->stop[i].at;
	parcel->after = stops->stop[i].letter;
	parcel->from = stops->stop[i].from;
	return 0;
}

/* @from: its first byte in the leg. */
static int add_parcel(struct equant_transfer *transfer, struct stops *stops, int side, int64_t from,
		      const struct equant_redist_parcel *what, struct equant_parcel *parcel)
{
	const struct equant_redist_volume *volume = &transfer->volumes[what->volume];

	*parcel = (struct equant_parcel){ NULL, what->begin, what->bytes, -1, 0 };
	if ((side ? volume->to : volume->from) == transfer->rank) {
		parcel->part =
			equant_transfer_part(transfer, side, side ? volume->from : volume->to);
		return parcel->part ? 0 : -errno;
	}
	if (!side)
		return find_stop(transfer, stops, what, parcel);
	add_stop(transfer, stops, from, what, parcel);
	return 0;
}

static int add_leg(struct equant_transfer *transfer, struct stops *stops, int side,
		   const struct equant_redist_leg *leg, struct equant_parcel **parcels)
{
	struct equant_lane *lane = &transfer->lanes[side];
	struct equant_letter *letter = &lane->letters[lane->letter_count];
	int64_t at = 0;
	int error = 0;

	*letter = (struct equant_letter){
		.peer = side ? leg->from : leg->to,
		.tag = EQUANT_TRANSFER_LEG + leg->step,
		.parcels = *parcels,
		.parcel_count = leg->count,
		.bytes = (size_t)leg->bytes,
	};
	*parcels += leg->count;
	for (int64_t i = 0; i < leg->count && !error; i++) {
		const struct equant_redist_parcel *what = &transfer->route->parcels[leg->first + i];

		error = add_parcel(transfer, stops, side, at, what, &letter->parcels[i]);
		at += what->bytes;
	}
	lane->letter_count++;
	return error ? error :
		       equant_lane_add(lane, lane->letter_count - 1, letter->bytes,
				       transfer->largest);
}

/* Legs that begin here, or end here, and what they carry. */
static int make_room(struct equant_transfer *transfer, int side, int64_t *parcels)
{
	const struct equant_redist_route *route = transfer->route;
	struct equant_lane *lane = &transfer->lanes[side];
	int64_t legs = 0;

	*parcels = 0;
	for (int64_t i = 0; i < route->count; i++) {
		const struct equant_redist_leg *leg = &route->legs[i];

		if ((side ? leg->to : leg->from) != transfer->rank)
			continue;
		legs++;
		*parcels += leg->count;
	}
	lane->letters = calloc((size_t)legs + 1, sizeof(*lane->letters));
	lane->parcels = calloc((size_t)*parcels + 1, sizeof(*lane->parcels));
	return lane->letters && lane->parcels ? 0 : -ENOMEM;
}

static int fill(struct equant_transfer *transfer, struct stops *stops)
{
	const struct equant_redist_route *route = transfer->route;
	struct equant_parcel *parcels[2] = { transfer->lanes[0].parcels,
					     transfer->lanes[1].parcels };
	int error = 0;

	for (int64_t i = 0; i < route->count && !error; i++) {
		const struct equant_redist_leg *leg = &route->legs[i];

		if (leg->from == transfer->rank)
			error = add_leg(transfer, stops, 0, leg, &parcels[0]);
		if (leg->to == transfer->rank && !error)
			error = add_leg(transfer, stops, 1, leg, &parcels[1]);
	}
	return error;
}

int equant_transfer_route_lanes(struct equant_transfer *transfer)
{
	size_t messages = (size_t)transfer->route->messages;
	struct stops stops = { .last = calloc(messages + 1, sizeof(*stops.last)) };
	int64_t parcels[2];
	int error = make_room(transfer, 0, &parcels[0]);

	if (!error)
		error = make_room(transfer, 1, &parcels[1]);
	if (!error)
		stops.stop = calloc((size_t)parcels[1] + 1, sizeof(*stops.stop));
	if (!error && (!stops.last || !stops.stop))
		error = -ENOMEM;
	for (size_t i = 0; i < messages && !error; i++)
		stops.last[i] = -1;
	if (!error)
		error = fill(transfer, &stops);
	free(stops.stop);
	free(stops.last);
	return error;
}
