// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Routes of `equant redist`: their legs are drawn as the pieces of a schedule are, and besides it is
 * said what each carries.
 */
#include <stdlib.h>

#include "json.h"
#include "redist.h"

struct equant_redist_schedule *redist_legs(const struct equant_redist_route *route)
{
	struct equant_redist_schedule *schedule = calloc(1, sizeof(*schedule));

	if (!schedule)
		return NULL;
	schedule->scheduler = route->router;
	schedule->ranks = route->ranks;
	schedule->count = route->count;
	schedule->makespan = route->makespan;
	schedule->pieces = calloc((size_t)route->count + 1, sizeof(*schedule->pieces));
	for (int64_t i = 0; i < route->count && schedule->pieces; i++)
		schedule->pieces[i] =
			(struct equant_redist_piece){ route->legs[i].from, route->legs[i].to,
						      route->legs[i].begin, route->legs[i].end, 1 };
	if (schedule->pieces)
		return schedule;
	free(schedule);
	return NULL;
}

/* Of what is its own: FROM>TO:BYTES of each message that it has a part of. */
static void print_leg(const struct redist_report *report, const struct equant_redist_route *route,
		      const struct equant_redist_leg *leg)
{
	printf(" %d@%.6g", leg->to, leg->begin);
	for (int64_t i = leg->first; i < leg->first + leg->count; i++) {
		const struct equant_redist_parcel *parcel = &route->parcels[i];
		const struct equant_redist_volume *volume = &report->volumes[parcel->volume];

		printf("%s%d>%d:%lld", i == leg->first ? "(" : ",", volume->from, volume->to,
		       (long long)parcel->bytes);
	}
	printf(")");
}

int redist_print_route(const struct redist_report *report)
{
	const struct equant_redist_route *planned = report->routes->route;
	const struct equant_redist_route *shown = report->taken ? report->taken : planned;
	struct equant_redist_schedule *legs = redist_legs(shown);
	int err;

	if (!legs)
		return -1;
	redist_print_head(report);
	printf("%s: %.6g s in %d steps", planned->router, planned->makespan, planned->steps);
	if (report->taken)
		printf(", %.6g s in the simulation", report->taken->makespan);
	printf("\n\n");
	err = redist_draw(stdout, legs);
	printf("\n");
	for (int rank = 0; rank < shown->ranks; rank++) {
		printf("rank %d sends:", rank);
		for (int64_t i = 0; i < shown->count; i++)
			if (shown->legs[i].from == rank)
				print_leg(report, shown, &shown->legs[i]);
		printf("\n");
	}
	equant_redist_schedule_free(legs);
	return err;
}

static void put_leg(struct json *json, const struct redist_report *report,
		    const struct equant_redist_route *route, const struct equant_redist_leg *leg)
{
	json_open_object(json, NULL);
	json_integer(json, "step", leg->step);
	json_integer(json, "from", leg->from);
	json_integer(json, "to", leg->to);
	json_number(json, "begin", leg->begin);
	json_number(json, "end", leg->end);
	json_open_array(json, "parcels");
	for (int64_t i = leg->first; i < leg->first + leg->count; i++) {
		const struct equant_redist_parcel *parcel = &route->parcels[i];

		json_open_object(json, NULL);
		json_integer(json, "from", report->volumes[parcel->volume].from);
		json_integer(json, "to", report->volumes[parcel->volume].to);
		json_integer(json, "first", (long)parcel->begin);
		json_integer(json, "bytes", (long)parcel->bytes);
		json_close_object(json);
	}
	json_close_array(json);
	json_close_object(json);
}

void redist_put_route(struct json *json, const char *name, const struct redist_report *report,
		      const struct equant_redist_route *route)
{
	json_open_object(json, name);
	json_string(json, "router", route->router);
	json_number(json, "makespan", route->makespan);
	json_integer(json, "steps", route->steps);
	json_open_array(json, "legs");
	for (int64_t i = 0; i < route->count; i++)
		put_leg(json, report, route, &route->legs[i]);
	json_close_array(json);
	json_close_object(json);
}
