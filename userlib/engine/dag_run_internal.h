/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_ENGINE_DAG_RUN_INTERNAL_H
#define EQUANT_ENGINE_DAG_RUN_INTERNAL_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include <equant/dag_run.h>

#include "dag/dag_internal.h"

/* Tags of the run's communicator; an edge's message has the last one and the edge's number. */
enum equant_dag_tag {
	EQUANT_DAG_TAG_UP = 1,
	EQUANT_DAG_TAG_DOWN,
	EQUANT_DAG_TAG_EDGE,
};

/**
 * struct equant_dag_step - what happens in a schedule
 * @task: that runs; -1: a message travels
 * @edge: that it is of
 */
struct equant_dag_step {
	int task;
	int edge;
};

/**
 * struct equant_dag_order - who does what, in an order in which it can be done
 * @place: rank of each task
 * @step: tasks and messages; each comes after all that it needs
 * @steps: how many
 */
struct equant_dag_order {
	int *place;
	struct equant_dag_step *step;
	int steps;
};

enum equant_dag_letter_state {
	EQUANT_DAG_WAITS,
	EQUANT_DAG_TRAVELS,
	EQUANT_DAG_ARRIVED,
};

/**
 * struct equant_dag_letter - a message that this rank sends or receives
 * @edge: whose data it is
 * @peer: the other rank
 * @sends: this rank sends it
 * @in_lane: its lane counts it
 * @comes: it is received, and its sender has begun it for an order before this one
 * @next: the one after it in its lane, or -1
 */
struct equant_dag_letter {
	int edge;
	int peer;
	bool sends;
	bool in_lane;
	bool comes;
	enum equant_dag_letter_state state;
	int next;
};

/**
 * struct equant_dag_lane - messages of which the next is begun when one before has arrived
 * @first: letter that has not been begun, or -1
 * @last: letter, where @first is not -1
 * @travel: how many do now
 */
struct equant_dag_lane {
	int first;
	int last;
	int travel;
};

/**
 * struct equant_dag_item - what this rank has to do next
 * @task: or -1
 * @letter: that is to be brought from one end to the other first
 */
struct equant_dag_item {
	int task;
	int letter;
};

/**
 * struct equant_dag_mail - this rank's messages
 * @letter: all, in the common order
 * @letters: how many
 * @left: that have not arrived
 * @kept: the first ones are of an order before this one
 * @early: of these, as many may have to be begun
 * @lane: to or from each rank: two each
 * @window: letters of a lane that travel at once
 * @request: of letters that travel
 * @travels: their numbers
 * @requests: how many
 * @done: for MPI_Testsome()
 * @status: of those that are done
 */
struct equant_dag_mail {
	struct equant_dag_letter *letter;
	int letters;
	int left;
	int kept;
	int early;
	struct equant_dag_lane *lane;
	int window;
	MPI_Request *request;
	int *travels;
	int requests;
	int *done;
	MPI_Status *status;
};

/**
 * struct equant_dag_times - when things happened, seconds since @start_ns
 * @start: of tasks that ran here
 * @finish: of them
 * @turn: how many had run here before
 * @sent: edges whose message left here
 * @came: edges whose message came here
 */
struct equant_dag_times {
	uint64_t start_ns;
	double *start;
	double *finish;
	double *turn;
	double *sent;
	double *came;
};

struct equant_dag_talk;
struct equant_dag_replan;
struct equant_patience;

/**
 * struct equant_dag_run - a rank's view of a schedule that is carried out
 * @comm: for it alone
 * @data: of each edge; its memory is the program's, or NULL
 * @given: as it was given
 * @order: as it is carried out
 * @memory: of each edge, while it has some
 * @reserve: memory for any edge, for when there is none
 * @lent: the edge that has it, or -1
 * @here: is its data on this rank?
 * @begun: has its message left here, in this order?
 * @leaving: is it still doing so?
 * @port: for the task that runs: its inputs, then its outputs
 * @item: what this rank does, in order
 * @items: how many
 * @at: the one that is next
 * @task: that runs, or -1
 * @promised: that runs next, whatever becomes of the order, or -1
 * @begun_tasks: of this order, with the promised one
 * @ran: tasks that have run here
 * @replan: NULL: the schedule is held on to
 * @over: all ranks know how it ended
 * @result: how: 0 or -errno
 * @failed: here
 * @carried: the last time without an error
 * @named: whoever this rank waits for has been
 * @broken: MPI has failed; requests may be under way for ever
 */
struct equant_dag_run {
	struct equant *eq;
	MPI_Comm comm;
	const struct equant_dag *dag;
	const struct equant_dag_machine *machine;
	equant_dag_body *body;
	void *user;
	struct dag_paths paths;
	struct equant_dag_data *data;
	struct equant_dag_order given;
	struct equant_dag_order order;
	void **memory;
	void *reserve;
	int lent;
	unsigned char *here;
	unsigned char *begun;
	unsigned char *leaving;
	struct equant_dag_port *port;
	struct equant_dag_item *item;
	int items;
	int at;
	int task;
	int promised;
	int begun_tasks;
	int ran;
	struct equant_dag_mail mail;
	struct equant_dag_times times;
	struct equant_dag_talk *talk;
	struct equant_dag_replan *replan;
	bool over;
	int result;
	int failed;
	bool carried;
	bool named;
	bool broken;
};

/* dag_run.c: all ranks come; 0 or -errno, after which none of the context is waited for any more */
int equant_dag_meet(struct equant *eq, const char *function);

