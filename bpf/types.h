/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel types the probe looks at, reduced to the members it reads.
 *
 * Offsets are relocated against the running kernel's BTF when the object is
 * loaded, so neither order nor completeness matters here.  Members that only
 * some kernels have are read behind bpf_core_field_exists(); where a member
 * changed its name both names are listed.
 */
#ifndef EQUANT_BPF_TYPES_H
#define EQUANT_BPF_TYPES_H

#include <linux/bpf.h>
#include <stdbool.h>

typedef __u8 u8;
typedef __u32 u32;
typedef __s32 s32;
typedef __u64 u64;

/* BPF_PROG() names every argument up to the last one used. */
#pragma clang diagnostic ignored "-Wunused-parameter"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct load_weight {
	unsigned long weight;
};

struct rb_node {
	unsigned long __rb_parent_color;
	struct rb_node *rb_right;
	struct rb_node *rb_left;
};

struct rb_root {
	struct rb_node *rb_node;
};

struct rb_root_cached {
	struct rb_root rb_root;
};

struct cfs_rq;
struct rq;

struct sched_entity {
	struct load_weight load;
	struct rb_node run_node;
	unsigned char on_rq;
	unsigned char sched_delayed; /* since 6.12 */
	u64 sum_exec_runtime;
	u64 prev_sum_exec_runtime; /* the same, at the last switch-in */
	u64 slice; /* since 6.6 */
	struct sched_entity *parent;
	struct cfs_rq *cfs_rq;
	struct cfs_rq *my_q;
};

struct task_group {
	struct cfs_rq **cfs_rq;
	unsigned long shares;
};

struct cfs_rq {
	struct load_weight load;
	unsigned int nr_queued; /* 6.14; before: */
	unsigned int nr_running;
	unsigned int h_nr_queued; /* 6.14; before: */
	unsigned int h_nr_running;
	unsigned int h_nr_runnable; /* 6.14; before: */
	unsigned int h_nr_delayed; /* 6.12 */
	struct rb_root_cached tasks_timeline;
	struct sched_entity *curr;
	struct rq *rq;
	struct task_group *tg;
	int runtime_enabled;
};

struct rq {
	unsigned int nr_running;
	struct cfs_rq cfs;
	int cpu;
};

struct ns_common {
	unsigned int inum;
};

struct pid_namespace {
	struct ns_common ns;
};

struct upid {
	int nr;
	struct pid_namespace *ns;
};

struct pid {
	unsigned int level;
	struct upid numbers[1];
};

struct thread_info {
	u32 cpu;
};

struct bpf_local_storage;

struct task_struct {
	struct thread_info thread_info;
	unsigned int cpu; /* where thread_info has none */
	int on_rq;
	int on_cpu;
	int prio;
	int pid;
	struct sched_entity se;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	struct bpf_local_storage *bpf_storage;
};

struct pt_regs {
	unsigned long di, si, dx, orig_ax; /* x86 */
	u64 regs[3]; /* arm64 */
	s32 syscallno;
};

#pragma clang attribute pop

#define MAX_RT_PRIO 100 /* include/linux/sched/prio.h */

/* Kernel-internal error numbers need no header of the build machine. */
#define ENOENT 2
#define EAGAIN 11
#define ENOMEM 12
#define EUSERS 87
#define EDQUOT 122

#endif /* EQUANT_BPF_TYPES_H */
