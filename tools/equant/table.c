// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Tables of numbers as text and as JSON.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "table.h"

#define CELL 32
#define NARROWEST 10

int table_width(const struct table *table)
{
	int width = 0;

	while (table->columns[width].name)
		width++;
	return width;
}

int table_add(struct table *table, const double *values)
{
	size_t width = table_width(table);

	if (table->rows == table->room) {
		size_t room = table->room ? 2 * table->room : 64;
		double *larger = reallocarray(table->values, room, width * sizeof(*larger));

		if (!larger)
			return -ENOMEM;
		table->values = larger;
		table->room = room;
	}
	memcpy(table->values + table->rows++ * width, values, width * sizeof(*values));
	return 0;
}

void table_fact(struct table *table, const char *name, double value)
{
	if (table->nr_facts == TABLE_FACTS)
		abort();
	table->facts[table->nr_facts].name = name;
	table->facts[table->nr_facts++].value = value;
}

static int cell_width(const struct table_column *column)
{
	int length = (int)strlen(column->name) + 2;

	return length > NARROWEST ? length : NARROWEST;
}

static void print_cell(FILE *out, const struct table_column *column, double value)
{
	char cell[CELL] = "-";

	if (isfinite(value))
		snprintf(cell, sizeof(cell), column->format, value);
	fprintf(out, " %*s", cell_width(column) - 1, cell);
}

void table_print(FILE *out, const struct table *table)
{
	int width = table_width(table);

	fprintf(out, "%s\n%s%s\n", table->title, table->note, table->note[0] ? "\n" : "");
	for (int c = 0; c < width; c++)
		fprintf(out, "%*s", cell_width(&table->columns[c]), table->columns[c].name);
	fputc('\n', out);
	for (size_t r = 0; r < table->rows; r++) {
		for (int c = 0; c < width; c++)
			print_cell(out, &table->columns[c], table->values[r * width + c]);
		fputc('\n', out);
	}
}

void table_json(FILE *out, const struct table *table, const char *model)
{
	struct json json = { .out = out };
	int width = table_width(table);

	json_open_object(&json, NULL);
	json_string(&json, "model", model);
	json_string(&json, "title", table->title);
	if (table->note[0])
		json_string(&json, "note", table->note);
	for (int i = 0; i < table->nr_facts; i++)
		json_number(&json, table->facts[i].name, table->facts[i].value);
	json_open_array(&json, "points");
	for (size_t r = 0; r < table->rows; r++) {
		json_open_object(&json, NULL);
		for (int c = 0; c < width; c++)
			json_number(&json, table->columns[c].name, table->values[r * width + c]);
		json_close_object(&json);
	}
	json_close_array(&json);
	json_close_object(&json);
}

void table_release(struct table *table)
{
	free(table->values);
	table->values = NULL;
	table->rows = table->room = 0;
}
