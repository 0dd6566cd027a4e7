// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libselfsched.h"

struct equant_chunks_options loop_of(const char *scheme, int64_t iterations, int workers)
{
	return (struct equant_chunks_options){
		.sz = sizeof(struct equant_chunks_options),
		.scheme = scheme,
		.workers = workers,
		.dimensions = 1,
		.extents = { iterations },
		.chunk = strcmp(scheme, "css") ? 0 : 10,
	};
}

/* Also prints the chunks if @out is not NULL. */
static int64_t ask_in_turn(const struct equant_chunks_options *options, FILE *out)
{
	struct equant_chunks *chunks = equant_chunks_new(options, NULL, 0);
	struct equant_chunk chunk;
	int64_t n = 0;
	int got = chunks ? 1 : -1;

	while (got > 0) {
		got = equant_chunks_next(chunks, (int)(n % options->workers), &chunk);
		if (got > 0 && out)
			fprintf(out, "%s%lld", n ? " " : "", (long long)chunk.count);
		n += got > 0;
	}
	equant_chunks_free(chunks);
	return got < 0 ? -1 : n;
}

char *chunk_line(const struct equant_chunks_options *options)
{
	size_t size;
	char *line = NULL;
	FILE *out = open_memstream(&line, &size);
	int64_t n;

	if (!out)
		return NULL;
	n = ask_in_turn(options, out);
	fclose(out);
	if (n >= 0)
		return line;
	free(line);
	return NULL;
}

int64_t chunk_count(const struct equant_chunks_options *options)
{
	return ask_in_turn(options, NULL);
}
