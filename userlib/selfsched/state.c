// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What changes in a loop while it is handed out, as bytes without pointers: whoever has a
 * copy of the loop and the bytes can go on.
 */
#include <string.h>

#include "selfsched/state.h"

struct state {
	int64_t left;
	int64_t step;
	int64_t line_round;
	int64_t round;
	int64_t round_size;
	int64_t round_left;
};

static size_t learned_size(const struct equant_chunks *chunks)
{
	return chunks->learned ? (size_t)chunks->workers * sizeof(chunks->learned[0]) : 0;
}

static size_t rounds_size(const struct equant_chunks *chunks)
{
	return chunks->scheme->flags & EQUANT_SCHEME_ROUNDS ? sizeof(chunks->begins) : 0;
}

size_t equant_chunks_state_size(const struct equant_chunks *chunks)
{
	size_t size = sizeof(struct state) + learned_size(chunks) + rounds_size(chunks);

	if (chunks->trees)
		size += equant_trees_state_size(chunks->trees);
	return size;
}

void equant_chunks_save(const struct equant_chunks *chunks, void *to)
{
	const struct state state = {
		.left = chunks->line.left,
		.step = chunks->line.step,
		.line_round = chunks->line.round,
		.round = chunks->round,
		.round_size = chunks->round_size,
		.round_left = chunks->round_left,
	};
	char *at = to;

	memcpy(at, &state, sizeof(state));
	at += sizeof(state);
	if (chunks->learned)
		memcpy(at, chunks->learned, learned_size(chunks));
	at += learned_size(chunks);
	memcpy(at, chunks->begins, rounds_size(chunks));
	at += rounds_size(chunks);
	if (chunks->trees)
		memcpy(at, equant_trees_state(chunks->trees),
		       equant_trees_state_size(chunks->trees));
}

void equant_chunks_load(struct equant_chunks *chunks, const void *from)
{
	const char *at = from;
	struct state state;

	memcpy(&state, at, sizeof(state));
	at += sizeof(state);
	chunks->line.left = state.left;
	chunks->line.step = state.step;
	chunks->line.round = state.line_round;
	chunks->round = state.round;
	chunks->round_size = state.round_size;
	chunks->round_left = state.round_left;
	if (chunks->learned)
		memcpy(chunks->learned, at, learned_size(chunks));
	at += learned_size(chunks);
	memcpy(chunks->begins, at, rounds_size(chunks));
	at += rounds_size(chunks);
	if (chunks->trees)
		memcpy(equant_trees_state(chunks->trees), at,
		       equant_trees_state_size(chunks->trees));
}
