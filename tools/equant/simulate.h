/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The models behind `equant simulate`: each is a function and a line in the
 * table of simulate.c.
 */
#ifndef EQUANT_TOOL_SIMULATE_H
#define EQUANT_TOOL_SIMULATE_H

#include <stdbool.h>
#include <stdint.h>

#include <equant/model.h>

#include "table.h"

#define SIMULATE_CPUS 64
#define SIMULATE_POINTS 100000

/* Ticks of a quantum: fine enough for six decimals of a grain. */
#define SIMULATE_QUANTUM INT64_C(1000000000)

enum simulate_kind {
	SIMULATE_FLAG, /* bool */
	SIMULATE_WHOLE, /* long */
	SIMULATE_NUMBER, /* double */
	SIMULATE_SWEEP, /* struct simulate_sweep */
	SIMULATE_WHOLE_SWEEP, /* the same, whole numbers */
	SIMULATE_LOADS, /* struct simulate_list, whole numbers */
	SIMULATE_LIST, /* struct simulate_list */
	SIMULATE_CHOICE, /* int: the place in a NULL-ended list of words, @words */
};

/**
 * struct simulate_sweep - FROM, or FROM:TO:STEP
 * @count: values; 0 = not given
 */
struct simulate_sweep {
	double from;
	double step;
	long count;
};

struct simulate_list {
	int count;
	double values[SIMULATE_CPUS];
};

/**
 * struct simulate_option - one option of one model
 * @name: without the dashes
 * @kind: what @value points to
 * @min: smallest number allowed
 * @max: largest
 */
struct simulate_option {
	const char *name;
	enum simulate_kind kind;
	void *value;
	double min;
	double max;
	const char *const *words;
};

/**
 * simulate_parse() - the options of one model, besides --json and --svg
 * @model: its name, for messages
 * @options: ended by one without a name; the values hold the defaults
 *
 * Return: 0, or -EINVAL after a message that names the argument.
 */
int simulate_parse(const char *model, int argc, char **argv, const struct simulate_option *options);

double simulate_at(const struct simulate_sweep *sweep, long i);

/** simulate_fail() - "equant simulate MODEL: text"; returns -EINVAL */
int simulate_fail(const char *model, const char *format, ...) __attribute__((format(printf, 2, 3)));

/**
 * simulate_machine() - CPUs out of --loads and --phases
 * @turns: room for SIMULATE_CPUS
 * @phases: quanta, as many as loads or none
 */
int simulate_machine(const char *model, const struct simulate_list *loads,
		     const struct simulate_list *phases, struct equant_turns *turns,
		     struct equant_machine *machine);

/**
 * simulate_split() - work in proportion to what the CPUs have left, or equal parts
 * @equal: the latter
 * @total: ticks
 * @work: room for machine->n
 *
 * Return: 0, -EINVAL after a message where the loads do not divide, -ENOMEM.
 */
int simulate_split(const char *model, const struct equant_machine *machine, bool equal,
		   int64_t total, int64_t *work);

/** simulate_model() - run a model by its name; @argv[0] is not looked at; errors as the models' */
int simulate_model(const char *name, int argc, char **argv, struct table *table);

/** simulate_figure() - equant simulate figure; the command's exit status */
int simulate_figure(int argc, char **argv);

/* The models: fill the table; 0, -EINVAL after a message, or another -errno. */
int simulate_barrier(int argc, char **argv, struct table *table);
int simulate_pipeline(int argc, char **argv, struct table *table);
int simulate_oscillating(int argc, char **argv, struct table *table);
int simulate_run(int argc, char **argv, struct table *table);
int simulate_fill(int argc, char **argv, struct table *table);
int simulate_timeline(int argc, char **argv, struct table *table);
int simulate_sampling(int argc, char **argv, struct table *table);
int simulate_sampled(int argc, char **argv, struct table *table);
int simulate_periods(int argc, char **argv, struct table *table);
int simulate_predict(int argc, char **argv, struct table *table);
int simulate_cycle(int argc, char **argv, struct table *table);
int simulate_moves(int argc, char **argv, struct table *table);
int simulate_trace(int argc, char **argv, struct table *table);
int simulate_program(int argc, char **argv, struct table *table);
int simulate_selfsched(int argc, char **argv, struct table *table);

#endif /* EQUANT_TOOL_SIMULATE_H */
