// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What ranks tell each other beside data.  Ranks are a binary tree, in which rank 0 decides.
 *
 * Up go words that say that a rank and all below it have done everything, or that a task has failed, and
 * downwards goes how it ended.  Each rank answers that with a last word of its own, so that nothing
 * is under way any more when it leaves; after a failure rank 0 answers these, too.
 *
 * Up goes too that a share has changed; then rank 0 has all stop beginning anything, each rank tells how far
 * it and all below it are, and rank 0 how to go on.  That ends an epoch: who has done everything in
 * one may have more to do in the next.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "control/send.h"
#include "core/mpi_error.h"
#include "engine/dag_replan.h"
#include "loop/loop_internal.h"

enum kind {
	DONE,
	FAILED,
	CHANGED,
	STAND,
	LAST,
	FREEZE,
	PLAN,
	OVER,
	PART,
	KINDS,
};

/* @value: of DONE the epoch, of FAILED and OVER the error; STAND and PLAN have news behind it. */
struct word {
	int32_t kind;
	int32_t value;
};

_Static_assert(sizeof(struct word) == EQUANT_DAG_WORD, "news are behind a word");

enum { PARENT, CHILD, LINKS = 3 };

/**
 * struct equant_dag_talk - a rank's place in the tree
 * @peer: ranks at the other ends, or -1
 * @request: words that may come
 * @bytes: where they come
 * @room: for so many
 * @going: words that go, one of a kind at a time
 * @word: they, but for those with news
 * @pending: how many were still going at the last look
 * @done: the epoch in which all below a child were done last
 * @left: children that have not said their last word
 * @stands: that have come up, with this rank's own
 * @epoch: decisions of rank 0 so far
 * @told: the last one in which this rank was done, with all below it
 * @wishes: the share of this rank or of one below it has changed
 * @wished: its parent knows
 * @failed: a task has, here or below
 * @last: this rank has said its last word
 * @parts: after a failure, so have all
 */
struct equant_dag_talk {
	int peer[LINKS];
	MPI_Request request[LINKS];
	char *bytes[LINKS];
	int room;
	MPI_Request going[LINKS][KINDS];
	struct word word[LINKS][KINDS];
	int pending;
	int done[LINKS];
	int left;
	int stands;
	int epoch;
	int told;
	bool wishes;
	bool wished;
	bool failed;
	bool last;
	bool parts;
};

int equant_dag_talk_init(struct equant_dag_run *run)
{
	struct equant_dag_talk *talk = calloc(1, sizeof(*talk));
	int rank = run->eq->rank;

	run->talk = talk;
	if (!talk)
		return -ENOMEM;
	talk->room = run->replan ? (int)run->replan->size : (int)sizeof(struct word);
	for (int i = 0; i < LINKS; i++) {
		talk->peer[i] = i == PARENT ? (rank + 1) / 2 - 1 : 2 * rank + i;
		talk->peer[i] = talk->peer[i] < run->eq->ranks ? talk->peer[i] : -1;
		talk->request[i] = MPI_REQUEST_NULL;
		for (int kind = 0; kind < KINDS; kind++)
			talk->going[i][kind] = MPI_REQUEST_NULL;
		talk->bytes[i] = talk->peer[i] < 0 ? NULL : calloc(1, (size_t)talk->room);
		if (talk->peer[i] >= 0 && !talk->bytes[i])
			return -ENOMEM;
	}
	return 0;
}

void equant_dag_talk_free(struct equant_dag_run *run)
{
	/* Where MPI has failed it may still write there. */
	if (run->broken || !run->talk)
		return;
	for (int i = 0; i < LINKS; i++)
		free(run->talk->bytes[i]);
	free(run->talk);
}

static int listen(struct equant_dag_run *run, int link)
{
	struct equant_dag_talk *talk = run->talk;

	return equant_mpi_error(MPI_Irecv(talk->bytes[link], talk->room, MPI_BYTE, talk->peer[link],
					  link == PARENT ? EQUANT_DAG_TAG_DOWN : EQUANT_DAG_TAG_UP,
					  run->comm, &talk->request[link]),
				"listening to other ranks");
}

int equant_dag_talk_start(struct equant_dag_run *run)
{
	struct equant_dag_talk *talk = run->talk;
	int error = 0;

	talk->left = talk->epoch = talk->stands = talk->pending = 0;
	talk->wishes = talk->wished = talk->failed = talk->last = talk->parts = false;
	talk->told = -1;
	for (int i = 0; i < LINKS && !error; i++) {
		talk->done[i] = -1;
		talk->left += i != PARENT && talk->peer[i] >= 0;
		if (talk->peer[i] >= 0)
			error = listen(run, i);
	}
	return error;
}

