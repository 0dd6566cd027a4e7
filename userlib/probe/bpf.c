// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The record that the BPF program keeps for this thread, mapped read-only.
 *
 * The thread registers itself with prctl(), finds its record and from then on
 * reads it without a system call.  The table belongs to everybody, so the
 * record is taken for ours only if the kernel wrote our thread, process and pid
 * namespace into it and it moves when we are switched.
 *
 * A record whose writer has gone looks like a thread that never waits; check()
 * compares its switch count with getrusage()'s.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <equant/abi.h>

#include "probe/probe_internal.h"

#define FALLBACK_QUANTUM_NS 4000000u
#define SNAPSHOT_TRIES 10000 /* a writer is in the record for a microsecond */
#define ATTACH_TRIES 16
#define OVERFLOW_UID 65534 /* how a user namespace shows an owner it does not know */

struct bpf_source {
	const struct equant_table *table;
	size_t size;
	const struct equant_record *record;
	uint64_t t_attach;
	uint64_t switches; /* the record's, at the last check */
	uint64_t usage; /* getrusage()'s, at the last check */
	bool stuck; /* catching up did not help */
};

/* Who the caller is, in the terms of the record. */
struct identity {
	uint32_t tid;
	uint32_t tgid;
	uint32_t ns_inode; /* 0 = no /proc to ask */
	uint64_t cookie;
};

static uint64_t count_switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return (uint64_t)usage.ru_nvcsw + (uint64_t)usage.ru_nivcsw;
}

/* Sleeping for any time at all gives up the CPU. */
static void force_switch(void)
{
	const struct timespec moment = { .tv_nsec = 1 };

	nanosleep(&moment, NULL);
}

static uint32_t load_seq(const struct equant_record *record)
{
	return __atomic_load_n(&record->seq, __ATOMIC_ACQUIRE);
}

static bool same_seq(const struct equant_record *record, uint32_t seq)
{
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return !(seq & 1) && __atomic_load_n(&record->seq, __ATOMIC_RELAXED) == seq;
}

/* Copy the record and read the clock at one instant: not switched in between. */
static uint64_t snapshot(const struct equant_record *record, struct equant_record *copy)
{
	uint64_t now;
	uint32_t seq;

	for (int i = 0; i < SNAPSHOT_TRIES; i++) {
		seq = load_seq(record);
		*copy = *(const volatile struct equant_record *)record;
		now = equant_clock_ns(CLOCK_MONOTONIC);
		if (same_seq(record, seq))
			break;
	}
	return now;
}

/* Return: the state in the record. */
static uint32_t read_counters(const struct bpf_source *source, struct equant_counters *now)
{
	const volatile struct equant_record *record = source->record;
	uint64_t t_state;
	uint32_t seq, state;

	for (int i = 0; i < SNAPSHOT_TRIES; i++) {
		seq = load_seq(source->record);
		state = record->state;
		t_state = record->t_state;
		now->run_ns = record->run_ns;
		now->wait_ns = record->wait_ns;
		now->t_ns = equant_clock_ns(CLOCK_MONOTONIC);
		if (same_seq(source->record, seq))
			break;
	}
	if (state == EQUANT_STATE_RUN)
		now->run_ns += equant_since(now->t_ns, t_state);
	else if (state == EQUANT_STATE_WAIT)
		now->wait_ns += equant_since(now->t_ns, t_state);
	return state;
}

/*
 * Who reads its own record runs: if the record says otherwise, the switch that
 * brought the thread back passed the probe unseen.  The next one sets the record
 * right (bpf/account.h), so make one.
 */
static bool catch_up(struct equant_probe *probe)
{
	struct bpf_source *source = probe->data;

	if (source->stuck || probe->tid != gettid())
		return false;
	force_switch();
	source->stuck = source->record->state != EQUANT_STATE_RUN;
	return true;
}

static void bpf_read(struct equant_probe *probe, struct equant_counters *now)
{
	const struct bpf_source *source = probe->data;

	if (read_counters(source, now) != EQUANT_STATE_RUN && catch_up(probe))
		read_counters(source, now);
}

