// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * equant run: an MPI job, measured and balanced, and its account.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "run.h"
#include "timeline.h"
#include "traces.h"

struct options {
	struct run_request request;
	const char *output;
	bool json;
	bool timeline;
};

enum {
	PROBE = 1,
	BALANCE,
	LOAD,
	SET,
	TRACE,
	REPLAY,
	TIMELINE,
	JSON,
	OUTPUT,
	SESSION,
	KEEP,
	QUIET,
	PROFILE
};

static const struct option long_options[] = {
	{ "probe", required_argument, NULL, PROBE },
	{ "balance", required_argument, NULL, BALANCE },
	{ "load", required_argument, NULL, LOAD },
	{ "set", required_argument, NULL, SET },
	{ "trace", required_argument, NULL, TRACE },
	{ "replay", required_argument, NULL, REPLAY },
	{ "timeline", no_argument, NULL, TIMELINE },
	{ "json", no_argument, NULL, JSON },
	{ "output", required_argument, NULL, OUTPUT },
	{ "session", required_argument, NULL, SESSION },
	{ "keep", no_argument, NULL, KEEP },
	{ "quiet", no_argument, NULL, QUIET },
	{ "profile", no_argument, NULL, PROFILE },
	{ 0 },
};

static int usage(const char *what, const char *value)
{
	fprintf(stderr, "equant run: %s%s%s; see `equant help run`\n", what, value ? " " : "",
		value ? value : "");
	return EQUANT_EXIT_USAGE;
}

static int add_word(char **words, int *count, char *word)
{
	if (*count == RUN_MAX_WORDS)
		return usage("too many options like", word);
	words[(*count)++] = word;
	return 0;
}

static int set_balance(struct run_request *request, const char *value)
{
	if (!strcmp(value, "on"))
		return add_word(request->settings, &request->nr_settings,
				(char *)"EQUANT_BALANCE=on");
	if (!strcmp(value, "off"))
		return add_word(request->settings, &request->nr_settings,
				(char *)"EQUANT_BALANCE=off");
	return usage("--balance must be on or off, not", value);
}

static int take_value(struct options *options, int option, char *value)
{
	struct run_request *request = &options->request;

	if (!*value && (option == PROBE || option == TRACE || option == REPLAY))
		return usage("a value must not be empty:", option == PROBE ? "--probe" :
							   option == TRACE ? "--trace" :
									     "--replay");
	if (!strcmp(value, "--"))
		return usage("value missing before", value);
	switch (option) {
	case PROBE:
		request->probe = value;
		return 0;
	case BALANCE:
		return set_balance(request, value);
	case LOAD:
		return add_word(request->loads, &request->nr_loads, value);
	case SET:
		return add_word(request->settings, &request->nr_settings, value);
	case TRACE:
		request->trace = value;
		return 0;
	case REPLAY:
		request->replay = value;
		return 0;
	case OUTPUT:
		options->output = value;
		return 0;
	case SESSION:
		if (strcmp(value, "new"))
			return usage("--session must be new, not", value);
		request->own_session = true;
		return 0;
	default:
		return usage("unknown option", NULL);
	}
}

static int take(struct options *options, int option, const char *word)
{
	switch (option) {
	case TIMELINE:
		options->timeline = true;
		return 0;
	case JSON:
		options->json = true;
		return 0;
	case KEEP:
		options->request.keep = true;
		return 0;
	case QUIET:
		options->request.quiet = true;
		return 0;
	case PROFILE:
		options->request.profile = true;
		return 0;
	case ':':
		return usage("value missing after", word);
	case '?':
		return usage("unknown option", word);
	default:
		return take_value(options, option, optarg);
	}
}

static int parse(struct options *options, int argc, char **argv)
{
	int option, ret, at = 1; /* the word that the option is in */

	opterr = 0;
	optind = 0;
	while ((option = getopt_long(argc, argv, "+:", long_options, NULL)) != -1) {
		ret = take(options, option, argv[at]);
		if (ret)
			return ret;
		at = optind;
	}
	if (optind == argc)
		return usage("no command given", NULL);
	options->request.command = argv + optind;
	options->request.stdout_to_stderr = options->json && !options->output;
	return 0;
}

/* What is in it stays until there is something else. */
static FILE *open_output(const char *path)
{
	FILE *out;
	int file;

	if (!path)
		return stdout;
	file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	out = file < 0 ? NULL : fdopen(file, "w");
	if (out)
		return out;
	fprintf(stderr, "equant: --output %s: %s\n", path, strerror(errno));
	if (file >= 0)
		close(file);
	return NULL;
}

