// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Choosing a source of counters, and replacing one that died.
 *
 * Sources are tried in the order of the table below: first those that predict
 * shares, then the one that measures them, then wall time.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe/probe_internal.h"

/*
 * Preference of "auto", which is that of equant_watch_open() too: ranks are found where one looks.
 * The module cannot know what a group's weight will settle at, the BPF program can.
 */
static const struct equant_probe_ops *const sources[] = {
	&equant_probe_bpf,
	&equant_probe_kmod,
	&equant_probe_schedstat,
	&equant_probe_clock,
};

#define NR_SOURCES (sizeof(sources) / sizeof(sources[0]))

/* One more line at the end of a report. */
static void append(char *why, size_t why_size, const char *name, const char *verdict,
		   const char *text)
{
	size_t used;

	if (!why || !why_size)
		return;
	used = strlen(why);
	snprintf(why + used, why_size - used, "%s%s: %s%s%s", used ? "\n" : "", name, verdict,
		 *text ? ": " : "", text);
}

/* Put @ops under the probe; on failure the probe is as before. */
static int attach(struct equant_probe *probe, const struct equant_probe_ops *ops, const char *arg,
		  char *text, size_t text_size)
{
	struct equant_probe fresh = {
		.ops = ops,
		.features = ops->features,
		.pid = getpid(),
		.tid = probe->tid ? probe->tid : gettid(),
	};
	int ret;

	*text = '\0';
	ret = ops->open(&fresh, arg, text, text_size);
	if (!*text)
		equant_say(text, text_size, "%s", ret ? strerror(-ret) : ops->summary);
	if (!ret)
		*probe = fresh;
	return ret;
}

static int attach_told(struct equant_probe *probe, const struct equant_probe_ops *ops,
		       const char *arg, char *why, size_t why_size)
{
	char text[512];
	int ret;

	ret = attach(probe, ops, arg, text, sizeof(text));
	append(why, why_size, ops->name, ret ? "not available" : "used", text);
	return ret;
}

/* The first that works from sources[first] on. */
static int attach_best(struct equant_probe *probe, size_t first, char *why, size_t why_size)
{
	int ret = -ENODEV;

	for (size_t i = first; i < NR_SOURCES; i++) {
		ret = attach_told(probe, sources[i], NULL, why, why_size);
		if (!ret)
			break;
	}
	return ret;
}

static int attach_named(struct equant_probe *probe, const char *name, char *why, size_t why_size)
{
	static const char replay[] = "replay:";

	if (!strcmp(name, "auto"))
		return attach_best(probe, 0, why, why_size);
	for (size_t i = 0; i < NR_SOURCES; i++)
		if (!strcmp(name, sources[i]->name))
			return attach_told(probe, sources[i], NULL, why, why_size);
	if (!strncmp(name, replay, strlen(replay)))
		return attach_told(probe, &equant_probe_replay, name + strlen(replay), why,
				   why_size);
	equant_say(
		why, why_size,
		"unknown probe \"%s\": expected auto, bpf, kmod, schedstat, clock or replay:FILE",
		name);
	return -EINVAL;
}

struct equant_probe *equant_probe_open(const char *name, char *why, size_t why_size)
{
	struct equant_probe *probe;
	int ret;

	equant_say(why, why_size, "%s", "");
	probe = calloc(1, sizeof(*probe));
	if (!probe)
		return NULL;
	ret = attach_named(probe, name ? name : "(null)", why, why_size);
	if (ret) {
		free(probe);
		errno = -ret;
		return NULL;
	}
	return probe;
}

static void release(struct equant_probe *probe)
{
	if (probe->ops->close)
		probe->ops->close(probe, probe->pid == getpid());
}

void equant_probe_close(struct equant_probe *probe)
{
	if (!probe)
		return;
	release(probe);
	free(probe);
}

const char *equant_probe_name(const struct equant_probe *probe)
{
	return probe->ops->name;
}

unsigned int equant_probe_features(const struct equant_probe *probe)
{
	return probe->features;
}

/*
 * One by one: a vector load behind the scalar stores of the source would have
 * to wait for them to leave the store buffer.
 */
static inline uint64_t load(const uint64_t *value)
{
	return *(const volatile uint64_t *)value;
}

void equant_probe_read(struct equant_probe *probe, struct equant_counters *now)
{
	uint64_t run, wait;

	probe->ops->read(probe, now);
	run = load(&now->run_ns) + probe->base.now.run_ns;
	wait = load(&now->wait_ns) + probe->base.now.wait_ns;
	probe->last.t_ns = load(&now->t_ns);
	probe->last.run_ns = run;
	probe->last.wait_ns = wait;
	now->run_ns = run;
	now->wait_ns = wait;
}

/* The source's own full reading, without offsets. */
static void raw_status(struct equant_probe *probe, struct equant_status *status)
{
	*status = (struct equant_status){ .share = 1.0, .settled = 1.0, .cpu = -1 };
	probe->ops->status(probe, status);
}

