// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Before a job is started: is the command there, can its ranks be measured,
 * are the options known, is there a CPU for each rank?
 */
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <equant/equant.h>
#include <equant/probe.h>

#include "commands.h"
#include "run.h"
#include "spawn.h"

static bool is_in(const char *directory, size_t length, const char *name)
{
	char path[PATH_MAX];
	int used = snprintf(path, sizeof(path), "%.*s/%s", (int)length, directory, name);

	return used > 0 && (size_t)used < sizeof(path) && !access(path, F_OK);
}

/* Whether it can be run, execvp() tells. */
static bool in_path(const char *name)
{
	const char *path = getenv("PATH");
	char usual[256];
	size_t length;

	if (strchr(name, '/'))
		return !access(name, F_OK);
	if (!path && confstr(_CS_PATH, usual, sizeof(usual)))
		path = usual;
	/* An empty one is the current one. */
	for (; path; path = path[length] ? path + length + 1 : NULL) {
		length = strcspn(path, ":");
		if (is_in(length ? path : ".", length ? length : 1, name))
			return true;
	}
	return false;
}

static bool is_mpirun(const char *command)
{
	static const char *const names[] = { "mpirun", "mpiexec", "orterun", "prterun" };
	const char *slash = strrchr(command, '/'), *name = slash ? slash + 1 : command;
	/* mpirun.openmpi is that, too. */
	size_t length = strcspn(name, ".");

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == length && !strncmp(name, names[i], length))
			return true;
	return false;
}

bool run_is_open_mpi(const char *command)
{
	char *argv[] = { (char *)command, "--version", NULL };
	char text[256] = "";

	if (!is_mpirun(command))
		return false;
	return spawn_output(argv, false, text, sizeof(text)) == 0 &&
	       (strstr(text, "Open MPI") || strstr(text, "OpenRTE"));
}

struct survey {
	const char *wanted;
	char best[16];
	char better[512]; /* why the ones before the best do not work */
	char reason[256]; /* why the wanted one does not */
	int error;
	bool known;
};

static void take_probe(void *ctx, const char *name, int error, const char *text)
{
	struct survey *survey = ctx;
	size_t used = strlen(survey->better);

	if (!strcmp(name, survey->wanted)) {
		survey->known = true;
		survey->error = error;
		snprintf(survey->reason, sizeof(survey->reason), "%s", text);
	}
	if (*survey->best || !strncmp(name, "replay", 6))
		return;
	if (!error)
		snprintf(survey->best, sizeof(survey->best), "%s", name);
	else
		snprintf(survey->better + used, sizeof(survey->better) - used, "%s%s: %s",
			 used ? "; " : "", name, text);
}

const char *run_setting(const struct run_request *request, const char *name)
{
	size_t length = strlen(name);

	for (int i = request->nr_settings - 1; i >= 0; i--)
		if (!strncmp(request->settings[i], name, length) &&
		    request->settings[i][length] == '=')
			return request->settings[i] + length + 1;
	return NULL;
}

/* What the job will find in its environment. */
static const char *wanted_probe(const struct run_request *request)
{
	const char *set = run_setting(request, "EQUANT_PROBE");

	if (set)
		return set;
	return request->probe ? request->probe : getenv("EQUANT_PROBE");
}

static int check_probe(const struct run_request *request)
{
	const char *wanted = wanted_probe(request);
	struct survey survey = { .wanted = wanted && *wanted ? wanted : "auto" };

	if (!strncmp(survey.wanted, "replay:", 7))
		return 0;
	equant_probe_survey(take_probe, &survey);
	if (strcmp(survey.wanted, "auto")) {
		if (!survey.known) {
			fprintf(stderr,
				"equant: unknown probe '%s' (auto, bpf, kmod, schedstat, clock, replay:FILE)\n",
				survey.wanted);
			return EQUANT_EXIT_USAGE;
		}
		if (survey.error) {
			fprintf(stderr, "equant: probe %s: %s\n", survey.wanted, survey.reason);
			return EQUANT_EXIT_FAILURE;
		}
	} else if (!request->quiet) {
		fprintf(stderr, "equant: measuring with %s%s%s\n", survey.best,
			*survey.better ? "; " : "", survey.better);
		if (!strcmp(survey.best, "clock"))
			fputs("equant: CPU time cannot be measured here: shares stay unknown\n",
			      stderr);
	}
	return 0;
}

static int check_setting(const struct run_request *request, const char *setting)
{
	size_t length = strcspn(setting, "=");
	char name[64]; /* a longer one is no option's */
	int error;

	if (setting[length] != '=') {
		fprintf(stderr, "equant: --set %s: NAME=VALUE expected\n", setting);
		return EQUANT_EXIT_USAGE;
	}
	snprintf(name, sizeof(name), "%.*s", (int)length, setting);
	/* The last one counts. */
	error = equant_options_check(name, run_setting(request, name));
	if (error == -ENOENT)
		fprintf(stderr, "equant: --set %s: no such option; see `equant help env`\n",
			setting);
	if (error)
		return EQUANT_EXIT_USAGE;
	if (!strcmp(name, "EQUANT_REPORT")) {
		fputs("equant: --set EQUANT_REPORT: run needs it itself; use --keep\n", stderr);
		return EQUANT_EXIT_USAGE;
	}
	return 0;
}

