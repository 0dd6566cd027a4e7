// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A node's store of chunks.  Whichever of its ranks finds too few there asks for more, so that none waits
 * for another one that computes.
 */
#include <string.h>

#include "core/clock.h"
#include "engine/self_store.h"
#include "loop/loop_internal.h"

/**
 * struct equant_self_store - see there
 * @waiting: threads
 * @coming: chunks asked for: [1] by ranks that wait for them, [0] by such that compute now
 * @n: chunks here
 * @reported: whose report goes first into the next request
 * @reports: of each member, then @n of struct equant_self_lot
 */
struct equant_self_store {
	int64_t waiting;
	int64_t coming[2];
	int64_t n;
	int64_t reported;
	struct equant_self_report reports[];
};

static struct equant_self_store *store_of(const struct equant_self *self)
{
	return (void *)self->memory->calculator;
}

static struct equant_self_lot *lots_of(const struct equant_self *self)
{
	return (void *)&store_of(self)->reports[self->size];
}

static int own_place(const struct equant_self *self)
{
	int i = 0;

	while (self->members[i] != self->eq->rank)
		i++;
	return i;
}

size_t equant_self_store_size(const struct equant_self *self)
{
	size_t members = (size_t)(unsigned int)self->size;

	return sizeof(struct equant_self_store) + members * sizeof(struct equant_self_report) +
	       (members + 1) * EQUANT_SELF_ANSWER * sizeof(struct equant_self_lot);
}

void equant_self_store_enter(struct equant_self *self, const struct equant_self_chunk *chunk,
			     uint64_t asked_ns)
{
	struct equant_self_store *store = store_of(self);
	struct equant_self_report *report = &store->reports[own_place(self)];

	store->waiting++;
	report->power = __atomic_load_n(&self->now, __ATOMIC_RELAXED);
	if (chunk->iterations < 1)
		return;
	report->first = chunk->first;
	report->iterations += chunk->iterations;
	report->compute += 1e-9 * (double)equant_since(asked_ns, chunk->begun_ns);
}

void equant_self_store_leave(struct equant_self *self, double waited)
{
	struct equant_self_store *store = store_of(self);

	store->waiting--;
	store->reports[own_place(self)].overhead += waited;
}

int equant_self_store_take(struct equant_self *self, struct equant_self_chunk *chunk)
{
	struct equant_self_store *store = store_of(self);
	struct equant_self_lot *lots = lots_of(self);
	int64_t n = 0;

	if (!store->n)
		return 0;
	while (n < store->n && lots[n].worker != self->eq->rank)
		n++;
	if (n == store->n)
		n = 0;
	*chunk = (struct equant_self_chunk){ .first = lots[n].first, .count = lots[n].count };
	store->n--;
	memmove(&lots[n], &lots[n + 1], (size_t)(store->n - n) * sizeof(*lots));
	return 1;
}

void equant_self_store_put(struct equant_self *self, const struct equant_self_answer *answer)
{
	struct equant_self_store *store = store_of(self);

	memcpy(&lots_of(self)[store->n], answer->lots, (size_t)answer->n * sizeof(answer->lots[0]));
	store->n += answer->n;
}

/* Nothing must come that there is no room for, however many threads wait. */
static int no_more_than_room(const struct equant_self *self, int64_t wanted)
{
	const struct equant_self_store *store = store_of(self);
	int64_t room = (int64_t)(self->size + 1) * EQUANT_SELF_ANSWER - store->n -
		       store->coming[0] - store->coming[1];

	if (wanted > room)
		wanted = room;
	return (int)(wanted < EQUANT_SELF_ANSWER ? wanted : EQUANT_SELF_ANSWER);
}

/* One that computes does not look at its answer before it is done: who waits asks once more. */
int equant_self_store_lacks(const struct equant_self *self)
{
	const struct equant_self_store *store = store_of(self);
	int64_t lacking = store->waiting - store->n - store->coming[1];

	if (lacking > 0 && self->ahead && lacking < self->size && !store->coming[1])
		lacking = self->size;
	if (lacking <= 0)
		return 0;
	return no_more_than_room(self, lacking);
}

int equant_self_store_runs_low(const struct equant_self *self)
{
	const struct equant_self_store *store = store_of(self);
	int64_t has = store->n + store->coming[0] + store->coming[1];

	if (!self->ahead || has > self->size / 2)
		return 0;
	return no_more_than_room(self, self->size);
}

void equant_self_store_coming(struct equant_self *self, int waits, int n)
{
	store_of(self)->coming[waits] += n;
}

static void add_reports(struct equant_self *self, struct equant_self_request *request)
{
	struct equant_self_store *store = store_of(self);

	for (int i = 0; i < self->size && request->n < EQUANT_SELF_REPORTS; i++) {
		int place = (int)(store->reported % self->size);
		struct equant_self_report *report = &store->reports[place];

		store->reported++;
		if (!report->power)
			continue;
		report->worker = self->members[place];
		request->reports[request->n++] = *report;
		memset(report, 0, sizeof(*report));
	}
}

void equant_self_store_request(struct equant_self *self, struct equant_self_request *request,
			       int wanted)
{
	int place = own_place(self);

	request->wanted = wanted;
	request->n = 0;
	for (int i = 0; i < wanted; i++)
		request->workers[i] = self->members[(place + i) % self->size];
	add_reports(self, request);
}
