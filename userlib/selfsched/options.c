// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What a loop may be: checked before it counts, and each fault named.
 */
#include <errno.h>
#include <string.h>

#include "core/names.h"
#include "core/struct.h"
#include "selfsched/options.h"
#include "selfsched/selfsched_internal.h"

#define fault(...) (equant_say(why, why_size, __VA_ARGS__), -EINVAL)

static int check_scheme(const struct equant_chunks_options *o, char *why, size_t why_size)
{
	const struct equant_scheme *scheme;
	char names[EQUANT_NAMES];

	if (!o->scheme)
		return fault("no scheme is named");
	scheme = equant_find_scheme(o->scheme);
	if (scheme && scheme->flags & EQUANT_SCHEME_CHUNK && !o->chunk)
		return fault("%s needs a chunk of at least 1", o->scheme);
	if (scheme)
		return 0;
	return fault("unknown scheme '%.40s'; there are%s", o->scheme,
		     equant_names(names, equant_scheme_name));
}

static int check_loop(const struct equant_chunks_options *o, char *why, size_t why_size)
{
	if (o->dimensions < 1 || o->dimensions > EQUANT_CHUNKS_DIMENSIONS)
		return fault("%d dimensions: expected 1 to %d", o->dimensions,
			     EQUANT_CHUNKS_DIMENSIONS);
	for (int i = 0; i < o->dimensions; i++)
		if (o->extents[i] < 0 || o->extents[i] > EQUANT_CHUNKS_EXTENT)
			return fault("extent %lld of dimension %d: expected 0 to 2^60",
				     (long long)o->extents[i], i);
	return 0;
}

static int check_workers(const struct equant_chunks_options *o, char *why, size_t why_size)
{
	if (o->workers < 1 || o->workers > EQUANT_CHUNKS_WORKERS)
		return fault("%d workers: expected 1 to %d", o->workers, EQUANT_CHUNKS_WORKERS);
	for (int j = 0; o->powers && j < o->workers; j++)
		if (o->powers[j] < 1 || o->powers[j] > EQUANT_CHUNKS_POWER)
			return fault("power %d of worker %d: expected 1 to %d", o->powers[j], j,
				     EQUANT_CHUNKS_POWER);
	return 0;
}

static int check_sizes(const struct equant_chunks_options *o, char *why, size_t why_size)
{
	int64_t minimum = o->minimum ? o->minimum : 1;

	if (o->chunk < 0 || o->chunk > EQUANT_CHUNKS_EXTENT)
		return fault("chunk %lld: expected 1 to 2^60", (long long)o->chunk);
	if (o->minimum < 0 || o->minimum > EQUANT_CHUNKS_EXTENT)
		return fault("minimum chunk %lld: expected 1 to 2^60", (long long)o->minimum);
	if (o->first < 0 || o->first > EQUANT_CHUNKS_EXTENT)
		return fault("first chunk %lld: expected 1 to 2^60", (long long)o->first);
	if (o->first && o->first < minimum)
		return fault("first chunk %lld: expected at least the minimum, %lld",
			     (long long)o->first, (long long)minimum);
	/* Compilers differ on whether an enum is signed. */
	if ((unsigned int)o->rounding > EQUANT_ROUNDING_EVEN)
		return fault("unknown rounding %d", (int)o->rounding);
	return 0;
}

/* As the kernel's copy_struct_from_user(): a newer caller may set only what is known here. */
int equant_chunks_options_copy(struct equant_chunks_options *to,
			       const struct equant_chunks_options *from, char *why, size_t why_size)
{
	size_t unknown;
	int error;

	if (!from)
		return fault("no loop is given");
	if (from->sz < sizeof(*to))
		return fault(EQUANT_STRUCT_SMALL("equant_chunks_options"));
	unknown = equant_struct_unknown(from, sizeof(*to), from->sz);
	if (unknown)
		return fault("struct equant_chunks_options: byte %zu is not known here", unknown);
	*to = *from;
	error = check_scheme(to, why, why_size);
	if (!error)
		error = check_loop(to, why, why_size);
	if (!error)
		error = check_workers(to, why, why_size);
	return error ? error : check_sizes(to, why, why_size);
}
