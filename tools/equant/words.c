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
/* A list of variables to hand on, beside which Open MPI refuses to be told of others. */
#define LIST "mca_base_env_list"

/**
 * struct words - those of the command as it is started
 * @request: the job
 * @words: so far
 * @count: how many
 */
struct words {
	const struct run_request *request;
	char **words;
	size_t count;
};

/* "-x NAME" or "-x NAME=VALUE" */
static bool has(char *const *words, const char *name)
{
	size_t length = strlen(name);

	for (; words[0] && words[1]; words++)
		if (!strcmp(words[0], "-x") && !strncmp(words[1], name, length) &&
		    (!words[1][length] || words[1][length] == '='))
			return true;
	return false;
}

static bool has_list(char *const *words)
{
	while (*words && !strstr(*words, LIST))
		words++;
	return *words || getenv("OMPI_MCA_" LIST);
}

/* Directories of our own are on this host only. */
static bool is_of_this_host(const struct run_request *request, const char *name)
{
	if (!strcmp(name, "EQUANT_REPORT"))
		return !run_reports_are_kept();
	return !strcmp(name, "EQUANT_TRACE") && request->own_traces;
}

static void add(struct words *words, const char *word)
{
	words->words[words->count] = strdup(word);
	if (!words->words[words->count++])
		abort();
}

/* The words so far end with NULL. */
static void hand_on(struct words *words, const char *variable)
{
	char name[128];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(variable, "="), variable);
	if (strncmp(name, PREFIX, strlen(PREFIX)) || has(words->words, name) ||
	    has(words->request->command, name) || is_of_this_host(words->request, name))
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

char **run_words(const struct run_request *request, char *const *set, bool open_mpi)
{
	size_t most = length(request->command) + 2 * (length(set) + length(environ)) + 1;
	struct words words = { request, calloc(most, sizeof(char *)), 0 };

	if (!words.words)
		abort();
	add(&words, request->command[0]);
	if (open_mpi && !has_list(request->command)) {
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
