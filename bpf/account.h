/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a registered task's time goes, and which registered tasks a CPU has.
 * Every function here is called with the run-queue lock of the task's CPU held.
 */
#ifndef EQUANT_BPF_ACCOUNT_H
#define EQUANT_BPF_ACCOUNT_H

#include "share.h"

#define QUANTUM_SHIFT 3 /* the average forgets at 1/8 per slice */

/* Charge the time since the last change to the state it was spent in. */
static __always_inline void charge(struct equant_record *r, u64 now)
{
	u64 ns = now - r->t_state;

	integrate(r, now);
	if (r->state == EQUANT_STATE_RUN)
		r->run_ns += ns;
	else if (r->state == EQUANT_STATE_WAIT)
		r->wait_ns += ns;
	else if (r->state == EQUANT_STATE_SLEEP)
		r->sleep_ns += ns;
	r->t_state = now;
}

static __always_inline u64 at_most(u64 value, u64 limit)
{
	return value < limit ? value : limit;
}

/*
 * A switch may pass unseen: while other programs come to or leave the
 * tracepoint, and on some kernels when the task that is left is one of the
 * machine's own agent.  How long the task really ran, the scheduler has counted: when it
 * is switched out without having been switched in ...
 */
static __always_inline void make_up_switch_in(struct equant_record *r, struct slot *s,
					      struct task_struct *task, u64 now)
{
	u64 ran = task->se.sum_exec_runtime - task->se.prev_sum_exec_runtime;

	if (r->state != EQUANT_STATE_WAIT && r->state != EQUANT_STATE_SLEEP)
		return;
	ran = at_most(ran, now - r->t_state);
	s->t_in = now - ran;
	s->exec_in = task->se.sum_exec_runtime - ran;
	s->clean = 0;
	s->unseen = 1;
	charge(r, s->t_in);
	r->state = EQUANT_STATE_RUN;
}

/* ... and when it is switched in, or woken while it has no CPU, without having been switched out. */
static __always_inline void make_up_switch_out(struct equant_record *r, struct slot *s,
					       struct task_struct *task, bool blocked, u64 now)
{
	u64 ran = task->se.sum_exec_runtime - s->exec_in;

	if (r->state != EQUANT_STATE_RUN)
		return;
	charge(r, r->t_state + at_most(ran, now - r->t_state));
	if (blocked) {
		/* Not a switch: by those readers see that what hears of switches is still there. */
		r->state = EQUANT_STATE_SLEEP;
		r->blocks++;
		end_episode(r, r->t_state);
	} else {
		r->state = EQUANT_STATE_WAIT;
		r->switches++;
		r->preemptions++;
	}
}

/* The first slices are averaged evenly, so that one is as good as another. */
static __always_inline void learn_quantum(struct equant_record *r, u64 slice)
{
	u64 seen = r->slices < (1 << QUANTUM_SHIFT) - 1 ? r->slices : (1 << QUANTUM_SHIFT) - 1;

	r->quantum_ns = (r->quantum_ns * seen + at_most(slice, ~0u)) / (seen + 1);
	if (r->slices != ~0u)
		r->slices++;
}

static __always_inline bool is_runnable(struct task_struct *task, bool cast)
{
	return GET(task, se.on_rq) && !is_delayed(&task->se, cast);
}

/* Where it is not known the record is believed. */
static __always_inline bool has_cpu(struct task_struct *task)
{
	return !bpf_core_field_exists(task->on_cpu) || task->on_cpu;
}

/* Where the slot's task is, as seen under the lock of @cpu's run queue. */
enum where { IS_ELSEWHERE, IS_ASLEEP, IS_RUNNABLE };

/*
 * The record says where the task was; only the task says where it is.  A task
 * that is queued elsewhere belongs to that queue's lock.  on_rq is read before
 * the CPU because a remote wake-up sets the CPU first.
 */
__noinline int locate(u32 slot, u32 cpu)
{
	const bool cast = have_cast;
	struct slot *s = slot_of(slot);
	struct task_struct *task;
	bool runnable;

	if (!s || !s->task)
		return IS_ELSEWHERE;
	task = AS(struct task_struct, s->task);
	runnable = is_runnable(task, cast);
	barrier();
	if (cpu_of(task, cast) != cpu)
		return IS_ELSEWHERE;
	return runnable ? IS_RUNNABLE : IS_ASLEEP;
}

/* In whose context this runs has the CPU, whatever its record says. */
static __always_inline void notice_running(u32 slot, struct equant_record *r, u32 cpu)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct slot *s = slot_of(slot);

	if (!s || s->task != (u64)task || cpu != bpf_get_smp_processor_id())
		return;
	write_begin(r);
	make_up_switch_in(r, s, task, bpf_ktime_get_ns());
	write_end(r);
}

/*
 * Something changed on this CPU: look again at the registered tasks it has, but
 * for @done, which has been.  A slot that takes the place of one that left waits
 * for the next change.
 */
