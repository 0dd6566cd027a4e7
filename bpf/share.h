/* SPDX-License-Identifier: GPL-2.0-only */
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
 * Sleepers whose dequeue the scheduler delays are still in the queue's
 * load.weight; they are left out, hence the walk over the queued entities.
 *
 * A group's entity on a CPU weighs (calc_group_shares() in kernel/sched/fair.c)
 *
 *	shares x load of the group here / load of the group everywhere
 *
 * with loads averaged over some 100 ms.  share_now takes the weight as it is,
 * share_settled takes the formula with the loads queued at present, which is
 * what the averages converge to if nothing changes.
 */
#ifndef EQUANT_BPF_SHARE_H
#define EQUANT_BPF_SHARE_H

#include "state.h"

#define WALK_ENTITIES 64 /* entities summed per level */
#define MIN_GROUP_WEIGHT 2 /* MIN_SHARES of kernel/sched/sched.h */
/* Where more CPUs have to be asked, group loads are summed once per tick at most. */
#define SETTLE_AT_ONCE_CPUS 32
/* A change by less than 1/16 is the drift of a group's weight, no new epoch. */
#define EPOCH_DRIFT_SHIFT 4
/* A share that held for as long is one to follow. */
#define HELD_QUANTA 4

/* The quantum by which changes of share are judged, the same as by readers. */
static __always_inline u32 quantum_of(const struct equant_record *r)
{
	const struct equant_table *header = table_header();
	u32 quantum = r->quantum_ns;

	if (!quantum && header)
		quantum = header->default_quantum_ns;
	quantum = quantum ?: EQUANT_UNKNOWN_QUANTUM_NS;
	return quantum < EQUANT_HOLD_TICKS * tick_ns ? quantum : EQUANT_HOLD_TICKS * tick_ns;
}

static __always_inline u64 scaled(u64 ns, u32 share)
{
	return (ns >> EQUANT_SHARE_SHIFT) * share +
	       (((ns & (EQUANT_SHARE_ONE - 1)) * share) >> EQUANT_SHARE_SHIFT);
}

/*
 * Bring the integrals up to @now; they run over runnable time only.  They may be
 * there already: a switch that is made up for lies in the past.
 */
static __always_inline void integrate(struct equant_record *r, u64 now)
{
	if (now <= r->t_share)
		return;
	if (r->state == EQUANT_STATE_RUN || r->state == EQUANT_STATE_WAIT) {
		u64 ns = now - r->t_share;

		r->share_ns += scaled(ns, r->share_now);
		r->settled_ns += scaled(ns, r->share_settled);
	}
	r->t_share = now;
}

static __always_inline void end_episode(struct equant_record *r, u64 now)
{
	u64 ns;

	if (!r->t_contended)
		return;
	/* What is made up may lie before it began. */
	ns = now > r->t_contended ? now - r->t_contended : 0;
	r->t_contended = 0;
	r->contended_ns += ns;
	r->episodes++;
	if (ns > quantum_of(r)) {
		r->long_episodes++;
		r->long_ns += ns;
	}
}

/* After a sleep, which ended the last one: the competitors may be the same, so that no share changes. */
static __always_inline void resume_episode(struct equant_record *r, u64 now)
{
	if (r->share_now == EQUANT_SHARE_ONE || r->t_contended)
		return;
	write_begin(r);
	r->t_contended = now;
	write_end(r);
}

/**
 * struct group_sum - the load of a group over all CPUs, while it is summed
 * @queues: address of the array of its queues
 * @load: so far
 */
struct group_sum {
	u64 queues;
	u64 load;
};

/* Return: 1, there are no more. */
static long add_group_load(u32 cpu, struct group_sum *sum)
{
	const bool cast = have_cast;
	u64 queue = 0;

	if (bpf_probe_read_kernel(&queue, sizeof(queue), (void *)(sum->queues + cpu * 8)) || !queue)
		return 1;
	sum->load += GET(AS(struct cfs_rq, queue), load.weight);
	return 0;
}

