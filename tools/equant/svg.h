/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_TOOL_SVG_H
#define EQUANT_TOOL_SVG_H

#include <stdio.h>

/** svg_text() - print @text so that XML means just that */
void svg_text(FILE *out, const char *text);

#endif /* EQUANT_TOOL_SVG_H */
