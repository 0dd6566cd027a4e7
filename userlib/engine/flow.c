// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Flows: senders send messages, some of them at once, for a given time, and receivers count
 * what arrives.
 *
 * Each message is answered, and only then another is sent in its place: so not more is under way
 * than a few messages, whatever the network and the system have room for, and it ends soon.  Messages
 * of a flow that nothing is known of begin small and grow with what has arrived: neither does a slow
 * link take long over the first one, nor is a fast one measured by its start-ups.
 *
 * An answer waits behind the messages that go its way.  So where flows cross their messages are from the
 * beginning as long as their rates have it, and all take the same time: else a fast one would be as
 * slow as the slow one that its answers wait for, and never come to know.
 *
 * What arrives in the first part of the time does not count, as links may let something
 * through at once that has been saved up, and TCP begins slowly; nor what arrives when
 * others have ended.  A receiver that has not the CPU for a moment finds much at once afterwards: the
 * rate is the median of those between each arrival and the one half of all arrivals later.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/mpi_error.h"
#include "engine/flow.h"

#define SLOTS 4 /* messages of a flow under way at once */
#define SMALLEST 16384
#define LARGEST 262144
#define GROWTH 12 /* a message has this part of what has arrived */
#define MESSAGES 24 /* in the whole time, of a flow whose rate is known */
#define BEFORE 0.25 /* part of the time that does not count */
#define ARRIVALS 256 /* that are remembered */
#define FEWEST 4 /* of which a median says something */

/**
 * struct slot - a message of a flow
 * @data: its sending
 * @length: bytes that are being sent
 */
struct slot {
	MPI_Request data;
	int length;
};

/**
 * struct arrival - something that has come
 * @time: since the flows began
 * @bytes: of the flow till then
 */
struct arrival {
	double time;
	double bytes;
};

/**
 * struct end - this rank's end of a flow
 * @flow: its number
 * @peer: who has the other end
 * @sends: or receives
 * @length: of a message, or 0 if it grows
 * @bytes: that have been answered, or have arrived
 * @last: when the last message came
 * @arrivals: when something came in the time that counts, and the bytes that had come till then
 * @count: of @arrivals
 * @step: every so manyth arrival is remembered
 * @skipped: arrivals since the last one that is
 * @slots: of messages
 * @buffer: SLOTS messages, one after the other
 */
struct end {
	int flow;
	int peer;
	bool sends;
	int length;
	double bytes;
	double last;
	struct arrival *arrivals;
	int count;
	int step;
	int skipped;
	struct slot slots[SLOTS];
	char *buffer;
};

/**
 * struct stage - all flows that this rank has a part in
 * @requests: SLOTS of each end: of the answer where it sends, of the message where it receives
 */
struct stage {
	MPI_Comm comm;
	double begin;
	double seconds;
	int count;
	struct end *ends;
	MPI_Request *requests;
	MPI_Status *statuses;
	int *done;
	char *sent;
};

static int data_tag(const struct end *end)
{
	return 2 * end->flow;
}

static int answer_tag(const struct end *end)
{
	return 2 * end->flow + 1;
}

static int failed(int code)
{
	return equant_mpi_error(code, "measuring the network");
}

static int length_of(const struct end *end)
{
	double length = end->bytes / GROWTH;

	if (end->length)
		return end->length;
	return length < SMALLEST ? SMALLEST : length > LARGEST ? LARGEST : (int)length;
}

static int send_one(struct stage *stage, struct end *end, int slot, MPI_Request *answer)
{
	struct slot *one = &end->slots[slot];
	int code;

	/* A message without data is the last one in its place. */
	if (MPI_Wtime() >= stage->begin + stage->seconds)
		return failed(
			MPI_Send(stage->sent, 0, MPI_BYTE, end->peer, data_tag(end), stage->comm));
	one->length = length_of(end);
	code = MPI_Irecv(NULL, 0, MPI_BYTE, end->peer, answer_tag(end), stage->comm, answer);
	if (code == MPI_SUCCESS)
		code = MPI_Isend(stage->sent, one->length, MPI_BYTE, end->peer, data_tag(end),
				 stage->comm, &one->data);
	return failed(code);
}

static int answered(struct stage *stage, struct end *end, int slot, MPI_Request *answer)
{
	/* What has been received need not be sent any more. */
	int error = failed(MPI_Wait(&end->slots[slot].data, MPI_STATUS_IGNORE));

	end->bytes += end->slots[slot].length;
	return error ? error : send_one(stage, end, slot, answer);
}

static int receive_one(struct stage *stage, struct end *end, int slot, MPI_Request *request)
{
	return failed(MPI_Irecv(end->buffer + (size_t)slot * LARGEST, LARGEST, MPI_BYTE, end->peer,
				data_tag(end), stage->comm, request));
}

/* Of many arrivals every second one is forgotten, again and again. */
static void remember(struct end *end, double now)
{
	if (++end->skipped < end->step)
		return;
	end->skipped = 0;
	end->arrivals[end->count++] = (struct arrival){ now, end->bytes };
	if (end->count < ARRIVALS)
		return;
	end->count /= 2;
	end->step *= 2;
	for (int i = 0; i < end->count; i++)
		end->arrivals[i] = end->arrivals[2 * i + 1];
}

static void count_bytes(const struct stage *stage, struct end *end, int length)
{
	end->last = MPI_Wtime();
	end->last -= stage->begin;
	end->bytes += length;
	if (end->last >= BEFORE * stage->seconds && end->last <= stage->seconds)
		remember(end, end->last);
}