/* ---- saying ------------------------------------------------------------------------------------ */

/* A word of a kind goes after the one before it was answered: that one has only to be seen to be gone. */
static int say(struct equant_dag_run *run, int link, enum kind kind, int value)
{
	struct equant_dag_talk *talk = run->talk;
	MPI_Request *going = &talk->going[link][kind];
	struct word *word = &talk->word[link][kind];
	size_t size = sizeof(*word);
	int error;

	if (talk->peer[link] < 0)
		return 0;
	error = equant_mpi_error(MPI_Wait(going, MPI_STATUS_IGNORE), "talking to other ranks");
	if (error)
		return error;
	if (kind == STAND || kind == PLAN) {
		word = kind == STAND ? run->replan->stand_memory : run->replan->memory;
		size = kind == STAND ? run->replan->stand_size : run->replan->size;
	}
	*word = (struct word){ kind, value };
	talk->pending++;
	return equant_mpi_error(
		equant_send(&run->eq->waiter, word, (int)size, MPI_BYTE, talk->peer[link],
			    link == PARENT ? EQUANT_DAG_TAG_UP : EQUANT_DAG_TAG_DOWN, run->comm,
			    going),
		"talking to other ranks");
}

static int say_down(struct equant_dag_run *run, enum kind kind, int value)
{
	int error = 0;

	for (int i = CHILD; i < LINKS && !error; i++)
		error = say(run, i, kind, value);
	return error;
}

/* ---- deciding ---------------------------------------------------------------------------------- */

/* All ranks have come out of their tasks, and go on together. */
static int part(struct equant_dag_run *run)
{
	run->talk->parts = true;
	return say_down(run, PART, 0);
}

/*
 * From now on this rank is silent, when its children are.  After a failure it is in no task any more then, nor are
 * those below it, and it leaves when rank 0 has heard that of all: ranks that meet after that wait for
 * nobody's task.
 */
static int say_last(struct equant_dag_run *run)
{
	struct equant_dag_talk *talk = run->talk;

	if (talk->last || (run->result && (run->task >= 0 || talk->left)))
		return 0;
	talk->last = true;
	if (run->result && !run->eq->rank)
		return part(run);
	return say(run, PARENT, LAST, 0);
}

/* It is over. */
static int end(struct equant_dag_run *run, int result)
{
	int error;

	run->over = true;
	run->result = result;
	error = say_down(run, OVER, result);
	return error ? error : say_last(run);
}

/* The first failure that rank 0 hears of is how it ends. */
static int fail(struct equant_dag_run *run, int result)
{
	if (run->talk->failed || run->over)
		return 0;
	run->talk->failed = true;
	return run->eq->rank ? say(run, PARENT, FAILED, result) : end(run, result);
}

/* Rank 0 has decided, and all do it. */
static int adopt(struct equant_dag_run *run)
{
	struct equant_dag_talk *talk = run->talk;
	int error = say_down(run, PLAN, 0);

	talk->epoch++;
	talk->stands = 0;
	talk->wishes = talk->wished = false;
	return error ? error : equant_dag_replan_adopt(run);
}

/* Another rank, or this one, has told how far it is. */
static int count_stand(struct equant_dag_run *run)
{
	struct equant_dag_talk *talk = run->talk;
	int all = 1 + (talk->peer[CHILD] >= 0) + (talk->peer[CHILD + 1] >= 0);

	if (++talk->stands < all)
		return 0;
	if (run->eq->rank)
		return say(run, PARENT, STAND, 0);
	equant_dag_replan_collect(run);
	equant_dag_rest_plan(run);
	return adopt(run);
}

static int freeze(struct equant_dag_run *run)
{
	int error = say_down(run, FREEZE, 0);

	/* Who has failed has nothing to say any more but that. */
	if (error || run->talk->failed)
		return error;
	equant_dag_replan_freeze(run);
	return count_stand(run);
}

static int wish(struct equant_dag_run *run)
{
	struct equant_dag_talk *talk = run->talk;

	if (!talk->wishes || talk->wished || equant_dag_is_frozen(run))
		return 0;
	talk->wished = true;
	return run->eq->rank ? say(run, PARENT, CHANGED, 0) : freeze(run);
}

