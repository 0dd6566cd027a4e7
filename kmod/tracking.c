// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who is runnable on which CPU.
 *
 * The scheduler's own queues are opaque to modules, so the hooks keep a list of
 * runnable tasks for each CPU: +1 at a wake-up, -1 at a switch that blocks, moved
 * when a task is moved that is not asleep.  A task whose dequeue the scheduler
 * delays is asleep.
 *
 * What is on a list is alive: a task that dies is switched out for the last time
 * before it is freed, and its removal waits for cpu->lock.  Nothing else of the
 * scheduler is kept: entities and queues are looked up from the tasks each time,
 * since groups come and go without a hook.
 *
 * A list has an end.  Who does not fit is not counted, and is put on it when it is seen next, at the
 * latest when it gets the CPU, if there is room by then: nothing is remembered of it that could be wrong.
 *
 * Hooks are registered, and the lists filled by a walk over all threads, when
 * the first task is attached; some time after the last one they go again, so that an
 * idle module costs nothing.
 */
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "equant.h"

#define LINGER_MS 2000 /* hooks stay so long: changing them stops all CPUs for a moment */

static struct equant_cpu __percpu *cpus;

static DEFINE_MUTEX(tracking_lock);
static unsigned int nr_attached; /* tracking_lock */
static bool tracking; /* tracking_lock */

struct equant_cpu *equant_cpu(int cpu)
{
	return per_cpu_ptr(cpus, cpu);
}

/** equant_is_tracked() - is the task on this list?  cpu->lock is held. */
bool equant_is_tracked(struct equant_cpu *cpu, const struct task_struct *task)
{
	lockdep_assert_held(&cpu->lock);
	return crowd_has(&cpu->runnable, task);
}

static void enlist_attachments(struct equant_cpu *cpu, struct task_struct *task)
{
	struct equant_attachment *a;

	hlist_for_each_entry_rcu_notrace(a, equant_bucket(task), hash) {
		if (a->task != task || a->where >= 0)
			continue;
		a->crowded = cpu->nr_attached >= CPU_ATTACHMENTS;
		if (a->crowded)
			list_add_tail(&a->on_cpu, &cpu->attached);
		else
			list_add(&a->on_cpu, &cpu->attached);
		cpu->nr_attached++;
		WRITE_ONCE(a->where, cpu->cpu);
	}
}

/**
 * equant_runnable() - the task is runnable on this CPU
 * @cpu: the CPU
 * @task: the task, which may be known to be
 *
 * Context: cpu->lock is held, in a hook of the scheduler.
 */
void equant_runnable(struct equant_cpu *cpu, struct task_struct *task)
{
	lockdep_assert_held(&cpu->lock);
	enlist_attachments(cpu, task);
	crowd_add(&cpu->runnable, task);
}

/* The last thing that is done to the attachment: from here on it may be freed. */
static void delist(struct equant_cpu *cpu, struct equant_attachment *a)
{
	list_del(&a->on_cpu);
	cpu->nr_attached--;
	/* Pairs with equant_leave_cpu(). */
	smp_store_release(&a->where, -1);
}

/**
 * equant_not_runnable() - the task is not runnable on this CPU any more
 * @cpu: the CPU
 * @task: the task
 *
 * Context: cpu->lock is held, in a hook of the scheduler.
 * Return: had it been?
 */
bool equant_not_runnable(struct equant_cpu *cpu, struct task_struct *task)
{
	struct equant_attachment *a, *next;

	lockdep_assert_held(&cpu->lock);
	list_for_each_entry_safe(a, next, &cpu->attached, on_cpu)
		if (a->task == task)
			delist(cpu, a);
	return crowd_remove(&cpu->runnable, task);
}

/**
 * equant_leave_cpu() - take a dead attachment off the list it is on
 * @a: the attachment
 *
 * It cannot get on one again: no hook finds it since a grace period.
 */
