// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * equant demo: the same job beside a busy process, without and with
 * balancing, alternating, so that what else happens on the machine meets both.
 */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <equant/probe.h>

#include "commands.h"
#include "demo.h"
#include "option.h"
#include "signals.h"
#include "spawn.h"
#include "timeline.h"
#include "traces.h"

#define CALIBRATION_SIZE 512
#define CALIBRATION_PRODUCTS 20
#define PRODUCT_SECONDS 0.1 /* per rank: some 25 quanta of 4 ms */
#define MAX_WORDS 40

static volatile sig_atomic_t interrupted;

static void on_signal(int sig)
{
	interrupted = sig;
}

/*
 * Words end at newlines, because paths may contain spaces.  The ranks are
 * pinned by taskset, which every MPI and every topology understands.
 */
static char *command_text(const struct demo *demo, const char *mm, long n, long products)
{
	const char *crowded = demo->siblings && run_is_open_mpi("mpirun") ? "\n--oversubscribe" :
									    "";
	char *text;

	if (asprintf(&text,
		     "mpirun%s\n--bind-to\nnone\n"
		     "-np\n1\ntaskset\n-c\n%d\n%s\n-n\n%ld\n-p\n%ld\n--quiet\n:\n"
		     "-np\n1\ntaskset\n-c\n%d\n%s\n-n\n%ld\n-p\n%ld\n--quiet",
		     crowded, demo->cpus[0], mm, n, products, demo->cpus[1], mm, n, products) < 0)
		return NULL;
	return text;
}

static void split(char *text, char **words)
{
	char *state;
	int count = 0;

	for (char *word = strtok_r(text, "\n", &state); word && count < MAX_WORDS - 1;
	     word = strtok_r(NULL, "\n", &state))
		words[count++] = word;
	words[count] = NULL;
}

/* 0, or the status of what went wrong, after a message. */
static int run_mm(const struct demo *demo, struct run_request *request, struct run_result *result,
		  long n, long products)
{
	char mm[PATH_MAX], *text, *words[MAX_WORDS];
	int ret;

	*result = (struct run_result){ 0 };
	if (interrupted)
		return 128 + interrupted;
	if (spawn_find_helper("mm", mm, sizeof(mm))) {
		fputs("equant demo: the program 'mm' is not installed beside equant\n", stderr);
		return EQUANT_EXIT_FAILURE;
	}
	text = command_text(demo, mm, n, products);
	if (!text)
		return EQUANT_EXIT_FAILURE;
	split(text, words);
	request->command = words;
	request->quiet = true;
	ret = run_job(request, result);
	request->command = NULL;
	free(text);
	if (!ret && result->status) {
		fprintf(stderr, "equant demo: mm ended with status %d\n", result->status);
		ret = result->status;
	}
	if (!ret && result->incomplete)
		ret = EQUANT_EXIT_FAILURE;
	if (!ret && (result->nr_loops != 1 || result->loops[0].header.ranks != DEMO_RANKS)) {
		fputs("equant demo: mm left no report\n", stderr);
		ret = EQUANT_EXIT_FAILURE;
	}
	return ret;
}

/* On-CPU seconds that one row takes on the slower rank. */
static double seconds_per_row(const struct run_result *result)
{
	const struct equant_stats *stats = result->loops[0].stats;
	double slowest = 0;

	for (int i = 0; i < DEMO_RANKS; i++)
		if (stats[i].computed)
			slowest = fmax(slowest, stats[i].run / stats[i].computed);
	return slowest;
}

/* Twice, since a matrix that does not fit the cache is slower per row. */
static int calibrate(struct demo *demo)
{
	struct run_request request = { .settings = { (char *)"EQUANT_BALANCE=off" },
				       .nr_settings = 1 };
	struct run_result result;
	int ret = 0;

	demo->n = CALIBRATION_SIZE;
	demo->products = CALIBRATION_PRODUCTS;
	for (int round = 0; round < 2 && !ret; round++) {
		ret = run_mm(demo, &request, &result, demo->n, demo->products);
		if (!ret) {
			double product = seconds_per_row(&result) * demo->n / DEMO_RANKS;

			snprintf(demo->probe, sizeof(demo->probe), "%s",
				 result.loops[0].stats[0].probe);
			if (round == 0) {
				demo->n = lrint(demo->n * cbrt(PRODUCT_SECONDS / product));
				demo->products = 4;
			} else {
				/* Not balanced and with half a CPU, a run takes twice as long. */
				demo->products = lrint(fmax(4, demo->seconds / product / 2));
			}
		}
		run_result_release(&result);
	}
	return ret;
}

static void keep(struct demo_run *run, const struct run_result *result)
{
	const struct run_loop *loop = &result->loops[0];

	run->elapsed = loop->figures.elapsed;
	run->efficiency = loop->figures.efficiency;
	run->limit = loop->figures.limit;
	run->others = result->machine.total > 0 ? result->machine.others / result->machine.total :
						  NAN;
	for (int rank = 0; rank < DEMO_RANKS; rank++) {
		run->units[rank] = loop->stats[rank].units;
		run->share[rank] = run_share(&loop->stats[rank]);
	}
}

static int run_one(struct demo *demo, int i, const char *load, const char *trace)
{
	struct run_request request = {
		.loads = { (char *)load },
		.nr_loads = 1,
		.settings = { (char *)(i % 2 ? "EQUANT_BALANCE=on" : "EQUANT_BALANCE=off") },
		.nr_settings = 1,
		.trace = trace,
	};
	struct run_result result;
	int ret = run_mm(demo, &request, &result, demo->n, demo->products);

	if (!ret) {
		keep(&demo->runs[i], &result);
		demo_print_run(demo, i);
	}
	run_result_release(&result);
	return ret;
}

