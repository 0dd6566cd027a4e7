// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* What becomes of a letter when there is a new order: rank 2 of three, to which all of rank 1's go. */
#include "engine/dag_run_internal.h"
#include "kselftest_harness.h"
#include "loop/loop_internal.h"

#define EDGES 3
#define EDGE 1

FIXTURE(leftover)
{
	struct equant eq;
	struct equant_dag dag;
	struct equant_dag_machine machine;
	struct equant_dag_run run;
	unsigned char sent[EDGES];
	int sender[EDGES];
};

FIXTURE_SETUP(leftover)
{
	self->eq.ranks = 3;
	self->dag.edges = EDGES;
	self->run.eq = &self->eq;
	self->run.dag = &self->dag;
	self->run.machine = &self->machine;
	ASSERT_EQ(0, equant_dag_mail_init(&self->run));
	for (int e = 0; e < EDGES; e++)
		self->sender[e] = -1;
}

FIXTURE_TEARDOWN(leftover)
{
	equant_dag_mail_free(&self->run);
}

/* This rank has a letter from rank 1; the new order has its edge come from @sender, or not at all. */
static void renew(struct __test_metadata *_metadata, struct _test_data_leftover *self,
		  enum equant_dag_letter_state state, int sent, int sender)
{
	struct equant_dag_mail *mail = &self->run.mail;

	ASSERT_EQ(0, equant_dag_mail_add(&self->run, EDGE, 1, false, false));
	mail->letter[0].state = state;
	mail->left -= state == EQUANT_DAG_ARRIVED;
	if (state == EQUANT_DAG_TRAVELS) {
		mail->requests = 1;
		mail->travels[0] = 0;
	}
	self->sent[EDGE] = (unsigned char)sent;
	self->sender[EDGE] = sender;
	ASSERT_EQ(0, equant_dag_mail_keep(&self->run, self->sent, self->sender));
}

TEST_F(leftover, what_had_arrived_in_the_old_order_is_done_with)
{
	renew(_metadata, self, EQUANT_DAG_ARRIVED, 1, -1);
	EXPECT_EQ(0, self->run.mail.letters);
	EXPECT_EQ(0, self->run.mail.left);
}

/* Its sender had the new order before this rank, which must not wait for it again. */
TEST_F(leftover, what_has_arrived_for_the_new_order_is_a_letter_of_it)
{
	renew(_metadata, self, EQUANT_DAG_ARRIVED, 0, 1);
	EXPECT_EQ(0, equant_dag_mail_find(&self->run, EDGE));
	EXPECT_EQ(EQUANT_DAG_ARRIVED, self->run.mail.letter[0].state);
	EXPECT_EQ(0, self->run.mail.left);
	/* In the order after it, it had been sent before. */
	self->sent[EDGE] = 1;
	self->sender[EDGE] = -1;
	ASSERT_EQ(0, equant_dag_mail_keep(&self->run, self->sent, self->sender));
	EXPECT_EQ(0, self->run.mail.letters);
}

TEST_F(leftover, what_is_awaited_in_both_orders_is_awaited_once)
{
	renew(_metadata, self, EQUANT_DAG_TRAVELS, 0, 1);
	EXPECT_EQ(0, equant_dag_mail_find(&self->run, EDGE));
	EXPECT_EQ(1, self->run.mail.left);
}

TEST_F(leftover, what_has_been_sent_comes_whatever_the_order_is)
{
	renew(_metadata, self, EQUANT_DAG_TRAVELS, 1, -1);
	EXPECT_EQ(-1, equant_dag_mail_find(&self->run, EDGE));
	EXPECT_EQ(1, self->run.mail.left);
}

TEST_F(leftover, what_was_neither_sent_nor_awaited_begins_anew)
{
	renew(_metadata, self, EQUANT_DAG_WAITS, 0, 1);
	EXPECT_EQ(0, self->run.mail.letters);
}

/* Its memory is gone when it has left. */
TEST_F(leftover, what_still_leaves_is_no_input_of_a_task_that_has_come_back)
{
	struct equant_dag_edge edges[EDGES] = { { 0, 1, 1 }, { 0, 2, 1 }, { 0, 3, 1 } };
	struct equant_dag_item item = { 2, -1 };
	unsigned char here[EDGES] = { 0, 1, 0 }, leaving[EDGES] = { 0, 1, 0 };

	self->dag.tasks = 4;
	self->dag.edge = edges;
	ASSERT_EQ(0, equant_dag_paths_init(&self->run.paths, &self->dag));
	self->run.item = &item;
	self->run.items = 1;
	self->run.here = here;
	self->run.leaving = leaving;
	EXPECT_EQ(-1, equant_dag_next_task(&self->run));
	leaving[EDGE] = 0;
	EXPECT_EQ(2, equant_dag_next_task(&self->run));
	equant_dag_paths_free(&self->run.paths);
}

TEST_HARNESS_MAIN
