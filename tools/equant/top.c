// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * equant top: every rank of this node that is attached to the kernel probe.
 *
 * Readings are taken at absolute times.  Between them the command waits for keys,
 * signals and the events of a source that has them, so that it disturbs nobody.
 */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "commands.h"
#include "option.h"
#include "signals.h"
#include "top.h"

#define LEAST_INTERVAL 0.05
#define MOST_INTERVAL 3600.0
#define HYSTERESIS 0.05
#define LEAST_REDRAW 0.25 /* seconds; who draws competes with those who compute */

enum output { SCREEN, TABLES, LINES };

struct top {
	struct top_options options;
	enum output output;
	struct equant_watch *watch;
	struct top_readings *readings;
	struct top_view view;
	struct top_events events;
	double drawn; /* when the screen was, last */
	int signals; /* signalfd */
	sigset_t ending; /* of those, what ends it */
	int signal; /* what ended it */
	bool done;
	bool stuck; /* ... in a write */
};

static volatile sig_atomic_t told_to_end;

/* One write may follow another: each that does not return within a second ends, too. */
static void end_it(int sig)
{
	if (!told_to_end)
		told_to_end = sig;
	alarm(1);
}

void top_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("equant top: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
}

/* ---- the command line ---- */

static int parse_interval(struct top_options *options, const char *text)
{
	char *end;

	options->interval = strtod(text, &end);
	if (end != text && !*end && options->interval >= LEAST_INTERVAL &&
	    options->interval <= MOST_INTERVAL)
		return 0;
	top_error("--interval: '%s' is not a number from %g to %g", text, LEAST_INTERVAL,
		  MOST_INTERVAL);
	return -EINVAL;
}

static int parse_count(struct top_options *options, const char *text)
{
	char *end;

	errno = 0;
	options->count = strtol(text, &end, 10);
	if (end != text && !*end && !errno && options->count > 0)
		return 0;
	top_error("--count: '%s' is not a whole number above 0", text);
	return -EINVAL;
}

static int parse_threshold(struct top_options *options, const char *text)
{
	char *end;

	options->threshold = strtod(text, &end);
	if (end != text && !*end && options->threshold >= 0 && options->threshold <= 1)
		return 0;
	top_error("--threshold: '%s' is not a share from 0 to 1", text);
	return -EINVAL;
}

static int parse_user(struct top_options *options, const char *text)
{
	const struct passwd *user = getpwnam(text);
	unsigned long uid;
	char *end;

	uid = strtoul(text, &end, 10);
	if (user) {
		options->user = user->pw_uid;
	} else if (end != text && !*end && *text != '-' && uid < (uid_t)-1) {
		options->user = (uid_t)uid;
	} else {
		top_error("--user: no user '%s'", text);
		return -EINVAL;
	}
	return 0;
}

static int parse_command(struct top_options *options, const char *text)
{
	options->command = text;
	if (*text && !strchr(text, '/'))
		return 0;
	top_error("--command: '%s' is not the name of a program, without its path", text);
	return -EINVAL;
}

static int parse(struct top_options *options, int argc, char **argv)
{
	static const struct option known[] = {
		{ "interval", required_argument, NULL, 'i' },
		{ "count", required_argument, NULL, 'c' },
		{ "user", required_argument, NULL, 'u' },
		{ "command", required_argument, NULL, 'n' },
		{ "threshold", required_argument, NULL, 't' },
		{ "json", no_argument, NULL, 'j' },
		{ 0 },
	};
	int c, ret = 0;

	while (!ret && (c = option_next(argc, argv, known, NULL)) != -1) {
		if (c == 'i')
			ret = parse_interval(options, optarg);
		else if (c == 'c')
			ret = parse_count(options, optarg);
		else if (c == 'u')
			ret = parse_user(options, optarg);
		else if (c == 'n')
			ret = parse_command(options, optarg);
		else if (c == 't')
			ret = parse_threshold(options, optarg);
		else if (c == 'j')
			options->json = true;
		else
			ret = -EINVAL;
	}
	if (!ret && optind < argc) {
		top_error("unexpected argument '%s'; see `equant help top`", argv[optind]);
		ret = -EINVAL;
	}
	return ret;
}

