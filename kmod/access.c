// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who may attach whom: the rule of ptrace(2) in its strict form, since
 * ptrace_may_access() is not for modules.  Security modules are not asked.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/mm_types.h>
#include <linux/sched/coredump.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "equant.h"

static bool same_owner(const struct cred *caller, const struct cred *target)
{
	return caller->user_ns == target->user_ns && uid_eq(caller->euid, target->uid) &&
	       uid_eq(caller->euid, target->euid) && uid_eq(caller->euid, target->suid) &&
	       gid_eq(caller->egid, target->gid) && gid_eq(caller->egid, target->egid) &&
	       gid_eq(caller->egid, target->sgid) &&
	       cap_issubset(target->cap_permitted, caller->cap_permitted);
}

/* What may not be dumped holds secrets of its executable's owner.  task_lock() keeps ->mm. */
static bool may_trace(struct task_struct *task, const struct cred *target)
{
	bool dumpable = task->mm && get_dumpable(task->mm) == SUID_DUMP_USER;

	if (dumpable && same_owner(current_cred(), target))
		return true;
	if (!ns_capable_noaudit(target->user_ns, CAP_SYS_PTRACE))
		return false;
	return dumpable || (task->mm && ns_capable_noaudit(task->mm->user_ns, CAP_SYS_PTRACE));
}

/**
 * equant_may_attach() - may the caller learn when a task runs?
 * @task: the task
 *
 * Its own threads it may.  Others have its user and group, real, effective and
 * saved, and can be dumped; or it has CAP_SYS_PTRACE in their user namespace.
 * Kernel threads cannot be attached at all.
 */
bool equant_may_attach(struct task_struct *task)
{
	bool allowed;

	if (task->flags & PF_KTHREAD)
		return false;
	if (same_thread_group(task, current))
		return true;
	task_lock(task);
	rcu_read_lock();
	allowed = may_trace(task, __task_cred(task));
	rcu_read_unlock();
	task_unlock(task);
	return allowed;
}
