// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Which task tells that a table has no writer any more: a table of which this thread is a task. */
#include "watch/witness.c"

#include "kselftest_harness.h"

#define RECORDS 4
#define NAMESPACE 7 /* the table's and the watcher's; its number does not matter */

union slot {
	struct equant_table table;
	struct equant_record record;
};

FIXTURE(witness)
{
	union slot slots[1 + RECORDS];
	struct equant_watch watch;
};

FIXTURE_SETUP(witness)
{
	memset(self->slots, 0, sizeof(self->slots));
	self->slots[0].table.nr_records = RECORDS;
	self->watch = (struct equant_watch){
		.mapping = { .table = &self->slots[0].table,
			     .size = sizeof(self->slots),
			     .nr_records = RECORDS },
		.ns_inode = NAMESPACE,
	};
}

FIXTURE_TEARDOWN(witness)
{
}

static struct equant_record *attach(struct _test_data_witness *self, uint32_t index, pid_t tid)
{
	struct equant_record *record = &self->slots[index].record;

	*record = (struct equant_record){
		.state = EQUANT_STATE_RUN,
		.tid = (uint32_t)tid,
		.tgid = (uint32_t)getpid(),
		.ns_inode = NAMESPACE,
		.t_attach = index,
	};
	return record;
}

/* Until the kernel has counted two more arrivals of this thread than there were; false if it does not. */
static bool be_switched(const struct equant_record *record)
{
	uint64_t before, now;

	if (!read_arrivals(record, &before))
		return false;
	do {
		equant_reader_force_switch();
		if (!read_arrivals(record, &now))
			return false;
	} while (now < before + 2);
	return true;
}

TEST_F(witness, a_record_that_stays_as_it_is_while_its_thread_is_switched_is_found)
{
	struct equant_record *record = attach(self, 2, gettid());

	EXPECT_FALSE(equant_witness_stands_still(&self->watch));
	if (!be_switched(record))
		SKIP(return, "the kernel does not count switches");
	EXPECT_TRUE(equant_witness_stands_still(&self->watch));
	EXPECT_TRUE(be_switched(record));
	record->switches++;
	EXPECT_FALSE(equant_witness_stands_still(&self->watch));
}

/* No process has a thread of the number 0. */
TEST_F(witness, threads_that_cannot_be_asked_about_are_passed_over)
{
	struct equant_record *record = attach(self, 3, gettid());

	attach(self, 1, 0);
	attach(self, 2, 0);
	EXPECT_FALSE(equant_witness_stands_still(&self->watch));
	if (!be_switched(record))
		SKIP(return, "the kernel does not count switches");
	EXPECT_TRUE(equant_witness_stands_still(&self->watch));
}

TEST_F(witness, another_task_in_the_record_is_another_witness)
{
	struct equant_record *record = attach(self, 1, gettid());

	EXPECT_FALSE(equant_witness_stands_still(&self->watch));
	if (!be_switched(record))
		SKIP(return, "the kernel does not count switches");
	record->t_attach++;
	EXPECT_FALSE(equant_witness_stands_still(&self->watch));
}

TEST_F(witness, without_a_thread_that_can_be_asked_about_nothing_is_known)
{
	EXPECT_FALSE(equant_witness_stands_still(&self->watch));
	attach(self, 1, 0);
	attach(self, 2, gettid())->ns_inode = NAMESPACE + 1;
	attach(self, 3, gettid())->state = EQUANT_STATE_FREE;
	EXPECT_FALSE(equant_witness_stands_still(&self->watch));
	EXPECT_FALSE(equant_witness_stands_still(&self->watch));
	EXPECT_EQ(0, self->watch.witness.record);
}

TEST_HARNESS_MAIN