static uint64_t scaled(uint64_t ns, uint32_t share)
{
	return (ns >> EQUANT_SHARE_SHIFT) * share +
	       (((ns & (EQUANT_SHARE_ONE - 1)) * share) >> EQUANT_SHARE_SHIFT);
}

static double fraction(uint32_t share)
{
	return (double)share / EQUANT_SHARE_ONE;
}

static void fill_counters(const struct equant_record *r, struct equant_status *status)
{
	uint64_t now = status->now.t_ns, pending = equant_since(now, r->t_state);
	bool runnable = r->state == EQUANT_STATE_RUN || r->state == EQUANT_STATE_WAIT;

	status->now.run_ns = r->run_ns + (r->state == EQUANT_STATE_RUN ? pending : 0);
	status->now.wait_ns = r->wait_ns + (r->state == EQUANT_STATE_WAIT ? pending : 0);
	status->share_ns = r->share_ns;
	if (runnable)
		status->share_ns += scaled(equant_since(now, r->t_share), r->share_now);
	status->switches = r->switches;
	status->preemptions = r->preemptions;
	status->yields = r->yields;
	status->blocks = r->blocks;
	status->migrations = r->migrations;
}

static uint64_t hold_ns(const struct equant_table *table, uint64_t quantum)
{
	uint64_t longest = (uint64_t)EQUANT_HOLD_TICKS * table->tick_ns;

	if (!quantum)
		quantum = FALLBACK_QUANTUM_NS;
	return quantum < longest ? quantum : longest;
}

/*
 * A share counts once it has held; until then the last one that did, unless
 * that one had outlived its time.
 */
static void fill_shares(const struct equant_table *table, const struct equant_record *r,
			bool caught_up, struct equant_status *status)
{
	uint64_t now = status->now.t_ns, quantum = r->quantum_ns;
	bool held;

	if (!quantum)
		quantum = table->default_quantum_ns;
	status->quantum_ns = quantum;
	held = caught_up || equant_since(now, r->t_epoch) >= hold_ns(table, quantum);
	status->share = fraction(held ? r->share_now : r->share_prev);
	status->settled = fraction(held ? r->share_settled : r->settled_prev);
	status->t_epoch_ns = r->t_epoch;
	status->epoch = r->epoch;
	status->changes = r->changes;
}

static void fill_episodes(const struct equant_record *r, struct equant_status *status)
{
	status->contended_ns = r->contended_ns;
	if (r->t_contended)
		status->contended_ns += equant_since(status->now.t_ns, r->t_contended);
	status->episodes = r->episodes;
	status->long_episodes = r->long_episodes;
	status->long_ns = r->long_ns;
}

static void bpf_status(struct equant_probe *probe, struct equant_status *status)
{
	const struct bpf_source *source = probe->data;
	struct equant_record r;
	bool caught_up;

	status->now.t_ns = snapshot(source->record, &r);
	caught_up = r.state != EQUANT_STATE_RUN && catch_up(probe);
	if (caught_up)
		status->now.t_ns = snapshot(source->record, &r);
	fill_counters(&r, status);
	fill_shares(source->table, &r, caught_up, status);
	status->flags = r.flags;
	status->runnable = r.nr_runnable;
	status->cpu = r.cpu;
	fill_episodes(&r, status);
}

/* ---- the table ---- */

static int get_pinned(const char *path)
{
	union bpf_attr attr = { .pathname = (uintptr_t)path };
	long fd = syscall(SYS_bpf, BPF_OBJ_GET, &attr, sizeof(attr));

	return fd < 0 ? -errno : (int)fd;
}

static int explain_open(int error, char *why, size_t why_size)
{
	const char *text = "";

	if (error == -ENOENT)
		text = "the probe is not loaded (root: equant probe load)";
	else if (error == -EACCES)
		text = "no access to " EQUANT_BPF_TABLE
		       " (a group may own it, or /sys/fs/bpf is closed)";
	else if (error == -ENOSYS || error == -EPERM)
		text = "this kernel or container does not allow bpf(2)";
	if (*text)
		equant_say(why, why_size, "%s", text);
	else
		equant_say(why, why_size, EQUANT_BPF_TABLE ": %s", strerror(-error));
	return error == -ENOENT ? -ENODEV : error;
}

