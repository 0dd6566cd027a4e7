/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_TOOL_JSON_H
#define EQUANT_TOOL_JSON_H

#include <stdbool.h>
#include <stdio.h>

/**
 * struct json - a JSON text under construction
 *
 * Start with @out set and the rest zero, but for @flat if wanted: everything on one
 * line; and @exact: numbers with as many digits as it takes to read the same ones back,
 * instead of nine.  Names are NULL inside arrays and for the outermost value.
 */
struct json {
	FILE *out;
	int depth;
	bool flat;
	bool exact;
	bool filled; /* the innermost object or array has an element */
};

void json_open_object(struct json *json, const char *name);
void json_close_object(struct json *json);
void json_open_array(struct json *json, const char *name);
void json_close_array(struct json *json);
void json_string(struct json *json, const char *name, const char *value);
void json_integer(struct json *json, const char *name, long value);
void json_bool(struct json *json, const char *name, bool value);

/** json_number() - JSON knows no NaN and no infinity: null */
void json_number(struct json *json, const char *name, double value);

#endif /* EQUANT_TOOL_JSON_H */
