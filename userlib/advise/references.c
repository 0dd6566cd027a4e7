// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What the statements of a nest refer to, and the loops around it.  Hooks go where they go
 * whatever that is; the memory of a static schedule follows from it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advise/advise_internal.h"

int equant_nest_path(const struct equant_nest *nest, int loop, int path[EQUANT_NEST_DEPTH])
{
	int count = 0;

	for (int at = loop; at > 0; at = nest->nodes[at].parent)
		count++;
	for (int at = loop, place = count; at > 0; at = nest->nodes[at].parent)
		path[--place] = at;
	return count;
}

static bool is_reference(const struct equant_reference *reference)
{
	if (!memchr(reference->name, '\0', sizeof(reference->name)))
		return false;
	if (!equant_is_amount(reference->bytes) || reference->bytes <= 0)
		return false;
	for (int depth = 0; depth < EQUANT_NEST_DEPTH; depth++)
		if (!equant_is_amount(fabs(reference->strides[depth])))
			return false;
	return true;
}

int equant_nest_refer(struct equant_nest *nest, int loop, const struct equant_reference *reference)
{
	struct equant_reference *references;

	if (loop <= 0 || loop >= nest->count || nest->nodes[loop].kind != EQUANT_NODE_LOOP ||
	    !is_reference(reference))
		return -EINVAL;
	if (nest->reference_count >= EQUANT_NEST_NODES)
		return -E2BIG;
	references = reallocarray(nest->references, (size_t)nest->reference_count + 1,
				  sizeof(*references));
	if (!references)
		return -ENOMEM;
	references[nest->reference_count] = *reference;
	references[nest->reference_count++].loop = loop;
	nest->references = references;
	return 0;
}
