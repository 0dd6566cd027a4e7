// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* How plans are made: for which network, in which order, with how much memory. */
#include <errno.h>
#include <string.h>

#include "control/meet.h"
#include "core/mpi_error.h"
#include "engine/gemr2d_internal.h"
#include "engine/transfer_internal.h"
#include "redist/redist_internal.h"

#define CALL "equant_gemr2d_plans_use"

static int check(const struct equant_transfer *lent, const struct equant_transfer_options *options)
{
	if (options->senders || options->receivers || options->group || options->beside) {
		equant_message(
			"rank %d: " CALL
			": senders, receivers, group and beside must be 0: grids say who is where",
			lent->rank);
		return -EINVAL;
	}
	return equant_transfer_check_options(lent, options);
}

/* The library's own copy of a name that it knows. */
static const char *own_name(const char *name, const char *(*name_of)(int i))
{
	const char *known = NULL;

	for (int i = 0; name && (known = name_of(i)) && strcmp(known, name); i++)
		;
	return known;
}

static int take(struct equant_gemr2d_plans *plans, const struct equant_transfer_options *options,
		struct equant_redist_network *network)
{
	int error = equant_gemr2d_forget(plans);

	equant_redist_network_free(plans->network);
	plans->network = network;
	plans->options = *options;
	plans->options.network = network;
	plans->options.scheduler = own_name(options->scheduler, equant_redist_scheduler_name);
	plans->options.router = own_name(options->router, equant_redist_router_name);
	return error;
}

int equant_gemr2d_plans_use(struct equant_gemr2d_plans *plans,
			    const struct equant_transfer_options *options)
{
	struct equant_transfer lent = { .call = CALL };
	struct equant_redist_network *network = NULL;
	struct equant_transfer_options all;
	int error;

	if (plans->broken || equant_mpi_is_over())
		return -EPIPE;
	equant_transfer_set_comm(&lent, plans->comm);
	error = equant_meet(plans->comm, CALL, &plans->limits);
	plans->broken = error != 0;
	if (error)
		return error;
	error = equant_transfer_copy_options(CALL, options, &all);
	if (!error)
		error = check(&lent, &all);
	if (!error && all.network) {
		network = equant_redist_network_copy(all.network);
		error = network ? 0 : -ENOMEM;
	}
	error = equant_transfer_agree(&lent, NULL, 0, &all, error);
	if (!error)
		error = take(plans, &all, network);
	else
		equant_redist_network_free(network);
	plans->broken = equant_gemr2d_breaks(error);
	return error;
}
