// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Checked mode: before every balancing phase, and before the loop is closed,
 * all ranks compare what they believe and what they are about to do.  Each
 * transfer carries the checksum of its slices; here the ownership as a whole
 * is verified.  Nothing that depends on another rank is begun before that
 * rank has said that it takes part, so a rank that stays away is an error
 * here and not a message that never comes.
 */
#include <errno.h>

#include "core/message.h"
#include "loop/loop_internal.h"

struct belief {
	uint64_t closing; /* this rank closes the loop */
	uint64_t failed; /* ... or has failed */
	uint64_t own_units; /* what this rank holds */
	uint64_t own_hash;
	uint64_t all_hash; /* who, as far as this rank knows, holds what */
};

static uint64_t hash_of_all(const struct equant_units *u)
{
	uint64_t hash = 0;
	int r;

	for (r = 0; r < u->ranks; r++)
		hash = hash * 0x9e3779b97f4a7c15ull + equant_runs_hash(&u->owned[r]) +
		       (uint64_t)u->counts[r];
	for (r = 0; r < u->ranks; r++)
		hash = hash * 0x9e3779b97f4a7c15ull + equant_runs_hash(&u->resting[r]);
	return hash;
}

static uint64_t hash_of_loop(long units)
{
	struct equant_range all = { 0, units };
	struct equant_runs runs = { .ranges = &all, .n = units > 0, .total = units };

	return equant_runs_hash(&runs);
}

static int compare_owners(const struct equant_loop *loop, const struct belief *b)
{
	uint64_t units = 0, hash = 0;
	int r;

	for (r = 0; r < loop->ranks; r++) {
		units += b[r].own_units;
		hash += b[r].own_hash;
		if (b[r].all_hash != b[0].all_hash) {
			equant_message(
				"loop %s phase %ld: ranks 0 and %d disagree on who owns what",
				loop->name, loop->phases, r);
			return -EBADMSG;
		}
	}
	if (units == (uint64_t)loop->units.units && hash == hash_of_loop(loop->units.units))
		return 0;
	equant_message("loop %s phase %ld: %llu units are owned, there are %ld", loop->name,
		       loop->phases, (unsigned long long)units, loop->units.units);
	return -EBADMSG;
}

/* All ranks see the same, so all come to the same conclusion. */
static int compare(const struct equant_loop *loop, const struct belief *b)
{
	int closer = -1, goer = -1, r;

	for (r = 0; r < loop->ranks; r++) {
		if (b[r].failed) {
			equant_message("loop %s: rank %d has failed", loop->name, r);
			return -ECANCELED;
		}
		if (b[r].closing)
			closer = r;
		else
			goer = r;
	}
	if (closer < 0 || goer < 0)
		return compare_owners(loop, b);
	equant_say_closed(loop, closer, goer);
	return -EPROTO;
}

int equant_check_phase(struct equant_loop *loop, int closing, int failed)
{
	const struct equant_runs *own = &loop->units.owned[loop->rank];
	const struct equant_runs *resting = &loop->units.resting[loop->rank];
	double timeout = loop->eq->options.timeout;
	struct belief belief = {
		.closing = (uint64_t)closing,
		.failed = (uint64_t)failed,
		.own_units = (uint64_t)(own->total + resting->total),
		.own_hash = equant_runs_hash(own) + equant_runs_hash(resting),
		.all_hash = hash_of_all(&loop->units),
	};
	struct equant_exchange *x;
	int error, awaited, itself;

	x = equant_exchange_new(&loop->eq->waiter, loop->comm, EQUANT_TAG_CHECK, sizeof(belief));
	if (!x)
		return -errno;
	error = equant_exchange_start(x, &belief);
	if (!error)
		error = equant_exchange_finish(x, timeout, &loop->waiting_ns);
	awaited = equant_exchange_awaited(x, &itself);
	if (error == -ETIMEDOUT)
		equant_say_silent(loop, awaited, itself, timeout);
	if (error)
		equant_exchange_cancel(x);
	else
		error = compare(loop, equant_exchange_items(x));
	equant_exchange_free(x);
	return error;
}
