/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the probe remembers: its maps, its configuration, its private side of
 * each record.
 *
 * A record, its slot and the list of the CPU its task is queued on are
 * protected by that CPU's run-queue lock, which the scheduler holds in every
 * hook that touches them.  A task's own entry in task storage is written in
 * that task's context and at its switch-out.
 */
#ifndef EQUANT_BPF_STATE_H
#define EQUANT_BPF_STATE_H

#include "kernel.h"
#include <equant/abi.h>

#define barrier() asm volatile("" ::: "memory")

#define CPU_SLOTS 16 /* registered tasks followed per CPU */
#define GROUP_LEVELS 8 /* queues followed, from the task's own up */

/* Configuration, set by the loader before the programs are verified. */
const volatile u32 nr_cpus = 1;
const volatile u32 nr_records = 1024;
const volatile u32 per_user_limit;
const volatile u32 root_reserve;
const volatile u32 tick_ns = 4000000;
const volatile bool have_cast; /* the kernel has bpf_rdonly_cast() */
const volatile bool predicts; /* BTF has all that share.h needs */
const volatile bool weakly_ordered; /* stores of this CPU may be seen out of order */

u32 nr_registered; /* 0 lets every hook return at once */
u32 claim_lock; /* see register.h */

/* A pending walk over the entities queued on one level; see share.h. */
struct walk {
	u64 node;
	u64 own; /* the entity whose fraction is wanted */
	u64 own_weight;
	u64 own_settled;
	u64 weight; /* of the runnable entities */
	u64 settled; /* the same, once group weights have converged */
	u32 climbing;
	u32 foresee; /* settled weights are wanted */
};

struct contested_level {
	u64 entity;
	u64 queue;
};

/* The private side of a record. */
struct slot {
	u64 task; /* 0 = nobody */
	u64 key; /* of the state that the shares were computed from */
	u64 t_in; /* switched in, 0 = not seen yet */
	u64 exec_in; /* the scheduler's own count of run time, then */
	u64 t_settled;
	u32 used;
	u32 uid;
	u32 epoch_share; /* share_now when its epoch began, 0 = no share yet */
	u32 held_share; /* the last share that held for some quanta */
	u32 clean; /* this slice is a turn among as many tasks as when it began, so far */
	u32 crowded;
	u32 unseen; /* a switch was, since the shares were last looked at: they had outlived their time */
	u32 dying; /* detach, exec or exit seen: to be freed at the next switch-out */
	u32 nr_contested;
	struct contested_level contested[GROUP_LEVELS];
	struct walk walk;
};

/* Registered tasks last seen on a CPU. */
struct cpu_list {
	u32 nr;
	u32 incoming; /* a runnable one on its way from another CPU; a hint */
	u32 slot[CPU_SLOTS];
};

struct registration {
	u32 slot; /* 0 = not registered */
	u32 users; /* attaches not yet detached */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 2); /* set by the loader, as for the next two */
	__type(key, u32);
	__type(value, struct equant_record);
} table SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2);
	__type(key, u32);
	__type(value, struct slot);
} slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct cpu_list);
} cpus SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct registration);
} tasks SEC(".maps");

static __always_inline struct equant_table *table_header(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&table, &zero);
}

static __always_inline struct equant_record *record_of(u32 slot)
{
	return bpf_map_lookup_elem(&table, &slot);
}

static __always_inline struct slot *slot_of(u32 slot)
{
	return bpf_map_lookup_elem(&slots, &slot);
}

static __always_inline struct cpu_list *list_of(u32 cpu)
{
	return bpf_map_lookup_elem(&cpus, &cpu);
}

/*
 * Most tasks have no storage of any kind: a load instead of a helper call.  Of a task it trusts, the
 * verifier would look through all of the kernel's types, several times for each path that leads
 * here, whether what the member points to is to be trusted, too.
 */
static __always_inline bool may_be_registered(struct task_struct *task)
{
	const bool cast = have_cast;

	if (!bpf_core_field_exists(task->bpf_storage))
		return true;
	return cast ? AS(struct task_struct, (u64)task)->bpf_storage : task->bpf_storage;
}

static __always_inline struct registration *registration_of(struct task_struct *task)
{
	struct registration *reg;

	if (!may_be_registered(task))
		return NULL;
	reg = bpf_task_storage_get(&tasks, task, NULL, 0);
	return reg && reg->slot ? reg : NULL;
}

/* The slot of a task on @cpu, 0 = none.  The CPU's list is faster than task storage. */
static __always_inline u32 registered_slot(struct task_struct *task, u32 cpu)
{
	struct registration *reg;
	struct cpu_list *list;
	struct slot *s;

	if (!may_be_registered(task))
		return 0;
	list = list_of(cpu);
	if (list && list->nr) {
		s = slot_of(list->slot[0]);
		if (s && s->task == (u64)task)
			return list->slot[0];
	}
	reg = registration_of(task);
	return reg ? reg->slot : 0;
}

/*
 * Readers retry while ->seq is odd or has changed.  Where stores may pass each
 * other the counter is moved by a fetching atomic, which is a full barrier.
 */
static __always_inline void move_seq(struct equant_record *r)
{
	u32 old;

	if (weakly_ordered) {
		old = __sync_fetch_and_add(&r->seq, 1);
		asm volatile("" ::"r"(old));
	} else {
		barrier();
		r->seq++;
		barrier();
	}
}

#define write_begin(r) move_seq(r)
#define write_end(r) move_seq(r)

#endif /* EQUANT_BPF_STATE_H */
