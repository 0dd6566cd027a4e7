/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_ENGINE_FLOW_H
#define EQUANT_ENGINE_FLOW_H

#include <mpi.h>

/**
 * struct equant_flow - data from one rank to another, as fast as it goes
 * @from: the sender, of a communicator
 * @to: the receiver, another rank
 * @rate: what it has alone, or 0 if that is not known; receives what it had, bytes per second
 */
struct equant_flow {
	int from;
	int to;
	double rate;
};

/**
 * equant_flows_run() - collective; let flows go all at once and measure each
 * @comm: of a library of its own, its errors return
 * @count: of @flows; twice that is below any limit of tags
 * @flows: @from and @to the same on all ranks
 * @seconds: they go for so long, and end when what is under way has arrived
 *
 * Return: 0 and the same rates on all ranks; -ENOMEM, -EIO, -ECANCELED where another rank has no memory.
 */
int equant_flows_run(MPI_Comm comm, int count, struct equant_flow *flows, double seconds);

#endif /* EQUANT_ENGINE_FLOW_H */
