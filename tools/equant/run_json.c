// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The account of a job as JSON.
 */
#include <math.h>

#include <equant/equant.h>

#include "json.h"
#include "run.h"

static void put_machine(struct json *json, const struct machine_time *machine)
{
	json_open_object(json, "machine");
	json_number(json, "others", machine->total > 0 ? machine->others / machine->total : NAN);
	json_number(json, "irq", machine->total > 0 ? machine->irq / machine->total : NAN);
	json_number(json, "steal", machine->total > 0 ? machine->steal / machine->total : NAN);
	json_close_object(json);
}

static void put_load(struct json *json, const struct competitor *load)
{
	json_open_object(json, NULL);
	json_string(json, "words", load->words);
	json_number(json, "elapsed", load->elapsed);
	json_number(json, "cpu_time", load->cpu_time);
	json_number(json, "wait_time", load->wait_time);
	json_integer(json, "start_ns", (long)load->start_ns);
	json_bool(json, "ended_early", load->ended_early);
	json_close_object(json);
}

static void put_times(struct json *json, const struct equant_stats *stats)
{
	json_number(json, "elapsed", stats->elapsed);
	json_number(json, "wall", stats->wall);
	json_number(json, "run", stats->run);
	json_number(json, "wait", stats->wait);
	json_number(json, "balancing", stats->balancing);
	json_number(json, "waiting", stats->waiting);
	json_number(json, "moving", stats->moving);
	json_number(json, "total_run", stats->total_run);
	json_number(json, "total_wait", stats->total_wait);
	json_number(json, "total_cpu", stats->total_cpu);
}

static void put_rank(struct json *json, const struct equant_stats *stats)
{
	json_open_object(json, NULL);
	json_integer(json, "rank", stats->rank);
	json_string(json, "probe", stats->probe);
	json_integer(json, "units", stats->units);
	json_integer(json, "computed", stats->computed);
	json_number(json, "share", run_share(stats));
	json_number(json, "share_last", stats->share);
	json_number(json, "speed", stats->speed);
	json_number(json, "quantum", stats->quantum);
	json_number(json, "stolen", run_stolen(stats));
	put_times(json, stats);
	json_integer(json, "hooks", stats->hooks);
	json_integer(json, "phases", stats->phases);
	json_integer(json, "uneven", stats->uneven);
	json_integer(json, "moves", stats->moves);
	json_integer(json, "sent", stats->sent);
	json_integer(json, "received", stats->received);
	json_integer(json, "bytes_sent", (long)stats->bytes_sent);
	json_integer(json, "fallbacks", stats->fallbacks);
	json_integer(json, "dropped", stats->dropped);
	json_integer(json, "sweeps", stats->sweeps);
	json_integer(json, "block", stats->block);
	json_close_object(json);
}

static void put_loop(struct json *json, const struct run_loop *loop)
{
	const struct run_figures *figures = &loop->figures;

	json_open_object(json, NULL);
	json_string(json, "name", loop->header.loop);
	json_integer(json, "units", loop->header.units);
	json_bool(json, "balanced", loop->header.balanced);
	json_string(json, "rate",
		    loop->header.rate == EQUANT_RATE_MEASURED ? "measured" : "predicted");
	json_integer(json, "error", loop->header.error);
	json_integer(json, "computed", figures->computed);
	json_number(json, "elapsed", figures->elapsed);
	json_number(json, "efficiency", figures->efficiency);
	json_number(json, "efficiency_lower", figures->efficiency_lower);
	json_number(json, "limit", figures->limit);
	json_number(json, "of_limit", figures->limit / figures->elapsed);
	json_number(json, "productive", figures->productive);
	json_number(json, "compete", figures->compete);
	json_number(json, "waited", figures->waited);
	json_bool(json, "compete_from_loads", figures->from_loads);
	json_open_array(json, "ranks");
	for (int i = 0; i < loop->header.ranks; i++)
		put_rank(json, &loop->stats[i]);
	json_close_array(json);
	json_close_object(json);
}

void run_print_json(FILE *out, const struct run_request *request, const struct run_result *result)
{
	struct json json = { .out = out };

	json_open_object(&json, NULL);
	json_string(&json, "equant", EQUANT_VERSION);
	json_open_array(&json, "command");
	for (char **word = request->command; *word; word++)
		json_string(&json, NULL, *word);
	json_close_array(&json);
	json_integer(&json, "status", result->status);
	json_number(&json, "elapsed", result->elapsed);
	put_machine(&json, &result->machine);
	json_open_array(&json, "loads");
	for (int i = 0; i < result->nr_loads; i++)
		put_load(&json, &result->loads[i]);
	json_close_array(&json);
	json_open_array(&json, "loops");
	for (int i = 0; i < result->nr_loops; i++)
		put_loop(&json, &result->loops[i]);
	json_close_array(&json);
	if (request->profile)
		run_put_profiles(&json, result);
	json_close_object(&json);
}
