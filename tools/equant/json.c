// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Writing JSON, RFC 8259.
 */
#include <math.h>
#include <stdlib.h>

#include "json.h"
#include "plain.h"

#define DIGITS 9

/* JSON is UTF-8: a byte that is no character's becomes one that says so. */
static void quote(FILE *out, const char *text)
{
	uint32_t code;
	size_t bytes;

	fputc('"', out);
	for (; *text; text += bytes) {
		bytes = plain_next(text, &code);
		if (*text == '"' || *text == '\\')
			fprintf(out, "\\%c", *text);
		else if (plain_is_shown(code))
			fwrite(text, 1, bytes, out);
		else
			fprintf(out, "\\u%04x", code == PLAIN_BAD ? 0xfffd : code);
	}
	fputc('"', out);
}

static void break_line(struct json *json)
{
	if (!json->flat)
		fprintf(json->out, "\n%*s", 2 * json->depth, "");
	else if (json->filled)
		fputc(' ', json->out);
}

static void begin_value(struct json *json, const char *name)
{
	if (json->filled)
		fputc(',', json->out);
	if (json->depth > 0)
		break_line(json);
	if (name) {
		quote(json->out, name);
		fputs(": ", json->out);
	}
	json->filled = true;
}

static void open_value(struct json *json, const char *name, char bracket)
{
	begin_value(json, name);
	fputc(bracket, json->out);
	json->depth++;
	json->filled = false;
}

static void close_value(struct json *json, char bracket)
{
	json->depth--;
	if (json->filled && !json->flat)
		break_line(json);
	fputc(bracket, json->out);
	json->filled = true;
	if (json->depth == 0)
		fputc('\n', json->out);
}

void json_open_object(struct json *json, const char *name)
{
	open_value(json, name, '{');
}

void json_close_object(struct json *json)
{
	close_value(json, '}');
}

void json_open_array(struct json *json, const char *name)
{
	open_value(json, name, '[');
}

void json_close_array(struct json *json)
{
	close_value(json, ']');
}

void json_string(struct json *json, const char *name, const char *value)
{
	begin_value(json, name);
	quote(json->out, value);
}

void json_integer(struct json *json, const char *name, long value)
{
	begin_value(json, name);
	fprintf(json->out, "%ld", value);
}

void json_bool(struct json *json, const char *name, bool value)
{
	begin_value(json, name);
	fputs(value ? "true" : "false", json->out);
}

/* As many as it takes to read @value back; seventeen always do. */
static int digits_of(double value)
{
	char text[32];
	int digits = DIGITS;

	for (; digits < 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	return digits;
}

void json_number(struct json *json, const char *name, double value)
{
	begin_value(json, name);
	if (isfinite(value))
		fprintf(json->out, "%.*g", json->exact ? digits_of(value) : DIGITS, value);
	else
		fputs("null", json->out);
}
