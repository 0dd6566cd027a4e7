// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What `equant redist` prints: for people, and as JSON.
 */
#include <math.h>

#include "json.h"
#include "redist.h"

void redist_print_head(const struct redist_report *report)
{
	printf("%d ranks: %lld messages, %lld bytes; %lld bytes stay\n", report->network->ranks,
	       (long long)report->count, (long long)report->bytes, (long long)report->stay);
	printf("no schedule is shorter than %.6g s, no transfer at all than %.6g s%s\n\n",
	       report->schedule_bound, report->bound, report->options->router ? ", straight" : "");
}

static void print_row(const struct redist_report *report, const char *name, double makespan,
		      long long pieces, double planning)
{
	double bound = report->schedule_bound;

	printf("%-12s  %12.6g", name, makespan);
	if (bound > 0)
		printf("  %10.4f", makespan / bound);
	else
		printf("  %10s", "-");
	printf("  %10lld  %10.3g", pieces, planning);
}

void redist_print_compare(const struct redist_report *report)
{
	redist_print_head(report);
	printf("%-12s  %12s  %10s  %10s  %10s\n", "scheduler", "makespan", "of bound", "pieces",
	       "planning");
	for (int i = 0; i < report->answered; i++) {
		const struct redist_answer *answer = &report->answers[i];

		print_row(report, answer->scheduler, answer->schedule->makespan,
			  (long long)answer->schedule->count, answer->planning);
		if (!isnan(answer->simulated))
			printf("  %.6g s with shared ports", answer->simulated);
		printf("\n");
	}
	if (report->routed)
		printf("\n%-12s  %12s  %10s  %10s  %10s\n", "router", "makespan", "of bound",
		       "legs", "planning");
	for (int i = 0; i < report->routed; i++) {
		const struct redist_way *way = &report->routes[i];

		print_row(report, way->route->router, way->route->makespan,
			  (long long)way->route->count, way->planning);
		printf("  in %d steps\n", way->route->steps);
	}
}

/* Shares are printed of messages in pieces only. */
static void print_rank(const struct equant_redist_schedule *schedule, int rank)
{
	printf("rank %d sends:", rank);
	for (int64_t i = 0; i < schedule->count; i++) {
		const struct equant_redist_piece *piece = &schedule->pieces[i];

		if (piece->from != rank)
			continue;
		printf(" %d@%.6g", piece->to, piece->begin);
		if (piece->share < 1)
			printf("(%.4g)", piece->share);
	}
	printf("\n");
}

int redist_print_schedule(const struct redist_report *report)
{
	const struct equant_redist_schedule *planned = report->planned->schedule;
	const struct equant_redist_schedule *shown = report->done ? report->done : planned;
	int err;

	redist_print_head(report);
	printf("%s: %.6g s", planned->scheduler, planned->makespan);
	if (report->done)
		printf(", %.6g s in the simulation, where the bound is %.6g s",
		       report->done->makespan, report->done->bound);
	printf("\n\n");
	err = redist_draw(stdout, shown);
	printf("\n");
	for (int rank = 0; rank < shown->ranks; rank++)
		print_rank(shown, rank);
	return err;
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static void put_answer(struct json *json, const struct redist_answer *answer)
{
	json_open_object(json, NULL);
	json_string(json, "scheduler", answer->scheduler);
	json_number(json, "makespan", answer->schedule->makespan);
	json_integer(json, "pieces", (long)answer->schedule->count);
	json_number(json, "planning", answer->planning);
	if (!isnan(answer->simulated))
		json_number(json, "simulated", answer->simulated);
	json_close_object(json);
}

static void put_way(struct json *json, const struct redist_way *way)
{
	json_open_object(json, NULL);
	json_string(json, "router", way->route->router);
	json_number(json, "makespan", way->route->makespan);
	json_integer(json, "legs", (long)way->route->count);
	json_integer(json, "steps", way->route->steps);
	json_number(json, "planning", way->planning);
	json_close_object(json);
}

static void put_schedule(struct json *json, const char *name,
			 const struct equant_redist_schedule *schedule)
{
	json_open_object(json, name);
	json_string(json, "scheduler", schedule->scheduler);
	json_number(json, "makespan", schedule->makespan);
	json_number(json, "bound", schedule->bound);
	json_open_array(json, "pieces");
	for (int64_t i = 0; i < schedule->count; i++) {
		const struct equant_redist_piece *piece = &schedule->pieces[i];

		json_open_object(json, NULL);
		json_integer(json, "from", piece->from);
		json_integer(json, "to", piece->to);
		json_number(json, "begin", piece->begin);
		json_number(json, "end", piece->end);
		json_number(json, "share", piece->share);
		json_close_object(json);
	}
	json_close_array(json);
	json_close_object(json);
}

static void put_volumes(struct json *json, const struct redist_report *report)
{
	json_open_array(json, "messages");
	for (int64_t i = 0; i < report->count; i++) {
		json_open_object(json, NULL);
		json_integer(json, "from", report->volumes[i].from);
		json_integer(json, "to", report->volumes[i].to);
		json_integer(json, "bytes", (long)report->volumes[i].bytes);
		json_close_object(json);
	}
	json_close_array(json);
}

void redist_print_json(const struct redist_report *report)
{
	struct json json = { .out = stdout };

	json_open_object(&json, NULL);
	json_integer(&json, "ranks", report->network->ranks);
	json_integer(&json, "bytes", (long)report->bytes);
	json_integer(&json, "stay", (long)report->stay);
	json_number(&json, "bound", report->schedule_bound);
	json_number(&json, "network_bound", report->bound);
	json_open_array(&json, "schedulers");
	for (int i = 0; i < report->answered; i++)
		put_answer(&json, &report->answers[i]);
	json_close_array(&json);
	if (report->routed) {
		json_open_array(&json, "routers");
		for (int i = 0; i < report->routed; i++)
			put_way(&json, &report->routes[i]);
		json_close_array(&json);
	}
	if (report->options->what != REDIST_COMPARE)
		put_volumes(&json, report);
	if (report->options->what != REDIST_COMPARE && report->planned)
		put_schedule(&json, "schedule", report->planned->schedule);
	if (report->options->router)
		redist_put_route(&json, "route", report, report->routes->route);
	if (report->taken)
		redist_put_route(&json, "simulated", report, report->taken);
	if (report->done)
		put_schedule(&json, "simulated", report->done);
	json_close_object(&json);
}
