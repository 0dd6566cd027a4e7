// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/equant: what an open file can be asked for.  See <equant/kmod.h>.
 */
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/uio.h>

#include "equant.h"

#define LIST_MAX 65536

DEFINE_MUTEX(equant_files_lock);
LIST_HEAD(equant_files);
bool equant_retired;

static struct equant_file *new_file(void)
{
	struct equant_file *file = kzalloc(sizeof(*file), GFP_KERNEL_ACCOUNT);

	if (!file)
		return NULL;
	mutex_init(&file->lock);
	xa_init_flags(&file->attachments, XA_FLAGS_ALLOC1);
	equant_events_init(file);
	return file;
}

static int fill_file(struct equant_file *file)
{
	int ret;

	file->user = equant_user_get();
	if (!file->user)
		return -ENOMEM;
	ret = equant_table_init(file);
	if (ret)
		equant_user_put(file->user);
	return ret;
}

/* Return: 0, -ENODEV when the module is being retired. */
static int enter(struct equant_file *file)
{
	int ret = -ENODEV;

	mutex_lock(&equant_files_lock);
	if (!equant_retired) {
		list_add(&file->list, &equant_files);
		ret = 0;
	}
	mutex_unlock(&equant_files_lock);
	return ret;
}

static void empty_file(struct equant_file *file)
{
	equant_detach_all(file);
	equant_events_stop(file);
	xa_destroy(&file->attachments);
	equant_table_free(file);
	equant_user_put(file->user);
}

static int device_open(struct inode *inode, struct file *filp)
{
	struct equant_file *file = new_file();
	int ret;

	if (!file)
		return -ENOMEM;
	ret = fill_file(file);
	if (ret)
		goto free;
	ret = enter(file);
	if (ret) {
		empty_file(file);
		goto free;
	}
	filp->private_data = file;
	filp->f_mode |= FMODE_NOWAIT;
	return stream_open(inode, filp);
free:
	kfree(file);
	return ret;
}

/* After the last descriptor was closed and the last mapping is gone. */
static int device_release(struct inode *inode, struct file *filp)
{
	struct equant_file *file = filp->private_data;

	mutex_lock(&equant_files_lock);
	list_del(&file->list);
	mutex_unlock(&equant_files_lock);
	empty_file(file);
	kfree(file);
	return 0;
}

static int do_info(struct equant_file *file, void __user *arg)
{
	struct equant_info info = {
		.version = EQUANT_KMOD_VERSION,
		.abi_version = EQUANT_ABI_VERSION,
		.features = EQUANT_KMOD_EVENTS,
		.table_features = equant_table_features(),
		.record_size = EQUANT_RECORD_SIZE,
		.event_size = sizeof(struct equant_kmod_event),
		.file_records = EQUANT_FILE_RECORDS,
		.queue_events = QUEUE_EVENTS,
		.records = equant_limits.records,
		.reserve = equant_limits.reserve,
		.per_user = equant_limits.per_user,
		.tick_ns = TICK_NSEC,
	};

	if (IS_ENABLED(CONFIG_IO_URING))
		info.features |= EQUANT_KMOD_URING;
	equant_taken(file->user, &info.used, &info.mine);
	return copy_to_user(arg, &info, sizeof(info)) ? -EFAULT : 0;
}

static bool is_valid(const struct equant_attach *arg)
{
	if (arg->flags & ~EQUANT_ATTACH_EVENTS || arg->index || arg->pad[0] || arg->pad[1])
		return false;
	if (arg->rounds && (arg->rounds < EQUANT_ROUNDS || arg->rounds > EQUANT_ROUNDS_MAX))
		return false;
	if (!arg->threshold)
		return !arg->hysteresis && !arg->rounds;
	return arg->flags & EQUANT_ATTACH_EVENTS && arg->threshold <= EQUANT_SHARE_ONE &&
	       arg->hysteresis < arg->threshold &&
	       arg->hysteresis <= EQUANT_SHARE_ONE - arg->threshold;
}

static int do_attach(struct equant_file *file, void __user *user)
{
	struct equant_attach arg;
	int ret;

	if (copy_from_user(&arg, user, sizeof(arg)))
		return -EFAULT;
	if (!is_valid(&arg))
		return -EINVAL;
	ret = equant_attach(file, &arg);
	if (ret)
		return ret;
	if (!copy_to_user(user, &arg, sizeof(arg)))
		return 0;
	equant_detach(file, arg.index);
	return -EFAULT;
}

