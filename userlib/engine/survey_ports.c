// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Ports: a host sends to all others at once, then receives from all, then does both.  Where that
 * is clearly less than its links give one by one, also when it is tried again, it is what the port has.
 *
 * Ports that have less for each direction when both are used are taken to have that: ranks send and
 * receive at once in a redistribution.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "core/mpi_error.h"
#include "engine/survey.h"

#define EXPERIMENTS 3
#define TRIES 2 /* of each: something else may be in the way once, a port always is */
#define SEEN 0.9 /* less than this part of what links give together: it is the port */
#define SEEN_BOTH 0.75 /* the same where answers are in the way of data */
#define FLOWS 64 /* of a host in one direction; or one to each other host, if these are more */

/* ---- flows ------------------------------------------------------------------------------- */

static int larger(int a, int b)
{
	return a > b ? a : b;
}

/* Flows from @host or to it: each of its ranks has one, and each other host. */
static int add_flows(const struct equant_survey *survey, int host, bool sends,
		     struct equant_flow *flows)
{
	int others = survey->hosts - 1, size = equant_survey_size(survey, host);
	int count = larger(others, size < FLOWS ? size : FLOWS);

	for (int k = 0; k < count; k++) {
		int other = k % others + (k % others >= host);
		int here = equant_survey_rank(survey, host, k);
		int there = equant_survey_rank(survey, other, k / others);

		flows[k] = (struct equant_flow){
			.from = sends ? here : there,
			.to = sends ? there : here,
			.rate = *equant_survey_at(survey, survey->bandwidth, sends ? host : other,
						  sends ? other : host),
		};
	}
	return count;
}

static double sum(int count, const struct equant_flow *flows)
{
	double all = 0;

	for (int k = 0; k < count; k++)
		all += flows[k].rate;
	return all;
}

/* ---- experiments ------------------------------------------------------------------------- */

static int one_way(struct equant_survey *survey, int host, bool sends, struct equant_flow *flows,
		   double *measured, double *capacity)
{
	int count = add_flows(survey, host, sends, flows);
	double links = sum(count, flows);
	int error = 0;

	*measured = 0;
	for (int i = 0; i < TRIES && *measured < SEEN * links && !error; i++) {
		error = equant_flows_run(survey->comm, count, flows, survey->seconds);
		*measured = fmax(*measured, sum(count, flows));
	}
	*capacity = *measured < SEEN * links ? *measured : INFINITY;
	return error;
}

/* Both at once; @sent and @received are what each gave without the other. */
static int both_ways(struct equant_survey *survey, int host, struct equant_flow *flows, double sent,
		     double received)
{
	int out = add_flows(survey, host, true, flows);
	int in = add_flows(survey, host, false, flows + out), error = 0;
	double sends = 0, receives = 0;

	for (int i = 0; i < TRIES && !error; i++) {
		error = equant_flows_run(survey->comm, out + in, flows, survey->seconds);
		sends = fmax(sends, sum(out, flows));
		receives = fmax(receives, sum(in, flows + out));
		if (sends >= SEEN_BOTH * sent && receives >= SEEN_BOTH * received)
			break;
	}
	if (sends < SEEN_BOTH * sent)
		survey->send[host] = sends;
	if (receives < SEEN_BOTH * received)
		survey->receive[host] = receives;
	return error;
}

static int port(struct equant_survey *survey, int host, struct equant_flow *flows)
{
	double sent, received;
	int error = one_way(survey, host, true, flows, &sent, &survey->send[host]);

	if (!error)
		error = one_way(survey, host, false, flows, &received, &survey->receive[host]);
	return error ? error : both_ways(survey, host, flows, sent, received);
}

int equant_survey_ports_count(const struct equant_survey *survey)
{
	return survey->hosts > 1 ? EXPERIMENTS * survey->hosts : 0;
}

int equant_survey_ports(struct equant_survey *survey)
{
	size_t most = 2 * (size_t)larger(survey->hosts, FLOWS);
	struct equant_flow *flows = calloc(most, sizeof(*flows));
	int error = equant_mpi_agree(survey->comm, flows ? 0 : -ENOMEM);

	for (int h = 0; h < survey->hosts; h++)
		survey->send[h] = survey->receive[h] = INFINITY;
	for (int h = 0; h < survey->hosts && survey->hosts > 1 && !error; h++)
		error = port(survey, h, flows);
	free(flows);
	return error;
}
