// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attachments: a task, a file, a record.
 *
 * Life of an attachment: made and filled in; published in the hash table; found
 * by hooks; dead (the record is free, under attachment->lock) and unhashed, when the
 * task exits or executes, or on detach; freed after a grace period, always in
 * a context that may sleep.  The reference to the task keeps its pointer from being
 * another task's meanwhile.
 */
#include <linux/delay.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rculist.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "equant.h"

#define REAP_TRIES 50
#define REAP_PAUSE_MS 20

struct hlist_head equant_hash[1 << TASK_HASH_BITS];
static DEFINE_RAW_SPINLOCK(hash_lock);

/* Its time counts from when the hooks find it: a switch before would be missing. */
static void publish(struct equant_attachment *a)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&a->lock, flags);
	equant_count_from(a, equant_now());
	raw_spin_lock(&hash_lock);
	/* Where more are on a CPU than are looked at, those that were there first are. */
	hlist_add_tail_rcu(&a->hash, equant_bucket(a->task));
	raw_spin_unlock(&hash_lock);
	raw_spin_unlock_irqrestore(&a->lock, flags);
}

static void withdraw(struct equant_attachment *a)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&hash_lock, flags);
	if (!hlist_unhashed(&a->hash))
		hlist_del_init_rcu(&a->hash);
	raw_spin_unlock_irqrestore(&hash_lock, flags);
}

/* Return: was it alive? */
static bool kill(struct equant_attachment *a, bool task_gone)
{
	unsigned long flags;
	bool alive;

	raw_spin_lock_irqsave(&a->lock, flags);
	alive = !a->dead;
	if (alive) {
		if (task_gone)
			equant_watch_exit(a, equant_now());
		a->dead = true;
		equant_retire_record(a);
	}
	raw_spin_unlock_irqrestore(&a->lock, flags);
	withdraw(a);
	return alive;
}

/* Have it freed by somebody who may sleep. */
static void bury(struct equant_attachment *a)
{
	WRITE_ONCE(a->file->dying, true);
	irq_work_queue(&a->file->kick);
}

/**
 * equant_task_gone() - the task exits or has executed another program
 * @task: the task
 *
 * Context: any; attachments are freed later.
 */
void equant_task_gone(struct task_struct *task)
{
	struct equant_attachment *a;

	rcu_read_lock();
	hlist_for_each_entry_rcu_notrace(a, equant_bucket(task), hash)
		if (a->task == task && kill(a, true))
			bury(a);
	rcu_read_unlock();
}

/* No hook knows it any more; the timer may, for a moment.  file->lock is held. */
static void free_attachment(struct equant_file *file, struct equant_attachment *a)
{
	struct equant_table *header = equant_table_header(file);

	equant_leave_cpu(a);
	clear_bit(a->index, file->held);
	xa_erase(&file->attachments, a->index);
	put_task_struct(a->task);
	equant_return_record(file->user);
	/* Last: who sees that it is free may count on it. */
	smp_store_release(&header->nr_used, header->nr_used - 1);
	kfree_rcu(a, rcu);
	equant_tracking_put();
}

/* Free what is dead now.  file->lock is held. */
static void free_dead(struct equant_file *file)
{
	struct equant_attachment *a, *next;
	unsigned long index;
	LIST_HEAD(dead);

	lockdep_assert_held(&file->lock);
	xa_for_each(&file->attachments, index, a)
		if (READ_ONCE(a->dead)) {
			withdraw(a); /* who killed it may not have come to that yet */
			list_add_tail(&a->reaping, &dead);
		}
	if (list_empty(&dead))
		return;
	synchronize_rcu();
	list_for_each_entry_safe(a, next, &dead, reaping)
		free_attachment(file, a);
}

/** equant_reap() - work: free the attachments whose tasks are gone */
void equant_reap(struct work_struct *work)
{
	struct equant_file *file = container_of(work, struct equant_file, reap);

	mutex_lock(&file->lock);
	free_dead(file);
	mutex_unlock(&file->lock);
}

/* Return: none was busy. */
static bool reap_idle_files(void)
{
	struct equant_file *file;
	bool all = true;

	mutex_lock(&equant_files_lock);
	list_for_each_entry(file, &equant_files, list) {
		if (!mutex_trylock(&file->lock)) {
			all = false;
			continue;
		}
		free_dead(file);
		mutex_unlock(&file->lock);
	}
	mutex_unlock(&equant_files_lock);
	return all;
}

/*
 * The same for every file, at once: until then those tasks count for their users' limits.  For a file
 * that somebody keeps busy nobody waits with the list of all files locked, and not for ever.
 */
