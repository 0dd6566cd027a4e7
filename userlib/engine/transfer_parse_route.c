// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A route in a plan's file: each part of each message goes from its sender, rank by rank and step
 * by step, to its receiver, and nothing else goes anywhere.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/transfer_file.h"
#include "redist/route.h"

static bool is_leg(const struct equant_transfer *transfer, const struct equant_redist_leg *leg,
		   int64_t parcels)
{
	if (leg->from < 0 || leg->from >= transfer->ranks || leg->to < 0 ||
	    leg->to >= transfer->ranks || leg->from == leg->to)
		return false;
	return leg->step >= 0 && leg->step < EQUANT_TRANSFER_TAGS && leg->count > 0 &&
	       leg->count <= parcels - leg->first;
}

/* Legs, each with its parcels.  False: there cannot be such ones. */
static bool get_legs(const struct equant_transfer *transfer, const char *from, int64_t parcels)
{
	struct equant_redist_route *route = transfer->route;
	int64_t first = 0;

	for (int64_t i = 0; i < route->count; i++) {
		struct equant_redist_leg *leg = &route->legs[i];
		struct equant_plan_leg is;

		memcpy(&is, from + sizeof(is) * (size_t)i, sizeof(is));
		*leg = (struct equant_redist_leg){ is.step,  is.from, is.to,	first,
						   is.count, 0,	      is.begin, is.end };
		if (!is_leg(transfer, leg, parcels) || leg->step + 1 < route->steps)
			return false;
		route->steps = leg->step + 1;
		first += leg->count;
	}
	return first == parcels;
}

static bool get_parcels(const struct equant_transfer *transfer, const char *from,
			struct equant_redist_hop *hops)
{
	struct equant_redist_route *route = transfer->route;

	for (int64_t i = 0; i < route->count; i++) {
		const struct equant_redist_leg *leg = &route->legs[i];

		for (int64_t k = leg->first; k < leg->first + leg->count; k++) {
			struct equant_plan_parcel is;

			memcpy(&is, from + sizeof(is) * (size_t)k, sizeof(is));
			if (is.volume < 0 || is.volume >= route->messages || is.begin < 0 ||
			    is.bytes < 1 ||
			    is.bytes > transfer->volumes[is.volume].bytes - is.begin)
				return false;
			route->parcels[k] =
				(struct equant_redist_parcel){ is.volume, is.begin, is.bytes };
			hops[k] = (struct equant_redist_hop){ leg->step, leg->from, leg->to,
							      route->parcels[k] };
		}
	}
	return true;
}

static int by_message(const void *a, const void *b)
{
	const struct equant_redist_hop *x = a, *y = b;

	if (x->parcel.volume != y->parcel.volume)
		return x->parcel.volume < y->parcel.volume ? -1 : 1;
	if (x->parcel.begin != y->parcel.begin)
		return x->parcel.begin < y->parcel.begin ? -1 : 1;
	return x->step < y->step ? -1 : x->step > y->step;
}

/* Hops of the same bytes, the first at @hop: how many there are, or 0 if they do not arrive. */
static int64_t follow(const struct equant_redist_volume *volume,
		      const struct equant_redist_hop *hop, const struct equant_redist_hop *end)
{
	const struct equant_redist_hop *first = hop;
	int place = volume->from, step = -1;

	for (; hop < end && hop->parcel.volume == first->parcel.volume &&
	       hop->parcel.begin == first->parcel.begin;
	     hop++) {
		if (hop->from != place || hop->step == step || place == volume->to ||
		    hop->to == volume->from || hop->parcel.bytes != first->parcel.bytes)
			return 0;
		place = hop->to;
		step = hop->step;
	}
	return place == volume->to ? hop - first : 0;
}

/* Do they take all bytes of all messages to where they belong? */
static bool all_arrive(const struct equant_transfer *transfer, struct equant_redist_hop *hops,
		       int64_t count)
{
	const struct equant_redist_hop *hop = hops, *end = hops + count;

	qsort(hops, (size_t)count, sizeof(*hops), by_message);
	for (int64_t v = 0; v < transfer->route->messages; v++) {
		const struct equant_redist_volume *volume = &transfer->volumes[v];
		int64_t at = 0;

		while (volume->from != volume->to && at < volume->bytes) {
			if (hop == end || hop->parcel.volume != v || hop->parcel.begin != at)
				return false;
			at += hop->parcel.bytes;
			hop += follow(volume, hop, end);
		}
	}
	return hop == end;
}

static int by_ranks(const void *a, const void *b)
{
	const struct equant_redist_leg *x = a, *y = b;

	if (x->step != y->step)
		return x->step < y->step ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

/* Is there one leg at most in a step from one rank to another?  Messages are told by that. */
static int check_single(const struct equant_redist_route *route, bool *single)
{
	size_t count = (size_t)route->count;
	struct equant_redist_leg *legs = reallocarray(NULL, count + 1, sizeof(*legs));

	if (!legs)
		return -ENOMEM;
	memcpy(legs, route->legs, count * sizeof(*legs));
	qsort(legs, count, sizeof(*legs), by_ranks);
	*single = true;
	for (size_t i = 1; i < count; i++)
		*single &= by_ranks(&legs[i - 1], &legs[i]) != 0;
	free(legs);
	return 0;
}

/* false: more than a message may have */
static bool add_bytes(struct equant_redist_route *route)
{
	for (int64_t i = 0; i < route->count; i++) {
		struct equant_redist_leg *leg = &route->legs[i];

		for (int64_t k = leg->first; k < leg->first + leg->count; k++)
			if (__builtin_add_overflow(leg->bytes, route->parcels[k].bytes,
						   &leg->bytes))
				return false;
	}
	return true;
}

static int get_route(const struct equant_plan_file *file, struct equant_transfer *transfer,
		     const char *from, struct equant_redist_hop *hops)
{
	const struct equant_plan_header *header = (const struct equant_plan_header *)file->bytes;
	const char *parcels = from + sizeof(struct equant_plan_leg) * (size_t)header->legs;
	bool single = false;
	int error = -EINVAL;

	if (get_legs(transfer, from, header->parcels) && get_parcels(transfer, parcels, hops) &&
	    all_arrive(transfer, hops, header->parcels))
		error = check_single(transfer->route, &single);
	if (error == -ENOMEM)
		return error;
	if (!single || !add_bytes(transfer->route))
		return equant_plan_fault(file, "its route is not of its array's messages");
	return equant_transfer_route_schedule(transfer);
}

int equant_plan_parse_route(const struct equant_plan_file *file, struct equant_transfer *transfer,
			    const char *from, int64_t count)
{
	const struct equant_plan_header *header = (const struct equant_plan_header *)file->bytes;
	struct equant_redist_route *route = calloc(1, sizeof(*route));
	struct equant_redist_hop *hops = calloc((size_t)header->parcels + 1, sizeof(*hops));
	int error = -ENOMEM;

	transfer->route = route;
	if (route && hops) {
		*route = (struct equant_redist_route){
			.router = equant_plan_find_name(header, equant_redist_router_name),
			.ranks = transfer->ranks,
			.messages = count,
			.count = header->legs,
			.legs = calloc((size_t)header->legs + 1, sizeof(*route->legs)),
			.parcels = calloc((size_t)header->parcels + 1, sizeof(*route->parcels)),
			.makespan = header->makespan,
		};
		if (!route->router)
			error = equant_plan_fault(file, "its router is not known");
		else if (route->legs && route->parcels)
			error = get_route(file, transfer, from, hops);
	}
	free(hops);
	return error;
}
