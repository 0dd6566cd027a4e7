// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* A table where the user wants it, or why it is not there. */
#include <errno.h>
#include <string.h>

#include "table.h"

int table_draw(const struct table *table, const char *command, const char *path)
{
	FILE *out = fopen(path, "we");
	int err = 0;

	if (!out || table_svg(out, table))
		err = errno;
	if (out && fclose(out) && !err)
		err = errno;
	if (err)
		fprintf(stderr, "equant %s: %s: %s\n", command, path, strerror(err));
	return err ? 1 : 0;
}

int table_show(const struct table *table, const char *command, const char *model, const char *svg)
{
	if (svg && table_draw(table, command, svg))
		return 1;
	if (model)
		table_json(stdout, table, model);
	else
		table_print(stdout, table);
	if (!fflush(stdout))
		return 0;
	fprintf(stderr, "equant %s: standard output: %s\n", command, strerror(errno));
	return 1;
}
