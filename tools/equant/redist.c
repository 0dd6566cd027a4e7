// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * equant redist: schedules of a block-cyclic redistribution in a network.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "commands.h"
#include "output.h"
#include "redist.h"

#define SIMULATED 1e7 /* messages times ranks: a second and more */

static int fail(const char *why)
{
	fprintf(stderr, "equant redist: %s\n", why[0] ? why : strerror(errno));
	return 1;
}

static int fail_in(const char *path, const char *why)
{
	fprintf(stderr, "equant redist: %s: %s\n", path, why[0] ? why : strerror(errno));
	return 1;
}

/* ---- what is planned ------------------------------------------------------------------------- */

static int larger(int a, int b)
{
	return a > b ? a : b;
}

static int make_network(struct redist_report *report)
{
	const struct redist_options *options = report->options;
	int senders = equant_redist_senders(&options->array);
	int receivers = equant_redist_receivers(&options->array);
	int ranks = options->apart ? senders + receivers : larger(senders, receivers);
	char why[512] = "";

	if (options->network)
		report->network = equant_redist_network_read(options->network, why, sizeof(why));
	else
		report->network = equant_redist_network_new(ranks, options->startup,
							    options->bandwidth, why, sizeof(why));
	if (!report->network)
		return fail(why);
	if (options->actual) {
		report->actual = equant_redist_network_read(options->actual, why, sizeof(why));
		if (!report->actual)
			return fail(why);
	}
	if (report->network->ranks >= ranks)
		return 0;
	snprintf(why, sizeof(why), "%s: %d ranks, %d are needed", options->network,
		 report->network->ranks, ranks);
	return fail(why);
}

int redist_add_own(const struct equant_redist_array *array, int64_t element,
		   struct equant_redist_volume **volumes, int64_t *count)
{
	int senders = equant_redist_senders(array), receivers = equant_redist_receivers(array);
	int both = senders < receivers ? senders : receivers;
	struct equant_redist_volume *more =
		reallocarray(*volumes, (size_t)*count + (size_t)both + 1, sizeof(*more));

	if (!more)
		return -ENOMEM;
	*volumes = more;
	for (int i = 0; i < both; i++) {
		int64_t bytes = equant_redist_part_elements(array, i, i) * element;

		if (bytes)
			more[(*count)++] = (struct equant_redist_volume){ i, i, bytes };
	}
	return 0;
}

/* Of the whole array; what is found to be in messages is taken from that. */
static int count_bytes(struct redist_report *report)
{
	const struct equant_redist_array *array = &report->options->array;

	report->stay = report->options->element;
	for (int d = 0; d < array->dimensions; d++)
		if (__builtin_mul_overflow(report->stay, array->extent[d], &report->stay))
			return fail("2^63 bytes and more");
	return 0;
}

static int make_messages(struct redist_report *report)
{
	const struct redist_options *options = report->options;
	int receivers = equant_redist_receivers(&options->array), err;
	int *others = calloc((size_t)receivers, sizeof(*others));

	if (!others)
		return fail("");
	for (int i = 0; i < receivers; i++)
		others[i] = equant_redist_senders(&options->array) + i;
	report->volumes = equant_redist_volumes(&options->array, (size_t)options->element, NULL,
						options->apart ? others : NULL, &report->count);
	err = errno;
	free(others);
	if (!report->volumes)
		return fail(err == EOVERFLOW ? "a message of 2^62 bytes and more" : "");
	if (options->self &&
	    redist_add_own(&options->array, options->element, &report->volumes, &report->count))
		return fail("");
	for (int64_t i = 0; i < report->count; i++)
		report->bytes += report->volumes[i].bytes;
	report->stay -= report->bytes;
	return 0;
}