static void add_base(const struct equant_status *base, struct equant_status *status)
{
	status->now.run_ns += base->now.run_ns;
	status->now.wait_ns += base->now.wait_ns;
	status->share_ns += base->share_ns;
	status->epoch += base->epoch;
	status->switches += base->switches;
	status->preemptions += base->preemptions;
	status->yields += base->yields;
	status->blocks += base->blocks;
	status->migrations += base->migrations;
	status->contended_ns += base->contended_ns;
	status->episodes += base->episodes;
	status->long_episodes += base->long_episodes;
	status->long_ns += base->long_ns;
	status->changes += base->changes;
}

void equant_probe_status(struct equant_probe *probe, struct equant_status *status)
{
	raw_status(probe, status);
	add_base(&probe->base, status);
	probe->last = status->now;
}

/* base + raw must equal @until now; unsigned wrap-around is meant. */
static void set_base(struct equant_status *base, const struct equant_status *until,
		     const struct equant_status *raw)
{
	*base = (struct equant_status){
		.now.run_ns = until->now.run_ns - raw->now.run_ns,
		.now.wait_ns = until->now.wait_ns - raw->now.wait_ns,
		.share_ns = until->share_ns - raw->share_ns,
		.epoch = until->epoch - raw->epoch,
		.switches = until->switches - raw->switches,
		.preemptions = until->preemptions - raw->preemptions,
		.yields = until->yields - raw->yields,
		.blocks = until->blocks - raw->blocks,
		.migrations = until->migrations - raw->migrations,
		.contended_ns = until->contended_ns - raw->contended_ns,
		.episodes = until->episodes - raw->episodes,
		.long_episodes = until->long_episodes - raw->long_episodes,
		.long_ns = until->long_ns - raw->long_ns,
		.changes = until->changes - raw->changes,
	};
}

static uint64_t limit(uint64_t value, uint64_t low, uint64_t room)
{
	if (value < low)
		return low;
	return value - low > room ? low + room : value;
}

/*
 * A dying source may say anything.  Whatever it says, since the last reading
 * neither counter went back and both together grew by the elapsed time at most.
 */
static void bound_last_words(const struct equant_counters *last, struct equant_counters *now)
{
	uint64_t elapsed;

	now->t_ns = equant_clock_ns(CLOCK_MONOTONIC);
	elapsed = last->t_ns ? now->t_ns - last->t_ns : UINT64_MAX;
	now->run_ns = limit(now->run_ns, last->run_ns, elapsed);
	elapsed -= now->run_ns - last->run_ns;
	now->wait_ns = limit(now->wait_ns, last->wait_ns, elapsed);
}

/*
 * Only a thread itself can ask for a record, but all threads of a team fall back at once,
 * by the hand of one of them; so one kind of record does not follow another.
 */
static size_t successor(const struct equant_probe *probe, bool forked)
{
	bool has_record = probe->ops == &equant_probe_kmod || probe->ops == &equant_probe_bpf;

	for (size_t i = 0; i < NR_SOURCES; i++) {
		if ((forked || has_record) && sources[i] == &equant_probe_schedstat)
			return i;
		if (!forked && sources[i] == probe->ops)
			return i + 1;
	}
	return NR_SOURCES - 1;
}

static void replace(struct equant_probe *probe, bool forked, char *why, size_t why_size)
{
	struct equant_probe old = *probe;
	struct equant_status until, raw;

	raw_status(&old, &until);
	add_base(&old.base, &until);
	bound_last_words(&old.last, &until.now);
	if (forked)
		probe->tid = 0;
	if (attach_best(probe, successor(&old, forked), why, why_size))
		return;
	release(&old);
	raw_status(probe, &raw);
	set_base(&probe->base, &until, &raw);
	probe->last = until.now;
}

void equant_probe_follow(struct equant_probe *probe, const struct equant_probe *leader)
{
	for (size_t i = 0; i < NR_SOURCES && probe->ops != leader->ops; i++)
		replace(probe, false, NULL, 0);
}

static bool is_forked(const struct equant_probe *probe)
{
	return probe->ops->check && probe->pid != getpid();
}

int equant_probe_check(struct equant_probe *probe, char *why, size_t why_size)
{
	bool forked = is_forked(probe);
	char text[256] = "";

	equant_say(why, why_size, "%s", "");
	if (forked)
		equant_say(text, sizeof(text), "this process is a forked child of the owner");
	else if (!probe->ops->check || !probe->ops->check(probe, text, sizeof(text)))
		return 0;
	append(why, why_size, probe->ops->name, "lost", text);
	replace(probe, forked, why, why_size);
	return 1;
}

static void survey_one(const struct equant_probe_ops *ops,
		       void (*report)(void *ctx, const char *name, int error, const char *text),
		       void *ctx)
{
	struct equant_probe probe = { .tid = 0 };
	char text[512];
	int ret;

	ret = attach(&probe, ops, NULL, text, sizeof(text));
	if (!ret)
		release(&probe);
	report(ctx, ops->name, ret, text);
}

void equant_probe_survey(void (*report)(void *ctx, const char *name, int error, const char *text),
			 void *ctx)
{
	for (size_t i = 0; i < NR_SOURCES; i++)
		survey_one(sources[i], report, ctx);
}
