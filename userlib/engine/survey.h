/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_ENGINE_SURVEY_H
#define EQUANT_ENGINE_SURVEY_H

#include <stdbool.h>

#include "engine/flow.h"

/**
 * struct equant_survey - a network that is being measured
 * @comm: for this alone
 * @rank: in @comm
 * @ranks: of @comm
 * @hosts: how many
 * @host: that each rank is on
 * @order: ranks by their hosts
 * @first: of each host's, in @order, and behind the last host's
 * @seconds: of one experiment
 * @one_by_one: only one link is measured at a time
 * @startup: from each host to each, within a host if it is the same
 * @bandwidth: likewise
 * @send: capacity of each host's port, infinite if none is seen
 * @receive: likewise
 */
struct equant_survey {
	MPI_Comm comm;
	int rank;
	int ranks;
	int hosts;
	int *host;
	int *order;
	int *first;
	double seconds;
	bool one_by_one;
	double *startup;
	double *bandwidth;
	double *send;
	double *receive;
};

/* What is between hosts @a and @b, an entry of @startup or @bandwidth. */
static inline double *equant_survey_at(const struct equant_survey *survey, double *matrix, int a,
				       int b)
{
	return &matrix[(size_t)a * (size_t)survey->hosts + (size_t)b];
}

static inline int equant_survey_size(const struct equant_survey *survey, int host)
{
	return survey->first[host + 1] - survey->first[host];
}

/* Rank number @i, counted round, of @host. */
static inline int equant_survey_rank(const struct equant_survey *survey, int host, int i)
{
	return survey->order[survey->first[host] + i % equant_survey_size(survey, host)];
}

/* ---- survey_hosts.c ---------------------------------------------------------------------- */

/*
 * Who is on which host, and memory for the rest.  0 or -errno, the same on all ranks or
 * -ECANCELED.
 */
int equant_survey_open(struct equant_survey *survey, MPI_Comm comm);
void equant_survey_close(struct equant_survey *survey);

/* ---- survey_links.c ---------------------------------------------------------------------- */

int equant_survey_startups(struct equant_survey *survey);
int equant_survey_links(struct equant_survey *survey);

/* Experiments that links take. */
int equant_survey_links_count(const struct equant_survey *survey);

/* ---- survey_ports.c ---------------------------------------------------------------------- */

int equant_survey_ports(struct equant_survey *survey);
int equant_survey_ports_count(const struct equant_survey *survey);

#endif /* EQUANT_ENGINE_SURVEY_H */
