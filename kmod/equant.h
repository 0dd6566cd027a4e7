/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The objects of the module and what they do for each other.
 *
 * The scheduler's hooks find an attachment by its task, in a hash table under
 * RCU, and write its record.  Locks nest in this order:
 *
 *	equant_files_lock	the list of open files
 *	 file->lock		attaching and detaching
 *	  tracking, users	counts of attachments
 *	the scheduler's run-queue lock (hooks are called with it)
 *	 cpu->lock		who is runnable on a CPU
 *	  attachment->lock	a record and what belongs to it
 *	   queue->lock		a file's events
 *	 hash lock		only to change the hash table
 *
 * Everything from cpu->lock downwards is a raw spinlock taken with interrupts
 * off: the hooks may neither sleep nor wake anybody.
 */
#ifndef EQUANT_KMOD_INTERNAL_H
#define EQUANT_KMOD_INTERNAL_H

#include <linux/hash.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/uidgid.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include <equant/kmod.h>

#include "crowd.h"
#include "kernels.h"
#include "window.h"

struct iov_iter;
struct kiocb;

#define RECORDS_PER_PAGE (PAGE_SIZE / EQUANT_RECORD_SIZE)
#define FILE_PAGES (EQUANT_FILE_BYTES / PAGE_SIZE)
#define QUEUE_EVENTS 256 /* a power of two */
#define CPU_TASKS 64 /* runnable tasks of a CPU that shares are computed from */
#define CPU_ATTACHMENTS 16 /* of them looked at when something changes, as in the BPF probe */
#define GROUP_LEVELS 8 /* queues followed, from the task's own up, as in the BPF probe */

/* Bounds, set when the module is loaded. */
struct equant_limits {
	unsigned int records;
	unsigned int reserve;
	unsigned int per_user;
};

extern struct equant_limits equant_limits;

/* ---- quota.c: what a user has taken ---- */

struct equant_user {
	struct list_head list; /* this and the numbers: the mutex of quota.c */
	kuid_t uid;
	unsigned int files;
	unsigned int records;
	unsigned int pages;
};

struct equant_user *equant_user_get(void);
void equant_user_put(struct equant_user *user);
int equant_take_page(struct equant_user *user);
void equant_return_pages(struct equant_user *user, unsigned int pages);
int equant_take_record(struct equant_user *user);
void equant_return_record(struct equant_user *user);
void equant_taken(struct equant_user *user, u32 *all, u32 *mine);

/* ---- queue.c: events on their way to the reader ---- */

struct equant_queue {
	raw_spinlock_t lock; /* protects what follows up to ->lost */
	struct equant_kmod_event *ring; /* NULL until a task is attached with events */
	u32 head; /* the writers' end */
	u32 tail;
	u32 lost; /* since the last event in the ring */
	struct mutex reader; /* only its holder moves ->tail */
	wait_queue_head_t readers;
};

void equant_queue_init(struct equant_queue *queue);
int equant_queue_enable(struct equant_queue *queue);
void equant_queue_free(struct equant_queue *queue);
void equant_queue_push(struct equant_queue *queue, const struct equant_kmod_event *event);
bool equant_queue_is_empty(struct equant_queue *queue);
void equant_queue_wake(struct equant_queue *queue);
ssize_t equant_queue_read(struct equant_queue *queue, struct kiocb *kiocb, struct iov_iter *to,
			  const bool *gone);

/* ---- table.c, device.c: an open file ---- */

struct equant_file {
	struct list_head list; /* equant_files_lock */
	struct mutex lock; /* attachments: who is in, and that only one goes at a time */
	struct equant_user *user; /* who opened it */
	struct xarray attachments; /* by index of the record; read under RCU by the timer */
	struct page *pages[FILE_PAGES]; /* set once, under ->lock */
	unsigned int nr_pages; /* ->lock */
	bool gone; /* the module is being retired; never taken back */

	struct equant_queue queue;
	atomic64_t deadline; /* of the next held event, KTIME_MAX = none */
	unsigned long held[BITS_TO_LONGS(EQUANT_FILE_RECORDS + 1)]; /* see events.c; atomic */
	struct hrtimer timer;
	struct irq_work kick; /* what the hooks must not do themselves */
	struct work_struct reap; /* frees attachments whose task is gone */
	bool dying; /* there are some; set by hooks, taken back by ->kick */
};

extern struct mutex equant_files_lock;
extern struct list_head equant_files;
extern bool equant_retired; /* equant_files_lock */

int equant_table_init(struct equant_file *file);
void equant_table_free(struct equant_file *file);
struct equant_table *equant_table_header(struct equant_file *file);
struct equant_record *equant_table_record(struct equant_file *file, u32 index);
int equant_table_mmap(struct equant_file *file, struct vm_area_struct *vma);
u32 equant_table_features(void);
u32 equant_default_quantum(void);

int equant_device_register(void);
void equant_device_unregister(void);

/* ---- attach.c: a task in a file ---- */

/* When a change of competition has held for long enough, it becomes an event. */
struct equant_watch {
	bool on;
	u32 reported; /* runnable tasks, as the reader knows them */
	u32 seen; /* as they are */
	u64 t_seen;
	/* The measured share: see events.c. */
	u32 threshold;
	u32 hysteresis;
	u32 rounds;
	bool below;
	u32 share; /* as last reported */
	struct equant_window window;
};

