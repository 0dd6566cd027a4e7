// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where an attached task's time goes: its record from switch to switch.
 *
 * All functions are called with attachment->lock held and interrupts off; those
 * that a hook calls have the run-queue lock of the task's CPU besides, so that
 * changes come in the order in which they happen.
 */
#include <linux/math64.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/pid_namespace.h>

#include <asm/syscall.h>
#include <asm/unistd.h>

#include "equant.h"

#define QUANTUM_SHIFT 3 /* the average forgets at 1/8 per slice */

/** equant_introduce() - make the record the task's, its state not known yet */
void equant_introduce(struct equant_attachment *a)
{
	struct pid_namespace *ns = task_active_pid_ns(a->task);
	struct equant_record *r = a->record;

	lockdep_assert_held(&a->lock);
	write_begin(r);
	memset((char *)r + sizeof(r->seq), 0, sizeof(*r) - sizeof(r->seq));
	r->state = EQUANT_STATE_REGISTERED;
	r->cpu = -1;
	r->share_now = EQUANT_SHARE_ONE;
	r->share_settled = EQUANT_SHARE_ONE;
	r->share_prev = EQUANT_SHARE_ONE;
	r->settled_prev = EQUANT_SHARE_ONE;
	r->version = EQUANT_ABI_VERSION;
	r->cookie = a->cookie;
	if (ns) {
		r->tid = task_pid_nr_ns(a->task, ns);
		r->tgid = task_tgid_nr_ns(a->task, ns);
		r->ns_inode = ns->ns.inum;
	}
	write_end(r);
	a->held_share = EQUANT_SHARE_ONE;
}

/** equant_count_from() - the record's times begin */
void equant_count_from(struct equant_attachment *a, u64 now)
{
	struct equant_record *r = a->record;

	lockdep_assert_held(&a->lock);
	write_begin(r);
	r->t_state = now;
	r->t_share = now;
	r->t_epoch = now;
	r->t_attach = now;
	write_end(r);
}

/** equant_retire_record() - nobody's record any more; its counters stay readable */
void equant_retire_record(struct equant_attachment *a)
{
	struct equant_record *r = a->record;

	lockdep_assert_held(&a->lock);
	write_begin(r);
	r->state = EQUANT_STATE_FREE;
	r->tid = 0;
	r->tgid = 0;
	r->ns_inode = 0;
	r->cookie = 0;
	r->flags = 0;
	write_end(r);
}

/* The first that is seen of a task tells what it has been doing since it was attached. */
static void suppose(struct equant_record *r, u32 state)
{
	if (r->state == EQUANT_STATE_REGISTERED)
		r->state = state;
}

/* Charge the time since the last change to the state it was spent in. */
static void charge(struct equant_record *r, u64 now)
{
	u64 ns = elapsed(r->t_state, now);

	equant_integrate(r, now);
	if (r->state == EQUANT_STATE_RUN)
		r->run_ns += ns;
	else if (r->state == EQUANT_STATE_WAIT)
		r->wait_ns += ns;
	else if (r->state == EQUANT_STATE_SLEEP)
		r->sleep_ns += ns;
	r->t_state += ns;
}

/* The first slices are averaged evenly, so that one is as good as another. */
static void learn_quantum(struct equant_record *r, u64 slice)
{
	u64 seen = min_t(u64, r->slices, (1 << QUANTUM_SHIFT) - 1);

	r->quantum_ns = div64_u64(r->quantum_ns * seen + min_t(u64, slice, U32_MAX), seen + 1);
	if (r->slices != U32_MAX)
		r->slices++;
}

/* sched_yield() counts as involuntary: nobody took the CPU away. */
static bool has_yielded(struct task_struct *task)
{
	return syscall_get_nr(task, task_pt_regs(task)) == __NR_sched_yield;
}

static void arrive(struct equant_attachment *a, int cpu)
{
	struct equant_record *r = a->record;

	if (r->cpu == cpu)
		return;
	if (r->cpu >= 0)
		r->migrations++;
	r->cpu = cpu;
	a->clean = false;
}

/** equant_begin() - the task is found runnable, and has been so since it was attached */
void equant_begin(struct equant_attachment *a, struct equant_cpu *cpu, u64 now)
{
	struct equant_record *r = a->record;

	lockdep_assert_held(&a->lock);
	write_begin(r);
	r->state = cpu->curr == a->task ? EQUANT_STATE_RUN : EQUANT_STATE_WAIT;
	r->cpu = cpu->cpu;
	r->slice_ns = configured_slice(a->task);
	write_end(r);
	equant_compute_share(a, cpu, now);
}

/** equant_begin_asleep() - the task is found asleep, and has been so since it was attached */
void equant_begin_asleep(struct equant_attachment *a)
{
	struct equant_record *r = a->record;

	lockdep_assert_held(&a->lock);
	write_begin(r);
	r->state = EQUANT_STATE_SLEEP;
	write_end(r);
}

/**
 * equant_switch_out() - the task loses its CPU
 * @a: the attachment
 * @blocked: because it sleeps
 * @next: who gets the CPU
 * @now: the time
 */
void equant_switch_out(struct equant_attachment *a, bool blocked, struct task_struct *next, u64 now)
{
	struct equant_record *r = a->record;
	u64 slice = a->t_in ? elapsed(a->t_in, now) : 0;

	lockdep_assert_held(&a->lock);
	write_begin(r);
	suppose(r, EQUANT_STATE_RUN);
	charge(r, now);
	r->switches++;
	r->last_slice_ns = min_t(u64, slice, U32_MAX);
	if (blocked) {
		r->blocks++;
		r->state = EQUANT_STATE_SLEEP;
		equant_end_episode(r, now);
	} else {
		r->state = EQUANT_STATE_WAIT;
		if (has_yielded(a->task)) {
			r->yields++;
		} else {
			r->preemptions++;
			if (a->clean && !is_idle_task(next))
				learn_quantum(r, slice);
		}
	}
	write_end(r);
	a->clean = false;
}

/**
 * equant_switch_in() - the task gets this CPU
 * @a: its attachment
 * @cpu: the CPU
 * @turn: from one who would have gone on; after others the rest of a slice may be left
 * @now: the time
 */
void equant_switch_in(struct equant_attachment *a, struct equant_cpu *cpu, bool turn, u64 now)
{
	struct equant_record *r = a->record;

	lockdep_assert_held(&a->lock);
	write_begin(r);
	suppose(r, EQUANT_STATE_WAIT);
	charge(r, now);
	r->state = EQUANT_STATE_RUN;
	arrive(a, cpu->cpu);
	r->slice_ns = configured_slice(a->task);
	write_end(r);
	equant_compute_share(a, cpu, now);
	a->t_in = now;
	a->clean = turn && r->share_now != EQUANT_SHARE_ONE;
	equant_watch_share(a, now);
}

/** equant_wake_up() - the task is runnable on this CPU; it may have been so before */
void equant_wake_up(struct equant_attachment *a, struct equant_cpu *cpu, u64 now)
{
	struct equant_record *r = a->record;

	lockdep_assert_held(&a->lock);
	if (r->state != EQUANT_STATE_SLEEP)
		return;
	write_begin(r);
	charge(r, now);
	r->state = EQUANT_STATE_WAIT;
	arrive(a, cpu->cpu);
	write_end(r);
	equant_compute_share(a, cpu, now);
	equant_watch_runnable(a, now);
}