/* The verifier follows every turn of a loop, so that it must not know of many. */
static __always_inline u64 group_load(struct task_group *group, bool cast)
{
	struct group_sum sum = { .queues = (u64)GET(group, cfs_rq) };

	if (nr_cpus > SETTLE_AT_ONCE_CPUS)
		bpf_loop(nr_cpus, add_group_load, &sum, 0);
	else
		for (u32 cpu = 0; cpu < nr_cpus && !add_group_load(cpu, &sum); cpu++)
			;
	return sum.load;
}

/* The weight an entity will have; a task keeps its own. */
__noinline u64 settled_weight(u64 address, u64 weight)
{
	const bool cast = have_cast;
	struct sched_entity *se = AS(struct sched_entity, address);
	u64 shares, everywhere, settled;
	struct task_group *group;
	struct cfs_rq *queue;

	if (!predicts)
		return weight;
	queue = GET(se, my_q);
	if (!queue)
		return weight;
	group = GET(queue, tg);
	if (!group)
		return weight;
	everywhere = group_load(group, cast);
	if (!everywhere)
		return weight;
	shares = GET(group, shares);
	settled = shares * GET(queue, load.weight) / everywhere;
	if (settled > shares)
		settled = shares;
	return settled < MIN_GROUP_WEIGHT ? MIN_GROUP_WEIGHT : settled;
}

/* Nobody, where all tasks in it are asleep and left in their queues. */
static __always_inline bool is_deserted(struct cfs_rq *group, bool cast)
{
	u32 tasks = nr_tasks(group, cast);

	return nr_delayed(group, tasks, cast) == tasks;
}

static __always_inline void add_entity(struct walk *w, u64 address)
{
	const bool cast = have_cast;
	struct sched_entity *se = AS(struct sched_entity, address);
	struct cfs_rq *group = GET(se, my_q);
	u64 weight, settled;

	if (is_delayed(se, cast) || (group && is_deserted(group, cast)))
		return;
	weight = settled = GET(se, load.weight);
	if (w->foresee && group)
		settled = settled_weight(address, weight);
	w->weight += weight;
	w->settled += settled;
	if (address == w->own) {
		w->own_weight = weight;
		w->own_settled = settled;
	}
}

/* One step through the tree: every node before its children, without a stack. */
static long walk_step(u32 index, struct walk **pending)
{
	const bool cast = have_cast;
	struct walk *w = *pending;
	struct sched_entity *se = NULL;
	struct rb_node *node = AS(struct rb_node, w->node);
	u64 left, right, up;

	if (!w->climbing) {
		add_entity(w, w->node - bpf_core_field_offset(se->run_node));
		left = (u64)GET(node, rb_left);
		right = (u64)GET(node, rb_right);
		if (left)
			w->node = left;
		else if (right)
			w->node = right;
		else
			w->climbing = 1;
		return 0;
	}
	up = GET(node, __rb_parent_color) & ~3ull;
	if (!up) {
		w->node = 0;
		return 1;
	}
	node = AS(struct rb_node, up);
	left = (u64)GET(node, rb_left);
	right = (u64)GET(node, rb_right);
	if (left == w->node && right) {
		w->node = right;
		w->climbing = 0;
	} else {
		w->node = up;
	}
	return 0;
}

/* Sum the weights on the slot's contested level @level; EQUANT_F_WIDE if cut short. */
__noinline int sum_level(u32 slot, u32 level, u32 foresee)
{
	const bool cast = have_cast;
	struct slot *s = slot_of(slot);
	struct sched_entity *curr;
	struct cfs_rq *queue;
	struct walk *w;

	if (!predicts || !s || level >= GROUP_LEVELS)
		return 0;
	w = &s->walk;
	queue = AS(struct cfs_rq, s->contested[level].queue);
	w->own = s->contested[level].entity;
	w->own_weight = w->own_settled = 0;
	w->weight = w->settled = 0;
	w->climbing = 0;
	w->foresee = foresee;

	/* The running entity is not in the tree. */
	curr = GET(queue, curr);
	if (curr && GET(curr, on_rq)) {
		w->node = (u64)curr;
		barrier();
		add_entity(w, w->node);
	}
	w->node = (u64)GET(queue, tasks_timeline.rb_root.rb_node);
	barrier();
	if (!w->node)
		return 0;
	walk_step(0, &w);
	if (!w->climbing) /* more than one */
		bpf_loop(2 * WALK_ENTITIES, walk_step, &w, 0);
	else
		w->node = 0;
	return w->node ? EQUANT_F_WIDE : 0;
}

