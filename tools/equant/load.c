// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * equant load: the competing load of `equant run --load` by itself.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "spawn.h"

#define MAX_WORDS 32

int equant_cmd_load(int argc, char **argv)
{
	char program[PATH_MAX], *words[MAX_WORDS + 1] = { program }, *state, *word;
	int count = 1;

	/* With commas between them, too, as --load has them. */
	for (int i = 1; i < argc; i++) {
		for (word = strtok_r(argv[i], ",", &state); word;
		     word = strtok_r(NULL, ",", &state)) {
			if (count == MAX_WORDS || !strcmp(word, "check")) {
				fprintf(stderr, "equant load: '%s': %s\n", word,
					count == MAX_WORDS ? "too many words" : "unknown word");
				return EQUANT_EXIT_USAGE;
			}
			words[count++] = word;
		}
	}
	if (count == 1 && argc > 1) {
		fputs("equant load: no words\n", stderr);
		return EQUANT_EXIT_USAGE;
	}
	if (spawn_find_helper("load", program, sizeof(program))) {
		fputs("equant: the program 'load' is not installed beside equant\n", stderr);
		return 1;
	}
	execv(program, words);
	fprintf(stderr, "equant: %s: %s\n", program, strerror(errno));
	return 1;
}
