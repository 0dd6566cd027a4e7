// SPDX-License-Identifier: GPL-2.0-only
/*
 * Many records at once: by ioctl, or by one submission of io_uring.
 */
#include <linux/minmax.h>
#include <linux/rcupdate.h>
#include <linux/uaccess.h>

#include "equant.h"

/* A free record where nobody is attached. */
static void copy_record(struct equant_file *file, u32 index, struct equant_record *copy)
{
	struct equant_attachment *a;
	unsigned long flags;

	memset(copy, 0, sizeof(*copy));
	rcu_read_lock();
	a = xa_load(&file->attachments, index);
	if (a) {
		raw_spin_lock_irqsave(&a->lock, flags);
		if (!a->dead)
			*copy = *a->record;
		raw_spin_unlock_irqrestore(&a->lock, flags);
	}
	rcu_read_unlock();
}

static int put_record(struct equant_file *file, u32 index, u64 records, u32 i)
{
	struct equant_record __user *to = u64_to_user_ptr(records);
	struct equant_record copy;

	copy_record(file, index, &copy);
	return copy_to_user(to + i, &copy, sizeof(copy)) ? -EFAULT : 0;
}

static int copy_named(struct equant_file *file, const struct equant_snapshot *s)
{
	const u32 __user *indices = u64_to_user_ptr(s->indices);
	u32 i, index;
	int ret;

	for (i = 0; i < s->nr; i++) {
		if (get_user(index, indices + i))
			return -EFAULT;
		if (!index || index > EQUANT_FILE_RECORDS)
			return -EINVAL;
		ret = put_record(file, index, s->records, i);
		if (ret)
			return ret;
	}
	return s->nr;
}

static int copy_all(struct equant_file *file, const struct equant_snapshot *s)
{
	struct equant_attachment *a;
	unsigned long index = 0;
	u32 nr = 0;
	int ret;

	while (nr < s->nr) {
		index++;
		a = xa_find(&file->attachments, &index, EQUANT_FILE_RECORDS, XA_PRESENT);
		if (!a)
			break;
		ret = put_record(file, index, s->records, nr);
		if (ret)
			return ret;
		nr++;
	}
	return nr;
}

/**
 * equant_snapshot() - copy records to the caller
 * @file: whose records
 * @arg: the caller's struct equant_snapshot
 *
 * Return: their number or -errno.
 */
int equant_snapshot(struct equant_file *file, struct equant_snapshot __user *arg)
{
	struct equant_snapshot s;
	int ret;

	if (copy_from_user(&s, arg, sizeof(s)))
		return -EFAULT;
	if (s.pad || !s.nr || s.nr > EQUANT_FILE_RECORDS)
		return -EINVAL;
	ret = s.indices ? copy_named(file, &s) : copy_all(file, &s);
	if (ret < 0)
		return ret;
	return put_user(equant_now(), &arg->now) ? -EFAULT : ret;
}
