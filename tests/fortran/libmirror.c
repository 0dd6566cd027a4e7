// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The C side of the comparison of types, and what Fortran has no word for. */
#include <equant/equant.h>
#include <equant/table.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libmirror.h"

void nap(double seconds)
{
	struct timespec t = { .tv_sec = (time_t)seconds };

	t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

static void *thread(void *procedure)
{
	(*(void (**)(void))procedure)();
	return NULL;
}

void in_thread(void (*procedure)(void))
{
	pthread_t t;

	if (pthread_create(&t, NULL, thread, &procedure)) {
		perror("pthread_create");
		exit(1);
	}
	pthread_join(t, NULL);
}

void defaults(struct equant_options *options)
{
	equant_options_init(options);
}

/* Each field its own number, so that one in another's place is seen. */
void number_options(struct equant_options *options)
{
	*options = (struct equant_options){
		.sz = sizeof(*options),
		.balance = 4,
		.rate = 5,
		.filter = 6,
		.check = 7,
		.depth = 8,
		.ports = 9,
		.verbose = 10,
		.omit = 11,
		.period = 12,
		.threshold = 13,
		.profit = 14,
		.window = 15,
		.interact = 16,
		.amplitude = 17,
		.timeout = 18,
		.wait = 19,
		.control = 20,
		.polls = 21,
		.block = 22,
		.quantum = 23,
		.quanta = 24,
		.movement = 25,
		.mode = 26,
		.restraint = 27,
		.delay = 28,
		.grain = 29,
		.prompt = 30,
		.tiles = 31,
		.steady = 32,
		.crowds = 33,
	};
}

void number_stats(struct equant_stats *stats)
{
	*stats = (struct equant_stats){
		.sz = sizeof(*stats),
		.rank = 1,
		.ranks = 2,
		.probe = "0123456789abcde",
		.elapsed = 3,
		.wall = 4,
		.run = 5,
		.wait = 6,
		.balancing = 7,
		.waiting = 8,
		.moving = 9,
		.total_run = 10,
		.total_wait = 11,
		.total_cpu = 12,
		.speed = 13,
		.share = 14,
		.quantum = 15,
		.first_ns = 16,
		.units = 17,
		.computed = 18,
		.hooks = 19,
		.phases = 20,
		.moves = 21,
		.sent = 22,
		.received = 23,
		.fallbacks = 24,
		.dropped = 25,
		.bytes_sent = 26,
		.uneven = 27,
		.sweeps = 28,
		.block = 29,
		.messages = 30,
		.chain = 31,
	};
}

long size_of_options(void)
{
	return (long)sizeof(struct equant_options);
}

/* What the library takes of them. */
long said_of_options(const struct equant_options *options)
{
	return (long)options->sz;
}

long said_of_stats(const struct equant_stats *stats)
{
	return (long)stats->sz;
}

long size_of_stats(void)
{
	return (long)sizeof(struct equant_stats);
}

static void count(void *ctx, const char *variable, const char *value, const char *range,
		  const char *meaning)
{
	(void)variable, (void)value, (void)range, (void)meaning;
	++*(int *)ctx;
}

/* A new field may fit into padding and leave the size as it is. */
int count_options(void)
{
	int n = 0;

	equant_options_describe(count, &n);
	return n;
}

#define CONSTANT(name)      \
	{                   \
#name, name \
	}

/* -1 for an unknown name. */
int constant(const char *name)
{
	static const struct {
		const char *name;
		int value;
	} all[] = {
		CONSTANT(EQUANT_WAIT_SPIN),
		CONSTANT(EQUANT_WAIT_YIELD),
		CONSTANT(EQUANT_WAIT_BLOCK),
		CONSTANT(EQUANT_WAIT_AUTO),
		CONSTANT(EQUANT_CONTROL_TREE),
		CONSTANT(EQUANT_CONTROL_CENTRAL),
		CONSTANT(EQUANT_MODE_PIPELINED),
		CONSTANT(EQUANT_MODE_ASYNCHRONOUS),
		CONSTANT(EQUANT_TABLE_AUTO),
		CONSTANT(EQUANT_TABLE_SCATTERED),
		CONSTANT(EQUANT_TABLE_INDEXED),
		CONSTANT(EQUANT_TABLE_PACKED),
		CONSTANT(EQUANT_TABLE_REVERSE),
		CONSTANT(EQUANT_TABLE_RESTRICTED),
		CONSTANT(EQUANT_CONTROL_EXCHANGE),
		CONSTANT(EQUANT_CONTROL_TREE),
		CONSTANT(EQUANT_CONTROL_CENTRAL),
		CONSTANT(EQUANT_MOVE_BY_LOOP),
		CONSTANT(EQUANT_MOVE_IN_ORDER),
		CONSTANT(EQUANT_RATE_PREDICTED),
		CONSTANT(EQUANT_RATE_MEASURED),
		CONSTANT(EQUANT_FILTER_NONE),
		CONSTANT(EQUANT_FILTER_STATES),
		CONSTANT(EQUANT_FILTER_CONSTANT),
		CONSTANT(EQUANT_FILTER_DIRECTION),
		CONSTANT(EQUANT_BLOCK),
		CONSTANT(EQUANT_CYCLIC),
		CONSTANT(EQUANT_BLOCK_ORDER),
		CONSTANT(EQUANT_SUM),
		CONSTANT(EQUANT_MIN),
		CONSTANT(EQUANT_MAX),
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(name, all[i].name))
			return all[i].value;
	return -1;
}
