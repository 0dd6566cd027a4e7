// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Messages.  Those between two ranks are in lanes: one for both directions where channels are shared,
 * else one for each.  A lane's letters are begun in its order, on both ends, as many at once as its
 * channel carries.  Without overlap there are no lanes: who computes, sends and receives one at a
 * time begins each letter when it is the next thing to do.
 *
 * Sung and Lai, section 3.1, have channels that carry one message at a time; here both ends of a channel
 * see by themselves when the one before has arrived.
 */
#include <errno.h>
#include <stdlib.h>

#include "control/send.h"
#include "core/mpi_error.h"
#include "engine/dag_run_internal.h"
#include "loop/loop_internal.h"

#define FREE_WINDOW 8

int equant_dag_mail_init(struct equant_dag_run *run)
{
	struct equant_dag_mail *mail = &run->mail;
	/* An edge's message may go on from here while it still comes back from where it still goes. */
	size_t e = 3 * (size_t)run->dag->edges + 1, p = (size_t)(unsigned int)run->eq->ranks;

	mail->window = run->machine->channels == EQUANT_DAG_FREE ? FREE_WINDOW : 1;
	mail->letter = calloc(e, sizeof(*mail->letter));
	mail->lane = calloc(2 * p, sizeof(*mail->lane));
	mail->request = calloc(e, sizeof(MPI_Request));
	mail->travels = calloc(e, sizeof(*mail->travels));
	mail->done = calloc(e, sizeof(*mail->done));
	mail->status = calloc(e, sizeof(*mail->status));
	if (!mail->letter || !mail->lane || !mail->request || !mail->travels || !mail->done ||
	    !mail->status)
		return -ENOMEM;
	equant_dag_mail_clear(run);
	return 0;
}

void equant_dag_mail_free(struct equant_dag_run *run)
{
	struct equant_dag_mail *mail = &run->mail;

	free(mail->letter);
	free(mail->lane);
	free(mail->travels);
	free(mail->done);
	free(mail->status);
	/* MPI may still know them. */
	if (!run->broken)
		free(mail->request);
}

void equant_dag_mail_clear(struct equant_dag_run *run)
{
	struct equant_dag_mail *mail = &run->mail;

	mail->letters = mail->left = mail->early = mail->kept = 0;
	for (int i = 0; i < 2 * run->eq->ranks; i++)
		mail->lane[i] = (struct equant_dag_lane){ -1, -1, 0 };
}

static struct equant_dag_lane *lane_of(struct equant_dag_run *run, int peer, bool sends)
{
	bool both = run->machine->channels == EQUANT_DAG_SHARED;

	return &run->mail.lane[2 * peer + (!both && sends)];
}

int equant_dag_mail_add(struct equant_dag_run *run, int edge, int peer, bool sends, bool in_lane)
{
	struct equant_dag_mail *mail = &run->mail;
	struct equant_dag_lane *lane = lane_of(run, peer, sends);
	int number = mail->letters++;

	mail->letter[number] = (struct equant_dag_letter){
		.edge = edge, .peer = peer, .sends = sends, .in_lane = in_lane, .next = -1
	};
	mail->left++;
	if (!in_lane)
		return number;
	if (lane->first < 0)
		lane->first = number;
	else
		mail->letter[lane->last].next = number;
	lane->last = number;
	return number;
}

/* ---- beginning ---------------------------------------------------------------------------------- */

static int send_letter(struct equant_dag_run *run, const struct equant_dag_letter *letter,
		       MPI_Request *request)
{
	const struct equant_dag_data *data = &run->data[letter->edge];

	run->begun[letter->edge] = run->leaving[letter->edge] = 1;
	run->times.sent[letter->edge] = equant_dag_now(run);
	return equant_mpi_error(equant_send(&run->eq->waiter, equant_dag_memory(run, letter->edge),
					    data->count, data->type, letter->peer,
					    EQUANT_DAG_TAG_EDGE + letter->edge, run->comm, request),
				"sending the data of a task");
}

