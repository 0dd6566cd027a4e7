// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Writes the traces of two ranks that share 90 units for four seconds: rank 0
 * has half a CPU, so after the first second it holds 30.  "rows" has balancing phases; "passes"
 * is asynchronous, and began as a plan said: with 15 units on rank 0.  "moves" has a phase with
 * two moves of a quarter of a second, and times that do not quite fit, where "rows" has but balance.
 *
 * Usage: write_worker DIRECTORY
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <equant/balance.h>
#include <equant/trace.h>

#define SECOND 1000000000ull
#define SECONDS 4
#define EVENTS (3 * SECONDS)

struct file {
	struct equant_trace_header header;
	struct equant_event events[EVENTS + 1];
};

static const long held[2][SECONDS] = { { 45, 30, 30, 30 }, { 45, 60, 60, 60 } };

/* Clocks of different hosts have nothing in common. */
static uint64_t start_of(int rank)
{
	return rank ? 700 * SECOND : 3 * SECOND;
}

static struct equant_event decision(int rank, int second)
{
	return (struct equant_event){
		.type = EQUANT_EVENT_DECISION,
		.u.decision.units = held[rank][second < SECONDS - 1 ? second + 1 : second],
	};
}

static struct equant_event units(int rank, int second)
{
	return (struct equant_event){
		.type = EQUANT_EVENT_UNITS,
		.u.units.owned = second ? held[rank][second] :
				 rank	? 75 :
					  15,
	};
}

static struct equant_event transfer(int rank)
{
	return (struct equant_event){
		.type = EQUANT_EVENT_TRANSFER,
		.u.transfer = { .number = 1,
				.pass = 1,
				.peer = !rank,
				.incoming = !rank,
				.count = 1,
				.list = { { 15, 15 } } },
	};
}

static struct equant_event move(int64_t units)
{
	return (struct equant_event){
		.type = EQUANT_EVENT_MOVE,
		.phase = 2,
		.u.move = { .from = 0,
			    .to = 1,
			    .units = units,
			    .duration_ns = SECOND / 4,
			    .bytes = 100 * (uint64_t)units },
	};
}

/* The second's status comes later, the sample begins a little early and has more in it than time. */
static void make_uneven(struct file *file)
{
	struct equant_event *event = &file->events[3];

	event[1] = move(10);
	event[2] = move(5);
	event[1].t_ns = event[2].t_ns = event[0].t_ns;
	event[4].u.sample.interval = 1.25;
	event[4].u.sample.interact = 0.5;
	event[4].u.sample.units = 100000;
}

static void fill_second(struct file *file, int rank, int second)
{
	double share = rank ? 1.0 : 0.5;
	uint64_t t = start_of(rank) + ((uint64_t)second + 1) * SECOND;
	struct equant_event *event = &file->events[3 * second];

	event[0] = (struct equant_event){ .type = EQUANT_EVENT_STATUS, .t_ns = t };
	event[0].u.status.wait_ns = rank ? 0 : ((uint64_t)second + 1) * SECOND / 2;
	event[0].u.status.quantum_ns = 4000000;
	event[1] = (struct equant_event){ .type = EQUANT_EVENT_SAMPLE, .t_ns = t };
	event[1].u.sample.units = 45.0;
	event[1].u.sample.wall = 1.0;
	event[1].u.sample.run = share;
	event[1].u.sample.wait = 1.0 - share;
	event[1].u.sample.interval = 1.0;
	event[1].u.sample.interact = 0.001;
	event[1].u.sample.moved = second == 1 ? 15.0 : 0.0;
	event[1].u.sample.flags = EQUANT_SAMPLE_RUN;
	if (!file->header.mode)
		event[2] = decision(rank, second);
	else
		event[2] = second == 1 ? transfer(rank) : units(rank, second);
	event[2].t_ns = t;
}

static void fill(struct file *file, int rank, const char *loop, bool asynchronous)
{
	*file = (struct file){
		.header = {
			.magic = EQUANT_TRACE_MAGIC,
			.version = EQUANT_TRACE_VERSION,
			.event_size = sizeof(struct equant_event),
			.rank = rank,
			.ranks = 2,
			.units = 90,
			.t0_ns = start_of(rank),
			.probe = "schedstat",
			.mode = asynchronous, /* enum equant_mode */
		},
	};
	snprintf(file->header.loop, sizeof(file->header.loop), "%s", loop);
	for (int second = 0; second < SECONDS; second++)
		fill_second(file, rank, second);
	file->events[EVENTS] = (struct equant_event){
		.type = EQUANT_EVENT_END,
		.t_ns = start_of(rank) + SECONDS * SECOND,
		.u.end = { .events = EVENTS, .dropped = rank ? 7 : 0 },
	};
}

static int store(const char *directory, const char *name, int rank, const struct file *file)
{
	char path[4096];
	FILE *out;
	int ret;

	snprintf(path, sizeof(path), "%s/%s.%d.trace", directory, name, rank);
	out = fopen(path, "we");
	if (!out)
		return 1;
	ret = fwrite(file, sizeof(*file), 1, out) != 1;
	return fclose(out) || ret;
}

int main(int argc, char **argv)
{
	struct file file;

	if (argc != 2)
		return 2;
	for (int rank = 0; rank < 2; rank++) {
		fill(&file, rank, "a<b & \"c\"", false);
		if (store(argv[1], "rows", rank, &file))
			return 1;
		fill(&file, rank, "passes", true);
		if (store(argv[1], "passes", rank, &file))
			return 1;
		fill(&file, rank, "moves", false);
		make_uneven(&file);
		if (store(argv[1], "moves", rank, &file))
			return 1;
	}
	return 0;
}
