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
#define PRELOAD "LD_PRELOAD" /* with --profile it is one of them */
/* A list of variables to hand on, beside which Open MPI refuses to be told of others. */
#define LIST "mca_base_env_list"

/**
 * struct words - some, with NULL at the end
 * @words: so far
 * @count: how many
 * @failed: there was no memory for one
 */
struct words {
	char **words;
	size_t count;
	bool failed;
};

bool run_hands_on(char *const *words, const char *name)
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
	if (!strcmp(name, "EQUANT_REPORT") || !strcmp(name, "EQUANT_MPI_PROFILE"))
		return !run_reports_are_kept();
	return !strcmp(name, "EQUANT_TRACE") && request->own_traces;
}

static void add(struct words *words, const char *word)
{
	char *copy = words->words ? strdup(word) : NULL;

	if (copy)
		words->words[words->count++] = copy;
	else
		words->failed = true;
}

/* A variable that ranks on other hosts would not have. */
static void hand_on(struct words *options, const struct run_request *request, const char *variable)
{
	char name[128];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(variable, "="), variable);
	if ((strncmp(name, PREFIX, strlen(PREFIX)) &&
	     (strcmp(name, PRELOAD) || !request->profile)) ||
	    !options->words || run_hands_on(options->words, name) ||
	    run_hands_on(request->command, name) || is_of_this_host(request, name))
		return;
	add(options, "-x");
	add(options, name);
}

static size_t length(char *const *list)
{
	size_t n = 0;

	while (list[n])
		n++;
	return n;
}

static struct words words_new(size_t most)
{
	char **words = calloc(most + 1, sizeof(*words));

	return (struct words){ .words = words, .failed = !words };
}

static void add_all(struct words *words, const struct words *more)
{
	for (size_t i = 0; i < more->count; i++)
		add(words, more->words[i]);
}

char **run_words(const struct run_request *request, char *const *set, bool open_mpi)
{
	size_t own = length(request->command);
	struct words options = words_new(2 * (length(set) + length(environ)));
	struct words words;

	open_mpi &= !has_list(request->command);
	for (char *const *variable = set; open_mpi && *variable; variable++)
		hand_on(&options, request, *variable);
	for (char *const *variable = environ; open_mpi && *variable; variable++)
		hand_on(&options, request, *variable);
	/* Behind each colon are options of the programs that follow. */
	words = words_new(own * (1 + options.count));
	for (size_t i = 0; i < own; i++) {
		add(&words, request->command[i]);
		if (!i || !strcmp(request->command[i], ":"))
			add_all(&words, &options);
	}
	run_words_release(options.words);
	if (!options.failed && !words.failed)
		return words.words;
	run_words_release(words.words);
	return NULL;
}

void run_words_release(char **words)
{
	for (char **word = words; word && *word; word++)
		free(*word);
	free(words);
}