static int load(struct redist_report *report)
{
	char why[512] = "";

	if (count_bytes(report) || make_network(report) || make_messages(report))
		return 1;
	report->costs = equant_redist_network_costs(report->network, report->count, report->volumes,
						    why, sizeof(why));
	if (!report->costs)
		return fail(why);
	report->bound =
		equant_redist_network_bound(report->network, report->count, report->volumes, false);
	report->schedule_bound = equant_redist_bound(report->costs);
	return isnan(report->bound) || isnan(report->schedule_bound) ? fail("out of memory") : 0;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Of so many messages and ranks that take long nobody waits for it. */
static int weigh(const struct redist_report *report, struct redist_answer *answer)
{
	struct equant_redist_schedule *done;

	answer->simulated = NAN;
	if (report->options->what != REDIST_COMPARE || !report->costs->network ||
	    (double)report->count * report->network->ranks > SIMULATED)
		return 0;
	done = equant_redist_replay(answer->schedule, report->network, report->count,
				    report->volumes, 1, false, NULL, 0);
	if (!done)
		return fail("");
	answer->simulated = done->makespan;
	equant_redist_schedule_free(done);
	return 0;
}

static int ask(struct redist_report *report, const char *scheduler)
{
	struct redist_answer *answer = &report->answers[report->answered];
	char why[512] = "";

	answer->scheduler = scheduler;
	answer->planning = now();
	answer->schedule = equant_redist_schedule_new(scheduler, report->costs, why, sizeof(why));
	if (!answer->schedule)
		return fail(why);
	answer->planning = now() - answer->planning;
	report->answered++;
	if (equant_redist_schedule_check(answer->schedule, report->costs, why, sizeof(why)))
		return fail(why);
	if (!report->planned || answer->schedule->makespan < report->planned->schedule->makespan)
		report->planned = answer;
	return weigh(report, answer);
}

static int ask_all(struct redist_report *report)
{
	const char *only = report->options->scheduler;
	int many = 0, status = 0;

	if (!only && report->options->what != REDIST_COMPARE)
		only = "best";
	while (equant_redist_scheduler_name(many))
		many++;
	report->answers = calloc((size_t)many, sizeof(*report->answers));
	if (!report->answers)
		return fail("");
	if (only)
		return ask(report, only);
	for (int i = 0; i < many && !status; i++)
		status = ask(report, equant_redist_scheduler_name(i));
	return status;
}

static int ask_router(struct redist_report *report, const char *router)
{
	struct redist_way *way = &report->routes[report->routed];
	char why[512] = "";

	way->planning = now();
	way->route = equant_redist_route_new(router, report->network, report->count,
					     report->volumes, why, sizeof(why));
	if (!way->route)
		return fail(why);
	way->planning = now() - way->planning;
	report->routed++;
	return 0;
}

static int ask_routers(struct redist_report *report)
{
	const char *only = report->options->router;
	int many = 0, status = 0;

	while (equant_redist_router_name(many))
		many++;
	report->routes = calloc((size_t)many, sizeof(*report->routes));
	if (!report->routes)
		return fail("");
	if (only)
		return ask_router(report, only);
	for (int i = 0; i < many && !status; i++)
		status = ask_router(report, equant_redist_router_name(i));
	return status;
}

static int simulate(struct redist_report *report)
{
	const struct redist_options *options = report->options;
	const struct equant_redist_network *network = report->actual ? report->actual :
								       report->network;
	int window = options->window ? options->window : 1;
	char why[512] = "";
	bool done;

	if (options->router) {
		report->taken = equant_redist_route_replay(report->routes->route, network, window,
							   options->barrier, why, sizeof(why));
		done = report->taken != NULL;
	} else {
		report->done = equant_redist_replay(report->planned->schedule, network,
						    report->count, report->volumes, window,
						    options->barrier, why, sizeof(why));
		done = report->done != NULL;
	}
	if (done)
		return 0;
	return report->actual ? fail_in(options->actual, why) : fail(why);
}

/* ---- the command --------------------------------------------------------------------------- */

/* What is drawn: to be freed if it is a route's. */
static struct equant_redist_schedule *shown(const struct redist_report *report)
{
	if (report->options->router)
		return redist_legs(report->taken ? report->taken : report->routes->route);
	return report->done ? report->done : report->planned->schedule;
}

static int write_svg(const struct redist_report *report, const char *path)
{
	struct equant_redist_schedule *schedule = shown(report);
	FILE *out = schedule ? output_open("redist", path) : NULL;
	int status = schedule ? 1 : fail("");

	if (out)
		status = output_close(out, "redist", path, redist_svg(out, schedule));
	if (report->options->router)
		equant_redist_schedule_free(schedule);
	return status;
}

static int print(const struct redist_report *report)
{
	if (report->options->json)
		redist_print_json(report);
	else if (report->options->what == REDIST_COMPARE)
		redist_print_compare(report);
	else if (report->options->router ? redist_print_route(report) :
					   redist_print_schedule(report))
		return fail("");
	return report->options->svg ? write_svg(report, report->options->svg) : 0;
}

static void release(struct redist_report *report)
{
	for (int i = 0; i < report->answered; i++)
		equant_redist_schedule_free(report->answers[i].schedule);
	free(report->answers);
	for (int i = 0; i < report->routed; i++)
		equant_redist_route_free(report->routes[i].route);
	free(report->routes);
	equant_redist_schedule_free(report->done);
	equant_redist_route_free(report->taken);
	equant_redist_costs_free(report->costs);
	free(report->volumes);
	equant_redist_network_free(report->network);
	equant_redist_network_free(report->actual);
}

static int plan(const struct redist_options *options)
{
	struct redist_report report = { .options = options };
	int status = load(&report);

	if (!status && !options->router)
		status = ask_all(&report);
	if (!status && (options->router || options->what == REDIST_COMPARE))
		status = ask_routers(&report);
	if (!status && options->what == REDIST_SIMULATE)
		status = simulate(&report);
	status = status ? status : print(&report);
	release(&report);
	return status;
}

static int run(int argc, char **argv)
{
	static const char *const words[] = { "schedule", "compare", "simulate" };
	struct redist_options options = { .element = 8, .bandwidth = 1e8 };
	char name[EQUANT_NAME_SIZE];
	const char *word = equant_take_word("redist", argc, argv, name);

	if (!word)
		return 0;
	if (!strcmp(word, "experiment"))
		return redist_experiment(argc - 1, argv + 1);
	for (int i = 0; i < 3; i++) {
		if (strcmp(word, words[i]))
			continue;
		options.what = (enum redist_what)i;
		return redist_parse(argc - 1, argv + 1, &options) ? EQUANT_EXIT_USAGE :
								    plan(&options);
	}
	fprintf(stderr, "equant redist: expected schedule, compare, simulate or experiment; "
			"see `equant help redist`\n");
	return EQUANT_EXIT_USAGE;
}

int equant_cmd_redist(int argc, char **argv)
{
	int status = run(argc, argv);

	return output_flush("redist") ? 1 : status;
}