static void reap_files(void)
{
	int i;

	for (i = 0; i < REAP_TRIES && !reap_idle_files() && !fatal_signal_pending(current); i++)
		msleep(REAP_PAUSE_MS);
}

/** equant_detach() - 0 or -ENOENT */
int equant_detach(struct equant_file *file, u32 index)
{
	struct equant_attachment *a;
	int ret = -ENOENT;

	mutex_lock(&file->lock);
	a = xa_load(&file->attachments, index);
	if (a && kill(a, false)) {
		free_dead(file);
		ret = 0;
	}
	mutex_unlock(&file->lock);
	return ret;
}

/** equant_detach_all() - at the end of the file, or of the module's service */
void equant_detach_all(struct equant_file *file)
{
	struct equant_attachment *a;
	unsigned long index;

	mutex_lock(&file->lock);
	xa_for_each(&file->attachments, index, a)
		kill(a, false);
	free_dead(file);
	mutex_unlock(&file->lock);
}

static bool is_attached(struct equant_file *file, const struct task_struct *task)
{
	struct equant_attachment *a;
	unsigned long index;

	xa_for_each(&file->attachments, index, a)
		if (a->task == task && !READ_ONCE(a->dead))
			return true;
	return false;
}

/*
 * Each of a task's attachments costs at its switches, with interrupts off, so users get no more of them
 * than of a CPU's, however many files they open.  Files that attach at once may have some more.
 */
static bool is_crowded(const struct task_struct *task)
{
	struct equant_attachment *a;
	int nr = 0;

	rcu_read_lock();
	hlist_for_each_entry_rcu_notrace(a, equant_bucket(task), hash)
		nr += a->task == task && !READ_ONCE(a->dead);
	rcu_read_unlock();
	return nr >= CPU_ATTACHMENTS;
}

/* An attachment with a record in the file's table, known to nobody else yet. */
static struct equant_attachment *make(struct equant_file *file, struct task_struct *task,
				      const struct equant_attach *arg)
{
	struct equant_attachment *a = kzalloc(sizeof(*a), GFP_KERNEL_ACCOUNT);
	unsigned long flags;
	int ret;

	if (!a)
		return ERR_PTR(-ENOMEM);
	raw_spin_lock_init(&a->lock);
	a->where = -1;
	a->task = task;
	a->file = file;
	a->cookie = arg->cookie;
	/* A place only: snapshots find the attachment when it has a record. */
	ret = xa_alloc(&file->attachments, &a->index, NULL, XA_LIMIT(1, EQUANT_FILE_RECORDS),
		       GFP_KERNEL_ACCOUNT);
	if (ret) {
		kfree(a);
		return ERR_PTR(ret == -EBUSY ? -EUSERS : ret);
	}
	a->record = equant_table_record(file, a->index);
	if (IS_ERR(a->record)) {
		ret = PTR_ERR(a->record);
		xa_release(&file->attachments, a->index);
		kfree(a);
		return ERR_PTR(ret);
	}
	equant_watch_init(a, arg);
	raw_spin_lock_irqsave(&a->lock, flags);
	equant_introduce(a);
	raw_spin_unlock_irqrestore(&a->lock, flags);
	get_task_struct(task);
	/* Cannot fail: the place is there. */
	xa_store(&file->attachments, a->index, a, GFP_KERNEL_ACCOUNT);
	return a;
}

/*
 * What the task does now: runs or waits if it is on its CPU's list, sleeps if it is
 * on none, whatever the scheduler's queue still holds.  If it is on its way, or a hook was faster,
 * the hooks know.
 */
static void find_state(struct equant_attachment *a)
{
	struct equant_cpu *cpu = equant_cpu(task_cpu(a->task));
	unsigned long flags;
	bool runnable;

	raw_spin_lock_irqsave(&cpu->lock, flags);
	runnable = equant_is_tracked(cpu, a->task);
	if (runnable)
		equant_runnable(cpu, a->task);
	raw_spin_lock(&a->lock);
	if (!a->dead && a->record->state == EQUANT_STATE_REGISTERED) {
		if (runnable)
			equant_begin(a, cpu, equant_now());
		else if (!READ_ONCE(a->task->on_rq) || is_delayed(&a->task->se))
			equant_begin_asleep(a);
	}
	raw_spin_unlock(&a->lock);
	raw_spin_unlock_irqrestore(&cpu->lock, flags);
}

/* Called with the task's exec_update_lock held: it cannot become another program meanwhile. */
static int attach_task(struct equant_file *file, struct task_struct *task,
		       struct equant_attach *arg)
{
	struct equant_table *header = equant_table_header(file);
	struct equant_attachment *a;

