// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libledger.h"
#include "libworker.h"

/* What byte @i of a unit's data is after @count steps. */
static unsigned char mark(long unit, long count, int i)
{
	return (unsigned char)(unit * 31 + count * 7 + i);
}

/* The unit's name, which no other one has, and marks. */
static void write_odd(struct ledger *ledger, long unit)
{
	unsigned char *odd = ledger->odd[unit];
	int32_t name = (int32_t)unit;

	memcpy(odd, &name, sizeof(name));
	for (int i = sizeof(name); i < LEDGER_ODD; i++)
		odd[i] = mark(unit, ledger->count[unit], i);
}

/* Its size varies from nothing to LEDGER_MOST - 1 bytes. */
static void write_bag(struct ledger *ledger, long unit)
{
	struct ledger_bag *bag = &ledger->bags[unit];
	long count = ledger->count[unit];

	bag->here = 1;
	bag->size = (int)((unit + count) % LEDGER_MOST);
	for (int i = 0; i < bag->size; i++)
		bag->bytes[i] = mark(unit, count, i + 100);
}

static void check_unit(const struct ledger *ledger, long unit)
{
	const struct ledger_bag *bag = &ledger->bags[unit];
	const unsigned char *odd = ledger->odd[unit];
	long count = ledger->count[unit];
	int32_t name;

	memcpy(&name, odd, sizeof(name));
	demand_equal(unit, name);
	for (int i = sizeof(name); i < LEDGER_ODD; i++)
		demand_equal(mark(unit, count, i), odd[i]);
	demand(bag->here);
	demand_equal((unit + count) % LEDGER_MOST, bag->size);
	for (int i = 0; i < bag->size; i++)
		demand_equal(mark(unit, count, i + 100), bag->bytes[i]);
}

static size_t bag_size(void *ctx, long unit)
{
	struct ledger *ledger = ctx;

	demand(ledger->bags[unit].here);
	return (size_t)ledger->bags[unit].size;
}

static void bag_pack(void *ctx, long unit, void *buffer)
{
	struct ledger *ledger = ctx;
	struct ledger_bag *bag = &ledger->bags[unit];

	memcpy(buffer, bag->bytes, (size_t)bag->size);
	memset(bag, 0, sizeof(*bag));
}

static int bag_unpack(void *ctx, long unit, const void *buffer, size_t size)
{
	struct ledger *ledger = ctx;
	struct ledger_bag *bag = &ledger->bags[unit];

	if (bag->here || size >= LEDGER_MOST)
		return -EBADMSG;
	bag->here = 1;
	bag->size = (int)size;
	memcpy(bag->bytes, buffer, size);
	return 0;
}

static const struct equant_data_ops bag_ops = {
	.sz = sizeof(bag_ops),
	.size = bag_size,
	.pack = bag_pack,
	.unpack = bag_unpack,
};

static void *array(long units, size_t slice)
{
	size_t bytes = (size_t)(units ? units : 1) * slice;
	void *memory = malloc(bytes);

	demand(memory);
	memset(memory, 0xa5, bytes);
	return memory;
}

void ledger_init(struct ledger *ledger, struct equant_loop *loop, long units)
{
	*ledger = (struct ledger){ .units = units, .loop = loop };
	ledger->count = array(units, sizeof(*ledger->count));
	ledger->odd = array(units, sizeof(*ledger->odd));
	ledger->bags = calloc((size_t)(units ? units : 1), sizeof(*ledger->bags));
	demand(ledger->bags);
	equant_for_each_unit(loop, u) {
		ledger->count[u] = 0;
		write_odd(ledger, u);
		write_bag(ledger, u);
	}
	demand_equal(0, equant_loop_array(loop, ledger->count, sizeof(*ledger->count)));
	demand_equal(0, equant_loop_data(loop, &bag_ops, ledger));
	demand_equal(0, equant_loop_array(loop, ledger->odd, sizeof(*ledger->odd)));
}

void ledger_free(struct ledger *ledger)
{
	free(ledger->count);
	free(ledger->odd);
	free(ledger->bags);
}

void ledger_unit(struct ledger *ledger, long unit)
{
	check_unit(ledger, unit);
	ledger->count[unit]++;
	write_odd(ledger, unit);
	write_bag(ledger, unit);
}

void ledger_step(struct ledger *ledger)
{
	long last = -1, seen = 0;

	equant_for_each_unit(ledger->loop, u) {
		demand(u > last && u < ledger->units);
		ledger_unit(ledger, u);
		last = u;
		seen++;
	}
	demand_equal(equant_loop_count(ledger->loop), seen);
}

/* Which units are here, by the ranges. */
static void mark_owned(const struct ledger *ledger, long *owned)
{
	memset(owned, 0, (size_t)ledger->units * sizeof(*owned));
	equant_for_each_unit(ledger->loop, u) {
		check_unit(ledger, u);
		owned[u] = 1;
	}
}

void ledger_audit(const struct ledger *ledger, MPI_Comm comm, long steps)
{
	long *mine = array(ledger->units, 3 * sizeof(*mine));
	long *all = array(ledger->units, 3 * sizeof(*all));
	long *owned = mine, *count = mine + ledger->units, *owner = mine + 2 * ledger->units;
	int here, n;

	MPI_Comm_rank(comm, &here);
	MPI_Comm_size(comm, &n);
	mark_owned(ledger, owned);
	for (long u = 0; u < ledger->units; u++) {
		count[u] = owned[u] ? ledger->count[u] : 0;
		owner[u] = equant_loop_owner(ledger->loop, u);
		demand_equal(owned[u], owner[u] == here);
	}
	MPI_Allreduce(mine, all, (int)(3 * ledger->units), MPI_LONG, MPI_SUM, comm);
	for (long u = 0; u < ledger->units; u++) {
		demand_equal(1, all[u]);
		demand_equal(steps, all[ledger->units + u]);
		demand_equal(owner[u] * n, all[2 * ledger->units + u]);
	}
	demand_equal(-EINVAL, equant_loop_owner(ledger->loop, -1));
	demand_equal(-EINVAL, equant_loop_owner(ledger->loop, ledger->units));
	free(mine);
	free(all);
}
