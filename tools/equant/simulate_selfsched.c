// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * equant simulate selfsched: what the schemes give for a loop of two dimensions on workers of two
 * speeds.  Table III and figures 4 and 5 of Chronopoulos, Ni, Penmatsa.
 *
 * One-dimensional schemes hand out columns, as in section VI.
 */
#include <errno.h>

#include <equant/selfsched.h>

#include "simulate.h"
#include "workload.h"

#define MODEL "selfsched"
#define SIZE_MOST 16000
#define SCHEMES_MOST 16
#define NAME 24

enum order { ORDER_FAST, ORDER_SLOW, ORDER_MIXED };
enum print { PRINT_TIME, PRINT_RATIO, PRINT_SPEEDUP, PRINT_WORKERS };

static const char *const order_words[] = { "fast", "slow", "mixed", NULL };
static const char *const print_words[] = { "time", "ratio", "speedup", "workers", NULL };
static const char *const schemes_words[] = { "paper", "one", "two", NULL };

struct choice {
	const char *name;
	int dimensions;
};

/* The options, and the loop they describe. */
struct selfsched {
	int workload;
	int order;
	int print;
	int schemes;
	struct simulate_sweep size;
	struct simulate_sweep limit;
	struct simulate_sweep workers;
	long power;
	long chunk;
	double step;
	double message;
	double service;
	struct choice choices[SCHEMES_MOST];
	int count;
	struct workload *loop;
	long loop_size;
	long loop_limit;
};

/* What a simulation needs to know of a rectangle's cost. */
struct rectangle_cost {
	const struct workload *loop;
	double step;
	int dimensions;
};

static double cost(void *arg, const int64_t *first, const int64_t *extents)
{
	const struct rectangle_cost *c = arg;
	bool plane = c->dimensions == 2;

	return c->step * workload_steps(c->loop, first[0], extents[0], plane ? first[1] : 0,
					plane ? extents[1] : 0);
}

/* ---- one simulation ------------------------------------------------------------ */

/* Half of the workers are slow. */
static bool is_fast(int order, long worker, long workers)
{
	if (order == ORDER_MIXED)
		return worker % 2 == 0;
	return order == ORDER_FAST ? worker < workers / 2 : worker >= workers - workers / 2;
}

static int simulate_one(const struct selfsched *s, const struct choice *choice, long workers,
			struct equant_chunks_worker *did, double *time)
{
	struct rectangle_cost rectangle = { s->loop, s->step, choice->dimensions };
	double speeds[SIMULATE_CPUS];
	int powers[SIMULATE_CPUS];
	struct equant_chunks_options options = {
		.sz = sizeof(options),
		.scheme = choice->name,
		.workers = (int)workers,
		.dimensions = choice->dimensions,
		.extents = { s->loop_size, s->loop_size },
		.chunk = s->chunk,
		.powers = powers,
	};
	struct equant_chunks_machine machine = {
		.sz = sizeof(machine),
		.cost = cost,
		.arg = &rectangle,
		.speeds = speeds,
		.message = s->message,
		.service = s->service,
	};
	char why[256];
	int error;

	for (long j = 0; j < workers; j++) {
		powers[j] = is_fast(s->order, j, workers) ? (int)s->power : 1;
		speeds[j] = powers[j];
	}
	error = equant_chunks_simulate(&options, &machine, did, time, why, sizeof(why));
	return error ? simulate_fail(MODEL, "%s", why) : 0;
}

static int prepare_loop(struct selfsched *s, long size, long limit)
{
	if (s->loop && s->loop_size == size && s->loop_limit == limit)
		return 0;
	workload_free(s->loop);
	s->loop_size = size;
	s->loop_limit = limit;
	s->loop = workload_new((enum workload_kind)s->workload, size, limit);
	return s->loop ? 0 : -ENOMEM;
}

/* ---- tables ---------------------------------------------------------------------- */

/* Time of the loop on the fastest worker alone. */
static double alone(const struct selfsched *s, long workers)
{
	double steps = workload_steps(s->loop, 0, s->loop_size, 0, 0);
	bool fast = false;

	for (long j = 0; j < workers; j++)
		fast = fast || is_fast(s->order, j, workers);
	return steps * s->step / (double)(fast ? s->power : 1);
}

