// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limits: records of the whole machine, records and pages per user.
 *
 * A page holds the records of one file only, so somebody who opens the device
 * often takes pages without taking records: these have a limit of their own.
 * Pages are charged to the opener's memory cgroup besides.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/slab.h>

#include "equant.h"

#define PAGES_PER_RECORD 2 /* readers have files without records */

static DEFINE_MUTEX(users_lock);
static LIST_HEAD(users);
static unsigned int records_taken;

/* Who may exceed a user's limits. */
static bool is_privileged(void)
{
	return capable(CAP_SYS_RESOURCE);
}

static struct equant_user *known_user(kuid_t uid)
{
	struct equant_user *user;

	list_for_each_entry(user, &users, list)
		if (uid_eq(user->uid, uid))
			return user;
	return NULL;
}

static struct equant_user *new_user(kuid_t uid)
{
	struct equant_user *user = kzalloc(sizeof(*user), GFP_KERNEL_ACCOUNT);

	if (!user)
		return NULL;
	user->uid = uid;
	list_add(&user->list, &users);
	return user;
}

/** equant_user_get() - the account of the caller, kept until equant_user_put(); NULL: no memory */
struct equant_user *equant_user_get(void)
{
	struct equant_user *user;

	mutex_lock(&users_lock);
	user = known_user(current_uid()) ?: new_user(current_uid());
	if (user)
		user->files++;
	mutex_unlock(&users_lock);
	return user;
}

/** equant_user_put() - one file less */
void equant_user_put(struct equant_user *user)
{
	mutex_lock(&users_lock);
	if (!--user->files) {
		list_del(&user->list);
		kfree(user);
	}
	mutex_unlock(&users_lock);
}

/** equant_take_page() - may the user have one more page?  0 or -EDQUOT */
int equant_take_page(struct equant_user *user)
{
	unsigned int limit = equant_limits.per_user;
	int ret = 0;

	mutex_lock(&users_lock);
	if (limit && user->pages / PAGES_PER_RECORD >= limit && !is_privileged())
		ret = -EDQUOT;
	else
		user->pages++;
	mutex_unlock(&users_lock);
	return ret;
}

/** equant_return_pages() - @pages are free again */
void equant_return_pages(struct equant_user *user, unsigned int pages)
{
	mutex_lock(&users_lock);
	user->pages -= pages;
	mutex_unlock(&users_lock);
}

static int check_record(const struct equant_user *user)
{
	unsigned int free = equant_limits.records - records_taken;

	if (!free)
		return -EUSERS;
	if (free > equant_limits.reserve &&
	    (!equant_limits.per_user || user->records < equant_limits.per_user))
		return 0;
	if (is_privileged())
		return 0;
	return free > equant_limits.reserve ? -EDQUOT : -EUSERS;
}

/** equant_take_record() - may the user have one more record?  0, -EUSERS or -EDQUOT */
int equant_take_record(struct equant_user *user)
{
	int ret;

	mutex_lock(&users_lock);
	ret = check_record(user);
	if (!ret) {
		user->records++;
		records_taken++;
	}
	mutex_unlock(&users_lock);
	return ret;
}

/** equant_return_record() - one record is free again */
void equant_return_record(struct equant_user *user)
{
	mutex_lock(&users_lock);
	user->records--;
	records_taken--;
	mutex_unlock(&users_lock);
}

/** equant_taken() - records in use: @all, and of @user */
void equant_taken(struct equant_user *user, u32 *all, u32 *mine)
{
	mutex_lock(&users_lock);
	*all = records_taken;
	*mine = user->records;
	mutex_unlock(&users_lock);
}
