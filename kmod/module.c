// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loading, unloading, parameters.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>

#include "equant.h"

#define MIN_RECORDS 1024
#define RECORDS_PER_CPU 16
#define USER_RECORDS_PER_CPU 64
#define RESERVE_PART 16

struct equant_limits equant_limits;

static unsigned int records;
module_param(records, uint, 0444);
MODULE_PARM_DESC(records, "records of the whole machine (0: 16 per CPU, at least 1024)");

static int per_user = -1;
module_param(per_user, int, 0444);
MODULE_PARM_DESC(per_user, "records per user (-1: 64 per CPU, at most half of all; 0: no limit)");

static int reserve = -1;
module_param(reserve, int, 0444);
MODULE_PARM_DESC(reserve, "records that only root may take (-1: 1/16 of all)");

/* What is attached falls back to what it can read without the module. */
static void retire_files(void)
{
	struct equant_file *file;

	list_for_each_entry(file, &equant_files, list) {
		mutex_lock(&file->lock);
		WRITE_ONCE(file->gone, true);
		WRITE_ONCE(equant_table_header(file)->state, EQUANT_TABLE_DEAD);
		mutex_unlock(&file->lock);
		equant_detach_all(file);
		wake_up_interruptible_all(&file->queue.readers);
	}
}

static int set_enabled(const char *value, const struct kernel_param *param)
{
	bool enabled;
	int ret = kstrtobool(value, &enabled);

	if (ret)
		return ret;
	mutex_lock(&equant_files_lock);
	equant_retired = !enabled;
	if (equant_retired)
		retire_files();
	mutex_unlock(&equant_files_lock);
	return 0;
}

static int get_enabled(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%c\n", equant_retired ? 'N' : 'Y');
}

static const struct kernel_param_ops enabled_ops = {
	.set = set_enabled,
	.get = get_enabled,
};

module_param_cb(enabled, &enabled_ops, NULL, 0644);
MODULE_PARM_DESC(enabled,
		 "N: detach everything, and refuse to be opened, so that it can be unloaded");

static int set_limits(void)
{
	struct equant_limits *l = &equant_limits;

	l->records = records ?: max(MIN_RECORDS, RECORDS_PER_CPU * num_possible_cpus());
	l->per_user = min(USER_RECORDS_PER_CPU * num_possible_cpus(), DIV_ROUND_UP(l->records, 2));
	if (per_user >= 0)
		l->per_user = per_user;
	l->reserve = reserve < 0 ? l->records / RESERVE_PART : reserve;
	if (l->reserve <= l->records)
		return 0;
	pr_err("reserve=%u is more than all %u records\n", l->reserve, l->records);
	return -EINVAL;
}

static int __init equant_init(void)
{
	int ret;

	ret = set_limits();
	if (ret)
		return ret;
	ret = equant_hooks_find();
	if (ret)
		return ret;
	equant_share_init();
	ret = equant_tracking_init();
	if (ret)
		return ret;
	ret = equant_device_register();
	if (ret)
		equant_tracking_exit();
	return ret;
}

static void __exit equant_exit(void)
{
	equant_device_unregister();
	equant_tracking_exit();
}

module_init(equant_init);
module_exit(equant_exit);

MODULE_AUTHOR("equant");
MODULE_DESCRIPTION("where attached tasks' CPU time goes, and what share of it they will get");
MODULE_VERSION("0.1.0");
MODULE_LICENSE("GPL");