static int add_times(struct selfsched *s, struct table *table, double x, long workers)
{
	struct equant_chunks_worker did[SIMULATE_CPUS];
	double row[TABLE_COLUMNS] = { x }, time = 0, first = 0;
	int error;

	for (int i = 0; i < s->count; i++) {
		error = simulate_one(s, &s->choices[i], workers, did, &time);
		if (error)
			return error;
		first = i ? first : time;
		row[i + 1] = s->print == PRINT_RATIO   ? time / first :
			     s->print == PRINT_SPEEDUP ? alone(s, workers) / time :
							 time;
	}
	return table_add(table, row);
}

static void name_choice(char name[NAME], const struct choice *choice, const char *what)
{
	snprintf(name, NAME, "%s%s%s", choice->name, choice->dimensions == 2 ? "-2d" : "", what);
}

/* T_p of each scheme. */
static void add_totals(const struct selfsched *s, struct table *table, const double *times)
{
	static char names[TABLE_FACTS][NAME];
	size_t size = sizeof(table->note);
	int length = snprintf(table->note, size, "the whole loop:");

	for (int i = 0; i < s->count; i++) {
		name_choice(names[i], &s->choices[i], "-time");
		table_fact(table, names[i], times[i]);
		length += snprintf(table->note + length, size - (size_t)length, "%s %s %.3f s",
				   i ? "," : "", names[i], times[i]);
	}
}

/* Table III: T_comp and T_comm of each worker, then T_p of each scheme. */
static int add_workers(struct selfsched *s, struct table *table, long workers)
{
	struct equant_chunks_worker did[SCHEMES_MOST][SIMULATE_CPUS];
	double times[SCHEMES_MOST], row[TABLE_COLUMNS];
	int error = 0;

	for (int i = 0; i < s->count && !error; i++)
		error = simulate_one(s, &s->choices[i], workers, did[i], &times[i]);
	for (long j = 0; j < workers && !error; j++) {
		row[0] = (double)j + 1;
		for (int i = 0; i < s->count; i++) {
			row[2 * i + 1] = did[i][j].compute;
			row[2 * i + 2] = did[i][j].overhead;
		}
		error = table_add(table, row);
	}
	if (!error)
		add_totals(s, table, times);
	return error;
}

static int set_choices(struct selfsched *s)
{
	static const struct choice paper[] = {
		{ "tss", 1 }, { "tss", 2 }, { "dtss", 1 }, { "dtss", 2 }, { "trees", 1 },
	};

	if (s->schemes == 0) {
		for (; s->count < 5; s->count++)
			s->choices[s->count] = paper[s->count];
		return 0;
	}
	for (; s->count < SCHEMES_MOST && equant_scheme_name(s->count); s->count++)
		s->choices[s->count] = (struct choice){ equant_scheme_name(s->count), s->schemes };
	if (equant_scheme_name(s->count))
		return simulate_fail(MODEL, "more than %d schemes", SCHEMES_MOST);
	return 0;
}

static const struct table_column *make_columns(const struct selfsched *s, const char *x)
{
	static char names[2 * SCHEMES_MOST][NAME];
	static struct table_column columns[2 * SCHEMES_MOST + 2];
	int each = s->print == PRINT_WORKERS ? 2 : 1;

	columns[0] = (struct table_column){ x, "%.6g", 0 };
	for (int i = 0; i < each * s->count; i++) {
		const char *kind = each == 1 ? "" : i % 2 ? "-comm" : "-comp";

		name_choice(names[i], &s->choices[i / each], kind);
		columns[i + 1] = (struct table_column){ names[i], "%.3f", !(i % each) };
	}
	return columns;
}

/* What is swept is the abscissa; one thing at most. */
static const struct simulate_sweep *swept(const struct selfsched *s, const char **name)
{
	const struct simulate_sweep *all[] = { &s->workers, &s->size, &s->limit };
	static const char *const names[] = { "workers", "size", "maxiter" };
	const struct simulate_sweep *found = NULL;

	*name = s->print == PRINT_WORKERS ? "worker" : names[0];
	for (int i = 0; i < 3; i++) {
		if (all[i]->count == 1)
			continue;
		if (found || s->print == PRINT_WORKERS)
			return NULL;
		found = all[i];
		*name = names[i];
	}
	return found ? found : all[0];
}

