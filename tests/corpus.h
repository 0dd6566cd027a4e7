/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Files that a fuzzer found to take different ways through a reader. */
#ifndef TESTS_CORPUS_H
#define TESTS_CORPUS_H

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* What a file holds, with a 0 behind it. */
typedef bool corpus_handler(const char *data, size_t size);

static inline bool corpus_file(const char *folder, const char *name, corpus_handler *handled)
{
	char path[4096], data[65536];
	size_t size;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "re");
	if (!file)
		return false;
	size = fread(data, 1, sizeof(data) - 1, file);
	data[size] = '\0';
	fclose(file);
	return handled(data, size);
}

/* How many files of @folder, in the source tree, are not @handled; they are named.  *@many: of all. */
static inline int corpus_faults(const char *folder, corpus_handler *handled, int *many)
{
	const char *source = getenv("TEST_SOURCE");
	struct dirent *entry;
	char path[2048];
	int faults = 0;
	DIR *all;

	*many = 0;
	snprintf(path, sizeof(path), "%s/%s", source ? source : ".", folder);
	all = opendir(path);
	if (!all)
		return -1;
	while ((entry = readdir(all))) {
		if (entry->d_name[0] == '.')
			continue;
		++*many;
		if (corpus_file(path, entry->d_name, handled))
			continue;
		fprintf(stderr, "# %s/%s\n", folder, entry->d_name);
		faults++;
	}
	closedir(all);
	return faults;
}

#endif /* TESTS_CORPUS_H */
