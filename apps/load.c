// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * load: a competing process with a known appetite.
 *
 * Wants the CPU all the time, or the first DUTY of every PERIOD; the edges are absolute
 * CLOCK_MONOTONIC times, so that they do not drift.  While it is busy it makes no system call.
 * At its end it says how much CPU time it really took, and when it began, so that the
 * edges are known.
 */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define NSEC 1000000000ll

struct load {
	double period; /* 0 = constant */
	double duty;
	double phase;
	double seconds; /* 0 = until told to stop */
	int cpu; /* -1 = anywhere */
	int nice;
	bool constant;
	bool has_duty;
	bool idle;
	bool new_session;
	bool check;
	unsigned int given; /* keys, a bit each */
};

static volatile sig_atomic_t stop;

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

static void __attribute__((noreturn, format(printf, 1, 2))) die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("load: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	exit(2);
}

static int flush(void)
{
	if (!fflush(stdout))
		return 0;
	fprintf(stderr, "load: standard output: %s\n", strerror(errno));
	return 1;
}

static int64_t now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * NSEC + ts.tv_nsec;
}

static double parse_number(const char *word, const char *value, double low, double high)
{
	char *end;
	double number;

	errno = 0;
	number = strtod(value, &end);
	if (end == value || *end || errno || !isfinite(number))
		die("%s: '%s' is not a number", word, value);
	if (number < low || number > high)
		die("%s: must be from %g to %g", word, low, high);
	return number;
}

static int parse_integer(const char *word, const char *value, int low, int high)
{
	double number = parse_number(word, value, low, high);

	if (number != rint(number))
		die("%s: '%s' is not a whole number", word, value);
	return (int)number;
}

/* The value behind "name=", NULL when @word is another one. */
static const char *value_of(const char *word, const char *name)
{
	size_t length = strlen(name);

	return strncmp(word, name, length) || word[length] != '=' ? NULL : word + length + 1;
}

enum key { PERIOD, DUTY, PHASE, SECONDS, CPU, NICE, NR_KEYS };

static const char *const keys[NR_KEYS] = {
	[PERIOD] = "period",   [DUTY] = "duty", [PHASE] = "phase",
	[SECONDS] = "seconds", [CPU] = "cpu",	[NICE] = "nice",
};

static void set(struct load *load, enum key key, const char *word, const char *value)
{
	switch (key) {
	case PERIOD:
		load->period = parse_number(word, value, 1e-6, 86400);
		break;
	case DUTY:
		load->duty = parse_number(word, value, 0, 1);
		load->has_duty = true;
		break;
	case PHASE:
		load->phase = parse_number(word, value, 0, 86400);
		break;
	case SECONDS:
		load->seconds = parse_number(word, value, 1e-6, 1e6);
		break;
	case CPU:
		load->cpu = parse_integer(word, value, 0, CPU_SETSIZE - 1);
		break;
	case NICE:
		load->nice = parse_integer(word, value, -20, 19);
		break;
	default:
		break;
	}
}

static void parse_word(struct load *load, const char *word)
{
	for (enum key key = 0; key < NR_KEYS; key++) {
		const char *value = value_of(word, keys[key]);

		if (!value)
			continue;
		if (load->given & 1u << key)
			die("'%s' is given twice", keys[key]);
		load->given |= 1u << key;
		set(load, key, word, value);
		return;
	}
	if (!strcmp(word, "constant"))
		load->constant = true;
	else if (!strcmp(word, "check"))
		load->check = true;
	else if (!strcmp(word, "policy=idle"))
		load->idle = true;
	else if (!strcmp(word, "session=new"))
		load->new_session = true;
	else
		die("unknown word '%s' (constant, period=, duty=, phase=, cpu=, nice=, seconds=, policy=idle, session=new)",
		    word);
}

static void __attribute__((noreturn)) help(void)
{
	fputs("Usage: load [WORD]...\n"
	      "Compete for a CPU until told to stop; say at the end what that took.\n"
	      "  constant           want the CPU all the time (default)\n"
	      "  period=S duty=PART the first part of each period, from 0 to 1\n"
	      "  phase=S            so far into a period at the beginning\n"
	      "  seconds=S          end by itself\n"
	      "  cpu=N              there only\n"
	      "  nice=N             from -20 to 19\n"
	      "  policy=idle        what nobody else wants\n"
	      "  session=new        be a session of its own to the scheduler\n"
	      "  check              only check the words\n",
	      stdout);
	exit(flush());
}

static void parse(struct load *load, int argc, char **argv)
{
	if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
		help();
	for (int i = 1; i < argc; i++)
		parse_word(load, argv[i]);
	if (load->constant && (load->period > 0 || load->has_duty))
		die("'constant' and period= or duty= exclude each other");
	if ((load->period > 0) != load->has_duty)
		die("period= and duty= belong together");
	if (load->phase > 0 && load->period == 0)
		die("phase= needs period= and duty=");
}

