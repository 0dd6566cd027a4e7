// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A network for redistributions, measured on the running job: links one by one, then the ports of
 * hosts, each for a short time, so that all together takes not longer than it may, but for what is
 * tried again where a port shows.
 *
 * Reference: Bhat, Prasanna, Raghavendra, section 3, for start-ups and bandwidths; ports are an
 * addition.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <equant/transfer.h>

#include "control/meet.h"
#include "core/message.h"
#include "core/mpi_error.h"
#include "engine/survey.h"
#include "text/number.h"

#define USUAL_SECONDS 5
#define SHORTEST 0.01 /* an experiment in which there is something to see */
#define COMFORTABLE 0.05 /* links are measured one by one if there is that much for each */
#define LONGEST 0.25

/* Numbers that can be read; noise begins before. */
static double rounded(double value)
{
	char text[32];

	equant_number_write(text, sizeof(text), 4, value);
	return equant_number_read(text, NULL);
}

static int experiments(const struct equant_survey *survey)
{
	return equant_survey_links_count(survey) + equant_survey_ports_count(survey);
}

/* How long each experiment may be. */
static int share_out(struct equant_survey *survey, double seconds)
{
	survey->one_by_one = true;
	if (seconds / experiments(survey) < COMFORTABLE)
		survey->one_by_one = false;
	survey->seconds = fmin(seconds / experiments(survey), LONGEST);
	if (survey->seconds >= SHORTEST)
		return 0;
	if (!survey->rank)
		equant_message(
			"equant_calibrate_network: %g s are not enough for %d hosts, %g s are needed",
			seconds, survey->hosts, SHORTEST * experiments(survey));
	return -EINVAL;
}

static int measure(struct equant_survey *survey)
{
	int error = equant_survey_startups(survey);

	if (!error)
		error = equant_survey_links(survey);
	if (!error)
		error = equant_survey_ports(survey);
	/* Between hosts, which are fewer than ranks. */
	for (int i = 0; i < survey->hosts * survey->hosts && !error; i++) {
		survey->startup[i] = rounded(survey->startup[i]);
		survey->bandwidth[i] = rounded(survey->bandwidth[i]);
	}
	return error;
}

/* ---- the network ------------------------------------------------------------------------- */

static struct equant_redist_link link_of(const struct equant_survey *survey, int from, int to)
{
	int a = survey->host[from], b = survey->host[to];

	return (struct equant_redist_link){
		.from = from,
		.to = to,
		.startup = *equant_survey_at(survey, survey->startup, a, b),
		.bandwidth = *equant_survey_at(survey, survey->bandwidth, a, b),
	};
}

static int add_links(const struct equant_survey *survey, struct equant_redist_network *network)
{
	int error = 0;

	for (int i = 0; i < survey->ranks; i++)
		for (int j = 0; j < survey->ranks && !error; j++) {
			struct equant_redist_link link = link_of(survey, i, j);

			if (i != j && (link.startup != network->usual.startup ||
				       link.bandwidth != network->usual.bandwidth))
				error = equant_redist_network_set(network, &link, NULL, 0);
		}
	return error;
}

static int add_hosts(const struct equant_survey *survey, struct equant_redist_network *network)
{
	int error = 0;

	for (int h = 0; h < survey->hosts && survey->hosts > 1 && !error; h++) {
		struct equant_redist_host port = { rounded(survey->send[h]),
						   rounded(survey->receive[h]) };
		int number = equant_redist_network_host(network, &port, NULL, 0);

		error = number < 0 ? number : 0;
		for (int i = 0; i < equant_survey_size(survey, h) && !error; i++)
			error = equant_redist_network_place(
				network, equant_survey_rank(survey, h, i), number, NULL, 0);
	}
	return error;
}

/* The link that stands for all that are like it: that between the first two ranks. */
static int assemble(const struct equant_survey *survey, struct equant_redist_network **network)
{
	struct equant_redist_link usual = { .bandwidth = 1 };
	int error;

	if (survey->ranks > 1)
		usual = link_of(survey, 0, 1);
	*network =
		equant_redist_network_new(survey->ranks, usual.startup, usual.bandwidth, NULL, 0);
	if (!*network)
		return -errno;
	error = add_links(survey, *network);
	return error ? error : add_hosts(survey, *network);
}

static int calibrate(MPI_Comm comm, double seconds, struct equant_redist_network **network)
{
	struct equant_survey survey;
	int error = equant_survey_open(&survey, comm);

	if (!error)
		error = share_out(&survey, seconds);
	if (!error)
		error = measure(&survey);
	if (!error)
		error = equant_mpi_agree(comm, assemble(&survey, network));
	equant_survey_close(&survey);
	return error;
}

static int check(MPI_Comm comm, double seconds, struct equant_redist_network *const *network)
{
	double mine[2] = { seconds, -seconds }, all[2];
	int error = network && seconds >= 0 && isfinite(seconds) ? 0 : -EINVAL;

	if (error)
		equant_message("equant_calibrate_network: %g s, or no place for the network",
			       seconds);
	error = equant_mpi_agree(comm, error);
	if (!error)
		error = equant_mpi_error(MPI_Allreduce(mine, all, 2, MPI_DOUBLE, MPI_MAX, comm),
					 "equant_calibrate_network");
	if (!error && all[0] != -all[1]) {
		equant_message("equant_calibrate_network: %g s here, others have %g to %g", seconds,
			       -all[1], all[0]);
		error = -EINVAL;
	}
	return error;
}

int equant_calibrate_network(MPI_Comm comm, double seconds, struct equant_redist_network **network)
{
	int error = equant_mpi_check(comm, "equant_calibrate_network");
	struct equant_limits limits;
	MPI_Comm copy;

	if (network)
		*network = NULL;
	equant_limits_read(&limits, false);
	if (!error)
		error = equant_meet(comm, "equant_calibrate_network", &limits);
	if (!error)
		error = equant_mpi_error(MPI_Comm_dup(comm, &copy), "MPI_Comm_dup");
	if (error)
		return error;
	MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
	error = check(copy, seconds, network);
	if (!error)
		error = calibrate(copy, seconds > 0 ? seconds : USUAL_SECONDS, network);
	if (error && network) {
		equant_redist_network_free(*network);
		*network = NULL;
	}
	MPI_Comm_free(&copy);
	return error;
}
