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
	size_t e = (size_t)run->dag->edges + 1, p = (size_t)(unsigned int)run->eq->ranks;

	mail->window = run->machine->channels == EQUANT_DAG_FREE ? FREE_WINDOW : 1;
	mail->letter = calloc(e, sizeof(*mail->letter));
	mail->lane = calloc(2 * p, sizeof(*mail->lane));
	mail->request = calloc(e, sizeof(MPI_Request));
	mail->travels = calloc(e, sizeof(*mail->travels));
	mail->done = calloc(e, sizeof(*mail->done));
	if (!mail->letter || !mail->lane || !mail->request || !mail->travels || !mail->done)
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
	/* MPI may still know them. */
	if (!run->broken)
		free(mail->request);
}

void equant_dag_mail_clear(struct equant_dag_run *run)
{
	struct equant_dag_mail *mail = &run->mail;

	mail->letters = mail->left = 0;
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

	mail->letter[number] =
		(struct equant_dag_letter){ edge, peer, sends, EQUANT_DAG_WAITS, -1 };
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

	run->begun[letter->edge] = 1;
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

int equant_dag_mail_begin(struct equant_dag_run *run, int number)
{
	struct equant_dag_mail *mail = &run->mail;
	struct equant_dag_letter *letter = &mail->letter[number];
	MPI_Request request;
	int error;

	if (letter->state != EQUANT_DAG_WAITS || (letter->sends && !run->here[letter->edge]))
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
	if (equant_dag_overlaps(run))
		lane_of(run, letter->peer, letter->sends)->travel--;
	if (letter->sends) {
		equant_dag_memory_close(run, letter->edge);
		return;
	}
	run->here[letter->edge] = 1;
	run->times.came[letter->edge] = equant_dag_now(run);
}

static void close_ranks(struct equant_dag_mail *mail)
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

static int test(struct equant_dag_run *run)
{
	struct equant_dag_mail *mail = &run->mail;
	int count = 0, error;

	if (!mail->requests)
		return 0;
	error = equant_mpi_error(MPI_Testsome(mail->requests, mail->request, &count, mail->done,
					      MPI_STATUSES_IGNORE),
				 "data of tasks");
	if (error || count == MPI_UNDEFINED || !count)
		return error;
	for (int i = 0; i < count; i++)
		arrive(run, mail->travels[mail->done[i]]);
	close_ranks(mail);
	return 0;
}

int equant_dag_mail_progress(struct equant_dag_run *run)
{
	int error = test(run);

	if (!equant_dag_overlaps(run))
		return error;
	for (int i = 0; i < 2 * run->eq->ranks && !error; i++)
		error = begin_lane(run, &run->mail.lane[i]);
	return error;
}

/* ---- after an error ------------------------------------------------------------------------------ */

/* What its sender has not begun does not come; what it has begun must be received. */
static int decide(struct equant_dag_run *run, const unsigned char *begun, int number)
{
	struct equant_dag_letter *letter = &run->mail.letter[number];

	if (letter->sends || letter->state == EQUANT_DAG_ARRIVED)
		return 0;
	if (letter->state == EQUANT_DAG_WAITS)
		return begun[letter->edge] ? equant_dag_mail_begin(run, number) : 0;
	for (int i = 0; i < run->mail.requests && !begun[letter->edge]; i++)
		if (run->mail.travels[i] == number)
			return equant_mpi_error(MPI_Cancel(&run->mail.request[i]),
						"cancelling the data of a task");
	return 0;
}

int equant_dag_mail_settle(struct equant_dag_run *run)
{
	unsigned char *begun = run->begun;
	uint64_t waited = 0;
	int error;

	error = equant_allreduce(run->eq, MPI_IN_PLACE, begun, run->dag->edges, MPI_UNSIGNED_CHAR,
				 MPI_BOR);
	for (int i = 0; i < run->mail.letters && !error; i++)
		error = decide(run, begun, i);
	if (!error)
		error = equant_wait_requests(&run->eq->waiter, run->mail.request,
					     run->mail.requests, MPI_STATUSES_IGNORE, 0, &waited);
	if (!error)
		run->mail.requests = 0;
	return error;
}
