// SPDX-License-Identifier: GPL-2.0-only
/*
 * What becomes an event.
 *
 * A change of the number of runnable tasks does when it has held for a quantum:
 * the hook that sees it holds it back, and a timer of the file looks again. While
 * the task sleeps nothing is reported; when it wakes up, what is still true is.
 *
 * A change of the share does when the share measured over a window passes the
 * threshold by the hysteresis.  A round is a quantum of every runnable task; a
 * window has at least ->rounds of them, and as many dispatches of a task that is not
 * alone: a shorter one would see the scheduler and not the load.
 */
#include <linux/rcupdate.h>

#include "equant.h"

/* Between two looks of the timer: a task can make its quanta as short as it likes. */
#define LEAST_PAUSE_NS (NSEC_PER_MSEC / 10)

static void push(struct equant_attachment *a, u32 type, u64 t, u32 value, u32 before)
{
	const struct equant_kmod_event event = {
		.t = t,
		.type = type,
		.index = a->index,
		.tid = a->record->tid,
		.value = value,
		.before = before,
		.share = a->record->share_now,
		.cookie = a->cookie,
	};

	equant_queue_push(&a->file->queue, &event);
}

/* Return: is @t earlier than what was next? */
static bool lower_deadline(struct equant_file *file, s64 t)
{
	s64 old = atomic64_read(&file->deadline);

	while (t < old)
		if (atomic64_try_cmpxchg(&file->deadline, &old, t))
			return true;
	return false;
}

/* Have the timer look at the attachment at @t.  Hooks cannot start it themselves. */
static void hold(struct equant_attachment *a, u64 t)
{
	set_bit(a->index, a->file->held);
	if (lower_deadline(a->file, t))
		irq_work_queue(&a->file->kick);
}

static bool is_on(const struct equant_attachment *a)
{
	return a->watch.on && !a->dead;
}

/* Return: when to look again, 0 = nothing is held. */
static u64 report_runnable(struct equant_attachment *a, u64 now)
{
	struct equant_watch *w = &a->watch;
	u64 due = w->t_seen + equant_quantum(a->record);

	if (w->seen == w->reported || a->record->state == EQUANT_STATE_SLEEP)
		return 0;
	if (now < due)
		return due;
	push(a, w->seen > w->reported ? EQUANT_EVENT_ARRIVED : EQUANT_EVENT_LEFT, w->t_seen,
	     w->seen, w->reported);
	w->reported = w->seen;
	return 0;
}

/** equant_watch_runnable() - the number of runnable tasks may have changed */
void equant_watch_runnable(struct equant_attachment *a, u64 now)
{
	struct equant_watch *w = &a->watch;
	u64 again;

	/* Of a task that is not in the fair class their number is not known. */
	if (!is_on(a) || !a->record->nr_runnable)
		return;
	if (w->seen != a->record->nr_runnable) {
		w->seen = a->record->nr_runnable;
		w->t_seen = now;
	}
	/* The timer reports, and wakes the reader. */
	again = w->seen != w->reported ? max(now, w->t_seen + equant_quantum(a->record)) : 0;
	if (again)
		hold(a, again);
}

static u64 window_ns(const struct equant_attachment *a)
{
	return (u64)a->watch.rounds * equant_quantum(a->record) * max(a->record->nr_runnable, 1u);
}

static void judge(struct equant_attachment *a, u32 share, u64 now)
{
	struct equant_watch *w = &a->watch;
	u32 before = w->share;

	if (w->below ? share < w->threshold + w->hysteresis : share + w->hysteresis >= w->threshold)
		return;
	w->below = !w->below;
	w->share = share;
	push(a, w->below ? EQUANT_EVENT_SHARE_DOWN : EQUANT_EVENT_SHARE_UP, now, share, before);
}

/* Return: was there something to judge? */
static bool close_window(struct equant_attachment *a, u64 now)
{
	const struct equant_record *r = a->record;
	struct equant_watch *w = &a->watch;
	u64 pending = elapsed(r->t_state, now);
	u64 run_ns = r->run_ns + (r->state == EQUANT_STATE_RUN ? pending : 0);
	u64 wait_ns = r->wait_ns + (r->state == EQUANT_STATE_WAIT ? pending : 0);
	u32 share;

	if (r->nr_runnable > 1 && w->window.dispatches < w->rounds)
		return false;
	if (!equant_window_share(&w->window, run_ns, wait_ns, window_ns(a), &share))
		return false;
	judge(a, share, now);
	equant_window_open(&w->window, run_ns, wait_ns);
	return true;
}