static __always_inline u64 mix(u64 key, u64 value)
{
	return (key ^ value) * 0x9e3779b97f4a7c15ull;
}

/* What the shares follow from, in one number, and the levels to look at closer. */
struct situation {
	u64 key;
	u32 flags;
	u32 levels;
	u32 nr_runnable;
};

/* One level: this is read at every event, so each member once. */
static __always_inline void see_level(struct situation *now, struct slot *s,
				      struct sched_entity *se, struct cfs_rq *queue, bool cast)
{
	u32 nr = s->nr_contested, entities = nr_entities(queue, cast);

	if (entities > 1) {
		s->contested[nr & (GROUP_LEVELS - 1)].entity = (u64)se;
		s->contested[nr & (GROUP_LEVELS - 1)].queue = (u64)queue;
		s->nr_contested = nr + 1;
	}
	now->key = mix(now->key, GET(se, load.weight));
	now->key = mix(now->key, GET(queue, load.weight) + ((u64)entities << 32));
}

/* The CPU's own queue is the last level's. */
static __always_inline void see_cpu(struct situation *now, struct cfs_rq *queue, u32 tasks,
				    u32 delayed, bool cast)
{
	struct rq *rq = GET(queue, rq);
	u32 running = GET(rq, nr_running);

	/* Of another class: real-time, deadline, stop, sched_ext. */
	if (running > tasks)
		now->flags |= EQUANT_F_REALTIME;
	now->nr_runnable = running - delayed;
}

static __always_inline void see_levels(struct situation *now, struct slot *s,
				       struct task_struct *task, bool cast)
{
	struct sched_entity *se = &task->se;
	struct cfs_rq *queue = NULL;
	u32 tasks = 0, delayed = 0, level;
	struct rq *rq;

	for (level = 0; level < GROUP_LEVELS && se; level++) {
		queue = GET(se, cfs_rq);
		if (!queue)
			return;
		see_level(now, s, se, queue, cast);
		tasks = nr_tasks(queue, cast);
		delayed = nr_delayed(queue, tasks, cast);
		now->key = mix(now->key, (u64)delayed << 32 | tasks);
		se = GET(se, parent);
	}
	if (!queue)
		return;
	now->levels = level - 1;
	if (!se) {
		see_cpu(now, queue, tasks, delayed, cast);
		return;
	}
	rq = GET(queue, rq);
	now->flags |= EQUANT_F_DEEP;
	now->nr_runnable = GET(rq, nr_running);
}

/* Real-time and deadline tasks have a priority below that; sched_ext's are not in the queue. */
static __always_inline void see(struct situation *now, struct slot *s, bool cast)
{
	struct task_struct *task = AS(struct task_struct, s->task);

	now->flags = s->crowded ? EQUANT_F_CROWDED : 0;
	s->nr_contested = 0;
	if (GET(task, prio) < MAX_RT_PRIO)
		now->flags |= EQUANT_F_CLASS;
	else
		see_levels(now, s, task, cast);
	now->key = mix(now->key, (u64)now->nr_runnable << 32 | now->flags);
}

/* Limits change seldom, and only shift what the scheduler does later: not in the key. */
static __always_inline u32 see_limits(struct slot *s, bool cast)
{
	struct task_struct *task = AS(struct task_struct, s->task);
	struct sched_entity *se = &task->se;
	struct cfs_rq *queue;

	for (u32 level = 0; level < GROUP_LEVELS && se; level++) {
		queue = GET(se, cfs_rq);
		if (queue && bpf_core_field_exists(queue->runtime_enabled) &&
		    GET(queue, runtime_enabled))
			return EQUANT_F_CPU_MAX;
		se = GET(se, parent);
	}
	return 0;
}

