// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* A table where the user wants it, or why it is not there. */
#include "output.h"
#include "table.h"

int table_draw(const struct table *table, const char *command, const char *path)
{
	FILE *out = output_open(command, path);

	return out ? output_close(out, command, path, table_svg(out, table)) : 1;
}

int table_show(const struct table *table, const char *command, const char *model, const char *svg)
{
	if (svg && table_draw(table, command, svg))
		return 1;
	if (model)
		table_json(stdout, table, model);
	else
		table_print(stdout, table);
	return output_flush(command);
}
