// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "libshares.h"
#include "libsource.h"
#include "libtable.h"
#include "switches.h"
#include "switches.skel.h"

#define SUBJECT_CPU 0
#define WATCHER_CPU 1
#define SETTLE_MS 400
#define WATCH_MS 60 /* after the first competitor has come, sample the prediction so long */
#define WATCH_SAMPLES 100 /* and so often: the watcher's CPU may stand still, too */
#define LATEST_MS 1000 /* a CPU that stands still lets it come later */
#define SAMPLE_US 50
#define BAND 0.02
#define MAX_SAMPLES (LATEST_MS * 1000 / SAMPLE_US)

const struct situation situations[] = {
	{ .name = "alone", .share = 1 },
	{ .name = "1 in the same session",
	  .share = 1.0 / 2,
	  .competitors = { { .session = SAME } } },
	{ .name = "2 in the same session",
	  .share = 1.0 / 3,
	  .competitors = { { .session = SAME }, { .session = SAME } } },
	{ .name = "3 in the same session",
	  .share = 1.0 / 4,
	  .competitors = { { .session = SAME }, { .session = SAME }, { .session = SAME } } },
	{ .name = "1 in another session", .share = 1.0 / 2, .competitors = { { .session = NEW } } },
	{ .name = "2 in another session",
	  .share = 1.0 / 2,
	  .competitors = { { .session = NEW }, { .session = SAME_AS_BEFORE } } },
	{ .name = "1 in the same, 1 in another",
	  .share = 1.0 / 4,
	  .competitors = { { .session = SAME }, { .session = NEW } } },
	{ .name = "1 of nice 19",
	  .share = 1024.0 / (1024 + 15),
	  .competitors = { { .session = SAME, .nice = 19 } } },
	{ .name = "1 of nice -5",
	  .share = 1024.0 / (1024 + 3121),
	  .competitors = { { .session = SAME, .nice = -5 } } },
	{ .name = "1 of SCHED_IDLE",
	  .share = 1024.0 / (1024 + 3),
	  .competitors = { { .session = SAME, .idle_policy = true } } },
	{
		.name = "1 in a cgroup of 512",
		.share = 2.0 / 3,
		.competitors = { { .session = SAME, .group = "light" } },
		.groups = { { .path = "light", .shares = 512 } },
	},
	{
		.name = "1 in a cgroup of 2048",
		.share = 1.0 / 3,
		.competitors = { { .session = SAME, .group = "heavy" } },
		.groups = { { .path = "heavy", .shares = 2048 } },
	},
	{
		.name = "nested cgroups",
		.share = 2.0 / 3 * 2 / 3 / 2,
		.groups = { { .path = "outer", .shares = 65536 },
			    { .path = "outer/one", .shares = 1024 },
			    { .path = "outer/two", .shares = 512 },
			    { .path = "beside", .shares = 32768 } },
		.group = "outer/one",
		.competitors = { { .session = SAME, .group = "outer/two" },
				 { .session = SAME, .group = "outer/one" },
				 { .session = SAME, .group = "beside" } },
	},
	{
		.name = "a cgroup with a limit",
		.groups = { { .path = "limit", .shares = 1024, .limit = "8000 20000" } },
		.group = "limit",
		.limited = true,
	},
	{
		.name = "ranks on both CPUs, 1 foreign",
		.competitors = { { .session = SAME, .cpu = 1 }, { .session = NEW } },
		.spans = true,
	},
	{ .name = "1 reniced from 0 to 10", .competitors = { { .session = SAME } }, .renice = 10 },
	{
		.name = "bursts of 3 ms every 23 ms",
		.competitors = { { .session = SAME, .on_us = 3000, .off_us = 20000 } },
		.bursts = true,
	},
};

const size_t nr_situations = sizeof(situations) / sizeof(situations[0]);

/* Everything that exists while a case is measured. */
struct scene {
	const struct situation *situation;
	struct switches_bpf *trace;
	struct ring_buffer *ring;
	struct switch_event *events;
	size_t nr_events, max_events;
	struct source source;
	const struct equant_record *record;
	pid_t subject;
	pid_t competitors[MAX_COMPETITORS];
	int nr_competitors;
	int go[2]; /* competitors begin when it is closed */
	char *why;
	size_t why_size;
};

