// SPDX-License-Identifier: GPL-2.0-only
/*
 * equant's probe: measures where registered tasks' CPU time goes and what the
 * fair scheduler will give them.  It only watches; it changes nothing.
 *
 * The hooks and the locks they run under:
 *	sched_switch			this CPU's run-queue lock
 *	sched_wakeup			the lock of the woken task's run queue
 *	sched_update_nr_running_tp	the lock of that run queue
 *	sched_migrate_task		none that helps: leaves a hint only
 *	sched_process_exit, _exec	none: set a flag only
 *	sched_process_free		none: nobody else knows the task any more
 *	prctl				none: the task's own context
 */
#include "register.h"

char LICENSE[] SEC("license") = "GPL";

static __always_inline u32 load_cpu_of(struct task_struct *task)
{
	return cpu_of(task, true);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(equant_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	bool delayed, blocked;
	u32 cpu, slot;
	u64 now = 0;

	if (!nr_registered)
		return 0;
	cpu = bpf_get_smp_processor_id();
	delayed = is_delayed(&prev->se, true);
	blocked = !prev->on_rq || delayed;
	slot = registered_slot(prev, cpu);
	if (slot) {
		now = bpf_ktime_get_ns();
		switch_out(slot, prev, blocked, next, now);
		release_dying(slot, prev, cpu);
	}
	slot = registered_slot(next, cpu);
	if (slot) {
		now = now ?: bpf_ktime_get_ns();
		switch_in(slot, next, cpu, !blocked && prev->pid, now);
	}
	/* A delayed dequeue leaves the number of running tasks as it is. */
	if (delayed)
		refresh(cpu, slot, now);
	return 0;
}

SEC("tp_btf/sched_wakeup")
int BPF_PROG(equant_wakeup, struct task_struct *task)
{
	u64 now = 0;
	u32 cpu, slot;

	/* The running task may wake itself, and then without the lock. */
	if (!nr_registered || task == bpf_get_current_task_btf())
		return 0;
	cpu = load_cpu_of(task);
	slot = registered_slot(task, cpu);
	if (slot) {
		now = bpf_ktime_get_ns();
		wake_up(slot, task, cpu, now);
	}
	/* A sleeper that was still queued comes back without a change of nr_running. */
	refresh(cpu, slot, now);
	return 0;
}

SEC("tp_btf/sched_update_nr_running_tp")
int BPF_PROG(equant_nr_running, struct rq *rq, int change)
{
	struct equant_record *r;
	struct cpu_list *list;
	struct slot *s;
	u32 cpu, slot, where;

	if (!nr_registered)
		return 0;
	cpu = rq->cpu;
	list = list_of(cpu);
	if (!list)
		return 0;
	if (list->incoming && change > 0) {
		slot = list->incoming;
		r = record_of(slot);
		s = slot_of(slot);
		where = locate(slot, cpu);
		/* What was queued may have been another task; then that one is still on its way. */
		if (where != IS_ASLEEP)
			list->incoming = 0;
		if (r && s && where == IS_RUNNABLE) {
			write_begin(r);
			arrive(r, s, slot, cpu);
			write_end(r);
		}
	}
	refresh(cpu, 0, 0);
	return 0;
}

/* A task that is moved while it waits is not seen again before it runs. */
SEC("tp_btf/sched_migrate_task")
int BPF_PROG(equant_migrate, struct task_struct *task, int cpu)
{
	struct registration *reg;
	struct cpu_list *list;

	if (!nr_registered || !task->on_rq)
		return 0;
	reg = registration_of(task);
	list = list_of(cpu);
	if (reg && list)
		list->incoming = reg->slot;
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(equant_exit, struct task_struct *task)
{
	request_release(task);
	return 0;
}

SEC("tp_btf/sched_process_free")
int BPF_PROG(equant_free, struct task_struct *task)
{
	if (nr_registered)
		release_dead(task);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(equant_exec, struct task_struct *task)
{
	request_release(task);
	return 0;
}

/*
 * Four ways to hear of prctl(EQUANT_PRCTL); the loader takes the first that
 * works.  Only this one can answer: what it returns is what prctl returns.
 */
SEC("fmod_ret/security_task_prctl")
int BPF_PROG(equant_prctl_answer, int option, unsigned long op, unsigned long cookie)
{
	return (u32)option == EQUANT_PRCTL ? serve(op, cookie) : 0;
}

SEC("tp_btf/task_prctl_unknown")
int BPF_PROG(equant_prctl_unknown, int option, unsigned long op, unsigned long cookie)
{
	if ((u32)option == EQUANT_PRCTL)
		serve(op, cookie);
	return 0;
}

/*
 * The first three argument registers, of a call as of a system call.  Copied:
 * the context of a kprobe allows no computed address.
 */
static __always_inline void serve_registers(struct pt_regs *regs)
{
	u64 args[3] = {};

	if (bpf_core_field_exists(regs->di)) {
		args[0] = BPF_CORE_READ(regs, di);
		args[1] = BPF_CORE_READ(regs, si);
		args[2] = BPF_CORE_READ(regs, dx);
	} else if (bpf_core_field_exists(regs->regs)) {
		bpf_core_read(args, sizeof(args), &regs->regs);
	}
	if ((u32)args[0] == EQUANT_PRCTL)
		serve(args[1], args[2]);
}

SEC("kprobe/security_task_prctl")
int equant_prctl_kprobe(struct pt_regs *regs)
{
	serve_registers(regs);
	return 0;
}

/* Taxes every system call of the machine: only on demand. */
SEC("tp_btf/sys_enter")
int BPF_PROG(equant_prctl_sys_enter, struct pt_regs *regs, long nr)
{
	if (is_prctl(nr))
		serve_registers(regs);
	return 0;
}

/**
 * struct equant_mark - what the loader hands to equant_mark
 * @state: enum equant_table_state to set
 * @slice_ns: returns the caller's configured slice, 0 where there is none
 *
 * The table is frozen: once it is, this program alone can change its header.
 */
struct equant_mark {
	u32 state;
	u32 slice_ns;
};

SEC("syscall")
int equant_mark(struct equant_mark *mark)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct equant_table *header = table_header();

	if (!header)
		return -ENOENT;
	header->state = mark->state;
	if (bpf_core_field_exists(task->se.slice))
		mark->slice_ns = task->se.slice;
	return 0;
}