static __always_inline bool is_new_epoch(u32 old, u32 share)
{
	u32 change = share > old ? share - old : old - share;

	/* Whether anybody else is there at all is never drift. */
	if ((share == EQUANT_SHARE_ONE) != (old == EQUANT_SHARE_ONE))
		return true;
	return change > old >> EPOCH_DRIFT_SHIFT;
}

/* Shares that come and go within some quanta are not counted: they are averaged anyway. */
static __always_inline void count_change(struct equant_record *r, struct slot *s, u64 now)
{
	if (now - r->t_epoch < (u64)HELD_QUANTA * quantum_of(r))
		return;
	r->changes += is_new_epoch(s->held_share, r->share_now);
	s->held_share = r->share_now;
}

/* Before it there was none that a newer one would have to be debounced against. */
static __always_inline void first_share(struct equant_record *r, struct slot *s, u32 share,
					u32 settled)
{
	r->share_prev = share;
	r->settled_prev = settled;
	s->epoch_share = share;
	s->held_share = share;
}

/* @unseen: when the last share came or went is not known. */
static __always_inline void set_share(struct equant_record *r, struct slot *s, u32 share,
				      u32 settled, bool unseen, u64 now)
{
	integrate(r, now);
	if (!s->epoch_share)
		first_share(r, s, share, settled);
	if (is_new_epoch(s->epoch_share, share)) {
		if (now - r->t_epoch >= quantum_of(r) && !unseen) {
			r->share_prev = r->share_now;
			r->settled_prev = r->share_settled;
		}
		if (!unseen)
			count_change(r, s, now);
		r->epoch++;
		r->t_epoch = now;
		s->epoch_share = share;
	}
	r->share_now = share;
	r->share_settled = settled;
	if (share == EQUANT_SHARE_ONE)
		end_episode(r, now);
	else if (!r->t_contended)
		r->t_contended = now;
}

/* One level's factor; most levels have no groups whose weight could change. */
static __always_inline void apply_level(const struct walk *w, u64 *share, u64 *settled)
{
	bool same = *settled == *share && w->settled == w->weight;

	if (w->weight > w->own_weight)
		*share = *share * w->own_weight / w->weight;
	if (same && w->own_settled == w->own_weight)
		*settled = *share;
	else if (w->settled > w->own_settled)
		*settled = *settled * w->own_settled / w->settled;
}

/*
 * Compute the shares of the slot's task again, unless nothing they depend on
 * has changed.  The task is runnable and the lock of its run queue is held.
 * @now may be 0: the clock is read if it is needed.
 */
__noinline int compute_share(u32 slot, u64 now)
{
	const bool cast = have_cast;
	u64 share = EQUANT_SHARE_ONE, settled = EQUANT_SHARE_ONE;
	struct equant_record *r = record_of(slot);
	struct slot *s = slot_of(slot);
	struct situation situation = {};
	u32 foresee, unseen;

	if (!predicts || !r || !s || !s->task)
		return 0;
	unseen = s->unseen;
	s->unseen = 0;
	see(&situation, s, cast);
	if (situation.key == s->key && !s->nr_contested)
		return 0;
	now = now ?: bpf_ktime_get_ns();
	/* Loads on other CPUs are not in the key. */
	foresee = now - s->t_settled >= tick_ns;
	if (situation.key == s->key && !foresee) {
		resume_episode(r, now);
		return 0;
	}
	if (situation.nr_runnable != r->nr_runnable)
		s->clean = 0;
	s->key = situation.key;
	foresee |= nr_cpus <= SETTLE_AT_ONCE_CPUS;

	for (u32 level = 0; level < GROUP_LEVELS; level++) {
		if (level >= s->nr_contested)
			break;
		situation.flags |= sum_level(slot, level, foresee);
		apply_level(&s->walk, &share, &settled);
	}
	if (!foresee)
		situation.flags |= EQUANT_F_UNSETTLED;
	else
		s->t_settled = now;

	situation.flags |= see_limits(s, cast);

	write_begin(r);
	set_share(r, s, share, settled, unseen, now);
	r->flags = situation.flags;
	r->levels = situation.levels;
	r->nr_runnable = situation.nr_runnable;
	write_end(r);
	return 0;
}

#endif /* EQUANT_BPF_SHARE_H */