static int do_detach(struct equant_file *file, void __user *user)
{
	struct equant_detach arg;

	if (copy_from_user(&arg, user, sizeof(arg)))
		return -EFAULT;
	if (arg.pad || !arg.index || arg.index > EQUANT_FILE_RECORDS)
		return -EINVAL;
	return equant_detach(file, arg.index);
}

static int list_into(struct equant_list *arg)
{
	u32 *tids = kvcalloc(arg->nr, sizeof(*tids), GFP_KERNEL_ACCOUNT);
	int ret = 0;

	if (!tids)
		return -ENOMEM;
	arg->total = equant_list(tids, arg->nr);
	arg->listed = min(arg->total, arg->nr);
	if (copy_to_user(u64_to_user_ptr(arg->tids), tids, arg->listed * sizeof(*tids)))
		ret = -EFAULT;
	kvfree(tids);
	return ret;
}

static int do_list(void __user *user)
{
	struct equant_list arg;
	int ret;

	if (copy_from_user(&arg, user, sizeof(arg)))
		return -EFAULT;
	if (arg.pad || arg.listed || arg.total || !arg.nr || arg.nr > LIST_MAX)
		return -EINVAL;
	ret = list_into(&arg);
	if (ret)
		return ret;
	return copy_to_user(user, &arg, sizeof(arg)) ? -EFAULT : 0;
}

static long device_ioctl(struct file *filp, unsigned int op, unsigned long arg)
{
	struct equant_file *file = filp->private_data;
	void __user *user = (void __user *)arg;

	switch (op) {
	case EQUANT_IOC_INFO:
		return do_info(file, user);
	case EQUANT_IOC_ATTACH:
		return do_attach(file, user);
	case EQUANT_IOC_DETACH:
		return do_detach(file, user);
	case EQUANT_IOC_SNAPSHOT:
		return equant_snapshot(file, user);
	case EQUANT_IOC_LIST:
		return do_list(user);
	}
	return -ENOTTY;
}

/*
 * Completes at once: a command that waits could not be cancelled on every kernel.
 * The submission lies in the user's memory, so each part of it is read once.
 */
static int device_uring(struct io_uring_cmd *cmd, unsigned int issue_flags)
{
	const struct equant_uring *arg = uring_argument(cmd);
	u64 snapshot = READ_ONCE(arg->snapshot), pad = READ_ONCE(arg->pad);

	if (cmd->cmd_op != EQUANT_URING_SNAPSHOT)
		return -ENOTTY;
	if (pad)
		return -EINVAL;
	return equant_snapshot(cmd->file->private_data, u64_to_user_ptr(snapshot));
}

static ssize_t device_read(struct kiocb *kiocb, struct iov_iter *to)
{
	struct equant_file *file = kiocb->ki_filp->private_data;

	return equant_queue_read(&file->queue, kiocb, to, &file->gone);
}

static __poll_t device_poll(struct file *filp, struct poll_table_struct *table)
{
	struct equant_file *file = filp->private_data;
	__poll_t events = 0;

	poll_wait(filp, &file->queue.readers, table);
	if (!equant_queue_is_empty(&file->queue))
		events |= EPOLLIN | EPOLLRDNORM;
	if (READ_ONCE(file->gone))
		events |= EPOLLHUP;
	return events;
}

static int device_mmap(struct file *filp, struct vm_area_struct *vma)
{
	return equant_table_mmap(filp->private_data, vma);
}

static const struct file_operations device_fops = {
	.owner = THIS_MODULE,
	.open = device_open,
	.release = device_release,
	.unlocked_ioctl = device_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = device_mmap,
	.read_iter = device_read,
	.poll = device_poll,
	.uring_cmd = device_uring,
};

/* Everybody, unless udev's rule says otherwise: what one sees are one's own tasks. */
static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "equant",
	.fops = &device_fops,
	.mode = 0666,
};

int equant_device_register(void)
{
	return misc_register(&device);
}

void equant_device_unregister(void)
{
	misc_deregister(&device);
}
