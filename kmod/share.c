// SPDX-License-Identifier: GPL-2.0-only
/*
 * The share of its CPU that the fair scheduler gives a task.
 *
 * Model: at every scheduling-group level the entities that are queued together
 * get CPU time in proportion to their weights (Stoica and Abdel-Wahab, "Earliest
 * Eligible Virtual Deadline First", 1995, section 2; CFS keeps the same shares),
 * so
 *
 *	share = product over levels of  own weight / sum of runnable weights
 *
 * Which entities those are follows from who is runnable on the CPU: every such
 * task or the group it belongs to meets the own task's ancestors on exactly one
 * level, the first queue they have in common.  Queues are told apart by address
 * only; entities are reached through the public ->parent, and are looked at
 * now and not kept.  They cannot go away meanwhile: groups are freed after an RCU
 * grace period, and interrupts are off.
 *
 * The weight of a group's entity moves towards shares x load here / load
 * everywhere within some 100 ms.  Loads of other CPUs are out of reach here, so
 * where a group competes the settled share is the present one and
 * EQUANT_F_UNSETTLED says so.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cgroup.h>

#include "equant.h"

/* A change by less than 1/16 is the drift of a group's weight, no new epoch. */
#define EPOCH_DRIFT_SHIFT 4
/* A share that held for as long is one to follow. */
#define HELD_QUANTA 4

/* What the shares follow from. */
struct situation {
	struct sched_entity *own[GROUP_LEVELS]; /* the task's, from itself to the root */
	unsigned long others[GROUP_LEVELS]; /* weights queued beside them */
	u32 levels;
	u32 runnable;
	u32 flags;
};

/* Constant after load. */
static struct cftype *quota; /* of a group's cpu.max */
static u32 default_quantum;

/** equant_quantum() - the quantum by which changes of share are judged */
u32 equant_quantum(const struct equant_record *r)
{
	return min_t(u32, r->quantum_ns ?: default_quantum, EQUANT_HOLD_TICKS * TICK_NSEC);
}

static u64 scaled(u64 ns, u32 share)
{
	return (ns >> EQUANT_SHARE_SHIFT) * share +
	       (((ns & (EQUANT_SHARE_ONE - 1)) * share) >> EQUANT_SHARE_SHIFT);
}

/** equant_integrate() - bring the integrals up to @now; they run over runnable time only */
void equant_integrate(struct equant_record *r, u64 now)
{
	if (now <= r->t_share)
		return;
	if (r->state == EQUANT_STATE_RUN || r->state == EQUANT_STATE_WAIT) {
		r->share_ns += scaled(now - r->t_share, r->share_now);
		r->settled_ns += scaled(now - r->t_share, r->share_settled);
	}
	r->t_share = now;
}

/** equant_end_episode() - nobody competes any more */
void equant_end_episode(struct equant_record *r, u64 now)
{
	u64 ns;

	if (!r->t_contended)
		return;
	ns = elapsed(r->t_contended, now);
	r->t_contended = 0;
	r->contended_ns += ns;
	r->episodes++;
	if (ns > equant_quantum(r)) {
		r->long_episodes++;
		r->long_ns += ns;
	}
}

/* After a sleep, which ended the last one: the competitors may be the same, so that no share changes. */
static void resume_episode(struct equant_record *r, u64 now)
{
	if (r->share_now == EQUANT_SHARE_ONE || r->t_contended)
		return;
	write_begin(r);
	r->t_contended = now;
	write_end(r);
}

static void see_own_levels(struct situation *now, struct task_struct *task)
{
	struct sched_entity *se;

	for (se = &task->se; se && now->levels < GROUP_LEVELS; se = se->parent)
		now->own[now->levels++] = se;
	if (se)
		now->flags |= EQUANT_F_DEEP;
}

/* Several tasks may be there by way of one group: true for the first. */
static bool is_first(struct equant_cpu *cpu, struct sched_entity *se, u32 *flags)
{
	u32 i;

	if (!se->my_q)
		return true;
	for (i = 0; i < cpu->nr_groups; i++)
		if (cpu->group[i] == se)
			return false;
	if (cpu->nr_groups == CPU_TASKS) {
		*flags |= EQUANT_F_WIDE;
		return false;
	}
	cpu->group[cpu->nr_groups++] = se;
	return true;
}

/*
 * The level of the own task on which @task competes, and as which entity.
 * Return: the level; -1 if it is not queued (on its way here, or held back by a
 * limit), GROUP_LEVELS if they meet above the levels that are followed.
 */
