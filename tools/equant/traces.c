// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Directories of traces and reports, and what a directory of traces shows.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "traces.h"

int directory_make(char path[PATH_MAX], const char *name)
{
	const char *given = getenv("TMPDIR");
	char parent[PATH_MAX];
	int length;

	if (!realpath(given && *given ? given : "/tmp", parent))
		snprintf(parent, sizeof(parent), "/tmp");
	length = snprintf(path, PATH_MAX, "%s/equant-%s-XXXXXX", parent, name);
	if (length < PATH_MAX && mkdtemp(path))
		return 0;
	fprintf(stderr, "equant: %s: %s\n", path, strerror(errno));
	return -errno;
}

void directory_remove(const char *path)
{
	DIR *directory = opendir(path);
	struct dirent *entry;

	if (!directory)
		return;
	while ((entry = readdir(directory)))
		if (*entry->d_name != '.')
			unlinkat(dirfd(directory), entry->d_name, 0);
	closedir(directory);
	rmdir(path);
}

int traces_make(struct traces *traces)
{
	int ret = directory_make(traces->directory, "trace");

	traces->temporary = !ret;
	return ret;
}

void traces_remove(struct traces *traces)
{
	if (traces->temporary)
		directory_remove(traces->directory);
	traces->temporary = false;
}

int traces_draw(FILE *out, const char *directory, int width)
{
	(void)width;
	fprintf(out, "%s\n", directory);
	return 0;
}