static void place(const struct load *load)
{
	struct sched_param param = { 0 };
	cpu_set_t set;

	if (load->cpu >= 0) {
		CPU_ZERO(&set);
		CPU_SET(load->cpu, &set);
		if (sched_setaffinity(0, sizeof(set), &set))
			die("cpu=%d: no such CPU, or not allowed here (%s)", load->cpu,
			    strerror(errno));
	}
	if (load->nice && setpriority(PRIO_PROCESS, 0, load->nice))
		die("nice=%d: %s", load->nice, strerror(errno));
	if (load->idle && sched_setscheduler(0, SCHED_IDLE, &param))
		die("policy=idle: %s", strerror(errno));
}

/* A session has an autogroup of its own, which changes everybody's share. */
static void leave_session(void)
{
	if (getsid(0) == getpid())
		return;
	/* A group leader may not call setsid(): join the parent's group first. */
	if (getpgrp() == getpid() && setpgid(0, getpgid(getppid())))
		die("session=new: cannot leave the process group: %s", strerror(errno));
	if (setsid() < 0)
		die("session=new: %s", strerror(errno));
}

static void die_with_parent(void)
{
	pid_t parent = getppid();

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		exit(0);
}

/*
 * Who starts this may have blocked them, so that one that comes before here ends nothing too early.
 * What nohup, or a shell for what it starts behind its back, has ignored stays so; but SIGTERM also tells
 * that the parent ended.
 */
static void catch_signals(void)
{
	static const int caught[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT };
	struct sigaction action = { .sa_handler = on_signal }, before;
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(caught) / sizeof(*caught); i++) {
		sigaction(caught[i], NULL, &before);
		if (before.sa_handler == SIG_IGN && caught[i] != SIGTERM)
			continue;
		sigaction(caught[i], &action, NULL);
		sigaddset(&set, caught[i]);
	}
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void burn(int64_t until)
{
	while (!stop && now(CLOCK_MONOTONIC) < until)
		;
}

/* Signals are blocked but inside ppoll(), so that none is lost before the sleep. */
static void rest(int64_t until)
{
	sigset_t blocked, old;

	sigfillset(&blocked);
	sigprocmask(SIG_BLOCK, &blocked, &old);
	while (!stop) {
		int64_t left = until - now(CLOCK_MONOTONIC);
		struct timespec ts = { .tv_sec = left / NSEC, .tv_nsec = left % NSEC };

		if (left <= 0)
			break;
		ppoll(NULL, 0, &ts, &old);
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
}

static int64_t earlier(double a, int64_t b)
{
	return a < (double)b ? (int64_t)a : b;
}

static void oscillate(const struct load *load, int64_t start, int64_t end)
{
	double period = load->period * NSEC;
	double origin = (double)start - load->phase * NSEC;
	double cycle = floor(load->phase / load->period);

	for (; !stop && now(CLOCK_MONOTONIC) < end; cycle++) {
		burn(earlier(origin + (cycle + load->duty) * period, end));
		rest(earlier(origin + (cycle + 1) * period, end));
	}
}

/* Time in the run queue, which the kernel may not account. */
static double waited(void)
{
	double wait = NAN;
	FILE *file = fopen("/proc/self/schedstat", "re");

	if (!file)
		return NAN;
	if (fscanf(file, "%*f %lf", &wait) != 1)
		wait = NAN;
	fclose(file);
	return wait / NSEC;
}

static void report(const struct load *load, int64_t start)
{
	double elapsed = (double)(now(CLOCK_MONOTONIC) - start) / NSEC;
	double cpu = (double)now(CLOCK_PROCESS_CPUTIME_ID) / NSEC;
	double wait = waited();

	if (load->cpu >= 0)
		printf("load: cpu=%d", load->cpu);
	else
		printf("load: cpu=any");
	printf(" elapsed=%.3f s cpu_time=%.3f s", elapsed, cpu);
	if (!isnan(wait))
		printf(" wait_time=%.3f s", wait);
	printf(" start=%lld ns\n", (long long)start);
}

int main(int argc, char **argv)
{
	struct load load = { .cpu = -1 };
	int64_t start, end;

	parse(&load, argc, argv);
	place(&load);
	if (load.check)
		return 0;
	die_with_parent();
	if (load.new_session)
		leave_session();
	prctl(PR_SET_TIMERSLACK, 1);
	catch_signals();

	start = now(CLOCK_MONOTONIC);
	end = load.seconds > 0 ? start + (int64_t)(load.seconds * NSEC) : INT64_MAX;
	if (load.period > 0)
		oscillate(&load, start, end);
	else
		burn(end);
	report(&load, start);
	return flush();
}
