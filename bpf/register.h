/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a task gets a record and gives it back.
 *
 * A task registers itself, from prctl(2), and writes into a record that nobody
 * else knows yet; only then is the slot published in its task storage.  From
 * there on the record belongs to the run-queue lock: detach, exec and exit run
 * without it and only ask for the slot to be freed, which happens at the task's
 * next switch-out, its last one if it is dead, or with the task itself.
 */
#ifndef EQUANT_BPF_REGISTER_H
#define EQUANT_BPF_REGISTER_H

#include "account.h"

#define CLAIM_SPINS 512

/*
 * Of who holds claim_lock.  Not on its stack: a verifier before 6.7 takes what bpf_loop() makes of
 * that for what one turn makes of it, and leaves out what cannot be after one.
 */
u32 claim_uid;
u32 claim_free; /* the first free slot, 0 = none */
u32 claim_used;
u32 claim_mine; /* of them this user's */

static long claim_step(u32 index, void *unused)
{
	struct slot *s = slot_of(index + 1);

	if (!s)
		return 1;
	if (s->used) {
		claim_used++;
		claim_mine += s->uid == claim_uid;
	} else if (!claim_free) {
		claim_free = index + 1;
	}
	return 0;
}

/*
 * Held for one pass over the slots, so that limits are exact.  Slots are freed
 * without it: a pass may count one too many, never one too few.
 */
static __always_inline bool claim_trylock(void)
{
	for (int i = 0; i < CLAIM_SPINS; i++)
		if (!__sync_val_compare_and_swap(&claim_lock, 0, 1))
			return true;
	return false;
}

static __always_inline void claim_unlock(void)
{
	__sync_lock_test_and_set(&claim_lock, 0);
}

static __always_inline long claim_slot(struct equant_table *header)
{
	long ret = -EUSERS;
	struct slot *s;

	if (!claim_trylock())
		return -EAGAIN;
	claim_uid = (u32)bpf_get_current_uid_gid();
	claim_free = claim_used = claim_mine = 0;
	bpf_loop(nr_records, claim_step, NULL, 0);
	s = slot_of(claim_free);
	if (!claim_free || !s || (claim_uid && claim_used + root_reserve >= nr_records)) {
		__sync_fetch_and_add(&header->refused_full, 1);
	} else if (claim_uid && per_user_limit && claim_mine >= per_user_limit) {
		__sync_fetch_and_add(&header->refused_user, 1);
		ret = -EDQUOT;
	} else {
		s->uid = claim_uid;
		s->used = 1;
		ret = claim_free;
	}
	claim_unlock();
	return ret;
}

/* Process ids as the task's own namespace shows them. */
static __always_inline u32 pid_in_own_namespace(struct task_struct *task, u32 *inode)
{
	struct pid *pid = task->thread_pid;
	struct upid upid = {};

	bpf_core_read(&upid, sizeof(upid), &pid->numbers[pid->level]);
	if (inode)
		*inode = BPF_CORE_READ(upid.ns, ns.inum);
	return upid.nr;
}

static __always_inline void introduce(struct equant_record *r, struct task_struct *task, u64 cookie)
{
	u64 now = bpf_ktime_get_ns();
	u32 seq, inode = 0;

	write_begin(r);
	seq = r->seq;
	__builtin_memset(r, 0, sizeof(*r));
	r->seq = seq;
	r->state = EQUANT_STATE_REGISTERED;
	r->cpu = -1;
	r->t_state = r->t_share = r->t_epoch = r->t_attach = now;
	r->share_now = r->share_settled = EQUANT_SHARE_ONE;
	r->share_prev = r->settled_prev = EQUANT_SHARE_ONE;
	r->version = EQUANT_ABI_VERSION;
	r->tid = pid_in_own_namespace(task, &inode);
	r->tgid = pid_in_own_namespace(task->group_leader, NULL);
	r->ns_inode = inode;
	r->cookie = cookie;
	write_end(r);
}

static __always_inline void prepare(struct slot *s, struct task_struct *task)
{
	s->key = 0;
	s->t_in = 0;
	s->exec_in = task->se.sum_exec_runtime;
	s->t_settled = 0;
	s->epoch_share = 0;
	s->held_share = EQUANT_SHARE_ONE;
	s->clean = 0;
	s->crowded = 0;
	s->unseen = 0;
	s->dying = 0;
	s->nr_contested = 0;
	s->task = (u64)task;
}