struct inherited {
	const struct run_request *request;
	bool bad;
};

/* By an option of ours, or a word of the command as mpirun's -x and env have it. */
static bool is_replaced(const struct run_request *request, const char *variable)
{
	size_t length = strlen(variable);

	if (run_setting(request, variable) ||
	    (request->trace && !strcmp(variable, "EQUANT_TRACE")) ||
	    (request->replay && !strcmp(variable, "EQUANT_REPLAY")))
		return true;
	for (char *const *word = request->command; *word; word++)
		if (!strncmp(*word, variable, length) && (*word)[length] == '=')
			return true;
	return false;
}

/* What comes from our own environment. */
static void take_inherited(void *ctx, const char *variable, const char *value, const char *range,
			   const char *meaning)
{
	struct inherited *inherited = ctx;
	const char *found = getenv(variable);

	(void)value;
	(void)range;
	(void)meaning;
	if (found && !is_replaced(inherited->request, variable) &&
	    equant_options_check(variable, found))
		inherited->bad = true;
}

/* Options of mpirun that name no other hosts, and how many words follow them. */
static const struct {
	const char *name;
	int words;
	bool ranks; /* the word is their number */
} mpirun_options[] = {
	{ "n", 1, true },
	{ "np", 1, true },
	{ "c", 1, true },
	{ "x", 1, false },
	{ "mca", 2, false },
	{ "bind-to", 1, false },
	{ "map-by", 1, false },
	{ "rank-by", 1, false },
	{ "wdir", 1, false },
	{ "oversubscribe", 0, false },
	{ "report-bindings", 0, false },
	{ "allow-run-as-root", 0, false },
	{ "tag-output", 0, false },
	{ 0 },
};

static long to_ranks(const char *word)
{
	char *end;
	long ranks = strtol(word, &end, 10);

	return !*end && ranks > 0 && ranks <= INT_MAX ? ranks : 0;
}

/* By the options before the name of a program; what follows it is the program's own.  0 = unknown */
static long ranks_of_program(char *const *words)
{
	long ranks = 0;

	while (*words && **words == '-') {
		const char *name = *words + 1 + ((*words)[1] == '-');
		int i = 0;

		while (mpirun_options[i].name && strcmp(mpirun_options[i].name, name))
			i++;
		if (!mpirun_options[i].name)
			return 0;
		words++;
		if (*words && mpirun_options[i].ranks)
			ranks = to_ranks(*words);
		for (int n = mpirun_options[i].words; n > 0 && *words; n--)
			words++;
	}
	return ranks;
}

/* Of all programs, which colons part; 0 = unknown. */
static long ranks_asked_for(char *const *command)
{
	long sum = 0, ranks;

	do {
		ranks = ranks_of_program(++command);
		if (!ranks)
			return 0;
		sum += ranks;
		while (*command && strcmp(*command, ":"))
			command++;
	} while (*command);
	return sum;
}

static void warn_of_crowding(const struct run_request *request)
{
	long ranks = is_mpirun(request->command[0]) ? ranks_asked_for(request->command) : 1;
	cpu_set_t set;

	if (request->quiet || sched_getaffinity(0, sizeof(set), &set))
		return;
	if (ranks > CPU_COUNT(&set))
		fprintf(stderr,
			"equant: %ld ranks on %d CPUs: ranks on the same CPU are each other's competitors, which balancing cannot change\n",
			ranks, CPU_COUNT(&set));
}

static int check_profile(const struct run_request *request)
{
	char library[PATH_MAX];

	if (!request->profile)
		return 0;
	if (run_hands_on(request->command, "LD_PRELOAD")) {
		fputs("equant: --profile: -x LD_PRELOAD of the command would take the place of ours; set it for equant run\n",
		      stderr);
		return EQUANT_EXIT_USAGE;
	}
	if (spawn_find_helper(RUN_PROFILE_LIBRARY, library, sizeof(library)))
		fprintf(stderr, "equant: --profile: %s is not where it was built or installed\n",
			RUN_PROFILE_LIBRARY);
	else if (strpbrk(library, " :"))
		fprintf(stderr, "equant: --profile: %s: LD_PRELOAD takes no blanks and colons\n",
			library);
	else
		return 0;
	return EQUANT_EXIT_FAILURE;
}

int run_check(const struct run_request *request)
{
	struct inherited inherited = { .request = request };
	int ret;

	if (!in_path(request->command[0])) {
		fprintf(stderr, "equant: %s: command not found\n", request->command[0]);
		return EQUANT_EXIT_NOT_FOUND;
	}
	for (int i = 0; i < request->nr_settings; i++) {
		ret = check_setting(request, request->settings[i]);
		if (ret)
			return ret;
	}
	equant_options_describe(take_inherited, &inherited);
	if (inherited.bad)
		return EQUANT_EXIT_USAGE;
	ret = check_probe(request);
	if (!ret)
		ret = check_profile(request);
	if (ret)
		return ret;
	for (int i = 0; i < request->nr_loads; i++) {
		ret = competitor_check(request->loads[i]);
		if (ret)
			return ret;
	}
	warn_of_crowding(request);
	return 0;
}
