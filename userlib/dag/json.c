// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Reading JSON, RFC 8259.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "json.h"

#define NAME 128

char equant_dag_json_peek(struct dag_scan *scan)
{
	while (!dag_at_end(scan) && strchr(" \t\r\n", dag_peek(scan)) && dag_peek(scan))
		dag_step(scan);
	return dag_peek(scan);
}

struct dag_word equant_dag_json_next(struct dag_scan *scan)
{
	equant_dag_json_peek(scan);
	return (struct dag_word){ scan->text + scan->at, 0, scan->line };
}

int equant_dag_json_refuse(const struct dag_scan *scan, struct dag_word next, const char *fault)
{
	next.length = (size_t)(scan->text + scan->at - next.text);
	return equant_dag_refuse(scan, &next, fault);
}

int equant_dag_json_end(struct dag_scan *scan)
{
	equant_dag_json_peek(scan);
	return dag_at_end(scan) ? 0 : equant_dag_refuse_here(scan, "expected nothing more");
}

static int expect(struct dag_scan *scan, char c, const char *fault)
{
	if (equant_dag_json_peek(scan) != c)
		return equant_dag_refuse_here(scan, fault);
	dag_step(scan);
	return 0;
}

/* A number, or a word that is none of JSON's. */
static struct dag_word word(struct dag_scan *scan)
{
	struct dag_word word = equant_dag_json_next(scan);

	while (!dag_at_end(scan) &&
	       (isalnum((unsigned char)dag_peek(scan)) || memchr("+-._", dag_peek(scan), 4))) {
		dag_step(scan);
		word.length++;
	}
	return word;
}

/* Digits from @at on, at least one. */
static const char *digits(const char *at, const char *end)
{
	const char *begin = at;

	while (at && at < end && isdigit((unsigned char)*at))
		at++;
	return at == begin ? NULL : at;
}

/* JSON has no leading zeros, and a digit before and behind the point. */
static bool is_number(const struct dag_word *word)
{
	const char *at = word->text, *end = at + word->length;

	if (at < end && *at == '-')
		at++;
	at = at < end && *at == '0' ? at + 1 : digits(at, end);
	if (at && at < end && *at == '.')
		at = digits(at + 1, end);
	if (at && at < end && (*at == 'e' || *at == 'E')) {
		at++;
		if (at < end && (*at == '+' || *at == '-'))
			at++;
		at = digits(at, end);
	}
	return at == end;
}

static int number(struct dag_scan *scan, struct dag_word *next)
{
	*next = word(scan);
	if (!next->length)
		return equant_dag_refuse_here(scan, dag_peek(scan) == '"' ?
							    "expected a number, without quotes" :
							    "expected a number");
	return is_number(next) ? 0 : equant_dag_refuse(scan, next, "expected a number");
}

int equant_dag_json_number(struct dag_scan *scan, double *value)
{
	struct dag_word next;
	int err = number(scan, &next);

	return err ? err : equant_dag_number(scan, &next, value);
}

int equant_dag_json_whole(struct dag_scan *scan, int least, int most, int *value)
{
	struct dag_word next;
	int err = number(scan, &next);

	return err ? err : equant_dag_whole(scan, &next, least, most, value);
}

int equant_dag_json_memory(struct dag_scan *scan, uint64_t *value)
{
	struct dag_word next;
	int err = number(scan, &next);

	return err ? err : equant_dag_memory(scan, &next, value);
}

int equant_dag_json_bool(struct dag_scan *scan, bool *value)
{
	struct dag_word next = word(scan);

	*value = next.length == 4 && !memcmp(next.text, "true", 4);
	if (*value || (next.length == 5 && !memcmp(next.text, "false", 5)))
		return 0;
	if (!next.length)
		return equant_dag_refuse_here(scan, "expected true or false");
	return equant_dag_refuse(scan, &next, "expected true or false");
}

/* ---- strings ------------------------------------------------------------------------------- */

static int hex4(struct dag_scan *scan, unsigned int *code)
{
	*code = 0;
	for (int i = 0; i < 4; i++) {
		char c = dag_peek(scan);

		if (!isxdigit((unsigned char)c))
			return equant_dag_refuse_here(scan, "expected four hexadecimal digits");
		*code = *code * 16 + (unsigned int)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
		dag_step(scan);
	}
	return 0;
}

