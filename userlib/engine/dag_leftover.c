// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Letters of an order that nobody carries out any more.  What its sender has begun arrives, what it has
 * not is forgotten: a new order begins anew with it, and after an error nobody needs it.
 */
#include <errno.h>

#include "core/mpi_error.h"
#include "engine/dag_run_internal.h"
#include "loop/loop_internal.h"

/* Letter @number is awaited, and its sender has not begun it. */
static int cancel(struct equant_dag_run *run, int number)
{
	struct equant_dag_mail *mail = &run->mail;
	int i = 0, error;

	while (mail->travels[i] != number)
		i++;
	error = equant_mpi_error(MPI_Cancel(&mail->request[i]), "cancelling the data of a task");
	if (!error)
		error = equant_mpi_error(MPI_Wait(&mail->request[i], MPI_STATUS_IGNORE),
					 "cancelling the data of a task");
	equant_dag_mail_close_ranks(mail);
	equant_dag_memory_close(run, mail->letter[number].edge);
	return error;
}

/* Of what has not arrived: the letter has been begun, by @sent if it is another rank that sends it. */
static bool is_under_way(const struct equant_dag_letter *letter, const unsigned char *sent)
{
	if (letter->sends)
		return letter->state == EQUANT_DAG_TRAVELS;
	return letter->comes || sent[letter->edge];
}

/*
 * A letter that is awaited, and that the new order has too, may come before this rank has heard of the
 * order: it is the same.  It may even be here, though nobody had begun it when all told how far they were.
 */
static bool is_the_same(const struct equant_dag_letter *letter, const int *sender)
{
	return sender && !letter->sends && !letter->comes && letter->state != EQUANT_DAG_WAITS &&
	       sender[letter->edge] == letter->peer;
}

int equant_dag_mail_keep(struct equant_dag_run *run, const unsigned char *sent, const int *sender)
{
	struct equant_dag_mail *mail = &run->mail;
	int *moved = mail->done, kept = 0, arrived = 0, error = 0;

	for (int i = 0; i < mail->letters && !error; i++) {
		struct equant_dag_letter letter = mail->letter[i];
		bool comes = is_under_way(&letter, sent),
		     is_here = letter.state == EQUANT_DAG_ARRIVED;

		if (comes ? is_here : !is_the_same(&letter, sender)) {
			if (letter.state == EQUANT_DAG_TRAVELS)
				error = cancel(run, i);
			continue;
		}
		letter.in_lane = false;
		letter.comes = comes && !letter.sends;
		arrived += is_here;
		moved[i] = kept;
		mail->letter[kept++] = letter;
	}
	for (int i = 0; i < mail->requests && !error; i++)
		mail->travels[i] = moved[mail->travels[i]];
	equant_dag_mail_clear(run);
	mail->letters = mail->early = mail->kept = kept;
	mail->left = kept - arrived;
	return error;
}

int equant_dag_mail_find(const struct equant_dag_run *run, int edge)
{
	const struct equant_dag_mail *mail = &run->mail;

	for (int i = 0; i < mail->kept; i++)
		if (mail->letter[i].edge == edge && !mail->letter[i].sends &&
		    !mail->letter[i].comes)
			return i;
	return -1;
}

/* Each as soon as there is memory for it. */
static int begin_all(struct equant_dag_run *run)
{
	int error = 0;

	for (int i = 0; i < run->mail.letters && !error; i++) {
		const struct equant_dag_letter *letter = &run->mail.letter[i];

		if (letter->state == EQUANT_DAG_WAITS && !letter->sends &&
		    equant_dag_memory_lend(run, letter->edge))
			error = equant_dag_mail_begin(run, i);
	}
	return error;
}

int equant_dag_mail_settle(struct equant_dag_run *run)
{
	struct equant_patience patience = { 0 };
	int error;

	error = equant_allreduce_in(run->eq, "equant_dag_carry_out()", run->begun, run->dag->edges,
				    MPI_UNSIGNED_CHAR, MPI_BOR);
	/* Nothing has been taken in: it is not as after a task that had no memory. */
	if (error == -ENOMEM)
		return -EIO;
	if (!error)
		error = equant_dag_mail_keep(run, run->begun, NULL);
	while (!error && run->mail.left) {
		equant_patience_listen(&run->eq->waiter, &patience);
		error = begin_all(run);
		if (!error)
			error = equant_dag_mail_test(run);
		if (!error && run->mail.left)
			equant_patience_pause(&run->eq->waiter, &patience);
	}
	equant_patience_end(&run->eq->waiter, &patience);
	return error;
}
