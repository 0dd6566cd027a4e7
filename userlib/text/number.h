/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Numbers in files and options: with a point, whatever the program's locale makes of it. */
#ifndef EQUANT_TEXT_NUMBER_H
#define EQUANT_TEXT_NUMBER_H

#include <stddef.h>

/* As strtod(). */
double equant_number_read(const char *text, char **end);

/* As snprintf() of "%.*g". */
void equant_number_write(char *text, size_t size, int digits, double value);

#endif /* EQUANT_TEXT_NUMBER_H */