/* dag_carry.c: does a task run, which has no use for @function?  Then there is a message. */
bool equant_dag_in_task(const struct equant_dag_run *run, const char *function);

static inline bool equant_dag_overlaps(const struct equant_dag_run *run)
{
	return run->machine->overlap != EQUANT_DAG_NO_OVERLAP;
}

/* Where the data of @edge is on this rank; NULL while there is no memory for it. */
static inline void *equant_dag_memory(const struct equant_dag_run *run, int edge)
{
	return run->data[edge].memory ? run->data[edge].memory : run->memory[edge];
}

/* Seconds since all ranks began. */
double equant_dag_now(const struct equant_dag_run *run);

/* ---- dag_agree.c ----------------------------------------------------------------------- */

/* Are these options that can be?  0 or -errno after a message. */
int equant_dag_run_check(const struct equant *eq, const struct equant_dag_run_options *options);

/* All ranks have the same options, and @error is 0 on all: else an error on all. */
int equant_dag_run_agree(const struct equant_dag_run *run, int error);

/* ---- dag_order.c ----------------------------------------------------------------------- */

/* The order of a schedule; 0, -EINVAL with @why if it is none of the graph, -ENOMEM. */
int equant_dag_order_init(struct equant_dag_order *order, const struct equant_dag *dag,
			  const struct dag_paths *paths, int ranks,
			  const struct equant_dag_schedule *schedule, char *why, size_t why_size);
/* Into memory that is large enough. */
void equant_dag_order_copy(struct equant_dag_order *to, const struct equant_dag_order *from,
			   int tasks);
void equant_dag_order_free(struct equant_dag_order *order);

/* ---- dag_memory.c: memory of edges --------------------------------------------------------- */

/* Reserve as much as the largest edge needs.  0 or -ENOMEM. */
int equant_dag_memory_init(struct equant_dag_run *run);
void equant_dag_memory_free(struct equant_dag_run *run);
/* There is some from now on.  0 or -ENOMEM. */
int equant_dag_memory_open(struct equant_dag_run *run, int edge);
/*
 * After an error nobody needs what comes, but it has to go somewhere: memory that was reserved, for one
 * edge after the other.  False while it is in use.
 */
bool equant_dag_memory_lend(struct equant_dag_run *run, int edge);
/* It is not needed any more. */
void equant_dag_memory_close(struct equant_dag_run *run, int edge);
void equant_dag_memory_close_all(struct equant_dag_run *run);

/* ---- dag_mail.c ------------------------------------------------------------------------------ */

/* Memory for what any order may need.  0 or -ENOMEM. */
int equant_dag_mail_init(struct equant_dag_run *run);
void equant_dag_mail_free(struct equant_dag_run *run);
/* Forget all letters. */
void equant_dag_mail_clear(struct equant_dag_run *run);
/* One more at the end; with @lane it is begun as soon as that and its data allow.  Its number. */
int equant_dag_mail_add(struct equant_dag_run *run, int edge, int peer, bool sends, bool lane);
/* Begin one if its data is here.  0 or -errno. */
int equant_dag_mail_begin(struct equant_dag_run *run, int letter);
/* See what has arrived, and begin what can be.  0 or -errno. */
int equant_dag_mail_progress(struct equant_dag_run *run);
/* See what has arrived, no more.  0 or -errno. */
int equant_dag_mail_test(struct equant_dag_run *run);
/* Requests that have ended are forgotten. */
void equant_dag_mail_close_ranks(struct equant_dag_mail *mail);

/* ---- dag_leftover.c: letters of an order that is over -------------------------------------------- */

/*
 * Forget those that their senders have not begun, by @sent, unless they are awaited from the same @sender
 * in the order to come; NULL: there is none.  0 or -errno.
 */
int equant_dag_mail_keep(struct equant_dag_run *run, const unsigned char *sent, const int *sender);
/* The letter of the order before this one by which the data of @edge is awaited, or -1. */
int equant_dag_mail_find(const struct equant_dag_run *run, int edge);
/* After an error: what was begun arrives, what was not does not.  Collective. */
int equant_dag_mail_settle(struct equant_dag_run *run);

/* ---- dag_talk.c: how ranks hear that it is over --------------------------------------------- */

int equant_dag_talk_init(struct equant_dag_run *run);
void equant_dag_talk_free(struct equant_dag_run *run);
/* From now on words may come. */
int equant_dag_talk_start(struct equant_dag_run *run);
int equant_dag_talk_progress(struct equant_dag_run *run);
/* Has the last word come and gone? */
bool equant_dag_talk_quiet(const struct equant_dag_run *run);
/* The rank whose next word this one waits for. */
int equant_dag_talk_awaits(const struct equant_dag_run *run);

/* ---- dag_await.c ------------------------------------------------------------------------------ */

/* There is nothing to do just now.  Whoever is waited for too long is named. */
void equant_dag_await(struct equant_dag_run *run, struct equant_patience *patience);

/* ---- dag_carry.c ------------------------------------------------------------------------------ */

/* What this rank has to do by the order, from its beginning on. */
void equant_dag_items_make(struct equant_dag_run *run);
/* The task that this rank could begin now by the order, or -1. */
int equant_dag_next_task(const struct equant_dag_run *run);
/* Has this rank done everything? */
bool equant_dag_is_done(const struct equant_dag_run *run);
bool equant_dag_is_frozen(const struct equant_dag_run *run);

#endif /* EQUANT_ENGINE_DAG_RUN_INTERNAL_H */