static __always_inline void refresh(u32 cpu, u32 done, u64 now)
{
	struct cpu_list *list = list_of(cpu);
	struct equant_record *r;
	u32 slot, nr, where;

	if (!predicts || !list)
		return;
	for (u32 i = 0; i < CPU_SLOTS; i++) {
		if (i >= list->nr)
			break;
		slot = list->slot[i];
		if (slot == done)
			continue;
		where = locate(slot, cpu);
		if (where == IS_ELSEWHERE) {
			nr = --list->nr;
			list->slot[i] = list->slot[nr & (CPU_SLOTS - 1)];
			continue;
		}
		r = record_of(slot);
		if (r && r->state == EQUANT_STATE_WAIT)
			notice_running(slot, r, cpu);
		/* A task on its way in is not in WAIT before its wake-up. */
		if (where == IS_RUNNABLE && r &&
		    (r->state == EQUANT_STATE_RUN || r->state == EQUANT_STATE_WAIT))
			compute_share(slot, now);
	}
}

/* Put the slot on the CPU's list; in a full list it replaces one that does not run. */
static __always_inline bool enlist(u32 slot, u32 cpu)
{
	struct cpu_list *list = list_of(cpu);
	u32 nr;

	if (!list)
		return false;
	nr = list->nr;
	for (u32 i = 0; i < CPU_SLOTS; i++)
		if (i < nr && list->slot[i] == slot)
			return true;
	if (nr < CPU_SLOTS) {
		list->slot[nr] = slot;
		list->nr = nr + 1;
		return true;
	}
	for (u32 i = 0; i < CPU_SLOTS; i++)
		if (locate(list->slot[i], cpu) != IS_RUNNABLE) {
			list->slot[i] = slot;
			return true;
		}
	return false;
}

static __always_inline void delist(u32 slot, u32 cpu)
{
	struct cpu_list *list = list_of(cpu);

	if (!list)
		return;
	for (u32 i = 0; i < CPU_SLOTS; i++)
		if (i < list->nr && list->slot[i] == slot) {
			u32 nr = --list->nr;

			list->slot[i] = list->slot[nr & (CPU_SLOTS - 1)];
			break;
		}
}

/* The task is runnable on @cpu, perhaps for the first time. */
static __always_inline void arrive(struct equant_record *r, struct slot *s, u32 slot, u32 cpu)
{
	s->crowded = !enlist(slot, cpu);
	if (r->cpu == (s32)cpu)
		return;
	if (r->cpu >= 0)
		r->migrations++;
	r->cpu = cpu;
	s->clean = 0;
}

static __always_inline void count_preemption(struct equant_record *r, struct slot *s, u64 slice,
					     struct task_struct *next)
{
	r->preemptions++;
	if (s->clean && next->pid)
		learn_quantum(r, slice);
}

static __always_inline void switch_out(u32 slot, struct task_struct *task, bool blocked,
				       struct task_struct *next, u64 now)
{
	struct equant_record *r = record_of(slot);
	struct slot *s = slot_of(slot);
	u64 slice;

	if (!r || !s)
		return;
	write_begin(r);
	make_up_switch_in(r, s, task, now);
	charge(r, now);
	r->switches++;
	slice = s->t_in ? now - s->t_in : 0;
	r->last_slice_ns = slice > ~0u ? ~0u : slice;
	if (blocked) {
		r->blocks++;
		r->state = EQUANT_STATE_SLEEP;
		end_episode(r, now);
	} else {
		r->state = EQUANT_STATE_WAIT;
		if (is_sched_yield(syscall_of(task)))
			r->yields++;
		else
			count_preemption(r, s, slice, next);
	}
	write_end(r);
	s->clean = 0;
}

/* @turn: from one who would have gone on; after others the rest of a slice may be left. */
static __always_inline void switch_in(u32 slot, struct task_struct *task, u32 cpu, bool turn,
				      u64 now)
{
	struct equant_record *r = record_of(slot);
	struct slot *s = slot_of(slot);

	if (!r || !s)
		return;
	write_begin(r);
	make_up_switch_out(r, s, task, false, now);
	charge(r, now);
	r->state = EQUANT_STATE_RUN;
	arrive(r, s, slot, cpu);
	if (bpf_core_field_exists(task->se.slice))
		r->slice_ns = task->se.slice;
	write_end(r);
	compute_share(slot, now);
	s->t_in = now;
	s->exec_in = task->se.sum_exec_runtime;
	s->clean = turn && r->share_now != EQUANT_SHARE_ONE;
}

static __always_inline void wake_up(u32 slot, struct task_struct *task, u32 cpu, u64 now)
{
	struct equant_record *r = record_of(slot);
	struct slot *s = slot_of(slot);

	if (!r || !s)
		return;
	/* A wake-up may find the task still running. */
	if (r->state != EQUANT_STATE_SLEEP && (r->state != EQUANT_STATE_RUN || has_cpu(task)))
		return;
	write_begin(r);
	make_up_switch_out(r, s, task, true, now);
	charge(r, now);
	r->state = EQUANT_STATE_WAIT;
	arrive(r, s, slot, cpu);
	write_end(r);
	compute_share(slot, now);
}

#endif /* EQUANT_BPF_ACCOUNT_H */
