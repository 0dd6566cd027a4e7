// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libadvise.h"

struct equant_nest *nest_from(const char *text, char *why, size_t why_size)
{
	int file = memfd_create("nest", MFD_CLOEXEC);
	struct equant_nest *nest = NULL;
	size_t length = strlen(text);
	char path[40];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	if (file >= 0 && write(file, text, length) == (ssize_t)length)
		nest = equant_nest_read(path, why, why_size);
	if (file >= 0)
		close(file);
	return nest;
}

static void __attribute__((format(printf, 2, 3))) append(char *line, const char *format, ...)
{
	size_t used = strlen(line);
	va_list args;

	va_start(args, format);
	vsnprintf(line + used, NEST_LINE - used, format, args);
	va_end(args);
}

static void append_nodes(const struct equant_nest *nest, int parent, char *line)
{
	static const char *const marks[] = {
		[EQUANT_NODE_SEND] = ">",
		[EQUANT_NODE_RECEIVE] = "<",
		[EQUANT_NODE_BARRIER] = "|",
	};

	for (int i = nest->nodes[parent].first; i >= 0; i = nest->nodes[i].next) {
		const struct equant_node *node = &nest->nodes[i];

		if (i != nest->nodes[parent].first)
			append(line, " ");
		if (node->kind == EQUANT_NODE_HOOK) {
			append(line, "^");
		} else if (node->kind == EQUANT_NODE_LOOP) {
			append(line, node->flags & EQUANT_LOOP_UNKNOWN ? "%s ? { " : "%s %.12g { ",
			       node->name, node->trips);
			append_nodes(nest, i, line);
			append(line, " }");
		} else if (node->kind == EQUANT_NODE_STATEMENT) {
			append(line, "%s", node->name);
		} else {
			append(line, "%s%s", marks[node->kind], node->name);
		}
	}
}

const char *nest_line(const struct equant_nest *nest, char line[NEST_LINE])
{
	line[0] = '\0';
	append_nodes(nest, 0, line);
	return line;
}

const char *reasons_line(const struct equant_placement *placement, char line[NEST_LINE])
{
	line[0] = '\0';
	for (int i = 0; i < placement->count; i++)
		append(line, "%s%s %d", i ? ", " : "",
		       equant_reason_name(placement->reasons[i].kind), placement->reasons[i].level);
	return line;
}

int near(double a, double b)
{
	return fabs(a - b) <= 1e-12 * (fabs(a) + fabs(b));
}