/* The second half of a pair. */
static int low_half(struct dag_scan *scan, unsigned int *code)
{
	unsigned int low;
	int err;

	if (dag_peek(scan) != '\\' || scan->text[scan->at + 1] != 'u')
		return equant_dag_refuse_here(scan, "expected the other half of a character");
	scan->at += 2;
	err = hex4(scan, &low);
	if (err)
		return err;
	if (low < 0xdc00 || low > 0xdfff)
		return equant_dag_refuse_here(scan, "expected the other half of a character");
	*code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
	return 0;
}

/* How many bytes of UTF-8 @code takes. */
static int utf8(unsigned int code, char bytes[4])
{
	static const unsigned int lead[] = { 0, 0xc0, 0xe0, 0xf0 };
	int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;

	bytes[0] = (char)(lead[more] | (code >> (6 * more)));
	for (int i = 1; i <= more; i++)
		bytes[i] = (char)(0x80 | ((code >> (6 * (more - i))) & 0x3f));
	return more + 1;
}

static int escape(struct dag_scan *scan, char bytes[4])
{
	static const char plain[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	const char *found;
	unsigned int code;
	char c = dag_peek(scan);
	int err;

	found = c ? strchr(plain, c) : NULL;
	if (found) {
		dag_step(scan);
		bytes[0] = meant[found - plain];
		return 1;
	}
	if (c != 'u')
		return equant_dag_refuse_here(scan, "no escape");
	dag_step(scan);
	err = hex4(scan, &code);
	if (!err && code >= 0xd800 && code <= 0xdbff)
		err = low_half(scan, &code);
	else if (!err && (!code || (code >= 0xdc00 && code <= 0xdfff)))
		err = equant_dag_refuse_here(scan, "no character before this");
	return err ? err : utf8(code, bytes);
}

int equant_dag_json_string(struct dag_scan *scan, char *text, size_t size)
{
	size_t length = 0;
	char bytes[4], c;
	int count, err = expect(scan, '"', "expected a string");

	while (!err) {
		c = dag_peek(scan);
		if ((unsigned char)c < 0x20)
			return equant_dag_refuse_here(scan, "not in a string");
		dag_step(scan);
		if (c == '"')
			break;
		bytes[0] = c;
		count = c == '\\' ? escape(scan, bytes) : 1;
		if (count < 0)
			return count;
		if (length + (size_t)count >= size)
			return equant_dag_refuse_here(scan, "the string is too long here");
		memcpy(text + length, bytes, (size_t)count);
		length += (size_t)count;
	}
	text[length] = '\0';
	return err;
}

/* ---- objects and arrays --------------------------------------------------------------------- */

/* Is there another element?  1, 0, or -EINVAL. */
static int another(struct dag_scan *scan, bool first, char close)
{
	char c = equant_dag_json_peek(scan);

	if (c == close) {
		dag_step(scan);
		return 0;
	}
	if (first)
		return 1;
	return c == ',' ? (dag_step(scan), 1) :
			  equant_dag_refuse_here(scan, close == '}' ? "expected , or }" :
								      "expected , or ]");
}

static int field(struct dag_scan *scan, const struct dag_field *fields, void *to,
		 unsigned int *seen)
{
	char name[NAME];
	int i = 0, err = equant_dag_json_string(scan, name, sizeof(name));

	if (err)
		return err;
	while (fields[i].name && strcmp(fields[i].name, name))
		i++;
	if (!fields[i].name)
		return equant_dag_refuse_name(scan, name, "not known here");
	if (*seen & (1u << i))
		return equant_dag_refuse_name(scan, name, "a second one");
	*seen |= 1u << i;
	err = expect(scan, ':', "expected :");
	return err ? err : fields[i].read(scan, to);
}

int equant_dag_json_object(struct dag_scan *scan, const struct dag_field *fields, void *to)
{
	unsigned int seen = 0;
	int more = expect(scan, '{', "expected {"), err = more;

	for (bool first = true; !err; first = false) {
		more = another(scan, first, '}');
		if (more <= 0)
			break;
		err = field(scan, fields, to, &seen);
	}
	if (err || more < 0)
		return err ? err : more;
	for (int i = 0; fields[i].name; i++)
		if (fields[i].required && !(seen & (1u << i)))
			return equant_dag_refuse_name(scan, fields[i].name,
						      "missing before the } in this line");
	return 0;
}

int equant_dag_json_array(struct dag_scan *scan, int (*read)(struct dag_scan *scan, void *to),
			  void *to)
{
	int more = expect(scan, '[', "expected ["), err = more;

	for (bool first = true; !err; first = false) {
		more = another(scan, first, ']');
		if (more <= 0)
			break;
		err = read(scan, to);
	}
	return err ? err : more;
}
