// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The record that the BPF program keeps for this thread, mapped read-only.
 *
 * The thread registers itself with prctl(), finds its record and from then on
 * reads it without a system call.  The table belongs to everybody, so the
 * record is taken for ours only if the kernel wrote our thread, process and pid
 * namespace into it and it moves when we are switched.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe/mapping.h"
#include "probe/reader.h"

/* How long a thread asks to be heard, and how long it waits in between. */
#define PATIENCE_NS 2000000000u
#define REFUSALS 3 /* that are not somebody else's */
#define LEAST_PAUSE_NS 100000
#define LONGEST_PAUSE_NS 4000000

struct bpf_source {
	struct equant_reader common;
	struct equant_mapping mapping;
};

/* Who the caller is, in the terms of the record. */
struct identity {
	uint32_t tid;
	uint32_t tgid;
	uint32_t ns_inode; /* 0 = no /proc to ask */
	uint64_t cookie;
};

static void identify(struct identity *me)
{
	struct stat ns;

	me->tid = (uint32_t)gettid();
	me->tgid = (uint32_t)getpid();
	me->ns_inode = stat("/proc/self/ns/pid", &ns) ? 0 : (uint32_t)ns.st_ino;
	if (getrandom(&me->cookie, sizeof(me->cookie), GRND_NONBLOCK) != sizeof(me->cookie))
		me->cookie = equant_clock_ns(CLOCK_MONOTONIC) << 20 ^ me->tid;
}

/*
 * Without /proc the cookie must match.  With it the kernel's word on thread and
 * namespace is enough, which lets a second probe of the thread share its record.
 */
static bool is_mine(const struct equant_record *record, const struct identity *me)
{
	struct equant_record r;

	equant_reader_snapshot(record, &r);
	if (r.state == EQUANT_STATE_FREE || r.tid != me->tid || r.tgid != me->tgid)
		return false;
	return me->ns_inode ? r.ns_inode == me->ns_inode : r.cookie == me->cookie;
}

static const struct equant_record *find_record(const struct bpf_source *source,
					       const struct identity *me)
{
	const struct equant_record *shared = NULL, *record;

	for (uint32_t i = 1; i <= source->mapping.nr_records; i++) {
		record = equant_mapping_record(&source->mapping, i);
		if (record->tid != me->tid || !is_mine(record, me))
			continue;
		if (record->cookie == me->cookie)
			return record;
		shared = record;
	}
	return shared;
}

struct patience {
	uint64_t end_ns;
	long pause_ns;
};

static struct patience begin_patience(uint64_t ns)
{
	return (struct patience){ equant_clock_ns(CLOCK_MONOTONIC) + ns, LEAST_PAUSE_NS };
}

/* Sleep, twice as long as before; false if patience is at its end. */
static bool be_patient(struct patience *patience)
{
	struct timespec pause = { .tv_nsec = patience->pause_ns };

	if (equant_clock_ns(CLOCK_MONOTONIC) >= patience->end_ns)
		return false;
	nanosleep(&pause, NULL);
	if (patience->pause_ns < LONGEST_PAUSE_NS)
		patience->pause_ns *= 2;
	return true;
}

/*
 * The kernel frees the record when the thread is next switched; where it is lost nobody may be listening.
 * If another table has taken the place of this one, what is detached would be this thread's record there.
 */
static void give_back(const struct bpf_source *source)
{
	const struct equant_table *table = source->mapping.table;
	struct patience patience = begin_patience(source->common.lost ? 0 : PATIENCE_NS);

	if (table->state != EQUANT_TABLE_LIVE)
		return;
	while (prctl(EQUANT_PRCTL, EQUANT_PRCTL_DETACH, 0, 0, 0) < 0 && errno == EINVAL)
		if (!(table->features & EQUANT_TABLE_PRCTL_ANSWERS) ||
		    table->state != EQUANT_TABLE_LIVE || !be_patient(&patience))
			return;
}

