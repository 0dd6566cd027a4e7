// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * How all ranks come to the same end.  Ranks are a binary tree.  Up go words that say that a rank and
 * all below it have done everything, or that a task has failed; rank 0 decides which of the two it was
 * and says so downwards.  Each rank answers the last word with a last one of its own, so that nothing
 * is under way any more when it leaves.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "control/send.h"
#include "core/mpi_error.h"
#include "engine/dag_run_internal.h"
#include "loop/loop_internal.h"

enum kind {
	UP_DONE,
	UP_FAILED,
	UP_LAST,
	DOWN_OVER,
};

struct word {
	int32_t kind;
	int32_t error;
};

enum { PARENT, CHILD, CHILDREN = 2, LINKS = 3 };

#define PARCELS 2 /* words that a rank sends its parent, and more than it sends a child */

/* A word on its way. */
struct parcel {
	MPI_Request request;
	struct word word;
};

/**
 * struct equant_dag_talk - a rank's place in the tree
 * @peer: ranks at the other ends, or -1
 * @request: words that may come
 * @word: where they come
 * @parcel: words that go
 * @done: are all below a child done?
 * @going: words that were still on their way at the last look
 * @left: children that have not said their last word
 * @finished: this rank has nothing left to do
 * @told: its word has gone up
 */
struct equant_dag_talk {
	int peer[LINKS];
	MPI_Request request[LINKS];
	struct word word[LINKS];
	struct parcel parcel[LINKS][PARCELS];
	bool done[LINKS];
	int going;
	int left;
	bool finished;
	bool told;
};

int equant_dag_talk_init(struct equant_dag_run *run)
{
	struct equant_dag_talk *talk = calloc(1, sizeof(*talk));
	int rank = run->eq->rank;

	run->talk = talk;
	if (!talk)
		return -ENOMEM;
	talk->peer[PARENT] = rank ? (rank - 1) / 2 : -1;
	for (int c = 0; c < CHILDREN; c++)
		talk->peer[CHILD + c] = 2 * rank + 1 + c < run->eq->ranks ? 2 * rank + 1 + c : -1;
	for (int i = 0; i < LINKS; i++) {
		talk->request[i] = MPI_REQUEST_NULL;
		for (int j = 0; j < PARCELS; j++)
			talk->parcel[i][j].request = MPI_REQUEST_NULL;
	}
	return 0;
}

void equant_dag_talk_free(struct equant_dag_run *run)
{
	/* Where MPI has failed it may still write there. */
	if (!run->broken)
		free(run->talk);
}

static int listen(struct equant_dag_run *run, int link)
{
	struct equant_dag_talk *talk = run->talk;

	return equant_mpi_error(MPI_Irecv(&talk->word[link], sizeof(talk->word[link]), MPI_BYTE,
					  talk->peer[link],
					  link == PARENT ? EQUANT_DAG_TAG_DOWN : EQUANT_DAG_TAG_UP,
					  run->comm, &talk->request[link]),
				"listening to other ranks");
}

int equant_dag_talk_start(struct equant_dag_run *run)
{
	struct equant_dag_talk *talk = run->talk;
	int error = 0;

	talk->finished = talk->told = false;
	talk->left = talk->going = 0;
	for (int i = 0; i < LINKS && !error; i++) {
		talk->done[i] = i == PARENT || talk->peer[i] < 0;
		talk->left += !talk->done[i];
		if (talk->peer[i] >= 0)
			error = listen(run, i);
	}
	return error;
}

static int say(struct equant_dag_run *run, int link, struct word word)
{
	struct equant_dag_talk *talk = run->talk;
	struct parcel *parcel = talk->parcel[link];

	if (talk->peer[link] < 0)
		return 0;
	/* A rank says so little that the second one is free where the first is not. */
	if (parcel->request != MPI_REQUEST_NULL)
		parcel++;
	parcel->word = word;
	talk->going++;
	return equant_mpi_error(equant_send(&run->eq->waiter, &parcel->word, sizeof(word), MPI_BYTE,
					    talk->peer[link],
					    link == PARENT ? EQUANT_DAG_TAG_UP :
							     EQUANT_DAG_TAG_DOWN,
					    run->comm, &parcel->request),
				"talking to other ranks");
}

/* It is over; from now on this rank is silent, when its children are. */
static int end(struct equant_dag_run *run, int32_t error)
{
	int failed = 0;

	run->over = true;
	run->result = error;
	for (int i = CHILD; i < LINKS && !failed; i++)
		failed = say(run, i, (struct word){ DOWN_OVER, error });
	return failed ? failed : say(run, PARENT, (struct word){ UP_LAST, 0 });
}

static int tell(struct equant_dag_run *run)
{
	struct equant_dag_talk *talk = run->talk;

	if (talk->told || run->over || !talk->finished || !talk->done[CHILD] ||
	    !talk->done[CHILD + 1])
		return 0;
	talk->told = true;
	return run->eq->rank ? say(run, PARENT, (struct word){ UP_DONE, 0 }) : end(run, 0);
}

int equant_dag_talk_done(struct equant_dag_run *run)
{
	run->talk->finished = true;
	return tell(run);
}

int equant_dag_talk_fail(struct equant_dag_run *run, int error)
{
	if (run->talk->told || run->over)
		return 0;
	run->talk->told = true;
	if (!run->eq->rank)
		return end(run, error);
	return say(run, PARENT, (struct word){ UP_FAILED, error });
}

static int hear(struct equant_dag_run *run, int link)
{
	struct equant_dag_talk *talk = run->talk;
	struct word word = talk->word[link];
	int error = 0;

	if (word.kind == UP_LAST) {
		talk->left--;
		return 0;
	}
	if (word.kind == DOWN_OVER)
		return end(run, word.error);
	error = listen(run, link);
	if (error)
		return error;
	if (word.kind == UP_FAILED)
		return equant_dag_talk_fail(run, word.error);
	talk->done[link] = true;
	return tell(run);
}

/* How many words are still on their way?  -errno. */
static int look_after(struct equant_dag_talk *talk)
{
	int done, going = 0, error;

	for (int i = 0; i < LINKS * PARCELS; i++) {
		MPI_Request *request = &talk->parcel[i / PARCELS][i % PARCELS].request;

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
	int count, done[LINKS];
	int error = equant_mpi_error(MPI_Testsome(LINKS, talk->request, &count, done,
						  MPI_STATUSES_IGNORE),
				     "listening to other ranks");

	for (int i = 0; !error && count != MPI_UNDEFINED && i < count; i++)
		error = hear(run, done[i]);
	talk->going = error ? 0 : look_after(talk);
	return talk->going < 0 ? talk->going : error;
}

bool equant_dag_talk_quiet(const struct equant_dag_run *run)
{
	return run->over && !run->talk->left && !run->talk->going;
}