	if (!equant_may_attach(task))
		return -EPERM;
	if (is_attached(file, task))
		return -EEXIST;
	if (is_crowded(task) && !capable(CAP_SYS_ADMIN))
		return -EBUSY;
	a = make(file, task, arg);
	if (IS_ERR(a))
		return PTR_ERR(a);
	WRITE_ONCE(header->nr_used, header->nr_used + 1);
	WRITE_ONCE(header->attached, header->attached + 1);
	publish(a);
	/* Pairs with the barriers in do_exit(): its hook finds the attachment, or this the flag. */
	smp_mb();
	if (READ_ONCE(task->flags) & PF_EXITING)
		equant_task_gone(task);
	find_state(a);
	arg->index = a->index;
	return 0;
}

/* One more task, if there is room.  file->lock is held. */
static int attach_counted(struct equant_file *file, struct task_struct *task,
			  struct equant_attach *arg)
{
	int ret;

	if (file->gone)
		return -ENODEV;
	ret = equant_take_record(file->user);
	if (ret)
		return ret;
	ret = equant_tracking_get();
	if (ret)
		goto return_record;
	ret = attach_task(file, task, arg);
	if (!ret)
		return 0;
	equant_tracking_put();
return_record:
	equant_return_record(file->user);
	return ret;
}

static struct task_struct *get_task(u32 tid)
{
	struct task_struct *task;
	struct pid *pid;

	if (!tid)
		return get_task_struct(current);
	pid = find_get_pid(tid);
	task = get_pid_task(pid, PIDTYPE_PID);
	put_pid(pid);
	return task;
}

/* file->lock is held. */
static int attach_locked(struct equant_file *file, struct task_struct *task,
			 struct equant_attach *arg)
{
	int ret = 0;

	lockdep_assert_held(&file->lock);
	if (READ_ONCE(task->flags) & PF_EXITING)
		return -ESRCH;
	if (arg->flags & EQUANT_ATTACH_EVENTS)
		ret = equant_queue_enable(&file->queue);
	return ret ?: attach_counted(file, task, arg);
}

/*
 * A task may take long to become another program, reading it or waiting for its old files: nobody waits for
 * that, and who watches attaches it later.  Nor is a task kept from that by somebody who must not attach
 * it, and takes long to be told so.
 */
static int try_attach(struct equant_file *file, struct task_struct *task, struct equant_attach *arg)
{
	int ret = -EPERM;

	if (equant_may_attach(task))
		ret = down_read_trylock(&task->signal->exec_update_lock) ? 0 : -EAGAIN;
	if (ret)
		return ret;
	mutex_lock(&file->lock);
	ret = attach_locked(file, task, arg);
	mutex_unlock(&file->lock);
	up_read(&task->signal->exec_update_lock);
	return ret;
}

static void count_refusal(struct equant_file *file, int reason)
{
	struct equant_table *header = equant_table_header(file);

	mutex_lock(&file->lock);
	if (reason == -EUSERS)
		WRITE_ONCE(header->refused_full, header->refused_full + 1);
	if (reason == -EDQUOT)
		WRITE_ONCE(header->refused_user, header->refused_user + 1);
	mutex_unlock(&file->lock);
}

static bool is_refusal(int ret)
{
	return ret == -EUSERS || ret == -EDQUOT;
}

/** equant_attach() - attach the task that @arg names; 0 and arg->index, or -errno */
int equant_attach(struct equant_file *file, struct equant_attach *arg)
{
	struct task_struct *task = get_task(arg->tid);
	int ret;

	if (!task)
		return -ESRCH;
	ret = try_attach(file, task, arg);
	if (is_refusal(ret)) {
		reap_files();
		ret = try_attach(file, task, arg);
	}
	if (is_refusal(ret))
		count_refusal(file, ret);
	put_task_struct(task);
	return ret;
}

static bool is_listed_before(const struct hlist_head *bucket, const struct equant_attachment *a)
{
	const struct equant_attachment *other;

	hlist_for_each_entry_rcu(other, bucket, hash) {
		if (other == a)
			return false;
		if (other->task == a->task)
			return true;
	}
	return false;
}

/** equant_list() - @tids receives the first @nr of the tasks that the caller could attach */
u32 equant_list(u32 *tids, u32 nr)
{
	struct equant_attachment *a;
	u32 i, tid, total = 0;

	rcu_read_lock();
	for (i = 0; i < ARRAY_SIZE(equant_hash); i++)
		hlist_for_each_entry_rcu(a, &equant_hash[i], hash) {
			tid = task_pid_vnr(a->task);
			if (!tid || is_listed_before(&equant_hash[i], a) ||
			    !equant_may_attach(a->task))
				continue;
			if (total < nr)
				tids[total] = tid;
			total++;
		}
	rcu_read_unlock();
	return total;
}