static int receive_letter(struct equant_dag_run *run, const struct equant_dag_letter *letter,
			  MPI_Request *request)
{
	const struct equant_dag_data *data = &run->data[letter->edge];
	int error = equant_dag_memory_open(run, letter->edge);

	if (error)
		return error;
	return equant_mpi_error(MPI_Irecv(equant_dag_memory(run, letter->edge), data->count,
					  data->type, letter->peer,
					  EQUANT_DAG_TAG_EDGE + letter->edge, run->comm, request),
				"receiving the data of a task");
}

/* Data that comes back to a rank that still sends it has to wait. */
static bool can_begin(const struct equant_dag_run *run, const struct equant_dag_letter *letter)
{
	if (letter->state != EQUANT_DAG_WAITS || equant_dag_is_frozen(run))
		return false;
	return letter->sends ? run->here[letter->edge] : !run->leaving[letter->edge];
}

int equant_dag_mail_begin(struct equant_dag_run *run, int number)
{
	struct equant_dag_mail *mail = &run->mail;
	struct equant_dag_letter *letter = &mail->letter[number];
	MPI_Request request;
	int error;

	if (!can_begin(run, letter))
		return 0;
	error = letter->sends ? send_letter(run, letter, &request) :
				receive_letter(run, letter, &request);
	if (error)
		return error;
	letter->state = EQUANT_DAG_TRAVELS;
	mail->travels[mail->requests] = number;
	mail->request[mail->requests++] = request;
	return 0;
}

static int begin_lane(struct equant_dag_run *run, struct equant_dag_lane *lane)
{
	struct equant_dag_mail *mail = &run->mail;

	while (lane->first >= 0 && lane->travel < mail->window) {
		int number = lane->first, error = equant_dag_mail_begin(run, number);

		if (error || mail->letter[number].state == EQUANT_DAG_WAITS)
			return error;
		lane->first = mail->letter[number].next;
		lane->travel++;
	}
	return 0;
}

/* ---- arriving ------------------------------------------------------------------------------------ */

static void arrive(struct equant_dag_run *run, int number)
{
	struct equant_dag_letter *letter = &run->mail.letter[number];

	letter->state = EQUANT_DAG_ARRIVED;
	run->mail.left--;
	if (letter->in_lane)
		lane_of(run, letter->peer, letter->sends)->travel--;
	if (letter->sends) {
		run->leaving[letter->edge] = 0;
		equant_dag_memory_close(run, letter->edge);
		return;
	}
	run->here[letter->edge] = 1;
	run->times.came[letter->edge] = equant_dag_now(run);
}

void equant_dag_mail_close_ranks(struct equant_dag_mail *mail)
{
	int kept = 0;

	for (int i = 0; i < mail->requests; i++) {
		if (mail->request[i] == MPI_REQUEST_NULL)
			continue;
		mail->request[kept] = mail->request[i];
		mail->travels[kept++] = mail->travels[i];
	}
	mail->requests = kept;
}

int equant_dag_mail_test(struct equant_dag_run *run)
{
	struct equant_dag_mail *mail = &run->mail;
	int count = 0, error;

	if (!mail->requests)
		return 0;
	error = MPI_Testsome(mail->requests, mail->request, &count, mail->done, mail->status);
	error = equant_mpi_error(equant_mpi_cause(error, count, mail->status), "data of tasks");
	if (error || count == MPI_UNDEFINED || !count)
		return error;
	for (int i = 0; i < count; i++)
		arrive(run, mail->travels[mail->done[i]]);
	equant_dag_mail_close_ranks(mail);
	return 0;
}

/* What comes from before this order is not held up by it. */
static int begin_early(struct equant_dag_run *run)
{
	struct equant_dag_mail *mail = &run->mail;
	int waiting = 0, error = 0;

	for (int i = 0; i < mail->early && !error; i++) {
		error = equant_dag_mail_begin(run, i);
		waiting += mail->letter[i].state == EQUANT_DAG_WAITS;
	}
	if (!error && !waiting)
		mail->early = 0;
	return error;
}

int equant_dag_mail_progress(struct equant_dag_run *run)
{
	int error = equant_dag_mail_test(run);

	if (!error)
		error = begin_early(run);
	if (!equant_dag_overlaps(run))
		return error;
	for (int i = 0; i < 2 * run->eq->ranks && !error; i++)
		error = begin_lane(run, &run->mail.lane[i]);
	return error;
}
