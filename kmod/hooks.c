// SPDX-License-Identifier: GPL-2.0-only
/*
 * The scheduler's tracepoints, and the locks that their hooks run under:
 *	sched_switch			this CPU's run-queue lock
 *	sched_wakeup, _new		the lock of the woken task's run queue
 *	sched_migrate_task		of a queued task: the lock of the queue it leaves
 *	sched_update_nr_running_tp	the lock of that run queue
 *	sched_process_exit, _exec	none: the task's own context
 *
 * Preemption is off in all of them, which makes each an RCU reader.
 */
#include <linux/cpumask.h>
#include <linux/tracepoint.h>

#include <trace/events/sched.h>

#include "equant.h"

#define RUN_QUEUE_BYTES 16384 /* struct rq is smaller */

static struct cpumask incoming; /* CPUs that a runnable task is being moved to */
/* From a CPU's own memory to its fair queue, the same for all; 0 = not known yet. */
static unsigned long root_offset;

static void learn_root(const struct task_struct *task, int cpu)
{
	const struct sched_entity *se = &task->se;

	while (se->parent)
		se = se->parent;
	WRITE_ONCE(root_offset, (unsigned long)se->cfs_rq - per_cpu_offset(cpu));
}

/* The run queue is opaque, but the CPU's fair queue is a part of it. */
static bool is_run_queue_of(const struct rq *rq, int cpu)
{
	return READ_ONCE(root_offset) + per_cpu_offset(cpu) - (unsigned long)rq < RUN_QUEUE_BYTES;
}

static bool take_off(struct equant_cpu *cpu, struct task_struct *prev, struct task_struct *next,
		     bool blocked, u64 now)
{
	struct equant_attachment *a;
	bool changed = false;

	hlist_for_each_entry_rcu_notrace(a, equant_bucket(prev), hash) {
		if (a->task != prev)
			continue;
		raw_spin_lock(&a->lock);
		if (!a->dead)
			equant_switch_out(a, blocked, next, now);
		raw_spin_unlock(&a->lock);
	}
	if (blocked && !is_idle_task(prev))
		changed = equant_not_runnable(cpu, prev);
	return changed;
}

static void put_on(struct equant_cpu *cpu, struct task_struct *next, bool turn, u64 now)
{
	struct equant_attachment *a;

	cpu->curr = next;
	if (!is_idle_task(next))
		equant_runnable(cpu, next);
	hlist_for_each_entry_rcu_notrace(a, equant_bucket(next), hash) {
		if (a->task != next)
			continue;
		raw_spin_lock(&a->lock);
		if (!a->dead)
			equant_switch_in(a, cpu, turn, now);
		raw_spin_unlock(&a->lock);
	}
}

static void on_switch(void *data, bool preempt, struct task_struct *prev, struct task_struct *next,
		      unsigned int prev_state)
{
	struct equant_cpu *cpu = equant_cpu(raw_smp_processor_id());
	/* ->on_rq tells more than prev_state: a signal may have kept the task from sleeping. */
	bool blocked = !prev->on_rq || is_delayed(&prev->se);
	unsigned long flags;
	u64 now = equant_now();
	bool changed;

	if (!READ_ONCE(root_offset))
		learn_root(next, cpu->cpu);
	raw_spin_lock_irqsave(&cpu->lock, flags);
	changed = take_off(cpu, prev, next, blocked, now);
	put_on(cpu, next, !blocked && !is_idle_task(prev), now);
	if (changed)
		equant_refresh(cpu, now);
	raw_spin_unlock_irqrestore(&cpu->lock, flags);
}

static void on_wakeup(void *data, struct task_struct *task)
{
	struct equant_attachment *a;
	struct equant_cpu *cpu;
	unsigned long flags;
	u64 now;

	/* The running task may wake itself, and then without the lock; it never left. */
	if (task == current)
		return;
	cpu = equant_cpu(task_cpu(task));
	raw_spin_lock_irqsave(&cpu->lock, flags);
	now = equant_now();
	equant_runnable(cpu, task);
	hlist_for_each_entry_rcu_notrace(a, equant_bucket(task), hash) {
		if (a->task != task)
			continue;
		raw_spin_lock(&a->lock);
		if (!a->dead)
			equant_wake_up(a, cpu, now);
		raw_spin_unlock(&a->lock);
	}
	equant_refresh(cpu, now);
	raw_spin_unlock_irqrestore(&cpu->lock, flags);
}