static int meet(const struct situation *now, struct task_struct *task, struct sched_entity **as)
{
	struct sched_entity *se = &task->se;
	int level, own_depth = now->own[0]->depth;

	while (se && se->on_rq && se->depth > own_depth)
		se = se->parent;
	if (!se || !se->on_rq)
		return -1;
	/* Of a task that is being moved to another group just now, it may have grown. */
	for (level = max(own_depth - READ_ONCE(se->depth), 0); level < now->levels; level++) {
		if (se->cfs_rq == now->own[level]->cfs_rq) {
			*as = se;
			return level;
		}
		se = se->parent;
		if (!se || !se->on_rq)
			return -1;
	}
	return GROUP_LEVELS;
}

static void see_competitor(struct situation *now, struct equant_cpu *cpu, struct task_struct *task)
{
	struct sched_entity *se;
	int level;

	if (task->prio < MAX_RT_PRIO) {
		now->flags |= EQUANT_F_REALTIME;
		now->runnable++;
		return;
	}
	if (task_cpu(task) != cpu->cpu || is_delayed(&task->se))
		return;
	level = meet(now, task, &se);
	if (level < 0)
		return;
	now->runnable++;
	if (level >= now->levels || se == now->own[level] || !is_first(cpu, se, &now->flags))
		return;
	now->others[level] += se->load.weight;
	if (se->my_q)
		now->flags |= EQUANT_F_UNSETTLED;
}

/* Of more than can be looked at whenever something changes the rest is counted. */
static void see_competitors(struct situation *now, struct equant_cpu *cpu, struct task_struct *self)
{
	const struct equant_crowd *crowd = &cpu->runnable;
	u32 i, nr = min_t(u32, crowd->nr, CPU_TASKS), rest = crowd->nr - nr;
	bool is_in_rest = rest;

	cpu->nr_groups = 0;
	for (i = 0; i < nr; i++)
		if (crowd->task[i] != self)
			see_competitor(now, cpu, crowd->task[i]);
		else
			is_in_rest = false;
	now->runnable += rest + !is_in_rest;
	if (rest)
		now->flags |= EQUANT_F_WIDE;
	/* The own task's groups compete with what they meet. */
	for (i = 1; i < now->levels; i++)
		if (now->others[i])
			now->flags |= EQUANT_F_UNSETTLED;
}

/* Real-time and deadline tasks have a priority below that; sched_ext's are not in the queue. */
static bool is_fair(const struct task_struct *task)
{
	return task->prio >= MAX_RT_PRIO && (task->se.on_rq || !task->on_rq);
}

static void see(struct situation *now, struct equant_cpu *cpu, struct task_struct *task)
{
	see_own_levels(now, task);
	if (is_fair(task))
		see_competitors(now, cpu, task);
	else
		now->flags = EQUANT_F_CLASS;
}

/*
 * A limit of the task's group or of one above.  What the group's file would say
 * is asked for through the file: the group itself is opaque.
 */
static u32 see_limits(struct task_struct *task)
{
	struct cgroup_subsys_state *css;
	u32 flags = 0;

	if (!IS_ENABLED(CONFIG_CFS_BANDWIDTH))
		return 0;
	rcu_read_lock();
	for (css = task_css_check(task, cpu_cgrp_id, true); css && css->parent; css = css->parent)
		if (!quota || quota->read_s64(css, quota) >= 0) {
			flags = EQUANT_F_CPU_MAX;
			break;
		}
	rcu_read_unlock();
	return flags;
}

static u64 mix(u64 key, u64 value)
{
	return (key ^ value) * 0x9e3779b97f4a7c15ull;
}

static u64 key_of(const struct situation *now)
{
	u64 key = mix(now->runnable, now->flags);
	u32 i;

	for (i = 0; i < now->levels; i++) {
		key = mix(key, now->own[i]->load.weight);
		key = mix(key, now->others[i]);
	}
	return key;
}

static u32 share_of(const struct situation *now)
{
	u64 share = EQUANT_SHARE_ONE;
	unsigned long own;
	u32 i;

	for (i = 0; i < now->levels; i++) {
		own = now->own[i]->load.weight;
		if (now->others[i])
			share = div64_u64(share * own, (u64)own + now->others[i]);
	}
	return share;
}

static bool is_new_epoch(u32 old, u32 share)
{
	u32 change = share > old ? share - old : old - share;

	/* Whether anybody else is there at all is never drift. */
	if ((share == EQUANT_SHARE_ONE) != (old == EQUANT_SHARE_ONE))
		return true;
	return change > old >> EPOCH_DRIFT_SHIFT;
}