void equant_leave_cpu(struct equant_attachment *a)
{
	struct equant_cpu *cpu;
	unsigned long flags;
	int where;

	for (;;) {
		/* Pairs with delist(): who delisted it is through with it. */
		where = smp_load_acquire(&a->where);
		if (where < 0)
			return;
		cpu = equant_cpu(where);
		raw_spin_lock_irqsave(&cpu->lock, flags);
		if (a->where == where)
			delist(cpu, a);
		raw_spin_unlock_irqrestore(&cpu->lock, flags);
	}
}

/*
 * The hooks are at work already.  Each of them changes the task first and takes
 * cpu->lock then: if what is seen here under the lock is about to change, the
 * hook comes after us and finds the task on the list.
 */
static void seed_task(struct task_struct *task)
{
	struct equant_cpu *cpu = equant_cpu(task_cpu(task));
	unsigned long flags;

	raw_spin_lock_irqsave(&cpu->lock, flags);
	/* In this order: the scheduler moves a task by taking it off its queue first. */
	if (smp_load_acquire(&task->on_rq) == 1 && task_cpu(task) == cpu->cpu &&
	    !is_delayed(&task->se)) {
		equant_runnable(cpu, task);
		if (READ_ONCE(task->on_cpu) && !cpu->curr)
			cpu->curr = task;
	}
	raw_spin_unlock_irqrestore(&cpu->lock, flags);
}

static void seed(void)
{
	struct task_struct *process, *task;

	rcu_read_lock();
	for_each_process_thread(process, task)
		seed_task(task);
	rcu_read_unlock();
}

static void forget(void)
{
	struct equant_cpu *cpu;
	unsigned long flags;
	int i;

	for_each_possible_cpu(i) {
		cpu = equant_cpu(i);
		raw_spin_lock_irqsave(&cpu->lock, flags);
		crowd_clear(&cpu->runnable);
		cpu->curr = NULL;
		raw_spin_unlock_irqrestore(&cpu->lock, flags);
	}
}

/*
 * What the first hooks have put on the lists while others were still missing may have
 * moved away, or died, unseen: it is forgotten when all are at work on every CPU.
 */
static int start(void)
{
	int ret = equant_hooks_register();

	if (!ret)
		synchronize_rcu();
	forget();
	if (!ret)
		seed();
	return ret;
}

static void stop(struct work_struct *work)
{
	mutex_lock(&tracking_lock);
	if (tracking && !nr_attached) {
		equant_hooks_unregister();
		forget();
		tracking = false;
	}
	mutex_unlock(&tracking_lock);
}

static DECLARE_DELAYED_WORK(linger, stop);

/** equant_tracking_get() - a task is about to be attached; 0 or -errno */
int equant_tracking_get(void)
{
	int ret = 0;

	mutex_lock(&tracking_lock);
	if (!tracking) {
		ret = start();
		if (ret)
			goto unlock;
		tracking = true;
	}
	nr_attached++;
unlock:
	mutex_unlock(&tracking_lock);
	return ret;
}

/** equant_tracking_put() - an attachment is gone */
void equant_tracking_put(void)
{
	mutex_lock(&tracking_lock);
	if (!--nr_attached)
		mod_delayed_work(system_wq, &linger, msecs_to_jiffies(LINGER_MS));
	mutex_unlock(&tracking_lock);
}

int equant_tracking_init(void)
{
	struct equant_cpu *cpu;
	int i;

	cpus = alloc_percpu(struct equant_cpu);
	if (!cpus)
		return -ENOMEM;
	for_each_possible_cpu(i) {
		cpu = equant_cpu(i);
		cpu->cpu = i;
		raw_spin_lock_init(&cpu->lock);
		INIT_LIST_HEAD(&cpu->attached);
	}
	return 0;
}

void equant_tracking_exit(void)
{
	cancel_delayed_work_sync(&linger);
	stop(NULL);
	free_percpu(cpus);
}
