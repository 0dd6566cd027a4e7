/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What differs from kernel to kernel, from 6.1 on: HAVE_* come from Kbuild, which
 * looks into the kernel's headers.  Nothing is read from the scheduler that they do
 * not show.
 */
#ifndef EQUANT_KMOD_KERNELS_H
#define EQUANT_KMOD_KERNELS_H

#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/sched.h>

#ifdef HAVE_URING_CMD_HEADER
#include <linux/io_uring/cmd.h>
#else
#include <linux/io_uring.h>
#endif

#ifndef CONFIG_FAIR_GROUP_SCHED
#error "equant needs CONFIG_FAIR_GROUP_SCHED, as distributions have it"
#endif

/* Such a task leaves its queue without a hook. */
#ifdef CONFIG_SCHED_PROXY_EXEC
#error "equant does not follow tasks that wait for a mutex and stay queued (CONFIG_SCHED_PROXY_EXEC)"
#endif

/* Asleep, but left in the queue until it would be its turn. */
static inline bool is_delayed(const struct sched_entity *se)
{
#ifdef HAVE_DELAYED_DEQUEUE
	return se->sched_delayed;
#else
	return false;
#endif
}

#ifdef HAVE_CONFIGURED_SLICE
#define CONFIGURED_SLICE_FEATURE EQUANT_TABLE_CONFIGURED_SLICE
#else
#define CONFIGURED_SLICE_FEATURE 0
#endif

/* The slice that was set for the task, or the scheduler's own; 0 = there is none. */
static inline u32 configured_slice(const struct task_struct *task)
{
#ifdef HAVE_CONFIGURED_SLICE
	return min_t(u64, task->se.slice, U32_MAX);
#else
	return 0;
#endif
}

static inline void change_vma_flags(struct vm_area_struct *vma, unsigned long set,
				    unsigned long clear)
{
#ifdef HAVE_VM_FLAGS_MOD
	vm_flags_mod(vma, set, clear);
#else
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
#endif
}

/* The bytes at sqe->cmd. */
static inline const void *uring_argument(const struct io_uring_cmd *cmd)
{
#if defined(io_uring_sqe_cmd) /* as a macro it is told the type */
	return io_uring_sqe_cmd(cmd->sqe, struct equant_uring);
#elif defined(HAVE_URING_SQE)
	return io_uring_sqe_cmd(cmd->sqe);
#else
	return cmd->cmd;
#endif
}

static inline void set_up_timer(struct hrtimer *timer,
				enum hrtimer_restart (*function)(struct hrtimer *timer))
{
#ifdef HAVE_HRTIMER_SETUP
	hrtimer_setup(timer, function, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	timer->function = function;
#endif
}

/* The last argument of sched_process_exit, which nobody here needs. */
#ifdef HAVE_GROUP_DEAD
#define EXIT_ARGUMENTS struct task_struct *task, bool group_dead
#else
#define EXIT_ARGUMENTS struct task_struct *task
#endif

#endif /* EQUANT_KMOD_KERNELS_H */
