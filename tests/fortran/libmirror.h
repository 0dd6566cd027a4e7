/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* What the Fortran workers call by bind(C). */
#ifndef LIBMIRROR_H
#define LIBMIRROR_H

#include <equant/equant.h>

void nap(double seconds);
void in_thread(void (*procedure)(void));
void defaults(struct equant_options *options);
void number_options(struct equant_options *options);
void number_stats(struct equant_stats *stats);
long size_of_options(void);
long size_of_stats(void);
long said_of_options(const struct equant_options *options);
long said_of_stats(const struct equant_stats *stats);
int count_options(void);
int constant(const char *name);

#endif /* LIBMIRROR_H */