/* Shares that come and go within some quanta are not counted: they are averaged anyway. */
static void count_change(struct equant_attachment *a, u64 now)
{
	struct equant_record *r = a->record;

	if (elapsed(r->t_epoch, now) < (u64)HELD_QUANTA * equant_quantum(r))
		return;
	r->changes += is_new_epoch(a->held_share, r->share_now);
	a->held_share = r->share_now;
}

/* Before it there was none that a newer one would have to be debounced against. */
static void first_share(struct equant_attachment *a, u32 share)
{
	a->record->share_prev = share;
	a->record->settled_prev = share;
	a->epoch_share = share;
	a->held_share = share;
}

static void new_epoch(struct equant_attachment *a, u32 share, u64 now)
{
	struct equant_record *r = a->record;

	if (elapsed(r->t_epoch, now) >= equant_quantum(r)) {
		r->share_prev = r->share_now;
		r->settled_prev = r->share_settled;
	}
	count_change(a, now);
	r->epoch++;
	r->t_epoch = now;
	a->epoch_share = share;
}

static void set_share(struct equant_attachment *a, u32 share, u64 now)
{
	struct equant_record *r = a->record;

	equant_integrate(r, now);
	if (!a->epoch_share)
		first_share(a, share);
	if (is_new_epoch(a->epoch_share, share))
		new_epoch(a, share, now);
	r->share_now = share;
	r->share_settled = share;
	if (share == EQUANT_SHARE_ONE)
		equant_end_episode(r, now);
	else if (!r->t_contended)
		r->t_contended = now;
}

/**
 * equant_compute_share() - the shares of an attached task that is runnable on this CPU
 * @a: the attachment
 * @cpu: the CPU
 * @now: the time
 *
 * Context: cpu->lock and attachment->lock are held, interrupts are off.
 */
void equant_compute_share(struct equant_attachment *a, struct equant_cpu *cpu, u64 now)
{
	struct situation situation = {};
	struct equant_record *r = a->record;
	u64 key;

	lockdep_assert_held(&cpu->lock);
	lockdep_assert_held(&a->lock);
	see(&situation, cpu, a->task);
	if (now - a->t_limits >= TICK_NSEC) {
		a->limits = see_limits(a->task);
		a->t_limits = now;
	}
	situation.flags |= a->limits | (a->crowded ? EQUANT_F_CROWDED : 0);
	key = key_of(&situation);
	if (key == a->key) {
		resume_episode(r, now);
		return;
	}
	a->key = key;
	if (situation.runnable != r->nr_runnable)
		a->clean = false;

	write_begin(r);
	set_share(a, share_of(&situation), now);
	r->flags = situation.flags;
	r->levels = situation.levels ? situation.levels - 1 : 0;
	r->nr_runnable = situation.runnable;
	write_end(r);
	equant_watch_runnable(a, now);
}

/* Not so a task on its way in, be it woken or moved. */
static bool is_here(const struct equant_attachment *a, const struct equant_cpu *cpu)
{
	const struct task_struct *task = a->task;

	if (a->dead || task_cpu(task) != cpu->cpu || (task->on_rq != 1 && !task->se.on_rq))
		return false;
	return a->record->state == EQUANT_STATE_RUN || a->record->state == EQUANT_STATE_WAIT;
}

/**
 * equant_refresh() - something changed on this CPU: look again at what is attached there
 * @cpu: the CPU
 * @now: the time
 *
 * Context: cpu->lock is held, interrupts are off.
 */
void equant_refresh(struct equant_cpu *cpu, u64 now)
{
	struct equant_attachment *a;

	lockdep_assert_held(&cpu->lock);
	/* The crowded ones are at the end: the work at one change is bounded. */
	list_for_each_entry(a, &cpu->attached, on_cpu) {
		if (a->crowded)
			break;
		raw_spin_lock(&a->lock);
		if (is_here(a, cpu))
			equant_compute_share(a, cpu, now);
		raw_spin_unlock(&a->lock);
	}
}

/** equant_share_init() - what is the same for all: the quantum, the file that knows a limit */
void equant_share_init(void)
{
	struct cftype *type;

	default_quantum = equant_default_quantum() ?: EQUANT_UNKNOWN_QUANTUM_NS;
	rcu_read_lock();
	type = task_css_check(&init_task, cpu_cgrp_id, true)->ss->legacy_cftypes;
	for (; type && type->name[0]; type++)
		if (!strcmp(type->name, "cfs_quota_us") && type->read_s64)
			quota = type;
	rcu_read_unlock();
	if (IS_ENABLED(CONFIG_CFS_BANDWIDTH) && !quota)
		pr_info("limits of groups cannot be read; tasks in a group are not predicted\n");
}
