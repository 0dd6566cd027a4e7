/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A bounded set of tasks: those that are runnable on a CPU.
 *
 * The members are in ->task[0 .. nr), in no order; the last one takes the place of one that
 * leaves.  They are found by chains of places, one per bucket, since every switch
 * looks for one.  Nothing is allocated, and no member is looked at.
 *
 * Whoever includes this has u16, u32 and u64.
 */
#ifndef EQUANT_KMOD_CROWD_H
#define EQUANT_KMOD_CROWD_H

#define CROWD_TASKS 1024
#define CROWD_BITS 8

struct task_struct;

struct equant_crowd {
	u32 nr;
	u16 first[1 << CROWD_BITS]; /* place of a bucket's first member, from 1; 0 = none */
	u16 next[CROWD_TASKS]; /* the same, of the one behind it in its bucket */
	struct task_struct *task[CROWD_TASKS];
};

static inline u16 *crowd_bucket(struct equant_crowd *crowd, const struct task_struct *task)
{
	/* Knuth 1998, section 6.4: multiplied by 2^64 / golden ratio, the top bits. */
	u64 hash = (u64)(unsigned long)task * 0x9e3779b97f4a7c15ull;

	return &crowd->first[hash >> (64 - CROWD_BITS)];
}

/* What points to the member's place, or to the 0 at the end of the chain it is not in. */
static inline u16 *crowd_link(struct equant_crowd *crowd, const struct task_struct *task)
{
	u16 *link = crowd_bucket(crowd, task);

	while (*link && crowd->task[*link - 1] != task)
		link = &crowd->next[*link - 1];
	return link;
}

static inline bool crowd_has(struct equant_crowd *crowd, const struct task_struct *task)
{
	return *crowd_link(crowd, task);
}

/** crowd_add() - is it a member now?  False: there is no room. */
static inline bool crowd_add(struct equant_crowd *crowd, struct task_struct *task)
{
	u16 *bucket = crowd_bucket(crowd, task);

	if (crowd_has(crowd, task))
		return true;
	if (crowd->nr == CROWD_TASKS)
		return false;
	crowd->task[crowd->nr] = task;
	crowd->next[crowd->nr] = *bucket;
	*bucket = ++crowd->nr;
	return true;
}

/** crowd_remove() - was it a member? */
static inline bool crowd_remove(struct equant_crowd *crowd, const struct task_struct *task)
{
	u16 *link = crowd_link(crowd, task);
	u32 place = *link, last = crowd->nr;

	if (!place)
		return false;
	*link = crowd->next[place - 1];
	crowd->nr--;
	if (place != last) {
		link = crowd_link(crowd, crowd->task[last - 1]);
		crowd->task[place - 1] = crowd->task[last - 1];
		crowd->next[place - 1] = crowd->next[last - 1];
		*link = place;
	}
	return true;
}

static inline void crowd_clear(struct equant_crowd *crowd)
{
	crowd->nr = 0;
	memset(crowd->first, 0, sizeof(crowd->first));
}

#endif /* EQUANT_KMOD_CROWD_H */
