/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Work that can be audited: every unit has a counter, a slice of an odd size
 * and packed data of varying size, and all three must tell the same number of
 * steps whenever the unit's owner looks.
 */
#ifndef LIBLEDGER_H
#define LIBLEDGER_H

#include <equant/equant.h>
#include <stdint.h>

#define LEDGER_ODD 13
#define LEDGER_MOST 17

struct ledger_bag {
	int here; /* this rank holds the unit's data */
	int size;
	unsigned char bytes[LEDGER_MOST];
};

struct ledger {
	long units;
	struct equant_loop *loop;
	long *count;
	unsigned char (*odd)[LEDGER_ODD];
	struct ledger_bag *bags;
};

/* Fills in the units this rank starts with, garbage elsewhere, and registers everything. */
void ledger_init(struct ledger *ledger, struct equant_loop *loop, long units);
void ledger_free(struct ledger *ledger);

/* One step of a unit that is here. */
void ledger_unit(struct ledger *ledger, long unit);

/* One step of every owned unit. */
void ledger_step(struct ledger *ledger);

/* Collective: every unit was computed @steps times, has one owner, and all ranks know whom. */
void ledger_audit(const struct ledger *ledger, MPI_Comm comm, long steps);

#endif /* LIBLEDGER_H */