static int arrived(struct stage *stage, struct end *end, int slot, MPI_Request *request,
		   const MPI_Status *status)
{
	int length, error = failed(MPI_Get_count(status, MPI_BYTE, &length));

	if (error || !length)
		return error;
	count_bytes(stage, end, length);
	error = failed(MPI_Send(NULL, 0, MPI_BYTE, end->peer, answer_tag(end), stage->comm));
	return error ? error : receive_one(stage, end, slot, request);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Of a link that is too slow for the time everything counts. */
static double rate_of(const struct end *end)
{
	int half = end->count / 2;
	double rates[ARRIVALS];

	if (end->count < FEWEST)
		return end->last > 0 ? end->bytes / end->last : 0;
	for (int i = 0; i < end->count - half; i++) {
		const struct arrival *a = &end->arrivals[i], *b = a + half;

		rates[i] = (b->bytes - a->bytes) / fmax(b->time - a->time, 1e-9);
	}
	qsort(rates, (size_t)(end->count - half), sizeof(*rates), compare);
	return rates[(end->count - half) / 2];
}

static int begin(struct stage *stage)
{
	int error = 0;

	stage->begin = MPI_Wtime();
	for (int i = 0; i < stage->count * SLOTS && !error; i++) {
		struct end *end = &stage->ends[i / SLOTS];

		error = end->sends ? send_one(stage, end, i % SLOTS, &stage->requests[i]) :
				     receive_one(stage, end, i % SLOTS, &stage->requests[i]);
	}
	return error;
}

static int go(struct stage *stage)
{
	int error = begin(stage), count = 0;

	while (!error) {
		error = MPI_Waitsome(stage->count * SLOTS, stage->requests, &count, stage->done,
				     stage->statuses);
		error = failed(equant_mpi_cause(error, count, stage->statuses));
		if (error || count == MPI_UNDEFINED)
			break;
		for (int i = 0; i < count && !error; i++) {
			int at = stage->done[i], slot = at % SLOTS;
			struct end *end = &stage->ends[at / SLOTS];

			error = end->sends ? answered(stage, end, slot, &stage->requests[at]) :
					     arrived(stage, end, slot, &stage->requests[at],
						     &stage->statuses[i]);
		}
	}
	return error;
}

/* ---- memory ------------------------------------------------------------------------------ */

static int known_length(double rate, double seconds)
{
	double length = rate * seconds / MESSAGES;

	return length > LARGEST ? LARGEST : (int)ceil(length);
}

static int set_up(struct stage *stage, int rank, int count, const struct equant_flow *flows)
{
	size_t most = 2 * (size_t)count + 1;

	stage->ends = calloc(most, sizeof(*stage->ends));
	stage->requests = calloc(most * SLOTS, sizeof(*stage->requests));
	stage->statuses = calloc(most * SLOTS, sizeof(*stage->statuses));
	stage->done = calloc(most * SLOTS, sizeof(*stage->done));
	stage->sent = calloc(1, LARGEST);
	if (!stage->ends || !stage->requests || !stage->statuses || !stage->done || !stage->sent)
		return -ENOMEM;
	for (int k = 0; k < count; k++) {
		struct end *end = &stage->ends[stage->count];

		if (flows[k].from != rank && flows[k].to != rank)
			continue;
		stage->count++;
		end->flow = k;
		end->sends = flows[k].from == rank;
		end->length = known_length(flows[k].rate, stage->seconds);
		end->peer = end->sends ? flows[k].to : flows[k].from;
		end->step = 1;
		if (end->sends)
			continue;
		end->buffer = malloc((size_t)SLOTS * LARGEST);
		end->arrivals = calloc(ARRIVALS, sizeof(*end->arrivals));
		if (!end->buffer || !end->arrivals)
			return -ENOMEM;
	}
	for (int i = 0; i < stage->count * SLOTS; i++)
		stage->requests[i] = MPI_REQUEST_NULL;
	return 0;
}

static void tear_down(struct stage *stage)
{
	for (int i = 0; i < stage->count; i++) {
		free(stage->ends[i].buffer);
		free(stage->ends[i].arrivals);
	}
	free(stage->ends);
	free(stage->requests);
	free(stage->statuses);
	free(stage->done);
	free(stage->sent);
}

int equant_flows_run(MPI_Comm comm, int count, struct equant_flow *flows, double seconds)
{
	struct stage stage = { .comm = comm, .seconds = seconds };
	double *rates = calloc((size_t)count + 1, sizeof(*rates));
	bool under_way = false;
	int rank, error;

	MPI_Comm_rank(comm, &rank);
	error = set_up(&stage, rank, count, flows);
	/* All begin when the last one is here. */
	error = equant_mpi_agree(comm, rates ? error : -ENOMEM);
	if (!error) {
		error = go(&stage);
		under_way = error != 0;
	}
	for (int i = 0; i < stage.count && !error; i++)
		if (!stage.ends[i].sends)
			rates[stage.ends[i].flow] = rate_of(&stage.ends[i]);
	if (!error)
		error = failed(
			MPI_Allreduce(MPI_IN_PLACE, rates, count, MPI_DOUBLE, MPI_SUM, comm));
	for (int k = 0; k < count && !error; k++)
		flows[k].rate = rates[k];
	/* MPI may still write to it if it has failed. */
	if (!under_way)
		tear_down(&stage);
	free(rates);
	return error;
}
