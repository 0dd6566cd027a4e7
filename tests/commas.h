/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* A locale in which numbers have a comma, made for the occasion. */
#ifndef COMMAS_H
#define COMMAS_H

#include <ftw.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline int commas_remove(const char *path, const struct stat *stat, int type,
				struct FTW *ftw)
{
	(void)stat;
	(void)type;
	(void)ftw;
	return remove(path);
}

/* localedef warns of all that the locale has not, and makes it nevertheless. */
static inline int commas_make(const char *folder)
{
	char path[64], command[256];
	FILE *out;

	snprintf(path, sizeof(path), "%s/source", folder);
	out = fopen(path, "w");
	if (!out)
		return -1;
	fprintf(out, "LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \"\"\ngrouping -1\n"
		     "END LC_NUMERIC\n");
	if (fclose(out))
		return -1;
	snprintf(
		command, sizeof(command),
		"PATH=$PATH:/usr/bin:/usr/sbin localedef -c --no-archive -i %s -f ANSI_X3.4-1968 %s/commas >/dev/null 2>&1",
		path, folder);
	return system(command) < 0 ? -1 : 0;
}

/* The program's numbers have commas from now on: 1, or 0 where no such locale can be made. */
static inline int commas_begin(void)
{
	char folder[] = "/tmp/equant-commas-XXXXXX";
	int begun;

	if (!mkdtemp(folder))
		return 0;
	begun = !commas_make(folder) && !setenv("LOCPATH", folder, 1) &&
		setlocale(LC_NUMERIC, "commas") && !strcmp(localeconv()->decimal_point, ",");
	unsetenv("LOCPATH");
	nftw(folder, commas_remove, 8, FTW_DEPTH | FTW_PHYS);
	return begun;
}

#define COMMAS_NEED "needs localedef and the charmaps of the package locales"

#endif /* COMMAS_H */