static __always_inline long attach_again(struct registration *reg)
{
	struct slot *s = slot_of(reg->slot);

	if (!s || s->dying)
		return -EAGAIN;
	reg->users++;
	return reg->slot;
}

static __always_inline long attach(u64 cookie)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct equant_table *header = table_header();
	struct registration *reg;
	struct equant_record *r;
	struct slot *s;
	long slot;

	reg = bpf_task_storage_get(&tasks, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!reg || !header)
		return -ENOMEM;
	if (reg->slot)
		return attach_again(reg);
	slot = claim_slot(header);
	if (slot < 0)
		return slot;
	r = record_of(slot);
	s = slot_of(slot);
	if (!r || !s)
		return -ENOMEM;
	introduce(r, task, cookie);
	prepare(s, task);
	__sync_fetch_and_add(&header->attached, 1);
	__sync_fetch_and_add(&header->nr_used, 1);
	__sync_fetch_and_add(&nr_registered, 1);
	reg->users = 1;
	barrier();
	reg->slot = slot;
	return slot;
}

/* Only the task itself gets here, and only its switch-out frees the slot. */
static __always_inline void request_release(struct task_struct *task)
{
	struct registration *reg;
	struct slot *s;

	if (!nr_registered)
		return;
	reg = registration_of(task);
	s = reg ? slot_of(reg->slot) : NULL;
	if (s)
		s->dying = 1;
}

static __always_inline long detach(void)
{
	struct registration *reg = registration_of(bpf_get_current_task_btf());
	struct slot *s = reg ? slot_of(reg->slot) : NULL;

	if (!s || s->dying)
		return -ENOENT;
	if (--reg->users == 0)
		s->dying = 1;
	return reg->slot;
}

/*
 * prctl(EQUANT_PRCTL, @op, @cookie): the record's index or -errno; 0 if @op is unknown.  What is only
 * tried, or is being replaced, does not answer in place of what serves.
 */
static __noinline long serve(u64 op, u64 cookie)
{
	struct equant_table *header = table_header();

	if (!header || header->state != EQUANT_TABLE_LIVE)
		return 0;
	if (op == EQUANT_PRCTL_ATTACH)
		return attach(cookie);
	if (op == EQUANT_PRCTL_DETACH)
		return detach();
	return 0;
}

/* Nobody writes the record meanwhile. */
static __always_inline void release(struct registration *reg, struct equant_record *r,
				    struct slot *s, struct equant_table *header)
{
	write_begin(r);
	r->state = EQUANT_STATE_FREE;
	r->tid = 0;
	r->tgid = 0;
	r->ns_inode = 0;
	r->cookie = 0;
	r->flags = 0;
	write_end(r);
	reg->slot = 0;
	reg->users = 0;
	s->task = 0;
	__sync_fetch_and_add(&header->nr_used, -1);
	__sync_fetch_and_add(&nr_registered, -1);
	s->used = 0; /* last: from here on it may be another task's */
}

/* At a switch-out, the run-queue lock held: free the slot of a task that asked for it. */
static __always_inline void release_dying(u32 slot, struct task_struct *task, u32 cpu)
{
	struct equant_table *header = table_header();
	struct equant_record *r = record_of(slot);
	struct slot *s = slot_of(slot);
	struct registration *reg;

	if (!r || !s || !s->dying || !header)
		return;
	reg = registration_of(task);
	if (!reg)
		return;
	delist(slot, cpu);
	release(reg, r, s, header);
}

/*
 * The task is off its CPU for ever.  It has its slot yet if its exit or its last switch has passed
 * unseen; a list that the slot is on finds it elsewhere.
 */
static __always_inline void release_dead(struct task_struct *task)
{
	struct registration *reg = registration_of(task);
	struct equant_table *header = table_header();
	struct equant_record *r;
	struct slot *s;

	if (!reg || !header)
		return;
	r = record_of(reg->slot);
	s = slot_of(reg->slot);
	if (r && s)
		release(reg, r, s, header);
}

#endif /* EQUANT_BPF_REGISTER_H */
