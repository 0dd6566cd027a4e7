// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Reading a record: copy it while nobody writes it, then extend what its state
 * names up to now.
 *
 * A record whose writer has gone looks like a thread that never waits; check()
 * compares its switch count with getrusage()'s.
 */
#include <sys/resource.h>
#include <unistd.h>

#include "probe/reader.h"

#define SNAPSHOT_TRIES 10000 /* a writer is in the record for a microsecond */
#define LONGEST_SLEEP_NS 1000000

static uint64_t count_switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return (uint64_t)usage.ru_nvcsw + (uint64_t)usage.ru_nivcsw;
}

/* Sleeping for any time at all does it, unless the time has passed before the thread sleeps. */
void equant_reader_force_switch(void)
{
	uint64_t before = count_switches();
	struct timespec moment;

	for (long ns = 1; ns <= LONGEST_SLEEP_NS; ns *= 10) {
		moment = (struct timespec){ .tv_nsec = ns };
		nanosleep(&moment, NULL);
		if (count_switches() != before)
			return;
	}
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

uint64_t equant_reader_snapshot(const struct equant_record *record, struct equant_record *copy)
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

/*
 * The record of a thread that has ended without giving it back becomes another thread's: then what
 * was read last holds.
 * Return: the state in the record.
 */
static uint32_t read_counters(struct equant_reader *reader, struct equant_counters *now)
{
	const volatile struct equant_record *record = reader->record;
	uint64_t t_state, t_attach;
	uint32_t seq, state;

	for (int i = 0; i < SNAPSHOT_TRIES; i++) {
		seq = load_seq(reader->record);
		state = record->state;
		t_state = record->t_state;
		t_attach = record->t_attach;
		now->run_ns = record->run_ns;
		now->wait_ns = record->wait_ns;
		now->t_ns = equant_clock_ns(CLOCK_MONOTONIC);
		if (same_seq(reader->record, seq))
			break;
	}
	if (t_attach != reader->t_attach) {
		now->run_ns = reader->run_ns;
		now->wait_ns = reader->wait_ns;
		return EQUANT_STATE_FREE;
	}
	if (state == EQUANT_STATE_RUN)
		now->run_ns += equant_since(now->t_ns, t_state);
	else if (state == EQUANT_STATE_WAIT)
		now->wait_ns += equant_since(now->t_ns, t_state);
	reader->run_ns = now->run_ns;
	reader->wait_ns = now->wait_ns;
	return state;
}

/*
 * Who reads its own record runs: if the record says otherwise, the switch that
 * brought the thread back passed the probe unseen.  The next one sets the record
 * right (bpf/account.h), so make one.
 */
static bool catch_up(struct equant_probe *probe)
{
	struct equant_reader *reader = probe->data;

	if (reader->stuck || probe->tid != gettid())
		return false;
	equant_reader_force_switch();
	reader->stuck = reader->record->state != EQUANT_STATE_RUN;
	return true;
}

void equant_reader_read(struct equant_probe *probe, struct equant_counters *now)
{
	struct equant_reader *reader = probe->data;

	if (read_counters(reader, now) != EQUANT_STATE_RUN && catch_up(probe))
		read_counters(reader, now);
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
		quantum = EQUANT_UNKNOWN_QUANTUM_NS;
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

void equant_reader_describe(const struct equant_table *table, const struct equant_record *r,
			    bool caught_up, struct equant_status *status)
{
	fill_counters(r, status);
	fill_shares(table, r, caught_up, status);
	fill_episodes(r, status);
	status->flags = r->flags;
	status->runnable = r->nr_runnable;
	status->cpu = r->cpu;
}

/* A thread that is no more: nobody is in its way. */
static struct equant_record as_it_was(const struct equant_reader *reader)
{
	return (struct equant_record){
		.state = EQUANT_STATE_FREE,
		.run_ns = reader->run_ns,
		.wait_ns = reader->wait_ns,
		.share_now = EQUANT_SHARE_ONE,
		.share_prev = EQUANT_SHARE_ONE,
		.share_settled = EQUANT_SHARE_ONE,
		.settled_prev = EQUANT_SHARE_ONE,
	};
}

void equant_reader_status(struct equant_probe *probe, struct equant_status *status)
{
	const struct equant_reader *reader = probe->data;
	struct equant_record r;
	bool caught_up;

	status->now.t_ns = equant_reader_snapshot(reader->record, &r);
	caught_up = r.state != EQUANT_STATE_RUN && catch_up(probe);
	if (caught_up)
		status->now.t_ns = equant_reader_snapshot(reader->record, &r);
	if (r.t_attach != reader->t_attach)
		r = as_it_was(reader);
	equant_reader_describe(reader->table, &r, caught_up, status);
}

void equant_reader_start(struct equant_probe *probe, struct equant_reader *reader)
{
	reader->t_attach = reader->record->t_attach;
	reader->switches = reader->record->switches;
	reader->usage = count_switches();
	if (!(reader->table->features & EQUANT_TABLE_PREDICTS))
		probe->features &= ~EQUANT_PROBE_PREDICTS;
	probe->data = reader;
}

/* A switch may pass unseen; the next one does not, unless there is nobody who would see it. */
static bool stands_still(const struct equant_probe *probe, struct equant_record *r)
{
	const struct equant_reader *reader = probe->data;

	if (probe->tid == gettid()) {
		equant_reader_force_switch();
		equant_reader_snapshot(reader->record, r);
	}
	return r->switches == reader->switches;
}

/*
 * getrusage() first: the record, read later, cannot lag behind unless it stands still.  And once
 * more after it: a switch between the two is in the record already, and would else be expected
 * of it the next time.
 */
int equant_reader_check(struct equant_probe *probe, char *why, size_t why_size)
{
	struct equant_reader *reader = probe->data;
	uint64_t usage = count_switches();
	const char *text = NULL;
	struct equant_record r;

	equant_reader_snapshot(reader->record, &r);
	if (reader->table->state != EQUANT_TABLE_LIVE)
		text = "the probe was unloaded";
	else if (r.state == EQUANT_STATE_FREE || r.tid != (uint32_t)probe->tid ||
		 r.t_attach != reader->t_attach)
		text = "the record is no longer this thread's";
	else if (usage != reader->usage && r.switches == reader->switches &&
		 stands_still(probe, &r))
		text = "the record stands still although the thread was switched (programs detached?)";
	reader->usage = r.switches == reader->switches ? usage : count_switches();
	reader->switches = r.switches;
	reader->stuck = false;
	reader->lost = text != NULL;
	if (text)
		equant_say(why, why_size, "%s", text);
	return reader->lost;
}
