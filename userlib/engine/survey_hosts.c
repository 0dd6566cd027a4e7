// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Hosts are what MPI says: ranks that can share memory are on one. */
#include <errno.h>
#include <stdlib.h>

#include "core/mpi_error.h"
#include "engine/survey.h"

static int failed(int code)
{
	return equant_mpi_error(code, "finding hosts");
}

/* The lowest rank on this host. */
static int find_leader(const struct equant_survey *survey, int *leader)
{
	MPI_Comm node;
	int error = failed(MPI_Comm_split_type(survey->comm, MPI_COMM_TYPE_SHARED, survey->rank,
					       MPI_INFO_NULL, &node));

	if (error)
		return error;
	*leader = survey->rank;
	error = failed(MPI_Bcast(leader, 1, MPI_INT, 0, node));
	MPI_Comm_free(&node);
	return error;
}

/* @host has every rank's leader, and gets the number of its host instead. */
static void number_hosts(struct equant_survey *survey)
{
	for (int r = 0; r < survey->ranks; r++)
		survey->host[r] = survey->host[r] == r ? survey->hosts++ :
							 survey->host[survey->host[r]];
}

static void sort_ranks(struct equant_survey *survey)
{
	int at = 0;

	for (int h = 0; h < survey->hosts; h++) {
		survey->first[h] = at;
		for (int r = 0; r < survey->ranks; r++)
			if (survey->host[r] == h)
				survey->order[at++] = r;
	}
	survey->first[survey->hosts] = at;
}

static int allocate_ranks(struct equant_survey *survey)
{
	size_t ranks = (size_t)survey->ranks;

	survey->host = calloc(ranks, sizeof(*survey->host));
	survey->order = calloc(ranks, sizeof(*survey->order));
	survey->first = calloc(ranks + 1, sizeof(*survey->first));
	return survey->host && survey->order && survey->first ? 0 : -ENOMEM;
}

static int allocate_hosts(struct equant_survey *survey)
{
	size_t hosts = (size_t)survey->hosts, all = hosts * hosts;

	survey->startup = calloc(all, sizeof(*survey->startup));
	survey->bandwidth = calloc(all, sizeof(*survey->bandwidth));
	survey->send = calloc(hosts, sizeof(*survey->send));
	survey->receive = calloc(hosts, sizeof(*survey->receive));
	return survey->startup && survey->bandwidth && survey->send && survey->receive ? 0 :
											 -ENOMEM;
}

int equant_survey_open(struct equant_survey *survey, MPI_Comm comm)
{
	int leader, error;

	*survey = (struct equant_survey){ .comm = comm };
	MPI_Comm_rank(comm, &survey->rank);
	MPI_Comm_size(comm, &survey->ranks);
	error = equant_mpi_agree(comm, allocate_ranks(survey));
	if (!error)
		error = find_leader(survey, &leader);
	if (!error)
		error = failed(MPI_Allgather(&leader, 1, MPI_INT, survey->host, 1, MPI_INT, comm));
	if (error)
		return error;
	number_hosts(survey);
	sort_ranks(survey);
	return equant_mpi_agree(comm, allocate_hosts(survey));
}

void equant_survey_close(struct equant_survey *survey)
{
	free(survey->host);
	free(survey->order);
	free(survey->first);
	free(survey->startup);
	free(survey->bandwidth);
	free(survey->send);
	free(survey->receive);
}
