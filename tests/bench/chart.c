// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * chart TITLE ABSCISSA < TABLE > PICTURE: draws a table as `equant simulate --svg` does.  The first line
 * of TABLE names its columns, the others are numbers, the first one the abscissa; a word that is no
 * number leaves a gap in its line.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

#define BLANKS " \t\n"

static int fail(const char *what)
{
	fprintf(stderr, "chart: %s\n", what);
	return 1;
}

static int read_head(char *line, struct table_column columns[TABLE_COLUMNS + 1])
{
	int width = 0;

	for (char *word = strtok(line, BLANKS); word; word = strtok(NULL, BLANKS)) {
		if (width == TABLE_COLUMNS)
			return fail("too many columns");
		columns[width] = (struct table_column){ strdup(word), "%g", width > 0 };
		width++;
	}
	return width > 1 ? 0 : fail("there is no table");
}

static int read_row(char *line, struct table *table)
{
	double values[TABLE_COLUMNS];
	int width = 0;

	for (char *word = strtok(line, BLANKS); word && width < table_width(table);
	     word = strtok(NULL, BLANKS)) {
		char *end;

		values[width] = strtod(word, &end);
		if (*end)
			values[width] = NAN;
		width++;
	}
	if (width < table_width(table))
		return fail("a row is too short");
	return table_add(table, values) ? fail("out of memory") : 0;
}

int main(int argc, char **argv)
{
	struct table_column columns[TABLE_COLUMNS + 1] = { 0 };
	struct table table = { .columns = columns };
	char line[1000];
	int status;

	if (argc != 3)
		return fail("usage: chart TITLE ABSCISSA < TABLE > PICTURE");
	snprintf(table.title, sizeof(table.title), "%s", argv[1]);
	table.x_title = argv[2];
	status = fgets(line, sizeof(line), stdin) ? read_head(line, columns) :
						    fail("there is no table");
	while (!status && fgets(line, sizeof(line), stdin))
		status = read_row(line, &table);
	if (!status && (table_svg(stdout, &table) || fflush(stdout)))
		status = fail("the picture cannot be written");
	table_release(&table);
	for (int c = 0; columns[c].name; c++)
		free((char *)columns[c].name);
	return status;
}
