// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>

#include "output.h"

static int complain(const char *command, const char *path, int error)
{
	fprintf(stderr, "equant %s: %s: %s\n", command, path, strerror(error));
	return 1;
}

FILE *output_open(const char *command, const char *path)
{
	FILE *out = fopen(path, "we");

	if (!out)
		complain(command, path, errno);
	return out;
}

/* errno of a write that failed, if nothing has changed it since. */
static int reason(void)
{
	return errno ? errno : EIO;
}

int output_close(FILE *out, const char *command, const char *path, bool failed)
{
	int error = failed || ferror(out) ? reason() : 0;

	if (fclose(out) && !error)
		error = errno;
	return error ? complain(command, path, error) : 0;
}

int output_flush(const char *command)
{
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	return complain(command, "standard output", reason());
}
