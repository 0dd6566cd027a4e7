// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Under valgrind: no error and no definite leak that has the library in its stack. */
#include <dirent.h>
#include <equant/equant.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "libjob.h"

#define SUPPRESSIONS "/usr/share/openmpi/openmpi-valgrind.supp"

FIXTURE(memory)
{
	struct job job;
	char folder[64];
	char log[96];
	char variables[2][96];
	const char *valgrind[8];
};

FIXTURE_SETUP(memory)
{
	ASSERT_EQ(0, folder_make(self->folder, sizeof(self->folder)));
	snprintf(self->log, sizeof(self->log), "--log-file=%s/%%p.valgrind", self->folder);
	snprintf(self->variables[0], sizeof(self->variables[0]), "EQUANT_TRACE=%s", self->folder);
	snprintf(self->variables[1], sizeof(self->variables[1]), "EQUANT_REPORT=%s", self->folder);
	self->valgrind[0] = "valgrind";
	self->valgrind[1] = "--leak-check=full";
	self->valgrind[2] = "--show-leak-kinds=definite";
	self->valgrind[3] = self->log;
	if (!access(SUPPRESSIONS, R_OK))
		self->valgrind[4] = "--suppressions=" SUPPRESSIONS;
	self->job = (struct job){
		.ranks = 2,
		.limit = 60,
		.program = "conserve_worker",
		.argv = { "still" },
		.environment = { "EQUANT_PROBE=clock", "EQUANT_PERIOD=0.01", "EQUANT_PROFIT=0",
				 "EQUANT_CHECK=on", self->variables[0], self->variables[1] },
		.wrapper = self->valgrind,
	};
}

FIXTURE_TEARDOWN(memory)
{
	folder_remove(self->folder);
}

/* Reports that name the library; the whole stack counts, so static functions do too. */
static int count_ours(struct __test_metadata *_metadata, const char *path, int *complete)
{
	FILE *in = fopen(path, "re");
	char line[1024];
	int ours = 0;

	while (in && fgets(line, sizeof(line), in)) {
		*complete += !!strstr(line, "ERROR SUMMARY");
		if (!strstr(line, ": equant_"))
			continue;
		TH_LOG("%s", line);
		ours++;
	}
	if (in)
		fclose(in);
	return ours;
}

static int have_valgrind(void)
{
	return !access("/usr/bin/valgrind", X_OK) || !access("/usr/local/bin/valgrind", X_OK);
}

TEST_F(memory, a_balanced_run_neither_leaks_nor_errs)
{
	struct dirent *entry;
	int complete = 0;
	char path[400];
	DIR *dir;

	if (!have_valgrind())
		SKIP(return, "valgrind is not installed");
	EXPECT_PASSED(&self->job);
	dir = opendir(self->folder);
	ASSERT_NE(NULL, dir);
	while ((entry = readdir(dir))) {
		if (!strstr(entry->d_name, ".valgrind"))
			continue;
		snprintf(path, sizeof(path), "%s/%s", self->folder, entry->d_name);
		EXPECT_EQ(0, count_ours(_metadata, path, &complete));
	}
	closedir(dir);
	EXPECT_EQ(2, complete);
}

TEST_HARNESS_MAIN