static int fail(struct scene *scene, int error, const char *what)
{
	snprintf(scene->why, scene->why_size, "%s: %s", what, strerror(error));
	return -error;
}

/* ---- the processes ---- */

static void spin_for(uint64_t ns)
{
	uint64_t end = now_ns() + ns;

	while (now_ns() < end)
		;
}

static void __attribute__((noreturn)) compete(const struct scene *scene, const struct competitor *c)
{
	struct sched_param param = { 0 };
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (c->group && enter_group(c->group))
		_exit(1);
	setpriority(PRIO_PROCESS, 0, c->nice);
	if (c->idle_policy)
		sched_setscheduler(0, SCHED_IDLE, &param);
	pin_to(c->cpu);
	close(scene->go[1]);
	if (read(scene->go[0], &byte, 1) < 0)
		_exit(1);
	for (;;) {
		spin_for(c->on_us ? c->on_us * 1000ull : 10000000);
		if (c->on_us)
			usleep(c->off_us);
	}
}

/*
 * What others run on the CPU hardly counts beside sessions of the greatest weight.  Control
 * groups of a situation have weights of their own, for which sessions must keep theirs.
 */
static void begin_session(const struct situation *situation)
{
	FILE *file;

	setsid();
	if (situation->groups[0].path)
		return;
	file = fopen("/proc/self/autogroup", "w");
	if (!file)
		return; /* a kernel without groups for sessions */
	fputs("-20", file);
	fclose(file);
}

/* A session's later members are forked by its first: only so can they be in it. */
static void __attribute__((noreturn)) lead_session(struct scene *scene, int index, int report)
{
	const struct competitor *c = scene->situation->competitors;
	pid_t pid;

	begin_session(scene->situation);
	for (int i = index + 1; i < MAX_COMPETITORS && c[i].session == SAME_AS_BEFORE; i++) {
		pid = fork();
		if (!pid) {
			close(report);
			compete(scene, &c[i]);
		}
		if (write(report, &pid, sizeof(pid)) < 0)
			_exit(1);
	}
	close(report);
	compete(scene, &c[index]);
}

static int start_competitor(struct scene *scene, int index)
{
	const struct competitor *c = &scene->situation->competitors[index];
	int report[2];
	pid_t pid;

	if (pipe(report))
		return -errno;
	pid = fork();
	if (!pid) {
		close(report[0]);
		if (c->session == NEW)
			lead_session(scene, index, report[1]);
		close(report[1]);
		compete(scene, c);
	}
	close(report[1]);
	scene->competitors[scene->nr_competitors++] = pid;
	while (read(report[0], &pid, sizeof(pid)) == sizeof(pid))
		scene->competitors[scene->nr_competitors++] = pid;
	close(report[0]);
	return 0;
}

static int start_competitors(struct scene *scene)
{
	const struct competitor *c = scene->situation->competitors;
	int ret = 0;

	for (int i = 0; i < MAX_COMPETITORS && c[i].session != NONE && !ret; i++) {
		if (c[i].session != SAME_AS_BEFORE)
			ret = start_competitor(scene, i);
	}
	return ret ? fail(scene, -ret, "competitors") : 0;
}

static void __attribute__((noreturn)) be_subject(const struct scene *scene, int report)
{
	char why[256] = "";

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(scene->go[1]); /* or the competitors would wait for it too */
	if (scene->situation->group && enter_group(scene->situation->group))
		_exit(1);
	pin_to(SUBJECT_CPU);
	register_with_source(&scene->source, why, sizeof(why));
	if (write(report, why, strlen(why)) < 0)
		_exit(1);
	close(report);
	for (;;)
		spin_for(10000000);
}

static int start_subject(struct scene *scene)
{
	char answer[256];
	int report[2];
	ssize_t len;

	if (pipe(report))
		return fail(scene, errno, "pipe");
	scene->subject = fork();
	if (!scene->subject) {
		close(report[0]);
		be_subject(scene, report[1]);
	}
	close(report[1]);
	len = read(report[0], answer, sizeof(answer) - 1);
	answer[len > 0 ? len : 0] = '\0';
	/* "used" and a sentence, or why not; the end of the pipe comes after both */
	while (len > 0 && read(report[0], answer + sizeof(answer) - 1, 1) > 0)
		;
	close(report[0]);
	scene->record = record_from_source(&scene->source, scene->subject);
	if (scene->record)
		return 0;
	snprintf(scene->why, scene->why_size, "no record (%s): %s", strerror(errno), answer);
	return -ENODEV;
}

