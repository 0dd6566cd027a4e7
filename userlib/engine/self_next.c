// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The next chunk of a rank, out of the memory of the node.
 *
 * Most schemes need one atomic addition: who adds n to the counter has the n steps from
 * where it was.  Those that learn, and trees, depend on what all ranks did: the
 * calculator's state is in the shared memory too, and one thread at a time works on it.
 * The lock tells the next one when its holder died.
 */
#include "core/clock.h"
#include "engine/self_messages.h"
#include "loop/loop_internal.h"
#include "selfsched/state.h"

/* Where a step begins, or the end. */
static int64_t edge(const struct equant_self *self, int64_t step)
{
	const struct equant_chunks *chunks = self->chunks;

	if (step >= self->steps)
		return self->total;
	if (self->kind == EQUANT_SELF_RECTANGLES)
		return step;
	if (self->kind == EQUANT_SELF_TABLE)
		return self->edges[step];
	return chunks->scheme->before(&chunks->line, step);
}

/*
 * With powers in parts of a CPU the smallest chunk would be as many steps as a CPU has parts.  A rank
 * that loses its CPU in the last one keeps all others waiting, so towards the end chunks get
 * down to one step.
 */
static int64_t fewer(const struct equant_self *self, int64_t steps, int64_t left)
{
	int64_t part = left * steps / self->tail;

	return part > 1 ? part : 1;
}

static int take_steps(struct equant_self *self, struct equant_self_chunk *chunk)
{
	int64_t steps = __atomic_load_n(&self->now, __ATOMIC_RELAXED), from, left;

	/* Who asks again and again after the end must not make the counter overflow. */
	left = self->steps - __atomic_load_n(&self->memory->next, __ATOMIC_RELAXED);
	if (left <= 0)
		return 0;
	if (left < self->tail)
		steps = fewer(self, steps, left);
	from = __atomic_fetch_add(&self->memory->next, steps, __ATOMIC_RELAXED);
	if (from >= self->steps)
		return 0;
	chunk->first = edge(self, from);
	chunk->count = edge(self, from + steps) - chunk->first;
	return 1;
}

int64_t equant_self_iterations(const struct equant_self *self, int64_t begin, int64_t count)
{
	int64_t first[EQUANT_CHUNKS_DIMENSIONS], extents[EQUANT_CHUNKS_DIMENSIONS], all = 0;

	if (self->chunks->dimensions == 1)
		return count;
	for (int64_t n = begin; n < begin + count; n++) {
		int64_t size = 1;

		equant_chunks_box(self->chunks, n, first, extents);
		for (int i = 0; i < self->chunks->dimensions; i++)
			size *= extents[i];
		all += size;
	}
	return all;
}

/* With the lock. */
static int ask(struct equant_self *self, struct equant_self_chunk *chunk, uint64_t asked_ns)
{
	struct equant_chunks *chunks = self->chunks;
	struct equant_chunk next;
	int got;

	equant_chunks_load(chunks, self->memory->calculator);
	equant_chunks_power(chunks, self->eq->rank, __atomic_load_n(&self->now, __ATOMIC_RELAXED));
	if (chunk->iterations > 0)
		equant_chunks_report_of(chunks, self->eq->rank, chunk->first, chunk->iterations,
					1e-9 * (double)equant_since(asked_ns, chunk->begun_ns),
					1e-9 * (double)equant_since(equant_now_ns(), asked_ns));
	got = equant_chunks_next(chunks, self->eq->rank, &next);
	equant_chunks_save(chunks, self->memory->calculator);
	if (got != 1)
		return got;
	*chunk = (struct equant_self_chunk){ .first = next.first, .count = next.count };
	return 1;
}

static int take_locked(struct equant_self *self, struct equant_self_chunk *chunk)
{
	uint64_t asked_ns = equant_now_ns();
	int error = equant_self_lock(self), got;

	if (error)
		return error;
	got = ask(self, chunk, asked_ns);
	equant_self_unlock(self);
	if (got != 1)
		return got;
	if (self->chunks->learned)
		chunk->iterations = equant_self_iterations(self, chunk->first, chunk->count);
	chunk->begun_ns = equant_now_ns();
	return 1;
}

int equant_self_take(struct equant_self *self, struct equant_self_chunk *chunk)
{
	return self->kind == EQUANT_SELF_LOCKED ? take_locked(self, chunk) :
						  take_steps(self, chunk);
}

static int take(struct equant_self *self, struct equant_self_chunk *chunk)
{
	if (self->replays)
		return equant_self_record_next(self, chunk);
	if (self->follows && equant_self_is_owner(self))
		equant_self_follow(self);
	if (self->role == EQUANT_SELF_WORKER)
		return equant_self_worker_next(self, chunk);
	if (self->role == EQUANT_SELF_MASTER)
		return equant_self_master_next(self, chunk);
	if (self->role == EQUANT_SELF_NEIGHBOUR)
		return equant_self_tree_next(self, chunk);
	return equant_self_take(self, chunk);
}

static int next(struct equant_self *self, struct equant_self_chunk *chunk)
{
	int error = equant_self_talk(self), got;
	int32_t state = equant_self_state(self);

	if (!error && state)
		return state < 0 ? state : 0;
	got = error ? error : take(self, chunk);
	if (got == 1 && self->record)
		equant_self_record_write(self, chunk);
	return got;
}

int equant_self_next(struct equant_self *self, struct equant_self_chunk *chunk)
{
	int got = next(self, chunk);

	if (got < 0 && !equant_self_state(self))
		equant_self_fail(self, got);
	/* Who leaves must not be the only one that knows why. */
	if (got < 1)
		equant_self_talk(self);
	return got;
}

int equant_self_box(const struct equant_self *self, int64_t n, int64_t *first, int64_t *extents)
{
	return equant_chunks_box(self->chunks, n, first, extents);
}

double equant_self_power(const struct equant_self *self)
{
	return (double)__atomic_load_n(&self->now, __ATOMIC_RELAXED) / self->full;
}