/* ---- readings ---- */

/* Not every source has events. */
static void ask_for_events(struct top *top)
{
	double threshold = top->options.threshold;

	equant_watch_events(top->watch, threshold,
			    fmin(HYSTERESIS, fmin(threshold, 1 - threshold)));
}

static int open_watch(struct top *top)
{
	struct equant_watch_info info;
	char why[1024];

	top->watch = equant_watch_open("auto", why, sizeof(why));
	if (!top->watch) {
		top_error("no kernel probe to look at");
		fprintf(stderr, "%s\n", why);
		return -ENODEV;
	}
	if (top->output != TABLES)
		ask_for_events(top);
	equant_watch_info(top->watch, &info);
	top->readings = top_readings_new(&top->options, info.records);
	if (top->readings)
		return 0;
	top_error("%s", strerror(ENOMEM));
	return -ENOMEM;
}

static int take_reading(struct top *top, char *why, size_t why_size)
{
	int ret = top_read(top->readings, top->watch, &top->view, why, why_size);

	top->view.events = &top->events;
	return ret;
}

static double now_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Who is to read it may not, and then a write does not return. */
static void begin_output(struct top *top)
{
	sigprocmask(SIG_UNBLOCK, &top->ending, NULL);
	errno = 0;
}

/* 0, or why it could not be printed: -errno. */
static int end_output(struct top *top)
{
	int error = fflush(stdout) || ferror(stdout) ? (errno ? errno : EIO) : 0;

	sigprocmask(SIG_BLOCK, &top->ending, NULL);
	if (!told_to_end)
		return -error;
	top->signal = told_to_end;
	top->done = true;
	if (error) {
		/* Nor is the rest written at the end. */
		__fpurge(stdout);
		clearerr(stdout);
		top->stuck = true;
	}
	return 0;
}

static int show(struct top *top)
{
	begin_output(top);
	top->drawn = now_seconds();
	if (top->output == SCREEN)
		top_screen_draw(&top->view);
	else if (top->output == LINES)
		top_json(stdout, &top->view);
	else
		top_table(stdout, &top->view, 0, 0, 0, false);
	return end_output(top);
}

/* ---- waiting ---- */