static int run_pairs(struct demo *demo, const char *without, const char *with)
{
	int last = 2 * demo->pairs - 2, ret = 0;
	char load[32];

	snprintf(load, sizeof(load), "cpu=%d,constant", demo->cpus[0]);
	demo_print_head(demo);
	for (int i = 0; i < 2 * demo->pairs && !ret; i++)
		ret = run_one(demo, i, load, i < last ? NULL : i == last ? without : with);
	return ret;
}

static int show(struct demo *demo)
{
	struct traces without = { 0 }, with = { 0 };
	int ret = calibrate(demo);

	if (!ret && (traces_make(&without) || traces_make(&with)))
		ret = EQUANT_EXIT_FAILURE;
	if (!ret)
		ret = run_pairs(demo, without.directory, with.directory);
	if (!ret) {
		puts("\nThe last pair, not balanced:");
		traces_draw(stdout, without.directory, 0, 0);
		puts("\nand balanced:");
		traces_draw(stdout, with.directory, 0, 0);
		demo_print_verdict(demo);
	}
	traces_remove(&without);
	traces_remove(&with);
	return ret;
}

/* Before the probe is loaded for nothing. */
static int check_mpirun(void)
{
	char *command[] = { (char *)"mpirun", NULL };
	/* Whether others can be used is seen when they are there. */
	const struct run_request request = { .command = command, .probe = "clock", .quiet = true };
	int ret = run_check(&request);

	if (ret == EQUANT_EXIT_NOT_FOUND)
		fputs("equant demo: its ranks are started by mpirun, as `make deps` installs it\n",
		      stderr);
	return ret;
}

/* One that predicts shares. */
static void is_record_there(void *ctx, const char *name, int error, const char *text)
{
	(void)text;
	if (!error && (!strcmp(name, "kmod") || !strcmp(name, "bpf")))
		*(int *)ctx = 0;
}

/* Half a probe would stay behind if Ctrl-C ended it. */
static int equant_probe_command(const char *what, const char *option, char *text, size_t size)
{
	char *argv[] = { (char *)"/proc/self/exe", (char *)"probe", (char *)what, (char *)option,
			 NULL };

	return spawn_output(argv, true, text, size);
}

/* True when the probe was loaded for the demonstration and has to go after it. */
static bool load_probe(void)
{
	char text[1024] = "";
	int error = -ENODEV;

	equant_probe_survey(is_record_there, &error);
	if (!error)
		return false;
	if (geteuid() != 0) {
		puts("Without root the kernel probe cannot be loaded: shares are measured, not predicted.\n");
		return false;
	}
	if (!equant_probe_command("load", "--if-needed", text, sizeof(text)))
		return true;
	printf("The kernel probe cannot be loaded, shares are measured, not predicted:\n%s\n",
	       text);
	return false;
}

static int seconds(const char *text, double *value)
{
	char *end;

	*value = strtod(text, &end);
	if (end != text && !*end && *value >= 1 && *value <= 60)
		return 0;
	fprintf(stderr, "equant demo: --seconds must be from 1 to 60, not '%s'\n", text);
	return EQUANT_EXIT_USAGE;
}

static int parse(struct demo *demo, int argc, char **argv)
{
	static const struct option options[] = { { "seconds", required_argument, NULL, 's' },
						 { "pairs", required_argument, NULL, 'p' },
						 { 0 } };
	const struct named_option pairs = { "demo", "pairs" };
	int option, ret = 0;

	optind = 0;
	while (!ret && (option = option_next(argc, argv, options, NULL)) != -1) {
		if (option == 's')
			ret = seconds(optarg, &demo->seconds);
		else if (option != 'p' ||
			 option_whole(&pairs, optarg, 1, DEMO_MAX_PAIRS, &demo->pairs))
			ret = EQUANT_EXIT_USAGE;
	}
	if (!ret && optind < argc) {
		fprintf(stderr, "equant demo: unexpected argument '%s'\n", argv[optind]);
		ret = EQUANT_EXIT_USAGE;
	}
	return ret;
}

int equant_cmd_demo(int argc, char **argv)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE };
	struct sigaction action = { .sa_handler = on_signal };
	struct demo demo = { .seconds = 7, .pairs = 3 };
	char text[256];
	bool loaded;
	int ret;

	ret = parse(&demo, argc, argv);
	if (ret)
		return ret;
	ret = demo_choose_cpus(&demo);
	if (ret && ret != -ENODEV) {
		fprintf(stderr, "equant demo: which CPUs may be used: %s\n", strerror(-ret));
		return 1;
	}
	if (ret) {
		demo_print_wrapped(
			"There is one CPU here. Work can be moved from a rank whose CPU is shared to one whose CPU is not; that takes two CPUs, so there is nothing to show.",
			timeline_width(stdout));
		return 0;
	}
	ret = check_mpirun();
	if (ret)
		return ret;
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (!signal_is_ignored(signals[i]))
			sigaction(signals[i], &action, NULL);
	loaded = load_probe();
	ret = show(&demo);
	if (loaded && equant_probe_command("unload", NULL, text, sizeof(text))) {
		fprintf(stderr, "equant demo: unloading the probe: %s", text);
		ret = ret ? ret : 1;
	}
	return ret;
}
