/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_TEXT_H
#define EQUANT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/**
 * struct equant_text - a file of lines of words: blanks separate them, # begins a comment
 * @path: what it is called
 * @why: gets one line about what is wrong, or NULL
 * @why_size: its size
 * @line: number of the line
 * @at: what is left of the line
 * @last: the last word
 */
struct equant_text {
	const char *path;
	char *why;
	size_t why_size;
	int line;
	char *at;
	const char *last;
};

/* "PATH:LINE: 'WORD': FAULT"; -EINVAL. */
int equant_text_refuse(const struct equant_text *text, const char *word, const char *fault);

/* "PATH: " and what @error means; @error. */
int equant_text_fail(const struct equant_text *text, int error);

/* The next word of the line, or NULL. */
const char *equant_text_word(struct equant_text *text);

/* 0, or -EINVAL if the line has one more word. */
int equant_text_end(struct equant_text *text);

/* @word as a number; only with @sign it may be negative.  0 or -EINVAL. */
int equant_text_to_number(const struct equant_text *text, const char *word, bool sign,
			  double *value);

/* The next word as a number.  0 or -EINVAL. */
int equant_text_number(struct equant_text *text, bool sign, double *value);

/* @word as a whole number from @least, which is not negative, to @most.  0 or -EINVAL. */
int equant_text_to_whole(const struct equant_text *text, const char *word, long least, long most,
			 long *value);

/* The next word as one.  0 or -EINVAL. */
int equant_text_whole(struct equant_text *text, long least, long most, long *value);

/*
 * Call @read with @to for each line that has a word, which is the @word given, until it gives an error.
 * 0 or that; -EINVAL for a zero byte; -errno of reading.
 */
int equant_text_lines(struct equant_text *text, FILE *file, int (*read)(void *to, const char *word),
		      void *to);

/* As equant_text_lines() of the file @text->path; -errno of opening it, too. */
int equant_text_file(struct equant_text *text, int (*read)(void *to, const char *word), void *to);

/* A blank and @value with as many digits as it takes to read the same double back. */
void equant_text_put_number(FILE *out, double value);

/* Close what has been written, but for stdout.  0, or what went wrong at any time. */
int equant_text_close(FILE *out);

#endif /* EQUANT_TEXT_H */