/* Signals wait until they are looked for, but those that end it may interrupt a write (end_output()). */
static int open_signals(struct top *top)
{
	static const int ending[] = { SIGINT,  SIGTERM, SIGHUP,	 SIGQUIT,
				      SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU };
	static const int others[] = { SIGWINCH, SIGTSTP };
	const struct sigaction action = { .sa_handler = end_it };
	sigset_t set;

	sigemptyset(&top->ending);
	for (size_t i = 0; i < sizeof(ending) / sizeof(*ending); i++)
		if (!signal_is_ignored(ending[i]))
			sigaddset(&top->ending, ending[i]);
	set = top->ending;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (!signal_is_ignored(others[i]))
			sigaddset(&set, others[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (size_t i = 0; i < sizeof(ending) / sizeof(*ending); i++)
		if (sigismember(&set, ending[i]))
			sigaction(ending[i], &action, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

/* The terminal may take nothing. */
static void close_screen(struct top *top)
{
	sigprocmask(SIG_UNBLOCK, &top->ending, NULL);
	alarm(1);
	top_screen_close(top->stuck);
	alarm(0);
	sigprocmask(SIG_BLOCK, &top->ending, NULL);
}

/* What the terminal's stop key does to other programs, but the terminal is put right. */
static void stop_here(struct top *top)
{
	if (top->output == SCREEN)
		close_screen(top);
	raise(SIGSTOP);
	if (top->output == SCREEN && !top_screen_open())
		show(top);
}

static void handle_signal(struct top *top)
{
	struct signalfd_siginfo info;

	if (read(top->signals, &info, sizeof(info)) != sizeof(info))
		return;
	if (info.ssi_signo == SIGTSTP)
		stop_here(top);
	else if (info.ssi_signo != SIGWINCH) {
		top->signal = (int)info.ssi_signo;
		top->done = true;
	} else if (top->output == SCREEN)
		show(top);
}

static void handle_key(struct top *top)
{
	if (top_screen_key())
		top->done = true;
	else
		show(top);
}

/* What has vanished is found by the next reading.  -> there may be more events. */
static bool handle_events(struct top *top)
{
	struct equant_watch_event event;
	bool any = false;
	int ret;

	while ((ret = equant_watch_next(top->watch, &event)) > 0) {
		if (event.type != EQUANT_WATCH_LOST && !top_is_shown(top->readings, event.record))
			continue;
		any = true;
		if (top->output != LINES) {
			top_event_keep(&top->events, &event);
			continue;
		}
		begin_output(top);
		top_event_json(stdout, &event);
		if (end_output(top) || top->done)
			return false;
	}
	if (any && top->output == SCREEN && now_seconds() - top->drawn >= LEAST_REDRAW)
		show(top);
	return !ret || ret == -EOPNOTSUPP;
}

static void wait_until(struct top *top, double time)
{
	bool keys = top->output == SCREEN && isatty(STDIN_FILENO);
	struct pollfd fds[] = {
		{ .fd = top->signals, .events = POLLIN },
		{ .fd = keys ? STDIN_FILENO : -1, .events = POLLIN },
		{ .fd = equant_watch_fd(top->watch), .events = POLLIN },
	};
	double left;

	while (!top->done) {
		left = time - now_seconds();
		if (left <= 0)
			return;
		if (poll(fds, 3, (int)ceil(1e3 * left)) <= 0)
			continue;
		if (fds[0].revents)
			handle_signal(top);
		if (fds[1].revents)
			handle_key(top);
		if (fds[2].revents && (!(fds[2].revents & POLLIN) || !handle_events(top)))
			return;
	}
}

/* ---- the run ---- */

/* A screen shows at once what there is since tasks attached; a table needs an interval. */
static int run(struct top *top, char *why, size_t why_size)
{
	double next = now_seconds();
	long left = top->options.count;
	bool first = true;
	int ret;

	while (!top->done) {
		ret = take_reading(top, why, why_size);
		if (ret)
			return ret;
		/* The reading may have met with events that poll() will not tell of again. */
		handle_events(top);
		if (!top->done && (!first || top->output == SCREEN))
			ret = show(top);
		if (ret)
			return ret;
		if (top->done || (!first && left && !--left))
			return 0;
		first = false;
		next = fmax(next + top->options.interval, now_seconds());
		wait_until(top, next);
	}
	return 0;
}

static int run_on_output(struct top *top)
{
	char why[256] = "";
	int ret;

	if (top->output == SCREEN) {
		ret = top_screen_open();
		if (ret) {
			top_error("the terminal: %s", strerror(-ret));
			return 1;
		}
	}
	ret = run(top, why, sizeof(why));
	if (top->output == SCREEN)
		close_screen(top);
	if (ret)
		top_error("%s", *why ? why : strerror(-ret));
	/* Readings that were asked for have not been taken. */
	if (!ret && top->signal && top->output != SCREEN && top->options.count)
		return 128 + top->signal;
	return ret ? 1 : 0;
}

int equant_cmd_top(int argc, char **argv)
{
	struct top top = { .options = { .interval = 1, .user = (uid_t)-1, .threshold = 0.5 } };
	int ret = 1;

	if (parse(&top.options, argc, argv))
		return EQUANT_EXIT_USAGE;
	top.output = top.options.json ? LINES : isatty(STDOUT_FILENO) ? SCREEN : TABLES;
	if (top.output == TABLES && !top.options.count)
		top.options.count = 1;
	top.signals = open_signals(&top);
	if (top.signals < 0)
		top_error("signalfd: %s", strerror(errno));
	else if (!open_watch(&top))
		ret = run_on_output(&top);
	top_readings_free(top.readings);
	equant_watch_close(top.watch);
	return ret;
}
