/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading the scheduler's data from addresses.
 *
 * An address that has been in a map is a plain number to the verifier.  Where
 * bpf_rdonly_cast() exists (6.2) it becomes a typed pointer again, free of
 * charge, and members are plain loads that yield 0 on a fault; elsewhere each
 * member is copied by a helper.  Functions that use the two macros have a local
 * `cast`, whose value the verifier knows, so that only one way is left.
 */
#ifndef EQUANT_BPF_KERNEL_H
#define EQUANT_BPF_KERNEL_H

#include "types.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

extern void *bpf_rdonly_cast(const void *obj, u32 btf_id) __ksym __weak;

#define AS(type, address)                                                                          \
	((type *)(cast ? bpf_rdonly_cast((const void *)(address), bpf_core_type_id_kernel(type)) : \
			 (void *)(address)))

#define GET(pointer, member)                                                          \
	({                                                                            \
		typeof((pointer)->member) __value;                                    \
		if (cast)                                                             \
			__value = (pointer)->member;                                  \
		else                                                                  \
			bpf_core_read(&__value, sizeof(__value), &(pointer)->member); \
		__value;                                                              \
	})

static __always_inline u32 cpu_of(struct task_struct *task, bool cast)
{
	if (bpf_core_field_exists(task->thread_info.cpu))
		return GET(task, thread_info.cpu);
	return GET(task, cpu);
}

/* Asleep, but left in the queue until it would be its turn. */
static __always_inline bool is_delayed(struct sched_entity *se, bool cast)
{
	if (bpf_core_field_exists(se->sched_delayed))
		return GET(se, sched_delayed);
	return false;
}

/* Entities queued on this level. */
static __always_inline u32 nr_entities(struct cfs_rq *queue, bool cast)
{
	if (bpf_core_field_exists(queue->nr_queued))
		return GET(queue, nr_queued);
	return GET(queue, nr_running);
}

/* Tasks queued on this level and below. */
static __always_inline u32 nr_tasks(struct cfs_rq *queue, bool cast)
{
	if (bpf_core_field_exists(queue->h_nr_queued))
		return GET(queue, h_nr_queued);
	return GET(queue, h_nr_running);
}

/* Those of them, @tasks in all, that are asleep. */
static __always_inline u32 nr_delayed(struct cfs_rq *queue, u32 tasks, bool cast)
{
	if (bpf_core_field_exists(queue->h_nr_runnable))
		return tasks - GET(queue, h_nr_runnable);
	if (bpf_core_field_exists(queue->h_nr_delayed))
		return GET(queue, h_nr_delayed);
	return 0;
}

/* The number of the system call the task is in; -1 in an interrupt or a fault. */
static __always_inline long syscall_of(struct task_struct *task)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);

	if (bpf_core_field_exists(regs->orig_ax))
		return regs->orig_ax;
	if (bpf_core_field_exists(regs->syscallno))
		return regs->syscallno;
	return -1;
}

static __always_inline bool is_prctl(long nr)
{
	struct pt_regs *regs = NULL;

	if (bpf_core_field_exists(regs->orig_ax))
		return nr == 157; /* x86-64 */
	return nr == 167; /* the table that arm64 and riscv share */
}

static __always_inline bool is_sched_yield(long nr)
{
	struct pt_regs *regs = NULL;

	if (bpf_core_field_exists(regs->orig_ax))
		return nr == 24; /* x86-64 */
	return nr == 124; /* the table that arm64 and riscv share */
}

#endif /* EQUANT_BPF_KERNEL_H */
