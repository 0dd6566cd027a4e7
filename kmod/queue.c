// SPDX-License-Identifier: GPL-2.0-only
/*
 * A file's queue of events: bounded; written by hooks, which neither wait nor
 * wake; read by read(2).  What does not fit is counted, and the count is an event
 * in the place where the others are missing.
 */
#include <linux/fs.h>
#include <linux/slab.h>
#include <linux/uio.h>

#include "equant.h"

void equant_queue_init(struct equant_queue *queue)
{
	raw_spin_lock_init(&queue->lock);
	mutex_init(&queue->reader);
	init_waitqueue_head(&queue->readers);
}

/** equant_queue_enable() - from here on there is room for events; 0 or -ENOMEM */
int equant_queue_enable(struct equant_queue *queue)
{
	struct equant_kmod_event *ring;

	if (queue->ring)
		return 0;
	ring = kcalloc(QUEUE_EVENTS, sizeof(*ring), GFP_KERNEL_ACCOUNT);
	if (!ring)
		return -ENOMEM;
	raw_spin_lock_irq(&queue->lock);
	queue->ring = ring;
	raw_spin_unlock_irq(&queue->lock);
	return 0;
}

void equant_queue_free(struct equant_queue *queue)
{
	kfree(queue->ring);
}

static void append(struct equant_queue *queue, const struct equant_kmod_event *event)
{
	queue->ring[queue->head++ % QUEUE_EVENTS] = *event;
}

static struct equant_kmod_event lost_event(const struct equant_queue *queue, u64 now)
{
	return (struct equant_kmod_event){
		.t = now,
		.type = EQUANT_EVENT_LOST,
		.value = queue->lost,
	};
}

/** equant_queue_push() - append or count; wakes nobody */
void equant_queue_push(struct equant_queue *queue, const struct equant_kmod_event *event)
{
	struct equant_kmod_event lost;
	unsigned long flags;
	u32 room;

	raw_spin_lock_irqsave(&queue->lock, flags);
	room = QUEUE_EVENTS - (queue->head - queue->tail);
	if (room < (queue->lost ? 2 : 1)) {
		queue->lost++;
	} else {
		if (queue->lost) {
			lost = lost_event(queue, event->t);
			append(queue, &lost);
			queue->lost = 0;
		}
		append(queue, event);
	}
	raw_spin_unlock_irqrestore(&queue->lock, flags);
}

/* The next event stays until drop(): the reader's memory may turn out bad. */
static bool peek(struct equant_queue *queue, struct equant_kmod_event *event)
{
	bool any = true;

	raw_spin_lock_irq(&queue->lock);
	if (queue->head != queue->tail)
		*event = queue->ring[queue->tail % QUEUE_EVENTS];
	else if (queue->lost)
		*event = lost_event(queue, equant_now());
	else
		any = false;
	raw_spin_unlock_irq(&queue->lock);
	return any;
}

static void drop(struct equant_queue *queue, const struct equant_kmod_event *event)
{
	raw_spin_lock_irq(&queue->lock);
	if (queue->head != queue->tail)
		queue->tail++;
	else
		queue->lost -= event->value;
	raw_spin_unlock_irq(&queue->lock);
}

bool equant_queue_is_empty(struct equant_queue *queue)
{
	unsigned long flags;
	bool empty;

	raw_spin_lock_irqsave(&queue->lock, flags);
	empty = queue->head == queue->tail && !queue->lost;
	raw_spin_unlock_irqrestore(&queue->lock, flags);
	return empty;
}

/** equant_queue_wake() - wake who waits for events; not from a hook of the scheduler */
void equant_queue_wake(struct equant_queue *queue)
{
	if (!equant_queue_is_empty(queue))
		wake_up_interruptible(&queue->readers);
}

/* Return: bytes read, 0 = none there, -EFAULT. */
static ssize_t take(struct equant_queue *queue, struct iov_iter *to)
{
	struct equant_kmod_event event;
	ssize_t bytes = 0;

	while (iov_iter_count(to) >= sizeof(event) && peek(queue, &event)) {
		if (copy_to_iter(&event, sizeof(event), to) != sizeof(event))
			return bytes ?: -EFAULT;
		drop(queue, &event);
		bytes += sizeof(event);
	}
	return bytes;
}

static int lock_reader(struct equant_queue *queue, bool wait)
{
	if (wait)
		return mutex_lock_interruptible(&queue->reader);
	return mutex_trylock(&queue->reader) ? 0 : -EAGAIN;
}

/**
 * equant_queue_read() - read(2)
 * @queue: the queue
 * @kiocb: tells whether to wait
 * @to: the reader's memory
 * @gone: nothing will come any more
 *
 * Return: bytes of whole events; 0 at the end, -EINVAL, -EAGAIN, -EFAULT, -ERESTARTSYS.
 */
ssize_t equant_queue_read(struct equant_queue *queue, struct kiocb *kiocb, struct iov_iter *to,
			  const bool *gone)
{
	bool wait = !(kiocb->ki_flags & IOCB_NOWAIT) && !(kiocb->ki_filp->f_flags & O_NONBLOCK);
	ssize_t ret;

	if (iov_iter_count(to) < sizeof(struct equant_kmod_event))
		return -EINVAL;
	for (;;) {
		ret = lock_reader(queue, wait);
		if (ret)
			return ret;
		ret = take(queue, to);
		mutex_unlock(&queue->reader);
		if (ret || READ_ONCE(*gone))
			return ret;
		if (!wait)
			return -EAGAIN;
		ret = wait_event_interruptible(queue->readers,
					       !equant_queue_is_empty(queue) || READ_ONCE(*gone));
		if (ret)
			return ret;
	}
}