static void stop(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void stop_all(struct scene *scene)
{
	if (scene->go[1] >= 0)
		close(scene->go[1]);
	if (scene->go[0] >= 0)
		close(scene->go[0]);
	for (int i = scene->nr_competitors - 1; i >= 0; i--)
		stop(scene->competitors[i]);
	if (scene->subject > 0)
		stop(scene->subject);
	remove_groups(scene->situation->groups);
}

/* ---- the trace ---- */

static int keep_event(void *ctx, void *data, size_t size)
{
	struct scene *scene = ctx;

	(void)size;
	if (scene->nr_events == scene->max_events) {
		size_t max = scene->max_events * 2 + 4096;
		void *events = realloc(scene->events, max * sizeof(*scene->events));

		if (!events)
			return -ENOMEM;
		scene->events = events;
		scene->max_events = max;
	}
	scene->events[scene->nr_events++] = *(const struct switch_event *)data;
	return 0;
}

static int start_trace(struct scene *scene)
{
	scene->trace = switches_bpf__open();
	if (!scene->trace)
		return fail(scene, errno, "trace");
	scene->trace->rodata->traced_cpu = SUBJECT_CPU;
	if (switches_bpf__load(scene->trace) || switches_bpf__attach(scene->trace))
		return fail(scene, errno, "trace");
	scene->ring =
		ring_buffer__new(bpf_map__fd(scene->trace->maps.events), keep_event, scene, NULL);
	return scene->ring ? 0 : fail(scene, errno, "trace");
}

static void stop_trace(struct scene *scene)
{
	ring_buffer__free(scene->ring);
	switches_bpf__destroy(scene->trace);
	free(scene->events);
}

/*
 * All events up to @to.  Going to the traced CPU and back is one beyond; an event
 * that is being written while we look ends the reading early.
 */
static int collect(struct scene *scene, uint64_t to)
{
	pin_to(SUBJECT_CPU);
	pin_to(WATCHER_CPU);
	for (int i = 0; i < 200; i++) {
		ring_buffer__consume(scene->ring);
		if (scene->nr_events && scene->events[scene->nr_events - 1].t_ns > to)
			return 0;
		sleep_ms(1);
	}
	return -ETIMEDOUT;
}

static bool is_competitor(const struct scene *scene, pid_t pid)
{
	for (int i = 0; i < scene->nr_competitors; i++)
		if (scene->competitors[i] == pid)
			return true;
	return false;
}

static uint64_t clip(uint64_t t, uint64_t from, uint64_t to)
{
	return t < from ? from : t > to ? to : t;
}

/* Who had the CPU in the window: every switch ends one stretch and begins the next. */
static void read_shares(const struct scene *scene, uint64_t from, uint64_t to,
			struct finding *finding)
{
	uint64_t subject = 0, other = 0, begin = from, end;
	pid_t current = -1;

	for (size_t i = 0; i <= scene->nr_events; i++) {
		const struct switch_event *event = &scene->events[i];

		if (i < scene->nr_events && event->kind != SWITCH_EVENT)
			continue;
		end = clip(i < scene->nr_events ? event->t_ns : to, from, to);
		if (i < scene->nr_events)
			current = event->prev;
		if (current == scene->subject)
			subject += end - begin;
		else if (!is_competitor(scene, current) && current > 0)
			other += end - begin;
		begin = end;
		if (i < scene->nr_events)
			current = event->next;
	}
	finding->truth = (double)subject / (double)(to - from);
	finding->other = (double)other / (double)(to - from);
}

/* A switch may pass unseen while other programs come to or leave the tracepoint. */
static unsigned int count_gaps(const struct scene *scene)
{
	unsigned int gaps = 0;
	pid_t current = -1;

	for (size_t i = 0; i < scene->nr_events; i++) {
		if (scene->events[i].kind != SWITCH_EVENT)
			continue;
		gaps += current >= 0 && scene->events[i].prev != current;
		current = scene->events[i].next;
	}
	return gaps;
}

/*
 * The subject's slices up to @to that were contended from start to end: it took over
 * from, and was preempted for, somebody, and nobody was woken meanwhile.
 */
static void read_quantum(const struct scene *scene, uint64_t to, struct finding *finding)
{
	uint64_t begin = 0;
	double mean = 0, slice;
	unsigned int seen = 0;

	for (size_t i = 0; i < scene->nr_events && scene->events[i].t_ns <= to; i++) {
		const struct switch_event *event = &scene->events[i];

		if (event->kind == WAKEUP_EVENT) {
			begin = 0;
		} else if (event->next == scene->subject) {
			begin = event->prev > 0 && event->runnable ? event->t_ns : 0;
		} else if (event->prev == scene->subject && begin) {
			slice = (double)(event->t_ns - begin);
			if (event->runnable && event->next > 0) {
				mean += (slice - mean) / (seen < 7 ? seen + 1 : 8);
				seen++;
			}
			begin = 0;
		}
	}
	finding->trace_quantum_us = mean / 1e3;
	finding->slices = seen;
}

/* ---- the measurement ---- */

struct sample {
	uint64_t t_ns;
	uint32_t now;
	uint32_t settled;
};

/* A competitor has had the subject's CPU, by the trace; events before @*seen are known. */
static bool competitor_came(const struct scene *scene, size_t *seen)
{
	const struct switch_event *event;

	ring_buffer__consume(scene->ring);
	while (*seen < scene->nr_events) {
		event = &scene->events[(*seen)++];
		if (event->kind == SWITCH_EVENT && is_competitor(scene, event->next))
			return true;
	}
	return false;
}

/* What the record says in the first milliseconds of competition, from another CPU. */
static int watch(const struct scene *scene, struct sample *samples)
{
	bool came = !scene->nr_competitors;
	uint64_t end = now_ns() + WATCH_MS * 1000000ull;
	struct equant_record r;
	size_t seen = 0;
	int nr = 0, least = 0;

	while (nr < MAX_SAMPLES && (nr < least || now_ns() < end)) {
		samples[nr].t_ns = copy_record(scene->record, &r);
		samples[nr].now = r.share_now;
		samples[nr++].settled = r.share_settled;
		usleep(SAMPLE_US);
		if (!came) {
			came = competitor_came(scene, &seen);
			end = now_ns() + WATCH_MS * 1000000ull;
			least = nr + WATCH_SAMPLES;
		}
	}
	return nr;
}

static double delay_ms(const struct sample *samples, int nr, uint64_t begin, double goal,
		       bool settled)
{
	double share;

	for (int i = 0; i < nr; i++) {
		share = (double)(settled ? samples[i].settled : samples[i].now) / EQUANT_SHARE_ONE;
		if (fabs(share - goal) <= BAND)
			return (double)(samples[i].t_ns - begin) / 1e6;
	}
	return -1;
}

/* Let the competitors go; returns when the first of them was woken on the subject's CPU. */
static uint64_t release(struct scene *scene)
{
	uint64_t t = now_ns();

	close(scene->go[1]);
	scene->go[1] = -1;
	return t;
}

static void compare_counters(const struct equant_record *a, const struct equant_record *b,
			     struct finding *finding)
{
	double run = (double)(b->run_ns - a->run_ns), wait = (double)(b->wait_ns - a->wait_ns);
	unsigned int episodes = b->episodes - a->episodes;

	finding->measured = run / (run + wait);
	finding->now = (double)(b->share_ns - a->share_ns) / (run + wait);
	finding->settled = (double)(b->settled_ns - a->settled_ns) / (run + wait);
	finding->quantum_us = b->quantum_ns / 1e3;
	finding->flags = b->flags;
	finding->mean_episode_ms = (double)(b->contended_ns - a->contended_ns) / 1e6;
	if (episodes)
		finding->mean_episode_ms /= episodes;
}

unsigned long long count_ticks(void)
{
	FILE *file = fopen("/proc/interrupts", "r");
	unsigned long long count = 0;
	char line[4096];

	while (file && !count && fgets(line, sizeof(line), file))
		if (sscanf(line, " LOC: %llu", &count) != 1)
			count = 0;
	if (file)
		fclose(file);
	return count;
}

static double ticks_had(const struct scene *scene, unsigned long long count, uint64_t ns)
{
	return count ? (double)count * scene->source.table->tick_ns / (double)ns : 1;
}

static int measure(struct scene *scene, unsigned int ms, struct finding *finding)
{
	const struct situation *situation = scene->situation;
	struct equant_record before, after;
	unsigned long long ticks;
	uint64_t go, from, to;
	struct sample *samples;
	double others, share;
	int nr;

	samples = calloc(MAX_SAMPLES, sizeof(*samples));
	if (!samples)
		return fail(scene, ENOMEM, "samples");
	ticks = count_ticks();
	go = release(scene);
	nr = watch(scene, samples);
	sleep_ms(SETTLE_MS);
	from = copy_record(scene->record, &before);
	sleep_ms(ms / 2);
	if (situation->renice)
		setpriority(PRIO_PROCESS, (id_t)scene->competitors[0], situation->renice);
	sleep_ms(ms - ms / 2);
	to = copy_record(scene->record, &after);
	finding->ticks = ticks_had(scene, count_ticks() - ticks, to - go);
	if (collect(scene, to)) {
		free(samples);
		return fail(scene, ETIMEDOUT, "the trace ends before the measurement");
	}
	finding->lost = scene->trace->bss->lost;
	finding->gaps = count_gaps(scene);
	read_shares(scene, go, from, finding);
	others = finding->other;
	read_shares(scene, from, to, finding);
	finding->other = fmax(finding->other, others);
	read_quantum(scene, to, finding);
	compare_counters(&before, &after, finding);
	share = situation->share > 0 ? situation->share : finding->truth;
	finding->now_ms = delay_ms(samples, nr, go, share, false);
	finding->settled_ms = delay_ms(samples, nr, go, share, true);
	free(samples);
	return 0;
}

static int set_up(struct scene *scene, const char *source)
{
	int ret;

	if (pipe2(scene->go, O_CLOEXEC))
		return fail(scene, errno, "pipe");
	ret = open_source(&scene->source, source);
	if (ret)
		return fail(scene, -ret, source);
	ret = make_groups(scene->situation->groups);
	if (ret)
		return fail(scene, -ret, "control groups");
	ret = start_competitors(scene);
	if (!ret)
		ret = start_subject(scene);
	if (!ret)
		ret = start_trace(scene);
	if (!ret)
		sleep_ms(200); /* the group averages forget what was before */
	return ret;
}

/* In a session of its own, so that nobody else's tasks are in the subject's group. */
static int run_case(const struct situation *situation, const char *source, unsigned int ms,
		    struct finding *finding, char *why, size_t why_size)
{
	struct sched_param param = { .sched_priority = 1 };
	struct scene scene = {
		.situation = situation,
		.source = { .name = source, .fd = -1 },
		.go = { -1, -1 },
		.why = why,
		.why_size = why_size,
	};
	int ret;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	begin_session(situation);
	ret = set_up(&scene, source);
	pin_to(WATCHER_CPU);
	if (sched_setscheduler(0, SCHED_FIFO, &param))
		setpriority(PRIO_PROCESS, 0, -20);
	if (!ret)
		ret = measure(&scene, ms, finding);
	stop_all(&scene);
	stop_trace(&scene);
	close_source(&scene.source);
	return ret;
}

struct answer {
	struct finding finding;
	char why[256];
	int ret;
};

int find_shares(const struct situation *situation, const char *source, unsigned int ms,
		struct finding *finding, char *why, size_t why_size)
{
	struct answer *answer;
	pid_t pid;
	int ret;

	answer = mmap(NULL, sizeof(*answer), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (answer == MAP_FAILED)
		return -errno;
	answer->ret = -ECHILD;
	pid = fork();
	if (!pid) {
		answer->ret = run_case(situation, source, ms, &answer->finding, answer->why,
				       sizeof(answer->why));
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	*finding = answer->finding;
	snprintf(why, why_size, "%s", answer->why);
	ret = answer->ret;
	munmap(answer, sizeof(*answer));
	return ret;
}