static bool is_done_below(const struct equant_dag_talk *talk)
{
	for (int i = CHILD; i < LINKS; i++)
		if (talk->peer[i] >= 0 && talk->done[i] != talk->epoch)
			return false;
	return true;
}

static int tell_done(struct equant_dag_run *run)
{
	struct equant_dag_talk *talk = run->talk;

	if (talk->told == talk->epoch || equant_dag_is_frozen(run) || !equant_dag_is_done(run) ||
	    !is_done_below(talk))
		return 0;
	talk->told = talk->epoch;
	return run->eq->rank ? say(run, PARENT, DONE, talk->epoch) : end(run, 0);
}

/* What this rank has to say by itself. */
static int speak(struct equant_dag_run *run)
{
	struct equant_dag_talk *talk = run->talk;
	int error = 0;

	if (run->over)
		return say_last(run);
	if (run->failed)
		error = fail(run, run->failed);
	if (error || run->over || talk->failed)
		return error;
	error = tell_done(run);
	if (error || run->over || !run->replan)
		return error;
	talk->wishes = talk->wishes || run->replan->watch.wishes;
	return wish(run);
}

/* ---- hearing ------------------------------------------------------------------------------------ */

static int hear_news(struct equant_dag_run *run, int link, const struct word *word)
{
	const char *bytes = run->talk->bytes[link];

	if (word->kind == STAND) {
		if (run->talk->failed || run->over)
			return 0;
		equant_dag_replan_merge(run, bytes);
		return count_stand(run);
	}
	memcpy(run->replan->memory, bytes, run->replan->size);
	return adopt(run);
}

static int hear(struct equant_dag_run *run, int link)
{
	struct equant_dag_talk *talk = run->talk;
	const struct word word = *(const struct word *)(const void *)talk->bytes[link];

	switch (word.kind) {
	case DONE:
		talk->done[link] = word.value;
		return 0;
	case FAILED:
		return fail(run, word.value);
	case CHANGED:
		talk->wishes = true;
		return 0;
	case LAST:
		talk->left--;
		return 0;
	case FREEZE:
		return freeze(run);
	case OVER:
		return end(run, word.value);
	case PART:
		return part(run);
	default:
		return hear_news(run, link, &word);
	}
}

static int hear_and_listen(struct equant_dag_run *run, int link)
{
	int32_t kind = ((const struct word *)(const void *)run->talk->bytes[link])->kind;
	int error = hear(run, link);

	if (error || kind == LAST || kind == PART || (kind == OVER && !run->result))
		return error;
	return listen(run, link);
}

/* How many words are still going?  Or -errno. */
static int look_after(struct equant_dag_talk *talk)
{
	int done, going = 0, error;

	for (int i = 0; talk->pending && i < LINKS * KINDS; i++) {
		MPI_Request *request = &talk->going[i / KINDS][i % KINDS];

		if (*request == MPI_REQUEST_NULL)
			continue;
		error = equant_mpi_error(MPI_Test(request, &done, MPI_STATUS_IGNORE),
					 "talking to other ranks");
		if (error)
			return error;
		going += !done;
	}
	return going;
}

int equant_dag_talk_progress(struct equant_dag_run *run)
{
	struct equant_dag_talk *talk = run->talk;
	MPI_Status statuses[LINKS];
	int count = 0, done[LINKS];
	int error = MPI_Testsome(LINKS, talk->request, &count, done, statuses);

	error = equant_mpi_error(equant_mpi_cause(error, count, statuses),
				 "listening to other ranks");
	for (int i = 0; !error && count != MPI_UNDEFINED && i < count; i++)
		error = hear_and_listen(run, done[i]);
	if (!error)
		error = speak(run);
	if (error)
		return error;
	talk->pending = look_after(talk);
	return talk->pending < 0 ? talk->pending : 0;
}

bool equant_dag_talk_quiet(const struct equant_dag_run *run)
{
	const struct equant_dag_talk *talk = run->talk;

	return (run->result ? talk->parts : talk->last) && !talk->left && !talk->pending;
}

/* One below, which says that all is done and at the end its last word, or else the one above. */
int equant_dag_talk_awaits(const struct equant_dag_run *run)
{
	const struct equant_dag_talk *talk = run->talk;

	for (int i = CHILD; i < LINKS; i++)
		if (talk->peer[i] >= 0 && (run->over ? talk->request[i] != MPI_REQUEST_NULL :
						       talk->done[i] != talk->epoch))
			return talk->peer[i];
	return talk->peer[run->eq->rank ? PARENT : CHILD];
}
