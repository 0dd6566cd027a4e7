// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The words of the job's command.  Open MPI starts ranks on other hosts with the variables of the
 * environment that it is told of, and no others: equant's options among them would be unknown there.  MPICH
 * and srun hand on all.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run.h"

#define PREFIX "EQUANT_"
#define REPORT "EQUANT_REPORT"
/* Variables to hand on, of Open MPI itself, beside which it refuses to be told of others. */
#define LIST "OMPI_MCA_mca_base_env_list"

struct words {
	char **words;
	size_t count;
};

static bool is_among(const struct words *words, const char *name)
{
	for (size_t i = 1; i + 1 < words->count; i++)
		if (!strcmp(words->words[i], "-x") && !strcmp(words->words[i + 1], name))
			return true;
	return false;
}

static void add(struct words *words, const char *word)
{
	words->words[words->count] = strdup(word);
	if (!words->words[words->count++])
		abort();
}

static void hand_on(struct words *words, const char *variable)
{
	char name[128];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(variable, "="), variable);
	if (strncmp(name, PREFIX, strlen(PREFIX)) || is_among(words, name))
		return;
	/* A directory of our own is on this host only. */
	if (!strcmp(name, REPORT) && !run_reports_are_kept())
		return;
	add(words, "-x");
	add(words, name);
}

static size_t length(char *const *list)
{
	size_t n = 0;

	while (list[n])
		n++;
	return n;
}

char **run_words(const struct run_request *request, char *const *set)
{
	size_t most = length(request->command) + 2 * (length(set) + length(environ)) + 1;
	struct words words = { calloc(most, sizeof(char *)), 0 };

	if (!words.words)
		abort();
	add(&words, request->command[0]);
	if (run_is_open_mpi(request->command[0]) && !getenv(LIST)) {
		for (char *const *variable = set; *variable; variable++)
			hand_on(&words, *variable);
		for (char *const *variable = environ; *variable; variable++)
			hand_on(&words, *variable);
	}
	for (char *const *word = request->command + 1; *word; word++)
		add(&words, *word);
	return words.words;
}

void run_words_release(char **words)
{
	for (char **word = words; *word; word++)
		free(*word);
	free(words);
}