/**
 * struct account - what is printed of a job
 * @text: the report, and the time line behind it
 * @report: length of the report
 * @size: of both
 */
struct account {
	char *text;
	size_t report;
	size_t size;
};

static int complain(int error)
{
	fprintf(stderr, "equant: writing the report: %s\n", strerror(error));
	return -error;
}

/* As text, since what it is made from is removed before it is printed.  0, or -errno after a message. */
static int compose(struct account *account, const struct options *options, FILE *out,
		   const struct run_result *result)
{
	FILE *memory = open_memstream(&account->text, &account->size);
	bool failed;
	int ret = 0;

	if (!memory)
		return complain(errno);
	if (options->json)
		run_print_json(memory, &options->request, result);
	else
		run_print_text(memory, result);
	fflush(memory);
	account->report = account->size;
	if (options->timeline)
		ret = traces_draw(memory, options->request.trace, result->since,
				  timeline_width(options->json ? stderr : out));
	fflush(memory);
	failed = ferror(memory);
	failed |= fclose(memory) || !account->text;
	return failed && !ret ? complain(ENOMEM) : ret;
}

/* The exit status: what the job failed with, or else what has become of its account. */
static int end(struct account *account, const struct options *options, FILE *out,
	       const struct run_result *result)
{
	bool failed = compose(account, options, out, result);

	failed |= result->incomplete || result->misplaced;
	return failed && !result->status ? EQUANT_EXIT_FAILURE : result->status;
}

/* Beside JSON a time line goes to standard error.  0, or -errno after a message. */
static int print(const struct account *account, const struct options *options, FILE *out)
{
	size_t length = options->json ? account->report : account->size;
	struct stat file;
	int error = 0;

	if (account->text && !fstat(fileno(out), &file) && S_ISREG(file.st_mode) && out != stdout &&
	    ftruncate(fileno(out), 0))
		error = errno;
	if (account->text && fwrite(account->text, 1, length, out) < length)
		error = errno;
	if ((out == stdout ? fflush(out) : fclose(out)) && !error)
		error = errno;
	if (account->text)
		fwrite(account->text + length, 1, account->size - length, stderr);
	return error ? complain(error) : 0;
}

/* Nothing is left that has to be removed, and who reads may make us wait.  Older ones were for the job. */
static void let_keys_interrupt(const sigset_t *mask)
{
	const struct timespec none = { 0 };
	sigset_t keys;

	sigemptyset(&keys);
	if (!sigismember(mask, SIGINT))
		sigaddset(&keys, SIGINT);
	if (!sigismember(mask, SIGQUIT))
		sigaddset(&keys, SIGQUIT);
	while (sigtimedwait(&keys, NULL, &none) > 0)
		;
	sigprocmask(SIG_UNBLOCK, &keys, NULL);
}

/* A time line is drawn from where the job's traces go, and they go where the user wants them. */
static int choose_traces(struct options *options, struct traces *traces)
{
	const char *given = run_setting(&options->request, "EQUANT_TRACE");
	int ret = 0;

	if (!options->timeline || options->request.trace)
		return 0;
	if (!given)
		given = getenv("EQUANT_TRACE");
	if (!given || !*given) {
		ret = traces_make(traces);
		given = traces->directory;
		options->request.own_traces = true;
	}
	options->request.trace = given;
	return ret;
}

int equant_cmd_run(int argc, char **argv)
{
	struct options options = { .output = NULL };
	struct traces traces = { .temporary = false };
	struct account account = { .text = NULL };
	struct run_result result;
	sigset_t set, mask;
	FILE *out;
	int ret;

	ret = parse(&options, argc, argv);
	if (ret)
		return ret;
	/* First, as no job is to run in vain, and a pipe may have to wait for its reader. */
	out = open_output(options.output);
	if (!out)
		return EQUANT_EXIT_FAILURE;
	/* What is meant for the job may come when it has ended, and all is removed first. */
	run_block_signals(&set, &mask);
	options.request.mask = &mask;
	if (choose_traces(&options, &traces))
		return EQUANT_EXIT_FAILURE;
	ret = run_job(&options.request, &result);
	if (!ret)
		ret = end(&account, &options, out, &result);
	run_result_release(&result);
	traces_remove(&traces);
	let_keys_interrupt(&mask);
	if (print(&account, &options, out))
		ret = EQUANT_EXIT_FAILURE;
	free(account.text);
	return ret;
}