static int fill(struct selfsched *s, struct table *table)
{
	const struct simulate_sweep *x;
	const char *name;
	int error = 0;

	x = swept(s, &name);
	if (!x)
		return simulate_fail(
			MODEL, "%s",
			s->print == PRINT_WORKERS ?
				"--print workers: nothing can be swept" :
				"only one of --workers, --size and --maxiter can be swept");
	error = set_choices(s);
	if (error)
		return error;
	if (s->print == PRINT_WORKERS && s->count > 5)
		return simulate_fail(MODEL, "--print workers: only with --schemes paper");
	table->columns = make_columns(s, name);
	table->x_title = name;
	for (long i = 0; i < x->count && !error; i++) {
		long workers = (long)simulate_at(&s->workers, x == &s->workers ? i : 0);

		error = prepare_loop(s, (long)simulate_at(&s->size, x == &s->size ? i : 0),
				     (long)simulate_at(&s->limit, x == &s->limit ? i : 0));
		if (!error && s->print == PRINT_WORKERS)
			error = add_workers(s, table, workers);
		else if (!error)
			error = add_times(s, table, simulate_at(x, i), workers);
	}
	return error;
}

static void describe(const struct selfsched *s, struct table *table)
{
	static const char *const what[] = {
		"seconds",
		"times the time of the first scheme",
		"times as fast as one fast worker",
		"seconds of computing and of asking",
	};

	snprintf(table->title, sizeof(table->title),
		 "%s, half of the workers %ld times as fast: %s", workload_words[s->workload],
		 s->power, what[s->print]);
	table_fact(table, "power", (double)s->power);
	table_fact(table, "step", s->step);
	table_fact(table, "message", s->message);
	table_fact(table, "service", s->service);
}

int simulate_selfsched(int argc, char **argv, struct table *table)
{
	struct selfsched s = {
		.size = { 1000, 0, 1 },
		.workers = { 8, 0, 1 },
		.power = 2,
		.chunk = 10,
		.step = 1e-6,
		.message = 1e-4,
		.service = 1e-4,
	};
	const struct simulate_option options[] = {
		{ "workload", SIMULATE_CHOICE, &s.workload, 0, 0, workload_words },
		{ "size", SIMULATE_WHOLE_SWEEP, &s.size, 1, SIZE_MOST, NULL },
		{ "maxiter", SIMULATE_WHOLE_SWEEP, &s.limit, 1, 1e6, NULL },
		{ "workers", SIMULATE_WHOLE_SWEEP, &s.workers, 1, SIMULATE_CPUS, NULL },
		{ "power", SIMULATE_WHOLE, &s.power, 1, 1000, NULL },
		{ "chunk", SIMULATE_WHOLE, &s.chunk, 1, SIZE_MOST, NULL },
		{ "order", SIMULATE_CHOICE, &s.order, 0, 0, order_words },
		{ "schemes", SIMULATE_CHOICE, &s.schemes, 0, 0, schemes_words },
		{ "print", SIMULATE_CHOICE, &s.print, 0, 0, print_words },
		{ "step", SIMULATE_NUMBER, &s.step, 0, 1, NULL },
		{ "message", SIMULATE_NUMBER, &s.message, 0, 1000, NULL },
		{ "service", SIMULATE_NUMBER, &s.service, 0, 1000, NULL },
		{ 0 },
	};
	int error = simulate_parse(MODEL, argc, argv, options);

	if (!error && s.limit.count && s.workload != WORKLOAD_MANDELBROT)
		error = simulate_fail(MODEL, "--maxiter: of a Mandelbrot set only");
	if (!s.limit.count)
		s.limit = (struct simulate_sweep){ 100, 0, 1 };
	if (!error) {
		describe(&s, table);
		error = fill(&s, table);
	}
	workload_free(s.loop);
	return error;
}
