// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Links: start-ups by empty messages to and fro, bandwidths by a flow in each direction.
 *
 * Between two hosts the first rank of each stands for all of them, and within a host the first
 * two do. Bandwidths are measured one by one, or, if there are too many hosts for that, between
 * as many pairs of hosts at once as there are.
 */
#include <errno.h>
#include <stdlib.h>

#include "core/circle.h"
#include "core/message.h"
#include "core/mpi_error.h"
#include "engine/survey.h"

#define PINGS 15
#define PING_TAG 1

static int failed(int code)
{
	return equant_mpi_error(code, "measuring the network");
}

/* ---- start-ups --------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* To and fro; @more tells the other whether it is once more. */
static int ping(const struct equant_survey *survey, int other, char *more, double *time)
{
	double begin = -MPI_Wtime();
	bool first = survey->rank < other;
	int code = MPI_SUCCESS;

	if (first)
		code = MPI_Send(more, 1, MPI_CHAR, other, PING_TAG, survey->comm);
	if (code == MPI_SUCCESS)
		code = MPI_Recv(more, 1, MPI_CHAR, other, PING_TAG, survey->comm,
				MPI_STATUS_IGNORE);
	if (code == MPI_SUCCESS && !first)
		code = MPI_Send(more, 1, MPI_CHAR, other, PING_TAG, survey->comm);
	*time = begin + MPI_Wtime();
	return failed(code);
}

/* The median, on the lower rank; 0 on the other. */
static int ping_pong(const struct equant_survey *survey, int other, double *startup)
{
	double times[PINGS], time, begin = MPI_Wtime();
	char more = 1;
	int count = 0, error;

	/* The first one opens connections. */
	error = ping(survey, other, &more, &time);
	while (more && !error) {
		more = survey->rank > other ||
		       (count < PINGS - 1 && MPI_Wtime() < begin + survey->seconds / 2);
		error = ping(survey, other, &more, &time);
		if (survey->rank < other)
			times[count++] = time;
	}
	if (error || survey->rank > other)
		return error;
	qsort(times, (size_t)count, sizeof(*times), compare);
	*startup = times[count / 2] / 2;
	return 0;
}

int equant_survey_startups(struct equant_survey *survey)
{
	int me = survey->host[survey->rank], error = 0, all = survey->hosts * survey->hosts;
	int second = equant_survey_rank(survey, me, 1), first = equant_survey_rank(survey, me, 0);

	for (int k = 0; k < equant_circle_rounds(survey->hosts) && !error; k++) {
		int other = equant_circle_partner(me, k, survey->hosts);

		if (survey->rank == first && other != me)
			error = ping_pong(survey, equant_survey_rank(survey, other, 0),
					  equant_survey_at(survey, survey->startup, me, other));
	}
	if (!error && first != second && (survey->rank == first || survey->rank == second))
		error = ping_pong(survey, survey->rank == first ? second : first,
				  equant_survey_at(survey, survey->startup, me, me));
	if (!error)
		error = failed(MPI_Allreduce(MPI_IN_PLACE, survey->startup, all, MPI_DOUBLE,
					     MPI_SUM, survey->comm));
	for (int a = 0; a < survey->hosts; a++)
		for (int b = 0; b < a; b++) {
			double *here = equant_survey_at(survey, survey->startup, a, b);
			double *there = equant_survey_at(survey, survey->startup, b, a);

			*here = *there = *here + *there;
		}
	return error;
}

/* ---- bandwidths -------------------------------------------------------------------------- */

static int measure(struct equant_survey *survey, int count, struct equant_flow *flows)
{
	int error = equant_flows_run(survey->comm, count, flows, survey->seconds);

	for (int k = 0; k < count && !error; k++) {
		const struct equant_flow *flow = &flows[k];

		if (flow->rate > 0) {
			*equant_survey_at(survey, survey->bandwidth, survey->host[flow->from],
					  survey->host[flow->to]) = flow->rate;
		} else {
			equant_message(
				"measuring the network: nothing came from rank %d to rank %d",
				flow->from, flow->to);
			error = -EIO;
		}
	}
	return error;
}

static int one_by_one(struct equant_survey *survey)
{
	int error = 0;

	for (int a = 0; a < survey->hosts && !error; a++)
		for (int b = 0; b < survey->hosts && !error; b++) {
			struct equant_flow flow = { .from = equant_survey_rank(survey, a, 0),
						    .to = equant_survey_rank(survey, b, 0) };

			if (a != b)
				error = measure(survey, 1, &flow);
		}
	return error;
}

/* Both directions of a pair come in different experiments. */
static int by_rounds(struct equant_survey *survey, struct equant_flow *flows)
{
	int error = 0, rounds = equant_circle_rounds(survey->hosts);

	for (int k = 0; k < 2 * rounds && !error; k++) {
		int count = 0;

		for (int a = 0; a < survey->hosts; a++) {
			int b = equant_circle_partner(a, k / 2, survey->hosts);

			if (k % 2 ? a > b : a < b)
				flows[count++] = (struct equant_flow){
					.from = equant_survey_rank(survey, a, 0),
					.to = equant_survey_rank(survey, b, 0)
				};
		}
		error = measure(survey, count, flows);
	}
	return error;
}

static int within_hosts(struct equant_survey *survey, struct equant_flow *flows)
{
	int count = 0;

	for (int h = 0; h < survey->hosts; h++)
		if (equant_survey_size(survey, h) > 1)
			flows[count++] =
				(struct equant_flow){ .from = equant_survey_rank(survey, h, 0),
						      .to = equant_survey_rank(survey, h, 1) };
	return count ? measure(survey, count, flows) : 0;
}

int equant_survey_links_count(const struct equant_survey *survey)
{
	int between = survey->one_by_one ? survey->hosts * (survey->hosts - 1) :
					   2 * equant_circle_rounds(survey->hosts);

	return between + 1;
}

int equant_survey_links(struct equant_survey *survey)
{
	struct equant_flow *flows = calloc((size_t)survey->hosts, sizeof(*flows));
	int error = equant_mpi_agree(survey->comm, flows ? 0 : -ENOMEM);

	if (!error)
		error = within_hosts(survey, flows);
	if (!error)
		error = survey->one_by_one ? one_by_one(survey) : by_rounds(survey, flows);
	free(flows);
	return error;
}
