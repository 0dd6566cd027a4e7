/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_TOOL_REDIST_H
#define EQUANT_TOOL_REDIST_H

#include <stdbool.h>
#include <stdio.h>

#include <equant/redist.h>

enum redist_what {
	REDIST_SCHEDULE,
	REDIST_COMPARE,
	REDIST_SIMULATE,
};

/**
 * struct redist_options - the command line
 * @what: word after `equant redist`
 * @array: what is redistributed
 * @element: bytes of an element
 * @apart: receivers are other ranks than senders
 * @self: what a rank has for itself is a message, too
 * @network: file, or NULL
 * @alike: all links are, as @startup or @bandwidth was given
 * @startup: of all links, if there is no file
 * @bandwidth: the same
 * @scheduler: the only one to be asked, or NULL
 * @router: to be asked in its place, or NULL
 * @actual: file of the network that @what REDIST_SIMULATE runs in, or NULL: the one planned for
 * @window: messages of a rank under way at once; 0: not given, 1
 * @barrier: wait for all after every step
 * @svg: file for the diagram, or NULL
 * @json: as JSON
 */
struct redist_options {
	enum redist_what what;
	struct equant_redist_array array;
	int element;
	bool apart;
	bool self;
	const char *network;
	bool alike;
	double startup;
	double bandwidth;
	const char *scheduler;
	const char *router;
	const char *actual;
	int window;
	bool barrier;
	const char *svg;
	bool json;
};

/* What ranks have for themselves, behind @count messages that are there.  0 or -ENOMEM. */
int redist_add_own(const struct equant_redist_array *array, int64_t element,
		   struct equant_redist_volume **volumes, int64_t *count);

/* 0, or -EINVAL after a message; argv[0] is the word. */
int redist_parse(int argc, char **argv, struct redist_options *options);

/**
 * struct redist_answer - what one scheduler says
 * @scheduler: its name
 * @schedule: what it made
 * @planning: what that took, seconds
 * @simulated: what comparing it found that it takes where ranks share a port that is full, or NaN
 */
struct redist_answer {
	const char *scheduler;
	struct equant_redist_schedule *schedule;
	double planning;
	double simulated;
};

/* What one router says; as struct redist_answer. */
struct redist_way {
	struct equant_redist_route *route;
	double planning;
};

/**
 * struct redist_report - all that is printed
 * @options: the command line
 * @network: what was planned for
 * @actual: what was simulated, or NULL
 * @count: of @volumes
 * @volumes: the messages
 * @costs: what they take
 * @bytes: of all messages
 * @stay: bytes that need none
 * @bound: no transfer is faster, several messages at once or not
 * @schedule_bound: no schedule is shorter
 * @answers: of the schedulers that were asked
 * @answered: how many
 * @routes: of all routers, if @what is REDIST_COMPARE, or of the one that was asked
 * @routed: how many
 * @planned: the shortest schedule; with a router NULL
 * @done: what became of it, or NULL
 * @taken: what became of the route, or NULL
 */
struct redist_report {
	const struct redist_options *options;
	struct equant_redist_network *network;
	struct equant_redist_network *actual;
	int64_t count;
	struct equant_redist_volume *volumes;
	struct equant_redist_costs *costs;
	int64_t bytes;
	int64_t stay;
	double bound;
	double schedule_bound;
	struct redist_answer *answers;
	int answered;
	struct redist_way *routes;
	int routed;
	const struct redist_answer *planned;
	struct equant_redist_schedule *done;
	struct equant_redist_route *taken;
};

/* What is common to all of them: ranks, bytes and bounds. */
void redist_print_head(const struct redist_report *report);

/* A route, or what became of it, as JSON. */
struct json;
void redist_put_route(struct json *json, const char *name, const struct redist_report *report,
		      const struct equant_redist_route *route);

void redist_print_compare(const struct redist_report *report);
int redist_print_schedule(const struct redist_report *report);
int redist_print_route(const struct redist_report *report);
void redist_print_json(const struct redist_report *report);

/* Both: 0 or -ENOMEM. */
int redist_draw(FILE *out, const struct equant_redist_schedule *schedule);
int redist_svg(FILE *out, const struct equant_redist_schedule *schedule);

/* The legs of a route as pieces, to be drawn; NULL: out of memory. */
struct equant_redist_schedule *redist_legs(const struct equant_redist_route *route);

/* equant redist experiment: the exit status. */
int redist_experiment(int argc, char **argv);

#endif /* EQUANT_TOOL_REDIST_H */
