// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What the units of a pipelined loop pass on: pieces of registered arrays and tables, one per
 * iteration of the pipelined loop (Siegell 1995, section 1.2.3).
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/message.h"
#include "loop/loop_internal.h"

struct equant_pipeline *equant_pipeline_of(struct equant_loop *loop)
{
	struct equant_pipeline *p = loop->pipeline;

	if (p)
		return p;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	loop->pipeline = p;
	p->left = p->right = -1;
	p->channel.own.fd = -1;
	p->tiles.fixed = loop->eq->options.tiles;
	p->earlier = p->above = MPI_REQUEST_NULL;
	for (int i = 0; i < EQUANT_STRIPS_AHEAD; i++)
		p->receives[i] = MPI_REQUEST_NULL;
	return p;
}

void equant_pipeline_free(struct equant_pipeline *p, int ranks)
{
	if (!p)
		return;
	equant_channel_release(&p->channel, ranks);
	equant_exchange_free(p->exchange);
	free(p->carried);
	free(p->lengths);
	free(p->places);
	free(p->blocks);
	free(p->before);
	free(p->done);
	free(p->copy);
	free(p->sends);
	free(p);
}

int equant_is_pipelined(const struct equant_loop *loop)
{
	return loop->pipeline && loop->pipeline->nr_carried;
}

/* By an array's address or a table's. */
static int find_array(const struct equant_loop *loop, const void *array)
{
	for (int i = 0; i < loop->slices.nr_arrays && array; i++)
		if (loop->slices.arrays[i].base == array || loop->slices.arrays[i].table == array)
			return i;
	return -1;
}

static int add_carried(struct equant_loop *loop, const struct equant_carried *carried)
{
	struct equant_pipeline *p = equant_pipeline_of(loop);
	struct equant_carried *grown;
	MPI_Aint *places;
	size_t count;
	int *lengths;

	if (!p)
		return -ENOMEM;
	count = (size_t)p->nr_carried + 1;
	grown = reallocarray(p->carried, count, sizeof(*grown));
	p->carried = grown ? grown : p->carried;
	lengths = reallocarray(p->lengths, count, sizeof(*lengths));
	p->lengths = lengths ? lengths : p->lengths;
	places = reallocarray(p->places, count, sizeof(*places));
	p->places = places ? places : p->places;
	if (!grown || !lengths || !places)
		return -ENOMEM;
	p->carried[p->nr_carried++] = *carried;
	p->bytes += (double)carried->step;
	p->tables += loop->slices.arrays[carried->array].table != NULL;
	return 0;
}

int equant_loop_pipelined(struct equant_loop *loop, const void *array, size_t offset, size_t step)
{
	int index = find_array(loop, array);
	size_t slice = index < 0 ? 0 : loop->slices.arrays[index].slice;
	const char *fault = NULL;
	int error = -EINVAL;

	if (index < 0)
		fault = "no such array or table is registered";
	else if (!step || offset > slice || step > slice - offset)
		fault = "the slices have no room for one iteration's value";
	else if (slice > INT_MAX)
		fault = "slices of more than 2 GiB";
	else if (loop->started || (loop->pipeline && loop->pipeline->sweeps)) {
		fault = "called after the first hook or sweep";
		error = -EBUSY;
	}
	if (!fault) {
		error = add_carried(loop, &(struct equant_carried){ index, offset, step });
		fault = error ? strerror(-error) : NULL;
	}
	if (fault)
		equant_message("loop %s, rank %d: equant_loop_pipelined: %s", loop->name,
			       loop->rank, fault);
	return error;
}

int equant_carried_fit(const struct equant_loop *loop, long length)
{
	const struct equant_pipeline *p = loop->pipeline;

	for (int i = 0; i < p->nr_carried; i++) {
		const struct equant_carried *c = &p->carried[i];

		if ((size_t)length > (loop->slices.arrays[c->array].slice - c->offset) / c->step)
			return 0;
	}
	return 1;
}
