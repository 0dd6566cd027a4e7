/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Files that commands write, and what is said if they cannot be written as a whole. */
#ifndef EQUANT_TOOL_OUTPUT_H
#define EQUANT_TOOL_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/** output_open() - a new file; NULL after a message of "equant @command" */
FILE *output_open(const char *command, const char *path);

/**
 * output_close() - the end of one
 * @out: of output_open()
 * @failed: could something not even be written?  Why is in errno.
 *
 * Return: 0, or 1 after a message.
 */
int output_close(FILE *out, const char *command, const char *path, bool failed);

/** output_flush() - is all that was printed out?  0, or 1 after a message */
int output_flush(const char *command);

#endif /* EQUANT_TOOL_OUTPUT_H */