/* Only root's table is to be believed. */
static int open_table(char *why, size_t why_size)
{
	struct stat owner;
	int fd;

	fd = get_pinned(EQUANT_BPF_TABLE);
	if (fd < 0)
		return explain_open(fd, why, why_size);
	if (stat(EQUANT_BPF_TABLE, &owner) || (owner.st_uid != 0 && owner.st_uid != OVERFLOW_UID)) {
		equant_say(why, why_size, EQUANT_BPF_TABLE " does not belong to root");
		close(fd);
		return -EPERM;
	}
	return fd;
}

static int check_header(const struct equant_table *table, char *why, size_t why_size)
{
	if (table->magic != EQUANT_TABLE_MAGIC || table->version != EQUANT_ABI_VERSION ||
	    table->record_size != EQUANT_RECORD_SIZE) {
		equant_say(
			why, why_size,
			"the loaded probe has ABI version %u, record size %u; expected %u and %u (root: equant probe load --replace)",
			table->version, table->record_size, EQUANT_ABI_VERSION, EQUANT_RECORD_SIZE);
		return -EPROTO;
	}
	if (table->state == EQUANT_TABLE_LIVE)
		return 0;
	equant_say(why, why_size, "the probe is %s",
		   table->state == EQUANT_TABLE_DEAD ? "being unloaded" : "being loaded");
	return -ENODEV;
}