struct equant_attachment {
	struct hlist_node hash; /* read under RCU, changed under the hash lock */
	struct list_head on_cpu; /* this to ->crowded: the lock of CPU ->where */
	int where; /* the CPU whose list it is on, -1 = none */
	bool crowded; /* others are looked at there instead */
	struct task_struct *task; /* a reference; constant */
	struct equant_file *file; /* constant; it outlives the attachment */
	u32 index;
	u64 cookie;
	struct list_head reaping; /* file->lock */
	struct rcu_head rcu;

	raw_spinlock_t lock; /* protects the rest, and the record */
	bool dead; /* the record is free, hooks keep away */
	struct equant_record *record;
	u64 key; /* of the state that the shares were computed from */
	u64 t_in; /* switched in, 0 = not seen yet */
	u64 t_limits; /* limits were looked up */
	u32 limits; /* EQUANT_F_CPU_MAX or 0 */
	u32 epoch_share; /* share_now when its epoch began, 0 = no share yet */
	u32 held_share; /* the last share that held for some quanta */
	bool clean; /* this slice is a turn among as many tasks as when it began, so far */
	struct equant_watch watch;
};

int equant_attach(struct equant_file *file, struct equant_attach *arg);
int equant_detach(struct equant_file *file, u32 index);
void equant_detach_all(struct equant_file *file);
void equant_reap(struct work_struct *work);
void equant_task_gone(struct task_struct *task);
u32 equant_list(u32 *tids, u32 nr);

#define TASK_HASH_BITS 10
extern struct hlist_head equant_hash[1 << TASK_HASH_BITS];

/* Attachments of this and of other tasks; read under RCU, thus in hooks. */
static inline struct hlist_head *equant_bucket(const struct task_struct *task)
{
	return &equant_hash[hash_ptr(task, TASK_HASH_BITS)];
}

/* ---- access.c ---- */

bool equant_may_attach(struct task_struct *task);

/* ---- snapshot.c ---- */

int equant_snapshot(struct equant_file *file, struct equant_snapshot __user *arg);

/* ---- tracking.c: who is runnable where ---- */

struct equant_cpu {
	raw_spinlock_t lock; /* protects the rest */
	int cpu;
	struct task_struct *curr; /* since the last switch; to be compared only */
	u32 nr_attached;
	struct list_head attached; /* attachments of runnable tasks */
	struct equant_crowd runnable; /* thus alive */
	u32 nr_groups;
	struct sched_entity *group[CPU_TASKS]; /* scratch of share.c */
};

struct equant_cpu *equant_cpu(int cpu);
bool equant_is_tracked(struct equant_cpu *cpu, const struct task_struct *task);
void equant_runnable(struct equant_cpu *cpu, struct task_struct *task);
bool equant_not_runnable(struct equant_cpu *cpu, struct task_struct *task);
void equant_leave_cpu(struct equant_attachment *attachment);
int equant_tracking_get(void);
void equant_tracking_put(void);
int equant_tracking_init(void);
void equant_tracking_exit(void);

/* ---- hooks.c ---- */

int equant_hooks_find(void);
int equant_hooks_register(void);
void equant_hooks_unregister(void);

/* ---- account.c: where a task's time goes; all with attachment->lock held ---- */

void equant_introduce(struct equant_attachment *a);
void equant_count_from(struct equant_attachment *a, u64 now);
void equant_retire_record(struct equant_attachment *a);
void equant_begin(struct equant_attachment *a, struct equant_cpu *cpu, u64 now);
void equant_begin_asleep(struct equant_attachment *a);
void equant_switch_out(struct equant_attachment *a, bool blocked, struct task_struct *next,
		       u64 now);
void equant_switch_in(struct equant_attachment *a, struct equant_cpu *cpu, bool turn, u64 now);
void equant_wake_up(struct equant_attachment *a, struct equant_cpu *cpu, u64 now);
void equant_integrate(struct equant_record *r, u64 now);
void equant_end_episode(struct equant_record *r, u64 now);
u32 equant_quantum(const struct equant_record *r);

/* ---- share.c; with cpu->lock and attachment->lock held ---- */

void equant_compute_share(struct equant_attachment *a, struct equant_cpu *cpu, u64 now);
void equant_refresh(struct equant_cpu *cpu, u64 now);
void equant_share_init(void);

/* ---- events.c; the first three with attachment->lock held ---- */

void equant_watch_runnable(struct equant_attachment *a, u64 now);
void equant_watch_share(struct equant_attachment *a, u64 now);
void equant_watch_exit(struct equant_attachment *a, u64 now);
void equant_watch_init(struct equant_attachment *a, const struct equant_attach *arg);
void equant_events_init(struct equant_file *file);
void equant_events_stop(struct equant_file *file);

/* Readers copy the record while ->seq is even and unchanged. */
static inline void write_begin(struct equant_record *r)
{
	WRITE_ONCE(r->seq, r->seq + 1);
	smp_wmb(); /* the counter is odd before anything changes */
}

static inline void write_end(struct equant_record *r)
{
	smp_wmb(); /* everything has changed before the counter is even */
	WRITE_ONCE(r->seq, r->seq + 1);
}

static inline u64 equant_now(void)
{
	return ktime_get_mono_fast_ns();
}

/* This clock may be a little behind where it was, on another CPU or after an adjustment. */
static inline u64 elapsed(u64 since, u64 now)
{
	return now > since ? now - since : 0;
}

#endif /* EQUANT_KMOD_INTERNAL_H */
