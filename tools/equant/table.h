/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * A table of numbers, one column against the others: as text, JSON or a chart.
 */
#ifndef EQUANT_TOOL_TABLE_H
#define EQUANT_TOOL_TABLE_H

#include <stddef.h>
#include <stdio.h>

#define TABLE_COLUMNS 20
#define TABLE_FACTS 12

/**
 * struct table_column - one column
 * @name: head of the column and name in JSON
 * @format: of a number, "%.3f" and the like; NAN is printed as "-"
 * @drawn: is it a line of the chart?
 */
struct table_column {
	const char *name;
	const char *format;
	int drawn;
};

/**
 * struct table - rows under construction
 * @title: one line for the reader
 * @note: another one below it, or empty
 * @x_title: what the first column is and its unit
 * @columns: ended by one without a name; the first is the chart's abscissa
 * @facts: numbers about the whole table, for JSON
 *
 * Start with the rest zero; table_release() frees the rows.
 */
struct table {
	char title[256];
	char note[256];
	const char *x_title;
	const struct table_column *columns;
	struct {
		const char *name;
		double value;
	} facts[TABLE_FACTS];
	int nr_facts;
	size_t rows;
	size_t room;
	double *values;
};

int table_width(const struct table *table);

/** table_add() - one row, a number for every column; -ENOMEM */
int table_add(struct table *table, const double *values);

/** table_fact() - a number for JSON; there is room for TABLE_FACTS */
void table_fact(struct table *table, const char *name, double value);

void table_print(FILE *out, const struct table *table);

/** table_json() - { "model": @model, "title", "note", facts, "points": [ rows ] } */
void table_json(FILE *out, const struct table *table, const char *model);

/**
 * table_svg() - the drawn columns against the first; -1 on a write error
 *
 * From 0 to 1 if that is where they are, else to the next larger number of one digit.
 */
int table_svg(FILE *out, const struct table *table);

/** table_draw() - as SVG into a file; 0, or 1 after a message of "equant @command" */
int table_draw(const struct table *table, const char *command, const char *path);

/**
 * table_show() - print it
 * @command: for messages
 * @model: of table_json(), or NULL: as text
 * @svg: file for a chart as well, or NULL
 *
 * Return: 0, or 1 after a message.
 */
int table_show(const struct table *table, const char *command, const char *model, const char *svg);

void table_release(struct table *table);

#endif /* EQUANT_TOOL_TABLE_H */