/* Ask once. */
static int ask(struct bpf_source *source, const struct identity *me)
{
	const struct equant_table *table = source->mapping.table;
	uint64_t full = table->refused_full, user = table->refused_user;
	int index = prctl(EQUANT_PRCTL, EQUANT_PRCTL_ATTACH, me->cookie, 0, 0);

	if (table->features & EQUANT_TABLE_PRCTL_ANSWERS) {
		if (index < 0)
			return -errno;
		if (index == 0 || (uint32_t)index > source->mapping.nr_records)
			return -EPROTO;
		source->common.record = equant_mapping_record(&source->mapping, (uint32_t)index);
		if (is_mine(source->common.record, me))
			return 0;
		give_back(source);
		return -EAGAIN;
	}
	source->common.record = find_record(source, me);
	if (source->common.record)
		return 0;
	/* Somebody else's refusal may be mistaken for ours; the next tries tell. */
	if (table->refused_full != full)
		return -EUSERS;
	return table->refused_user != user ? -EDQUOT : -EAGAIN;
}

/* Being switched once starts the record, ends a pending detach, and proves it is ours. */
static bool moves_with_us(const struct bpf_source *source, const struct identity *me)
{
	uint64_t before = source->common.record->switches;

	equant_reader_force_switch();
	return is_mine(source->common.record, me) && source->common.record->switches != before;
}

static int explain_ask(int error, char *why, size_t why_size)
{
	const char *text = "the kernel does not hear the registration (programs detached?)";

	if (error == -EUSERS)
		text = "all records of the probe are taken";
	else if (error == -EDQUOT)
		text = "this user has all the records one user may have";
	else if (error == -EPROTO)
		text = "the kernel answered with a record that does not exist";
	else if (error == -EAGAIN || error == -EINVAL)
		error = -ENODEV;
	else
		text = strerror(-error);
	equant_say(why, why_size, "%s", text);
	return error;
}

/*
 * A thread that is preempted in the program, which a preemptible kernel may do to it, keeps others from
 * it: those of its CPU go unheard (EINVAL) or get no storage (ENOMEM), and those that wait for its
 * lock give up (EAGAIN), all until it runs again.
 */
static bool is_passing(int error)
{
	return error == -EAGAIN || error == -EINVAL || error == -ENOMEM;
}

/* Where the kernel does not answer: was that ours? */
static bool is_doubtful(const struct bpf_source *source, int error, int *refusals)
{
	return !(source->mapping.table->features & EQUANT_TABLE_PRCTL_ANSWERS) &&
	       (error == -EUSERS || error == -EDQUOT) && ++*refusals < REFUSALS;
}

static int enlist(struct bpf_source *source, char *why, size_t why_size)
{
	struct patience patience = begin_patience(PATIENCE_NS);
	int refusals = 0, ret;
	struct identity me;

	identify(&me);
	do {
		ret = ask(source, &me);
		if (!ret && moves_with_us(source, &me))
			return 0;
		if (!ret) {
			give_back(source);
			ret = -EAGAIN;
		}
	} while ((is_passing(ret) || is_doubtful(source, ret, &refusals)) && be_patient(&patience));
	return explain_ask(ret, why, why_size);
}

static int attach(struct bpf_source *source, char *why, size_t why_size)
{
	int ret;

	ret = equant_bpf_table_open(&source->mapping, why, why_size);
	if (ret)
		return ret;
	source->common.table = source->mapping.table;
	ret = enlist(source, why, why_size);
	if (ret)
		equant_mapping_close(&source->mapping);
	return ret;
}

static int bpf_open(struct equant_probe *probe, const char *arg, char *why, size_t why_size)
{
	struct bpf_source *source;
	int ret;

	(void)arg;
	source = calloc(1, sizeof(*source));
	if (!source)
		return -ENOMEM;
	ret = attach(source, why, why_size);
	if (ret) {
		free(source);
		return ret;
	}
	equant_reader_start(probe, &source->common);
	return 0;
}

/* When it is freed is not left to chance. */
static void bpf_close(struct equant_probe *probe, bool owner)
{
	struct bpf_source *source = probe->data;

	if (owner && probe->tid == gettid()) {
		give_back(source);
		equant_reader_force_switch();
	}
	equant_mapping_close(&source->mapping);
	free(source);
}

const struct equant_probe_ops equant_probe_bpf = {
	.name = "bpf",
	.features = EQUANT_PROBE_RUN | EQUANT_PROBE_WAIT | EQUANT_PROBE_QUANTUM |
		    EQUANT_PROBE_PREDICTS,
	.summary = "the kernel's own record of this thread, with predicted shares",
	.open = bpf_open,
	.close = bpf_close,
	.read = equant_reader_read,
	.status = equant_reader_status,
	.check = equant_reader_check,
};