/** equant_watch_share() - the task has been dispatched */
void equant_watch_share(struct equant_attachment *a, u64 now)
{
	struct equant_watch *w = &a->watch;

	if (!is_on(a) || !w->threshold)
		return;
	w->window.dispatches++;
	if (close_window(a, now))
		irq_work_queue(&a->file->kick);
	/* A task that is alone is not dispatched again. */
	if (w->below && a->record->nr_runnable <= 1)
		hold(a, now + window_ns(a));
}

/* While the task is alone and its last share was a low one, no hook may come. */
static u64 report_share(struct equant_attachment *a, u64 now)
{
	struct equant_watch *w = &a->watch;

	if (!w->threshold || a->record->state == EQUANT_STATE_SLEEP)
		return 0;
	close_window(a, now);
	return w->below && a->record->nr_runnable <= 1 ? now + window_ns(a) : 0;
}

/** equant_watch_exit() - the task is gone */
void equant_watch_exit(struct equant_attachment *a, u64 now)
{
	if (is_on(a))
		push(a, EQUANT_EVENT_EXITED, now, 0, 0);
}

void equant_watch_init(struct equant_attachment *a, const struct equant_attach *arg)
{
	struct equant_watch *w = &a->watch;

	w->on = arg->flags & EQUANT_ATTACH_EVENTS;
	w->reported = 1;
	w->seen = 1;
	w->threshold = arg->threshold;
	w->hysteresis = arg->hysteresis;
	w->rounds = arg->rounds ?: EQUANT_ROUNDS;
	w->share = EQUANT_SHARE_ONE;
}

/* Return: when to look at the attachment again, 0 = when a hook says so. */
static u64 look_again(struct equant_attachment *a, u64 now)
{
	u64 runnable = 0, share = 0;
	unsigned long flags;

	raw_spin_lock_irqsave(&a->lock, flags);
	if (is_on(a)) {
		runnable = report_runnable(a, now);
		share = report_share(a, now);
		if (!runnable && !share)
			clear_bit(a->index, a->file->held);
	}
	raw_spin_unlock_irqrestore(&a->lock, flags);
	if (runnable && share)
		return min(runnable, share);
	return runnable ?: share;
}

static enum hrtimer_restart on_timer(struct hrtimer *timer)
{
	struct equant_file *file = container_of(timer, struct equant_file, timer);
	struct equant_attachment *a;
	u64 again, next = KTIME_MAX, now = equant_now();
	u32 index;

	/* Who holds something from here on kicks. */
	atomic64_set(&file->deadline, KTIME_MAX);
	rcu_read_lock();
	for_each_set_bit(index, file->held, EQUANT_FILE_RECORDS + 1) {
		a = xa_load(&file->attachments, index);
		again = a ? look_again(a, now) : 0;
		if (again)
			next = min(next, max(again, now + LEAST_PAUSE_NS));
	}
	rcu_read_unlock();
	equant_queue_wake(&file->queue);
	if (lower_deadline(file, next))
		hrtimer_start(timer, ns_to_ktime(next), HRTIMER_MODE_ABS_SOFT);
	return HRTIMER_NORESTART;
}

/* Interrupt context without a lock of the scheduler: here somebody may be woken. */
static void on_kick(struct irq_work *work)
{
	struct equant_file *file = container_of(work, struct equant_file, kick);
	s64 deadline = atomic64_read(&file->deadline);

	if (deadline != KTIME_MAX)
		hrtimer_start(&file->timer, ns_to_ktime(deadline), HRTIMER_MODE_ABS_SOFT);
	equant_queue_wake(&file->queue);
	if (READ_ONCE(file->dying)) {
		WRITE_ONCE(file->dying, false);
		schedule_work(&file->reap);
	}
}

void equant_events_init(struct equant_file *file)
{
	equant_queue_init(&file->queue);
	atomic64_set(&file->deadline, KTIME_MAX);
	set_up_timer(&file->timer, on_timer);
	init_irq_work(&file->kick, on_kick);
	INIT_WORK(&file->reap, equant_reap);
}

/** equant_events_stop() - no task is attached and no hook knows the file any more */
void equant_events_stop(struct equant_file *file)
{
	irq_work_sync(&file->kick);
	hrtimer_cancel(&file->timer);
	cancel_work_sync(&file->reap);
	equant_queue_free(&file->queue);
}