static const struct equant_table *map_bytes(int fd, size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

/* The header tells how much there is to map. */
static int map_table(struct bpf_source *source, int fd, char *why, size_t why_size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const struct equant_table *header;
	int ret;

	header = map_bytes(fd, page);
	if (!header) {
		ret = -errno;
		equant_say(why, why_size, EQUANT_BPF_TABLE ": mmap: %s", strerror(-ret));
		return ret;
	}
	ret = check_header(header, why, why_size);
	source->size = ((size_t)header->nr_records + 1) * EQUANT_RECORD_SIZE;
	source->size = (source->size + page - 1) / page * page;
	munmap((void *)header, page);
	if (ret)
		return ret;
	source->table = map_bytes(fd, source->size);
	if (source->table)
		return 0;
	ret = -errno;
	equant_say(why, why_size, EQUANT_BPF_TABLE ": mmap: %s", strerror(-ret));
	return ret;
}

/* ---- registration ---- */

static void identify(struct identity *me)
{
	struct stat ns;

	me->tid = (uint32_t)gettid();
	me->tgid = (uint32_t)getpid();
	me->ns_inode = stat("/proc/self/ns/pid", &ns) ? 0 : (uint32_t)ns.st_ino;
	if (getrandom(&me->cookie, sizeof(me->cookie), GRND_NONBLOCK) != sizeof(me->cookie))
		me->cookie = equant_clock_ns(CLOCK_MONOTONIC) << 20 ^ me->tid;
}

static const struct equant_record *record_at(const struct bpf_source *source, uint32_t index)
{
	return (const struct equant_record *)source->table + index;
}

/*
 * Without /proc the cookie must match.  With it the kernel's word on thread and
 * namespace is enough, which lets a second probe of the thread share its record.
 */
static bool is_mine(const struct equant_record *record, const struct identity *me)
{
	struct equant_record r;

	snapshot(record, &r);
	if (r.state == EQUANT_STATE_FREE || r.tid != me->tid || r.tgid != me->tgid)
		return false;
	return me->ns_inode ? r.ns_inode == me->ns_inode : r.cookie == me->cookie;
}

static const struct equant_record *find_record(const struct bpf_source *source,
					       const struct identity *me)
{
	const struct equant_record *shared = NULL, *record;

	for (uint32_t i = 1; i <= source->table->nr_records; i++) {
		record = record_at(source, i);
		if (record->tid != me->tid || !is_mine(record, me))
			continue;
		if (record->cookie == me->cookie)
			return record;
		shared = record;
	}
	return shared;
}

/* Ask once.  -EAGAIN: ask again after a switch. */
static int ask(struct bpf_source *source, const struct identity *me)
{
	const struct equant_table *table = source->table;
	uint64_t full = table->refused_full, user = table->refused_user;
	int index = prctl(EQUANT_PRCTL, EQUANT_PRCTL_ATTACH, me->cookie, 0, 0);

	if (table->features & EQUANT_TABLE_PRCTL_ANSWERS) {
		if (index < 0)
			return -errno;
		if (index == 0 || (uint32_t)index > table->nr_records)
			return -EPROTO;
		source->record = record_at(source, (uint32_t)index);
		return is_mine(source->record, me) ? 0 : -EAGAIN;
	}
	source->record = find_record(source, me);
	if (source->record)
		return 0;
	/* Somebody else's refusal may be mistaken for ours; the next try tells. */
	if (table->refused_full != full)
		return -EUSERS;
	return table->refused_user != user ? -EDQUOT : -EAGAIN;
}

/* Being switched once starts the record, ends a pending detach, and proves it is ours. */
static bool moves_with_us(const struct bpf_source *source, const struct identity *me)
{
	uint64_t before = source->record->switches;

	force_switch();
	return is_mine(source->record, me) && source->record->switches != before;
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

static int enlist(struct bpf_source *source, char *why, size_t why_size)
{
	struct identity me;
	int ret = -EAGAIN;

	identify(&me);
	for (int i = 0; i < ATTACH_TRIES; i++) {
		ret = ask(source, &me);
		if (!ret && moves_with_us(source, &me))
			return 0;
		if (!ret)
			prctl(EQUANT_PRCTL, EQUANT_PRCTL_DETACH, 0, 0, 0);
		else if (ret != -EAGAIN)
			break;
		ret = -EAGAIN;
		force_switch();
	}
	return explain_ask(ret, why, why_size);
}

static int attach(struct bpf_source *source, char *why, size_t why_size)
{
	int fd, ret;

	fd = open_table(why, why_size);
	if (fd < 0)
		return fd;
	ret = map_table(source, fd, why, why_size);
	close(fd);
	if (ret)
		return ret;
	ret = enlist(source, why, why_size);
	if (ret)
		munmap((void *)source->table, source->size);
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
	source->t_attach = source->record->t_attach;
	source->usage = count_switches();
	source->switches = source->record->switches;
	if (!(source->table->features & EQUANT_TABLE_PREDICTS))
		probe->features &= ~EQUANT_PROBE_PREDICTS;
	probe->data = source;
	return 0;
}

/* The record is freed when the thread is next switched; not left to chance. */
static void bpf_close(struct equant_probe *probe, bool owner)
{
	struct bpf_source *source = probe->data;

	if (owner && probe->tid == gettid()) {
		prctl(EQUANT_PRCTL, EQUANT_PRCTL_DETACH, 0, 0, 0);
		force_switch();
	}
	munmap((void *)source->table, source->size);
	free(source);
}

/* getrusage() first: the record, read later, cannot lag behind unless it stands still. */
static int bpf_check(struct equant_probe *probe, char *why, size_t why_size)
{
	struct bpf_source *source = probe->data;
	uint64_t usage = count_switches();
	const char *text = NULL;
	struct equant_record r;

	snapshot(source->record, &r);
	if (source->table->state != EQUANT_TABLE_LIVE)
		text = "the probe was unloaded";
	else if (r.state == EQUANT_STATE_FREE || r.tid != (uint32_t)probe->tid ||
		 r.t_attach != source->t_attach)
		text = "the record is no longer this thread's";
	else if (usage != source->usage && r.switches == source->switches)
		text = "the record stands still although the thread was switched (programs detached?)";
	source->usage = usage;
	source->switches = r.switches;
	source->stuck = false;
	if (text)
		equant_say(why, why_size, "%s", text);
	return text != NULL;
}

const struct equant_probe_ops equant_probe_bpf = {
	.name = "bpf",
	.features = EQUANT_PROBE_RUN | EQUANT_PROBE_WAIT | EQUANT_PROBE_QUANTUM |
		    EQUANT_PROBE_PREDICTS,
	.summary = "the kernel's own record of this thread, with predicted shares",
	.open = bpf_open,
	.close = bpf_close,
	.read = bpf_read,
	.status = bpf_status,
	.check = bpf_check,
};