/*
 * A sleeper that is woken elsewhere has not moved: its wake-up tells where it is.
 * Comes before the task is queued on its new CPU: the next hook there sees it.
 */
static void on_migrate(void *data, struct task_struct *task, int to)
{
	int from = task_cpu(task);
	struct equant_cpu *cpu;
	unsigned long flags;

	if (!task->on_rq || is_delayed(&task->se) || from == to)
		return;
	cpu = equant_cpu(from);
	raw_spin_lock_irqsave(&cpu->lock, flags);
	if (equant_not_runnable(cpu, task))
		equant_refresh(cpu, equant_now());
	raw_spin_unlock(&cpu->lock);
	cpu = equant_cpu(to);
	raw_spin_lock(&cpu->lock);
	equant_runnable(cpu, task);
	if (!list_empty(&cpu->attached))
		cpumask_set_cpu(to, &incoming);
	raw_spin_unlock_irqrestore(&cpu->lock, flags);
}

static void on_nr_running(void *data, struct rq *rq, int change)
{
	struct equant_cpu *cpu;
	unsigned long flags;
	int i;

	if (change <= 0 || cpumask_empty(&incoming) || !READ_ONCE(root_offset))
		return;
	for_each_cpu(i, &incoming) {
		if (!is_run_queue_of(rq, i))
			continue;
		cpumask_clear_cpu(i, &incoming);
		cpu = equant_cpu(i);
		raw_spin_lock_irqsave(&cpu->lock, flags);
		equant_refresh(cpu, equant_now());
		raw_spin_unlock_irqrestore(&cpu->lock, flags);
		break;
	}
}

static void on_exit(void *data, EXIT_ARGUMENTS)
{
	equant_task_gone(task);
}

/* What is executed now is another program, and perhaps another's. */
static void on_exec(void *data, struct task_struct *task, pid_t old_pid, struct linux_binprm *bprm)
{
	equant_task_gone(task);
}

static struct hook {
	const char *name;
	void *function;
	struct tracepoint *tracepoint;
} hooks[] = {
	{ .name = "sched_switch", .function = on_switch },
	{ .name = "sched_wakeup", .function = on_wakeup },
	{ .name = "sched_wakeup_new", .function = on_wakeup },
	{ .name = "sched_migrate_task", .function = on_migrate },
	{ .name = "sched_update_nr_running_tp", .function = on_nr_running },
	{ .name = "sched_process_exit", .function = on_exit },
	{ .name = "sched_process_exec", .function = on_exec },
};

/* The functions are of the types that the tracepoints call, or this does not compile. */
static void __maybe_unused check_types(void)
{
	check_trace_callback_type_sched_switch(on_switch);
	check_trace_callback_type_sched_wakeup(on_wakeup);
	check_trace_callback_type_sched_wakeup_new(on_wakeup);
	check_trace_callback_type_sched_migrate_task(on_migrate);
	check_trace_callback_type_sched_update_nr_running_tp(on_nr_running);
	check_trace_callback_type_sched_process_exit(on_exit);
	check_trace_callback_type_sched_process_exec(on_exec);
}

static void compare(struct tracepoint *tracepoint, void *data)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(hooks); i++)
		if (!strcmp(hooks[i].name, tracepoint->name))
			hooks[i].tracepoint = tracepoint;
}

/** equant_hooks_find() - look the tracepoints up; most are not exported.  0 or -ENOENT */
int equant_hooks_find(void)
{
	int i;

	for_each_kernel_tracepoint(compare, NULL);
	for (i = 0; i < ARRAY_SIZE(hooks); i++)
		if (!hooks[i].tracepoint) {
			pr_err(KBUILD_MODNAME ": this kernel has no tracepoint %s\n",
			       hooks[i].name);
			return -ENOENT;
		}
	return 0;
}

static void unregister(int nr)
{
	while (nr--)
		tracepoint_probe_unregister(hooks[nr].tracepoint, hooks[nr].function, NULL);
	tracepoint_synchronize_unregister();
}

/** equant_hooks_register() - from here on hooks are called; 0 or -errno */
int equant_hooks_register(void)
{
	int i, ret;

	cpumask_clear(&incoming);
	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		ret = tracepoint_probe_register(hooks[i].tracepoint, hooks[i].function, NULL);
		if (ret) {
			unregister(i);
			return ret;
		}
	}
	return 0;
}

/** equant_hooks_unregister() - when this returns no hook runs any more */
void equant_hooks_unregister(void)
{
	unregister(ARRAY_SIZE(hooks));
}
